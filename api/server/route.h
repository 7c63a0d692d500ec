/* api/server/route.h - the route table as a trie over path segments.
 *
 *   node --literal--> node ... --{capture}--> node ... --{rest*}--> routes by method
 *
 * A literal segment wins over a capture, and a capture over {rest*}; matching backtracks from a
 * branch without a match. The method is considered only after the path is decided, as in JAX-RS:
 * GET /apps/new-application is a wrong method, not the application called "new-application". */
#ifndef CREEL_API_SERVER_ROUTE_H
#define CREEL_API_SERVER_ROUTE_H

#include "api/server/server.h"
#include "api/server/uri.h"

#define API_CAPTURES_MAX 8

enum api_method {
    API_M_GET,
    API_M_POST,
    API_M_PUT,
    API_M_DELETE,
    API_M_COUNT,
    API_M_OTHER = API_M_COUNT
};

struct api_match {
    const struct api_route *const
        *by_method; /* API_M_COUNT entries, NULL where the method is not served */
    const char *args[API_CAPTURES_MAX]; /* borrowed from the URI, without "{rest*}" */
    unsigned n_args;
    bool has_rest;
    size_t rest_from; /* index of the first segment that {rest*} took */
};
struct api_router;

/* Returns API_M_GET for "HEAD", API_M_OTHER for a method that no route can have. */
enum api_method api_method_parse(const char *text);
/* Builds the trie. Returns 0, or -BASE_EINVAL for a bad path, no role, no handler, an unknown
 * method, or a duplicate route. @routes must outlive the router. */
int api_router_new(const struct api_route *routes, size_t n, struct api_router **out,
                   struct base_error *err);
void api_router_free(struct api_router *r);
/* Finds the routes of a path, of any method. Returns false when no route has this path. */
bool api_router_match(const struct api_router *r, const struct api_uri *uri, struct api_match *out);
/* Returns true when a route of the matched path, of any method, has @flag; false when no route has
 * the path. */
bool api_match_has_flag(const struct api_match *match, unsigned flag);

#endif
