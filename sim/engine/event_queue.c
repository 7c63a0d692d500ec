#include "sim/engine/event_queue.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/mem.h"

#define CHILDREN 4

/* Times are not negative: the two words compare as one number, without a branch. */
static bool is_before(const struct sim_event *a, const struct sim_event *b)
{
    return ((unsigned __int128)(uint64_t)a->at_us << 64 | a->order) <
           ((unsigned __int128)(uint64_t)b->at_us << 64 | b->order);
}

uint64_t sim_queue_add(struct sim_queue *q, int64_t at_us, enum sim_event_class class,
                       enum sim_event_kind kind, uint32_t index)
{
    struct sim_event e = {.at_us = at_us};
    size_t i;

    base_assert(index <= SIM_INDEX_MAX && ++q->made < UINT64_C(1) << 36);
    e.order = (uint64_t) class << 62 | q->made << (SIM_INDEX_BITS + 2) |
              (uint64_t)kind << SIM_INDEX_BITS | index;
    base_array_grow(&q->v, q->n, &q->cap);
    for (i = q->n++; i > 0; i = (i - 1) / CHILDREN) {
        const struct sim_event *parent = &q->v[(i - 1) / CHILDREN];

        if (!is_before(&e, parent))
            break;
        q->v[i] = *parent;
    }
    q->v[i] = e;
    return e.order;
}

/* Index of the earliest of the four siblings from @child on. */
static size_t earliest_of_four(const struct sim_event *v, size_t child)
{
    size_t a = child + is_before(&v[child + 1], &v[child]),
           b = child + 2 + is_before(&v[child + 3], &v[child + 2]);

    return is_before(&v[b], &v[a]) ? b : a;
}

/* Index of the earliest of the last siblings, from @child on, which are fewer than four. */
static size_t earliest_of_remaining(const struct sim_queue *q, size_t child)
{
    size_t best = child;

    for (size_t j = child + 1; j < q->n; j++)
        if (is_before(&q->v[j], &q->v[best]))
            best = j;
    return best;
}

/* The last event of the heap fills the hole that the first one leaves. That event is usually a late
 * one, so comparing it on the way down would be wasted: move the hole down along the earliest
 * children to the bottom, then the event up from there. */
struct sim_event sim_queue_take_first(struct sim_queue *q)
{
    struct sim_event first = q->v[0], last = q->v[--q->n];
    size_t i = 0, child;

    while ((child = i * CHILDREN + 1) < q->n) {
        child = child + CHILDREN <= q->n ? earliest_of_four(q->v, child)
                                         : earliest_of_remaining(q, child);
        q->v[i] = q->v[child];
        i = child;
    }
    for (; i > 0 && is_before(&last, &q->v[(i - 1) / CHILDREN]); i = (i - 1) / CHILDREN)
        q->v[i] = q->v[(i - 1) / CHILDREN];
    q->v[i] = last;
    return first;
}

void sim_queue_free(struct sim_queue *q)
{
    free(q->v);
    *q = (struct sim_queue){0};
}
