/* Beans: names and patterns, JSON and Prometheus' text from one table. Expected texts follow
 * recordings of YARN 3.4.2. */
#include <stdlib.h>
#include <string.h>

#include "api/admin/bean_name.h"
#include "api/admin/jmx.h"
#include "api/admin/process_beans.h"
#include "api/admin/prom.h"
#include "tests/unit/cunit_main.h"

#define DAEMON "Hadoop:service=Daemon,name="

struct queue {
    const char *queue, *session;
    int64_t apps;
    double used, exact;
    struct api_rate rate;
    const char *text;
    bool flag;
    struct api_memory_usage heap;
    struct api_longs longs;
    struct api_texts texts;
};
static const struct api_attribute attributes[] = {
    API_ATTRIBUTE(queue, "Queue", API_ATTR_TAG, queue),
    API_ATTRIBUTE(queue, "SessionId", API_ATTR_TAG, session),
    API_ATTRIBUTE(queue, "AppsSubmitted", API_ATTR_COUNT, apps),
    {"FairOnly", API_ATTR_GAUGE, offsetof(struct queue, apps), 1},
    API_ATTRIBUTE(queue, "UsedCapacity", API_ATTR_FLOAT, used),
    API_ATTRIBUTE(queue, "Exact", API_ATTR_DOUBLE, exact),
    API_ATTRIBUTE(queue, "AMLaunchDelay", API_ATTR_RATE, rate),
    {"NothingMB", API_ATTR_NO_GAUGE, 0, 0},
    {"NoDelay", API_ATTR_NO_RATE, 0, 0},
    API_ATTRIBUTE(queue, "Text", API_ATTR_TEXT, text),
    API_ATTRIBUTE(queue, "Flag", API_ATTR_BOOL, flag),
    API_ATTRIBUTE(queue, "Heap", API_ATTR_USAGE, heap),
    API_ATTRIBUTE(queue, "Longs", API_ATTR_LONGS, longs),
    API_ATTRIBUTE(queue, "Texts", API_ATTR_TEXTS, texts),
};
static int filled; /* how often the beans were made */

static void list_queues(const struct api_bean_kind *kind, struct api_bean_sink *sink,
                        const struct api_bean_service *service)
{
    static const int64_t longs[] = {1, 23};
    static const char *const texts[] = {"a", "b\"c"};
    struct queue q = {.queue = "root",
                      .apps = 4,
                      .used = 1.6410257,
                      .exact = 5.875000000000001,
                      .rate = {3, 0.5},
                      .flag = true,
                      .heap = {3, 2, -1, 1},
                      .longs = {longs, 2},
                      .texts = {texts, 2}};

    CU_ASSERT_STRING_EQUAL(service->user, "user");
    filled++;
    api_bean_add_if_wanted(kind, sink, "QueueMetrics,q0=root", 1, &q);
    q = (struct queue){.queue = "root.\"a", .session = "s", .text = "x", .apps = 1};
    api_bean_add_if_wanted(kind, sink, "QueueMetrics,q0=root,q1=a", 0, &q);
}

static const struct api_bean_kind queue_kind = {
    .name = "QueueMetrics", .list = list_queues, API_ATTRIBUTES(attributes)};
static const struct api_bean_kind *const kinds[] = {&queue_kind, API_PROCESS_BEANS, NULL};
static const struct api_bean_service service = {
    .name = "Daemon", .prefix = DAEMON, .kinds = kinds, .user = (void *)"user"};

static char *jmx(const char *query, const char *get)
{
    struct base_buf out = {0};

    api_jmx_encode(&service, query, get, &out);
    return base_buf_take(&out);
}

static void expect(const char *query, const char *get, const char *text)
{
    char *got = jmx(query, get);

    CU_ASSERT_STRING_EQUAL(got, text);
    free(got);
}

