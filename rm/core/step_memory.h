/* rm/core/step_memory.h - the core's data structures: memory of one step, names, pools, timers.
 * Once their high-water marks are reached, only new names and unusually large records allocate
 * memory. */
#ifndef CREEL_RM_CORE_STEP_MEMORY_H
#define CREEL_RM_CORE_STEP_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/data/map.h"
#include "base/mem.h"

#define RM_NONE UINT32_MAX /* no name, node, host, rack or queue */

/* Arena that is reset at the beginning of each step. A reset keeps chunks for the next step, but no
 * chunk above RM_STEPS_CHUNK_KEPT bytes and at most RM_STEPS_KEPT bytes in all. */
#define RM_STEPS_CHUNK_KEPT ((size_t)1 << 20)
#define RM_STEPS_KEPT       ((size_t)16 << 20)
struct rm_step_arena {
    struct rm_chunk *first, *now; /* now: the chunk being filled; NULL after a reset */
    size_t held;                  /* bytes in all chunks */
    bool grown;                   /* a chunk was made since the last reset */
};
/* Returns uninitialised memory, aligned to 16 bytes, that is valid until the reset. */
void *rm_step_arena_alloc(struct rm_step_arena *a, size_t size);
void rm_step_arena_reset(struct rm_step_arena *a);
void rm_step_arena_free(struct rm_step_arena *a);

/* Names as small integers. A name that was never referenced stays for good; a referenced name is
 * removed when its last reference is dropped, and its number is given to another name later. */
struct rm_names {
    char **v;            /* the names by number; NULL: the number is free */
    size_t n, cap;       /* numbers are below n; there are map.n names */
    struct base_map map; /* of struct rm_name */
    uint32_t *free;
    size_t free_n, free_cap;
};
/* Returns the number of @name, which is added when it is new. */
uint32_t rm_names_add(struct rm_names *t, const char *name);
/* The same, but returns UINT32_MAX instead of adding a name when there are @max. */
uint32_t rm_names_add_bounded(struct rm_names *t, const char *name, size_t max);
/* Returns the number of @name; UINT32_MAX: unknown. */
uint32_t rm_names_find(const struct rm_names *t, const char *name);
void rm_names_ref(struct rm_names *t, uint32_t index);
/* Drops a reference. Returns true when that was the last one, and the name was removed. */
bool rm_names_unref(struct rm_names *t, uint32_t index);
void rm_names_free(struct rm_names *t);

/* Objects of one size, allocated in slabs and reused. */
struct rm_pool {
    size_t size;
    void *free;
    void **slabs;
    size_t slabs_n, slabs_cap, fresh; /* fresh: unused objects left in the last slab */
};
void *rm_pool_get(struct rm_pool *p); /* returns a zeroed object */
void rm_pool_put(struct rm_pool *p, void *o);
void rm_pool_free(struct rm_pool *p);

/* Timers in a heap by time; equal times in the order in which they were set. */
enum rm_timer_kind {
    RM_TIMER_NODE_HOLD,
    RM_TIMER_NODE_EXPIRY,
    RM_TIMER_NODE_DECOMMISSION,
    RM_TIMER_NODE_OVERCOMMIT,
    RM_TIMER_AM,
    RM_TIMER_JOB_ABORT,
    RM_TIMER_STEP_LIMIT,
    RM_TIMER_UNSTARTED,
    RM_TIMER_POLICY,
    RM_TIMER_GRACE,
    RM_TIMER_TRIM,
    RM_TIMER_GONE,
    RM_TIMER_ACTIVITY,
    RM_TIMER_LIFETIME,
    RM_TIMER_RESERVATION
};
struct rm_timer {
    int64_t at_us;
    uint64_t order;
    size_t place; /* index in the heap + 1; 0: not set */
    enum rm_timer_kind kind;
    void *owner;
};
struct rm_timers {
    struct rm_timer **v;
    size_t n, cap;
    uint64_t order;
};
/* Sets @t to @at_us, whether or not it is set already. */
void rm_timer_set(struct rm_timers *h, struct rm_timer *t, int64_t at_us);
/* Does nothing to a timer that is not set. */
void rm_timer_cancel(struct rm_timers *h, struct rm_timer *t);

#endif
