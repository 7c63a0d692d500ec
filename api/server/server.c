/* The server's start and stop, and libmicrohttpd's callbacks. */
#include "api/server/server.h"
#include "api/server/access/auth.h"
#include "api/server/access/cors.h"
#include "api/server/access/kerberos.h"
#include "api/server/access/replay.h"

#include <arpa/inet.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "api/server/answer/send.h"
#include "api/server/answer/stream.h"
#include "api/server/conn.h"
#include "api/server/helper.h"
#include "api/server/listen.h"
#include "api/server/request/body.h"
#include "api/server/request/head.h"
#include "api/server/request/lifecycle.h"
#include "api/server/request/token.h"
#include "api/server/server_internal.h"
#include "base/cond.h"
#include "base/crypto/random.h"
#include "base/io/log.h"
#include "base/io/peer_key.h"

#define CONNECTIONS_DEFAULT 10000
#define IDLE_DEFAULT_S      120
#define HEAD_DEFAULT_MS     30000
#define WINDOW_DEFAULT_MS   10000
#define SKEW_DEFAULT_MS     300000
/* How far libmicrohttpd's limit, which it divides among its threads, lies above the configured one:
 * a connection shut down to make room stays open for another moment, and one that will be turned
 * away is accepted first. */
#define CONNECTIONS_SPARE (128 + THREADS_MAX)
#define DESCRIPTORS_OTHER (256 + CONNECTIONS_SPARE)
#define THREADS_MAX       64
#define HELPER_TICK_MS    1000
#define STOP_WAIT_MS      3000 /* most time for unfinished answers when the server stops */

/* ---- libmicrohttpd's callbacks ---- */

/* Hides the query, in the library's own copy @uri, from libmicrohttpd, which would store each
 * argument in the connection's memory although no handler reads them there. When they do not fit,
 * it loses the 431 answer that it has begun to send, and the connection hangs. */
static void hide_query_from_mhd(const char *uri)
{
    char *query = strchr(uri, '?');

    if (query)
        query[1] = '\0';
}

static void *begin_request(void *cls, const char *uri, struct MHD_Connection *connection)
{
    struct api_request *rq = api_request_new(cls, connection, uri);

    if (uri)
        hide_query_from_mhd(uri);
    if (rq->conn)
        api_conn_set_phase(rq->conn, API_PHASE_HEAD);
    return rq;
}

static enum MHD_Result send_answer(struct api_request *rq)
{
    enum api_state state = api_request_get_state(rq);

    base_assert(state == API_ST_ANSWERED || state == API_ST_ABORTED);
    if (rq->conn)
        api_conn_set_phase(rq->conn, API_PHASE_ANSWER);
    return state == API_ST_ANSWERED ? api_send_reply(rq) : api_send_stopping_error(rq);
}

static void run_handler(struct api_request *rq)
{
    rq->run = true;
    rq->handling_since_us = api_calls_now_us();
    if (api_request_check_settled_user(rq))
        rq->route->handler(rq, rq->server->user);
    if (api_request_get_state(rq) != API_ST_HANDLING)
        return;
    base_log_error("http", "%s %s: the handler neither answered nor parked", rq->method,
                   rq->uri.path);
    api_answer_error(rq, 500, "YarnRuntimeException", "No answer");
}

/* Runs the handler, unless it has run or the request is answered, and sends the answer. A parked
 * request is suspended; MHD calls advance_request() again after the request's answer, or when its
 * handler may run. */
static enum MHD_Result run_until_sent_or_suspended(struct api_request *rq)
{
    for (;;) {
        enum api_state state = api_request_get_state(rq);

        if (state == API_ST_HANDLING)
            run_handler(rq);
        else if (state != API_ST_PARKING)
            return send_answer(rq);
        else if (api_request_suspend_if_unanswered(rq))
            return MHD_YES; /* @rq may be freed already */
    }
}

/* Called once, when the request is complete. */
static enum MHD_Result handle_and_send(struct api_request *rq)
{
    struct api_server *s = rq->server;

    rq->handled = true;
    if (rq->conn)
        api_conn_set_phase(rq->conn, API_PHASE_BUSY);
    if (rq->state != API_ST_ANSWERED && api_request_check_body_complete(rq) &&
        (!s->prepare || !s->prepare(rq, s->user)))
        run_handler(rq);
    return run_until_sent_or_suspended(rq);
}

