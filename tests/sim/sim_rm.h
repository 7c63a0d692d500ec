/* tests/sim/sim_rm.h - a ResourceManager of several: the real ha_election, ha_log, ha_log_follow and rm_core, and between them the
 * rules of the daemon: effects that must be durable wait for the log; the lease is looked at before the core steps and
 * before anything leaves; who is elected reads the log, recovers and goes on; who is deposed fails all who wait and
 * forgets. */
#ifndef CREEL_TESTS_SIM_RM_H
#define CREEL_TESTS_SIM_RM_H

#include "base/clock.h"
#include "ha/election/election.h"
#include "ha/log/log.h"
#include "ha/log/follow.h"
#include "rm/term/core_clock.h"
#include "tests/sim/sim_world.h"

struct sim_held {
    uint64_t after_seq;
    struct rm_effect *fx;
    struct sim_call *call;
};
struct sim_flight {
    uint64_t batch, seq;
};
struct sim_lead { /* what a leadership needs */
    struct sim_rm *rm;
    uint64_t round;
    int64_t epoch;
    bool over, loaded;
    struct ha_log *log;
    struct rm_core *core;
    struct rm_effects fx;
    struct ha_record *batch; /* memory of the run */
    size_t batch_n, batch_cap;
    uint64_t batch_seq, stored_seq;
    struct sim_flight flight[64];
    size_t flight_n;
    struct sim_held *held;
    size_t held_n, held_cap;
    struct sim_call **calls; /* token - 1 */
    size_t calls_n, calls_cap;
    int64_t wake_us; /* core's time; 0: none */
    int64_t active_us;
    struct sim_lead *dead; /* list of those to be freed */
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
    struct sim_lead *lead, *dead;
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
bool sim_rm_leads(const struct sim_rm *rm);  /* and its lease holds */
bool sim_rm_active(const struct sim_rm *rm); /* ... and it has read the state */
void sim_rm_pause(struct sim_rm *rm, int64_t us);
/* The one that is active, NULL. */
struct sim_rm *sim_rm_leader(struct sim_world *w);

/* ---- between sim_rm.c and sim_rm_serve.c ---- */
/* One step of the core and all its effects; false: nothing happens, since the lease is over. */
bool sim_rm_step(struct sim_lead *l, struct rm_event *ev);
uint64_t sim_rm_token(struct sim_lead *l, struct sim_call *call);
struct sim_answer *sim_rm_answer(struct sim_rm *rm, enum sim_status status);
void sim_rm_away(struct sim_rm *rm, struct sim_call *call); /* answers: somebody else, or nobody, leads */
int sim_rm_other(const struct sim_rm *rm);                  /* index of another RM known to be active, -1: none */
void sim_rm_serve(void *self, struct sim_call *call);
void sim_rm_look_at_parked(struct sim_rm *rm); /* roles may have changed */
void sim_rm_folder(struct sim_rm *rm, const struct rm_effect *fx);

#endif
