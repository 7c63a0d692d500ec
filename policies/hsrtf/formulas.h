/* policies/hsrtf/formulas.h - the equations of hSRTF (hybrid shortest remaining time first): plain
 * arithmetic.
 * SOURCE: Cheriere, Donat-Bouillud, Ibrahim, Simonin, "On the Usability of Shortest Remaining Time
 *         First Policy in Shared Hadoop Clusters", SAC 2016, equations 1 to 5.
 *
 * Times are microseconds. Capacities are real numbers: a job's share of a cluster need not be whole
 * slots; below one slot they count as one. Nothing here allocates. */
#ifndef CREEL_POLICIES_HSRTF_FORMULAS_H
#define CREEL_POLICIES_HSRTF_FORMULAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policies/types.h"

#define HSRTF_BLOCK_BYTES (INT64_C(128) << 20) /* of a job that does not tell its splits */
#define HSRTF_RT_MIN_US   1000                 /* remaining times are never less */
#define HSRTF_TIME_MAX_US (INT64_MAX / 4)      /* nor any time more */

/* Equation 1: ceil(tasks/slots) * avg over both kinds, at least HSRTF_RT_MIN_US. @fluid: max(tasks
 * * avg / slots, avg) instead, which keeps jobs of different size apart when both need one wave. */
int64_t hsrtf_time_us(const int64_t tasks[BASE_TASK_KINDS], const int64_t avg_us[BASE_TASK_KINDS],
                      const double slots[BASE_TASK_KINDS], bool fluid);
/* Equation 2: time of a reduce from that of a map. Printed as (input per reducer / avg_map) *
 * block, which is no time; its stated idea, that a byte costs a reduce what it costs a map, gives
 * (input per reducer / block) * avg_map. */
int64_t hsrtf_reduce_us(int64_t input_bytes, double selectivity, int64_t reduces,
                        int64_t block_bytes, int64_t avg_map_us);
/* Slot time of so many tasks. */
int64_t hsrtf_work_us(int64_t tasks, int64_t avg_us);
/* Equations 3 and 4: share[i] = (1/rt[i]) / sum(1/rt). */
void hsrtf_shares(const int64_t *rt_us, size_t n, double *share);
/* Equation 5, how much longer than alone: (waited + rt on its share) / alone. */
double hsrtf_starvation(int64_t waited_us, int64_t rt_on_share_us, int64_t alone_us);
/* Its use: share[i] <- share[i] * starvation[i] / sum(share * starvation). */
void hsrtf_shares_starved(double *share, const double *starvation, size_t n);

struct hsrtf_claim {
    double share;   /* > 0, of the cluster; only the proportions count */
    int64_t demand; /* tasks it could have running; 0: none */
    double fluid;   /* out: slots before rounding */
    int64_t target; /* out: slots */
    uint32_t at;    /* out: its index when the call began */
};
/* Splits @slots by share: capped by demand, what a cap leaves divided again among the others; each
 * with demand gets at least one while there is one for each; then rounded by largest remainder,
 * ties to the earlier. The sum of targets is min(slots, sum of demands). Reorders @c. O(n log
 * n). */
void hsrtf_targets(struct hsrtf_claim *c, size_t n, int64_t slots);

#endif
