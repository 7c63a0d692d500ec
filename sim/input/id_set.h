/* sim/input/id_set.h - a set of numbers of jobs. Numbers that go up one by one from 1 cost nothing, others 16 to 32 bytes.
 */
#ifndef CREEL_SIM_INPUT_ID_SET_H
#define CREEL_SIM_INPUT_ID_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim_ids {     /* zero: empty */
    uint64_t upto;   /* 1 to this are all there */
    uint64_t *table; /* others, and some of those: open addressing, 0 is a free place */
    size_t n, size;  /* used places, places: 0 or a power of two */
};
/* Adds @id (> 0). False: it was there. O(1) on average. */
bool sim_ids_add(struct sim_ids *s, uint64_t id);
void sim_ids_free(struct sim_ids *s);

#endif