/* Begins the body's phase, and marks the connection as no longer silent. */
static void begin_body_phase(struct api_request *rq)
{
    struct api_conn *conn = rq->conn;

    if (!conn)
        return;
    if (!conn->spoke)
        api_peers_mark_spoken(rq->server->peers, &conn->seat);
    conn->spoke = true;
    api_conn_set_phase(conn, API_PHASE_BODY);
}

/* Returns true when the client asks before it sends the body, or when the body is a long one. */
static bool is_body_better_refused(const struct api_request *rq)
{
    const char *length = api_header(rq, "Content-Length");

    return api_header(rq, "Expect") || (length && strtoull(length, NULL, 10) > API_DRAIN_MAX);
}

/* MHD calls this after the headers, for every piece of the body, after the last piece, and again
 * after each resume. */
static enum MHD_Result advance_request(void *cls, struct MHD_Connection *connection,
                                       const char *url, const char *method, const char *version,
                                       const char *data, size_t *size, void **context)
{
    struct api_request *rq = *context;

    (void)cls;
    (void)connection;
    (void)url;
    (void)version;
    if (!rq)
        return MHD_NO;
    if (!rq->begun) {
        begin_body_phase(rq);
        api_request_handle_head(rq, method);
        /* Answering an error now spares the client from sending a long body, but the connection has
         * to be closed; a short body is better read and dropped. */
        if (rq->state == API_ST_ANSWERED && is_body_better_refused(rq)) {
            rq->close = true;
            return api_send_reply(rq);
        }
        return MHD_YES;
    }
    if (*size > 0) {
        bool ok = api_request_add_body_piece(rq, data, *size);

        *size = 0;
        return ok ? MHD_YES : MHD_NO;
    }
    return rq->handled ? run_until_sent_or_suspended(rq) : handle_and_send(rq);
}

static void end_request(void *cls, struct MHD_Connection *connection, void **context,
                        enum MHD_RequestTerminationCode why)
{
    struct api_request *rq = *context;

    (void)cls;
    (void)connection;
    (void)why;
    *context = NULL;
    if (rq && rq->conn)
        api_tls_uncork(&rq->conn->tls);
    if (rq)
        api_request_end(rq);
}

static gnutls_session_t get_tls_session(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);

    return info->tls_session;
}

static void end_tls(struct MHD_Connection *connection, struct api_conn *conn)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    char peer[64];

    base_format_peer(info ? info->client_addr : NULL, peer, sizeof peer);
    api_tls_end(&conn->tls, peer, conn->spoke);
}

/* libmicrohttpd wants a source of certificates; it is never asked, since api_tls_begin() gives each
 * session credentials of its own. */
static int refuse_certificate(gnutls_session_t session, const gnutls_datum_t *authorities, int n,
                              const gnutls_pk_algorithm_t *algorithms, int algorithms_n,
                              gnutls_pcert_st **certificates, unsigned *certificates_n,
                              gnutls_privkey_t *key)
{
    (void)session;
    (void)authorities;
    (void)n;
    (void)algorithms;
    (void)algorithms_n;
    (void)certificates;
    (void)certificates_n;
    (void)key;
    return -1;
}

static void read_local_address(struct api_conn *conn)
{
    struct sockaddr_storage a;
    socklen_t len = sizeof a;
    bool known = getsockname(conn->fd, (struct sockaddr *)&a, &len) == 0;

    base_format_peer(known ? (struct sockaddr *)&a : NULL, conn->local, sizeof conn->local);
    conn->local_port = api_get_port(known ? (struct sockaddr *)&a : NULL);
}

/* MHD calls this when a connection begins, and when it ends. */
static void seat_or_unseat_connection(void *cls, struct MHD_Connection *connection, void **context,
                                      enum MHD_ConnectionNotificationCode what)
{
    struct api_server *s = cls;
    struct api_conn *conn = *context;

    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *fd =
            MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        const union MHD_ConnectionInfo *info;
        const struct sockaddr *from;

