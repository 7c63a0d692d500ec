/* Goal: QueueMetrics and PartitionQueueMetrics list the beans that each scheduler's shape has, with
 * the right sums over queues, users and partitions.
 * Method: views made by hand. */
#include <stdlib.h>
#include <string.h>

#include "api/admin/jmx.h"
#include "rm/http/admin/beans.h"
#include "rm/http/admin/queue_beans.h"
#include "tests/unit/cunit_main.h"

#define PREFIX "Hadoop:service=ResourceManager,name="

static struct rm_queue_view queues[] = {
    {.name = "root",
     .index = 0,
     .parent = -1,
     .pending_apps = 1,
     .active_apps = 2,
     .pending_containers = 3,
     .allocated_containers = 5,
     .used = {{5120, 5}},
     .demand = {{9216, 8}},
     .max = {{8192, 8}},
     .max_part = 1,
     .weight = 1,
     .max_apps = INT32_MAX,
     .is_parent = true,
     .policy = "fair",
     .fair_share = {{8192, 8}},
     .totals =
         {.submitted = {4, 1}, .completed = {1, 0}, .killed = {0, 1}, .begun = 10, .ended = 5}},
    {.name = "root.a",
     .index = 3,
     .parent = 0,
     .pending_apps = 1,
     .active_apps = 2,
     .pending_containers = 3,
     .allocated_containers = 5,
     .used = {{5120, 5}},
     .demand = {{9216, 8}},
     .min = {{512, 1}},
     .max = {{4096, 4}},
     .max_part = 0.5,
     .weight = 3,
     .max_apps = 10,
     .policy = "fifo",
     .fair_share = {{4096, 4}},
     .totals = {.submitted = {4, 1},
                .completed = {1, 0},
                .killed = {0, 1},
                .begun = 10,
                .ended = 5,
                .placed = {1, 2, 7},
                .first_n = 2,
                .first_us = 3000,
                .preempted = 1,
                .preempted_mb = 1024,
                .preempted_vcores = 2,
                .preempted_mb_seconds = 4096,
                .preempted_vcore_seconds = 8}},
    {.name = "root.b",
     .index = 1,
     .parent = 0,
     .max = {{8192, 8}},
     .max_part = 1,
     .weight = 1,
     .max_apps = INT32_MAX,
     .policy = "fair"},
};
static struct rm_queue_user_view users[] = {
    {.queue = 3,
     .user = "eve",
     .pending_apps = 1,
     .active_apps = 1,
     .unmanaged_active_apps = 1,
     .pending_containers = 3,
     .containers = 2,
     .wanting_apps = 1,
     .used = {{2048, 2}},
     .am_used = {{256, 1}},
     .pending = {{4096, 3}},
     .running_apps = {0, 1, 0, 0},
     .totals = {.submitted = {2, 1}, .begun = 4}},
    {.queue = 3,
     .user = "adam",
     .active_apps = 1,
     .containers = 3,
     .used = {{3072, 3}},
     .running_apps = {1, 0, 0, 0},
     .totals = {.submitted = {2, 0}, .begun = 6}},
    {.queue = 1, .user = "eve", .totals = {.submitted = {1, 0}}},
    {.queue = 7, .user = "gone", .totals = {.submitted = {9, 0}}}, /* of a queue not shown */
};
static struct rm_label_view labels[] = {{.name = "", .total = {{6144, 6}}},
                                        {.name = "gpu", .total = {{2048, 2}}}};
static struct rm_partition_view partitions[] = {
    {.label = 1, .queue = 3, .use = {.used = {{1024, 1}}, .containers = 1, .begun = 4, .ended = 3}},
};

static struct rm_queue_beans beans;

static void set_shape(enum rm_shape shape, bool with_users)
{
    beans = (struct rm_queue_beans){
        .shape = shape,
        .with_users = with_users,
        .cluster = {.total = {{8192, 8}}, .masters_max = 3, .slot = {{{1024, 1}}}},
        .views = {.queues = queues,
                  .queues_n = 3,
                  .queue_users = users,
                  .queue_users_n = 4,
                  .labels = labels,
                  .labels_n = 2,
                  .partitions = partitions,
                  .partitions_n = 1}};
}

static void list_queues(const struct api_bean_kind *kind, struct api_bean_sink *sink,
                        const struct api_bean_service *service)
{
    (void)service;
    rm_queue_beans_add_queues(kind, sink, &beans);
}

static void list_partitions(const struct api_bean_kind *kind, struct api_bean_sink *sink,
                            const struct api_bean_service *service)
{
    (void)service;
    rm_queue_beans_add_partitions(kind, sink, &beans);
}

