/* Goal: recorded rounds of offers become YARN's activities: byte for byte what a real YARN answered
 * where that was recorded, and below applications as its documentation shows.
 * Method: rounds are made up; the bodies are compared whole. */
#include <time.h>

#include "rm/http/yarn/scheduler/activity_tree.h"
#include "tests/unit/cunit_main.h"
#include "tests/unit/golden.h"

#define TS INT64_C(1795244424900)

static const struct rm_queue_view queues[] = {
    {.name = "root", .parent = -1, .is_parent = true},
    {.name = "root.org", .parent = 0, .is_parent = true},
    {.name = "root.default", .parent = 0},
    {.name = "root.org.eng", .parent = 1},
};
static struct yarn_context frame = {.shape = RM_SHAPE_CAPACITY};
static struct yarn_memory memory;

static void begin(void)
{
    static struct rm_queue_view copy[4];

    memcpy(copy, queues, sizeof copy);
    frame.queues.queues = copy;
    frame.queues.queues_n = 4;
    memory = (struct yarn_memory){0};
    setenv("TZ", "UTC", 1);
    tzset();
}

static void equals(const char *is, const char *real)
{
    if (strcmp(is, real) != 0)
        fprintf(stderr, "  is   %s\n  real %s\n", is, real);
    CU_ASSERT_STRING_EQUAL(is, real);
}

static void same(const char *name, const struct api_shape *shape, enum api_dialect d,
                 const void *view)
{
    struct base_buf out = {0};
    struct golden g;

    golden_read(name, &g);
    api_shape_encode_document(shape, d, view, &out);
    equals(out.data, g.body);
    golden_free(&g);
    base_buf_free(&out);
}

static void is_json(const struct api_shape *shape, const void *view, const char *want)
{
    struct base_buf out = {0};

    api_shape_encode_document(shape, API_N_BARE, view, &out);
    equals(out.data, want);
    base_buf_free(&out);
}

static void test_idle(void)
{
    struct rm_round_view round = {
        .number = 1, .at_us = INT64_C(1795244433248) * 1000, .node_id = "localhost:18010"};
    struct yarn_activities a, bulk_items[1];
    struct yarn_bulk_activities bulk = {{bulk_items, 1, sizeof a}};

    begin();
    yarn_activities_fill(&frame, &round, false, &memory, &a);
    same("capacity/running/activities.json.http", &yarn_shape_activities, API_N_WRAPPED, &a);
    same("capacity/running/activities.xml.http", &yarn_shape_activities, API_XML_DOC, &a);
    bulk_items[0] = a;
    is_json(&yarn_shape_bulk_activities, &bulk,
            "{\"activities\":[{\"nodeId\":\"localhost:18010\",\"timestamp\":1795244433248,"
            "\"dateTime\":\"Sat Nov 21 07:00:33 UTC 2026\",\"allocations\":[{\"partition\":\"\","
            "\"finalAllocationState\":\"SKIPPED\",\"root\":{\"name\":\"root\",\"allocationState\":"
            "\"SKIPPED\",\"diagnostic\":\"Queue does not need more resource\"}}]}]}");
    yarn_memory_free(&memory);
}

/* Two applications of root.default want nothing, while another one of that queue wants something;
 * the queue beside it wants nothing. */
