/* rm/rpc/ports.h - the ResourceManager's ports of Hadoop RPC, at which Hadoop's own programs (yarn,
 * yarn rmadmin) talk to it.
 *
 *   yarn.resourcemanager.address         ApplicationClientProtocol: reports, lists, changes
 *   yarn.resourcemanager.scheduler.address   ApplicationMasterProtocol: masters of applications
 *   yarn.resourcemanager.resource-tracker.address   ResourceTracker: NodeManagers of Hadoop
 *   yarn.resourcemanager.admin.address   ResourceManagerAdministrationProtocol: what yarn
 *                                        rmadmin does; HAServiceProtocol: who is active
 *
 * A port that is not configured is not opened. For one of several ResourceManagers the key with
 * ".RM-ID" at its end counts first. yarn.resourcemanager.bind-host, if set, replaces the host.
 *
 * How callers are known: with creel.auth = simple they name themselves, on loopback addresses alone
 * unless --insecure is given; otherwise they show a token (base/hadoop/token.h). Masters always
 * show a token. NodeManagers and administrators are known by their addresses (rm/rpc/hosts.h). */
#ifndef CREEL_RM_RPC_PORTS_H
#define CREEL_RM_RPC_PORTS_H

#include "api/rpc/rpc.h"
#include "api/server/server.h"
#include "rm/daemon/backend.h"

struct base_conf;
struct rm_rpc_ports;
/* Opens the ports that are configured. @server: the settings of the ResourceManager's HTTP server,
 * whose rules for addresses and callers hold here, too. Sets *@out to NULL when there are none.
 * @rm_id: which of several ResourceManagers this is; NULL: it is alone. Returns 0, or a negative
 * BASE_E* with the key in @err. */
int rm_rpc_ports_open(const struct base_conf *conf, const char *rm_id,
                      const struct api_server_conf *server, struct rm_rpc_ports **out,
                      struct base_error *err);
/* Begins to serve; does nothing when @p is NULL. @server: the running HTTP server, whose limits of
 * connections hold for both together. Returns 0 or a negative BASE_E*. */
int rm_rpc_ports_start(struct rm_rpc_ports *p, struct rm_backend *b, struct api_server *server,
                       struct base_error *err);
/* Stops, and frees @p (NULL is fine). The daemon, which answers all calls that wait, has stopped
 * before; the HTTP server has not. */
void rm_rpc_ports_close(struct rm_rpc_ports *p);

/* ---- the protocols, for the ports and for tests ---- */
extern const struct api_rpc_protocol rm_rpc_client_protocol;  /* client.c */
extern const struct api_rpc_protocol rm_rpc_master_protocol;  /* master.c */
extern const struct api_rpc_protocol rm_rpc_tracker_protocol; /* tracker/tracker.c */
enum { RM_RPC_ADMIN_PROTOCOLS = 2 };
extern const struct api_rpc_protocol rm_rpc_admin_protocols[RM_RPC_ADMIN_PROTOCOLS]; /* admin/ */
/* An api_rpc_find_password (token.c); @backend: struct rm_backend *. */
enum api_rpc_token rm_rpc_find_password(void *backend, const void *identifier, size_t len,
                                        char **password, char **user);
/* The same for AMRM tokens (base/hadoop/identifiers.h); the user is the attempt, as text. */
enum api_rpc_token rm_rpc_find_master_password(void *backend, const void *identifier, size_t len,
                                               char **password, char **user);

#endif
