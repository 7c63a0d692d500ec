/* api/rpc/slow.h - how many slow calls each peer has under way, so that no peer fills the queues of
 * the threads that carry them out. Not thread-safe. */
#ifndef CREEL_API_RPC_SLOW_H
#define CREEL_API_RPC_SLOW_H

#include <netinet/in.h>
#include <stdbool.h>

enum { API_RPC_SLOW_MAX = 32 }; /* of one peer (base/io/peer_key.h) */

/* The peers that have slow calls under way; NULL: none. */
struct api_rpc_slow;
/* Counts a slow call of @peer. Returns false, and counts nothing, when it has as many as it may. */
bool api_rpc_slow_begin(struct api_rpc_slow **table, const struct in6_addr *peer);
/* Undoes one successful api_rpc_slow_begin(). The last one of all frees the table. */
void api_rpc_slow_end(struct api_rpc_slow **table, const struct in6_addr *peer);

#endif
