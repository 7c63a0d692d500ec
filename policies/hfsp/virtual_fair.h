/* policies/hfsp/virtual_fair.h - a model that computes when fair sharing without preemption would
 * end each job.
 *
 * The model is a second virtual cluster, in addition to that of policies/hfsp/virtual_cluster.h. It
 * runs whole tasks on whole slots: a free slot goes to the job with the fewest running tasks per
 * weight, and a started task keeps its slot to its end. Hadoop's Fair Scheduler does this with one
 * pool. The result differs from processor sharing when tasks are long: a job that arrived early and
 * got many slots keeps them, where processor sharing would take most of them back. Maps and reduces
 * of a job are modelled together: reduces start when the slowstart allows, and wait in their slots
 * until the last map has ended.
 *
 * As soon as the last task of a phase has started in the model (for reduces: and the last map,
 * too), the end of the phase is known, whatever happens later, if the duration of its tasks is
 * known. There is no projection: the model follows the clock, at a cost of O(log jobs) per virtual
 * task, so that an arrival costs nothing beyond its own tasks.
 *
 * All tasks of a phase last equally long. While this duration is unknown (the job is being
 * measured) they do not end. Ties: submission, cluster timestamp, number. Times in microseconds.
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
void virtual_fair_free(struct virtual_fair *vf); /* frees all jobs, too */

/* Adds a job without tasks at the time of the model (call virtual_fair_advance() before). The model
 * owns the returned job, which may be used until virtual_fair_detach_job(). */
struct virtual_fair_job *virtual_fair_add_job(struct virtual_fair *vf,
                                              const struct policy_job *job);
/* Adds tasks to a phase: @pending waiting, @running just started, @done ended. Negative @pending:
 * waiting tasks are withdrawn. */
void virtual_fair_add_tasks(struct virtual_fair *vf, struct virtual_fair_job *j,
                            enum base_task_kind kind, int32_t pending, int32_t running,
                            int32_t done);
/* Sets the duration of each task of a phase, including started tasks. < 0: unknown. */
void virtual_fair_set_task_duration(struct virtual_fair *vf, struct virtual_fair_job *j,
                                    enum base_task_kind kind, int64_t task_us);
/* Notes that the real job has left; @j must not be used any more. @finished: the virtual tasks run
 * to their end if their durations are known; otherwise they are removed. */
void virtual_fair_detach_job(struct virtual_fair *vf, struct virtual_fair_job *j, bool finished);

void virtual_fair_set_slots(struct virtual_fair *vf, enum base_task_kind kind, int64_t slots);
/* Advances the model to @now_us; does nothing if that is earlier than before. O(1) when no virtual
 * task ends until then. */
void virtual_fair_advance(struct virtual_fair *vf, int64_t now_us);

/* Returns when the phase ends in the model. VIRTUAL_NEVER: it has no tasks, or its end is not known
 * yet. */
int64_t virtual_fair_finish_us(const struct virtual_fair_job *j, enum base_task_kind kind);

#endif
