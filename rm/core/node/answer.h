/* rm/core/node/answer.h - answers to nodes. */
#ifndef CREEL_RM_CORE_NODE_ANSWER_H
#define CREEL_RM_CORE_NODE_ANSWER_H

#include "rm/core/state.h"

/* Answers the heartbeat or registration @token of @n, released when the record @after is durable
 * (0: at once). Does nothing for @token 0. @orders may be NULL. @n NULL: a node that is refused. */
void rm_node_emit_answer(struct rm_core *c, struct rm_node *n, uint64_t token, int64_t response_id,
                         bool registered, const struct rm_orders *orders, uint64_t after);
/* Forgets that a heartbeat of @n is held; the caller must answer that request. */
void rm_node_clear_parked_heartbeat(struct rm_core *c, struct rm_node *n);
/* Makes the queued orders the sent ones, which are sent again if the heartbeat is repeated, and
 * drops the orders sent before. */
void rm_node_move_queued_orders_to_sent(struct rm_node *n);
/* Answers the held heartbeat of @n, if there is one, with the queued orders. */
void rm_node_answer_parked_heartbeat(struct rm_core *c, struct rm_node *n);
/* Replies that the node has to register again. */
void rm_reply_resync(struct rm_core *c, uint64_t token);
/* Answers the held heartbeats of the nodes listed by rm_node_add_to_answer_list() that have an
 * urgent order or whose hold time has passed. Called at the end of every step. */
void rm_nodes_answer_due_heartbeats(struct rm_core *c);
/* Call when the hold time has passed: the node's held heartbeat is answered at the end of this
 * step. */
void rm_node_end_heartbeat_hold(struct rm_core *c, struct rm_node *n);

#endif
