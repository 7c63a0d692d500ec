#include "api/server/limits/peers.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <uthash.h>

#include "base/io/log.h"
#include "base/io/log_limit.h"
#include "base/io/peer_key.h"
#include "base/mem.h"

#define WARN_EVERY_MS  60000
#define SWEEP_EVERY_MS 60000
#define REMEMBERED_MAX 20000 /* most addresses of disconnected nodes that are remembered */

struct api_peer {
    struct in6_addr address; /* key; IPv4 as ::ffff:a.b.c.d */
    /* open connections; those of them that count against the limits: neither a node's nor shut down
     * to make room */
    unsigned seats, counted;
    struct api_link silent; /* oldest first */
    int64_t node_until_ms;  /* until when the address is remembered as a node's; 0: it never was */
    int64_t body_bytes;
    UT_hash_handle hh;
};
struct api_peers {
    pthread_mutex_t lock;
    struct api_peer_limits limits;
    struct api_peer *by_address;
    struct api_link silent;  /* oldest first */
    unsigned counted, nodes; /* connections that count against the limits; connections of nodes */
    size_t n_remembered;     /* peers without seats */
    int64_t body_bytes;
    struct base_log_limit warnings;
    int64_t swept_ms;
};

struct api_peers *api_peers_new(const struct api_peer_limits *limits)
{
    struct api_peers *p = base_alloc(sizeof *p);

    p->limits = *limits;
    p->swept_ms = INT64_MIN / 2;
    api_link_init(&p->silent);
    pthread_mutex_init(&p->lock, NULL);
    return p;
}

static void peer_free(struct api_peers *p, struct api_peer *peer)
{
    HASH_DEL(p->by_address, peer);
    free(peer);
}

void api_peers_free(struct api_peers *p)
{
    struct api_peer *peer, *next;

    if (!p)
        return;
    HASH_ITER(hh, p->by_address, peer, next)
    {
        base_assert(peer->seats == 0);
        peer_free(p, peer);
    }
    pthread_mutex_destroy(&p->lock);
    free(p);
}

/* ---- addresses ---- */

static struct api_peer *find_peer(struct api_peers *p, const struct in6_addr *key)
{
    struct api_peer *peer;

    HASH_FIND(hh, p->by_address, key, sizeof *key, peer);
    return peer;
}

/* Forgets addresses of disconnected nodes that have been remembered long enough; at most once a
 * minute. */
static void forget_old_peers(struct api_peers *p, int64_t now_ms)
{
    struct api_peer *peer, *next;

    if (now_ms - p->swept_ms < SWEEP_EVERY_MS)
        return;
    p->swept_ms = now_ms;
    HASH_ITER(hh, p->by_address, peer, next)
    {
        if (peer->seats == 0 && peer->node_until_ms <= now_ms) {
            peer_free(p, peer);
            p->n_remembered--;
        }
    }
}

static struct api_peer *find_or_add_peer(struct api_peers *p, const struct in6_addr *key)
{
    struct api_peer *peer = find_peer(p, key);

    if (peer) {
        p->n_remembered -= peer->seats == 0;
        return peer;
    }
    peer = base_alloc(sizeof *peer);
    peer->address = *key;
    api_link_init(&peer->silent);
    HASH_ADD(hh, p->by_address, address, sizeof peer->address, peer);
    return peer;
}

/* ---- room ---- */

/* Returns true when an address with @counted connections has used up its share. */
static bool address_is_full(const struct api_peers *p, unsigned counted)
{
    return p->limits.per_address && counted >= p->limits.per_address;
}

/* Returns true when @counted connections, apart from those of nodes, leave no room for one more. An
 * address remembered as a node's may also use the connections reserved for nodes. */
static bool server_is_full(const struct api_peers *p, bool node_address, unsigned counted)
{
    unsigned kept = p->nodes > p->limits.for_nodes ? p->nodes : p->limits.for_nodes;

    if (node_address)
        return counted + p->nodes >= p->limits.connections;
    return counted + kept >= p->limits.connections;
}

static bool link_list_is_empty(const struct api_link *head)
{
    return head->next == head;
}

static void warn_of_limit(struct api_peers *p, const struct in6_addr *key, const char *key_name,
                          int64_t now_ms)
{
    char text[INET6_ADDRSTRLEN];

    if (base_log_limit_allows(&p->warnings, now_ms, WARN_EVERY_MS, NULL))
        base_log_warn("http", "connections from %s are turned away: %s is reached",
                      inet_ntop(AF_INET6, key, text, sizeof text), key_name);
}

bool api_peers_have_room_for(struct api_peers *p, const struct sockaddr *from, int64_t now_ms)
{
    struct in6_addr key = base_peer_key(from);
    struct api_peer *peer;
    bool room = true;

    pthread_mutex_lock(&p->lock);
    peer = find_peer(p, &key);
    if (peer && address_is_full(p, peer->counted) && link_list_is_empty(&peer->silent)) {
        warn_of_limit(p, &key, "creel.http.connections-per-address", now_ms);
        room = false;
    } else if (server_is_full(p, peer && peer->node_until_ms > now_ms, p->counted) &&
               link_list_is_empty(&p->silent)) {
        warn_of_limit(p, &key, "creel.http.connections", now_ms);
        room = false;
    }
    pthread_mutex_unlock(&p->lock);
    return room;
}

