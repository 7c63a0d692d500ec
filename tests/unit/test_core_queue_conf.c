/* Goal: the configuration of the queues means what that of YARN's Capacity Scheduler means: changes
 * to it are accepted or refused as there, in the same words; the queues in force follow it, and a
 * failover keeps it. Method: properties and changes by hand; event sequences on a small world. Sums
 * and messages are those of the recordings capacity/conf, or worked out by hand. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rm/core/ledger.h"
#include "rm/core/queue/capacity_tree.h"
#include "rm/core/state.h"
#include "tests/sim/core_world.h"
#include "tests/unit/cunit_main.h"

/* ---------------------------------------------------------------- properties */
static struct world w;
static struct rm_properties p;

/* Sets "KEY=VALUE" below the prefix; without "=", removes KEY. */
static void put(const char *line)
{
    size_t len = strcspn(line, "=");
    char *name = base_printf(RM_CAPACITY_PREFIX "%.*s", (int)len, line);

    rm_properties_set(&p, name, line[len] ? line + len + 1 : NULL);
    free(name);
}

static void put_all(const char *const *lines)
{
    rm_properties_free(&p);
    for (; *lines; lines++)
        put(*lines);
}

/* The recorded configuration. */
static const char *const recorded[] = {"root.queues=default, org",
                                       "root.default.capacity=40",
                                       "root.default.user-limit-factor=4",
                                       "root.org.queues=eng,ops",
                                       "root.org.capacity=60",
                                       "root.org.eng.capacity=75",
                                       "root.org.ops.capacity=25",
                                       "root.org.ops.maximum-capacity=50",
                                       NULL};

static const char *get(const char *key)
{
    char *name = base_printf(RM_CAPACITY_PREFIX "%s", key);
    const char *value = rm_properties_get(&p, name);

    free(name);
    return value ? value : "(none)";
}

static void test_properties(void)
{
    struct rm_properties copy = {0};

    put_all(recorded);
    CU_ASSERT_EQUAL(p.n, 8);
    for (size_t i = 1; i < p.n; i++)
        CU_ASSERT(strcmp(p.v[i - 1].name, p.v[i].name) < 0);
    put("root.org.capacity=50");
    CU_ASSERT_EQUAL(p.n, 8);
    CU_ASSERT_STRING_EQUAL(get("root.org.capacity"), "50");
    put("root.nosuch");
    put("root.default.user-limit-factor=");
    CU_ASSERT_EQUAL(p.n, 7);
    rm_properties_copy(&copy, &p);
    rm_properties_remove_with_prefix(&p, RM_CAPACITY_PREFIX "root.org.ops.");
    CU_ASSERT_EQUAL(p.n, 5);
    CU_ASSERT_STRING_EQUAL(get("root.org.ops.capacity"), "(none)");
    CU_ASSERT_STRING_EQUAL(get("root.org.queues"), "eng,ops");
    CU_ASSERT_EQUAL(copy.n, 7);
    rm_properties_free(&copy);
    rm_properties_free(&p);
}

/* ---------------------------------------------------------------- changes */
static struct base_error err;

static int add(const char *queue, const char *name, const char *value)
{
    const struct rm_param param = {name, value};
    const struct rm_queue_params q = {queue, &param, name != NULL};
    const struct rm_conf_change change = {.added = &q, .added_n = 1};

    return rm_conf_change_apply(&p, &change, &err);
}

static int drop(const char *queue)
{
    const struct rm_conf_change change = {.removed = &queue, .removed_n = 1};

    return rm_conf_change_apply(&p, &change, &err);
}

