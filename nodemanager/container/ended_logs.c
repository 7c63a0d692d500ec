/* nodemanager/container/ended_logs.c - see the header. */
#include "nodemanager/container/ended_logs.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"

#define CAP_FIRST 64

static struct nm_retained *at(const struct nm_retain *r, size_t i)
{
    return &r->v[(r->head + i) % r->cap];
}

void nm_retain_free(struct nm_retain *r)
{
    free(r->v);
    memset(r, 0, sizeof *r);
}

static void grow(struct nm_retain *r)
{
    size_t cap = r->cap ? r->cap * 2 : CAP_FIRST;
    struct nm_retained *v = base_realloc_array(NULL, cap, sizeof *v);
    for (size_t i = 0; i < r->len; i++)
        v[i] = *at(r, i);
    free(r->v);
    r->v = v;
    r->cap = cap;
    r->head = 0;
}

void nm_retain_add(struct nm_retain *r, const struct base_app_id *app, int64_t ended_s)
{
    if (r->len == r->cap)
        grow(r);
    size_t i = r->len++;
    for (; i > 0 && at(r, i - 1)->ended_s > ended_s; i--)
        *at(r, i) = *at(r, i - 1);
    *at(r, i) = (struct nm_retained){.app = *app, .ended_s = ended_s};
}

static int by_end(const void *a, const void *b)
{
    const struct nm_retained *x = a, *y = b;
    if (x->ended_s != y->ended_s)
        return x->ended_s < y->ended_s ? -1 : 1;
    return base_app_id_cmp(&x->app, &y->app);
}

void nm_retain_seed(struct nm_retain *r, struct nm_retained *v, size_t n)
{
    struct nm_retain later = *r;
    if (n > 1)
        qsort(v, n, sizeof *v, by_end);
    memset(r, 0, sizeof *r);
    for (size_t i = 0; i < n; i++)
        nm_retain_add(r, &v[i].app, v[i].ended_s);
    for (size_t i = 0; i < later.len; i++)
        nm_retain_add(r, &at(&later, i)->app, at(&later, i)->ended_s);
    nm_retain_free(&later);
}

const struct nm_retained *nm_retain_first(const struct nm_retain *r)
{
    return r->len ? at(r, 0) : NULL;
}

void nm_retain_pop(struct nm_retain *r)
{
    base_assert(r->len > 0);
    r->head = (r->head + 1) % r->cap;
    r->len--;
}
