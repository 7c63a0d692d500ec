/* sim/engine/engine_internal.h - the engine's objects. Only files of this folder and the engine's
 * test include this. */
#ifndef CREEL_SIM_ENGINE_ENGINE_INTERNAL_H
#define CREEL_SIM_ENGINE_ENGINE_INTERNAL_H

#include "policies/policy.h"
#include "rm/core/core.h"
#include "rm/core/step_memory.h"
#include "sim/engine/bound.h"
#include "sim/engine/durations.h"
#include "sim/engine/event_queue.h"
#include "sim/engine/sim.h"
#include "sim/engine/size_error.h"

#define SIM_NONE UINT32_MAX
/* The core's clock at virtual time 0. Not 0, because policies read 0 as "not yet"; whole seconds,
 * so that rounding to seconds is the same on both time lines. */
#define SIM_EPOCH_US INT64_C(1000000000)

/* HELD --predecessor ended--> QUEUED --submission time--> LIVE --ended--> removed. A job begins as
 * QUEUED if it has no predecessor, or one that has ended. */
enum sim_live_state { SIM_HELD, SIM_QUEUED, SIM_LIVE };

struct sim_live { /* a job that has been read and has not ended */
    struct sim_job job;
    struct sim_cost cost;
    struct rm_job_spec *spec; /* one reference is ours */
    struct sim_job_result r;
    uint64_t id;
    enum sim_live_state state;
    uint32_t index; /* in sim->live */
    int32_t seq;    /* number in its application id; 0: not yet numbered by the core */
    int32_t running[BASE_TASK_KINDS], done[BASE_TASK_KINDS], reported[BASE_TASK_KINDS];
    int64_t last_end_us;
    uint32_t map_node; /* node of the map that ended last */
    uint32_t waiting;  /* list of the reduce attempts that wait for the last map, newest first */
    bool output;       /* the core asks for setup and commit, which take time */
    struct sim_live *chain;      /* jobs held until this one ends, the last one read first */
    struct sim_live *chain_next; /* next job in the list that holds this one */
};

enum sim_attempt_state { SIM_RUNNING, SIM_SUSPENDED, SIM_ENDED, SIM_KILLED };
/* Two cache lines; the second is rarely read when a map ends. */
struct sim_attempt { /* a task attempt as its node knows it */
    struct sim_live *job;
    int64_t num;    /* number of its container */
    uint64_t event; /* order of the queued end event; 0: none */
    int64_t launched_us;
    int64_t end_us;   /* working: when the attempt will end; ended or killed: when it did */
    int64_t since_us; /* when the attempt got the slot that it holds */
    uint32_t node;
    uint32_t node_next; /* next in the list of its node, or of free places */
    uint32_t wait_next; /* next in the list of waiting reduces */
    uint8_t kind, state, level;
    bool told : 1;     /* a heartbeat has reported the attempt */
    bool summed : 1;   /* held_us or idle_us may be above 0; else neither needs to be read */
    bool slotless : 1; /* killed while suspended */

    int64_t duration_us;  /* 0: a reduce that still waits for the last map */
    int64_t held_us;      /* slot time before since_us */
    int64_t idle_us;      /* part of the slot time spent waiting for the last map */
    int64_t left_us;      /* while suspended: work still to do */
    int32_t task, number; /* task index; attempt number */
};
struct sim_node {
    const char *id; /* node id and host name */
    int64_t response_id;
    double speed;
    int32_t slots[BASE_TASK_KINDS];
    int32_t used[BASE_TASK_KINDS]; /* slots in use; an ended attempt keeps its slot until its end is
                                      reported */
    int32_t suspended[BASE_TASK_KINDS];
    uint32_t attempts; /* list of attempts whose end is not yet reported */
    uint32_t block;    /* index of the node's first own place in the table; one place per slot */
    uint32_t free;     /* list of the node's own places that are free again */
    int32_t fresh;     /* number of the node's own places used at least once */
};
_Static_assert(sizeof(struct sim_attempt) <= 128, "an attempt fits in two cache lines");

struct sim {
    struct sim_conf conf;
    struct sim_size_error size_error;
    struct rm_core *core;
    struct rm_effects fx;
    const struct policy_ops *ops;
    /* what heartbeats report besides ends: the progress of all attempts; each launch, once */
    bool progress, running_told;
    int64_t now_us, heartbeat_us;
    uint64_t token;
    struct base_error err;
    int failed;
    /* nodes */
    struct sim_node *nodes;
    int32_t nodes_n;
    int32_t slots_most[BASE_TASK_KINDS]; /* of one node */
    struct sim_topology topology;
    struct rm_host_table hosts;
    char *texts; /* holds the ids of the nodes */
    const char **ids;
    uint8_t *news;    /* by node: whether it has something to report */
    uint8_t *oob_set; /* by node: whether it is in @oob */
    /* the nodes' own blocks, one place per slot; then places for further attempts: suspended ones
     * hold no slot */
    struct sim_attempt *attempts;
    uint32_t attempts_n, attempts_cap, attempts_free;
    struct rm_container_report *reports;
    size_t reports_cap;
    struct sim_ended { /* attempts whose end the present heartbeat reports */
        struct sim_live *job;
        uint8_t kind;
        bool success;
    } * ended;
    size_t ended_cap;
    /* regular heartbeats: in each cycle all nodes beat once, in order of their phase */
    struct sim_beat {
        int64_t phase_us;
        uint32_t node;
    } * beats;
    int64_t cycle_us; /* start of the present cycle */
    int32_t beat;     /* index in @beats of the next heartbeat */
    uint32_t *oob;    /* ring of nodes waiting for an out-of-band heartbeat, one place per node */
    int32_t oob_first, oob_n;
    /* something happened at this instant, so all nodes beat again (SIM_HEARTBEAT_ZERO only) */
    bool changed;
    /* events */
    struct sim_queue queue;
    int64_t wake_us; /* when the core wants a timer event; 0: never */
    /* jobs */
    struct sim_live **live;
    size_t live_n, live_cap;
    uint32_t *live_free;
    size_t live_free_n, live_free_cap;
    struct base_map by_id;
    struct sim_live **by_seq; /* hash ring: index is seq & seq_mask */
    int32_t seq_mask;
    int64_t jobs_live, jobs_read, running_all;
    int64_t last_submit_us; /* submission of the job read last: the workload must be in order */
    int64_t last_active_us; /* last submission, setup, commit, launch, resume, kill or end */
    uint64_t reading;       /* order of the submission event at which the next job is read */
    bool read_all;
    struct sim_totals totals;
    struct sim_bound bound;
};

