/* Goal: a store keeps exactly what was written, knows its epoch, and refuses what it cannot trust,
 * with a text that says what to do.
 * Method: both backends through the same steps; damage, a second process and a full disk for
 * SQLite. */
#include <CUnit/Basic.h>
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io/io.h"
#include "base/mem.h"
#include "tests/unit/stores.h"

static char dir[] = "/tmp/creel-store-XXXXXX";

static const char *path_of(const char *name)
{
    static char path[256];

    snprintf(path, sizeof path, "%s/%s", dir, name);
    return path;
}

static int append(void *user, const struct ha_record *rec, struct base_error *err)
{
    (void)err;
    base_buf_addf(user, "%s/%s=%.*s;", rec->table, rec->key, (int)rec->len, rec->data);
    CU_ASSERT_EQUAL(rec->data[rec->len], '\0');
    return 0;
}

static void expect(struct ha_store *s, const char *table, const char *want)
{
    struct base_buf got = {0};
    struct base_error err = {0};

    CU_ASSERT_EQUAL(ha_store_load(s, table, append, &got, &err), 0);
    CU_ASSERT_STRING_EQUAL(got.data ? got.data : "", want);
    base_buf_free(&got);
}

static void round_trip(const char *kind, const char *where)
{
    struct base_error err = {0};
    struct ha_store *s = NULL;
    int64_t epoch = -1;
    const struct ha_record first[] = {
        {"app", "b", "2", 1}, {"app", "a", "one", 3}, {"node", "a", "", 0}};
    const struct ha_record second[] = {
        {"app", "a", "eins", 4}, {"app", "b", NULL, 0}, {"app", "none", NULL, 0}};

    CU_ASSERT_EQUAL_FATAL(ha_store_open(store_kind(kind), where, NULL, &s, &epoch, &err), 0);
    CU_ASSERT_EQUAL(epoch, 0);
    expect(s, "app", "");
    CU_ASSERT_EQUAL(ha_store_write(s, first, 3, &err), 0);
    expect(s, "app", "app/a=one;app/b=2;");
    expect(s, "node", "node/a=;");
    CU_ASSERT_EQUAL(ha_store_write(s, second, 3, &err), 0);
    ha_store_close(s);
    for (int again = 1; again <= 3; again++) {
        CU_ASSERT_EQUAL_FATAL(ha_store_open(store_kind(kind), where, NULL, &s, &epoch, &err), 0);
        CU_ASSERT_EQUAL(epoch, again);
        expect(s, "app", "app/a=eins;");
        ha_store_close(s);
    }
}

static void test_sqlite(void)
{
    round_trip("sqlite", path_of("deeper/state.db"));
}

static void test_memory(void)
{
    struct ha_store *s;
    int64_t epoch = -1;

    round_trip("memory", memory_place("test"));
    s = memory_open("test", &epoch);
    CU_ASSERT_EQUAL(ha_store_raise_epoch(s, 9, NULL), 0);
    ha_store_close(s);
    s = memory_open("test", &epoch);
    CU_ASSERT_EQUAL(epoch, 10);
    ha_store_close(s);
}

/* Goal: a store is chosen by its name, or without a name by whether several RMs share it; a wrong
 * name is refused with those expected. */
static void test_choice(void)
{
    const struct ha_store_ops *ops = NULL;
    struct base_error err = {0};

    CU_ASSERT_EQUAL(ha_store_choose(NULL, false, &ops, &err), 0);
    CU_ASSERT_STRING_EQUAL(ops->name, "sqlite");
    CU_ASSERT_EQUAL(ha_store_choose("", true, &ops, &err), 0);
    CU_ASSERT_STRING_EQUAL(ops->name, "zookeeper");
    CU_ASSERT_EQUAL(ha_store_choose("memory", false, &ops, &err), 0);
    CU_ASSERT_STRING_EQUAL(ops->name, "memory");
    CU_ASSERT_EQUAL(ha_store_choose("memory", true, &ops, &err), -BASE_EINVAL);
    CU_ASSERT_STRING_EQUAL(
        err.text,
        "\"memory\" is no state store of several ResourceManagers: expected one of zookeeper");
    CU_ASSERT_EQUAL(ha_store_choose("bdb", false, &ops, &err), -BASE_EINVAL);
    CU_ASSERT_STRING_EQUAL(
        err.text,
        "\"bdb\" is no state store of a single ResourceManager: expected one of sqlite, memory");
}