        conn = base_alloc(sizeof *conn);
        conn->fd = fd->connect_fd;
        api_conn_set_phase(conn, API_PHASE_HEAD);
        *context = conn;
        if (s->tls)
            api_tls_begin(s->tls, &conn->tls, get_tls_session(connection), conn->fd);
        info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
        from = info ? info->client_addr : NULL;
        base_format_peer(from, conn->address, sizeof conn->address);
        read_local_address(conn);
        api_peers_seat_connection(s->peers, &conn->seat, from, conn->fd, api_mono_ms());
        pthread_mutex_lock(&s->lock);
        api_link_add(&s->conns, &conn->link);
        s->n_conns++;
        pthread_mutex_unlock(&s->lock);
        return;
    }
    if (!conn)
        return;
    pthread_mutex_lock(&s->lock);
    api_link_remove(&conn->link);
    s->n_conns--;
    pthread_mutex_unlock(&s->lock);
    api_peers_unseat_connection(s->peers, &conn->seat, api_mono_ms());
    if (s->tls)
        end_tls(connection, conn);
    *context = NULL;
    free(conn);
}

static void log_library_message(void *cls, const char *fmt, va_list ap)
{
    char line[512];
    size_t n;

    (void)cls;
    vsnprintf(line, sizeof line, fmt, ap);
    n = strlen(line);
    while (n > 0 && line[n - 1] == '\n')
        line[--n] = '\0';
    base_log_debug("http", "%s", line); /* mostly about clients that disconnected */
}

static unsigned choose_thread_count(unsigned wanted)
{
    cpu_set_t set;

    if (wanted == 0)
        wanted = sched_getaffinity(0, sizeof set, &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
    return wanted > THREADS_MAX ? THREADS_MAX : wanted ? wanted : 1;
}

/* Raises the process's limit of descriptors to what @connections need. Returns the number of
 * connections for which the descriptors suffice; beyond that number accept() would fail before any
 * limit of the server is reached. */
static unsigned raise_descriptor_limit(unsigned connections)
{
    struct rlimit limit;
    rlim_t wanted = (rlim_t)connections + DESCRIPTORS_OTHER;

    if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= wanted)
        return connections;
    limit.rlim_cur = wanted < limit.rlim_max ? wanted : limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur >= wanted)
        return connections;
    wanted = limit.rlim_cur > 2 * DESCRIPTORS_OTHER ? limit.rlim_cur - DESCRIPTORS_OTHER
                                                    : limit.rlim_cur / 2;
    base_log_warn("http", "%u connections instead of %u: only %llu descriptors", (unsigned)wanted,
                  connections, (unsigned long long)limit.rlim_cur);
    return (unsigned)wanted;
}

/* Turns connections away when a limit is reached, and while the server stops. (MHD_quiesce_daemon()
 * would race with the server's threads and abort the process.) */
static enum MHD_Result may_accept_connection(void *cls, const struct sockaddr *addr, socklen_t len)
{
    struct api_server *s = cls;

    (void)len;
    if (atomic_load(&s->stopping))
        return MHD_NO;
    if (api_peers_have_room_for(s->peers, addr, api_mono_ms()))
        return MHD_YES;
    atomic_fetch_add(&s->turned_away, 1);
    return MHD_NO;
}

void *api_server_take_seat(void *server, const struct sockaddr *from, int fd)
{
    struct api_server *s = server;
    struct api_seat *seat;

    if (!api_peers_have_room_for(s->peers, from, api_mono_ms())) {
        atomic_fetch_add(&s->turned_away, 1);
        return NULL;
    }
    seat = base_alloc(sizeof *seat);
    api_peers_seat_connection(s->peers, seat, from, fd, api_mono_ms());
    return seat;
}

void api_server_mark_seat_spoken(void *server, void *seat)
{
    api_peers_mark_spoken(((struct api_server *)server)->peers, seat);
}

void api_server_give_back_seat(void *server, void *seat)
{
    api_peers_unseat_connection(((struct api_server *)server)->peers, seat, api_mono_ms());
    free(seat);
}

const char *api_server_count_call(void *server, void *seat, const char *caller)
{
    struct api_server *s = server;
    const struct in6_addr *address = api_peers_get_address(seat);
    int64_t now_us = api_mono_ms() * 1000;

    if (address && !api_peers_is_loopback(address) &&
        !api_rate_take(s->by_address, address, sizeof *address, now_us))
        return "creel.http.requests-per-address";
    if (caller && !api_rate_take(s->by_user, caller, strlen(caller), now_us))
        return "creel.http.requests-per-user";
    return NULL;
}