static void test_names(void)
{
    static const char *const good[] = {"a:b=c", "a:b=c,d=e", "a:*", "*:b=*,*", ":type=x", "a:b="};
    static const char *const bad[] = {"nonsense", "a:", "a:b", "a:=b", "a:b=c,", "a:b=c,d", ""};

    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        CU_ASSERT_TRUE(api_bean_name_is_valid(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CU_ASSERT_FALSE(api_bean_name_is_valid(bad[i]));

    CU_ASSERT_TRUE(api_bean_name_matches(DAEMON "Q,q0=root", DAEMON, "Q,q0=root"));
    CU_ASSERT_TRUE(
        api_bean_name_matches("Hadoop:q0=root,name=Q,service=Daemon", DAEMON, "Q,q0=root"));
    CU_ASSERT_FALSE(api_bean_name_matches(DAEMON "Q", DAEMON, "Q,q0=root"));
    CU_ASSERT_TRUE(api_bean_name_matches(DAEMON "Q,*", DAEMON, "Q,q0=root"));
    CU_ASSERT_TRUE(api_bean_name_matches("*:*", DAEMON, "Q,q0=root"));
    CU_ASSERT_TRUE(api_bean_name_matches("Ha??op:*,name=*Q*", DAEMON, "aQb"));
    CU_ASSERT_FALSE(api_bean_name_matches("Ha??op:*,name=*Q", DAEMON, "aQb"));
    CU_ASSERT_FALSE(api_bean_name_matches("Hadoop:name=Q", DAEMON, "Q"));
    CU_ASSERT_FALSE(api_bean_name_matches("hadoop:*", DAEMON, "Q"));
    CU_ASSERT_TRUE(api_bean_name_matches("Hadoop:*,q0=[a]", DAEMON, "Q,q0=[a]"));
    CU_ASSERT_FALSE(api_bean_name_matches("Hadoop:*,q0=[a]", DAEMON, "Q,q0=a"));

    CU_ASSERT_TRUE(api_bean_kind_may_match(DAEMON "QueueMetrics,q0=root", DAEMON, "QueueMetrics"));
    CU_ASSERT_TRUE(api_bean_kind_may_match(DAEMON "Que*", DAEMON, "QueueMetrics"));
    CU_ASSERT_TRUE(api_bean_kind_may_match("*:*", DAEMON, "QueueMetrics"));
    CU_ASSERT_TRUE(api_bean_kind_may_match(DAEMON "RpcActivityForPort1", DAEMON, "RpcActivity"));
    CU_ASSERT_FALSE(api_bean_kind_may_match(DAEMON "RMInfo", DAEMON, "QueueMetrics"));
    /* this pattern names every property, and none of them has the kind's key */
    CU_ASSERT_FALSE(api_bean_kind_may_match(DAEMON "RMInfo", "java.lang:type=", "Memory"));
    CU_ASSERT_TRUE(api_bean_kind_may_match("java.lang:t*=Memory", "java.lang:type=", "Memory"));
    CU_ASSERT_TRUE(api_bean_kind_may_match("java.lang:t?pe=Memory", "java.lang:type=", "Memory"));
}

static void test_json(void)
{
    char *all;

    expect(DAEMON "QueueMetrics,q0=root", NULL,
           "{\n  \"beans\" : [ {\n"
           "    \"name\" : \"Hadoop:service=Daemon,name=QueueMetrics,q0=root\",\n"
           "    \"modelerType\" : \"QueueMetrics,q0=root\",\n"
           "    \"tag.Queue\" : \"root\",\n    \"tag.SessionId\" : null,\n"
           "    \"AppsSubmitted\" : 4,\n    \"FairOnly\" : 4,\n    \"UsedCapacity\" : 1.6410257,\n"
           "    \"Exact\" : 5.875000000000001,\n    \"AMLaunchDelayNumOps\" : 3,\n"
           "    \"AMLaunchDelayAvgTime\" : 0.5,\n    \"NothingMB\" : 0,\n"
           "    \"NoDelayNumOps\" : 0,\n    \"NoDelayAvgTime\" : 0.0,\n    \"Text\" : null,\n"
           "    \"Flag\" : true,\n    \"Heap\" : {\n      \"committed\" : 3,\n"
           "      \"init\" : 2,\n      \"max\" : -1,\n      \"used\" : 1\n    },\n"
           "    \"Longs\" : [ 1, 23 ],\n    \"Texts\" : [ \"a\", \"b\\\"c\" ]\n  } ]\n}");
    expect(DAEMON "QueueMetrics,q0=root,q1=a", NULL,
           "{\n  \"beans\" : [ {\n"
           "    \"name\" : \"Hadoop:service=Daemon,name=QueueMetrics,q0=root,q1=a\",\n"
           "    \"modelerType\" : \"QueueMetrics,q0=root,q1=a\",\n"
           "    \"tag.Queue\" : \"root.\\\"a\",\n    \"tag.SessionId\" : \"s\",\n"
           "    \"AppsSubmitted\" : 1,\n    \"UsedCapacity\" : 0.0,\n    \"Exact\" : 0.0,\n"
           "    \"AMLaunchDelayNumOps\" : 0,\n    \"AMLaunchDelayAvgTime\" : 0.0,\n"
           "    \"NothingMB\" : 0,\n    \"NoDelayNumOps\" : 0,\n    \"NoDelayAvgTime\" : 0.0,\n"
           "    \"Text\" : \"x\",\n    \"Flag\" : false,\n    \"Heap\" : {\n"
           "      \"committed\" : 0,\n      \"init\" : 0,\n      \"max\" : 0,\n"
           "      \"used\" : 0\n    },\n    \"Longs\" : [ ],\n    \"Texts\" : [ ]\n  } ]\n}");
    all = jmx(DAEMON "QueueMetrics,*", NULL);
    CU_ASSERT_PTR_NOT_NULL(strstr(all, "\n  }, {\n    \"name\" : "));
    free(all);
    filled = 0;
    expect("Hadoop:service=NoSuch,name=*", NULL, "{\n  \"beans\" : [ ]\n}");
    expect(DAEMON "Other", NULL, "{\n  \"beans\" : [ ]\n}");
    /* once, for the pattern of names; not for the name of another kind */
    CU_ASSERT_EQUAL(filled, 1);
    expect("nonsense", NULL, "{ }");
}

static void test_get(void)
{
#define ONE(members)                                                                               \
    "{\n  \"beans\" : [ {\n    \"name\" : "                                                        \
    "\"Hadoop:service=Daemon,name=QueueMetrics,q0=root\",\n"                                       \
    "    \"modelerType\" : \"QueueMetrics,q0=root\",\n" members "\n  } ]\n}"
    static const char root[] = DAEMON "QueueMetrics,q0=root";
    struct {
        const char *attribute, *answer;
    } all[] = {
        {"AppsSubmitted", ONE("    \"AppsSubmitted\" : 4")},
        {"tag.Queue", ONE("    \"tag.Queue\" : \"root\"")},
        {"AMLaunchDelayAvgTime", ONE("    \"AMLaunchDelayAvgTime\" : 0.5")},
        {"Queue", ONE("    \"result\" : \"ERROR\",\n    \"message\" : "
                      "\"No attribute with name Queue was found.\"")},
    };
    struct base_buf get = {0};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        base_buf_clear(&get);
        base_buf_addf(&get, "%s::%s", root, all[i].attribute);
        expect("ignored", get.data, all[i].answer);
    }
    base_buf_free(&get);
    expect(NULL, "Hadoop:service=Daemon",
           "{\n  \"result\" : \"ERROR\",\n  \"message\" : \"query format is not as expected.\"\n}");
    expect(NULL, "Hadoop:service=Nope,name=X::Nope", "{\n  \"beans\" : [ ]\n}");
    expect(NULL, "nonsense::Nope", "{ }");
}

static void test_prom_names(void)
{
    static const struct {
        const char *camel, *snake;
    } all[] = {
        {"ClusterMetricsNumActiveNMs", "cluster_metrics_num_active_n_ms"},
        {"QueueMetricsAllocatedMB", "queue_metrics_allocated_mb"},
        {"QueueMetricsAllocatedVCores", "queue_metrics_allocated_v_cores"},
        {"QueueMetricsAMResourceLimitMB", "queue_metrics_am_resource_limit_mb"},
        {"JvmMetricsMemHeapUsedM", "jvm_metrics_mem_heap_used_m"},
        {"QueueMetricsRunning_0", "queue_metrics_running_0"},
        {"RpcRpcSlowCalls", "rpc_rpc_slow_calls"},
        {"HttpServer2Responses2xx", "http_server2_responses2xx"},
        {"JvmMetricsGcCountG1 Old Generation", "jvm_metrics_gc_count_g1_old_generation"},
    };

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct base_buf out = {0};

        api_prom_add_camel_as_snake(&out, all[i].camel);
        CU_ASSERT_STRING_EQUAL(out.data, all[i].snake);
        base_buf_free(&out);
    }
}

