/* After a restart or takeover: which jobs are held and for how long, times stamped by another host,
 * attempt numbers, and nodes that fall silent together. The rules are in rm/core/core.h. */
#include "rm/core/record/takeover.h"

#include "rm/core/emit.h"
#include "rm/core/job/job.h"
#include "rm/core/job/pick.h"
#include "rm/core/record/record.h"
#include "rm/core/state.h"

/* Moves a time in the future back to now. */
static void clip_to_now(int64_t *at, int64_t now_us)
{
    if (*at > now_us)
        *at = now_us;
}

/* Moves those times of a task that lie in the future back to now. An ended attempt keeps its
 * duration, from which policies learn. */
static void clip_task_times(struct rm_task *t, int64_t now_us)
{
    int64_t ahead = t->finish_us - now_us;

    if (ahead > 0) {
        t->finish_us = now_us;
        t->start_us = t->start_us > ahead ? t->start_us - ahead : 0;
    }
    clip_to_now(&t->start_us, now_us);
}

/* Live work cannot have begun in the future, and a deadline cannot be further away than it was at
 * submission. */
static void clip_app_times(struct rm_core *c, struct rm_app *a)
{
    clip_to_now(&a->submit_us, c->now_us);
    clip_to_now(&a->launch_us, c->now_us);
    clip_to_now(&a->start_us, c->now_us);
    clip_to_now(&a->pj.submit_us, c->now_us);
    clip_to_now(&a->pj.first_us, c->now_us);
    rm_app_set_deadline_from_spec(a);
    for (int32_t i = 0; i < a->attempts_n; i++) {
        clip_to_now(&a->attempts[i].start_us, c->now_us);
        clip_to_now(&a->attempts[i].finish_us, c->now_us);
    }
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        for (int32_t i = 0; i < a->phase[k].total; i++)
            clip_task_times(&a->phase[k].tasks[i], c->now_us);
}

#define BASE_MAX (RM_TASK_ATTEMPT_MAX / 10 * 9)
/* how long masters wait if there is no takeover_grace_us */
#define MASTERS_WAIT_US INT64_C(5000000)

/* Chooses a first attempt number above all those that earlier instances can have used. Each epoch
 * has a thousand numbers of its own; an instance that used more numbers has recorded that. */
static void set_attempt_base(struct rm_core *c, struct rm_app *a)
{
    int64_t epochs = c->conf.epoch - a->epoch, highest = 0, base = 0;

    if (epochs > 0)
        base = epochs < BASE_MAX / RM_EPOCH_ATTEMPTS ? epochs * RM_EPOCH_ATTEMPTS : BASE_MAX;
    for (enum base_task_kind k = 0; rm_tasks_are_in_memory(a) && k < BASE_TASK_KINDS; k++)
        for (int32_t i = 0; i < a->phase[k].total; i++)
            if (a->phase[k].tasks[i].next_attempt > highest)
                highest = a->phase[k].tasks[i].next_attempt;
    if (highest > base)
        base = highest + RM_EPOCH_ATTEMPTS;
    a->attempt_base = (int32_t)(base < BASE_MAX ? base : BASE_MAX);
}

/* Counts ended attempts from the records of the tasks, since the job's own record is only as new as
 * the job's last change of state. Attempts that still run are counted when their nodes report them.
 * An attempt that did not count towards max-attempts is counted as killed. */
static void recount_ended_attempts(struct rm_app *a)
{
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        int64_t launched = 0, failed = 0;

        for (int32_t i = 0; i < a->phase[k].total; i++) {
            launched += a->phase[k].tasks[i].attempts;
            failed += a->phase[k].tasks[i].failures;
        }
        a->counters[RM_C_TOTAL_LAUNCHED_MAPS + k] = launched;
        a->counters[RM_C_FAILED_MAPS + k] = failed;
        launched -= failed + a->phase[k].succeeded;
        /* contradictory records may give a negative number */
        a->counters[RM_C_KILLED_MAPS + k] = launched > 0 ? launched : 0;
    }
}

/* Withholds tasks whose earlier attempt may be committing at this moment. */
static void withhold_committing_tasks(struct rm_app *a)
{
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        for (int32_t i = 0; i < a->phase[k].total; i++)
            if (rm_task_is_withheld(&a->phase[k].tasks[i])) {
                a->phase[k].kept++;
                rm_pick_unmark_pending(a, &a->phase[k].tasks[i]);
            }
}

static void release_withheld_tasks(struct rm_core *c, struct rm_app *a, struct rm_phase *p);

static bool app_is_unfinished(const struct rm_app *a)
{
    return !rm_app_end_is_decided(a) && a->state != RM_APP_FINISHING;
}

/* Returns true when the job has to be held, since its tasks may be running on an awaited node. A
 * start is ordered before its record is durable, and the record may be lost. Without a grace period
 * that alone is no reason to wait until a dead node expires. A new job with a deadline is always
 * held: it can be admitted only when the cluster's slots are known. */
static bool job_must_be_held(const struct rm_core *c, const struct rm_app *a)
{
    if (c->conf.takeover_grace_us > 0)
        return true;
    if (a->undecided)
        return a->pj.deadline_us > 0;
    if (a->state == RM_APP_NEW_SAVING)
        return a->pj.deadline_us > 0 && !rm_app_needs_setup(a, &c->conf);
    return a->state != RM_APP_ACCEPTED;
}

