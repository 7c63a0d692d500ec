/* nodemanager/http/log_server.h - sends clients on to the server that has the logs which this node
 * does not have, or no longer: yarn.log.server.web-service.url for REST, yarn.log.server.url for
 * the pages. */
#ifndef CREEL_NODEMANAGER_HTTP_LOG_SERVER_H
#define CREEL_NODEMANAGER_HTTP_LOG_SERVER_H

#include "api/server/server.h"
#include "nodemanager/daemon/daemon.h"

/* Answers 307 to <server>/containers/<container>/logs[/<file>], with the query that the request has
 * (without nm.id) and redirected_from_node=true. @container and @file (NULL: the list) are texts of
 * the request. Returns false without a log server; @rq has not been answered then. */
bool nm_log_server_redirect(struct api_request *rq, const struct nm *nm, const char *container,
                            const char *file);
/* Answers 307 to the page <server>/<node id>/<container>/<container>/<user>[/<file>], likewise. */
bool nm_log_server_redirect_page(struct api_request *rq, const struct nm *nm, const char *container,
                                 const char *user, const char *file);

#endif
