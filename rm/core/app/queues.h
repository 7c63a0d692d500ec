/* rm/core/app/queues.h - placement in queues, and the counts per queue. */
#ifndef CREEL_RM_CORE_APP_QUEUES_H
#define CREEL_RM_CORE_APP_QUEUES_H

#include "rm/core/core.h"

struct rm_app;
struct rm_core;

/* Message about a submission to a stopped queue; its argument is the queue's path. SOURCE: Hadoop's
 * LeafQueue. */
#define RM_QUEUE_STOPPED_TEXT "Queue %s is STOPPED. Cannot accept submission of application"

struct rm_queue { /* counts of the queue with the same index in rm_core.tree */
    int64_t pending_apps, active_apps;
    int64_t live_apps; /* not ended, whether or not their submission is stored yet */
    struct rm_res used;
    int64_t containers;
    int64_t pending[BASE_TASK_KINDS]; /* slots that are wanted */
    int64_t pending_containers;
    struct rm_totals totals; /* rm/core/app/totals.h */
};

/* Adds the counts of queues that were added to the tree; if there are any, informs the policy. */
void rm_queues_add_counts_and_tell_policy(struct rm_core *c);
/* Finds the queue of a submission by the placement rules, which may create it, and sets *@index.
 * Returns 0, or a negative BASE_E* with @err set (may be NULL) and *@index RM_NONE when no rule
 * accepts the submission or the queue found is stopped. */
int rm_queue_place_submission(struct rm_core *c, const char *queue, const char *user,
                              const struct rm_str_list *groups, uint32_t *index,
                              struct base_error *err);
/* Replaces the tree by @queues, which it empties, removes the queues that are left without use, and
 * tells the policy. */
void rm_queues_replace(struct rm_core *c, struct policy_queues *queues);
/* Removes from the tree the queues that are not configured, were not created by a placement rule,
 * and have no live application and no container in them or below them. The remaining queues get new
 * indexes, everywhere in the core; a removed queue's totals are added to the queue above it. The
 * caller has to tell the policy. Call it rarely: until then, a queue whose last application has
 * ended is merely hidden from readers, so that the end of an application costs the same in every
 * queue. (rm/core/app/queue_removal.c) */
void rm_queues_remove_unused(struct rm_core *c);
/* Calls rm_queues_remove_unused(), and tells the policy. */
void rm_queues_remove_unused_and_tell_policy(struct rm_core *c);
/* Returns the number of unfinished applications in each queue and those below it, by index. Caller
 * frees. */
int64_t *rm_queues_count_apps(const struct rm_core *c);
/* Returns the state of @q with @apps applications in it and below it: "RUNNING", "STOPPED", or
 * while a stopped queue still has applications, "DRAINING". */
const char *rm_queue_state_name(const struct policy_queue *q, int64_t apps);
/* Returns true when it depends on the groups of @user whether that user may submit to @queue (as
 * asked for; NULL: none). */
bool rm_queue_submission_needs_groups(const struct rm_core *c, const char *queue, const char *user);
/* Returns true when ACLs are checked and @user may not submit to the queue that the placement rules
 * choose: the request @token has then been answered (-BASE_EPERM, in YARN's words). Creates no
 * queue. @id: of the application; NULL: it has none yet. */
bool rm_queue_refuse_forbidden_submission(struct rm_core *c, uint64_t token, const char *queue,
                                          const char *user, const struct rm_str_list *groups,
                                          const struct base_app_id *id);
/* Handles RM_EV_SET_QUEUES. */
void rm_queues_on_set(struct rm_core *c, const struct rm_event *ev);
/* Moves @a, with its counts, to the queue @index, and sets the queue's name that clients see.
 * RM_NONE: to no queue; @a will not run. */
void rm_app_enter_queue(struct rm_core *c, struct rm_app *a, uint32_t index);

#endif
