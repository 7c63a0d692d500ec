/* What is refused before ZooKeeper is asked, and which processes are known to be dead. */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ha/ha_instance.h"
#include "ha/ha_service.h"
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

    ha_instance_text(own);
    CU_ASSERT_FALSE(ha_instance_is_dead(own));
    CU_ASSERT_FALSE(ha_instance_is_dead(""));
    CU_ASSERT_FALSE(ha_instance_is_dead("host=h boot=b pidns=1 pid=1 start=1"));
    pid = strstr(own, "start=");
    snprintf(other, sizeof other, "%.*sstart=1", (int)(pid - own), own); /* our pid, but not our process */
    CU_ASSERT(ha_instance_is_dead(other));
    child = fork();
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
    pid = strstr(own, "pid=");
    snprintf(other, sizeof other, "%.*spid=%ld start=77", (int)(pid - own), own, (long)child);
    CU_ASSERT(ha_instance_is_dead(other));
}

static const struct cunit_case cases[] = {
    {"configuration", test_conf},
    {"instances", test_instance},
};
CUNIT_MAIN("ha_service configuration", cases)
