#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io/io.h"
#include "tests/unit/cunit_main.h"

static char dir[PATH_MAX];

static char *at(const char *name)
{
    static char paths[4][PATH_MAX];
    static int turn;
    char *path = paths[turn++ % 4];

    CU_ASSERT_FATAL(snprintf(path, PATH_MAX, "%.2000s/%.2000s", dir, name) < PATH_MAX);
    return path;
}

static bool exists(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0;
}

static size_t entries(const char *path)
{
    DIR *d = opendir(path);
    size_t n = 0;

    CU_ASSERT_PTR_NOT_NULL_FATAL(d);
    while (readdir(d))
        n++;
    closedir(d);
    return n - 2;
}

static void test_write_and_read(void)
{
    struct base_buf b = {0};
    struct base_error err = {0};
    struct stat st;

    CU_ASSERT_EQUAL(base_file_write_atomic(at("f"), "one", 3, 0600, true, &err), 0);
    CU_ASSERT_EQUAL(base_file_write_atomic(at("f"), "second", 6, 0640, false, &err), 0);
    CU_ASSERT_EQUAL(base_file_read(at("f"), 6, &b, &err), 0);
    CU_ASSERT_STRING_EQUAL(b.data, "second");
    CU_ASSERT_EQUAL(stat(at("f"), &st), 0);
    CU_ASSERT_EQUAL(st.st_mode & 0777, 0640);
    CU_ASSERT_EQUAL(entries(dir), 1); /* no temporary file is left */
    base_buf_free(&b);
    CU_ASSERT_EQUAL(base_file_read(at("f"), 5, &b, &err), -BASE_ELIMIT);
    base_buf_free(&b);
    CU_ASSERT_EQUAL(base_file_read(at("absent"), 5, &b, &err), -BASE_ENOTFOUND);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "absent: No such file"));
    CU_ASSERT_EQUAL(base_file_read(dir, 5, &b, &err), -BASE_EIO);
    base_buf_free(&b);
    CU_ASSERT_EQUAL(base_file_write_atomic(at("no/such/f"), "x", 1, 0600, false, &err), -BASE_EIO);
    CU_ASSERT_EQUAL(base_file_write_atomic(at("empty"), "", 0, 0600, false, &err), 0);
    CU_ASSERT_EQUAL(base_file_read(at("empty"), 0, &b, &err), 0);
    CU_ASSERT_STRING_EQUAL(b.data, "");
    base_buf_free(&b);
}

/* A write that fails midway leaves what was there, and no temporary file. */
static void test_failed_write_changes_nothing(void)
{
    struct base_error err = {0};
    size_t before;

    CU_ASSERT_EQUAL(base_mkdirs(at("target/inside"), 0755, &err), 0);
    before = entries(dir);
    /* a folder has that name */
    CU_ASSERT(base_file_write_atomic(at("target"), "x", 1, 0600, false, &err) < 0);
    CU_ASSERT_EQUAL(entries(dir), before);
    CU_ASSERT(exists(at("target/inside")));
}

static void test_mkdirs(void)
{
    struct base_error err = {0};

    CU_ASSERT_EQUAL(base_mkdirs(at("a/b/c"), 0755, &err), 0);
    CU_ASSERT_EQUAL(base_mkdirs(at("a/b/c"), 0755, &err), 0);
    CU_ASSERT_EQUAL(base_mkdirs(at("a//b/d/"), 0755, &err), 0);
    CU_ASSERT(exists(at("a/b/d")));
    CU_ASSERT_EQUAL(base_mkdirs("/", 0755, &err), 0);
    CU_ASSERT_EQUAL(base_file_write_atomic(at("a/file"), "", 0, 0600, false, &err), 0);
    CU_ASSERT_EQUAL(base_mkdirs(at("a/file/x"), 0755, &err), -BASE_EIO);
    CU_ASSERT_EQUAL(base_mkdirs(at("a/file"), 0755, &err), -BASE_EIO);
}

