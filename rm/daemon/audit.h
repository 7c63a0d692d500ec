/* rm/daemon/audit.h - the audit log: who did what, from where, with which result. One line per
 * fact, in the log's area "audit" and in the file that creel.rm.audit-log names (0640, appended to,
 * opened again on SIGHUP).
 *
 *   op=submit-job user=ann ip=10.0.0.7 result=success status=201 app=application_…_0001
 *   name=wordcount queue=default op=kill user=bob ip=10.0.0.8 result=refused status=404
 *   app=application_…_0099 why="app with id … not found" op=end user=ann result=failed
 *   app=application_…_0001 name=wordcount queue=default state=FINISHED why="…"
 *
 * Operations: submit-job, submit-app, kill, move, set-policy, refresh-queues, ha-state,
 * register-node, unregister-node, register-master, finish-master, and end (of an application, no
 * matter how). Reads are not facts; of heartbeats, allocations, commits and new ids refusals alone
 * are. Whatever is refused for who asks (401, 403) or for the name that it asks by (421) is
 * written, as op=request where it is none of these. A redirect of a standby (307) is not: the
 * active one writes. result: success, refused (4xx) or failed (5xx, which may be a repeat of
 * something done).
 *
 * A value that is not plain stands in quotes; there '"', '\' and every byte that is not printable
 * ASCII are \xNN. So a name cannot make a line or a member. Values are cut off after
 * RM_AUDIT_VALUE_MAX bytes.
 *
 * Refused and failed requests beyond what an address may leave in a minute
 * (rm/daemon/audit_limit.h) are counted, and told by one line when that minute is over: op=left-out
 * ip=10.0.0.8 result=refused count=532 … Successes all have their line. Lines that are in no file
 * go to the log whatever its level.
 *
 * SOURCE: YARN's RMAuditLogger, whose keys USER, IP, OPERATION, RESULT, APPID, DESCRIPTION these
 * are. */
#ifndef CREEL_RM_DAEMON_AUDIT_H
#define CREEL_RM_DAEMON_AUDIT_H

#include "api/server/server.h"
#include "rm/core/core.h"

enum { RM_AUDIT_VALUE_MAX = 256 };

/* @path: "" or NULL: the log alone. Once, before the server starts; ends with rm_audit_close(). */
int rm_audit_open(const char *path, struct base_error *err);
void rm_audit_reopen(
    void);                /* it may have been moved away; a failure is logged, the old one stays */
void rm_audit_tick(void); /* now and then: tells what was left out */
void rm_audit_close(void);

/* For api_server_conf.on_answer. */
void rm_audit_answer(struct api_request *rq, unsigned status, void *user);
/* More about the request: a member of its line. Before its answer; @key static. */
void rm_audit_note(struct api_request *rq, const char *key, const char *value);
/* The request was refused although its status says success. */
void rm_audit_refuse(struct api_request *rq, const char *why);
/* RM_FX_APP_ENDED. */
void rm_audit_end(const struct rm_effect *fx);
/* An operation without a request: a signal, a changed file. @why: the error, NULL for success. */
void rm_audit_own(const char *op, const char *by, const char *why);

/* Appends " key=value". */
void rm_audit_put(struct base_buf *out, const char *key, const char *value);

#endif
