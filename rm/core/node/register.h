/* rm/core/node/register.h - registration of nodes. */
#ifndef CREEL_RM_CORE_NODE_REGISTER_H
#define CREEL_RM_CORE_NODE_REGISTER_H

#include "rm/core/state.h"

/* Handles RM_EV_NODE_REGISTER. */
void rm_node_on_register(struct rm_core *c, const struct rm_event *ev);

#endif