static void test_rmtree_does_not_follow_links(void)
{
    struct base_error err = {0};

    CU_ASSERT_EQUAL(base_mkdirs(at("keep/sub"), 0755, &err), 0);
    CU_ASSERT_EQUAL(base_file_write_atomic(at("keep/sub/file"), "x", 1, 0600, false, &err), 0);
    CU_ASSERT_EQUAL(base_mkdirs(at("gone/x"), 0755, &err), 0);
    CU_ASSERT_EQUAL(symlink(at("keep"), at("gone/link")), 0);
    CU_ASSERT_EQUAL(symlink("../../keep/sub", at("gone/x/link2")), 0);
    CU_ASSERT_EQUAL(symlink(at("keep"), at("toplink")), 0);
    CU_ASSERT_EQUAL(base_rmtree(at("gone"), &err), 0);
    CU_ASSERT_FALSE(exists(at("gone")));
    CU_ASSERT_EQUAL(base_rmtree(at("toplink"), &err), 0); /* removes the link itself */
    CU_ASSERT_FALSE(exists(at("toplink")));
    CU_ASSERT(exists(at("keep/sub/file")));
    CU_ASSERT_EQUAL(base_rmtree(at("keep/sub/file"), &err), 0); /* removes a file */
    CU_ASSERT_EQUAL(base_rmtree(at("keep"), &err), 0);
    CU_ASSERT_EQUAL(base_rmtree(at("keep"), &err), 0); /* an absent name is no error */
}

/* Removes what an open folder holds, whatever its name leads to by now, except for some entries. */
static void test_rmtree_entries(void)
{
    static const char *const kept[] = {"mark", "list"};
    struct base_error err = {0};
    int fd;

    CU_ASSERT_EQUAL(base_mkdirs(at("open/sub/deep"), 0755, &err), 0);
    CU_ASSERT_EQUAL(base_mkdirs(at("open/list"), 0755, &err), 0);
    CU_ASSERT_EQUAL(base_file_write_atomic(at("open/mark"), "x", 1, 0600, false, &err), 0);
    CU_ASSERT_EQUAL(base_file_write_atomic(at("open/sub/file"), "x", 1, 0600, false, &err), 0);
    fd = open(at("open"), O_RDONLY | O_DIRECTORY);
    CU_ASSERT_EQUAL(rename(at("open"), at("moved")), 0);
    CU_ASSERT_EQUAL(base_mkdirs(at("open/sub"), 0755, &err), 0);
    CU_ASSERT_EQUAL(base_rmtree_entries(fd, at("open"), kept, 2, &err), 0);
    CU_ASSERT_FALSE(exists(at("moved/sub")));
    CU_ASSERT(exists(at("moved/mark")) && exists(at("moved/list")));
    CU_ASSERT(exists(at("open/sub")));
    CU_ASSERT_EQUAL(base_rmtree_entries(fd, at("open"), NULL, 0, &err), 0);
    CU_ASSERT_FALSE(exists(at("moved/mark")) || exists(at("moved/list")));
    close(fd);
}

/* Removes a tree that is deeper than any descriptor table or PATH_MAX, and so is made by walking
 * down. */
static void test_rmtree_deep(void)
{
    struct base_error err = {0};
    int fd = open(dir, O_RDONLY | O_DIRECTORY);

    for (int i = 0; i < 3000; i++) {
        int next;
        CU_ASSERT_EQUAL_FATAL(mkdirat(fd, i ? "d" : "deep", 0755), 0);
        next = openat(fd, i ? "d" : "deep", O_RDONLY | O_DIRECTORY);
        CU_ASSERT_FATAL(next >= 0);
        close(fd);
        fd = next;
    }
    close(fd);
    CU_ASSERT_EQUAL(base_rmtree(at("deep"), &err), 0);
    CU_ASSERT_FALSE(exists(at("deep")));
}