static void test_changes(void)
{
    const struct rm_param params[] = {{"maximum-capacity", ""}, {"state", "STOPPED"}},
                          global = {"some.key", "x"};
    const struct rm_queue_params ops = {"root.org.ops", params, 2};
    const char *eng = "root.org.eng";
    const struct rm_conf_change both = {.removed = &eng,
                                        .removed_n = 1,
                                        .updated = &ops,
                                        .updated_n = 1,
                                        .globals = &global,
                                        .globals_n = 1};

    put_all(recorded);
    CU_ASSERT_EQUAL(add("root.org.lab", "capacity", "0"), 0);
    CU_ASSERT_STRING_EQUAL(get("root.org.queues"), "eng,ops,lab");
    CU_ASSERT_STRING_EQUAL(get("root.org.lab.capacity"), "0");
    CU_ASSERT_EQUAL(add("root.org.lab", NULL, NULL), -BASE_EINVAL);
    CU_ASSERT_STRING_EQUAL(err.text, "Can't add existing queue root.org.lab");
    CU_ASSERT_EQUAL(add("lab", NULL, NULL), -BASE_EINVAL);
    CU_ASSERT_STRING_EQUAL(err.text, "Can't add invalid queue lab");
    CU_ASSERT_EQUAL(add("root.", NULL, NULL), -BASE_EINVAL);
    CU_ASSERT_EQUAL(drop("root.nosuch"), -BASE_EINVAL);
    CU_ASSERT_STRING_EQUAL(err.text, "Queue root.nosuch not found");
    CU_ASSERT_EQUAL(drop("lab"), -BASE_EINVAL);
    CU_ASSERT_STRING_EQUAL(err.text, "Can't remove queue lab");
    CU_ASSERT_EQUAL(rm_conf_change_apply(&p, &both, &err), 0);
    CU_ASSERT_STRING_EQUAL(get("root.org.queues"), "ops,lab");
    CU_ASSERT_STRING_EQUAL(get("root.org.eng.capacity"), "(none)");
    CU_ASSERT_STRING_EQUAL(get("root.org.ops.maximum-capacity"), "(none)");
    CU_ASSERT_STRING_EQUAL(get("root.org.ops.state"), "STOPPED");
    CU_ASSERT_STRING_EQUAL(rm_properties_get(&p, "some.key"), "x");
    /* names that are part of others, and blanks */
    put("root.org.queues= lab2 ,ops,lab , 2lab");
    CU_ASSERT_EQUAL(drop("root.org.ab"), -BASE_EINVAL);
    CU_ASSERT_EQUAL(drop("root.org.lab"), 0);
    CU_ASSERT_STRING_EQUAL(get("root.org.queues"), "lab2,ops,2lab");
    CU_ASSERT_EQUAL(drop("root.org.2lab"), 0);
    CU_ASSERT_EQUAL(drop("root.org.lab2"), 0);
    CU_ASSERT_STRING_EQUAL(get("root.org.queues"), "ops");
    CU_ASSERT_EQUAL(add("root.org.ops", NULL, NULL), -BASE_EINVAL);
    CU_ASSERT_EQUAL(add("root.org.lab", NULL, NULL), 0);
    /* the last child goes, and the order that was meant for children with it */
    put("root.org.ordering-policy=utilization");
    CU_ASSERT_EQUAL(drop("root.org.lab"), 0);
    CU_ASSERT_STRING_EQUAL(get("root.org.ordering-policy"), "utilization");
    CU_ASSERT_EQUAL(drop("root.org.ops"), 0);
    CU_ASSERT_STRING_EQUAL(get("root.org.ordering-policy"), "(none)");
    CU_ASSERT_STRING_EQUAL(get("root.org.queues"), "(none)");
    /* the first child of a leaf */
    put("root.default.ordering-policy=fair");
    CU_ASSERT_EQUAL(add("root.default.a", "capacity", "100"), 0);
    CU_ASSERT_STRING_EQUAL(get("root.default.ordering-policy"), "(none)");
    CU_ASSERT_STRING_EQUAL(get("root.default.queues"), "a");
    rm_properties_free(&p);
}

/* ---------------------------------------------------------------- queues */
static struct policy_queues q;

static const struct policy_queue *queue(const char *name)
{
    int32_t at = policy_queues_find(&q, name);

    CU_ASSERT_FATAL(at >= 0);
    return &q.v[at];
}

static void test_queues(void)
{
    put_all(recorded);
    put("root.org.maximum-capacity=80");
    put("root.org.state=stopped");
    put("root.org.eng.state=RUNNING");
    put("root.org.eng.ordering-policy=fair");
    put("root.org.eng.acl_submit_applications=ann");
    put("root.org.ops.max-parallel-apps=3");
    put("max-parallel-apps=7");
    put("maximum-am-resource-percent=0.25");
    put("root.org.disable_preemption=true");
    put("root.org.ops.disable_preemption=false");
    CU_ASSERT_EQUAL_FATAL(rm_capacity_tree_build(&p, &q, &err), 0);
    CU_ASSERT_EQUAL(q.n, 5);
    CU_ASSERT_EQUAL(queue("default")->weight, 40);
    CU_ASSERT_EQUAL(queue("org.eng")->weight, 75);
    CU_ASSERT(queue("org")->is_parent && !queue("org.eng")->is_parent);
    CU_ASSERT(!queue("default")->max.given);
    CU_ASSERT_DOUBLE_EQUAL(queue("org.eng")->max.percent[0], 80, 1e-4);
    /* half of what its parent may have */
    CU_ASSERT_DOUBLE_EQUAL(queue("org.ops")->max.percent[1], 40, 1e-4);
    CU_ASSERT(!queue("default")->stopped && queue("org")->stopped);
    CU_ASSERT(queue("org.eng")->stopped); /* below a queue that is stopped */
    CU_ASSERT_EQUAL(queue("org.eng")->order, POLICY_QUEUE_FAIR);
    CU_ASSERT_EQUAL(queue("org.ops")->order, POLICY_QUEUE_FIFO);
    CU_ASSERT_STRING_EQUAL(queue("org.eng")->acl_submit, "ann");
    CU_ASSERT_PTR_NULL(queue("org.ops")->acl_submit);
    CU_ASSERT_EQUAL(queue("org.ops")->max_running, 3);
    CU_ASSERT_EQUAL(queue("default")->max_running, 7);
    CU_ASSERT_EQUAL(queue("root")->max_running, INT32_MAX);
    CU_ASSERT_EQUAL(queue("default")->max_am_share, .25);
    CU_ASSERT(queue("default")->preempt && !queue("org.eng")->preempt);
    CU_ASSERT(queue("org.ops")->preempt);
    policy_queues_free(&q);
    rm_properties_free(&p);
}

