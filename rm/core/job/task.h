/* rm/core/job/task.h - the tasks of a job. */
#ifndef CREEL_RM_CORE_JOB_TASK_H
#define CREEL_RM_CORE_JOB_TASK_H

#include "rm/core/core.h"

struct rm_app;
struct rm_app;
struct rm_container;
struct rm_core;
struct rm_node;

#define RM_COUNTER_BLOCK       256        /* tasks whose counters are allocated together */
#define RM_TASK_ATTEMPT_MAX    1000000000 /* the highest number of an attempt */
/* Numbers of a task's attempts that belong to one epoch; further ones take those of the next. */
#define RM_EPOCH_ATTEMPTS 1000
#define RM_BAD_NODES_MAX  1000 /* nodes that a task avoids: beyond, the oldest is dropped */

struct rm_task {
    struct rm_container *running;
    int64_t start_us, finish_us, out_version; /* out_version: of a map's output, 0: none */
    int64_t suspended_us;                     /* of the attempt that succeeded */
    int64_t container_num;                    /* latest attempt */
    char *diagnostics;
    uint32_t *bad; /* nodes on which it failed: bad[0] = count */
    uint32_t node; /* latest attempt's, RM_NONE: none yet */
    int32_t index, attempts, last_attempt, failures, exit_code;
    int32_t next_attempt;   /* attempts below are over; see rm_app.attempt_base */
    int32_t commit_attempt; /* which may commit, -1: none yet. Of a pending task: an attempt that an
                             * earlier RM gave and of which nothing is known yet; nobody else does
                             * the task meanwhile (rm_phase.kept) */
    int32_t fetch_reduce;   /* the reduce that could not fetch its output */
    uint8_t state, kind, fetch_failures;
    bool commit_stored; /* there is a record of it */
};

/* Pending tasks near one host (or in one rack), by index. */
struct rm_near {
    uint32_t key; /* host or rack, RM_NONE: empty place */
    uint32_t start, n, cursor;
};

struct rm_near_index {
    struct rm_near *v;
    uint32_t mask; /* places - 1; v == NULL: empty */
    int32_t *tasks;
    /* By key: its list may have a pending task. Most questions end here, in few lines of cache. */
    uint64_t *has;
    uint32_t keys; /* bits in it */
};

struct rm_phase {
    struct rm_task *tasks;
    int32_t total, pending, running, suspended, succeeded;
    int32_t kept;              /* pending ones that may not be started */
    int64_t progress, shuffle; /* sums over live attempts */
    bool open;                 /* may be launched (slowstart, set up) */
    bool located;              /* some task has location data */
    int32_t avoiding;          /* tasks that failed somewhere */
    int64_t **counters;        /* of succeeded tasks, in blocks of RM_COUNTER_BLOCK tasks */
    uint64_t *bits, *summary;  /* pending tasks */
    size_t words, summary_words, low;
    struct rm_near_index host, rack;
    struct rm_near nowhere; /* tasks without location data, in host.tasks */
    uint64_t rack_stamp;
};

int64_t rm_task_count(const struct rm_job_spec *s, enum base_task_kind k);
void rm_tasks_init(struct rm_core *c, struct rm_app *a);
void rm_tasks_drop_index(struct rm_core *c, struct rm_app *a); /* @c NULL: it goes */
/* Its index was dropped before, or the core goes. */
void rm_tasks_free(struct rm_app *a);
bool rm_tasks_in_memory(const struct rm_app *a); /* in memory */
struct rm_task *rm_task_find(struct rm_app *a, enum base_task_kind kind, int32_t index);
/* Where its latest attempt was. NULL: there was none, or the node has been forgotten since @a
 * ended. */
struct rm_node *rm_task_node(const struct rm_core *c, const struct rm_app *a,
                             const struct rm_task *t);
int64_t *rm_task_counters(struct rm_app *a, const struct rm_task *t, bool make);
void rm_task_set_state(struct rm_app *a, struct rm_task *t, enum rm_task_state s);
bool rm_task_avoids_node(const struct rm_task *t, uint32_t node);
void rm_task_avoid_node(struct rm_task *t, uint32_t node);

static inline bool rm_task_is_kept(const struct rm_task *t)
{
    return t->state == RM_TASK_PENDING && t->commit_attempt >= 0;
}

#endif
