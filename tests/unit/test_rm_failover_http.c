/* Goal: over HTTP, a cluster of two ResourceManagers looks like one: one that is not active says
 * where to go; a request that was under way when a leadership ended is answered so that the client
 * repeats it; and what is repeated at the next leader happens once. Method: two daemons of one
 * process over one store in memory, behind real servers with the gate in front; the test decides
 * who leads, and may hold the store's writes back. */
#include <jansson.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/io/log.h"
#include "rm/daemon/daemon.h"
#include "rm/leader/role.h"
#include "tests/unit/api_client.h"
#include "tests/unit/cunit_main.h"
#include "tests/unit/rms_of_test.h"
#include "tests/unit/stores.h"

#define CLUSTER "/ws/v1/cluster"
#define JSON    "Content-Type: application/json\r\n"
#define JOB     "{\"job\":{\"id\":\"%s\",\"name\":\"%s\",\"tasks\":[{\"command\":\"true\"}]}}"
#define APP                                                                                        \
    "{\"application-id\":\"%s\",\"application-name\":\"a\",\"resource\":{\"memory\":1024,"         \
    "\"vCores\":1},"                                                                               \
    "\"am-container-spec\":{\"commands\":{\"command\":\"true\"}}}"

/* ---- the store: that in memory, whose writes of applications can be held back; a leadership that
 * is over has the store aborted. What a leader writes of its own accord when it begins is never
 * held back: a test that waits for the write of a submission must not meet that write. ---- */
struct held { /* ops first, as ha/store/store.h wants it */
    const struct ha_store_ops *ops;
    struct ha_store *inner;
    bool aborted;
};
static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool held;
    int waiting;
} writes = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static bool has_app(const struct ha_record *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(v[i].table, "app") == 0)
            return true;
    return false;
}

static int held_write(struct ha_store *s, const struct ha_record *v, size_t n,
                      struct base_error *err)
{
    struct held *h = (struct held *)s;
    bool over;

    pthread_mutex_lock(&writes.lock);
    if (writes.held && has_app(v, n)) {
        writes.waiting++;
        pthread_cond_broadcast(&writes.changed);
        while (writes.held && !h->aborted)
            pthread_cond_wait(&writes.changed, &writes.lock);
        writes.waiting--;
    }
    over = h->aborted;
    pthread_mutex_unlock(&writes.lock);
    if (over)
        return base_error_set(err, -BASE_EVERSION, "the epoch is another's");
    return ha_store_write(h->inner, v, n, err);
}

static int held_load(struct ha_store *s, const char *table, ha_record_fn *each, void *user,
                     struct base_error *err)
{
    return ha_store_load(((struct held *)s)->inner, table, each, user, err);
}

static void held_close(struct ha_store *s)
{
    ha_store_close(((struct held *)s)->inner);
    free(s);
}

static void held_abort(struct ha_store *s)
{
    pthread_mutex_lock(&writes.lock);
    ((struct held *)s)->aborted = true;
    pthread_cond_broadcast(&writes.changed);
    pthread_mutex_unlock(&writes.lock);
}

static const struct ha_store_ops held_ops = {.name = "held",
                                             .load = held_load,
                                             .write = held_write,
                                             .close = held_close,
                                             .abort = held_abort};

static void hold_writes(bool on)
{
    pthread_mutex_lock(&writes.lock);
    writes.held = on;
    pthread_cond_broadcast(&writes.changed);
    pthread_mutex_unlock(&writes.lock);
}

static void wait_for_write(void)
{
    pthread_mutex_lock(&writes.lock);
    while (writes.waiting == 0)
        pthread_cond_wait(&writes.changed, &writes.lock);
    pthread_mutex_unlock(&writes.lock);
}

/* ---- two ResourceManagers ---- */
static struct role {
    atomic_bool lease;
    int64_t resigned_us;
} roles[2];

static int64_t lease_us(void *user, int64_t epoch)
{
    return epoch >= 0 && atomic_load(&((struct role *)user)->lease) ? RM_LEASE_ENDLESS : 0;
}

static void resign(void *user, int64_t hold_us)
{
    ((struct role *)user)->resigned_us = hold_us;
}

static void zk_text(void *user, char out[256])
{
    snprintf(out, 256,
             user == &roles[0] ? "connected to 127.0.0.1:1, session 0x1" : "no server answers");
}

static int64_t refused_writes(void *user)
{
    return user == &roles[0] ? 5 : 6;
}

