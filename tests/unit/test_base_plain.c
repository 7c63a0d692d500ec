/* Goal: of whatever lies under a name, only a plain file is opened; nothing waits, no link is
 * followed, and what cannot be opened is left as it was. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/io/io.h"
#include "base/io/plain.h"
#include "tests/unit/cunit_main.h"

static char dir[64];
static int root = -1;

static int begin(void)
{
    snprintf(dir, sizeof dir, "/tmp/creel-plain-XXXXXX");
    if (!mkdtemp(dir) || (root = open(dir, O_PATH | O_DIRECTORY)) < 0)
        return -1;
    return 0;
}

static void put(const char *name, const char *text)
{
    int fd = openat(root, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    CU_ASSERT_FATAL(fd >= 0);
    CU_ASSERT_EQUAL(base_write_all(fd, text, strlen(text)), 0);
    close(fd);
}

static void make_socket(const char *name)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    snprintf(a.sun_path, sizeof a.sun_path, "%s/%s", dir, name);
    CU_ASSERT_EQUAL(bind(fd, (struct sockaddr *)&a, sizeof a), 0);
    close(fd);
}

static void test_others(void)
{
    static const char *const names[] = {"fifo",   "link",   "dangling",   "folder",
                                        "socket", "device", "folder-link"};
    static const int flags[] = {O_RDONLY, O_WRONLY, O_RDWR, O_WRONLY | O_CREAT | O_TRUNC,
                                O_RDWR | O_CREAT | O_APPEND};
    struct stat st;

    put("target", "untouched");
    CU_ASSERT_EQUAL(mkfifoat(root, "fifo", 0600), 0);
    CU_ASSERT_EQUAL(symlinkat("target", root, "link"), 0);
    CU_ASSERT_EQUAL(symlinkat("nowhere", root, "dangling"), 0);
    CU_ASSERT_EQUAL(mkdirat(root, "folder", 0700), 0);
    CU_ASSERT_EQUAL(symlinkat("folder", root, "folder-link"), 0);
    make_socket("socket");
    /* as /dev/zero; needs root */
    bool device = mknodat(root, "device", S_IFCHR | 0600, makedev(1, 5)) == 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        for (size_t k = 0; k < sizeof flags / sizeof flags[0]; k++)
            if (device || strcmp(names[i], "device") != 0)
                CU_ASSERT_EQUAL(base_plain_open(root, names[i], flags[k], 0600, NULL),
                                -BASE_PLAIN_OTHER);
    CU_ASSERT_EQUAL(fstatat(root, "nowhere", &st, 0), -1);
    CU_ASSERT_EQUAL(fstatat(root, "target", &st, 0), 0);
    CU_ASSERT_EQUAL(st.st_size, 9);
    CU_ASSERT_STRING_EQUAL(base_plain_open_strerror(-BASE_PLAIN_OTHER),
                           "not a regular file, or one with several names");
    CU_ASSERT_STRING_EQUAL(base_plain_open_strerror(-ENOENT), strerror(ENOENT));
}

