/* rm/core/ledger.h - every count that follows from containers, demands and states of applications,
 * in one place.
 *
 * What a container holds is counted eight times over: for its application, its queue, its node and
 * the cluster, by slots, by resources, by containers. So that no end of a container is counted
 * half, these counts are written here and nowhere else: a container remembers what it is counted as
 * (rm_container.tally), and the difference to what it becomes is added everywhere at once.
 * rm_ledger_check adds everything up anew and compares. */
#ifndef CREEL_RM_CORE_LEDGER_H
#define CREEL_RM_CORE_LEDGER_H

#include "rm/core/state.h"

/* @ct holds a slot of its node and its resources from now on. Its application, node, slot, resource
 * and master are set.
 */
void rm_ledger_begin(struct rm_core *c, struct rm_container *ct);
/* From one of RM_TALLY_HELD, _FREEING, _SUSPENDED to another. */
void rm_ledger_change(struct rm_core *c, struct rm_container *ct, enum rm_tally to);
/* It holds nothing any more; what it has held, and for how long, is added to its application's
 * account. */
void rm_ledger_end(struct rm_core *c, struct rm_container *ct);

/* @a goes from the queue it is in to @index (each may be RM_NONE), with all that is counted of it.
 */
void rm_ledger_enter_queue(struct rm_core *c, struct rm_app *a, uint32_t index);
/* @a's state becomes @to: counted only, not set. */
void rm_ledger_app_state(struct rm_core *c, const struct rm_app *a, enum rm_app_state to);
/* What @a shows the policy of kind @k changes: counted only, not set. */
void rm_ledger_demand(struct rm_core *c, const struct rm_app *a, enum base_task_kind k,
                      const struct policy_phase *from, const struct policy_phase *to);

/* Aborts when a count is not what the objects add up to. For tests and debug builds: looks at
 * everything there is. */
void rm_ledger_check(const struct rm_core *c);
/* After a step: the same, as often as it costs no more than some objects per step. */
void rm_ledger_check_sometimes(const struct rm_core *c);

#endif
