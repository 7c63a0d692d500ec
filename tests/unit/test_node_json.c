/* Goal: what nodes say is decoded exactly or refused; orders come out as the protocol has them.
 * Method: messages in, orders out through jansson. */
#include <CUnit/Basic.h>
#include <stdio.h>
#include <string.h>

#include "base/crypto/base64.h"
#include "base/version.h"
#include "rm/http/node_json.h"
#include "rm/http/spec_json.h"

#define ID "\"nodeId\":\"n1:4242\",\"instance\":\"0123\""

static void test_register(void)
{
    static const char body[] =
        "{" ID ",\"httpAddress\":\"n1:4242\",\"rack\":\"/"
        "r1\",\"mapSlots\":2,\"reduceSlots\":1,\"masterSlots\":3,\"bootId\":\"b\","
        "\"epochSeen\":3,\"sentUs\":4000000001,\"version\":\"" CREEL_VERSION "\",\"containers\":["
        "{\"id\":\"container_e03_17_0002_01_000005\",\"state\":\"complete\",\"slot\":\"reduce\","
        "\"exitCode\":143,"
        "\"startedMs\":10,\"endedMs\":20,\"cpuMs\":3,\"task\":\"task_17_0002_r_000001\","
        "\"taskAttempt\":2,"
        "\"memoryMb\":512,\"counters\":{\"SPILLS\":4,\"NOT_OURS\":1}}],\"apps\":[\"application_17_"
        "0002\",\"application_18_0001\"]}";
    static const char no_app[] =
        "{" ID ",\"httpAddress\":\"n1:4242\",\"mapSlots\":2,\"reduceSlots\":1,\"bootId\":\"b\","
        "\"version\":\"" CREEL_VERSION "\",\"apps\":[\"application_17_0002\",7]}";
    struct rm_node_message m;
    struct base_error err = {0};

    CU_ASSERT_EQUAL_FATAL(rm_node_decode_register(body, strlen(body), &m, &err), 0);
    CU_ASSERT_STRING_EQUAL(m.ev.u.node_register.host, "n1");
    CU_ASSERT_EQUAL(m.ev.u.node_register.map_slots, 2);
    CU_ASSERT_EQUAL(m.ev.u.node_register.master_slots, 3);
    CU_ASSERT_EQUAL(m.ev.u.node_register.epoch_seen, 3);
    CU_ASSERT_EQUAL(m.ev.u.node_register.sent_us, 4000000001);
    CU_ASSERT_EQUAL_FATAL(m.ev.u.node_register.reports_n, 1);
    CU_ASSERT_EQUAL(m.reports[0].state, RM_CONTAINER_COMPLETED);
    CU_ASSERT_EQUAL(m.reports[0].slot, BASE_TASK_REDUCE);
    CU_ASSERT_EQUAL(m.reports[0].exit_code, 143);
    CU_ASSERT_EQUAL(m.reports[0].started_us, 10000);
    CU_ASSERT(m.reports[0].has_task);
    CU_ASSERT_EQUAL(m.reports[0].task.index, 1);
    CU_ASSERT_EQUAL(m.reports[0].resource.v[RM_RES_REDUCE_SLOTS], 1);
    CU_ASSERT_EQUAL(m.reports[0].counters[BASE_COUNT_SPILLS], 4);
    CU_ASSERT_EQUAL(BASE_CONTAINER_EPOCH(m.reports[0].id.num), 3);
    CU_ASSERT_EQUAL_FATAL(m.ev.u.node_register.apps_n, 2);
    CU_ASSERT_EQUAL(m.ev.u.node_register.apps[1].cluster_ts, 18);
    rm_node_message_free(&m);
    CU_ASSERT_EQUAL(rm_node_decode_register(no_app, strlen(no_app), &m, &err), -BASE_EINVAL);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "apps[1]"));
}

