/* rm/core/ledger.h - counts of containers, demand and application states, kept in one place.
 *
 * A container is counted many times: for its application, its queue, its node and the cluster, by
 * slots, resources and number. So that none of these counts can be forgotten when a container
 * begins, changes or ends, they are written here and nowhere else. A container remembers what it is
 * counted as (rm_container.tally), and every change adds the difference everywhere at once. A
 * container of n slots counts as n slots of its node, application and cluster from its allocation
 * until it ends or is suspended, and as one container; no node's used slots exceed its slots,
 * unless an operator has given it fewer since, or it registers with containers that hold more. A
 * master in master slots counts as holding these instead, and no slot of its application.
 * rm_ledger_check recomputes the counts from the objects and compares. */
#ifndef CREEL_RM_CORE_LEDGER_H
#define CREEL_RM_CORE_LEDGER_H

#include "rm/core/state.h"

/* Counts the new container @ct as holding its slots and resources. ct->app, node, slot, slots,
 * resource and master must be set. */
void rm_ledger_begin_container(struct rm_core *c, struct rm_container *ct);
/* Counts @ct as @to from now on: RM_TALLY_HELD, _FREEING or _SUSPENDED. */
void rm_ledger_change_container(struct rm_core *c, struct rm_container *ct, enum rm_tally to);
/* Stops counting @ct, and charges its application for the time since its start. */
void rm_ledger_end_container(struct rm_core *c, struct rm_container *ct);

/* Moves @a with all its counts from its queue to the queue @index. Both may be RM_NONE. */
void rm_ledger_set_queue(struct rm_core *c, struct rm_app *a, uint32_t index);
/* Counts @a in its queue as being in state @to. Call before a->state is set to @to. */
void rm_ledger_count_app_state(struct rm_core *c, const struct rm_app *a, enum rm_app_state to);
/* Counts the change of @a's demand of kind @k from *@from to *@to. */
void rm_ledger_count_demand(struct rm_core *c, const struct rm_app *a, enum base_task_kind k,
                            const struct policy_phase *from, const struct policy_phase *to);

/* Aborts if any count differs from the sum over the objects. Walks every object: for tests and
 * debug builds. */
void rm_ledger_check(const struct rm_core *c);
/* Runs rm_ledger_check() after some steps only, so rarely that it visits only a few objects per
 * step on average. */
void rm_ledger_check_sometimes(const struct rm_core *c);

#endif
