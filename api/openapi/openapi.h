/* api/openapi/openapi.h - describes a daemon's resources as an OpenAPI 3.1 document, made from its
 * table of routes and the tables of members (api/yarn/shape.h) that its answers are encoded from.
 * Source: the OpenAPI Specification 3.1.0. */
#ifndef CREEL_API_OPENAPI_OPENAPI_H
#define CREEL_API_OPENAPI_OPENAPI_H

#include "api/server/server.h"
#include "api/yarn/shape.h"

/* Describes a route in addition to its row in the table of routes. All texts are static. */
struct api_operation {
    const char *method, *path; /* of the route */
    const char *summary;
    /* the answer's members; NULL: see media. @dialect: the answer's form in JSON; its XML does not
     * depend on it */
    const struct api_shape *shape;
    enum api_dialect dialect;
    const char *media;    /* "text/xml application/json": forms of an answer without a shape; "":
                             no body; NULL: application/json, and XML for a resource of YARN's */
    const char *query;    /* "limit:integer user": parameters, texts unless typed; NULL: none */
    const char *statuses; /* "202 307": of success, or of a route that always refuses; NULL: 200 */
};

struct api_openapi_source {
    const char *title;
    const struct api_route *routes;
    size_t routes_n;
    const struct api_operation *operations; /* a route without one is described without a shape */
    size_t operations_n;
};

/* Returns the document, which the caller frees. Routes of other roles than READ and WRITE, which
 * nodes and masters use, are left out. */
char *api_openapi_write(const struct api_openapi_source *source);

#endif
