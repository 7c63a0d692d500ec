/* rm/http/routes.h - joins the route tables of all handlers into one. */
#ifndef CREEL_RM_HTTP_ROUTES_H
#define CREEL_RM_HTTP_ROUTES_H

#include "api/server/server.h"

/* Returns all routes of the ResourceManager; *@n: their number. Caller frees the table, after the
 * server has ended. */
struct api_route *rm_routes_new(size_t *n);

#endif
