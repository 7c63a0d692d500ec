/* rm/core/master/turns.h - the turns of masters that wait to be placed. */
#ifndef CREEL_RM_CORE_MASTER_TURNS_H
#define CREEL_RM_CORE_MASTER_TURNS_H

#include "rm/core/state.h"

/* Puts the master of the newest attempt of @a, which is SCHEDULED, behind those of its priority
 * that wait for their turns. */
void rm_master_wait_for_turn(struct rm_core *c, struct rm_app *a);
/* Returns how many map slots the masters that run or may be placed hold at most, unless it is a
 * single one. */
int64_t rm_masters_max(const struct rm_core *c);
/* Lets masters that wait for map slots be offered some, by priority and then by arrival, as long as
 * not too many are active; places those that wait for master slots
 * (rm/core/master/master_slots.h). */
void rm_masters_give_turns(struct rm_core *c);
/* Implements rm_app_kind.priority_changed: if the master waits for its turn, changes its place. */
void rm_master_reorder_waiting(struct rm_core *c, struct rm_app *a);
/* Removes the master of @a from those that wait for their turn and from those that count as
 * active. */
void rm_master_deactivate(struct rm_core *c, struct rm_app *a);
/* Counts the master of @a, which holds map slots or may be placed in some, as active. */
void rm_master_count_as_active(struct rm_core *c, struct rm_app *a);
/* Gives free map slots of @n, or with @on_master_slots free master slots, to the master of the
 * newest attempt of @a, which is SCHEDULED, and stores that; its launch is ordered once the record
 * is durable. */
void rm_master_place_on_node(struct rm_core *c, struct rm_app *a, struct rm_node *n,
                             bool on_master_slots);

#endif
