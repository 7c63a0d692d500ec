/* tests/sim/sim_lead_thread.c - the lead thread in virtual time: a mailbox, and the effects of
 * rm/term/lead_rules.h, one after the other. An effect that takes time (activate, retire, pause)
 * blocks the thread: what is announced meanwhile waits, as it does in rm/leader/leader.c. */
#include <stdlib.h>
#include <string.h>

#include "tests/sim/sim_rm.h"

static void run(void *arg, uint64_t tag);

static void run_soon(struct sim_rm *rm)
{
    struct sim *s = &rm->w->s;

    sim_at(s, s->now_us + (int64_t)sim_rnd(s, 500), &rm->proc, SIM_LEAD, run, rm, 0);
}

void sim_lead_thread_post(struct sim_rm *rm, const struct rm_lead_event *ev, struct sim_lead *lead)
{
    struct sim_lead_thread *t = &rm->lead_thread;

    base_array_grow(&t->mailbox, t->mailbox_n, &t->mailbox_cap);
    t->mailbox[t->mailbox_n++] = (struct sim_news){*ev, lead};
    if (ev->kind == RM_LEAD_EV_DEPOSED && t->blocked && t->current.ev.kind == RM_LEAD_EV_ELECTED &&
        !rm->lead)
        sim_lead_thread_resume(rm, 0); /* a pause ends when its leadership is over */
    run_soon(rm);
}

/* ---------------------------------------------------------------- effects */
static void pause_ended(void *arg, uint64_t tag)
{
    struct sim_rm *rm = arg;
    struct sim_lead_thread *t = &rm->lead_thread;

    if (t->blocked && t->current.lead && t->current.lead->round == tag)
        sim_lead_thread_resume(rm, 0);
}

static void show_active(struct sim_rm *rm)
{
    int active = sim_rm_find_active(rm);

    if (active == rm->active_rm)
        return;
    rm->active_rm = active;
    sim_rm_change_roles(rm);
}

static void deactivate(struct sim_rm *rm)
{
    if (rm->lead)
        sim_lead_cut(rm->lead);
    sim_rm_change_roles(rm);
}

static void check_lease(void *arg, uint64_t tag);

static void check_lease_later(struct sim_rm *rm)
{
    struct sim *s = &rm->w->s;

    sim_at(s, s->now_us + RM_LEASE_CHECK_US, &rm->proc, SIM_LEAD, check_lease, rm, rm->lead->round);
}

/* Starts the effect. Sets t->blocked when the effect takes time. */
static void carry_out(struct sim_rm *rm, const struct rm_lead_effect *fx)
{
    struct sim_lead_thread *t = &rm->lead_thread;
    struct sim_lead *l = t->current.lead;

    switch (fx->kind) {
    case RM_LEAD_FX_CLOSE_STORE:
        t->current.lead = NULL;
        sim_lead_free(l);
        break;
    case RM_LEAD_FX_PAUSE:
        t->blocked = true;
        sim_at(&rm->w->s, rm->w->s.now_us + RM_LEAD_PAUSE_US, &rm->proc, SIM_LEAD, pause_ended, rm,
               l->round);
        break;
    case RM_LEAD_FX_ACTIVATE:
        t->blocked = true;
        t->current.lead = NULL;
        rm->active_rm = -1;
        sim_lead_activate(l);
        break;
    case RM_LEAD_FX_DEACTIVATE:
        deactivate(rm);
        break;
    case RM_LEAD_FX_RETIRE:
        t->blocked = true;
        sim_lead_retire(rm->lead);
        break;
    case RM_LEAD_FX_RESIGN:
        sim_rm_resign_now(rm, fx->hold_us);
        break;
    case RM_LEAD_FX_SET_EPOCH:
        ha_election_raise_min_epoch(rm->election, fx->epoch);
        break;
    case RM_LEAD_FX_SHOW_ACTIVE:
        show_active(rm);
        break;
    case RM_LEAD_FX_LOG_OVER:
        break;
    case RM_LEAD_FX_LOG_FAILURE:
    case RM_LEAD_FX_FAIL_PROCESS:
        sim_violated(&rm->w->s, "I1", "%s cannot take over the state", rm->proc.name);
        break;
    }
}

/* ---------------------------------------------------------------- the thread */
static void step(struct sim_rm *rm)
{
    struct sim_lead_thread *t = &rm->lead_thread;

    t->done = 0;
    rm_lead_step(&t->rules, &t->current.ev, &t->effects);
}

static void take(struct sim_rm *rm)
{
    struct sim_lead_thread *t = &rm->lead_thread;

    t->current = t->mailbox[0];
    memmove(t->mailbox, t->mailbox + 1, --t->mailbox_n * sizeof *t->mailbox);
    t->current.ev.over =
        t->current.lead && rm_lead_news_is_over(&t->announced, t->current.lead->number);
    t->number = t->current.lead ? t->current.lead->number : 0;
    step(rm);
}

static void run(void *arg, uint64_t tag)
{
    struct sim_rm *rm = arg;
    struct sim_lead_thread *t = &rm->lead_thread;

    (void)tag;
    while (!t->blocked && !rm->w->s.failed) {
        if (t->done < t->effects.n)
            carry_out(rm, &t->effects.v[t->done++]);
        else if (t->mailbox_n)
            take(rm);
        else
            break;
    }
}

/* The result of a pause or an activation is the next event, before any other news. */
void sim_lead_thread_resume(struct sim_rm *rm, int code)
{
    struct sim_lead_thread *t = &rm->lead_thread;
    enum rm_lead_effect_kind ended = t->effects.v[t->done - 1].kind;
    struct rm_lead_event *ev = &t->current.ev;

    t->blocked = false;
    if (ended == RM_LEAD_FX_PAUSE || ended == RM_LEAD_FX_ACTIVATE) {
        ev->kind = ended == RM_LEAD_FX_PAUSE ? RM_LEAD_EV_PAUSED : RM_LEAD_EV_ACTIVATED;
        ev->over = rm_lead_news_is_over(&t->announced, t->number);
        ev->code = code;
        ev->leads = false; /* the simulation has no store of a newer version */
        step(rm);
    }
    if (ended == RM_LEAD_FX_ACTIVATE && code == 0)
        check_lease_later(rm);
    run_soon(rm);
}

/* Checks the lease, as the lead thread does, unless that thread is busy. */
static void check_lease(void *arg, uint64_t tag)
{
    struct sim_rm *rm = arg;
    struct sim_lead_thread *t = &rm->lead_thread;

    if (!rm->lead || rm->lead->round != tag)
        return;
    check_lease_later(rm);
    if (t->blocked || t->done < t->effects.n || t->mailbox_n ||
        !rm_lease_check_overdue(&rm->lease, rm_term_leads(&rm->lead->rules)))
        return;
    sim_log(&rm->w->s, "%s: nobody has said that the lease is over", rm->proc.name);
    t->current = (struct sim_news){.ev.kind = RM_LEAD_EV_LEASE_OVERDUE};
    step(rm);
    run(rm, 0);
}

void sim_lead_thread_free(struct sim_rm *rm)
{
    struct sim_lead_thread *t = &rm->lead_thread;

    if (t->current.lead)
        sim_lead_free(t->current.lead);
    for (size_t i = 0; i < t->mailbox_n; i++)
        if (t->mailbox[i].lead)
            sim_lead_free(t->mailbox[i].lead);
    free(t->mailbox);
    *t = (struct sim_lead_thread){0};
}
