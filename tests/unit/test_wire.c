/* Goal: every message between Creel's daemons is read as it was written; unknown members are passed
 * over; each member that is missing or of the wrong type is refused by its name, and nothing leaks
 * then.
 * Method: one full message of each kind. It is written, read, and written again: the texts must be
 * equal, so no member is lost or swapped. Then each member of the text is removed and replaced in
 * turn. */
#include <stdlib.h>
#include <string.h>

#include "api/wire/node.h"
#include "api/wire/order.h"
#include "api/wire/task.h"
#include "base/io/json.h"
#include "tests/unit/cunit_main.h"

#define APP                                                                                        \
    {                                                                                              \
        1700000000123, 7                                                                           \
    }
#define ATTEMPT                                                                                    \
    {                                                                                              \
        APP, 2                                                                                     \
    }
#define CT(n)                                                                                      \
    {                                                                                              \
        ATTEMPT, (INT64_C(3) << 40) | (n)                                                          \
    }

/* ---------------------------------------------------------------- full messages */
static struct wire_container containers[] = {
    {.id = CT(5),
     .state = WIRE_COMPLETE,
     .slot = BASE_TASK_REDUCE,
     .progress = 0.25,
     .phase = "sort",
     .exit_code = 143,
     .signal = 15,
     .started_ms = 1,
     .ended_ms = 2,
     .cpu_ms = 3,
     .max_rss_kb = 4,
     .diagnostics = "said \"why\"\n",
     .counters = {.known = true, .v = {[BASE_COUNT_SPILLS] = 9, [BASE_COUNT_CPU_MILLIS] = 10}},
     .output_bytes = 5,
     .app = "application_1700000000123_0007",
     .user = "ann",
     .task = "task_1700000000123_0007_r_000001",
     .task_attempt = 6,
     .priority = -7,
     .master = true,
     .memory_mb = 8,
     .vcores = 9,
     .allocation_request_id = -10},
    {.id = CT(6), .state = WIRE_SUSPENDED, .exit_code = WIRE_EXIT_NONE, .progress = 1},
};
static struct base_app_id apps[] = {APP, {17, 2}};
static struct wire_log_report logs[] = {
    {APP, WIRE_LOGS_COPYING}, {{17, 2}, WIRE_LOGS_FAILING}, {{17, 3}, WIRE_LOGS_FAILED}};
static const struct wire_registration registration = {.node_id = "n1:4242",
                                                      .http_address = "n1:4243",
                                                      .rack = "/r1",
                                                      .instance = "0123",
                                                      .boot_id = "b",
                                                      .version = "1.2.3",
                                                      .map_slots = 4,
                                                      .reduce_slots = 2,
                                                      .master_slots = 5,
                                                      .hadoop_port = 45454,
                                                      .epoch_seen = 11,
                                                      .sent_us = 12,
                                                      .apps = apps,
                                                      .apps_n = 2,
                                                      .containers = containers,
                                                      .containers_n = 2,
                                                      .logs = logs,
                                                      .logs_n = 1,
                                                      .logs_more = true};
static const struct wire_heartbeat heartbeat = {.node_id = "n1:4242",
                                                .instance = "0123",
                                                .response_id = 21,
                                                .epoch_seen = 22,
                                                .sent_us = 23,
                                                .disk_free_mb = 24,
                                                .hold_ms = 25,
                                                .healthy = true,
                                                .health_report = "fine",
                                                .has_utilization = true,
                                                .utilization = {31, 32, 33, 34, 35, 36, 37, 38},
                                                .containers = containers + 1,
                                                .containers_n = 1,
                                                .logs = logs,
                                                .logs_n = 3,
                                                .logs_more = true};
