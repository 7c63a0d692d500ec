/* rm/http/access/container_token.h - checks the tokens of containers
 * (base/crypto/container_token.h) in requests of tasks and of ApplicationMasters. A task's token is
 * valid only while its container lives, a master's only while its attempt does, so the core is
 * asked each time. */
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
/* Sets *@out to the attempt of @app whose master shows its container's token as its bearer token.
 * Returns 0, or -BASE_EPERM with the reason, which is for logs alone. */
int rm_container_token_read_master(const struct api_request *rq, void *backend,
                                   const struct base_app_id *app, struct base_attempt_id *out,
                                   struct base_error *err);

#endif
