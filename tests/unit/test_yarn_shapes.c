/* Goal: what the core shows, filled into YARN's resources and encoded, is byte for byte what a real
 * YARN answered.
 * Method: views are built as the recordings show the cluster (same ids, times and figures); the
 * body of each recording in JSON and XML is compared whole. What Creel does not measure (use of the
 * hosts) or does not have (submissions over RPC, timeouts) is put into the resource before
 * encoding. */
#include "rm/http/yarn/scheduler/scheduler_internal.h"
#include "tests/unit/cunit_main.h"
#include "tests/unit/golden.h"

#define TS     INT64_C(1795244603666)
#define US(ms) (INT64_C(ms) * 1000)
#define RES(mb, cores)                                                                             \
    {                                                                                              \
        {                                                                                          \
            mb, cores, 0, 0                                                                        \
        }                                                                                          \
    }

static struct yarn_context frame(enum rm_shape shape, int64_t now_ms)
{
    struct yarn_context f = {.shape = shape, .url = "http://localhost:18700", .now_ms = now_ms};
    struct rm_cluster_view c = {.policy = "fifo",
                                .rm_instance_ms = TS,
                                .cluster_ts_ms = TS,
                                .total = RES(8192, 8),
                                .max_capability = RES(4096, 4)};

    c.nodes[RM_NODE_RUNNING] = 2;
    c.nodes[RM_NODE_DECOMMISSIONED] = 1;
    yarn_context_set_views(&f, &c, NULL);
    f.limits.min[0] = 128;
    f.limits.min[1] = 1;
    return f;
}

static void same(const char *name, const char *ext, const struct api_shape *shape,
                 enum api_dialect d, const void *view)
{
    char *path = base_printf("%s.%s.http", name, ext);
    struct base_buf out = {0};
    struct golden g;
    size_t at = 0;

    golden_read(path, &g);
    api_shape_encode_document(shape, d, view, &out);
    while (out.data[at] && out.data[at] == g.body[at])
        at++;
    if (out.data[at] != g.body[at])
        fprintf(stderr, "%s differs at byte %zu:\n  is   ...%.120s\n  real ...%.120s\n", path, at,
                out.data + (at > 40 ? at - 40 : 0), g.body + (at > 40 ? at - 40 : 0));
    CU_ASSERT_STRING_EQUAL(out.data, g.body);
    golden_free(&g);
    base_buf_free(&out);
    free(path);
}

static void same_both(const char *name, const struct api_shape *shape, enum api_dialect json,
                      const void *view)
{
    same(name, "json", shape, json, view);
    same(name, "xml", shape, API_XML_DOC, view);
}

/* ---- cluster ---- */
static void test_info(void)
{
    struct yarn_cluster_info info = {
        .id = TS,
        .started_on = TS,
        .state = "STARTED",
        .ha_state = "ACTIVE",
        .store_name = "org.apache.hadoop.yarn.server.resourcemanager.recovery.NullRMStateStore",
        .rm_version = "3.4.2",
        .rm_build_version =
            "3.4.2 from 84e8b89ee2ebe6923691205b9e171badde7a495c by ahmarsu source checksum "
            "f0b2d3716a28c233192cf952b3a185f1",
        .rm_built_on = "2025-08-20T10:36Z",
        .hadoop_version = "3.4.2",
        .hadoop_build_version =
            "3.4.2 from 84e8b89ee2ebe6923691205b9e171badde7a495c by ahmarsu source checksum "
            "fa94c67d4b4be021b9e9515c9b0f7b6",
        .hadoop_built_on = "2025-08-20T10:30Z",
        .zookeeper_state =
            "Could not find leader elector. Verify both HA and automatic failover are enabled.",
    };

    same_both("fifo/idle/info", &yarn_shape_cluster_info, API_N_WRAPPED, &info);
}

static void test_userinfo(void)
{
    struct yarn_user_info info = {"hadoop", "dr.who"};

    same_both("fifo/idle/userinfo", &yarn_shape_user_info, API_M_BARE, &info);
}

static void test_metrics(void)
{
    struct yarn_context f = frame(RM_SHAPE_FIFO, 0);
    struct yarn_cluster_metrics m;

    yarn_metrics_fill(&f, &m);
    m.utilized_vcores = 5; /* Creel does not measure the use of the hosts */
    m.utilized_mb_percent = 12;
    m.utilized_vcores_percent = 62;
    same_both("fifo/idle/metrics", &yarn_shape_cluster_metrics, API_N_WRAPPED, &m);

    f.cluster.apps_submitted = 4;
    f.cluster.apps_completed = 1;
    f.cluster.apps_pending = 1;
    f.cluster.apps_running = 2;
    f.cluster.used = (struct rm_res)RES(5376, 6);
    f.cluster.pending = (struct rm_res)RES(4096, 1);
    f.cluster.containers_allocated = 6;
    f.cluster.containers_pending = 1;
    yarn_metrics_fill(&f, &m);
    m.utilized_vcores = 5;
    m.utilized_mb_percent = 15;
    m.utilized_vcores_percent = 62;
    same_both("fifo/running/metrics", &yarn_shape_cluster_metrics, API_N_WRAPPED, &m);
}

