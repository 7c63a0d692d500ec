/* api/server/hosts.h - the names that a server answers to.
 *
 * This prevents DNS rebinding: a page of evil.example is served by its own server; then the name's
 * address changes to ours, so that the reader's browser regards this server as the page's own site,
 * and lets the page read every answer and send every request. But the Host header of these requests
 * always contains the page's own name. A server therefore answers only to names that come from its
 * administrator or its machine, and to addresses, which nobody can rebind. SOURCE: RFC 9110 7.2
 * (Host) and 15.5.20 (421); RFC 9112 3.2. Pure, except api_hosts_new(). */
#ifndef CREEL_API_SERVER_HOSTS_H
#define CREEL_API_SERVER_HOSTS_H

#include <stdbool.h>

#include "base/error.h"

#define API_HOST_MAX 255 /* most bytes of a name, as in DNS */

struct api_authority {
    char host[API_HOST_MAX + 1]; /* lower case, without a trailing dot and without brackets */
    int port;                    /* -1: not given */
    bool literal;                /* the host is a complete IPv4 or IPv6 address */
};
/* Parses "name", "name:port", "192.0.2.1:port" or "[2001:db8::1]:port". Returns false for anything
 * else (user names, spaces, other bytes). */
bool api_authority_parse(const char *text, struct api_authority *out);
/* Returns true when @origin ("http://name:port") is the site that a request to @to was sent to. A
 * missing port on either side means the usual port of the origin's scheme. */
bool api_origin_matches(const char *origin, const struct api_authority *to);

struct api_hosts;
/* Creates a set with localhost and the machine's own names: the kernel's host name, its first
 * label, and the other names on its lines in /etc/hosts. Asks no name server. */
struct api_hosts *api_hosts_new(void);
struct api_hosts *api_hosts_copy(const struct api_hosts *h);
void api_hosts_free(struct api_hosts *h); /* NULL-safe */
/* Adds the names in addresses as the configuration writes them: "name", "name:port",
 * "http://name:port/path", separated by commas or spaces. Other words are skipped. */
void api_hosts_add_addresses(struct api_hosts *h, const char *text);
/* Adds a list of names or IPv4 addresses without port; ".example.org" stands for all names below
 * it. Returns 0, or -BASE_EINVAL when an entry is neither, with @key in the message; the entries
 * before it have been added. */
int api_hosts_add_list(struct api_hosts *h, const char *key, const char *text,
                       struct base_error *err);
/* Returns true when the host of @a is one of the names, or an address that was listed. */
bool api_hosts_have_name(const struct api_hosts *h, const struct api_authority *a);
/* The same, and for any IP address. */
bool api_hosts_allow(const struct api_hosts *h, const struct api_authority *a);
/* The same for the host of @origin; false when @origin is not the origin of a web page. */
bool api_hosts_allow_origin(const struct api_hosts *h, const char *origin);

#endif
