/* Goal: our messages are YARN's. Method: a recorded answer is decoded and encoded again, to the
 * same bytes; reports that we fill say what the views say. */
#include "tests/unit/cunit_main.h"
#include "tests/unit/rpc_frames.h"

#include "rm/rpc/put.h"

static Yarn__AppAnswer *read_recorded_report(struct base_buf *body)
{
    struct base_buf recorded = {0};
    struct rpc_answer a;
    Yarn__AppAnswer *answer;

    rpc_frames_read("client.hex", 'S', 1, &recorded);
    a = rpc_answer_take(&recorded);
    CU_ASSERT_PTR_NOT_NULL_FATAL(a.header);
    base_buf_add(body, a.body.data, a.body.len);
    answer = yarn__app_answer__unpack(NULL, a.body.len, (const uint8_t *)a.body.data);
    CU_ASSERT_PTR_NOT_NULL_FATAL(answer);
    rpc_answer_free(&a);
    base_buf_free(&recorded);
    return answer;
}

/* Every field of the recorded report has a place in our message, with the right type. */
static void test_recorded_report(void)
{
    struct base_buf body = {0};
    Yarn__AppAnswer *answer = read_recorded_report(&body);
    const Yarn__AppReport *r = answer->report;
    uint8_t again[4096];

    CU_ASSERT_EQUAL(r->base.n_unknown_fields + r->usage->base.n_unknown_fields +
                        r->usage->used->base.n_unknown_fields + r->attempt->base.n_unknown_fields +
                        r->timeouts[0]->base.n_unknown_fields,
                    0);
    CU_ASSERT_STRING_EQUAL(r->name, "QuasiMonteCarlo");
    CU_ASSERT_EQUAL(r->state, rm_rpc_number_app_state("RUNNING"));
    CU_ASSERT_EQUAL(r->usage->used_containers, 1);
    CU_ASSERT_EQUAL_FATAL(yarn__app_answer__get_packed_size(answer), body.len);
    yarn__app_answer__pack(answer, again);
    CU_ASSERT(memcmp(again, body.data, body.len) == 0);
    yarn__app_answer__free_unpacked(answer, NULL);
    base_buf_free(&body);
}

/* The same application, filled from a view, becomes the same bytes, but for the proxy's address. */
static void test_report_from_view(void)
{
    struct base_buf body = {0};
    Yarn__AppAnswer *answer = read_recorded_report(&body);
    struct rm_app_spec spec = {0};
    struct rm_app_view v = {.id = {.cluster_ts = INT64_C(1795348841796), .seq = 1},
                            .state = RM_APP_RUNNING,
                            .user = "root",
                            .name = "QuasiMonteCarlo",
                            .queue = "root.default",
                            .type = "MAPREDUCE",
                            .submit_us = answer->report->started * 1000,
                            .launch_us = answer->report->launched * 1000,
                            .diagnostics = "",
                            .has_attempt = true,
                            .held = true,
                            .attempts_n = 1,
                            .running_containers = 1,
                            .allocated = {{1024, 1}},
                            .memory_seconds = answer->report->usage->memory_seconds,
                            .vcore_seconds = answer->report->usage->vcore_seconds,
                            .master_host = "localhost",
                            .master_rpc_port = answer->report->rpc_port,
                            .original_tracking_url = answer->report->original_tracking_url,
                            .app = &spec};
    struct yarn_context f = {
        .url = "http://localhost:21000", .shape = RM_SHAPE_FAIR, .aggregates = true};
    struct rm_cluster_view cluster = {.total = {{8192, 8}}};
    struct yarn_app_and_texts filled = {0};
    struct rm_rpc_app app;
    uint8_t made[4096];
    size_t n;

    yarn_context_set_views(&f, &cluster, NULL);
    yarn_app_fill(&f, &v, &filled);
    /* labels that were not given at all, which REST cannot say */
    filled.app.am_label = filled.app.app_label = NULL;
    rm_rpc_put_app(&f, &v, &filled.app, true, &app);
    n = yarn__app_report__pack(&app.report, made);
    /* behind the tag and the length of the report, which take three bytes */
    CU_ASSERT_EQUAL_FATAL(n + 3, body.len);
    CU_ASSERT(memcmp(made, body.data + 3, n) == 0);
    rm_rpc_app_free(&app);

    /* whoever may not see it gets no figures and no addresses */
    rm_rpc_put_app(&f, &v, &filled.app, false, &app);
    CU_ASSERT_STRING_EQUAL(app.report.host, "N/A");
    CU_ASSERT_EQUAL(app.report.rpc_port, -1);
    CU_ASSERT_STRING_EQUAL(app.report.original_tracking_url, "N/A");
    CU_ASSERT_STRING_EQUAL(app.report.tracking_url, "N/A");
    CU_ASSERT_EQUAL(app.report.usage->used_containers, -1);
    CU_ASSERT_EQUAL(app.report.usage->memory_seconds, 0);
    rm_rpc_app_free(&app);
    yarn_app_texts_free(&filled);
    yarn_context_free(&f);
    yarn__app_answer__free_unpacked(answer, NULL);
    base_buf_free(&body);
}

