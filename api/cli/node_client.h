/* api/cli/node_client.h - how the HTTP servers of nodes are reached: directly while that works, else through the
 * ResourceManager (/ws/v1/cluster/nodes/{id}/…), which reaches every node that it knows.
 *
 * What answers at a node's address may be another server: of another host behind the same name, or another node of
 * this host behind 127.0.0.1. So an answer that names another node counts as none, and a refusal counts only when it
 * names this node (BASE_HTTP_NODE_HEADER). */
#ifndef CREEL_API_CLI_NODE_CLIENT_H
#define CREEL_API_CLI_NODE_CLIENT_H

#include "api/cli/rm_client.h"

struct cli_nodes;
struct cli_node; /* lives as long as its reach */

struct cli_nodes *cli_nodes_new(struct cli_rm *rm); /* @rm borrowed */
void cli_nodes_free(struct cli_nodes *r);           /* NULL-safe */
/* @id: "host:port", as the ResourceManager calls it; "": as @http. @http: its "host:port" for HTTP.
 */
struct cli_node *cli_nodes_get(struct cli_nodes *r, const char *id, const char *http);
const char *cli_node_id(const struct cli_node *n);
const char *cli_node_http(const struct cli_node *n);
/* The way that a request should take now. */
bool cli_node_is_direct(const struct cli_node *n);
/* A request by this way came to nothing: the next ones take the other. */
void cli_node_route_failed(struct cli_node *n, bool direct);
/* URL of @path ("raw-logs/…", percent-encoded) of the node by this way; caller frees. */
char *cli_node_url(const struct cli_node *n, bool direct, const char *path);
/* GET of JSON, the one way or the other. CLI_OK; CLI_NOTFOUND: the node says that it has no such thing; else
 * CLI_UNREACHABLE, and out->error says why. Prints nothing. */
int cli_node_get(struct cli_node *n, const char *path, struct cli_answer *out);

#endif
