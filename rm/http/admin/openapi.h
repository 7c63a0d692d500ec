/* rm/http/admin/openapi.h - what /openapi.json of the ResourceManager says of routes beyond the
 * tables of routes. */
#ifndef CREEL_RM_HTTP_ADMIN_OPENAPI_H
#define CREEL_RM_HTTP_ADMIN_OPENAPI_H

#include "api/openapi/openapi.h"

/* Returns the table, static, and its length in *@n. */
const struct api_operation *rm_openapi_operations(size_t *n);

#endif
