/* rm/core/view/view.h - plain copies of the core's objects for readers, made while the core is held
 * and encoded after it is released. Texts belong to the set of views (rm_views_free()). Enums are
 * the core's own; times are in microseconds. */
#ifndef CREEL_RM_CORE_VIEW_VIEW_H
#define CREEL_RM_CORE_VIEW_VIEW_H

#include "rm/core/core.h"

struct rm_arena; /* memory of one set of views */

/* Tasks of one kind of a job, or containers of one kind of an application. */
struct rm_phase_view {
    int64_t total, pending, running, suspended, succeeded, failed_attempts, killed_attempts;
    /* Of a job: how long its succeeded tasks have worked, in all. A reduce works from the end of
     * the last map on. 0 for a job that had ended before this instance started. */
    int64_t work_us;
    double progress; /* 0..1 */
};
/* Members of an application's view, each copied from one member of the core's application @a: type,
 * name and source. A new member of this sort needs only a line here. */
#define RM_APP_FIGURES(X)                                                                          \
    X(enum rm_app_state, state, a->state) /* the internal state */                                 \
    /* the state before FINAL_SAVING or KILLING */                                                 \
    X(enum rm_app_state, state_before, a->state_before)                                            \
    X(enum rm_final_status, final_status, a->final_status)                                         \
    X(int32_t, priority, a->priority)                                                              \
    X(int64_t, lifetime_end_us, a->lifetime_end_us) /* when it is killed; 0: never */              \
    X(int64_t, submit_us, a->submit_us)                                                            \
    X(int64_t, launch_us, a->launch_us) /* 0: not yet */                                           \
    /* start of a job's first task, or registration of a master; 0: not yet */                     \
    X(int64_t, start_us, a->start_us)                                                              \
    /* finish promised to a job at admission; 0: nothing was promised */                           \
    X(int64_t, promised_us, a->promised_us)                                                        \
    /* deadline offered to a refused job instead; 0: none */                                       \
    X(int64_t, earliest_us, a->earliest_us)                                                        \
    X(struct rm_app_logs, logs, a->logs)                                                           \
    X(struct rm_preempted, preempted, a->preempted)                                                \
    X(int32_t, master_slots, a->master_slots) /* map slots of its master; 0 for a job */           \
    X(int64_t, running_containers, a->containers_n)                                                \
    X(bool, master_waits, a->waits) /* until fewer masters run */

/* Declares a line of RM_APP_FIGURES or RM_CLUSTER_FIGURES as a member of its view. */
#define RM_FIGURE_MEMBER(type, name, from) type name;

