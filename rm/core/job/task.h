/* rm/core/job/task.h - the tasks of a job. */
#ifndef CREEL_RM_CORE_JOB_TASK_H
#define CREEL_RM_CORE_JOB_TASK_H

#include "rm/core/core.h"

struct rm_app;
struct rm_container;
struct rm_core;
struct rm_node;

#define RM_COUNTER_BLOCK    256        /* tasks whose counters are allocated together */
#define RM_TASK_ATTEMPT_MAX 1000000000 /* the highest number of an attempt */
/* Numbers of a task's attempts that belong to one epoch; further ones take those of the next. */
#define RM_EPOCH_ATTEMPTS 1000
#define RM_BAD_NODES_MAX  1000 /* nodes that a task avoids: beyond, the oldest is dropped */

struct rm_task {
    struct rm_container *running;
    int64_t start_us, finish_us, out_version; /* out_version: of a map's output; 0: none */
    int64_t suspended_us;                     /* of the attempt that succeeded */
    int64_t container_num;                    /* container number of the latest attempt */
    char *diagnostics;
    uint32_t *bad; /* nodes on which it failed; bad[0] is their number */
    uint32_t node; /* node of the latest attempt; RM_NONE: none yet */
    int32_t index, attempts, last_attempt, failures, exit_code;
    int32_t next_attempt; /* lower numbers are over; see rm_app.attempt_base */
    /* The attempt that may commit; -1: none. On a pending task: an attempt of an earlier
     * instance whose fate is unknown, for which the task is withheld (rm_phase.kept). */
    int32_t commit_attempt;
    int32_t fetch_reduce; /* reduce that last failed to fetch its output */
    uint8_t state, kind, fetch_failures;
    bool commit_stored; /* has a commit record */
};

/* The tasks near one host or in one rack, in ascending order. */
struct rm_near {
    uint32_t key; /* host or rack; RM_NONE: empty place */
    uint32_t start, n, cursor;
};

struct rm_near_index {
    struct rm_near *v;
    uint32_t mask; /* number of places - 1; v == NULL: no index */
    int32_t *tasks;
    /* Bit per key: its list may have a pending task. Answers most lookups from few cache lines. */
    uint64_t *has;
    uint32_t keys; /* number of bits */
};

struct rm_phase {
    struct rm_task *tasks;
    int32_t total, pending, running, suspended, succeeded;
    int32_t kept;              /* pending tasks that are withheld */
    int64_t progress, shuffle; /* sums over running attempts */
    bool open;                 /* may be started (slowstart reached, output folder there) */
    bool located;              /* some task names hosts */
    int32_t avoiding;          /* number of tasks that avoid a node */
    int64_t **counters;        /* counters of succeeded tasks, in blocks of RM_COUNTER_BLOCK */
    uint64_t *bits, *summary;  /* pending tasks */
    size_t words, summary_words, low;
    struct rm_near_index host, rack;
    struct rm_near nowhere; /* tasks without hosts, in host.tasks */
    uint64_t rack_stamp;
};

int64_t rm_job_spec_task_count(const struct rm_job_spec *s, enum base_task_kind k);
void rm_tasks_create(struct rm_core *c, struct rm_app *a);
/* @c NULL: the core is being freed. */
void rm_tasks_free_index(struct rm_core *c, struct rm_app *a);
/* The index must have been dropped, unless the core is being freed. */
void rm_tasks_free(struct rm_app *a);
bool rm_tasks_are_in_memory(const struct rm_app *a); /* in memory */
struct rm_task *rm_task_find(struct rm_app *a, enum base_task_kind kind, int32_t index);
/* The node of its latest attempt. NULL: none, or forgotten since @a ended. */
struct rm_node *rm_task_latest_node(const struct rm_core *c, const struct rm_app *a,
                                    const struct rm_task *t);
int64_t *rm_task_counters(struct rm_app *a, const struct rm_task *t, bool make);
void rm_task_set_state(struct rm_app *a, struct rm_task *t, enum rm_task_state s);
bool rm_task_avoids_node(const struct rm_task *t, uint32_t node);
void rm_task_add_avoided_node(struct rm_task *t, uint32_t node);

static inline bool rm_task_is_withheld(const struct rm_task *t)
{
    return t->state == RM_TASK_PENDING && t->commit_attempt >= 0;
}

#endif
