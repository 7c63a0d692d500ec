#include "policies/hsrtf/formulas.h"

#include <math.h>
#include <stdlib.h>

/* Tolerated rounding error of shares: 400 tasks on 0.2 of 100 slots are 20 waves, not 21. */
#define ROUND_OFF 1e-9

/* Rounds to microseconds; huge times are cut off, so that their sums still fit. */
static int64_t round_to_bounded_us(double x)
{
    return x < (double)HSRTF_TIME_MAX_US ? (int64_t)(x + 0.5) : HSRTF_TIME_MAX_US;
}

static double ceil_tolerating_round_off(double x)
{
    double whole = floor(x);

    return x - whole > ROUND_OFF ? whole + 1 : whole;
}

int64_t hsrtf_remaining_time_us(const int64_t tasks[BASE_TASK_KINDS],
                                const int64_t avg_us[BASE_TASK_KINDS],
                                const double slots[BASE_TASK_KINDS], bool fluid)
{
    double sum = 0;

    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        double waves = (double)tasks[k] / (slots[k] < 1 ? 1 : slots[k]);

        if (tasks[k] <= 0)
            continue;
        if (!fluid)
            waves = ceil_tolerating_round_off(waves);
        sum += (waves < 1 ? 1 : waves) * (double)avg_us[k];
    }
    return sum < HSRTF_RT_MIN_US ? HSRTF_RT_MIN_US : round_to_bounded_us(sum);
}

int64_t hsrtf_reduce_duration_us(int64_t input_bytes, double selectivity, int64_t reduces,
                                 int64_t block_bytes, int64_t avg_map_us)
{
    double per_reducer;

    if (reduces <= 0)
        return 0;
    if (block_bytes <= 0)
        block_bytes = HSRTF_BLOCK_BYTES;
    per_reducer = selectivity * (double)input_bytes / (double)reduces;
    return round_to_bounded_us(per_reducer / (double)block_bytes * (double)avg_map_us);
}

int64_t hsrtf_slot_time_us(int64_t tasks, int64_t avg_us)
{
    return round_to_bounded_us((double)tasks * (double)avg_us);
}

void hsrtf_inverse_shares(const int64_t *rt_us, size_t n, double *share)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++) {
        share[i] = 1 / (double)(rt_us[i] < HSRTF_RT_MIN_US ? HSRTF_RT_MIN_US : rt_us[i]);
        sum += share[i];
    }
    for (size_t i = 0; i < n; i++)
        share[i] /= sum;
}

double hsrtf_starvation(int64_t waited_us, int64_t rt_on_share_us, int64_t alone_us)
{
    return (double)(waited_us + rt_on_share_us) /
           (double)(alone_us < HSRTF_RT_MIN_US ? HSRTF_RT_MIN_US : alone_us);
}

void hsrtf_apply_starvation(double *share, const double *starvation, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++) {
        share[i] *= starvation[i];
        sum += share[i];
    }
    for (size_t i = 0; i < n; i++)
        share[i] /= sum;
}

/* ---------------------------------------------------------------- targets */
static int compare_by_index(const struct hsrtf_claim *a, const struct hsrtf_claim *b)
{
    return a->at < b->at ? -1 : a->at > b->at;
}

/* Claims with less demand per share come first. */
static int compare_by_demand_per_share(const void *a, const void *b)
{
    const struct hsrtf_claim *x = a, *y = b;
    double left = (double)x->demand / x->share, right = (double)y->demand / y->share;

    return left < right ? -1 : left > right ? 1 : compare_by_index(x, y);
}

static int64_t scaled_remainder_of(const struct hsrtf_claim *c)
{
    return (int64_t)((c->fluid - (double)c->target) / ROUND_OFF + 0.5);
}

static int compare_by_larger_remainder(const void *a, const void *b)
{
    const struct hsrtf_claim *x = a, *y = b;
    int64_t left = scaled_remainder_of(x), right = scaled_remainder_of(y);

    return left > right ? -1 : left < right ? 1 : compare_by_index(x, y);
}

/* Divides @slots among the claims with demand that are not pinned at one slot; the caller has set
 * fluid to 1 for pinned claims and to 0 for the others. @c is sorted by demand per share, so
 * whatever a claim cannot use goes to the claims after it. */
static void divide_by_share(struct hsrtf_claim *c, size_t n, double slots)
{
    double shares = 0;

    for (size_t i = 0; i < n; i++)
        if (c[i].demand > 0 && c[i].fluid != 1)
            shares += c[i].share;
    for (size_t i = 0; i < n; i++) {
        if (c[i].demand <= 0 || c[i].fluid == 1)
            continue;
        c[i].fluid = shares > 0 ? slots * c[i].share / shares : slots;
        if (c[i].fluid > (double)c[i].demand)
            c[i].fluid = (double)c[i].demand;
        slots -= c[i].fluid;
        shares -= c[i].share;
    }
}

/* Divides @slots, then raises claims that got less than one slot to one, and divides the rest again
 * among the others, until every claim has at least one. */
static void divide_with_at_least_one_each(struct hsrtf_claim *c, size_t n, double slots)
{
    bool raised = true;

    while (raised) {
        double left = slots;

        raised = false;
        for (size_t i = 0; i < n; i++) {
            if (c[i].fluid == 1 && c[i].demand > 0)
                left -= 1;
            else
                c[i].fluid = 0;
        }
        divide_by_share(c, n, left);
        for (size_t i = 0; i < n; i++)
            if (c[i].demand > 0 && c[i].fluid < 1) {
                c[i].fluid = 1;
                raised = true;
            }
    }
}

static void round_shares_to_targets(struct hsrtf_claim *c, size_t n, int64_t total)
{
    for (size_t i = 0; i < n; i++) {
        c[i].target = (int64_t)(c[i].fluid + ROUND_OFF);
        total -= c[i].target;
    }
    if (total <= 0)
        return;
    qsort(c, n, sizeof *c, compare_by_larger_remainder);
    for (size_t i = 0; i < n && total > 0; i++)
        if (c[i].target < c[i].demand) {
            c[i].target++;
            total--;
        }
}

void hsrtf_split_slots(struct hsrtf_claim *c, size_t n, int64_t slots)
{
    int64_t want = 0, wanting = 0;

    for (size_t i = 0; i < n; i++) {
        c[i].at = (uint32_t)i;
        c[i].fluid = 0;
        c[i].target = 0;
        want += c[i].demand > 0 ? c[i].demand : 0;
        wanting += c[i].demand > 0;
    }
    if (slots <= 0 || !wanting)
        return;
    if (want < slots)
        slots = want;
    qsort(c, n, sizeof *c, compare_by_demand_per_share);
    if (slots >= wanting)
        divide_with_at_least_one_each(c, n, (double)slots);
    else
        divide_by_share(c, n, (double)slots);
    round_shares_to_targets(c, n, slots);
}
