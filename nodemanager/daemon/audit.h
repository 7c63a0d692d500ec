/* nodemanager/daemon/audit.h - what a NodeManager writes into its audit log (api/audit/audit.h):
 * each start and end of a container, the requests in the table of audit.c, which change something,
 * and refused requests.
 *
 *   op=start-container user=ann result=success app=application_… container=container_…
 *   op=end-container user=ann result=failed app=… container=… exit=1 why="…"
 *
 * SOURCE: YARN's NMAuditLogger logs the same about containers. */
#ifndef CREEL_NODEMANAGER_DAEMON_AUDIT_H
#define CREEL_NODEMANAGER_DAEMON_AUDIT_H

#include "base/conf/conf.h"
#include "nodemanager/core/core.h"

/* Opens the audit log as creel.nodemanager.audit-log says. Returns what api_audit_open() does. */
int nm_audit_open(const struct base_conf *conf, struct base_error *err);
/* Logs @ev if it starts or ends a container. Call before the core's step, which may forget the
 * container's application. */
void nm_audit_log_event(const struct nm_core *core, const struct nm_event *ev);

#endif
