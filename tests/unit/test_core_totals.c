/* Goal: what queues, users and labels have had so far is counted once, also over a move, a restart
 * and a change of labels. Method: a small world under the fair scheduler. */
#include <stdlib.h>
#include <string.h>

#include "rm/core/ledger.h"
#include "rm/core/state.h"
#include "rm/core/view/view.h"
#include "tests/sim/core_world.h"
#include "tests/unit/cunit_main.h"

#define MINUTE INT64_C(60000000)

static struct world w;

static void begin(const char *queues)
{
    world_init(&w, "fair");
    w.conf.queues = queues;
    world_renew(&w);
    world_add_node(&w, 4, 1, NULL);
}

static const struct rm_totals *totals_of(const char *queue)
{
    return &w.core->queues[policy_queues_find(&w.core->tree, queue)].totals;
}

static void test_life(void)
{
    const struct rm_totals *t;
    struct base_app_id killed;

    begin("dev");
    world_submit(&w, "m 9 0 0 4 0 0 0 dev");
    world_beat(&w, &w.nodes[0], 0);
    t = totals_of("dev");
    CU_ASSERT_EQUAL(t->submitted[0], 1);
    CU_ASSERT_EQUAL(t->submitted[1], 0);
    CU_ASSERT_EQUAL(t->begun, 4);
    CU_ASSERT_EQUAL(t->ended, 0);
    CU_ASSERT_EQUAL(t->placed[DELAY_NODE] + t->placed[DELAY_RACK], 0);
    CU_ASSERT_EQUAL(t->placed[DELAY_ANY], 4);
    CU_ASSERT_EQUAL(t->first_n, 1);
    CU_ASSERT_TRUE(t->first_us >= 0);
    world_crash(&w, w.durable);
    world_register(&w, &w.nodes[0]);
    t = totals_of("dev"); /* of another core, which has taken the containers over */
    CU_ASSERT_EQUAL(t->submitted[0], 1);
    CU_ASSERT_EQUAL(t->begun, 4);
    CU_ASSERT_EQUAL(t->placed[DELAY_ANY], 0);
    CU_ASSERT_EQUAL(t->first_n, 0);
    world_run_dry(&w);
    t = totals_of("dev");
    CU_ASSERT_EQUAL(t->completed[0], 1);
    CU_ASSERT_EQUAL(t->failed[0] + t->killed[0], 0);
    CU_ASSERT_EQUAL(t->begun, 9);
    CU_ASSERT_EQUAL(t->ended, 9);
    killed = world_submit(&w, "k 1 0 0 4 0 0 0 dev");
    world_kill(&w, killed);
    world_run_dry(&w);
    CU_ASSERT_EQUAL(totals_of("dev")->killed[0], 1);
    CU_ASSERT_EQUAL(totals_of("default")->submitted[0], 0);
    world_free(&w);
}

/* What was counted before a move stays counted in the old queue; ends after it are counted in the
 * new one. */
static void test_move(void)
{
    struct base_app_id job;

    begin("dev,prod");
    job = world_submit(&w, "m 9 0 0 4 0 0 0 dev");
    world_beat(&w, &w.nodes[0], 0);
    world_move(&w, job, "prod");
    CU_ASSERT_EQUAL(totals_of("dev")->submitted[0], 1);
    CU_ASSERT_EQUAL(totals_of("dev")->begun, 4);
    CU_ASSERT_EQUAL(totals_of("prod")->submitted[0], 0);
    world_run_dry(&w);
    CU_ASSERT_EQUAL(totals_of("prod")->begun, 5);
    CU_ASSERT_EQUAL(totals_of("prod")->ended, 9);
    CU_ASSERT_EQUAL(totals_of("prod")->completed[0], 1);
    CU_ASSERT_EQUAL(totals_of("dev")->completed[0], 0);
    world_free(&w);
}

static const struct rm_queue_user_view *find_member(const struct rm_views *v, const char *queue)
{
    for (size_t i = 0; i < v->queue_users_n; i++)
        if (v->queue_users[i].queue == policy_queues_find(&w.core->tree, queue))
            return &v->queue_users[i];
    return NULL;
}

