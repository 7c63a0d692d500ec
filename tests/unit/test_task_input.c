/* Goal: the inputs of a job become the right splits (nodemanager/task/job/splits.h), and its output
 * folder is created, committed and aborted as nodemanager/task/job/output_folder.h says.
 * Method: files in a folder of each test's own. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/conf/file_path.h"
#include "base/io/io.h"
#include "base/limits.h"
#include "base/mem.h"
#include "nodemanager/task/job/output_folder.h"
#include "nodemanager/task/job/splits.h"
#include "tests/unit/cunit_main.h"

static const struct base_app_id ours = {1700000000000, 7}, others = {1700000000000, 8};

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

static int expand1(const char *input, int64_t split, struct task_input *in, struct base_error *err)
{
    return task_input_find_splits(&input, 1, split, NULL, in, err);
}

/* Goal: the splits cover each file exactly; a last split of up to 1.1 times the size is not
 * divided, on both sides of that bound. */
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
        struct task_input in;
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
        task_input_free(&in);
    }
    end();
}

/* Goal: a folder stands for its files, sorted bytewise; empty and hidden files, sub-folders and
 * links to folders are left out, links to files are followed. */
static void test_folder(void)
{
    struct base_error err = {0};
    struct task_input in;

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
    task_input_free(&in);
    end();
}

static void test_patterns_and_uris(void)
{
    struct base_error err = {0};
    struct task_input in;
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
    task_input_free(&in);
    CU_ASSERT_EQUAL_FATAL(expand1(at("*3.txt"), 10, &in, &err), -BASE_EINVAL);
    CU_ASSERT_EQUAL_FATAL(expand1(at("_*.txt"), 10, &in, &err), 0);
    CU_ASSERT_EQUAL(in.paths_len, 1);
    task_input_free(&in);
    CU_ASSERT_EQUAL_FATAL(expand1(at("star*"), 10, &in, &err), 0); /* a file of that very name */
    CU_ASSERT_EQUAL(in.paths_len, 1);
    task_input_free(&in);
    snprintf(uri, sizeof uri, "file://%s/a%%20b%%25.txt", dir);
    CU_ASSERT_EQUAL_FATAL(expand1(uri, 10, &in, &err), 0);
    CU_ASSERT_STRING_EQUAL(in.paths[0], at("a b%.txt"));
    task_input_free(&in);
    snprintf(uri, sizeof uri, "file://localhost%s/x[12].txt", dir);
    two[0] = at("x2.txt");
    two[1] = uri;
    CU_ASSERT_EQUAL_FATAL(task_input_find_splits(two, 2, 10, NULL, &in, &err), 0);
    /* a file named by two entries is read twice; inputs keep their order */
    CU_ASSERT_EQUAL_FATAL(in.paths_len, 3);
    CU_ASSERT_STRING_EQUAL(in.paths[0], at("x2.txt"));
    CU_ASSERT_STRING_EQUAL(in.paths[1], at("x1.txt"));
    CU_ASSERT_EQUAL(in.splits[2].path_index, 2);
    task_input_free(&in);
    snprintf(uri, sizeof uri, "file:%s/x1.txt", dir);
    CU_ASSERT_EQUAL_FATAL(expand1(uri, 10, &in, &err), 0);
    task_input_free(&in);
    end();
}

/* A repeated entry counts once, however it is spelt; a file that another entry also leads to is
 * read again. */
static void test_repeated(void)
{
    struct base_error err = {0};
    struct task_input in;
    char slash[300], uri[300], pattern[300];
    const char *many[1000];

    begin();
    put("a", 10, NULL);
    put("b", 10, NULL);
    snprintf(slash, sizeof slash, "%s//", dir);
    snprintf(uri, sizeof uri, "file://%s", dir);
    snprintf(pattern, sizeof pattern, "%s/a*", dir);
    for (size_t i = 0; i < 1000; i++)
        many[i] = i % 3 == 0 ? dir : i % 3 == 1 ? slash : uri;
    CU_ASSERT_EQUAL_FATAL(task_input_find_splits(many, 1000, 10, NULL, &in, &err), 0);
    CU_ASSERT_EQUAL(in.paths_len, 2);
    CU_ASSERT_EQUAL(in.splits_len, 2);
    task_input_free(&in);
    many[1] = pattern;
    CU_ASSERT_EQUAL_FATAL(task_input_find_splits(many, 1000, 10, NULL, &in, &err), 0);
    CU_ASSERT_EQUAL(in.splits_len, 3);
    task_input_free(&in);
    end();
}

