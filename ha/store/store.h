/* ha/store/store.h - the state store behind one small table of functions. Backends: SQLite (alone), memory (tests),
 * ZooKeeper (high availability: ha/election/service.h).
 *
 * What it holds: records (table, key) -> bytes, which only the scheduling core understands, and the epoch.
 * The epoch is 0 when the store is made and is raised by one, durably, at every later open: who holds the store open
 * is the only one who writes under that epoch (SQLite: an exclusive lock for the life of the process).
 *
 * Durability: write() applies the batch in order and returns 0 only when it would survive a power cut. SQLite and memory
 * apply all of it or nothing; ZooKeeper may leave a prefix when the process dies or is deposed. After -BASE_ENOSPC or
 * -BASE_EIO the caller may try the same batch again. -BASE_EVERSION: another has authority, nothing can be written any
 * more (ZooKeeper alone).
 * Threads: one at a time. */
#ifndef CREEL_HA_STORE_STORE_H
#define CREEL_HA_STORE_STORE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct ha_store; /* one open store; its first member is const struct ha_store_ops * */

/* Upsert (data != NULL) or removal (data == NULL; an absent record is fine) of (table, key). */
struct ha_record {
    const char *table, *key;
    const char *data;
    size_t len;
};
/* Called for each record of a table, in key order; @rec is borrowed for the call, data is NUL-terminated beyond len.
 * A negative return stops the load and is returned by it. */
typedef int ha_record_fn(void *user, const struct ha_record *rec, struct base_error *err);

struct ha_store_ops {
    const char *name;
    /* @open: @where is a file path for SQLite (its folder is made), a name for memory ("" = private; the same name
     * again = the same data, so that a test can restart). *@epoch gets the epoch taken by this open.
     * -BASE_ECORRUPT: not readable as a store of ours; -BASE_ESTATE: another process has it; -BASE_EVERSION: made by
     * a newer Creel; -BASE_EIO, -BASE_ENOSPC. The message says what to do. */
    int (*open)(const char *where, struct ha_store **out, int64_t *epoch, struct base_error *err);
    int (*load)(struct ha_store *s, const char *table, ha_record_fn *each, void *user, struct base_error *err);
    int (*write)(struct ha_store *s, const struct ha_record *v, size_t n, struct base_error *err);
    void (*close)(struct ha_store *s); /* NULL is fine */
    /* Raises the epoch that open took to @epoch, durably. NULL: it is not the store's (ZooKeeper: the election's). */
    int (*raise)(struct ha_store *s, int64_t epoch, struct base_error *err);
    /* Any thread: a load or write under way, and every later one, returns -BASE_EVERSION soon. NULL: never blocks long. */
    void (*abort)(struct ha_store *s);
    /* A write costs a store that others share: under load one is gathered for up to this long. 0: none is. */
    int64_t gather_us;
};
extern const struct ha_store_ops ha_store_sqlite, ha_store_memory;

/* "sqlite", "memory"; NULL when unknown. */
const struct ha_store_ops *ha_store_find(const char *name);
/* Memory stores of every name are dropped (end of a test). */
void ha_store_memory_forget(void);

#endif
