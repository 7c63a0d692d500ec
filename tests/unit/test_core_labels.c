/* Goal: node labels do what YARN's do: which nodes have them, and where requests may be placed; a
 * failover keeps them. Method: event sequences on a small world of two nodes, with jobs and with
 * the master of core_masters.h. */
#include <stdio.h>
#include <string.h>

#include "tests/unit/core_masters.h"

static void change(enum rm_labels_op op, const char *name, const char *label, bool exclusive)
{
    world_label(&w, op, name, label, exclusive);
}

static void add(const char *label, bool exclusive)
{
    change(RM_LABELS_ADD, label, NULL, exclusive);
}

static void give(const char *node, const char *label)
{
    change(RM_LABELS_REPLACE, node, label, false);
}

static void check_refused(const char *text)
{
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_ERROR);
    CU_ASSERT_EQUAL(w.reply.code, -BASE_EINVAL);
    CU_ASSERT_STRING_EQUAL(w.reply.text, text);
}

static void check_label(size_t node, const char *label)
{
    struct rm_views v = {0};

    CU_ASSERT_EQUAL_FATAL(rm_view_node(w.core, w.nodes[node].id, &v), 0);
    CU_ASSERT_STRING_EQUAL(v.nodes[0].label, label);
    rm_views_free(&v);
}

static void two_nodes(void)
{
    world_init(&w, "fifo");
    world_add_node(&w, 4, 2, NULL);
    world_add_node(&w, 4, 2, NULL);
}

/* Node 0 has an exclusive label "gpu", or one that is not. */
static void one_labelled(bool exclusive)
{
    two_nodes();
    add("gpu", exclusive);
    give("node0:8042", "gpu");
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_OK);
}

static void test_names(void)
{
    two_nodes();
    add("gpu", true);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_OK);
    add(" gpu ", true); /* the same label again */
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_OK);
    add("gpu", false);
    check_refused("Exclusivity cannot be modified for an existing label with : "
                  "<gpu:exclusivity=false>");
    add("bad name!", true);
    check_refused("label name should only contains {0-9, a-z, A-Z, -, _} and should not started "
                  "with {-,_}, now it is= bad name!");
    add("-a", true);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_ERROR);
    add("", true);
    check_refused("label added is empty or exceeds 255 character(s)");
    change(RM_LABELS_REMOVE, "ssd", NULL, false);
    check_refused("Node label=ssd to be removed doesn't existed in cluster node labels "
                  "collection.");
    change(RM_LABELS_REMOVE, "gpu", NULL, false);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_OK);
    add("gpu", false); /* a new label of that name */
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_OK);
    world_free(&w);
}

static void test_nodes(void)
{
    static const char *const two[] = {"gpu", "ssd"};
    const struct rm_label_change both = {.name = "node0:8042", .labels = two, .labels_n = 2};
    struct rm_event ev = {.kind = RM_EV_SET_LABELS};

    two_nodes();
    add("gpu", true);
    add("ssd", false);
    give("node0:8042", "nosuch");
    check_refused("Not all labels being replaced contained by known label collections, please "
                  "check, new labels=[nosuch]");
    ev.token = ++w.token;
    ev.u.labels.op = RM_LABELS_REPLACE;
    ev.u.labels.v = &both;
    ev.u.labels.n = 1;
    world_step(&w, &ev);
    check_refused("2 labels specified on host=node0, please note that we do not support "
                  "specifying multiple labels on a single host for now.");
    check_label(0, "");
    give("node0:0", "ssd"); /* port 0: the host */
    check_label(0, "ssd");
    check_label(1, "");
    give("node0:8042", "gpu"); /* the node gets a label of its own */
    check_label(0, "gpu");
    give("node0:8042", NULL); /* or none, though the host has one */
    check_label(0, "");
    give("node0:0", "ssd"); /* a new label of the host replaces the node's */
    check_label(0, "ssd");
    give("node1:8042", "gpu");
    change(RM_LABELS_REMOVE, "ssd", NULL, false);
    check_label(0, "");
    check_label(1, "gpu");
    give("node1:8042", NULL);
    check_label(1, "");
    world_free(&w);
}