/* ---- scheduler ---- */
static void test_fifo(void)
{
    struct yarn_context f = frame(RM_SHAPE_FIFO, 0);
    struct yarn_fifo_scheduler s;

    f.limits.max[0] = 8192; /* as configured there; Creel's largest container is one slot */
    yarn_fifo_fill(&f, &s);
    same_both("fifo/idle/scheduler", &yarn_shape_fifo_scheduler, API_N_WRAPPED, &s);
    f.limits.max[0] = 4096;
    f.cluster.used = (struct rm_res)RES(5376, 6);
    f.cluster.containers_allocated = 6;
    yarn_fifo_fill(&f, &s);
    same_both("fifo/running/scheduler", &yarn_shape_fifo_scheduler, API_N_WRAPPED, &s);
}

/* The queues of the recordings of fair/idle, parents first: hold, org (batch (night), eng, ops),
 * default. */
enum { ROOT, HOLD, ORG, DEFAULT, BATCH, ENG, OPS, NIGHT, QUEUES };
static const int32_t parents[QUEUES] = {-1, ROOT, ROOT, ROOT, ORG, ORG, ORG, BATCH};
static const char *const queue_names[QUEUES] = {
    "root",           "root.hold",    "root.org",     "root.default",
    "root.org.batch", "root.org.eng", "root.org.ops", "root.org.batch.night"};

static void test_fair(void)
{
    struct yarn_context f = frame(RM_SHAPE_FAIR, 0);
    struct rm_queue_view q[QUEUES];
    struct yarn_fair_tree t;
    static const int64_t steady[QUEUES] = {8192, 1638, 4916, 1638, 1229, 2458, 1229, 1229};

    for (int i = 0; i < QUEUES; i++) {
        q[i] = (struct rm_queue_view){.name = queue_names[i],
                                      .parent = parents[i],
                                      .policy = "fair",
                                      .weight = 1,
                                      .max_apps = INT32_MAX,
                                      .preemptable = true,
                                      .is_parent = i == ROOT || i == ORG || i == BATCH};
    }
    /* only root has a share, since no queue has work */
    q[ROOT].fair_share = (struct rm_res)RES(8192, 8);
    q[HOLD].max_apps = 0;
    q[ORG].weight = 3;
    q[ENG].weight = 2;
    q[ENG].max_apps = 10;
    q[NIGHT].preemptable = false;
    q[ORG].min = (struct rm_res)RES(1024, 1);
    q[ORG].max = (struct rm_res)RES(6144, 6);
    q[ENG].min = (struct rm_res)RES(512, 1);
    q[ENG].max = (struct rm_res)RES(4096, 4);
    q[NIGHT].policy = "fifo";
    f.queues.queues = q;
    f.queues.queues_n = QUEUES;
    f.cluster.max_capability = (struct rm_res)RES(8192, 4);
    f.limits.max[0] = 8192;
    yarn_fair_tree_fill(&f, &t);
    /* Hadoop finds steady shares by bisection, within 1 MB, and shares out memory alone */
    for (int i = HOLD; i < QUEUES; i++) {
        CU_ASSERT(llabs(t.queues[i].steady_fair.memory - steady[i]) <= 1);
        yarn_resource_set_memory_and_vcores(&t.queues[i].steady_fair, steady[i], 0, NULL);
    }
    yarn_resource_set_memory_and_vcores(&t.queues[ENG].max_container, 2048, 2, NULL);
    same_both("fair/idle/scheduler", &yarn_shape_fair_scheduler, API_N_WRAPPED, &t.scheduler);
    yarn_fair_tree_free(&t);
}

/* ---- applications ---- */
static struct rm_app_view app_view(int seq, const char *name, enum rm_app_state state)
{
    return (struct rm_app_view){.id = {TS, seq},
                                .user = "hadoop",
                                .name = name,
                                .queue = "default",
                                .type = "",
                                .tags = "",
                                .state = state,
                                .diagnostics = "",
                                .has_attempt = true,
                                .held = state == RM_APP_ACCEPTED || state == RM_APP_RUNNING};
}

static void on_node(struct rm_app_view *v, const char *id, const char *http)
{
    v->has_master = true;
    v->master_container = (struct base_container_id){{v->id, 1}, 1};
    v->master_node_id = id;
    v->master_node_http = http;
    v->master_rpc_port = -1;
}

