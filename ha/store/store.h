/* ha/store/store.h - the state store behind one small table of functions.
 *
 * Contents: the epoch, and records (table, key) -> bytes, which only the scheduling core
 * understands. The epoch is 0 when the store is created, and every later open raises it by one,
 * durably (of a shared store, the election raises it). Only the process that has opened the store
 * writes under that epoch (SQLite: an exclusive lock for the life of the process; shared stores:
 * the election's epoch, checked by every write).
 *
 * Durability: write() applies the batch in order and returns 0 only when the batch would survive a
 * power cut. A store of one process applies the whole batch or nothing; a shared store may keep a
 * prefix when the process dies or is deposed. After -BASE_ENOSPC or -BASE_EIO the caller may try
 * the same batch again. -BASE_EVERSION (shared stores only): another process has authority, and
 * nothing can be written any more. Only abort() may be called while another thread is calling the
 * store.
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
/* Called for each record of a table, in key order. @rec is borrowed for the call; a NUL follows its
 * data. A negative return value stops the load, which returns it. */
typedef int ha_record_fn(void *user, const struct ha_record *rec, struct base_error *err);

struct ha_store_lead;       /* ha/store/shared.h: the leadership that opens a shared store */
struct ha_store_shared_ops; /* ha/store/shared.h: the service's side of a shared store */

/* One kind of store. Its functions are called through ha_store_open() etc. below, the members of
 * @shared by the election service. */
struct ha_store_ops {
    const char *name; /* as written in creel.rm.state-store */
    /* @open: Open or create a store, and take an epoch (*@epoch). @where is SQLite's file (its
     * folder is created), the root node in ZooKeeper, or any name for memory ("": private; the same
     * name again gives the same data while the process lives). @lead: NULL unless @shared. Returns
     * 0; -BASE_ECORRUPT: not readable as a store of ours; -BASE_ESTATE: another process has opened
     * it; -BASE_EVERSION: written by a newer Creel; -BASE_EIO; -BASE_ENOSPC. The message suggests
     * what to do. */
    int (*open)(const char *where, const struct ha_store_lead *lead, struct ha_store **out,
                int64_t *epoch, struct base_error *err);
    int (*load)(struct ha_store *s, const char *table, ha_record_fn *each, void *user,
                struct base_error *err);
    int (*write)(struct ha_store *s, const struct ha_record *v, size_t n, struct base_error *err);
    void (*close)(struct ha_store *s);
    /* @raise: Raise the epoch to @epoch, durably, unless it is higher already. NULL: the epoch
     * belongs to the election. */
    int (*raise)(struct ha_store *s, int64_t epoch, struct base_error *err);
    /* @abort: Make the load or write under way and all later ones fail soon with -BASE_EVERSION;
     * may be called on any thread. NULL: calls never block for long. */
    void (*abort)(struct ha_store *s);
    /* @gather_us: Under load, delay a write by at most this time to collect more records, because
     * each write is costly. 0: do not delay. */
    int64_t gather_us;
    /* @shared: NULL for a store of one process; else several ResourceManagers use the store, one of
     * which leads. */
    const struct ha_store_shared_ops *shared;
};

/* Sets *@out to the store called @name; for NULL or "" to the default, which is ZooKeeper when
 * @shared, else SQLite. Returns 0, or -BASE_EINVAL when there is no such store or it does not suit;
 * the message lists the suitable ones. */
int ha_store_choose(const char *name, bool shared, const struct ha_store_ops **out,
                    struct base_error *err);

/* Each calls the function of the store's table; see there. ha_store_raise_epoch() is not for shared
 * stores. */
int ha_store_open(const struct ha_store_ops *ops, const char *where,
                  const struct ha_store_lead *lead, struct ha_store **out, int64_t *epoch,
                  struct base_error *err);
int ha_store_load(struct ha_store *s, const char *table, ha_record_fn *each, void *user,
                  struct base_error *err);
int ha_store_write(struct ha_store *s, const struct ha_record *v, size_t n, struct base_error *err);
int ha_store_raise_epoch(struct ha_store *s, int64_t epoch, struct base_error *err);
void ha_store_abort(struct ha_store *s);
void ha_store_close(struct ha_store *s); /* NULL is fine */

#endif
