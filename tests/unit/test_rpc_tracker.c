/* Goal: what a NodeManager of Hadoop says becomes the core's events, and the core's answers become
 * YARN's messages, to the byte; a node's slots are those that fit into its memory. Method: recorded
 * requests are read, recorded answers are made again from effects; settings and memory by hand. */
#include "tests/unit/cunit_main.h"
#include "tests/unit/rpc_frames.h"

#include "base/conf/conf.h"
#include "rm/rpc/hosts.h"
#include "rm/rpc/tracker/answer.h"
#include "rm/rpc/tracker/reports.h"

/* Lines of tracker.hex. */
enum { REGISTRATION, FIRST_BEAT, RUNNING, ENDED, CLEAN_UP };

static const struct base_app_id app = {.cluster_ts = INT64_C(1795348841796), .seq = 1};

static void *read_message(char from, int line, const ProtobufCMessageDescriptor *d)
{
    struct base_buf bytes = {0};
    ProtobufCMessage *m;

    rpc_frames_read("tracker.hex", from, line, &bytes);
    m = protobuf_c_message_unpack(d, NULL, bytes.len, (uint8_t *)bytes.data);
    CU_ASSERT_PTR_NOT_NULL_FATAL(m);
    base_buf_free(&bytes);
    return m;
}

static void check_same_bytes(const ProtobufCMessage *m, int line)
{
    struct base_buf recorded = {0};
    uint8_t made[1024];

    rpc_frames_read("tracker.hex", 'S', line, &recorded);
    CU_ASSERT_EQUAL_FATAL(protobuf_c_message_get_packed_size(m), recorded.len);
    protobuf_c_message_pack(m, made);
    CU_ASSERT(memcmp(made, recorded.data, recorded.len) == 0);
    base_buf_free(&recorded);
}

/* ---- requests ---- */

static void test_registration(void)
{
    Tracker__Registration *rq = read_message('C', REGISTRATION, &tracker__registration__descriptor);
    struct rm_tracker_reports reports;
    size_t apps_n;
    struct base_app_id *apps = rm_tracker_read_apps(rq, &apps_n);

    rm_tracker_read_recovered(rq, &reports);
    CU_ASSERT_STRING_EQUAL(rq->node->host, "localhost");
    CU_ASSERT_EQUAL(rq->node->port, 21010);
    CU_ASSERT_EQUAL(rq->http_port, 21012);
    CU_ASSERT_STRING_EQUAL(rq->version, "3.4.2");
    CU_ASSERT_EQUAL(rq->resource->memory, 4096);
    CU_ASSERT_EQUAL(rq->resource->vcores, 4);
    CU_ASSERT_EQUAL(reports.n, 0);
    CU_ASSERT_EQUAL(apps_n, 0);
    free(apps);
    free(reports.v);
    protobuf_c_message_free_unpacked(&rq->base, NULL);
}