static const char *const env[] = {"K=v", "Q=a=\"b\"\n"};
static const struct wire_launch map_launch = {.container = CT(5),
                                              .app = APP,
                                              .user = "ann",
                                              .name = "wc",
                                              .token = "t",
                                              .slot = BASE_TASK_MAP,
                                              .kind = BASE_CONTAINER_MAP,
                                              .memory_mb = 1,
                                              .vcores = 2,
                                              .priority = 3,
                                              .env = env,
                                              .env_n = 2,
                                              .task = "task_1700000000123_0007_m_000001",
                                              /* the first attempt; 0 must be written too */
                                              .task_attempt = 0,
                                              .log_max_bytes = 5,
                                              .spec = {.job = "application_1700000000123_0007",
                                                       .index = 1,
                                                       .attempt = 4,
                                                       .reduces = 0,
                                                       .command = "cat",
                                                       .combine = "uniq",
                                                       .split = {"/in", 6, 7, true},
                                                       .output = "/out",
                                                       .job_commits = true,
                                                       .rm = "http://rm:8088",
                                                       .sort_buffer_mb = 32}};

static struct wire_launch reduce_launch(void)
{
    struct wire_launch l = map_launch;

    l.slot = BASE_TASK_REDUCE;
    l.kind = BASE_CONTAINER_REDUCE;
    l.spec.split = (struct wire_split){0};
    l.spec.combine = NULL;
    l.spec.maps = 12;
    return l;
}

static char link1[] = "deep/name", url1[] = "http://h/x", link2[] = "b", url2[] = "file:///y",
            pattern2[] = "lib/.*";
static const struct base_local_resource resources[] = {
    {link1, url1, BASE_RESOURCE_ARCHIVE, BASE_RESOURCE_PRIVATE, 5, 1405452071209, NULL},
    {link2, url2, BASE_RESOURCE_PATTERN, BASE_RESOURCE_APPLICATION, 0, 0, pattern2}};

static struct wire_launch master_launch(void)
{
    struct wire_launch l = map_launch;

    l.kind = BASE_CONTAINER_MASTER;
    l.spec = (struct wire_task_spec){0};
    l.task = NULL;
    l.command = "run\nme";
    l.acl_view = "carol staff";
    l.allocation_request_id = -1;
    l.resources = resources;
    l.resources_n = 2;
    l.credentials = "SERUUw==";
    l.log_include = "std.*";
    l.log_exclude = "x";
    l.submit_ms = 1405452071209;
    l.attempts_max = 2;
    return l;
}

/* ---------------------------------------------------------------- written and read */
/* Reads @text and writes what was read to @again. */
typedef int copy_fn(const char *text, size_t len, struct base_buf *again, struct base_error *err);

static int copy_registration(const char *text, size_t len, struct base_buf *again,
                             struct base_error *err)
{
    struct wire_registration m;
    int rc = wire_registration_get(text, len, &m, err);

    if (rc == 0)
        wire_registration_put(&m, again);
    if (rc == 0)
        wire_registration_free(&m);
    return rc;
}

static int copy_heartbeat(const char *text, size_t len, struct base_buf *again,
                          struct base_error *err)
{
    struct wire_heartbeat m;
    int rc = wire_heartbeat_get(text, len, &m, err);

    if (rc == 0)
        wire_heartbeat_put(&m, again);
    if (rc == 0)
        wire_heartbeat_free(&m);
    return rc;
}

static int copy_name(const char *text, size_t len, struct base_buf *again, struct base_error *err)
{
    struct wire_node_name m;
    int rc = wire_node_name_get(text, len, &m, err);

    if (rc == 0)
        wire_node_name_put(&m, again);
    if (rc == 0)
        wire_node_name_free(&m);
    return rc;
}

static int copy_commit(const char *text, size_t len, struct base_buf *again, struct base_error *err)
{
    struct wire_commit m;
    int rc = wire_commit_get(text, len, &m, err);

    if (rc == 0)
        wire_commit_put(&m, again);
    if (rc == 0)
        wire_commit_free(&m);
    return rc;
}

static int copy_leave(const char *text, size_t len, struct base_buf *again, struct base_error *err)
{
    struct wire_commit_answer m;
    int rc = wire_commit_answer_get(text, len, &m, err);

    if (rc == 0)
        wire_commit_answer_put(&m, again);
    return rc;
}

