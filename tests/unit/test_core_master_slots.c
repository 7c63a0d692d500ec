/* Goal: masters get the slots that nodes offer for them alone, in their order, and no map slots
 * while there are any; policies count nothing of this. Method: exact numbers in a small world. */
#include <stdlib.h>
#include <string.h>

#include "rm/core/ledger.h"
#include "rm/core/view/view.h"
#include "tests/unit/core_masters.h"

/* Registers a node again with other slots for masters. */
static void set_master_slots(struct world_node *n, int32_t slots)
{
    n->master_slots = slots;
    world_restart_node(&w, n);
}

/* A world of nodes with four map slots and two reduce slots each, and with @slots[i] for masters.
 */
static void begin_with(const char *policy, const int32_t *slots, size_t n)
{
    world_init(&w, policy);
    w.conf.app_priority_max = 10;
    world_renew(&w);
    for (size_t i = 0; i < n; i++) {
        world_add_node(&w, 4, 2, "/r");
        if (slots[i])
            set_master_slots(&w.nodes[i], slots[i]);
    }
}
#define BEGIN(policy, ...)                                                                         \
    begin_with(policy, (const int32_t[]){__VA_ARGS__},                                             \
               sizeof((const int32_t[]){__VA_ARGS__}) / sizeof(int32_t))

static void beat_twice(void)
{
    world_beat_all(&w, 0);
    world_beat_all(&w, 0);
}

static struct rm_app *app(struct base_app_id of)
{
    return rm_app_find(w.core, of);
}

static struct rm_node *node(size_t i)
{
    return rm_node_find(w.core, w.nodes[i].id);
}

/* Returns the node of the master of @of; -1: it has none. */
static int node_of_master(struct base_app_id of)
{
    const struct rm_attempt *at = rm_app_newest_attempt(app(of));

    for (size_t i = 0; at && at->master && i < w.nodes_n; i++)
        if (at->master->node == node(i))
            return (int)i;
    return -1;
}

static bool is_on_master_slots(struct base_app_id of)
{
    const struct rm_attempt *at = rm_app_newest_attempt(app(of));

    return at->master && at->master->on_master_slots;
}

/* Checks the used slots on all nodes: of maps, and of masters, also as the cluster counts them. */
static void check_used(int64_t maps, int64_t masters)
{
    int64_t sum = 0;

    for (size_t i = 0; i < w.nodes_n; i++)
        sum += node(i)->masters.used;
    CU_ASSERT_EQUAL(w.core->capacity.used[BASE_TASK_MAP], maps);
    CU_ASSERT_EQUAL(w.core->master_slots.used, masters);
    CU_ASSERT_EQUAL(sum, masters);
}

/* Ends the master of @of, which gets no other attempt. */
static void end_master_of(struct base_app_id of)
{
    struct base_container_id master = rm_app_newest_attempt(app(of))->master_id;

    end(&master, 1);
    world_beat_all(&w, 0);
}

static void test_they_take_no_map_slots(void)
{
    struct base_app_id a[4];

    BEGIN("fifo", 0, 3);
    CU_ASSERT_EQUAL(w.core->master_slots.slots, 3);
    CU_ASSERT_EQUAL(w.core->capacity.slots[BASE_TASK_MAP], 8);
    CU_ASSERT_EQUAL(w.core->capacity.memory_mb, 12 * 2048); /* as policies count it */
    CU_ASSERT_EQUAL(node(1)->total.v[RM_RES_MEMORY_MB], 9 * 2048);
    for (int i = 0; i < 4; i++)
        a[i] = world_submit_app(&w, "app 1024 1 0");
    CU_ASSERT_EQUAL(w.core->runnable[BASE_TASK_MAP], 0); /* no demand for a policy */
    beat_twice();
    for (int i = 0; i < 3; i++) {
        CU_ASSERT_EQUAL(node_of_master(a[i]), 1);
        CU_ASSERT(is_on_master_slots(a[i]));
    }
    CU_ASSERT_EQUAL(node_of_master(a[3]), -1); /* although seven map slots are free */
    check_used(0, 3);
    CU_ASSERT_EQUAL(w.core->masters_active, 0);
    CU_ASSERT_EQUAL(w.nodes[1].n, 3);
    end_master_of(a[1]);
    beat_twice();
    CU_ASSERT_EQUAL(node_of_master(a[3]), 1);
    check_used(0, 3);
    world_free(&w);
}