static void test_weights_and_amounts(void)
{
    put_all((const char *const[]){"root.queues=a,b", "root.a.capacity=1.5w", "root.b.capacity=2w",
                                  "root.a.queues=x", "root.a.x.capacity=100", NULL});
    CU_ASSERT_EQUAL_FATAL(rm_capacity_tree_build(&p, &q, &err), 0);
    CU_ASSERT_EQUAL(queue("a")->weight, 1.5);
    CU_ASSERT_EQUAL(queue("a.x")->weight, 100);
    /* the default queue is not listed, and nobody is put there unasked */
    CU_ASSERT(!queue("default")->configured);
    CU_ASSERT(!q.rules[q.rules_n - 1].create);
    policy_queues_free(&q);
    put_all((const char *const[]){"root.queues=a,b", "root.a.capacity=[memory=2048,vcores=3]",
                                  "root.b.capacity=[vcores=4]",
                                  "root.b.maximum-capacity=[memory-mb=4096,vcores=8]", NULL});
    CU_ASSERT_EQUAL_FATAL(rm_capacity_tree_build(&p, &q, &err), 0);
    CU_ASSERT_EQUAL(queue("a")->weight, 2048);
    CU_ASSERT_EQUAL(queue("a")->min.vcores, 3);
    CU_ASSERT_EQUAL(queue("b")->weight, 4);
    CU_ASSERT_EQUAL(queue("b")->max.memory_mb, 4096);
    policy_queues_free(&q);
    rm_properties_free(&p);
}

