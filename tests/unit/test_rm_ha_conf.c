/* Goal: mistakes in the keys of several ResourceManagers are reported with the key and what was
 * expected; the rest is read as YARN reads it. And the watchdog counts only the time in which it
 * ran itself. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/conf/conf.h"
#include "base/io/io.h"
#include "base/io/watchdog.h"
#include "rm/leader/leader.h"
#include "tests/unit/cunit_main.h"

#define Y      "yarn.resourcemanager."
#define SECRET "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

static const char *secret_arg; /* creel.zk.secret-file=... */

#define GOOD                                                                                       \
    Y "ha.enabled=true", Y "ha.rm-ids= rm1 , rm2", Y "webapp.address.rm1=127.0.0.1:8088",          \
        Y "webapp.address.rm2=host2:8089", Y "zk-address=z1:2181, z2:2182", Y "cluster-id=c1",     \
        secret_arg

static struct base_conf *conf(const char *const *args)
{
    struct base_conf *c = base_conf_new();
    struct base_error err = {0};

    for (; *args; args++)
        base_assert(base_conf_set_arg(c, *args, &err) == 0);
    if (base_conf_check(c, NULL, &err) < 0)
        printf("%s\n", err.text);
    CU_ASSERT_EQUAL(err.code, 0);
    return c;
}

static int read_them(const char *const *args, bool on, struct rm_ha_conf *out,
                     struct base_error *err)
{
    struct base_conf *c = conf(args);
    int rc = rm_ha_conf_read(c, on, out, err);

    base_conf_free(c);
    return rc;
}
#define ARGS(...)                                                                                  \
    (const char *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }

static void refused(const char *const *args, const char *words)
{
    struct rm_ha_conf h;
    struct base_error err = {0};
    int rc = read_them(args, false, &h, &err);

    if (rc == 0 || !strstr(err.text, words))
        printf("expected \"%s\", got %d \"%s\"\n", words, rc, err.text);
    CU_ASSERT(rc < 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, words));
    CU_ASSERT_PTR_NULL(h.auth); /* everything was freed */
}

static void test_read(void)
{
    struct rm_ha_conf h;
    struct base_error err = {0};
    char *text;
    uint16_t port;

    CU_ASSERT_EQUAL_FATAL(read_them(ARGS(GOOD), false, &h, &err), 0);
    CU_ASSERT(h.enabled && !h.lease_off);
    CU_ASSERT_EQUAL(h.n, 2);
    CU_ASSERT_STRING_EQUAL(h.rm_id, "rm1"); /* by its port: creel.rm.port is 8088 */
    CU_ASSERT_STRING_EQUAL(h.urls[1], "http://host2:8089");
    CU_ASSERT_STRING_EQUAL(h.servers, "z1:2181,z2:2182");
    CU_ASSERT_STRING_EQUAL(h.root, "/creel/c1");
    CU_ASSERT_STRING_EQUAL(h.auth, "creel:" SECRET);
    CU_ASSERT_EQUAL(h.timeout_us, 10000000);
    CU_ASSERT_STRING_EQUAL(h.store->name, "zookeeper");
    text = rm_ha_conf_join_urls_own_first(&h);
    CU_ASSERT_STRING_EQUAL(text, "http://127.0.0.1:8088,http://host2:8089");
    free(text);
    CU_ASSERT_STRING_EQUAL(rm_ha_conf_find_url(&h, "rm2"), "http://host2:8089");
    CU_ASSERT_STRING_EQUAL(rm_ha_conf_find_url(&h, "rm3"), "");
    rm_ha_conf_free(&h);

    CU_ASSERT_EQUAL_FATAL(
        read_them(ARGS(GOOD, Y "ha.id=rm2", Y "webapp.address.rm2=", Y "hostname.rm2=::1",
                       Y "zk-address=", "hadoop.zk.address=z:1", "creel.ha.zk-root=/zookeepers/b",
                       "hadoop.zk.auth=digest:me:a:b", Y "zk-timeout-ms=1000"),
                  false, &h, &err),
        0);
    CU_ASSERT_STRING_EQUAL(h.rm_id, "rm2");
    CU_ASSERT_STRING_EQUAL(h.urls[1], "http://[::1]:8088");
    CU_ASSERT_STRING_EQUAL(h.servers, "z:1");
    CU_ASSERT_STRING_EQUAL(h.root, "/zookeepers/b");
    CU_ASSERT_STRING_EQUAL(h.auth, "me:a:b");
    CU_ASSERT_EQUAL(h.timeout_us, 1000000);
    rm_ha_conf_get_own_address(&h, &text, &port);
    CU_ASSERT_STRING_EQUAL(text, "::1");
    CU_ASSERT_EQUAL(port, 8088);
    free(text);
    rm_ha_conf_free(&h);
}