static void create_peers_with_limits(struct api_server *s, const struct api_server_conf *conf,
                                     unsigned connections)
{
    unsigned asked = conf->connections_max ? conf->connections_max : CONNECTIONS_DEFAULT;
    struct api_peer_limits limits = {.connections = connections,
                                     .per_address = conf->connections_per_address,
                                     .for_nodes = conf->connections_for_nodes,
                                     .body_bytes = conf->body_memory};

    if (connections < asked) { /* too few descriptors: lower the shares in proportion */
        limits.per_address = (unsigned)((uint64_t)limits.per_address * connections / asked);
        limits.for_nodes = (unsigned)((uint64_t)limits.for_nodes * connections / asked);
        if (conf->connections_per_address && limits.per_address == 0)
            limits.per_address = 1;
    }
    s->peers = api_peers_new(&limits);
}

static int start_mhd(struct api_server *s, const struct api_server_conf *conf,
                     struct base_error *err)
{
    unsigned threads = choose_thread_count(conf->threads);
    unsigned connections = conf->connections_max ? conf->connections_max : CONNECTIONS_DEFAULT;
    unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_TURBO |
                     MHD_USE_ITC | MHD_USE_ERROR_LOG;
    struct MHD_OptionItem more[4];
    size_t n = 0;

    if (threads > 1)
        more[n++] = (struct MHD_OptionItem){MHD_OPTION_THREAD_POOL_SIZE, (intptr_t)threads, NULL};
    if (s->tls) {
        flags |= MHD_USE_TLS;
        more[n++] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_PRIORITIES, 0,
                                            (char *)(uintptr_t)API_TLS_PRIORITIES};
        more[n++] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_CERT_CALLBACK, 0,
                                            (void *)(uintptr_t)refuse_certificate};
    }
    more[n] = (struct MHD_OptionItem){MHD_OPTION_END, 0, NULL};
    connections = raise_descriptor_limit(connections);
    create_peers_with_limits(s, conf, connections);
    s->mhd = MHD_start_daemon(
        flags, 0, may_accept_connection, s, advance_request, s, MHD_OPTION_EXTERNAL_LOGGER,
        log_library_message, NULL, MHD_OPTION_LISTEN_SOCKET, s->listen_fd, MHD_OPTION_ARRAY, more,
        MHD_OPTION_CONNECTION_LIMIT, connections + CONNECTIONS_SPARE, MHD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)(s->idle_timeout_ms / 1000), MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)API_CONNECTION_MEMORY, MHD_OPTION_URI_LOG_CALLBACK, begin_request, s,
        MHD_OPTION_NOTIFY_COMPLETED, end_request, s, MHD_OPTION_NOTIFY_CONNECTION,
        seat_or_unseat_connection, s, MHD_OPTION_END);
    s->listen_fd = -1; /* owned by libmicrohttpd, which closes it even when it does not start */
    if (!s->mhd)
        return base_error_sys(err, -BASE_EIO, errno, "the HTTP server did not start");
    return 0;
}

static void free_server(struct api_server *s)
{
    if (s->listen_fd >= 0)
        close(s->listen_fd);
    api_router_free(s->router);
    api_calls_free(s->calls);
    pthread_cond_destroy(&s->wake);
    pthread_mutex_destroy(&s->lock);
    base_keyring_unref(s->keys);
    api_replay_free(s->replay);
    api_replay_free(s->replay_of_containers);
    free(s->static_user);
    api_hosts_free(s->hosts);
    api_auth_unref(s->auth);
    api_cors_unref(s->cors);
    api_kerberos_unref(s->kerberos);
    api_tls_unref(s->tls);
    api_peers_free(s->peers);
    api_rate_free(s->by_address);
    api_rate_free(s->by_user);
    free(s);
}

static struct api_server *new_server(const struct api_server_conf *conf, void *user)
{
    struct api_server *s = base_alloc(sizeof *s);