static void test_impossible(void)
{
    static const struct {
        const char *line, *also, *why;
    } cases[] = {
        {"root.default.capacity=77", NULL,
         "Illegal capacity sum of 1.37 for children of queue root for label=. It should be either "
         "0 or 1.0"},
        /* also above its maximum, but the sum is what is reported */
        {"root.org.ops.capacity=90", NULL,
         "Illegal capacity sum of 1.65 for children of queue org for label=. It should be either 0 "
         "or 1.0"},
        {"root.default.capacity=177", NULL, "Illegal capacity of 177.0 for queue root.default"},
        {"root.default.capacity=-1", NULL, "Illegal capacity of -1.0 for queue root.default"},
        {"root.default.capacity=much", NULL, "For input string: \"much\""},
        {"root.default.capacity=nan", NULL, "For input string: \"nan\""},
        {"root.capacity=50", NULL, "Illegal capacity of 50.0 for queue root. Must be 100.0"},
        {"root.default.capacity=20001w", NULL,
         "Illegal weight=20001.0 for queue=root.defaultlabel=. Acceptable values: [0, 10000], -1 "
         "is same as not set"},
        {"root.org.eng.capacity=3w", NULL,
         "Parent queue 'root.org' have children queue used mixed of  weight mode, percentage and "
         "absolute mode, it is not allowed, please double check, details:{Queue=root.org.eng, "
         "label= uses weight mode}. {Queue=root.org.ops, label= uses percentage mode}. "},
        {"root.org.eng.capacity=0", "root.org.ops.capacity=0",
         "Illegal capacity sum of 0.0 for children of queue org for label=. It is set to 0, but "
         "parent percent != 0, and doesn't allow children capacity to set to 0"},
        {"root.org.capacity=0", "root.default.capacity=100",
         "Illegal capacity sum of 1.0 for children of queue org for label=. queue=org has zero "
         "capacity, but childqueues have positive capacities"},
        {"root.org.ops.maximum-capacity=10", NULL,
         "Illegal queue capacity setting, (abs-capacity=0.15) > (abs-maximum-capacity=0.1). When "
         "label=[]"},
        {"root.org.ops.maximum-capacity=120", NULL,
         "Illegal value  of maximumCapacity 1.2 used in call to setMaxCapacity for queue "
         "root.org.ops"},
        {"root.default.state=PAUSED", NULL,
         "No enum constant org.apache.hadoop.yarn.api.records.QueueState.PAUSED"},
        {"root.default.state=DRAINING", NULL,
         "Invalid queue state configuration. We can only use RUNNING or STOPPED."},
        {"root.queues", NULL, "Queue configuration missing child queue names for root"},
        {"root.queues=default,org,org", NULL, "queue root.org is listed twice"},
        {"root.queues=default,org.x", NULL,
         "the queues of queue root contain \"org.x\", expected a name without periods"},
        {"root.default.capacity=[disk=3]", NULL,
         "capacity of queue root.default is \"[disk=3]\", expected a percentage, a weight (\"2w\") "
         "or an amount (\"[memory=1024,vcores=2]\", in MB)"},
        {"root.default.ordering-policy=best", NULL,
         "ordering-policy of queue root.default is \"best\", expected fifo or fair"},
        {"root.default.max-parallel-apps=-1", NULL,
         "max-parallel-apps of queue root.default is \"-1\", expected a whole number from 0 to "
         "2147483647"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put_all(recorded);
        put(cases[i].line);
        if (cases[i].also)
            put(cases[i].also);
        CU_ASSERT_EQUAL(rm_capacity_tree_build(&p, &q, &err), -BASE_EINVAL);
        CU_ASSERT_STRING_EQUAL(err.text, cases[i].why);
        CU_ASSERT_EQUAL(q.n, 0);
    }
    rm_properties_free(&p);
}

static void test_description(void)
{
    struct policy_queues from;

    policy_queues_init(&from, "b,org.eng,org.ops");
    rm_properties_free(&p);
    rm_capacity_tree_to_properties(&from, &p);
    CU_ASSERT_STRING_EQUAL(get("root.queues"), "default,b,org");
    CU_ASSERT_STRING_EQUAL(get("root.default.capacity"), "33.333");
    CU_ASSERT_STRING_EQUAL(get("root.org.capacity"), "33.334");
    CU_ASSERT_STRING_EQUAL(get("root.org.queues"), "eng,ops");
    CU_ASSERT_STRING_EQUAL(get("root.org.eng.capacity"), "50");
    CU_ASSERT_STRING_EQUAL(get("root.org.eng.ordering-policy"), "fair");
    CU_ASSERT_EQUAL_FATAL(rm_capacity_tree_build(&p, &q, &err), 0);
    CU_ASSERT_EQUAL(q.n, from.n);
    policy_queues_free(&q);
    policy_queues_free(&from);
    rm_properties_free(&p);
}

/* ---------------------------------------------------------------- in force */
/* A world whose queues clients may change. */
static void begin(void)
{
    world_init(&w, "fair");
    put_all(recorded);
    w.conf.queue_conf = &p;
    w.conf.queues = "org.eng,org.ops";
    world_renew(&w);
    world_add_node(&w, 4, 2, NULL);
}

static void end(void)
{
    world_free(&w);
    rm_properties_free(&p);
}

static void change(const struct rm_conf_change *ch)
{
    struct rm_event ev = {.kind = RM_EV_SET_QUEUE_CONF, .token = ++w.token};

    ev.u.queue_conf.change = ch;
    world_step(&w, &ev);
}

static void set(const char *name, const char *value)
{
    const struct rm_param param = {name, value};

    change(&(struct rm_conf_change){.globals = &param, .globals_n = 1});
}

static void set_ok(const char *name, const char *value)
{
    set(name, value);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_OK);
}

static void remove_queue(const char *path)
{
    change(&(struct rm_conf_change){.removed = &path, .removed_n = 1});
}

static void check_refused(const char *why)
{
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_ERROR);
    CU_ASSERT_EQUAL(w.reply.code, -BASE_EINVAL);
    CU_ASSERT_STRING_EQUAL(w.reply.text, why);
}

static int64_t version(void)
{
    struct rm_properties now = {0};
    int64_t n = 0;

    CU_ASSERT(rm_view_queue_conf(w.core, &now, &n));
    rm_properties_free(&now);
    return n;
}

static void check_state(const char *path, const char *state)
{
    struct rm_views v = {0};
    const char *found = "(none)";

    rm_view_queues(w.core, &v);
    for (size_t i = 0; i < v.queues_n; i++)
        if (strcmp(v.queues[i].name, path) == 0)
            found = v.queues[i].state;
    CU_ASSERT_STRING_EQUAL(found, state);
    rm_views_free(&v);
}

static double weight(const char *name)
{
    return w.core->tree.v[policy_queues_find(&w.core->tree, name)].weight;
}