static void test_not_enabled(void)
{
    struct rm_ha_conf h;
    struct base_error err = {0};

    CU_ASSERT_EQUAL(read_them(ARGS(GOOD, Y "ha.enabled=false", Y "cluster-id="), false, &h, &err),
                    0);
    CU_ASSERT(!h.enabled);
    rm_ha_conf_free(&h);
    CU_ASSERT_EQUAL(read_them(ARGS(GOOD, Y "ha.enabled=false"), true, &h, &err), 0);
    CU_ASSERT(h.enabled);
    rm_ha_conf_free(&h);
}

static void test_refused(void)
{
    refused(ARGS(GOOD, "creel.rm.state-store=memory"),
            "creel.rm.state-store: \"memory\" is no state store of several");
    refused(ARGS(GOOD, Y "ha.id=rm9"), Y "ha.id: rm9 is not one of " Y "ha.rm-ids (rm1 , rm2)");
    refused(ARGS(GOOD, "creel.rm.port=1"), Y "ha.id is not set, and none of");
    refused(ARGS(GOOD, Y "webapp.address.rm2=h:8088"), "more than one of");
    refused(ARGS(GOOD, Y "ha.rm-ids="), Y "ha.rm-ids is not set");
    refused(ARGS(GOOD, Y "ha.rm-ids=rm1,rm2,rm1"), Y "ha.rm-ids: rm1 is listed twice");
    refused(ARGS(GOOD, Y "ha.rm-ids=rm1,a~b"), "\"a~b\" is no id");
    refused(ARGS(GOOD, Y "ha.rm-ids=rm1,rm2,rm3"),
            Y "webapp.address.rm3 is not set: expected host:port");
    refused(ARGS(GOOD, Y "webapp.address.rm2=host2"),
            Y "webapp.address.rm2: \"host2\" is not host:port");
    refused(ARGS(GOOD, Y "webapp.address.rm2=127.0.0.1:8088"),
            "http://127.0.0.1:8088 is the address of rm1 already");
    refused(ARGS(GOOD, Y "webapp.address.rm1=h:8088", Y "webapp.address.rm2=http://H:8088"),
            "http://h:8088 is the address of rm1 already");
    refused(ARGS(GOOD, Y "webapp.address.rm2=0.0.0.0:8089"),
            Y "webapp.address.rm2: \"0.0.0.0:8089\" is a wildcard");
    refused(ARGS(GOOD, Y "webapp.address.rm2=[::]:8089"), "\"[::]:8089\" is a wildcard");
    refused(ARGS(GOOD, Y "zk-address="), Y "zk-address is not set");
    refused(ARGS(GOOD, Y "zk-address=z1:2181,z2"), Y "zk-address: \"z2\" is not host:port");
    refused(ARGS(GOOD, Y "zk-address=z1:2181/x"), "\"z1:2181/x\" is not host:port");
    refused(ARGS(GOOD, Y "cluster-id="), Y "cluster-id is not set");
    refused(ARGS(GOOD, Y "cluster-id=a b"), Y "cluster-id: \"a b\" is no id");
    refused(ARGS(GOOD, "creel.ha.zk-root=x"),
            "creel.ha.zk-root: \"x\" is not a path such as /creel/c1");
    refused(ARGS(GOOD, "creel.ha.zk-root=/zookeeper"), "creel.ha.zk-root");
    refused(ARGS(GOOD, "creel.ha.zk-root=/zookeeper/x"), "creel.ha.zk-root");
    refused(ARGS(GOOD, "creel.ha.zk-root=/a/"), "creel.ha.zk-root: \"/a/\" is not a path");
    refused(ARGS(GOOD, "creel.ha.zk-root=/a\nb"), "creel.ha.zk-root: \"/a");
    refused(ARGS(GOOD, "creel.ha.zk-root=/a b"), "creel.ha.zk-root: \"/a b\" is not a path");
    refused(ARGS(GOOD, "creel.zk.secret-file=/nowhere/zk"),
            "creel.zk.secret-file (the secret that protects the state in ZooKeeper, if not "
            "hadoop.zk.auth): /nowhere/zk does not exist");
    /* the default is a file beside the cluster's secret */
    refused(ARGS(GOOD, "creel.zk.secret-file=", "creel.cluster.secret-file=/nowhere/cl"),
            "/nowhere/zookeeper.secret does not exist");
    refused(ARGS(GOOD, "hadoop.zk.auth=sasl:x"), "hadoop.zk.auth: expected digest:user:password");
    refused(ARGS(GOOD, "hadoop.zk.auth=digest:x:"),
            "hadoop.zk.auth: expected digest:user:password; the value (not shown");
    refused(ARGS(GOOD, "hadoop.zk.auth=@/nowhere/at/all"), "hadoop.zk.auth: ");
}