/* Folders that their owner has locked are removed (root may always do that). */
static void test_rmtree_locked(void)
{
    struct base_error err = {0};

    CU_ASSERT_EQUAL(base_mkdirs(at("locked/a/b"), 0755, &err), 0);
    CU_ASSERT_EQUAL(base_file_write_atomic(at("locked/a/f"), "x", 1, 0, false, &err), 0);
    CU_ASSERT_EQUAL(chmod(at("locked/a"), 0), 0);
    CU_ASSERT_EQUAL(base_rmtree(at("locked"), &err), 0);
    CU_ASSERT_FALSE(exists(at("locked")));
}

static void size_is(const char *text, int rc, int64_t want)
{
    int64_t v = -7;

    CU_ASSERT_EQUAL(base_size_parse(text, &v), rc);
    CU_ASSERT_EQUAL(v, rc ? -7 : want);
}

static void test_sizes_and_integers(void)
{
    int64_t v = 0;

    size_is("64M", 0, 64 << 20);
    size_is("1g", 0, 1 << 30);
    size_is("4096", 0, 4096);
    size_is("2k", 0, 2048);
    size_is("7e", 0, INT64_C(7) << 60);
    size_is("8e", -BASE_EINVAL, 0);
    size_is("9223372036854775807", 0, INT64_MAX);
    size_is("9223372036854775808", -BASE_EINVAL, 0);
    size_is("", -BASE_EINVAL, 0);
    size_is("-1", -BASE_EINVAL, 0);
    size_is("+1", -BASE_EINVAL, 0);
    size_is(" 1", -BASE_EINVAL, 0);
    size_is("1 M", -BASE_EINVAL, 0);
    size_is("1MB", -BASE_EINVAL, 0);
    size_is("1.5g", -BASE_EINVAL, 0);
    size_is("0x10", -BASE_EINVAL, 0);
    CU_ASSERT_EQUAL(base_int_parse("-5", -5, 5, &v), 0);
    CU_ASSERT_EQUAL(v, -5);
    CU_ASSERT_EQUAL(base_int_parse("6", -5, 5, &v), -BASE_EINVAL);
    CU_ASSERT_EQUAL(base_int_parse("5x", -5, 5, &v), -BASE_EINVAL);
    CU_ASSERT_EQUAL(base_int_parse("", -5, 5, &v), -BASE_EINVAL);
    CU_ASSERT_EQUAL(base_int_parse("-", -5, 5, &v), -BASE_EINVAL);
    CU_ASSERT_EQUAL(base_int_parse("99999999999999999999", INT64_MIN, INT64_MAX, &v), -BASE_EINVAL);
}

static void test_process(void)
{
    pid_t child;

    CU_ASSERT_EQUAL(strlen(base_boot_id()), 36);
    CU_ASSERT(base_proc_start_time(getpid()) > 0);
    CU_ASSERT_EQUAL(base_proc_start_time(getpid()), base_proc_start_time(getpid()));
    child = fork();
    if (child == 0)
        _exit(0);
    CU_ASSERT_EQUAL(waitpid(child, NULL, 0), child);
    CU_ASSERT_EQUAL(base_proc_start_time(child), -1);
}

static const struct cunit_case cases[] = {
    {"write and read", test_write_and_read},
    {"a failed write changes nothing", test_failed_write_changes_nothing},
    {"mkdirs", test_mkdirs},
    {"rmtree does not follow links", test_rmtree_does_not_follow_links},
    {"rmtree of entries", test_rmtree_entries},
    {"rmtree of a deep tree", test_rmtree_deep},
    {"rmtree of locked folders", test_rmtree_locked},
    {"sizes and integers", test_sizes_and_integers},
    {"process", test_process},
};

int main(void)
{
    const char *tmp = getenv("TMPDIR");
    int rc;

    snprintf(dir, sizeof dir, "%s/creel-io-XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(dir))
        return 2;
    rc = cunit_main("base_io", cases, sizeof cases / sizeof *cases);
    base_rmtree(dir, NULL);
    return rc;
}