/* A list of splits too large to be stored is refused before it is complete: two files under 10,000
 * names of some 3,800 bytes. */
static void test_too_large(void)
{
    struct base_error err = {0};
    struct task_input in;
    char **names = base_alloc(BASE_INPUTS_MAX * sizeof *names);

    begin();
    put("a", 10, NULL);
    put("b", 10, NULL);
    for (size_t i = 0; i < BASE_INPUTS_MAX; i++) {
        char *q = names[i] = base_alloc(4000);

        q = stpcpy(q, dir);
        for (size_t k = 0; k < 1900; k++)
            q = stpcpy(q, k < 14 && (i >> k & 1) ? "//" : "/.");
    }
    CU_ASSERT_EQUAL_FATAL(
        task_input_find_splits((const char *const *)names, 100, 10, NULL, &in, &err), 0);
    CU_ASSERT_EQUAL(in.splits_len, 200);
    task_input_free(&in);
    CU_ASSERT_EQUAL(
        task_input_find_splits((const char *const *)names, BASE_INPUTS_MAX, 10, NULL, &in, &err),
        -BASE_ETOOLARGE);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "more than 67108864 bytes"));
    CU_ASSERT_EQUAL(in.paths_len + in.splits_len, 0);
    for (size_t i = 0; i < BASE_INPUTS_MAX; i++)
        free(names[i]);
    free(names);
    end();
}

static void test_gzip_and_empty(void)
{
    struct base_error err = {0};
    struct task_input in;

    begin();
    put("a.gz", 500, "\x1f\x8b");
    put("not.gz", 25, "plain");
    put("0", 0, NULL);
    CU_ASSERT_EQUAL_FATAL(expand1(dir, 10, &in, &err), 0);
    CU_ASSERT_EQUAL_FATAL(in.splits_len, 1 + 3);
    CU_ASSERT_TRUE(in.splits[0].gzip);
    CU_ASSERT_EQUAL(in.splits[0].length, 500);
    CU_ASSERT_FALSE(in.splits[1].gzip);
    task_input_free(&in);
    CU_ASSERT_EQUAL(unlink(at("a.gz")), 0);
    CU_ASSERT_EQUAL(unlink(at("not.gz")), 0);
    put("1", 0, NULL);
    CU_ASSERT_EQUAL_FATAL(expand1(dir, 10, &in, &err), 0);
    CU_ASSERT_EQUAL_FATAL(in.splits_len, 1);
    CU_ASSERT_EQUAL(in.splits[0].length, 0);
    CU_ASSERT_STRING_EQUAL(in.paths[0], at("0"));
    task_input_free(&in);
    end();
}

static void refuse(const char *second, const char *says)
{
    const char *inputs[2] = {at("good"), second};
    struct base_error err = {0};
    struct task_input in;

    CU_ASSERT_EQUAL(task_input_find_splits(inputs, 2, 10, NULL, &in, &err), -BASE_EINVAL);
    CU_ASSERT_PTR_NULL(in.paths);
    CU_ASSERT_EQUAL(strncmp(err.text, "job.input[1]: ", 14), 0);
    if (strstr(err.text, says) == NULL)
        printf("\n  \"%s\" does not say \"%s\"\n", err.text, says);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, says));
}

static uid_t me;
/* Becomes a user other than root until as_before(), since root may read everything. Returns false
 * when that is impossible, as in a user namespace of one user. */
static bool as_somebody(void)
{
    me = geteuid();
    return me != 0 || (chmod(dir, 0755) == 0 && setresuid(65534, 65534, 0) == 0);
}
static void as_before(void)
{
    CU_ASSERT_EQUAL(setresuid(me, me, me), 0);
}
/* Returns the words that name the user whose permission is missing: it may be another one than the
 * daemon's. */