static void start(void)
{
    struct rm_role_source sources[2];

    for (int i = 0; i < 2; i++) {
        sources[i] = (struct rm_role_source){.user = &roles[i],
                                             .lease_us = lease_us,
                                             .resign = resign,
                                             .zk_text = zk_text,
                                             .refused_writes = refused_writes};
        atomic_store(&roles[i].lease, true);
    }
    rms_start(sources);
}

static void lead(int i)
{
    struct held *h = base_alloc(sizeof *h);
    int64_t epoch;

    h->ops = &held_ops;
    h->inner = memory_open("failover", &epoch);
    rms_lead(i, (struct ha_store *)h, epoch);
}

static void failover(int from)
{
    rms_end(from);
    lead(1 - from);
}

/* ---- asking ---- */
static int ask(int i, const char *method, const char *path, const char *body,
               struct client_answer *a)
{
    client_do(rms[i].port, method, path, body ? JSON : NULL, body, a);
    return a->status;
}

static int status_of(int i, const char *method, const char *path, const char *body)
{
    struct client_answer a;
    int status = ask(i, method, path, body, &a);

    client_free(&a);
    return status;
}

static void is(int i, const char *method, const char *path, const char *body, int status,
               const char *want)
{
    struct client_answer a;

    ask(i, method, path, body, &a);
    if (a.status != status || !strstr(a.body.data ? a.body.data : "", want))
        fprintf(stderr, "%s %s: %d '%s', not %d with '%s'\n", method, path, a.status, a.body.data,
                status, want);
    CU_ASSERT_EQUAL(a.status, status);
    CU_ASSERT_PTR_NOT_NULL(strstr(a.body.data ? a.body.data : "", want));
    client_free(&a);
}

static void redirects(int i, const char *method, const char *path)
{
    struct client_answer a;
    char *location = base_printf("Location: %s%s", rms[1 - i].url, path);

    ask(i, method, path, strcmp(method, "GET") == 0 ? NULL : "{}", &a);
    CU_ASSERT_EQUAL(a.status, 307);
    CU_ASSERT_TRUE(client_has(&a, location));
    client_free(&a);
    free(location);
}

static void new_id(int i, char out[static 64])
{
    struct client_answer a;
    json_t *j;

    base_assert(ask(i, "POST", CLUSTER "/apps/new-application", NULL, &a) == 200);
    j = json_loadb(a.body.data, a.body.len, 0, NULL);
    snprintf(out, 64, "%s", json_string_value(json_object_get(j, "application-id")));
    json_decref(j);
    client_free(&a);
}

static size_t count_apps(int i)
{
    struct client_answer a;
    json_t *j;
    size_t n;

    base_assert(ask(i, "GET", CLUSTER "/apps", NULL, &a) == 200);
    j = json_loadb(a.body.data, a.body.len, JSON_ALLOW_NUL, NULL);
    n = json_array_size(json_object_get(json_object_get(j, "apps"), "app"));
    json_decref(j);
    client_free(&a);
    return n;
}

