/* Carries out the effects of a step of the core: a node's orders at once, a job's setup and commit
 * after their durations. No store is simulated (rm_core_conf.simulation), so no effect has to wait
 * until a record is durable. */
#include "sim/engine/engine_internal.h"

static void carry_out_order(struct sim *s, uint32_t node, const struct rm_order *o)
{
    switch (o->kind) {
    case BASE_ORDER_LAUNCH:
        sim_task_launch(s, node, o);
        break;
    case BASE_ORDER_KILL:
        sim_task_kill(s, node, o);
        break;
    case BASE_ORDER_SUSPEND:
        sim_task_suspend(s, node, o);
        break;
    case BASE_ORDER_RESUME:
        sim_task_resume(s, node, o);
        break;
    case BASE_ORDER_SIGNAL: /* simulated users send none */
    case BASE_ORDER_FORGET: /* attempts are forgotten when reported, since no report is lost */
    case BASE_ORDER_CLEANUP_APP:
        break;
    case BASE_ORDER_RESYNC:
    case BASE_ORDER_SHUTDOWN:
        sim_fail(s, -BASE_ESTATE, "node %s was sent away", s->nodes[node].id);
        break;
    case BASE_ORDER_KINDS:
        break;
    }
}

/* Prefetches the places of the splits of all maps to be launched: together, not one by one. */
static void prefetch_split_places(const struct rm_order *o, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (o[i].kind == BASE_ORDER_LAUNCH && o[i].slot == BASE_TASK_MAP && o[i].job->near_n)
            __builtin_prefetch(o[i].job->near + (size_t)o[i].task.index * o[i].job->near_n);
}

static void carry_out_heartbeat_answer(struct sim *s, uint32_t node, const struct rm_effect *fx)
{
    /* the core answers each heartbeat in the same step */
    base_assert(node != SIM_NONE && fx->token == s->token);
    s->nodes[node].response_id = fx->u.heartbeat.response_id;
    prefetch_split_places(fx->u.heartbeat.orders, fx->u.heartbeat.orders_n);
    for (size_t i = 0; i < fx->u.heartbeat.orders_n; i++)
        carry_out_order(s, node, &fx->u.heartbeat.orders[i]);
}

static void schedule_setup_or_commit(struct sim *s, const struct rm_effect *fx)
{
    struct sim_live *job = sim_live_get_by_seq(s, fx->u.job.id.seq);

    if (fx->kind == RM_FX_JOB_SETUP)
        sim_queue_add(&s->queue, s->now_us + job->job.setup_us, SIM_CLASS_END, SIM_EVENT_SET_UP,
                      job->index);
    else
        sim_queue_add(&s->queue, s->now_us + job->job.cleanup_us, SIM_CLASS_END,
                      SIM_EVENT_COMMITTED, job->index);
}

static void fail_on_error_reply(struct sim *s, const struct rm_effect *fx)
{
    if (fx->u.reply.kind == RM_REPLY_ERROR)
        sim_fail(s, fx->u.reply.code, "%s", fx->u.reply.text);
    else if (fx->u.reply.kind == RM_REPLY_RESYNC)
        sim_fail(s, -BASE_ESTATE, "a node's heartbeat was not understood");
}

void sim_carry_out_effects(struct sim *s, uint32_t node)
{
    for (size_t i = 0; i < s->fx.len; i++) {
        const struct rm_effect *fx = &s->fx.v[i];

        switch (fx->kind) {
        case RM_FX_HEARTBEAT:
            carry_out_heartbeat_answer(s, node, fx);
            break;
        case RM_FX_REPLY:
            fail_on_error_reply(s, fx);
            break;
        case RM_FX_WAKE:
            s->wake_us = fx->u.wake.at_us - SIM_EPOCH_US;
            break;
        case RM_FX_JOB_SETUP:
        case RM_FX_JOB_COMMIT:
            schedule_setup_or_commit(s, fx);
            break;
        case RM_FX_NOTE:
            if (s->conf.on_note)
                s->conf.on_note(s->conf.ctx, s->now_us, fx->u.note.level, fx->u.note.text);
            break;
        case RM_FX_STORE: /* no store is simulated */
        case RM_FX_JOB_ABORT:
        case RM_FX_MAP_OUTPUT:
        case RM_FX_UNCONFIRMED: /* this effect and the next occur in real clusters only */
        case RM_FX_EPOCH_LOW:
        case RM_FX_APP_ENDED:
        case RM_FX_HISTORY:
            break;
        }
    }
    s->fx.len = 0;
}