/* What was reported as durable is there after the process was killed without closing the store. */
static void test_killed_writer(void)
{
    struct base_error err = {0};
    struct ha_store *s = NULL;
    const char *path = path_of("killed.db");
    int64_t epoch = -1;
    int status;
    pid_t pid = fork();

    CU_ASSERT_FATAL(pid >= 0);
    if (pid == 0) {
        const struct ha_record rec = {"app", "x", "kept", 4};
        if (ha_store_open(store_kind("sqlite"), path, NULL, &s, &epoch, &err) < 0 ||
            ha_store_write(s, &rec, 1, &err) < 0)
            _exit(1);
        raise(SIGKILL);
    }
    waitpid(pid, &status, 0);
    CU_ASSERT_FATAL(WIFSIGNALED(status));
    CU_ASSERT_EQUAL_FATAL(ha_store_open(store_kind("sqlite"), path, NULL, &s, &epoch, &err), 0);
    CU_ASSERT_EQUAL(epoch, 1);
    expect(s, "app", "app/x=kept;");
    ha_store_close(s);
}

static void test_locked(void)
{
    struct base_error err = {0};
    struct ha_store *s = NULL;
    const char *path = path_of("locked.db");
    int64_t epoch;
    int status;
    pid_t pid;

    CU_ASSERT_EQUAL_FATAL(ha_store_open(store_kind("sqlite"), path, NULL, &s, &epoch, &err), 0);
    pid = fork();
    CU_ASSERT_FATAL(pid >= 0);
    if (pid == 0) { /* a child, since POSIX locks are per process */
        struct ha_store *other = NULL;
        int rc = ha_store_open(store_kind("sqlite"), path, NULL, &other, &epoch, &err);
        _exit(rc == -BASE_ESTATE && strstr(err.text, "locked") && strstr(err.text, path) ? 0 : 1);
    }
    waitpid(pid, &status, 0);
    CU_ASSERT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    ha_store_close(s);
}

static void refused(const char *path, int code)
{
    struct base_error err = {0};
    struct ha_store *s = NULL;
    int64_t epoch;

    CU_ASSERT_EQUAL(ha_store_open(store_kind("sqlite"), path, NULL, &s, &epoch, &err), code);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, path));
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "move"));
}

static void fill(const char *path, int records)
{
    struct base_error err = {0};
    struct ha_store *s = NULL;
    int64_t epoch;
    char key[32], data[500];

    memset(data, 'x', sizeof data);
    CU_ASSERT_EQUAL_FATAL(ha_store_open(store_kind("sqlite"), path, NULL, &s, &epoch, &err), 0);
    for (int i = 0; i < records; i++) {
        const struct ha_record rec = {"app", key, data, sizeof data};
        snprintf(key, sizeof key, "%06d", i);
        CU_ASSERT_EQUAL(ha_store_write(s, &rec, 1, &err), 0);
    }
    ha_store_close(s);
}

/* Counts the calls, in place of libc's: the umask belongs to all threads, so a change of it would
 * change the modes of files that other threads make. */
static int umasks;
mode_t umask(mode_t mask)
{
    umasks++;
    return (mode_t)syscall(SYS_umask, mask);
}