static void test_failover(void)
{
    struct rm_views v = {0};

    two_nodes();
    add("gpu", true);
    add("ssd", false);
    give("node0:0", "ssd");
    give("node1:8042", "gpu");
    world_crash(&w, w.journal_n);
    check_label(0, "ssd");
    world_restart_node(&w, &w.nodes[0]);
    world_restart_node(&w, &w.nodes[1]);
    check_label(0, "ssd");
    check_label(1, "gpu");
    rm_view_labels(w.core, &v);
    CU_ASSERT_EQUAL_FATAL(v.labels_n, 3);
    CU_ASSERT_STRING_EQUAL(v.labels[0].name, "");
    CU_ASSERT_EQUAL(v.labels[0].active_nodes, 0);
    CU_ASSERT_STRING_EQUAL(v.labels[1].name, "gpu");
    CU_ASSERT(v.labels[1].exclusive && !v.labels[2].exclusive);
    CU_ASSERT_EQUAL(v.labels[1].active_nodes, 1);
    CU_ASSERT_EQUAL(v.labels[2].total.v[RM_RES_MAP_SLOTS], 4);
    CU_ASSERT_EQUAL_FATAL(v.node_labels_n, 3); /* node0:0, node1:8042, and node0:8042 by its host */
    CU_ASSERT_STRING_EQUAL(v.node_labels[0].node, "node0:0");
    CU_ASSERT_STRING_EQUAL(v.node_labels[2].node, "node0:8042");
    CU_ASSERT_EQUAL(v.node_labels[2].label, 2);
    rm_views_free(&v);
    world_free(&w);
}

/* Requests without a label are not placed on nodes with an exclusive label. */
static void test_exclusive(void)
{
    one_labelled(true);
    world_submit(&w, "a 6 0 0 4 0 0");
    world_beat_all(&w, 0);
    CU_ASSERT_EQUAL(w.nodes[0].n, 0);
    CU_ASSERT_EQUAL(w.nodes[1].n, 4);
    give("node0:8042", NULL);
    world_beat_all(&w, 0);
    CU_ASSERT_EQUAL(w.nodes[0].n, 2);
    world_run_dry(&w);
    world_free(&w);
}

static void test_not_exclusive(void)
{
    struct rm_views v = {0}, totals = {0};

    one_labelled(false);
    world_submit(&w, "a 6 0 0 4 0 0");
    world_beat_all(&w, 0);
    CU_ASSERT_EQUAL(w.nodes[0].n + w.nodes[1].n, 6);
    rm_view_label_uses(w.core, &v);
    CU_ASSERT_EQUAL_FATAL(v.label_uses_n, 1);
    CU_ASSERT_EQUAL(v.label_uses[0].label, 1);
    rm_view_partitions(w.core, &totals);
    for (size_t i = 0; i < totals.partitions_n; i++)
        if (totals.partitions[i].queue == v.label_uses[0].queue)
            CU_ASSERT(memcmp(&v.label_uses[0].used, &totals.partitions[i].use.used,
                             sizeof(struct rm_res)) == 0);
    CU_ASSERT(v.label_uses[0].used.v[RM_RES_MEMORY_MB] > 0);
    CU_ASSERT_EQUAL(v.label_uses[0].masters_used.v[RM_RES_MEMORY_MB], 0);
    rm_views_free(&totals);
    rm_views_free(&v);
    /* what runs on a node is counted for the node's new label */
    v = (struct rm_views){0};
    give("node0:8042", NULL);
    rm_view_label_uses(w.core, &v);
    CU_ASSERT_EQUAL(v.labels_n, 2);
    CU_ASSERT_EQUAL(v.label_uses_n, 0);
    rm_views_free(&v);
    world_run_dry(&w);
    world_free(&w);
}

/* Checks that @text is a part of the explanation why the application waits. */
static void check_reason(const char *text)
{
    struct base_buf why = {0};

    CU_ASSERT_EQUAL(rm_view_explain_wait(w.core, id, w.now, &why), 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.data ? why.data : "", text));
    base_buf_free(&why);
}

static struct base_app_id submit_with(const char *label, const char *am_label)
{
    struct rm_event ev = {.kind = RM_EV_SUBMIT_APP, .token = ++w.token};

    ev.u.submit_app.spec = world_app_spec("app 1024 1 0");
    ev.u.submit_app.spec->label = label ? base_strdup(label) : NULL;
    ev.u.submit_app.spec->am_label = am_label ? base_strdup(am_label) : NULL;
    ev.u.submit_app.app_token = "t";
    world_step(&w, &ev);
    return w.reply.app_id;
}

