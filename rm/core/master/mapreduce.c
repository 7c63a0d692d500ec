/* Shows MapReduce applications to policies as jobs: kinds of containers, counts, samples, the time
 * at which their maps are done, and admission. */
#include "rm/core/master/mapreduce.h"

#include "rm/core/admission.h"
#include "rm/core/app/kind.h"
#include "rm/core/state.h"

/* SOURCE: Hadoop's RMContainerAllocator. */
enum {
    PRIORITY_FAILED_MAP = 5,
    PRIORITY_REDUCE = 10,
    PRIORITY_OPPORTUNISTIC_MAP = 19,
    PRIORITY_MAP = 20
};

static bool is_priority_of_task(int32_t priority)
{
    return priority == PRIORITY_FAILED_MAP || priority == PRIORITY_REDUCE ||
           priority == PRIORITY_OPPORTUNISTIC_MAP || priority == PRIORITY_MAP;
}

enum base_task_kind rm_mapreduce_slot_kind(const struct rm_app *a, int32_t priority,
                                           const struct rm_res *r, int64_t reduce_slots)
{
    if (a->mapreduce.applies && priority == PRIORITY_REDUCE && reduce_slots > 0 &&
        r->v[RM_RES_MAP_SLOTS] <= 0)
        return BASE_TASK_REDUCE;
    return rm_slot_kind_for_resource(r);
}

static int32_t min32(int64_t a, int32_t b)
{
    return a < b ? (int32_t)a : b;
}

/* ---------------------------------------------------------------- counts */
void rm_mapreduce_adapt_demand(const struct rm_app *a, enum base_task_kind k,
                               struct policy_phase *p)
{
    const struct rm_mapreduce *m = &a->mapreduce;
    int64_t total = (int64_t)p->pending + p->running + m->done[k] + m->owed[k];
    int64_t tagged = (int64_t)a->app->reduces * policy_job_width(&a->pj, BASE_TASK_REDUCE);

    if (m->waits)
        p->total -= p->pending;
    if (a->pj.is_job) {
        if (k == BASE_TASK_REDUCE && tagged > total)
            total = tagged;
        p->done = m->done[k];
        p->total = min32(total, RM_ASKED_SLOTS_MAX);
    }
    if (m->waits || (k == BASE_TASK_REDUCE && m->reduces_held))
        p->pending = p->pending_tasks = 0;
}

static int64_t wanted_slots_of_failed_maps(const struct rm_app *a)
{
    int64_t sum = 0;

    for (size_t i = 0; i < a->asks_n && a->asks[i]->priority <= PRIORITY_FAILED_MAP; i++)
        if (a->asks[i]->priority == PRIORITY_FAILED_MAP)
            sum += rm_ask_group_wanted(a->asks[i]) * a->asks[i]->slots;
    return sum;
}

struct rm_mapreduce_wanted rm_mapreduce_wanted(const struct rm_app *a)
{
    struct rm_mapreduce_wanted w = {0};

    if (!a->pj.is_job)
        return w;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        w.slots[k] = a->asked_slots[k];
    w.failed_maps = wanted_slots_of_failed_maps(a);
    return w;
}

/* Returns the slots of the failed containers whose ends the master has not acknowledged yet. */
static int64_t unacknowledged_failed_slots(const struct rm_app *a, enum base_task_kind k)
{
    int64_t sum = 0;

    for (size_t i = 0; i < a->news_n; i++) {
        const struct rm_container *ct = a->news[i];

        if (ct->state == RM_CONTAINER_COMPLETED && (int)ct->slot == (int)k && ct->exit_code != 0)
            sum += ct->slots;
    }
    return sum;
}

/* Sets the new asks off against the containers that are owed. */
static void settle_owed_containers(struct rm_app *a, const struct rm_mapreduce_wanted *before)
{
    struct rm_mapreduce *m = &a->mapreduce;

    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        int64_t more = a->asked_slots[k] - before->slots[k];
        int32_t again = min32(more > 0 ? more : 0, m->owed[k]);

        m->owed[k] -= again;
        if (k == BASE_TASK_MAP) {
            int64_t failed = wanted_slots_of_failed_maps(a) - before->failed_maps - again;

            m->done[k] -= min32(failed > 0 ? failed : 0, m->done[k]);
        }
        m->owed[k] = min32(unacknowledged_failed_slots(a, k), m->owed[k]);
    }
}

