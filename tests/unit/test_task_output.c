/* Goal: a job's commit that ends anywhere between its first step and its last is either repeated to
 * its end, or taken back whole: no part of it stays that would keep the folder from being removed
 * and the job from being submitted again, and nothing that another job or user has put there is
 * removed.
 * Method: this program's own renameat(), renameat2(), unlinkat(), unlink(), rmdir(), mkdir(),
 * mkdirat(), ftruncate() and fsync() count the steps, and fail or end the process at a given
 * one. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io/io.h"
#include "base/io/log.h"
#include "base/mem.h"
#include "nodemanager/task/job/output_folder.h"
#include "tests/unit/cunit_main.h"

#define PARTS     3
#define CRASHED   9
#define STEPS_MAX 1000

/* ---- steps ---- */

static long steps_left = -1; /* until one fails or ends the process; negative: none does */
static bool crashes;
static const char *appears;  /* a folder made beside it before this entry is removed; NULL: none */
static bool complete;        /* what the latest abort has found */
static const char *vanishes; /* removed at the first renameat() of a part; NULL: no file is */

static bool step_fails(void)
{
    if (steps_left < 0 || steps_left-- > 0)
        return false;
    if (crashes)
        _exit(CRASHED);
    errno = EIO;
    return true;
}

int renameat(int from_at, const char *from, int to_at, const char *to)
{
    if (vanishes && strncmp(to, "part-", 5) == 0) {
        syscall(SYS_unlinkat, AT_FDCWD, vanishes, 0);
        vanishes = NULL;
    }
    return step_fails() ? -1 : (int)syscall(SYS_renameat2, from_at, from, to_at, to, 0);
}

int unlinkat(int at, const char *path, int flags)
{
    if (appears && strcmp(path, appears) == 0) {
        appears = NULL;
        syscall(SYS_mkdirat, at, "late", 0755);
    }
    return step_fails() ? -1 : (int)syscall(SYS_unlinkat, at, path, flags);
}

