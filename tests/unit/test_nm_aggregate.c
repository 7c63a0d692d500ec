/* Goal: aggregated logs are byte for byte what a node of YARN writes, and whatever the size of the
 * logs, the file says what the logs say. Method: the same logs as in a recorded file; larger ones
 * are read back by tests/unit/tfile_read, which follows the specification and knows nothing of the
 * writer. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <nss.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/io/io.h"
#include "base/mem.h"
#include "nodemanager/aggregate/aggregator.h"
#include "nodemanager/aggregate/app_logs.h"
#include "nodemanager/aggregate/reader.h"
#include "nodemanager/aggregate/remote.h"
#include "tests/unit/cunit_main.h"
#include "tests/unit/rpc_frames.h"

#define ONE "container_1700000000000_0007_01_000001"
#define TWO "container_1700000000000_0007_01_000002"

struct place { /* a folder with logs, and the file to write */
    char root[40];
    int logs;
};

static void make_place(struct place *p)
{
    snprintf(p->root, sizeof p->root, "/tmp/creel-aggregate.XXXXXX");
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(p->root));
    p->logs = open(p->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    CU_ASSERT_FATAL(p->logs >= 0);
}

static void remove_place(struct place *p)
{
    close(p->logs);
    CU_ASSERT_EQUAL(base_rmtree(p->root, NULL), 0);
}

static void write_log(const struct place *p, const char *container, const char *name,
                      const char *bytes, size_t n)
{
    char *path = base_printf("%s/%s", p->root, container);

    mkdir(path, 0700);
    free(path);
    path = base_printf("%s/%s/%s", p->root, container, name);
    CU_ASSERT_EQUAL(base_file_write_atomic(path, bytes, n, 0600, false, NULL), 0);
    free(path);
}

