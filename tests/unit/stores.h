/* tests/unit/stores.h - stores for tests, found by name as the daemon finds them. */
#ifndef CREEL_TESTS_UNIT_STORES_H
#define CREEL_TESTS_UNIT_STORES_H

#include <stdio.h>

#include "base/mem.h"
#include "ha/store/store.h"

__attribute__((weak)) unsigned stores_generation; /* one for all files of the program */

static inline const struct ha_store_ops *store_kind(const char *name)
{
    const struct ha_store_ops *ops = NULL;

    base_assert(ha_store_choose(name, false, &ops, NULL) == 0 ||
                ha_store_choose(name, true, &ops, NULL) == 0);
    return ops;
}

/* From now on the names of memory stores stand for new, empty stores. */
static inline void stores_forget(void)
{
    stores_generation++;
}

/* Returns the place of the memory store called @name; valid until the thread's next call. */
static inline const char *memory_place(const char *name)
{
    static __thread char place[64];

    snprintf(place, sizeof place, "%s %u", name, stores_generation);
    return place;
}

static inline struct ha_store *memory_open(const char *name, int64_t *epoch)
{
    struct ha_store *store = NULL;

    base_assert(
        ha_store_open(store_kind("memory"), memory_place(name), NULL, &store, epoch, NULL) == 0);
    return store;
}

#endif
