/* Goal: an isolation is found by its name, functions that its table leaves out do nothing, and
 * "none" stops, continues and ends every process below a shim, but not the shim. Method: this
 * program plays a shim with two processes below it; /proc tells what became of them. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "nodemanager/container/isolation/isolation.h"
#include "nodemanager/container/process_tree.h"
#include "tests/unit/cunit_main.h"

#define ID "container_1_0001_01_000001"

static void test_names(void)
{
    char text[64];

    CU_ASSERT_PTR_NOT_NULL_FATAL(nm_isolation_find("none"));
    CU_ASSERT_STRING_EQUAL(nm_isolation_find("none")->name, "none");
    CU_ASSERT_PTR_EQUAL(nm_isolation_find(NULL), nm_isolation_find("none"));
    CU_ASSERT_PTR_EQUAL(nm_isolation_find(""), nm_isolation_find("none"));
    CU_ASSERT_PTR_NULL(nm_isolation_find("non"));
    CU_ASSERT_PTR_EQUAL(strstr(nm_isolation_list_names(text, sizeof text), "none"), text);
    CU_ASSERT_STRING_EQUAL(nm_isolation_list_names(text, 3), "no");
}

static void test_empty_slots(void)
{
    static const struct nm_isolation_ops nothing = {.name = "nothing"};
    const struct nm_isolated c = {.id = ID};
    struct nm_usage used = {7, 7, 7, 7};
    char why[NM_ISOLATION_WHY_MAX];

    CU_ASSERT_EQUAL(nm_isolation_prepare(&nothing, &c, why), 0);
    CU_ASSERT_EQUAL(nm_isolation_enter(&nothing, &c), 0);
    CU_ASSERT_EQUAL(nm_isolation_suspend(&nothing, &c), 0);
    CU_ASSERT_EQUAL(nm_isolation_resume(&nothing, &c), 0);
    CU_ASSERT_EQUAL(nm_isolation_kill(&nothing, &c, NM_KILL_NOW), 0);
    nm_isolation_usage(&nothing, &c, &used);
    CU_ASSERT(used.cpu_us == 0 && used.max_rss_kb == 0);
    nm_isolation_clean(&nothing, &c);
}

static void sleep_for_ever(void)
{
    for (;;)
        pause();
}

/* A child and a grandchild of ours, both asleep. */
static void start_tree(pid_t pids[2])
{
    int ends[2];

    CU_ASSERT_EQUAL_FATAL(pipe(ends), 0);
    pids[0] = fork();
    if (pids[0] == 0) {
        pid_t own = fork();

        if (own == 0)
            sleep_for_ever();
        if (write(ends[1], &own, sizeof own) != sizeof own)
            _exit(1);
        sleep_for_ever();
    }
    CU_ASSERT_FATAL(pids[0] > 0);
    CU_ASSERT_EQUAL_FATAL(read(ends[0], &pids[1], sizeof pids[1]), sizeof pids[1]);
    close(ends[0]);
    close(ends[1]);
}

static bool is_in(pid_t pid, const char *states)
{
    struct nm_proc p;

    return nm_proc_read_stat(pid, &p) && strchr(states, p.state);
}

static void await(const pid_t pids[2], const char *states)
{
    const struct timespec tick = {0, 1000000};

    while (!is_in(pids[0], states) || !is_in(pids[1], states))
        /* a signal may take its time; ctest ends a test that waits in vain */
        nanosleep(&tick, NULL);
}

static void collect(int signal)
{
    int status;

    for (int i = 0; i < 2; i++) {
        CU_ASSERT_FATAL(wait(&status) > 0);
        CU_ASSERT(WIFSIGNALED(status) && WTERMSIG(status) == signal);
    }
    CU_ASSERT(wait(&status) < 0 && errno == ECHILD);
}

static void test_none(void)
{
    const struct nm_isolation_ops *none = nm_isolation_find("none");
    const struct nm_isolated c = {.id = ID, .shim = getpid()};
    struct nm_usage used;
    pid_t pids[2];

    CU_ASSERT_EQUAL(nm_isolation_suspend(none, &c), 0); /* no process is there yet */
    start_tree(pids);
    await(pids, "S");
    CU_ASSERT_EQUAL(nm_isolation_suspend(none, &c), 2);
    await(pids, "T");
    CU_ASSERT_EQUAL(nm_isolation_resume(none, &c), 2);
    await(pids, "S");
    CU_ASSERT_EQUAL(nm_isolation_kill(none, &c, NM_KILL_TERM), 2);
    collect(SIGTERM);
    start_tree(pids);
    CU_ASSERT_EQUAL(nm_isolation_kill(none, &c, NM_KILL_NOW), 2);
    collect(SIGKILL);
    nm_isolation_usage(none, &c, &used);
    CU_ASSERT(used.max_rss_kb > 0);
}

