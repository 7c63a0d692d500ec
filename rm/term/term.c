#include "rm/term/term.h"

#include <stdlib.h>

#include "base/error.h"

void rm_term_init(struct rm_term *t, int64_t epoch, struct rm_lease *lease,
                  const struct rm_term_calls *calls)
{
    *t = (struct rm_term){.epoch = epoch, .lease = lease, .calls = *calls};
}

/* The clock is read after the lease, so that a lease that ends between the two reads counts as
 * over. For an endless lease the clock is not read at all. */
bool rm_term_leads(const struct rm_term *t)
{
    int64_t until_us =
        t->calls.lease_us ? t->calls.lease_us(t->calls.user, t->epoch) : RM_LEASE_ENDLESS;
    int64_t now_us = until_us == RM_LEASE_ENDLESS ? 0 : t->calls.mono_us(t->calls.user);

    return rm_lease_holds(t->lease, t->epoch, until_us, now_us);
}

/* ---------------------------------------------------------------- effects */
static void answer_or_refuse_late(const struct rm_term *t, void *ticket, const struct rm_effect *fx)
{
    if (rm_term_leads(t)) {
        t->calls.answer(t->calls.user, ticket, fx);
        return;
    }
    t->calls.late(t->calls.user);
    t->calls.refuse(t->calls.user, ticket, -BASE_EVERSION, RM_NOT_ACTIVE_TEXT);
}

/* The last check of the lease before an effect leaves. */
static void carry_out_if_leading(const struct rm_term *t, void *ticket, const struct rm_effect *fx)
{
    switch (fx->kind) {
    case RM_FX_REPLY:
    case RM_FX_HEARTBEAT:
        answer_or_refuse_late(t, ticket, fx);
        break;
    case RM_FX_MAP_OUTPUT:
        if (rm_term_leads(t))
            t->calls.outputs(t->calls.user, fx);
        break;
    default:
        break;
    }
}

void rm_term_release_effect(const struct rm_term *t, void *ticket, const struct rm_effect *fx,
                            int code, const char *text)
{
    if (code == 0)
        carry_out_if_leading(t, ticket, fx);
    else if (ticket)
        t->calls.refuse(t->calls.user, ticket, code, text);
}

/* A reply takes its ticket when the core has decided it, not when it leaves: a held reply belongs
 * to the outbox, and rm_term_refuse_waiting() must not refuse its ticket a second time. */
static void dispatch_effect(struct rm_term *t, const struct rm_effect *fx)
{
    void *ticket = NULL;

    switch (fx->kind) {
    case RM_FX_STORE:
        t->calls.store(t->calls.user, fx->u.store.seq, &fx->u.store.record);
        return;
    case RM_FX_WAKE:
        t->wake_us = fx->u.wake.at_us;
        return;
    case RM_FX_NOTE:
    case RM_FX_HISTORY:
    case RM_FX_APP_ENDED:
    case RM_FX_UNCONFIRMED:
    case RM_FX_EPOCH_LOW:
        t->calls.tell(t->calls.user, fx);
        return;
    case RM_FX_REPLY:
    case RM_FX_HEARTBEAT:
        ticket = rm_tickets_take(&t->tickets, fx->token);
        if (!ticket)
            return;
        break;
    default:
        break;
    }
    if (fx->after_seq > 0 && t->calls.hold(t->calls.user, fx->after_seq, fx, ticket))
        return;
    carry_out_if_leading(t, ticket, fx);
}

static void dispatch_effects(struct rm_term *t)
{
    for (size_t i = 0; i < t->fx.len; i++)
        dispatch_effect(t, &t->fx.v[i]);
    t->fx.len = 0;
}

/* ---------------------------------------------------------------- events */
static void step_core(struct rm_term *t, const struct rm_event *ev)
{
    rm_core_step(t->core, ev, &t->fx);
    dispatch_effects(t);
}

void rm_term_start_with_core(struct rm_term *t, struct rm_core *core)
{
    t->core = core;
    dispatch_effects(t);
}

bool rm_term_step_request(struct rm_term *t, struct rm_event *ev, void *ticket)
{
    if (!rm_term_leads(t))
        return false;
    ev->token = ticket ? rm_tickets_add(&t->tickets, ticket) : 0;
    step_core(t, ev);
    return true;
}

void rm_term_step_stored(struct rm_term *t, uint64_t seq, int64_t now_us)
{
    struct rm_event ev = {.kind = RM_EV_STORED, .at_us = now_us};

    ev.u.stored.seq = t->stored_seq = seq;
    if (rm_term_leads(t))
        step_core(t, &ev);
}

void rm_term_step_timer(struct rm_term *t, int64_t now_us)
{
    if (t->wake_us == 0 || t->wake_us > now_us)
        return;
    if (!rm_term_leads(t)) {
        t->wake_us = now_us + RM_TERM_TIMER_AGAIN_US;
        return;
    }
    t->wake_us = 0;
    step_core(t, &(struct rm_event){.kind = RM_EV_TIMER, .at_us = now_us});
}

/* ---------------------------------------------------------------- the end */
void rm_term_refuse_waiting(struct rm_term *t, int code, const char *text)
{
    size_t at = 0;
    void *ticket;

    while ((ticket = rm_tickets_take_next(&t->tickets, &at)))
        t->calls.refuse(t->calls.user, ticket, code, text);
}

void rm_term_free(struct rm_term *t)
{
    rm_tickets_free(&t->tickets);
    free(t->fx.v);
    t->fx = (struct rm_effects){0};
}
