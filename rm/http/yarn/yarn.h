/* rm/http/yarn/yarn.h - YARN's ResourceManager REST, /metrics and the active policy: the routes. User pointer of every handler: struct rm_backend *. */
#ifndef CREEL_RM_HTTP_YARN_YARN_H
#define CREEL_RM_HTTP_YARN_YARN_H

#include "api/server/server.h"

extern const struct api_route rm_api_yarn_routes[];
extern const size_t rm_api_yarn_routes_n;

#endif
