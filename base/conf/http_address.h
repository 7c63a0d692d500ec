/* base/conf/http_address.h - addresses of NodeManagers as the daemons pass them on: "host:port", or
 * "https://host:port" for a node that speaks TLS. So nodes of both kinds fit in one cluster, and
 * every link to a node has the right scheme. YARN's answers show the part without the scheme. */
#ifndef CREEL_BASE_CONF_HTTP_ADDRESS_H
#define CREEL_BASE_CONF_HTTP_ADDRESS_H

#include <string.h>
#include <strings.h>

/* Returns "https://" when @address begins with it, else "http://". */
static inline const char *base_http_address_scheme(const char *address)
{
    return strncasecmp(address, "https://", 8) == 0 ? "https://" : "http://";
}

/* Returns the part of @address after its scheme and "://", or all of it when it has no
 * scheme. */
static inline const char *base_http_address_host(const char *address)
{
    const char *scheme = strstr(address, "://");

    return scheme ? scheme + 3 : address;
}

#endif