static int open_output(const struct place *p, const char *name)
{
    int fd = openat(p->logs, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    CU_ASSERT_FATAL(fd >= 0);
    return fd;
}

static int64_t write_out(const struct place *p, const char *name, const struct nm_app_logs *what)
{
    struct base_error err = {0};
    int fd = open_output(p, name);
    int64_t n = nm_app_logs_write(p->logs, fd, what, &err);

    close(fd);
    return n;
}

/* Returns the output of tfile_read @name @args; the caller frees it. */
static char *read_back(const struct place *p, const char *name, const char *args)
{
    char *command =
        base_printf("LC_ALL=C.UTF-8 %s/unit/tfile_read %s/%s %s", TESTS, p->root, name, args);
    FILE *f = popen(command, "r");
    struct base_buf text = {0};
    char part[4096];
    size_t n;

    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    while ((n = fread(part, 1, sizeof part, f)) > 0)
        base_buf_add(&text, part, n);
    CU_ASSERT_EQUAL(pclose(f), 0);
    free(command);
    return base_buf_take(&text);
}

static void write_recorded_logs(const struct place *p)
{
    write_log(p, ONE, "stdout", "out of one\n", 11);
    write_log(p, ONE, "stderr", "", 0);
    write_log(p, TWO, "log-\xf0\x9f\x98\x80\xc3\xa9.txt", "smile\n", 6);
    write_log(p, TWO, "bin", "\0\xff\n", 3);
}

static const struct nm_app_logs recorded = {.user = "alice", .acl_view = "bob staff"};

static void test_recorded(void)
{
    struct base_buf want = {0}, got = {0};
    struct place p;
    char *path;

    make_place(&p);
    write_recorded_logs(&p);
    CU_ASSERT_EQUAL(write_out(&p, "out", &recorded), 4);
    rpc_frames_read("logs.hex", 'S', 0, &want);
    path = base_printf("%s/out", p.root);
    CU_ASSERT_EQUAL(base_file_read(path, 1 << 20, &got, NULL), 0);
    CU_ASSERT_EQUAL_FATAL(got.len, want.len);
    CU_ASSERT_EQUAL(memcmp(got.data, want.data, want.len), 0);
    free(path);
    base_buf_free(&got);
    base_buf_free(&want);
    remove_place(&p);
}

static void test_gz(void)
{
    struct nm_app_logs gz = recorded;
    char *plain, *compressed;
    struct place p;

    gz.compression = NM_TFILE_GZ;
    make_place(&p);
    write_recorded_logs(&p);
    CU_ASSERT_EQUAL(write_out(&p, "out", &recorded), 4);
    CU_ASSERT_EQUAL(write_out(&p, "out.gz", &gz), 4);
    plain = read_back(&p, "out", "");
    compressed = read_back(&p, "out.gz", "");
    CU_ASSERT_PTR_NOT_NULL(strstr(plain, "APPLICATION_OWNER\talice\n" ONE "\tstderr=0:"));
    CU_ASSERT_STRING_EQUAL(plain, compressed);
    free(plain);
    free(compressed);
    remove_place(&p);
}

/* Fills @n bytes with text that does not repeat, and compresses badly. */
static char *make_long_text(size_t n)
{
    char *text = base_alloc(n + 1);
    uint64_t x = 88172645463325252u;

    for (size_t i = 0; i < n; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        text[i] = (char)('!' + x % 90);
    }
    return text;
}

static void expect_long_log(const struct place *p, const char *out, const char *container,
                            const char *text, size_t n)
{
    char *args = base_printf("%s syslog", container), *got = read_back(p, out, args);

    CU_ASSERT_EQUAL(strlen(got), n);
    CU_ASSERT_EQUAL(memcmp(got, text, n), 0);
    free(args);
    free(got);
}

/* Logs around the sizes of a chunk and of a block, in several blocks, plain and compressed. */
static void test_long(void)
{
    static const size_t sizes[] = {65500, 65536, 131072, 262144, 300000, 1, 700001, 20000};
    struct nm_app_logs what = {.user = "alice"};
    char *text = make_long_text(700001), container[64];
    struct place p;

    make_place(&p);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        snprintf(container, sizeof container, "container_e03_1700000000000_0007_01_%06zu", i + 9);
        write_log(&p, container, "syslog", text, sizes[i]);
    }
    for (int gz = 0; gz < 2; gz++) {
        const char *out = gz ? "out.gz" : "out";

        what.compression = gz ? NM_TFILE_GZ : NM_TFILE_NONE;
        CU_ASSERT_EQUAL(write_out(&p, out, &what), (int64_t)(sizeof sizes / sizeof *sizes));
        for (size_t i = 4; i < sizeof sizes / sizeof *sizes; i += 2) {
            snprintf(container, sizeof container, "container_e03_1700000000000_0007_01_%06zu",
                     i + 9);
            expect_long_log(&p, out, container, text, sizes[i]);
        }
    }
    free(text);
    remove_place(&p);
}

/* Makes a file with two names. */
static void write_two_names(const struct place *p)
{
    char *first = base_printf("%s/" ONE "/twin-1", p->root);
    char *second = base_printf("%s/" ONE "/twin-2", p->root);

    write_log(p, ONE, "twin-1", "both", 4);
    CU_ASSERT_EQUAL(link(first, second), 0);
    free(first);
    free(second);
}

/* Goal: what containers leave besides plain files is neither followed nor waited for, and no logs
 * make no file. Holes and hard links do not make more of the logs than the disk has. */
