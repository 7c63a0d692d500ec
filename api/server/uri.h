/* api/server/uri.h - splits a request target into path segments and query pairs, percent-decoded.
 * Pure.
 *
 * The rules are those of YARN's Jersey: ";name=value" matrix parameters of a segment are dropped;
 * in the query only '&' separates, and '+' is a space; names are case-sensitive. Refused
 * (-BASE_EINVAL): "%" without two hex digits, an encoded NUL, "." or ".." as a component of the
 * path, also when encoded as %2E or %2F, and a path that does not begin with "/" (except "*"). An
 * encoded slash otherwise stays inside its segment ("yarn.io%2Fgpu"): code that builds a file name
 * from a segment has to check it. */
#ifndef CREEL_API_SERVER_URI_H
#define CREEL_API_SERVER_URI_H

#include <stdbool.h>
#include <stddef.h>

struct api_uri_pair {
    const char *name, *value; /* value: "" when there is no '=' */
    bool has_value;           /* the pair has a '=' */
};
struct api_uri {
    char *memory;          /* holds everything below */
    const char *path;      /* as sent, without the query */
    const char *authority; /* "host:port" of "http://host:port/path"; NULL: the target has none */
    const char **segments; /* "/a/b/" gives "a", "b", "" */
    size_t n_segments;
    struct api_uri_pair *pairs;
    size_t n_pairs;
};

/* Parses @raw, the request target: "/path?query", "http://host/path?query" or "*". Returns 0,
 * -BASE_EINVAL, or -BASE_ELIMIT for too many parts (after an error @u holds only path and
 * authority). Call api_uri_free() in any case. */
int api_uri_parse(struct api_uri *u, const char *raw);
void api_uri_free(struct api_uri *u);
/* Returns the first value of @name, or NULL. */
const char *api_uri_find_query_value(const struct api_uri *u, const char *name);

#endif
