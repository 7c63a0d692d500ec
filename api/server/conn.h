/* api/server/conn.h - one connection of the server: the phase of its request, and the state of its
 * socket. */
#ifndef CREEL_API_SERVER_CONN_H
#define CREEL_API_SERVER_CONN_H

#include <netinet/in.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "api/server/limits/pace.h"
#include "api/server/limits/peers.h"
#include "api/server/tls/tls.h"

/* The phase of a connection, and when it began. A thread of libmicrohttpd writes the time first,
 * then the phase; the helper reads them in the opposite order, so that it never sees a phase with
 * an older time. */
enum api_phase {
    /* a new connection waits for a request's head, or a request's head is being read */
    API_PHASE_HEAD,
    API_PHASE_BODY,   /* the head has come, the body is being read */
    API_PHASE_BUSY,   /* a whole request has arrived and is not answered */
    API_PHASE_ANSWER, /* the answer is being sent */
    API_PHASE_IDLE,   /* between two requests */
};
struct api_conn {
    struct api_link link; /* listed in server->conns */
    struct api_seat seat;
    struct api_tls_conn tls; /* zero when the server speaks plain HTTP */
    int fd;
    char address[INET6_ADDRSTRLEN]; /* the client's; "-" when it is unknown */
    char local[INET6_ADDRSTRLEN];   /* the server's, to which the client has connected; likewise */
    int local_port;                 /* likewise; -1: unknown */
    _Atomic int64_t since_ms;
    _Atomic int phase;         /* enum api_phase */
    _Atomic uint64_t received; /* body bytes of all its requests */
    /* a whole head has come; only the connection's thread uses this and the next member */
    bool spoke;
    int64_t node_marked_ms; /* when the connection was last marked as a node's; 0: never */
    struct api_pace pace;   /* only the helper uses it */
};

/* Returns the time of the monotonic clock in milliseconds, by which the server measures all
 * times. */
int64_t api_mono_ms(void);
/* Begins @phase now. Call on the connection's own thread only. */
void api_conn_set_phase(struct api_conn *conn, enum api_phase phase);
/* Returns the port of @a (NULL: unknown), or -1. */
int api_get_port(const struct sockaddr *a);
/* Returns true when the peer has closed the socket or its sending side, or @fd is negative. */
bool api_fd_is_closed_by_peer(int fd);
/* Returns true when the connection was reset or is closed in both directions, or @fd is negative. A
 * client that closed only its sending side still reads; its connection is not reset. */
bool api_fd_is_reset(int fd);

#endif