/* Without master slots masters take half of the map slots, as ever; with the first node that offers
 * some, those that wait want no map slot any more. */
static void test_a_node_with_them_comes_and_goes(void)
{
    struct base_app_id a[6];

    BEGIN("fifo", 0, 0);
    for (int i = 0; i < 6; i++)
        a[i] = world_submit_app(&w, "app 1024 1 0");
    world_beat(&w, &w.nodes[0], 0);
    check_used(4, 0); /* half of eight */
    CU_ASSERT_EQUAL(node_of_master(a[4]), -1);
    world_free(&w);

    BEGIN("fifo", 0, 0);
    a[0] = world_submit_app(&w, "app 1024 1 0"); /* waits for a heartbeat */
    CU_ASSERT_EQUAL(w.core->masters_active, 1);
    CU_ASSERT_EQUAL(w.core->runnable[BASE_TASK_MAP], 1);
    a[1] = world_submit_app(&w, "app 1024 1 0");
    set_master_slots(&w.nodes[1], 1);
    CU_ASSERT_EQUAL(w.core->masters_active, 0);
    CU_ASSERT_EQUAL(w.core->runnable[BASE_TASK_MAP], 0);
    world_beat(&w, &w.nodes[0], 0);
    check_used(0, 0);
    beat_twice();
    CU_ASSERT_EQUAL(node_of_master(a[0]), 1); /* its place in the order is the same */
    CU_ASSERT_EQUAL(node_of_master(a[1]), -1);
    check_used(0, 1);
    set_master_slots(&w.nodes[1], 0); /* its master goes on */
    CU_ASSERT(is_on_master_slots(a[0]));
    beat_twice();
    check_used(1, 1);
    CU_ASSERT_NOT_EQUAL(node_of_master(a[1]), -1);
    CU_ASSERT_FALSE(is_on_master_slots(a[1]));
    CU_ASSERT_EQUAL(w.core->master_slots.slots, 0);
    end_master_of(a[0]);
    check_used(1, 0);
    world_free(&w);
}

static void test_emptiest_node_first(void)
{
    struct base_app_id a[5];

    BEGIN("fifo", 2, 3);
    for (size_t i = 0; i < 2; i++)
        world_beat(&w, &w.nodes[i], 10 * S); /* held */
    for (int i = 0; i < 5; i++)
        a[i] = world_submit_app(&w, "app 1024 1 0");
    world_beat_all(&w, 0);
    world_beat_all(&w, 0);
    CU_ASSERT_EQUAL(node(0)->masters.used, 2);
    CU_ASSERT_EQUAL(node(1)->masters.used, 3);
    CU_ASSERT_EQUAL(node_of_master(a[0]), 1);
    world_free(&w);
}

static void set_priority(struct base_app_id of, int32_t priority)
{
    struct rm_event ev = {.kind = RM_EV_SET_PRIORITY, .token = ++w.token};

    ev.u.priority.id = of;
    ev.u.priority.priority = priority;
    world_step(&w, &ev);
}

static void test_priority_then_arrival(void)
{
    struct base_app_id a[3];

    BEGIN("fifo", 1, 0);
    for (int i = 0; i < 3; i++)
        a[i] = world_submit_app(&w, "app 1024 1 0");
    set_priority(a[2], 5);
    beat_twice();
    CU_ASSERT_EQUAL(node_of_master(a[2]), 0);
    CU_ASSERT_EQUAL(node_of_master(a[0]), -1);
    end_master_of(a[2]);
    beat_twice();
    CU_ASSERT_EQUAL(node_of_master(a[0]), 0);
    CU_ASSERT_EQUAL(node_of_master(a[1]), -1);
    check_used(0, 1);
    world_free(&w);
}

/* A master of 4000 MiB takes two slots. It does not fit beside another on a node of two; the node
 * with the most free is held for it, others go on. */
