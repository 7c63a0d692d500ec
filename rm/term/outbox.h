/* rm/term/outbox.h - holds effects that must not leave before a record is durable. Pure; the caller
 * guards the outbox with a lock.
 *
 *                    failed
 *    WRITABLE ----------------------> FAILING --+
 *       |  ^                            |       | failed (again)
 *       |  +---------- stored ----------+ <-----+
 *       |                               |
 *       +------- over, abandoned -------+------> OVER
 *
 * Functions: stored is rm_outbox_release_stored(), failed rm_outbox_refuse_replies(), over
 * rm_outbox_refuse_all(), abandoned rm_outbox_set_over().
 *
 *  - WRITABLE: an effect is held until its record is stored. An effect whose record is stored
 *    already is not held at all.
 *  - FAILING: the store cannot write. Held and new replies to clients are refused with the store's
 *    error: the outcome is open, and a client may repeat its request under the same id. Orders to
 *    nodes stay held, since a node must not act on a record that may get lost.
 *  - OVER: another RM has authority, or this RM was deposed. Effects whose record is not stored
 *    are refused with -BASE_EVERSION, orders too.
 *
 * Effects that are released or refused are moved into a struct rm_released, so that the caller can
 * drop its lock before it answers. The text of a refusal says that the change may still be carried
 * out: the core has taken it. */
#ifndef CREEL_RM_TERM_OUTBOX_H
#define CREEL_RM_TERM_OUTBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "rm/core/core.h"

struct rm_held_effect {
    uint64_t after_seq;
    struct rm_effect *fx; /* a copy */
    void *ticket;         /* of the requester; NULL: no answer is wanted */
};
struct rm_released { /* effects whose wait is over, in the order in which they were held */
    struct rm_held_effect *v;
    size_t len, cap;
    /* 0: the effects are durable, carry them out; negative: refuse those that have a ticket */
    int code;
    char *text; /* of the refusal, owned; NULL when @code is 0 */
};
void rm_released_clear(struct rm_released *r); /* frees the copies and the text, keeps the array */
void rm_released_free(struct rm_released *r);

enum rm_outbox_state { RM_OUTBOX_WRITABLE, RM_OUTBOX_FAILING, RM_OUTBOX_OVER };
struct rm_outbox {
    enum rm_outbox_state state;
    uint64_t stored_seq;
    struct base_error why; /* FAILING, OVER */
    struct rm_held_effect *held;
    size_t len, cap;
};
enum rm_outbox_verdict {
    RM_OUTBOX_DURABLE, /* nothing is kept: the caller carries the effect out */
    RM_OUTBOX_HELD,    /* a copy is kept until its record is stored or it is refused */
    RM_OUTBOX_REFUSED, /* nothing is kept: @refusal has the text, which the caller frees, and the
                          code */
};
struct rm_refusal {
    int code;
    char *text;
};
/* Decides what to do with an effect that must not leave before record @after_seq is stored, and
 * keeps a copy of the effect when it is held. @ticket: of the requester; NULL: none. */
enum rm_outbox_verdict rm_outbox_hold(struct rm_outbox *o, uint64_t after_seq,
                                      const struct rm_effect *fx, void *ticket,
                                      struct rm_refusal *refusal);
/* All records up to @seq are durable: overwrites @out with the held effects that waited for one. */
void rm_outbox_release_stored(struct rm_outbox *o, uint64_t seq, struct rm_released *out);
/* The store could not write: overwrites @out with the held replies, to be refused with @why. In
 * state OVER, overwrites it with all held effects instead, to be refused with -BASE_EVERSION. */
void rm_outbox_refuse_replies(struct rm_outbox *o, const struct base_error *why,
                              struct rm_released *out);
/* Another RM has authority: overwrites @out with all held effects, to be refused. Depose before
 * this call: a client that is refused must not turn again to an RM that still looks active. */
void rm_outbox_refuse_all(struct rm_outbox *o, struct rm_released *out);
/* Call when another RM has authority. From now on rm_outbox_hold() refuses every effect whose
 * record is not stored; effects held before stay until a later call releases or refuses them, at
 * the latest rm_outbox_close(). */
void rm_outbox_set_over(struct rm_outbox *o);
/* Nothing will be written any more: overwrites @out with all held effects, to be refused. Returns
 * 0 when the state was WRITABLE, otherwise the error of FAILING or OVER, which is copied to @err
 * (NULL is fine). */
int rm_outbox_close(struct rm_outbox *o, struct rm_released *out, struct base_error *err);
void rm_outbox_free(struct rm_outbox *o);

#endif