void rm_takeover_begin(struct rm_core *c)
{
    for (size_t i = 0; i < c->nodes_n; i++)
        if (c->nodes[i] && c->nodes[i]->awaited) {
            c->nodes[i]->last_us = c->now_us;
            rm_timer_set(&c->timers, &c->nodes[i]->expiry, c->now_us + c->conf.node_expiry_us);
        }
    for (size_t i = 0; i < c->apps_n; i++) {
        struct rm_app *a = c->apps[i];

        if (a->abort_owed)
            set_attempt_base(c, a);
        if (!app_is_unfinished(a))
            continue;
        clip_app_times(c, a);
        if (!a->is_job)
            continue;
        set_attempt_base(c, a);
        recount_ended_attempts(a);
        withhold_committing_tasks(a);
        /* Without awaited nodes nothing would release the tasks later. */
        for (enum base_task_kind k = 0; !c->awaited && k < BASE_TASK_KINDS; k++)
            release_withheld_tasks(c, a, &a->phase[k]);
        a->held = c->awaited > 0 && job_must_be_held(c, a);
    }
    c->masters_wait_until_us =
        c->now_us + (c->conf.takeover_grace_us > 0 ? c->conf.takeover_grace_us : MASTERS_WAIT_US);
    if (c->awaited > 0 && c->conf.takeover_grace_us > 0)
        rm_timer_set(&c->timers, &c->grace_timer, c->now_us + c->conf.takeover_grace_us);
}

bool rm_takeover_delays_master_registration(const struct rm_core *c)
{
    return c->awaited > 0 && c->now_us < c->masters_wait_until_us;
}

static void release_held_apps(struct rm_core *c)
{
    for (size_t i = 0; i < c->apps_n; i++) {
        struct rm_app *a = c->apps[i];

        if (!a->held)
            continue;
        a->held = false;
        if (a->state == RM_APP_NEW_SAVING) {
            rm_app_accept_stored_submission(c, a);
            continue;
        }
        if (a->undecided)
            rm_job_decide_admission(c, a);
        rm_step_wait_unless_running(c, a);
        for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
            rm_app_update_demand(c, a, k);
        rm_job_commit_or_end_if_ready(c, a);
    }
}

/* All nodes are known, so the attempts that were allowed to commit are lost: the withheld tasks can
 * run again. */
static void release_withheld_tasks(struct rm_core *c, struct rm_app *a, struct rm_phase *p)
{
    for (int32_t i = 0; p->kept && i < p->total; i++) {
        struct rm_task *t = &p->tasks[i];

        if (!rm_task_is_withheld(t))
            continue;
        p->kept--;
        t->commit_attempt = -1;
        rm_record_commit_right(c, a, t);
        rm_pick_mark_pending(c, a, t);
    }
}

void rm_takeover_end_grace(struct rm_core *c)
{
    if (c->awaited > 0)
        rm_emit_note(c, 5,
                     "%d nodes have not registered since the takeover: jobs go on without them",
                     c->awaited);
    release_held_apps(c);
}

void rm_node_stop_awaiting(struct rm_core *c, struct rm_node *n)
{
    if (!n->awaited)
        return;
    n->awaited = false;
    rm_master_slots_recount_node(c, n);
    if (--c->awaited > 0)
        return;
    rm_timer_cancel(&c->timers, &c->grace_timer);
    for (size_t i = 0; i < c->apps_n; i++) {
        for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
            if (c->apps[i]->phase[k].kept) {
                release_withheld_tasks(c, c->apps[i], &c->apps[i]->phase[k]);
                rm_app_update_demand(c, c->apps[i], k);
            }
        rm_step_wait_unless_running(c, c->apps[i]);
    }
    release_held_apps(c);
}

/* Returns true when more than half of the nodes are silent. Nodes that were cut off at the same
 * moment sent their last heartbeats at different times, so silence means half an expiry interval
 * here, which still distinguishes them from live nodes. */
static bool most_nodes_are_silent(const struct rm_core *c, size_t *silent, size_t *all)
{
    *silent = *all = 0;
    for (size_t i = 0; i < c->nodes_n; i++) {
        const struct rm_node *n = c->nodes[i];

        if (!n || (!n->registered && !n->awaited))
            continue;
        ++*all;
        *silent += c->now_us - n->last_us >= c->conf.node_expiry_us / 2;
    }
    return *silent * 2 > *all;
}

bool rm_node_spare_from_expiry(struct rm_core *c, struct rm_node *n)
{
    size_t silent, all;

    if (n->spared && c->now_us >= c->spared_until_us)
        return false;
    if (c->now_us >= c->spared_until_us) {
        if (!most_nodes_are_silent(c, &silent, &all))
            return false;
        c->spared_until_us = c->now_us + c->conf.node_expiry_us;
        rm_emit_note(c, 4, "%zu of %zu nodes are silent: none expires for another %lld s", silent,
                     all, (long long)(c->conf.node_expiry_us / 1000000));
    }
    n->spared = true;
    rm_timer_set(&c->timers, &n->expiry, c->spared_until_us);
    return true;
}
