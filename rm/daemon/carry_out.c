/* rm/daemon/carry_out.c - what the core decided, done: in order, on the core's thread. */
#include "base/io/log.h"
#include "rm/daemon/audit.h"
#include "rm/daemon/daemon_internal.h"
#include "rm/jobs/ended_jobs.h"

/* The last place before anything leaves this process: past the lease nothing is granted and nothing acknowledged. */
void rm_effect_apply_now(struct rm_leadership *t, struct rm_ticket *ticket, const struct rm_effect *fx)
{
    bool leads = rm_backend_leads(t->b);

    switch (fx->kind) {
    case RM_FX_REPLY:
    case RM_FX_HEARTBEAT:
        if (leads) {
            rm_ticket_answer(ticket, fx);
        } else {
            rm_roles_late(t->b);
            rm_ticket_fail(ticket, -BASE_EVERSION, RM_NOT_ACTIVE_TEXT);
        }
        break;
    case RM_FX_JOB_SETUP:
    case RM_FX_JOB_COMMIT:
    case RM_FX_JOB_ABORT:
        if (leads)
            rm_jobs_io_put(t->io, fx);
        break;
    case RM_FX_MAP_OUTPUT:
        if (leads)
            rm_watch_news(t->b->watch, fx->u.map_output.id, fx->u.map_output.version);
        break;
    default:
        break;
    }
}

static void apply(struct rm_leadership *t, const struct rm_effect *fx)
{
    struct rm_ticket *ticket = NULL;

    switch (fx->kind) {
    case RM_FX_STORE:
        rm_store_put(t->store, fx->u.store.seq, &fx->u.store.record);
        return;
    case RM_FX_WAKE:
        t->wake_us = fx->u.wake.at_us;
        return;
    case RM_FX_NOTE:
        base_log((enum base_log_level)fx->u.note.level, "core", "%s", fx->u.note.text);
        return;
    case RM_FX_HISTORY:
        rm_history_keep(t->b, fx->u.history.id);
        return;
    case RM_FX_APP_ENDED:
        rm_audit_end(fx);
        return;
    case RM_FX_UNCONFIRMED:
    case RM_FX_EPOCH_LOW:
        rm_roles_unfit(t->b, fx);
        return;
    case RM_FX_REPLY:
    case RM_FX_HEARTBEAT:
        ticket = rm_ticket_take(t, fx->token);
        if (!ticket)
            return;
        break;
    default:
        break;
    }
    if (fx->after_seq > 0 && rm_store_hold(t->store, fx->after_seq, fx, ticket))
        return;
    rm_effect_apply_now(t, ticket, fx);
}

void rm_effects_apply(struct rm_leadership *t, struct rm_effects *fx)
{
    for (size_t i = 0; i < fx->len; i++)
        apply(t, &fx->v[i]);
    fx->len = 0;
}