/* The master and its containers go to the nodes of the application's label; single asks may name
 * another one, or none. */
static void test_application(void)
{
    struct rm_ask two = ask("*", 2), other;
    struct world_node *n;

    one_labelled(true);
    id = submit_with("gpu", NULL);
    world_beat(&w, &w.nodes[1], 0);
    CU_ASSERT_EQUAL(w.nodes[1].n, 0);
    world_beat(&w, &w.nodes[0], 0);
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_PTR_NOT_NULL_FATAL(the_master(&n));
    CU_ASSERT_PTR_EQUAL(n, &w.nodes[0]);
    do_register(1);
    allocate(0, &two, 1, NULL, 0);
    world_beat(&w, &w.nodes[1], 0);
    CU_ASSERT_EQUAL(w.nodes[1].n, 0);
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(w.nodes[0].n, 3);
    other = ask("*", 1);
    other.priority = 2;
    other.label = "";
    allocate(1, &other, 1, NULL, 0);
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(w.nodes[0].n, 3);
    world_beat(&w, &w.nodes[1], 0);
    CU_ASSERT_EQUAL(w.nodes[1].n, 1);
    world_kill(&w, id);
    world_run_dry(&w);
    CU_ASSERT_EQUAL(w.core->labels.v[0].masters_active, 0);
    CU_ASSERT_EQUAL(w.core->labels.v[0].wanted[BASE_TASK_MAP], 0);
    world_free(&w);
}

/* A master without a label asks for containers with one. */
static void test_ask(void)
{
    struct rm_ask wanted = ask("*", 1), bad = ask("node0", 1), unknown = ask("*", 1);

    one_labelled(true);
    id = submit_with(NULL, NULL);
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(w.nodes[0].n, 0);
    world_beat(&w, &w.nodes[1], 0);
    world_beat(&w, &w.nodes[1], 0);
    do_register(1);
    unknown.label = "nosuch";
    allocate(0, &unknown, 1, NULL, 0);
    check_refused("Invalid label resource request, cluster do not contain , label= nosuch");
    bad.label = "gpu";
    allocate(0, &bad, 1, NULL, 0);
    check_refused("Invalid resource request specified node label expression in a resource request "
                  "has resource name = node0");
    wanted.label = "gpu";
    allocate(0, &wanted, 1, NULL, 0);
    world_beat(&w, &w.nodes[1], 0);
    CU_ASSERT_EQUAL(w.nodes[1].n, 1);
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(w.nodes[0].n, 1);
    world_kill(&w, id);
    world_run_dry(&w);
    world_free(&w);
}

static void test_submission_refused(void)
{
    two_nodes();
    submit_with("nosuch", NULL);
    check_refused("Invalid label resource request, cluster do not contain , label= nosuch");
    submit_with(NULL, "nosuch");
    check_refused("Invalid label resource request, cluster do not contain , label= nosuch");
    world_free(&w);
}

/* Masters that wait for a label without nodes do not hold up other masters; and masters do not fill
 * all slots of their label. */
static void test_masters_of_a_label(void)
{
    struct base_app_id apps[8];
    size_t running = 0;

    one_labelled(true);
    add("none", true);
    for (int i = 0; i < 8; i++)
        apps[i] = submit_with("none", NULL);
    id = submit_with(NULL, NULL);
    for (int i = 0; i < 3; i++)
        world_beat(&w, &w.nodes[1], 0);
    CU_ASSERT_EQUAL(w.nodes[1].n, 1);
    for (int i = 0; i < 8; i++) {
        world_kill(&w, apps[i]);
        apps[i] = submit_with("gpu", NULL);
    }
    for (int i = 0; i < 3; i++)
        world_beat(&w, &w.nodes[0], 0);
    for (size_t i = 0; i < w.nodes[0].n; i++)
        running += w.nodes[0].v[i].master;
    CU_ASSERT_EQUAL(running, 2); /* of its four map slots */
    for (int i = 0; i < 8; i++)
        world_kill(&w, apps[i]);
    world_kill(&w, id);
    world_run_dry(&w);
    CU_ASSERT_EQUAL(w.core->masters_active, 0);
    world_free(&w);
}