static void test_plain(void)
{
    struct stat st;
    char text[16] = "";
    int fd = base_plain_open(root, "new", O_WRONLY | O_CREAT, 0640, &st);

    CU_ASSERT_FATAL(fd >= 0);
    CU_ASSERT(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    CU_ASSERT_EQUAL(base_write_all(fd, "abc", 3), 0);
    close(fd);
    CU_ASSERT_EQUAL(base_plain_open(root, "new", O_WRONLY | O_CREAT | O_EXCL, 0600, NULL), -EEXIST);
    fd = base_plain_open(root, "new", O_RDONLY, 0, &st);
    CU_ASSERT_EQUAL(st.st_size, 3);
    CU_ASSERT_EQUAL(read(fd, text, sizeof text), 3);
    close(fd);
    fd = base_plain_open(root, "new", O_WRONLY | O_TRUNC, 0, &st);
    CU_ASSERT(fd >= 0);
    CU_ASSERT_EQUAL(st.st_size, 0);
    close(fd);
    CU_ASSERT_EQUAL(base_plain_open(root, "absent", O_RDONLY, 0, NULL), -ENOENT);
}

/* A second name of somebody else's file is read, but never written or emptied. */
static void test_two_names(void)
{
    struct stat st;
    int fd;

    put("victim", "precious");
    CU_ASSERT_EQUAL(linkat(root, "victim", root, "second", 0), 0);
    CU_ASSERT_EQUAL(base_plain_open(root, "second", O_WRONLY | O_CREAT | O_TRUNC, 0600, NULL),
                    -BASE_PLAIN_OTHER);
    CU_ASSERT_EQUAL(fstatat(root, "victim", &st, 0), 0);
    CU_ASSERT_EQUAL(st.st_size, 8);
    fd = base_plain_open(root, "second", O_RDONLY, 0, NULL);
    CU_ASSERT(fd >= 0);
    close(fd);
}

static void test_below(void)
{
    int fd;

    CU_ASSERT_EQUAL(mkdirat(root, "a", 0700), 0);
    CU_ASSERT_EQUAL(mkdirat(root, "a/b", 0700), 0);
    CU_ASSERT_EQUAL(symlinkat("b", root, "a/l"), 0);
    CU_ASSERT_EQUAL(symlinkat("/etc", root, "a/etc"), 0);
    put("a/b/f", "x");
    fd = base_plain_open_below(root, "a/b/f", O_RDONLY, 0, NULL);
    CU_ASSERT(fd >= 0);
    close(fd);
    fd = base_plain_open_below(root, "a/b/made", O_WRONLY | O_CREAT, 0600, NULL);
    CU_ASSERT(fd >= 0);
    close(fd);
    fd = base_plain_open_folder_below(root, "a/b");
    CU_ASSERT(fd >= 0);
    close(fd);
    CU_ASSERT_EQUAL(base_plain_open_below(root, "a/l/f", O_RDONLY, 0, NULL), -BASE_PLAIN_OTHER);
    CU_ASSERT_EQUAL(base_plain_open_below(root, "a/etc/passwd", O_RDONLY, 0, NULL),
                    -BASE_PLAIN_OTHER);
    CU_ASSERT_EQUAL(base_plain_open_below(root, "a/b/f/g", O_RDONLY, 0, NULL), -BASE_PLAIN_OTHER);
    CU_ASSERT_EQUAL(base_plain_open_below(root, "a/../a/b/f", O_RDONLY, 0, NULL), -EINVAL);
    CU_ASSERT_EQUAL(base_plain_open_below(root, "..", O_RDONLY, 0, NULL), -EINVAL);
    CU_ASSERT_EQUAL(base_plain_open_below(root, "a/none/f", O_RDONLY, 0, NULL), -ENOENT);
    CU_ASSERT_EQUAL(base_plain_open_folder_below(root, "a/l"), -BASE_PLAIN_OTHER);
    CU_ASSERT_EQUAL(base_plain_open_folder_below(root, "fifo"), -BASE_PLAIN_OTHER);
}

static void test_read(void)
{
    struct base_buf b = {0};
    char path[128];

    snprintf(path, sizeof path, "%s/fifo", dir);
    CU_ASSERT_EQUAL(base_file_read_plain(path, 100, &b, NULL), -BASE_EIO);
    snprintf(path, sizeof path, "%s/victim", dir);
    CU_ASSERT_EQUAL(base_file_read_plain(path, 100, &b, NULL), 0);
    CU_ASSERT_STRING_EQUAL(b.data, "precious");
    CU_ASSERT_EQUAL(base_file_read_plain(path, 7, &b, NULL), -BASE_ELIMIT);
    snprintf(path, sizeof path, "%s/absent", dir);
    CU_ASSERT_EQUAL(base_file_read_plain(path, 7, &b, NULL), -BASE_ENOTFOUND);
    base_buf_free(&b);
}

static void test_clean_up(void)
{
    close(root);
    CU_ASSERT_EQUAL(base_rmtree(dir, NULL), 0);
}

static void test_begin(void)
{
    CU_ASSERT_EQUAL_FATAL(begin(), 0);
}

static const struct cunit_case cases[] = {
    {"a folder", test_begin},          {"FIFO, link, folder, socket, device", test_others},
    {"plain files", test_plain},       {"a file of two names", test_two_names},
    {"below a folder", test_below},    {"whole files", test_read},
    {"nothing is left", test_clean_up}};
CUNIT_MAIN("base_plain", cases)
