/* Goal: fair-scheduler.xml is read as Hadoop reads it; for a mistake the whole file is refused,
 * with the place of the mistake. Method: the example of Hadoop's documentation, every notation of
 * resources, every way to be wrong. */
#include <stdlib.h>
#include <string.h>

#include "policies/policy.h"
#include "rm/config/allocations.h"
#include "tests/unit/cunit_main.h"

static struct base_error err;
static struct base_buf notes;

static int parse(const char *text, struct policy_queues *q)
{
    err.text[0] = '\0';
    base_buf_clear(&notes);
    return rm_allocations_parse_text("f.xml", text, strlen(text), q, &notes, &err);
}

static const struct policy_queue *queue(const struct policy_queues *q, const char *name)
{
    int32_t at = policy_queues_find(q, name);

    CU_ASSERT_FATAL(at >= 0);
    return &q->v[at];
}

/* The example of Hadoop's documentation. */
static const char example[] =
    "<?xml version=\"1.0\"?>\n"
    "<allocations>\n"
    "  <queue name=\"sample_queue\">\n"
    "    <minResources>10000 mb,0vcores</minResources>\n"
    "    <maxResources>90000 mb,0vcores</maxResources>\n"
    "    <maxRunningApps>50</maxRunningApps>\n"
    "    <maxAMShare>0.1</maxAMShare>\n"
    "    <weight>2.0</weight>\n"
    "    <schedulingPolicy>fair</schedulingPolicy>\n"
    "    <queue name=\"sample_sub_queue\">\n"
    "      <aclSubmitApps>charlie</aclSubmitApps>\n"
    "      <minResources>5000 mb,0vcores</minResources>\n"
    "    </queue>\n"
    "    <queue name=\"sample_reservable_queue\">\n"
    "      <reservation></reservation>\n"
    "    </queue>\n"
    "  </queue>\n"
    "  <queueMaxAMShareDefault>0.5</queueMaxAMShareDefault>\n"
    "  <queueMaxResourcesDefault>40000 mb,0vcores</queueMaxResourcesDefault>\n"
    "  <!-- a parent queue that may have user queues under it -->\n"
    "  <queue name=\"secondary_group_queue\" type=\"parent\">\n"
    "  <weight>3.0</weight>\n"
    "  <maxChildResources>4096 mb,4vcores</maxChildResources>\n"
    "  </queue>\n"
    "  <user name=\"sample_user\">\n"
    "    <maxRunningApps>30</maxRunningApps>\n"
    "  </user>\n"
    "  <userMaxAppsDefault>5</userMaxAppsDefault>\n"
    "  <queuePlacementPolicy>\n"
    "    <rule name=\"specified\" />\n"
    "    <rule name=\"primaryGroup\" create=\"false\" />\n"
    "    <rule name=\"nestedUserQueue\">\n"
    "        <rule name=\"secondaryGroupExistingQueue\" create=\"false\" />\n"
    "    </rule>\n"
    "    <rule name=\"default\" queue=\"sample_queue\"/>\n"
    "  </queuePlacementPolicy>\n"
    "</allocations>\n";

/* Below a parent with the policy fair a queue cannot have drf: such a queue is left out with its
 * children, as YARN does not make them either. Below drf it is fine. */
static void test_drf_below_fair(void)
{
    struct policy_queues q;

    CU_ASSERT_EQUAL_FATAL(
        parse("<allocations><queue name='wide'><schedulingPolicy>drf</schedulingPolicy>"
              "<queue name='in'/></queue><queue name='own' type='parent'>"
              "<queue name='f'><schedulingPolicy>fifo</schedulingPolicy></queue></queue>"
              "</allocations>",
              &q),
        0);
    CU_ASSERT_FALSE(queue(&q, "wide")->configured);
    CU_ASSERT_FALSE(queue(&q, "wide.in")->configured);
    CU_ASSERT(queue(&q, "own.f")->configured);
    CU_ASSERT_PTR_NOT_NULL(strstr(notes.data, "queue root.wide is left out"));
    policy_queues_free(&q);
    CU_ASSERT_EQUAL_FATAL(
        parse("<allocations><queue name='root'><schedulingPolicy>drf</schedulingPolicy>"
              "<queue name='wide'><schedulingPolicy>drf</schedulingPolicy></queue></queue>"
              "</allocations>",
              &q),
        0);
    CU_ASSERT(queue(&q, "wide")->configured);
    policy_queues_free(&q);
}