/* ---- sim/engine/core_step.c ---- */
/* Records a failure, which ends the run. Only the first failure is kept; returns its code. */
int sim_fail(struct sim *s, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Runs one step of the core at the present time. Leaves the effects in s->fx, for
 * sim_carry_out_effects(). */
void sim_core_step(struct sim *s, struct rm_event *ev);
/* Append a line to the event log, if there is one. @detail: NULL, or the last column; @number: the
 * last column unless 0. */
void sim_log_task(struct sim *s, const char *event, const struct sim_attempt *a,
                  const char *detail);
void sim_log_job(struct sim *s, const char *event, const struct sim_live *job, int64_t number);

/* ---- sim/engine/carry_out.c ---- */
/* Carries out the effects of the last step, then empties them. @node: the node whose
 * heartbeat or registration the step processed; SIM_NONE: another event. */
void sim_carry_out_effects(struct sim *s, uint32_t node);

/* ---- sim/engine/live_jobs.c ---- */
/* Adds @job and takes ownership: sim_live_find_by_id() finds it from now on. */
void sim_live_add(struct sim *s, struct sim_live *job);
/* Call when the core has numbered @job: sim_live_get_by_seq() finds it from now on. */
void sim_live_index_by_seq(struct sim *s, struct sim_live *job);
/* Removes and frees @job. */
void sim_live_remove(struct sim *s, struct sim_live *job);
/* @id: as the workload numbers jobs. Returns NULL if the job has not been read or has ended. */
struct sim_live *sim_live_find_by_id(const struct sim *s, uint64_t id);
/* @seq: as the core numbers applications. The job must be live (asserted). */
struct sim_live *sim_live_get_by_seq(const struct sim *s, int32_t seq);
void sim_jobs_free(struct sim *s);

/* ---- sim/engine/engine_job.c ---- */
/* Reads jobs from the workload until the submission of one is queued, or there are no more. */
void sim_jobs_read_until_queued(struct sim *s);
void sim_job_submit(struct sim *s, struct sim_live *job);
/* Report to the core that the job has been set up; that it has been committed, which ends the
 * job. */
void sim_job_report_set_up(struct sim *s, struct sim_live *job);
void sim_job_report_committed(struct sim *s, struct sim_live *job);
/* Ends @job if the ends of all its tasks have been reported to the core, unless its commit is still
 * to come. */
void sim_job_end_if_done(struct sim *s, struct sim_live *job);

/* ---- sim/engine/node.c ---- */
/* Makes the nodes of s->conf.cluster. Returns 0, or -BASE_EINVAL with @err. */
int sim_nodes_create(struct sim *s, struct base_error *err);
void sim_nodes_register(struct sim *s);
void sim_nodes_free(struct sim *s);
/* Returns the time at which the next regular heartbeat is due. */
int64_t sim_nodes_next_beat_us(const struct sim *s);
/* Skips regular heartbeats that were due before now. */
void sim_nodes_skip_past_beats(struct sim *s);
/* Sends the next heartbeat: an out-of-band one if any waits, else the next regular one. */
void sim_nodes_beat_next(struct sim *s);
/* Lets all nodes beat, again and again, until a round changes nothing. Fails the run if that takes
 * more than 10,000 rounds. */
void sim_nodes_beat_until_settled(struct sim *s);

/* ---- sim/engine/node_task.c ---- */
/* Carry out an order of the core on @node. An order that comes too late for its attempt has no
 * effect. */
void sim_task_launch(struct sim *s, uint32_t node, const struct rm_order *o);
void sim_task_kill(struct sim *s, uint32_t node, const struct rm_order *o);
void sim_task_suspend(struct sim *s, uint32_t node, const struct rm_order *o);
void sim_task_resume(struct sim *s, uint32_t node, const struct rm_order *o);
/* Ends the attempt that @e is about, unless the attempt was killed or suspended meanwhile. */
void sim_task_handle_end(struct sim *s, const struct sim_event *e);
/* Frees the place s->attempts[index] for another attempt. */
void sim_attempt_free(struct sim *s, uint32_t index);
/* Makes the table of attempts with a place for each of @slots. */
void sim_attempts_create_table(struct sim *s, uint32_t slots);
/* Progress score of the attempt, 0 to 1, as Hadoop counts it. */
float sim_task_progress(const struct sim *s, const struct sim_attempt *a);

#endif