struct rm_app_view {
    RM_APP_FIGURES(RM_FIGURE_MEMBER)
    struct base_app_id id;
    bool is_job, unmanaged;
    const char *user, *name, *queue, *type, *tags; /* tags: joined by commas */
    enum rm_result result;
    double progress;                                  /* 0..1 */
    const char *diagnostics;                          /* never NULL */
    const char *tracking_url, *original_tracking_url; /* NULL when none */
    int32_t attempts_n;
    int64_t finish_us; /* 0: not yet */
    struct rm_res allocated, reserved, pending;
    struct rm_res am_used; /* by the container of its master */
    /* The scheduler has an attempt of the application; otherwise YARN shows -1 for its usage. */
    bool held;
    bool has_attempt;
    enum rm_attempt_state attempt_state; /* of a master's newest attempt, if has_attempt */
    int64_t memory_seconds, vcore_seconds;
    /* the master of the newest attempt */
    struct base_container_id master_container;
    bool has_master;
    const char *master_node_id, *master_node_http, *master_host;
    int32_t master_rpc_port;
    /* jobs */
    struct rm_phase_view phase[BASE_TASK_KINDS];
    double shuffle_progress;
    int64_t counters[RM_C_COUNTERS];
    /* The job's tasks were freed after its end, or not read back after a restart; the sums above
     * remain. */
    bool tasks_gone;
    int64_t deadline_us;     /* wall clock; 0: none */
    struct rm_job_spec *job; /* a reference, dropped by rm_views_free */
    struct rm_app_spec *app; /* likewise; NULL for a job, as @job is for a plain application */
};
struct rm_attempt_view {
    struct base_attempt_id id;
    enum rm_attempt_state state, state_before;
    int64_t start_us, finish_us;
    struct base_container_id container;
    bool has_container;
    const char *node_id, *node_http, *host, *tracking_url, *original_tracking_url, *diagnostics,
        *user;
    int32_t rpc_port;
};
struct rm_container_view {
    struct base_container_id id;
    enum rm_container_state state;
    enum base_task_kind slot;
    struct rm_res resource;
    const char *node_id, *node_http, *user, *diagnostics;
    int32_t priority, exit_code;
    int64_t start_us, finish_us;
    float progress;
    bool has_task, master, on_master_slots;
    struct base_task_id task;
    int32_t task_attempt;
};
struct rm_node_view {
    /* @rack: NULL for an excluded host that never had a node */
    const char *id, *host, *http_address, *rack, *version, *health_report;
    const char *label; /* "": none */
    enum rm_node_state state;
    bool draining;        /* drained by an operator */
    bool decommissioning; /* decommissioned gracefully, until decommission_at_us (0: no limit) */
    int64_t decommission_at_us;
    int64_t last_heartbeat_us;
    int32_t containers, slots[BASE_TASK_KINDS], used_slots[BASE_TASK_KINDS];
    int32_t master_slots, used_master_slots; /* for masters alone */
    struct rm_res total, used;
    struct base_utilization utilization; /* as last reported; zeros: not reported yet */
};
struct rm_task_view {
    struct base_task_id id;
    enum rm_task_state state;
    double progress;
    int32_t attempts;                   /* number of attempts so far */
    struct base_container_id container; /* of the latest attempt, if has_container */
    bool has_container;
    const char *node_id, *node_http, *diagnostics;
    int64_t start_us, finish_us;
    int64_t suspended_us; /* how long the attempt that succeeded was suspended */
    int32_t exit_code;
    int32_t last_attempt;   /* number of the latest attempt; -1: none */
    int32_t coming_attempt; /* number of the attempt that a pending task waits for; -1: none */
    const char *rack;       /* of the latest attempt; NULL when @node_id is */
    int64_t first_start_us; /* start of the earliest attempt that is remembered */
    /* Filled by rm_view_task() alone: the counters of a task that has succeeded
     * (BASE_TASK_COUNTERS; NULL: none), and attempts that have ended without success, oldest first.
     */
    const int64_t *counters;
    const struct rm_past_attempt_view *past;
    int32_t past_n;
};
struct rm_past_attempt_view {
    int32_t number, exit_code;
    bool killed; /* killed or lost; otherwise failed */
    struct base_container_id container;
    const char *node_id, *node_http, *rack; /* NULL: the node was forgotten */
    int64_t start_us, finish_us;
};
/* Members of the cluster's view, each set from one expression on the core @c: type, name and
 * source. A new member of this sort needs only a line here. */
#define RM_CLUSTER_FIGURES(X)                                                                      \
    X(int64_t, cluster_ts_ms, c->conf.cluster_ts_ms)                                               \
    X(int64_t, rm_instance_ms, c->conf.rm_instance_ms)                                             \
    X(int64_t, epoch, c->conf.epoch)                                                               \
    X(const char *, policy, c->ops->name)                                                          \
    X(int64_t, apps_submitted, c->stats.submitted)                                                 \
    X(int64_t, apps_completed, c->stats.completed)                                                 \
    X(int64_t, apps_failed, c->stats.failed)                                                       \
    X(int64_t, apps_killed, c->stats.killed)                                                       \
    X(int64_t, assigned_per_second, rm_health_assigned_last_second(c))                             \
    X(int64_t, assignments, c->stats.assignments)                                                  \
    X(int64_t, heartbeats, c->stats.heartbeats)                                                    \
    X(int64_t, events, c->stats.events)                                                            \
    X(int64_t, policy_overruled, c->stats.overruled)                                               \
    X(int64_t, policy_fallbacks, c->stats.fallbacks)                                               \
    /* map slots of masters that run or may be placed; others wait when there are masters_max */   \
    X(int64_t, masters_active, c->masters_active)                                                  \
    X(int64_t, masters_max, rm_masters_max(c))                                                     \
    /* of running nodes, for masters alone */                                                      \
    X(int64_t, master_slots, c->master_slots.slots)                                                \
    X(int64_t, used_master_slots, c->master_slots.used)                                            \
    /* attempts suspended, resumed and killed so far on behalf of the policy */                    \
    X(int64_t, suspended, c->stats.suspended)                                                      \
    X(int64_t, resumed, c->stats.resumed)                                                          \
    X(int64_t, preempted, c->stats.preempted)

