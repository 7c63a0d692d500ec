/* rm/core/logs/log_reports.h - which nodes still have logs of an ended application to copy to the
 * folder that they share, so that readers know when the logs are complete.
 *
 *    clean-up ordered --> COPYING <--> FAILING --> (no entry: copied, or nothing to copy)
 *                            |            |
 *                            |            `-- FAILED: the node has lost them; the application keeps
 *                            |                that in mind, whatever comes later
 *                            `-- the node is lost: MISSING, until it registers again
 *
 * An entry stands for an application on a node. It begins with the order to clean up, since the
 * node's next heartbeat after that order is the first that can report the application. Each
 * heartbeat reports the applications whose logs are not copied yet, so an entry ends with the first
 * heartbeat without it that does not say either that there are more than it reports. The
 * application has the number of its entries by state.
 *
 * Nothing of this is stored: after a restart, nodes report what they still have to copy when they
 * register, and everything else counts as copied. */
#ifndef CREEL_RM_CORE_LOGS_LOG_REPORTS_H
#define CREEL_RM_CORE_LOGS_LOG_REPORTS_H

#include "rm/core/state.h"

/* Adds an entry for @app, which @n is ordered to clean up. Does nothing unless logs are
 * aggregated. */
void rm_logs_add_ordered(struct rm_core *c, struct rm_node *n, const struct base_app_id *app);
/* Notes that all orders queued for @n have been sent. */
void rm_logs_note_orders_sent(struct rm_node *n);
/* Replaces the entries of @n by what it reports, except those whose order has not been sent. @more:
 * the node has others that it does not report: only entries of reported applications are replaced.
 */
void rm_logs_take_reports(struct rm_core *c, struct rm_node *n, const struct rm_log_report *v,
                          size_t reports_n, bool more);
/* Marks all entries of @n as MISSING. */
void rm_logs_note_node_lost(struct rm_core *c, struct rm_node *n);

#endif
