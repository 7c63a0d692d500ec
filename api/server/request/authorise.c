/* Decides whether the sender of a request may use its route. */
#include "api/server/request/authorise.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/server/access/auth.h"
#include "api/server/access/cors.h"
#include "api/server/answer/error.h"
#include "api/server/request/cookie.h"
#include "api/server/request/negotiate.h"
#include "api/server/request/origin.h"
#include "api/server/request/token.h"
#include "api/server/server_internal.h"
#include "base/crypto/log_token.h"
#include "base/limits.h"
#include "base/utf8.h"

/* A log token in the query must not reach other sites, to which the page may lead. */
static void read_log_token_of_query(struct api_request *rq)
{
    const char *token = api_uri_find_query_value(&rq->uri, BASE_LOG_TOKEN_QUERY);

    if (!token || !base_has_log_token_form(token))
        return;
    rq->bearer = base_strdup(token);
    api_add_header(rq, "Referrer-Policy", "no-referrer");
}

static void read_bearer_token(struct api_request *rq)
{
    const char *authorization = api_header(rq, "Authorization");

    if (!authorization && rq->route && (rq->route->flags & API_ROUTE_LOGS))
        read_log_token_of_query(rq);
    if (authorization && strncasecmp(authorization, "Bearer ", 7) == 0) {
        authorization += 7;
        authorization += strspn(authorization, " ");
        if (*authorization)
            rq->bearer = base_strdup(authorization);
    }
}

/* Returns false after answering the request: @name cannot be stored, shown in JSON, or passed on in
 * an environment. */
static bool check_name_is_storable(struct api_request *rq, const char *name, const char *parameter)
{
    char *shown;

    if (!name || (strlen(name) <= BASE_NAME_MAX && base_utf8_valid_without_controls(name)))
        return true;
    shown = base_utf8_escape_for_message(name, 100);
    api_answer_error(
        rq, 400, "BadRequestException",
        "%s: \"%s\" is not a name of 1 to %d bytes in UTF-8 without control characters", parameter,
        shown, BASE_NAME_MAX);
    free(shown);
    return false;
}

/* Returns false after answering the request: YARN does not accept @name. The answer is YARN's page,
 * with status 400 in place of YARN's 500, since the mistake is the client's. */
static bool check_yarn_accepts_name(struct api_request *rq, const char *name)
{
    if (!check_name_is_storable(rq, name, "user.name"))
        return false;
    if (!name || (name[0] && !strchr(name, '&')))
        return true;
    api_error_answer_servlet_engine_page(
        rq, 400, "java.lang.IllegalArgumentException: userName is NULL, empty or contains a '&'");
    return false;
}

/* Returns true when the sender is identified by a signature or a token, not by a name: the
 * cluster's secret, or a container's token, which the handler checks. */
static bool is_known_by_token(const struct api_request *rq)
{
    enum api_role role = rq->route ? rq->route->role : API_ROLE_READ;

    return role == API_ROLE_NODE || role == API_ROLE_MASTER ||
           (api_is_signed_by_node(rq) && rq->server->trusts_daemons);
}

bool api_request_apply_do_as(struct api_request *rq)
{
    const char *as = api_uri_find_query_value(&rq->uri, "doAs");

    if (!rq->server->reads_do_as || !as || !as[0])
        return true;
    if (!check_name_is_storable(rq, as, "doAs"))
        return false;
    if (!api_auth_may_act_as(rq->server->auth, rq->caller, as, rq->peer)) {
        api_error_answer_may_not_act_as(rq, as);
        return false;
    }
    free(rq->caller);
    rq->caller = base_strdup(as);
    return true;
}

/* Sets the caller from the cookie; else from @user, the value of user.name (NULL: not given), which
 * a cookie in the answer will remember; else to the static user, where anonymous requests are
 * allowed. doAs may then replace a caller who has a name. Returns false when the request has been
 * answered. */
static bool identify_by_cookie_or_name(struct api_request *rq, const char *user)
{
    const struct api_auth *auth = rq->server->auth;
    enum api_auth_cookie cookie = api_request_check_cookie(rq);

    rq->named = cookie == API_AUTH_VALID || user;
    if (cookie == API_AUTH_VALID)
        return api_request_apply_do_as(rq);
    if (user) {
        if (!check_yarn_accepts_name(rq, user))
            return false;
        rq->caller = base_strdup(user);
        api_request_set_cookie(rq, user, "");
        return api_request_apply_do_as(rq);
    }
    /* daemons of the cluster have no names */
    if (!api_auth_allows_anonymous(auth) && !api_is_signed_by_node(rq)) {
        api_error_answer_unauthenticated(
            rq, cookie == API_AUTH_BAD_SIGNATURE
                    ? "org.apache.hadoop.security.authentication.util.SignerException: Invalid "
                      "signature"
                    : "Authentication required");
        return false;
    }
    rq->caller = base_strdup(rq->server->static_user);
    return true;
}

