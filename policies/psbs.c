#include "policies/psbs.h"

#include <math.h>
#include <stdlib.h>

#include "base/base_error.h"
#include "base/base_mem.h"

void psbs_init(struct psbs *p, double speed, double now_us)
{
    base_assert(speed > 0);
    *p = (struct psbs){.speed = speed, .now_us = now_us};
}

void psbs_free(struct psbs *p)
{
    free(p->waiting.v);
    free(p->early.v);
    *p = (struct psbs){0};
}

static bool before(const struct psbs_entry *a, const struct psbs_entry *b)
{
    return a->key != b->key ? a->key < b->key : a->seq < b->seq;
}

static void put(struct psbs_heap *h, size_t at, struct psbs_entry e)
{
    h->v[at] = e;
    if (e.job)
        e.job->at = at;
}

/* Puts @e where it belongs, starting from the hole @at. */
static void sift(struct psbs_heap *h, size_t at, struct psbs_entry e)
{
    size_t child;

    while (at > 0 && before(&e, &h->v[(at - 1) / 2])) {
        put(h, at, h->v[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    while ((child = 2 * at + 1) < h->len) {
        if (child + 1 < h->len && before(&h->v[child + 1], &h->v[child]))
            child++;
        if (!before(&h->v[child], &e))
            break;
        put(h, at, h->v[child]);
        at = child;
    }
    put(h, at, e);
}

static void push(struct psbs_heap *h, struct psbs_entry e)
{
    base_array_grow(&h->v, h->len, &h->cap);
    sift(h, h->len++, e);
}

static struct psbs_entry take(struct psbs_heap *h, size_t at)
{
    struct psbs_entry e = h->v[at], last = h->v[--h->len];

    if (at < h->len)
        sift(h, at, last);
    return e;
}

/* The heap with the smallest key; NULL: nobody is virtually unfinished. */
static const struct psbs_heap *smallest(const struct psbs *p)
{
    if (!p->waiting.len)
        return p->early.len ? &p->early : NULL;
    if (!p->early.len)
        return &p->waiting;
    return before(&p->early.v[0], &p->waiting.v[0]) ? &p->early : &p->waiting;
}

double psbs_next_us(const struct psbs *p)
{
    const struct psbs_heap *h = smallest(p);
    double lag;

    if (!h)
        return INFINITY;
    lag = h->v[0].key - p->lag;
    return p->now_us + (lag > 0 ? lag * p->weights / p->speed : 0);
}

static void becomes_late(struct psbs *p, struct psbs_job *job)
{
    job->late = true;
    job->finish_us = p->now_us;
    job->next = NULL;
    job->prev = p->late_last;
    if (p->late_last)
        p->late_last->next = job;
    else
        p->late = job;
    p->late_last = job;
    p->late_weights += job->weight;
    p->late_n++;
}

/* The job with the smallest key is virtually over now. */
static void pop(struct psbs *p)
{
    struct psbs_entry e = take(smallest(p) == &p->early ? &p->early : &p->waiting, 0);

    p->lag = e.key;
    p->weights -= e.weight;
    if (!smallest(p))
        p->weights = 0;
    if (e.job)
        becomes_late(p, e.job);
}

void psbs_advance(struct psbs *p, double now_us)
{
    double next;

    while ((next = psbs_next_us(p)) <= now_us) {
        p->now_us = next > p->now_us ? next : p->now_us;
        pop(p);
    }
    if (now_us <= p->now_us)
        return;
    if (p->weights > 0)
        p->lag += (now_us - p->now_us) * p->speed / p->weights;
    p->now_us = now_us;
}

void psbs_arrive(struct psbs *p, struct psbs_job *job, double size_us, double weight)
{
    base_assert(weight > 0 && size_us >= 0);
    *job = (struct psbs_job){.weight = weight};
    push(&p->waiting, (struct psbs_entry){p->lag + size_us / weight, weight, p->seq++, job});
    p->weights += weight;
    psbs_advance(p, p->now_us);
}

void psbs_end(struct psbs *p, struct psbs_job *job)
{
    struct psbs_entry e;

    if (!job->late) {
        e = take(&p->waiting, job->at);
        e.job = NULL;
        push(&p->early, e);
        return;
    }
    *(job->prev ? &job->prev->next : &p->late) = job->next;
    *(job->next ? &job->next->prev : &p->late_last) = job->prev;
    p->late_weights = --p->late_n ? p->late_weights - job->weight : 0;
}

struct psbs_job *psbs_first(const struct psbs *p)
{
    return p->waiting.len ? p->waiting.v[0].job : NULL;
}
