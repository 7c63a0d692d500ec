/* rm/leader/store_thread.h - group commit: what the core wants stored while one fsync runs goes
 * into the next transaction. Where the store asks for it (gather_us), a write waits while records
 * come so fast that a quarter of RM_STORE_GATHER is together in time; with less to do nothing
 * waits.
 *
 *   core thread: rm_store_put() ... rm_store_hold(effect waiting for seq)
 *   store thread: take all -> one transaction -> fsync -> stored(seq) -> release what waited
 *
 * What may leave when, and who is refused with which error while the disk refuses or after another
 * RM has taken authority, is decided by rm/term/outbox.h. A batch that could not be written is
 * tried again every RM_STORE_RETRY_MS; after -BASE_EVERSION nothing is tried again. Meanwhile
 * rm_store_failing() lets the daemon refuse new changes at once. */
#ifndef CREEL_RM_LEADER_STORE_THREAD_H
#define CREEL_RM_LEADER_STORE_THREAD_H

#include <stdbool.h>

#include "ha/store/store.h"
#include "rm/core/core.h"

#define RM_STORE_RETRY_MS 500
#define RM_STORE_GATHER   256

struct rm_store;
struct rm_store_calls { /* called on the store's thread */
    void *user;
    void (*stored)(void *user, uint64_t seq);
    /* @error 0: durable, apply the effect. Negative: the store fails; only for RM_FX_REPLY, unless
     * it is over. */
    void (*release)(void *user, void *ticket, const struct rm_effect *fx, int error,
                    const char *text);
    /* once, before what is held fails; NULL: nobody asks */
    void (*over)(void *user, const char *text);
};
/* Takes @store, closed by rm_store_stop. */
struct rm_store *rm_store_start(struct ha_store *store, const struct rm_store_calls *calls);
/* Core's thread: queues a record (copied). Sequence numbers grow. */
void rm_store_put(struct rm_store *s, uint64_t seq, const struct rm_record *rec);
/* Core's thread: releases @fx once @after_seq is durable (copied; at once when it already is: then
 * false is returned, nothing is copied, and the caller applies it itself). */
bool rm_store_hold(struct rm_store *s, uint64_t after_seq, const struct rm_effect *fx,
                   void *ticket);
bool rm_store_failing(struct rm_store *s, struct base_error *why);
void rm_store_counts(struct rm_store *s, int64_t *commits, int64_t *records);
/* Writes what is queued (one last try), releases everything held, ends the thread, closes the
 * store. Returns 0, or the error of the last try. The object stays for rm_store_failing and
 * rm_store_counts. */
int rm_store_stop(struct rm_store *s, struct base_error *err);
/* The leadership is over: nothing more is written (a write under way is told to end), everything
 * held fails with -BASE_EVERSION, the thread ends, the store is closed. */
void rm_store_abandon(struct rm_store *s);
void rm_store_free(struct rm_store *s); /* after one of the two; NULL is fine */

#endif