/* ---- cases ---- */
static void test_roles(void)
{
    start();
    is(0, "GET", CLUSTER "/apps", NULL, 307, "Can not find any active RM. Will retry in next ");
    is(0, "GET", CLUSTER "/info", NULL, 200, "\"state\":\"STARTED\",\"haState\":\"STANDBY\"");
    is(0, "GET", CLUSTER "/info", NULL, 200,
       "\"haZooKeeperConnectionState\":\"Connected to zookeeper : true\"");
    is(1, "GET", CLUSTER "/info", NULL, 200,
       "\"haZooKeeperConnectionState\":\"Connected to zookeeper : false\"");
    is(1, "GET", "/isActive", NULL, 405, "I am not Active!");
    is(1, "GET", "/metrics", NULL, 200, "\ncreel_ha_state{state=\"standby\"} 1\n");
    is(1, "GET", CLUSTER "/ha", NULL, 200, "\"rmId\":\"rm-2\",\"state\":\"standby\"");
    is(1, "POST", CLUSTER "/ha", "{\"state\":\"standby\"}", 200, "\"state\":\"standby\"");
    lead(0);
    is(0, "GET", CLUSTER "/info", NULL, 200,
       "\"haState\":\"ACTIVE\",\"rmStateStoreName\":\"creel.ZooKeeperStateStore\"");
    is(0, "GET", "/isActive", NULL, 200, "I am Active!");
    is(0, "GET", "/metrics", NULL, 200, "\ncreel_takeovers_total 1\n");
    is(0, "GET", "/metrics", NULL, 200, "\ncreel_store_refused_writes_total 5\n");
    is(0, "GET", "/metrics", NULL, 200, "\ncreel_ha_state{state=\"active\"} 1\n");
    CU_ASSERT_EQUAL(status_of(0, "GET", CLUSTER "/apps", NULL), 200);
    redirects(1, "GET", CLUSTER "/apps");
    redirects(1, "POST", CLUSTER "/jobs");
    redirects(1, "GET", "/nowhere");
    is(0, "POST", CLUSTER "/jobs", "{\"job\":{\"tasks\":[{\"command\":\"true\"}]}}", 201,
       "application_");
    is(0, "GET", "/metrics", NULL, 200, "\ncreel_apps_submitted_total 1\n");
    is(0, "POST", CLUSTER "/ha", "{\"state\":\"standby\",\"holdMs\":7}", 202, "\"rmId\":\"rm-1\"");
    CU_ASSERT_EQUAL(roles[0].resigned_us, 7000);
    /* the lease is over, the daemon has not heard of it yet */
    atomic_store(&roles[0].lease, false);
    is(0, "GET", CLUSTER "/apps", NULL, 307, "Can not find any active RM");
    is(0, "GET", CLUSTER "/info", NULL, 200, "\"haState\":\"STANDBY\"");
    CU_ASSERT_EQUAL(status_of(0, "GET", "/isActive", NULL), 405);
    is(0, "GET", "/metrics", NULL, 200, "\ncreel_apps_submitted_total 0\n");
    atomic_store(&roles[0].lease, true);
    failover(0);
    redirects(0, "GET", CLUSTER "/apps");
    is(0, "GET", "/metrics", NULL, 200, "\ncreel_apps_submitted_total 0\n");
    is(1, "GET", "/metrics", NULL, 200, "\ncreel_apps{state=\"pending\"} 1\n");
    is(1, "GET", CLUSTER "/ha", NULL, 200, "\"state\":\"active\"");
    is(1, "GET", CLUSTER "/ha", NULL, 200, "\"epoch\":1,");
    rms_stop();
}

static void test_jmx(void)
{
    static const char info[] = "/jmx?qry=Hadoop:service=ResourceManager,name=RMInfo";
    char *standby;

    start();
    lead(0);
    standby = base_printf(
        "{\n  \"beans\" : [ {\n    \"name\" : \"Hadoop:service=ResourceManager,name=RMInfo\",\n    "
        "\"modelerType\" : \"org.apache.hadoop.yarn.server.resourcemanager.RMInfo\",\n    "
        "\"State\" : "
        "\"standby\",\n    \"SecurityEnabled\" : false,\n    \"HostAndPort\" : \"%s\"\n  } ]\n}",
        rms[1].url + strlen("http://"));
    is(1, "GET", info, NULL, 200, standby);
    is(0, "GET", info, NULL, 200, "\"State\" : \"active\"");
    is(0, "GET", "/jmx", NULL, 200, "\n    \"Takeovers\" : 1,\n");
    is(0, "GET", "/jmx?qry=*:name=High*,*", NULL, 200,
       "\n    \"StoreRefusedWrites\" : 5\n  } ]\n}");
    is(0, "GET", "/jmx?qry=Hadoop:service=ResourceManager", NULL, 200, "{\n  \"beans\" : [ ]\n}");
    is(0, "GET", "/jmx?qry=Hadoop:service=NoSuch,name=*", NULL, 200, "{\n  \"beans\" : [ ]\n}");
    is(0, "GET", "/jmx?qry=nonsense", NULL, 200, "{ }");
    is(0, "GET", "/jmx?get=Hadoop:service=ResourceManager", NULL, 200,
       "\"query format is not as expected.\"");
    is(0, "GET", "/jmx?get=Hadoop:service=ResourceManager,name=RMInfo::Nope", NULL, 200,
       "\n    \"result\" : \"ERROR\",\n    \"message\" : \"No attribute with name Nope was "
       "found.\"\n  } ]\n}");
    is(0, "GET", "/jmx?get=Hadoop:service=ResourceManager,name=HighAvailability::Takeovers", NULL,
       200, "\"modelerType\" : \"HighAvailability\",\n    \"Takeovers\" : 1\n  } ]\n}");
    CU_ASSERT_EQUAL(status_of(0, "GET", "/jmx/", NULL), 404);
    free(standby);
    rms_stop();
}