/* When a label is removed, requests for it wait; they go on when the label is added again. */
static void test_removed_while_wanted(void)
{
    one_labelled(true);
    id = submit_with("gpu", NULL);
    check_reason("1 of its containers needs nodes with the label gpu, which have 4 map and 2 "
                 "reduce slots");
    change(RM_LABELS_REMOVE, "gpu", NULL, false);
    check_reason("1 of its containers needs nodes with the label gpu, which does not exist");
    world_beat_all(&w, 0);
    world_beat_all(&w, 0);
    CU_ASSERT_EQUAL(w.nodes[0].n + w.nodes[1].n, 0);
    add("gpu", false);
    give("node1:0", "gpu");
    world_beat_all(&w, 0);
    world_beat_all(&w, 0);
    CU_ASSERT_EQUAL(w.nodes[1].n, 1);
    world_kill(&w, id);
    world_run_dry(&w);
    world_free(&w);
}

static void change_many(enum rm_labels_op op, const struct rm_label_change *v, size_t n)
{
    struct rm_event ev = {.kind = RM_EV_SET_LABELS, .token = ++w.token};

    ev.u.labels.op = op;
    ev.u.labels.v = v;
    ev.u.labels.n = n;
    world_step(&w, &ev);
}

/* The bounds count what a request adds: not what is there already, nor what it takes away. */
static void test_bounds(void)
{
    static struct rm_label_change v[RM_LABEL_MAPPINGS_MAX + 1];
    static char names[RM_LABEL_MAPPINGS_MAX + 1][24];
    const char *const gpu = "gpu";

    world_init(&w, "fifo");
    for (size_t i = 0; i <= RM_LABELS_MAX; i++) {
        snprintf(names[i], sizeof names[i], "label%zu", i);
        v[i] = (struct rm_label_change){.name = names[i], .exclusive = true};
    }
    change_many(RM_LABELS_ADD, v, RM_LABELS_MAX + 1);
    CU_ASSERT_EQUAL(w.reply.code, -BASE_ELIMIT);
    CU_ASSERT_EQUAL(w.core->labels.n, 0);
    v[RM_LABELS_MAX].name = names[0];
    change_many(RM_LABELS_ADD, v, RM_LABELS_MAX + 1);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_OK);
    change_many(RM_LABELS_ADD, v, RM_LABELS_MAX);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_OK);
    CU_ASSERT_EQUAL(w.core->labels.n, RM_LABELS_MAX);
    world_free(&w);

    world_init(&w, "fifo");
    add("gpu", true);
    for (size_t i = 0; i <= RM_LABEL_MAPPINGS_MAX; i++) {
        snprintf(names[i], sizeof names[i], "node%zu:1", i);
        v[i] = (struct rm_label_change){.name = names[i], .labels = &gpu, .labels_n = 1};
    }
    change_many(RM_LABELS_REPLACE, v, RM_LABEL_MAPPINGS_MAX + 1);
    CU_ASSERT_EQUAL(w.reply.code, -BASE_ELIMIT);
    CU_ASSERT_EQUAL(w.core->labels.mappings_n, 0);
    change_many(RM_LABELS_REPLACE, v, RM_LABEL_MAPPINGS_MAX);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_OK);
    change_many(RM_LABELS_REPLACE, v, RM_LABEL_MAPPINGS_MAX); /* all of them exist already */
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_OK);
    give(names[RM_LABEL_MAPPINGS_MAX], "gpu");
    CU_ASSERT_EQUAL(w.reply.code, -BASE_ELIMIT);
    v[0].labels_n = 0; /* one label is removed, another is added */
    v[1] = v[RM_LABEL_MAPPINGS_MAX];
    change_many(RM_LABELS_REPLACE, v, 2);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_OK);
    CU_ASSERT_EQUAL(w.core->labels.mappings_n, RM_LABEL_MAPPINGS_MAX);
    world_free(&w);
}

static const struct cunit_case cases[] = {
    {"names", test_names},
    {"labels of nodes", test_nodes},
    {"over a failover", test_failover},
    {"exclusive", test_exclusive},
    {"not exclusive", test_not_exclusive},
    {"an application's label", test_application},
    {"an ask's label", test_ask},
    {"a label that does not exist", test_submission_refused},
    {"masters of a label", test_masters_of_a_label},
    {"removed while wanted", test_removed_while_wanted},
    {"bounds", test_bounds},
};

int main(void)
{
    return cunit_main("node labels", cases, sizeof cases / sizeof *cases);
}
