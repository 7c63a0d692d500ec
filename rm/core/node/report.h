/* rm/core/node/report.h - what a node reports of its containers. */
#ifndef CREEL_RM_CORE_NODE_REPORT_H
#define CREEL_RM_CORE_NODE_REPORT_H

#include "rm/core/state.h"

/* Applies the @reports of containers on @n. @registering: they came with a registration, so an
 * unknown container may be attached, and orders that may have been lost are repeated. The log has a
 * line when a node of Hadoop reports containers that cannot be its own. */
void rm_node_process_reports(struct rm_core *c, struct rm_node *n,
                             const struct rm_container_report *reports, size_t reports_n,
                             bool registering);
/* Returns true when the log may be told of something strange about @n, which once a second it may.
 */
bool rm_node_may_note_strange(const struct rm_core *c, struct rm_node *n);

#endif