#define OPS RM_CAPACITY_PREFIX "root.org.ops."

/* A queue is stopped, drains, and is removed. */
static void test_life_of_a_queue(void)
{
    const struct rm_param zero = {"capacity", "0"};
    const struct rm_queue_params lab = {"root.org.lab", &zero, 1};
    struct base_app_id running, late;

    begin();
    change(&(struct rm_conf_change){.added = &lab, .added_n = 1});
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_OK);
    check_state("root.org.lab", "RUNNING");
    CU_ASSERT_EQUAL(weight("org.eng"), 75); /* the tree is the configuration's from now on */
    CU_ASSERT_EQUAL(weight("org.lab"), 0);
    running = world_submit(&w, "r 1 0 0 4 0 0 0 org.lab");
    world_beat(&w, &w.nodes[0], 0);
    remove_queue("root.org.lab");
    check_refused("Failed to re-init queues : root.org.lab cannot be deleted from the capacity "
                  "scheduler configuration, as the queue is not yet in stopped state. Current "
                  "State : RUNNING");
    set_ok(RM_CAPACITY_PREFIX "root.org.lab.state", "STOPPED");
    check_state("root.org.lab", "DRAINING");
    remove_queue("root.org.lab");
    check_refused("Failed to re-init queues : root.org.lab cannot be deleted from the capacity "
                  "scheduler configuration, as the queue is not yet in stopped state. Current "
                  "State : DRAINING");
    CU_ASSERT_EQUAL(world_submit(&w, "s 1 0 0 4 0 0 0 org.lab").seq, 0);
    check_refused("Queue root.org.lab is STOPPED. Cannot accept submission of application");
    late = world_submit(&w, "m 1 0 0 4 0 0");
    world_move(&w, late, "org.lab");
    CU_ASSERT_EQUAL(w.reply.code, -BASE_EINVAL);
    CU_ASSERT_PTR_NOT_NULL(strstr(w.reply.text, "Queue root.org.lab is STOPPED. Cannot accept "
                                                "submission of application: application_"));
    world_run_dry(&w);
    CU_ASSERT_EQUAL(world_state(&w, running), RM_APP_FINISHED);
    check_state("root.org.lab", "STOPPED");
    remove_queue("root.org.lab");
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_OK);
    check_state("root.org.lab", "(none)");
    end();
}

/* A plain application that is submitted to a stopped queue fails, and its diagnostics say why. */
static void test_stopped_for_masters(void)
{
    struct base_app_id id;
    char text[BASE_ID_TEXT_MAX], *why;

    begin();
    set_ok(RM_CAPACITY_PREFIX "root.default.state", "STOPPED");
    id = world_submit_app(&w, "a 1024 1 0");
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_FAILED);
    why = base_printf("org.apache.hadoop.security.AccessControlException: Queue root.default is "
                      "STOPPED. Cannot accept submission of application: %s",
                      base_app_id_text(&id, text));
    CU_ASSERT_STRING_EQUAL(rm_app_find(w.core, id)->diagnostics, why);
    free(why);
    set_ok(RM_CAPACITY_PREFIX "root.default.state", "RUNNING");
    id = world_submit_app(&w, "b 1024 1 0");
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_ACCEPTED);
    end();
}

static void test_leaf_becomes_parent(void)
{
    const struct rm_param all = {"capacity", "100"};
    const struct rm_queue_params x = {"root.org.ops.x", &all, 1};
    const struct rm_conf_change grow = {.added = &x, .added_n = 1};
    struct rm_properties would;

    begin();
    change(&grow);
    check_refused("Failed to re-init queues : Can not convert the leaf queue: root.org.ops to "
                  "parent queue since it is not yet in stopped state. Current State : RUNNING");
    set_ok(OPS "state", "STOPPED");
    CU_ASSERT_EQUAL_FATAL(rm_view_changed_queue_conf(w.core, &grow, &would, &err), 0);
    CU_ASSERT_STRING_EQUAL(rm_properties_get(&would, OPS "queues"), "x");
    rm_properties_free(&would);
    /* to ask what a change would lead to changes nothing */
    check_state("root.org.ops.x", "(none)");
    change(&grow);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_OK);
    check_state("root.org.ops.x", "STOPPED");
    end();
}

