/* rm/core/admin/label_use.h - finds queues that the scheduler configuration lets use a label; while
 * there is one, the label cannot be removed. SOURCE: Hadoop's RMNodeLabelsManager, seen in
 * 3.4.2. */
#ifndef CREEL_RM_CORE_ADMIN_LABEL_USE_H
#define CREEL_RM_CORE_ADMIN_LABEL_USE_H

struct rm_core;

/* Returns the path of a queue whose accessible-node-labels names @label, of several the one with
 * the shortest path, or NULL. "*", and what a queue inherits, do not count. Caller frees. */
char *rm_label_find_queue_using(const struct rm_core *c, const char *label);

#endif