static void test_private(void)
{
    const char *const ends[] = {"", "-wal"};
    char path[256], name[300];
    struct base_error err = {0};
    struct ha_store *s = NULL;
    const struct ha_record rec = {"app", "a", "1", 1};
    mode_t old = umask(0);
    struct stat st;
    int64_t epoch;

    snprintf(path, sizeof path, "%s", path_of("private.db"));
    umasks = 0;
    CU_ASSERT_EQUAL_FATAL(ha_store_open(store_kind("sqlite"), path, NULL, &s, &epoch, &err), 0);
    CU_ASSERT_EQUAL(umasks, 0);
    CU_ASSERT_EQUAL(ha_store_write(s, &rec, 1, &err), 0);
    for (int i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "%s%s", path, ends[i]);
        CU_ASSERT_EQUAL_FATAL(stat(name, &st), 0);
        CU_ASSERT_EQUAL(st.st_mode & 0777, 0600);
    }
    ha_store_close(s);
    umask(old);
}

static void test_damaged(void)
{
    const char *path = path_of("damaged.db");
    struct stat st;
    char noise[4096];
    int fd;

    CU_ASSERT_EQUAL(base_file_write_atomic(path,
                                           "this is not a database at all, whatever it may be", 49,
                                           0600, false, NULL),
                    0);
    refused(path, -BASE_ECORRUPT);
    unlink(path);

    fill(path, 200); /* a good store with parts of its middle overwritten */
    CU_ASSERT_EQUAL_FATAL(stat(path, &st), 0);
    memset(noise, 0xa5, sizeof noise);
    fd = open(path, O_WRONLY);
    for (off_t at = 4096; at + 4096 <= st.st_size; at += 8192)
        CU_ASSERT_EQUAL(pwrite(fd, noise, sizeof noise, at), (ssize_t)sizeof noise);
    close(fd);
    refused(path, -BASE_ECORRUPT);

    fill(path_of("cut.db"), 200); /* a good store cut short */
    CU_ASSERT_EQUAL(truncate(path_of("cut.db"), 4096 * 3 + 100), 0);
    refused(path_of("cut.db"), -BASE_ECORRUPT);
}

