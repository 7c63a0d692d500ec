/* api/server/limits/peers.h - limits connections and memory per peer, so that one peer cannot keep
 * all others out.
 *
 * The HTTP server and the daemon's other ports (api/server/server.h) share the limits. Connections
 * count per address, IPv6 connections per /64 network, which is what one customer of a provider
 * has. A connection that has not sent a whole request head yet (at other ports: a whole greeting)
 * is silent. Where a limit is reached, the oldest silent connection gives way to the new one: a
 * connection of the same address if the address has used up its share, otherwise any. Without a
 * silent one the new connection is turned away. So a peer that has used up its share pushes out
 * only its own half-open connections.
 *
 * A connection on which a node has shown the cluster's secret no longer counts. For a while its
 * address may also use the connections reserved for nodes, so that a node can reconnect while
 * others hold all the rest. Without a secret anybody could pose as a node: then the connections
 * count, and only the address is remembered.
 *
 * Bodies that are being read or wait for their answer, and long answers, share a budget of memory:
 * a quarter is reserved for nodes, and on connections that are not a node's one address gets at
 * most half.
 *
 * Thread-safe, with a lock of its own that is held for a few instructions. */
#ifndef CREEL_API_SERVER_LIMITS_PEERS_H
#define CREEL_API_SERVER_LIMITS_PEERS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define API_PEER_NODE_MS (60 * 60 * 1000) /* how long an address is remembered as a node's */

struct api_peer_limits {
    unsigned connections; /* most in all */
    unsigned per_address; /* most of one address, not counting nodes'; 0: no limit */
    unsigned for_nodes;   /* how many of all connections are reserved for nodes */
    int64_t body_bytes;   /* budget of memory for bodies and long answers; 0: no limit */
};

struct api_link {
    struct api_link *prev, *next;
};
struct api_peers;
struct api_peer;

/* One connection's record; its members belong to api/server/limits/peers.c. */
struct api_seat {
    struct api_link silent, peer_silent; /* listed while silent */
    struct api_peer *peer;
    int fd;
    bool is_silent, is_node, gave_way;
};

struct api_peers *api_peers_new(const struct api_peer_limits *limits);
void api_peers_free(struct api_peers *p); /* no connection may be left; NULL-safe */

/* Returns true when a connection from @from can be accepted; changes no connection. Logs a warning
 * when it cannot, at most once a minute. @now_ms: a monotonic clock, here and below. */
bool api_peers_have_room_for(struct api_peers *p, const struct sockaddr *from, int64_t now_ms);
/* Registers a connection as silent. Where a limit is reached, the oldest silent connection (this
 * one if there is no other) is shut down with shutdown(2), so that its owner reads the end. @fd
 * must stay open until api_peers_unseat_connection(). */
void api_peers_seat_connection(struct api_peers *p, struct api_seat *seat,
                               const struct sockaddr *from, int fd, int64_t now_ms);
void api_peers_unseat_connection(struct api_peers *p, struct api_seat *seat, int64_t now_ms);
/* Marks a connection as no longer silent: a whole request head has arrived. */
void api_peers_mark_spoken(struct api_peers *p, struct api_seat *seat);
/* Marks a connection as a node's. @proven: the node has shown the secret. */
void api_peers_mark_node(struct api_peers *p, struct api_seat *seat, bool proven, int64_t now_ms);

/* Returns true when a node has proved itself on the connection. For the connection's own thread. */
bool api_peers_seat_is_node(const struct api_seat *seat);
/* Returns the address that identifies the connection's peer: IPv4 as ::ffff:a.b.c.d, IPv6 as its
 * network; borrowed while the connection is seated. */
const struct in6_addr *api_peers_get_address(const struct api_seat *seat);
/* Returns true for ::1 and 127.0.0.0/8. */
bool api_peers_is_loopback(const struct in6_addr *address);

/* Charges @bytes of a body or long answer to the budget. Returns false, and charges nothing, when
 * they do not fit. */
bool api_peers_charge_body_memory(struct api_peers *p, struct api_seat *seat, size_t bytes);
void api_peers_release_body_memory(struct api_peers *p, struct api_seat *seat, size_t bytes);

static inline void api_link_init(struct api_link *head)
{
    head->prev = head->next = head;
}
static inline void api_link_add(struct api_link *head, struct api_link *l)
{
    l->prev = head->prev;
    l->next = head;
    head->prev->next = l;
    head->prev = l;
}
static inline void api_link_remove(struct api_link *l)
{
    if (l->next) {
        l->prev->next = l->next;
        l->next->prev = l->prev;
    }
    l->prev = l->next = NULL;
}

#endif