static void test_prom(void)
{
    static const char start[] =
        "# HELP queue_metrics_apps_submitted AppsSubmitted of QueueMetrics\n"
        "# TYPE queue_metrics_apps_submitted counter\n"
        "queue_metrics_apps_submitted{queue=\"root\",sessionid=\"null\"} 4\n"
        "queue_metrics_apps_submitted{queue=\"root.\\\"a\",sessionid=\"s\"} 1\n"
        "# HELP queue_metrics_fair_only FairOnly of QueueMetrics\n"
        "# TYPE queue_metrics_fair_only gauge\n"
        "queue_metrics_fair_only{queue=\"root\",sessionid=\"null\"} 4\n";
    struct base_buf out = {0};

    api_prom_encode(&service, &out);
    CU_ASSERT_EQUAL(strncmp(out.data, start, strlen(start)), 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(out.data, "\nqueue_metrics_am_launch_delay_num_ops{"));
    CU_ASSERT_PTR_NOT_NULL(
        strstr(out.data, "\nqueue_metrics_used_capacity{queue=\"root\",sessionid=\"null\"} "
                         "1.6410257\n"));
    CU_ASSERT_PTR_NOT_NULL(strstr(out.data, "\njvm_metrics_mem_heap_used_m{context=\"jvm\","
                                            "processname=\"Daemon\",sessionid=\"null\","));
    CU_ASSERT_PTR_NOT_NULL(strstr(out.data, "\njvm_metrics_gc_count_g1_old_generation{"));
    CU_ASSERT_PTR_NULL(strstr(out.data, "java"));
    CU_ASSERT_PTR_NULL(strstr(out.data, "_text"));
    base_buf_free(&out);
}

