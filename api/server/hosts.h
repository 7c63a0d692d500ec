/* api/server/hosts.h - the names a server answers to.
 *
 * A page of evil.example is served by its own server; then the name's address changes to ours,
 * and the reader's browser takes us for the page's own site: it lets the page read every answer
 * and send every request ("DNS rebinding"). What such a request cannot hide is the name itself,
 * in Host. So a server answers to names that only its administrator or its machine can have
 * given, and to addresses, which nobody can rebind. SOURCE: RFC 9110 7.2 (Host) and 15.5.20
 * (421); RFC 9112 3.2. Pure, except api_hosts_new(). */
#ifndef CREEL_API_SERVER_HOSTS_H
#define CREEL_API_SERVER_HOSTS_H

#include <stdbool.h>

#include "base/error.h"

#define API_HOST_MAX 255 /* bytes of a name, as in DNS */

struct api_authority {
    char host[API_HOST_MAX + 1]; /* lower case, without a closing dot and without brackets */
    int port;                    /* -1: not given */
    bool literal;                /* an IPv4 or IPv6 address in full */
};
/* "name", "name:port", "192.0.2.1:port", "[2001:db8::1]:port". False: it is none (user names,
 * spaces, other bytes). */
bool api_authority_parse(const char *text, struct api_authority *out);
/* Is @origin ("http://name:port") the site of a request that was sent to @to? Without a port
 * either means that of the origin's scheme. */
bool api_origin_is(const char *origin, const struct api_authority *to);

struct api_hosts;
/* localhost, and the machine's own names: as the kernel has it, its first label, and the others
 * of its lines in /etc/hosts. Asks no name server. */
struct api_hosts *api_hosts_new(void);
struct api_hosts *api_hosts_copy(const struct api_hosts *h);
void api_hosts_free(struct api_hosts *h); /* NULL-safe */
/* Names in what addresses are written as in the configuration: "name", "name:port",
 * "http://name:port/path", several separated by commas or spaces. What is no name adds none. */
void api_hosts_add_addresses(struct api_hosts *h, const char *text);
/* A list of names alone, ".example.org" for all below it. -BASE_EINVAL: an entry is neither;
 * @key is named. */
int api_hosts_add_list(struct api_hosts *h, const char *key, const char *text,
                       struct base_error *err);
/* An address, or one of the names. */
bool api_hosts_has(const struct api_hosts *h, const struct api_authority *a);
bool api_hosts_has_origin(const struct api_hosts *h, const char *origin);

#endif