static void test_hostile(void)
{
    struct place p;
    char *path, *got;

    make_place(&p);
    CU_ASSERT_EQUAL(write_out(&p, "none", &recorded), 0);
    path = base_printf("%s/" ONE, p.root);
    mkdir(path, 0700);
    free(path);
    path = base_printf("%s/" ONE "/fifo", p.root);
    CU_ASSERT_EQUAL(mkfifo(path, 0600), 0);
    free(path);
    path = base_printf("%s/" ONE "/link", p.root);
    CU_ASSERT_EQUAL(symlink("/etc/passwd", path), 0);
    free(path);
    path = base_printf("%s/" TWO, p.root);
    CU_ASSERT_EQUAL(symlink("/etc", path), 0);
    free(path);
    CU_ASSERT_EQUAL(write_out(&p, "still-none", &recorded), 0);
    write_log(&p, ONE, "bad\xff", "x", 1);
    path = base_printf("%s/" ONE "/sparse", p.root);
    write_log(&p, ONE, "sparse", "head", 4);
    CU_ASSERT_EQUAL(truncate(path, (off_t)1 << 40), 0);
    free(path);
    path = base_printf("%s/" ONE "/sparse-too", p.root);
    write_log(&p, ONE, "sparse-too", "head", 4);
    CU_ASSERT_EQUAL(truncate(path, (off_t)1 << 40), 0);
    free(path);
    write_two_names(&p);
    struct nm_app_logs what = recorded;
    what.sparse_max = 100000;
    CU_ASSERT_EQUAL(write_out(&p, "out", &what), 3);
    got = read_back(&p, "out", "");
    CU_ASSERT_PTR_NOT_NULL(strstr(got, "\n" ONE "\tbad?=1:"));
    CU_ASSERT_PTR_NOT_NULL(strstr(got, "\tsparse=100000:"));
    CU_ASSERT_PTR_NOT_NULL(strstr(got, "\tsparse-too="));
    CU_ASSERT_PTR_NULL(strstr(got, "\tsparse-too=100000:"));
    CU_ASSERT_PTR_NULL(strstr(got, "link"));
    CU_ASSERT_PTR_NULL(strstr(got, "twin"));
    CU_ASSERT_PTR_NULL(strstr(got, TWO));
    free(got);
    remove_place(&p);
}

/* Goal: a full disk is reported as such. Method: /dev/full. */
static void test_full(void)
{
    struct base_error err = {0};
    struct place p;
    int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

    CU_ASSERT_FATAL(fd >= 0);
    make_place(&p);
    write_recorded_logs(&p);
    CU_ASSERT_EQUAL(nm_app_logs_write(p.logs, fd, &recorded, &err), -BASE_ENOSPC);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, strerror(ENOSPC)));
    close(fd);
    remove_place(&p);
}

static bool stop_at_once(void *calls)
{
    return ++*(int *)calls > 0;
}

/* The thread is asked before each name: with no files to read, it would go through all of them. */
static void test_stopped_without_content(void)
{
    struct nm_app_logs what = recorded;
    int calls = 0;
    struct place p;

    what.is_stopping = stop_at_once;
    what.user_data = &calls;
    make_place(&p);
    write_two_names(&p);
    CU_ASSERT_EQUAL(write_out(&p, "out", &what), -BASE_EAGAIN);
    CU_ASSERT_EQUAL(calls, 1);
    remove_place(&p);
}

static void test_stopped(void)
{
    struct nm_app_logs what = recorded;
    int calls = 0;
    struct place p;

    what.is_stopping = stop_at_once;
    what.user_data = &calls;
    make_place(&p);
    write_recorded_logs(&p);
    CU_ASSERT_EQUAL(write_out(&p, "out", &what), -BASE_EAGAIN);
    CU_ASSERT_EQUAL(calls, 1);
    remove_place(&p);
}

/* ---- the shared folder ---- */

static const struct base_app_id app = {1700000000000, 120042};

static void test_remote_conf(void)
{
    static const char *const good[] = {"/var/x", "file:/var/x", "file:///var/x"};
    static const char *const bad[] = {"", "/", "x", "hdfs:///x", "//host/x", "file://host/x"};
    struct nm_remote r;
    struct base_error err;

    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        CU_ASSERT_EQUAL_FATAL(nm_remote_init(&r, good[i], "logs", "host:8042", &err), 0);
        CU_ASSERT_STRING_EQUAL(r.root, "/var/x");
        CU_ASSERT_STRING_EQUAL(r.folder, "bucket-logs-tfile");
        CU_ASSERT_STRING_EQUAL(r.file, "host_8042");
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CU_ASSERT_EQUAL(nm_remote_init(&r, bad[i], "logs", "host:8042", &err), -BASE_EINVAL);
        CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "remote-app-log-dir: \""));
    }
    CU_ASSERT_EQUAL(nm_remote_init(&r, "/var/x", "a/b", "host:8042", &err), -BASE_EINVAL);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "remote-app-log-dir-suffix: \"a/b\""));
}

