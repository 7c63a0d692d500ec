/* Goal: what the pages for people read of the core is right: the newest containers in parts, one
 * container, the order in which a free slot would be offered, a search for a text, slots in use.
 * Method: a small world at known moments; expected numbers are counted by hand. */
#include <stdio.h>
#include <string.h>

#include "rm/core/state.h"
#include "rm/core/view/view.h"
#include "tests/sim/core_world.h"
#include "tests/unit/cunit_main.h"

#define S INT64_C(1000000)

static struct world w;
static struct rm_views v;

/* A node of 5 map slots and 1 reduce slot. As in the daemon, the resources of a slot include the
 * slot itself. */
static void begin(const char *policy)
{
    world_init(&w, policy);
    w.conf.slot_res[BASE_TASK_MAP].v[RM_RES_MAP_SLOTS] = 1;
    w.conf.slot_res[BASE_TASK_REDUCE].v[RM_RES_REDUCE_SLOTS] = 1;
    world_renew(&w);
    world_add_node(&w, 5, 1, "/a");
}

static void end(void)
{
    rm_views_free(&v);
    world_free(&w);
}

static void test_newest_containers(void)
{
    struct base_container_id cursor, first, oldest;
    struct base_attempt_id id = {.attempt = 0}, second;
    bool more;

    begin("fifo");
    id.app = world_submit(&w, "a 9 0 0 4 0 0");
    world_beat_all(&w, S);
    CU_ASSERT_EQUAL(rm_view_newest_containers(w.core, id, NULL, 2, &v, &cursor, &more), 0);
    CU_ASSERT_EQUAL_FATAL(v.containers_n, 2);
    CU_ASSERT_TRUE(more);
    CU_ASSERT_EQUAL(v.containers[0].id.num, v.containers[1].id.num + 1);
    CU_ASSERT_EQUAL(base_container_id_cmp(&cursor, &v.containers[1].id), 0);
    first = cursor;
    CU_ASSERT_EQUAL(rm_view_newest_containers(w.core, id, &first, 9, &v, &cursor, &more), 0);
    CU_ASSERT_EQUAL_FATAL(v.containers_n, 5);
    CU_ASSERT_FALSE(more);
    for (size_t i = 1; i < v.containers_n; i++)
        CU_ASSERT_EQUAL(v.containers[i].id.num + 1, v.containers[i - 1].id.num);
    oldest = v.containers[4].id;
    rm_views_free(&v);
    CU_ASSERT_EQUAL(rm_view_newest_containers(w.core, id, &oldest, 9, &v, &cursor, &more), 0);
    CU_ASSERT_EQUAL(v.containers_n, 0);
    CU_ASSERT_FALSE(more);
    second = (struct base_attempt_id){id.app, 2};
    CU_ASSERT_EQUAL(rm_view_newest_containers(w.core, second, NULL, 9, &v, &cursor, &more), 0);
    CU_ASSERT_EQUAL(v.containers_n, 0);
    CU_ASSERT_EQUAL(rm_view_container(w.core, &first, &v), 0);
    CU_ASSERT_EQUAL_FATAL(v.containers_n, 1);
    CU_ASSERT_EQUAL(base_container_id_cmp(&first, &v.containers[0].id), 0);
    CU_ASSERT_TRUE(v.containers[0].has_task);
    /* @first is not a container of this application */
    second.app = world_submit(&w, "b 1 0 0 4 0 0");
    CU_ASSERT_EQUAL(rm_view_newest_containers(w.core, second, &first, 9, &v, &cursor, &more),
                    -BASE_ENOTFOUND);
    first.num += 1000;
    CU_ASSERT_EQUAL(rm_view_container(w.core, &first, &v), -BASE_ENOTFOUND);
    CU_ASSERT_EQUAL(rm_view_newest_containers(w.core, id, &first, 9, &v, &cursor, &more),
                    -BASE_ENOTFOUND);
    id.app.seq = 99;
    CU_ASSERT_EQUAL(rm_view_newest_containers(w.core, id, NULL, 9, &v, &cursor, &more),
                    -BASE_ENOTFOUND);
    end();
}

static void turn_is(size_t i, struct base_app_id id, int64_t pending, int64_t running)
{
    CU_ASSERT_FATAL(i < v.turns_n);
    CU_ASSERT_EQUAL(base_app_id_cmp(&v.turns[i].app, &id), 0);
    CU_ASSERT_EQUAL(v.turns[i].pending, pending);
    CU_ASSERT_EQUAL(v.turns[i].running, running);
}