/* ---- seats ---- */

static void unlist_silent(struct api_seat *seat)
{
    if (!seat->is_silent)
        return;
    seat->is_silent = false;
    api_link_remove(&seat->silent);
    api_link_remove(&seat->peer_silent);
}

/* Shuts down a silent connection to make room for another one. The connection no longer counts,
 * though its socket stays open until its thread has noticed. */
static void shut_down_silent(struct api_peers *p, struct api_seat *seat)
{
    unlist_silent(seat);
    seat->gave_way = true;
    seat->peer->counted--;
    p->counted--;
    shutdown(seat->fd, SHUT_RDWR);
}

static struct api_seat *seat_of_peer_link(struct api_link *l)
{
    return (struct api_seat *)(void *)((char *)l - offsetof(struct api_seat, peer_silent));
}

static struct api_seat *seat_of_link(struct api_link *l)
{
    return (struct api_seat *)(void *)((char *)l - offsetof(struct api_seat, silent));
}

void api_peers_seat_connection(struct api_peers *p, struct api_seat *seat,
                               const struct sockaddr *from, int fd, int64_t now_ms)
{
    struct in6_addr key = base_peer_key(from);
    struct api_peer *peer;

    pthread_mutex_lock(&p->lock);
    forget_old_peers(p, now_ms);
    peer = find_or_add_peer(p, &key);
    *seat = (struct api_seat){.peer = peer, .fd = fd, .is_silent = true};
    api_link_add(&p->silent, &seat->silent);
    api_link_add(&peer->silent, &seat->peer_silent);
    peer->seats++;
    peer->counted++;
    p->counted++;
    if (address_is_full(p, peer->counted - 1) && !link_list_is_empty(&peer->silent)) {
        warn_of_limit(p, &key, "creel.http.connections-per-address", now_ms);
        shut_down_silent(p, seat_of_peer_link(peer->silent.next));
    }
    if (p->counted > 0 && server_is_full(p, peer->node_until_ms > now_ms, p->counted - 1) &&
        !link_list_is_empty(&p->silent))
        shut_down_silent(p, seat_of_link(p->silent.next));
    pthread_mutex_unlock(&p->lock);
}

void api_peers_unseat_connection(struct api_peers *p, struct api_seat *seat, int64_t now_ms)
{
    struct api_peer *peer = seat->peer;

    pthread_mutex_lock(&p->lock);
    unlist_silent(seat);
    if (seat->is_node) {
        p->nodes--;
    } else if (!seat->gave_way) {
        peer->counted--;
        p->counted--;
    }
    if (--peer->seats == 0) {
        base_assert(peer->counted == 0 && peer->body_bytes == 0);
        if (peer->node_until_ms > now_ms && p->n_remembered < REMEMBERED_MAX)
            p->n_remembered++;
        else
            peer_free(p, peer);
    }
    pthread_mutex_unlock(&p->lock);
}

void api_peers_mark_spoken(struct api_peers *p, struct api_seat *seat)
{
    pthread_mutex_lock(&p->lock);
    unlist_silent(seat);
    pthread_mutex_unlock(&p->lock);
}

void api_peers_mark_node(struct api_peers *p, struct api_seat *seat, bool proven, int64_t now_ms)
{
    pthread_mutex_lock(&p->lock);
    seat->peer->node_until_ms = now_ms + API_PEER_NODE_MS;
    if (proven && !seat->is_node && !seat->gave_way) {
        seat->is_node = true;
        seat->peer->counted--;
        p->counted--;
        p->nodes++;
    }
    pthread_mutex_unlock(&p->lock);
}

bool api_peers_seat_is_node(const struct api_seat *seat)
{
    return seat->is_node;
}

const struct in6_addr *api_peers_get_address(const struct api_seat *seat)
{
    return &seat->peer->address;
}

bool api_peers_is_loopback(const struct in6_addr *address)
{
    return IN6_IS_ADDR_LOOPBACK(address) ||
           (IN6_IS_ADDR_V4MAPPED(address) && address->s6_addr[12] == IN_LOOPBACKNET);
}

/* ---- bodies ---- */

bool api_peers_charge_body_memory(struct api_peers *p, struct api_seat *seat, size_t bytes)
{
    int64_t max = p->limits.body_bytes, n = (int64_t)bytes;
    bool ok = true;

    pthread_mutex_lock(&p->lock);
    if (max > 0 && seat->is_node)
        ok = p->body_bytes + n <= max;
    else if (max > 0)
        ok = p->body_bytes + n <= max / 4 * 3 && seat->peer->body_bytes + n <= max / 2;
    if (ok) {
        p->body_bytes += n;
        seat->peer->body_bytes += n;
    }
    pthread_mutex_unlock(&p->lock);
    return ok;
}

void api_peers_release_body_memory(struct api_peers *p, struct api_seat *seat, size_t bytes)
{
    pthread_mutex_lock(&p->lock);
    p->body_bytes -= (int64_t)bytes;
    seat->peer->body_bytes -= (int64_t)bytes;
    pthread_mutex_unlock(&p->lock);
}
