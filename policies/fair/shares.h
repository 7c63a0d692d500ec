/* policies/fair/shares.h - the arithmetic of weighted max-min fair shares with minima and limits.
 * SOURCE: Zaharia et al., EuroSys 2010, section 2 and Fig. 4; Hadoop's SchedulingAlgorithms (there
 * by bisection; exact here) and, for deficits, its fair scheduler before 0.21.
 *
 *     share_i(x) = min(cap_i, max(min_i, weight_i * x)),
 *     x such that the shares add up to min(total, sum of caps)
 *
 * An entity is a pool, a job, or a pool's own jobs taken together. Units: slots; shares are real
 * numbers. Equal input gives the same result to the last bit. */
#ifndef CREEL_POLICIES_FAIR_SHARES_H
#define CREEL_POLICIES_FAIR_SHARES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fair_entity {
    double weight; /* >= 0; 0: gets its minimum, and more only when all others have their cap */
    double min;    /* >= 0; fair_compute_shares() scales the minima down so that they fit into the
                      total */
    double cap;    /* >= 0: demand, or a maximum share below it */
    double share;  /* out */
};
struct fair_point { /* a level x at which share_i(x) begins or ceases to grow */
    double x;
    uint32_t entity;
    bool ends;
};
struct fair_scratch { /* all zero at first; grows; freed by fair_scratch_free() */
    struct fair_point *points;
    size_t cap;
};

/* Sets the shares of the @n entities. Returns true when the minima exceeded @total and were scaled
 * by total / sum. O(n log n). @level may be NULL and receives x, or INFINITY when every entity with
 * weight has its cap. */
bool fair_compute_shares(struct fair_entity *v, size_t n, double total,
                         struct fair_scratch *scratch, double *level);
/* Rounds the shares to whole slots: all down, then those with the largest remainders up for as long
 * as the sum is below @total. Of two equal remainders, the one with the smaller index comes first.
 */
void fair_round_shares_to_slots(const struct fair_entity *v, size_t n, int64_t total,
                                int64_t *slots, struct fair_scratch *scratch);
void fair_scratch_free(struct fair_scratch *scratch);

/* Returns by how much a deficit grows in @us microseconds, in task-microseconds. */
double fair_deficit_growth(double share, int64_t running, int64_t us);
/* Returns the number of running tasks at which a pool is no longer starved of its fair share:
 * floor(min(share * threshold, demand)). */
int64_t fair_starvation_threshold(double share, double threshold, int64_t demand);
/* Returns the number of slots to take from others for a pool that has waited too long below its
 * minimum (@min_over) or its share (@fair_over). */
int64_t fair_slots_to_preempt(double min, double share, int64_t demand, int64_t running,
                              bool min_over, bool fair_over);

#endif
