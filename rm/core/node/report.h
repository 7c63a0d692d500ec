/* rm/core/node/report.h - a node's report of one container. */
#ifndef CREEL_RM_CORE_NODE_REPORT_H
#define CREEL_RM_CORE_NODE_REPORT_H

#include "rm/core/state.h"

/* Applies the report @r of a container on @n. @registering: the report came with a registration, so
 * an unknown container may be attached, and orders that may have been lost are repeated. */
void rm_container_process_report(struct rm_core *c, struct rm_node *n,
                                 const struct rm_container_report *r, bool registering);

#endif