/* Counters are written by jobs: a bad one counts as 0 and costs the node nothing. */
static void test_bad_counters(void)
{
    static const char body[] =
        "{" ID ",\"responseId\":0,\"sentUs\":4000000002,\"containers\":["
        "{\"id\":\"container_1_0001_01_000001\",\"state\":\"running\","
        "\"counters\":{\"SPILLS\":-1,\"MAP_INPUT_RECORDS\":7,\"MAP_INPUT_BYTES\":"
        "9223372036854775807,"
        "\"SHUFFLE_BYTES\":\"x\",\"CPU_MILLIS\":1.5}},"
        "{\"id\":\"container_1_0001_01_000002\",\"state\":\"running\",\"counters\":[1]}]}";
    struct rm_node_message m;
    struct base_error err = {0};

    CU_ASSERT_EQUAL_FATAL(rm_node_decode_heartbeat(body, strlen(body), &m, &err), 0);
    CU_ASSERT_EQUAL(m.ev.u.heartbeat.sent_us, 4000000002);
    CU_ASSERT_EQUAL(m.reports[0].counters[BASE_COUNT_MAP_INPUT_RECORDS], 7);
    CU_ASSERT_EQUAL(m.reports[0].counters[BASE_COUNT_SPILLS], 0);
    CU_ASSERT_EQUAL(m.reports[0].counters[BASE_COUNT_MAP_INPUT_BYTES], 0);
    CU_ASSERT_EQUAL(m.reports[0].counters[BASE_COUNT_SHUFFLE_BYTES], 0);
    CU_ASSERT_EQUAL(m.reports[0].counters[BASE_COUNT_CPU_MILLIS], 0);
    CU_ASSERT_PTR_NULL(m.reports[1].counters);
    rm_node_message_free(&m);
}

/* A heartbeat without a new measurement has none for the core; one with a measurement has all its
 * figures. */
static void test_utilization(void)
{
    static const char
        none[] = "{" ID ",\"responseId\":0}",
        all[] = "{" ID ",\"responseId\":0,\"utilization\":{\"nodePhysicalMb\":4801,"
                "\"nodeVirtualMb\":4802,\"nodeMilliCores\":2000,"
                "\"containersPhysicalMb\":203,\"containersVirtualMb\":5476,"
                "\"containersMilliCores\":730,\"machineMb\":24105,\"machineCores\":2,\"later\":1}}";
    struct rm_node_message m, copy;
    struct base_error err = {0};
    const struct base_utilization *u;

    CU_ASSERT_EQUAL_FATAL(rm_node_decode_heartbeat(none, strlen(none), &m, &err), 0);
    CU_ASSERT_FALSE(m.ev.u.heartbeat.has_utilization);
    rm_node_message_free(&m);
    CU_ASSERT_EQUAL_FATAL(rm_node_decode_heartbeat(all, strlen(all), &m, &err), 0);
    copy = m; /* as a request that waits for the core is */
    memset(&m, 0xa5, sizeof m);
    CU_ASSERT_TRUE(copy.ev.u.heartbeat.has_utilization);
    u = &copy.ev.u.heartbeat.utilization;
    CU_ASSERT_EQUAL(u->node_physical_mb, 4801);
    CU_ASSERT_EQUAL(u->node_virtual_mb, 4802);
    CU_ASSERT_EQUAL(u->node_milli_cores, 2000);
    CU_ASSERT_EQUAL(u->containers_physical_mb, 203);
    CU_ASSERT_EQUAL(u->containers_virtual_mb, 5476);
    CU_ASSERT_EQUAL(u->containers_milli_cores, 730);
    CU_ASSERT_EQUAL(u->machine_mb, 24105);
    CU_ASSERT_EQUAL(u->machine_cores, 2);
    rm_node_message_free(&copy);
}

static void test_bad(void)
{
    static const struct {
        const char *body, *word;
    } bad[] = {
        {"[]", "object"},
        {"{\"instance\":\"1\",\"responseId\":0}", "nodeId"},
        {"{\"nodeId\":\"n1\",\"instance\":\"1\",\"responseId\":0}", "host:port"},
        {"{\"nodeId\":\"n1:0\",\"instance\":\"1\",\"responseId\":0}", "host:port"},
        {"{\"nodeId\":\":4242\",\"instance\":\"1\",\"responseId\":0}", "host:port"},
        {"{\"nodeId\":\"n1:65536\",\"instance\":\"1\",\"responseId\":0}", "host:port"},
        {"{\"nodeId\":\"n1:99999\",\"instance\":\"1\",\"responseId\":0}", "host:port"},
        {"{" ID "}", "responseId"},
        {"{" ID ",\"responseId\":-1}", "responseId: -1"},
        {"{" ID ",\"responseId\":0,\"holdMs\":99999999}", "holdMs"},
        {"{" ID ",\"responseId\":0,\"sentUs\":-1}", "sentUs: -1"},
        {"{" ID ",\"responseId\":0,\"healthy\":1}", "healthy"},
        {"{" ID ",\"responseId\":0,\"utilization\":[]}", "utilization"},
        {"{" ID ",\"responseId\":0,\"utilization\":{\"nodeMilliCores\":-1}}",
         "utilization.nodeMilliCores: -1"},
        {"{" ID ",\"responseId\":0,\"containers\":{}}", "containers"},
        {"{" ID ",\"responseId\":0,\"containers\":[7]}", "containers[0]"},
        {"{" ID ",\"responseId\":0,\"containers\":[{\"id\":\"x\",\"state\":\"running\"}]}",
         "containers[0].id"},
        {"{" ID ",\"responseId\":0,\"containers\":[{\"id\":\"container_1_0001_01_000001\","
         "\"state\":\"odd\"}]}",
         "odd"},
        {"{" ID ",\"responseId\":0,\"containers\":[{\"id\":\"container_1_0001_01_000001\","
         "\"state\":\"running\","
         "\"progress\":2}]}",
         "progress: 2"},
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct rm_node_message m;
        struct base_error err = {0};
        CU_ASSERT(rm_node_decode_heartbeat(bad[i].body, strlen(bad[i].body), &m, &err) < 0);
        if (!strstr(err.text, bad[i].word))
            printf("\n  %s\n  -> %s\n", bad[i].body, err.text);
        CU_ASSERT_PTR_NOT_NULL(strstr(err.text, bad[i].word));
    }
}

