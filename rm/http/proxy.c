/* rm/http/proxy.c - /proxy/{appid}/...: the web pages of an application's master, seen through the
 * ResourceManager. SOURCE: Hadoop's WebAppProxyServlet, as recorded in tests/interop.
 *
 *   running, on a node        the request is relayed to the master
 *   running, a job of Creel's the ResourceManager answers in place of MapReduce's master
 *   ended, a job of Creel's   302 to its page on the history port, if there is one
 *   ended, or no known node   302 to the master's own URL, usually that of a history server
 *   no URL                    302 to the ResourceManager's page about the application
 *
 * The relay connects to the host of the node that runs the master: the master chooses only port and
 * path. Redirections lead to the URL that the master has registered, if it is an HTTP URL. */
#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>

#include "api/pages/escape.h"
#include "base/conf/acl_conf.h"
#include "base/conf/conf.h"
#include "base/conf/http_address.h"
#include "base/conf/percent.h"
#include "rm/daemon/relay.h"
#include "rm/http/access/access.h"
#include "rm/http/core_call.h"
#include "rm/http/mapreduce/mapreduce.h"
#include "rm/leader/standby.h"

#define PROXY "/proxy/"

static void answer_html(struct api_request *rq, unsigned status, struct base_buf *body)
{
    api_add_header(rq, "Content-Type", "text/html;charset=utf-8");
    api_answer(rq, status, API_TEXT, body);
}

static void answer_redirect(struct api_request *rq, const char *url)
{
    struct base_buf body = {0};

    api_add_header(rq, "Location", url);
    base_buf_adds(&body, "<html>\n  <head>\n    <title>\n      Moved\n    </title>\n  </head>\n"
                         "  <body>\n    <h1>\n      Moved\n    </h1>\n    <div>\n"
                         "      Content has moved \n      <a href=\"");
    api_html_add_escaped(&body, url);
    base_buf_adds(&body, "\">here</a>\n    </div>\n  </body>\n</html>\n");
    answer_html(rq, 302, &body);
}

/* Redirects to the ResourceManager's page about application @id. */
static void redirect_to_app_page(struct api_request *rq, struct rm_backend *b,
                                 struct base_app_id id)
{
    char text[BASE_ID_TEXT_MAX];
    char *url = base_printf("%s/cluster/app/%s", rm_backend_url(b), base_app_id_text(&id, text));

    answer_redirect(rq, url);
    free(url);
}

static bool read_proxied_app_id(struct api_request *rq, const char *given, struct base_app_id *id)
{
    char *message;

    if (base_app_id_parse(given, id, NULL) == 0)
        return true;
    message = base_printf("org.apache.hadoop.yarn.exceptions.YarnRuntimeException: "
                          "Error parsing application ID: %.200s",
                          given);
    api_answer_html_error_page(rq, 400, message, NULL);
    free(message);
    return false;
}

/* ---- the master's URL ---- */

struct target {
    bool is_http;        /* http, which the relay speaks; otherwise https */
    struct base_buf url; /* where the request leads */
};

static void add_encoded_pair(const char *name, const char *value, void *user)
{
    struct base_buf *query = user;

    base_buf_adds(query, query->len ? "&" : "?");
    base_percent_encode(name, query);
    if (!value)
        return;
    base_buf_adds(query, "=");
    base_percent_encode(value, query);
}

/* Returns the part of the request's path after "/proxy/{appid}", as sent: "" or "/...". */
static const char *get_path_after_app(const struct api_request *rq)
{
    const char *slash = strchr(api_path(rq) + strlen(PROXY), '/');

    return slash ? slash : "";
}

static char *get_url_part(CURLU *u, CURLUPart part)
{
    char *text = NULL;

    return curl_url_get(u, part, &text, 0) == CURLUE_OK ? text : NULL;
}

/* Builds the URL that the request leads to: the master's host, port and path, then the rest of the
 * request's path and its query. Returns false when @tracking_url, as registered by the master, is
 * not an HTTP URL. Call base_buf_free(&out->url) in any case. */
static bool make_master_target(const struct api_request *rq, const char *tracking_url,
                               struct target *out)
{
    CURLU *u = curl_url();
    char *full = base_printf("%s%s", strstr(tracking_url, "://") ? "" : "http://", tracking_url);
    char *scheme = NULL, *host = NULL, *port = NULL, *path = NULL;
    struct base_buf query = {0};
    bool ok = false;

