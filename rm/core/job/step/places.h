/* rm/core/job/step/places.h - the places of steps, one on each node, and whose step gets the next
 * one that comes free.
 *
 *   waits --(rule below)--> holds the place of a node --> ends
 *                             |
 *                             +--> its kill is ordered, at the latest after step_timeout_us
 *
 * A place is held from the launch of a step's container (after a takeover: from its node's report)
 * until the container ends or the order to kill it is queued. So nobody holds a place for longer
 * than step_timeout_us; a process that is slow to die keeps its slot, but no place.
 * Until such a process has ended, it blocks its node: no further step is launched there. So
 * processes that the kernel does not end, on a file system that does not answer, keep no more than
 * one slot of a node.
 * A node whose slots of a kind are reserved for a wide request (rm/core/node/reserved.h) gives none
 * of them to a step.
 *
 * The rule. Among the users with waiting steps, the one comes first
 *   1. who is not late: none of this user's attempts has run into the limit since another step was
 *      launched;
 *   2. whose steps hold the fewest places;
 *   3. who has a commit or an abort waiting for which a job waits: they come before setups, and
 *      before the aborts of jobs that have ended (rm/core/job/job.h);
 *   4. whose turn is the oldest: it begins anew with each launch of this user, and for a user whose
 *      steps neither waited nor held a place, with the first one that waits;
 *   5. whose first step has waited longest.
 * The steps of one user come in the order of 3 and 5. Where there are several nodes, the last free
 * place goes to a user who holds none, or to a step for which a job waits; and where there are
 * three or more, not to a user who blocks a node. A place is free if nobody holds it, no container
 * blocks its node, and its node can run steps: a node that is unhealthy or lost has none.
 *
 * So the setups of one user leave a place to the others on a cluster of two nodes or more. Commits
 * and aborts that hang may take it, too, but a user has only as many of them as setups that have
 * ended. A user whose processes do not die leaves a place to the others on three nodes or more: the
 * step that would take it waits until one of these processes has died. On two nodes, one such
 * process would keep its user from all steps, also from those that the other node could do.
 *
 * And every step of other users gets its turn: a user without a place waits for at most one setup
 * of each other user; commits and aborts that come before it are bounded by the setups that their
 * jobs had, times max-attempts; and a user whose attempts hang cannot come first twice in a row
 * while others wait.
 *
 * A launch costs O(log users with waiting steps). */
#ifndef CREEL_RM_CORE_JOB_STEP_PLACES_H
#define CREEL_RM_CORE_JOB_STEP_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/data/map.h"

struct rm_app;
struct rm_container;
struct rm_core;
struct rm_node;

enum rm_step_rank { RM_STEP_URGENT, RM_STEP_PATIENT, RM_STEP_RANKS };

/* A user whose steps wait, hold places or block nodes. */
struct rm_step_user {
    struct rm_app *first[RM_STEP_RANKS], *last[RM_STEP_RANKS]; /* lists of waiting steps */
    int32_t held;                   /* places that the user's steps hold */
    int32_t blocking;               /* the user's containers that block their node */
    bool late;                      /* in the list rm_places.late */
    struct rm_step_user *late_next; /* in that list */
    uint64_t turn;                  /* number of the last launch, of this user or before */
    size_t place;                   /* index in the heap + 1; 0: no step waits */
    char name[];
};

struct rm_places {
    struct base_map users;
    struct rm_step_user **v; /* heap of the users with waiting steps, in the order above */
    size_t n, cap;
    struct rm_step_user *late;
    uint64_t launches; /* number of the last launch */
    uint64_t waits;    /* number of the last step that began to wait */
    int32_t held;      /* places that are held, on all nodes */
    int32_t blocking;  /* containers that block their node */
    int32_t nodes;     /* running nodes that can run steps: in the ledger's capacity, with slots,
                          not exclusive */
    int32_t taken;     /* places held and containers blocking, on these nodes */
    bool due;          /* a step or a place was added: look for a node with a held heartbeat */
};
void rm_step_places_free(struct rm_places *p);
/* Counts @n as one of rm_places.nodes (@sign 1), or no longer (-1). */
void rm_step_places_count_node(struct rm_core *c, struct rm_node *n, int32_t sign);

/* Lets the current step of @a wait in the list of @rank. */
void rm_step_places_add_waiting(struct rm_core *c, struct rm_app *a, enum rm_step_rank rank);
/* Removes the step of @a from its list, if it waits. */
void rm_step_places_remove_waiting(struct rm_core *c, struct rm_app *a);

/* Returns the user who comes first, or NULL, and leaves this user out of the order until
 * rm_step_places_put_user_back() is called; meanwhile no step may begin or cease to wait. */
struct rm_step_user *rm_step_places_take_first_user(struct rm_places *p);
void rm_step_places_put_user_back(struct rm_places *p, struct rm_step_user *u);
/* Returns true when @u may have a place for a step of @rank, if one is free. */
bool rm_step_places_user_may_take(const struct rm_places *p, const struct rm_step_user *u,
                                  enum rm_step_rank rank);

/* Returns true when the user of @a blocks a node, and therefore has to leave the last free place to
 * other users. */
bool rm_step_places_must_leave_last_place(const struct rm_core *c, const struct rm_app *a);

/* The step of @ct, a new container on a node whose place is free, holds this place from now on. */
void rm_step_places_hold(struct rm_core *c, struct rm_container *ct);
/* The same for a container that was launched by this instance of the RM, whose step no longer
 * waits: it also counts as a launch. */
void rm_step_places_hold_for_launch(struct rm_core *c, struct rm_container *ct);
/* Gives the place back if @ct holds one. Called by the ledger when @ct ends or is to be killed. */
void rm_step_places_release(struct rm_core *c, struct rm_container *ct);
/* Called by the ledger when @ct, a container of a step, is to be killed and begins to block its
 * node (@by 1), and when it has ended and no longer does (-1). */
void rm_step_places_change_blocking(struct rm_core *c, const struct rm_container *ct, int32_t by);
/* An attempt of @a has run into its limit, and its step waits again or has ended. */
void rm_step_places_mark_user_late(struct rm_core *c, const struct rm_app *a);

#endif