static void test_wide_masters(void)
{
    struct base_app_id narrow[4], wide, later;

    BEGIN("fifo", 2, 2, 1);
    for (int i = 0; i < 2; i++)
        narrow[i] = world_submit_app(&w, "app 1024 1 0");
    world_beat(&w, &w.nodes[0], 0); /* both masters on the first node */
    narrow[2] = world_submit_app(&w, "app 1024 1 0");
    world_beat(&w, &w.nodes[1], 0);
    CU_ASSERT_EQUAL_FATAL(node_of_master(narrow[2]), 1);
    wide = world_submit_app(&w, "app 4000 1 0");
    later = world_submit_app(&w, "app 1024 1 0");
    CU_ASSERT_EQUAL(app(wide)->master_slots, 2);
    world_beat(&w, &w.nodes[1], 0);
    CU_ASSERT_EQUAL(node_of_master(wide), -1);
    CU_ASSERT_EQUAL(node_of_master(later), -1); /* that node is held */
    world_beat(&w, &w.nodes[2], 0);
    CU_ASSERT_EQUAL(node_of_master(later), 2);
    narrow[3] = world_submit_app(&w, "app 1024 1 0");
    beat_twice();
    CU_ASSERT_EQUAL(node_of_master(narrow[3]), -1);
    check_used(0, 4);
    end_master_of(narrow[2]);
    beat_twice();
    CU_ASSERT_EQUAL(node_of_master(wide), 1);
    check_used(0, 5);
    CU_ASSERT_EQUAL(node(1)->masters.used, 2);
    world_free(&w);
}

/* A master that is wider than the master slots of every node takes map slots, also from behind
 * others that wait for master slots. */
static void test_wider_than_any_node(void)
{
    struct base_app_id narrow[2], wide;

    BEGIN("fifo", 1, 0);
    narrow[0] = world_submit_app(&w, "app 1024 1 0");
    wide = world_submit_app(&w, "app 4000 1 0");
    narrow[1] = world_submit_app(&w, "app 1024 1 0");
    beat_twice();
    CU_ASSERT_EQUAL(node_of_master(narrow[0]), 0);
    CU_ASSERT(is_on_master_slots(narrow[0]));
    CU_ASSERT_NOT_EQUAL(node_of_master(wide), -1);
    CU_ASSERT_FALSE(is_on_master_slots(wide));
    CU_ASSERT_EQUAL(node_of_master(narrow[1]), -1);
    check_used(2, 1);
    CU_ASSERT_EQUAL(w.core->masters_active, 2);
    world_free(&w);

    BEGIN("fifo", 1, 0);
    for (int i = 0; i < 2; i++)
        narrow[i] = world_submit_app(&w, "app 1024 1 0");
    beat_twice();
    CU_ASSERT_EQUAL(node_of_master(narrow[1]), -1); /* for whom there is no room */
    wide = world_submit_app(&w, "app 4000 1 0");
    beat_twice();
    CU_ASSERT_NOT_EQUAL(node_of_master(wide), -1);
    check_used(2, 1);
    world_free(&w);
}

/* Masters that change from waiting for master slots to waiting for map slots, or back, keep their
 * places among those that come later. */
static void test_places_are_kept(void)
{
    struct base_app_id a[3];

    BEGIN("fifo", 0, 0);
    world_drain(&w, &w.nodes[1], true); /* four map slots, two of them for masters */
    set_master_slots(&w.nodes[0], 1);
    for (int i = 0; i < 2; i++)
        a[i] = world_submit_app(&w, "app 1024 1 0");
    set_master_slots(&w.nodes[0], 0);
    a[2] = world_submit_app(&w, "app 1024 1 0");
    CU_ASSERT(app(a[0])->activated && app(a[1])->activated && app(a[2])->waits);
    set_master_slots(&w.nodes[0], 1);
    CU_ASSERT_FALSE(app(a[0])->activated || app(a[1])->activated);
    beat_twice();
    CU_ASSERT_EQUAL(node_of_master(a[0]), 0);
    end_master_of(a[0]);
    beat_twice();
    CU_ASSERT_EQUAL(node_of_master(a[1]), 0);
    CU_ASSERT_EQUAL(node_of_master(a[2]), -1);
    world_free(&w);
}

/* A node that calls the slot of a master one for reduces is not believed. */
static void test_a_node_names_another_kind(void)
{
    struct base_app_id a;

    BEGIN("fifo", 1);
    a = world_submit_app(&w, "app 1024 1 0");
    beat_twice();
    CU_ASSERT_EQUAL_FATAL(w.nodes[0].n, 1);
    w.nodes[0].v[0].resource =
        (struct rm_res){.v = {[RM_RES_MEMORY_MB] = 1024, [RM_RES_REDUCE_SLOTS] = 1}};
    world_crash(&w, w.journal_n);
    world_beat_all(&w, 0); /* the node learns that it has to register */
    world_register(&w, &w.nodes[0]);
    CU_ASSERT(is_on_master_slots(a));
    CU_ASSERT_EQUAL(rm_app_newest_attempt(app(a))->master->slot, BASE_TASK_MAP);
    rm_ledger_check(w.core);
    world_free(&w);
}