static int copy_failure(const char *text, size_t len, struct base_buf *again,
                        struct base_error *err)
{
    struct wire_fetch_failure m;
    int rc = wire_fetch_failure_get(text, len, &m, err);

    if (rc == 0)
        wire_fetch_failure_put(&m, again);
    if (rc == 0)
        wire_fetch_failure_free(&m);
    return rc;
}

static void put_outputs(const struct wire_map_outputs *m, struct base_buf *out)
{
    wire_map_outputs_open(m, out);
    for (size_t i = 0; i < m->outputs_n; i++)
        wire_map_output_put(&m->outputs[i], out);
    wire_map_outputs_close(out);
}

static int copy_outputs(const char *text, size_t len, struct base_buf *again,
                        struct base_error *err)
{
    struct wire_map_outputs m;
    int rc = wire_map_outputs_get(text, len, &m, err);

    if (rc == 0)
        put_outputs(&m, again);
    if (rc == 0)
        wire_map_outputs_free(&m);
    return rc;
}

static void put_answer(const struct wire_answer *a, struct base_buf *out)
{
    wire_answer_open(a, out);
    for (size_t i = 0; i < a->orders_n; i++)
        wire_order_put(&a->orders[i], out);
    wire_answer_close(out);
}

/* Reads the spec of a task's launch with creel-task's own reader, which reads all of it. */
static int copy_answer(const char *text, size_t len, struct base_buf *again, struct base_error *err)
{
    struct wire_answer a;
    int rc = wire_answer_get(text, len, 77, &a, err);

    if (rc < 0)
        return rc;
    if (a.bad) {
        *err = a.bad_err;
        rc = err->code;
    }
    for (size_t i = 0; i < a.orders_n; i++) {
        struct wire_launch *l = &a.orders[i].launch, task;

        if (a.orders[i].refused) {
            rc = base_error_set(err, -BASE_EINVAL, "%s", a.orders[i].refused);
        } else if (l->kind == BASE_CONTAINER_MAP || l->kind == BASE_CONTAINER_REDUCE) {
            int bad = wire_task_launch_get(l->source, &task, err);

            l->spec = task.spec;
            rc = bad < 0 ? bad : rc;
        }
    }
    if (rc == 0)
        put_answer(&a, again);
    wire_answer_free(&a);
    return rc;
}

struct message {
    const char *name;
    copy_fn *copy;
    struct base_buf text;
    const char *missing; /* members that may be missing, each between two spaces */
};