static void test_refused_changes_nothing(void)
{
    char *long_value = base_alloc(RM_QUEUE_CONF_MAX + 1);

    begin();
    CU_ASSERT_EQUAL(version(), 1);
    set(OPS "capacity", "90");
    check_refused("Failed to re-init queues : Illegal capacity sum of 1.65 for children of queue "
                  "org for label=. It should be either 0 or 1.0");
    memset(long_value, 'x', RM_QUEUE_CONF_MAX);
    set("k", long_value);
    CU_ASSERT_EQUAL(w.reply.code, -BASE_ELIMIT);
    CU_ASSERT_EQUAL(version(), 1);
    CU_ASSERT_EQUAL(weight("org.ops"), 1); /* still the queues of conf.queues, of equal weight */
    set_ok("k", "v");
    CU_ASSERT_EQUAL(version(), 2);
    CU_ASSERT_EQUAL(weight("org.ops"), 25);
    free(long_value);
    end();
}

static void test_failover(void)
{
    struct rm_properties now = {0};
    struct base_app_id id;
    int64_t n;

    begin();
    id = world_submit(&w, "r 1 0 0 4 0 0 0 org.ops");
    world_beat(&w, &w.nodes[0], 0);
    set_ok(OPS "state", "STOPPED");
    set_ok(OPS "maximum-capacity", "60");
    world_crash(&w, w.durable);
    CU_ASSERT_EQUAL(version(), 3);
    CU_ASSERT(rm_view_queue_conf(w.core, &now, &n));
    CU_ASSERT_STRING_EQUAL(rm_properties_get(&now, OPS "maximum-capacity"), "60");
    CU_ASSERT_EQUAL(now.n, 9);
    check_state("root.org.ops", "DRAINING");
    CU_ASSERT_EQUAL(weight("org.eng"), 75);
    world_register(&w, &w.nodes[0]);
    world_run_dry(&w);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_FINISHED); /* the job was in the queue already */
    check_state("root.org.ops", "STOPPED");
    /* where clients may not change the configuration, the queues are those of conf.queues */
    w.conf.queue_conf = NULL;
    world_crash(&w, w.durable);
    CU_ASSERT(!rm_view_queue_conf(w.core, &now, &n));
    check_state("root.org.ops", "RUNNING");
    set("k", "v");
    CU_ASSERT_EQUAL(w.reply.code, -BASE_ESTATE);
    rm_properties_free(&now);
    end();
}

/* The configuration is replaced as a whole; and a file with queues takes its place. */
static void test_replaced(void)
{
    struct rm_event ev = {.kind = RM_EV_SET_QUEUE_CONF, .token = ++w.token};

    begin();
    set_ok(OPS "user-limit-factor", "2");
    ev.token = ++w.token;
    ev.u.queue_conf.whole = &p;
    world_step(&w, &ev);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_OK);
    CU_ASSERT_EQUAL(version(), 3);
    CU_ASSERT_PTR_NULL(rm_properties_get(&w.core->queue_conf.properties, OPS "user-limit-factor"));
    policy_queues_init(&q, "other");
    ev = (struct rm_event){.kind = RM_EV_SET_QUEUES, .token = ++w.token};
    ev.u.queues.queues = &q;
    world_step(&w, &ev);
    set("k", "v");
    CU_ASSERT_EQUAL(w.reply.code, -BASE_ESTATE);
    end();
}

/* Where clients cannot change the configuration, it is replaced when its file is read again, and
 * not stored. */
static void test_read_again(void)
{
    struct rm_event ev = {.kind = RM_EV_SET_QUEUE_CONF};
    size_t stored;

    begin();
    w.conf.queue_conf = NULL;
    w.conf.queues = "org.eng,org.ops";
    world_renew(&w);
    stored = w.journal_n;
    ev.token = ++w.token;
    ev.u.queue_conf.whole = &p;
    world_step(&w, &ev);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_OK);
    CU_ASSERT_EQUAL(weight("org.ops"), 25);
    put("root.org.queues=eng");
    put("root.org.eng.capacity=100");
    ev.token = ++w.token;
    world_step(&w, &ev);
    CU_ASSERT_PTR_NOT_NULL(strstr(w.reply.text, "root.org.ops cannot be deleted"));
    CU_ASSERT_EQUAL(weight("org.ops"), 25);
    ev.token = ++w.token;
    ev.u.queue_conf.whole = NULL; /* nothing to do */
    world_step(&w, &ev);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_OK);
    CU_ASSERT_EQUAL(w.journal_n, stored);
    end();
}

static void test_damaged(void)
{
    begin();
    set_ok(OPS "state", "STOPPED");
    w.may_be_damaged = true;
    w.journal[w.journal_n - 1].len -= 3;
    world_crash(&w, w.durable);
    CU_ASSERT_EQUAL(w.damaged, 1);
    CU_ASSERT_EQUAL(version(), 1);
    check_state("root.org.ops", "RUNNING");
    end();
}

