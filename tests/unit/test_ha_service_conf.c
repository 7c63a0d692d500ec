/* Settings that are refused before ZooKeeper is asked, and which processes are known to be dead. */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ha/election/instance.h"
#include "ha/election/service.h"
#include "tests/unit/cunit_main.h"

static const struct ha_service_conf good = {.servers = "127.0.0.1:1",
                                            .root = "/creel/c1",
                                            .cluster_id = "c1",
                                            .rm_id = "rm1",
                                            .auth = "creel:secret",
                                            .timeout_us = 1000000};

static void check_conf(const struct ha_service_conf *conf, const char *text)
{
    const struct ha_service_calls calls = {0}; /* nothing is begun */
    struct ha_service *s;
    struct base_error err;

    CU_ASSERT_EQUAL(ha_service_start(conf, &calls, &s, &err), -BASE_EINVAL);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, text));
}

static void test_conf(void)
{
    struct ha_service_conf conf = good;

    conf.rm_id = "rm~1";
    check_conf(&conf, "rm-id is \"rm~1\"");
    conf = good;
    conf.root = "/creel/";
    check_conf(&conf, "root in ZooKeeper is \"/creel/\"");
    conf = good;
    conf.cluster_id = "";
    check_conf(&conf, "cluster-id is \"\"");
    conf = good;
    conf.timeout_us = 10;
    check_conf(&conf, "session time-out is 10 us");
    conf = good;
    conf.servers = "zk1";
    check_conf(&conf, "\"zk1\"");
}

static void test_instance(void)
{
    char own[HA_INSTANCE_MAX], other[HA_INSTANCE_MAX], *pid;
    pid_t child;

    ha_instance_describe_self(own);
    CU_ASSERT_FALSE(ha_instance_is_surely_dead(own));
    CU_ASSERT_FALSE(ha_instance_is_surely_dead(""));
    CU_ASSERT_FALSE(ha_instance_is_surely_dead("host=h boot=b pidns=1 pid=1 start=1"));
    pid = strstr(own, "start=");
    /* our pid, but not our process */
    snprintf(other, sizeof other, "%.*sstart=1", (int)(pid - own), own);
    CU_ASSERT(ha_instance_is_surely_dead(other));
    child = fork();
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
    pid = strstr(own, "pid=");
    snprintf(other, sizeof other, "%.*spid=%ld start=77", (int)(pid - own), own, (long)child);
    CU_ASSERT(ha_instance_is_surely_dead(other));
}

/* /proc shows nothing of a process that lives, as with hidepid, and as a sandbox may have it: that
 * is no sign of death. */
static void test_hidden(void)
{
    char own[HA_INSTANCE_MAX], text[HA_INSTANCE_MAX], path[64], dir[] = "/tmp/creel-hidden-XXXXXX",
                                                                *pid;
    int ready[2], status = -1;
    pid_t hidden, looker;

    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
    CU_ASSERT_EQUAL_FATAL(pipe(ready), 0);
    hidden = fork();
    if (hidden == 0) {
        ha_instance_describe_self(text);
        (void)!write(ready[1], text, sizeof text);
        pause();
    }
    CU_ASSERT_EQUAL_FATAL(read(ready[0], text, sizeof text), (ssize_t)sizeof text);
    CU_ASSERT_FALSE(ha_instance_is_surely_dead(text));
    snprintf(path, sizeof path, "/proc/%ld", (long)hidden);
    looker = fork();
    /* the child has a mount namespace of its own, in which the other process's folder below /proc
     * is empty */
    if (looker == 0) {
        int flags = geteuid() == 0 ? CLONE_NEWNS : CLONE_NEWNS | CLONE_NEWUSER;

        if (unshare(flags) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
            mount(dir, path, NULL, MS_BIND, NULL) < 0)
            _exit(2);
        _exit(ha_instance_is_surely_dead(text));
    }
    waitpid(looker, &status, 0);
    CU_ASSERT(WIFEXITED(status));
    if (WEXITSTATUS(status) == 2)
        printf(" (skipped: no right to mount) ");
    else
        CU_ASSERT_EQUAL(WEXITSTATUS(status), 0);
    kill(hidden, SIGKILL);
    waitpid(hidden, NULL, 0);
    CU_ASSERT(ha_instance_is_surely_dead(text));
    close(ready[0]);
    close(ready[1]);
    rmdir(dir);
    /* start=0: the start was not known, so that nothing proves an end */
    ha_instance_describe_self(own);
    pid = strstr(own, "start=");
    snprintf(text, sizeof text, "%.*sstart=0", (int)(pid - own), own);
    CU_ASSERT_FALSE(ha_instance_is_surely_dead(text));
}

static const struct cunit_case cases[] = {
    {"hidden processes", test_hidden},
    {"configuration", test_conf},
    {"instances", test_instance},
};
CUNIT_MAIN("ha_service configuration", cases)