static int create_and_commit(const struct nm_remote *r, const char *user)
{
    struct nm_remote_file f;
    struct base_error err;
    int rc = nm_remote_create(r, user, &app, &f, &err);

    return rc < 0 ? rc : nm_remote_commit(&f, &err);
}

/* Goal: nobody but the NodeManager's user gets logs of others by what he puts into the folder. */
static void test_remote_planted(void)
{
    struct nm_remote r;
    struct place p;
    char *path, *target;
    struct stat st;

    make_place(&p);
    CU_ASSERT_EQUAL_FATAL(nm_remote_init(&r, p.root, "logs", "host:8042", NULL), 0);
    CU_ASSERT_EQUAL(create_and_commit(&r, "alice"), 0);
    path = base_printf("%s/alice/bucket-logs-tfile/0042/application_1700000000000_120042/host_8042",
                       p.root);
    CU_ASSERT_EQUAL(lstat(path, &st), 0);
    CU_ASSERT_EQUAL(st.st_mode & 0777, 0640);
    free(path);
    CU_ASSERT_EQUAL(create_and_commit(&r, ".."), -BASE_EINVAL);
    CU_ASSERT_EQUAL(create_and_commit(&r, "a/b"), -BASE_EINVAL);
    CU_ASSERT_EQUAL(create_and_commit(&r, ""), -BASE_EINVAL);
    target = base_printf("%s/elsewhere", p.root);
    path = base_printf("%s/bob", p.root);
    CU_ASSERT_EQUAL(mkdir(target, 0700), 0);
    CU_ASSERT_EQUAL(symlink(target, path), 0);
    CU_ASSERT_EQUAL(create_and_commit(&r, "bob"), -BASE_EPERM);
    CU_ASSERT_EQUAL(rmdir(target), 0); /* nothing was written there */
    if (geteuid() == 0) {
        CU_ASSERT_EQUAL(unlink(path), 0);
        CU_ASSERT_EQUAL(mkdir(path, 0777), 0);
        CU_ASSERT_EQUAL(chown(path, 12345, 12345), 0);
        CU_ASSERT_EQUAL(create_and_commit(&r, "bob"), -BASE_EPERM);
    }
    free(path);
    free(target);
    remove_place(&p);
}

/* Returns true when the process could open the file as user @uid. */
static bool opens_as(uid_t uid, const char *path)
{
    pid_t child = fork();
    int status = -1;

    if (child == 0) {
        int fd = -1;

        if (setgroups(0, NULL) == 0 && setgid(uid) == 0 && setuid(uid) == 0)
            fd = open(path, O_RDONLY | O_CLOEXEC);
        _exit(fd < 0);
    }
    CU_ASSERT_EQUAL(waitpid(child, &status, 0), child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* A NodeManager that ended before it had given the user his entry leaves a folder without one. */
static void expect_entry_again(const struct nm_remote *r, const struct place *p, uid_t reader,
                               const char *path)
{
    char *folder = base_printf("%s/nobody", p->root);

    CU_ASSERT_EQUAL(removexattr(folder, "system.posix_acl_access"), 0);
    CU_ASSERT_EQUAL(chmod(folder, 0700), 0);
    CU_ASSERT_FALSE(opens_as(reader, path));
    CU_ASSERT_EQUAL(create_and_commit(r, "nobody"), 0);
    CU_ASSERT_TRUE(opens_as(reader, path));
    free(folder);
}

/* Goal: logs wait until the system can tell who their user is. Method: no file can be opened. */
static void test_reader_unknown(void)
{
    struct rlimit old, none;
    struct base_error err;
    uid_t uid = 0;
    int rc;

    /* other services may answer "no such user" without a file */
    CU_ASSERT_EQUAL(__nss_configure_lookup("passwd", "files"), 0);
    CU_ASSERT_EQUAL(nm_reader_find("no-such-user-here", &uid, &err), 0);
    CU_ASSERT_EQUAL(uid, NM_READER_NONE);
    CU_ASSERT_EQUAL_FATAL(getrlimit(RLIMIT_NOFILE, &old), 0);
    none = old;
    none.rlim_cur = 0;
    CU_ASSERT_EQUAL(setrlimit(RLIMIT_NOFILE, &none), 0);
    rc = nm_reader_find("no-such-user-here", &uid, &err);
    CU_ASSERT_EQUAL(setrlimit(RLIMIT_NOFILE, &old), 0);
    CU_ASSERT_EQUAL(rc, -BASE_EIO);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "no-such-user-here"));
}