static void remove_labels(const char *first, const char *second)
{
    const struct rm_label_change both[] = {{.name = first}, {.name = second}};
    struct rm_event ev = {.kind = RM_EV_SET_LABELS, .token = ++w.token};

    ev.u.labels.op = RM_LABELS_REMOVE;
    ev.u.labels.v = both;
    ev.u.labels.n = 2;
    world_step(&w, &ev);
}

/* As recorded from a real YARN: a label can be removed only when no queue names it. */
static void test_label_of_a_queue(void)
{
    begin();
    world_label(&w, RM_LABELS_ADD, "gpu", NULL, true);
    world_label(&w, RM_LABELS_ADD, "ssd", NULL, true);
    set_ok(OPS "accessible-node-labels", "big, ssd");
    set_ok("yarn.scheduler.capacity.root.org.accessible-node-labels", "ssd");
    set_ok("yarn.scheduler.capacity.root.gone.accessible-node-labels", "gpu"); /* no such queue */
    set_ok("yarn.scheduler.capacity.root.accessible-node-labels", "*");
    remove_labels("gpu", "ssd");
    CU_ASSERT_EQUAL(w.reply.code, -BASE_EINVAL);
    CU_ASSERT_STRING_EQUAL(w.reply.text,
                           "Cannot remove label=ssd, because queue=root.org is using this label. "
                           "Please remove label on queue before remove the label");
    /* one label is in use, so none is removed */
    CU_ASSERT(rm_labels_exist(&w.core->labels, "gpu"));
    /* a label in use is reported rather than one that does not exist */
    remove_labels("none", "ssd");
    CU_ASSERT_PTR_NOT_NULL(strstr(w.reply.text, "Cannot remove label=ssd"));
    remove_labels("gpu", "none");
    CU_ASSERT_STRING_EQUAL(w.reply.text, "Node label=none to be removed doesn't existed in "
                                         "cluster node labels collection.");
    set_ok("yarn.scheduler.capacity.root.org.accessible-node-labels", NULL);
    remove_labels("gpu", "ssd");
    CU_ASSERT_PTR_NOT_NULL(strstr(w.reply.text, "because queue=root.org.ops is using"));
    set_ok(OPS "accessible-node-labels", "big");
    remove_labels("gpu", "ssd");
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_OK);
    CU_ASSERT(!rm_labels_exist(&w.core->labels, "gpu"));
    end();
}

/* ---------------------------------------------------------------- queues that come and go */
#define BATCH   100
#define BATCHES 1000

/* A hundred thousand names, a hundred at a time: the tree and all that grows with it stay small,
 * and the bound on queues is not reached. */
static void test_many_names(void)
{
    static const struct rm_param stopped[] = {{"capacity", "0"}, {"state", "STOPPED"}};
    static char names[2][BATCH][40];
    const char *removed[BATCH];
    struct rm_queue_params added[BATCH];
    size_t n, cap = 0, by_name = 0;

    begin();
    n = w.core->tree.n;
    for (int b = 0; b < BATCHES; b++) {
        for (int i = 0; i < BATCH; i++) {
            snprintf(names[b % 2][i], sizeof names[0][0], "root.org.name%d", b * BATCH + i);
            added[i] = (struct rm_queue_params){names[b % 2][i], stopped, 2};
            removed[i] = names[1 - b % 2][i];
        }
        change(&(struct rm_conf_change){
            .removed = removed, .removed_n = b ? BATCH : 0, .added = added, .added_n = BATCH});
        CU_ASSERT_EQUAL_FATAL(w.reply.kind, RM_REPLY_OK);
        CU_ASSERT_EQUAL(w.core->tree.n, n + BATCH);
        CU_ASSERT_EQUAL(w.core->queues_n, n + BATCH);
        cap = b == 1 ? w.core->tree.cap : cap;
        by_name = b == 1 ? w.core->tree.by_name_cap : by_name;
    }
    CU_ASSERT_EQUAL(w.core->tree.cap, cap);
    CU_ASSERT_EQUAL(w.core->tree.by_name_cap, by_name);
    end();
}

static uint64_t seed;

/* Returns a random number from 0 to @n - 1. */
static uint64_t below(uint64_t n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (seed >> 33) % n;
}

#define NAMES 12