static const char *closed_to(const char *done)
{
    static char words[512];
    char user[BASE_USER_NAME_MAX];

    snprintf(words, sizeof words, "cannot be %s by user %s: Permission denied", done,
             base_effective_user_name(user));
    return words;
}

static void test_refusals(void)
{
    struct base_error err = {0};
    struct task_input in;
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
    put("secret", 1, NULL);
    CU_ASSERT_EQUAL(chmod(at("secret"), 0), 0);
    CU_ASSERT_EQUAL(mkdir(at("closed"), 0), 0);
    if (as_somebody()) {
        refuse(at("secret"), closed_to("read"));
        refuse(at("closed/*"), closed_to("read"));
        CU_ASSERT_EQUAL(task_output_check_creatable(at("closed/out"), ours, &err), -BASE_EINVAL);
        CU_ASSERT_PTR_NOT_NULL(strstr(err.text, closed_to("written")));
        as_before();
    } else {
        puts("skipped: root cannot be somebody else here");
    }
    memset(name, 'n', 300);
    name[300] = '\0';
    refuse(at(name), "cannot be read: File name too long");
    CU_ASSERT_EQUAL(symlink("loop", at("loop")), 0);
    refuse(at("loop"), "cannot be read: Too many levels of symbolic links");
    refuse(at("loop/*"), "cannot be read: Too many levels of symbolic links");
    CU_ASSERT_EQUAL(task_input_find_splits(many, 0, 10, NULL, &in, &err), -BASE_EINVAL);
    CU_ASSERT_EQUAL(task_input_find_splits(many, 10001, 10, NULL, &in, &err), -BASE_ELIMIT);
    CU_ASSERT_EQUAL(task_input_find_splits(many, 1, 0, NULL, &in, &err), -BASE_EINVAL);
    CU_ASSERT_EQUAL(mkdir(at("nothing"), 0755), 0);
    CU_ASSERT_EQUAL(expand1(at("nothing"), 10, &in, &err), -BASE_EINVAL);
    put("big", 0, NULL);
    CU_ASSERT_EQUAL(truncate(at("big"), INT64_C(1) << 40), 0);
    CU_ASSERT_EQUAL(expand1(at("big"), 1000, &in, &err), -BASE_ELIMIT);
    CU_ASSERT_PTR_NULL(in.splits);
    end();
}

struct patience {
    int asked, max;
};

static int check(void *user, struct base_error *err)
{
    struct patience *p = user;

    return ++p->asked > p->max ? base_error_set(err, -BASE_ETIMEOUT, "patience is over") : 0;
}

/* Goal: every path that the search for inputs examines counts, over all inputs, and a bound ends
 * the search soon. */
static void test_bounds(void)
{
    struct patience patience = {0};
    struct task_input_bounds bounds = {.entries_max = 60};
    struct base_error err = {0};
    struct task_input in;
    const char *twice[2];
    char again[PATH_MAX + 8];
    char name[32];

    begin();
    for (int i = 0; i < 20; i++) {
        snprintf(name, sizeof name, "d%d", i);
        CU_ASSERT_EQUAL_FATAL(mkdir(at(name), 0755), 0);
        for (int j = 0; j < 20; j++) {
            snprintf(name, sizeof name, "d%d/e%d", i, j);
            CU_ASSERT_EQUAL_FATAL(mkdir(at(name), 0755), 0);
        }
    }
    put("d0/file", 3, NULL);
    twice[0] = at("d0");
    snprintf(again, sizeof again, "%s/.", at("d0")); /* the same folder, as another entry */
    twice[1] = again;
    CU_ASSERT_EQUAL(task_input_find_splits(twice, 1, 10, &bounds, &in, &err), 0);
    task_input_free(&in);
    bounds.entries_max = 30;
    /* each entry alone would stay within the bound */
    CU_ASSERT_EQUAL(task_input_find_splits(twice, 2, 10, &bounds, &in, &err), -BASE_ELIMIT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "job.input[1]: "));
    bounds.entries_max = 60;
    twice[0] = at("*/*/nothing*");
    CU_ASSERT_EQUAL(task_input_find_splits(twice, 1, 10, &bounds, &in, &err), -BASE_ELIMIT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "job.input[0]: "));
    CU_ASSERT_PTR_NOT_NULL(
        strstr(err.text, "/*/*/nothing*: more than 60 names had to be looked at"));
    CU_ASSERT_PTR_NULL(in.paths);
    bounds = (struct task_input_bounds){.check = check, .user = &patience};
    patience.max = 100;
    CU_ASSERT_EQUAL(task_input_find_splits(twice, 1, 10, &bounds, &in, &err), -BASE_ETIMEOUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "patience is over"));
    /* once it has refused, check() is not called again */
    CU_ASSERT_EQUAL(patience.asked, 101);
    patience = (struct patience){.max = 10};
    twice[0] = at("d1");
    CU_ASSERT_EQUAL(task_input_find_splits(twice, 1, 10, &bounds, &in, &err), -BASE_ETIMEOUT);
    patience.max = 1000000;
    twice[0] = at("*/*/nothing*");
    CU_ASSERT_EQUAL(task_input_find_splits(twice, 1, 10, &bounds, &in, &err), -BASE_EINVAL);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "matches no file"));
    twice[0] = at("*/fil?");
    CU_ASSERT_EQUAL(task_input_find_splits(twice, 1, 10, &bounds, &in, &err), 0);
    CU_ASSERT_EQUAL(in.paths_len, 1);
    task_input_free(&in);
    end();
}