/* Returns the number after @name in the text of all beans; fails when it is not there. */
static double number_of(const char *all, const char *name)
{
    const char *at = strstr(all, name);

    CU_ASSERT_PTR_NOT_NULL_FATAL(at);
    return strtod(at + strlen(name), NULL);
}

static void test_process(void)
{
    char *all = jmx(NULL, NULL);

    CU_ASSERT_PTR_NULL(strstr(all, "GcCountG1"));
    CU_ASSERT_TRUE(number_of(all, "\"ThreadCount\" : ") >= 1);
    CU_ASSERT_TRUE(number_of(all, "\"MemHeapUsedM\" : ") > 0);
    CU_ASSERT_TRUE(number_of(all, "\"MemHeapMaxM\" : ") > 0);
    CU_ASSERT_TRUE(number_of(all, "\"ThreadsRunnable\" : ") >= 1);
    CU_ASSERT_TRUE(number_of(all, "\"StartTime\" : ") > 1.6e12);
    CU_ASSERT_TRUE(number_of(all, "\"Uptime\" : ") >= 0);
    CU_ASSERT_TRUE(number_of(all, "\"OpenFileDescriptorCount\" : ") >= 3);
    CU_ASSERT_TRUE(number_of(all, "\"TotalPhysicalMemorySize\" : ") > 1e6);
    CU_ASSERT_TRUE(number_of(all, "\"AvailableProcessors\" : ") >= 1);
    CU_ASSERT_TRUE(number_of(all, "\"NumActiveSources\" : ") == 4);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(all, "\"name\" : \"java.lang:name=G1 Old Generation,type=GarbageCollector\""));
    free(all);
    all = jmx("java.lang:type=GarbageCollector,*", NULL);
    CU_ASSERT_PTR_NOT_NULL(strstr(all, "\"CollectionCount\" : 0"));
    free(all);
}

static const struct cunit_case cases[] = {
    {"names and patterns", test_names}, {"JSON", test_json},
    {"one attribute", test_get},        {"names for Prometheus", test_prom_names},
    {"Prometheus", test_prom},          {"figures of the process", test_process},
};
CUNIT_MAIN("beans", cases)
