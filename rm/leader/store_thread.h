/* rm/leader/store_thread.h - group commit: records that the core queues while one fsync runs go
 * into the next transaction. If the store asks for it (gather_us), a write waits for
 * RM_STORE_GATHER records, at most until gather_us after the previous batch was taken, and only if
 * records have been arriving so fast that at least a quarter of them will have come by then.
 *
 *   core thread: rm_store_queue_record() ... rm_store_hold_effect(effect waiting for seq)
 *   store thread: take all -> one transaction -> fsync -> stored(seq) -> release held effects
 *
 * rm/term/outbox.h decides when an effect may leave, and which effects are refused while the store
 * cannot write or after another RM has taken authority. A batch that could not be written is tried
 * again every RM_STORE_RETRY_MS; after -BASE_EVERSION no write is tried any more. Meanwhile
 * rm_store_is_failing() lets the daemon refuse new changes at once. */
#ifndef CREEL_RM_LEADER_STORE_THREAD_H
#define CREEL_RM_LEADER_STORE_THREAD_H

#include <stdbool.h>

#include "ha/store/store.h"
#include "rm/core/core.h"

#define RM_STORE_RETRY_MS 500
#define RM_STORE_GATHER   256

struct rm_store;
/* Called on the store's thread; release() also on the thread that calls rm_store_hold_effect(),
 * rm_store_stop() or rm_store_abandon(). */
struct rm_store_calls {
    void *user;
    void (*stored)(void *user, uint64_t seq); /* all records up to @seq are durable */
    /* The wait of @fx is over. @error 0: carry it out. Negative: refuse it, with @text: while the
     * store fails, only RM_FX_REPLY; at a stop, or when the leadership is over, every kind. */
    void (*release)(void *user, void *ticket, const struct rm_effect *fx, int error,
                    const char *text);
    /* Another RM has authority: called at most once, before effects are refused. May be NULL. */
    void (*over)(void *user, const char *text);
};
/* Takes @store, which rm_store_stop() or rm_store_abandon() closes. Copies @calls. */
struct rm_store *rm_store_start(struct ha_store *store, const struct rm_store_calls *calls);
/* Core's thread: queues a copy of @rec. @seq must never decrease. */
void rm_store_queue_record(struct rm_store *s, uint64_t seq, const struct rm_record *rec);
/* Core's thread: keeps a copy of @fx until record @after_seq is durable, then calls release().
 * Refuses it at once, through release(), where the outbox does. Returns false when the record is
 * durable already: then nothing was done, and the caller carries the effect out. */
bool rm_store_hold_effect(struct rm_store *s, uint64_t after_seq, const struct rm_effect *fx,
                          void *ticket);
/* Returns true when the last write failed, or the leadership is over, with the error in @why (NULL
 * is fine). */
bool rm_store_is_failing(struct rm_store *s, struct base_error *why);
/* Writes to @commits and @records the numbers of transactions and records stored so far. */
void rm_store_get_counts(struct rm_store *s, int64_t *commits, int64_t *records);
/* Writes the queued records (one last try), refuses the effects that are still held, ends the
 * thread, closes the store. Returns 0, or the error of the last try. @s stays valid for
 * rm_store_is_failing() and rm_store_get_counts(), until rm_store_free(). */
int rm_store_stop(struct rm_store *s, struct base_error *err);
/* Call when the leadership is over: aborts a write under way and writes no more, refuses held
 * effects with -BASE_EVERSION, ends the thread, closes the store. @s stays valid as after
 * rm_store_stop(). */
void rm_store_abandon(struct rm_store *s);
void rm_store_free(struct rm_store *s); /* after one of these two calls; NULL is fine */

#endif
