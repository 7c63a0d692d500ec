/* tests/sim/sim_nm_look.c - a node looks around while an answer is overdue: nm_rm_search's rules,
 * with simulated requests. */
#include <inttypes.h>

#include "tests/sim/sim_nm.h"
#include "tests/sim/sim_rm.h"

#define ANSWER_US (3 * S)

static void ask_next(struct sim_nm *nm, uint64_t asked);

/* Gives up the request, on the service thread. An answer that arrives before then still counts. */
static void abandoned(void *arg, uint64_t tag)
{
    struct sim_nm *nm = arg;

    if (nm_rm_search_is_request_in_flight(&nm->search, tag))
        sim_nm_abandon(nm);
}

static void looked(struct sim_nm *nm, uint64_t asked, const char *url)
{
    struct sim *s = &nm->w->s;

    if (nm_rm_search_note_look_result(&nm->search, asked, url, s->now_us,
                                      (uint32_t)sim_rnd(s, UINT32_MAX))) {
        sim_log(s, "%s: %s leads now", nm->proc.name, url);
        nm->w->totals->abandoned++;
        sim_at(s, s->now_us + (int64_t)sim_rnd(s, 200), &nm->proc, SIM_SERVICE, abandoned, nm,
               asked);
    } else {
        sim_nm_look_later(nm);
    }
}

static void on_answer(void *user, uint64_t asked, enum sim_outcome how, void *answer)
{
    struct sim_nm *nm = user;
    const struct sim_answer *a = answer;

    if (how == SIM_ANSWERED && nm_rm_search_state_is_leader(a->state, a->epoch, nm->look_least))
        looked(nm, asked, nm->look_url);
    else
        ask_next(nm, asked);
}

static void ask_next(struct sim_nm *nm, uint64_t asked)
{
    struct sim_request *rq;

    nm->look_url = nm_rm_search_is_request_in_flight(&nm->search, asked)
                       ? nm_rm_search_next_rm_but_current(&nm->search, &nm->look_at)
                       : NULL;
    if (!nm->look_url) {
        looked(nm, asked, NULL);
        return;
    }
    rq = sim_alloc(&nm->w->s, sizeof *rq);
    rq->state = true;
    sim_call(&nm->w->net, &nm->proc, SIM_OUT, &nm->w->rm[sim_nm_rm_of(nm->look_url)]->proc, rq,
             ANSWER_US, on_answer, nm, asked);
}

static void on_due(void *arg, uint64_t asked)
{
    struct sim_nm *nm = arg;

    if (!nm_rm_search_is_request_in_flight(&nm->search, asked) ||
        nm->w->s.now_us < nm->search.look_us)
        return;
    nm->look_at = 0;
    nm->look_least = nm_rm_search_least_leader_epoch(&nm->search);
    ask_next(nm, asked);
}

void sim_nm_look_later(struct sim_nm *nm)
{
    if (nm->search.look_us != INT64_MAX)
        sim_at(&nm->w->s, nm->search.look_us, &nm->proc, SIM_OUT, on_due, nm, nm->search.asked);
}
