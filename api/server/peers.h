/* api/server/peers.h - who is connected, so that one peer cannot keep all others out.
 *
 * Connections count by address, IPv6 ones by /64 network, which is what one customer of a provider
 * has. A connection that has sent no whole request head yet is silent. Where a limit is reached,
 * the oldest silent connection gives way to the newcomer: of the same address if the address has
 * its share, else of all. Without a silent one the newcomer is turned away. So half-open
 * connections of one peer push out each other and nobody else.
 *
 * A connection on which a node has shown the cluster's secret counts no longer. Its address may
 * take, for a while, what is kept back for nodes, so that a node comes back while strangers hold
 * all the rest. Without a secret anybody could call himself a node: then the connections count, and
 * only the address is remembered.
 *
 * Bodies that are being read, or wait for their answer, share a budget of memory: a quarter of it
 * is kept back for nodes, and one address has at most a half.
 *
 * Thread-safe, by a lock of its own that is held for a few instructions. */
#ifndef CREEL_API_SERVER_PEERS_H
#define CREEL_API_SERVER_PEERS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define API_PEER_NODE_MS (60 * 60 * 1000) /* how long an address is remembered as a node's */

struct api_peer_limits {
    unsigned connections; /* in all */
    unsigned per_address; /* of one address, nodes' not counted; 0: no limit */
    unsigned for_nodes;   /* of all, what only nodes and their addresses get */
    int64_t body_bytes;   /* 0: no limit */
};

struct api_link {
    struct api_link *prev, *next;
};
struct api_peers;
struct api_peer;

/* One connection's place; the members are api/server/peers.c's. */
struct api_seat {
    struct api_link silent, peer_silent; /* listed while silent */
    struct api_peer *peer;
    int fd;
    bool is_silent, is_node, gave_way;
};

struct api_peers *api_peers_new(const struct api_peer_limits *limits);
void api_peers_free(struct api_peers *p); /* nobody may be seated; NULL-safe */

/* May a connection from @from be taken? Changes nothing. @now_ms: a monotonic clock, here and
 * below. */
bool api_peers_has_room(struct api_peers *p, const struct sockaddr *from, int64_t now_ms);
/* Seats a connection, silent; others may be shut down for it (shutdown(2), so that their owner
 * sees the end). @fd stays open until api_peers_leave(). */
void api_peers_enter(struct api_peers *p, struct api_seat *seat, const struct sockaddr *from,
                     int fd, int64_t now_ms);
void api_peers_leave(struct api_peers *p, struct api_seat *seat, int64_t now_ms);
/* A whole request head has come. */
void api_peers_spoke(struct api_peers *p, struct api_seat *seat);
/* It is a node's. @proven: it has shown the secret. */
void api_peers_is_node(struct api_peers *p, struct api_seat *seat, bool proven, int64_t now_ms);

/* Memory of a body. False: the budget does not allow it, nothing was taken. */
bool api_peers_charge(struct api_peers *p, struct api_seat *seat, size_t bytes);
void api_peers_release(struct api_peers *p, struct api_seat *seat, size_t bytes);

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
static inline void api_link_del(struct api_link *l)
{
    if (l->next) {
        l->prev->next = l->next;
        l->next->prev = l->prev;
    }
    l->prev = l->next = NULL;
}

#endif
