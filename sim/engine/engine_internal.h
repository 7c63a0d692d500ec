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
/* The core's clock at virtual time 0: not 0, since policies read 0 as "not yet"; whole seconds. */
#define SIM_EPOCH_US INT64_C(1000000000)

/* HELD --its predecessor ended--> QUEUED --its time--> LIVE --> gone */
enum sim_live_state { SIM_HELD, SIM_QUEUED, SIM_LIVE };

struct sim_live { /* a job that was read and has not finished */
    struct sim_job job;
    struct sim_cost cost;
    struct rm_job_spec *spec; /* a reference */
    struct sim_job_result r;
    uint64_t id;
    enum sim_live_state state;
    uint32_t index; /* in sim->live */
    int32_t seq;    /* of its application */
    int32_t running[BASE_TASK_KINDS], done[BASE_TASK_KINDS], reported[BASE_TASK_KINDS];
    int64_t last_end_us;
    uint32_t map_node; /* of the map that ended last */
    uint32_t waiting;  /* its reduces that wait for the last map: attempts, newest first */
    bool output;       /* the core asks for setup and commit */
    struct sim_live *chain,
        *chain_next; /* jobs held for it, latest first; its neighbour in such a list */
};

enum sim_attempt_state { SIM_RUNNING, SIM_SUSPENDED, SIM_ENDED, SIM_KILLED };
/* Two lines of the cache: the second one is seldom looked at when a map ends. */
struct sim_attempt { /* of a task, as its node knows it */
    struct sim_live *job;
    int64_t num;    /* of its container */
    uint64_t event; /* order of its end in the queue, 0: not set */
    int64_t launched_us;
    int64_t end_us;   /* running and begun: when it will end; ended: when it did */
    int64_t since_us; /* it holds its slot since then */
    uint32_t node, node_next,
        wait_next; /* lists of its node (or free ones) and of waiting reduces */
    uint8_t kind, state, level;
    bool told : 1, summed : 1; /* its node has reported it once; held_us or idle_us is not 0 */
    bool slotless : 1;         /* killed while suspended */

    int64_t duration_us;  /* 0: a reduce that has not begun */
    int64_t held_us;      /* slot time before since_us */
    int64_t idle_us;      /* of all its slot time: without the last map */
    int64_t left_us;      /* suspended: still to do */
    int32_t task, number; /* number: of the attempt */
};
struct sim_node {
    const char *id; /* and host */
    int64_t response_id;
    double speed;
    int32_t slots[BASE_TASK_KINDS];
    int32_t used[BASE_TASK_KINDS]; /* as the core knows: until an end is reported */
    int32_t suspended[BASE_TASK_KINDS];
    uint32_t attempts;    /* those whose end it has not reported */
    uint32_t block, free; /* its own places in the table, as many as slots; of those: free ones */
    int32_t fresh;        /* and how many were never used */
};
_Static_assert(sizeof(struct sim_attempt) <= 128, "an attempt has two lines");

struct sim {
    struct sim_conf conf;
    struct sim_size_error size_error;
    struct rm_core *core;
    struct rm_effects fx;
    const struct policy_ops *ops;
    bool progress, running_told; /* what heartbeats report beside ends */
    int64_t now_us, heartbeat_us;
    uint64_t token;
    struct base_error err;
    int failed;
    /* nodes */
    struct sim_node *nodes;
    int32_t nodes_n;
    struct sim_topology topology;
    struct rm_host_table hosts;
    char *texts; /* ids of nodes */
    const char **ids;
    uint8_t *news,
        *oob_set; /* by node: it has something to report; waits for its extra heartbeat */
    struct sim_attempt *attempts; /* blocks of the nodes, then what more is suspended */
    uint32_t attempts_n, attempts_cap, attempts_free;
    struct rm_container_report *reports;
    size_t reports_cap;
    struct sim_ended { /* attempts whose end a heartbeat tells */
        struct sim_live *job;
        uint8_t kind;
        bool success;
    } * ended;
    size_t ended_cap;
    /* regular heartbeats: nodes in order of their phase, a cycle after the other */
    struct sim_beat {
        int64_t phase_us;
        uint32_t node;
    } * beats;
    int64_t cycle_us; /* begin of the present one */
    int32_t beat;     /* next of the cycle */
    uint32_t *oob;    /* nodes that beat at once, in order: a ring as long as there are nodes */
    int32_t oob_first, oob_n;
    bool changed; /* heartbeats at every change: something happened at this instant */
    /* events */
    struct sim_queue queue;
    int64_t wake_us; /* 0: none */
    /* jobs */
    struct sim_live **live;
    size_t live_n, live_cap;
    uint32_t *live_free;
    size_t live_free_n, live_free_cap;
    struct base_map by_id;
    struct sim_live **by_seq; /* ring: seq & mask */
    int32_t seq_mask;
    int64_t jobs_live, jobs_read, running_all;
    int64_t last_submit_us; /* of the workload's order */
    int64_t last_active_us; /* something was launched, ended or submitted */
    uint64_t
        reading; /* order of the event of the job that was read last: then the next one is read */
    bool read_all;
    struct sim_totals totals;
    struct sim_bound bound;
};

