/* api/audit/audit.h - the audit log of a daemon: one line for each operation, with its user,
 * address and result, in the log's area "audit" and in a file (0640, appended to, opened again on
 * SIGHUP).
 *
 *   op=submit-job user=ann ip=10.0.0.7 result=success status=201 app=application_…_0001 …
 *   op=kill user=bob ip=10.0.0.8 result=refused status=404 app=application_…_0099 why="…"
 *
 * The daemon gives the table of its operations. Every request that is refused for its caller (401,
 * 403) or for the host name that it names (421) is logged, as op=request where the operation is not
 * in the table. A redirection by a standby (307) is not logged: the active ResourceManager logs the
 * request. result: success, refused (4xx, or api_audit_mark_refused()) or failed (5xx: the request
 * may be a repetition of one that succeeded).
 *
 * A value that is empty, too long, or has characters other than letters, digits and ._:/@%+,-
 * stands in quotes; there '"', '\' and every byte that is not printable ASCII are written \xNN, so
 * that no name can forge a line or a member. Values are cut off after API_AUDIT_VALUE_MAX bytes.
 *
 * Refused and failed requests beyond the number that one address may have logged in a minute
 * (api/audit/limit.h) are counted, and one line reports the count when that minute is over:
 * op=left-out ip=10.0.0.8 result=refused count=532 … Every success has a line. Lines that could not
 * be written to a file go to the log whatever its level.
 *
 * SOURCE: YARN's RMAuditLogger has the same members under the keys USER, IP, OPERATION, RESULT,
 * APPID, DESCRIPTION. */
#ifndef CREEL_API_AUDIT_AUDIT_H
#define CREEL_API_AUDIT_AUDIT_H

#include "api/server/server.h"

enum { API_AUDIT_VALUE_MAX = 256 };

struct api_audit_operation {
    const char *method, *path; /* of the route */
    const char *name;
    bool refusals_only;
};
/* Sets the operations that are logged (a table of @n, which must outlive the log), and opens the
 * audit file @path, the value of the configuration's @key; "" or NULL: lines go to the log alone.
 * Call once, before the server starts; close with api_audit_close(). Returns 0, or -BASE_EIO or
 * -BASE_ENOSPC. */
int api_audit_open(const struct api_audit_operation *ops, size_t n, const char *key,
                   const char *path, struct base_error *err);
/* Opens the file again, as it may have been moved away. A failure is logged, and the old file stays
 * open. */
void api_audit_reopen(void);
/* Logs how many refusals were left out, when their minute is over. Call about once a second. */
void api_audit_end_refusal_window_if_over(void);
void api_audit_close(void);

/* For api_server_conf.on_answer: logs the request if its operation is logged. */
void api_audit_log_answer(struct api_request *rq, unsigned status, void *user);
/* Adds a member to the line of the request. Call before its answer. Both texts are copied; @value
 * NULL: empty. */
void api_audit_add_member(struct api_request *rq, const char *key, const char *value);
/* Marks the request as refused although its status says success. Call before its answer. */
void api_audit_mark_refused(struct api_request *rq, const char *why);
/* Marks the request as refused for its caller: it gets a line as a refusal even if its operation is
 * not in the table or its status says success (but not for an operation of which only refusals are
 * logged, and whose status is not 4xx). Call before its answer. */
void api_audit_mark_forbidden(struct api_request *rq, const char *why);
/* Keeps why the token or session of the request is not valid: the line says so if the answer is
 * 401. A request that needs no user is answered in spite of an old session, and is not refused. */
void api_audit_note_bad_proof(struct api_request *rq, const char *why);
/* Logs an operation without a request. @by: its cause, a signal or a changed file. @why: the error;
 * NULL: success. */
void api_audit_log_own_operation(const char *op, const char *by, const char *why);

/* Logs a call of Hadoop RPC, which is no request of the HTTP server. @app: the application that the
 * call is about; "": none. @why: the refusal, of which each address has a limited number logged;
 * NULL: success. */
void api_audit_log_call(const char *op, const char *user, const char *ip, const char *app,
                        const char *why);

/* Logs that a connection of Hadoop RPC is refused: the .note_refusal of api_rpc_server_conf. @name:
 * NULL: nobody is known yet. */
void api_audit_log_refused_connection(void *user, const char *name, const char *peer,
                                      const char *why);

/* The same as api_audit_log_call() with further members, made by api_audit_append_member(); NULL:
 * none. */
void api_audit_log_call_with(const char *op, const char *user, const char *ip, const char *app,
                             const char *members, const char *why);

/* For lines that the daemon composes itself: appends "key=value", after a space unless @out is
 * empty. */
void api_audit_append_member(struct base_buf *out, const char *key, const char *value);
/* Writes a line that such members make up. */
void api_audit_log_line(const struct base_buf *line);

#endif
