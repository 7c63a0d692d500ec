#include "api/server/request/origin.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/server/access/cors.h"
#include "api/server/server_internal.h"
#include "base/io/log.h"
#include "base/utf8.h"

#define WARN_EVERY_MS 60000
#define SHOWN_MAX     100

struct host_header {
    const char *value;
    unsigned n;
};

static enum MHD_Result collect_host(void *cls, enum MHD_ValueKind kind, const char *name,
                                    const char *value)
{
    struct host_header *h = cls;

    (void)kind;
    if (strcasecmp(name, "Host") == 0) {
        h->n++;
        h->value = value ? value : "";
    }
    return MHD_YES;
}

/* Warns at most once a minute, so that an administrator who has given the host another name sees
 * why requests to it are refused. */
static void warn_of_unknown_host(struct api_server *s, const char *shown)
{
    if (base_log_limit_allows(&s->host_warnings, api_mono_ms(), WARN_EVERY_MS, NULL))
        base_log_warn("http",
                      "a request for \"%s\" was refused: no name of this server; "
                      "creel.http.allowed-hosts adds names",
                      shown);
}

/* Returns true when the host in @text is any IP address or one of the server's names; otherwise the
 * request has been answered. */
static bool check_host_name_or_answer(struct api_request *rq, const char *text)
{
    struct api_authority a;
    bool is_name = api_authority_parse(text, &a);
    char *shown;

    if (is_name && api_hosts_allow(rq->server->hosts, &a))
        return true;
    shown = base_utf8_escape_for_message(text, SHOWN_MAX);
    if (!is_name) {
        api_answer_error(rq, 400, "BadRequestException",
                         "Host: \"%s\" is not a host name or address with or without a port",
                         shown);
    } else {
        warn_of_unknown_host(rq->server, shown);
        api_answer_error(rq, 421, "MisdirectedRequestException",
                         "Host: \"%s\" is no name of this server: expected an address, "
                         "localhost, a name of this machine or of its configuration, or one in "
                         "creel.http.allowed-hosts",
                         shown);
    }
    free(shown);
    return false;
}

bool api_origin_check_host(struct api_request *rq)
{
    struct host_header h = {0};

    MHD_get_connection_values(rq->connection, MHD_HEADER_KIND, collect_host, &h);
    if (h.n != 1) {
        api_answer_error(rq, 400, "BadRequestException", "Host: %u of them were sent, expected one",
                         h.n);
        return false;
    }
    rq->host = h.value;
    /* For "GET http://name/path" the name in the target counts (RFC 9112 3.2.2). Host is checked
     * too, since a proxy in front may have routed by Host. */
    return check_host_name_or_answer(rq, h.value) &&
           (!rq->uri.authority || check_host_name_or_answer(rq, rq->uri.authority));
}

/* Returns true when a browser asks in advance (by OPTIONS) before it sends the request for a page
 * of another site, so that the request was sent only because our answer allowed it. SOURCE: Fetch,
 * "CORS-safelisted method" and "CORS-safelisted request-header". */
static bool needs_cors_preflight(const struct api_request *rq)
{
    struct base_buf type = {0};
    enum api_content content;

    if (strcmp(rq->method, "PUT") == 0 || strcmp(rq->method, "DELETE") == 0)
        return true;
    api_request_join_headers(rq, "Content-Type", &type);
    content = api_content_parse(type.data);
    base_buf_free(&type);
    return strcmp(rq->method, "POST") == 0 &&
           (content == API_CONTENT_JSON || content == API_CONTENT_XML);
}

/* Returns true when cross-origin settings let a page of @origin send the request. */
static bool is_allowed_site(const struct api_request *rq, const char *origin)
{
    enum api_cors_trust trust =
        rq->server->cors ? api_cors_judge_origin(rq->server->cors, origin) : API_CORS_NONE;

    return trust == API_CORS_NAMED || (trust == API_CORS_ANY_SITE && needs_cors_preflight(rq));
}

/* A proxy in front may replace Host. Then the browser's Sec-Fetch-Site decides, provided that the
 * origin has one of our names. */
static bool is_own_origin(const struct api_request *rq, const char *origin)
{
    const char *site = api_header(rq, "Sec-Fetch-Site");
    struct api_authority host;

    return (api_authority_parse(rq->host, &host) && api_origin_matches(origin, &host)) ||
           (site && (strcmp(site, "same-origin") == 0 || strcmp(site, "none") == 0) &&
            api_hosts_allow_origin(rq->server->hosts, origin));
}

bool api_origin_is_own_or_named(const struct api_request *rq, const char *origin)
{
    return is_own_origin(rq, origin) ||
           (rq->server->cors && api_cors_judge_origin(rq->server->cors, origin) == API_CORS_NAMED);
}

bool api_is_from_other_site(const struct api_request *rq)
{
    const char *site = api_header(rq, "Sec-Fetch-Site"), *origin = api_header(rq, "Origin");

    if (origin && is_allowed_site(rq, origin))
        return false;
    if (site && strcmp(site, "same-origin") != 0 && strcmp(site, "none") != 0)
        return true;
    return origin && !is_own_origin(rq, origin);
}
