/* rm/http/nodes/node_ids.h - ids of nodes in requests about labels, where the port may be missing.
 */
#ifndef CREEL_RM_HTTP_NODES_NODE_IDS_H
#define CREEL_RM_HTTP_NODES_NODE_IDS_H

#include "rm/http/yarn/yarn_internal.h"

/* Writes @given, "host:port" or a host alone (written with port 0, which stands for all nodes on
 * the host), to @id. Returns false when it is neither; @rq has then been answered. */
bool yarn_parse_node_or_host(struct api_request *rq, const char *given,
                             char id[static YARN_NODE_ID_MAX]);

#endif