/* The same container as a node that registers again would report it. */
static void test_recovered(void)
{
    Tracker__Registration rq = TRACKER__REGISTRATION__INIT;
    Tracker__Recovered ended = TRACKER__RECOVERED__INIT, runs = ended, bad = ended;
    Tracker__Recovered *list[] = {&bad, &ended, &runs};
    struct rm_rpc_container_id id;
    struct rm_rpc_resource resource;
    struct rm_tracker_reports out;
    Yarn__Priority priority = YARN__PRIORITY__INIT;
    Yarn__AppId whole, part = YARN__APP_ID__INIT, *apps[] = {&part, &whole};
    struct base_app_id *found;
    size_t n;

    rm_rpc_put_container_id(&(struct base_container_id){{app, 2}, 7}, &id);
    rm_rpc_put_resource(1024, 3, &resource);
    priority.has_priority = true;
    priority.priority = 20;
    ended.id = runs.id = &id.id;
    ended.has_state = runs.has_state = true;
    ended.state = 3;
    ended.has_exit_status = true;
    ended.exit_status = 143;
    ended.diagnostics = "killed";
    runs.state = 2;
    runs.resource = &resource.resource;
    runs.priority = &priority;
    runs.has_created_ms = true;
    runs.created_ms = 12345;
    rq.containers = list;
    rq.n_containers = 3;
    rm_tracker_read_recovered(&rq, &out);
    CU_ASSERT_EQUAL_FATAL(out.n, 2);
    CU_ASSERT_EQUAL(out.v[0].state, RM_CONTAINER_COMPLETED);
    CU_ASSERT_EQUAL(out.v[0].exit_code, 143);
    CU_ASSERT_STRING_EQUAL(out.v[0].diagnostics, "killed");
    CU_ASSERT_EQUAL(out.v[1].state, RM_CONTAINER_RUNNING);
    CU_ASSERT_EQUAL(out.v[1].id.num, 7);
    CU_ASSERT_EQUAL(out.v[1].id.attempt.attempt, 2);
    CU_ASSERT_EQUAL(out.v[1].resource.v[RM_RES_MEMORY_MB], 1024);
    CU_ASSERT_EQUAL(out.v[1].resource.v[RM_RES_VCORES], 3);
    CU_ASSERT_EQUAL(out.v[1].priority, 20);
    CU_ASSERT_EQUAL(out.v[1].started_us, 12345000);
    CU_ASSERT_EQUAL(out.v[1].allocation_request_id, -1); /* as MapReduce, which names none */
    free(out.v);
    rm_rpc_put_app_id(&app, &whole);
    rq.apps = apps;
    rq.n_apps = 2;
    found = rm_tracker_read_apps(&rq, &n);
    CU_ASSERT_EQUAL_FATAL(n, 1);
    CU_ASSERT(base_app_id_cmp(&found[0], &app) == 0);
    free(found);
}

static void check_amounts(int64_t memory_mb, int32_t vcores, int64_t read_mb, int64_t read_vcores)
{
    Tracker__Registration rq = TRACKER__REGISTRATION__INIT;
    Tracker__Recovered one = TRACKER__RECOVERED__INIT, *list[] = {&one};
    struct rm_rpc_container_id id;
    struct rm_rpc_resource resource;
    struct rm_tracker_reports out;

    rm_rpc_put_container_id(&(struct base_container_id){{app, 2}, 7}, &id);
    rm_rpc_put_resource(1, 1, &resource);
    resource.resource.memory = memory_mb;
    resource.resource.vcores = vcores;
    one.id = &id.id;
    one.resource = &resource.resource;
    rq.containers = list;
    rq.n_containers = 1;
    rm_tracker_read_recovered(&rq, &out);
    CU_ASSERT_EQUAL_FATAL(out.n, 1);
    CU_ASSERT_EQUAL(out.v[0].resource.v[RM_RES_MEMORY_MB], read_mb);
    CU_ASSERT_EQUAL(out.v[0].resource.v[RM_RES_VCORES], read_vcores);
    free(out.v);
}

static void test_amounts(void)
{
    check_amounts(INT64_MAX, INT32_MAX, INT32_MAX, INT32_MAX);
    check_amounts(INT32_MAX, 1, INT32_MAX, 1);
    check_amounts(INT64_MIN, -1, 0, 0);
}

static void test_list_lengths(void)
{
    struct base_error err = {0};

    CU_ASSERT_EQUAL(rm_tracker_check_list_lengths(40000, 40000, &err), 0);
    CU_ASSERT_EQUAL(rm_tracker_check_list_lengths(40001, 0, &err), -BASE_ELIMIT);
    CU_ASSERT_STRING_EQUAL(err.text, "containers: 40001: expected at most 40000");
    CU_ASSERT_EQUAL(rm_tracker_check_list_lengths(0, 40001, &err), -BASE_ELIMIT);
    CU_ASSERT_STRING_EQUAL(err.text, "applications: 40001: expected at most 40000");
}

