/* rm/core/step_memory.h - the core's own memory: scratch of one step, names, pools, timers.
 * After its high-water mark is reached nothing here allocates, except for records of a rare
 * size. */
#ifndef CREEL_RM_CORE_STEP_MEMORY_H
#define CREEL_RM_CORE_STEP_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/data/map.h"
#include "base/mem.h"

#define RM_NONE UINT32_MAX /* no name, node, host, rack or queue */

/* Bump memory, reset at the beginning of each step. A reset keeps chunks for the next step, but
 * none above RM_STEPS_CHUNK_KEPT bytes and at most RM_STEPS_KEPT in all. */
#define RM_STEPS_CHUNK_KEPT ((size_t)1 << 20)
#define RM_STEPS_KEPT       ((size_t)16 << 20)
struct rm_step_arena {
    struct rm_chunk *first, *now; /* now: NULL after a reset */
    size_t held;                  /* bytes in all chunks */
    bool grown;                   /* a chunk was made since the last reset */
};
void *rm_step_arena_alloc(struct rm_step_arena *a, size_t size);
void rm_step_arena_reset(struct rm_step_arena *a);
void rm_step_arena_free(struct rm_step_arena *a);

/* Names as small integers. A name stays for good, unless somebody held it: then until the last
 * one has dropped it. Its number is given to another name after that. */
struct rm_names {
    char **v;            /* NULL: such a number that is free */
    size_t n, cap;       /* numbers are below n; names: map.n */
    struct base_map map; /* of struct rm_name */
    uint32_t *free;
    size_t free_n, free_cap;
};
uint32_t rm_names_add(struct rm_names *t, const char *name);
/* UINT32_MAX: full. */
uint32_t rm_names_add_bounded(struct rm_names *t, const char *name, size_t max);
/* UINT32_MAX: unknown. */
uint32_t rm_names_find(const struct rm_names *t, const char *name);
void rm_names_ref(struct rm_names *t, uint32_t index);
bool rm_names_unref(struct rm_names *t, uint32_t index); /* true: it is gone */
void rm_names_free(struct rm_names *t);

/* Objects of one size. */
struct rm_pool {
    size_t size;
    void *free;
    void **slabs;
    size_t slabs_n, slabs_cap, fresh; /* fresh: unused objects left in the last slab */
};
void *rm_pool_get(struct rm_pool *p); /* zeroed */
void rm_pool_put(struct rm_pool *p, void *o);
void rm_pool_free(struct rm_pool *p);

/* Timers in a heap; ties by the order of setting. */
enum rm_timer_kind {
    RM_TIMER_NODE_HOLD,
    RM_TIMER_NODE_EXPIRY,
    RM_TIMER_AM,
    RM_TIMER_UNSTARTED,
    RM_TIMER_POLICY,
    RM_TIMER_GRACE,
    RM_TIMER_TRIM,
    RM_TIMER_GONE
};
struct rm_timer {
    int64_t at_us;
    uint64_t order;
    size_t place; /* 0: not set; else index + 1 */
    enum rm_timer_kind kind;
    void *owner;
};
struct rm_timers {
    struct rm_timer **v;
    size_t n, cap;
    uint64_t order;
};
void rm_timer_set(struct rm_timers *h, struct rm_timer *t, int64_t at_us);
void rm_timer_cancel(struct rm_timers *h, struct rm_timer *t);

#endif
