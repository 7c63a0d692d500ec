/* rm/core/app/app.h - an application: a job, or a plain application with a master. */
#ifndef CREEL_RM_CORE_APP_APP_H
#define CREEL_RM_CORE_APP_APP_H

#include "policies/common/delay.h"
#include "policies/policy.h"
#include "rm/core/core.h"
#include "rm/core/job/step/step.h"
#include "rm/core/job/task.h"
#include "rm/core/master/attempt.h"
#include "rm/core/master/mapreduce.h"
#include "rm/core/master/waiting.h"
#include "rm/core/node/reserved.h"
#include "rm/core/states.h"
#include "rm/core/step_memory.h"

struct rm_app_kind;
struct rm_ask_group;
struct rm_container;
struct rm_core;

/* Beginning of the diagnostics of a job that the policy did not admit. Such jobs are recognised by
 * it, also after a restart, since it is stored. */
#define RM_REFUSED "deadline: refused by "

enum rm_app_end { RM_END_NONE, RM_END_SUCCEED, RM_END_FAIL, RM_END_KILL };

struct rm_app {
    struct policy_job pj;   /* what policies see; must be the first member */
    struct delay_job delay; /* state of delay scheduling */
    /* Time since which the job's reduces have been declining slots on nodes that had none of the
     * job's containers; 0: they do not decline. */
    int64_t colo_since_us;
    /* Promised finish of a job admitted with a deadline; 0: no promise. */
    int64_t promised_us;
    int64_t earliest_us; /* the deadline offered to a refused job instead; 0: none */
    struct base_app_id id;
    /* References: one from the tables, and one for each launch order that is queued or kept after
     * sending, each piece of deferred work on the application, and pruning. */
    int refs;
    const struct rm_app_kind *kind;
    bool is_job;
    bool in_policy;      /* the policy knows the application */
    bool held;           /* after a takeover: waits for awaited nodes, or the grace period */
    bool setup_asked;    /* the shell was asked to make its output folder */
    bool set_up;         /* its output folder was made, or none is needed; its maps are known */
    bool undecided;      /* it is set up, and the policy has yet to decide whether to admit it */
    bool committing;     /* its output is being committed */
    bool commit_begun;   /* an attempt to commit was allowed to move parts */
    bool commit_unknown; /* the commit has failed, but an attempt of it may have succeeded */
    bool activated;      /* its master is counted in masters_active */
    /* The end of the job waits for the removal of its unfinished output; does not wait for it any
     * more; the job ends, or has ended, and that output is still to be removed. */
    bool aborting, aborted, abort_owed;
    int32_t abort_rounds; /* how many times that has failed since, in all attempts */
    bool end_told;        /* an earlier instance has sent RM_FX_APP_ENDED */
    /* Failed because of a damaged record; the record of this end is written when recovery
     * finishes. */
    bool damaged;
    bool pruned;     /* the job has ended; the records of its tasks have been or will be removed */
    bool unrecorded; /* no record of a task is left */
    bool light;      /* its tasks are freed as soon as they have no records */
    int64_t kept_bytes; /* estimated size in bytes after its end */
    bool summed;        /* its record has the sums of its tasks */
    struct rm_app *prune_next;
    int64_t prune_at; /* number of tasks whose records have been removed */
    int64_t epoch;    /* epoch of the submission */
    /* This instance starts no task attempt with a lower number. */
    int32_t attempt_base;
    /* state_before: the state before KILLING or FINAL_SAVING; target: the state after
     * FINAL_SAVING. */
    enum rm_app_state state, state_before, target;
    enum rm_final_status final_status;
    enum rm_app_end ending; /* how the application will end, once that is decided */
    char token[65];         /* access token */
    char *diagnostics;
    /* Borrowed from the spec, or static; @queue may point to @placed. queue_asked and json are as
     * submitted; @json is never NULL. */
    const char *user, *name, *queue, *type, *queue_asked, *json;
    struct rm_job_spec *job; /* NULL for a plain application */
    struct rm_app_spec *app; /* NULL for a job */
    /* Numbers of labels (rm/core/admin/labels.h), 0: none. */
    uint32_t label, am_label;
    bool names_labels; /* it has named a label: its demand is counted by label too */
    struct rm_label_demand *label_demand; /* sorted by label */
    size_t label_demand_n, label_demand_cap;
    int64_t asked_labelled[BASE_TASK_KINDS]; /* sum of label_demand[].wanted */
    uint32_t queue_index;                    /* RM_NONE: in no queue */
    struct rm_member *member;                /* its user in its queue; NULL: not counted */
    bool was_placed;                         /* this core has given it a container */
    /* Name of the queue, owned, if the submission names another one; else NULL. */
    char *placed;
    int64_t submit_us, launch_us, start_us, finish_us;
    int32_t priority;      /* as shown: -1: none was given */
    bool priority_changed; /* since the submission */
    /* Wall clock time at which the application is killed; 0: never. */
    int64_t lifetime_end_us;
    struct rm_timer lifetime_timer;
    uint64_t saved_seq;              /* number of its newest record */
    struct rm_container *containers; /* live containers */
    int64_t containers_n;
    struct rm_wide wide[BASE_TASK_KINDS];
    struct rm_res allocated;
    /* MiB and vcores, times the milliseconds for which ended containers held them; saturates. */
    int64_t memory_ms, vcore_ms;
    struct rm_app_logs logs;
    struct rm_preempted preempted; /* of its ended containers, those that the policy took back */
    /* Bit set of the nodes that had its containers, each node referenced until the application has
     * ended. */
    uint64_t *nodes;
    size_t nodes_words;
    /* 0 while the application references its nodes; then the highest rm_node.born when it dropped
     * these references. A node with a higher number was created later, and may have been given the
     * index of a forgotten node that a task still names. */
    uint64_t nodes_left;
    struct rm_app *finished_prev, *finished_next; /* ended applications, oldest first */
    struct rm_app *live_prev, *live_next;         /* applications not retired, newest first */
    bool is_listed_live;                          /* in the list rm_core.live */
    /* While the master waits for its turn (rm/core/master/waiting.h): for what, the master's
     * priority and number in the order, and its place in the heap, or in the list of those that the
     * policy holds back. */
    bool waits;
    enum rm_waits_for waits_for;
    int32_t wait_priority;
    uint64_t wait_number;
    size_t wait_at;
    /* Jobs: */
    struct rm_step step;
    struct rm_phase phase[BASE_TASK_KINDS];
    int64_t counters[RM_C_COUNTERS];
    /* Indexes of maps in the order in which their outputs were published, @out_counter of them. */
    int32_t *out_log;
    size_t out_log_cap;
    int64_t out_counter;
    int64_t next_num; /* number of the next container */
    /* Plain applications: */
    struct rm_attempt *attempts;
    int32_t attempts_n, attempts_cap, failed_attempts;
    double progress;
    struct rm_ask_group **asks; /* sorted, see rm/core/master/ask.c */
    /* ask_rows: rows in all groups; launch_bytes: size of the launch contexts of the asks. */
    size_t asks_n, asks_cap, ask_rows, launch_bytes;
    int64_t asked[BASE_TASK_KINDS];       /* containers that the asks still want */
    int64_t asked_slots[BASE_TASK_KINDS]; /* and their slots */
    int32_t master_slots;                 /* slots that its master takes */
    struct rm_mapreduce mapreduce;
    /* Containers whose allocation or end is still to be announced to the master, or whose announced
     * end it has not acknowledged. */
    struct rm_container **news;
    size_t news_n, news_cap;
    struct rm_timer timer; /* expiry of the master */
};