/* Checks that the policy's demand of each queue is what the queue's jobs want and have. */
static void check_policy(void)
{
    const struct rm_core *c = w.core;
    int64_t(*sums)[BASE_TASK_KINDS] = base_alloc(c->tree.n * sizeof *sums);

    for (size_t i = 0; i < c->apps_n; i++)
        for (enum base_task_kind k = 0; c->apps[i]->in_policy && k < BASE_TASK_KINDS; k++)
            for (int32_t at = c->apps[i]->pj.queue; at >= 0; at = c->tree.v[at].parent)
                sums[at][k] += c->apps[i]->pj.phase[k].pending + c->apps[i]->pj.phase[k].suspended +
                               c->apps[i]->pj.phase[k].running;
    for (size_t at = 0; at < c->tree.n; at++) {
        int64_t share[BASE_TASK_KINDS], demand[BASE_TASK_KINDS];

        CU_ASSERT(c->ops->queue_share(c->policy, (int32_t)at, share, demand));
        for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
            CU_ASSERT_EQUAL(demand[k], sums[at][k]);
        CU_ASSERT_EQUAL(policy_queues_find(&c->tree, c->tree.v[at].name), (int32_t)at);
        CU_ASSERT(at == 0 || (size_t)c->tree.v[at].parent < at);
    }
    free(sums);
}

static void check_indexes(int64_t submitted)
{
    const struct rm_core *c = w.core;
    int64_t counted = 0;

    for (size_t i = 0; i < c->apps_n; i++) {
        const struct rm_app *a = c->apps[i];

        CU_ASSERT_EQUAL(strncmp(a->queue, "org.", 4), 0);
        if (a->queue_index == RM_NONE)
            CU_ASSERT(!a->is_listed_live)
        else
            CU_ASSERT_STRING_EQUAL(c->tree.v[a->queue_index].name + 5, a->queue);
        CU_ASSERT(!a->member || a->member->queue == a->queue_index);
    }
    for (size_t at = 0; at < c->queues_n; at++)
        counted += c->queues[at].totals.submitted[0];
    CU_ASSERT_EQUAL(counted, submitted);
    rm_ledger_check(c);
    check_policy();
}

/* Checks that the tree has the same queues after a failover. */
static void check_failover(void)
{
    size_t n = w.core->tree.n;
    char **names = base_alloc(n * sizeof *names);

    for (size_t i = 0; i < n; i++)
        names[i] = base_strdup(w.core->tree.v[i].name);
    world_crash(&w, w.durable);
    CU_ASSERT_EQUAL(w.core->tree.n, n);
    for (size_t i = 0; i < n; i++) {
        CU_ASSERT(policy_queues_find(&w.core->tree, names[i]) >= 0);
        free(names[i]);
    }
    free(names);
    world_register(&w, &w.nodes[0]);
}

/* Queues are added, used, stopped and removed at random, while jobs run in them and beside them. */
static void test_come_and_go(void)
{
    static const struct rm_param zero = {"capacity", "0"};
    char path[40], line[64], state[80];

    for (uint64_t run = 1; run <= 10; run++) {
        int64_t submitted = 0;

        seed = run;
        begin();
        for (int step = 0; step < 300; step++) {
            struct rm_queue_params lab = {path, &zero, 1};
            int at;

            snprintf(path, sizeof path, "root.org.q%d", (int)below(NAMES));
            at = policy_queues_find(&w.core->tree, path);
            switch (below(5)) {
            case 0:
                change(&(struct rm_conf_change){.added = &lab, .added_n = 1});
                break;
            case 1:
                remove_queue(path);
                break;
            case 2:
                snprintf(state, sizeof state, RM_CAPACITY_PREFIX "%s.state", path);
                if (at >= 0)
                    set(state, below(3) ? "STOPPED" : "RUNNING");
                break;
            case 3:
                snprintf(line, sizeof line, "r %d 0 0 4 0 0 0 %s", 1 + (int)below(4),
                         below(4) ? path + 5 : "org.eng");
                submitted += world_submit(&w, line).seq > 0;
                break;
            case 4:
                world_beat(&w, &w.nodes[0], (int)below(3));
                world_beat(&w, &w.nodes[0], (int)below(3));
                break;
            }
            check_indexes(submitted);
        }
        world_run_dry(&w);
        check_indexes(submitted);
        set_ok("some.key", "x");
        check_failover();
        end();
    }
}

static const struct cunit_case cases[] = {
    {"properties", test_properties},
    {"changes", test_changes},
    {"queues", test_queues},
    {"weights and amounts", test_weights_and_amounts},
    {"impossible queues", test_impossible},
    {"description of listed queues", test_description},
    {"life of a queue", test_life_of_a_queue},
    {"stopped for masters", test_stopped_for_masters},
    {"leaf becomes parent", test_leaf_becomes_parent},
    {"a refused change changes nothing", test_refused_changes_nothing},
    {"failover", test_failover},
    {"replaced", test_replaced},
    {"read again", test_read_again},
    {"damaged record", test_damaged},
    {"label of a queue", test_label_of_a_queue},
    {"many names", test_many_names},
    {"queues come and go", test_come_and_go},
};

int main(void)
{
    return cunit_main("configuration of queues", cases, sizeof cases / sizeof *cases);
}
