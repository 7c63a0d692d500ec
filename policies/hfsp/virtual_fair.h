/* policies/hfsp/virtual_fair.h - when fair sharing without preemption would end each job.
 *
 * A second virtual cluster beside policies/hfsp/virtual_cluster.h: whole tasks on whole slots, a
 * free slot to the job with the fewest running tasks for its weight, a task that has started keeps
 * its slot to its end. That is what Hadoop's Fair Scheduler does with one pool, and it differs from
 * processor sharing wherever tasks are long: a job that came early and got many slots keeps them,
 * where processor sharing would take most of them back. Maps and reduces of a job belong together:
 * reduces start when the slowstart lets them, and hold their slots until the last map has ended.
 *
 * As soon as the last task of a phase has started here, its end is known, whatever comes later.
 * There is no projection: the cluster runs along with the clock, O(log jobs) for each virtual task,
 * so that an arrival costs nothing beyond its own tasks.
 *
 * Tasks of a phase last equally long. While that time is not known (the job is being measured) they
 * do not end. Ties: submission, cluster timestamp, number. Times in microseconds.
 *
 * SOURCE: Zaharia et al., EuroSys 2010, Algorithm 1 (fair sharing by running tasks); Friedman,
 * Henderson, "Fairness and efficiency in web server protocols", SIGMETRICS 2003 (no job later than
 * in the reference). */
#ifndef CREEL_POLICIES_HFSP_VIRTUAL_FAIR_H
#define CREEL_POLICIES_HFSP_VIRTUAL_FAIR_H

#include "policies/types.h"

struct virtual_fair;
struct virtual_fair_job;

struct virtual_fair *virtual_fair_new(double slowstart);
void virtual_fair_free(struct virtual_fair *vf); /* with all jobs */

/* A job without tasks, at the time of the cluster (advance first). The cluster's; ends with
 * virtual_fair_leave. */
struct virtual_fair_job *virtual_fair_add(struct virtual_fair *vf, const struct policy_job *job);
/* @pending more tasks wait, @running more have just started, @done more have ended. Negative
 * @pending: withdrawn. */
void virtual_fair_tasks(struct virtual_fair *vf, struct virtual_fair_job *j,
                        enum base_task_kind kind, int32_t pending, int32_t running, int32_t done);
/* Each of its tasks lasts @task_us, also those that have started. < 0: not known yet. */
void virtual_fair_lasts(struct virtual_fair *vf, struct virtual_fair_job *j,
                        enum base_task_kind kind, int64_t task_us);
/* The real job is gone; @j must not be used any more. @finished: its virtual tasks run to their
 * end, else they are gone too. */
void virtual_fair_leave(struct virtual_fair *vf, struct virtual_fair_job *j, bool finished);

void virtual_fair_slots(struct virtual_fair *vf, enum base_task_kind kind, int64_t slots);
/* Time goes on to @now_us; an earlier time than before changes nothing. O(1) when no virtual task
 * ends until then. */
void virtual_fair_advance(struct virtual_fair *vf, int64_t now_us);

/* When the phase ends here; VIRTUAL_NEVER: not known yet, tasks of it wait or their time is not
 * known. */
int64_t virtual_fair_finish_us(const struct virtual_fair_job *j, enum base_task_kind kind);

#endif