static void test_heartbeats(void)
{
    Tracker__Beat *beat = read_message('C', FIRST_BEAT, &tracker__beat__descriptor);
    struct rm_tracker_reports reports;
    struct base_utilization u;

    CU_ASSERT_EQUAL(beat->status->response_id, 0);
    CU_ASSERT(beat->status->health->healthy);
    CU_ASSERT(rm_tracker_read_utilization(beat->status, &u));
    CU_ASSERT_EQUAL(u.node_physical_mb, 1552);
    CU_ASSERT_EQUAL(u.node_milli_cores, 1607);
    protobuf_c_message_free_unpacked(&beat->base, NULL);

    beat = read_message('C', ENDED, &tracker__beat__descriptor);
    rm_tracker_read_statuses(beat->status, &reports);
    CU_ASSERT_EQUAL_FATAL(reports.n, 3);
    CU_ASSERT(base_app_id_cmp(&reports.v[0].id.attempt.app, &app) == 0);
    CU_ASSERT_EQUAL(reports.v[0].state, RM_CONTAINER_RUNNING);
    CU_ASSERT_EQUAL(reports.v[2].state, RM_CONTAINER_COMPLETED);
    CU_ASSERT_EQUAL(reports.v[2].exit_code, 0);
    free(reports.v);
    protobuf_c_message_free_unpacked(&beat->base, NULL);
}

/* Figures that are none become 0. */
static void test_wrong_figures(void)
{
    Tracker__NodeStatus s = TRACKER__NODE_STATUS__INIT;
    Tracker__Utilization node = TRACKER__UTILIZATION__INIT;
    const float wrong[] = {-1.0F, 1e30F, 0.0F / 0.0F};
    struct base_utilization u;

    CU_ASSERT_FALSE(rm_tracker_read_utilization(&s, &u));
    s.of_node = &node;
    node.physical_mb = -5;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        node.cores = wrong[i];
        CU_ASSERT(rm_tracker_read_utilization(&s, &u));
        CU_ASSERT_EQUAL(u.node_milli_cores, 0);
        CU_ASSERT_EQUAL(u.node_physical_mb, 0);
    }
}

/* ---- answers ---- */

static struct rm_effect answer_of(int64_t response_id, const struct rm_order *orders, size_t n)
{
    struct rm_effect fx = {.kind = RM_FX_HEARTBEAT};

    fx.u.heartbeat.response_id = response_id;
    fx.u.heartbeat.interval_us = 1000000;
    fx.u.heartbeat.orders = orders;
    fx.u.heartbeat.orders_n = n;
    return fx;
}

static void test_recorded_answers(void)
{
    const struct rm_order clean_up = {.kind = BASE_ORDER_CLEANUP_APP, .app = app};
    struct rm_tracker_beat_answer a;
    struct rm_effect fx = answer_of(1, NULL, 0);
    Tracker__Registered *registered =
        read_message('S', REGISTRATION, &tracker__registered__descriptor);

    check_same_bytes(&registered->base, REGISTRATION);
    CU_ASSERT_EQUAL(registered->base.n_unknown_fields, 0);
    protobuf_c_message_free_unpacked(&registered->base, NULL);
    rm_tracker_put_beat_answer(&fx, &a);
    check_same_bytes(&a.message.base, FIRST_BEAT);
    rm_tracker_beat_answer_free(&a);
    fx = answer_of(29, &clean_up, 1);
    rm_tracker_put_beat_answer(&fx, &a);
    check_same_bytes(&a.message.base, CLEAN_UP);
    rm_tracker_beat_answer_free(&a);
}

