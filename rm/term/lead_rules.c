#include "rm/term/lead_rules.h"

#include "base/error.h"

/* ---------------------------------------------------------------- what has been announced */
uint64_t rm_lead_news_add_election(struct rm_lead_news *n)
{
    return n->quitting ? 0 : ++n->elections;
}

void rm_lead_news_end_leaderships(struct rm_lead_news *n)
{
    n->ended = n->elections;
}

void rm_lead_news_set_quitting(struct rm_lead_news *n)
{
    n->quitting = true;
}

bool rm_lead_news_is_over(const struct rm_lead_news *n, uint64_t number)
{
    return n->quitting || number <= n->ended;
}

/* ---------------------------------------------------------------- effects */
static struct rm_lead_effect *add_effect(struct rm_lead_effects *out, enum rm_lead_effect_kind kind)
{
    base_assert(out->n < RM_LEAD_EFFECTS_MAX);
    out->v[out->n] = (struct rm_lead_effect){.kind = kind};
    return &out->v[out->n++];
}

static void add_resign(struct rm_lead_effects *out, int64_t hold_us)
{
    add_effect(out, RM_LEAD_FX_RESIGN)->hold_us = hold_us;
}

/* ---------------------------------------------------------------- into a leadership */
static void enter_unless_over(struct rm_lead_rules *r, bool over, struct rm_lead_effects *out)
{
    if (over) {
        r->state = RM_LEAD_STANDBY;
        add_effect(out, RM_LEAD_FX_CLOSE_STORE);
        return;
    }
    r->unconfirmed = false;
    r->state = RM_LEAD_ENTERING;
    add_effect(out, RM_LEAD_FX_ACTIVATE);
}

/* The election announces the end of one leadership before it announces the next. */
static void on_elected(struct rm_lead_rules *r, bool over, struct rm_lead_effects *out)
{
    base_assert(r->state == RM_LEAD_STANDBY);
    if (over || !r->unconfirmed) {
        enter_unless_over(r, over, out);
        return;
    }
    r->state = RM_LEAD_ENTERING;
    add_effect(out, RM_LEAD_FX_PAUSE);
}

/* When the leadership ended while its state was being read, the store is not at fault. If the lease
 * lapsed and the election has not announced that end yet, this ResourceManager resigns. Every other
 * failure counts as a fault of the store: this ResourceManager resigns for a long time, so that
 * another one may try, and stops for good when no retry can help. */
static void on_activation_failed(struct rm_lead_rules *r, const struct rm_lead_event *ev,
                                 struct rm_lead_effects *out)
{
    r->state = RM_LEAD_STANDBY;
    if (ev->code == -BASE_EVERSION && (ev->over || !ev->leads)) {
        add_effect(out, RM_LEAD_FX_LOG_OVER);
        if (!ev->over)
            add_resign(out, 0);
        return;
    }
    add_effect(out, RM_LEAD_FX_LOG_FAILURE);
    add_resign(out, RM_LEAD_UNREADABLE_HOLD_US);
    if (ev->code == -BASE_ECORRUPT || ev->code == -BASE_EVERSION)
        add_effect(out, RM_LEAD_FX_FAIL_PROCESS);
}

static void on_activated(struct rm_lead_rules *r, const struct rm_lead_event *ev,
                         struct rm_lead_effects *out)
{
    base_assert(r->state == RM_LEAD_ENTERING);
    if (ev->code == 0)
        r->state = RM_LEAD_ACTIVE;
    else
        on_activation_failed(r, ev, out);
}

/* ---------------------------------------------------------------- out of a leadership */
/* Ends an active leadership by the effect @how. Returns false, and does nothing, when this
 * ResourceManager is not active. */
static bool leave_if_active(struct rm_lead_rules *r, enum rm_lead_effect_kind how, const char *why,
                            struct rm_lead_effects *out)
{
    if (r->state != RM_LEAD_ACTIVE)
        return false;
    r->state = RM_LEAD_STANDBY;
    add_effect(out, how)->why = why;
    return true;
}

static void on_lease_overdue(struct rm_lead_rules *r, struct rm_lead_effects *out)
{
    if (r->state != RM_LEAD_ACTIVE)
        return;
    add_resign(out, 0);
    leave_if_active(r, RM_LEAD_FX_DEACTIVATE, "the lease is over", out);
}

static void retire_and_resign(struct rm_lead_rules *r, const struct rm_lead_event *ev,
                              int64_t hold_us, struct rm_lead_effects *out)
{
    if (!leave_if_active(r, RM_LEAD_FX_RETIRE, ev->why, out))
        return;
    r->unconfirmed = ev->kind == RM_LEAD_EV_STORE_UNCONFIRMED;
    add_resign(out, hold_us);
}

/* The epoch that nodes have obeyed is learnt on a standby, too. */
static void set_epoch_above_seen(const struct rm_lead_event *ev, struct rm_lead_effects *out)
{
    if (ev->epoch_seen >= 0)
        add_effect(out, RM_LEAD_FX_SET_EPOCH)->epoch = ev->epoch_seen + 1;
}

void rm_lead_step(struct rm_lead_rules *r, const struct rm_lead_event *ev,
                  struct rm_lead_effects *out)
{
    out->n = 0;
    switch (ev->kind) {
    case RM_LEAD_EV_ELECTED:
        on_elected(r, ev->over, out);
        break;
    case RM_LEAD_EV_PAUSED:
        enter_unless_over(r, ev->over, out);
        break;
    case RM_LEAD_EV_ACTIVATED:
        on_activated(r, ev, out);
        break;
    case RM_LEAD_EV_DEPOSED:
        leave_if_active(r, RM_LEAD_FX_DEACTIVATE, ev->why, out);
        add_effect(out, RM_LEAD_FX_SHOW_ACTIVE);
        break;
    case RM_LEAD_EV_LEASE_OVERDUE:
        on_lease_overdue(r, out);
        break;
    case RM_LEAD_EV_ASKED_TO_RESIGN:
        retire_and_resign(r, ev, ev->hold_us, out);
        break;
    case RM_LEAD_EV_STORE_UNCONFIRMED:
        set_epoch_above_seen(ev, out);
        retire_and_resign(r, ev, RM_LEAD_UNCONFIRMED_HOLD_US, out);
        break;
    case RM_LEAD_EV_EPOCH_LOW:
        set_epoch_above_seen(ev, out);
        retire_and_resign(r, ev, 0, out);
        break;
    case RM_LEAD_EV_OTHER_ACTIVE:
        add_effect(out, RM_LEAD_FX_SHOW_ACTIVE);
        break;
    case RM_LEAD_EV_QUIT:
        leave_if_active(r, RM_LEAD_FX_RETIRE, "this process ends", out);
        break;
    }
}
