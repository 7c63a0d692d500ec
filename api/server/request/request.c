/* Reads a request: line and headers, role, body; and what handlers can ask about it. */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/server/server_internal.h"
#include "base/io/io.h"
#include "base/limits.h"
#include "base/utf8.h"

/* Notes the client's address. An IPv4 address that came over an IPv6 socket is written as IPv4, so
 * that a host has one name. */
static void set_peer(struct api_request *rq)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(rq->connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    const struct sockaddr *a = info ? info->client_addr : NULL;
    const void *at = NULL;
    int family = a ? a->sa_family : AF_UNSPEC;

    if (family == AF_INET) {
        at = &((const struct sockaddr_in *)(const void *)a)->sin_addr;
    } else if (family == AF_INET6) {
        const struct in6_addr *six = &((const struct sockaddr_in6 *)(const void *)a)->sin6_addr;

        at = IN6_IS_ADDR_V4MAPPED(six) ? (const void *)&six->s6_addr[12] : six;
        family = IN6_IS_ADDR_V4MAPPED(six) ? AF_INET : AF_INET6;
    }
    if (!at || !inet_ntop(family, at, rq->peer, sizeof rq->peer))
        snprintf(rq->peer, sizeof rq->peer, "-");
}

#define BODY_RETRY_S "2" /* Retry-After when bodies have used up their memory */

struct api_request *api_request_new(struct api_server *s, struct MHD_Connection *c,
                                    const char *raw_uri)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    struct api_request *rq = base_alloc(sizeof *rq);

    rq->server = s;
    rq->connection = c;
    rq->conn = info ? info->socket_context : NULL;
    rq->method = "";
    set_peer(rq);
    rq->uri_error = api_uri_parse(&rq->uri, raw_uri ? raw_uri : "");
    pthread_mutex_lock(&s->lock);
    s->n_requests++;
    pthread_mutex_unlock(&s->lock);
    return rq;
}

void api_request_release_body_memory(struct api_request *rq)
{
    if (rq->charged)
        api_peers_release_body_memory(rq->server->peers, &rq->conn->seat, rq->charged);
    rq->charged = 0;
}

void api_request_free(struct api_request *rq)
{
    base_assert(rq->charged == 0);
    if (rq->slot_free && rq->slot)
        rq->slot_free(rq->slot);
    for (unsigned i = 0; i < rq->n_headers; i++) {
        free(rq->headers[i].name);
        free(rq->headers[i].value);
    }
    api_reply_free(&rq->reply);
    api_gunzip_free(rq->inflate);
    base_buf_free(&rq->body);
    free(rq->rest);
    free(rq->caller);
    free(rq->bearer);
    free(rq->refusal);
    api_uri_free(&rq->uri);
    free(rq);
}

