#include "rm/core/master/waiting.h"

#include <stdlib.h>

#include "base/data/heap.h"
#include "base/mem.h"
#include "rm/core/app/app.h"

static bool has_earlier_turn(const struct rm_app *a, const struct rm_app *b)
{
    if (a->wait_priority != b->wait_priority)
        return a->wait_priority > b->wait_priority;
    return a->wait_number < b->wait_number;
}

#define SET_PLACE(app, index) ((app)->wait_at = (index))
BASE_HEAP_SIFT(restore_heap_order, struct rm_app *, has_earlier_turn, SET_PLACE)

struct rm_app *rm_waiting_masters_first(const struct rm_waiting *w)
{
    return w->n ? w->v[0] : NULL;
}

void rm_waiting_masters_put(struct rm_waiting *w, struct rm_app *a, uint64_t arrival)
{
    base_assert(!a->waits);
    a->waits = true;
    a->wait_number = arrival;
    a->wait_priority = a->pj.priority;
    base_array_grow(&w->v, w->n, &w->cap);
    w->v[w->n++] = a;
    restore_heap_order(w->v, w->n, w->n - 1);
}

void rm_waiting_masters_remove(struct rm_waiting *w, struct rm_app *a)
{
    size_t at = a->wait_at;

    base_assert(a->waits && at < w->n && w->v[at] == a);
    a->waits = false;
    w->v[at] = w->v[--w->n];
    if (at < w->n)
        restore_heap_order(w->v, w->n, at);
}

void rm_waiting_masters_free(struct rm_waiting *w)
{
    free(w->v);
    *w = (struct rm_waiting){0};
}