static const char *text_of(const json_t *j, const char *name)
{
    const char *s = json_string_value(json_object_get(j, name));

    return s ? s : "(none)";
}

static json_t *encode(const struct rm_order *o)
{
    const struct rm_order_context cx = {.rm_urls = "http://rm:8088", .sort_buffer_mb = 32};
    struct base_buf out = {0};
    json_t *j;

    rm_order_encode(o, &cx, &out);
    j = json_loadb(out.data, out.len, JSON_REJECT_DUPLICATES, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(j);
    base_buf_free(&out);
    return j;
}

static void test_launch(void)
{
    static const char body[] = "{\"job\":{\"env\":{\"K\":\"a=\\\"b\\\"\\n\"},\"tasks\":[{"
                               "\"command\":\"echo \\\"hi\\\"\\n\"}]}}";
    const struct rm_spec_defaults d = {.user = "ann", .split_size = 1, .max_attempts = 4};
    struct rm_job_spec *spec = NULL;
    struct rm_order o = {.kind = BASE_ORDER_LAUNCH,
                         .user = "ann",
                         .name = "job",
                         .token = "secret",
                         .task_attempt = 1};
    json_t *j;

    CU_ASSERT_EQUAL_FATAL(rm_spec_job_decode(body, strlen(body), &d, &spec, NULL), 0);
    o.app = (struct base_app_id){17, 2};
    o.container = (struct base_container_id){{o.app, 1}, 2};
    o.task = (struct base_task_id){o.app, BASE_TASK_MAP, 0};
    o.job = spec;
    o.resource.v[RM_RES_MEMORY_MB] = 2048;
    j = encode(&o);
    CU_ASSERT_STRING_EQUAL(text_of(j, "type"), "launch");
    CU_ASSERT_STRING_EQUAL(text_of(j, "kind"), "command");
    CU_ASSERT_STRING_EQUAL(text_of(j, "command"), "echo \"hi\"\n");
    CU_ASSERT_STRING_EQUAL(text_of(j, "container"), "container_17_0002_01_000002");
    CU_ASSERT_STRING_EQUAL(text_of(j, "task"), "task_17_0002_m_000000");
    CU_ASSERT_STRING_EQUAL(text_of(json_object_get(j, "env"), "K"), "a=\"b\"\n");
    CU_ASSERT_EQUAL(json_integer_value(json_object_get(j, "memoryMb")), 2048);
    json_decref(j);
    rm_job_spec_unref(spec);
}

/* Checks that the order's credentials are this token file. */
static void check_credentials(const struct rm_order *o, const char *file, size_t len)
{
    json_t *j = encode(o);
    struct base_buf bytes = {0};

    base_base64_decode(text_of(j, "credentials"), &bytes);
    CU_ASSERT_EQUAL_FATAL(bytes.len, len);
    CU_ASSERT(memcmp(bytes.data, file, len) == 0);
    base_buf_free(&bytes);
    json_decref(j);
}

/* A master's token file is that of its submission with the AMRM token put in. Identifier and
 * password are those that a Java program was seen to accept for this key. */
#define AMRM_TOKEN                                                                                 \
    "\0\x11\x0a\x0d\x0a\x09\x08\x07\x10\x80\xd0\x95\xff\xbc\x31\x10\x01\x10\x01\x14\xa0\x13\x0c"   \
    "\x76\x26\x5d\xb3\x4b\xf1\x55\x83\xe2\x4f\xf0\x1e\xec\x0d\xe0\xa8\xc5\x10YARN_AM_RM_TOKEN\0"
static const char submitted[] = "HDTS\0\0\1\1s\2ab";
static const char token_alone[] = "HDTS\0\1" AMRM_TOKEN "\0";
static const char both[] = "HDTS\0\1" AMRM_TOKEN "\1\1s\2ab";

static void test_master_credentials(void)
{
    /* zeros at its end do not change what HMAC makes of a key */
    const struct rm_master_key key = {.id = 1, .bytes = {1, 2, 3, 4, 5, 6, 7, 8}};
    struct rm_launch launch = {0};
    struct rm_order o = {.kind = BASE_ORDER_LAUNCH,
                         .user = "ann",
                         .launch = &launch,
                         .master = true,
                         .amrm_key = &key};
    struct base_buf text = {0};

    o.app = (struct base_app_id){INT64_C(1700000000000), 7};
    o.container = (struct base_container_id){{o.app, 1}, 1};
    check_credentials(&o, token_alone, sizeof token_alone - 1);
    base_base64_encode(submitted, sizeof submitted - 1, &text);
    launch.credentials = text.data;
    check_credentials(&o, both, sizeof both - 1);
    o.amrm_key = NULL; /* masters do not speak Hadoop RPC */
    check_credentials(&o, submitted, sizeof submitted - 1);
    base_buf_free(&text);
}

static void test_service_data(void)
{
    struct rm_launch launch = {.shuffle_data = "c2VjcmV0"};
    json_t *j = encode(&(struct rm_order){
        .kind = BASE_ORDER_LAUNCH, .user = "ann", .launch = &launch, .master = true});

    CU_ASSERT_STRING_EQUAL(text_of(j, "shuffleData"), "c2VjcmV0");
    json_decref(j);
}

static void test_heartbeat(void)
{
    const struct rm_order orders[] = {{.kind = BASE_ORDER_KILL, .reason = "why", .grace_ms = 250},
                                      {.kind = BASE_ORDER_FORGET},
                                      {.kind = BASE_ORDER_CLEANUP_APP, .app = {17, 2}}};
    const struct rm_order_context cx = {.rm_urls = "", .sort_buffer_mb = 1};
    struct rm_effect fx = {.kind = RM_FX_HEARTBEAT};
    struct base_buf out = {0};
    json_t *j, *list;

    fx.u.heartbeat.epoch = 4;
    fx.u.heartbeat.response_id = 9;
    fx.u.heartbeat.interval_us = 1000000;
    fx.u.heartbeat.orders = orders;
    fx.u.heartbeat.orders_n = 3;
    rm_heartbeat_answer_encode(&fx, "c", &cx, &out);
    j = json_loadb(out.data, out.len, JSON_REJECT_DUPLICATES, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(j);
    CU_ASSERT_EQUAL(json_integer_value(json_object_get(j, "responseId")), 9);
    CU_ASSERT_EQUAL(json_integer_value(json_object_get(j, "heartbeatMs")), 1000);
    list = json_object_get(j, "orders");
    CU_ASSERT_EQUAL(json_array_size(list), 3);
    CU_ASSERT_STRING_EQUAL(text_of(json_array_get(list, 0), "type"), "kill");
    CU_ASSERT_STRING_EQUAL(text_of(json_array_get(list, 2), "app"), "application_17_0002");
    json_decref(j);
    base_buf_free(&out);
}

int main(void)
{
    unsigned failed;
    CU_pSuite suite;

    if (CU_initialize_registry() != CUE_SUCCESS)
        return 1;
    suite = CU_add_suite("node_json", NULL, NULL);
    CU_add_test(suite, "registration", test_register);
    CU_add_test(suite, "bad heartbeats", test_bad);
    CU_add_test(suite, "utilization", test_utilization);
    CU_add_test(suite, "bad counters", test_bad_counters);
    CU_add_test(suite, "launch order", test_launch);
    CU_add_test(suite, "credentials of a master", test_master_credentials);
    CU_add_test(suite, "service data", test_service_data);
    CU_add_test(suite, "heartbeat answer", test_heartbeat);
    CU_basic_set_mode(CU_BRM_VERBOSE);
    CU_basic_run_tests();
    failed = CU_get_number_of_failures();
    CU_cleanup_registry();
    return failed ? 1 : 0;
}