static void test_members(void)
{
    static const int64_t minutes[] = {0, 59, 60, 299, 300, 1439, 1440, 9999};
    const struct rm_queue_user_view *m;
    struct base_app_id job;

    begin("dev,prod");
    job = world_submit(&w, "m 9 0 0 4 0 0 0 dev");
    world_submit(&w, "n 1 0 0 4 0 0 0 dev");
    world_beat(&w, &w.nodes[0], 0);
    for (size_t i = 0; i < sizeof minutes / sizeof *minutes; i++) {
        struct rm_views v = {0};
        int64_t began = rm_app_find(w.core, job)->start_us;

        CU_ASSERT_TRUE_FATAL(began > 0);
        rm_view_queue_user_totals(w.core, began + minutes[i] * MINUTE, &v);
        CU_ASSERT_EQUAL_FATAL(v.queue_users_n, 1);
        m = find_member(&v, "dev");
        CU_ASSERT_PTR_NOT_NULL_FATAL(m);
        CU_ASSERT_TRUE(m->running_apps[i / 2] >= 1);
        CU_ASSERT_EQUAL(m->running_apps[0] + m->running_apps[1] + m->running_apps[2] +
                            m->running_apps[3],
                        m->active_apps);
        CU_ASSERT_EQUAL(m->containers, 4);
        CU_ASSERT_EQUAL(m->pending_containers, 6);
        CU_ASSERT_TRUE(m->wanting_apps >= 1);
        CU_ASSERT_EQUAL(m->totals.submitted[0], 2);
        CU_ASSERT_EQUAL(m->totals.begun, 4);
        rm_views_free(&v);
    }
    world_move(&w, job, "prod");
    world_run_dry(&w);
    {
        struct rm_views v = {0};

        rm_view_queue_user_totals(w.core, w.core->now_us, &v);
        CU_ASSERT_EQUAL(v.queue_users_n, 2);
        m = find_member(&v, "prod");
        CU_ASSERT_PTR_NOT_NULL_FATAL(m);
        CU_ASSERT_EQUAL(m->totals.submitted[0], 0);
        CU_ASSERT_EQUAL(m->totals.completed[0], 1);
        CU_ASSERT_EQUAL(m->active_apps + m->pending_apps + m->containers, 0);
        rm_views_free(&v);
    }
    world_free(&w);
}

static void test_preempted(void)
{
    const struct rm_container *ct;
    const struct rm_totals *t;
    struct base_app_id job;
    int64_t mb, vcores;

    begin("dev");
    job = world_submit(&w, "m 1 0 0 4 0 0 0 dev");
    world_beat(&w, &w.nodes[0], 0);
    ct = rm_app_find(w.core, job)->containers;
    CU_ASSERT_PTR_NOT_NULL_FATAL(ct);
    mb = ct->resource.v[RM_RES_MEMORY_MB];
    vcores = ct->resource.v[RM_RES_VCORES];
    w.core->now_us = ct->start_us + 7900000;
    rm_totals_count_preempted(w.core, ct);
    t = totals_of("dev");
    CU_ASSERT_EQUAL(t->preempted, 1);
    CU_ASSERT_EQUAL(t->preempted_mb, mb);
    CU_ASSERT_EQUAL(t->preempted_vcores, vcores);
    CU_ASSERT_EQUAL(t->preempted_mb_seconds, 7 * mb);
    CU_ASSERT_EQUAL(t->preempted_vcore_seconds, 7 * vcores);
    CU_ASSERT_EQUAL(rm_app_find(w.core, job)->member->totals.preempted, 1);
    world_free(&w);
}

static struct rm_partition partition_of(const char *queue)
{
    struct rm_partition found = {0};
    struct rm_views v = {0};

    rm_view_partitions(w.core, &v);
    for (size_t i = 0; i < v.partitions_n; i++)
        if (v.partitions[i].queue == policy_queues_find(&w.core->tree, queue)) {
            CU_ASSERT_STRING_EQUAL(v.labels[v.partitions[i].label].name, "gpu");
            found = v.partitions[i].use;
        }
    rm_views_free(&v);
    return found;
}

/* Counts of partitions: the ledger's check, which debug builds run after steps, compares them with
 * the containers. */
static void test_partitions(void)
{
    struct base_app_id job;
    struct rm_partition p;

    begin("dev,prod");
    world_label(&w, RM_LABELS_ADD, "ssd", NULL, false);
    world_label(&w, RM_LABELS_ADD, "gpu", NULL, false);
    world_label(&w, RM_LABELS_REMOVE, "ssd", NULL, false);
    world_label(&w, RM_LABELS_REPLACE, "node0:8042", "gpu", false);
    job = world_submit(&w, "m 9 0 0 4 0 0 0 dev");
    world_beat(&w, &w.nodes[0], 0);
    p = partition_of("dev");
    CU_ASSERT_EQUAL(p.containers, 4);
    CU_ASSERT_EQUAL(p.begun, 4);
    CU_ASSERT_EQUAL(p.used.v[RM_RES_MEMORY_MB],
                    rm_app_find(w.core, job)->allocated.v[RM_RES_MEMORY_MB]);
    world_move(&w, job, "prod");
    CU_ASSERT_EQUAL(partition_of("dev").containers, 0);
    CU_ASSERT_EQUAL(partition_of("prod").containers, 4);
    rm_ledger_check(w.core);
    world_label(&w, RM_LABELS_REPLACE, "node0:8042", NULL, false);
    /* containers are counted under the label with which they began */
    CU_ASSERT_EQUAL(partition_of("prod").containers, 4);
    world_run_dry(&w);
    p = partition_of("prod");
    CU_ASSERT_EQUAL(p.containers, 0);
    CU_ASSERT_EQUAL(p.used.v[RM_RES_MEMORY_MB], 0);
    CU_ASSERT_EQUAL(p.begun, 0);
    CU_ASSERT_EQUAL(p.ended, 4);
    rm_ledger_check(w.core);
    world_free(&w);
}

static const struct cunit_case cases[] = {{"the life of jobs", test_life},
                                          {"a move", test_move},
                                          {"users in queues", test_members},
                                          {"preemption", test_preempted},
                                          {"labels", test_partitions}};
CUNIT_MAIN("totals", cases)
