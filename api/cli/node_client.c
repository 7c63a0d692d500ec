/* api/cli/node_client.c - remembers for each node which route to it works. */
#include "api/cli/node_client.h"

#include <stdlib.h>
#include <string.h>

#include "api/cli/text/text.h"
#include "base/clock.h"
#include "base/conf/http_address.h"

struct cli_node {
    struct cli_nodes *nodes;
    struct cli_node *next;
    char *id, *http;
    bool relayed;
};
struct cli_nodes {
    struct cli_rm *rm;
    struct cli_node *nodes;
    char *app;                  /* NULL: not known */
    char *log_token;            /* of the application; NULL: none was given */
    int64_t renew_us, asked_us; /* when a log token is due, and was last asked for */
};

/* How long to go without another log token when the RM has given none. */
#define PAUSE_US INT64_C(2000000)

struct cli_nodes *cli_nodes_new(struct cli_rm *rm)
{
    struct cli_nodes *r = base_alloc(sizeof *r);
    r->rm = rm;
    return r;
}

void cli_nodes_free(struct cli_nodes *r)
{
    while (r && r->nodes) {
        struct cli_node *n = r->nodes;
        r->nodes = n->next;
        free(n->id);
        free(n->http);
        free(n);
    }
    if (r) {
        free(r->app);
        free(r->log_token);
    }
    free(r);
}

void cli_nodes_set_app(struct cli_nodes *r, const char *app)
{
    if (r->app && strcmp(r->app, app) == 0)
        return;
    free(r->app);
    free(r->log_token);
    r->app = base_strdup(app);
    r->log_token = NULL;
    r->renew_us = 0;
}

struct cli_node *cli_nodes_find_or_add(struct cli_nodes *r, const char *id, const char *http)
{
    if (!*id)
        id = http;
    for (struct cli_node *n = r->nodes; n; n = n->next)
        if (strcmp(n->id, id) == 0 && strcmp(n->http, http) == 0)
            return n;
    struct cli_node *n = base_alloc(sizeof *n);
    *n = (struct cli_node){
        .nodes = r, .next = r->nodes, .id = base_strdup(id), .http = base_strdup(http)};
    r->nodes = n;
    return n;
}

const char *cli_node_id(const struct cli_node *n)
{
    return n->id;
}

const char *cli_node_http(const struct cli_node *n)
{
    return n->http;
}

bool cli_node_is_direct(const struct cli_node *n)
{
    return !n->relayed;
}

void cli_node_note_failed_route(struct cli_node *n, bool direct)
{
    n->relayed = direct;
}

char *cli_node_url(const struct cli_node *n, bool direct, const char *path)
{
    struct base_buf url = {0};
    if (direct) {
        /* YARN's answers leave the scheme out: it is then most likely that of the RM */
        const char *scheme =
            strstr(n->http, "://") ? "" : base_http_address_scheme(cli_rm_url(n->nodes->rm));

        base_buf_addf(&url, "%s%s/ws/v1/node/%s", scheme, n->http, path);
    } else {
        base_buf_addf(&url, "%s/ws/v1/cluster/nodes/", cli_rm_url(n->nodes->rm));
        cli_uri_add_encoded(n->id, &url);
        base_buf_addf(&url, "/%s", path);
    }
    return base_buf_take(&url);
}

/* Asks for a log token when half of the last one's life is over. Without an answer the last one is
 * used on: nodes refuse it when it has expired, and the RM relays then. */
static void renew_log_token_if_due(struct cli_nodes *r)
{
    int64_t now = base_mono_us(&base_clock_real);
    struct cli_answer a = {0};
    char *path;

    if (!r->app || now < r->renew_us)
        return;
    path = base_printf("/ws/v1/cluster/apps/%s/log-token", r->app);
    r->asked_us = now;
    r->renew_us = now + PAUSE_US;
    if (cli_rm_call(r->rm, "POST", path, NULL, CLI_RM_ONCE, &a) == CLI_OK) {
        free(r->log_token);
        r->log_token = base_strdup(cli_str(a.json, "logToken.text"));
        r->renew_us = now + cli_int(a.json, "logToken.expiresInSeconds") * 500000;
    }
    cli_answer_free(&a);
    free(path);
}

bool cli_node_negotiates(const struct cli_node *n, bool direct)
{
    return !direct && cli_rm_negotiates(n->nodes->rm);
}

const char *cli_node_token(const struct cli_node *n, bool direct)
{
    if (!direct)
        return cli_rm_token(n->nodes->rm);
    renew_log_token_if_due(n->nodes);
    return n->nodes->log_token;
}

void cli_node_renew_refused_token(const struct cli_node *n, bool direct)
{
    if (direct)
        n->nodes->renew_us = n->nodes->asked_us + PAUSE_US;
    else
        cli_rm_reload_token(n->nodes->rm);
}

static int get_directly(struct cli_node *n, const char *url, struct cli_answer *out)
{
    int rc = cli_rm_get_from_url(n->nodes->rm, url, cli_node_token(n, true), out);

    if (out->status != 401)
        return rc;
    cli_node_renew_refused_token(n, true);
    return cli_rm_get_from_url(n->nodes->rm, url, cli_node_token(n, true), out);
}

static int get_by_route(struct cli_node *n, bool direct, const char *path, struct cli_answer *out)
{
    char *url = cli_node_url(n, direct, path);
    int rc;
    if (direct) {
        rc = get_directly(n, url, out);
    } else { /* cli_rm_call() follows a standby's redirect, and asks several RMs in turn */
        char *relayed = strstr(url, "/ws/v1/cluster/");
        rc = cli_rm_call(n->nodes->rm, "GET", relayed, NULL, CLI_RM_RELAYED, out);
    }
    free(url);
    bool same = strcmp(out->node, n->id) == 0;
    if (rc == CLI_INTERRUPTED)
        return rc;
    if (same && (out->status == 404 || out->status == 503))
        return CLI_NOTFOUND;
    if (rc == CLI_OK && (same || (direct && !*out->node)))
        return CLI_OK;
    if (rc == CLI_OK) {
        free(out->error);
        out->error = base_strdup("another server answers at its address");
    }
    return CLI_UNREACHABLE;
}

int cli_node_get(struct cli_node *n, const char *path, struct cli_answer *out)
{
    int rc = CLI_UNREACHABLE;
    for (int i = 0; i < 2 && rc == CLI_UNREACHABLE; i++) {
        bool direct = cli_node_is_direct(n);
        rc = get_by_route(n, direct, path, out);
        if (rc == CLI_UNREACHABLE)
            cli_node_note_failed_route(n, direct);
    }
    return rc;
}