/* @label: of the nodes for the master; NULL: none */
static struct base_app_id submit_to(const char *queue, const char *label)
{
    struct rm_event ev = {.kind = RM_EV_SUBMIT_APP, .token = ++w.token};
    struct rm_app_spec *spec = world_app_spec("app 1024 1 0");
    struct base_app_id of;

    free(spec->queue);
    spec->queue = base_strdup(queue);
    spec->am_label = label ? base_strdup(label) : NULL;
    ev.u.submit_app.spec = spec;
    ev.u.submit_app.app_token = "token";
    world_feed(&w, &ev);
    of = w.reply.app_id;
    world_settle(&w);
    return of;
}

/* The limit of running applications under fair holds a master back, and not those behind it. */
static void test_limits_of_the_policy(void)
{
    struct policy_queues limits;
    struct rm_event ev = {.kind = RM_EV_SET_QUEUES};
    struct base_app_id a[3];

    BEGIN("fair", 3, 0);
    policy_queues_init(&limits, "batch, root.prod");
    limits.v[policy_queues_find(&limits, "batch")].max_running = 1;
    ev.u.queues.queues = &limits;
    world_step(&w, &ev);
    a[0] = submit_to("batch", NULL);
    a[1] = submit_to("batch", NULL);
    a[2] = submit_to("prod", NULL);
    beat_twice();
    CU_ASSERT_EQUAL(node_of_master(a[0]), 0);
    CU_ASSERT_EQUAL(node_of_master(a[1]), -1);
    CU_ASSERT_EQUAL(node_of_master(a[2]), 0);
    check_used(0, 2);
    end_master_of(a[0]);
    beat_twice();
    CU_ASSERT_EQUAL(node_of_master(a[1]), 0);
    world_free(&w);
}

/* However many applications a limit holds back, those of other queues go on. */
static void test_many_held_back(void)
{
    struct policy_queues limits;
    struct rm_event ev = {.kind = RM_EV_SET_QUEUES};
    struct base_app_id a[2 * RM_MASTERS_PASSED_MAX], other;
    const int n = 2 * RM_MASTERS_PASSED_MAX;

    BEGIN("fair", 3, 0);
    policy_queues_init(&limits, "batch, root.prod");
    limits.v[policy_queues_find(&limits, "batch")].max_running = 1;
    ev.u.queues.queues = &limits;
    world_step(&w, &ev);
    for (int i = 0; i < n; i++)
        a[i] = submit_to("batch", NULL);
    other = submit_to("prod", NULL);
    beat_twice();
    CU_ASSERT_EQUAL(node_of_master(a[0]), 0);
    CU_ASSERT_EQUAL(node_of_master(other), 0);
    check_used(0, 2);
    CU_ASSERT_EQUAL(w.core->master_slots.held_back_n, (size_t)n - 1);
    for (int i = 0; i < 3; i++) { /* one after the other */
        end_master_of(a[i]);
        beat_twice();
        CU_ASSERT_EQUAL(node_of_master(a[i + 1]), 0);
        check_used(0, 2);
    }
    CU_ASSERT_EQUAL(w.core->master_slots.held_back_n, (size_t)n - 4);
    world_free(&w);
}

static void test_labels(void)
{
    struct base_app_id plain, labelled[2];

    BEGIN("fifo", 1, 0);
    world_label(&w, RM_LABELS_ADD, "x", NULL, true);
    world_label(&w, RM_LABELS_REPLACE, "node0:0", "x", false);
    CU_ASSERT_EQUAL(w.core->master_slots.most, 0); /* the node admits other masters only */
    plain = world_submit_app(&w, "app 1024 1 0");
    CU_ASSERT_EQUAL(w.core->labels.v[0].most_master_slots, 1);
    beat_twice();
    CU_ASSERT_EQUAL(node_of_master(plain), 1);
    CU_ASSERT_FALSE(is_on_master_slots(plain));
    check_used(1, 0);
    for (int i = 0; i < 2; i++)
        labelled[i] = submit_to("default", "x");
    beat_twice();
    CU_ASSERT_EQUAL(node_of_master(labelled[0]), 0);
    CU_ASSERT(is_on_master_slots(labelled[0]));
    CU_ASSERT_EQUAL(node_of_master(labelled[1]), -1); /* map slots of its node are free */
    check_used(1, 1);
    CU_ASSERT_EQUAL(w.core->labels.v[0].masters_active, 0);
    world_free(&w);
}

