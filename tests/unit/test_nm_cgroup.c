/* Goal: the places of containers' control groups follow from what the host has mounted, v1 or v2,
 * and under v2 each limit, the freezer, the kill and the usage are the kernel's files.
 * Method: texts of /proc as real hosts show them; for v2 a folder with files of the kernel's names,
 * whose contents show what was written. The v1 of a real kernel: tests/e2e/test_nm_cgroup.c. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io/io.h"
#include "nodemanager/container/isolation/cgroup.h"
#include "tests/unit/cunit_main.h"

#define ID "container_1_0001_01_000001"

#define V1_LINE(name)                                                                              \
    "33 25 0:30 / /sys/fs/cgroup/" name " rw,nosuid shared:9 - cgroup cgroup rw," name "\n"
#define V1_FEW V1_LINE("memory") V1_LINE("pids") V1_LINE("freezer")
#define V1_CPU V1_LINE("cpu,cpuacct")
static const char v1_mounts[] =
    "25 1 0:24 / /sys/fs/cgroup ro - tmpfs tmpfs ro,mode=755\n" V1_FEW V1_CPU
    "26 25 0:25 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";
static const char v1_groups[] = "5:memory:/a/b\n4:cpu,cpuacct:/c\n3:pids:/\n2:freezer:/d\n0::/x\n";
static const char v2_mounts[] = "21 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
                                "26 21 0:25 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 "
                                "rw,nsdelegate\n";

static char place[NM_ISOLATION_PLACE_MAX], own[NM_ISOLATION_PLACE_MAX], why[NM_ISOLATION_WHY_MAX];

static int choose(const char *mounts, const char *groups, const char *parent)
{
    return nm_cgroup_choose_place(mounts, groups, parent, place, own, why);
}

static void test_place_v1(void)
{
    CU_ASSERT_EQUAL(choose(v1_mounts, v1_groups, ""), 0);
    CU_ASSERT_STRING_EQUAL(place, "memory=/sys/fs/cgroup/memory/a/b/creel;"
                                  "cpu=/sys/fs/cgroup/cpu,cpuacct/c/creel;"
                                  "pids=/sys/fs/cgroup/pids/creel;"
                                  "freezer=/sys/fs/cgroup/freezer/d/creel;"
                                  "cpuacct=/sys/fs/cgroup/cpu,cpuacct/c/creel");
    CU_ASSERT_STRING_EQUAL(own, "");
    CU_ASSERT_EQUAL(choose(V1_FEW V1_LINE("cpu"), v1_groups, "/p/q"), 0);
    CU_ASSERT_STRING_EQUAL(place,
                           "memory=/sys/fs/cgroup/memory/p/q;cpu=/sys/fs/cgroup/cpu/p/q;"
                           "pids=/sys/fs/cgroup/pids/p/q;freezer=/sys/fs/cgroup/freezer/p/q");
    CU_ASSERT_EQUAL(choose(V1_FEW, v1_groups, ""), -ENOENT);
    CU_ASSERT_STRING_EQUAL(why, "this host lacks the control group controller cpu");
    CU_ASSERT_EQUAL(choose(v1_mounts, "5:memory:/a/b\n", ""), -ENOENT);
    CU_ASSERT_STRING_EQUAL(why, "the own control group is unknown for cpu");
}

static void test_place_v2(void)
{
    CU_ASSERT_EQUAL(choose(v2_mounts, "0::/system.slice/creel-nm.service\n", ""), 0);
    CU_ASSERT_STRING_EQUAL(place, "all=/sys/fs/cgroup/system.slice/creel-nm.service/containers");
    CU_ASSERT_STRING_EQUAL(own, "/sys/fs/cgroup/system.slice/creel-nm.service");
    CU_ASSERT_EQUAL(choose(v2_mounts, "0::/system.slice/creel-nm.service/daemon\n", ""), 0);
    CU_ASSERT_STRING_EQUAL(own, "/sys/fs/cgroup/system.slice/creel-nm.service");
    CU_ASSERT_EQUAL(choose(v2_mounts, "0::/\n", ""), 0);
    CU_ASSERT_STRING_EQUAL(place, "all=/sys/fs/cgroup/containers");
    CU_ASSERT_EQUAL(choose(v2_mounts, "0::/\n", "/creel"), 0);
    CU_ASSERT_STRING_EQUAL(place, "all=/sys/fs/cgroup/creel");
    CU_ASSERT_STRING_EQUAL(own, "");
    /* in a container that sees only its own group */
    CU_ASSERT_EQUAL(choose("26 21 0:25 /docker/1 /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
                           "0::/docker/1/x\n", ""),
                    0);
    CU_ASSERT_STRING_EQUAL(place, "all=/sys/fs/cgroup/x/containers");
}

static void test_place_refused(void)
{
    static const char *const bad[] = {"creel", "/a/../b", "/a/", "/a b", "/a;b", "/a\"b", "/a\\b"};

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        CU_ASSERT_EQUAL(choose(v2_mounts, "0::/\n", bad[i]), -EINVAL);
        CU_ASSERT_PTR_NOT_NULL(strstr(why, bad[i]));
    }
    CU_ASSERT_EQUAL(choose("21 1 8:1 / / rw - ext4 /dev/sda1 rw\n", "0::/\n", ""), -ENOENT);
    CU_ASSERT_STRING_EQUAL(why, "this host has no control groups mounted");
}

