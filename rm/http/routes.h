/* rm/http/routes.h - the RM's one route table, put together from the parts. */
#ifndef CREEL_RM_HTTP_ROUTES_H
#define CREEL_RM_HTTP_ROUTES_H

#include "api/server/server.h"

/* Caller frees; must outlive the server. */
struct api_route *rm_routes_new(size_t *n);

#endif
