/* rm/core/job/step/step.h - the steps of a job that touch its user's files besides its tasks:
 * setup, commit and abort. Each is a container on a node, so that the ResourceManager opens no path
 * that a user names.
 *
 *   accepted --> SETUP waits --> runs --page of splits--> ... --last page--> set_up, splits and job
 *                  ^               |                                         stored --> admission
 *                  +- lost, failed-+                                         --> tasks, or refused
 *
 *   ends of all tasks stored --> COMMIT waits --> runs --may it move?--> commit_begun stored
 *                                  ^                |                    --> moves --> exit 0
 *                                  +- lost, failed -+---------------------+
 *
 *   fails, is killed; stored --> ABORT waits --> runs --> exit 0; when RM_ABORT_MAX_US have passed,
 *                                  ^               |      or no attempt is left, the job ends, and
 *                                  +- lost, failed-+      its abort goes on (rm/core/job/job.h)
 *
 * At most one step of a job is current, and at most one attempt of it. Attempts are numbered in one
 * sequence for all steps of a job, from rm_app.attempt_base on, so that a number is used once. What
 * a superseded attempt asks or reports is refused.
 *
 * Failures. An attempt that fails is repeated, on another node if there is one, up to max-attempts;
 * one that was lost or killed does not count. One that ends with RM_EXIT_JOB_REFUSED would fail
 * again on the same node, where an input is missing, say, or its user is unknown; so the step has
 * failed, too, when each live node that could run it has refused it. The diagnostics name the step,
 * the node of the last attempt, and its reason.
 *
 * Time. An attempt that has not ended step_timeout_us after its launch has failed: it is killed,
 * and the next one may be launched before its process has ended, since attempts may overlap
 * (nodemanager/task/job/output_folder.h). After a takeover, the time begins again with the report
 * of the attempt's node.
 *
 * Outcome of a commit. Whichever attempt with the permission to move parts ends with 0, the output
 * is complete and the step is done. It has failed for good when no other attempt may follow and the
 * containers of all its attempts have ended otherwise; if one of these is lost with its node then,
 * nobody knows what it has done, and another attempt completes the output. So no output is aborted
 * while a process may be committing it. The commit of a killed job is not tried again when it has
 * failed, unless an attempt of unknown outcome was before it: one that was lost, killed, ended by a
 * signal or by a full disk may have completed the output before. When a commit with such an attempt
 * has failed for good, the abort decides: an attempt of it that finds the output complete, and
 * removes nothing, ends with RM_EXIT_OUTPUT_COMMITTED, and the job has succeeded.
 *
 * A setup that has reported all splits is done, however its container ends. Splits are accepted in
 * order, by their index: a repeated page changes nothing.
 *
 * Until an attempt has been allowed to move parts, a kill prevents the commit. From then on the
 * output may be complete at any time, so the outcome of the commit decides, as in YARN:
 * commit_begun is stored before the permission is given, and a job with it is committed again after
 * a takeover, or when the attempt's node is lost. Two attempts of which one is no longer known may
 * then move the same parts at once, which leads to the same output
 * (nodemanager/task/job/output_folder.h).
 *
 * A step takes a map slot, or a reduce slot where no map slot is free, outside of the policy and
 * before it; steps run one at a time on a node, in the order of rm/core/job/step/places.h, and do
 * not wait for locality. SOURCE: setup and cleanup tasks of Hadoop 1.2
 * (JobTracker.getSetupAndCleanupTasks), which take slots of either kind before the scheduler is
 * asked. Policies learn of a job when it is set up: then its maps are known. Counters and progress
 * do not count steps as maps. */
#ifndef CREEL_RM_CORE_JOB_STEP_STEP_H
#define CREEL_RM_CORE_JOB_STEP_STEP_H

#include "rm/core/core.h"
#include "rm/core/job/step/places.h"

struct rm_app;
struct rm_container;
struct rm_core;
struct rm_node;

/* How long the end of a job waits for its abort. */
#define RM_ABORT_MAX_US INT64_C(30000000)
/* The pauses of an abort that the ended job owes, the shortest and the longest. */
#define RM_ABORT_PAUSE_US     INT64_C(60000000)
#define RM_ABORT_PAUSE_MAX_US INT64_C(3600000000)
/* Exit code of a step that cannot succeed on its node: TASK_EXIT_JOB_REFUSED in
 * nodemanager/task/task.h */
#define RM_EXIT_JOB_REFUSED 4
/* Exit code of an abort that has found the output complete: TASK_EXIT_OUTPUT_COMMITTED there */
#define RM_EXIT_OUTPUT_COMMITTED 5
/* Exit code of a container whose command succeeded, but whose output was lost:
 * NM_EXIT_OUTPUT_LOST in nodemanager/container/exit.h */
