/* Decides whether the sender of a request may use its route. */
#include "api/server/request/authorise.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/server/answer/error.h"
#include "api/server/request/origin.h"
#include "api/server/server_internal.h"
#include "base/io/io.h"
#include "base/limits.h"
#include "base/utf8.h"

void api_request_read_identity(struct api_request *rq)
{
    const char *user = api_uri_find_query_value(&rq->uri, "user.name");
    const char *authorization = api_header(rq, "Authorization");

    rq->caller = base_strdup(user ? user : rq->server->static_user);
    if (authorization && strncasecmp(authorization, "Bearer ", 7) == 0) {
        authorization += 7;
        authorization += strspn(authorization, " ");
        if (*authorization)
            rq->bearer = base_strdup(authorization);
    }
}

/* Returns false when the request has been answered: its user name could not be stored, shown in
 * JSON, or passed on in an environment. */
static bool check_caller(struct api_request *rq)
{
    char *shown;

    if (!rq->caller ||
        (strlen(rq->caller) <= BASE_NAME_MAX && base_utf8_valid_without_controls(rq->caller)))
        return true;
    shown = base_utf8_escape_for_message(rq->caller, 100);
    api_answer_error(
        rq, 400, "BadRequestException",
        "user.name: \"%s\" is not a name of 1 to %d bytes in UTF-8 without control characters",
        shown, BASE_NAME_MAX);
    free(shown);
    return false;
}

bool api_request_check_user(struct api_request *rq)
{
    if (!check_caller(rq))
        return false;
    if (!rq->caller || (rq->caller[0] && !strchr(rq->caller, '&')))
        return true;
    api_error_answer_server_page(
        rq, 500, "java.lang.IllegalArgumentException: userName is NULL, empty or contains a '&'");
    return false;
}

/* Marks the connection as a node's, for the limits of connections; at most once a minute, since
 * the requests of a node follow each other closely. */
static void mark_as_node(struct api_request *rq, bool proven)
{
    int64_t now = api_now_ms();

    if (!rq->conn ||
        (rq->conn->node_marked_ms && now - rq->conn->node_marked_ms < API_PEER_NODE_MS / 60))
        return;
    rq->conn->node_marked_ms = now;
    api_peers_mark_node(rq->server->peers, &rq->conn->seat, proven, now);
}

bool api_request_authorise(struct api_request *rq)
{
    const char *secret = rq->server->node_secret;

    if (!check_caller(rq))
        return false;
    if (strcmp(rq->route->method, "GET") != 0 && api_origin_is_foreign(rq)) {
        api_answer_error(rq, 403, "ForbiddenException",
                         "A page of another site may not ask for this (Origin: %.200s)",
                         api_header(rq, "Origin") ? api_header(rq, "Origin") : "");
        return false;
    }
    switch (rq->route->role) {
    case API_ROLE_READ:
    case API_ROLE_WRITE:
        if (!api_request_check_user(rq))
            return false;
        if (rq->caller || rq->route->role == API_ROLE_READ)
            return true;
        api_answer_error(rq, 401, "AuthorizationException",
                         "Unable to obtain user name, user not authenticated");
        return false;
    case API_ROLE_NODE:
        if (!secret || (rq->bearer && base_secret_equal(rq->bearer, secret))) {
            mark_as_node(rq, secret != NULL);
            return true;
        }
        if (!rq->bearer) {
            api_add_header(rq, "WWW-Authenticate", "Bearer");
            api_answer_error(rq, 401, "AuthorizationException",
                             "The cluster's secret is needed as bearer token");
        } else {
            api_answer_error(rq, 403, "ForbiddenException",
                             "The bearer token is not this cluster's secret");
        }
        return false;
    case API_ROLE_MASTER:
        if (rq->bearer)
            return true;
        api_add_header(rq, "WWW-Authenticate", "Bearer");
        api_answer_error(rq, 401, "AuthorizationException",
                         "The application's token is needed as bearer token");
        return false;
    case API_ROLE_NONE:
        break;
    }
    api_answer_error(rq, 403, "ForbiddenException", "This resource has no role");
    return false;
}
