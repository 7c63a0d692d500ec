/* rm/rm_effects.c - what the core decided, done: in order, on the core's thread. */
#include "base/base_log.h"
#include "rm/rm_daemon_internal.h"

void rm_effect_apply_now(struct rm_backend *b, struct rm_ticket *ticket, const struct rm_effect *fx)
{
    switch (fx->kind) {
    case RM_FX_REPLY:
    case RM_FX_HEARTBEAT:
        rm_ticket_answer(ticket, fx);
        break;
    case RM_FX_JOB_SETUP:
    case RM_FX_JOB_COMMIT:
    case RM_FX_JOB_ABORT:
        rm_jobs_io_put(b->io, fx);
        break;
    case RM_FX_MAP_OUTPUT:
        rm_watch_news(b->watch, fx->u.map_output.id, fx->u.map_output.version);
        break;
    default:
        break;
    }
}

static void apply(struct rm_backend *b, const struct rm_effect *fx)
{
    struct rm_ticket *ticket = NULL;

    switch (fx->kind) {
    case RM_FX_STORE:
        rm_store_put(b->store, fx->u.store.seq, &fx->u.store.record);
        return;
    case RM_FX_WAKE:
        b->wake_us = fx->u.wake.at_us;
        return;
    case RM_FX_NOTE:
        base_log((enum base_log_level)fx->u.note.level, "core", "%s", fx->u.note.text);
        return;
    case RM_FX_REPLY:
    case RM_FX_HEARTBEAT:
        ticket = rm_ticket_take(b, fx->token);
        if (!ticket)
            return;
        break;
    default:
        break;
    }
    if (fx->after_seq > 0 && rm_store_hold(b->store, fx->after_seq, fx, ticket))
        return;
    rm_effect_apply_now(b, ticket, fx);
}

void rm_effects_apply(struct rm_backend *b, struct rm_effects *fx)
{
    for (size_t i = 0; i < fx->len; i++)
        apply(b, &fx->v[i]);
    fx->len = 0;
}