/* Goal: a password can be in a file of its own, not in the configuration that everybody may
 * read. */
static void test_auth_file(void)
{
    char path[] = "/tmp/creel-ha-conf-XXXXXX", *arg;
    int fd = mkstemp(path);
    struct rm_ha_conf h;
    struct base_error err = {0};

    CU_ASSERT_FATAL(fd >= 0);
    CU_ASSERT_EQUAL(write(fd, "digest:me:pw\n", 13), 13);
    close(fd);
    arg = base_printf("hadoop.zk.auth=@%s", path);
    CU_ASSERT_EQUAL_FATAL(read_them(ARGS(GOOD, arg), false, &h, &err), 0);
    CU_ASSERT_STRING_EQUAL(h.auth, "me:pw");
    rm_ha_conf_free(&h);
    free(arg);
    unlink(path);
}

/* ---------------------------------------------------------------- the watchdog */
#define LOOK BASE_WATCHDOG_CHECK_US

/* Lets the watchdog check a loop that makes no progress, every @step_us, until the watchdog
 * expires. Returns after how many us; -1: never. */
static int64_t until_bark(int64_t step_us, bool busy, bool ending, int64_t lease_us)
{
    struct base_watchdog_view v = {0};
    int64_t now = 5;

    for (int i = 0; i < 400; i++, now += step_us)
        if (base_watchdog_check(&v, now, busy, 7, ending, lease_us))
            return now - 5;
    return -1;
}

static void test_watchdog(void)
{
    struct base_watchdog_view v = {0};
    int64_t now = 1;

    CU_ASSERT_EQUAL(until_bark(LOOK, true, false, 6000000), 6000000 + LOOK);
    CU_ASSERT_EQUAL(until_bark(LOOK, true, false, 10), BASE_WATCHDOG_LEAST_US + LOOK);
    CU_ASSERT_EQUAL(until_bark(LOOK, false, false, 10), -1);
    CU_ASSERT_EQUAL(until_bark(LOOK, false, true, 6000000), BASE_WATCHDOG_END_US + LOOK);
    /* the watchdog itself did not run: stopped, or starved */
    CU_ASSERT_EQUAL(until_bark(3 * LOOK, true, true, 10), -1);
    for (uint64_t i = 0; i < 400; i++, now += LOOK) /* busy, but making progress */
        CU_ASSERT_EQUAL(base_watchdog_check(&v, now, true, i / 20, false, 10), BASE_WATCHDOG_OK);
}

static bool stuck(void *user, uint64_t *turns)
{
    (void)user;
    *turns = 1;
    return true;
}

static int64_t no_lease(void *user)
{
    (void)user;
    return 1;
}

static atomic_int barks;

static void bark(void *user, const char *why)
{
    CU_ASSERT_PTR_NULL(user);
    CU_ASSERT_PTR_NOT_NULL(strstr(why, "leadership"));
    atomic_fetch_add(&barks, 1);
}

static void test_watchdog_thread(void)
{
    const struct base_watchdog_conf c = {.busy = stuck,
                                         .limit_us = no_lease,
                                         .expired = bark,
                                         .still = "still",
                                         .ending = "the leadership"};
    struct base_watchdog *w = base_watchdog_start(&c);

    base_watchdog_arm_end_limit(w);
    for (int i = 0; i < 3000 && !atomic_load(&barks); i++)
        usleep(10000);
    CU_ASSERT_EQUAL(atomic_load(&barks), 1);
    base_watchdog_stop(w);
    w = base_watchdog_start(&c);
    base_watchdog_arm_end_limit(w);
    base_watchdog_disarm_end_limit(w);
    base_watchdog_stop(w);
    CU_ASSERT_EQUAL(atomic_load(&barks), 1);
}

static const struct cunit_case cases[] = {{"what is read", test_read},
                                          {"not enabled", test_not_enabled},
                                          {"what is refused", test_refused},
                                          {"a password in a file", test_auth_file},
                                          {"the watchdog's time", test_watchdog},
                                          {"the watchdog's thread", test_watchdog_thread}};

int main(void)
{
    char path[] = "/tmp/creel-ha-conf-XXXXXX", *secret;
    int fd = mkstemp(path), rc;

    if (fd < 0 || write(fd, SECRET "\n", sizeof SECRET) != (ssize_t)sizeof SECRET)
        return 2;
    close(fd);
    secret = base_printf("creel.zk.secret-file=%s", path);
    secret_arg = secret;
    rc = cunit_main("rm_ha_conf", cases, sizeof cases / sizeof *cases);
    unlink(path);
    free(secret);
    return rc;
}
