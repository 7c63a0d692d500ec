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

enum rm_app_end {
        RM_END_NONE,
        RM_END_SUCCEED,
        RM_END_FAIL,
        RM_END_KILL
    };
struct rm_app {
    struct policy_job pj; /* what policies see */
    struct delay_job delay;
    int64_t colo_since_us; /* declines slots away from its maps since then, 0: it does not */
    /* Admitted with a deadline: by when it will have finished; 0: nothing was promised. */
    int64_t promised_us;
    int64_t earliest_us; /* refused: the date offered instead, 0: none */
    struct base_app_id id;
    int refs; /* the table's, and one per launch order that is kept */
    const struct rm_app_kind *kind;
    bool is_job, in_policy, held, set_up, committing, setup_asked, activated;
    bool aborting, aborted; /* its output is being cleared away; has been */
    bool end_told;          /* RM_FX_APP_ENDED: by an earlier instance */
    /* Failed, since a record of it did not read back; its own one is to be written. */
    bool damaged;
    bool pruned;        /* ended: its tasks have no records any more, or will have none soon */
    bool unrecorded;    /* none is left */
    bool light;         /* its tasks are to go from memory too, when they have no records */
    int64_t kept_bytes; /* ended: about what it takes */
    bool summed;        /* its record has sums of its tasks */
    struct rm_app *prune_next;
    int64_t prune_at; /* tasks of which the records are gone */
    int64_t epoch;    /* of its submission */
    /* No attempt is given a lower number by this instance. */
    int32_t attempt_base;
    enum rm_app_state state, state_before, target; /* target: where FINAL_SAVING leads */
    enum rm_final_status final_status;
    enum rm_app_end ending;
    char token[65];
    char *diagnostics;
    const char *user, *name, *queue, *type; /* borrowed from the spec */
    struct rm_job_spec *job;
    struct rm_app_spec *app;
    uint32_t queue_index;
    /* A rule or a move has put it in another queue than the one it names: @queue; NULL. */
    char *placed;
    int64_t submit_us, launch_us, start_us, finish_us;
    uint64_t saved_seq; /* newest record of it */
    struct rm_container *containers;
    int64_t containers_n;
    struct rm_res allocated;
    /* MiB and vcores times milliseconds, of ended containers; at most INT64_MAX. */
    int64_t memory_ms, vcore_ms;
    /* Bit set: had containers there. It holds these nodes until it has ended. */
    uint64_t *nodes;
    size_t nodes_words;
    /* Has let them go: its tasks' nodes were made (rm_node.born) up to there; 0: holds them. */
    uint64_t nodes_left;
    struct rm_app *finished_prev, *finished_next; /* ended ones, oldest first */
    struct rm_app *wait_next;                     /* masters waiting to be activated */
    bool waits;                                   /* it is one of them */
    /* jobs */
    struct rm_phase phase[BASE_TASK_KINDS];
    int64_t counters[RM_C_COUNTERS];
    /* Maps whose output was there, in order of its version; out_counter of them. */
    int32_t *out_log;
    size_t out_log_cap;
    int64_t out_counter, next_num;
    /* plain applications */
    struct rm_attempt *attempts;
    int32_t attempts_n, attempts_cap, failed_attempts;
    double progress;
    struct rm_ask_group **asks;
    size_t asks_n, asks_cap, ask_rows, launch_bytes; /* launch_bytes: of launch contexts of asks */
    int64_t asked[BASE_TASK_KINDS];                  /* wanted over all groups */
    /* Allocated and completed ones the master has not heard of. */
    struct rm_container **news;
    size_t news_n, news_cap;
    struct rm_timer timer; /* master's expiry */
};

struct rm_app *rm_app_find(const struct rm_core *c, struct base_app_id id);
/* Gives a submission without an id the next one. False: it is refused, the error is answered. */
bool rm_app_assign_id(struct rm_core *c, uint64_t token, struct base_app_id *id);
/* Takes @job or @spec, of which one is NULL. */
struct rm_app *rm_app_new(struct rm_core *c, const struct rm_app_kind *kind, struct base_app_id id,
                          struct rm_job_spec *job, struct rm_app_spec *spec, const char *token);
void rm_app_free(struct rm_app *a);
/* Out of the tables; they held a reference. */
void rm_app_unlist(struct rm_core *c, struct rm_app *a);
void rm_app_unref(struct rm_app *a);
void rm_app_set_state(struct rm_core *c, struct rm_app *a, enum rm_app_state s);
void rm_app_save(struct rm_core *c, struct rm_app *a);
void rm_app_enter_policy(struct rm_core *c, struct rm_app *a);
void rm_app_leave_policy(struct rm_core *c, struct rm_app *a);
/* Tells the policy the counts of one kind. */
void rm_app_update_demand(struct rm_core *c, struct rm_app *a, enum base_task_kind k);
/* It did not; also of one read from the store. */
bool rm_app_was_refused(const struct rm_app *a);
enum rm_result rm_app_result(const struct rm_app *a); /* as far as it is stored */
void rm_app_begin_final_save(struct rm_core *c, struct rm_app *a, enum rm_app_state target,
                             enum rm_final_status status, const char *diagnostics);
void rm_app_on_submission_stored(struct rm_core *c, struct rm_app *a);
/* After a restart: those that were not accepted yet. One with a deadline waits until it is known
 * which slots there are.
 */
void rm_apps_accept_recovered(struct rm_core *c);
void rm_app_on_final_stored(struct rm_core *c, struct rm_app *a);

/* Its end is decided; it may be stored so for good. */
static inline bool rm_app_is_over(const struct rm_app *a)
{
    return rm_app_ended(a->state) || a->state == RM_APP_FINAL_SAVING;
}

static inline bool rm_app_is_live(const struct rm_app *a) /* its work may still be done */
{
    return (a->state == RM_APP_ACCEPTED || a->state == RM_APP_RUNNING) && a->ending == RM_END_NONE;
}

/* The newest attempt of a plain application; NULL: it has none yet. */
static inline struct rm_attempt *rm_am_current_attempt(const struct rm_app *a)
{
    return a->attempts_n ? &a->attempts[a->attempts_n - 1] : NULL;
}

#endif
