/* rm/core/master/waiting.h - the masters that wait for their turn in one partition of the nodes:
 * by priority, the highest first, then in the order of insertion. Inserting and removing a master
 * take O(log n) steps, whatever the priorities are. */
#ifndef CREEL_RM_CORE_MASTER_WAITING_H
#define CREEL_RM_CORE_MASTER_WAITING_H

#include <stddef.h>
#include <stdint.h>

struct rm_app;

struct rm_waiting {
    struct rm_app **v; /* a heap; the applications are borrowed */
    size_t n, cap;
    uint64_t put; /* masters ever put here */
};

/* Returns the master whose turn is next; NULL: there is none. */
struct rm_app *rm_waiting_masters_first(const struct rm_waiting *w);
/* Puts @a, which must not be waiting yet, behind the masters of its priority. */
void rm_waiting_masters_put(struct rm_waiting *w, struct rm_app *a);
/* Removes @a, which must be waiting here. Its priority may have changed since it was put here. */
void rm_waiting_masters_remove(struct rm_waiting *w, struct rm_app *a);
void rm_waiting_masters_free(struct rm_waiting *w);

#endif