/* Returns NULL when there is no such application. */
struct rm_app *rm_app_find(const struct rm_core *c, struct base_app_id id);
/* Assigns the next id to a submission without one (id->seq 0), or checks the given id. Returns
 * false when no id is left or the given one is refused; the request @token has then been
 * answered. */
bool rm_app_assign_or_check_id(struct rm_core *c, uint64_t token, struct base_app_id *id);
/* Copies the sizes of the tasks of @a, as far as its submission and its splits tell them, to where
 * policies read them. */
void rm_app_set_policy_sizes(struct rm_app *a);
/* Replaces the specification of the job @a by @spec, which differs from it only in its splits.
 * Takes @spec. */
void rm_app_replace_job_spec(struct rm_app *a, struct rm_job_spec *spec);
/* Creates an application in state NEW and adds it to the tables. Takes @job or @spec; the other is
 * NULL. @token: access token, or NULL. */
struct rm_app *rm_app_new(struct rm_core *c, const struct rm_app_kind *kind, struct base_app_id id,
                          struct rm_job_spec *job, struct rm_app_spec *spec, const char *token);
/* Returns @priority, cut to the highest one that is configured. */
int32_t rm_app_cap_priority(const struct rm_core *c, int32_t priority);
/* Returns how many attempts the master of plain application @a may have. */
int32_t rm_app_master_attempts_limit(const struct rm_core *c, const struct rm_app *a);
/* Sets the deadline that policies see, relative to the submission, from the specification. A
 * deadline that had already passed at the submission becomes 1 us, since 0 means none. */