/* Returns the beans that @query finds as JSON text; the caller frees it. */
static char *ask(const char *query)
{
    struct api_bean_kind q = rm_bean_queue_metrics, p = rm_bean_partition_metrics;
    const struct api_bean_kind *const kinds[] = {&q, &p, NULL};
    const struct api_bean_service service = {
        .name = "ResourceManager", .prefix = PREFIX, .kinds = kinds};
    struct base_buf out = {0};

    q.list = list_queues;
    p.list = list_partitions;
    api_jmx_encode(&service, query, NULL, &out);
    return base_buf_take(&out);
}

/* Expects the texts @lines, which NULL ends, in this order in the answer to @query. */
static void expect(const char *query, const char *const *lines)
{
    char *all = ask(query), *at = all;

    for (; *lines; lines++) {
        char *found = strstr(at, *lines);

        if (!found)
            fprintf(stderr, "%s not there in %s\n", *lines, at);
        CU_ASSERT_PTR_NOT_NULL(found);
        at = found ? found + strlen(*lines) : at;
    }
    free(all);
}

static size_t count_beans(const char *query)
{
    char *all = ask(query);
    size_t n = 0;

    for (const char *at = all; (at = strstr(at, "\"modelerType\"")); at++)
        n++;
    free(all);
    return n;
}

static void test_capacity(void)
{
    static const char *const leaf[] = {
        "\"tag.Queue\" : \"root.a\",\n    \"tag.Context\" : \"yarn\",\n"
        "    \"tag.Hostname\"",
        "\"running_0\" : 1,\n    \"running_60\" : 1,",
        "\"AMResourceLimitMB\" : 3072,",
        "\"AMResourceLimitVCores\" : 3,",
        "\"AbsoluteUsedCapacity\" : 0.625,",
        "\"GuaranteedAbsoluteCapacity\" : 0.5,",
        "\"GuaranteedCapacity\" : 0.5,",
        "\"GuaranteedMB\" : 4096,",
        "\"GuaranteedVCores\" : 4,",
        "\"MaxAbsoluteCapacity\" : 0.5,",
        "\"MaxCapacityMB\" : 4096,",
        "\"UsedAMResourceMB\" : 256,",
        "\"UsedAMResourceVCores\" : 1,",
        "\"UsedCapacity\" : 1.25,",
        "\"ActiveApplications\" : 1,",
        "\"ActiveUsers\" : 1,",
        "\"AggregateContainersAllocated\" : 10,",
        "\"AggregateContainersPreempted\" : 1,",
        "\"AggregateContainersReleased\" : 5,",
        "\"AggregateMemoryMBPreempted\" : 1024,",
        "\"AggregateMemoryMBSecondsPreempted\" : 4096,",
        "\"AggregateNodeLocalContainersAllocated\" : 1,",
        "\"AggregateOffSwitchContainersAllocated\" : 7,",
        "\"AggregateRackLocalContainersAllocated\" : 2,",
        "\"AggregateVcoreSecondsPreempted\" : 8,",
        "\"AggregateVcoresPreempted\" : 2,",
        "\"AllocatedContainers\" : 5,",
        "\"AllocatedMB\" : 5120,",
        "\"AllocatedVCores\" : 5,",
        "DelayNumOps\" : 2,",
        "DelayAvgTime\" : 1.5,",
        "\"AppsCompleted\" : 1,",
        "\"AppsFailed\" : 0,",
        "\"AppsKilled\" : 1,",
        "\"AppsPending\" : 1,",
        "\"AppsRunning\" : 2,",
        "\"AppsSubmitted\" : 5,",
        "\"AvailableMB\" : 0,",
        "\"PendingContainers\" : 3,",
        "\"PendingMB\" : 4096,",
        "\"PendingVCores\" : 3,",
        "\"UnmanagedAppsKilled\" : 1,",
        "\"UnmanagedAppsPending\" : 0,",
        "\"UnmanagedAppsRunning\" : 1,",
        "\"UnmanagedAppsSubmitted\" : 1",
        NULL};
    static const char *const root[] = {"\"AMResourceLimitMB\" : 0,", "\"UsedAMResourceMB\" : 0,",
                                       "\"ActiveUsers\" : 1,", "\"AvailableMB\" : 3072,", NULL};

    set_shape(RM_SHAPE_CAPACITY, false);
    expect(PREFIX "QueueMetrics,q0=root,q1=a", leaf);
    expect(PREFIX "QueueMetrics,q0=root", root);
    CU_ASSERT_EQUAL(count_beans(PREFIX "QueueMetrics,*"), 3);
    set_shape(RM_SHAPE_CAPACITY, true);
    CU_ASSERT_EQUAL(count_beans(PREFIX "QueueMetrics,*"), 3 + 5);
}

