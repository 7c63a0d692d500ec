/* The step: an event in, effects out. Timers that are due run first, then the event's handler; then
 * finish_step() does whatever has become possible: work that waited for the store, masters that may
 * start, offers of free slots, answers to held heartbeats. Handlers only mark such work in the
 * state, so that it is done once per event, in a fixed order; but a heartbeat offers the slots of
 * its node at once. */
#include "rm/core/core.h"

#include <stdlib.h>

#include "rm/core/admin/decommission.h"
#include "rm/core/admin/master_keys.h"
#include "rm/core/admin/resource.h"
#include "rm/core/app/finished.h"
#include "rm/core/app/kill.h"
#include "rm/core/app/kind.h"
#include "rm/core/app/lifetime.h"
#include "rm/core/app/move.h"
#include "rm/core/emit.h"
#include "rm/core/job/job.h"
#include "rm/core/job/job_submit.h"
#include "rm/core/job/map_output.h"
#include "rm/core/job/task_attempt.h"
#include "rm/core/ledger.h"
#include "rm/core/master/app_submit.h"
#include "rm/core/master/master.h"
#include "rm/core/master/protocol.h"
#include "rm/core/master/turns.h"
#include "rm/core/node/answer.h"
#include "rm/core/node/forget.h"
#include "rm/core/node/heartbeat.h"
#include "rm/core/node/loss.h"
#include "rm/core/node/register.h"
#include "rm/core/queue/app_limits.h"
#include "rm/core/record/confirm.h"
#include "rm/core/record/damage.h"
#include "rm/core/record/prune.h"
#include "rm/core/record/read_back.h"
#include "rm/core/record/takeover.h"
#include "rm/core/schedule/active_policy.h"
#include "rm/core/schedule/activity.h"
#include "rm/core/schedule/offer.h"
#include "rm/core/schedule/preempt.h"
#include "rm/core/state.h"

static void run_deferred_work(struct rm_core *c, const struct rm_ack *ack)
{
    switch (ack->kind) {
    case RM_ACK_APP_NEW:
        rm_app_accept_stored_submission(c, ack->p);
        break;
    case RM_ACK_APP_FINAL:
        rm_app_enter_final_state(c, ack->p);
        break;
    case RM_ACK_JOB_SPLITS:
        rm_job_decide_admission(c, ack->p);
        break;
    case RM_ACK_JOB_COMMIT:
        rm_job_request_commit(c, ack->p);
        break;
    case RM_ACK_JOB_ABORT:
        rm_job_begin_abort(c, ack->p);
        break;
    case RM_ACK_MASTER:
        rm_master_launch_stored(c, ack->p, ack->extra);
        break;
    case RM_ACK_UNMANAGED:
        rm_master_set_unmanaged_launched(c, ack->p);
        break;
    case RM_ACK_FORGET:
        rm_container_order_forget_and_free(c, ack->p);
        return;
    }
    rm_app_unref(ack->p);
}

void rm_core_ignore_timer(struct rm_core *c, const struct rm_event *ev)
{
    (void)c; /* rm_core_step() has run the timers that are due */
    (void)ev;
}

void rm_core_on_stored(struct rm_core *c, const struct rm_event *ev)
{
    uint64_t seq = ev->u.stored.seq, before = c->stored;

    base_assert(seq <= c->seq);
    c->stored = seq > c->stored ? seq : c->stored;
    rm_master_keys_on_stored(c, before);
}

static void run_work_of_stored_records(struct rm_core *c)
{
    while (c->acks_n && c->acks[c->acks_head].seq <= c->stored) {
        struct rm_ack ack = c->acks[c->acks_head];

        c->acks_head = (c->acks_head + 1) & (c->acks_cap - 1);
        c->acks_n--;
        run_deferred_work(c, &ack);
    }
}