    *out = (struct target){0};
    if (u && curl_url_set(u, CURLUPART_URL, full, 0) == CURLUE_OK) {
        scheme = get_url_part(u, CURLUPART_SCHEME);
        host = get_url_part(u, CURLUPART_HOST);
        port = get_url_part(u, CURLUPART_PORT);
        path = get_url_part(u, CURLUPART_PATH);
    }
    if (scheme && host && path && (!strcmp(scheme, "http") || !strcmp(scheme, "https"))) {
        const char *rest = get_path_after_app(rq);
        size_t path_len = strlen(path);

        ok = true;
        out->is_http = !strcmp(scheme, "http");
        while (path_len > 0 && path[path_len - 1] == '/')
            path_len--;
        base_buf_addf(&out->url, "%s://%s%s%s%.*s%s", scheme, host, port ? ":" : "",
                      port ? port : "", (int)path_len, path, *rest || path_len ? rest : "/");
        api_query_each_pair(rq, add_encoded_pair, &query);
        base_buf_add(&out->url, query.data ? query.data : "", query.len);
    }
    curl_free(scheme);
    curl_free(host);
    curl_free(port);
    curl_free(path);
    curl_url_cleanup(u);
    free(full);
    base_buf_free(&query);
    return ok;
}

/* ---- handlers ---- */

/* Makes scripts of a master's page run outside the ResourceManager's origin: they can neither read
 * its answers with the reader's cookie nor change anything, since their origin is "null". SOURCE:
 * Content Security Policy Level 3, "sandbox". */
static void sandbox_page_scripts(struct api_request *rq, struct rm_backend *b)
{
    if (base_acl_conf_sandboxes_masters(rm_backend_conf(b)))
        api_add_header(rq, "Content-Security-Policy",
                       "sandbox allow-scripts allow-forms allow-popups allow-downloads");
}

static void relay_to_master(struct api_request *rq, struct rm_backend *b, const char *url,
                            const char *node_http)
{
    const char *caller = api_caller(rq), *from = base_http_address_host(node_http);
    char *host = base_strndup(from, (size_t)(strrchr(from, ':') - from));
    struct base_buf cookie = {0};

    sandbox_page_scripts(rq, b);
    base_buf_adds(&cookie, "proxy-user=");
    base_percent_encode(caller ? caller : "", &cookie);
    rm_relay_to_master(
        rm_backend_relay(b), rq,
        &(struct rm_relay_to_master){
            .app_id = api_path_arg(rq, 0), .url = url, .host = host, .cookie = cookie.data});
    base_buf_free(&cookie);
    free(host);
}

/* Answers a request for a job of Creel's, which has no master. */
static void answer_for_job_without_master(struct api_request *rq, struct rm_backend *b,
                                          const struct rm_app_view *v, enum rm_app_state state,
                                          bool ended)
{
    const char *rest = get_path_after_app(rq);
    char *url = ended ? rm_mapreduce_history_url(b, v->id, rest) : NULL;

    if (url)
        answer_redirect(rq, url);
    else if (state != RM_APP_RUNNING || !rm_mapreduce_answer_for_master(rq, b, v, rest))
        redirect_to_app_page(rq, b, v->id);
    free(url);
}

/* Answers a request for application @v: relays it to the master, or redirects. */
static void relay_or_redirect_to_app(struct api_request *rq, struct rm_backend *b,
                                     const struct rm_app_view *v)
{
    const char *url = v->original_tracking_url;
    struct target target = {0};
    enum rm_app_state state = rm_app_public_state(v->state, v->state_before);
    bool ended = state == RM_APP_FINISHED || state == RM_APP_FAILED || state == RM_APP_KILLED;

    if (v->is_job)
        answer_for_job_without_master(rq, b, v, state, ended);
    else if (!url || !*url || !make_master_target(rq, url, &target))
        redirect_to_app_page(rq, b, v->id);
    else if (ended || !target.is_http || !v->has_master || !v->master_node_http ||
             !rm_relay_is_host_and_port(base_http_address_host(v->master_node_http)))
        answer_redirect(rq, target.url.data);
    else
        relay_to_master(rq, b, target.url.data, v->master_node_http);
    base_buf_free(&target.url);
}

static void answer_app_not_found(struct api_request *rq, struct base_app_id id)
{
    char text[BASE_ID_TEXT_MAX];
    struct base_buf body = {0};

    base_buf_addf(&body,
                  "<html>\n  <h1>\n    Application %s could not be found in RM or history server\n"
                  "  </h1>\n</html>\n",
                  base_app_id_text(&id, text));
    answer_html(rq, 404, &body);
}

/* Returns true after refusing the caller. YARN's proxy checks no rights and leaves them to the
 * master; but the master sees only the proxy, so where callers prove who they are, the rights on
 * the application are checked here. */
static bool refuse_visitor_unless_allowed(struct api_request *rq, struct rm_backend *b,
                                          const struct rm_app_view *app)
{
    bool reads = strcmp(api_route_of(rq)->method, "GET") == 0;

    return rm_access_requires_tokens(b) &&
           rm_access_refuse_app_unless_allowed(rq, b, reads ? RM_OP_VIEW_APP : RM_OP_KILL, app);
}