#define RM_EXIT_OUTPUT_LOST 74
#define RM_STEP_AVOIDS      8 /* nodes that a step avoids; beyond this the oldest is dropped */

struct rm_step {
    enum base_job_step kind; /* the current step; BASE_STEP_NONE: none */
    bool launched;           /* an attempt of any step has been launched, or may have been */
    bool waits;              /* for the place of a node: in a list of rm_core.places */
    enum rm_step_rank rank;
    uint64_t since; /* number of the wait */
    struct rm_app *prev, *next;
    struct rm_container *running; /* container of the current attempt; NULL: none */
    int32_t attempt;              /* number of the latest attempt; -1: none */
    int32_t failures;             /* attempts of this step that count towards max-attempts */
    bool unknown;                 /* a commit: an attempt of unknown outcome may have made it */
    char *why;                    /* of a commit without further attempts, whose containers have
                                     not all ended yet; else NULL */
    struct rm_avoided {
        uint32_t node; /* index of a node on which the step has failed */
        bool refused;  /* with RM_EXIT_JOB_REFUSED */
    } avoid[RM_STEP_AVOIDS];
    uint32_t avoid_n;
    struct rm_split_page *coming; /* splits reported by the current attempt so far; NULL: none */
};

enum rm_step_outcome {
    RM_STEP_GOES_ON,
    RM_STEP_DONE,
    RM_STEP_FOUND_COMMITTED, /* of an abort */
    RM_STEP_FAILED
};

/* Makes @kind the current step, which waits for a slot. */
void rm_step_begin(struct rm_core *c, struct rm_app *a, enum base_job_step kind);
/* Ends the current step, if there is one. The step's container, if there is one, is ignored from
 * now on; the caller kills the container if it must not go on. */
void rm_step_end(struct rm_core *c, struct rm_app *a);
/* Lets the current step wait for a slot, unless it runs, its job is held, or it is a commit that an
 * earlier instance has begun and not all awaited nodes are known. */
void rm_step_wait_unless_running(struct rm_core *c, struct rm_app *a);

/* Launches the waiting step whose turn it is on @n, in a map slot or else in a reduce slot. Returns
 * false, and changes nothing, when no step waits that may run there now: also when @n does not hold
 * a heartbeat, has no free slot, runs a step already, or takes no containers of jobs. May be called
 * for any node at any time; costs nothing to speak of when no step waits (c->places.n is 0). */
bool rm_step_place_on_node(struct rm_core *c, struct rm_node *n);
/* Launches waiting steps on nodes with held heartbeats, the emptiest first; on each at most one. */
void rm_step_place_on_held_nodes(struct rm_core *c);

/* The container @ct of a step of @a has ended. Returns RM_STEP_GOES_ON when another attempt will
 * follow, or @ct is not that of the current attempt; otherwise the step remains current until the
 * caller ends it. *why: diagnostics of a failure, borrowed. @r: the node's report, or NULL. */
enum rm_step_outcome rm_step_note_container_end(struct rm_core *c, struct rm_app *a,
                                                struct rm_container *ct,
                                                const struct rm_container_report *r,
                                                const char **why);
/* @ct has held its place for step_timeout_us: orders its node to kill it. Returns as
 * rm_step_note_container_end(); the end of @ct changes nothing any more. */
enum rm_step_outcome rm_step_end_late_attempt(struct rm_core *c, struct rm_container *ct,
                                              const char **why);
/* Implements rm_app_kind.attach for the containers of steps: makes the reported attempt the current
 * one, in the place of an earlier one, which is killed. An attempt of a commit with permission to
 * move parts that has a later one is attached to be killed, since its end counts. Returns NULL when
 * another attempt has a later one, the step is not current, or another step holds the place of @n.
 */
struct rm_container *rm_step_attach(struct rm_core *c, struct rm_node *n, struct rm_app *a,
                                    const struct rm_container_report *r);

/* Returns true when @attempt is the current attempt of the step @kind, and not being killed. */
bool rm_step_is_current(const struct rm_app *a, enum base_job_step kind, int32_t attempt);
/* Adds @page, which is emptied, to the splits of the current attempt if the page begins where they
 * end; otherwise does nothing. Sets *complete to whether all splits of the job are known now.
 * Returns 0, or -BASE_ETOOLARGE, -BASE_ELIMIT or -BASE_EINVAL: the job cannot have these splits. */
int rm_step_add_split_page(struct rm_app *a, struct rm_split_page *page, bool *complete,
                           struct base_error *err);
/* Returns how many splits the current attempt has reported. */
int64_t rm_step_splits_n(const struct rm_app *a);
/* Takes the splits of the current attempt, which must be complete. */
struct rm_split_page *rm_step_take_splits(struct rm_app *a);

#endif
