/* rm/http/mapreduce/history_port.c - the history server's port, and the addresses of its pages,
 * which lead to the ResourceManager's own pages. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/server/hosts.h"
#include "base/conf/conf.h"
#include "base/conf/http_policy.h"
#include "base/io/log.h"
#include "rm/http/mapreduce/mapreduce_internal.h"

#define PAGES       "/jobhistory"
#define THREADS_MAX 2 /* few ask for the history */

struct rm_history_port {
    struct api_server_conf conf; /* owns its listener until the start, and borrows the rest */
    struct api_authority address;
    struct api_route *routes;
    struct api_server *server;
};

static const char *get_history_address_key(const struct base_conf *conf)
{
    return base_http_policy_is_https(conf) ? "mapreduce.jobhistory.webapp.https.address"
                                           : "mapreduce.jobhistory.webapp.address";
}

/* Reads the address. Returns 1, 0 when none is configured, or -BASE_EINVAL. */
static int read_history_address(const struct base_conf *conf, struct api_authority *out,
                                struct base_error *err)
{
    const char *key = get_history_address_key(conf), *text = base_conf_get(conf, key);

    if (!text || !text[0])
        return 0;
    if (api_authority_parse(text, out) && out->host[0] && out->port > 0)
        return 1;
    return base_error_set(err, -BASE_EINVAL, "%s: \"%.200s\": expected HOST:PORT", key, text);
}

/* ---- pages ---- */

static void answer_302_redirect(struct api_request *rq, const char *location)
{
    struct base_buf none = {0};

    api_add_header(rq, "Location", location);
    api_add_header(rq, "Content-Type", "text/plain;charset=utf-8");
    api_answer(rq, 302, API_TEXT, &none);
}

static void redirect_to_pages(struct api_request *rq, void *user)
{
    const char *host = api_header(rq, "Host");
    char *url = base_printf("%s%s" PAGES, api_scheme(rq), host ? host : "");

    (void)user;
    answer_302_redirect(rq, host ? url : PAGES);
    free(url);
}

static void redirect_to_app_list(struct api_request *rq, void *user)
{
    char *url = base_printf("%s/cluster/apps", rm_backend_url(user));

    answer_302_redirect(rq, url);
    free(url);
}

static void redirect_to_app_page(struct api_request *rq, void *user)
{
    const struct mr_call c = {.rq = rq, .b = user, .job_id = api_path_arg(rq, 0)};
    struct rm_views v = {0};
    const struct rm_app_view *job = mr_copy_job(&c, &v);
    char id[BASE_ID_TEXT_MAX];

    if (job) {
        char *url =
            base_printf("%s/cluster/app/%s", rm_backend_url(user), base_app_id_text(&job->id, id));

        answer_302_redirect(rq, url);
        free(url);
    }
    rm_views_free(&v);
}

/* clang-format off */
static const struct api_route page_routes[] = {
    {"GET", "/",                          API_ROLE_READ, 0, redirect_to_pages, API_ROUTE_CREEL},
    {"GET", PAGES,                        API_ROLE_READ, 0, redirect_to_app_list, API_ROUTE_CREEL},
    {"GET", PAGES "/{page}",              API_ROLE_READ, 0, redirect_to_app_list, API_ROUTE_CREEL},
    {"GET", PAGES "/job/{jobid}",         API_ROLE_READ, 0, redirect_to_app_page, API_ROUTE_CREEL},
    {"GET", PAGES "/job/{jobid}/{rest*}", API_ROLE_READ, 0, redirect_to_app_page, API_ROUTE_CREEL},
};
/* clang-format on */
#define PAGE_ROUTES_N (sizeof page_routes / sizeof page_routes[0])

/* ---- the port ---- */

int rm_history_port_open(const struct base_conf *conf, const struct api_server_conf *server,
                         struct rm_history_port **out, struct base_error *err)
{
    struct rm_history_port *p;
    struct api_authority address;
    int rc = read_history_address(conf, &address, err);

    *out = NULL;
    if (rc <= 0)
        return rc;
    p = base_alloc(sizeof *p);
    p->address = address;
    p->conf = *server;
    p->conf.bind = p->address.host;
    p->conf.port = (uint16_t)p->address.port;
    p->conf.threads = THREADS_MAX;
    p->conf.connections_for_nodes = 0;
    p->conf.answer_login_needed = NULL; /* people log in at the ResourceManager's own port */
    p->conf.listener = 0;
    rc = api_open_listener(&p->conf, err);
    if (rc < 0) {
        free(p);
        return base_error_wrap(err, rc, "%s", get_history_address_key(conf));
    }
    p->conf.listener = rc;
    *out = p;
    return 0;
}

int rm_history_port_start(struct rm_history_port *p, struct rm_backend *b, struct base_error *err)
{
    size_t n = rm_mapreduce_history_routes_n;
    int rc;

    if (!p)
        return 0;
    p->routes = base_realloc_array(NULL, n + PAGE_ROUTES_N, sizeof *p->routes);
    memcpy(p->routes, rm_mapreduce_history_routes, n * sizeof *p->routes);
    memcpy(p->routes + n, page_routes, sizeof page_routes);
    rc = api_server_start(&p->conf, p->routes, n + PAGE_ROUTES_N, b, &p->server, err);
    p->conf.listener = 0; /* the server takes it even on failure */
    if (rc == 0)
        base_log_info("rm", "job history on port %u", api_server_port(p->server));
    return rc;
}

void rm_history_port_close(struct rm_history_port *p)
{
    if (!p)
        return;
    if (p->server)
        api_server_stop(p->server);
    if (p->conf.listener > 0)
        close(p->conf.listener);
    free(p->routes);
    free(p);
}

/* ---- links to the port ---- */

static bool is_wildcard(const char *host)
{
    return strcmp(host, "0.0.0.0") == 0 || strcmp(host, "::") == 0;
}

/* Appends "http://host:port", or with TLS "https://host:port"; for a port on all addresses, with
 * this ResourceManager's host. */
static void add_url_of_address(const struct rm_backend *b, const struct api_authority *a,
                               struct base_buf *out)
{
    const char *url = rm_backend_url(b), *colon = strrchr(url, ':');

    if (is_wildcard(a->host) && colon)
        base_buf_addf(out, "%.*s:%d", (int)(colon - url), url, a->port);
    else
        base_buf_addf(out, strchr(a->host, ':') ? "%s[%s]:%d" : "%s%s:%d",
                      base_http_policy_scheme(rm_backend_conf(b)), a->host, a->port);
}

char *rm_mapreduce_history_url(struct rm_backend *b, struct base_app_id job, const char *path)
{
    struct api_authority address;
    struct base_buf url = {0};
    char id[BASE_ID_TEXT_MAX];

    if (read_history_address(rm_backend_conf(b), &address, NULL) <= 0)
        return NULL;
    add_url_of_address(b, &address, &url);
    mr_job_id_text(job, id);
    base_buf_addf(&url, PAGES "/job/%s%s", id, strcmp(path, "/") == 0 ? "" : path);
    return base_buf_take(&url);
}