static bool are_maps_over(const struct rm_app *a)
{
    return !a->asked_slots[BASE_TASK_MAP] && !a->phase[BASE_TASK_MAP].running &&
           !a->mapreduce.owed[BASE_TASK_MAP];
}

void rm_mapreduce_update_reduces(struct rm_core *c, struct rm_app *a)
{
    bool held = c->ops->reduces_last && a->pj.is_job && !a->pj.maps_done_us;

    if (!a->mapreduce.applies || held == a->mapreduce.reduces_held)
        return;
    a->mapreduce.reduces_held = held;
    rm_app_update_demand(c, a, BASE_TASK_REDUCE);
}

static void update_end_of_maps(struct rm_core *c, struct rm_app *a)
{
    if (!are_maps_over(a))
        a->pj.maps_done_us = 0;
    else if (!a->pj.maps_done_us)
        a->pj.maps_done_us = a->mapreduce.map_end_us ? a->mapreduce.map_end_us : a->submit_us;
    rm_mapreduce_update_reduces(c, a);
}

/* ---------------------------------------------------------------- containers */
void rm_mapreduce_note_container_begin(struct rm_core *c, struct rm_app *a, struct rm_container *ct)
{
    if (!a->mapreduce.applies)
        return;
    ct->task_attempt = a->mapreduce.numbered++ & INT32_MAX;
    if (!a->pj.is_job)
        return;
    if (!a->pj.first_us)
        a->pj.first_us = ct->start_us;
    if (c->ops->on_task_started && a->in_policy)
        c->ops->on_task_started(c->policy, &a->pj, ct->slot, ct->task_attempt, ct->node->index,
                                c->now_us);
}

static void report_end_to_policy(struct rm_core *c, struct rm_app *a, const struct rm_container *ct,
                                 bool success)
{
    struct policy_task_end e = {.task = ct->task_attempt,
                                .node = ct->node->index,
                                .started_us = ct->start_us,
                                .ended_us = c->now_us,
                                .success = success,
                                .killed = !success && ct->killing};
    int64_t from = e.started_us;

    if (ct->slot == BASE_TASK_REDUCE && a->pj.maps_done_us > from)
        from = a->pj.maps_done_us;
    e.work_us = e.ended_us > from ? e.ended_us - from : 0;
    if (success)
        policy_learned_add_task_of_job(&c->learned, &a->pj, ct->slot, &e);
    if (c->ops->on_task_ended && a->in_policy)
        c->ops->on_task_ended(c->policy, &a->pj, ct->slot, &e);
}

void rm_mapreduce_note_container_end(struct rm_core *c, struct rm_app *a,
                                     const struct rm_container *ct)
{
    const struct rm_attempt *at = rm_app_newest_attempt(a);
    bool success = ct->exit_code == 0;

    if (!a->pj.is_job)
        return;
    if (success)
        a->mapreduce.done[ct->slot] += ct->slots;
    else if (at && ct->id.attempt.attempt == at->id.attempt)
        a->mapreduce.owed[ct->slot] += ct->slots;
    if (ct->slot == BASE_TASK_MAP)
        a->mapreduce.map_end_us = c->now_us;
    report_end_to_policy(c, a, ct, success);
    update_end_of_maps(c, a);
}

/* ---------------------------------------------------------------- application and job */
static bool has_tasks(const struct rm_app *a)
{
    for (size_t i = 0; i < a->asks_n; i++)
        if (is_priority_of_task(a->asks[i]->priority))
            return true;
    for (const struct rm_container *ct = a->containers; ct; ct = ct->app_next)
        if (!ct->master) /* containers of other priorities were not started by Hadoop's master */
            return is_priority_of_task(ct->priority);
    return false;
}

