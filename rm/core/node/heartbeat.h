/* rm/core/node/heartbeat.h - heartbeats. */
#ifndef CREEL_RM_CORE_NODE_HEARTBEAT_H
#define CREEL_RM_CORE_NODE_HEARTBEAT_H

#include "rm/core/state.h"

/* Handle RM_EV_NODE_HEARTBEAT and RM_EV_NODE_WAKE. */
void rm_node_on_heartbeat(struct rm_core *c, const struct rm_event *ev);
void rm_node_on_wake_parked_heartbeat(struct rm_core *c, const struct rm_event *ev);

#endif