static void test_app_running(void)
{
    struct yarn_context f = frame(RM_SHAPE_FIFO, 1795244623146 + 9085);
    struct rm_app_view v = app_view(3, "shell", RM_APP_RUNNING);
    struct yarn_app_and_texts filled = {0};

    v.type = "YARN";
    v.submit_us = US(1795244623146);
    v.launch_us = US(1795244623472);
    on_node(&v, "localhost:18720", "localhost:18722");
    v.allocated = (struct rm_res)RES(4352, 3);
    v.running_containers = 3;
    v.memory_seconds = 18521;
    v.vcore_seconds = 15;
    yarn_app_fill(&f, &v, &filled);
    filled.app.app_label = NULL; /* the recorded application was submitted over RPC */
    same("fifo/running/app-ds", "json", &yarn_shape_app, API_N_WRAPPED, &filled.app);
    filled.app.elapsed = 9095; /* recorded a little later */
    same("fifo/running/app-ds", "xml", &yarn_shape_app, API_XML_DOC, &filled.app);

    /* the same under fair: full path of the queue, configured id */
    f = frame(RM_SHAPE_FAIR, 1795244473174 + 18050);
    f.cluster_id = "cluster1";
    f.aggregates = true;
    f.url = "http://localhost:18100";
    f.cluster.rm_instance_ms = 1795244424805;
    v.id = (struct base_app_id){1795244424805, 3};
    v.queue = "hadoop";
    v.submit_us = US(1795244473174);
    v.launch_us = US(1795244474013);
    on_node(&v, "localhost:18110", "localhost:18112");
    v.memory_seconds = 14158;
    v.vcore_seconds = 18;
    yarn_app_fill(&f, &v, &filled);
    filled.app.app_label = NULL;
    same("fair/running/app-ds", "json", &yarn_shape_app, API_N_WRAPPED, &filled.app);
    yarn_app_texts_free(&filled);
}

static void test_app_finished(void)
{
    struct yarn_context f = frame(RM_SHAPE_FIFO, 1795244700000);
    struct rm_app_view v = app_view(1, "succeeds", RM_APP_FINISHED);
    struct yarn_app_and_texts filled = {0};

    v.type = "YARN";
    v.final_status = RM_FINAL_SUCCEEDED;
    v.progress = 1;
    v.submit_us = US(1795244611040);
    v.launch_us = US(1795244612634);
    v.finish_us = US(1795244619861);
    on_node(&v, "localhost:18720", "localhost:18722");
    v.memory_seconds = 2525;
    v.vcore_seconds = 9;
    yarn_app_fill(&f, &v, &filled);
    filled.app.app_label = NULL;
    same_both("fifo/running/app-fin", &yarn_shape_app, API_N_WRAPPED, &filled.app);
    yarn_app_texts_free(&filled);
}

static void test_app_waiting(void)
{
    struct yarn_context f = frame(RM_SHAPE_FIFO, 1795244628907 + 3351);
    struct rm_app_view v = app_view(4, "waiting", RM_APP_ACCEPTED);
    struct rm_app_spec spec = {.queue = "default", .resource = RES(4096, 1)};
    struct yarn_app_and_texts filled = {0};

    v.app = &spec;
    v.tags = "blue,green";
    v.attempt_state = RM_ATTEMPT_SCHEDULED;
    v.submit_us = US(1795244628907);
    yarn_app_fill(&f, &v, &filled);
    same("fifo/running/app-wait", "json", &yarn_shape_app, API_N_WRAPPED, &filled.app);

    v = app_view(8, "", RM_APP_ACCEPTED); /* no resource given: the minimum */
    spec.resource = (struct rm_res)RES(0, 0);
    v.app = &spec;
    v.submit_us = US(1795244640046);
    f.now_ms = 1795244640046 + 16;
    yarn_app_fill(&f, &v, &filled);
    same("fifo/write/app-minimal-now", "json", &yarn_shape_app, API_N_WRAPPED, &filled.app);
    yarn_app_texts_free(&filled);
}

/* Expects @words after the time in brackets, which depends on the time zone. */
static void explains(const struct yarn_context *f, const struct rm_app_view *v, const char *words)
{
    struct base_buf out = {0};
    const char *text = yarn_explain_waiting(f, v, "root.default", &out);
    const char *end = text && text[0] == '[' ? strchr(text, ']') : NULL;

    CU_ASSERT_PTR_NOT_NULL_FATAL(text);
    CU_ASSERT_STRING_EQUAL(end ? end + 2 : text, words);
    base_buf_free(&out);
}

/* The first text is that of fair/running/app-wait; the others are those of Hadoop's FSAppAttempt
 * and SchedulerApplicationAttempt. */
static void test_wait_words(void)
{
    struct yarn_context f = frame(RM_SHAPE_FAIR, 1795244700000);
    struct rm_app_view v = app_view(4, "waiting", RM_APP_ACCEPTED);
    struct rm_app_spec spec = {.queue = "default", .resource = RES(4096, 1)};
    struct base_buf out = {0};

    v.app = &spec;
    v.attempt_state = RM_ATTEMPT_SCHEDULED;
    explains(&f, &v,
             "Application is added to the scheduler and is not yet activated.  (Resource request: "
             "<memory:4096, vCores:1> exceeds the available resources of the node and the request "
             "cannot be reserved)");
    v.master_waits = true;
    explains(&f, &v,
             "Application is added to the scheduler and is not yet activated.  (Resource request: "
             "<memory:4096, vCores:1> exceeds maximum AM resource allowed).");
    v.attempt_state = RM_ATTEMPT_ALLOCATED;
    explains(&f, &v,
             "Scheduler has assigned a container for AM, waiting for AM container to be launched");
    v.attempt_state = RM_ATTEMPT_RUNNING;
    CU_ASSERT_PTR_NULL(yarn_explain_waiting(&f, &v, "root.default", &out));
    v.attempt_state = RM_ATTEMPT_LAUNCHED;
    v.state = RM_APP_KILLING;
    CU_ASSERT_PTR_NULL(yarn_explain_waiting(&f, &v, "root.default", &out));
    base_buf_free(&out);
}