/* All kinds of messages, and one answer for each kind of order. Freed with messages_free. */
#define MESSAGES_MAX 24
static size_t messages_make(struct message *v)
{
    static const char of_node[] =
        " rack masterSlots hadoopPort epochSeen sentUs healthy diskFreeMb holdMs healthReport apps "
        "containers "
        "logs logsMore slot "
        "utilization nodePhysicalMb nodeVirtualMb nodeMilliCores containersPhysicalMb "
        "containersVirtualMb containersMilliCores machineMb machineCores progress "
        "phase exitCode signal startedMs endedMs cpuMs maxRssKb diagnostics partitionsBytes "
        "counters "
        "app user task taskAttempt master memoryMb vcores priority allocationRequestId ";
    static const char of_answer[] =
        " rmInstance clusterTs clusterName version responseId heartbeatMs "
        "resourceGiven givenMemoryMb givenVcores hadoopKeys secret orders ";
    size_t n = 0;

    v[n] = (struct message){.name = "registration", .copy = copy_registration, .missing = of_node};
    wire_registration_put(&registration, &v[n++].text);
    v[n] = (struct message){.name = "heartbeat", .copy = copy_heartbeat, .missing = of_node};
    wire_heartbeat_put(&heartbeat, &v[n++].text);
    v[n] = (struct message){.name = "name", .copy = copy_name};
    wire_node_name_put(&(struct wire_node_name){.node_id = "n1:1", .instance = "i"}, &v[n++].text);
    v[n] = (struct message){.name = "commit", .copy = copy_commit, .missing = " app "};
    wire_commit_put(&(struct wire_commit){.app = "a", .task = "t", .task_attempt = 3},
                    &v[n++].text);
    v[n] = (struct message){.name = "leave", .copy = copy_leave};
    wire_commit_answer_put(&(struct wire_commit_answer){.commit = true}, &v[n++].text);
    v[n] = (struct message){
        .name = "fetch failure", .copy = copy_failure, .missing = " container reason gone "};
    wire_fetch_failure_put(
        &(struct wire_fetch_failure){
            .map = 1, .attempt = 2, .container = "c", .reduce = "r", .reason = "why", .gone = true},
        &v[n++].text);
    struct wire_map_output outputs[] = {{1, 2, "c", "n:1"}, {3, 4, "d", "m:1"}};
    v[n] = (struct message){
        .name = "map outputs", .copy = copy_outputs, .missing = " maps done attempt "};
    put_outputs(
        &(struct wire_map_outputs){
            .version = 5, .maps = 6, .done = 7, .outputs = outputs, .outputs_n = 2},
        &v[n++].text);

    struct wire_order orders[] = {
        {.kind = BASE_ORDER_KILL, .container = CT(1), .reason = "because", .grace_ms = 250},
        {.kind = BASE_ORDER_SUSPEND, .container = CT(2)},
        {.kind = BASE_ORDER_RESUME, .container = CT(3)},
        {.kind = BASE_ORDER_SIGNAL, .container = CT(9), .signal = BASE_SIGNAL_FORCEFUL_SHUTDOWN},
        {.kind = BASE_ORDER_FORGET, .container = CT(4)},
        {.kind = BASE_ORDER_CLEANUP_APP, .app = APP, .keep_logs = true},
        {.kind = BASE_ORDER_RESYNC},
        {.kind = BASE_ORDER_SHUTDOWN, .reason = "other version"},
        {.kind = BASE_ORDER_LAUNCH, .launch = map_launch},
        {.kind = BASE_ORDER_LAUNCH, .launch = reduce_launch()},
        {.kind = BASE_ORDER_LAUNCH, .launch = master_launch()},
    };
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        v[n] = (struct message){
            .name = wire_order_name(orders[i].kind), .copy = copy_answer, .missing = of_answer};
        if (orders[i].launch.kind == BASE_CONTAINER_MASTER)
            v[n].missing =
                " rmInstance clusterTs clusterName version responseId heartbeatMs "
                "resourceGiven givenMemoryMb givenVcores hadoopKeys secret "
                "orders slot user token name viewAcl "
                "memoryMb vcores priority allocationRequestId logMaxBytes "
                "credentials logInclude logExclude submitMs attemptsMax resources size timestamp "
                "pattern app env kind taskAttempt ";
        else if (orders[i].kind == BASE_ORDER_LAUNCH)
            v[n].missing =
                " rmInstance clusterTs clusterName version responseId heartbeatMs "
                "resourceGiven givenMemoryMb givenVcores hadoopKeys secret "
                "orders slot user token name viewAcl "
                "memoryMb vcores priority allocationRequestId logMaxBytes "
                "credentials logInclude logExclude submitMs attemptsMax resources size timestamp "
                "app env job attempt "
                "sortBufferMb jobCommits rm combine gzip reduce ";
        else if (orders[i].kind == BASE_ORDER_KILL || orders[i].kind >= BASE_ORDER_CLEANUP_APP)
            v[n].missing = " rmInstance clusterTs clusterName version responseId heartbeatMs "
                           "resourceGiven givenMemoryMb givenVcores hadoopKeys secret "
                           "orders reason graceMs keepLogs ";
        put_answer(
            &(struct wire_answer){.epoch = 1,
                                  .response_id = 2,
                                  .heartbeat_ms = 3,
                                  .rm_instance_ms = 4,
                                  .cluster_ts_ms = 5,
                                  .cluster_name = "c",
                                  .version = "1.0.0",
                                  .resource_given = true,
                                  .given_memory_mb = 6,
                                  .given_vcores = 7,
                                  .hadoop_keys = {.given = true,
                                                  .nm_token = {{{8, "s", "a2V5"}}, 1},
                                                  .container_token = {{{-9, "s", "a2V6"}}, 1},
                                                  .rm_identifier = 10},
                                  .orders = &orders[i],
                                  .orders_n = 1},
            &v[n++].text);
    }
    return n;
}

