/* ha/store/store.h - the state store behind one small table of functions.
 *
 * Contents: records (table, key) -> bytes, which only the scheduling core understands, and the
 * epoch.
 * The epoch is 0 when the store is made and is raised by one, durably, at every later open: the
 * process that holds the store open is the only one to write under that epoch (SQLite: an exclusive
 * lock for the life of the process; shared stores: the election's epoch, checked by every write).
 *
 * Durability: write() applies the batch in order and returns 0 only when it would survive a power
 * cut. A store of one process applies all of it or nothing; a shared one may leave a prefix when
 * the process dies or is deposed. After -BASE_ENOSPC or -BASE_EIO the caller may try the same batch
 * again. -BASE_EVERSION: another process has authority, nothing can be written any more (shared
 * stores only).
 * Threads: one at a time, except for abort.
 *
 * To add a store: one file that defines `const struct ha_store_ops ha_store_NAME`, and its line in
 * ha/store/store.c. Nothing else names a store; creel.rm.state-store chooses one. */
#ifndef CREEL_HA_STORE_STORE_H
#define CREEL_HA_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct ha_store { /* first member of every open store */
    const struct ha_store_ops *ops;
};

/* Upsert (data != NULL) or removal (data == NULL; an absent record is fine) of (table, key). */
struct ha_record {
    const char *table, *key;
    const char *data;
    size_t len;
};
/* Called for each record of a table, in key order; @rec is borrowed for the call, data is
 * NUL-terminated beyond len. A negative return stops the load and is returned by it. */
typedef int ha_record_fn(void *user, const struct ha_record *rec, struct base_error *err);

struct ha_store_lead;       /* the leadership that opens a shared store: ha/store/shared.h */
struct ha_store_shared_ops; /* what drives one: the same */

/* A backend. The functions below the table call it; nobody else does. */
struct ha_store_ops {
    const char *name; /* as written in creel.rm.state-store */
    /* @open: @where is a path or name that only the store understands: the file of SQLite (its
     * folder is made), the root node in ZooKeeper, any name for memory ("": private; the same name
     * again: the same data, for as long as the process lives). @lead: NULL unless @shared.
     * *@epoch gets the epoch taken by this open.
     * -BASE_ECORRUPT: not readable as a store of ours; -BASE_ESTATE: another process has it;
     * -BASE_EVERSION: made by a newer Creel; -BASE_EIO, -BASE_ENOSPC. The message says what to
     * do. */
    int (*open)(const char *where, const struct ha_store_lead *lead, struct ha_store **out,
                int64_t *epoch, struct base_error *err);
    int (*load)(struct ha_store *s, const char *table, ha_record_fn *each, void *user,
                struct base_error *err);
    int (*write)(struct ha_store *s, const struct ha_record *v, size_t n, struct base_error *err);
    void (*close)(struct ha_store *s);
    /* @raise: Raise the epoch that open took to @epoch, durably. NULL: the epoch is the
     * election's. */
    int (*raise)(struct ha_store *s, int64_t epoch, struct base_error *err);
    /* @abort: Any thread: a load or write under way, and every later one, fails soon with
     * -BASE_EVERSION. NULL: calls never block for long. */
    void (*abort)(struct ha_store *s);
    /* @gather_us: Longest time that a write waits for others under load, where each write is costly
     * because other processes share the store. 0: writes do not wait. */
    int64_t gather_us;
    /* @shared: Several ResourceManagers use the store, of which one leads. NULL: one process
     * alone. */
    const struct ha_store_shared_ops *shared;
};

/* The store called @name, or for NULL and "" the default: SQLite alone, ZooKeeper when @shared.
 * -BASE_EINVAL: no such store, or one that does not suit; the message lists those that do. */
int ha_store_choose(const char *name, bool shared, const struct ha_store_ops **out,
                    struct base_error *err);

/* As the slots of the table say. */
int ha_store_open(const struct ha_store_ops *ops, const char *where,
                  const struct ha_store_lead *lead, struct ha_store **out, int64_t *epoch,
                  struct base_error *err);
int ha_store_load(struct ha_store *s, const char *table, ha_record_fn *each, void *user,
                  struct base_error *err);
int ha_store_write(struct ha_store *s, const struct ha_record *v, size_t n, struct base_error *err);
int ha_store_raise(struct ha_store *s, int64_t epoch, struct base_error *err);
void ha_store_abort(struct ha_store *s);
void ha_store_close(struct ha_store *s); /* NULL is fine */

#endif