/* As recorded in fair/ended/apps, an application that never ran stays NOT_START. */
static void test_log_aggregation(void)
{
    struct yarn_context f = frame(RM_SHAPE_FIFO, 1795244700000);
    struct rm_app_view v = app_view(1, "a", RM_APP_KILLED);
    struct yarn_app_and_texts filled = {0};

    yarn_app_fill(&f, &v, &filled);
    CU_ASSERT_STRING_EQUAL(filled.app.log_aggregation, "DISABLED");
    f.aggregates = true;
    yarn_app_fill(&f, &v, &filled);
    CU_ASSERT_STRING_EQUAL(filled.app.log_aggregation, "NOT_START");
    on_node(&v, "n:1", "n:2");
    yarn_app_fill(&f, &v, &filled);
    CU_ASSERT_STRING_EQUAL(filled.app.log_aggregation, "SUCCEEDED");
    v.running_containers = 1;
    yarn_app_fill(&f, &v, &filled);
    CU_ASSERT_STRING_EQUAL(filled.app.log_aggregation, "RUNNING");
    v.running_containers = 0;
    v.logs.nodes[RM_LOGS_COPYING] = 1;
    v.logs.failed = true;
    yarn_app_fill(&f, &v, &filled);
    CU_ASSERT_STRING_EQUAL(filled.app.log_aggregation, "RUNNING");
    v.logs.nodes[RM_LOGS_FAILING] = 1;
    yarn_app_fill(&f, &v, &filled);
    CU_ASSERT_STRING_EQUAL(filled.app.log_aggregation, "RUNNING_WITH_FAILURE");
    v.logs.nodes[RM_LOGS_COPYING] = v.logs.nodes[RM_LOGS_FAILING] = 0;
    v.logs.nodes[RM_LOGS_MISSING] = 1;
    yarn_app_fill(&f, &v, &filled);
    CU_ASSERT_STRING_EQUAL(filled.app.log_aggregation, "FAILED");
    v.logs.failed = false;
    yarn_app_fill(&f, &v, &filled);
    CU_ASSERT_STRING_EQUAL(filled.app.log_aggregation, "TIME_OUT");
    v.state = RM_APP_FINISHING;
    yarn_app_fill(&f, &v, &filled);
    CU_ASSERT_STRING_EQUAL(filled.app.log_aggregation, "NOT_START");
    yarn_app_texts_free(&filled);
}

/* As recorded in special/preempted/app: a master and a worker of 256 MB and one core each were
 * preempted. */
static void test_app_preempted(void)
{
    struct yarn_context f = frame(RM_SHAPE_FAIR, 1795244700000);
    struct rm_app_view v = app_view(1, "a", RM_APP_KILLED);
    struct yarn_app_and_texts filled = {0};
    struct base_buf out = {0};

    v.preempted = (struct rm_preempted){RES(512, 2), {1, 1}, 22816999, 88999};
    yarn_app_fill(&f, &v, &filled);
    api_shape_encode_document(&yarn_shape_app, API_N_WRAPPED, &filled.app, &out);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(out.data, "\"preemptedResourceMB\":512,\"preemptedResourceVCores\":2,"
                         "\"numNonAMContainerPreempted\":1,\"numAMContainerPreempted\":1,"
                         "\"preemptedMemorySeconds\":22816,\"preemptedVcoreSeconds\":88,"
                         "\"preemptedResourceSecondsMap\":{\"entry\":{\"key\":\"memory-mb\","
                         "\"value\":\"22816\"},\"entry\":{\"key\":\"vcores\","
                         "\"value\":\"88\"}}"));
    base_buf_free(&out);
    yarn_app_texts_free(&filled);
}

/* The RM is the master of a job: its address stands for that of the master. */
static void test_job_master(void)
{
    struct yarn_context f = frame(RM_SHAPE_FIFO, 1795244700000);
    struct rm_app_view v = app_view(2, "job", RM_APP_RUNNING);
    struct yarn_app_and_texts filled = {0};

    f.url = "http://rm:8088";
    v.is_job = true;
    yarn_app_fill(&f, &v, &filled);
    CU_ASSERT_STRING_EQUAL(filled.app.am_logs, "http://rm:8088/logs/");
    CU_ASSERT_STRING_EQUAL(filled.app.am_http_address, "rm:8088");
    CU_ASSERT_STRING_EQUAL(filled.app.am_rpc_address, "rm:8088");
    CU_ASSERT_STRING_EQUAL(filled.app.master_node_id, "rm:8088");
    v.state = RM_APP_KILLED;
    yarn_app_fill(&f, &v, &filled);
    CU_ASSERT_STRING_EQUAL(filled.app.am_logs, "http://rm:8088/logs/");
    CU_ASSERT_PTR_NULL(filled.app.am_rpc_address);
    v.state = RM_APP_SUBMITTED;
    v.has_attempt = false;
    yarn_app_fill(&f, &v, &filled);
    CU_ASSERT_PTR_NULL(filled.app.am_logs);
    CU_ASSERT_STRING_EQUAL(filled.app.master_node_id, "");
    yarn_app_texts_free(&filled);
}

