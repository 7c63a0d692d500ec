/* nodemanager/http/access/log_token.h - checks the log tokens (base/crypto/log_token.h) that
 * callers show as their bearer tokens, or in the query. The ResourceManager that made one has
 * checked that its user may see the logs, so no list is asked here; nothing but logs is opened by
 * it. */
#ifndef CREEL_NODEMANAGER_HTTP_ACCESS_LOG_TOKEN_H
#define CREEL_NODEMANAGER_HTTP_ACCESS_LOG_TOKEN_H

#include "api/server/server.h"
#include "nodemanager/daemon/daemon.h"

/* Returns true when the caller shows a log token, valid or not. */
bool nm_log_token_is_bearer(const struct api_request *rq);
/* Returns true when the token is valid and opens what the request asks for. */
bool nm_log_token_opens_requested_logs(const struct api_request *rq, const struct nm *nm);
/* For api_check_token: sets *@name to the token's user when it opens what the request asks for;
 * otherwise refuses it, and enters the reason in the audit log. */
enum api_token nm_log_token_check(struct api_request *rq, const struct nm *nm, const char *token,
                                  char **name);

#endif