static void test_drained_node_offers_none(void)
{
    struct base_app_id a[2];

    BEGIN("fifo", 2, 0);
    a[0] = world_submit_app(&w, "app 1024 1 0");
    beat_twice();
    CU_ASSERT_EQUAL(node_of_master(a[0]), 0);
    world_drain(&w, &w.nodes[0], true);
    CU_ASSERT_EQUAL(w.core->master_slots.slots, 0);
    a[1] = world_submit_app(&w, "app 1024 1 0");
    beat_twice();
    CU_ASSERT_EQUAL(node_of_master(a[1]), 1);
    CU_ASSERT_FALSE(is_on_master_slots(a[1]));
    CU_ASSERT_EQUAL(node(0)->masters.used, 1); /* the first goes on */
    CU_ASSERT_EQUAL(w.core->capacity.used[BASE_TASK_MAP], 1);
    world_free(&w);
}

/* Twelve slots of 2048 MiB were registered: 4 map, 2 reduce, 6 master slots. Half of the memory is
 * half of each; the newest masters are killed when the time is over. */
static void test_other_resources(void)
{
    struct base_app_id a[6];
    int32_t left = 0;

    BEGIN("fifo", 6);
    for (int i = 0; i < 6; i++) {
        a[i] = world_submit_app(&w, "app 1024 1 0");
        beat_twice();
        world_advance(&w, S);
    }
    check_used(0, 6);
    world_give(&w, "node0:8042", 12288, 6, S);
    CU_ASSERT_EQUAL(node(0)->slots[BASE_TASK_MAP], 2);
    CU_ASSERT_EQUAL(node(0)->slots[BASE_TASK_REDUCE], 1);
    CU_ASSERT_EQUAL(node(0)->masters.slots, 3);
    CU_ASSERT_EQUAL(w.core->capacity.memory_mb, 3 * 2048);
    check_used(0, 6);
    world_advance(&w, 2 * S);
    CU_ASSERT_EQUAL(node(0)->masters.freeing, 3);
    beat_twice();
    for (int i = 0; i < 6; i++)
        left += node_of_master(a[i]) == 0 && is_on_master_slots(a[i]);
    CU_ASSERT_EQUAL(left, 3);
    CU_ASSERT_EQUAL(node_of_master(a[0]), 0);
    CU_ASSERT_EQUAL(node(0)->masters.used, 3);
    world_free(&w);
}

/* After a takeover the record says where the master is, and its node offers the slots before it has
 * registered again. */
static void test_takeover(void)
{
    struct base_app_id a[2];

    BEGIN("fifo", 1, 0);
    a[0] = world_submit_app(&w, "app 1024 1 0");
    beat_twice();
    CU_ASSERT_EQUAL(node_of_master(a[0]), 0);
    world_crash(&w, w.journal_n);
    CU_ASSERT_EQUAL(w.core->masters_active, 0);
    a[1] = world_submit_app(&w, "app 1024 1 0");
    world_beat_all(&w, 0); /* nodes learn that they have to register */
    world_register(&w, &w.nodes[1]);
    world_beat(&w, &w.nodes[1], 0);
    CU_ASSERT_EQUAL(node_of_master(a[1]), -1);
    world_register(&w, &w.nodes[0]);
    CU_ASSERT(is_on_master_slots(a[0]));
    check_used(0, 1);
    beat_twice();
    CU_ASSERT_EQUAL(node_of_master(a[1]), -1);
    end_master_of(a[0]);
    beat_twice();
    CU_ASSERT_EQUAL(node_of_master(a[1]), 0);
    check_used(0, 1);
    world_free(&w);
}

static void test_reason_to_wait(void)
{
    struct base_app_id a[2];
    struct rm_views v = {0};
    struct base_buf text = {0};

    BEGIN("fifo", 1, 0);
    for (int i = 0; i < 2; i++)
        a[i] = world_submit_app(&w, "app 1024 1 0");
    beat_twice();
    rm_view_explain_wait(w.core, a[1], w.now, &text);
    CU_ASSERT_PTR_NOT_NULL_FATAL(text.data);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(text.data, "its master waits for a master slot: 1 of 1 are taken"));
    base_buf_free(&text);
    CU_ASSERT_EQUAL(rm_view_node(w.core, "node0:8042", &v), 0);
    CU_ASSERT_EQUAL(v.nodes[0].master_slots, 1);
    CU_ASSERT_EQUAL(v.nodes[0].used_master_slots, 1);
    CU_ASSERT_EQUAL(v.nodes[0].used_slots[BASE_TASK_MAP], 0);
    rm_views_free(&v);
    world_free(&w);
}

