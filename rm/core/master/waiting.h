/* rm/core/master/waiting.h - masters that wait for the same: for map slots, or for master slots, of
 * the nodes of one label. By priority, the highest first, then by the number of their arrival.
 * Inserting and removing a master take O(log n) steps, whatever the priorities are. */
#ifndef CREEL_RM_CORE_MASTER_WAITING_H
#define CREEL_RM_CORE_MASTER_WAITING_H

#include <stddef.h>
#include <stdint.h>

struct rm_app;

/* What a waiting master waits for: a turn to take map slots, or master slots
 * (rm/core/master/master_slots.h), or until the policy lets its application start. */
enum rm_waits_for { RM_WAITS_FOR_MAP_SLOTS, RM_WAITS_FOR_MASTER_SLOTS, RM_WAITS_FOR_POLICY };

struct rm_waiting {
    struct rm_app **v; /* a heap; the applications are borrowed */
    size_t n, cap;
};

/* Returns the master whose turn is next; NULL: there is none. */
struct rm_app *rm_waiting_masters_first(const struct rm_waiting *w);
/* Puts @a, which must not be waiting yet, to its place. Of the masters of one priority, the one
 * with the lowest @arrival has the first turn; no two have the same. */
void rm_waiting_masters_put(struct rm_waiting *w, struct rm_app *a, uint64_t arrival);
/* Removes @a, which must be waiting here. Its priority may have changed since it was put here. */
void rm_waiting_masters_remove(struct rm_waiting *w, struct rm_app *a);
void rm_waiting_masters_free(struct rm_waiting *w);

#endif
