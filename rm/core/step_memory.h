/* rm/core/step_memory.h - the core's own memory: scratch of one step, hash tables, names, pools,
 * timers. Nothing here allocates once its high-water mark is reached, but for records of a rare
 * size. */
#ifndef CREEL_RM_CORE_STEP_MEMORY_H
#define CREEL_RM_CORE_STEP_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"

#define RM_NONE UINT32_MAX /* no name, node, host, rack or queue */

/* Bump memory, reset at the beginning of each step. A reset keeps chunks for the next step, but
 * none above RM_STEPS_CHUNK_KEPT bytes and at most RM_STEPS_KEPT in all. */
#define RM_STEPS_CHUNK_KEPT ((size_t)1 << 20)
#define RM_STEPS_KEPT       ((size_t)16 << 20)
struct rm_arena_steps {
    struct rm_chunk *first, *now; /* now: NULL after a reset */
    size_t held;                  /* bytes in all chunks */
    bool grown;                   /* a chunk was made since the last reset */
};
void *rm_steps_alloc(struct rm_arena_steps *a, size_t size);
void rm_steps_reset(struct rm_arena_steps *a);
void rm_steps_free(struct rm_arena_steps *a);

/* Open addressing with linear probing; values are pointers to objects that know their key. */
struct rm_map {
    struct rm_place {
        uint64_t hash;
        void *p;
    } * v;
    size_t n, cap; /* power of two */
};
typedef bool rm_map_eq(const void *object, const void *key);
void *rm_map_find(const struct rm_map *m, uint64_t hash, rm_map_eq *eq, const void *key);
void rm_map_put(struct rm_map *m, uint64_t hash, void *p); /* the key must not be there */
void rm_map_remove(struct rm_map *m, uint64_t hash, const void *p);
void rm_map_free(struct rm_map *m);
uint64_t rm_hash_text(const char *s);
static inline uint64_t rm_hash_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* Names as small integers. A name stays for good, unless somebody held it: then until the last
 * one has dropped it. Its number is given to another name after that. */
struct rm_names {
    char **v;          /* NULL: such a number that is free */
    size_t n, cap;     /* numbers are below n; names: map.n */
    struct rm_map map; /* of struct rm_name */
    uint32_t *free;
    size_t free_n, free_cap;
};
uint32_t rm_names_add(struct rm_names *t, const char *name);
/* UINT32_MAX: full. */
uint32_t rm_names_add_bounded(struct rm_names *t, const char *name, size_t max);
/* UINT32_MAX: unknown. */
uint32_t rm_names_find(const struct rm_names *t, const char *name);
void rm_names_hold(struct rm_names *t, uint32_t index);
bool rm_names_drop(struct rm_names *t, uint32_t index); /* true: it is gone */
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
