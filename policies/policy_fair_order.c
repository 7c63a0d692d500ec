#include "policies/policy_fair_order.h"

#include <stdlib.h>
#include <string.h>

#include "base/base_error.h"
#include "base/base_mem.h"

#define CHUNK 40 /* entries: a move touches at most a kilobyte */

struct entry {
    int64_t key, submit_us;
    struct policy_link *l;
};
struct fair_chunk {
    size_t n; /* 0 only in the last one left */
    struct entry e[CHUNK];
};

static bool tie_before(const struct policy_link *a, const struct policy_link *b)
{
    return a->cluster_ts != b->cluster_ts ? a->cluster_ts < b->cluster_ts : a->seq < b->seq;
}

/* Is @e before @l with @key? */
static bool before(const struct entry *e, const struct policy_link *l, int64_t key)
{
    if (e->key != key)
        return e->key < key;
    if (e->submit_us != l->submit_us)
        return e->submit_us < l->submit_us;
    return e->l != l && tie_before(e->l, l);
}

/* The chunk in which @l with @key is or belongs. */
static size_t chunk_of(const struct fair_order *o, const struct policy_link *l, int64_t key)
{
    size_t low = 0, high = o->chunks;

    while (high - low > 1) {
        size_t mid = low + (high - low) / 2;

        if (before(&o->v[mid]->e[0], l, key) || o->v[mid]->e[0].l == l)
            low = mid;
        else
            high = mid;
    }
    return low;
}

/* Entries before @l with @key. */
static size_t place_in(const struct fair_chunk *c, const struct policy_link *l, int64_t key)
{
    size_t low = 0, high = c->n;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (before(&c->e[mid], l, key))
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static struct fair_chunk *chunk_add(struct fair_order *o, size_t at)
{
    struct fair_chunk *c = o->spare ? o->spare : base_alloc(sizeof *c);

    o->spare = NULL;
    c->n = 0;
    base_array_grow(&o->v, o->chunks, &o->cap);
    memmove(o->v + at + 1, o->v + at, (o->chunks - at) * sizeof(struct fair_chunk *));
    o->v[at] = c;
    o->chunks++;
    return c;
}

static void chunk_drop(struct fair_order *o, size_t at)
{
    free(o->spare);
    o->spare = o->v[at];
    o->chunks--;
    memmove(o->v + at, o->v + at + 1, (o->chunks - at) * sizeof(struct fair_chunk *));
}

static void put(struct fair_order *o, struct policy_link *l, int64_t key)
{
    size_t at = o->chunks ? chunk_of(o, l, key) : 0, pos;
    struct fair_chunk *c = o->chunks ? o->v[at] : chunk_add(o, 0);

    if (c->n == CHUNK) {
        struct fair_chunk *right = chunk_add(o, at + 1);

        right->n = CHUNK / 2;
        c->n -= right->n;
        memcpy(right->e, c->e + c->n, right->n * sizeof *c->e);
        if (before(&right->e[0], l, key))
            c = right;
    }
    pos = place_in(c, l, key);
    memmove(c->e + pos + 1, c->e + pos, (c->n - pos) * sizeof *c->e);
    c->e[pos] = (struct entry){key, l->submit_us, l};
    c->n++;
    l->key = key;
}

static void take(struct fair_order *o, size_t at, size_t pos)
{
    struct fair_chunk *c = o->v[at], *next = at + 1 < o->chunks ? o->v[at + 1] : NULL;

    c->n--;
    memmove(c->e + pos, c->e + pos + 1, (c->n - pos) * sizeof *c->e);
    if (c->n == 0 && o->chunks > 1) {
        chunk_drop(o, at);
    } else if (next && c->n + next->n <= CHUNK / 2) {
        memcpy(c->e + c->n, next->e, next->n * sizeof *c->e);
        c->n += next->n;
        chunk_drop(o, at + 1);
    }
}

void fair_order_insert(struct fair_order *o, struct policy_link *l, int64_t key)
{
    base_assert(!l->linked);
    put(o, l, key);
    l->linked = true;
}

static size_t find(const struct fair_order *o, const struct policy_link *l, size_t *pos)
{
    size_t at = chunk_of(o, l, l->key);

    *pos = place_in(o->v[at], l, l->key);
    base_assert(*pos < o->v[at]->n && o->v[at]->e[*pos].l == l);
    return at;
}

void fair_order_remove(struct fair_order *o, struct policy_link *l)
{
    size_t pos, at;

    base_assert(l->linked);
    at = find(o, l, &pos);
    take(o, at, pos);
    l->linked = false;
}

void fair_order_move(struct fair_order *o, struct policy_link *l, int64_t key)
{
    size_t pos, at;
    struct fair_chunk *c;

    if (l->key == key)
        return;
    at = find(o, l, &pos);
    c = o->v[at];
    if ((key < l->key && at > 0 && !before(&c->e[0], l, key)) ||
        (key > l->key && at + 1 < o->chunks && before(&o->v[at + 1]->e[0], l, key))) {
        take(o, at, pos);
        put(o, l, key);
        return;
    }
    for (; pos + 1 < c->n && before(&c->e[pos + 1], l, key); pos++)
        c->e[pos] = c->e[pos + 1];
    for (; pos > 0 && !before(&c->e[pos - 1], l, key); pos--)
        c->e[pos] = c->e[pos - 1];
    c->e[pos] = (struct entry){key, l->submit_us, l};
    l->key = key;
}

struct policy_link *fair_order_first(const struct fair_order *o)
{
    return o->chunks && o->v[0]->n ? o->v[0]->e[0].l : NULL;
}

struct policy_link *fair_order_next(const struct fair_order *o, const struct policy_link *l)
{
    size_t at, pos;

    if (!o->chunks)
        return NULL;
    at = chunk_of(o, l, l->key);
    pos = place_in(o->v[at], l, l->key);
    if (pos < o->v[at]->n && o->v[at]->e[pos].l == l)
        pos++;
    if (pos < o->v[at]->n)
        return o->v[at]->e[pos].l;
    return at + 1 < o->chunks ? o->v[at + 1]->e[0].l : NULL;
}

void fair_order_free(struct fair_order *o)
{
    for (size_t i = 0; i < o->chunks; i++)
        free(o->v[i]);
    free(o->v);
    free(o->spare);
    *o = (struct fair_order){0};
}
