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

#define HSRTF_BLOCK_BYTES (INT64_C(128) << 20) /* assumed for a job whose splits are unknown */
#define HSRTF_RT_MIN_US   1000                 /* minimum of remaining times */
#define HSRTF_TIME_MAX_US (INT64_MAX / 4)      /* maximum of all times */

/* Equation 1: returns the remaining time, ceil(tasks / slots) * avg, summed over both kinds, at
 * least HSRTF_RT_MIN_US. @fluid: max(tasks * avg / slots, avg) instead, which distinguishes jobs of
 * different size that both need one wave. */
int64_t hsrtf_remaining_time_us(const int64_t tasks[BASE_TASK_KINDS],
                                const int64_t avg_us[BASE_TASK_KINDS],
                                const double slots[BASE_TASK_KINDS], bool fluid);
/* Equation 2: returns the duration of a reduce, from that of a map. The paper prints (input per
 * reducer / avg_map) * block, which is not a time; its stated idea, that a byte costs a reduce as
 * much as a map, gives (input per reducer / block) * avg_map. */
int64_t hsrtf_reduce_duration_us(int64_t input_bytes, double selectivity, int64_t reduces,
                                 int64_t block_bytes, int64_t avg_map_us);
/* Returns the slot time of @tasks tasks. */
int64_t hsrtf_slot_time_us(int64_t tasks, int64_t avg_us);
/* Equations 3 and 4: sets share[i] = (1/rt[i]) / sum(1/rt). */
void hsrtf_inverse_shares(const int64_t *rt_us, size_t n, double *share);
/* Equation 5: returns the factor by which a job takes longer than alone on the cluster, (waited +
 * remaining time on its share) / alone. */
double hsrtf_starvation(int64_t waited_us, int64_t rt_on_share_us, int64_t alone_us);
/* Applies starvation: share[i] <- share[i] * starvation[i] / sum(share * starvation). */
void hsrtf_apply_starvation(double *share, const double *starvation, size_t n);

struct hsrtf_claim {
    double share;   /* > 0, of the cluster; only the proportions count */
    int64_t demand; /* tasks that the job could run now; 0: none */
    double fluid;   /* out: slots before rounding */
    int64_t target; /* out: slots */
    uint32_t at;    /* out: the claim's index when the call began */
};
/* Splits @slots among the claims by share. A claim gets at most its demand, and the rest is divided
 * among the others. Every claim with demand gets at least one slot if there are enough slots for
 * that. Fractions are rounded by largest remainder; of two equal remainders, that of the earlier
 * claim comes first. The sum of targets is min(slots, sum of demands). Reorders @c. O(n log n)
 * typically. */
void hsrtf_split_slots(struct hsrtf_claim *c, size_t n, int64_t slots);

#endif