struct rm_cluster_view {
    RM_CLUSTER_FIGURES(RM_FIGURE_MEMBER)
    int64_t apps_pending, apps_running; /* counted as in YARN, like the apps_ members above */
    int64_t apps_results[RM_RESULTS];   /* ended applications by result */
    struct rm_res total, used, pending;
    struct rm_res reserved; /* resources of the requests for which nodes are reserved */
    int64_t containers_allocated, containers_pending, containers_reserved;
    int32_t nodes[RM_NODE_STATES]; /* nodes by state */
    struct rm_res max_capability;
    struct rm_res slot[BASE_TASK_KINDS]; /* memory and vcores of one slot of each kind */
    int32_t queue_apps_max,
        user_apps_max; /* live applications of a queue and a user; 0: no limit */
    bool preempts;     /* the policy, as configured, takes slots back */
};
struct rm_queue_view {
    const char *name;      /* full path: "root", "root.default" */
    int32_t index;         /* the core's number of the queue */
    int32_t depth, parent; /* parent: index in the list; -1 for the root. Parents come first. */
    int64_t pending_apps, active_apps, pending_containers, allocated_containers;
    struct rm_res used, demand, fair_share, min, max;
    double weight;
    int32_t max_apps; /* INT32_MAX: no limit */
    bool preemptable;
    bool is_parent;    /* accepts no applications itself, whether or not it has children */
    bool is_dynamic;   /* created by a placement rule */
    const char *state; /* "RUNNING", "DRAINING" or "STOPPED" */
    double max_part;   /* part of the cluster's memory and vcores that it may use at most, 0..1 */
    const char *acl_submit, *acl_admin; /* in force; a right on a queue above suffices too */
    struct rm_totals totals;            /* with those of all queues inside */
    /* Order of the jobs inside: "fair", "fifo" or "drf"; or the name of the cluster's policy if
     * that policy has no shares. */
    const char *policy;
};
struct rm_queue_user_view { /* a user's unfinished applications in one queue */
    int32_t queue;          /* rm_queue_view.index */
    const char *user;
    int64_t pending_apps, active_apps, pending_containers;
    struct rm_res used, am_used, pending; /* am_used: by the containers of masters */
    /* Only from rm_view_queue_user_totals(): */
    int64_t containers, wanting_apps; /* wanting_apps: those that wait for containers */
    int64_t unmanaged_pending_apps, unmanaged_active_apps; /* also counted above */
    /* applications that run, by how long: under 60, 300 and 1440 minutes, and longer */
    int64_t running_apps[4];
    struct rm_totals totals;
};
struct rm_operation_view {
    bool known;          /* false: none since the RM's start */
    const char *node_id; /* NULL: the node was forgotten */
    const char *queue;   /* full path; NULL: none */
    struct base_container_id container;
    int64_t count; /* how many there were in the newest step, and the resources of all of them */
    struct rm_res resource;
};
struct rm_health_view {
    int64_t last_step_us; /* time of the newest event */
    struct rm_operation_view operations[RM_OPERATION_KINDS];
};
struct rm_offer_view { /* a slot offered to an application, rm/core/schedule/activity.h */
    struct base_app_id app;
    const char *queue; /* full path; NULL: none */
    int32_t app_priority, request_priority;
    int64_t allocation_request_id;      /* -1: none */
    struct base_container_id container; /* if has_container */
    bool taken, has_container, waits_for_locality, wants_nothing;
};
struct rm_round_view { /* one offer of the free slots of a node */
    uint64_t number;
    int64_t at_us;
    const char *node_id;
    bool full; /* the node had no free slot for which there was work */
    const struct rm_offer_view *offers;
    size_t offers_n;
    const char *const *wanting; /* paths of the queues that wanted slots */
    size_t wanting_n;
};
struct rm_turn_view { /* an application that waits for a slot, in its place in the order */
    struct base_app_id app;
    const char *user, *name, *queue;
    int32_t priority;
    int64_t pending, running, suspended; /* slots of its tasks or containers of the kind */
    const char *why;                     /* the policy's words; "" when it has none */
};
struct rm_slot_view {
    const char *node; /* a running node with slots of the kind; NULL: there is none */
    int64_t waiting;  /* applications that could use the slot, regardless of the policy */
};
struct rm_token_view { /* a token of a user */
    uint64_t id;
    char *user; /* owned by the caller */
    char digest[RM_TOKEN_HEX + 1];
    int64_t made_us, expires_us;
};
struct rm_label_view {
    const char *name; /* "": the nodes without a label */
    bool exclusive;
    struct rm_res total; /* of its RUNNING nodes */
    int32_t active_nodes;
};
struct rm_partition_view { /* a queue's use of nodes of a label, without the queues below it */
    size_t label;          /* index in the list of labels, never 0 */
    int32_t queue;         /* rm_queue_view.index */
    struct rm_partition use;
};
struct rm_label_use_view { /* what one user runs, in one queue, on one node with a label */
    size_t label;          /* index in the list of labels, never 0 */
    int32_t queue;         /* rm_queue_view.index */
    const char *user;
    struct rm_res used, masters_used; /* of masters: a part of used */
};
struct rm_node_label_view { /* a node with a label, or a host ("host:0") */
    const char *node;
    size_t label; /* index in the list of labels */
};
struct rm_map_output_view {
    int32_t map, attempt;
    struct base_container_id container;
    const char *node_http;
};