static void messages_free(struct message *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        base_buf_free(&v[i].text);
}

static void test_round_trip(void)
{
    struct message v[MESSAGES_MAX];
    size_t n = messages_make(v);

    for (size_t i = 0; i < n; i++) {
        struct base_buf again = {0};
        struct base_error err = {0};

        CU_ASSERT_EQUAL(v[i].copy(v[i].text.data, v[i].text.len, &again, &err), 0);
        if (!again.data || strcmp(again.data, v[i].text.data) != 0)
            printf("\n  %s: %s\n  %s\n  %s\n", v[i].name, err.text, v[i].text.data,
                   again.data ? again.data : "");
        CU_ASSERT_FATAL(again.data != NULL);
        CU_ASSERT_STRING_EQUAL(again.data, v[i].text.data);
        base_buf_free(&again);
    }
    messages_free(v, n);
}

/* ---------------------------------------------------------------- each member, in turn */
/* Calls @fn for each object in @j, at any depth, except for env and counters, whose members have
 * names of the job's own. */
typedef void object_fn(const struct message *m, json_t *root, json_t *object);

static void each_object(const struct message *m, json_t *root, json_t *j, object_fn *fn)
{
    const char *name;
    json_t *value;
    size_t i;

    if (json_is_object(j)) {
        fn(m, root, j);
        json_object_foreach(j, name,
                            value) if (strcmp(name, "env") != 0 && strcmp(name, "counters") != 0)
            each_object(m, root, value, fn);
    }
    if (json_is_array(j))
        json_array_foreach(j, i, value) each_object(m, root, value, fn);
}

static int copy_tree(const struct message *m, const json_t *root, struct base_buf *again,
                     struct base_error *err)
{
    char *text = json_dumps(root, JSON_COMPACT);
    int rc = m->copy(text, strlen(text), again, err);

    free(text);
    return rc;
}

static void add_unknown(const struct message *m, json_t *root, json_t *object)
{
    struct base_buf again = {0};
    struct base_error err = {0};

    json_object_set_new(object, "fromTheFuture", json_pack("{s:[i]}", "nested", 1));
    CU_ASSERT_EQUAL(copy_tree(m, root, &again, &err), 0);
    CU_ASSERT_FATAL(again.data != NULL);
    CU_ASSERT_STRING_EQUAL(again.data, m->text.data);
    json_object_del(object, "fromTheFuture");
    base_buf_free(&again);
}

static bool may_miss(const struct message *m, const char *name)
{
    char word[64];

    snprintf(word, sizeof word, " %s ", name);
    return m->missing && strstr(m->missing, word) != NULL;
}

static void expect_refusal(const struct message *m, const json_t *root, const char *name,
                           const char *how)
{
    struct base_buf again = {0};
    struct base_error err = {0};
    int rc = copy_tree(m, root, &again, &err);

    if (rc >= 0 || !strstr(err.text, name))
        printf("\n  %s, %s %s: %d \"%s\"\n", m->name, how, name, rc, err.text);
    CU_ASSERT(rc < 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, name));
    base_buf_free(&again);
}

static void remove_each(const struct message *m, json_t *root, json_t *object)
{
    json_t *all = json_copy(object), *value;
    const char *name;

    json_object_foreach(all, name, value)
    {
        json_object_del(object, name);
        if (!may_miss(m, name)) {
            /* a launch without a kind is read as one of a command, so that the command is
             * missing */
            expect_refusal(m, root, strcmp(name, "kind") == 0 ? "command" : name, "without");
        } else {
            struct base_buf again = {0};
            struct base_error err = {0};

            CU_ASSERT_EQUAL(copy_tree(m, root, &again, &err), 0);
            base_buf_free(&again);
        }
        json_object_set(object, name, value);
    }
    json_decref(all);
}