static void test_example_queues(void)
{
    struct policy_queues q;
    const struct policy_queue *u;

    CU_ASSERT_EQUAL_FATAL(parse(example, &q), 0);
    CU_ASSERT_STRING_EQUAL(notes.data, "f.xml:15: reservation: has no effect here\n");
    CU_ASSERT_EQUAL(q.n, 6);
    u = queue(&q, "sample_queue");
    CU_ASSERT(u->is_parent && u->configured && u->min.given && u->max.given);
    CU_ASSERT_EQUAL(u->min.memory_mb, 10000);
    CU_ASSERT_EQUAL(u->min.vcores, 0);
    CU_ASSERT_EQUAL(u->max.memory_mb, 90000);
    CU_ASSERT_EQUAL(u->max_running, 50);
    CU_ASSERT_EQUAL(u->max_am_share, .1);
    CU_ASSERT_EQUAL(u->weight, 2);
    CU_ASSERT_EQUAL(u->order, POLICY_QUEUE_FAIR);
    u = queue(&q, "sample_queue.sample_sub_queue");
    CU_ASSERT_STRING_EQUAL(u->acl_submit, "charlie");
    /* the defaults come after the queue in the file, and apply all the same */
    CU_ASSERT_EQUAL(u->max.memory_mb, 40000);
    CU_ASSERT_EQUAL(u->max_running, INT32_MAX);
    CU_ASSERT_EQUAL(u->weight, 1);
    u = queue(&q, "secondary_group_queue");
    CU_ASSERT(u->is_parent);
    CU_ASSERT_EQUAL(u->weight, 3);
    CU_ASSERT_EQUAL(u->child_max.vcores, 4);
    CU_ASSERT_FALSE(q.v[0].max.given);
    CU_ASSERT_EQUAL(queue(&q, "default")->max.memory_mb, 40000);
    CU_ASSERT_EQUAL(q.users_n, 1);
    CU_ASSERT_STRING_EQUAL(q.users[0].user, "sample_user");
    CU_ASSERT_EQUAL(q.users[0].max_running, 30);
    CU_ASSERT_EQUAL(q.user_max_running, 5);
    policy_queues_free(&q);
}

static void test_example_placement(void)
{
    static const char *const groups[] = {"staff", "secondary_group_queue"};
    struct policy_queues q;
    int32_t at;

    CU_ASSERT_EQUAL_FATAL(parse(example, &q), 0);
    CU_ASSERT(q.rules_given && !q.strict);
    CU_ASSERT_EQUAL(q.rules_n, 4);
    CU_ASSERT_EQUAL_FATAL(policy_queues_place_submission(&q, "", "u.v", groups, 2, &at, &err), 0);
    CU_ASSERT_STRING_EQUAL(q.v[at].name, "root.secondary_group_queue.u_dot_v");
    CU_ASSERT_EQUAL(q.v[at].max.memory_mb, 4096);
    CU_ASSERT_EQUAL_FATAL(policy_queues_place_submission(&q, "sample_queue.sample_sub_queue", "u",
                                                         NULL, 0, &at, &err),
                          0);
    CU_ASSERT_STRING_EQUAL(q.v[at].name, "root.sample_queue.sample_sub_queue");
    /* sample_queue has queues below it, so that it cannot take an application */
    CU_ASSERT(policy_queues_place_submission(&q, "", "u", NULL, 0, &at, &err) < 0);
    policy_queues_free(&q);
}