static bool is_there(const char *name)
{
    return access(at(name), F_OK) == 0;
}

static char *attempt_path(int attempt, const char *file)
{
    char name[128];

    snprintf(name, sizeof name, "out/_temporary/task_1700000000000_0007_r_000000_%d%s", attempt,
             file);
    return at(name);
}

static void put_part(int attempt, const char *text)
{
    CU_ASSERT_EQUAL(base_mkdirs(at("out/_temporary"), 0755, NULL), 0);
    (void)mkdir(attempt_path(attempt, ""), 0755);
    CU_ASSERT_EQUAL(base_file_write_atomic(attempt_path(attempt, "/part-00000"), text, strlen(text),
                                           0644, false, NULL),
                    0);
}

static void expect_part(const char *text)
{
    struct base_buf b = {0};

    CU_ASSERT_EQUAL(base_file_read(at("out/part-00000"), 100, &b, NULL), 0);
    CU_ASSERT_STRING_EQUAL(b.data ? b.data : "", text);
    base_buf_free(&b);
}

static void test_output(void)
{
    static const int32_t attempts[] = {1};
    const struct task_output_parts parts = {BASE_TASK_REDUCE, attempts, 1};
    struct base_error err = {0};
    char uri[PATH_MAX], *path = NULL;

    begin();
    snprintf(uri, sizeof uri, "file://%s/o%%75t//", dir);
    CU_ASSERT_EQUAL(task_output_check_creatable(uri, ours, &err), 0);
    CU_ASSERT_EQUAL_FATAL(base_file_path_parse(uri, &path, &err), 0);
    base_file_path_strip_trailing_slashes(path);
    CU_ASSERT_STRING_EQUAL(path, at("out"));
    for (int twice = 0; twice < 2; twice++)
        CU_ASSERT_EQUAL(task_output_create_folder(path, ours, &err), 0);
    CU_ASSERT_EQUAL(task_output_create_folder(path, others, &err), -BASE_EEXIST);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "already exists and belongs to another job"));
    CU_ASSERT_FALSE(is_there(".creel_application_1700000000000_0007"));
    CU_ASSERT_FALSE(is_there(".creel_application_1700000000000_0008"));
    err = (struct base_error){0};
    CU_ASSERT_TRUE(is_there("out/_temporary/application_1700000000000_0007"));
    /* made by an earlier attempt of the job */
    CU_ASSERT_EQUAL(task_output_check_creatable(uri, ours, &err), 0);
    CU_ASSERT_EQUAL(task_output_check_creatable(uri, others, &err), -BASE_EEXIST);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "already exists"));
    put_part(1, "counts");
    /* the part of an attempt that was allowed to commit, was lost, and returned */
    put_part(0, "late");
    for (int twice = 0; twice < 2; twice++) {
        CU_ASSERT_EQUAL(task_output_commit_parts(twice ? uri : path, ours, &parts, &err), 0);
        expect_part("counts");
        CU_ASSERT_FALSE(is_there("out/_temporary"));
        CU_ASSERT_TRUE(is_there("out/_SUCCESS"));
    }
    free(path);
    end();
}

