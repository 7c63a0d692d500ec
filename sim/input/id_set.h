/* sim/input/id_set.h - a set of job ids. Ids that count up from 1 without gaps cost no memory,
 * others typically 16 to 32 bytes each. */
#ifndef CREEL_SIM_INPUT_ID_SET_H
#define CREEL_SIM_INPUT_ID_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim_ids {   /* zeroed: empty */
    uint64_t upto; /* every id from 1 to @upto is in the set */
    /* open addressing, 0 marks a free slot; holds the other ids and may still hold some up to
     * @upto */
    uint64_t *table;
    size_t n, size; /* used slots; all slots: 0 or a power of two */
};
/* Adds @id (> 0). Returns false if the id was already in the set. O(1) on average. */
bool sim_ids_add(struct sim_ids *s, uint64_t id);
void sim_ids_free(struct sim_ids *s);

#endif
