/* tests/sim/sim_rm.h - a ResourceManager of several. Real: ha_election, ha_log, ha_log_follow,
 * rm_core, and the rules of a leadership, rm/term/. Simulated: the threads that drive them.
 *
 *   service thread   election and log; announces the begin and the end of a leadership, and deposes
 *                    at once
 *   lead thread      takes over and tears down, one after the other; looks at the lease
 *   core's thread    steps the core
 *   store's thread   writes batches, releases what waited for them */
#ifndef CREEL_TESTS_SIM_RM_H
#define CREEL_TESTS_SIM_RM_H

#include "base/clock.h"
#include "ha/election/election.h"
#include "ha/log/follow.h"
#include "ha/log/log.h"
#include "rm/term/batch.h"
#include "rm/term/core_clock.h"
#include "rm/term/outbox.h"
#include "rm/term/term.h"
#include "tests/sim/sim_world.h"

struct sim_flight {
    uint64_t batch, seq;
};
struct sim_lead { /* what a leadership needs */
    struct sim_rm *rm;
    uint64_t round;
    int64_t epoch;
    bool over;           /* the service has announced its end */
    bool loaded;         /* the log has been read */
    bool active, closed; /* closed: it retires, and takes no more requests */
    struct ha_log *log;
    struct rm_core *core;
    struct rm_term rules;
    int64_t armed_us;
    /* the store's thread */
    struct rm_batch queued;
    struct sim_flight flight[64];
    size_t flight_n;
    uint64_t written_seq;
    struct rm_outbox outbox;
    struct rm_ready ready;
    int64_t active_us;
    struct sim_lead *next; /* of those that the lead thread has not taken yet */
};
struct sim_parked {
    struct sim_call *call;
    int64_t until_us;
};
struct sim_rm {
    struct sim_world *w;
    int index;
    struct sim_proc proc;
    struct sim_zkc *zkc;
    struct ha_election *election;
    struct ha_log_follow *follow;
    struct rm_lease lease;
    int64_t held_epoch;       /* the election leads under it; -1: not leading */
    struct sim_lead *elected; /* the service's: its log is served; NULL: none */
    struct sim_lead *untaken; /* in the lead thread's mailbox */
    struct sim_lead *lead;    /* the lead thread's: taken, or active; NULL: none */
    int64_t lead_busy_us;     /* what the lead thread is told next comes after this */
    uint64_t round, timer;
    int64_t wall_us; /* offset of its wall clock */
    struct base_clock source;
    struct rm_clock clock;
    char instance[32];
    struct sim_parked *parked;
    size_t parked_n, parked_cap;
    bool pause_at_output;
    int64_t pause_us;
};

struct sim_rm *sim_rm_new(struct sim_world *w, int index);
void sim_rm_start(struct sim_rm *rm);
void sim_rm_kill(struct sim_rm *rm);
void sim_rm_resign(struct sim_rm *rm);
bool sim_rm_leads(struct sim_rm *rm); /* and its lease holds; latches a refusal, as in the daemon */
bool sim_rm_active(const struct sim_rm *rm); /* ... and it has read the state; a mere look */
void sim_rm_pause(struct sim_rm *rm, int64_t us);
/* The one that is active, NULL. */
struct sim_rm *sim_rm_leader(struct sim_world *w);

/* ---- sim_rm.c ---- */
int64_t sim_rm_lease_us(const struct sim_rm *rm, int64_t epoch);
void sim_rm_send(struct sim_rm *rm, struct sim_call *call, const struct rm_effect *fx);
struct sim_answer *sim_rm_answer(struct sim_rm *rm, enum sim_status status);
void sim_rm_away(struct sim_rm *rm,
                 struct sim_call *call);   /* answers: somebody else, or nobody, leads */
int sim_rm_other(const struct sim_rm *rm); /* index of another RM known to be active, -1: none */
void sim_rm_fenced(struct sim_rm *rm);     /* its log was refused */
void sim_rm_resign_now(struct sim_rm *rm, int64_t hold_us);

/* ---- sim_lead.c ---- */
struct sim_lead *sim_lead_new(struct sim_rm *rm, int64_t epoch, int32_t version);
void sim_lead_free(struct sim_lead *l);
void sim_lead_take(
    struct sim_lead *l);               /* by the lead thread: active as soon as its log is loaded */
void sim_lead_cut(struct sim_lead *l); /* deposed: everybody who waits is refused; frees it */
void sim_lead_retire(
    struct sim_lead *l); /* in good order: what is queued is written first; then it resigns */
void sim_lead_retire_further(struct sim_lead *l);
/* One event for the core; false: the lease is over, nothing has happened. */
bool sim_lead_event(struct sim_lead *l, struct rm_event *ev, struct sim_call *call);

/* ---- sim_rm_serve.c ---- */
void sim_rm_serve(void *self, struct sim_call *call);
void sim_rm_look_at_parked(struct sim_rm *rm); /* roles may have changed */
void sim_rm_folder(struct sim_lead *l, const struct rm_effect *fx);

#endif