/* Selects the applications to copy. NULL and 0 mean any. */
struct rm_app_filter {
    /* bit set of enum rm_app_state, as returned by rm_app_public_state(); 0: all */
    uint32_t states;
    uint32_t results; /* bit set of enum rm_result; 0: all */
    const char *user, *queue, *name;
    const char *text; /* in the id, the name, the user, the queue or the type, in any letter case */
    const char *const *types;
    size_t types_n; /* any of these types, compared without case */
    const char *const *tags;
    size_t tags_n; /* any of these tags, compared without case */
    /* Both ends are inclusive; an end of 0 is open. */
    int64_t started_begin_us, started_end_us, finished_begin_us, finished_end_us;
    bool jobs_only;
};
/* Slots of a reservation: @n containers of request @request at a time. */
struct rm_booking_view {
    int64_t start_us, end_us, n;
    size_t request;
};
struct rm_reservation_view {
    struct base_app_id id;
    const char *queue, *user, *name, *recurrence; /* @name may be NULL */
    int32_t priority;
    int64_t accepted_us, arrival_us, deadline_us;
    int interpreter;
    const struct rm_reservation_request *requests;
    size_t requests_n;
    const struct rm_booking_view *bookings; /* by request, then by time */
    size_t bookings_n;
};
struct rm_views {
    struct rm_arena *arena;
    struct rm_app_view *apps;
    size_t apps_n;
    struct rm_attempt_view *attempts;
    size_t attempts_n;
    struct rm_container_view *containers;
    size_t containers_n;
    struct rm_node_view *nodes;
    size_t nodes_n;
    struct rm_task_view *tasks;
    size_t tasks_n;
    struct rm_queue_view *queues;
    size_t queues_n;
    struct rm_queue_user_view *queue_users;
    size_t queue_users_n;
    struct rm_map_output_view *outputs;
    size_t outputs_n;
    struct rm_round_view *rounds;
    size_t rounds_n;
    struct rm_turn_view *turns;
    size_t turns_n;
    struct rm_label_view *labels;
    size_t labels_n;
    struct rm_node_label_view *node_labels;
    size_t node_labels_n;
    struct rm_partition_view *partitions;
    size_t partitions_n;
    struct rm_label_use_view *label_uses;
    size_t label_uses_n;
    struct rm_reservation_view *reservations;
    size_t reservations_n;
};
/* Returns true when the policy can promise slots to reservations. */
bool rm_view_can_reserve(const struct rm_core *core);
/* Returns true when @queue ("x" and "root.x" are the same) says that it may have reservations. */
bool rm_view_queue_is_reservable(const struct rm_core *core, const char *queue);
/* Appends the reservations of @queue ("x" and "root.x" are the same): the one with @id, or without
 * one (seq 0) those with bookings between @from_us and @until_us, by id. */
void rm_view_reservations(const struct rm_core *core, const char *queue, struct base_app_id id,
                          int64_t from_us, int64_t until_us, struct rm_views *out);
/* Frees the copies and drops their references. Can be called without holding the core. */
void rm_views_free(struct rm_views *v);

/* Fills @out with the state and counts of the cluster. out->policy is static text. */
void rm_view_cluster(const struct rm_core *core, struct rm_cluster_view *out);
/* Appends at most @max applications that match @f (NULL: all), from newest to oldest, beginning
 * with the newest one older than @before (NULL: the newest). Examines at most BASE_VIEW_CHUNK * 5.
 * Returns true when older applications are left; *cursor, the last one examined, is then the
 * @before of the next call. */
