/* rm/core/schedule/offer.h - offers free slots to applications. */
#ifndef CREEL_RM_CORE_SCHEDULE_OFFER_H
#define CREEL_RM_CORE_SCHEDULE_OFFER_H

#include "rm/core/state.h"

#define RM_POLICY_FAULTS_MAX 3 /* empty answers in a row before the core falls back to FIFO */

void rm_offer_node_slots(struct rm_core *c, struct rm_node *n);
/* Makes room on held nodes for work that has just arrived. */
void rm_offer_preempt_held_nodes(struct rm_core *c);
void rm_offer_free_slots(struct rm_core *c);

#endif
