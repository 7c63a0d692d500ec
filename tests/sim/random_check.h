/* tests/sim/random_check.h - the promises that test_core_random holds the core to, and the world
 * they are about. A promise that is broken says where and aborts. */
#ifndef CREEL_RANDOM_CHECK_H
#define CREEL_RANDOM_CHECK_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "rm/core/state.h"
#include "tests/sim/core_world.h"

#define SLOTS_MAX 3 /* of a kind on a node */

extern struct world w;
extern uint64_t seed_now; /* what repeats the run */
extern int64_t event_now;
extern bool strict; /* no delay scheduling in this run: then no slot may idle */

#define MUST(cond)                                                                                 \
    do {                                                                                           \
        if (!(cond)) {                                                                             \
            fprintf(stderr, "seed %" PRIu64 ", event %" PRId64 ": %s\n", seed_now, event_now,      \
                    #cond);                                                                        \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

void check_begin(void); /* a run begins: nothing has been launched in it */
void check_end(void);   /* no run follows; frees what check_begin took */
void check(bool all);   /* after every event; @all: each node and each application as well */
void check_right(struct world_container *it); /* it was told that it may commit; notes it there */

#endif
