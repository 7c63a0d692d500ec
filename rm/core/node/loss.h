/* rm/core/node/loss.h - nodes that leave: lost, shut down, restarted. */
#ifndef CREEL_RM_CORE_NODE_LOSS_H
#define CREEL_RM_CORE_NODE_LOSS_H

#include "rm/core/state.h"

void rm_node_kill_suspended(struct rm_core *c, struct rm_node *n, enum base_task_kind k,
                            const char *why);
void rm_node_take_down(struct rm_core *c, struct rm_node *n, enum rm_node_state s, const char *why);
void rm_node_expire_if_silent(struct rm_core *c, struct rm_node *n);
void rm_node_on_unregister(struct rm_core *c, const struct rm_event *ev);

#endif
