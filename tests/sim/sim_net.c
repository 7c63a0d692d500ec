#include "tests/sim/sim_net.h"

#include <string.h>

#define CONNECT_US (1 * S) /* a request that has not arrived after this time has timed out */

void sim_net_init(struct sim_net *n, struct sim *s)
{
    memset(n, 0, sizeof *n);
    n->s = s;
}

bool sim_net_passes(const struct sim_net *n, int from, int to)
{
    return !n->cut[from][to] && !n->gone[from] && !n->gone[to];
}

int64_t sim_net_delay(struct sim_net *n, int from, int to)
{
    return sim_between(n->s, 80, 600) + n->slow_us[from][to];
}

void sim_net_cut(struct sim_net *n, int from, int to, bool cut)
{
    n->cut[from][to] = cut;
}

void sim_net_heal(struct sim_net *n)
{
    memset(n->cut, 0, sizeof n->cut);
    memset(n->slow_us, 0, sizeof n->slow_us);
}

/* ---------------------------------------------------------------- requests */
static void forget(struct sim_call *c)
{
    struct sim_net *n = c->net;

    if (c->closed)
        return;
    c->closed = true;
    if (c->prev)
        c->prev->next = c->next;
    else
        n->open = c->next;
    if (c->next)
        c->next->prev = c->prev;
}

static void ends(struct sim_call *c, enum sim_outcome how)
{
    if (c->closed)
        return;
    forget(c);
    c->fn(c->user, c->tag, how, how == SIM_ANSWERED ? c->answer : NULL);
}

/* Runs on the caller's thread. */
static void caller_told(void *arg, uint64_t how)
{
    ends(arg, (enum sim_outcome)how);
}

static void tell_caller(struct sim_call *c, enum sim_outcome how, int64_t at_us)
{
    if (c->from->life == c->from_life)
        sim_at(c->net->s, at_us, c->from, c->thread, caller_told, c, how);
}

/* Carries the outcome back to the caller. A reset is not sent again: a caller that misses it waits
 * for its own time-out. */
static void way_back(void *arg, uint64_t how)
{
    struct sim_call *c = arg;
    struct sim_net *n = c->net;

    if (c->closed)
        return;
    if (sim_net_passes(n, c->to->host, c->from->host)) {
        tell_caller(c, (enum sim_outcome)how, n->s->now_us);
        return;
    }
    if (how != SIM_ANSWERED || c->reset)
        return;
    c->again_us = c->again_us < 800 * MS ? c->again_us * 2 : c->again_us;
    sim_at(n->s, n->s->now_us + c->again_us, NULL, SIM_SERVICE, way_back, c, how);
}

static void refuse(struct sim_call *c)
{
    c->reset = true;
    sim_at(c->net->s, c->net->s->now_us + sim_net_delay(c->net, c->to->host, c->from->host), NULL,
           SIM_SERVICE, way_back, c, SIM_REFUSED);
}

static void served(void *arg, uint64_t tag)
{
    struct sim_call *c = arg;

    (void)tag;
    c->to->serve(c->to->self, c);
}

/* Carries the request to its server. */
static void way_there(void *arg, uint64_t tag)
{
    struct sim_call *c = arg;
    struct sim_net *n = c->net;

    (void)tag;
    if (c->closed && !sim_chance(n->s, n->late))
        return; /* the request had not been sent yet */
    if (!sim_net_passes(n, c->from->host, c->to->host)) {
        if (c->closed)
            return;
        c->again_us = c->again_us < 800 * MS ? c->again_us * 2 : c->again_us;
        sim_at(n->s, n->s->now_us + c->again_us, NULL, SIM_SERVICE, way_there, c, 0);
        return;
    }
    if (!c->to->up) {
        refuse(c);
        return;
    }
    c->arrived = true;
    c->to_life = c->to->life;
    c->again_us = 50 * MS;
    sim_at(n->s, n->s->now_us, c->to, SIM_OUT, served, c, 0);
}

static void timed_out(void *arg, uint64_t tag)
{
    (void)tag;
    ends(arg, SIM_TIMED_OUT);
}

static void not_connected(void *arg, uint64_t tag)
{
    struct sim_call *c = arg;

    (void)tag;
    if (!c->arrived)
        ends(c, SIM_TIMED_OUT);
}

struct sim_call *sim_call(struct sim_net *n, struct sim_proc *from, enum sim_thread thread,
                          struct sim_proc *to, void *body, int64_t timeout_us, sim_answer_fn *fn,
                          void *user, uint64_t tag)
{
    struct sim_call *c = sim_alloc(n->s, sizeof *c);

    *c = (struct sim_call){.net = n,
                           .from = from,
                           .to = to,
                           .from_life = from->life,
                           .thread = thread,
                           .body = body,
                           .fn = fn,
                           .user = user,
                           .tag = tag,
                           .again_us = 50 * MS,
                           .next = n->open};
    if (n->open)
        n->open->prev = c;
    n->open = c;
    sim_at(n->s, n->s->now_us + sim_net_delay(n, from->host, to->host), NULL, SIM_SERVICE,
           way_there, c, 0);
    if (timeout_us > CONNECT_US)
        sim_at(n->s, n->s->now_us + CONNECT_US, from, thread, not_connected, c, 0);
    sim_at(n->s, n->s->now_us + timeout_us, from, thread, timed_out, c, 0);
    return c;
}

void sim_call_answer(struct sim_call *c, void *answer)
{
    if (c->answered || c->closed)
        return;
    c->answered = true;
    c->answer = answer;
    sim_at(c->net->s, c->net->s->now_us + sim_net_delay(c->net, c->to->host, c->from->host), NULL,
           SIM_SERVICE, way_back, c, SIM_ANSWERED);
}

void sim_net_died(struct sim_net *n, const struct sim_proc *p)
{
    struct sim_call *next;

    for (struct sim_call *c = n->open; c; c = next) {
        next = c->next;
        if (c->from == p)
            forget(c);
        else if (c->to == p && c->arrived && !c->answered && !c->reset)
            refuse(c);
    }
}
