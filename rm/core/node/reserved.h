/* rm/core/node/reserved.h - nodes that are reserved for wide requests.
 *
 * A container holds as many slots of one kind on one node as its resource asks for
 * (rm/core/node/width.h). A request for more than one slot, a wide one, may find that no node has
 * so many free slots at once, while requests for one slot take each that comes free. So that it
 * does not wait forever, a node is reserved for it: the slots that come free there stay free until
 * the request fits.
 *
 *              offered a slot of a node, and too wide for it
 *    waits ----------------------------------------------------> has a node reserved
 *      ^  ^                                                        |   |     |    |
 *      |  |        another node offered has more free slots: moves +---+     |    |
 *      |  +---- released: the node has left, or nothing came free for long <-+    |
 *      +------- fits, there or on another node: takes its slots <-----------------+
 *
 * The rule, for each kind of slot on its own:
 *
 *  1. An application has at most one node reserved, for its first request that is too wide, and a
 *     node is reserved for at most one application. A request is a task that is to start or to
 *     resume, a container asked for, or a master. A suspended task can resume only on its node:
 *     that one is reserved before any other.
 *  2. A node is reserved when one of its free slots is offered to the application in the policy's
 *     order, with locality and labels as for any slot, and the request does not fit. So nothing
 *     is reserved while a node that is offered before has room: those with held heartbeats are
 *     offered the emptiest first. A node whose heartbeat is still to come has its turn then, and
 *     if the request fits there, the reservation elsewhere ends. The other way is preemption: the
 *     policy names attempts of a full or reserved node that together hold enough slots, which
 *     clears one node at a time for each wide request.
 *  3. The node must have enough slots, not counting those of masters, which may run for as long
 *     as others wait.
 *  4. The free slots of a reserved node are offered to nobody else, steps of jobs included;
 *     policy_capacity.held counts them. All others are offered as ever: a slot that is not held
 *     stays free only while every job that may have it declines it, or needs more of them than
 *     are free on its node.
 *  5. The reservation moves to a node with more free slots when one of these is offered. One for
 *     a suspended task does not move.
 *  6. It is released when the policy no longer names the application for the node, when the
 *     application declines, and when no wide request is left. It is also released when the node
 *     leaves or no longer has enough slots; then the request keeps its seniority: it gets the next
 *     node that would be reserved for one that was released later, or that never had a node.
 *  7. It is also released when no slot has come free on the node for RM_RESERVED_PATIENCE_US,
 *     since what runs there may run forever. The request then reserves no node for the same time,
 *     during which others use the slots, and its patience doubles.
 *
 * Hence a wide request that the policy names waits only for containers that run already when its
 * node is reserved, on one node: if these end, it starts. What it holds without using it is less
 * than its width, on one node.
 *
 * An offer of a reserved node costs as many questions to the policy as there are jobs before its
 * application; one of another node costs nothing more. Reservations are not stored: after a
 * takeover they begin anew. */
#ifndef CREEL_RM_CORE_NODE_RESERVED_H
#define CREEL_RM_CORE_NODE_RESERVED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/task_kind.h"
#include "rm/core/types.h"

struct rm_app;
struct rm_core;
struct rm_node;

#define RM_RESERVED_PATIENCE_US     INT64_C(600000000)
#define RM_RESERVED_PATIENCE_MAX_US INT64_C(86400000000)

/* Of an application, for one kind of slot. */
struct rm_wide {
    struct rm_node *node;  /* reserved for its wide request; NULL: none */
    int32_t slots;         /* width of that request */
    bool resumes;          /* the request is a task suspended on the node */
    int64_t gained_us;     /* when a slot last came free on the node, or it was reserved */
    int64_t patience_us;   /* 0: RM_RESERVED_PATIENCE_US */
    int64_t rest_until_us; /* reserves no node before */
    /* In the list rm_core.lost of its kind: its node left before the request was served. */
    bool lost;
    struct rm_app *lost_prev, *lost_next;
};
/* Applications whose reserved nodes have left, the one that has waited longest first. */
struct rm_lost {
    struct rm_app *first, *last;
};

/* A slot of kind @k of @n is offered to @a, whose request takes @slots slots, more than are free.
 * Reserves @n for it, or for an application with a right to go before it, or moves a reservation
 * there, if the rule says so. Returns true when @n is reserved for @a now. @resumes: the request is
 * a task that is suspended on @n. */
bool rm_node_reserve_if_due(struct rm_core *c, struct rm_app *a, enum base_task_kind k,
                            struct rm_node *n, int32_t slots, bool resumes);
/* Reserves @n for @a, for which the policy clears it, in place of another node. Does nothing when
 * @n is reserved for another application, or when @a waits to resume a task elsewhere. */
void rm_node_reserve_cleared(struct rm_core *c, struct rm_app *a, enum base_task_kind k,
                             struct rm_node *n, int32_t slots, bool resumes);
/* @a has got @slots slots of kind @k on @n: releases its reservation if its request was for no
 * more. */
void rm_node_release_if_served(struct rm_core *c, struct rm_app *a, enum base_task_kind k,
                               const struct rm_node *n, int32_t slots);
/* Releases the reservation of @a, if it has one, without seniority. */
void rm_node_release_of_app(struct rm_core *c, struct rm_app *a, enum base_task_kind k);
/* The application has left, or wants nothing wide any more. */
void rm_node_forget_wide_request(struct rm_core *c, struct rm_app *a, enum base_task_kind k);
/* Releases the reservations of @n that it can no longer serve; their applications keep their
 * seniority. */
void rm_node_release_unusable(struct rm_core *c, struct rm_node *n);
/* Releases the reservation of @n if nothing has come free there for too long. */
void rm_node_release_if_stuck(struct rm_core *c, struct rm_node *n, enum base_task_kind k);
/* Returns the slots that are still to come free on the reserved node @n besides those whose
 * containers are being killed; at least 0. */
int32_t rm_node_missing_slots(const struct rm_node *n, enum base_task_kind k);
/* Counts the slots of @n that its reservation holds, and tells the application's policy. Call when
 * free slots, or those being freed, have changed on a reserved node. @freed: some came free. */
void rm_node_update_held_slots(struct rm_core *c, struct rm_node *n, enum base_task_kind k,
                               bool freed);

#endif