static void test_turns(void)
{
    struct rm_slot_view slot;
    struct base_app_id a, b, c;

    world_init(&w, "fifo");
    world_submit(&w, "a 1 0 0 4 0 0");
    rm_view_slot_offer_order(w.core, BASE_TASK_MAP, 9, &v, &slot);
    CU_ASSERT_PTR_NULL(slot.node);
    CU_ASSERT_EQUAL(slot.waiting, 1);
    CU_ASSERT_EQUAL(v.turns_n, 0);
    end();
    begin("fifo");
    a = world_submit(&w, "a 3 0 0 4 0 0");
    world_beat_all(&w, S);
    a = world_submit(&w, "d 4 0 0 4 0 0");
    world_beat_all(&w, S); /* two of its four run; the node is full now */
    b = world_submit(&w, "b 2 0 0 4 0 0");
    c = world_submit(&w, "c 1 0 0 4 0 5"); /* a higher priority */
    rm_view_slot_offer_order(w.core, BASE_TASK_MAP, 9, &v, &slot);
    CU_ASSERT_STRING_EQUAL(slot.node, "node0:8042");
    CU_ASSERT_EQUAL(slot.waiting, 3);
    CU_ASSERT_EQUAL_FATAL(v.turns_n, 3);
    turn_is(0, c, 1, 0);
    turn_is(1, a, 2, 2);
    turn_is(2, b, 2, 0);
    CU_ASSERT_STRING_EQUAL(v.turns[0].name, "c");
    CU_ASSERT_STRING_EQUAL(v.turns[0].user, "ann");
    CU_ASSERT_EQUAL(v.turns[0].priority, 5);
    CU_ASSERT_STRING_EQUAL(v.turns[2].why, "2 jobs with waiting map tasks come first");
    rm_views_free(&v);
    rm_view_slot_offer_order(w.core, BASE_TASK_MAP, 2, &v, &slot);
    CU_ASSERT_EQUAL(v.turns_n, 2);
    rm_view_slot_offer_order(w.core, BASE_TASK_REDUCE, 2, &v, &slot);
    CU_ASSERT_EQUAL(v.turns_n, 2);
    CU_ASSERT_EQUAL(slot.waiting, 0);
    end();
}

/* Every policy can be asked for its order and is not changed by that: all jobs still end. */
static void test_turns_of_every_policy(void)
{
    static const char *const policies[] = {"fifo",     "fair", "naive-fair", "hfsp", "hsrtf-pu",
                                           "hsrtf-pr", "rtmr", "dc",         "las",  "np-srpt"};

    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        struct rm_slot_view slot;

        begin(policies[i]);
        world_submit(&w, "a 20 1 0 4 0 0");
        world_beat_all(&w, S);
        world_submit(&w, "b 3 0 0 4 0 0");
        rm_view_slot_offer_order(w.core, BASE_TASK_MAP, 9, &v, &slot);
        CU_ASSERT_PTR_NOT_NULL(slot.node);
        if (v.turns_n != 2)
            printf("\n  %s: %zu in the order\n", policies[i], v.turns_n);
        CU_ASSERT_EQUAL(v.turns_n, 2);
        world_run_dry(&w);
        end();
    }
}

static size_t count_with(const char *text)
{
    struct rm_app_filter f = {.text = text};
    struct base_app_id cursor;
    size_t n;

    rm_view_apps(w.core, &f, NULL, 99, &v, &cursor);
    n = v.apps_n;
    rm_views_free(&v);
    return n;
}

static void test_search(void)
{
    begin("fifo");
    world_submit(&w, "Nightly 1 0 0 4 0 0");
    world_submit(&w, "hourly 1 0 0 4 0 0 0 prod");
    CU_ASSERT_EQUAL(count_with("ly"), 2);
    CU_ASSERT_EQUAL(count_with("nIGHT"), 1);
    CU_ASSERT_EQUAL(count_with("PROD"), 1);
    CU_ASSERT_EQUAL(count_with("Ann"), 2);
    CU_ASSERT_EQUAL(count_with("mapred"), 2);
    CU_ASSERT_EQUAL(count_with("_0002"), 1);
    CU_ASSERT_EQUAL(count_with("weekly"), 0);
    end();
}

/* Slots are counted once, though each container's resources name its slot too. */
static void test_slots_in_use(void)
{
    struct rm_cluster_view c;

    begin("fifo");
    world_submit(&w, "a 7 0 0 4 0 0");
    world_beat_all(&w, S);
    rm_view_cluster(w.core, &c);
    CU_ASSERT_EQUAL(c.used.v[RM_RES_MAP_SLOTS], 5);
    CU_ASSERT_EQUAL(c.used.v[RM_RES_REDUCE_SLOTS], 0);
    CU_ASSERT_EQUAL(c.used.v[RM_RES_MEMORY_MB], 5 * 2048);
    CU_ASSERT_EQUAL(c.total.v[RM_RES_MAP_SLOTS], 5);
    CU_ASSERT_EQUAL(c.pending.v[RM_RES_MAP_SLOTS], 2);
    CU_ASSERT_EQUAL(c.pending.v[RM_RES_MEMORY_MB], 2 * 2048);
    end();
}

static const struct cunit_case cases[] = {
    {"newest containers", test_newest_containers},
    {"who is next", test_turns},
    {"who is next, under every policy", test_turns_of_every_policy},
    {"search for a text", test_search},
    {"slots in use", test_slots_in_use}};
CUNIT_MAIN("core_pages", cases)
