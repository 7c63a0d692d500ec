#include "rm/core/step_memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/data/heap.h"
#include "base/error.h"

#define CHUNK_SIZE   ((size_t)64 * 1024)
#define SLAB_OBJECTS 256

/* ---------------------------------------------------------------- scratch
 * A list of chunks, filled in order: @now is being filled, and the chunks after it are free. When a
 * request does not fit into @now, the first free chunk that is large enough is moved right after it
 * and becomes the current one; smaller free chunks stay in the list for later. Chunk sizes are
 * powers of two, so steps with similar needs find chunks of every size, in whatever order they ask.
 * The reset frees the memory of a rare large record (RM_STEPS_CHUNK_KEPT, RM_STEPS_KEPT); the usual
 * step allocates nothing. */
struct rm_chunk {
    struct rm_chunk *next;
    size_t size, used;
    _Alignas(16) char data[];
};

static struct rm_chunk *chunk_new(struct rm_step_arena *a, size_t size)
{
    struct rm_chunk *c;
    size_t room = CHUNK_SIZE;

    while (room < size)
        room *= 2;
    c = base_realloc_array(NULL, sizeof *c + room, 1);
    c->size = room;
    a->held += room;
    a->grown = true;
    return c;
}

/* Makes a free chunk of at least @size bytes the current one, allocating it if necessary, and
 * returns it. */
static struct rm_chunk *chunk_make_current(struct rm_step_arena *a, size_t size)
{
    struct rm_chunk **after = a->now ? &a->now->next : &a->first, **at = after, *c;

    while (*at && (*at)->size < size)
        at = &(*at)->next;
    c = *at;
    if (c)
        *at = c->next;
    else
        c = chunk_new(a, size);
    c->used = 0;
    c->next = *after;
    *after = c;
    a->now = c;
    return c;
}

void *rm_step_arena_alloc(struct rm_step_arena *a, size_t size)
{
    struct rm_chunk *c = a->now;
    void *p;

    size = (size + 15) & ~(size_t)15;
    if (!c || c->size - c->used < size)
        c = chunk_make_current(a, size);
    p = c->data + c->used;
    c->used += size;
    return p;
}

void rm_step_arena_reset(struct rm_step_arena *a)
{
    size_t kept = 0;

    a->now = NULL;
    if (!a->grown) /* unchanged since the last reset */
        return;
    a->grown = false;
    for (struct rm_chunk **at = &a->first, *c; (c = *at);) {
        if (c->size <= RM_STEPS_CHUNK_KEPT && kept + c->size <= RM_STEPS_KEPT) {
            kept += c->size;
            at = &c->next;
            continue;
        }
        *at = c->next;
        free(c);
    }
    a->held = kept;
}

void rm_step_arena_free(struct rm_step_arena *a)
{
    for (struct rm_chunk *c = a->first, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    *a = (struct rm_step_arena){0};
}

/* ---------------------------------------------------------------- names */
struct rm_name {
    uint32_t index, holds;
    char text[];
};

static bool name_has_text(const void *object, const void *key)
{
    return strcmp(((const struct rm_name *)object)->text, key) == 0;
}

uint32_t rm_names_find(const struct rm_names *t, const char *name)
{
    const struct rm_name *e = base_map_find(&t->map, base_hash_text(name), name_has_text, name);

    return e ? e->index : UINT32_MAX;
}

uint32_t rm_names_add(struct rm_names *t, const char *name)
{
    uint64_t hash = base_hash_text(name);
    struct rm_name *e = base_map_find(&t->map, hash, name_has_text, name);
    size_t len;

    if (e)
        return e->index;
    len = strlen(name);
    e = base_alloc(sizeof *e + len + 1);
    memcpy(e->text, name, len + 1);
    if (t->free_n) {
        e->index = t->free[--t->free_n];
    } else {
        base_array_grow(&t->v, t->n, &t->cap);
        e->index = (uint32_t)t->n++;
    }
    t->v[e->index] = e->text;
    base_map_add(&t->map, hash, e);
    return e->index;
}

uint32_t rm_names_add_bounded(struct rm_names *t, const char *name, size_t max)
{
    return t->map.n < max ? rm_names_add(t, name) : rm_names_find(t, name);
}

static struct rm_name *name_at(const struct rm_names *t, uint32_t index)
{
    base_assert(index < t->n && t->v[index]);
    return (struct rm_name *)(void *)(t->v[index] - offsetof(struct rm_name, text));
}

void rm_names_ref(struct rm_names *t, uint32_t index)
{
    name_at(t, index)->holds++;
}

bool rm_names_unref(struct rm_names *t, uint32_t index)
{
    struct rm_name *e = name_at(t, index);

    base_assert(e->holds > 0);
    if (--e->holds)
        return false;
    base_map_remove(&t->map, base_hash_text(e->text), e);
    base_array_grow(&t->free, t->free_n, &t->free_cap);
    t->free[t->free_n++] = index;
    t->v[index] = NULL;
    free(e);
    return true;
}

void rm_names_free(struct rm_names *t)
{
    for (size_t i = 0; i < t->n; i++)
        if (t->v[i])
            free(t->v[i] - offsetof(struct rm_name, text));
    free(t->v);
    free(t->free);
    base_map_free(&t->map);
    *t = (struct rm_names){0};
}

/* ---------------------------------------------------------------- pool */
void *rm_pool_get(struct rm_pool *p)
{
    void *o = p->free;

    if (o) {
        memcpy(&p->free, o, sizeof p->free);
        memset(o, 0, p->size);
        return o;
    }
    if (!p->fresh) {
        base_array_grow(&p->slabs, p->slabs_n, &p->slabs_cap);
        p->slabs[p->slabs_n++] = base_alloc(p->size * SLAB_OBJECTS);
        p->fresh = SLAB_OBJECTS;
    }
    return (char *)p->slabs[p->slabs_n - 1] + p->size * --p->fresh;
}

void rm_pool_put(struct rm_pool *p, void *o)
{
    memcpy(o, &p->free, sizeof p->free);
    p->free = o;
}

void rm_pool_free(struct rm_pool *p)
{
    for (size_t i = 0; i < p->slabs_n; i++)
        free(p->slabs[i]);
    free(p->slabs);
    *p = (struct rm_pool){.size = p->size};
}

/* ---------------------------------------------------------------- timers */
static bool is_due_before(const struct rm_timer *a, const struct rm_timer *b)
{
    return a->at_us != b->at_us ? a->at_us < b->at_us : a->order < b->order;
}

#define SET_PLACE(timer, index) ((timer)->place = (index) + 1)
/* Moves the timer at an index up or down the heap to where it belongs. */
BASE_HEAP_SIFT(restore_heap_order, struct rm_timer *, is_due_before, SET_PLACE)

void rm_timer_set(struct rm_timers *h, struct rm_timer *t, int64_t at_us)
{
    t->at_us = at_us;
    t->order = ++h->order;
    if (!t->place) {
        base_array_grow(&h->v, h->n, &h->cap);
        h->v[h->n++] = t;
        t->place = h->n;
    }
    restore_heap_order(h->v, h->n, t->place - 1);
}

void rm_timer_cancel(struct rm_timers *h, struct rm_timer *t)
{
    size_t i;

    if (!t->place)
        return;
    i = t->place - 1;
    t->place = 0;
    if (i != --h->n) {
        h->v[i] = h->v[h->n];
        restore_heap_order(h->v, h->n, i);
    }
}
