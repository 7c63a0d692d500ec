/* rm/term/tickets.h - the tickets of requesters that wait for the core's reply, each under a token.
 * Pure; for one thread at a time.
 *
 * A token consists of a place and its generation. Places are used again, tokens are not, so that a
 * late reply to a request that has been answered already finds no ticket. */
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
/* Adds @ticket, which is not NULL and stays the caller's. Returns its token, never 0. */
uint64_t rm_tickets_add(struct rm_tickets *t, void *ticket);
/* Removes and returns the ticket of @token; NULL when the token is unknown or was taken before. */
void *rm_tickets_take(struct rm_tickets *t, uint64_t token);
/* Removes and returns the first ticket at place *@at or later, and sets *@at to the place after it.
 * Begin with *@at 0. Returns NULL when no ticket is left. */
void *rm_tickets_take_next(struct rm_tickets *t, size_t *at);
void rm_tickets_free(struct rm_tickets *t);

#endif