/* Sets the caller from the ticket or the token. Returns false when the request has been
 * answered. */
static bool identify_by_proof(struct api_request *rq)
{
    if (rq->server->method == API_AUTH_SPNEGO && !rq->bearer) {
        if (!api_request_identify_by_ticket(rq))
            return false;
        if (rq->named)
            return api_request_apply_do_as(rq);
    }
    return api_request_identify_by_token(rq);
}

bool api_request_identify(struct api_request *rq)
{
    const struct api_auth *auth = rq->server->auth;
    const char *user = api_uri_find_query_value(&rq->uri, "user.name");

    read_bearer_token(rq);
    if (rq->server->method != API_AUTH_SIMPLE && !is_known_by_token(rq))
        return identify_by_proof(rq);
    if (auth && !api_auth_reads_user_names(auth))
        user = NULL;
    else if (auth && !is_known_by_token(rq))
        return identify_by_cookie_or_name(rq, user);
    rq->named = user;
    rq->caller = base_strdup(user ? user : rq->server->static_user);
    /* a name given by a node or master is shown, but not trusted */
    return rq->route && (rq->route->role == API_ROLE_NODE || rq->route->role == API_ROLE_MASTER)
               ? check_name_is_storable(rq, rq->caller, "user.name")
               : check_yarn_accepts_name(rq, rq->caller);
}

void api_request_add_cors_headers(struct api_request *rq)
{
    const struct api_cors *cors = rq->server->cors;
    const char *origin = api_header(rq, "Origin");

    if (!cors || !origin || api_cors_judge_origin(cors, origin) == API_CORS_NONE ||
        !api_cors_allows_request(cors, api_header(rq, "Access-Control-Request-Method"),
                                 api_header(rq, "Access-Control-Request-Headers")))
        return;
    api_add_header(rq, "Access-Control-Allow-Origin", origin);
    api_add_header(rq, "Access-Control-Allow-Credentials", "true");
    api_add_header(rq, "Access-Control-Allow-Methods", api_cors_get_methods(cors));
    api_add_header(rq, "Access-Control-Allow-Headers", api_cors_get_headers(cors));
    api_add_header(rq, "Access-Control-Max-Age", api_cors_get_max_age(cors));
}

/* Marks the connection as a node's, for the limits of connections; at most once a minute, since
 * the requests of a node follow each other closely. */
static void mark_connection_as_node(struct api_request *rq, bool proven)
{
    int64_t now = api_mono_ms();

    if (!rq->conn ||
        (rq->conn->node_marked_ms && now - rq->conn->node_marked_ms < API_PEER_NODE_MS / 60))
        return;
    rq->conn->node_marked_ms = now;
    api_peers_mark_node(rq->server->peers, &rq->conn->seat, proven, now);
}

/* Returns false after answering the request: daemons must show certificates here, and the client
 * has shown none that the cluster's authority has signed. */
static bool check_daemon_certificate(struct api_request *rq)
{
    struct api_tls *tls = rq->server->tls;

    if (!tls || !api_tls_requires_daemon_certificates(tls) ||
        (rq->conn && api_tls_peer_is_daemon(&rq->conn->tls)))
        return true;
    api_answer_error(rq, 403, "ForbiddenException",
                     "A certificate of the cluster's authority is needed for this");
    return false;
}

bool api_request_authorise(struct api_request *rq)
{
    if ((strcmp(rq->route->method, "GET") != 0 || rq->route->role == API_ROLE_WRITE) &&
        api_is_from_other_site(rq)) {
        api_answer_error(rq, 403, "ForbiddenException",
                         "A page of another site may not ask for this (Origin: %.200s)",
                         api_header(rq, "Origin") ? api_header(rq, "Origin") : "");
        return false;
    }
    switch (rq->route->role) {
    case API_ROLE_READ:
    case API_ROLE_WRITE:
        if (!api_request_check_needed_user(rq))
            return false;
        if (rq->caller || rq->unsettled || rq->route->role == API_ROLE_READ)
            return true;
        api_answer_error(rq, 401, "AuthorizationException",
                         "Unable to obtain user name, user not authenticated");
        return false;
    case API_ROLE_NODE:
        if (!check_daemon_certificate(rq))
            return false;
        if (!rq->server->keys || api_is_signed_by_node(rq)) {
            mark_connection_as_node(rq, rq->server->keys != NULL);
            return true;
        }
        if (rq->signer.present)
            api_answer_error(rq, 403, "ForbiddenException", "Only daemons of the cluster may ask");
        else
            api_signature_refuse(rq, "the request is not signed");
        return false;
    case API_ROLE_MASTER:
        if (rq->bearer || api_signing_key_id(rq))
            return true;
        api_signature_refuse(rq, "the request has no token of an application");
        return false;
    case API_ROLE_NONE:
        break;
    }
    api_answer_error(rq, 403, "ForbiddenException", "This resource has no role");
    return false;
}
