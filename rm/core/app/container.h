/* rm/core/app/container.h - a container, from its allocation until no reader of its end is left. */
#ifndef CREEL_RM_CORE_APP_CONTAINER_H
#define CREEL_RM_CORE_APP_CONTAINER_H

#include "base/data/map.h"
#include "base/sat.h"
#include "rm/core/core.h"

struct rm_app;
struct rm_core;
struct rm_node;
struct rm_task;

#define RM_PROGRESS_ONE 1000000 /* progress is kept as an integer: sums stay exact */

/* The category in which the ledger counts a container (rm/core/ledger.h). */
enum rm_tally {
    RM_TALLY_NONE,     /* not counted: not begun, or ended */
    RM_TALLY_HELD,     /* holds its slots and resources */
    RM_TALLY_FREEING,  /* the same, but its process is being killed */
    RM_TALLY_SUSPENDED /* holds neither slots nor resources */
};
struct rm_container {
    struct base_container_id id;
    struct rm_app *app;
    struct rm_node *node;
    struct rm_task *task; /* the task whose current attempt runs in it; NULL: none */
    /* In the lists of live containers of the application and of the node. */
    struct rm_container *app_prev, *app_next, *node_prev, *node_next;
    /* In the list of containers not yet reported by their node (rm_core.unstarted). */
    struct rm_container *wait_prev, *wait_next;
    struct rm_launch *launch; /* from an ask, referenced; NULL: none */
    char *diagnostics;
    int64_t start_us, finish_us, allocation_id;
    int64_t suspended_at_us; /* time of the suspension; 0: not suspended */
    int64_t suspended_us;    /* duration of its earlier suspensions */
    /* task_attempt: in a container of a MapReduce master, its number, by which policies know it */
    int32_t task_attempt, priority, exit_code, progress;
    enum rm_container_state state;
    int32_t slots;        /* that it holds, of kind @slot; while suspended, that it will need */
    uint8_t slot, tally;  /* enum base_task_kind; enum rm_tally, written by the ledger alone */
    uint8_t step;         /* enum base_job_step, which runs in it; 0: none */
    bool master;          /* runs its application's master */
    bool on_master_slots; /* @slots are master slots of the node; @slot is BASE_TASK_MAP */
    bool killing;         /* an order to kill it was queued */
    bool waiting;         /* in the list of unstarted containers */
    bool pulled;          /* announced to its master */
    bool told;            /* end reported to the master, and not acknowledged yet */
    int32_t kill_status;  /* exit status to show if the container ends by being killed */
    uint32_t label;       /* label of its node when the container began, for the totals alone */
    struct rm_res resource;
};

/* For struct base_map. */
static inline uint64_t rm_container_id_hash(const struct base_container_id *id)
{
    uint64_t x = (uint64_t)id->attempt.app.cluster_ts * UINT64_C(0x9e3779b97f4a7c15);

    x ^= (uint64_t)(uint32_t)id->attempt.app.seq << 32 ^ (uint64_t)(uint32_t)id->attempt.attempt
                                                             << 56;
    return base_hash_mix(x ^ (uint64_t)id->num);
}
bool rm_container_ids_equal(const struct base_container_id *a, const struct base_container_id *b);
/* Returns NULL when the container is unknown. */
struct rm_container *rm_container_find(const struct rm_core *c, const struct base_container_id *id);
/* Prefetches the containers of these @n reports, and their tasks. */
void rm_container_prefetch(const struct rm_core *c, const struct rm_container_report *r, size_t n);
void rm_container_set_state(struct rm_container *ct, enum rm_container_state s);
/* Removes @ct from the list of unstarted containers, since its node has reported it or it ends. */
void rm_container_remove_from_unstarted(struct rm_core *c, struct rm_container *ct);
/* Ends the containers that no node has reported within allocation_expiry_us, orders their nodes to
 * kill them, and sets the timer for the next one. */
void rm_containers_expire_unstarted(struct rm_core *c);
/* Creates a container in state ALLOCATED, which from now on holds as many slots of kind @slot as
 * its resource @res needs (rm/core/node/width.h); a master, master slots if its attempt says so. */
struct rm_container *rm_container_new(struct rm_core *c, struct rm_app *a, struct rm_node *n,
                                      const struct base_container_id *id, enum base_task_kind slot,
                                      const struct rm_res *res, bool master);
/* Sets the start time to the one in a report. A time before the submission or in the future is
 * ignored, since the node's clock may be wrong. */
void rm_container_set_start_if_plausible(const struct rm_core *c, struct rm_container *ct,
                                         const struct rm_container_report *r);
void rm_container_free(struct rm_core *c, struct rm_container *ct);
/* Orders the node to forget the ended container, and frees it. */
void rm_container_order_forget_and_free(struct rm_core *c, struct rm_container *ct);
/* Returns true while no launch order for the container has been queued: then it can end without its
 * node. If its master has started it meanwhile, the node's next report of it gets an order to kill
 * it. */
bool rm_container_is_unknown_to_node(const struct rm_container *ct);
/* Queues the launch order. @launch: the launch context of a plain application's container, which is
 * referenced; NULL for a task. */
void rm_container_enqueue_launch(struct rm_core *c, struct rm_container *ct,
                                 struct rm_launch *launch);
/* Orders the node to kill the container, unless that was ordered before. @status: exit status to
 * show if the container ends that way. @reason: static text. */
void rm_container_order_kill(struct rm_core *c, struct rm_container *ct, int32_t status,
                             const char *reason);
/* Sets the progress, in units of 1/RM_PROGRESS_ONE. For a running task, updates the sums of the job
 * and informs the policy. */
void rm_container_set_progress(struct rm_core *c, struct rm_container *ct, int32_t progress);
/* Ends the container: gives its slot back, and calls the kind's container_ended, which may free it.
 * @r: the node's report, or NULL. If the container is being killed, the status given with the kill
 * replaces @exit_code, unless the node reports 0. */
void rm_container_end(struct rm_core *c, struct rm_container *ct, int32_t exit_code,
                      const char *diagnostics, const struct rm_container_report *r);
/* Orders the node to kill the container. If the node has not reported it, and no launch was
 * ordered, ends it at once; its application may then have ended too when this returns. */
void rm_container_kill_or_end(struct rm_core *c, struct rm_container *ct, int32_t status,
                              const char *reason);

/* Returns @amount (MiB or vcores) times the milliseconds in @us; saturates. */
static inline int64_t rm_held_ms(int64_t amount, int64_t us)
{
    return base_sat_add(base_sat_mul(amount, us / 1000), base_sat_mul(amount, us % 1000) / 1000);
}

#endif