static void run_timer_action(struct rm_core *c, struct rm_timer *t)
{
    switch (t->kind) {
    case RM_TIMER_NODE_HOLD:
        rm_node_end_heartbeat_hold(c, t->owner);
        break;
    case RM_TIMER_NODE_EXPIRY:
        rm_node_expire_if_silent(c, t->owner);
        break;
    case RM_TIMER_NODE_DECOMMISSION:
        rm_node_complete_decommissioning(c, t->owner);
        break;
    case RM_TIMER_NODE_OVERCOMMIT:
        rm_node_kill_excess(c, t->owner);
        break;
    case RM_TIMER_AM:
        rm_master_expire(c, t->owner);
        break;
    case RM_TIMER_JOB_ABORT:
        rm_job_on_abort_timer(c, t->owner);
        break;
    case RM_TIMER_STEP_LIMIT:
        rm_job_end_late_step(c, t->owner);
        break;
    case RM_TIMER_UNSTARTED:
        rm_containers_expire_unstarted(c);
        break;
    case RM_TIMER_GRACE:
        rm_takeover_end_grace(c);
        break;
    case RM_TIMER_TRIM:
        rm_apps_request_trim(c);
        break;
    case RM_TIMER_LIFETIME:
        rm_app_kill_after_lifetime(c, t->owner);
        break;
    case RM_TIMER_RESERVATION:
        rm_reservations_apply_booking_changes(c);
        break;
    case RM_TIMER_GONE:
        rm_nodes_forget_gone(c);
        break;
    case RM_TIMER_ACTIVITY:
        rm_activity_answer_overdue_readers(c);
        break;
    case RM_TIMER_POLICY: {
        int64_t next = rm_preempt_run_policy_timer(c);

        if (next)
            rm_timer_set(&c->timers, t, next > c->now_us ? next : c->now_us + 1);
        break;
    }
    }
}

/* Returns the time up to which timers run before the event. A timer due at the very time of the
 * event runs before it, except for submissions and answers about output folders: these come before
 * the timer, so that the policy's timer sees a job submitted at that time. */
static int64_t timer_limit_before_event_us(const struct rm_event *ev)
{
    bool first = ev->kind == RM_EV_SUBMIT_JOB || ev->kind == RM_EV_SUBMIT_APP ||
                 ev->kind == RM_EV_JOB_SET_UP || ev->kind == RM_EV_JOB_COMMITTED ||
                 ev->kind == RM_EV_JOB_ABORTED;

    return ev->at_us - first;
}

static void run_timers_until(struct rm_core *c, int64_t until_us)
{
    while (c->timers.n && c->timers.v[0]->at_us <= until_us) {
        struct rm_timer *t = c->timers.v[0];

        rm_timer_cancel(&c->timers, t);
        run_timer_action(c, t);
    }
    if (c->wake_us && c->wake_us <= c->now_us)
        c->wake_us = 0;
}

/* Requests a wake-up for the next timer. An early wake-up is harmless, so a request that is already
 * made is replaced only by an earlier one. */
static void request_wake_up(struct rm_core *c)
{
    int64_t at;

    if (!c->timers.n)
        return;
    at = c->timers.v[0]->at_us;
    if (c->wake_us && c->wake_us <= at)
        return;
    c->wake_us = at;
    rm_effect_add(c, RM_FX_WAKE)->u.wake.at_us = at;
}

static int check_conf(const struct rm_core_conf *conf, struct base_error *err)
{
    if (conf->node_expiry_us <= 0 || conf->heartbeat_us <= 0)
        return base_error_set(err, -BASE_EINVAL,
                              "heartbeat and node expiry intervals must be greater than 0");
    if (conf->slowstart < 0 || conf->slowstart > 1)
        return base_error_set(err, -BASE_EINVAL, "slowstart must lie between 0 and 1, it is %g",
                              conf->slowstart);
    if (conf->task_attempts_max < 1 || conf->am_attempts_max < 1)
        return base_error_set(err, -BASE_EINVAL,
                              "attempts of tasks and masters must be at least 1");
    return 0;
}

struct rm_core *rm_core_new(const struct rm_core_conf *conf, struct base_error *err)
{
    struct rm_core *c;

