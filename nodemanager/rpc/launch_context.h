/* nodemanager/rpc/launch_context.h - the launch context of a container that a master starts, in the
 * form of the ResourceManager's launch orders (api/wire/order.h): from there on both are launched,
 * recorded and recovered in the same way. Pure. */
#ifndef CREEL_NODEMANAGER_RPC_LAUNCH_CONTEXT_H
#define CREEL_NODEMANAGER_RPC_LAUNCH_CONTEXT_H

#include "base/hadoop/identifiers.h"
#include "base/mem.h"
#include "nodemanager/rpc/container.pb-c.h"

/* Appends the launch order of the container in @token, as JSON. @secret: the application's secret,
 * by which its containers prove themselves to Creel; NULL: this node does not have it. Returns 0,
 * or -BASE_EINVAL with the member that cannot be used. */
int nm_rpc_put_launch_order(const Nm__LaunchContext *context,
                            const struct base_hadoop_container_id *token, const char *secret,
                            struct base_buf *out, struct base_error *err);

#endif
