/* rm/core/app/app.h - an application of either kind. */
#ifndef CREEL_RM_CORE_APP_APP_H
#define CREEL_RM_CORE_APP_APP_H

#include "policies/common/delay.h"
#include "policies/policy.h"
#include "rm/core/core.h"
#include "rm/core/job/task.h"
#include "rm/core/master/attempt.h"
#include "rm/core/states.h"
#include "rm/core/step_memory.h"

struct rm_app_kind;
struct rm_ask_group;
struct rm_container;
struct rm_core;

/* Begins the diagnostics of jobs that were not admitted, in the store too. */
#define RM_REFUSED "deadline: refused by "

enum rm_app_end { RM_END_NONE, RM_END_SUCCEED, RM_END_FAIL, RM_END_KILL };

struct rm_app {
    struct policy_job pj; /* what policies see */
    struct delay_job delay;
    int64_t colo_since_us; /* declines slots away from its maps since then; 0: does not */
    /* The promised finish of a job admitted with a deadline; 0: no promise. */
    int64_t promised_us;
    int64_t earliest_us; /* of a refused job: the date offered instead; 0: none */
    struct base_app_id id;
    int refs; /* references: the table's, one per queued launch order, one per deferred work */
    const struct rm_app_kind *kind;
    bool is_job, in_policy, held, set_up, committing, setup_asked, activated;
    bool aborting, aborted; /* its output folder is being, has been cleared away */
    bool end_told;          /* an earlier instance has sent RM_FX_APP_ENDED */
    /* Failed because one of its records is damaged; its own record is still to be written. */
    bool damaged;
    bool pruned;        /* ended: the records of its tasks are removed, or will be soon */
    bool unrecorded;    /* no record of a task is left */
    bool light;         /* its tasks leave memory too, once they have no records */
    int64_t kept_bytes; /* ended: its size in bytes, roughly */
    bool summed;        /* its record has the sums of its tasks */
    struct rm_app *prune_next;
    int64_t prune_at; /* number of tasks whose records are removed */
    int64_t epoch;    /* epoch of the submission */
    /* This instance starts no attempt with a lower number. */
    int32_t attempt_base;
    enum rm_app_state state, state_before, target; /* target: where FINAL_SAVING leads */
    enum rm_final_status final_status;
    enum rm_app_end ending;
    char token[65];
    char *diagnostics;
    /* Borrowed from the spec; @queue_asked and @json are as submitted, @json is never NULL. */
    const char *user, *name, *queue, *type, *queue_asked, *json;
    struct rm_job_spec *job;
    struct rm_app_spec *app;
    uint32_t queue_index;
    /* Name of the queue if a rule or a move chose another one than the submission; owned. NULL:
     * none. */
    char *placed;
    int64_t submit_us, launch_us, start_us, finish_us;
    uint64_t saved_seq; /* number of its newest record */
    struct rm_container *containers;
    int64_t containers_n;
    struct rm_res allocated;
    /* MiB and vcores times milliseconds held by ended containers; saturates. */
    int64_t memory_ms, vcore_ms;
    /* Bit set of nodes that had containers; references them until it has ended. */
    uint64_t *nodes;
    size_t nodes_words;
    /* 0 while it references its nodes. Later the highest rm_node.born at that moment: a node
     * born after it only reuses an index that one of its tasks still names. */
    uint64_t nodes_left;
    struct rm_app *finished_prev, *finished_next; /* ended applications, oldest first */
    /* Applications whose master waits to be activated. */
    struct rm_app *wait_next;
    bool waits; /* it is in that list */
    /* Jobs: */
    struct rm_phase phase[BASE_TASK_KINDS];
    int64_t counters[RM_C_COUNTERS];
    /* Indexes of maps in the order of their outputs' versions; out_counter of them. */
    int32_t *out_log;
    size_t out_log_cap;
    int64_t out_counter, next_num;
    /* Plain applications: */
    struct rm_attempt *attempts;
    int32_t attempts_n, attempts_cap, failed_attempts;
    double progress;
    struct rm_ask_group **asks;
    /* Launch_bytes: size of the asks' launch contexts. */
    size_t asks_n, asks_cap, ask_rows, launch_bytes;
    int64_t asked[BASE_TASK_KINDS]; /* sum of the containers wanted */
    /* Containers whose allocation or end the master has not been told yet. */
    struct rm_container **news;
    size_t news_n, news_cap;
    struct rm_timer timer; /* expiry of the master */
};

struct rm_app *rm_app_find(const struct rm_core *c, struct base_app_id id);
/* Gives a submission without an id the next one, and checks a given id. False: refused and
 * answered. */
bool rm_app_assign_id(struct rm_core *c, uint64_t token, struct base_app_id *id);
/* Takes @job or @spec; the other is NULL. */
struct rm_app *rm_app_new(struct rm_core *c, const struct rm_app_kind *kind, struct base_app_id id,
                          struct rm_job_spec *job, struct rm_app_spec *spec, const char *token);
/* What is left to the deadline as seen from @a's submission: a span stays what it is, a date gets
 * nearer the later @a was submitted. Clamped to 1 us when it had passed by then. */
void rm_app_set_deadline(struct rm_app *a);
void rm_app_free(struct rm_app *a);
/* Removes it from the tables. Their reference is the caller's to release. */
void rm_app_remove_from_tables(struct rm_core *c, struct rm_app *a);
void rm_app_unref(struct rm_app *a);
void rm_app_set_state(struct rm_core *c, struct rm_app *a, enum rm_app_state s);
void rm_app_store_record(struct rm_core *c, struct rm_app *a);
void rm_app_enter_policy(struct rm_core *c, struct rm_app *a);
void rm_app_leave_policy(struct rm_core *c, struct rm_app *a);
/* Recomputes the demand of one kind and tells the policy. */
void rm_app_update_demand(struct rm_core *c, struct rm_app *a, enum base_task_kind k);
/* The policy refused its deadline; true also for one read from the store. */
bool rm_app_was_refused(const struct rm_app *a);
enum rm_result rm_app_result(const struct rm_app *a); /* once the end is durable */
void rm_app_begin_final_save(struct rm_core *c, struct rm_app *a, enum rm_app_state target,
                             enum rm_final_status status, const char *diagnostics);
void rm_app_accept_stored_submission(struct rm_core *c, struct rm_app *a);
/* After a restart: accepts applications read in state NEW_SAVING. A job with a deadline may have
 * to wait until the cluster's slots are known. */
void rm_apps_accept_recovered(struct rm_core *c);
void rm_app_enter_final_state(struct rm_core *c, struct rm_app *a);

/* Its end is decided, and may already be durable. */
static inline bool rm_app_end_is_decided(const struct rm_app *a)
{
    return rm_app_state_is_final(a->state) || a->state == RM_APP_FINAL_SAVING;
}

static inline bool rm_app_is_live(const struct rm_app *a) /* its work may still be done */
{
    return (a->state == RM_APP_ACCEPTED || a->state == RM_APP_RUNNING) && a->ending == RM_END_NONE;
}

/* The newest attempt; NULL: none yet, or a job. */
static inline struct rm_attempt *rm_app_newest_attempt(const struct rm_app *a)
{
    return a->attempts_n ? &a->attempts[a->attempts_n - 1] : NULL;
}

#endif
