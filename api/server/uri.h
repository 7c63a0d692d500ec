/* api/server/uri.h - the request target taken apart: path segments and query pairs, percent-decoded. Pure.
 *
 * Rules, those of YARN's Jersey: ";name=value" matrix parameters of a segment are dropped; in the query only '&'
 * separates and '+' is a space; names are case-sensitive. Refused (-BASE_EINVAL): "%" without two hex digits, an
 * encoded NUL, and "." or ".." as a component of the path, also when hidden behind %2E or %2F. An encoded slash is
 * otherwise kept inside its segment ("yarn.io%2Fgpu"): who builds a file name from a segment checks it. */
#ifndef CREEL_API_SERVER_URI_H
#define CREEL_API_SERVER_URI_H

#include <stdbool.h>
#include <stddef.h>

struct api_uri_pair {
    const char *name, *value; /* value is "" without '=' */
    bool has_value;           /* there was a '=' */
};
struct api_uri {
    char *memory;          /* everything below lives here */
    const char *path;      /* as sent, without the query */
    const char *authority; /* "host:port" of "http://host:port/path"; NULL: the target has none */
    const char **segments; /* "/a/b/" gives "a", "b", "" */
    size_t n_segments;
    struct api_uri_pair *pairs;
    size_t n_pairs;
};

/* @raw: the request target: "/path?query", "http://host/path?query" or "*". 0, -BASE_EINVAL or -BASE_ELIMIT (then
 * @u holds the path only). Free with api_uri_free in any case. */
int api_uri_parse(struct api_uri *u, const char *raw);
void api_uri_free(struct api_uri *u);
const char *api_uri_query(const struct api_uri *u, const char *name); /* first value or NULL */

#endif
