/* rm/daemon/audit.h - the audit log: one line for each operation, with its user, address and
 * result, in the log's area "audit" and in the file that creel.rm.audit-log names (0640, appended
 * to, opened again on SIGHUP).
 *
 *   op=submit-job user=ann ip=10.0.0.7 result=success status=201 app=application_…_0001 …
 *   op=kill user=bob ip=10.0.0.8 result=refused status=404 app=application_…_0099 why="…"
 *   op=end user=ann result=failed app=application_…_0001 name=wordcount queue=default …
 *
 * Operations: submit-job, submit-app, kill, move, set-policy, refresh-queues, set-scheduler-conf,
 * format-scheduler-conf, ha-state, register-node, unregister-node, register-master, finish-master,
 * and end (of an application, for any reason). Reads are not logged; heartbeats, allocations,
 * commits and new ids only when they are refused. Every request that is refused for its caller
 * (401, 403) or for the host name that it names (421) is logged, as op=request where the operation
 * is none of these. A redirection by a standby (307) is not logged: the active RM logs the request.
 * result: success, refused (4xx, or rm_audit_mark_refused()) or failed (5xx: the request may be a
 * repetition of one that succeeded); for op=end also killed, undefined or other.
 *
 * A value that is empty, too long, or has characters other than letters, digits and ._:/@%+,-
 * stands in quotes; there '"', '\' and every byte that is not printable ASCII are written \xNN, so
 * that no name can forge a line or a member. Values are cut off after RM_AUDIT_VALUE_MAX bytes.
 *
 * Refused and failed requests beyond the number that one address may have logged in a minute
 * (rm/daemon/audit_limit.h) are counted, and one line reports the count when that minute is over:
 * op=left-out ip=10.0.0.8 result=refused count=532 … Every success has a line. Lines that could not
 * be written to a file go to the log whatever its level.
 *
 * SOURCE: YARN's RMAuditLogger has the same members under the keys USER, IP, OPERATION, RESULT,
 * APPID, DESCRIPTION. */
#ifndef CREEL_RM_DAEMON_AUDIT_H
#define CREEL_RM_DAEMON_AUDIT_H

#include "api/server/server.h"
#include "rm/core/core.h"

enum { RM_AUDIT_VALUE_MAX = 256 };

/* Opens the audit file @path; "" or NULL: lines go to the log alone. Call once, before the server
 * starts; close with rm_audit_close(). Returns 0, or -BASE_EIO or -BASE_ENOSPC. */
int rm_audit_open(const char *path, struct base_error *err);
/* Opens the file again, as it may have been moved away. A failure is logged, and the old file stays
 * open. */
void rm_audit_reopen(void);
/* Logs how many refusals were left out, when their minute is over. Call about once a second. */
void rm_audit_log_left_out_refusals(void);
void rm_audit_close(void);

/* For api_server_conf.on_answer: logs the request if its operation is logged. */
void rm_audit_log_answer(struct api_request *rq, unsigned status, void *user);
/* Adds a member to the line of the request. Call before its answer. Both texts are copied; @value
 * NULL: empty. */
void rm_audit_add_member(struct api_request *rq, const char *key, const char *value);
/* Marks the request as refused although its status says success. Call before its answer. */
void rm_audit_mark_refused(struct api_request *rq, const char *why);
/* Marks the request as refused for its caller: it gets a line whatever its operation and status.
 * Call before its answer. */
void rm_audit_mark_forbidden(struct api_request *rq, const char *why);
/* Logs the end of an application; @fx: RM_FX_APP_ENDED. */
void rm_audit_log_app_end(const struct rm_effect *fx);
/* Logs an operation without a request. @by: its cause, a signal or a changed file. @why: the error;
 * NULL: success. */
void rm_audit_log_own_operation(const char *op, const char *by, const char *why);

/* Appends "key=value", after a space unless @out is empty. */
void rm_audit_append_member(struct base_buf *out, const char *key, const char *value);

#endif
