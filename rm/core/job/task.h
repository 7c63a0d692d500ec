/* rm/core/job/task.h - the tasks of a job. */
#ifndef CREEL_RM_CORE_JOB_TASK_H
#define CREEL_RM_CORE_JOB_TASK_H

#include "rm/core/core.h"

struct rm_app;
struct rm_container;
struct rm_core;
struct rm_node;

#define RM_COUNTER_BLOCK    256        /* number of tasks whose counters are allocated together */
#define RM_TASK_ATTEMPT_MAX 1000000000 /* highest attempt number that is re-attached */
/* Attempt numbers of a task reserved for each epoch; further attempts use those of the next. */
#define RM_EPOCH_ATTEMPTS 1000
#define RM_BAD_NODES_MAX  1000 /* nodes that a task can avoid; beyond this the oldest is dropped */
/* Earlier attempts of a task that are remembered; beyond this the oldest is dropped. */
#define RM_PAST_ATTEMPTS_MAX 16

/* An attempt that has ended without success, or whose success was taken back. Kept for display
 * only. */
struct rm_past_attempt {
    int64_t start_us, finish_us, container_num;
    uint32_t node; /* index of the attempt's node, as rm_task.node */
    int32_t number, exit_code;
    bool killed; /* killed or lost; otherwise failed */
};

struct rm_task {
    struct rm_container *running; /* container of the running or suspended attempt; NULL: none */
    int64_t start_us, finish_us;  /* of the latest attempt; finish_us 0: not ended */
    int64_t out_version;          /* version of the output of a map; 0: no output */
    int64_t suspended_us;         /* how long the attempt that succeeded was suspended */
    int64_t container_num;        /* container number of the latest attempt */
    char *diagnostics;
    uint32_t *bad; /* nodes on which the task failed: bad[0] is their number, bad[1] the first */
    struct rm_past_attempt *past; /* @past_n of them, oldest first; none in simulations */
    uint32_t node;                /* node of the latest attempt; RM_NONE: none yet */
    int32_t index;
    int32_t attempts;     /* number of attempts so far */
    int32_t last_attempt; /* number of the latest attempt; -1: none */
    int32_t failures;     /* attempts that count towards max-attempts */
    int32_t exit_code;
    int32_t next_attempt; /* attempts with lower numbers have ended; see rm_app.attempt_base */
    /* The attempt that may commit; -1: none. While the task is pending, that is an attempt of an
     * earlier instance which may still be committing, and the task is withheld. */
    int32_t commit_attempt;
    int32_t fetch_reduce; /* reduce that last failed to fetch the output of this map */
    uint8_t state, kind, fetch_failures;
    uint8_t past_n;
    bool commit_stored; /* a commit record exists */
};

/* The tasks with data on one host or in one rack, in ascending order. */
struct rm_near {
    uint32_t key;      /* host or rack; RM_NONE: unused entry */
    uint32_t start, n; /* part of rm_near_index.tasks */
    uint32_t cursor;   /* position in that part; no task before it is pending */
};

struct rm_near_index {
    struct rm_near *v; /* hash table; NULL: no index */
    uint32_t mask;     /* number of its entries - 1 */
    int32_t *tasks;
    /* One bit per key: whether the key's list may have a pending task. Most lookups end at this
     * bit, and so touch only a few cache lines. */
    uint64_t *has;
    uint32_t keys; /* number of bits */
};

struct rm_phase {
    struct rm_task *tasks;
    int32_t total, pending, running, suspended, succeeded;
    int32_t kept;              /* pending tasks that are withheld (rm_task_is_withheld()) */
    int64_t progress, shuffle; /* sums over running attempts, in 1/RM_PROGRESS_ONE */
    bool open;                 /* tasks may be started: folder made, slowstart reached */
    bool located;              /* some task names hosts */
    int32_t avoiding;          /* not 0: some task avoids a node */
    int64_t **counters;        /* counters of succeeded tasks, in blocks of RM_COUNTER_BLOCK */
    uint64_t *bits, *summary;  /* set of pending tasks; one summary bit per word of it */
    size_t words, summary_words;
    size_t low; /* no summary word before it has a bit set */
    struct rm_near_index host, rack;
    struct rm_near nowhere; /* tasks without hosts, in host.tasks */
    uint64_t rack_stamp;    /* rm_core.rack_stamp when the index by rack was built */
};

/* Returns the number of tasks of kind @k that the job has. */
int64_t rm_job_spec_task_count(const struct rm_job_spec *s, enum base_task_kind k);
/* Creates all tasks of the job, pending and indexed. */
void rm_tasks_create(struct rm_core *c, struct rm_app *a);
/* Creates the maps of a job that had none, since its splits were not known. */
void rm_tasks_add_maps(struct rm_core *c, struct rm_app *a);
/* Frees the indexes of pending tasks. @c may be NULL when the core is being freed. */
void rm_tasks_free_index(struct rm_core *c, struct rm_app *a);
/* Frees the tasks. Their index must have been freed before, unless the core is being freed. */
void rm_tasks_free(struct rm_app *a);
/* Returns false for a plain application, and for a job whose tasks were freed after its end or not
 * read back. */
bool rm_tasks_are_in_memory(const struct rm_app *a);
/* Returns NULL when there is no such task, or the tasks are not in memory. */
struct rm_task *rm_task_find(struct rm_app *a, enum base_task_kind kind, int32_t index);
/* Returns the node of the latest attempt; NULL: no attempt, or forgotten since @a ended. */
struct rm_node *rm_task_latest_node(const struct rm_core *c, const struct rm_app *a,
                                    const struct rm_task *t);
/* The same for a node whose index a task or an attempt of @a has kept. */
struct rm_node *rm_task_node_unless_forgotten(const struct rm_core *c, const struct rm_app *a,
                                              uint32_t index);
/* Remembers an attempt that has ended. */
void rm_task_add_past_attempt(struct rm_task *t, const struct rm_past_attempt *past);
/* Returns the BASE_TASK_COUNTERS counters of @t. If there are none yet, creates them with value 0
 * if @make, else returns NULL. */
int64_t *rm_task_counters(struct rm_app *a, const struct rm_task *t, bool make);
/* Changes the state and the counts per state. The transition must be legal. */
void rm_task_set_state(struct rm_app *a, struct rm_task *t, enum rm_task_state s);
/* Returns true when @t has failed on the node with the index @node. */
bool rm_task_avoids_node(const struct rm_task *t, uint32_t node);
void rm_task_add_avoided_node(struct rm_task *t, uint32_t node);

/* Returns true when @t is pending and not offered, since an earlier attempt may be committing. */
static inline bool rm_task_is_withheld(const struct rm_task *t)
{
    return t->state == RM_TASK_PENDING && t->commit_attempt >= 0;
}

#endif