static void test_fair(void)
{
    static const char *const a[] = {"\"tag.SchedulingPolicy\" : \"FIFO\"",
                                    "\"AmResourceUsageMB\" : 256,",
                                    "\"FairShareMB\" : 4096,",
                                    "\"MaxApps\" : 10,",
                                    "\"MaxShareMB\" : 4096,",
                                    "\"MaxShareVCores\" : 4,",
                                    "\"MinShareMB\" : 512,",
                                    "\"SteadyFairShareMB\" : 6144,",
                                    NULL};
    static const char *const b[] = {"\"tag.SchedulingPolicy\" : \"fair\"",
                                    "\"MaxApps\" : 2147483647,",
                                    "\"MaxShareMB\" : 9223372036854775807,",
                                    "\"MaxShareVCores\" : 2147483647,",
                                    "\"SteadyFairShareMB\" : 2048,",
                                    "\"AvailableMB\" : 0,",
                                    NULL};
    static const char *const eve[] = {"\"tag.Queue\" : \"root\",\n    \"tag.User\" : \"eve\",\n"
                                      "    \"tag.Context\" : \"yarn\",\n    \"tag.Hostname\"",
                                      "\"running_60\" : 1,",
                                      "\"AggregateContainersAllocated\" : 4,",
                                      "\"AllocatedContainers\" : 2,",
                                      "\"AllocatedMB\" : 2048,",
                                      "\"AppsPending\" : 1,",
                                      "\"AppsRunning\" : 1,",
                                      "\"AppsSubmitted\" : 4,",
                                      "\"PendingMB\" : 4096,",
                                      NULL};

    static const char *const odd[] = {"\"tag.User\" : \"a,q1=b:\\\"*\"", NULL};

    set_shape(RM_SHAPE_FAIR, true);
    expect(PREFIX "QueueMetrics,q0=root,q1=a", a);
    expect(PREFIX "QueueMetrics,q0=root,q1=b", b);
    expect(PREFIX "QueueMetrics,q0=root,user=eve", eve);
    CU_ASSERT_EQUAL(count_beans(PREFIX "QueueMetrics,q0=root,q1=a,user=adam"), 1);
    users[1].user = "a,q1=b:\"*";
    expect(PREFIX "QueueMetrics,q0=root,q1=a,user=a_q1_b___", odd);
    users[1].user = "adam";
    queues[2].is_parent = true; /* a parent without children has no bean */
    CU_ASSERT_EQUAL(count_beans(PREFIX "QueueMetrics,q0=root,q1=b"), 0);
    queues[2].is_parent = false;
    CU_ASSERT_EQUAL(count_beans(PREFIX "QueueMetrics,*"), 3 + 5);
}

static void test_fifo(void)
{
    static const char *const all[] = {"\"name\" : \"" PREFIX "QueueMetrics,q0=default\"",
                                      "\"tag.Queue\" : \"default\"", "\"AppsSubmitted\" : 5,",
                                      "\"AvailableMB\" : 3072,", NULL};

    set_shape(RM_SHAPE_FIFO, false);
    expect(PREFIX "QueueMetrics,*", all);
    CU_ASSERT_EQUAL(count_beans(PREFIX "QueueMetrics,*"), 1);
}

static void test_partitions(void)
{
    static const char *const gpu[] = {
        "\"tag.Partition\" : \"gpu\",\n    \"tag.Queue\" : \"root\",\n    \"tag.Context\"",
        "\"AggregateContainersAllocated\" : 4,",
        "\"AggregateContainersReleased\" : 3,",
        "\"AllocatedContainers\" : 1,",
        "\"AllocatedMB\" : 1024,",
        "\"AvailableMB\" : 1024,",
        NULL};
    static const char *const rest[] = {"\"tag.Partition\" : \"\",\n    \"tag.Queue\" : \"root.a\",",
                                       "\"AggregateContainersAllocated\" : 6,",
                                       "\"AggregateContainersReleased\" : 2,",
                                       "\"AllocatedContainers\" : 4,",
                                       "\"AllocatedMB\" : 4096,",
                                       NULL};
    static const char *const whole[] = {"\"tag.Partition\" : \"gpu\",\n    \"tag.Context\"",
                                        "\"AllocatedMB\" : 1024,", NULL};

    set_shape(RM_SHAPE_CAPACITY, false);
    expect(PREFIX "PartitionQueueMetrics,partition=gpu,q0=root", gpu);
    expect(PREFIX "PartitionQueueMetrics,partition=,q0=root,q1=a", rest);
    expect(PREFIX "PartitionQueueMetrics,partition=gpu", whole);
    CU_ASSERT_EQUAL(count_beans(PREFIX "PartitionQueueMetrics,*"), 2 * (1 + 3));
}

static const struct cunit_case cases[] = {{"as the capacity scheduler", test_capacity},
                                          {"as the fair scheduler", test_fair},
                                          {"as the fifo scheduler", test_fifo},
                                          {"partitions", test_partitions}};
CUNIT_MAIN("queue beans", cases)