bool rm_view_apps(const struct rm_core *core, const struct rm_app_filter *f,
                  const struct base_app_id *before, size_t max, struct rm_views *out,
                  struct base_app_id *cursor);
/* Unless their comments say otherwise, the functions below that return int append to @out, and
 * return 0, or -BASE_ENOTFOUND when the object named is unknown; those for a job also when the
 * application is a plain one. */
int rm_view_app(const struct rm_core *core, struct base_app_id id, struct rm_views *out);
int rm_view_attempts(const struct rm_core *core, struct base_app_id id, struct rm_views *out);
/* Appends the live containers of an attempt, sorted by id; id.attempt 0: those of all attempts. */
int rm_view_containers(const struct rm_core *core, struct base_attempt_id id, struct rm_views *out);
/* Appends one live container. */
int rm_view_container(const struct rm_core *core, const struct base_container_id *id,
                      struct rm_views *out);
/* Appends at most @max live containers of an attempt, the newest first, beginning with the one
 * older than the live container @after (NULL: the newest of all); id.attempt 0: those of all
 * attempts. Examines at most BASE_VIEW_CHUNK * 5. Sets *@cursor, the last one examined, and *@more:
 * whether older ones are left. */
int rm_view_newest_containers(const struct rm_core *core, struct base_attempt_id id,
                              const struct base_container_id *after, size_t max,
                              struct rm_views *out, struct base_container_id *cursor, bool *more);
/* Appends at most @max applications that wait for slots of @kind, in the order in which the policy
 * would offer them a free one, and describes in *@slot the slot for which the policy was asked.
 * Appends nothing when there is no such slot. */
void rm_view_slot_offer_order(const struct rm_core *core, enum base_task_kind kind, size_t max,
                              struct rm_views *out, struct rm_slot_view *slot);
/* Appends at most @max nodes from position *pos on, and advances *pos. Nodes are in the
 * order in which the core learned of them, except that a new node takes the place of a forgotten
 * one. Returns true when more are left. */
bool rm_view_nodes(const struct rm_core *core, size_t *pos, size_t max, struct rm_views *out);
int rm_view_node(const struct rm_core *core, const char *node_id, struct rm_views *out);
/* Appends at most @max tasks of kind @kind of a job, from index *pos on, in one of @states (bit
 * set; 0: all), and advances *pos. Examines at most BASE_VIEW_CHUNK * 5. No tasks are left when
 * *pos stays the same; a job whose tasks are gone has none. */
int rm_view_tasks(const struct rm_core *core, struct base_app_id id, enum base_task_kind kind,
                  uint32_t states, int64_t *pos, size_t max, struct rm_views *out);
/* Appends one task of a job, with its counters and its earlier attempts. -BASE_ENOTFOUND too when
 * there is no such task, or the job's tasks are gone. */
int rm_view_task(const struct rm_core *core, const struct base_task_id *id, struct rm_views *out);
/* Replaces the queues in @out by all queues that are configured or in use, parents first. */
void rm_view_queues(const struct rm_core *core, struct rm_views *out);
/* Returns the tree of queues. Borrowed, only while the core is locked. */
const struct policy_queues *rm_view_queue_tree(const struct rm_core *core);
/* Returns true when it depends on the groups of @user whether the user may submit to @queue (as
 * asked for; NULL: none). */
bool rm_view_submission_needs_groups(const struct rm_core *core, const char *queue,
                                     const char *user);
/* Appends a row for each user with unfinished applications in a queue, in no order. Costs
 * O(unfinished applications). */
void rm_view_queue_users(const struct rm_core *core, struct rm_views *out);
/* Appends a row for each user who has had applications in a queue (rm/core/app/totals.h), in the
 * order in which they came. @now_us: the time by which running applications are measured. Visits
 * the unfinished applications. */
void rm_view_queue_user_totals(const struct rm_core *core, int64_t now_us, struct rm_views *out);
/* Returns the number of the newest recorded round; 0: none. */
uint64_t rm_view_last_round_number(const struct rm_core *core);
/* Selects the recorded rounds to copy. NULL and 0 mean any. */
struct rm_round_filter {
    const char *node_id;
    const struct base_app_id *app; /* rounds in which it was offered a slot */
    uint64_t after;                /* rounds with a higher number */
    int64_t since_us;
    size_t max; /* the newest ones; 0: all */
};
/* Appends the rounds that match @f, oldest first. */
void rm_view_rounds(const struct rm_core *core, const struct rm_round_filter *f,
                    struct rm_views *out);
