/* api/cli/node_client.c - remembers for each node which route to it works. */
#include "api/cli/node_client.h"

#include <stdlib.h>
#include <string.h>

#include "api/cli/text/text.h"
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
};

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
    free(r);
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

const char *cli_node_token(const struct cli_node *n)
{
    return cli_rm_token(n->nodes->rm);
}

void cli_node_reload_token(struct cli_node *n)
{
    cli_rm_reload_token(n->nodes->rm);
}

static int get_by_route(struct cli_node *n, bool direct, const char *path, struct cli_answer *out)
{
    char *url = cli_node_url(n, direct, path);
    int rc;
    if (direct) {
        rc = cli_rm_get_from_url(n->nodes->rm, url, out);
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
