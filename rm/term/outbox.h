/* rm/term/outbox.h - effects that must not leave before a record is durable. Pure; the caller
 * guards it with a lock.
 *
 *                    failed
 *    WRITABLE ----------------------> FAILING --+
 *       |  ^                            |       | failed (again)
 *       |  +---------- stored ----------+ <-----+
 *       |                               |
 *       +------- over, abandoned -------+------> OVER
 *
 *  - WRITABLE: an effect is held until its record is stored; one whose record is stored already is
 *  not held at all.
 *  - FAILING: the disk refuses. Replies to clients are refused with the store's error, those held
 *    and those that come: the outcome is open, and a client may repeat its request under the same
 *    id. Orders to nodes stay held, since a node must not act on what may be forgotten.
 *  - OVER: another RM has authority, or this one was deposed. Everything is refused with
 *  -BASE_EVERSION, orders too.
 *
 * An event moves what it lets go into a struct rm_ready, so that the caller can drop its lock
 * before it answers. The text of each refusal says that the change may still be carried out: the
 * core has taken it. */
#ifndef CREEL_RM_TERM_OUTBOX_H
#define CREEL_RM_TERM_OUTBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "rm/core/core.h"

struct rm_held {
    uint64_t after_seq;
    struct rm_effect *fx; /* a copy */
    void *ticket;         /* the requester's; NULL: nobody waits for an answer */
};
struct rm_ready { /* in the order in which they were held */
    struct rm_held *v;
    size_t len, cap;
    int code; /* 0: durable, carry out; negative: refuse each that has a ticket with @code and @text
               */
    char *text; /* owned; NULL when @code is 0 */
};
void rm_ready_clear(struct rm_ready *r); /* frees the copies and the text, keeps the array */
void rm_ready_free(struct rm_ready *r);

enum rm_outbox_state { RM_OUTBOX_WRITABLE, RM_OUTBOX_FAILING, RM_OUTBOX_OVER };
struct rm_outbox {
    enum rm_outbox_state state;
    uint64_t stored_seq;
    struct base_error why; /* FAILING, OVER */
    struct rm_held *held;
    size_t len, cap;
};
enum rm_outbox_verdict {
    RM_OUTBOX_DURABLE, /* nothing is kept: the caller carries the effect out */
    RM_OUTBOX_HELD,    /* copied */
    RM_OUTBOX_REFUSED, /* nothing is kept: @refusal has the text, which the caller frees, and the
                          code */
};
struct rm_refusal {
    int code;
    char *text;
};
enum rm_outbox_verdict rm_outbox_hold(struct rm_outbox *o, uint64_t after_seq,
                                      const struct rm_effect *fx, void *ticket,
                                      struct rm_refusal *refusal);
/* Everything up to @seq is durable. */
void rm_outbox_stored(struct rm_outbox *o, uint64_t seq, struct rm_ready *out);
void rm_outbox_failed(struct rm_outbox *o, const struct base_error *why, struct rm_ready *out);
/* Another RM has authority. Depose before this call: whoever is refused must not meet an RM that
 * still looks active. */
void rm_outbox_over(struct rm_outbox *o, struct rm_ready *out);
/* Call when another RM has authority. From now on rm_outbox_hold() refuses every effect; effects
 * held before stay until the next call that releases effects, at the latest rm_outbox_close(). */
void rm_outbox_abandon(struct rm_outbox *o);
/* Nothing will be written any more. Returns 0, or the error that the last write has met (@err as
 * well). */
int rm_outbox_close(struct rm_outbox *o, struct rm_ready *out, struct base_error *err);
void rm_outbox_free(struct rm_outbox *o);

#endif