static void test_registered(void)
{
    const struct rm_master_key nm = {.id = -7, .bytes = "nm"}, container = {.id = 8, .bytes = "c"};
    const struct rm_order shut_down = {.kind = BASE_ORDER_SHUTDOWN};
    struct rm_effect fx = answer_of(0, NULL, 0);
    struct rm_tracker_registered a;

    fx.u.heartbeat.rm_instance_ms = 99;
    fx.u.heartbeat.nm_keys = &nm;
    fx.u.heartbeat.container_keys = &container;
    fx.u.heartbeat.resource_given = true;
    fx.u.heartbeat.given_memory_mb = 512;
    rm_tracker_put_registered(&fx, &a);
    CU_ASSERT_EQUAL(a.message.action, RM_TRACKER_NORMAL);
    CU_ASSERT_EQUAL(a.message.rm_identifier, 99);
    CU_ASSERT_EQUAL(a.message.nm_key->id, -7);
    CU_ASSERT(memcmp(a.message.container_key->bytes.data, container.bytes, RM_MASTER_KEY_BYTES) ==
              0);
    CU_ASSERT_EQUAL(a.message.container_key->bytes.len, RM_MASTER_KEY_BYTES);
    CU_ASSERT_EQUAL(a.message.resource->memory, 512);
    fx.u.heartbeat.orders = &shut_down;
    fx.u.heartbeat.orders_n = 1;
    rm_tracker_put_registered(&fx, &a);
    CU_ASSERT_EQUAL(a.message.action, RM_TRACKER_SHUTDOWN);
    CU_ASSERT_PTR_NULL(a.message.nm_key);
    CU_ASSERT_PTR_NULL(a.message.container_key);
    CU_ASSERT_PTR_NOT_NULL(a.message.diagnostics);
}

static void test_orders(void)
{
    const struct base_container_id one = {{app, 1}, 1}, two = {{app, 1}, 2};
    const struct rm_order orders[] = {
        {.kind = BASE_ORDER_KILL, .container = one},
        {.kind = BASE_ORDER_FORGET, .container = two},
        {.kind = BASE_ORDER_SIGNAL, .container = one, .signal = BASE_SIGNAL_GRACEFUL_SHUTDOWN}};
    const struct rm_master_key nm[] = {{.id = 6, .bytes = "current"}, {.id = -7, .bytes = "nm"}};
    const struct rm_master_key current = {.id = 5};
    struct rm_tracker_beat_answer a;
    struct rm_effect fx = answer_of(3, orders, 3), resync = {.kind = RM_FX_REPLY};

    fx.u.heartbeat.nm_keys = nm;
    fx.u.heartbeat.nm_keys_n = 2;
    fx.u.heartbeat.container_keys = &current;
    fx.u.heartbeat.container_keys_n = 1;
    rm_tracker_put_beat_answer(&fx, &a);
    CU_ASSERT_EQUAL(a.message.nm_key->id, -7);
    CU_ASSERT(memcmp(a.message.nm_key->bytes.data, nm[1].bytes, RM_MASTER_KEY_BYTES) == 0);
    CU_ASSERT_PTR_NULL(a.message.container_key);
    CU_ASSERT_EQUAL_FATAL(a.message.n_to_end, 1);
    CU_ASSERT_EQUAL(a.message.to_end[0]->id, 1);
    CU_ASSERT_EQUAL_FATAL(a.message.n_to_forget, 1);
    CU_ASSERT_EQUAL(a.message.to_forget[0]->id, 2);
    CU_ASSERT_EQUAL_FATAL(a.message.n_signals, 1);
    CU_ASSERT_EQUAL(a.message.signals[0]->command, 2);
    CU_ASSERT_EQUAL(a.message.n_apps_to_clean_up, 0);
    CU_ASSERT_EQUAL(a.message.response_id, 3);
    CU_ASSERT_EQUAL(a.message.action, RM_TRACKER_NORMAL);
    rm_tracker_beat_answer_free(&a);
    resync.u.reply.kind = RM_REPLY_RESYNC;
    rm_tracker_put_beat_answer(&resync, &a);
    CU_ASSERT_EQUAL(a.message.action, RM_TRACKER_RESYNC);
    CU_ASSERT_FALSE(a.message.has_response_id);
    rm_tracker_beat_answer_free(&a);
}

/* ---- slots ---- */