/* ---- a tree of v2 ---- */

static char root[64];

static char *read_file(const char *name)
{
    char path[256];
    struct base_buf b = {0};

    snprintf(path, sizeof path, "%s/" ID "/%s", root, name);
    if (base_file_read(path, 4096, &b, NULL) < 0)
        base_buf_adds(&b, "(missing)");
    return base_buf_take(&b);
}

static void check_file(const char *name, const char *want)
{
    char *got = read_file(name);

    CU_ASSERT_STRING_EQUAL(got ? got : "", want);
    if (strcmp(got ? got : "", want) != 0)
        printf("\n  %s: \"%s\"\n", name, got);
    free(got);
}

static void make_file(const char *name, const char *text)
{
    char path[256];
    int fd;

    snprintf(path, sizeof path, "%s/" ID "/%s", root, name);
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    CU_ASSERT_FATAL(fd >= 0 && base_write_all(fd, text, strlen(text)) == 0);
    close(fd);
}

static void make_tree(char all[static 128])
{
    static const char *const names[] = {"memory.max", "memory.oom.group", "cpu.weight", "cpu.max",
                                        "pids.max",   "cgroup.freeze",    "cgroup.kill"};
    char path[256];

    snprintf(root, sizeof root, "/tmp/creel-cgroup-test.XXXXXX");
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(root));
    snprintf(all, 128, "all=%s", root);
    snprintf(path, sizeof path, "%s/" ID, root);
    CU_ASSERT_EQUAL_FATAL(mkdir(path, 0700), 0);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        make_file(names[i], "");
}

static void test_v2(void)
{
    const struct nm_isolation_ops *ops = nm_isolation_find("cgroup");
    char all[128], *procs;
    struct nm_isolated c = {.id = ID, .place = all, .memory_mb = 64, .vcores = 3, .pids_max = 77};
    struct nm_usage used;

    make_tree(all);
    CU_ASSERT_PTR_NOT_NULL_FATAL(ops);
    CU_ASSERT_EQUAL(nm_isolation_prepare(ops, &c, why), 0);
    check_file("cpu.weight", "300");
    check_file("pids.max", "77");
    check_file("memory.max", "");
    check_file("cpu.max", "");
    c.memory_hard = c.cpu_hard = true;
    CU_ASSERT_EQUAL(nm_isolation_prepare(ops, &c, why), 0);
    check_file("memory.max", "67108864");
    check_file("memory.oom.group", "1");
    check_file("cpu.max", "300000 100000");
    check_file("memory.swap.max", "(missing)"); /* a kernel without swap accounting */

    make_file("cgroup.procs", "");
    CU_ASSERT_EQUAL(nm_isolation_enter(ops, &c), 0);
    check_file("cgroup.procs", "0");
    make_file("cgroup.procs", "");
    CU_ASSERT_EQUAL(nm_isolation_suspend(ops, &c), 0); /* no process is in the group yet */
    make_file("cgroup.procs", "2147483000\n2147483001\n");
    CU_ASSERT_EQUAL(nm_isolation_suspend(ops, &c), 2);
    check_file("cgroup.freeze", "1");
    CU_ASSERT_EQUAL(nm_isolation_resume(ops, &c), 2);
    procs = read_file("cgroup.freeze");
    CU_ASSERT(procs[0] == '0');
    free(procs);
    CU_ASSERT_EQUAL(nm_isolation_kill(ops, &c, NM_KILL_NOW), 2);
    check_file("cgroup.kill", "1");

    make_file("cpu.stat", "usage_usec 12345\nuser_usec 1\n");
    make_file("memory.peak", "1048576\n");
    make_file("memory.events", "low 0\noom 3\noom_kill 2\n");
    nm_isolation_usage(ops, &c, &used);
    CU_ASSERT(used.cpu_us == 12345 && used.max_rss_kb == 1024);
    CU_ASSERT(used.memory_kills == 2 && used.memory_limit == 67108864);
    CU_ASSERT_EQUAL(base_rmtree(root, NULL), 0);
}

/* Goal: a limit that the kernel refuses fails the container, and says why; a group that cannot be
 * entered keeps the command from running. */
static void test_v2_refused(void)
{
    const struct nm_isolation_ops *ops = nm_isolation_find("cgroup");
    char all[128], path[256];
    struct nm_isolated c = {.id = ID, .place = all, .memory_mb = 64, .memory_hard = true};

    make_tree(all);
    snprintf(path, sizeof path, "%s/" ID "/memory.max", root);
    CU_ASSERT_EQUAL(unlink(path), 0);
    CU_ASSERT_EQUAL(nm_isolation_prepare(ops, &c, why), -ENOENT);
    CU_ASSERT_PTR_NOT_NULL(strstr(why, "cannot write 67108864 to"));
    errno = 0;
    CU_ASSERT_EQUAL(nm_isolation_enter(ops, &c), -1);
    CU_ASSERT_EQUAL(errno, ENOENT);
    CU_ASSERT_EQUAL(base_rmtree(root, NULL), 0);
}

static const struct cunit_case cases[] = {{"place under v1", test_place_v1},
                                          {"place under v2", test_place_v2},
                                          {"places refused", test_place_refused},
                                          {"files of v2", test_v2},
                                          {"limits refused", test_v2_refused}};
CUNIT_MAIN("nm_cgroup", cases)
