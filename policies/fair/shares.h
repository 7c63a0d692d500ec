/* policies/fair/shares.h - weighted max-min fair shares with minima and limits; the arithmetic
 * around them.
 * SOURCE: Zaharia et al., EuroSys 2010, section 2 and Fig. 4; Hadoop's SchedulingAlgorithms (there
 * by bisection; exact here) and, for deficits, its fair scheduler before 0.21.
 *
 *     share_i(x) = min(cap_i, max(min_i, weight_i * x)),
 *     x such that the shares add up to min(total, sum of caps)
 *
 * An entity is a pool or a job. Units: slots; shares are real numbers. Equal input gives equal
 * bits. */
#ifndef CREEL_POLICIES_FAIR_SHARES_H
#define CREEL_POLICIES_FAIR_SHARES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fair_entity {
    double weight; /* >= 0; 0: gets its minimum, and more only when all others have what they can
                      take */
    double
        min; /* >= 0; after fair_shares(): scaled, so that the minima of all fit into the total */
    double cap;   /* >= 0: demand, or a maximum share below it */
    double share; /* out */
};
struct fair_point { /* of share_i(x): a slope begins or ends */
    double x;
    uint32_t entity;
    bool ends;
};
struct fair_scratch { /* zero to begin with; grows; fair_scratch_free() */
    struct fair_point *points;
    size_t cap;
};

/* Sets the shares. Returns true when the minima exceeded @total and were scaled by total / sum. O(n
 * log n).
 * *@level: x; INFINITY when every entity has its cap. May be NULL. */
bool fair_shares(struct fair_entity *v, size_t n, double total, struct fair_scratch *scratch,
                 double *level);
/* Whole slots that add up to @total (at most the shares' sum, rounded up): largest remainder first,
 * then smaller index.
 */
void fair_shares_round(const struct fair_entity *v, size_t n, int64_t total, int64_t *slots,
                       struct fair_scratch *scratch);
void fair_scratch_free(struct fair_scratch *scratch);

/* What a deficit grows by in @us microseconds, in task-microseconds. */
double fair_deficit(double share, int64_t running, int64_t us);
/* Running tasks from which a pool is no longer starved of its fair share: floor(min(share *
 * threshold, demand)). */
int64_t fair_alarm(double share, double threshold, int64_t demand);
/* Slots to take from others for a pool that has waited too long below its minimum (@min_over), its
 * share (@fair_over).
 */
int64_t fair_preempt_need(double min, double share, int64_t demand, int64_t running, bool min_over,
                          bool fair_over);

#endif