static void test_repeated(void)
{
    char app[64], job[64], path[128], body[512], other[512];

    start();
    lead(0);
    new_id(0, app);
    new_id(0, job);
    snprintf(body, sizeof body, APP, app);
    /* as if its answer were lost */
    CU_ASSERT_EQUAL(status_of(0, "POST", CLUSTER "/apps", body), 202);
    failover(0);
    CU_ASSERT_EQUAL(status_of(1, "POST", CLUSTER "/apps", body), 202);
    CU_ASSERT_EQUAL(status_of(1, "POST", CLUSTER "/apps", body), 202);
    CU_ASSERT_EQUAL(count_apps(1), 1);
    /* an id that the first RM gave is valid at the second */
    snprintf(body, sizeof body, JOB, job, "j");
    snprintf(other, sizeof other, JOB, job, "k");
    is(1, "POST", CLUSTER "/jobs", body, 201, job);
    failover(1);
    is(0, "POST", CLUSTER "/jobs", body, 200, job);
    is(0, "POST", CLUSTER "/jobs", other, 409, "submitted before with another body");
    CU_ASSERT_EQUAL(count_apps(0), 2);
    snprintf(path, sizeof path, CLUSTER "/apps/%s/state", job);
    CU_ASSERT_EQUAL(status_of(0, "PUT", path, "{\"state\":\"KILLED\"}"), 202);
    failover(0);
    is(1, "PUT", path, "{\"state\":\"KILLED\"}", 200, "KILLED");
    rms_stop();
}

/* Sends a submission whose record the store holds back. Returns the connection on which the answer
 * will come. */
static int send_held(int i, const char *path, const char *body)
{
    int fd = client_connect(rms[i].port);
    char *text =
        base_printf("POST %s HTTP/1.1\r\nHost: localhost\r\n" JSON "Content-Length: %zu\r\n\r\n%s",
                    path, strlen(body), body);

    hold_writes(true);
    client_sends(fd, text);
    wait_for_write();
    free(text);
    return fd;
}

static void test_on_its_way(void)
{
    char id[64], body[512];
    struct client_answer a;
    int fd;

    start();
    lead(0);
    new_id(0, id);
    snprintf(body, sizeof body, JOB, id, "j");
    fd = send_held(0, CLUSTER "/jobs", body);
    rms_end(0); /* nobody leads */
    CU_ASSERT_TRUE(client_read(fd, false, &a));
    CU_ASSERT_EQUAL(a.status, 503);
    CU_ASSERT_TRUE(client_has(&a, "Retry-After: 1"));
    CU_ASSERT_PTR_NOT_NULL(strstr(
        a.body.data, "\"exception\":\"StandbyException\",\"message\":\"" RM_NOT_ACTIVE_TEXT));
    client_free(&a);
    close(fd);
    hold_writes(false);
    lead(1);
    /* the job was not stored, so it was not accepted */
    is(1, "POST", CLUSTER "/jobs", body, 201, id);
    /* a submission by YARN's path, when the next leader is known */
    new_id(1, id);
    snprintf(body, sizeof body, APP, id);
    fd = send_held(1, CLUSTER "/apps", body);
    rm_role_set_active_url(rms[1].b, rms[0].url);
    rm_role_depose(rms[1].b);
    rm_daemon_abort_leadership(rms[1].b, "told to");
    CU_ASSERT_TRUE(client_read(fd, false, &a));
    CU_ASSERT_EQUAL(a.status, 307);
    CU_ASSERT_PTR_NOT_NULL(strstr(a.head, "\nLocation: http://"));
    client_free(&a);
    close(fd);
    hold_writes(false);
    lead(0);
    CU_ASSERT_EQUAL(status_of(0, "POST", CLUSTER "/apps", body), 202);
    CU_ASSERT_EQUAL(count_apps(0), 2);
    rms_stop();
}

#define CONF    CLUSTER "/scheduler-conf"
#define APPLIED "Configuration change successfully applied."
#define ADD_LAB                                                                                    \
    "{\"add-queue\":{\"queue-name\":\"root.lab\",\"params\":{\"entry\":{\"key\":\"capacity\","     \
    "\"value\":0}}}}"
#define STOP_LAB                                                                                   \
    "{\"update-queue\":[{\"queue-name\":\"root.lab\",\"params\":{\"entry\":[{\"key\":\"state\","   \
    "\"value\":\"STOPPED\"}]}}]}"
