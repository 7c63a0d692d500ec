#include "api/server/request/request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/server/answer/gzip.h"
#include "api/server/server_internal.h"

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
    if (rq->conn) /* the request may outlive the connection */
        memcpy(rq->peer, rq->conn->address, sizeof rq->peer);
    else
        memcpy(rq->peer, "-", sizeof "-");
    rq->target = s->keys ? base_strdup(raw_uri ? raw_uri : "") : NULL;
    rq->uri_error = api_uri_parse(&rq->uri, raw_uri ? raw_uri : "");
    pthread_mutex_lock(&s->lock);
    if (++s->n_requests > s->n_requests_max)
        s->n_requests_max = s->n_requests;
    pthread_mutex_unlock(&s->lock);
    return rq;
}

void api_request_release_memory(struct api_request *rq)
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
    api_reply_clear(&rq->reply);
    api_gunzip_free(rq->inflate);
    base_buf_free(&rq->body);
    free(rq->rest);
    free(rq->caller);
    free(rq->bearer);
    free(rq->refusal);
    free(rq->target);
    explicit_bzero(&rq->signer, sizeof rq->signer); /* it holds a key */
    api_uri_free(&rq->uri);
    free(rq);
}

struct joined {
    const char *name;
    struct base_buf *out;
    bool seen;
};

static enum MHD_Result join_header(void *cls, enum MHD_ValueKind kind, const char *name,
                                   const char *value)
{
    struct joined *j = cls;

    (void)kind;
    if (strcasecmp(name, j->name) == 0) {
        if (j->seen)
            base_buf_adds(j->out, ",");
        base_buf_adds(j->out, value ? value : "");
        j->seen = true;
    }
    return MHD_YES;
}

void api_request_join_headers(const struct api_request *rq, const char *name, struct base_buf *out)
{
    struct joined j = {.name = name, .out = out};

    MHD_get_connection_values(rq->connection, MHD_HEADER_KIND, join_header, &j);
}

/* libmicrohttpd keeps the text of the head, and a record for each header and cookie. */
size_t api_request_get_memory_left(const struct api_request *rq)
{
    enum { RECORD = 64, OTHER = 256 };
    const union MHD_ConnectionInfo *text =
        MHD_get_connection_info(rq->connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    int records =
        MHD_get_connection_values(rq->connection, MHD_HEADER_KIND | MHD_COOKIE_KIND, NULL, NULL);
    size_t used = (text ? text->header_size : 0) + (size_t)records * RECORD + OTHER;

    return used < API_CONNECTION_MEMORY ? API_CONNECTION_MEMORY - used : 0;
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

void api_query_each_value(const struct api_request *rq, const char *name,
                          void (*each)(const char *value, void *u), void *u)
{
    for (size_t i = 0; i < rq->uri.n_pairs; i++)
        if (strcmp(rq->uri.pairs[i].name, name) == 0)
            each(rq->uri.pairs[i].value, u);
}

void api_query_each_pair(const struct api_request *rq,
                         void (*each)(const char *name, const char *value, void *u), void *u)
{
    for (size_t i = 0; i < rq->uri.n_pairs; i++)
        each(rq->uri.pairs[i].name, rq->uri.pairs[i].has_value ? rq->uri.pairs[i].value : NULL, u);
}

const char *api_header(const struct api_request *rq, const char *name)
{
    return MHD_lookup_connection_value(rq->connection, MHD_HEADER_KIND, name);
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

bool api_caller_is_named(const struct api_request *rq)
{
    return rq->named;
}

const struct api_route *api_route_of(const struct api_request *rq)
{
    return rq->route;
}

const char *api_refusal_text(const struct api_request *rq)
{
    return rq->refusal;
}

const char *api_scheme(const struct api_request *rq)
{
    return rq->server->tls ? "https://" : "http://";
}

const char *api_peer(const struct api_request *rq)
{
    return rq->peer;
}

const char *api_bearer_token(const struct api_request *rq)
{
    return rq->bearer;
}

bool api_is_signed_by_node(const struct api_request *rq)
{
    return rq->signer.present && rq->signer.is_node;
}

const char *api_signing_key_id(const struct api_request *rq)
{
    return rq->signer.present && !rq->signer.is_node ? rq->signer.key.id : NULL;
}

enum api_type api_wanted_type(const struct api_request *rq)
{
    return rq->accept == API_ACCEPT_XML ? API_XML : API_JSON;
}

struct api_server *api_server_of(const struct api_request *rq)
{
    return rq->server;
}

void *api_server_user_data(const struct api_request *rq)
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
