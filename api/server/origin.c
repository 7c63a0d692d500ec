/* Which site a request is meant for, and which page sent it: looked at before anything else of
 * it. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/server/server_internal.h"
#include "base/io/log.h"
#include "base/utf8.h"

#define WARN_EVERY_MS 60000
#define SHOWN_MAX     100

struct host_header {
    const char *value;
    unsigned n;
};

static enum MHD_Result find_host(void *cls, enum MHD_ValueKind kind, const char *name,
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

/* Once a minute: an administrator who gave the host another name sees why nobody gets an answer. */
static void warn(struct api_server *s, const char *shown)
{
    int64_t now = api_mono_ms(), last = atomic_load(&s->host_warned_ms);

    if ((last == 0 || now - last >= WARN_EVERY_MS) &&
        atomic_compare_exchange_strong(&s->host_warned_ms, &last, now))
        base_log_warn("http",
                      "a request for \"%s\" was refused: no name of this server; "
                      "creel.http.allowed-hosts adds names",
                      shown);
}

static bool check_name(struct api_request *rq, const char *text)
{
    struct api_authority a;
    bool is_name = api_authority_parse(text, &a);
    char *shown;

    if (is_name && api_hosts_has(rq->server->hosts, &a))
        return true;
    shown = base_utf8_shown(text, SHOWN_MAX);
    if (!is_name) {
        api_answer_error(rq, 400, "BadRequestException",
                         "Host: \"%s\" is not a host's name or address, with a port or without",
                         shown);
    } else {
        warn(rq->server, shown);
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

    MHD_get_connection_values(rq->connection, MHD_HEADER_KIND, find_host, &h);
    if (h.n != 1) {
        api_answer_error(rq, 400, "BadRequestException", "Host: %u of them were sent, expected one",
                         h.n);
        return false;
    }
    rq->host = h.value;
    /* "GET http://name/path": the name there is the one that counts (RFC 9112 3.2.2), and Host
     * has to be one of ours all the same, so that both readings agree. */
    return check_name(rq, h.value) && (!rq->uri.authority || check_name(rq, rq->uri.authority));
}

bool api_origin_is_foreign(const struct api_request *rq)
{
    const char *site = api_header(rq, "Sec-Fetch-Site"), *origin = api_header(rq, "Origin");
    struct api_authority host;

    if (site && strcmp(site, "same-origin") != 0 && strcmp(site, "none") != 0)
        return true;
    if (!origin || (api_authority_parse(rq->host, &host) && api_origin_is(origin, &host)))
        return false;
    /* A proxy in front may put its own Host; then the browser's word counts, for a site under
     * one of our names. */
    return !site || !api_hosts_has_origin(rq->server->hosts, origin);
}
