/* api/cli/node_client.h - requests to NodeManagers: directly while that works, else relayed by the
 * ResourceManager (/ws/v1/cluster/nodes/{id}/…), which reaches every node that it knows.
 *
 * A node's address may lead to another server: to another host of the same name, or, when the
 * address is 127.0.0.1, to another node of this host. An answer from another node therefore counts
 * as no answer, and a refusal counts only when it names this node (BASE_HTTP_NODE_HEADER). */
#ifndef CREEL_API_CLI_NODE_CLIENT_H
#define CREEL_API_CLI_NODE_CLIENT_H

#include "api/cli/rm_client.h"

struct cli_nodes;
struct cli_node; /* owned by its cli_nodes */

struct cli_nodes *cli_nodes_new(struct cli_rm *rm); /* @rm is borrowed */
void cli_nodes_free(struct cli_nodes *nodes);       /* NULL-safe */
/* Sets the application whose logs and containers are asked for; it may be set again. */
void cli_nodes_set_app(struct cli_nodes *nodes, const char *app);
/* Finds or adds a node. @id: "host:port" as the ResourceManager names it, "" when unknown (@http is
 * then the id too); @http: the "host:port" of its HTTP server. */
struct cli_node *cli_nodes_find_or_add(struct cli_nodes *nodes, const char *id, const char *http);
const char *cli_node_id(const struct cli_node *n);
const char *cli_node_http(const struct cli_node *n);
/* Returns true when the next request should go directly to the node, false when it should go
 * through the ResourceManager. */
bool cli_node_is_direct(const struct cli_node *n);
/* Notes that a request failed on the direct route (@direct) or the relayed one: later requests take
 * the other route. */
void cli_node_note_failed_route(struct cli_node *n, bool direct);
/* URL of @path ("raw-logs/…", percent-encoded) on this route; caller frees. */
char *cli_node_url(const struct cli_node *n, bool direct, const char *path);
/* Returns the token for a request on this route; NULL: none. To the node goes a log token, which
 * the ResourceManager is asked for when there is none or it will soon expire; the user's own token
 * goes to the ResourceManager alone. Borrowed until the next request or
 * cli_node_renew_refused_token(). */
const char *cli_node_token(const struct cli_node *n, bool direct);
/* Returns true when a Kerberos ticket is used in place of a token on this route. */
bool cli_node_negotiates(const struct cli_node *n, bool direct);
/* Gets another token after that of this route was refused. */
void cli_node_renew_refused_token(const struct cli_node *n, bool direct);
/* GETs JSON on one route, and if that fails on the other. Returns CLI_OK; CLI_NOTFOUND when the
 * node itself answers 404 or 503; CLI_INTERRUPTED after a signal; else CLI_UNREACHABLE with
 * out->error. Prints nothing. */
int cli_node_get(struct cli_node *n, const char *path, struct cli_answer *out);

#endif
