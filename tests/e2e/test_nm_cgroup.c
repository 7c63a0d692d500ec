/* Goal: with control groups a container is held to its memory, its processes and its processors, is
 * stopped and continued as a whole, and leaves no process and no group behind, also if the
 * NodeManager is killed meanwhile.
 * Method: a real NodeManager and the control groups of this machine, below a group of this test's
 * own. Needs root; skipped (77) where there are no control groups that this user may change. */
#include <CUnit/Basic.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/io/io.h"
#include "nodemanager/container/isolation/isolation.h"
#include "nodemanager/container/process_tree.h"
#include "tests/fault/nm_fixture.h"

static struct fx *fx;
static char parent[64], place[NM_ISOLATION_PLACE_MAX];

static void launch(const char *container, int memory_mb, const char *command)
{
    fake_rm_order(fx->rm, 0,
                  "{\"type\":\"launch\",\"container\":\"%s\",\"user\":\"ann\",\"slot\":\"map\","
                  "\"kind\":\"command\",\"token\":\"s\",\"memoryMb\":%d,\"vcores\":2,"
                  "\"command\":\"%s\"}",
                  container, memory_mb, command);
}

/* Calls @fn for each folder of the place. */
static void each_folder(void (*fn)(const char *folder, void *u), void *u)
{
    char *copy = base_strdup(place);

    for (char *rest = NULL, *item = strtok_r(copy, ";", &rest); item;
         item = strtok_r(NULL, ";", &rest))
        fn(strchr(item, '=') + 1, u);
    free(copy);
}

static void count_groups(const char *folder, void *u)
{
    DIR *d = opendir(folder);
    const struct dirent *e;

    while (d && (e = readdir(d)) != NULL)
        *(size_t *)u += strncmp(e->d_name, "container_", 10) == 0;
    if (d)
        closedir(d);
}

static bool no_group_left(void *u)
{
    size_t n = 0;

    (void)u;
    each_folder(count_groups, &n);
    return n == 0;
}

static void check_diagnostics(const char *container, const char *const *words)
{
    json_t *r = fake_rm_report(fx->rm, container);
    const char *text = json_string_value(json_object_get(r, "diagnostics"));

    for (; *words; words++) {
        CU_ASSERT(text && strstr(text, *words));
        if (!text || !strstr(text, *words))
            printf("\n  no \"%s\" in: %s\n", *words, text ? text : "(nothing)");
    }
    json_decref(r);
}

/* dd reads a block into memory, and pipes nothing, which an emulated processor takes minutes for */
#define HOG "dd if=/dev/zero of=/dev/null bs=200M count=1; exit 3"

static void test_memory(void)
{
    char ct[64];
    const char *const words[] = {"is running beyond the 'PHYSICAL' memory limit. Current usage: ",
                                 " of 48 MB physical memory used. Killing container.", ct, NULL};

    fx_ct(1, ct);
    launch(ct, 48, HOG);
    CU_ASSERT_EQUAL(fx_exit_code(fx, ct), -104);
    check_diagnostics(ct, words);
    fx_ct(2, ct);
    launch(ct, 48, "exit 3"); /* its failure has another cause */
    CU_ASSERT_EQUAL(fx_exit_code(fx, ct), 3);
    fx_ct(3, ct);
    launch(ct, 1024, HOG);
    CU_ASSERT_EQUAL(fx_exit_code(fx, ct), 3);
}

static void test_processes(void)
{
    char ct[64], *text;

    fx_ct(4, ct);
    launch(ct, 256, "for i in `seq 100`; do sleep 1000 & echo $i; done");
    fx_exit_code(fx, ct);
    text = fx_file("%s/logs/%s/%s/stderr", fx->local[0], fx_app(), ct);
    CU_ASSERT(text && strstr(text, "fork")); /* sh: 0: Cannot fork */
    free(text);
    text = fx_file("%s/logs/%s/%s/stdout", fx->local[0], fx_app(), ct);
    CU_ASSERT(text && strstr(text, "\n10\n") && !strstr(text, "\n40\n"));
    free(text);
}

static void read_shares(const char *folder, void *u)
{
    static const struct {
        const char *file, *text;
    } wanted[] = {{"cpu.shares", "2048\n"},
                  {"cpu.cfs_quota_us", "200000\n"},
                  {"cpu.weight", "200\n"},
                  {"cpu.max", "200000 100000\n"},
                  {"pids.max", "30\n"}};

    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        char *path = base_printf("%s/%s/%s", folder, (const char *)u, wanted[i].file);
        struct base_buf b = {0};

        if (base_file_read(path, 64, &b, NULL) >= 0)
            CU_ASSERT_STRING_EQUAL(b.data, wanted[i].text);
        base_buf_free(&b);
        free(path);
    }
}

/* A process that left the session of its command, and that handles SIGTERM. */
#define STUBBORN                                                                                   \
    "trap '' TERM; setsid sh -c 'echo $$; trap : TERM; while :; do sleep 0.01; done' & wait; "     \
    "while :; do sleep 0.01; done"

static int64_t read_pid_of_log(const char *ct)
{
    char *text = fx_file("%s/logs/%s/%s/stdout", fx->local[0], fx_app(), ct);
    int64_t pid = text ? strtoll(text, NULL, 10) : 0;

    free(text);
    return pid;
}

