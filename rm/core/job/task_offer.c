/* Offers a free slot to a job. The policy has chosen the job, which may still decline: a map waits
 * for a slot near its data (delay scheduling), a reduce for a node that has run containers of its
 * job (colocation). */
#include "rm/core/job/task_offer.h"

#include "rm/core/app/app_nodes.h"
#include "rm/core/job/pick.h"
#include "rm/core/job/suspend.h"
#include "rm/core/job/task_attempt.h"
#include "rm/core/state.h"

static void launch_task(struct rm_core *c, struct rm_app *a, enum base_task_kind k,
                        struct rm_node *n, struct rm_task *t, enum delay_level level)
{
    struct base_container_id id = {{a->id, 1}, c->conf.epoch << 40 | a->next_num++};
    const struct rm_res resource = rm_resource_of_slots(c, k, policy_job_width(&a->pj, k));
    struct rm_container *ct = rm_container_new(c, a, n, &id, k, &resource, false);

    rm_health_note_operation(c, RM_OPERATION_ALLOCATION, ct);
    rm_totals_count_placed(c, a, level);
    ct->state = RM_CONTAINER_ACQUIRED; /* acquired at once: the RM is the job's master */
    rm_task_set_running_attempt(c, a, t, ct, false);
    rm_container_enqueue_launch(c, ct, NULL);
    rm_app_update_demand(c, a, k);
}

static void count_map_locality(struct rm_app *a, enum delay_level level)
{
    static const enum rm_counter counter[] = {RM_C_DATA_LOCAL_MAPS, RM_C_RACK_LOCAL_MAPS,
                                              RM_C_OTHER_LOCAL_MAPS};

    a->counters[counter[level]]++;
}

/* Returns true when delay scheduling makes the job wait for a slot nearer to its data. */
static bool must_wait_for_locality(struct rm_core *c, struct rm_app *a, enum delay_level level,
                                   bool located, bool no_delay)
{
    if (located && !no_delay && delay_is_on(&c->delay))
        return !delay_offer_slot(&c->delay, &a->delay, level);
    delay_record_launched(&c->delay, &a->delay);
    return false;
}

/* Counts a missed opportunity for locality although no task could run here, so that the wait for
 * locality ends in time. */
static void count_missed_opportunity(struct rm_core *c, struct rm_app *a, enum base_task_kind k,
                                     bool no_delay)
{
    if (k == BASE_TASK_MAP && a->phase[k].located && !no_delay && delay_is_on(&c->delay))
        delay_record_declined(&c->delay, &a->delay);
}

/* Returns true while a reduce should wait for a node that has run containers of its job, since such
 * a node may have output of the job's maps. */
static bool must_wait_for_colocation(struct rm_core *c, struct rm_app *a, const struct rm_node *n)
{
    if (!c->colo_wait_us || !a->phase[BASE_TASK_MAP].total || rm_app_has_used_node(a, n->index)) {
        a->colo_since_us = 0;
        return false;
    }
    if (!a->colo_since_us)
        a->colo_since_us = c->now_us;
    return c->now_us - a->colo_since_us < c->colo_wait_us;
}

/* Returns an attempt of the job that is suspended on @n; NULL: there is none. */
static struct rm_container *find_suspended_attempt(const struct rm_app *a, enum base_task_kind k,
                                                   const struct rm_node *n)
{
    return n->suspended[k] && a->phase[k].suspended ? rm_container_find_suspended(a, n, k) : NULL;
}

/* Offers a slot of @n to a job whose tasks take more slots than are free there. */
static void reserve_node_if_job_would_take(struct rm_core *c, struct rm_app *a,
                                           enum base_task_kind k, struct rm_node *n)
{
    if (rm_job_would_take_slot(c, a, k, n) != POLICY_DECLINES)
        rm_node_reserve_if_due(c, a, k, n, policy_job_width(&a->pj, k),
                               find_suspended_attempt(a, k, n) != NULL);
}

bool rm_job_offer_slot(struct rm_core *c, struct rm_app *a, enum base_task_kind k,
                       struct rm_node *n, bool no_delay, int64_t room)
{
    int32_t width = policy_job_width(&a->pj, k);
    struct rm_container *suspended;
    enum delay_level level;
    bool located;
    struct rm_task *t;

    if (width > room)
        return false;
    if (width > n->slots[k] - n->used[k]) {
        reserve_node_if_job_would_take(c, a, k, n);
        return false;
    }
    suspended = find_suspended_attempt(a, k, n);
    if (suspended) {
        rm_container_resume(c, suspended);
        return true;
    }
    if (!rm_node_serves_jobs(n))
        return false;
    if (a->pj.phase[k].pending <= 0)
        return false;
    t = rm_pick_task_near(c, a, k, n, &level, &located);
    if (!t)
        t = rm_pick_any_task(c, a, k, n);
    if (!t) {
        count_missed_opportunity(c, a, k, no_delay);
        return false;
    }
    __builtin_prefetch(t); /* will be written when its container is created */
    __builtin_prefetch((const char *)t + 64);
    if (k == BASE_TASK_MAP ? must_wait_for_locality(c, a, level, located, no_delay)
                           : must_wait_for_colocation(c, a, n))
        return false;
    if (k != BASE_TASK_MAP || !located)
        level = DELAY_ANY;
    if (k == BASE_TASK_MAP) {
        count_map_locality(a, level);
        n->round_off_rack = n->round_off_rack || (located && level == DELAY_ANY);
    }
    launch_task(c, a, k, n, t, level);
    return true;
}

enum policy_take rm_job_would_take_slot(struct rm_core *c, struct rm_app *a, enum base_task_kind k,
                                        struct rm_node *n)
{
    enum delay_level level;
    bool located;
    struct rm_task *t;

    if (find_suspended_attempt(a, k, n))
        return POLICY_TAKES_NEAR;
    if (!rm_node_serves_jobs(n) || a->pj.phase[k].pending <= 0)
        return POLICY_DECLINES;
    if (policy_job_width(&a->pj, k) > n->slots[k]) {
        count_missed_opportunity(c, a, k, false);
        return POLICY_DECLINES;
    }
    t = rm_pick_task_near(c, a, k, n, &level, &located);
    if (!t)
        t = rm_pick_any_task(c, a, k, n);
    if (!t)
        count_missed_opportunity(c, a, k, false);
    if (!t || (k == BASE_TASK_REDUCE && must_wait_for_colocation(c, a, n)))
        return POLICY_DECLINES;
    if (k == BASE_TASK_REDUCE || !located)
        return POLICY_TAKES;
    if (level == DELAY_NODE)
        return POLICY_TAKES_NEAR;
    if (delay_is_on(&c->delay) && !delay_would_take_or_decline(&c->delay, &a->delay, level))
        return POLICY_DECLINES;
    return POLICY_TAKES;
}

int32_t rm_job_wide_request(struct rm_core *c, struct rm_app *a, enum base_task_kind k,
                            struct rm_node *n)
{
    return rm_job_would_take_slot(c, a, k, n) == POLICY_DECLINES ? 0 : policy_job_width(&a->pj, k);
}
