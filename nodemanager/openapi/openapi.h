/* nodemanager/openapi/openapi.h - what the NodeManager's /openapi.json says about its routes in
 * addition to the tables of routes. */
#ifndef CREEL_NODEMANAGER_OPENAPI_OPENAPI_H
#define CREEL_NODEMANAGER_OPENAPI_OPENAPI_H

#include "api/openapi/openapi.h"

/* Returns the table, static, and its length in *@n. */
const struct api_operation *nm_openapi_operations(size_t *n);

#endif
