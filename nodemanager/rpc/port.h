/* nodemanager/rpc/port.h - the NodeManager's port of Hadoop RPC, at which masters start containers
 * (protocol.h): yarn.nodemanager.address. It is not opened unless that is configured.
 *
 *   opened, before the registration, which tells its number
 *      |        clients that connect wait in the socket's queue: without keys no token could be
 *      |        checked, and a refused token would be final for them
 *      v
 *   keys of the ResourceManager came --> calls are served, until the daemon ends
 *
 * Callers show tokens, also where creel.auth is simple, as in YARN. Port 0 means any free port;
 * that of the last start is then tried first, since tokens and running masters name it.
 *
 * All functions but nm_rpc_queue_ask() (protocol.h) are for the main thread. */
#ifndef CREEL_NODEMANAGER_RPC_PORT_H
#define CREEL_NODEMANAGER_RPC_PORT_H

#include "api/server/server.h"
#include "api/wire/hadoop_keys.h"
#include "base/error.h"

struct nm;
struct nm_rpc;
/* Opens the port if it is configured, and notes its number in nm->disk, which is stored. @server:
 * the settings of the node's HTTP server, whose rules for addresses hold here, too. Sets *@out to
 * NULL when there is no port. Returns 0, or a negative BASE_E* with the key in @err. */
int nm_rpc_open(struct nm *nm, const struct api_server_conf *server, struct nm_rpc **out,
                struct base_error *err);
/* Returns the number of the port; 0: @rpc is NULL. */
int nm_rpc_port(const struct nm_rpc *rpc);
/* Takes the keys of an answer to a registration; with the first ones begins to serve. @rpc may be
 * NULL. */
void nm_rpc_take_keys(struct nm_rpc *rpc, const struct wire_hadoop_keys *keys);
/* Returns a descriptor that is readable when calls wait for the loop; then call
 * nm_rpc_carry_out_asks(). */
int nm_rpc_fd(const struct nm_rpc *rpc);
void nm_rpc_carry_out_asks(struct nm *nm); /* asks.c */
/* Answers what waits, stops the server and frees @rpc (NULL is fine). */
void nm_rpc_close(struct nm_rpc *rpc);

#endif
