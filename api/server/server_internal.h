/* api/server/server_internal.h - the server's own members. Only files of api/server include it.
 *
 * Stop: api_server_stop_begin() aborts all parked requests. api_server_stop() waits until no thread
 * is inside MHD_resume_connection() (`resuming`; libmicrohttpd aborts the process when it is
 * stopped with suspended connections), and a while for answers under way. It then joins the helper
 * and libmicrohttpd's threads, which completes every request; frees what is still in
 * server->aborted, the requests that the daemon never answered; and finally the server. A later
 * answer would use freed memory, which nothing here can detect: api/server/server.h says what the
 * caller of api_server_stop() has to ensure. */
#ifndef CREEL_API_SERVER_SERVER_INTERNAL_H
#define CREEL_API_SERVER_SERVER_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "api/server/access/signature.h"
#include "api/server/calls.h"
#include "api/server/hosts.h"
#include "api/server/limits/peers.h"
#include "api/server/limits/rate.h"
#include "api/server/route.h"
#include "api/server/server.h"
#include "base/io/log_limit.h"

struct MHD_Daemon;

/* Memory of one connection, for the request line, the headers and the head of the answer.
 * libmicrohttpd clears all of it between two requests, so a larger size costs time and, for each
 * connection, real memory. When the head of an answer does not fit, libmicrohttpd closes the
 * connection silently; so a request that leaves less than API_ANSWER_HEAD_MIN for that head is
 * refused. */
#define API_CONNECTION_MEMORY (18 * 1024)
#define API_ANSWER_HEAD_MIN   2048

struct api_server {
    struct MHD_Daemon *mhd;
    const struct api_route *routes; /* @n_routes of them, of the daemon */
    size_t n_routes;
    struct api_router *router;
    struct api_calls *calls;
    void *user;
    char *static_user;
    struct base_keyring *keys; /* NULL: none */
    /* NULL: none. Requests signed by containers have a table of their own, so that they cannot make
     * the server forget those of nodes */
    struct api_replay *replay, *replay_of_containers;
    char start_id[BASE_START_ID_MAX]; /* as old as these tables (base/crypto/signature.h) */
    int64_t max_skew_ms;
    api_find_key *find_key;
    struct api_hosts *hosts;
    struct api_auth *auth;         /* NULL: none */
    struct api_cors *cors;         /* NULL: none */
    struct api_kerberos *kerberos; /* NULL: none */
    struct api_tls *tls;           /* NULL: plain HTTP */
    bool reads_do_as, trusts_daemons;
    enum api_auth_method method;
    api_check_token *check_token;
    bool on_loopback; /* it listens on a loopback address */
    api_gate *gate;
    api_prepare *prepare;
    api_on_answer *on_answer;
    api_handler *answer_login_needed;
    int64_t idle_timeout_ms, head_timeout_ms, body_window_ms, body_rate,
        answer_rate; /* least bytes per second of a body and of an answer; 0: any */
    int64_t tick_ms; /* how often the helper looks for late connections */
    struct api_peers *peers;
    struct api_rate *by_address, *by_user; /* NULL: no limit */
    _Atomic int64_t turned_away;           /* connections, because a limit was reached */
    struct base_log_limit refusal_warnings, host_warnings, rate_warnings;
    uint16_t port;
    int listen_fd;

    pthread_mutex_t lock;
    pthread_cond_t wake; /* the helper thread and api_server_stop() wait for it; CLOCK_MONOTONIC */
    struct api_link conns, parked, aborted, waiting;
    unsigned n_conns;    /* in @conns */
    unsigned n_requests; /* requests alive within MHD */
    unsigned n_requests_max;
    unsigned n_parked, n_parked_max; /* in @parked */
    unsigned resuming; /* threads between a state change and the end of MHD_resume_connection() */
    atomic_bool stopping;
    bool helper_stop;
    int64_t helper_wakes_ms; /* when the helper wakes next */
    pthread_t helper;
};

#endif