static void test_app_submitted(void)
{
    struct yarn_context f = frame(RM_SHAPE_FIFO, 1795244641957 + 926);
    struct rm_app_view v = app_view(9, "full /\"\xC3\xA9", RM_APP_ACCEPTED);
    struct rm_app_spec spec = {.queue = "root.org.eng"};
    struct yarn_app_and_texts filled = {0};
    static const struct yarn_timeout reached = {"LIFETIME", "2036-01-01T00:00:00.000+0000", 0};
    static const struct yarn_timeouts timeouts = {{&reached, 1, sizeof reached}};

    v.app = &spec;
    v.user = "alice";
    v.type = "A-TYPE-LONGER-THAN-T";
    v.tags = "blue,green";
    v.attempt_state = RM_ATTEMPT_LAUNCHED;
    v.submit_us = US(1795244641957);
    v.launch_us = US(1795244642687);
    on_node(&v, "localhost:18720", "localhost:18722");
    v.allocated = (struct rm_res)RES(512, 1);
    v.running_containers = 1;
    yarn_app_fill(&f, &v, &filled);
    same("fifo/write/app-full", "json", &yarn_shape_app, API_N_WRAPPED, &filled.app);

    v.state = RM_APP_KILLED;
    v.held = false;
    v.progress = 1;
    v.diagnostics = "Application application_1795244603666_0009 was killed by user alice with "
                    "diagnostic message: no "
                    "longer needed";
    v.finish_us = US(1795244643157);
    v.memory_seconds = 260;
    yarn_app_fill(&f, &v, &filled);
    filled.app.timeouts = &timeouts;
    same_both("fifo/write/app-full-killed", &yarn_shape_app, API_N_WRAPPED, &filled.app);
    yarn_app_texts_free(&filled);
}

static void test_app_failed(void)
{
    struct yarn_context f = frame(RM_SHAPE_FIFO, 1795244700000);
    struct rm_app_view v = app_view(8, "", RM_APP_FAILED);
    struct yarn_app_and_texts filled = {0};

    v.diagnostics =
        "Application application_1795244603666_0008 failed 2 times due to AM Container for "
        "appattempt_1795244603666_0008_000002 exited with  exitCode: 0\nFailing this "
        "attempt.Diagnostics: For more detailed output, check the application tracking page: "
        "http://localhost:18700/cluster/app/application_1795244603666_0008 Then click on links to "
        "logs of "
        "each attempt.\n. Failing the application.";
    v.submit_us = US(1795244640046);
    v.launch_us = US(1795244640451);
    v.finish_us = US(1795244641700);
    on_node(&v, "localhost:18710", "localhost:18712");
    v.master_container.attempt.attempt = 2;
    v.memory_seconds = 55;
    yarn_app_fill(&f, &v, &filled);
    same_both("fifo/write/app-minimal-failed", &yarn_shape_app, API_N_WRAPPED, &filled.app);
    yarn_app_texts_free(&filled);
}

static void test_app_unmanaged(void)
{
    struct yarn_context f = frame(RM_SHAPE_FIFO, 1795244645552 + 2003);
    struct rm_app_view v = app_view(10, "unmanaged", RM_APP_ACCEPTED);
    struct yarn_app_and_texts filled = {0};

    v.id.cluster_ts = 1700000000000; /* the id is of another cluster, clusterId is ours */
    v.unmanaged = true;
    v.diagnostics = "AM container is launched, waiting for AM container to Register with RM";
    v.submit_us = US(1795244645552);
    yarn_app_fill(&f, &v, &filled);
    same("fifo/write/app-unmanaged", "json", &yarn_shape_app, API_N_WRAPPED, &filled.app);
    yarn_app_texts_free(&filled);
}

static void test_no_apps(void)
{
    static const enum api_dialect d[] = {API_N_WRAPPED, API_XML_DOC};
    static const char *const names[] = {"fifo/running/apps-none.json.http",
                                        "fifo/running/apps-none.xml.http"};
    struct yarn_apps none = {{0}};

    same_both("fifo/running/apps-none", &yarn_shape_apps, API_N_WRAPPED, &none);
    for (int i = 0; i < 2; i++) { /* a list written in pieces has the same text */
        struct base_buf out = {0};
        struct golden g;
        golden_read(names[i], &g);
        api_shape_open_list("apps", "app", d[i], &out);
        api_shape_close_list("apps", d[i], 0, &out);
        CU_ASSERT_STRING_EQUAL(out.data, g.body);
        golden_free(&g);
        base_buf_free(&out);
    }
}

/* One struct is filled for each application of a listing in turn: nothing of the application before
 * may show through. */
static void test_room_again(void)
{
    struct yarn_context f = frame(RM_SHAPE_FIFO, 1795244700000);
    struct rm_app_view busy = app_view(1, "a", RM_APP_RUNNING),
                       fresh = app_view(2, "b", RM_APP_NEW_SAVING);
    struct yarn_app_and_texts again = {0}, once = {0};
    struct base_buf x = {0}, y = {0};

    on_node(&busy, "n:1", "n:2");
    busy.master_host = "n";
    busy.master_rpc_port = 7;
    fresh.has_attempt = false;
    yarn_app_fill(&f, &busy, &again);
    CU_ASSERT_STRING_EQUAL(again.app.am_rpc_address, "n:7");
    yarn_app_fill(&f, &fresh, &again);
    yarn_app_fill(&f, &fresh, &once);
    api_shape_encode_document(&yarn_shape_app, API_N_WRAPPED, &again.app, &x);
    api_shape_encode_document(&yarn_shape_app, API_N_WRAPPED, &once.app, &y);
    CU_ASSERT_STRING_EQUAL(x.data, y.data);
    base_buf_free(&x);
    base_buf_free(&y);
    yarn_app_texts_free(&again);
    yarn_app_texts_free(&once);
}

