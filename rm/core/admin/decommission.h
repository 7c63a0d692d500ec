/* rm/core/admin/decommission.h - taking nodes out of service: draining, decommissioning at once and
 * gracefully, hosts that may not have nodes.
 *
 *   RUNNING --drain or graceful--> DECOMMISSIONING --undrain, or allowed again--> RUNNING
 *                                        |  graceful: no live application refers to the node
 *                                        |  any more, or its time is over
 *                                        v
 *   RUNNING ------- at once -----> DECOMMISSIONED: the NodeManager is ordered to shut down
 *
 * A node that is DECOMMISSIONING gets no new containers; its present ones go on. A drained node
 * stays in that state until it is undrained. Source: Hadoop's RMNodeImpl, NodesListManager and
 * DecommissioningNodesWatcher; draining is Creel's own. */
#ifndef CREEL_RM_CORE_ADMIN_DECOMMISSION_H
#define CREEL_RM_CORE_ADMIN_DECOMMISSION_H

#include "rm/core/state.h"

/* Handle RM_EV_REFRESH_NODES and RM_EV_DRAIN_NODE. */
void rm_nodes_on_refresh(struct rm_core *c, const struct rm_event *ev);
void rm_node_on_drain(struct rm_core *c, const struct rm_event *ev);
/* Returns true when the node that registers by @ev is on a host that may not have nodes; the node
 * has then been ordered to shut down, and taken down if it was known as @n (NULL: not known). */
bool rm_node_refuse_excluded(struct rm_core *c, struct rm_node *n, const struct rm_event *ev);
/* Returns true when a heartbeat came from a node that was decommissioned: the node has been ordered
 * to shut down again, since the first order may have been lost. @n may be NULL. */
bool rm_node_repeat_shutdown_answer(struct rm_core *c, const struct rm_node *n,
                                    const struct rm_event *ev);
/* Call when @n has registered: makes it DECOMMISSIONING if it is drained or decommissioned
 * gracefully. */
void rm_node_resume_decommissioning(struct rm_core *c, struct rm_node *n);
/* Ends the graceful decommissioning of @n without a change of its state. */
void rm_node_cancel_decommissioning(struct rm_core *c, struct rm_node *n);
/* Call when the time for the graceful decommissioning of @n is over. */
void rm_node_complete_decommissioning(struct rm_core *c, struct rm_node *n);
/* Decommissions the nodes whose graceful decommissioning waits for applications, and to which no
 * live application refers any more. */
void rm_nodes_decommission_idle(struct rm_core *c);
/* Call when all records have been read: sets the timers of nodes that are decommissioned
 * gracefully, and lists excluded hosts. */
void rm_nodes_restore_decommissioning(struct rm_core *c);

#endif
