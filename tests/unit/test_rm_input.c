/* Inputs to splits (rm_input.h) and the life of an output folder (rm_output.h). */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base_io.h"
#include "rm/rm_input.h"
#include "rm/rm_output.h"
#include "tests/unit/cunit_main.h"

static char dir[64];

static char *at(const char *name)
{
    static char paths[8][PATH_MAX];
    static int turn;
    char *path = paths[turn++ % 8];

    snprintf(path, PATH_MAX, "%s/%s", dir, name);
    return path;
}

static void put(const char *name, size_t size, const char *head)
{
    char *data = calloc(1, size + 1);

    memset(data, 'x', size);
    if (head != NULL)
        memcpy(data, head, strlen(head));
    CU_ASSERT_EQUAL_FATAL(base_file_write_atomic(at(name), data, size, 0644, false, NULL), 0);
    free(data);
}

static void begin(void)
{
    snprintf(dir, sizeof dir, "/tmp/creel-input-XXXXXX");
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
}

static void end(void)
{
    CU_ASSERT_EQUAL(base_rmtree(dir, NULL), 0);
}

static int expand1(const char *input, int64_t split, struct rm_input *in, struct base_error *err)
{
    return rm_input_expand(&input, 1, split, in, err);
}

/* Goal: the pieces cover each file exactly; the tail rule holds on both sides of its boundary. */
static void test_splits(void)
{
    static const struct {
        size_t size;
        int64_t split;
        size_t n;
        int64_t last;
    } rows[] = {
        {1, 100, 1, 1},     {100, 100, 1, 100}, {110, 100, 1, 110}, {111, 100, 2, 11},
        {200, 100, 2, 100}, {210, 100, 2, 110}, {211, 100, 3, 11},  {1000, 1, 1000, 1},
        {19, 10, 2, 9},     {21, 10, 2, 11},    {22, 10, 3, 2},     {5, INT64_MAX, 1, 5},
    };

    begin();
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct base_error err = {0};
        struct rm_input in;
        int64_t sum = 0;

        put("f", rows[r].size, NULL);
        CU_ASSERT_EQUAL_FATAL(expand1(at("f"), rows[r].split, &in, &err), 0);
        CU_ASSERT_EQUAL_FATAL(in.splits_len, rows[r].n);
        for (size_t i = 0; i < in.splits_len; i++) {
            CU_ASSERT_EQUAL(in.splits[i].offset, sum);
            CU_ASSERT_FALSE(in.splits[i].gzip);
            sum += in.splits[i].length;
        }
        CU_ASSERT_EQUAL(sum, (int64_t)rows[r].size);
        CU_ASSERT_EQUAL(in.bytes, sum);
        CU_ASSERT_EQUAL(in.splits[in.splits_len - 1].length, rows[r].last);
        rm_input_free(&in);
    }
    end();
}

/* Goal: a folder shows its files, sorted by bytes; hidden ones, sub-folders and links to folders are left out, links
 * to files are followed. */
static void test_folder(void)
{
    struct base_error err = {0};
    struct rm_input in;

    begin();
    put("b", 1, NULL);
    put("a", 1, NULL);
    put("B", 1, NULL);
    put(".hidden", 1, NULL);
    put("_SUCCESS", 1, NULL);
    put("empty", 0, NULL);
    CU_ASSERT_EQUAL(mkdir(at("sub"), 0755), 0);
    put("sub/deep", 1, NULL);
    CU_ASSERT_EQUAL(symlink("sub", at("link-to-folder")), 0);
    CU_ASSERT_EQUAL(symlink("sub/deep", at("link")), 0);
    CU_ASSERT_EQUAL_FATAL(expand1(dir, 10, &in, &err), 0);
    CU_ASSERT_EQUAL_FATAL(in.paths_len, 4);
    CU_ASSERT_STRING_EQUAL(in.paths[0], at("B"));
    CU_ASSERT_STRING_EQUAL(in.paths[1], at("a"));
    CU_ASSERT_STRING_EQUAL(in.paths[2], at("b"));
    CU_ASSERT_STRING_EQUAL(in.paths[3], at("link"));
    rm_input_free(&in);
    end();
}

