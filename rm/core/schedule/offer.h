/* rm/core/schedule/offer.h - offers free slots to applications. */
#ifndef CREEL_RM_CORE_SCHEDULE_OFFER_H
#define CREEL_RM_CORE_SCHEDULE_OFFER_H

#include "rm/core/state.h"

/* FIFO replaces a policy that has named no job, although work waits, this many times in a row. */
#define RM_POLICY_FAULTS_MAX 3

/* Offers the free slots of @n, whose heartbeat is being handled; once @n is full, preempts attempts
 * that the policy names, and offers the freed slots. */
void rm_offer_node_slots(struct rm_core *c, struct rm_node *n);
/* Preempts attempts that the policy names on full nodes with held heartbeats, and offers the freed
 * slots. Call when work has arrived, or the policy or a job's queue has changed. */
void rm_offer_preempt_on_held_nodes(struct rm_core *c);
/* Offers the free slots of all nodes with held heartbeats, if that was requested
 * (rm_core.offer_all). */
void rm_offer_free_slots(struct rm_core *c);

#endif
