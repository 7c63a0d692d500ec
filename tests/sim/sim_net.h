/* tests/sim/sim_net.h - hosts, links that can be cut one way or slowed down, and requests over
 * connections.
 *
 * A message on a cut link is sent again and again, as TCP does: it may arrive long after it was
 * sent. A caller that gives up closes the connection; what it sent may still arrive. A process that
 * dies resets its connections; a host that is gone answers nothing at all. */
#ifndef CREEL_TESTS_SIM_NET_H
#define CREEL_TESTS_SIM_NET_H

#include "tests/sim/sim_run.h"

#define SIM_HOSTS 16

struct sim_net {
    struct sim *s;
    bool cut[SIM_HOSTS][SIM_HOSTS]; /* [from][to] */
    bool gone[SIM_HOSTS];           /* the host has no power */
    int64_t slow_us[SIM_HOSTS][SIM_HOSTS];
    unsigned late;         /* permille of requests that arrive although their caller has given up */
    struct sim_call *open; /* calls that have not ended */
};

enum sim_outcome { SIM_ANSWERED, SIM_REFUSED, SIM_TIMED_OUT };
typedef void sim_answer_fn(void *user, uint64_t tag, enum sim_outcome how, void *answer);

struct sim_call {
    struct sim_net *net;
    struct sim_call *next, *prev;
    struct sim_proc *from, *to;
    uint32_t from_life, to_life;
    enum sim_thread thread;
    void *body, *answer;
    sim_answer_fn *fn;
    void *user;
    uint64_t tag;
    bool closed, arrived, reset, answered; /* closed: the caller has the outcome, or is dead */
    int64_t again_us;
};

void sim_net_init(struct sim_net *n, struct sim *s);
/* Returns true when a message from host @from can reach host @to now. */
bool sim_net_passes(const struct sim_net *n, int from, int to);
int64_t sim_net_delay(struct sim_net *n, int from, int to);
void sim_net_cut(struct sim_net *n, int from, int to, bool cut);
/* Makes every link whole and fast again; hosts that are gone stay gone. */
void sim_net_heal(struct sim_net *n);

/* Sends a request. @fn is called once, on @thread of @from, unless @from dies before. @body and the
 * answer must live as long as the run. */
struct sim_call *sim_call(struct sim_net *n, struct sim_proc *from, enum sim_thread thread,
                          struct sim_proc *to, void *body, int64_t timeout_us, sim_answer_fn *fn,
                          void *user, uint64_t tag);
void sim_call_answer(struct sim_call *c, void *answer);
/* Breaks the connections of @p. Call after sim_proc_kill(). */
void sim_net_died(struct sim_net *n, const struct sim_proc *p);

#endif
