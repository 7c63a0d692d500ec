#include "policies/fair/shares.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

/* One division of a total into shares. There is a last round when the entities with weight reach
 * their caps before the total is used up: those without weight then share the rest as if their
 * weights were equal. */
struct split {
    struct fair_entity *v;
    size_t n;
    double total;
    bool last;
    struct fair_point *points;
};

void fair_scratch_free(struct fair_scratch *scratch)
{
    free(scratch->points);
    *scratch = (struct fair_scratch){0};
}

static struct fair_point *reserve_points(struct fair_scratch *scratch, size_t n)
{
    if (n > scratch->cap) {
        scratch->points = base_realloc_array(scratch->points, n, sizeof *scratch->points);
        scratch->cap = n;
    }
    return scratch->points;
}

static double min_double(double a, double b)
{
    return a < b ? a : b;
}

/* Truncates a real number to whole slots, tolerating a rounding error below a whole number. */
static int64_t truncate_to_whole_slots(double x)
{
    return (int64_t)(x + 1e-9);
}

static double weight_in_round(const struct split *s, const struct fair_entity *e)
{
    return s->last ? (e->weight > 0 ? 0 : 1) : e->weight;
}

static bool can_share_grow(const struct split *s, const struct fair_entity *e)
{
    return weight_in_round(s, e) > 0 && e->min < e->cap;
}

static double share_at_level(const struct split *s, const struct fair_entity *e, double x)
{
    double w = weight_in_round(s, e);

    if (s->last && e->weight > 0)
        return e->cap;
    return min_double(e->cap, w > 0 && w * x > e->min ? w * x : e->min);
}

static int compare_points_by_level(const void *a, const void *b)
{
    const struct fair_point *p = a, *q = b;

    if (p->x != q->x)
        return p->x < q->x ? -1 : 1;
    if (p->entity != q->entity)
        return p->entity < q->entity ? -1 : 1;
    return (int)p->ends - (int)q->ends;
}

/* Returns the level at which the shares add up to the total; it lies in the segment that ends at
 * @upper. The sums are computed again in order of entities, so that no rounding error of the search
 * remains. */
static double solve_level_in_segment(const struct split *s, double upper)
{
    double fixed = 0, slope = 0;

    for (size_t i = 0; i < s->n; i++) {
        const struct fair_entity *e = &s->v[i];
        double w = weight_in_round(s, e);

        if (can_share_grow(s, e) && e->min / w < upper && e->cap / w >= upper)
            slope += w;
        else
            fixed += share_at_level(s, e, upper);
    }
    return slope > 0 ? min_double((s->total - fixed) / slope, upper) : upper;
}

static double sum_of_shares_at_level(const struct split *s, double x)
{
    double sum = 0;

    for (size_t i = 0; i < s->n; i++)
        sum += share_at_level(s, &s->v[i], x);
    return sum;
}

/* Finds the level by a binary search over the points where slopes change. Returns INFINITY when the
 * total is not used up even though all entities that have a weight in this round reach their caps.
 * Each sum is computed from scratch, because weights may differ so much that a running sum would
 * lose the small ones. */
static double find_share_level(const struct split *s)
{
    size_t len = 0, low = 0, high;

    for (size_t i = 0; i < s->n; i++) {
        const struct fair_entity *e = &s->v[i];
        double w = weight_in_round(s, e);

        if (!can_share_grow(s, e))
            continue;
        s->points[len++] = (struct fair_point){.x = e->min / w, .entity = (uint32_t)i};
        s->points[len++] =
            (struct fair_point){.x = e->cap / w, .entity = (uint32_t)i, .ends = true};
    }
    qsort(s->points, len, sizeof *s->points, compare_points_by_level);
    for (high = len; low < high;) {
        size_t mid = low + (high - low) / 2;

        if (sum_of_shares_at_level(s, s->points[mid].x) >= s->total)
            high = mid;
        else
            low = mid + 1;
    }
    return low < len ? solve_level_in_segment(s, s->points[low].x) : INFINITY;
}

/* Scales the minima if they exceed the total; returns true if so. */
static bool scale_minima_to_total(struct fair_entity *v, size_t n, double total)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += v[i].min;
    if (!(sum > total))
        return false;
    for (size_t i = 0; i < n; i++)
        v[i].min *= total / sum;
    return true;
}

bool fair_compute_shares(struct fair_entity *v, size_t n, double total,
                         struct fair_scratch *scratch, double *level)
{
    struct split s = {.v = v, .n = n, .total = total, .points = reserve_points(scratch, 2 * n)};
    bool scaled = scale_minima_to_total(v, n, total);
    double caps = 0, x = INFINITY;

    for (size_t i = 0; i < n; i++)
        caps += v[i].cap;
    if (caps > total) {
        x = find_share_level(&s);
        s.last = x == INFINITY;
        if (s.last)
            x = find_share_level(&s);
    }
    for (size_t i = 0; i < n; i++)
        v[i].share = x == INFINITY ? v[i].cap : share_at_level(&s, &v[i], x);
    if (level)
        *level = s.last ? INFINITY : x;
    return scaled;
}

static int compare_by_larger_remainder(const void *a, const void *b)
{
    const struct fair_point *p = a, *q = b;

    if (p->x != q->x)
        return p->x > q->x ? -1 : 1;
    return p->entity < q->entity ? -1 : 1;
}

void fair_round_shares_to_slots(const struct fair_entity *v, size_t n, int64_t total,
                                int64_t *slots, struct fair_scratch *scratch)
{
    struct fair_point *left = reserve_points(scratch, n);
    int64_t given = 0;

    for (size_t i = 0; i < n; i++) {
        slots[i] = truncate_to_whole_slots(v[i].share);
        given += slots[i];
        left[i] = (struct fair_point){.x = v[i].share - (double)slots[i], .entity = (uint32_t)i};
    }
    qsort(left, n, sizeof *left, compare_by_larger_remainder);
    for (size_t i = 0; i < n && given < total && left[i].x > 1e-9; i++, given++)
        slots[left[i].entity]++;
}

double fair_deficit_growth(double share, int64_t running, int64_t us)
{
    return (share - (double)running) * (double)us;
}

int64_t fair_starvation_threshold(double share, double threshold, int64_t demand)
{
    return truncate_to_whole_slots(min_double(share * threshold, (double)demand));
}

int64_t fair_slots_to_preempt(double min, double share, int64_t demand, int64_t running,
                              bool min_over, bool fair_over)
{
    int64_t need = 0, missing;

    missing = truncate_to_whole_slots(min_double(min, (double)demand)) - running;
    if (min_over && missing > need)
        need = missing;
    missing = truncate_to_whole_slots(min_double(share, (double)demand)) - running;
    if (fair_over && missing > need)
        need = missing;
    return need;
}
