/* nodemanager/daemon/container_tokens.h - the tokens of containers (base/crypto/container_token.h)
 * on this node: makes them at the launch, renews those of living containers, and checks those that
 * other nodes have made for containers of the same application.
 *
 *   launch: token in the container's folder --every third of its life, while it lives--> renewed
 *                                                         \--the container has ended--> expires
 *
 * A reduce may run on any node, and only the ResourceManager knows whether it still runs: this node
 * accepts its token until the application ends or the token expires. The token of a container of
 * this node is refused as soon as the container has ended. */
#ifndef CREEL_NODEMANAGER_DAEMON_CONTAINER_TOKENS_H
#define CREEL_NODEMANAGER_DAEMON_CONTAINER_TOKENS_H

#include "base/crypto/container_token.h"
#include "nodemanager/daemon/daemon.h"

/* Writes the token of a container that is launched; "" for an application without a secret. */
const char *nm_container_token_make(const struct nm *nm, const struct nm_launch *l,
                                    char out[static BASE_CONTAINER_TOKEN_MAX]);
/* Renews the tokens of all living containers when it is time. Call often, on the loop's thread. */
void nm_container_tokens_renew_if_due(struct nm *nm);
/* For api_server_conf.find_key; @nm: struct nm *. */
bool nm_container_token_find_key(const char *id, struct base_key *out, void *nm);
/* Returns true when the request is signed with the token of a container of @app, or shows it as its
 * bearer token. */
bool nm_container_token_is_of_app(const struct api_request *rq, struct nm *nm,
                                  const struct base_app_id *app);

#endif