static void test_skipped(void)
{
    struct rm_offer_view offers[] = {
        {.app = {TS, 2}, .queue = "root.default", .wants_nothing = true},
        {.app = {TS, 3}, .queue = "root.default", .wants_nothing = true}};
    const char *wanting[] = {"root.default"};
    struct rm_round_view round = {.at_us = INT64_C(1795244494240) * 1000,
                                  .node_id = "localhost:18020",
                                  .offers = offers,
                                  .offers_n = 2,
                                  .wanting = wanting,
                                  .wanting_n = 1};
    const struct api_any *children, *apps;
    struct yarn_activities a;

    begin();
    yarn_activities_fill(&frame, &round, false, &memory, &a);
    same("capacity/running/activities-again.json.http", &yarn_shape_activities, API_N_WRAPPED, &a);
    same("capacity/running/activities-again.xml.http", &yarn_shape_activities, API_XML_DOC, &a);
    offers[0].wants_nothing = false; /* it was offered a slot, and did not take it */
    yarn_activities_fill(&frame, &round, false, &memory, &a);
    children = ((const struct yarn_allocation *)a.allocations.items)->root->children.items;
    apps = ((const struct yarn_activity_node *)children[1].view)->children.items;
    CU_ASSERT_STRING_EQUAL(((const struct yarn_activity_node *)apps[0].view)->diagnostic,
                           "Application couldn't get container for allocation");
    /* the queue wants something, and was not offered the slot */
    round.offers_n = 0;
    yarn_activities_fill(&frame, &round, false, &memory, &a);
    children = ((const struct yarn_allocation *)a.allocations.items)->root->children.items;
    CU_ASSERT_STRING_EQUAL(((const struct yarn_activity_node *)children[1].view)->diagnostic,
                           "Queue skipped to respect FIFO of applications");
    round.full = true;
    yarn_activities_fill(&frame, &round, false, &memory, &a);
    children = ((const struct yarn_allocation *)a.allocations.items)->root->children.items;
    CU_ASSERT_STRING_EQUAL(((const struct yarn_activity_node *)children[1].view)->diagnostic,
                           "Queue skipped because node resource is insufficient");
    yarn_memory_free(&memory);
}

#define REQUEST(children)                                                                          \
    "{\"requestPriority\":20,\"allocationState\":\"ALLOCATED\",\"allocationRequestId\":7,"         \
    "\"children\":[" children "]}"
#define CONTAINER                                                                                  \
    "{\"name\":\"container_1795244424900_0002_01_000005\",\"allocationState\":\"ALLOCATED\","      \
    "\"nodeId\":\"h:1\"}"
#define GROUP "{\"allocationState\":\"ALLOCATED\",\"count\":1,\"nodeIds\":[\"h:1\"]}"

static struct rm_offer_view offers_of_apps[] = {
    {.app = {TS, 1}, .queue = "root.default", .waits_for_locality = true, .app_priority = 1},
    {.app = {TS, 2},
     .queue = "root.org.eng",
     .taken = true,
     .has_container = true,
     .container = {{{TS, 2}, 1}, 5},
     .request_priority = 20,
     .allocation_request_id = 7},
    {.app = {TS, 3}, .queue = "root.default", .taken = true, .allocation_request_id = -1},
    {.app = {TS, 1}, .queue = "root.default", .waits_for_locality = true, .app_priority = 1}};
static const struct rm_round_view round_of_apps = {
    .at_us = 1000000, .node_id = "h:1", .offers = offers_of_apps, .offers_n = 4};

static void test_allocated(void)
{
    const struct yarn_allocation *v;
    struct yarn_activities a;

    begin();
    yarn_activities_fill(&frame, &round_of_apps, false, &memory, &a);
    /* one for each slot taken, and one for the other offers */
    CU_ASSERT_EQUAL_FATAL(a.allocations.n, 3);
    v = a.allocations.items;
    CU_ASSERT_STRING_EQUAL(v[0].container, "container_1795244424900_0002_01_000005");
    CU_ASSERT_STRING_EQUAL(v[0].state, "ALLOCATED");
    CU_ASSERT_PTR_NULL(v[1].container); /* no container: a suspended attempt was resumed */
    CU_ASSERT_STRING_EQUAL(v[1].state, "ALLOCATED");
    CU_ASSERT_STRING_EQUAL(v[2].state, "SKIPPED");
    is_json(&yarn_shape_activity_queue, v[0].root,
            "{\"name\":\"root\",\"allocationState\":\"ACCEPTED\",\"children\":[{\"name\":\"root."
            "org\",\"allocationState\":\"ACCEPTED\",\"children\":[{\"name\":\"root.org.eng\","
            "\"allocationState\":\"ACCEPTED\",\"children\":[{\"name\":\"application_1795244424900_"
            "0002\",\"appPriority\":0,\"allocationState\":\"ACCEPTED\",\"children\":[" REQUEST(
                CONTAINER) "]}]}]},{\"name\":\"root.default\",\"allocationState\":\"SKIPPED\","
                           "\"children\":[{\"name\":\"application_1795244424900_0001\","
                           "\"appPriority\":1,\"allocationState\":\"SKIPPED\",\"diagnostic\":"
                           "\"Node skipped because of off-switch delay\"}]}]}");
    yarn_memory_free(&memory);
}