/* Returns the CPU time of the process, and of its children that have ended, in ticks. */
static long long read_ticks(int64_t pid)
{
    char *path = base_printf("/proc/%lld/stat", (long long)pid);
    struct base_buf b = {0};
    unsigned long u = 0, s = 0;
    long cu = 0, cs = 0;

    if (base_file_read(path, 4096, &b, NULL) >= 0 && b.data && strrchr(b.data, ')'))
        sscanf(strrchr(b.data, ')') + 1,
               " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %ld "
               "%ld",
               &u, &s, &cu, &cs);
    base_buf_free(&b);
    free(path);
    return (long long)(u + s) + cu + cs;
}

static bool works_on(void *u)
{
    const long long *before = u;

    return read_ticks(before[0]) > before[1];
}

static void test_suspend_and_kill(void)
{
    char ct[64];
    long long before[2];
    const struct timespec rest = {0, 200000000};

    fx_ct(5, ct);
    launch(ct, 64, STUBBORN);
    before[0] = read_pid_of_log(ct);
    before[1] = read_ticks(before[0]);
    CU_ASSERT_FATAL(before[0] > 0);
    CU_ASSERT(fx_until(works_on, before));
    each_folder(read_shares, ct);
    fake_rm_order(fx->rm, 0, "{\"type\":\"suspend\",\"container\":\"%s\"}", ct);
    json_decref(fake_rm_wait_state(fx->rm, ct, "suspended", FX_WAIT_MS));
    nanosleep(&rest, NULL); /* freezing takes a moment */
    before[1] = read_ticks(before[0]);
    nanosleep(&rest, NULL);
    CU_ASSERT_EQUAL(read_ticks(before[0]), before[1]);
    fx_kill(fx, 0, SIGKILL); /* the daemon; its successor finds the container suspended */
    fx_start(fx, 0);
    CU_ASSERT_EQUAL(read_ticks(before[0]), before[1]);
    fake_rm_order(fx->rm, 0, "{\"type\":\"resume\",\"container\":\"%s\"}", ct);
    CU_ASSERT(fx_until(works_on, before));
    fake_rm_order(fx->rm, 0, "{\"type\":\"suspend\",\"container\":\"%s\"}", ct);
    json_decref(fake_rm_wait_state(fx->rm, ct, "suspended", FX_WAIT_MS));
    fake_rm_order(fx->rm, 0, "{\"type\":\"kill\",\"container\":\"%s\"}", ct);
    CU_ASSERT_EQUAL(fx_exit_code(fx, ct), -106);
    CU_ASSERT(fx_gone((pid_t)before[0]));
    CU_ASSERT(fx_until(no_group_left, NULL));
}

/* The shim is killed: everything that was in the group dies, and the group goes. */
static void test_lost_shim(void)
{
    char ct[64], *text;
    int64_t pid, shim = 0;

    fx_ct(6, ct);
    launch(ct, 64, STUBBORN);
    pid = read_pid_of_log(ct);
    CU_ASSERT_FATAL(pid > 0);
    text = fx_file("%s/records/%s/%s/pid.json", fx->local[0], fx_app(), ct);
    CU_ASSERT_FATAL(text && strstr(text, "\"shimPid\":"));
    shim = strtoll(strstr(text, "\"shimPid\":") + 10, NULL, 10);
    free(text);
    kill((pid_t)shim, SIGKILL);
    CU_ASSERT_EQUAL(fx_exit_code(fx, ct), 137);
    CU_ASSERT(fx_gone((pid_t)pid));
    fx_kill(fx, 0, SIGTERM); /* the group of processes that had just died goes at the next start */
    fx_start(fx, 0);
    CU_ASSERT(fx_until(no_group_left, NULL));
}

static void remove_parent(const char *folder, void *u)
{
    (void)u;
    rmdir(folder);
}

int main(int argc, char **argv)
{
    const struct nm_isolation_ops *ops = nm_isolation_find("cgroup");
    char why[NM_ISOLATION_WHY_MAX], hierarchy[160];
    unsigned failed;

    fx_programs(argc, argv);
    snprintf(parent, sizeof parent, "/creel-test-%d", (int)getpid());
    if (geteuid() != 0 || nm_isolation_open(ops, parent, place, why) < 0) {
        printf("skipped: needs root and control groups (%s)\n", geteuid() ? "not root" : why);
        return 77;
    }
    snprintf(hierarchy, sizeof hierarchy,
             "yarn.nodemanager.linux-container-executor.cgroups.hierarchy=%s", parent);
    fx = fx_new();
    fx->conf[0][0] = "creel.nodemanager.isolation=cgroup";
    fx->conf[0][1] = hierarchy;
    fx->conf[0][2] = "creel.nodemanager.cgroup.pids-max=30";
    fx->conf[0][3] = "yarn.nodemanager.linux-container-executor.cgroups.strict-resource-usage=true";
    fx_start(fx, 0);
    CU_initialize_registry();
    CU_pSuite suite = CU_add_suite("nm_cgroup", NULL, NULL);
    CU_add_test(suite, "memory", test_memory);
    CU_add_test(suite, "number of processes", test_processes);
    CU_add_test(suite, "suspend, resume, kill", test_suspend_and_kill);
    CU_add_test(suite, "lost shim", test_lost_shim);
    CU_basic_set_mode(CU_BRM_VERBOSE);
    CU_basic_run_tests();
    failed = CU_get_number_of_failures();
    CU_cleanup_registry();
    fx_free(fx);
    each_folder(remove_parent, NULL);
    return failed ? 1 : 0;
}