static void test_inheritance(void)
{
    struct policy_queues q;
    const struct policy_queue *u;

    CU_ASSERT_EQUAL_FATAL(
        parse("<allocations>"
              "<pool name='root'><fairSharePreemptionThreshold>2</fairSharePreemptionThreshold>"
              " <queue name=' a '><queue "
              "name='b'><minSharePreemptionTimeout>7</minSharePreemptionTimeout></queue>"
              "  <queue name='c'><allowPreemptionFrom>true</allowPreemptionFrom>"
              "   "
              "<schedulingMode>org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair."
              "policies.FifoPolicy"
              "</schedulingMode></queue>"
              "  <minSharePreemptionTimeout>99</minSharePreemptionTimeout>"
              "  <allowPreemptionFrom>false</allowPreemptionFrom></queue>"
              " <queue name='d'><aclAdministerApps> "
              "ops</aclAdministerApps><weight>0</weight></queue></pool>"
              "<fairSharePreemptionTimeout>5</fairSharePreemptionTimeout>"
              "<defaultMinSharePreemptionTimeout>3</defaultMinSharePreemptionTimeout>"
              "<defaultQueueSchedulingPolicy>DRF</defaultQueueSchedulingPolicy>"
              "<queueMaxAppsDefault>4</queueMaxAppsDefault></allocations>",
              &q),
        0);
    u = queue(&q, "a.b");
    CU_ASSERT_EQUAL(u->min_timeout_us, 7000000);
    CU_ASSERT_EQUAL(u->fair_timeout_us, 5000000);
    CU_ASSERT_EQUAL(u->fair_threshold, 1);
    CU_ASSERT_FALSE(u->preempt);
    u = queue(&q, "a.c");
    CU_ASSERT_EQUAL(u->min_timeout_us, 99000000);
    CU_ASSERT_FALSE(u->preempt);
    CU_ASSERT_EQUAL(u->order, POLICY_QUEUE_FIFO);
    CU_ASSERT_EQUAL(u->max_running, 4);
    u = queue(&q, "d");
    CU_ASSERT(u->preempt);
    CU_ASSERT_EQUAL(u->min_timeout_us, 3000000);
    CU_ASSERT_EQUAL(u->order, POLICY_QUEUE_DRF);
    CU_ASSERT_EQUAL(u->weight, 0);
    CU_ASSERT_STRING_EQUAL(u->acl_admin, " ops"); /* a list of groups only */
    CU_ASSERT_EQUAL(q.v[0].max_running, INT32_MAX);
    CU_ASSERT(!q.rules_given && !q.strict);
    CU_ASSERT_EQUAL(q.rules_n, 2);
    policy_queues_free(&q);
}

static void test_hadoop_1(void)
{
    struct policy_queues q;
    const struct policy_queue *u;
    const struct policy_capacity c = {.slots = {40, 20}, .memory_mb = 1, .vcores = 1};

    CU_ASSERT_EQUAL_FATAL(
        parse("<allocations><pool name='p'><minMaps>5</minMaps><minReduces>6</minReduces>"
              "<maxMaps>7</maxMaps><maxReduces>8</maxReduces><maxRunningJobs>3</maxRunningJobs>"
              "<wieght>3</wieght></pool><pool "
              "name='q'><minMaps>9</minMaps><maxMaps>8</maxMaps></pool><userMaxJobsDefault>9</"
              "userMaxJobsDefault></allocations>",
              &q),
        0);
    u = queue(&q, "p");
    CU_ASSERT_EQUAL(policy_limit_to_slots(&u->min, BASE_TASK_MAP, &c, 0), 5);
    CU_ASSERT_EQUAL(policy_limit_to_slots(&u->min, BASE_TASK_REDUCE, &c, 0), 6);
    CU_ASSERT_EQUAL(policy_limit_to_slots(&u->max, BASE_TASK_MAP, &c, 0), 7);
    CU_ASSERT_EQUAL(policy_limit_to_slots(&u->max, BASE_TASK_REDUCE, &c, 0), 8);
    CU_ASSERT_EQUAL(u->max_running, 3);
    CU_ASSERT_EQUAL(q.user_max_running, 9);
    CU_ASSERT_PTR_NOT_NULL(strstr(notes.data, "f.xml:1: wieght: an unknown element"));
    CU_ASSERT_PTR_NOT_NULL(strstr(notes.data, "pool: its minimum is more than its maximum"));
    policy_queues_free(&q);
}