static void test_state(void)
{
    struct yarn_app_state s = {rm_app_state_name(RM_APP_RUNNING)};

    same_both("fifo/running/state", &yarn_shape_app_state, API_M_BARE, &s);
}

static void test_queue(void)
{
    struct yarn_app_queue q = {"default"};

    same_both("fifo/running/queue", &yarn_shape_app_queue, API_M_BARE, &q);
}

static void test_new_application(void)
{
    struct yarn_context f = frame(RM_SHAPE_FIFO, 0);
    struct yarn_new_application n = {.id = "application_1795244603666_0007"};

    yarn_resource_fill(&f, &n.max, &f.cluster.max_capability);
    same("fifo/write/new-application", "json", &yarn_shape_new_application, API_N_BARE, &n);
    n.id = "application_1795244603666_0008";
    same("fifo/write/new-application", "xml", &yarn_shape_new_application, API_XML_DOC, &n);
}

static void test_statistics(void)
{
    static const struct yarn_stat_item items[] = {
        {"SUBMITTED", "*", 0}, {"RUNNING", "*", 2},    {"FINISHED", "*", 1}, {"FAILED", "*", 0},
        {"NEW", "*", 0},       {"NEW_SAVING", "*", 0}, {"ACCEPTED", "*", 1}, {"KILLED", "*", 0}};
    struct yarn_statistics s = {{items, 8, sizeof items[0]}};

    same_both("fifo/running/appstatistics", &yarn_shape_statistics, API_N_WRAPPED, &s);
}

/* ---- attempts and containers ---- */
static struct rm_attempt_view attempt_view(int seq, int n, enum rm_attempt_state state)
{
    return (struct rm_attempt_view){
        .id = {{TS, seq}, n}, .state = state, .user = "hadoop", .diagnostics = "", .rpc_port = -1};
}

static void attempt_on(struct rm_attempt_view *v, const char *id, const char *http)
{
    v->has_container = true;
    v->container = (struct base_container_id){v->id, 1};
    v->node_id = id;
    v->node_http = http;
}

static void same_attempts(const char *name, struct rm_attempt_view *v, size_t n)
{
    struct yarn_context f = frame(RM_SHAPE_FIFO, 0);
    struct yarn_attempt_and_texts filled[2] = {0};
    struct yarn_attempts list = {{&filled[0].item, n, sizeof filled[0]}};

    for (size_t i = 0; i < n; i++)
        yarn_attempt_fill(&f, &v[i], &filled[i]);
    same_both(name, &yarn_shape_attempts, API_N_WRAPPED, &list);
    for (size_t i = 0; i < n; i++)
        yarn_attempt_texts_free(&filled[i]);
}

static void same_attempt(const char *name, const struct yarn_context *f,
                         const struct rm_attempt_view *v)
{
    struct yarn_attempt_and_texts filled = {0};

    yarn_attempt_fill(f, v, &filled);
    same_both(name, &yarn_shape_attempt, API_M_BARE, &filled.info);
    yarn_attempt_texts_free(&filled);
}

static void test_attempts(void)
{
    struct yarn_context f = frame(RM_SHAPE_FIFO, 0);
    struct rm_attempt_view v = attempt_view(3, 1, RM_ATTEMPT_RUNNING), two[2];

    v.start_us = US(1795244623148);
    attempt_on(&v, "localhost:18720", "localhost:18722");
    v.host = "host1/127.0.0.1";
    same_attempts("fifo/running/appattempts", &v, 1);
    same_attempt("fifo/running/appattempt", &f, &v);

    v = attempt_view(4, 1, RM_ATTEMPT_SCHEDULED);
    v.start_us = US(1795244628910);
    same_attempts("fifo/running/appattempts-wait", &v, 1);
    same_attempt("fifo/running/appattempt-wait", &f, &v);

    v = attempt_view(9, 1, RM_ATTEMPT_LAUNCHED);
    v.start_us = US(1795244641960);
    v.user = "alice";
    v.diagnostics = "AM container is launched, waiting for AM container to Register with RM";
    attempt_on(&v, "localhost:18720", "localhost:18722");
    same_attempts("fifo/write/attempts-full", &v, 1);
    same_attempt("fifo/write/attempt-full", &f, &v);

    two[0] = attempt_view(8, 1, RM_ATTEMPT_FAILED);
    two[0].start_us = US(1795244640048);
    two[0].finish_us = US(1795244640635);
    attempt_on(&two[0], "localhost:18720", "localhost:18722");
    two[1] = attempt_view(8, 2, RM_ATTEMPT_FAILED);
    two[1].start_us = US(1795244640636);
    two[1].finish_us = US(1795244641699);
    attempt_on(&two[1], "localhost:18710", "localhost:18712");
    same_attempts("fifo/write/attempts-minimal-failed", two, 2);

    /* of a killed attempt, the host is forgotten and the RM's page is shown */
    f.url = "http://localhost:18100";
    v = attempt_view(3, 1, RM_ATTEMPT_KILLED);
    v.id.app.cluster_ts = 1795244424805;
    v.start_us = US(1795244473176);
    v.finish_us = US(1795244530101);
    v.host = "host1/127.0.0.1";
    attempt_on(&v, "localhost:18110", "localhost:18112");
    same_attempt("fair/ended/appattempt", &f, &v);
}