static const char *find_static_method(const char *text)
{
    static const char *const names[] = {"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i], text) == 0)
            return names[i];
    return NULL;
}

static const char *get_header(const struct api_request *rq, const char *name)
{
    return MHD_lookup_connection_value(rq->connection, MHD_HEADER_KIND, name);
}

struct joined {
    const char *name;
    struct base_buf text;
    bool seen;
};

static enum MHD_Result join_header(void *cls, enum MHD_ValueKind kind, const char *name,
                                   const char *value)
{
    struct joined *j = cls;

    (void)kind;
    if (strcasecmp(name, j->name) == 0) {
        if (j->seen)
            base_buf_adds(&j->text, ",");
        base_buf_adds(&j->text, value ? value : "");
        j->seen = true;
    }
    return MHD_YES;
}

static void read_accept(struct api_request *rq)
{
    struct joined accept = {.name = "Accept"};
    const char *encoding = get_header(rq, "Accept-Encoding");

    MHD_get_connection_values(rq->connection, MHD_HEADER_KIND, join_header, &accept);
    rq->accept = api_accept_parse(accept.text.data, &rq->accept_named);
    base_buf_free(&accept.text);
    rq->accept_gzip = encoding && strstr(encoding, "gzip"); /* YARN ignores q here too */
}

static void read_identity(struct api_request *rq)
{
    const char *user = api_uri_find_query_value(&rq->uri, "user.name");
    const char *authorization = get_header(rq, "Authorization");

    rq->caller = base_strdup(user ? user : rq->server->static_user);
    if (authorization && strncasecmp(authorization, "Bearer ", 7) == 0) {
        authorization += 7;
        authorization += strspn(authorization, " ");
        if (*authorization)
            rq->bearer = base_strdup(authorization);
    }
}

/* Refuses a user name that could not be stored, shown in JSON, or passed on in an environment. */
static bool check_caller(struct api_request *rq)
{
    char *shown;

    if (!rq->caller || (strlen(rq->caller) <= BASE_NAME_MAX && base_utf8_plain(rq->caller)))
        return true;
    shown = base_utf8_shown(rq->caller, 100);
    api_answer_error(
        rq, 400, "BadRequestException",
        "user.name: \"%s\" is not a name of 1 to %d bytes in UTF-8 without control characters",
        shown, BASE_NAME_MAX);
    free(shown);
    return false;
}

/* Also refuses a user name that YARN refuses. */
static bool check_user(struct api_request *rq)
{
    if (!check_caller(rq))
        return false;
    if (!rq->caller || (rq->caller[0] && !strchr(rq->caller, '&')))
        return true;
    api_error_answer_server_page(
        rq, 500, "java.lang.IllegalArgumentException: userName is NULL, empty or contains a '&'");
    return false;
}

/* Marks the connection as a node's, for the limits of connections. A node's requests follow each
 * other closely, so not every one needs to do this. */
static void mark_as_node(struct api_request *rq, bool proven)
{
    int64_t now = api_read_mono_ms();

    if (!rq->conn ||
        (rq->conn->node_told_ms && now - rq->conn->node_told_ms < API_PEER_NODE_MS / 60))
        return;
    rq->conn->node_told_ms = now;
    api_peers_mark_node(rq->server->peers, &rq->conn->seat, proven, now);
}

/* Returns true when the request may go on; otherwise it is answered. */
static bool authorise(struct api_request *rq)
{
    const char *secret = rq->server->node_secret;

    if (!check_caller(rq))
        return false;
    if (strcmp(rq->route->method, "GET") != 0 && api_origin_is_foreign(rq)) {
        api_answer_error(rq, 403, "ForbiddenException",
                         "A page of another site may not ask for this (Origin: %.200s)",
                         get_header(rq, "Origin") ? get_header(rq, "Origin") : "");
        return false;
    }
    switch (rq->route->role) {
    case API_ROLE_READ:
    case API_ROLE_WRITE:
        if (!check_user(rq))
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

static bool has_body(const struct api_request *rq, uint64_t *length)
{
    const char *text = get_header(rq, "Content-Length");
    int64_t n = 0;

    *length = 0;
    if (get_header(rq, "Transfer-Encoding"))
        return true;
    if (text && base_int_parse(text, 0, INT64_MAX, &n) == 0)
        *length = (uint64_t)n;
    return n > 0;
}

static void answer_too_large(struct api_request *rq)
{
    api_answer_error(rq, 413, "LimitException",
                     "The body is larger than the %u bytes this resource takes",
                     rq->route->body_max);
}

/* Parses Content-Type; two such headers make an unknown type. */
static enum api_content parse_content_type(const struct api_request *rq)
{
    struct joined type = {.name = "Content-Type"};
    enum api_content content;

    MHD_get_connection_values(rq->connection, MHD_HEADER_KIND, join_header, &type);
    content = api_content_parse(type.text.data);
    base_buf_free(&type.text);
    return content;
}

/* Refuses the body's type. A page of another site can make its reader's browser send text/plain, a
 * form, or no type without asking us first (Fetch, "simple" requests), so Creel's own resources
 * accept only JSON that is declared as such. */
static void answer_wrong_type(struct api_request *rq)
{
    const char *type = get_header(rq, "Content-Type");
    char *shown = base_utf8_shown(type ? type : "", 100);

    api_answer_error(rq, 415, "UnsupportedMediaTypeException",
                     "Content-Type: \"%s\": expected application/json", shown);
    free(shown);
}

static bool check_body_headers(struct api_request *rq, bool body, uint64_t length)
{
    const char *encoding = get_header(rq, "Content-Encoding");
    enum api_content content = parse_content_type(rq);

    if (rq->route->body_max == 0) {
        rq->drain = true; /* not wanted, so its headers do not matter */
        return true;
    }
    if (rq->route->flags & API_ROUTE_CREEL) {
        if (body && content != API_CONTENT_JSON) {
            answer_wrong_type(rq);
            return false;
        }
    } else {
        if (content == API_CONTENT_OTHER) {
            api_error_answer_wrong_method(rq);
            return false;
        }
        if (content == API_CONTENT_NONE && strcmp(rq->method, "DELETE") != 0) {
            api_error_answer_no_content_type(rq);
            return false;
        }
    }
    if (length > rq->route->body_max) {
        answer_too_large(rq);
        return false;
    }
    if (body && encoding && strcasecmp(encoding, "identity") != 0) {
        if (strcasecmp(encoding, "gzip") != 0 && strcasecmp(encoding, "x-gzip") != 0) {
            api_answer_error(rq, 415, "UnsupportedMediaTypeException",
                             "Content-Encoding %s is not known", encoding);
            return false;
        }
        rq->inflate = api_gunzip_new();
    }
    return true;
}

/* Checks the request's target; returns false when it is invalid, which is then answered. */
static bool check_address(struct api_request *rq)
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

static void find_route(struct api_request *rq)
{
    enum api_method method = api_method_parse(rq->method);

    if (!api_router_match(rq->server->router, &rq->uri, &rq->match))
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

static void join_rest(struct api_request *rq)
{
    struct base_buf b = {0};

    for (size_t i = rq->match.rest_from; i < rq->uri.n_segments; i++) {
        base_buf_adds(&b, i > rq->match.rest_from ? "/" : "");
        base_buf_adds(&b, rq->uri.segments[i]);
    }
    rq->rest = base_buf_take(&b);
}

static bool run_gate(struct api_request *rq)
{
    return rq->server->gate && rq->server->gate(rq, rq->server->user);
}

static void handle_routed_head(struct api_request *rq)
{
    uint64_t length;
    bool body = has_body(rq, &length);

    find_route(rq);
    if (rq->match.has_rest)
        join_rest(rq);
    if (rq->route || rq->server->gate)
        read_identity(rq);
    if (rq->route ? !authorise(rq) : rq->server->gate && !check_user(rq))
        return;
    if (run_gate(rq))
        return;
    if (!rq->route)
        answer_no_route(rq);
    else if (check_body_headers(rq, body, length) && rq->accept > API_ACCEPT_XML &&
             strcmp(rq->route->method, "GET") != 0 && !(rq->route->flags & API_ROUTE_CREEL))
        /* refuse it before it changes anything; see api_error_replace_unacceptable() */
        api_answer(rq, api_error_get_unacceptable_status(rq), API_JSON, NULL);
}

void api_request_handle_head(struct api_request *rq, const char *method)
{
    rq->begun = true;
    rq->method = find_static_method(method);
    if (!rq->method) {
        snprintf(rq->unknown_method, sizeof rq->unknown_method, "%s", method);
        rq->method = rq->unknown_method;
    }
    rq->head = strcmp(rq->method, "HEAD") == 0;
    read_accept(rq);
    if (atomic_load(&rq->server->stopping)) {
        rq->close = true;
        api_answer_error(rq, 503, "ServiceUnavailableException", "The server is stopping");
    } else if (api_origin_check_host(rq) && check_address(rq)) {
        handle_routed_head(rq);
    }
    if (rq->state == API_ST_ANSWERED)
        rq->drain = true;
}

static bool charge_memory(struct api_request *rq, size_t bytes)
{
    if (!rq->conn || bytes == 0)
        return true;
    if (!api_peers_charge_body_memory(rq->server->peers, &rq->conn->seat, bytes))
        return false;
    rq->charged += bytes;
    return true;
}

static void answer_no_memory(struct api_request *rq, const char *what)
{
    api_add_header(rq, "Retry-After", BODY_RETRY_S);
    api_answer_error(rq, 503, "ServiceUnavailableException",
                     "Too many %s at once; try again in " BODY_RETRY_S " s", what);
}

/* Takes the lock, because a connection keeps its seat only while its request is not ABORTED. */
bool api_charge_answer_memory(struct api_request *rq, size_t bytes)
{
    bool ok;

    pthread_mutex_lock(&rq->server->lock);
    ok = rq->state == API_ST_ABORTED || charge_memory(rq, bytes);
    pthread_mutex_unlock(&rq->server->lock);
    if (!ok)
        answer_no_memory(rq, "long answers are being made or sent");
    return ok;
}

bool api_request_add_body_piece(struct api_request *rq, const char *data, size_t len)
{
    size_t max, before = rq->body.len;
    int rc = 0;

    rq->received += len;
    if (rq->conn)
        atomic_fetch_add(&rq->conn->received, len);
    if (rq->drain)
        return rq->received <= API_DRAIN_MAX;
    max = rq->route->body_max;
    if (rq->inflate) {
        if (rq->inflate_done && len > 0)
            rc = -BASE_EINVAL;
        else
            rc = api_gunzip_add_piece(rq->inflate, data, len, max, &rq->body, &rq->inflate_done);
    } else if (len > max - rq->body.len) {
        rc = -BASE_ELIMIT;
    } else {
        base_buf_add(&rq->body, data, len);
    }
    if (rc == 0 && !charge_memory(rq, rq->body.len - before))
        rc = -BASE_EAGAIN;
    if (rc == 0)
        return true;
    if (rc == -BASE_ELIMIT)
        answer_too_large(rq);
    else if (rc == -BASE_EAGAIN)
        answer_no_memory(rq, "bodies are being read");
    else
        api_answer_error(rq, 400, "BadRequestException", "The body is not in gzip format");
    base_buf_free(&rq->body);
    api_request_release_body_memory(rq);
    rq->received = 0; /* bytes of the wanted body do not count against the limit of dropped bytes */
    rq->drain = true;
    return true;
}

void api_request_finish_body(struct api_request *rq)
{
    rq->handled = true;
    if (rq->conn)
        api_conn_set_phase(rq->conn, API_PHASE_BUSY);
    if (rq->state == API_ST_ANSWERED)
        return;
    if (rq->inflate && !rq->inflate_done) {
        api_answer_error(rq, 400, "BadRequestException", "The gzip body ends early");
        return;
    }
    rq->route->handler(rq, rq->server->user);
}

/* ---- for handlers ---- */

const char *api_method(const struct api_request *rq)
{
    return rq->method;
}

const char *api_path(const struct api_request *rq)
{
    return rq->uri.path;
}

const char *api_path_arg(const struct api_request *rq, unsigned i)
{
    if (i < rq->match.n_args)
        return rq->match.args[i];
    return i == rq->match.n_args ? rq->rest : NULL;
}

const char *api_query(const struct api_request *rq, const char *name)
{
    return api_uri_find_query_value(&rq->uri, name);
}

void api_query_each(const struct api_request *rq, const char *name,
                    void (*each)(const char *value, void *u), void *u)
{
    for (size_t i = 0; i < rq->uri.n_pairs; i++)
        if (strcmp(rq->uri.pairs[i].name, name) == 0)
            each(rq->uri.pairs[i].value, u);
}

void api_query_pairs(const struct api_request *rq,
                     void (*each)(const char *name, const char *value, void *u), void *u)
{
    for (size_t i = 0; i < rq->uri.n_pairs; i++)
        each(rq->uri.pairs[i].name, rq->uri.pairs[i].has_value ? rq->uri.pairs[i].value : NULL, u);
}

const char *api_header(const struct api_request *rq, const char *name)
{
    return get_header(rq, name);
}

const char *api_body(const struct api_request *rq, size_t *len)
{
    if (len)
        *len = rq->body.len;
    return rq->body.data ? rq->body.data : "";
}

const char *api_caller(const struct api_request *rq)
{
    return rq->caller;
}

const struct api_route *api_route_of(const struct api_request *rq)
{
    return rq->route;
}

const char *api_refusal_text(const struct api_request *rq)
{
    return rq->refusal;
}

const char *api_peer(const struct api_request *rq)
{
    return rq->peer;
}

const char *api_bearer(const struct api_request *rq)
{
    return rq->bearer;
}

enum api_type api_want(const struct api_request *rq)
{
    return rq->accept == API_ACCEPT_XML ? API_XML : API_JSON;
}

void *api_server_user(const struct api_request *rq)
{
    return rq->server->user;
}

void *api_request_slot(struct api_request *rq)
{
    return rq->slot;
}

void api_request_set_slot(struct api_request *rq, void *p, void (*free_fn)(void *))
{
    if (rq->slot_free && rq->slot && rq->slot != p)
        rq->slot_free(rq->slot);
    rq->slot = p;
    rq->slot_free = free_fn;
}