static void drop(const char *path, const char *table)
{
    char sql[64];
    sqlite3 *db;

    snprintf(sql, sizeof sql, "DROP TABLE %s", table);
    CU_ASSERT_EQUAL(sqlite3_open(path, &db), SQLITE_OK);
    CU_ASSERT_EQUAL(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static void test_without_tables(void)
{
    static const char *const tables[] = {"record", "epoch"};

    for (int i = 0; i < 2; i++) {
        const char *path = path_of(tables[i]);

        fill(path, 1);
        drop(path, tables[i]);
        refused(path, -BASE_ECORRUPT);
    }
}

static int run_sql(const char *path, const char *sql)
{
    sqlite3 *db;
    int rc = sqlite3_open(path, &db);

    if (rc == SQLITE_OK)
        rc = sqlite3_exec(db, sql, NULL, NULL, NULL);
    sqlite3_close(db);
    return rc;
}

/* A stored epoch that is not valid, or that has no next one, is refused with the command that
 * repairs it; the epoch is not raised above what container ids can hold. */
static void test_epochs(void)
{
    static const char *const bad[] = {"UPDATE epoch SET value=8388607",
                                      "UPDATE epoch SET value=-1",
                                      "UPDATE epoch SET value=9223372036854775807",
                                      "UPDATE epoch SET value='x'",
                                      "UPDATE epoch SET value=1.5",
                                      "DELETE FROM epoch"};
    struct base_error err = {0};
    struct ha_store *s;
    int64_t epoch;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *path = path_of("epochs.db");
        char want[400];

        fill(path, 1);
        CU_ASSERT_EQUAL(run_sql(path, bad[i]), SQLITE_OK);
        refused(path, -BASE_ECORRUPT);
        refused(path, -BASE_ECORRUPT); /* again: the refusal has not changed the file */
        CU_ASSERT_EQUAL(ha_store_open(store_kind("sqlite"), path, NULL, &s, &epoch, &err),
                        -BASE_ECORRUPT);
        snprintf(want, sizeof want, "sqlite3 %s \"INSERT OR REPLACE INTO epoch VALUES(1,N)\"",
                 path);
        CU_ASSERT_PTR_NOT_NULL(strstr(err.text, want));
        CU_ASSERT_EQUAL(run_sql(path, "INSERT OR REPLACE INTO epoch VALUES(1,8388606)"), SQLITE_OK);
        CU_ASSERT_EQUAL_FATAL(ha_store_open(store_kind("sqlite"), path, NULL, &s, &epoch, &err), 0);
        CU_ASSERT_EQUAL(epoch, 8388607);
        CU_ASSERT_EQUAL(ha_store_raise_epoch(s, 8388608, &err), -BASE_ELIMIT);
        CU_ASSERT_EQUAL(ha_store_raise_epoch(s, 8388607, &err), 0);
        ha_store_close(s);
        unlink(path);
    }
}

/* Root can mount a small file system and fill it; other users skip this. */
static void test_full_disk(void)
{
    struct base_error err = {0};
    struct ha_store *s = NULL;
    int64_t epoch;
    char mnt[200], file[256], *data = base_alloc(256 << 10);
    int rc = 0, written = 0;
    struct base_buf got = {0};

    snprintf(mnt, sizeof mnt, "%s/small", dir);
    mkdir(mnt, 0700);
    if (mount("none", mnt, "tmpfs", 0, "size=2m") < 0) {
        printf(" (skipped: no right to mount) ");
        free(data);
        return;
    }
    memset(data, 'd', 256 << 10);
    snprintf(file, sizeof file, "%s/state.db", mnt);
    CU_ASSERT_EQUAL_FATAL(ha_store_open(store_kind("sqlite"), file, NULL, &s, &epoch, &err), 0);
    while (rc == 0 && written < 100) {
        char key[16];
        const struct ha_record rec = {"app", key, data, 256 << 10};
        snprintf(key, sizeof key, "%04d", written);
        rc = ha_store_write(s, &rec, 1, &err);
        written += rc == 0;
    }
    CU_ASSERT_EQUAL(rc, -BASE_ENOSPC);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "No space left on device"));
    CU_ASSERT(written > 0);
    /* With room again, the same store can write. */
    CU_ASSERT_EQUAL(mount("none", mnt, "tmpfs", MS_REMOUNT, "size=8m"), 0);
    CU_ASSERT_EQUAL(ha_store_write(s, &(struct ha_record){"app", "later", "l", 1}, 1, &err), 0);
    ha_store_close(s);
    CU_ASSERT_EQUAL_FATAL(ha_store_open(store_kind("sqlite"), file, NULL, &s, &epoch, &err), 0);
    CU_ASSERT_EQUAL(ha_store_load(s, "app", append, &got, &err), 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(got.data, "app/later=l;"));
    CU_ASSERT(got.len > (size_t)written * (256 << 10));
    /* no part of the refused write is there */
    CU_ASSERT(got.len < (size_t)(written + 1) * (256 << 10));
    ha_store_close(s);
    base_buf_free(&got);
    free(data);
    umount(mnt);
}

int main(void)
{
    unsigned failed;
    CU_pSuite suite;

    if (!mkdtemp(dir) || CU_initialize_registry() != CUE_SUCCESS)
        return 1;
    suite = CU_add_suite("store", NULL, NULL);
    CU_add_test(suite, "sqlite round trip and epoch", test_sqlite);
    CU_add_test(suite, "epochs that are none", test_epochs);
    CU_add_test(suite, "choice of a store", test_choice);
    CU_add_test(suite, "memory round trip and epoch", test_memory);
    CU_add_test(suite, "killed writer", test_killed_writer);
    CU_add_test(suite, "locked by another process", test_locked);
    CU_add_test(suite, "nobody else reads it", test_private);
    CU_add_test(suite, "damaged files", test_damaged);
    CU_add_test(suite, "missing tables", test_without_tables);
    CU_add_test(suite, "full disk", test_full_disk);
    CU_basic_set_mode(CU_BRM_VERBOSE);
    CU_basic_run_tests();
    failed = CU_get_number_of_failures();
    CU_cleanup_registry();
    base_rmtree(dir, NULL);
    return failed ? 1 : 0;
}