/* Goal: a missing part fails the commit; a part that an earlier version or an earlier try has put
 * at its place is accepted. */
static void test_output_parts(void)
{
    static const int32_t attempts[] = {1000, 0};
    struct task_output_parts parts = {BASE_TASK_REDUCE, attempts, 1};
    struct base_error err = {0};

    begin();
    CU_ASSERT_EQUAL(task_output_create_folder(at("out"), ours, &err), 0);
    put_part(0, "late");
    CU_ASSERT_EQUAL(task_output_commit_parts(at("out"), ours, &parts, &err), -BASE_ENOTFOUND);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(err.text, "the output of task_1700000000000_0007_r_000000, is missing"));
    CU_ASSERT_FALSE(is_there("out/_SUCCESS"));
    CU_ASSERT_TRUE(is_there("out/_temporary")); /* nothing is removed */
    put_part(1000, "counts");
    put("out/part-00001", 5, NULL);
    parts.n = 2;
    CU_ASSERT_EQUAL(task_output_commit_parts(at("out"), others, &parts, &err), -BASE_EEXIST);
    CU_ASSERT_EQUAL(task_output_commit_parts(at("out"), ours, &parts, &err), 0);
    expect_part("counts");
    CU_ASSERT_TRUE(is_there("out/part-00001"));
    end();
}

/* Goal: what a failed job leaves does not keep it from being submitted again, and nothing else is
 * removed. */
static void test_output_abort(void)
{
    struct base_error err = {0};
    bool complete;

    begin();
    CU_ASSERT_EQUAL(task_output_check_creatable(at("no/such/parent"), ours, &err), -BASE_EINVAL);
    put("file", 1, NULL);
    CU_ASSERT_EQUAL(task_output_check_creatable(at("file/out"), ours, &err), -BASE_EINVAL);
    CU_ASSERT_EQUAL(task_output_check_creatable("out", ours, &err), -BASE_EINVAL);
    CU_ASSERT_EQUAL(strncmp(err.text, "job.output: ", 12), 0);
    CU_ASSERT_EQUAL(task_output_check_creatable("file:///a%ff", ours, &err), -BASE_EINVAL);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "/a%FF is not UTF-8"));
    CU_ASSERT_EQUAL(symlink("nowhere", at("dangling")), 0);
    CU_ASSERT_EQUAL(task_output_check_creatable(at("dangling"), ours, &err), -BASE_EEXIST);
    CU_ASSERT_EQUAL(task_output_create_folder(at("out"), ours, &err), 0);
    put_part(0, "unfinished");
    /* not that job's folder: all stays */
    CU_ASSERT_EQUAL(task_output_abort_job(at("out"), others, &complete, &err), 0);
    CU_ASSERT_TRUE(is_there("out/_temporary/task_1700000000000_0007_r_000000_0/part-00000"));
    for (int twice = 0; twice < 2; twice++)
        CU_ASSERT_EQUAL(task_output_abort_job(at("out"), ours, &complete, &err), 0);
    CU_ASSERT_FALSE(is_there("out"));
    CU_ASSERT_EQUAL(task_output_check_creatable(at("out"), ours, &err),
                    0); /* it can be submitted again */
    CU_ASSERT_EQUAL(task_output_create_folder(at("out"), others, &err), 0);
    put("out/notes", 5, NULL);
    CU_ASSERT_EQUAL(task_output_abort_job(at("out"), others, &complete, &err), 0);
    CU_ASSERT_TRUE(is_there("out/notes"));
    CU_ASSERT_FALSE(is_there("out/_temporary"));
    end();
}

static const struct cunit_case cases[] = {
    {"splits", test_splits},
    {"folder", test_folder},
    {"patterns and URIs", test_patterns_and_uris},
    {"repeated entries", test_repeated},
    {"a list too large to store", test_too_large},
    {"gzip and empty files", test_gzip_and_empty},
    {"refusals", test_refusals},
    {"bounds", test_bounds},
    {"output", test_output},
    {"output: the parts that count", test_output_parts},
    {"output abort", test_output_abort},
};
CUNIT_MAIN("task_input", cases)