static void test_of_application(void)
{
    struct rm_round_view rounds[] = {round_of_apps, round_of_apps};
    struct rm_views v = {.rounds = rounds, .rounds_n = 2};
    struct yarn_app_activity_filter filter = {.limit = 0};
    struct yarn_app_activities a = {.app_id = "x"};
    const struct base_app_id first = {TS, 1}, second = {TS, 2};
    static const int64_t twenty = 20, seven = 7;

    begin();
    yarn_app_allocations_fill(&v, &second, &filter, &memory, &a);
    CU_ASSERT_EQUAL_FATAL(a.allocations.n, 2);
    a.allocations.n = 1;
    is_json(&yarn_shape_app_activities, &a,
            "{\"applicationId\":\"x\",\"allocations\":[{\"nodeId\":\"h:1\",\"timestamp\":1000,"
            "\"dateTime\":\"Thu Jan 01 00:00:01 UTC 1970\",\"queueName\":\"root.org.eng\","
            "\"appPriority\":0,\"allocationState\":\"ACCEPTED\",\"children\":[" REQUEST(
                CONTAINER) "]}]}");
    filter.by_diagnostic = true;
    filter.limit = 1;
    yarn_app_allocations_fill(&v, &second, &filter, &memory, &a);
    CU_ASSERT_EQUAL(a.allocations.n, 1);
    is_json(
        &yarn_shape_app_activities, &a,
        "{\"applicationId\":\"x\",\"allocations\":[{\"nodeId\":\"h:1\",\"timestamp\":1000,"
        "\"dateTime\":\"Thu Jan 01 00:00:01 UTC 1970\",\"queueName\":\"root.org.eng\","
        "\"appPriority\":0,\"allocationState\":\"ACCEPTED\",\"children\":[" REQUEST(GROUP) "]}]}");
    filter = (struct yarn_app_activity_filter){.priorities = &twenty, .priorities_n = 1};
    yarn_app_allocations_fill(&v, &second, &filter, &memory, &a);
    CU_ASSERT_EQUAL(a.allocations.n, 2);
    yarn_app_allocations_fill(&v, &first, &filter, &memory, &a);
    CU_ASSERT_EQUAL(a.allocations.n, 0);
    filter = (struct yarn_app_activity_filter){.request_ids = &seven, .request_ids_n = 1};
    yarn_app_allocations_fill(&v, &second, &filter, &memory, &a);
    CU_ASSERT_EQUAL(a.allocations.n, 2);
    filter = (struct yarn_app_activity_filter){.summarize = true};
    yarn_app_allocations_fill(&v, &second, &filter, &memory, &a);
    CU_ASSERT_EQUAL(a.allocations.n, 1); /* the newest round of the node */
    filter = (struct yarn_app_activity_filter){.limit = 3};
    yarn_app_allocations_fill(&v, &first, &filter, &memory, &a);
    CU_ASSERT_EQUAL(a.allocations.n, 3); /* of the 4 that two rounds have */
    yarn_memory_free(&memory);
}

static const struct cunit_case cases[] = {
    {"nothing wanted", test_idle},
    {"nothing taken", test_skipped},
    {"slots taken", test_allocated},
    {"one application", test_of_application},
};
CUNIT_MAIN("yarn activities", cases)