void rm_app_set_deadline_from_spec(struct rm_app *a);
void rm_app_free(struct rm_app *a);
/* Removes @a from the tables. The caller must drop the reference that they had. */
void rm_app_remove_from_tables(struct rm_core *c, struct rm_app *a);
void rm_app_unref(struct rm_app *a);
/* Removes @a from the list of live applications, if @a is in it. */
void rm_app_leave_live_list(struct rm_core *c, struct rm_app *a);
/* Changes the state of @a, and the counts of its queue. The transition must be legal. */
void rm_app_set_state(struct rm_core *c, struct rm_app *a, enum rm_app_state s);
/* Stores the application's record; saved_seq becomes the number of that record. */
void rm_app_store_record(struct rm_core *c, struct rm_app *a);
/* Report to the policy that the application has arrived, or has left. */
void rm_app_enter_policy(struct rm_core *c, struct rm_app *a);
void rm_app_leave_policy(struct rm_core *c, struct rm_app *a);
/* If the policy knows @a, recomputes the demand of kind @k and reports it to the policy. */
void rm_app_update_demand(struct rm_core *c, struct rm_app *a, enum base_task_kind k);
/* Returns true when the policy refused the deadline of this job, now or before a restart. */
bool rm_app_admission_was_refused(const struct rm_app *a);
/* Returns true when this job failed because the policy refused its deadline. */
bool rm_app_was_refused(const struct rm_app *a);
/* Returns how @a ended; RM_RESULT_NONE until the end is durable. */
enum rm_result rm_app_result(const struct rm_app *a);
/* Takes @a out of the policy, and stores its end; when that is durable, the state becomes @target.
 * Does nothing in FINAL_SAVING. @diagnostics NULL: keeps the present ones. */
void rm_app_begin_final_save(struct rm_core *c, struct rm_app *a, enum rm_app_state target,
                             enum rm_final_status status, const char *diagnostics);
/* The record of the submission is durable: lets the kind accept the application, unless it was
 * killed in the meantime. */
void rm_app_accept_stored_submission(struct rm_core *c, struct rm_app *a);
/* After a restart: accepts the applications that were read in state NEW_SAVING, except held jobs
 * with a deadline, which wait until the cluster's slots are known. */
void rm_apps_accept_recovered_unless_held(struct rm_core *c);
/* The record of the end is durable: changes from FINAL_SAVING to the target state, and calls the
 * kind's final_stored. Does nothing in other states. */
void rm_app_enter_final_state(struct rm_core *c, struct rm_app *a);

/* Returns true in FINAL_SAVING and in the final states, but not in FINISHING. */
static inline bool rm_app_end_is_decided(const struct rm_app *a)
{
    return rm_app_state_is_final(a->state) || a->state == RM_APP_FINAL_SAVING;
}

/* Returns true while @a is accepted or running, and is not going to end. */
static inline bool rm_app_is_live(const struct rm_app *a)
{
    return (a->state == RM_APP_ACCEPTED || a->state == RM_APP_RUNNING) && a->ending == RM_END_NONE;
}

/* Returns true for a job with an output folder whose setup, on a node, is still to come. */
static inline bool rm_app_needs_setup(const struct rm_app *a, const struct rm_core_conf *conf)
{
    return conf->steps_on_nodes && a->job && a->job->output && !a->set_up;
}

/* Returns the newest attempt; NULL for a job, or before the first attempt. */
static inline struct rm_attempt *rm_app_newest_attempt(const struct rm_app *a)
{
    return a->attempts_n ? &a->attempts[a->attempts_n - 1] : NULL;
}

#endif
