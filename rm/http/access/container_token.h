/* rm/http/access/container_token.h - checks the tokens of containers
 * (base/crypto/container_token.h) in requests of tasks. A token is worth something while its
 * container lives: the core is asked each time. */
#ifndef CREEL_RM_HTTP_ACCESS_CONTAINER_TOKEN_H
#define CREEL_RM_HTTP_ACCESS_CONTAINER_TOKEN_H

#include "api/server/server.h"
#include "base/crypto/container_token.h"

/* For api_server_conf.find_key; @backend: struct rm_backend *. */
bool rm_container_token_find_key(const char *id, struct base_key *out, void *backend);
/* Returns true, with the container in *@out, when the request is signed with the token of a living
 * container, or shows it as its bearer token. */
bool rm_container_token_read(const struct api_request *rq, void *backend,
                             struct base_container_id *out);

#endif
