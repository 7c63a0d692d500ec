/* rm/rpc/start/starter.h - starts masters on NodeManagers of Hadoop: a thread that encodes
 * requests, and talks to many nodes at a time, since a node that does not answer must not hold up
 * those that do.
 *
 *   rm_starter_add() --> WAITING --> CONNECTING --> TALKING --answer--> the core is told
 *                           ^            |             |
 *                           +-- again ---+-------------+ as long as the call was not sent
 *
 * What could not be sent is tried again after yarn.client.nodemanager-connect.retry-interval-ms,
 * until yarn.client.nodemanager-connect.max-wait-ms have passed. A call that was sent is not
 * repeated, for a node might carry it out twice: its connection's end is its failure. The core gets
 * one event for each start (RM_EV_START_ENDED); a start whose leadership has ended is refused by
 * the node, which has then registered with another instance of the ResourceManager.
 *
 * Nodes are reached at the address from which they have registered, and at the port of their id: no
 * name service is asked. Bounds: RM_STARTS_MAX starts that wait or are under way, further ones fail
 * at once; RM_START_TALKS_MAX connections, of which RM_START_TALKS_PER_ADDRESS may be to one
 * address; 10 s for a connection, a minute for a conversation. Starts that wait for one of these
 * connections get it in the order in which they came, and fail when max-wait-ms have passed before
 * that.
 *
 * An address from which nothing has come yet on one of its connections gets no further one. So
 * nodes that answer have their connections one after the other at once, and nodes that are silent
 * hold one each: it takes RM_START_TALKS_MAX of them to hold up the others. */
#ifndef CREEL_RM_RPC_START_STARTER_H
#define CREEL_RM_RPC_START_STARTER_H

#include "rm/daemon/backend.h"
#include "rm/rpc/start/request.h"

#define RM_STARTS_MAX              10000
#define RM_START_TALKS_MAX         256
#define RM_START_TALKS_PER_ADDRESS 4

struct rm_starter;
/* Starts the thread. Returns 0 or -BASE_EIO. */
int rm_starter_new(struct rm_backend *b, struct rm_starter **out, struct base_error *err);
/* Takes @s. Any thread; does not wait. */
void rm_starter_add(struct rm_starter *starter, struct rm_start *s);
/* Gives up what is under way, and waits for the thread. NULL is fine. */
void rm_starter_free(struct rm_starter *starter);

#endif