/* Replaces each member in turn by a value of another type, which must be refused. Counters are left
 * out, since wrong ones are ignored (they are a job's own), and so is a launch's app, which is not
 * read, since the container's id has it. */
static void break_each(const struct message *m, json_t *root, json_t *object)
{
    json_t *all = json_copy(object), *value;
    const char *name;
    bool launch = json_object_get(object, "env") != NULL;

    json_object_foreach(all, name, value)
    {
        bool is_object = strcmp(name, "split") == 0 || strcmp(name, "spec") == 0 ||
                         strcmp(name, "env") == 0 || strcmp(name, "utilization") == 0 ||
                         strcmp(name, "hadoopKeys") == 0 || strcmp(name, "nmToken") == 0 ||
                         strcmp(name, "containerToken") == 0;

        if (strcmp(name, "counters") == 0 || (launch && strcmp(name, "app") == 0) ||
            strcmp(name, "fromTheFuture") == 0)
            continue;
        json_object_set_new(object, name, is_object ? json_integer(1) : json_pack("{s:i}", "x", 1));
        expect_refusal(m, root, name, "with a wrong");
        json_object_set(object, name, value);
    }
    json_decref(all);
}

static void each_message(object_fn *fn)
{
    struct message v[MESSAGES_MAX];
    size_t n = messages_make(v);

    for (size_t i = 0; i < n; i++) {
        json_t *root = json_loads(v[i].text.data, 0, NULL);

        CU_ASSERT_PTR_NOT_NULL_FATAL(root);
        each_object(&v[i], root, root, fn);
        json_decref(root);
    }
    messages_free(v, n);
}

static void test_unknown(void)
{
    each_message(add_unknown);
}

static void test_missing(void)
{
    each_message(remove_each);
}

static void test_wrong(void)
{
    each_message(break_each);
}

/* ---------------------------------------------------------------- single members */
static void test_defaults(void)
{
    static const char beat[] =
        "{\"nodeId\":\"n:1\",\"instance\":\"i\",\"responseId\":0,\"containers\":["
        "{\"id\":\"container_1_0001_01_000001\",\"state\":\"running\"}]}";
    static const char answer[] = "{\"epoch\":1,\"orders\":[{\"type\":\"kill\",\"container\":"
                                 "\"container_1_0001_01_000001\"},{\"type\":\"dance\"},7]}";
    struct wire_heartbeat h;
    struct wire_answer a;
    struct base_error err = {0};

    CU_ASSERT_EQUAL_FATAL(wire_heartbeat_get(beat, strlen(beat), &h, &err), 0);
    CU_ASSERT(h.healthy);
    CU_ASSERT_EQUAL(h.containers[0].exit_code, WIRE_EXIT_NONE);
    CU_ASSERT_FALSE(h.containers[0].counters.known);
    wire_heartbeat_free(&h);
    CU_ASSERT_EQUAL_FATAL(wire_answer_get(answer, strlen(answer), 77, &a, &err), 0);
    CU_ASSERT_EQUAL(a.orders_n, 1);
    CU_ASSERT_EQUAL(a.orders[0].grace_ms, 77);
    CU_ASSERT_EQUAL(a.bad, 2);
    CU_ASSERT_PTR_NOT_NULL(strstr(a.bad_err.text, "dance"));
    wire_answer_free(&a);
}

/* A launch that cannot be read is returned as refused, with its container and the slot that it
 * would have taken. */
