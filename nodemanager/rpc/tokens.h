/* nodemanager/rpc/tokens.h - the keys of the tokens that masters show to this node, and the checks
 * of these tokens.
 *
 *   NMToken            proves who calls: a master's attempt, allowed to talk to this node
 *   container token    proves that the ResourceManager has given a container on this node to an
 *                      application, and which one
 *
 * The ResourceManager makes both, and tells the node with which keys they are good when it
 * registers, and when keys have been replaced (api/wire/hadoop_keys.h): keys are numbers and salts,
 * and the node derives the keys themselves from the cluster's secret.
 *
 * Any thread may call these functions. SOURCE: YARN's NMTokenSecretManagerInNM and
 * NMContainerTokenSecretManager, whose words the errors have. */
#ifndef CREEL_NODEMANAGER_RPC_TOKENS_H
#define CREEL_NODEMANAGER_RPC_TOKENS_H

#include "api/rpc/session.h"
#include "api/wire/hadoop_keys.h"
#include "base/crypto/keyring.h"
#include "base/error.h"
#include "base/hadoop/identifiers.h"
#include "base/id.h"

struct nm_rpc_tokens;
/* @host, @port: the address in tokens for this node. @secret: the cluster's; takes a reference.
 * NULL: only keys without a secret are known. */
struct nm_rpc_tokens *nm_rpc_tokens_new(const char *host, int port, struct base_keyring *secret);
void nm_rpc_tokens_free(struct nm_rpc_tokens *t);
/* Takes the keys of an answer to a registration or a heartbeat, in place of those before. */
void nm_rpc_tokens_set_keys(struct nm_rpc_tokens *t, const struct wire_hadoop_keys *keys);
/* Returns the identifier of the ResourceManager's instance with which the node has registered; 0
 * before the first keys. */
int64_t nm_rpc_tokens_rm_identifier(struct nm_rpc_tokens *t);

/* For api_rpc_session_conf.find_password: checks an NMToken, but for its password; the user is the
 * attempt, as text. @t: struct nm_rpc_tokens *. */
enum api_rpc_token nm_rpc_tokens_find_password(void *t, const void *identifier, size_t len,
                                               char **password, char **user);
/* Checks key, password and node of a container token. Returns 0 with its contents in @out;
 * -BASE_EINVAL for what is no such token; or -BASE_EPERM for one that this node does not accept. */
int nm_rpc_tokens_check_container(struct nm_rpc_tokens *t, const void *identifier, size_t len,
                                  const void *password, size_t password_len,
                                  struct base_hadoop_container_id *out, struct base_error *err);

#endif
