/* policies/hfsp/virtual_cluster.h - a virtual cluster under processor sharing, which projects when
 * each job would end.
 *
 * There is one virtual cluster for maps and one for reduces. Each has as many slots of its kind as
 * the real cluster and shares them among jobs by max-min fairness with weights, where a job can use
 * at most as many slots as it has unfinished virtual tasks. The attempts that really run have no
 * influence. The virtual cluster yields the order of jobs (by projected finish; jobs that have
 * ended in it although their real tasks still run come first) and the service that a job has
 * received.
 *
 * Two forms of sharing:
 *   fluid  slots are divisible: rate_j = min(tasks_j, weight_j * level), with the level at which
 *          the rates add up to the slots or all jobs reach tasks_j; inside a job all unfinished
 *          tasks progress equally.
 *   slots  whole slots, by round robin over jobs, beginning with the job with the fewest unfinished
 *          virtual tasks, one slot per turn (turns in proportion to weight); inside a job the tasks
 *          with the least time left run first.
 *
 * virtual_cluster_advance() lets time pass, in steps from one end of virtual tasks to the next.
 * Projection does the same ahead of time, without arrivals. Identical tasks are stored as runs
 * (number, duration), never one by one. Advancing and projecting both cost O(jobs) with nearly
 * sorted lists, plus O(log jobs) per end of a run (fluid) or O(jobs log jobs) per end of a task
 * wave (slots).
 *
 * Units: times and durations in microseconds, work in slot-microseconds. Internally, doubles are
 * computed in a fixed order of operations; finish times are rounded to integers and compared as
 * such. Ties: submission, cluster timestamp, number.
 * A job has a handle, an index that is reused after the job is gone.
 *
 * SOURCE: Pastorelli et al., "HFSP: size-based scheduling for Hadoop", arXiv:1302.2749 and IEEE
 * BigData 2013, sections 3.1 to 3.3 (virtual cluster, max-min fair allocation, job aging);
 * Friedman, Henderson, "Fairness and efficiency in web server protocols" (FSP), SIGMETRICS 2003. */
#ifndef CREEL_POLICIES_HFSP_VIRTUAL_CLUSTER_H
#define CREEL_POLICIES_HFSP_VIRTUAL_CLUSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VIRTUAL_NEVER (INT64_MAX / 4) /* an unknown or infinitely late finish */

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

/* Adds a job at the time of the virtual cluster (call virtual_cluster_advance() before) with @runs
 * in increasing order of left_us (@n 0: no work, the job ends at once). @weight > 0 is limited to
 * 1e-9 .. 1e9. Returns the job's handle. The order is stale until virtual_cluster_project(). */
int32_t virtual_cluster_add_job(struct virtual_cluster *vc, int64_t submit_us, int64_t cluster_ts,
                                int32_t seq, double weight, const struct virtual_run *runs,
                                size_t n);
/* Replaces the remaining work of a job; a job that has ended may get work again. The order is stale
 * until virtual_cluster_project(). */
void virtual_cluster_replace_work(struct virtual_cluster *vc, int32_t job,
                                  const struct virtual_run *runs, size_t n);
/* Reduces the remaining work of a job by @work, by shortening all its tasks in proportion; ends the
 * job virtually if no work is left. Does nothing if @work <= 0 or the job has ended virtually. The
 * order is stale until virtual_cluster_project(). */
void virtual_cluster_reduce_work(struct virtual_cluster *vc, int32_t job, double work);
/* Removes from the order a job whose real counterpart has left, but keeps serving it until it ends
 * virtually. The handle must not be used any more. The order of the other jobs stays. */
void virtual_cluster_detach_job(struct virtual_cluster *vc, int32_t job);
/* Sets the number of slots (call virtual_cluster_advance() before). With 0 slots nothing
 * progresses, and projections assume one slot. Returns false if the number is the same as before;
 * otherwise the order is stale until virtual_cluster_project(). */
bool virtual_cluster_set_slots(struct virtual_cluster *vc, int64_t slots);
/* Advances the virtual cluster to @now_us; does nothing if that is earlier than before. */
void virtual_cluster_advance(struct virtual_cluster *vc, int64_t now_us);
/* Computes projected finishes and the order, from the state at the time of the virtual cluster. */
void virtual_cluster_project(struct virtual_cluster *vc);

/* Returns the handles of jobs that have not left, in order; *@n is their number. Borrowed until the
 * next change. */
const int32_t *virtual_cluster_order(const struct virtual_cluster *vc, size_t *n);
/* Returns one more than the largest handle so far. */
size_t virtual_cluster_handle_limit(const struct virtual_cluster *vc);
/* Returns the projected finish of a job, or the time at which it ended virtually. VIRTUAL_NEVER:
 * too late to be represented. */
int64_t virtual_cluster_finish_us(const struct virtual_cluster *vc, int32_t job);
/* Returns the key by which jobs are ordered: the finish, or the remaining work. With
 * VIRTUAL_BY_REMAINING, the keys of jobs that have ended virtually are negative. */
int64_t virtual_cluster_order_key(const struct virtual_cluster *vc, int32_t job);
/* Return the remaining work of a job, the service since it was added, and the number of its
 * unfinished virtual tasks. */
double virtual_cluster_work_left(const struct virtual_cluster *vc, int32_t job);
double virtual_cluster_service_received(const struct virtual_cluster *vc, int32_t job);
int32_t virtual_cluster_tasks_left(const struct virtual_cluster *vc, int32_t job);

#endif