static void test_refused_launch(void)
{
    static const char answer[] =
        "{\"epoch\":1,\"orders\":[{\"type\":\"launch\",\"slot\":\"reduce\",\"container\":"
        "\"container_1_0001_01_000001\",\"kind\":\"d\\u00e4nce\",\"command\":\"x\"},"
        "{\"type\":\"launch\",\"container\":\"container_1_0001_01_000002\"},"
        "{\"type\":\"launch\",\"container\":\"container_1_0001_01_000003\",\"command\":\"x\","
        "\"env\":{\"A=\":\"b\"}},"
        "{\"type\":\"launch\",\"container\":\"container_1_0001_01_000004\",\"command\":\"x\","
        "\"task\":\"task_1A_0001_m_000000\"}]}";
    struct wire_answer a;
    struct base_error err = {0};

    CU_ASSERT_EQUAL_FATAL(wire_answer_get(answer, strlen(answer), 1, &a, &err), 0);
    CU_ASSERT_EQUAL_FATAL(a.orders_n, 4);
    CU_ASSERT_PTR_NOT_NULL_FATAL(a.orders[0].refused);
    CU_ASSERT_PTR_NOT_NULL(strstr(a.orders[0].refused, "kind"));
    CU_ASSERT_EQUAL(a.orders[0].launch.slot, BASE_TASK_REDUCE);
    CU_ASSERT_EQUAL(a.orders[0].launch.container.num, 1);
    CU_ASSERT_PTR_NOT_NULL_FATAL(a.orders[1].refused);
    CU_ASSERT_PTR_NOT_NULL(strstr(a.orders[1].refused, "command"));
    CU_ASSERT_PTR_NOT_NULL_FATAL(a.orders[2].refused);
    CU_ASSERT_PTR_NOT_NULL(strstr(a.orders[2].refused, "env.A="));
    CU_ASSERT_PTR_NOT_NULL_FATAL(a.orders[3].refused);
    CU_ASSERT_PTR_NOT_NULL(strstr(a.orders[3].refused, "task: \"task_1A_0001_m_000000\""));
    CU_ASSERT_EQUAL(a.orders[3].container.num, 4);
    wire_answer_free(&a);
}

/* Progress is rounded to four decimals. */
static void test_share(void)
{
    static const struct {
        double v;
        const char *text;
    } cases[] = {{0.00004, "\"progress\":0,"}, {0.00005, "\"progress\":0.0001"},
                 {0.5, "\"progress\":0.5000"}, {0.99994, "\"progress\":0.9999"},
                 {0.99996, "\"progress\":1,"}, {2, "\"progress\":1,"}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct wire_container c = {.id = CT(1), .progress = cases[i].v};
        struct wire_heartbeat h = {.node_id = "n:1", .containers = &c, .containers_n = 1};
        struct base_buf out = {0};

        wire_heartbeat_put(&h, &out);
        CU_ASSERT_PTR_NOT_NULL(strstr(out.data, cases[i].text));
        base_buf_free(&out);
    }
}

static void test_versions(void)
{
    static const struct {
        const char *peer, *own;
        bool fits;
    } cases[] = {{"0.1.0", "0.1.0", true},
                 {"0.9", "0.1.0", true},
                 {"1.0.0", "0.1.0", false},
                 {"0.1.0", "1.0.0", false},
                 {"10.0.0", "1.0.0", false},
                 {"", "0.1.0", false},
                 {"new", "0.1.0", false},
                 {"0", "0.1.0", false},
                 {"99999999999999999999.0", "0.1.0", false}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct base_error err = {0};
        int rc = wire_check_same_major_version("NodeManager", cases[i].peer, "ResourceManager",
                                               cases[i].own, &err);

        CU_ASSERT_EQUAL(rc, cases[i].fits ? 0 : -BASE_EVERSION);
        if (!cases[i].fits) {
            CU_ASSERT_PTR_NOT_NULL(strstr(err.text, cases[i].peer));
            CU_ASSERT_PTR_NOT_NULL(strstr(err.text, cases[i].own));
        }
    }
}

static const struct cunit_case cases[] = {
    {"written and read", test_round_trip},
    {"unknown members are passed over", test_unknown},
    {"missing members", test_missing},
    {"members of a wrong type", test_wrong},
    {"defaults", test_defaults},
    {"a launch that cannot be read", test_refused_launch},
    {"progress", test_share},
    {"versions", test_versions},
};
CUNIT_MAIN("wire", cases)
