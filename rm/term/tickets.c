#include "rm/term/tickets.h"

#include <stdlib.h>

#include "base/mem.h"

uint64_t rm_tickets_add(struct rm_tickets *t, void *ticket)
{
    uint32_t i;

    if (t->free_place) {
        i = t->free_place - 1;
        t->free_place = t->v[i].next_free;
    } else {
        base_array_grow(&t->v, t->len, &t->cap);
        i = (uint32_t)t->len++;
        t->v[i] = (struct rm_ticket_place){.generation = 1};
    }
    t->v[i].ticket = ticket;
    return (uint64_t)t->v[i].generation << 32 | (i + 1);
}

/* Returns the ticket at place @i and frees the place for another ticket, under the next
 * generation. */
static void *take_ticket_at(struct rm_tickets *t, uint32_t i)
{
    void *ticket = t->v[i].ticket;

    t->v[i].ticket = NULL;
    t->v[i].generation++;
    t->v[i].next_free = t->free_place;
    t->free_place = i + 1;
    return ticket;
}

void *rm_tickets_take(struct rm_tickets *t, uint64_t token)
{
    uint32_t i = (uint32_t)token - 1;

    if (token == 0 || i >= t->len || t->v[i].generation != token >> 32 || !t->v[i].ticket)
        return NULL;
    return take_ticket_at(t, i);
}

void *rm_tickets_take_next(struct rm_tickets *t, size_t *at)
{
    while (*at < t->len) {
        uint32_t i = (uint32_t)(*at)++;

        if (t->v[i].ticket)
            return take_ticket_at(t, i);
    }
    return NULL;
}

void rm_tickets_free(struct rm_tickets *t)
{
    free(t->v);
    *t = (struct rm_tickets){0};
}
