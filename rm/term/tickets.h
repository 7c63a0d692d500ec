/* rm/term/tickets.h - who waits for the core's reply to which token. Pure; the core's thread alone.
 *
 * A token is a generation and a place: a place is used again, a token is not, so that a reply to a
 * request that was answered already finds nobody. */
#ifndef CREEL_RM_TERM_TICKETS_H
#define CREEL_RM_TERM_TICKETS_H

#include <stddef.h>
#include <stdint.h>

struct rm_ticket_place {
    void *ticket;
    uint32_t generation, next_free;
};
struct rm_tickets {
    struct rm_ticket_place *v;
    size_t len, cap;
    uint32_t free_place; /* index + 1, 0: none */
};
/* @ticket: the caller's, not NULL. Returns a token, never 0. */
uint64_t rm_tickets_add(struct rm_tickets *t, void *ticket);
void *rm_tickets_take(struct rm_tickets *t, uint64_t token); /* NULL: unknown, or taken already */
/* The first one from place *@at on, which moves behind it; NULL: nobody waits there any more. Begin
 * with 0. */
void *rm_tickets_take_next(struct rm_tickets *t, size_t *at);
void rm_tickets_free(struct rm_tickets *t);

#endif