    s->user = user;
    s->listen_fd = -1;
    s->keys = base_keyring_ref(conf->keys);
    s->max_skew_ms = conf->max_skew_ms > 0 ? conf->max_skew_ms : SKEW_DEFAULT_MS;
    s->replay = conf->keys ? api_replay_new(s->max_skew_ms, 0) : NULL;
    s->replay_of_containers = conf->keys ? api_replay_new(s->max_skew_ms, 0) : NULL;
    base_random_hex(s->start_id);
    s->trusts_daemons = conf->trusts_daemons;
    s->find_key = conf->find_key;
    s->static_user = base_strdup(conf->static_user);
    s->auth = api_auth_ref(conf->auth);
    s->cors = api_cors_ref(conf->cors);
    s->kerberos = api_kerberos_ref(conf->kerberos);
    s->tls = api_tls_ref(conf->tls);
    s->reads_do_as = conf->reads_do_as && conf->auth;
    s->method = conf->method;
    s->check_token = conf->check_token;
    s->hosts = conf->hosts ? api_hosts_copy(conf->hosts) : api_hosts_new();
    if (conf->bind)
        api_hosts_add_addresses(s->hosts, conf->bind);
    s->gate = conf->gate;
    s->prepare = conf->prepare;
    s->on_answer = conf->on_answer;
    s->answer_login_needed = conf->answer_login_needed;
    s->idle_timeout_ms =
        (int64_t)(conf->idle_timeout_s ? conf->idle_timeout_s : IDLE_DEFAULT_S) * 1000;
    s->head_timeout_ms = conf->head_timeout_ms ? conf->head_timeout_ms : HEAD_DEFAULT_MS;
    s->body_window_ms = conf->body_window_ms ? conf->body_window_ms : WINDOW_DEFAULT_MS;
    s->body_rate = conf->body_rate;
    s->answer_rate = conf->answer_rate;
    s->by_address = conf->requests_per_address ? api_rate_new(conf->requests_per_address) : NULL;
    s->by_user = conf->requests_per_user ? api_rate_new(conf->requests_per_user) : NULL;
    s->tick_ms = s->body_window_ms < HELPER_TICK_MS ? s->body_window_ms : HELPER_TICK_MS;
    api_link_init(&s->conns);
    api_link_init(&s->parked);
    api_link_init(&s->aborted);
    api_link_init(&s->waiting);
    pthread_mutex_init(&s->lock, NULL);
    base_cond_init(&s->wake);
    return s;
}

int api_server_start(const struct api_server_conf *conf, const struct api_route *routes, size_t n,
                     void *user, struct api_server **out, struct base_error *err)
{
    struct api_server *s = new_server(conf, user);
    int rc;

    s->routes = routes;
    s->n_routes = n;
    s->calls = api_calls_new(routes, n);
    s->listen_fd = conf->listener > 0 ? conf->listener : -1;
    rc = api_router_new(routes, n, &s->router, err);
    if (rc == 0 && s->listen_fd < 0)
        rc = s->listen_fd = api_open_listener(conf, err);
    if (rc >= 0)
        rc = api_listen_get_address(s->listen_fd, &s->port, &s->on_loopback, err);
    if (rc < 0)
        goto fail;
    rc = api_helper_start(s, err);
    if (rc < 0)
        goto fail;
    rc = start_mhd(s, conf, err);
    if (rc < 0)
        goto stop_helper;
    *out = s;
    return 0;

stop_helper:
    pthread_mutex_lock(&s->lock);
    api_helper_request_stop(s);
    pthread_mutex_unlock(&s->lock);
    api_helper_join(s);
fail:
    free_server(s);
    return rc;
}

uint16_t api_server_port(const struct api_server *s)
{
    return s->port;
}

/* ---- stop ---- */

void api_server_stop_begin(struct api_server *s)
{
    bool first;

    pthread_mutex_lock(&s->lock);
    first = !atomic_exchange(&s->stopping, true);
    pthread_mutex_unlock(&s->lock);
    if (!first)
        return;
    pthread_mutex_lock(&s->lock);
    api_helper_request_stop(s);
    api_streams_resume_due(s, INT64_MAX);
    api_requests_abort_all_parked(s);
    api_helper_shut_down_idle_connections(s);
    pthread_mutex_unlock(&s->lock);
}

/* Waits without a limit for threads inside MHD_resume_connection(), since libmicrohttpd aborts the
 * process when it is stopped with suspended connections; waits for answers under way for at most
 * STOP_WAIT_MS. */
void api_server_stop(struct api_server *s)
{
    int64_t until = api_mono_ms() + STOP_WAIT_MS;

    if (!s)
        return;
    api_server_stop_begin(s);
    pthread_mutex_lock(&s->lock);
    while (s->resuming > 0 || (s->n_requests > 0 && api_mono_ms() < until))
        base_cond_wait_until(
            &s->wake, &s->lock,
            (s->resuming > 0 && api_mono_ms() >= until ? api_mono_ms() + 10 : until) * 1000);
    pthread_mutex_unlock(&s->lock);
    api_helper_join(s);
    MHD_stop_daemon(s->mhd);
    api_requests_free_unanswered(s);
    free_server(s);
}