static void test_tags(void)
{
    struct rm_app_view v = {.tags = "a,b,", .diagnostics = "", .is_job = true};
    struct yarn_context f = {.url = "http://rm"};
    struct yarn_app_and_texts filled = {0};
    struct rm_rpc_app app;

    yarn_app_fill(&f, &v, &filled);
    rm_rpc_put_app(&f, &v, &filled.app, true, &app);
    CU_ASSERT_EQUAL_FATAL(app.report.n_tags, 3);
    CU_ASSERT_STRING_EQUAL(app.report.tags[1], "b");
    CU_ASSERT_EQUAL(app.report.attempt->attempt, -1); /* none yet */
    CU_ASSERT_EQUAL(app.report.usage->used_containers, -1);
    rm_rpc_app_free(&app);
    yarn_app_texts_free(&filled);
}

/* YARN's numbers of states, and those that Creel shows. */
static void test_states(void)
{
    CU_ASSERT_EQUAL(rm_rpc_number_app_state("NEW"), 1);
    CU_ASSERT_EQUAL(rm_rpc_number_app_state("KILLED"), 8);
    CU_ASSERT_EQUAL(rm_rpc_number_app_state("FINISHING"), 0);
    CU_ASSERT_EQUAL(rm_rpc_find_app_state(4), RM_APP_ACCEPTED);
    CU_ASSERT_EQUAL(rm_rpc_find_app_state(0), -1);
    CU_ASSERT_EQUAL(rm_rpc_find_app_state(9), -1);
    CU_ASSERT_EQUAL(rm_rpc_number_node_state("DECOMMISSIONING"), 7);
    CU_ASSERT_EQUAL(rm_rpc_number_node_state("SHUTDOWN"), 8);
    CU_ASSERT_EQUAL(rm_rpc_find_node_state(5), RM_NODE_LOST);
    for (int s = 0; s < RM_NODE_STATES; s++)
        CU_ASSERT_NOT_EQUAL(rm_rpc_number_node_state(rm_node_state_name((enum rm_node_state)s)), 0);
}

static void test_ids(void)
{
    struct base_container_id id = {
        .attempt = {.app = {.cluster_ts = 1795348841796, .seq = 7}, .attempt = 2},
        .num = INT64_C(3) << 40 | 5};
    struct base_container_id back;
    struct rm_rpc_container_id put;
    Yarn__NodeId node;
    char host[64];

    rm_rpc_put_container_id(&id, &put);
    CU_ASSERT(rm_rpc_get_container_id(&put.id, &back));
    CU_ASSERT_EQUAL(base_container_id_cmp(&id, &back), 0);
    put.attempt.id.has_attempt = false;
    CU_ASSERT(!rm_rpc_get_container_id(&put.id, &back));
    put.attempt.id.has_attempt = true;
    put.attempt.app.has_cluster = false;
    CU_ASSERT(!rm_rpc_get_container_id(&put.id, &back));
    put.id.attempt = NULL;
    CU_ASSERT(!rm_rpc_get_container_id(&put.id, &back));
    CU_ASSERT(!rm_rpc_get_app_id(NULL, &back.attempt.app));
    rm_rpc_put_node_id("n1.example.org:45454", host, sizeof host, &node);
    CU_ASSERT_STRING_EQUAL(node.host, "n1.example.org");
    CU_ASSERT_EQUAL(node.port, 45454);
}

static void test_node(void)
{
    struct rm_node_view v = {.id = "h:1",
                             .host = "h",
                             .http_address = "h:2",
                             .rack = "/r",
                             .label = "gpu",
                             .state = RM_NODE_RUNNING,
                             .containers = 3,
                             .last_heartbeat_us = 5000,
                             .total = {{4096, 4}},
                             .used = {{1024, 1}},
                             .utilization = {.node_physical_mb = 7, .node_milli_cores = 1500}};
    struct yarn_context f = {0};
    struct yarn_node node;
    struct rm_rpc_node put;

    yarn_node_fill(&f, &v, &node);
    rm_rpc_put_node(&v, &node, &put);
    CU_ASSERT_EQUAL(put.report.used->memory, 1024);
    CU_ASSERT_EQUAL(put.report.capability->vcores, 4);
    CU_ASSERT_EQUAL(put.report.containers, 3);
    CU_ASSERT_EQUAL(put.report.last_health_ms, 5);
    CU_ASSERT_EQUAL(put.report.n_labels, 1);
    CU_ASSERT_STRING_EQUAL(put.report.labels[0], "gpu");
    CU_ASSERT_STRING_EQUAL(put.report.http_address, "h:2");
    CU_ASSERT_EQUAL(put.report.node_utilization->physical_mb, 7);
    CU_ASSERT(put.report.node_utilization->cpu == 1.5f);
}

static const struct cunit_case cases[] = {
    {"recorded report", test_recorded_report},
    {"report from a view", test_report_from_view},
    {"tags", test_tags},
    {"states", test_states},
    {"ids", test_ids},
    {"node", test_node},
};
CUNIT_MAIN("Hadoop RPC: reports", cases)
