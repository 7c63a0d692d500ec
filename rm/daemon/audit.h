/* rm/daemon/audit.h - what the ResourceManager writes into its audit log (api/audit/audit.h).
 *
 *   op=end user=ann result=failed app=application_…_0001 name=wordcount queue=default …
 *
 * Operations are those of the table in audit.c, and "end": an application has ended, for any
 * reason. The result of "end" may also be killed, undefined or other. Heartbeats, allocations,
 * commits, splits, identifications and new ids are logged only when they are refused; reads only
 * when they are refused for their caller or host name (op=request). */
#ifndef CREEL_RM_DAEMON_AUDIT_H
#define CREEL_RM_DAEMON_AUDIT_H

#include "api/audit/audit.h"
#include "base/conf/conf.h"
#include "rm/core/core.h"

/* Opens the audit log as creel.rm.audit-log says. Returns what api_audit_open() does. */
int rm_audit_open(const struct base_conf *conf, struct base_error *err);
/* Logs the end of an application; @fx: RM_FX_APP_ENDED. */
void rm_audit_log_app_end(const struct rm_effect *fx);

#endif