/* Goal: the user whose logs they are reads them, no other user does. Needs root, a user "nobody"
 * and a file system with access control lists. */
static void test_remote_reader(void)
{
    const struct passwd *nobody = getpwnam("nobody");
    struct nm_remote r;
    struct place p;
    char *path;

    if (geteuid() != 0 || !nobody)
        return;
    make_place(&p);
    CU_ASSERT_EQUAL(chmod(p.root, 0711), 0);
    CU_ASSERT_EQUAL_FATAL(nm_remote_init(&r, p.root, "logs", "host:8042", NULL), 0);
    CU_ASSERT_EQUAL(create_and_commit(&r, "nobody"), 0);
    path = base_printf("%s/nobody/bucket-logs-tfile/0042/application_1700000000000_120042/"
                       "host_8042",
                       p.root);
    if (getxattr(path, "system.posix_acl_access", NULL, 0) > 0) {
        CU_ASSERT_TRUE(opens_as(nobody->pw_uid, path));
        CU_ASSERT_FALSE(opens_as(12345, path));
        expect_entry_again(&r, &p, nobody->pw_uid, path);
    } else {
        CU_ASSERT_EQUAL(errno, EOPNOTSUPP);
    }
    free(path);
    remove_place(&p);
}

static bool never_stop(void *user)
{
    (void)user;
    return false;
}

/* Goal: a node removes its own old files alone, and the folder with the last one. */
static void test_remote_old(void)
{
    struct nm_remote r, other;
    struct place p;
    char *folder;

    make_place(&p);
    CU_ASSERT_EQUAL_FATAL(nm_remote_init(&r, p.root, "logs", "host:1", NULL), 0);
    CU_ASSERT_EQUAL_FATAL(nm_remote_init(&other, p.root, "logs", "host:2", NULL), 0);
    CU_ASSERT_EQUAL(create_and_commit(&r, "alice"), 0);
    CU_ASSERT_EQUAL(create_and_commit(&other, "alice"), 0);
    CU_ASSERT_EQUAL(create_and_commit(&r, "bob"), 0);
    folder =
        base_printf("%s/alice/bucket-logs-tfile/0042/application_1700000000000_120042", p.root);
    CU_ASSERT_EQUAL(nm_remote_remove_old(&r, 1000, never_stop, NULL), 0);
    CU_ASSERT_EQUAL(nm_remote_remove_old(&r, INT64_MAX, never_stop, NULL), 2);
    CU_ASSERT_EQUAL(access(folder, F_OK), 0);
    CU_ASSERT_EQUAL(nm_remote_remove_old(&other, INT64_MAX, never_stop, NULL), 1);
    CU_ASSERT_EQUAL(access(folder, F_OK), -1);
    free(folder);
    remove_place(&p);
}