static void test_notations(void)
{
    static const struct {
        const char *text;
        double memory, cpu; /* percent */
        int64_t mb, vcores, maps, reduces;
    } good[] = {
        {"10000 mb, 10 vcores", -1, -1, 10000, 10, -1, -1},
        {" 10vcores,10000MB ", -1, -1, 10000, 10, -1, -1},
        {"2 vcores 5120.7 mb", -1, -1, 5120, 2, -1, -1},
        {"vcores=10, memory-mb=1024, map-slots=5", -1, -1, 1024, 10, 5, -1},
        {" vcores = 2 ,  memory-mb = 5120 ", -1, -1, 5120, 2, -1, -1},
        {"reduce-slots=3", -1, -1, -1, -1, -1, 3},
        {"50%", 50, 50, -1, -1, -1, -1},
        {"50% memory, 40% cpu", 50, 40, -1, -1, -1, -1},
        {"40.5 % cpu,50%memory", 50, 40.5, -1, -1, -1, -1},
        {"vcores=75%, memory-mb=40%", 40, 75, -1, -1, -1, -1},
        {"vcores=75%", -1, 75, -1, -1, -1, -1},
        {"0 mb, 0 vcores", -1, -1, 0, 0, -1, -1},
    };
    struct policy_limit l;

    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        CU_ASSERT_EQUAL(rm_allocations_parse_limit(good[i].text, &l, &err), 0);
        CU_ASSERT(l.given);
        CU_ASSERT_EQUAL(l.percent[0], good[i].memory);
        CU_ASSERT_EQUAL(l.percent[1], good[i].cpu);
        CU_ASSERT_EQUAL(l.memory_mb, good[i].mb);
        CU_ASSERT_EQUAL(l.vcores, good[i].vcores);
        CU_ASSERT_EQUAL(l.slots[BASE_TASK_MAP], good[i].maps);
        CU_ASSERT_EQUAL(l.slots[BASE_TASK_REDUCE], good[i].reduces);
    }
    CU_ASSERT_EQUAL(rm_allocations_parse_limit("map-slots=12.5%", &l, &err), 0);
    CU_ASSERT_EQUAL(l.slot_percent[BASE_TASK_MAP], 12.5);
}

static void test_bad_notations(void)
{
    static const char *const bad[] = {
        "",
        " ",
        "10000 mb",
        "10 vcores",
        "10000",
        "-5 mb, 2 vcores",
        "5 mb, -2 vcores",
        "5 mb, 2 vcores, 3 mb",
        "5 mb, 2 vcores,",
        "5 gb, 2 vcores",
        "vcores=1,vcores=2",
        "vcores=1 memory-mb=2",
        "vcores=",
        "vcores",
        "vcores=-1",
        "vcores=50%, memory-mb=1024",
        "gpu=1",
        "=1",
        "-50%",
        "50% disk",
        "50% memory, 40% memory",
        "%",
        "mb",
        "1e3 mb, 1 vcores",
        "99999999999999999999 mb, 1 vcores",
    };
    struct policy_limit l;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        err.text[0] = '\0';
        CU_ASSERT_EQUAL(rm_allocations_parse_limit(bad[i], &l, &err), -BASE_EINVAL);
        CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "expected"));
    }
}

