/* rm/core/admin/resource.h - the memory and vcores that an operator gives a node in place of the
 * slots that it registered.
 *
 * They are divided into slots in the proportion of the registered ones: slot by slot, each of the
 * kind with the smaller part of its registered number, as long as memory and vcores suffice; slots
 * for masters alone (rm/core/master/master_slots.h) are a kind of their own here. A node that
 * registered no slots gets map slots. The change lasts as long as YARN's: it survives a
 * restart of the ResourceManager, as does the time until which containers without a slot may go on,
 * but not one of the NodeManager. Source: Hadoop's RMNode resource update and
 * AbstractYarnScheduler.killContainersIfOvercommitted(). */
#ifndef CREEL_RM_CORE_ADMIN_RESOURCE_H
#define CREEL_RM_CORE_ADMIN_RESOURCE_H

#include "rm/core/state.h"

/* Handles RM_EV_NODE_RESOURCE. */
void rm_node_on_resource(struct rm_core *c, const struct rm_event *ev);
/* Sets the slots and resources that @n has now: those given, otherwise those registered. */
void rm_node_apply_resource(struct rm_core *c, struct rm_node *n);
/* Call when @n has registered and its containers are known: they may go on without a slot until the
 * time of the latest update, which may have passed while the node or the ResourceManager was away.
 */
void rm_node_resume_overcommit_timeout(struct rm_core *c, struct rm_node *n);
/* Call when @n may no longer run more containers than it has slots: kills the newest containers
 * that have no slot, masters last. */
void rm_node_kill_excess(struct rm_core *c, struct rm_node *n);

#endif
