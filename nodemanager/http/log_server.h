/* nodemanager/http/log_server.h - redirects clients to the log server for logs that this node does
 * not have, or no longer has: yarn.log.server.web-service.url for REST, yarn.log.server.url for the
 * pages. */
#ifndef CREEL_NODEMANAGER_HTTP_LOG_SERVER_H
#define CREEL_NODEMANAGER_HTTP_LOG_SERVER_H

#include "api/server/server.h"
#include "nodemanager/daemon/daemon.h"

/* Answers 307 to <server>/containers/<container>/logs[/<file>], with the request's query (without
 * nm.id) and redirected_from_node=true. @container and @file (NULL: the list) are texts of the
 * request. Returns false, without an answer, when no log server is configured. */
bool nm_log_server_redirect_if_configured(struct api_request *rq, const struct nm *nm,
                                          const char *container, const char *file);
/* Answers 307 to the page <server>/<node id>/<container>/<container>/<user>[/<file>], likewise. */
bool nm_log_server_redirect_page_if_configured(struct api_request *rq, const struct nm *nm,
                                               const char *container, const char *user,
                                               const char *file);

#endif