int unlink(const char *path)
{
    return step_fails() ? -1 : (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

int rmdir(const char *path)
{
    return step_fails() ? -1 : (int)syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR);
}

int mkdir(const char *path, mode_t mode)
{
    return step_fails() ? -1 : (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}

int mkdirat(int at, const char *path, mode_t mode)
{
    return step_fails() ? -1 : (int)syscall(SYS_mkdirat, at, path, mode);
}

int renameat2(int from_at, const char *from, int to_at, const char *to, unsigned flags)
{
    return step_fails() ? -1 : (int)syscall(SYS_renameat2, from_at, from, to_at, to, flags);
}

int ftruncate(int fd, off_t size)
{
    return step_fails() ? -1 : (int)syscall(SYS_ftruncate, fd, size);
}

int fsync(int fd)
{
    return step_fails() ? -1 : (int)syscall(SYS_fsync, fd);
}

/* ---- a job ---- */

static const struct base_app_id ours = {1700000000000, 7}, others = {1700000000000, 8};
static const int32_t attempts[PARTS] = {0, 1, 0};
static const struct task_output_parts parts = {BASE_TASK_REDUCE, attempts, PARTS};
static char dir[64];

static char *at(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static char *at(const char *fmt, ...)
{
    static char paths[8][PATH_MAX];
    static int turn;
    char *path = paths[turn++ % 8];
    int n = snprintf(path, PATH_MAX, "%s/", dir);
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(path + n, PATH_MAX - (size_t)n, fmt, ap);
    va_end(ap);
    return path;
}

static bool is_there(const char *name)
{
    struct stat st;

    return lstat(at("%s", name), &st) == 0;
}

static void put(const char *path, const char *text)
{
    CU_ASSERT_EQUAL_FATAL(base_file_write_atomic(path, text, strlen(text), 0644, false, NULL), 0);
}

static void put_attempt(int task, int attempt, const char *text)
{
    char *folder = at("out/_temporary/task_1700000000000_0007_r_%06d_%d", task, attempt);

    CU_ASSERT_EQUAL(mkdir(folder, 0755), 0);
    put(at("%s/part-%05d", folder + strlen(dir) + 1, task), text);
}

/* Makes the output folder as it is when all tasks have ended well: a part of each attempt that
 * counts, and one of another attempt. */
static void begin(void)
{
    struct base_error err = {0};

    snprintf(dir, sizeof dir, "/tmp/creel-output-XXXXXX");
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
    CU_ASSERT_EQUAL(task_output_create_folder(at("out"), ours, &err), 0);
    for (int i = 0; i < PARTS; i++)
        put_attempt(i, attempts[i], "counts");
    put_attempt(1, 0, "late");
}

static void end(void)
{
    CU_ASSERT_EQUAL(base_rmtree(dir, NULL), 0);
}

static bool is_whole(void)
{
    bool whole = is_there("out/_SUCCESS");

    for (int i = 0; i < PARTS; i++) {
        struct base_buf b = {0};

        if (base_file_read(at("out/part-%05d", i), 100, &b, NULL) != 0 || !b.data ||
            strcmp(b.data, "counts") != 0)
            whole = false;
        base_buf_free(&b);
    }
    return whole;
}

/* Commits until step @step, which fails, or with @crash ends the process. Returns true when the
 * commit ended before that step. */
static bool commit_until(long step, bool crash)
{
    struct base_error err = {0};
    int status = 0, rc;
    pid_t pid;

    fflush(stdout);
    pid = crash ? fork() : 0;
    if (pid == 0) {
        crashes = crash;
        steps_left = step;
        rc = task_output_commit_parts(at("out"), ours, &parts, &err);
        bool reached = steps_left < 0;
        steps_left = -1;
        if (crash)
            _exit(reached ? CRASHED : rc);
        return !reached;
    }
    CU_ASSERT_EQUAL_FATAL(waitpid(pid, &status, 0), pid);
    CU_ASSERT(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == CRASHED));
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static int count_staging_folders(void)
{
    DIR *d = opendir(dir);
    const struct dirent *e;
    int n = 0;

    while ((e = readdir(d)) != NULL)
        n += strncmp(e->d_name, ".creel_", 7) == 0;
    closedir(d);
    return n;
}

static void check_aborted(long step, bool crash)
{
    struct base_error err = {0};
    bool was_whole = is_whole(), gone;

    CU_ASSERT_EQUAL(task_output_abort_job(at("out"), ours, &complete, &err), 0);
    gone = !is_there("out");
    /* An output that was complete, since the commit only failed to clear up, stays. */
    CU_ASSERT(gone || (was_whole && is_whole() && !is_there("out/_temporary")));
    CU_ASSERT_EQUAL(complete, !gone);
    CU_ASSERT(!gone || task_output_check_creatable(at("out"), ours, &err) == 0);
    CU_ASSERT_EQUAL(count_staging_folders(), 0);
    if (!gone && !was_whole)
        printf("\n  step %ld, %s: the folder stays\n", step, crash ? "crash" : "failure");
}

/* @beside: folders of others that have the name of a staging folder */
static void check_repeated(int beside)
{
    struct base_error err = {0};

    CU_ASSERT_EQUAL(task_output_commit_parts(at("out"), ours, &parts, &err), 0);
    CU_ASSERT(is_whole());
    CU_ASSERT_FALSE(is_there("out/_temporary"));
    CU_ASSERT_EQUAL(count_staging_folders(), beside);
}

static void test_sweep(void)
{
    for (int crash = 0; crash < 2; crash++) {
        bool done = false;
        long step = 0;

        for (; !done && step < STEPS_MAX; step++) {
            for (int repeat = 0; repeat < 2; repeat++) {
                begin();
                done = commit_until(step, crash);
                if (repeat)
                    check_repeated(0);
                else
                    check_aborted(step, crash);
                end();
            }
        }
        CU_ASSERT(done && step > PARTS);
    }
}

/* The same for the abort: one whose process ends at any step is repeated, and then nothing
 * stays. */
static void test_abort_sweep(void)
{
    bool done = false;
    struct base_error err = {0};

    for (long step = 0; !done && step < STEPS_MAX; step++) {
        begin();
        CU_ASSERT_EQUAL(mkdir(at("out/part-00002"), 0755), 0);
        /* The commit takes two parts, then fails at the folder in the place of the third. */
        CU_ASSERT_NOT_EQUAL(task_output_commit_parts(at("out"), ours, &parts, &err), 0);
        CU_ASSERT_TRUE(is_there("out/part-00001"));
        CU_ASSERT_EQUAL(rmdir(at("out/part-00002")), 0);
        fflush(stdout);
        pid_t pid = fork();
        int status = 0;
        if (pid == 0) {
            crashes = true;
            steps_left = step;
            _exit(task_output_abort_job(at("out"), ours, &complete, &err) != 0);
        }
        CU_ASSERT_EQUAL_FATAL(waitpid(pid, &status, 0), pid);
        done = WIFEXITED(status) && WEXITSTATUS(status) == 0;
        CU_ASSERT(done || (WIFEXITED(status) && WEXITSTATUS(status) == CRASHED));
        CU_ASSERT_EQUAL(task_output_abort_job(at("out"), ours, &complete, &err), 0);
        CU_ASSERT_FALSE(is_there("out"));
        end();
    }
    CU_ASSERT_TRUE(done);
}

/* Goal: when a part is missing, the commit takes none of the others. */
static void test_missing(void)
{
    struct base_error err = {0};

    begin();
    CU_ASSERT_EQUAL(unlink(at("out/_temporary/task_1700000000000_0007_r_000002_0/part-00002")), 0);
    CU_ASSERT_EQUAL(task_output_commit_parts(at("out"), ours, &parts, &err), -BASE_ENOTFOUND);
    CU_ASSERT_FALSE(is_there("out/part-00000"));
    CU_ASSERT_EQUAL(task_output_abort_job(at("out"), ours, &complete, &err), 0);
    CU_ASSERT_FALSE(is_there("out"));
    end();
}

/* Goal: a part that is removed while the others are taken is not mistaken for one that was taken
 * before: there is no _SUCCESS without it, and the abort takes all others back. */
static void test_vanishes(void)
{
    struct base_error err = {0};

    begin();
    vanishes = at("out/_temporary/task_1700000000000_0007_r_000002_0/part-00002");
    CU_ASSERT_EQUAL(task_output_commit_parts(at("out"), ours, &parts, &err), -BASE_ENOTFOUND);
    CU_ASSERT_PTR_NULL(vanishes);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "task_1700000000000_0007_r_000002"));
    CU_ASSERT_TRUE(is_there("out/part-00000"));
    CU_ASSERT_FALSE(is_there("out/_SUCCESS"));
    CU_ASSERT_EQUAL(task_output_abort_job(at("out"), ours, &complete, &err), 0);
    CU_ASSERT_FALSE(is_there("out"));
    end();
}

/* Goal: after a commit that ended half way, the abort removes the parts that it has taken and
 * nothing else: neither a user's file or folder under a part's name, of one taken or not yet taken,
 * nor files of other names. */
static void test_of_others(void)
{
    struct base_error err = {0};

    begin();
    CU_ASSERT_EQUAL(mkdir(at("out/part-00002"), 0755), 0);
    put(at("out/part-00003"), "mine");
    put(at("out/notes"), "mine");
    CU_ASSERT_NOT_EQUAL(task_output_commit_parts(at("out"), ours, &parts, &err), 0);
    put(at("out/part-00000"), "mine"); /* another file by now */
    CU_ASSERT_TRUE(is_there("out/part-00001"));
    CU_ASSERT_EQUAL(task_output_abort_job(at("out"), others, &complete, &err), 0);
    CU_ASSERT_TRUE(is_there("out/part-00001"));
    CU_ASSERT_TRUE(is_there("out/_temporary/application_1700000000000_0007.taken"));
    CU_ASSERT_EQUAL(task_output_abort_job(at("out"), ours, &complete, &err), 0);
    CU_ASSERT_FALSE(is_there("out/part-00001"));
    CU_ASSERT_FALSE(is_there("out/_temporary"));
    CU_ASSERT_TRUE(is_there("out/part-00000") && is_there("out/part-00002"));
    CU_ASSERT_TRUE(is_there("out/part-00003"));
    CU_ASSERT_TRUE(is_there("out/notes"));
    end();
}

/* Goal: when the folder belongs to another job by the time of the abort, that job's parts stay. */
static void test_folder_of_others(void)
{
    struct base_error err = {0};

    begin();
    CU_ASSERT_EQUAL(base_rmtree(at("out"), NULL), 0);
    CU_ASSERT_EQUAL(task_output_create_folder(at("out"), others, &err), 0);
    put(at("out/part-00000"), "theirs");
    put(at("out/_SUCCESS"), "");
    CU_ASSERT_EQUAL(task_output_abort_job(at("out"), ours, &complete, &err), 0);
    CU_ASSERT_FALSE(complete);
    CU_ASSERT_TRUE(is_there("out/part-00000"));
    CU_ASSERT_TRUE(is_there("out/_temporary/application_1700000000000_0008"));
    end();
}

/* Goal: a damaged list of taken parts neither makes the abort remove a file that the job has not
 * taken, nor keeps the abort from ending. */
static void test_damaged_list(void)
{
    static const char *const lists[] = {"",
                                        "0",
                                        "0 ",
                                        "x 1\n\n0 0\n",
                                        "-1 1\n0 -1\n",
                                        "99999999999999999999 1\n",
                                        "1000000 1\n0 99999999999999999999999\n",
                                        "0 1 2\n\xff\xfe\n"};
    const char *list = "out/_temporary/application_1700000000000_0007.taken";
    struct base_error err = {0};

    for (size_t i = 0; i < sizeof lists / sizeof lists[0] + 3; i++) {
        begin();
        put(at("out/part-00000"), "mine");
        if (i < sizeof lists / sizeof lists[0])
            put(at("%s", list), lists[i]);
        else if (i == sizeof lists / sizeof lists[0])
            CU_ASSERT_EQUAL(mkfifo(at("%s", list), 0644), 0)
        else if (i == sizeof lists / sizeof lists[0] + 1)
            CU_ASSERT_EQUAL(symlink("/dev/zero", at("%s", list)), 0)
        else
            CU_ASSERT_EQUAL(mkdir(at("%s", list), 0755), 0);
        CU_ASSERT_EQUAL(task_output_abort_job(at("out"), ours, &complete, &err), 0);
        CU_ASSERT_TRUE(is_there("out/part-00000"));
        CU_ASSERT_FALSE(is_there("out/_temporary"));
        end();
    }
}

/* Goal: when the process ends at any step of a creation, this can be repeated with success, or
 * undone without a trace; at no step is there a folder without the mark of its job. */
static void test_creation_sweep(void)
{
    bool done = false;
    struct base_error err = {0};
    long step = 0;

    for (; !done && step < STEPS_MAX; step++) {
        for (int repeat = 0; repeat < 2; repeat++) {
            int status = 0;
            pid_t pid;

            begin();
            CU_ASSERT_EQUAL(base_rmtree(at("out"), NULL), 0);
            fflush(stdout);
            pid = fork();
            if (pid == 0) {
                crashes = true;
                steps_left = step;
                _exit(task_output_create_folder(at("out"), ours, &err) != 0);
            }
            CU_ASSERT_EQUAL_FATAL(waitpid(pid, &status, 0), pid);
            done = WIFEXITED(status) && WEXITSTATUS(status) == 0;
            CU_ASSERT(done || (WIFEXITED(status) && WEXITSTATUS(status) == CRASHED));
            CU_ASSERT(!is_there("out") ||
                      is_there("out/_temporary/application_1700000000000_0007"));
            if (repeat) {
                CU_ASSERT_EQUAL(task_output_create_folder(at("out"), ours, &err), 0);
                CU_ASSERT_TRUE(is_there("out/_temporary/application_1700000000000_0007"));
            } else {
                CU_ASSERT_EQUAL(task_output_abort_job(at("out"), ours, &complete, &err), 0);
                CU_ASSERT_FALSE(is_there("out"));
            }
            CU_ASSERT_FALSE(is_there(".creel_application_1700000000000_0007"));
            end();
        }
    }
    CU_ASSERT(done && step > 2);
}

/* ---- planted in advance ---- */

#define STAGING ".creel_application_1700000000000_0007"
#define MARK    "_temporary/application_1700000000000_0007"

/* Goal: whatever lies beside the output folder under the name that a step would use, the step does
 * its work with another name, and what lies there is not touched: another folder of the user that
 * was moved there, a link to one, a file. */
static void test_planted_beside(void)
{
    for (int what = 0; what < 3; what++) {
        struct base_error err = {0};

        begin();
        CU_ASSERT_EQUAL(base_rmtree(at("out"), NULL), 0);
        CU_ASSERT_EQUAL(mkdir(at("data"), 0755), 0);
        put(at("data/precious"), "mine");
        if (what == 0)
            CU_ASSERT_EQUAL(rename(at("data"), at(STAGING)), 0)
        else if (what == 1)
            CU_ASSERT_EQUAL(symlink("data", at(STAGING)), 0)
        else
            put(at(STAGING), "mine");
        CU_ASSERT_EQUAL(task_output_create_folder(at("out"), ours, &err), 0);
        CU_ASSERT_TRUE(is_there("out/" MARK));
        CU_ASSERT_FALSE(is_there("out/precious"));
        for (int i = 0; i < PARTS; i++)
            put_attempt(i, attempts[i], "counts");
        check_repeated(1);
        CU_ASSERT_TRUE(is_there(what == 0 ? STAGING "/precious" : "data/precious"));
        CU_ASSERT_EQUAL(base_rmtree(at("out"), NULL), 0);
        CU_ASSERT_EQUAL(task_output_create_folder(at("out"), ours, &err), 0);
        CU_ASSERT_EQUAL(task_output_abort_job(at("out"), ours, &complete, &err), 0);
        CU_ASSERT_FALSE(is_there("out"));
        CU_ASSERT_EQUAL(count_staging_folders(), 1);
        CU_ASSERT_TRUE(is_there(what == 0 ? STAGING "/precious" : "data/precious"));
        end();
    }
}

/* Goal: a link in the place of the output folder leads nowhere, even to a folder with the mark. */
static void test_planted_link(void)
{
    struct base_error err = {0};

    begin();
    CU_ASSERT_EQUAL(rename(at("out"), at("elsewhere")), 0);
    CU_ASSERT_EQUAL(symlink("elsewhere", at("out")), 0);
    CU_ASSERT_EQUAL(task_output_create_folder(at("out"), ours, &err), -BASE_EEXIST);
    CU_ASSERT_EQUAL(task_output_commit_parts(at("out"), ours, &parts, &err), -BASE_ENOTFOUND);
    CU_ASSERT_FALSE(is_there("elsewhere/_SUCCESS") || is_there("elsewhere/part-00000"));
    CU_ASSERT_EQUAL(task_output_abort_job(at("out"), ours, &complete, &err), 0);
    CU_ASSERT_TRUE(is_there("elsewhere/" MARK));
    end();
}

/* Goal: a folder that another user has made with the mark of this job is not its output folder, and
 * one beside it is not used. Only root can make such folders here. */
static void test_planted_by_other(void)
{
    struct base_error err = {0};

    if (geteuid() != 0)
        return;
    begin();
    CU_ASSERT_EQUAL(chown(at("out"), 65534, 65534), 0);
    CU_ASSERT_EQUAL(task_output_check_creatable(at("out"), ours, &err), -BASE_EEXIST);
    CU_ASSERT_EQUAL(task_output_create_folder(at("out"), ours, &err), -BASE_EEXIST);
    CU_ASSERT_EQUAL(task_output_commit_parts(at("out"), ours, &parts, &err), -BASE_ENOTFOUND);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "belongs to another user"));
    CU_ASSERT_FALSE(is_there("out/_SUCCESS") || is_there("out/part-00000"));
    CU_ASSERT_EQUAL(task_output_abort_job(at("out"), ours, &complete, &err), 0);
    CU_ASSERT_TRUE(is_there("out/" MARK));
    CU_ASSERT_EQUAL(rename(at("out"), at(STAGING)), 0);
    CU_ASSERT_EQUAL(task_output_create_folder(at("out"), ours, &err), 0);
    CU_ASSERT_EQUAL(task_output_abort_job(at("out"), ours, &complete, &err), 0);
    CU_ASSERT_FALSE(is_there("out"));
    CU_ASSERT_TRUE(is_there(STAGING "/" MARK));
    end();
}

/* Goal: a task that makes a folder in the moved _temporary after everything has been removed from
 * it, and just before its mark is, leaves nothing behind. */
static void test_added_during_removal(void)
{
    struct base_error err = {0};

    begin();
    appears = "application_1700000000000_0007";
    CU_ASSERT_EQUAL(task_output_abort_job(at("out"), ours, &complete, &err), 0);
    CU_ASSERT_PTR_NULL(appears);
    CU_ASSERT_FALSE(is_there("out"));
    CU_ASSERT_EQUAL(count_staging_folders(), 0);
    end();
}

static const struct cunit_case cases[] = {
    {"planted beside the folder", test_planted_beside},
    {"planted link", test_planted_link},
    {"planted by another user", test_planted_by_other},
    {"added during the removal", test_added_during_removal},
    {"a creation that ends at each of its steps", test_creation_sweep},
    {"a commit that ends at each of its steps", test_sweep},
    {"an abort that ends at each of its steps", test_abort_sweep},
    {"a part is missing", test_missing},
    {"a part vanishes", test_vanishes},
    {"files of others", test_of_others},
    {"the folder is another job's", test_folder_of_others},
    {"a damaged list", test_damaged_list},
};
CUNIT_MAIN("task_output", cases)