#define LAB_STATE "{\"name\":\"yarn.scheduler.capacity.root.lab.state\",\"value\":\"STOPPED\"}"

static void asks_for_another_site(int i, const char *path)
{
    struct client_answer a;

    client_do(rms[i].port, "GET", path, "Sec-Fetch-Site: cross-site\r\nOrigin: http://a.b\r\n",
              NULL, &a);
    CU_ASSERT_EQUAL(a.status, 403);
    client_free(&a);
}

/* Queues that clients have configured are the same on every ResourceManager. */
static void test_scheduler_conf(void)
{
    rms_set("yarn.scheduler.configuration.store.class=zk");
    rms_set("creel.scheduler.queues=dev");
    start();
    lead(0);
    is(0, "GET", CONF, NULL, 200, ".root.queues\",\"value\":\"default,dev\"}");
    is(0, "GET", CONF "/version", NULL, 200, "{\"versionID\":\"1\"}");
    is(0, "PUT", CONF, ADD_LAB, 200, APPLIED);
    is(0, "PUT", CONF, ADD_LAB, 400, "Can't add existing queue root.lab");
    is(0, "POST", CONF "/validate", STOP_LAB, 200, LAB_STATE);
    is(0, "GET", CONF "/version", NULL, 200, "{\"versionID\":\"2\"}");
    is(0, "PUT", CONF, STOP_LAB, 200, APPLIED);
    redirects(1, "GET", CONF);
    failover(0);
    redirects(0, "PUT", CONF);
    is(1, "GET", CONF, NULL, 200, LAB_STATE);
    is(1, "GET", CONF "/version", NULL, 200, "{\"versionID\":\"3\"}");
    is(1, "GET", CLUSTER "/scheduler", NULL, 200, "\"queuePath\":\"root.lab\"");
    is(1, "GET", CLUSTER "/scheduler", NULL, 200, "\"state\":\"STOPPED\"");
    is(1, "PUT", CONF,
       "{\"global-updates\":[{\"entry\":{\"key\":\"k\"}}],\"remove-queue\":\"root.lab\"}", 200,
       APPLIED);
    is(1, "POST", CONF "/validate", "{\"remove-queue\":[\"root.lab\"]}", 400,
       "CapacityScheduler configuration validation failed:java.io.IOException: Queue root.lab not "
       "found");
    is(1, "PUT", CONF, "{\"add-queue\":[{\"queue-name\":\"\"}]}", 400,
       "add-queue: queue-name is missing or empty");
    is(1, "PUT", CONF, "{\"remove-queue\":[{}]}", 400,
       "remove-queue: the path of a queue is missing or empty");
    is(1, "PUT", CONF, "{\"global-updates\":{\"entry\":{\"value\":\"v\"}}}", 400,
       "global-updates: the key of an entry is missing or empty");
    is(1, "PUT", CONF, "{\"global-updates\":{\"entry\":{\"key\":\"a\\nb\",\"value\":\"v\"}}}", 400,
       "is longer than 4096 bytes or has control characters");
    is(1, "PUT", CONF, "{\"global-updates\":{\"entry\":{\"key\":\"k\",\"value\":true}}}", 200,
       APPLIED);
    is(1, "GET", CONF, NULL, 200, "{\"name\":\"k\",\"value\":\"true\"}");
    asks_for_another_site(1, CONF "/format");
    is(1, "GET", CONF "/format", NULL, 200, "Configuration under store successfully formatted.");
    is(1, "GET", CONF "/version", NULL, 200, "{\"versionID\":\"6\"}");
    failover(1);
    is(0, "GET", CONF, NULL, 200,
       "{\"property\":[{\"name\":\"yarn.scheduler.capacity.root.default");
    is(0, "GET", CONF "/version", NULL, 200, "{\"versionID\":\"6\"}");
    rms_stop();
}

static const struct cunit_case cases[] = {
    {"roles", test_roles},
    {"jmx", test_jmx},
    {"what is repeated happens once", test_repeated},
    {"configured queues", test_scheduler_conf},
    {"a leadership ends with requests on their way", test_on_its_way},
};

int main(void)
{
    base_log_init("test_rm_failover_http", BASE_LOG_TEXT, BASE_LOG_ERROR);
    return cunit_main("failover over http", cases, sizeof cases / sizeof *cases);
}