static void handle_proxy(struct api_request *rq, void *user)
{
    struct rm_backend *b = user;
    struct rm_views v = {0};
    struct base_app_id id;
    int rc;

    if (!read_proxied_app_id(rq, api_path_arg(rq, 0), &id))
        return;
    if (!rm_standby_is_active(b)) { /* the gate lets /proxy/ pass, as YARN's does */
        rm_standby_answer_leadership_over(rq, b, RM_NOT_ACTIVE_TEXT);
        return;
    }
    rc = rm_view_app(rm_backend_lock_core(b), id, &v);
    rm_backend_unlock_core(b);
    if (rc != 0)
        answer_app_not_found(rq, id);
    else if (!refuse_visitor_unless_allowed(rq, b, &v.apps[0]))
        relay_or_redirect_to_app(rq, b, &v.apps[0]);
    rm_views_free(&v);
}

/* A master that redirects its visitors back to the proxy sends them to this path, which ends what
 * would otherwise be a loop. */
static void end_redirect_loop(struct api_request *rq, void *user)
{
    char text[BASE_ID_TEXT_MAX];
    struct base_app_id id;
    char *url;

    if (!read_proxied_app_id(rq, api_path_arg(rq, 0), &id))
        return;
    url = base_printf("%s/cluster/failure/%s", rm_backend_url(user), base_app_id_text(&id, text));
    answer_redirect(rq, url);
    free(url);
}

static void show_redirect_loop(struct api_request *rq, void *user)
{
    char text[BASE_ID_TEXT_MAX];
    struct base_buf body = {0};
    struct base_app_id id;

    (void)user;
    if (!read_proxied_app_id(rq, api_path_arg(rq, 0), &id))
        return;
    base_app_id_text(&id, text);
    base_buf_addf(
        &body,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<title>%s: redirected in a circle</title>\n"
        "<h1>Redirected in a circle</h1>\n<p>The master of %s has sent the request back "
        "to the proxy from which it came, so its pages cannot be shown. It may not know "
        "the address of the ResourceManager, or run on a host of which it does not expect "
        "requests.\n<p><a href=\"/cluster/app/%s\">The application</a>\n</html>\n",
        text, text, text);
    answer_html(rq, 200, &body);
}

static void refuse_no_app_id(struct api_request *rq, void *user)
{
    struct base_app_id id;

    (void)user;
    read_proxied_app_id(rq, "", &id);
}

static void refuse_post(struct api_request *rq, void *user)
{
    (void)user;
    api_answer_html_error_page(rq, 405, "HTTP method POST is not supported by this URL", NULL);
}

static void refuse_delete(struct api_request *rq, void *user)
{
    (void)user;
    api_answer_empty_page(rq, 405);
}

#define APP   PROXY "{appid}"
#define REST  APP "/{rest*}"
#define STATE APP "/ws/v1/mapreduce/jobs/{jobid}/tasks/{taskid}/attempts/{attemptid}/state"
/* API_ROUTE_FORM: the pages of a master may send bodies of any content type */
#define ROUTE(method, path, role, body_max, handler)                                               \
    {                                                                                              \
        method, path, role, body_max, handler, API_ROUTE_CREEL | API_ROUTE_FORM                    \
    }
/* clang-format off */
const struct api_route rm_api_proxy_routes[] = {
    ROUTE("GET",    PROXY,                            API_ROLE_READ,  0,       refuse_no_app_id),
    ROUTE("GET",    APP,                              API_ROLE_READ,  0,       handle_proxy),
    ROUTE("GET",    REST,                             API_ROLE_READ,  0,       handle_proxy),
    ROUTE("PUT",    REST,                             API_ROLE_WRITE, 1 << 20, handle_proxy),
    ROUTE("POST",   REST,                             API_ROLE_READ,  1 << 20, refuse_post),
    ROUTE("DELETE", REST,                             API_ROLE_READ,  0,       refuse_delete),
    ROUTE("GET",    PROXY "redirect/{appid}/{rest*}", API_ROLE_READ,  0,       end_redirect_loop),
    /* routes of YARN's kind (no flags): the PUT takes a body in JSON or XML, and any other type is
     * refused as YARN refuses it */
    {"GET",    STATE, API_ROLE_READ,  0,       handle_proxy,  0},
    {"PUT",    STATE, API_ROLE_WRITE, 1 << 20, handle_proxy,  0},
    {"POST",   STATE, API_ROLE_READ,  1 << 20, refuse_post,   0},
    {"DELETE", STATE, API_ROLE_READ,  0,       refuse_delete, 0},
    ROUTE("GET",    "/cluster/failure/{appid}",       API_ROLE_READ,  0,       show_redirect_loop),
};
/* clang-format on */
const size_t rm_api_proxy_routes_n = sizeof rm_api_proxy_routes / sizeof *rm_api_proxy_routes;