    if (check_conf(conf, err) < 0)
        return NULL;
    c = base_alloc(sizeof *c);
    c->conf = *conf;
    c->conf.queues = NULL;
    c->conf.tree = NULL;
    c->conf.queue_conf = NULL;
    if (conf->queue_conf) {
        c->queue_conf = (struct rm_queue_conf){.mutable = true, .version = 1};
        rm_properties_copy(&c->queue_conf.properties, conf->queue_conf);
    }
    c->policy_name = base_strdup(conf->policy ? conf->policy : "fifo");
    c->conf.policy = c->policy_name;
    c->containers.size = sizeof(struct rm_container);
    c->rack_stamp = 1;
    c->unstarted_timer = (struct rm_timer){.kind = RM_TIMER_UNSTARTED};
    c->policy_timer = (struct rm_timer){.kind = RM_TIMER_POLICY};
    c->grace_timer = (struct rm_timer){.kind = RM_TIMER_GRACE};
    c->trim_timer = (struct rm_timer){.kind = RM_TIMER_TRIM};
    c->gone_timer = (struct rm_timer){.kind = RM_TIMER_GONE};
    c->reservations.timer = (struct rm_timer){.kind = RM_TIMER_RESERVATION};
    if (conf->tree) {
        c->tree = *conf->tree;
        *conf->tree = (struct policy_queues){0};
    } else {
        policy_queues_init(&c->tree, conf->queues);
        c->tree.strict = !conf->any_queue;
    }
    c->tree.closed = conf->closed_queues;
    rm_queues_add_counts_and_tell_policy(c);
    c->conf.options = NULL;
    if (conf->learned)
        c->learned = *conf->learned;
    c->conf.learned = NULL;
    if (rm_policy_set(c, c->policy_name, conf->options, err) < 0) {
        rm_core_free(c);
        return NULL;
    }
    return c;
}

const struct policy_learned *rm_core_get_learned(const struct rm_core *c)
{
    return &c->learned;
}

int64_t rm_core_count_released_nodes(const struct rm_core *c)
{
    return c->stats.released_nodes;
}

void rm_core_free(struct rm_core *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->apps_n; i++)
        rm_app_leave_policy(c, c->apps[i]);
    rm_reservations_free(c);
    rm_policy_free(c);
    while (c->acks_n) {
        struct rm_ack *ack = &c->acks[c->acks_head];

        if (ack->kind != RM_ACK_FORGET)
            rm_app_unref(ack->p);
        c->acks_head = (c->acks_head + 1) & (c->acks_cap - 1);
        c->acks_n--;
    }
    for (size_t i = 0; i < c->containers_by_id.cap; i++)
        if (c->containers_by_id.slot[i].object) {
            struct rm_container *ct = c->containers_by_id.slot[i].object;

            rm_launch_unref(ct->launch);
            free(ct->diagnostics);
        }
    for (size_t i = 0; i < c->nodes_n; i++)
        if (c->nodes[i])
            rm_node_free(c->nodes[i]);
    rm_hosts_free(&c->listed);
    rm_labels_free(&c->labels);
    rm_tokens_free(&c->tokens);
    rm_properties_free(&c->queue_conf.properties);
    rm_prune_free(c);
    for (size_t i = 0; i < c->apps_n; i++)
        rm_app_unref(c->apps[i]);
    rm_activity_free(c);
    rm_step_places_free(&c->places);
    policy_queues_free(&c->tree);
    rm_recover_free_stashed_splits(c);
    rm_damage_free_copies(c);
    rm_job_spec_unref(c->recover_job);
    rm_app_spec_unref(c->recover_app);
    free(c->queues);
    rm_waiting_masters_free(&c->masters_waiting);
    rm_waiting_masters_free(&c->master_slots.waiting);
    free(c->master_slots.held_back);
    rm_members_free(&c->members);
    free(c->acks);
    free(c->apps);
    free(c->nodes);
    free(c->nodes_free);
    free(c->host_rack);
    free(c->host_keys);
    free(c->dirty);
    free(c->timers.v);
    base_buf_free(&c->text);
    base_map_free(&c->apps_by_id);
    base_map_free(&c->containers_by_id);
    base_map_free(&c->nodes_by_id);
    rm_user_apps_free(&c->user_apps);
    rm_names_free(&c->hosts);
    rm_names_free(&c->racks);
    rm_names_free(&c->users);
    rm_pool_free(&c->containers);
    rm_step_arena_free(&c->scratch);
    free(c->refused_text);
    free(c->policy_name);
    free(c);
}

void rm_core_provide_host_lists(struct rm_core *c, const struct rm_host_lists *lists)
{
    rm_hosts_set(&c->listed, lists);
}

void rm_core_on_new_app_id(struct rm_core *c, const struct rm_event *ev)
{
    struct base_app_id id = {0};

    if (rm_app_assign_or_check_id(c, ev->token, &id))
        rm_reply(c, ev->token, RM_REPLY_APP_ID, 0)->u.reply.app_id = id;
}