static bool admission_is_open(const struct rm_core *c, const struct rm_app *a)
{
    return c->ops->admit && a->pj.deadline_us > 0 && !a->mapreduce.admitted && !a->promised_us &&
           !a->phase[BASE_TASK_MAP].running && !a->phase[BASE_TASK_REDUCE].running;
}

/* Returns true while further maps may follow those that the master has asked for: it names them all
 * in its first calls, as fast as it can. */
static bool maps_still_grow(struct rm_app *a)
{
    int64_t before = a->mapreduce.maps_before;

    a->mapreduce.maps_before = a->asked_slots[BASE_TASK_MAP];
    return a->asked_slots[BASE_TASK_MAP] != before;
}

static void update_demand_of_both_kinds(struct rm_core *c, struct rm_app *a)
{
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        rm_app_update_demand(c, a, k);
}

static void set_shown_as_job(struct rm_app *a, bool as_job)
{
    a->pj.is_job = a->pj.never_suspended = as_job;
    rm_asks_update_widths(a);
}

/* Shows @a as a job. Returns false when the policy refuses it. */
static bool show_as_job(struct rm_core *c, struct rm_app *a)
{
    bool ask = admission_is_open(c, a), again = ask || c->ops->sizes_at_arrival;

    if (again)
        rm_app_leave_policy(c, a);
    set_shown_as_job(a, true);
    update_end_of_maps(c, a);
    if (ask && !rm_app_admit(c, a))
        return false;
    if (again)
        rm_app_enter_policy(c, a);
    update_demand_of_both_kinds(c, a);
    a->mapreduce.admitted = true;
    if (ask) /* durable, since the policy is not asked again after a restart */
        rm_app_store_record(c, a);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        c->offer_all[k] = c->offer_all[k] || a->pj.phase[k].pending > 0;
    return true;
}

bool rm_mapreduce_update(struct rm_core *c, struct rm_app *a,
                         const struct rm_mapreduce_wanted *before)
{
    if (!a->mapreduce.applies)
        return true;
    if (a->pj.is_job) {
        settle_owed_containers(a, before);
        update_end_of_maps(c, a);
        update_demand_of_both_kinds(c, a);
        return true;
    }
    if (!has_tasks(a))
        return true;
    a->mapreduce.waits = admission_is_open(c, a) && maps_still_grow(a);
    if (!a->mapreduce.waits)
        return show_as_job(c, a);
    update_demand_of_both_kinds(c, a);
    return true;
}

void rm_mapreduce_end_attempt(struct rm_core *c, struct rm_app *a)
{
    struct rm_mapreduce *m = &a->mapreduce;
    bool again = a->pj.is_job && a->in_policy && c->ops->sizes_at_arrival;

    if (!m->applies)
        return;
    if (again)
        rm_app_leave_policy(c, a);
    *m = (struct rm_mapreduce){.applies = true, .admitted = m->admitted, .numbered = m->numbered};
    a->pj.maps_done_us = 0;
    set_shown_as_job(a, false);
    if (again)
        rm_app_enter_policy(c, a);
}

/* ---------------------------------------------------------------- locality */
/* Returns true for maps with input on known hosts. */
static bool asks_for_places(const struct rm_ask_group *g)
{
    return g->slot == BASE_TASK_MAP && g->named > 0;
}

bool rm_mapreduce_waits_for_locality(struct rm_core *c, struct rm_app *a,
                                     const struct rm_ask_group *g, enum delay_level level,
                                     bool no_delay)
{
    if (!a->pj.is_job)
        return false;
    if (asks_for_places(g) && !no_delay && delay_is_on(&c->delay))
        return !delay_offer_slot(&c->delay, &a->delay, level);
    delay_record_launched(&c->delay, &a->delay);
    return false;
}

enum policy_take rm_mapreduce_would_take(struct rm_core *c, struct rm_app *a,
                                         const struct rm_ask_group *g, enum delay_level level)
{
    if (!asks_for_places(g))
        return POLICY_TAKES;
    if (level == DELAY_NODE)
        return POLICY_TAKES_NEAR;
    return !delay_is_on(&c->delay) || delay_would_take_or_decline(&c->delay, &a->delay, level)
               ? POLICY_TAKES
               : POLICY_DECLINES;
}
