/* rm/core/node/report.h - a node's report of one container. */
#ifndef CREEL_RM_CORE_NODE_REPORT_H
#define CREEL_RM_CORE_NODE_REPORT_H

#include "rm/core/state.h"

void rm_container_process_report(struct rm_core *c, struct rm_node *n,
                                 const struct rm_container_report *r, bool registering);

#endif