static void test_patterns_and_uris(void)
{
    struct base_error err = {0};
    struct rm_input in;
    char uri[PATH_MAX];
    const char *two[2];

    begin();
    put("x1.txt", 3, NULL);
    put("x2.txt", 3, NULL);
    put("_x3.txt", 3, NULL);
    put("a b%.txt", 3, NULL);
    put("star*", 3, NULL);
    CU_ASSERT_EQUAL_FATAL(expand1(at("x*.txt"), 10, &in, &err), 0);
    CU_ASSERT_EQUAL(in.paths_len, 2);
    rm_input_free(&in);
    CU_ASSERT_EQUAL_FATAL(expand1(at("*3.txt"), 10, &in, &err), -BASE_EINVAL);
    CU_ASSERT_EQUAL_FATAL(expand1(at("_*.txt"), 10, &in, &err), 0);
    CU_ASSERT_EQUAL(in.paths_len, 1);
    rm_input_free(&in);
    CU_ASSERT_EQUAL_FATAL(expand1(at("star*"), 10, &in, &err), 0); /* that very name */
    CU_ASSERT_EQUAL(in.paths_len, 1);
    rm_input_free(&in);
    snprintf(uri, sizeof uri, "file://%s/a%%20b%%25.txt", dir);
    CU_ASSERT_EQUAL_FATAL(expand1(uri, 10, &in, &err), 0);
    CU_ASSERT_STRING_EQUAL(in.paths[0], at("a b%.txt"));
    rm_input_free(&in);
    snprintf(uri, sizeof uri, "file://localhost%s/x[12].txt", dir);
    two[0] = at("x2.txt");
    two[1] = uri;
    CU_ASSERT_EQUAL_FATAL(rm_input_expand(two, 2, 10, &in, &err), 0);
    CU_ASSERT_EQUAL_FATAL(in.paths_len, 3); /* named twice, read twice; inputs keep their order */
    CU_ASSERT_STRING_EQUAL(in.paths[0], at("x2.txt"));
    CU_ASSERT_STRING_EQUAL(in.paths[1], at("x1.txt"));
    CU_ASSERT_EQUAL(in.splits[2].path_index, 2);
    rm_input_free(&in);
    snprintf(uri, sizeof uri, "file:%s/x1.txt", dir);
    CU_ASSERT_EQUAL_FATAL(expand1(uri, 10, &in, &err), 0);
    rm_input_free(&in);
    end();
}

static void test_gzip_and_empty(void)
{
    struct base_error err = {0};
    struct rm_input in;

    begin();
    put("a.gz", 500, "\x1f\x8b");
    put("not.gz", 25, "plain");
    put("0", 0, NULL);
    CU_ASSERT_EQUAL_FATAL(expand1(dir, 10, &in, &err), 0);
    CU_ASSERT_EQUAL_FATAL(in.splits_len, 1 + 3);
    CU_ASSERT_TRUE(in.splits[0].gzip);
    CU_ASSERT_EQUAL(in.splits[0].length, 500);
    CU_ASSERT_FALSE(in.splits[1].gzip);
    rm_input_free(&in);
    CU_ASSERT_EQUAL(unlink(at("a.gz")), 0);
    CU_ASSERT_EQUAL(unlink(at("not.gz")), 0);
    put("1", 0, NULL);
    CU_ASSERT_EQUAL_FATAL(expand1(dir, 10, &in, &err), 0);
    CU_ASSERT_EQUAL_FATAL(in.splits_len, 1);
    CU_ASSERT_EQUAL(in.splits[0].length, 0);
    CU_ASSERT_STRING_EQUAL(in.paths[0], at("0"));
    rm_input_free(&in);
    end();
}

static void refuse(const char *second, const char *says)
{
    const char *inputs[2] = {at("good"), second};
    struct base_error err = {0};
    struct rm_input in;

    CU_ASSERT_EQUAL(rm_input_expand(inputs, 2, 10, &in, &err), -BASE_EINVAL);
    CU_ASSERT_PTR_NULL(in.paths);
    CU_ASSERT_EQUAL(strncmp(err.text, "job.input[1]: ", 14), 0);
    if (strstr(err.text, says) == NULL)
        printf("\n  \"%s\" does not say \"%s\"\n", err.text, says);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, says));
}