/* Goal: processes that lost their shim are found by the id in their environment. */
static void test_lost(void)
{
    const struct nm_isolated lost = {.id = ID}, other = {.id = ID "9"};
    const struct nm_isolation_ops *none = nm_isolation_find("none");
    char *const argv[] = {"sleep", "1000", NULL}, *const envp[] = {"A=b", "CONTAINER_ID=" ID, NULL};
    int status, started[2];
    char byte;
    pid_t pid;

    CU_ASSERT_EQUAL_FATAL(pipe2(started, O_CLOEXEC), 0);
    pid = fork();
    if (pid == 0) {
        execve("/bin/sleep", argv, envp);
        _exit(127);
    }
    close(started[1]);
    /* closed by the exec: the environment is there */
    CU_ASSERT_EQUAL(read(started[0], &byte, 1), 0);
    close(started[0]);
    nm_isolation_kill(none, &other, NM_KILL_LOST);
    CU_ASSERT_EQUAL(waitpid(pid, &status, WNOHANG), 0);
    nm_isolation_kill(none, &lost, NM_KILL_LOST);
    CU_ASSERT_EQUAL_FATAL(waitpid(pid, &status, 0), pid);
    CU_ASSERT(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

/* Starts a child of ours that is named @name and asleep. */
static pid_t start_named(const char *name)
{
    int named[2];
    char byte;
    pid_t pid;

    CU_ASSERT_EQUAL_FATAL(pipe2(named, O_CLOEXEC), 0);
    pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        prctl(PR_SET_NAME, name);
        close(named[1]);
        sleep_for_ever();
    }
    close(named[1]);
    CU_ASSERT_EQUAL(read(named[0], &byte, 1), 0);
    close(named[0]);
    return pid;
}

static void kill_and_collect(pid_t pid)
{
    int status;

    kill(pid, SIGKILL);
    CU_ASSERT_EQUAL_FATAL(waitpid(pid, &status, 0), pid);
}

/* Goal: the processes that the spawner has started itself outlive the search for what a dead shim
 * has left to the spawner, as well as does the process that searches, with its ancestors. Method:
 * this program plays the spawner; its grandchild searches. */
static void test_lost_to_spawner(void)
{
    static const char *const names[] = {"creel-shim", "creel-exec", "creel-user", "creel-localize"};
    enum { N = sizeof names / sizeof *names };
    const struct nm_isolated lost = {.id = ID, .spawner = getpid()};
    pid_t started[N], left, searching;
    int status;

    for (int i = 0; i < N; i++)
        started[i] = start_named(names[i]);
    left = start_named("left");
    searching = fork();
    if (searching == 0) {
        pid_t child = fork();

        if (child == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            nm_isolation_kill(nm_isolation_find("none"), &lost, NM_KILL_LOST);
            _exit(7);
        }
        _exit(waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 1);
    }
    CU_ASSERT_EQUAL_FATAL(waitpid(searching, &status, WUNTRACED), searching);
    CU_ASSERT(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    if (WIFSTOPPED(status))
        kill_and_collect(searching);
    for (int i = 0; i < N; i++) {
        CU_ASSERT_EQUAL(waitpid(started[i], &status, WNOHANG | WUNTRACED), 0);
        kill_and_collect(started[i]);
    }
    CU_ASSERT_EQUAL_FATAL(waitpid(left, &status, WUNTRACED), left);
    if (WIFSTOPPED(status))
        kill_and_collect(left);
    CU_ASSERT(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void test_all(void)
{
    CU_ASSERT_EQUAL_FATAL(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    test_none();
}

static const struct cunit_case cases[] = {{"names", test_names},
                                          {"empty slots", test_empty_slots},
                                          {"none", test_all},
                                          {"lost shim", test_lost},
                                          {"lost to the spawner", test_lost_to_spawner}};
CUNIT_MAIN("nm_isolation", cases)