/* What is used is at most what there is, of the cluster and of its queues, when all slots for
 * masters are taken and none of the others. */
static void test_totals_include_them(void)
{
    struct rm_cluster_view cluster;
    struct rm_views v = {0};

    world_init(&w, "fifo");
    world_add_node(&w, 1, 0, "/r");
    set_master_slots(&w.nodes[0], 3);
    for (int i = 0; i < 3; i++)
        world_submit_app(&w, "app 2048 1 0");
    beat_twice();
    check_used(0, 3);
    rm_view_cluster(w.core, &cluster);
    CU_ASSERT_EQUAL(cluster.total.v[RM_RES_MEMORY_MB], 4 * 2048);
    CU_ASSERT_EQUAL(cluster.used.v[RM_RES_MEMORY_MB], 3 * 2048);
    CU_ASSERT_EQUAL(cluster.total.v[RM_RES_VCORES], 4);
    CU_ASSERT_EQUAL(cluster.used.v[RM_RES_VCORES], 3);
    CU_ASSERT_EQUAL(cluster.total.v[RM_RES_MAP_SLOTS], 1);
    CU_ASSERT_EQUAL(cluster.used.v[RM_RES_MAP_SLOTS], 0);
    CU_ASSERT_EQUAL(cluster.containers_allocated, 3);
    rm_view_queues(w.core, &v);
    CU_ASSERT_EQUAL(v.queues[0].used.v[RM_RES_MEMORY_MB], 3 * 2048);
    CU_ASSERT_EQUAL(v.queues[0].max.v[RM_RES_MEMORY_MB], 4 * 2048);
    CU_ASSERT_EQUAL(v.queues[0].max.v[RM_RES_MAP_SLOTS], 1);
    CU_ASSERT_EQUAL(v.queues[0].allocated_containers, 3);
    rm_views_free(&v);
    world_free(&w);
}

/* Ten applications of one container each on four map slots. With ten master slots all ten masters
 * run at once, and four of the containers; without, two masters may run, and two containers. */
static void test_ten_applications(void)
{
    for (int masters = 0; masters <= 10; masters += 10) {
        struct base_app_id a[10];

        world_init(&w, "fifo");
        world_add_node(&w, 4, 0, "/r");
        set_master_slots(&w.nodes[0], masters);
        for (int i = 0; i < 10; i++)
            a[i] = world_submit_app(&w, "app 1024 1 0");
        beat_twice();
        for (int i = 0; i < 10; i++) {
            struct rm_ask one;

            id = a[i];
            if (node_of_master(id) < 0)
                continue;
            do_register(1);
            one = ask("*", 1);
            allocate(0, &one, 1, NULL, 0);
        }
        beat_twice();
        check_used(4, masters); /* two of the four are masters if there are no master slots */
        for (int i = 0; i < 10; i++)
            CU_ASSERT_EQUAL(node_of_master(a[i]) >= 0, masters || i < 2);
        for (int i = 0; i < 10; i++) /* in order of submission */
            CU_ASSERT_EQUAL(app(a[i])->containers_n, masters ? 1 + (i < 4) : 2 * (i < 2));
        world_free(&w);
    }
}

static const struct cunit_case cases[] = {
    {"masters take no map slots", test_they_take_no_map_slots},
    {"a node with master slots comes and goes", test_a_node_with_them_comes_and_goes},
    {"the emptiest node first", test_emptiest_node_first},
    {"by priority, then by arrival", test_priority_then_arrival},
    {"masters of several slots", test_wide_masters},
    {"a master wider than any node", test_wider_than_any_node},
    {"limits of the policy", test_limits_of_the_policy},
    {"labels", test_labels},
    {"a drained node offers none", test_drained_node_offers_none},
    {"other resources of a node", test_other_resources},
    {"takeover", test_takeover},
    {"the reason to wait, and views", test_reason_to_wait},
    {"places are kept", test_places_are_kept},
    {"a node names another kind of slot", test_a_node_names_another_kind},
    {"many applications held back", test_many_held_back},
    {"totals include master slots", test_totals_include_them},
    {"ten applications", test_ten_applications},
};

CUNIT_MAIN("slots for masters alone", cases)
