/* rm/core/node/answer.h - answers to nodes. */
#ifndef CREEL_RM_CORE_NODE_ANSWER_H
#define CREEL_RM_CORE_NODE_ANSWER_H

#include "rm/core/state.h"

void rm_node_emit_answer(struct rm_core *c, uint64_t token, int64_t response_id, bool registered,
                         const struct rm_orders *orders, uint64_t after);
void rm_node_clear_parked(struct rm_core *c, struct rm_node *n);
void rm_node_move_queued_to_sent(struct rm_node *n);
void rm_node_answer_parked_heartbeat(struct rm_core *c, struct rm_node *n);
void rm_reply_resync(struct rm_core *c, uint64_t token);
void rm_nodes_answer_listed(struct rm_core *c);
void rm_node_end_hold(struct rm_core *c, struct rm_node *n);

#endif
