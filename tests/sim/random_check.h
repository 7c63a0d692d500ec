/* tests/sim/random_check.h - the invariants that test_core_random checks, and the world that they
 * are about. A violation is printed with its seed and event, and aborts the test. */
#ifndef CREEL_RANDOM_CHECK_H
#define CREEL_RANDOM_CHECK_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "rm/core/state.h"
#include "tests/sim/core_world.h"

#define SLOTS_MAX 3 /* most slots of one kind on a node */

extern struct world w;
extern uint64_t seed_now;          /* seed of this run; the same seed repeats the run */
extern int64_t event_now;          /* number of the event in the run */
extern size_t masters_seen;        /* in slots for masters alone, in all checks together */
extern size_t mapreduce_jobs_seen; /* applications that policies see as jobs, likewise */
extern bool strict; /* no delay scheduling in this run, so no slot may idle while work waits */

#define MUST(cond)                                                                                 \
    do {                                                                                           \
        if (!(cond)) {                                                                             \
            fprintf(stderr, "seed %" PRIu64 ", event %" PRId64 ": %s\n", seed_now, event_now,      \
                    #cond);                                                                        \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* Call at the start of a run: forgets the launches of the previous run. */
void check_begin(void);
/* Call after the last run: frees what check_begin() has allocated. */
void check_end(void);
/* Call after every event. @all: checks each node and each application as well. */
void check(bool all);
/* Call when @it has been allowed to commit: checks that no other live attempt of its task has been
 * allowed to, except on a node that the RM has given up. Sets it->may_commit. */
void check_right(struct world_container *it);

#endif
