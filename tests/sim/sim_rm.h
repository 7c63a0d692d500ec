/* tests/sim/sim_rm.h - one of several ResourceManagers. Real: ha_election, ha_log, ha_log_follow,
 * rm_core, and the rules of a leadership, rm/term/. Simulated: the threads that drive them.
 *
 *   service thread   election and log; announces leaderships and their ends, and deposes at once
 *   lead thread      carries out what rm/term/lead_rules.h says, and checks the lease; what is
 *                    announced while it is busy waits in its mailbox
 *   core's thread    steps the core
 *   store's thread   writes batches, releases the effects that waited for them
 *   HTTP threads     answer requests; nodes wait by the rules of rm/term/node_wait.h */
#ifndef CREEL_TESTS_SIM_RM_H
#define CREEL_TESTS_SIM_RM_H

#include "base/clock.h"
#include "ha/election/election.h"
#include "ha/log/follow.h"
#include "ha/log/log.h"
#include "rm/term/batch.h"
#include "rm/term/core_clock.h"
#include "rm/term/lead_rules.h"
#include "rm/term/node_wait.h"
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
    uint64_t number;     /* for rm_lead_news_is_over() */
    bool over;           /* the service has announced its end */
    bool loaded;         /* the log has been loaded */
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
    struct rm_released ready;
    int64_t active_us;
};
struct sim_parked {
    struct sim_call *call;
    struct rm_node_wait wait;
};
struct sim_news { /* in the lead thread's mailbox */
    struct rm_lead_event ev;
    struct sim_lead *lead; /* of RM_LEAD_EV_ELECTED, owned; else NULL */
};
struct sim_lead_thread {
    struct rm_lead_news announced;
    struct rm_lead_rules rules;
    struct sim_news *mailbox;
    size_t mailbox_n, mailbox_cap;
    struct sim_news current;        /* event whose effects are being carried out */
    struct rm_lead_effects effects; /* of the current event */
    size_t done;                    /* number of effects carried out */
    uint64_t number;                /* of the leadership that the event belongs to */
    bool blocked; /* in an effect that takes time: sim_lead_thread_resume() ends it */
};
struct sim_rm {
    struct sim_world *w;
    int index;
    struct sim_proc proc;
    struct sim_zkc *zkc;
    struct ha_election *election;
    struct ha_log_follow *follow;
    struct rm_lease lease;
    int64_t held_epoch;       /* epoch under which the election leads; -1: it does not lead */
    struct sim_lead *elected; /* the service thread's, whose log gets events; NULL: none */
    struct sim_lead *lead;    /* the lead thread's: being activated, or active; NULL: none */
    struct sim_lead_thread lead_thread;
    int active_rm;        /* index of the other RM that is shown as active; -1: none */
    int64_t role_changes; /* how often the role, or active_rm, has changed */
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
/* Returns true while the RM leads and its lease holds. Once false for a leadership, it stays false,
 * as in the daemon. */
bool sim_rm_leads(struct sim_rm *rm);
/* Returns true when the RM leads, has read the state, and its lease would hold. Changes nothing. */
bool sim_rm_active(const struct sim_rm *rm);
void sim_rm_pause(struct sim_rm *rm, int64_t us);
/* Returns the active RM, of several the one with the highest epoch; NULL: none. */
struct sim_rm *sim_rm_leader(struct sim_world *w);

/* ---- sim_rm.c ---- */
int64_t sim_rm_lease_us(const struct sim_rm *rm, int64_t epoch);
void sim_rm_send(struct sim_rm *rm, struct sim_call *call, const struct rm_effect *fx);
struct sim_answer *sim_rm_answer(struct sim_rm *rm, enum sim_status status);
/* Redirects the caller to the RM shown as active, or answers that none is. */
void sim_rm_away(struct sim_rm *rm, struct sim_call *call);
/* Returns the index of the other RM that the election has seen as active; -1: none. */
int sim_rm_find_active(const struct sim_rm *rm);
void sim_rm_fenced(struct sim_rm *rm); /* call when a write to its log was refused */
void sim_rm_resign_now(struct sim_rm *rm, int64_t hold_us);

/* ---- sim_lead.c ---- */
struct sim_lead *sim_lead_new(struct sim_rm *rm, int64_t epoch, int32_t version);
void sim_lead_free(struct sim_lead *l);
/* Starts to read the state as soon as the log is loaded; ends in sim_lead_thread_resume(). */
void sim_lead_activate(struct sim_lead *l);
/* Call when @l->over: makes an activation that waits fail soon, or a retirement end. */
void sim_lead_abort_loading(struct sim_lead *l);
void sim_lead_cut(struct sim_lead *l); /* deposed: refuses all waiting requests; frees @l */
/* Writes what is queued, then frees @l and calls sim_lead_thread_resume(). */
void sim_lead_retire(struct sim_lead *l);
/* Ends a retirement soon, if the store has nothing left to do. */
void sim_lead_retire_further(struct sim_lead *l);
/* Passes one event to the core. Returns false when the lease is over; then nothing has happened. */
bool sim_lead_event(struct sim_lead *l, struct rm_event *ev, struct sim_call *call);

/* ---- sim_lead_thread.c ---- */
/* Queues @ev for the lead thread; @lead: the elected leadership, taken, for RM_LEAD_EV_ELECTED;
 * else NULL. */
void sim_lead_thread_post(struct sim_rm *rm, const struct rm_lead_event *ev, struct sim_lead *lead);
/* Lets the lead thread go on: the effect that it was busy with has ended with @code. */
void sim_lead_thread_resume(struct sim_rm *rm, int code);
void sim_lead_thread_free(struct sim_rm *rm); /* call when the process is dead */

/* ---- sim_rm_serve.c ---- */
void sim_rm_serve(void *self, struct sim_call *call);
/* Counts a change of the role or of the active RM, and wakes nodes that wait for one. */
void sim_rm_change_roles(struct sim_rm *rm);
/* Answers a request that this RM could not serve since it no longer leads; a node's request may be
 * parked. */
void sim_rm_refuse(struct sim_rm *rm, struct sim_call *call);
void sim_rm_free_parked(struct sim_rm *rm);

#endif
