#include "nodemanager/container/logs/ended_logs.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"

#define CAP_FIRST 64

static struct nm_ended_app *entry_at(const struct nm_ended_logs *r, size_t i)
{
    return &r->v[(r->head + i) % r->cap];
}

void nm_ended_logs_free(struct nm_ended_logs *r)
{
    free(r->v);
    memset(r, 0, sizeof *r);
}

static void double_ring(struct nm_ended_logs *r)
{
    size_t cap = r->cap ? r->cap * 2 : CAP_FIRST;
    struct nm_ended_app *v = base_realloc_array(NULL, cap, sizeof *v);
    for (size_t i = 0; i < r->len; i++)
        v[i] = *entry_at(r, i);
    free(r->v);
    r->v = v;
    r->cap = cap;
    r->head = 0;
}

void nm_ended_logs_add(struct nm_ended_logs *r, const struct base_app_id *app, int64_t ended_s)
{
    if (r->len == r->cap)
        double_ring(r);
    size_t i = r->len++;
    for (; i > 0 && entry_at(r, i - 1)->ended_s > ended_s; i--)
        *entry_at(r, i) = *entry_at(r, i - 1);
    *entry_at(r, i) = (struct nm_ended_app){.app = *app, .ended_s = ended_s};
}

static int compare_end(const void *a, const void *b)
{
    const struct nm_ended_app *x = a, *y = b;
    if (x->ended_s != y->ended_s)
        return x->ended_s < y->ended_s ? -1 : 1;
    return base_app_id_cmp(&x->app, &y->app);
}

void nm_ended_logs_add_scanned(struct nm_ended_logs *r, struct nm_ended_app *v, size_t n)
{
    struct nm_ended_logs later = *r;
    if (n > 1)
        qsort(v, n, sizeof *v, compare_end);
    memset(r, 0, sizeof *r);
    for (size_t i = 0; i < n; i++)
        nm_ended_logs_add(r, &v[i].app, v[i].ended_s);
    for (size_t i = 0; i < later.len; i++)
        nm_ended_logs_add(r, &entry_at(&later, i)->app, entry_at(&later, i)->ended_s);
    nm_ended_logs_free(&later);
}

const struct nm_ended_app *nm_ended_logs_oldest(const struct nm_ended_logs *r)
{
    return r->len ? entry_at(r, 0) : NULL;
}

void nm_ended_logs_drop_oldest_entry(struct nm_ended_logs *r)
{
    base_assert(r->len > 0);
    r->head = (r->head + 1) % r->cap;
    r->len--;
}