/* Goal: a list that does not have all says so. Method: logs that are not there. */
static void test_long_list(void)
{
    struct nm_aggregator_conf conf = {.sparse_max = 1000, .retain_s = -1};
    struct nm_aggregator *a;
    struct wire_log_report *v;
    struct base_error err;
    struct place p;
    char *remote;
    size_t n;
    bool more;

    make_place(&p);
    remote = base_printf("%s/remote", p.root);
    CU_ASSERT_EQUAL_FATAL(nm_remote_init(&conf.remote, remote, "logs", "host:8042", NULL), 0);
    free(remote);
    conf.logs = p.root;
    CU_ASSERT_EQUAL_FATAL(nm_aggregator_start(&conf, &a, &err), 0);
    for (int32_t i = 1; i <= 3; i++)
        nm_aggregator_add(a, &(struct base_app_id){1, i}, "alice", NULL);
    while (nm_aggregator_is_busy(a))
        usleep(1000);
    v = nm_aggregator_list(a, 2, &n, &more);
    CU_ASSERT_EQUAL_FATAL(n, 2);
    CU_ASSERT_TRUE(more);
    CU_ASSERT_EQUAL(v[0].app.seq, 3);
    CU_ASSERT_EQUAL(v[1].app.seq, 2);
    CU_ASSERT_EQUAL(v[1].state, WIRE_LOGS_FAILED);
    free(v);
    free(nm_aggregator_list(a, 3, &n, &more));
    CU_ASSERT_EQUAL(n, 3);
    CU_ASSERT_FALSE(more);
    nm_aggregator_stop(a);
    remove_place(&p);
}

/* Goal: logs are copied also when the note about them cannot be written, as on a full disk. Method:
 * a folder is where the note belongs. */
static void test_no_note(void)
{
    struct nm_aggregator_conf conf = {.sparse_max = 1000, .retain_s = -1};
    struct nm_aggregator *a;
    struct base_error err;
    struct place p;
    char *remote, *path, *got;
    size_t n;
    bool more;

    make_place(&p);
    path = base_printf("%s/application_1700000000000_120042", p.root);
    CU_ASSERT_EQUAL(mkdir(path, 0700), 0);
    free(path);
    path = base_printf("%s/application_1700000000000_120042/.aggregate", p.root);
    CU_ASSERT_EQUAL(mkdir(path, 0700), 0);
    free(path);
    write_log(&p, "application_1700000000000_120042/" ONE, "stdout", "said", 4);
    remote = base_printf("%s/remote", p.root);
    CU_ASSERT_EQUAL_FATAL(nm_remote_init(&conf.remote, remote, "logs", "host:8042", NULL), 0);
    free(remote);
    conf.logs = p.root;
    CU_ASSERT_EQUAL_FATAL(nm_aggregator_start(&conf, &a, &err), 0);
    nm_aggregator_add(a, &app, "alice", "bob");
    while (nm_aggregator_is_busy(a))
        usleep(1000);
    CU_ASSERT_PTR_NULL(nm_aggregator_list(a, 1, &n, &more));
    CU_ASSERT_EQUAL(n, 0);
    CU_ASSERT_FALSE(more);
    nm_aggregator_stop(a);
    got = read_back(&p,
                    "remote/alice/bucket-logs-tfile/0042/application_1700000000000_120042/"
                    "host_8042",
                    "");
    CU_ASSERT_PTR_NOT_NULL(strstr(got, "APPLICATION_OWNER\talice\n" ONE "\tstdout=4:"));
    free(got);
    remove_place(&p);
}

static const struct cunit_case cases[] = {
    {"as a node of YARN writes it", test_recorded},
    {"compressed", test_gz},
    {"long logs", test_long},
    {"what is no log", test_hostile},
    {"a full disk", test_full},
    {"stopped meanwhile", test_stopped},
    {"stopped among files that are left out", test_stopped_without_content},
    {"configuration of the shared folder", test_remote_conf},
    {"what others put into the shared folder", test_remote_planted},
    {"who may read", test_remote_reader},
    {"a user who cannot be looked up", test_reader_unknown},
    {"old files", test_remote_old},
    {"long list", test_long_list},
    {"a note that cannot be written", test_no_note},
};
CUNIT_MAIN("aggregated logs", cases)
