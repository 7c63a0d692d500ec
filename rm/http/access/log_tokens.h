/* rm/http/access/log_tokens.h - gives out log tokens (base/crypto/log_token.h), by which users read
 * logs at nodes without sending their own tokens there:
 *
 *   POST /ws/v1/cluster/apps/{appid}/log-token    for whoever may see the application
 *   Location of a redirect to a node              log-token in its query, for one container */
#ifndef CREEL_RM_HTTP_ACCESS_LOG_TOKENS_H
#define CREEL_RM_HTTP_ACCESS_LOG_TOKENS_H

#include "api/server/server.h"
#include "rm/daemon/backend.h"

/* Appends a token with which the caller of @rq, whose right has been checked, reads the logs of
 * @scope, an application or container, and writes a line of the audit log. Returns false when there
 * is no secret to make it of, or the caller has no name. */
bool rm_log_token_make(const struct api_request *rq, struct rm_backend *b, const char *scope,
                       struct base_buf *out);
/* Returns true when the caller may not see the logs of @app; @rq has then been answered. Only
 * administrators may see those of an application that is no longer known. */
bool rm_logs_refuse_unless_viewer(struct api_request *rq, struct rm_backend *b,
                                  struct base_app_id app);

#endif
