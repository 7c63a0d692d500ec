/* Work that waits for the store: a ring in order of record numbers. rm_defer_until_stored() appends
 * to it, and the end of every step (finish_step() in core.c) runs the entries whose record the
 * store has reported. */
#include "rm/core/acks.h"

#include <stdlib.h>

#include "rm/core/state.h"

void rm_defer_until_stored(struct rm_core *c, uint64_t seq, enum rm_ack_kind kind, void *p,
                           int64_t extra)
{
    if (c->acks_n == c->acks_cap) {
        size_t cap = c->acks_cap ? c->acks_cap * 2 : 1024;
        struct rm_ack *v = base_realloc_array(NULL, cap, sizeof *v);

        for (size_t i = 0; i < c->acks_n; i++)
            v[i] = c->acks[(c->acks_head + i) & (c->acks_cap - 1)];
        free(c->acks);
        c->acks = v;
        c->acks_cap = cap;
        c->acks_head = 0;
    }
    base_assert(c->acks_n == 0 ||
                c->acks[(c->acks_head + c->acks_n - 1) & (c->acks_cap - 1)].seq <= seq);
    if (kind != RM_ACK_FORGET)
        ((struct rm_app *)p)->refs++;
    c->acks[(c->acks_head + c->acks_n++) & (c->acks_cap - 1)] =
        (struct rm_ack){seq, kind, p, extra};
}
