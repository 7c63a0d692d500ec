/* Goal: what is said to be durable is on disk when that is said: a store's batch before write()
 * returns, a file's bytes before the rename that shows them, the rename before the call returns.
 * Method: the calls that write, sync and rename go through this program first, for the libraries as
 * well: it keeps their order, and then makes them. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/io/io.h"
#include "tests/unit/cunit_main.h"
#include "tests/unit/stores.h"

enum what { WROTE, SYNCED, RENAMED };
static struct note {
    enum what what;
    ino_t inode; /* of what was written or synced, or has got a new name */
    bool folder;
    char to[128]; /* for RENAMED: the new name */
} notes[4096];
static size_t notes_n;
static bool noting;

static void note(enum what what, int fd, const char *to)
{
    struct stat st = {0};
    struct note *n = &notes[notes_n];

    if (!noting || notes_n == sizeof notes / sizeof *notes)
        return;
    if (to ? stat(to, &st) < 0 : fstat(fd, &st) < 0)
        return;
    if (!to && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
        return; /* a terminal, a pipe: the test's own output */
    *n = (struct note){.what = what, .inode = st.st_ino, .folder = S_ISDIR(st.st_mode)};
    snprintf(n->to, sizeof n->to, "%s", to ? to : "");
    notes_n++;
}

/* ---- replacements for libc's functions ---- */
ssize_t write(int fd, const void *p, size_t n)
{
    note(WROTE, fd, NULL);
    return syscall(SYS_write, fd, p, n);
}
ssize_t pwrite(int fd, const void *p, size_t n,
               off_t at) /* pwrite64 to the linker: files are large here */
{
    note(WROTE, fd, NULL);
    return syscall(SYS_pwrite64, fd, p, n, at);
}
int fsync(int fd)
{
    int rc = (int)syscall(SYS_fsync, fd);

    note(SYNCED, fd, NULL);
    return rc;
}
int fdatasync(int fd)
{
    int rc = (int)syscall(SYS_fdatasync, fd);

    note(SYNCED, fd, NULL);
    return rc;
}
int rename(const char *from, const char *to)
{
    int rc = (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);

    if (rc == 0)
        note(RENAMED, -1, to);
    return rc;
}

/* ---- what was noted ---- */
static void begin(void)
{
    notes_n = 0;
    noting = true;
}

static size_t count(enum what what)
{
    size_t n = 0;

    for (size_t i = 0; i < notes_n; i++)
        n += notes[i].what == what;
    return n;
}

/* Returns the number of files written and not synced since, among the first @n notes. */
static size_t unsynced(size_t n)
{
    size_t sum = 0;

    for (size_t i = 0; i < n; i++) {
        bool later = false;

        for (size_t k = i + 1; k < n; k++)
            later = later || (notes[k].what != RENAMED && notes[k].inode == notes[i].inode);
        sum += notes[i].what == WROTE && !later;
    }
    return sum;
}

static char dir[] = "/tmp/creel-durable-XXXXXX";

static void test_store(void)
{
    struct base_error err = {0};
    struct ha_store *s = NULL;
    char path[100], key[16];
    int64_t epoch;

    snprintf(path, sizeof path, "%s/state.db", dir);
    for (int round = 0; round < 2; round++) {
        begin();
        CU_ASSERT_EQUAL_FATAL(ha_store_open(store_kind("sqlite"), path, NULL, &s, &epoch, &err), 0);
        noting = false;
        CU_ASSERT(count(WROTE) > 0);
        CU_ASSERT_EQUAL(unsynced(notes_n), 0); /* the epoch is written and synced */
        for (int i = 0; i < 20; i++) {
            const struct ha_record rec[] = {{"app", key, round ? "data" : "once", 4},
                                            {"task", key, i % 3 ? "more" : NULL, i % 3 ? 4 : 0}};

            snprintf(key, sizeof key, "k%d", i);
            begin();
            CU_ASSERT_EQUAL(ha_store_write(s, rec, 2, &err), 0);
            noting = false;
            CU_ASSERT(count(WROTE) > 0);
            CU_ASSERT(count(SYNCED) > 0);
            CU_ASSERT_EQUAL(unsynced(notes_n), 0);
        }
        begin();
        CU_ASSERT_EQUAL(ha_store_raise_epoch(s, epoch + 5, &err), 0);
        noting = false;
        CU_ASSERT(count(WROTE) > 0);
        CU_ASSERT_EQUAL(unsynced(notes_n), 0);
        ha_store_close(s);
    }
}

/* Files that are replaced as a whole, such as the state of a NodeManager. */
static void test_file(void)
{
    char path[100];
    struct stat folder;

    snprintf(path, sizeof path, "%s/state.json", dir);
    CU_ASSERT_EQUAL_FATAL(stat(dir, &folder), 0);
    for (int round = 0; round < 2; round++) { /* a new file, then one in the place of another */
        size_t at = 0;
        bool folder_after = false;

        begin();
        CU_ASSERT_EQUAL(base_file_write_atomic(path, "{\"epoch\":7}\n", 12, 0600, true, NULL), 0);
        noting = false;
        CU_ASSERT_EQUAL_FATAL(count(RENAMED), 1);
        while (notes[at].what != RENAMED)
            at++;
        CU_ASSERT_STRING_EQUAL(notes[at].to, path);
        CU_ASSERT_EQUAL(unsynced(at), 0); /* whole before it has its name */
        CU_ASSERT(at > 0 && notes[at - 1].inode == notes[at].inode);
        for (size_t k = at + 1; k < notes_n; k++)
            folder_after = folder_after || (notes[k].what == SYNCED && notes[k].folder &&
                                            notes[k].inode == folder.st_ino);
        CU_ASSERT(folder_after); /* so that the name is there after a crash */
    }
}

static void test_folders(void)
{
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
}

static void test_clean_up(void)
{
    CU_ASSERT_EQUAL(base_rmtree(dir, NULL), 0);
}

static const struct cunit_case cases[] = {{"a folder", test_folders},
                                          {"the store", test_store},
                                          {"files that are renamed", test_file},
                                          {"clean up", test_clean_up}};
CUNIT_MAIN("durable", cases)