static void dispatch(struct rm_core *c, const struct rm_event *ev)
{
    switch (ev->kind) {
#define X(name, handle, durable)                                                                   \
    case RM_EV_##name:                                                                             \
        handle(c, ev);                                                                             \
        break;
        RM_EVENTS(X)
#undef X
    case RM_EV_KINDS:
        break;
    }
}

/* Ends the step. The order matters: first the work whose records are durable, which can free slots
 * and start masters; then offers of free slots, and the answer to a master that has asked for
 * some; then the removal of old applications and records;
 * last the answers to held heartbeats, so that they carry all orders of this step. */
static void finish_step(struct rm_core *c)
{
    run_work_of_stored_records(c);
    rm_nodes_decommission_idle(c);
    if (c->masters_waiting.n || c->labels.masters_waiting ||
        rm_master_slots_need_turns(&c->master_slots))
        rm_masters_give_turns(c);
    if (c->places.due)
        rm_step_place_on_held_nodes(c);
    rm_offer_free_slots(c);
    if (c->preempt_all)
        rm_offer_preempt_on_held_nodes(c);
    rm_master_answer_due_allocate(c);
    rm_apps_trim_finished(c);
    rm_prune_some_records(c);
    rm_nodes_answer_due_heartbeats(c);
    request_wake_up(c);
    c->out = NULL;
#ifdef RM_LEDGER_AUDIT
    rm_ledger_check_sometimes(c);
#endif
}

void rm_core_step(struct rm_core *c, const struct rm_event *ev, struct rm_effects *out)
{
    base_assert(ev->at_us >= c->now_us);
    c->now_us = ev->at_us;
    c->out = out;
    rm_step_arena_reset(&c->scratch);
    c->stats.events++;
    if (c->timers.n && c->timers.v[0]->at_us <= c->now_us)
        run_timers_until(c, timer_limit_before_event_us(ev));
    else if (c->wake_us && c->wake_us <= c->now_us)
        c->wake_us = 0;
    dispatch(c, ev);
    finish_step(c);
}

#define STORE_DELAY_US INT64_C(60000000) /* longer than a store takes to acknowledge a record */

/* Marks the ends that an earlier instance has reported by RM_FX_APP_ENDED. An end is reported once
 * its record is durable, and no record says that it was reported. Ends recorded shortly before the
 * restart may or may not have been reported, and are reported again; all older ones have been. */
static void mark_ends_already_reported(struct rm_core *c)
{
    int64_t newest = 0;

    for (size_t i = 0; i < c->apps_n; i++)
        if (c->apps[i]->finish_us > newest && c->apps[i]->finish_us <= c->now_us)
            newest = c->apps[i]->finish_us;
    for (size_t i = 0; i < c->apps_n; i++) {
        struct rm_app *a = c->apps[i];

        a->end_told = a->state == RM_APP_FINAL_SAVING && a->finish_us < newest - STORE_DELAY_US;
    }
}

void rm_core_finish_recovery(struct rm_core *c, int64_t now_us, struct rm_effects *out)
{
    base_assert(now_us >= c->now_us);
    c->now_us = now_us;
    c->out = out;
    rm_step_arena_reset(&c->scratch);
    c->recovering = true;
    mark_ends_already_reported(c);
    rm_damage_write_copies(c);
    rm_master_keys_begin(c);
    rm_recover_prune_unused_splits(c);
    rm_confirm_decide_and_record_format(c);
    rm_takeover_begin(c);
    rm_nodes_restore_decommissioning(c);
    rm_reservations_continue_recovered(c);
    for (size_t i = 0; i < c->apps_n; i++) {
        struct rm_app *a = c->apps[i];

        rm_app_set_lifetime_timer(c, a);
        if (rm_app_state_is_final(a->state))
            a->kind->recovered_ended(c, a);
        else if (a->state != RM_APP_NEW_SAVING)
            a->kind->recovered(c, a);
    }
    rm_apps_accept_recovered_unless_held(c); /* their records are in the store */
    rm_queues_remove_unused_and_tell_policy(c);
    c->recovering = false;
    c->loading = false;
    /* The time at which a node went away is not stored: gone nodes count as gone from now on. */
    for (size_t i = 0; i < c->nodes_n; i++)
        rm_node_update_gone_list(c, c->nodes[i]);
    finish_step(c);
}