static void test_attempt_killed_while_it_waits(void)
{
    struct yarn_context f = frame(RM_SHAPE_FIFO, 0);
    struct rm_attempt_view v = attempt_view(3, 1, RM_ATTEMPT_KILLED);
    struct yarn_attempt_and_texts filled = {0};

    yarn_attempt_fill(&f, &v, &filled);
    CU_ASSERT_STRING_EQUAL(filled.info.diagnostics, "");
    attempt_on(&v, "localhost:18720", "localhost:18722");
    yarn_attempt_fill(&f, &v, &filled);
    CU_ASSERT_STRING_EQUAL(
        filled.info.diagnostics,
        "AM container is launched, waiting for AM container to Register with RM");
    v.host = "host1/127.0.0.1";
    yarn_attempt_fill(&f, &v, &filled);
    CU_ASSERT_STRING_EQUAL(filled.info.diagnostics, "");
    v.diagnostics = "enough";
    yarn_attempt_fill(&f, &v, &filled);
    CU_ASSERT_STRING_EQUAL(filled.info.diagnostics, "enough");
    yarn_attempt_texts_free(&filled);
}

static struct rm_container_view container_view(int64_t n, int64_t mb, int64_t start_us, int node)
{
    return (struct rm_container_view){.id = {{{TS, 3}, 1}, n},
                                      .state = RM_CONTAINER_RUNNING,
                                      .resource = RES(mb, 1),
                                      .node_id = node == 1 ? "localhost:18710" : "localhost:18720",
                                      .node_http =
                                          node == 1 ? "localhost:18712" : "localhost:18722",
                                      .user = "hadoop",
                                      .start_us = start_us};
}

static void test_container(void)
{
    struct yarn_context f = frame(RM_SHAPE_FIFO, 1795244623447 + 9012);
    struct rm_container_view v = container_view(1, 256, US(1795244623447), 2);
    struct yarn_container_and_texts filled = {0};

    yarn_container_fill(&f, &v, &filled);
    same("fifo/running/container-am", "json", &yarn_shape_container, API_M_BARE, &filled.container);
    filled.container.elapsed = 9034;
    same("fifo/running/container-am", "xml", &yarn_shape_container, API_XML_DOC, &filled.container);
    yarn_container_texts_free(&filled);
}

static void test_containers(void)
{
    struct yarn_context f = frame(RM_SHAPE_FIFO, 1795244623447 + 8980);
    struct rm_container_view v[3] = {container_view(2, 2048, US(1795244627969), 1),
                                     container_view(3, 2048, US(1795244628496), 2),
                                     container_view(1, 256, US(1795244623447), 2)};
    struct yarn_container_and_texts filled[3] = {0};
    struct yarn_containers list = {{&filled[0].container, 3, sizeof filled[0]}};

    for (int i = 0; i < 3; i++)
        yarn_container_fill(&f, &v[i], &filled[i]);
    same("fifo/running/containers", "xml", &yarn_shape_containers, API_XML_DOC, &list);

    list.list.n = 0;
    same_both("fifo/running/containers-wait", &yarn_shape_containers, API_M_BARE, &list);

    v[0] = container_view(1, 512, US(1795244642651), 2); /* a list of one is written as an object */
    v[0].id.attempt.app.seq = 9;
    v[0].user = "alice";
    f.now_ms = 1795244642651 + 286;
    yarn_container_fill(&f, &v[0], &filled[0]);
    list.list.n = 1;
    same("fifo/write/containers-full", "json", &yarn_shape_containers, API_M_BARE, &list);
    for (int i = 0; i < 3; i++)
        yarn_container_texts_free(&filled[i]);
}

/* ---- nodes ---- */
static void fill_nodes(struct yarn_context *f, struct yarn_node *n)
{
    struct rm_node_view a = {.id = "localhost:18710",
                             .host = "localhost",
                             .http_address = "localhost:18712",
                             .rack = "/default-rack",
                             .version = "3.4.2",
                             .health_report = "",
                             .state = RM_NODE_RUNNING,
                             .last_heartbeat_us = US(1795244597728),
                             .total = RES(4096, 4)};
    struct rm_node_view b = a, never = {.id = "host-never-seen:-1",
                                        .host = "host-never-seen",
                                        .version = "unknown",
                                        .health_report = "Healthy",
                                        .state = RM_NODE_DECOMMISSIONED,
                                        .last_heartbeat_us = US(1795244598471)};

    b.id = "localhost:18720";
    b.http_address = "localhost:18722";
    b.last_heartbeat_us = US(1795244596819);
    yarn_node_fill(f, &a, &n[0]);
    yarn_node_fill(f, &b, &n[1]);
    yarn_node_fill(f, &never, &n[2]);
    /* Creel does not measure the use of the hosts */
    n[0].memory_percent = 12.524372f;
    n[0].cpu_percent = 96.940475f;
    n[0].utilization = (struct yarn_utilization){3019, 3019, 1.9388095140457153, 0, 0, 0};
    n[1].memory_percent = 12.545115f;
    n[1].cpu_percent = 50.966026f;
    n[1].utilization = (struct yarn_utilization){3024, 3024, 1.0193204879760742, 0, 0, 0};
}

