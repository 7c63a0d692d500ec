/* rm/core/app/container.h - a container, from its launch order until its end is known to all. */
#ifndef CREEL_RM_CORE_APP_CONTAINER_H
#define CREEL_RM_CORE_APP_CONTAINER_H

#include "base/sat.h"
#include "rm/core/core.h"

struct rm_app;
struct rm_core;
struct rm_node;
struct rm_task;

#define RM_PROGRESS_ONE 1000000 /* progress is kept as an integer: sums stay exact */

/* What the ledger counts a container as (rm/core/ledger.h). */
enum rm_tally {
    RM_TALLY_NONE,     /* not begun, or ended */
    RM_TALLY_HELD,     /* a slot and its resources */
    RM_TALLY_FREEING,  /* the same, until the process that is being killed has ended */
    RM_TALLY_SUSPENDED /* no slot, no resources */
};
struct rm_container {
    struct base_container_id id;
    struct rm_app *app;
    struct rm_node *node;
    struct rm_task *task; /* the task whose current attempt this is; NULL: none */
    /* Live ones of the application, of the node. */
    struct rm_container *app_prev, *app_next, *node_prev, *node_next;
    /* Not yet reported by its node. */
    struct rm_container *wait_prev, *wait_next;
    /* Applications: a reference. */
    struct rm_launch *launch;
    char *diagnostics;
    int64_t start_us, finish_us, allocation_id;
    /* Since when (0: is not); total of earlier suspensions. */
    int64_t suspended_at_us, suspended_us;
    int32_t task_attempt, priority, exit_code, progress;
    enum rm_container_state state;
    uint8_t slot, tally; /* tally: the ledger's */
    /* Pulled: its master knows the container; told: it knows the end. */
    bool master, killing, waiting, pulled, told;
    int32_t kill_status; /* exit status to show when killing */
    struct rm_res resource;
};

bool rm_container_ids_equal(const struct base_container_id *a, const struct base_container_id *b);
struct rm_container *rm_container_find(const struct rm_core *c, const struct base_container_id *id);
/* Prefetches the containers of these reports. */
void rm_container_prefetch(const struct rm_core *c, const struct rm_container_report *r, size_t n);
void rm_container_set_state(struct rm_container *ct, enum rm_container_state s);
void rm_container_remove_from_unstarted(struct rm_core *c, struct rm_container *ct);
void rm_containers_expire_unstarted(struct rm_core *c);
struct rm_container *rm_container_new(struct rm_core *c, struct rm_app *a, struct rm_node *n,
                                      const struct base_container_id *id, enum base_task_kind slot,
                                      const struct rm_res *res, bool master);
void rm_container_set_reported_start(const struct rm_core *c, struct rm_container *ct,
                                     const struct rm_container_report *r);
void rm_container_free(struct rm_core *c, struct rm_container *ct);
/* Orders the node to forget it, and frees it. */
void rm_container_order_forget_and_free(struct rm_core *c, struct rm_container *ct);
/* True if no node has heard of it, and none will. */
bool rm_container_is_unknown_to_node(const struct rm_container *ct);
void rm_container_queue_launch(struct rm_core *c, struct rm_container *ct,
                               struct rm_launch *launch);
void rm_container_order_kill(struct rm_core *c, struct rm_container *ct, int32_t status,
                             const char *reason);
void rm_container_set_progress(struct rm_core *c, struct rm_container *ct, int32_t progress);
/* Ends it: gives its slot back and tells its kind. @r: the node's report, or NULL. */
void rm_container_end(struct rm_core *c, struct rm_container *ct, int32_t exit_code,
                      const char *diagnostics, const struct rm_container_report *r);
/* Kills it; one that no node has heard of has ended when this returns, and its application perhaps
 * with it. */
void rm_container_kill_or_end(struct rm_core *c, struct rm_container *ct, int32_t status,
                              const char *reason);

/* @amount of memory or vcores held for @us, times milliseconds. */
static inline int64_t rm_held_ms(int64_t amount, int64_t us)
{
    return base_sat_add(base_sat_mul(amount, us / 1000), base_sat_mul(amount, us % 1000) / 1000);
}

#endif