/* ---- sim/engine/core_step.c ---- */
/* The first failure ends the run; its code is returned, later ones are dropped. */
int sim_fail(struct sim *s, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* One step of the core. Its effects are left in s->fx, for sim_apply(). */
void sim_core_event(struct sim *s, struct rm_event *ev);
void sim_log_task(struct sim *s, const char *event, const struct sim_attempt *a,
                  const char *detail);
void sim_log_job(struct sim *s, const char *event, const struct sim_live *job, int64_t number);

/* ---- sim/engine/carry_out.c ---- */
/* Carries out the effects of the last step. @node: the node whose heartbeat it was, SIM_NONE:
 * another event. */
void sim_apply(struct sim *s, uint32_t node);

/* ---- sim/engine/live_jobs.c ---- */
void sim_live_add(struct sim *s, struct sim_live *job);
/* The core has numbered @job: sim_live_of() finds it from now on. */
void sim_live_number(struct sim *s, struct sim_live *job);
void sim_live_remove(struct sim *s, struct sim_live *job); /* and frees it */
struct sim_live *sim_live_find(const struct sim *s,
                               uint64_t id); /* by the workload's id; NULL: none */
struct sim_live *sim_live_of(const struct sim *s,
                             int32_t seq); /* by the core's number: asserted to live */
void sim_jobs_free(struct sim *s);

/* ---- sim/engine/engine_job.c ---- */
void sim_jobs_read(struct sim *s); /* until one has its event, or there are no more */
void sim_job_submit(struct sim *s, struct sim_live *job);
void sim_job_set_up(struct sim *s, struct sim_live *job);    /* its setup is over */
void sim_job_committed(struct sim *s, struct sim_live *job); /* its cleanup is */
void sim_job_check(struct sim *s,
                   struct sim_live *job); /* the core has heard of an end: finished? */

/* ---- sim/engine/node.c ---- */
int sim_nodes_make(struct sim *s, struct base_error *err);
void sim_nodes_register(struct sim *s);
void sim_nodes_free(struct sim *s);
int64_t sim_nodes_next_us(const struct sim *s); /* next regular heartbeat */
void sim_nodes_seek(struct sim *s);             /* the next one is the first not before now */
void sim_nodes_beat(struct sim *s);             /* the next one: out of band first */
void sim_nodes_round(struct sim *s);            /* all, until nothing changes */

/* ---- sim/engine/node_task.c ---- */
void sim_task_launch(struct sim *s, uint32_t node, const struct rm_order *o);
void sim_task_kill(struct sim *s, uint32_t node, const struct rm_order *o);
void sim_task_suspend(struct sim *s, uint32_t node, const struct rm_order *o);
void sim_task_resume(struct sim *s, uint32_t node, const struct rm_order *o);
void sim_task_end(struct sim *s, const struct sim_event *e);
void sim_task_free(struct sim *s, uint32_t index);
void sim_tasks_make(struct sim *s, uint32_t slots); /* the table */
float sim_task_progress(const struct sim *s, const struct sim_attempt *a);

#endif