static void test_refused(void)
{
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"", "not valid XML"},
        {"<allocations>\n<queue name='a'>\n</allocations>", "f.xml:3: "},
        {"<configuration/>",
         "f.xml:1: configuration: the outermost element, expected <allocations>"},
        {"<allocations>\n<queue/></allocations>", "f.xml:2: queue: attribute name is missing"},
        {"<allocations>\n<queue name=' '/></allocations>",
         "f.xml:2: queue: attribute name is empty"},
        {"<allocations>\n<queue name='a.b'/></allocations>",
         "f.xml:2: queue: name \"a.b\" has a period"},
        {"<allocations>\n<queue name='a'/>\n<queue name='ROOT'/></allocations>",
         "f.xml:3: queue: queue root beside"},
        {"<allocations><queue name='a' type='leaf'/></allocations>",
         "attribute type is \"leaf\", expected parent"},
        {"<allocations><queue name='a'>\n<weight>-1</weight></queue></allocations>",
         "f.xml:2: weight: \"-1\", expected a number, 0 or more"},
        {"<allocations><queue name='a'><weight>nan</weight></queue></allocations>",
         "weight: \"nan\""},
        {"<allocations><queue name='a'><weight/></queue></allocations>",
         "weight: it is empty, expected a value"},
        {"<allocations><queue name='a'><weight><b/></weight></queue></allocations>",
         "an element inside a value"},
        {"<allocations><queue name='a'><maxRunningApps>many</maxRunningApps></queue></allocations>",
         "maxRunningApps: \"many\", expected a number of applications"},
        {"<allocations><queue name='a'><maxRunningApps>-1</maxRunningApps></queue></allocations>",
         "\"-1\""},
        {"<allocations><queue name='a'>\n\n<maxResources>lots</maxResources></queue></allocations>",
         "f.xml:3: maxResources: \"lots\": no number where a value belongs \"lots\", expected"},
        {"<allocations><queue "
         "name='a'><schedulingPolicy>lifo</schedulingPolicy></queue></allocations>",
         "schedulingPolicy: \"lifo\", expected fair, fifo or drf"},
        {"<allocations><queue "
         "name='a'><allowPreemptionFrom>no</allowPreemptionFrom></queue></allocations>",
         "allowPreemptionFrom: \"no\", expected true or false"},
        {"<allocations><queue "
         "name='a'><minSharePreemptionTimeout>1.5</minSharePreemptionTimeout></queue></"
         "allocations>",
         "minSharePreemptionTimeout: \"1.5\", expected whole seconds"},
        {"<allocations><defaultQueueSchedulingPolicy>fifo</defaultQueueSchedulingPolicy></"
         "allocations>",
         "defaultQueueSchedulingPolicy: fifo, expected fair or drf"},
        {"<allocations><user><maxRunningApps>1</maxRunningApps></user></allocations>",
         "user: attribute name is missing"},
        {"<allocations><queuePlacementPolicy/></allocations>", "queuePlacementPolicy: no rule"},
        {"<allocations><queuePlacementPolicy><rule "
         "name='specified'/></queuePlacementPolicy></allocations>",
         "rule: the last rule may find no queue"},
        {"<allocations><queuePlacementPolicy><rule name='default'/>\n<rule "
         "name='reject'/></queuePlacementPolicy>"
         "</allocations>",
         "f.xml:2: rule: this rule can never be reached"},
        {"<allocations><queuePlacementPolicy><rule "
         "name='best'/></queuePlacementPolicy></allocations>",
         "attribute name is \"best\", expected specified"},
        {"<allocations><queuePlacementPolicy><rule name='user' "
         "create='maybe'/></queuePlacementPolicy></allocations>",
         "attribute create is \"maybe\""},
        {"<allocations><queuePlacementPolicy><rule "
         "name='nestedUserQueue'/></queuePlacementPolicy></allocations>",
         "nestedUserQueue without a rule"},
        {"<allocations><queuePlacementPolicy><user/></queuePlacementPolicy></allocations>",
         "expected a rule element"},
        {"<!DOCTYPE a [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><allocations><queue "
         "name='a'><aclSubmitApps>&e;"
         "</aclSubmitApps></queue></allocations>",
         "f.xml:1: a document type declaration is not allowed"},
    };
    struct policy_queues q;

    memset(&q, 0x5a, sizeof q);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CU_ASSERT(parse(bad[i].text, &q) < 0);
        CU_ASSERT_PTR_NOT_NULL(strstr(err.text, bad[i].says));
        if (!strstr(err.text, bad[i].says))
            fprintf(stderr, "says: %s\nnot:  %s\n", err.text, bad[i].says);
    }
    /* refused files leave the queues untouched */
    CU_ASSERT_EQUAL(q.n, (size_t)UINT64_C(0x5a5a5a5a5a5a5a5a));
}

static void test_bounds(void)
{
    struct base_buf b = {0};
    struct policy_queues q;

    base_buf_adds(&b, "<allocations>");
    for (int i = 0; i < POLICY_QUEUE_DEPTH_MAX; i++)
        base_buf_adds(&b, "<queue name='x'>");
    for (int i = 0; i < POLICY_QUEUE_DEPTH_MAX; i++)
        base_buf_adds(&b, "</queue>");
    base_buf_adds(&b, "</allocations>");
    CU_ASSERT(parse(b.data, &q) < 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "nested deeper than"));
    base_buf_clear(&b);
    base_buf_adds(&b, "<allocations>");
    for (int i = 0; i < POLICY_QUEUES_MAX; i++)
        base_buf_addf(&b, "<queue name='q%d'/>", i);
    base_buf_adds(&b, "</allocations>");
    CU_ASSERT(parse(b.data, &q) < 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "queues"));
    base_buf_reserve(&b, RM_ALLOCATIONS_MAX);
    CU_ASSERT_EQUAL(rm_allocations_parse_text("f", b.data, RM_ALLOCATIONS_MAX + 1, &q, NULL, &err),
                    -BASE_ELIMIT);
    CU_ASSERT(rm_allocations_read_file("/nonexistent/fair-scheduler.xml", &q, &err) < 0);
    base_buf_free(&b);
    base_buf_free(&notes);
}

static const struct cunit_case cases[] = {
    {"the documentation's example: queues", test_example_queues},
    {"drf below fair", test_drf_below_fair},
    {"the documentation's example: placement", test_example_placement},
    {"what queues inherit", test_inheritance},
    {"names of Hadoop 1", test_hadoop_1},
    {"notations of resources", test_notations},
    {"notations that are refused", test_bad_notations},
    {"files that are refused", test_refused},
    {"bounds", test_bounds},
};

CUNIT_MAIN("allocation file", cases)