static void check_slots(const char *settings, int64_t memory_mb, int64_t vcores, int32_t maps,
                        int32_t reduces)
{
    struct base_conf *conf = base_conf_new();
    struct base_error err = {0};
    char *copy = base_strdup(settings);
    int32_t slots[BASE_TASK_KINDS];

    for (char *rest = copy, *one; (one = strsep(&rest, " "));)
        CU_ASSERT_EQUAL_FATAL(*one ? base_conf_set_arg(conf, one, &err) : 0, 0);
    CU_ASSERT_EQUAL(rm_tracker_check_share(conf, &err), 0);
    rm_tracker_compute_slots(conf, memory_mb, vcores, slots);
    CU_ASSERT_EQUAL(slots[BASE_TASK_MAP], maps);
    CU_ASSERT_EQUAL(slots[BASE_TASK_REDUCE], reduces);
    free(copy);
    base_conf_free(conf);
}

static void test_slots(void)
{
    check_slots("", 0, 0, 0, 0);
    check_slots("", -1, -1, 0, 0);
    check_slots("", 2047, 9, 0, 0);
    check_slots("", 2048, 1, 1, 0);
    check_slots("", 4096, 1, 1, 1);
    check_slots("", 8191, 1, 2, 1);
    check_slots("", 8192, 1, 3, 1);
    check_slots("", 6 * 2048, 1, 4, 2);
    check_slots("", INT64_MAX, INT32_MAX, 10000, 4926);
    check_slots("creel.rpc.reduce-share=0", 6 * 2048, 1, 6, 0);
    check_slots("creel.rpc.reduce-share=1", 6 * 2048, 1, 0, 6);
    check_slots("creel.slot.map.memory-mb=1024", 6 * 1024, 1, 3, 1); /* 3 x 1024 + 2048 */
    check_slots("creel.slot.by=memory,vcores", 6 * 2048, 3, 2, 1);
    check_slots("creel.slot.by=memory,vcores creel.slot.map.vcores=2", 6 * 2048, 5, 2, 1);
}

static void check_wrong_share(const char *setting)
{
    struct base_conf *conf = base_conf_new();
    struct base_error err = {0};

    CU_ASSERT_EQUAL_FATAL(base_conf_set_arg(conf, setting, &err), 0);
    CU_ASSERT_EQUAL(rm_tracker_check_share(conf, &err), -BASE_EINVAL);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "creel.rpc.reduce-share"));
    base_conf_free(conf);
}

static void test_wrong_shares(void)
{
    check_wrong_share("creel.rpc.reduce-share=1.01");
    check_wrong_share("creel.rpc.reduce-share=-0.1");
}

/* ---- who may call ---- */

static void test_callers(void)
{
    CU_ASSERT(rm_rpc_lists_host("10.0.0.1,10.0.0.2", "10.0.0.2"));
    CU_ASSERT(rm_rpc_lists_host(" 10.0.0.1, 2001:db8::1", "2001:DB8:0::1"));
    CU_ASSERT_FALSE(rm_rpc_lists_host("10.0.0.1", "10.0.0.10"));
    CU_ASSERT_FALSE(rm_rpc_lists_host("10.0.0.1", ""));
    CU_ASSERT_FALSE(rm_rpc_lists_host("node1", "node1")); /* addresses alone */
    CU_ASSERT_FALSE(rm_rpc_lists_host("", "127.0.0.1"));
}

static const struct cunit_case cases[] = {{"registration", test_registration},
                                          {"recovered containers", test_recovered},
                                          {"amounts", test_amounts},
                                          {"lengths of lists", test_list_lengths},
                                          {"heartbeats", test_heartbeats},
                                          {"wrong figures", test_wrong_figures},
                                          {"recorded answers", test_recorded_answers},
                                          {"answer to a registration", test_registered},
                                          {"orders", test_orders},
                                          {"slots", test_slots},
                                          {"wrong shares", test_wrong_shares},
                                          {"callers", test_callers}};

CUNIT_MAIN("Hadoop RPC: NodeManagers", cases)
