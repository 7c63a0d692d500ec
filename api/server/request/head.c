/* Handles a request's line and headers: target, host, route, caller, gate. */
#include "api/server/request/head.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/server/answer/error.h"
#include "api/server/request/authorise.h"
#include "api/server/request/body.h"
#include "api/server/request/origin.h"
#include "api/server/server_internal.h"
#include "base/io/log.h"

static const char *find_known_method(const char *text)
{
    static const char *const names[] = {"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i], text) == 0)
            return names[i];
    return NULL;
}

static void read_accept_headers(struct api_request *rq)
{
    struct base_buf accept = {0};
    const char *encoding = api_header(rq, "Accept-Encoding");

    api_request_join_headers(rq, "Accept", &accept);
    rq->accept = api_accept_parse(accept.data, &rq->accept_named);
    base_buf_free(&accept);
    rq->accept_gzip = encoding && strstr(encoding, "gzip"); /* YARN ignores q here too */
}

/* Checks the request's target. Returns false when the request has been answered: the target is
 * invalid, or the request is "OPTIONS *". */
static bool check_target_or_answer(struct api_request *rq)
{
    if (strcmp(rq->method, "OPTIONS") == 0 && strcmp(rq->uri.path, "*") == 0)
        api_error_answer_options(rq);
    else if (rq->uri_error == -BASE_ELIMIT)
        api_answer_error(rq, 414, "LimitException", "The request's address has too many parts");
    else if (rq->uri_error)
        api_answer_error(rq, 400, "BadRequestException", "The request's address cannot be decoded");
    else
        return true;
    return false;
}

static bool check_head_size_or_answer(struct api_request *rq)
{
    if (api_request_get_memory_left(rq) >= API_ANSWER_HEAD_MIN)
        return true;
    rq->close = true;
    api_answer_error(rq, 431, "LimitException",
                     "The request's line and headers are too long; expected up to 16 KiB with 64 "
                     "bytes for each header");
    return false;
}

/* Returns true when the path ends in a slash; false for "/" alone. */
static bool ends_in_slash(const struct api_uri *uri)
{
    return uri->n_segments > 1 && uri->segments[uri->n_segments - 1][0] == '\0';
}

static void find_route(struct api_request *rq)
{
    enum api_method method = api_method_parse(rq->method);

    if (!api_router_match(rq->server->router, &rq->uri, &rq->match) ||
        (ends_in_slash(&rq->uri) && api_match_has_flag(&rq->match, API_ROUTE_SERVLET)))
        rq->match.by_method = NULL;
    else if (method != API_M_OTHER) /* OPTIONS has no route */
        rq->route = rq->match.by_method[method];
}

static void answer_no_route(struct api_request *rq)
{
    if (strcmp(rq->method, "OPTIONS") == 0)
        api_error_answer_options(rq);
    else if (!rq->match.by_method)
        api_error_answer_not_found(rq);
    else
        api_error_answer_wrong_method(rq);
}

/* Joins the decoded segments that {rest*} has captured. */
static void join_rest_segments(struct api_request *rq)
{
    struct base_buf b = {0};

    for (size_t i = rq->match.rest_from; i < rq->uri.n_segments; i++) {
        base_buf_adds(&b, i > rq->match.rest_from ? "/" : "");
        base_buf_adds(&b, rq->uri.segments[i]);
    }
    rq->rest = base_buf_take(&b);
}

/* Returns true when the gate has answered the request. */
static bool run_gate(struct api_request *rq)
{
    return rq->server->gate && rq->server->gate(rq, rq->server->user);
}

#define RATE_WARN_EVERY_MS 60000

/* Refuses a request beyond the limit that @key sets; the log says so at most once a minute. */
static void refuse_for_rate(struct api_request *rq, const char *whose, const char *key)
{
    if (base_log_limit_allows(&rq->server->rate_warnings, api_mono_ms(), RATE_WARN_EVERY_MS, NULL))
        base_log_warn("http", "requests of %s are refused: %s is reached", whose, key);
    api_add_header(rq, "Retry-After", "1");
    api_answer_error(rq, 429, "LimitException",
                     "More requests in a second than one address or user may send; try again in a "
                     "second");
}

/* Returns false after refusing the request. Nodes and loopback addresses have no limit: nodes send
 * as many requests as the ResourceManager has told them to, and all processes of this host share
 * the loopback address. */
static bool check_rate_of_address(struct api_request *rq)
{
    const struct in6_addr *address = rq->conn ? api_peers_get_address(&rq->conn->seat) : NULL;

    if (!rq->server->by_address || !address || api_peers_seat_is_node(&rq->conn->seat) ||
        api_peers_is_loopback(address) ||
        api_rate_take(rq->server->by_address, address, sizeof *address, rq->begun_us))
        return true;
    refuse_for_rate(rq, rq->peer, "creel.http.requests-per-address");
    return false;
}

/* The same for a caller who has given a name, other than a node or a master. */
static bool check_rate_of_user(struct api_request *rq)
{
    enum api_role role = rq->route ? rq->route->role : API_ROLE_READ;

    if (!rq->named || !rq->caller || role == API_ROLE_NODE || role == API_ROLE_MASTER ||
        api_rate_take(rq->server->by_user, rq->caller, strlen(rq->caller), rq->begun_us))
        return true;
    refuse_for_rate(rq, rq->caller, "creel.http.requests-per-user");
    return false;
}

static void find_route_and_authorise(struct api_request *rq)
{
    if (!check_rate_of_address(rq))
        return;
    find_route(rq);
    if (rq->match.has_rest)
        join_rest_segments(rq);
    api_request_add_cors_headers(rq);
    if (!api_signature_check_head(rq))
        return;
    if (!api_request_identify(rq) || (rq->route && !api_request_authorise(rq)) ||
        !check_rate_of_user(rq))
        return;
    if (run_gate(rq))
        return;
    if (!rq->route)
        answer_no_route(rq);
    else if (api_request_check_body_headers(rq) && rq->accept > API_ACCEPT_XML &&
             strcmp(rq->route->method, "GET") != 0 &&
             !(rq->route->flags & (API_ROUTE_CREEL | API_ROUTE_SERVLET)))
        /* refuse a change before it is made when no answer about it would be acceptable; the body
         * is filled in by api_error_replace_unacceptable_reply() */
        api_answer(rq, api_error_get_unacceptable_status(rq), API_JSON, NULL);
}

void api_request_handle_head(struct api_request *rq, const char *method)
{
    rq->begun = true;
    rq->begun_us = api_calls_now_us();
    rq->method = find_known_method(method);
    if (!rq->method) {
        snprintf(rq->unknown_method, sizeof rq->unknown_method, "%s", method);
        rq->method = rq->unknown_method;
    }
    rq->head = strcmp(rq->method, "HEAD") == 0;
    read_accept_headers(rq);
    if (atomic_load(&rq->server->stopping)) {
        rq->close = true;
        api_answer_error(rq, 503, "ServiceUnavailableException", "The server is stopping");
    } else if (check_head_size_or_answer(rq) && api_origin_check_host(rq) &&
               check_target_or_answer(rq)) {
        find_route_and_authorise(rq);
    }
    if (rq->state == API_ST_ANSWERED)
        rq->drain = true;
}
