/* rm/http/yarn/yarn.h - the routes of YARN's ResourceManager REST, /metrics and the active policy.
 * The user pointer of every handler is a struct rm_backend *. */
#ifndef CREEL_RM_HTTP_YARN_YARN_H
#define CREEL_RM_HTTP_YARN_YARN_H

#include "api/server/server.h"

extern const struct api_route rm_api_yarn_routes[];
extern const size_t rm_api_yarn_routes_n;

#endif
