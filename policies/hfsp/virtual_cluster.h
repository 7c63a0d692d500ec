/* policies/hfsp/virtual_cluster.h - processor sharing in a virtual cluster, and when it would end
 * each job.
 *
 * One object serves one phase (maps or reduces): it has as many slots as the real cluster and
 * shares them among jobs by max-min fairness with weights, where a job can use no more slots than
 * it has unfinished virtual tasks. What really runs does not matter to it. From it come the order
 * of jobs (by projected finish, jobs that are over there and not in reality first) and the service
 * that a job has received.
 *
 * Two forms of sharing:
 *   fluid  slots are divisible: rate_j = min(tasks_j, weight_j * level), the level filling the
 *          slots; inside a job all unfinished tasks progress equally.
 *   slots  whole slots, by round robin over jobs from the one with fewest unfinished virtual tasks,
 *          one slot per turn (turns in proportion to weight); inside a job the tasks that are
 *          furthest run first.
 *
 * Time passes by virtual_cluster_advance: intervals are split where virtual tasks or jobs end.
 * Projection runs the same arithmetic ahead without arrivals. Identical tasks are kept as runs (how
 * many, how long), never one by one;
 * both cost O(jobs + events) with nearly sorted lists, O(log jobs) per end of a run (fluid), O(jobs
 * log jobs) per end of a task wave (slots).
 *
 * Units: times and durations in microseconds, work in slot-microseconds. Inside, doubles in a fixed
 * order of operations; finish times are rounded to integers and compared as such. Ties: submission,
 * cluster timestamp, number.
 * A job is known by a handle, an index that is used again after the job is gone.
 *
 * SOURCE: Pastorelli et al., "HFSP: size-based scheduling for Hadoop", arXiv:1302.2749 and IEEE
 * BigData 2013, sections 3.1 to 3.3 (virtual cluster, max-min fair allocation, job aging);
 * Friedman, Henderson, "Fairness and efficiency in web server protocols" (FSP), SIGMETRICS 2003. */
#ifndef CREEL_POLICIES_HFSP_VIRTUAL_CLUSTER_H
#define CREEL_POLICIES_HFSP_VIRTUAL_CLUSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VIRTUAL_NEVER (INT64_MAX / 4) /* a finish that no number of ours reaches */

struct virtual_run { /* @tasks tasks with @left_us each */
    int32_t tasks;
    double left_us;
};
enum virtual_form { VIRTUAL_FLUID, VIRTUAL_SLOTS };
enum virtual_order { VIRTUAL_BY_FINISH, VIRTUAL_BY_REMAINING };

struct virtual_cluster;

struct virtual_cluster *virtual_cluster_new(enum virtual_form form, enum virtual_order order,
                                            int64_t slots, int64_t now_us);
void virtual_cluster_free(struct virtual_cluster *vc);

/* A job enters at the time of the cluster (advance first) with @runs in increasing order of left_us
 * (@n 0: no work, finished at once). @weight > 0; beyond 1e-9 and 1e9 it counts as these. Its
 * handle. The order is stale until virtual_cluster_project. */
int32_t virtual_cluster_add(struct virtual_cluster *vc, int64_t submit_us, int64_t cluster_ts,
                            int32_t seq, double weight, const struct virtual_run *runs, size_t n);
/* What is left of it is replaced; a finished one may come back to life. The order is stale until
 * project. */
void virtual_cluster_resize(struct virtual_cluster *vc, int32_t job, const struct virtual_run *runs,
                            size_t n);
/* @work (> 0, else nothing changes) less is left of it, all its tasks being shorter. The order is
 * stale until project.
 */
void virtual_cluster_cut(struct virtual_cluster *vc, int32_t job, double work);
/* Really over: no longer in the order, served on until it is virtually over; its handle must not be
 * used any more. The order of the others stays. */
void virtual_cluster_leave(struct virtual_cluster *vc, int32_t job);
/* The real cluster changed (advance first). The order is stale until project. 0: nothing
 * progresses, and projections are made for one slot. False: they are as many as before. */
bool virtual_cluster_set_slots(struct virtual_cluster *vc, int64_t slots);
/* Time goes on to @now_us; an earlier time than before changes nothing. */
void virtual_cluster_advance(struct virtual_cluster *vc, int64_t now_us);
/* Projected finishes and the order, from the state at the time of the cluster. */
void virtual_cluster_project(struct virtual_cluster *vc);

/* Jobs that have not left, in order. Borrowed until the next change. */
const int32_t *virtual_cluster_order(const struct virtual_cluster *vc, size_t *n);
/* One more than the largest handle ever given. */
size_t virtual_cluster_handles(const struct virtual_cluster *vc);
/* Projected finish; of a job that is virtually over, when it was. VIRTUAL_NEVER: beyond all
 * bounds. */
int64_t virtual_cluster_finish_us(const struct virtual_cluster *vc, int32_t job);
/* What the order goes by: the finish, or the remaining work (0: virtually over). */
int64_t virtual_cluster_key(const struct virtual_cluster *vc, int32_t job);
double virtual_cluster_left(const struct virtual_cluster *vc, int32_t job); /* work */
double virtual_cluster_received(const struct virtual_cluster *vc,
                                int32_t job); /* service since it entered */
int32_t virtual_cluster_tasks(const struct virtual_cluster *vc,
                              int32_t job); /* unfinished virtual ones */

#endif
