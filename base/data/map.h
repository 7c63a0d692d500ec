/* base/data/map.h - hash table of pointers to objects that contain their own keys.
 *
 * Open addressing with linear probing, at most half full. The table stores the hash of each key
 * beside the pointer, so that most mismatches are found without reading the object. The caller
 * computes the hash, and passes the same one to find, put and remove. A map that is all zero is
 * empty. */
#ifndef CREEL_BASE_DATA_MAP_H
#define CREEL_BASE_DATA_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct base_map {
    struct base_map_slot {
        uint64_t hash;
        void *object; /* NULL: the slot is free */
    } * slot;
    size_t n, cap; /* number of objects; number of slots, 0 or a power of two */
};
/* Returns true when @key is the key of @object. */
typedef bool base_map_eq(const void *object, const void *key);

/* Returns the object with @key, or NULL. Inline, so that @eq becomes part of the loop. */
static inline void *base_map_find(const struct base_map *m, uint64_t hash, base_map_eq *eq,
                                  const void *key)
{
    if (!m->cap)
        return NULL;
    for (size_t i = hash & (m->cap - 1); m->slot[i].object; i = (i + 1) & (m->cap - 1))
        if (m->slot[i].hash == hash && eq(m->slot[i].object, key))
            return m->slot[i].object;
    return NULL;
}
/* Adds @object, whose key must not be in the map yet. Allocates only to grow. */
void base_map_add(struct base_map *m, uint64_t hash, void *object);
void base_map_remove(struct base_map *m, uint64_t hash, const void *object); /* must be in @m */
void base_map_free(struct base_map *m); /* frees the slots, not the objects; @m is empty then */

uint64_t base_hash_text(const char *s);
/* Spreads each bit of @x over all bits of the result. SOURCE: the finalizer of SplitMix64 (Steele,
 * Lea, Flood, OOPSLA 2014). */
static inline uint64_t base_hash_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

#endif
