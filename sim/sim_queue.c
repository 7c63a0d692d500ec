/* Events to come. */
#include "sim/sim_queue.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/base_mem.h"

#define CHILDREN 4

static bool before(const struct sim_event *a, const struct sim_event *b)
{
    return a->at_us != b->at_us ? a->at_us < b->at_us : a->order < b->order;
}

uint64_t sim_queue_add(struct sim_queue *q, int64_t at_us, enum sim_event_class class, enum sim_event_kind kind,
                       uint32_t index)
{
    struct sim_event e = {at_us, (uint64_t)class << 62 | ++q->made, kind, index};
    size_t i;

    base_array_grow(&q->v, q->n, &q->cap);
    for (i = q->n++; i > 0; i = (i - 1) / CHILDREN) {
        const struct sim_event *parent = &q->v[(i - 1) / CHILDREN];

        if (!before(&e, parent))
            break;
        q->v[i] = *parent;
    }
    q->v[i] = e;
    return e.order;
}

static size_t first_child(const struct sim_queue *q, size_t i)
{
    size_t child = i * CHILDREN + 1, end = child + CHILDREN < q->n ? child + CHILDREN : q->n, best = child;

    for (size_t j = child + 1; j < end; j++)
        if (before(&q->v[j], &q->v[best]))
            best = j;
    return best;
}

struct sim_event sim_queue_take(struct sim_queue *q)
{
    struct sim_event first = q->v[0], last = q->v[--q->n];
    size_t i = 0;

    while (i * CHILDREN + 1 < q->n) {
        size_t child = first_child(q, i);

        if (!before(&q->v[child], &last))
            break;
        q->v[i] = q->v[child];
        i = child;
    }
    if (q->n)
        q->v[i] = last;
    return first;
}

void sim_queue_free(struct sim_queue *q)
{
    free(q->v);
    *q = (struct sim_queue){0};
}
