/* base/io/peer_key.h - the address by which limits tell peers apart. */
#ifndef CREEL_BASE_IO_PEER_KEY_H
#define CREEL_BASE_IO_PEER_KEY_H

#include <netinet/in.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

/* Returns what identifies a peer: an IPv4 address as ::ffff:a.b.c.d, an IPv6 address cut to its /64
 * network, which is what one customer of a provider has (except loopback and IPv4-mapped ones), ::
 * when @from is unknown. */
static inline struct in6_addr base_peer_key(const struct sockaddr *from)
{
    struct in6_addr key = {0};

    if (from && from->sa_family == AF_INET) {
        memset(key.s6_addr + 10, 0xff, 2);
        memcpy(key.s6_addr + 12, &((const struct sockaddr_in *)(const void *)from)->sin_addr, 4);
    } else if (from && from->sa_family == AF_INET6) {
        const struct in6_addr *a = &((const struct sockaddr_in6 *)(const void *)from)->sin6_addr;
        bool whole = IN6_IS_ADDR_V4MAPPED(a) || IN6_IS_ADDR_LOOPBACK(a);

        memcpy(key.s6_addr, a->s6_addr, whole ? sizeof key : 8);
    }
    return key;
}

#endif