static void test_refusals(void)
{
    struct base_error err = {0};
    struct rm_input in;
    const char *many[1] = {"/x"};
    char name[301];

    begin();
    put("good", 3, NULL);
    refuse(at("absent"), "/absent does not exist");
    refuse(at("good/under"), "does not exist");
    refuse(at("no*"), "matches no file");
    refuse("relative/path", "neither an absolute path nor a file:// URI");
    refuse("hdfs://host/x", "neither an absolute path nor a file:// URI");
    refuse("", "neither");
    refuse("file://other/x", "names the host other");
    refuse("file:///a%2", "percent escape");
    refuse("file:///a%00b", "percent escape");
    refuse("file:x", "no absolute path");
    refuse("/dev/null", "neither a file nor a folder");
    refuse("file:///a%ffb", "/a%FFb is not UTF-8");
    refuse("/a\xff", "/a%FF is not UTF-8");
    CU_ASSERT_EQUAL(mkdir(at("odd"), 0755), 0);
    put("odd/x", 3, NULL);
    put("odd/y\xe9", 3, NULL);
    refuse(at("odd"), "/odd/y%E9 is not UTF-8");
    refuse(at("odd/*"), "/odd/y%E9 is not UTF-8");
    if (geteuid() != 0) {
        put("secret", 1, NULL);
        CU_ASSERT_EQUAL(chmod(at("secret"), 0), 0);
        refuse(at("secret"), "cannot be read");
        CU_ASSERT_EQUAL(mkdir(at("closed"), 0), 0);
        refuse(at("closed/*"), "cannot be read");
    }
    memset(name, 'n', 300);
    name[300] = '\0';
    refuse(at(name), "cannot be read: File name too long");
    CU_ASSERT_EQUAL(symlink("loop", at("loop")), 0);
    refuse(at("loop"), "cannot be read: Too many levels of symbolic links");
    refuse(at("loop/*"), "cannot be read: Too many levels of symbolic links");
    CU_ASSERT_EQUAL(rm_input_expand(many, 0, 10, &in, &err), -BASE_EINVAL);
    CU_ASSERT_EQUAL(rm_input_expand(many, 10001, 10, &in, &err), -BASE_ELIMIT);
    CU_ASSERT_EQUAL(rm_input_expand(many, 1, 0, &in, &err), -BASE_EINVAL);
    CU_ASSERT_EQUAL(mkdir(at("nothing"), 0755), 0);
    CU_ASSERT_EQUAL(expand1(at("nothing"), 10, &in, &err), -BASE_EINVAL);
    put("big", 0, NULL);
    CU_ASSERT_EQUAL(truncate(at("big"), INT64_C(1) << 40), 0);
    CU_ASSERT_EQUAL(expand1(at("big"), 1000, &in, &err), -BASE_ELIMIT);
    CU_ASSERT_PTR_NULL(in.splits);
    end();
}

static bool is_there(const char *name)
{
    return access(at(name), F_OK) == 0;
}

static void test_output(void)
{
    struct base_error err = {0};
    char uri[PATH_MAX], *path = NULL;

    begin();
    snprintf(uri, sizeof uri, "file://%s/o%%75t//", dir);
    CU_ASSERT_EQUAL(rm_output_check(uri, &err), 0);
    CU_ASSERT_EQUAL_FATAL(rm_output_path(uri, &path, &err), 0);
    CU_ASSERT_STRING_EQUAL(path, at("out"));
    for (int twice = 0; twice < 2; twice++)
        CU_ASSERT_EQUAL(rm_output_setup(path, twice, &err), 0);
    CU_ASSERT_EQUAL(rm_output_setup(path, false, &err), -BASE_EEXIST); /* another job's, by now */
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "already exists"));
    err = (struct base_error){0};
    CU_ASSERT_TRUE(is_there("out/_temporary"));
    CU_ASSERT_EQUAL(rm_output_check(uri, &err), -BASE_EEXIST);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "already exists"));
    put("out/part-00000", 5, NULL);
    CU_ASSERT_EQUAL(mkdir(at("out/_temporary/t_1"), 0755), 0);
    put("out/_temporary/t_1/part-00001", 5, NULL);
    for (int twice = 0; twice < 2; twice++)
        CU_ASSERT_EQUAL(rm_output_commit(twice ? uri : path, &err), 0);
    CU_ASSERT_FALSE(is_there("out/_temporary"));
    CU_ASSERT_TRUE(is_there("out/_SUCCESS"));
    CU_ASSERT_TRUE(is_there("out/part-00000"));
    free(path);
    end();
}

static void test_output_abort(void)
{
    struct base_error err = {0};

    begin();
    CU_ASSERT_EQUAL(rm_output_check(at("no/such/parent"), &err), -BASE_EINVAL);
    put("file", 1, NULL);
    CU_ASSERT_EQUAL(rm_output_check(at("file/out"), &err), -BASE_EINVAL);
    CU_ASSERT_EQUAL(rm_output_check("out", &err), -BASE_EINVAL);
    CU_ASSERT_EQUAL(strncmp(err.text, "job.output: ", 12), 0);
    CU_ASSERT_EQUAL(rm_output_check("file:///a%ff", &err), -BASE_EINVAL);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "/a%FF is not UTF-8"));
    CU_ASSERT_EQUAL(symlink("nowhere", at("dangling")), 0);
    CU_ASSERT_EQUAL(rm_output_check(at("dangling"), &err), -BASE_EEXIST);
    CU_ASSERT_EQUAL(rm_output_setup(at("o"), false, &err), 0);
    put("o/part-00000", 5, NULL);
    for (int twice = 0; twice < 2; twice++)
        CU_ASSERT_EQUAL(rm_output_abort(at("o"), &err), 0);
    CU_ASSERT_FALSE(is_there("o/_temporary"));
    CU_ASSERT_FALSE(is_there("o/_SUCCESS"));
    CU_ASSERT_TRUE(is_there("o/part-00000"));
    end();
}

static const struct cunit_case cases[] = {
    {"splits", test_splits},
    {"folder", test_folder},
    {"patterns and URIs", test_patterns_and_uris},
    {"gzip and empty files", test_gzip_and_empty},
    {"refusals", test_refusals},
    {"output", test_output},
    {"output abort", test_output_abort},
};
CUNIT_MAIN("rm_input", cases)
