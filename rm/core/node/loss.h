/* rm/core/node/loss.h - nodes that leave: lost, shut down, rebooted. */
#ifndef CREEL_RM_CORE_NODE_LOSS_H
#define CREEL_RM_CORE_NODE_LOSS_H

#include "rm/core/state.h"

/* Orders @n to kill its suspended attempts of kind @k. @why: static text. */
void rm_node_kill_suspended(struct rm_core *c, struct rm_node *n, enum base_task_kind k,
                            const char *why);
/* Ends the registration of @n and all its containers, with the diagnostics @why, and runs again the
 * maps whose output was on @n and is still needed. @s: the new state. */
void rm_node_take_down(struct rm_core *c, struct rm_node *n, enum rm_node_state s, const char *why);
/* The expiry timer has fired: takes the node down if it has been silent for node_expiry_us and is
 * not spared (if it is a refused node, only its refusal ends); otherwise sets the timer again. */
void rm_node_expire_if_silent(struct rm_core *c, struct rm_node *n);
/* Handles RM_EV_NODE_GONE. */
void rm_node_on_unregister(struct rm_core *c, const struct rm_event *ev);

#endif