static void test_nodes(void)
{
    struct yarn_context f = frame(RM_SHAPE_FIFO, 0);
    struct yarn_node n[3];
    struct yarn_nodes list = {{n, 3, sizeof n[0]}};

    fill_nodes(&f, n);
    same_both("fifo/idle/nodes", &yarn_shape_nodes, API_N_WRAPPED, &list);
    same_both("fifo/idle/node", &yarn_shape_node, API_N_WRAPPED, &n[0]);
    list.list.n = 0;
    same_both("fifo/idle/nodes-lost-none", &yarn_shape_nodes, API_N_WRAPPED, &list);
}

static void test_node_busy(void)
{
    struct yarn_context f = frame(RM_SHAPE_FIFO, 0);
    struct rm_node_view v = {.id = "n:1",
                             .host = "n",
                             .http_address = "n:2",
                             .state = RM_NODE_RUNNING,
                             .containers = 2,
                             .total = RES(4096, 4),
                             .used = RES(2560, 2)};
    struct yarn_node n;

    yarn_node_fill(&f, &v, &n);
    CU_ASSERT_EQUAL(n.containers, 2);
    CU_ASSERT_EQUAL(n.available_mb, 1536);
    CU_ASSERT_EQUAL(n.used->memory, 2560);
    CU_ASSERT_EQUAL(n.available->vcores, 2);
    v.state = RM_NODE_LOST; /* the scheduler has no lost node: no address, no use */
    yarn_node_fill(&f, &v, &n);
    CU_ASSERT_STRING_EQUAL(n.http_address, "");
    CU_ASSERT_PTR_NULL(n.used);
    CU_ASSERT_EQUAL(n.containers, 0);
    CU_ASSERT_EQUAL(n.available_mb, 0);
}

static void test_show_slots(void)
{
    struct yarn_context f = frame(RM_SHAPE_FIFO, 0);
    struct rm_res r = {{2048, 1, 1, 0}};
    struct yarn_resource shown;

    yarn_resource_fill(&f, &shown, &r);
    CU_ASSERT_EQUAL(shown.infos.list.n, 2);
    f.show_slots = true;
    yarn_resource_fill(&f, &shown, &r);
    CU_ASSERT_EQUAL(shown.infos.list.n, 4);
    CU_ASSERT_STRING_EQUAL(shown.info[2].name, "map-slots");
    CU_ASSERT_EQUAL(shown.info[2].value, 1);
    CU_ASSERT_STRING_EQUAL(shown.info[3].name, "reduce-slots");
    CU_ASSERT_EQUAL(shown.info[3].value, 0);
}

static void test_queue_filter(void)
{
    struct yarn_context fifo = frame(RM_SHAPE_FIFO, 0), fair = frame(RM_SHAPE_FAIR, 0);
    struct rm_app_view v = app_view(1, "a", RM_APP_RUNNING);

    CU_ASSERT_TRUE(yarn_app_in_queue(&fifo, &v, "default"));
    CU_ASSERT_FALSE(yarn_app_in_queue(&fifo, &v, "root.default"));
    CU_ASSERT_TRUE(yarn_app_in_queue(&fair, &v, "default"));
    CU_ASSERT_TRUE(yarn_app_in_queue(&fair, &v, "root.default"));
    CU_ASSERT_FALSE(yarn_app_in_queue(&fair, &v, "root"));
}

static const struct cunit_case cases[] = {
    {"info", test_info},
    {"userinfo", test_userinfo},
    {"metrics", test_metrics},
    {"fifo scheduler", test_fifo},
    {"fair scheduler", test_fair},
    {"running application", test_app_running},
    {"waiting, in words", test_wait_words},
    {"log aggregation", test_log_aggregation},
    {"preempted", test_app_preempted},
    {"master of a job", test_job_master},
    {"finished application", test_app_finished},
    {"waiting application", test_app_waiting},
    {"application over REST, then killed", test_app_submitted},
    {"failed application", test_app_failed},
    {"unmanaged application", test_app_unmanaged},
    {"no applications", test_no_apps},
    {"filled filled again", test_room_again},
    {"state", test_state},
    {"queue", test_queue},
    {"new application", test_new_application},
    {"statistics", test_statistics},
    {"attempts", test_attempts},
    {"an attempt killed while it waits", test_attempt_killed_while_it_waits},
    {"container", test_container},
    {"containers", test_containers},
    {"nodes", test_nodes},
    {"busy and lost node", test_node_busy},
    {"slots as resource types", test_show_slots},
    {"queue filter", test_queue_filter},
};
CUNIT_MAIN("yarn shapes", cases)