/* Copies the last allocation, release and preemption; texts belong to @texts. */
void rm_view_scheduler_health(const struct rm_core *core, struct rm_health_view *out,
                              struct rm_views *texts);
/* Copies the token @id of a user to *@out, whose text the caller frees. Returns 0, or
 * -BASE_ENOTFOUND with *@out unchanged. */
int rm_view_user_token(const struct rm_core *core, uint64_t id, struct rm_token_view *out);
/* Copies the key called @key_id of AMRM tokens to *@out. Returns 0; -BASE_ENOTFOUND when there is
 * no such key, or no longer, or @attempt is not the newest one of its application, or has ended. */
int rm_view_amrm_key(const struct rm_core *core, const struct base_attempt_id *attempt,
                     int32_t key_id, struct rm_master_key *out);
/* Returns copies of all tokens of @user (NULL: of all users) in order of their ids, and sets *@n to
 * their number. The caller frees each text, and the array. */
struct rm_token_view *rm_view_user_tokens(const struct rm_core *core, const char *user, size_t *n);
/* Replaces the labels in @out by all those that exist, the first one standing for nodes without a
 * label; and the labelled nodes and hosts. */
void rm_view_labels(const struct rm_core *core, struct rm_views *out);
/* The same, and each queue's use, now and so far, of the nodes of each label. */
void rm_view_partitions(const struct rm_core *core, struct rm_views *out);
/* The same as rm_view_labels(), and appends what runs now on the nodes with labels. If no label
 * exists, @out has no entry at all, not even the one for nodes without a label. */
void rm_view_label_uses(const struct rm_core *core, struct rm_views *out);
/* Replaces the properties in @out (may be NULL), which the caller frees, by the configuration of
 * the queues, and sets *version. Returns false, and changes nothing, when clients cannot change it.
 */
bool rm_view_queue_conf(const struct rm_core *core, struct rm_properties *out, int64_t *version);
/* Sets *@out, which the caller frees, to the configuration that @change would produce now; changes
 * nothing. Returns 0 or the error of rm_queue_conf_compute_changed(). Costs O(queues) while the
 * core is held. */
int rm_view_changed_queue_conf(const struct rm_core *core, const struct rm_conf_change *change,
                               struct rm_properties *out, struct base_error *err);
/* Sets *attempts, which the caller frees, to the attempts whose parts the commit of a job takes:
 * part i is that of attempt (*attempts)[i] of task i of *kind. Returns 0, or -BASE_ENOTFOUND when
 * the output of the job is not being committed. */
int rm_view_attempts_to_commit(const struct rm_core *core, struct base_app_id id,
                               enum base_task_kind *kind, int32_t **attempts, size_t *n);
/* Appends the map outputs of a job that are newer than the version @since, oldest first, at most
 * BASE_VIEW_CHUNK * 5. Sets *version to that of the last one examined (@since if the job has no
 * outputs), *maps to the number of maps and *done to how many have succeeded. Versions have the
 * epoch in their upper bits, so they grow over restarts. */
int rm_view_map_outputs(const struct rm_core *core, struct base_app_id id, int64_t since,
                        int64_t *version, int64_t *maps, int64_t *done, struct rm_views *out);
/* Copies the application's secret to @out. Returns 0 or -BASE_ENOTFOUND. */
int rm_view_app_token(const struct rm_core *core, struct base_app_id id, char out[static 65]);
/* Copies to @out the secret of the application of @id, from which the container's token is made.
 * Returns 0, or -BASE_ENOTFOUND when the container is unknown or has ended. */
int rm_view_secret_of_container(const struct rm_core *core, const struct base_container_id *id,
                                char out[static 65]);
/* The same for the container of a master, also while a takeover waits for the report of the
 * master's node. -BASE_ENOTFOUND when @id is not the container of the newest attempt's master, or
 * that container has ended. */
int rm_view_secret_of_master(const struct rm_core *core, const struct base_container_id *id,
                             char out[static 65]);
/* Writes to the empty @out why the application waits: what the current step of a job does or waits
 * for; then, if the policy knows the application, what holds the slots that it wants ("all 6 map
 * slots run application_..."), or that no node is registered; which silent node runs its
 * containers; and the policy's explanation. Examines a bounded number of containers. @now_us: the
 * time at which the silence of nodes is measured, since the core's own time stands still between
 * events. */
int rm_view_explain_wait(const struct rm_core *core, struct base_app_id id, int64_t now_us,
                         struct base_buf *out);

#endif
