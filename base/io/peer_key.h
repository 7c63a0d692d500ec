/* base/io/peer_key.h - addresses of peers: as text, and as the key by which limits tell them
 * apart. */
#ifndef CREEL_BASE_IO_PEER_KEY_H
#define CREEL_BASE_IO_PEER_KEY_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
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

/* Writes the address @a (NULL: unknown, "-") to @room, without its port. An IPv4 address that came
 * over an IPv6 socket is written as IPv4, so that a host has one name. */
static inline void base_format_peer(const struct sockaddr *a, char *room, size_t size)
{
    const void *at = NULL;
    int family = a ? a->sa_family : AF_UNSPEC;

    if (family == AF_INET) {
        at = &((const struct sockaddr_in *)(const void *)a)->sin_addr;
    } else if (family == AF_INET6) {
        const struct in6_addr *six = &((const struct sockaddr_in6 *)(const void *)a)->sin6_addr;

        at = IN6_IS_ADDR_V4MAPPED(six) ? (const void *)&six->s6_addr[12] : six;
        family = IN6_IS_ADDR_V4MAPPED(six) ? AF_INET : AF_INET6;
    }
    if (!at || !inet_ntop(family, at, room, (socklen_t)size))
        snprintf(room, size, "-");
}

#endif
