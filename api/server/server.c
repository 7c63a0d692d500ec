/* The server: sockets, libmicrohttpd's callbacks, parking, the helper thread, the stop. */
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "api/server/server_internal.h"
#include "base/cond.h"
#include "base/io/log.h"

#define CONNECTIONS_DEFAULT 10000
#define IDLE_DEFAULT_S      120
#define HEAD_DEFAULT_MS     30000
#define WINDOW_DEFAULT_MS   10000
/* How far libmicrohttpd's limit, which is divided among its threads, lies above ours: a connection
 * that gave way stays open for another moment, and one that is turned away is accepted first. */
#define CONNECTIONS_SPARE (128 + THREADS_MAX)
#define DESCRIPTORS_OTHER (256 + CONNECTIONS_SPARE)
#define THREADS_MAX       64
#define HELPER_TICK_MS    1000
#define STOP_WAIT_MS      3000 /* for unfinished answers when the server stops */

int64_t api_read_mono_ms(void)
{
    return base_cond_now_us() / 1000;
}

bool api_fd_is_closed_by_peer(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLRDHUP};

    return fd < 0 ||
           (poll(&p, 1, 0) > 0 && (p.revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL)));
}

/* ---- parking ---- */

void api_park(struct api_request *rq)
{
    pthread_mutex_lock(&rq->server->lock);
    base_assert(rq->state == API_ST_HANDLING);
    rq->state = API_ST_PARKING;
    pthread_mutex_unlock(&rq->server->lock);
}

/* Tells whether the connection was reset. A client that closed only its sending side still
 * reads. */
static bool connection_is_reset(int fd)
{
    struct pollfd p = {.fd = fd, .events = 0};

    return fd < 0 || (poll(&p, 1, 0) > 0 && (p.revents & (POLLHUP | POLLERR | POLLNVAL)));
}

bool api_client_is_gone(const struct api_request *rq)
{
    struct api_server *s = rq->server;
    bool gone;

    pthread_mutex_lock(&s->lock); /* the descriptor stays open while the request is not ABORTED */
    gone = rq->state == API_ST_ABORTED || !rq->conn || connection_is_reset(rq->conn->fd);
    pthread_mutex_unlock(&s->lock);
    return gone;
}

/* Moves a request from PARKED to ABORTED. Called with the lock held, which it releases for a
 * moment. */
static void abort_parked(struct api_server *s, struct api_request *rq)
{
    struct MHD_Connection *connection = rq->connection;

    rq->state = API_ST_ABORTED;
    api_link_remove(&rq->parked);
    api_link_add(&s->aborted, &rq->parked);
    s->resuming++;
    pthread_mutex_unlock(&s->lock);
    MHD_resume_connection(connection);
    pthread_mutex_lock(&s->lock);
    s->resuming--;
}

/* Called when the handler has returned without an answer so far. Returns true when the request was
 * suspended and MHD will call again, false when it was answered meanwhile. */
static bool suspend_if_unanswered(struct api_request *rq)
{
    struct api_server *s = rq->server;
    bool suspended = false;

    pthread_mutex_lock(&s->lock);
    base_assert(rq->state == API_ST_PARKING || rq->state == API_ST_ANSWERED);
    if (rq->state == API_ST_PARKING) {
        MHD_suspend_connection(rq->connection);
        rq->state = API_ST_PARKED;
        api_link_add(&s->parked, &rq->parked);
        suspended = true;
        if (atomic_load(&s->stopping))
            abort_parked(s, rq);
    }
    pthread_mutex_unlock(&s->lock);
    return suspended;
}

/* ---- streams that wait ---- */

bool api_stream_suspend(struct api_stream *st)
{
    struct api_server *s = st->server;
    bool waits = false;

    pthread_mutex_lock(&s->lock);
    if (!atomic_load(&s->stopping)) {
        MHD_suspend_connection(st->connection);
        st->wait_ms = st->wait_ms == 0                           ? API_STREAM_POLL_FIRST_MS
                      : st->wait_ms * 2 > API_STREAM_POLL_MAX_MS ? API_STREAM_POLL_MAX_MS
                                                                 : st->wait_ms * 2;
        st->wake_at_ms = api_read_mono_ms() + st->wait_ms;
        if (st->wake_at_ms < s->helper_wakes_ms)
            pthread_cond_broadcast(&s->wake);
        api_link_add(&s->waiting, &st->link);
        waits = true;
    }
    pthread_mutex_unlock(&s->lock);
    return waits;
}

/* Resumes the streams whose wait is over at @now. Called with the lock held, which is safe because
 * MHD calls nothing of ours from MHD_resume_connection(). Returns when the next wait ends,
 * INT64_MAX without any. */
static int64_t resume_due_streams(struct api_server *s, int64_t now)
{
    int64_t next = INT64_MAX;

    for (struct api_link *l = s->waiting.next, *after; l != &s->waiting; l = after) {
        struct api_stream *st = (struct api_stream *)(void *)l;

        after = l->next;
        if (st->wake_at_ms <= now) {
            api_link_remove(&st->link);
            MHD_resume_connection(st->connection);
        } else if (st->wake_at_ms < next) {
            next = st->wake_at_ms;
        }
    }
    return next;
}

/* Tells whether bytes have arrived that we have not read yet: then we are the slow side. */
static bool has_unread_bytes(int fd)
{
    int n = 0;

    return ioctl(fd, FIONREAD, &n) == 0 && n > 0;
}

static bool connection_is_late(struct api_server *s, struct api_conn *conn, int64_t now)
{
    enum api_phase phase = (enum api_phase)atomic_load(&conn->phase);
    int64_t since = atomic_load(&conn->since_ms);

    switch (phase) {
    case API_PHASE_HEAD:
        return now - since > s->head_timeout_ms;
    case API_PHASE_BODY:
        return s->body_rate > 0 &&
               api_pace_is_late(&conn->pace, since, atomic_load(&conn->received), now,
                                s->body_window_ms, s->body_rate);
    /* libmicrohttpd's own time-out sees silence; this one also sees a client that sends a byte of a
     * request line now and then */
    case API_PHASE_IDLE:
        return now - since > 2 * s->idle_timeout_ms;
    case API_PHASE_BUSY:
        break;
    }
    return false;
}

/* Shuts down connections that are kept but not used. Called with the lock held. */
static void shut_down_late_connections(struct api_server *s, int64_t now)
{
    for (struct api_link *l = s->conns.next; l != &s->conns; l = l->next) {
        struct api_conn *conn = (struct api_conn *)(void *)l;

        if (connection_is_late(s, conn, now) && !has_unread_bytes(conn->fd))
            /* the descriptor is open as long as the connection is listed */
            shutdown(conn->fd, SHUT_RDWR);
    }
}

/* Shuts down all connections without a whole request, when the server stops. */
static void shut_down_idle_connections(struct api_server *s)
{
    for (struct api_link *l = s->conns.next; l != &s->conns; l = l->next) {
        struct api_conn *conn = (struct api_conn *)(void *)l;

        if (atomic_load(&conn->phase) != API_PHASE_BUSY)
            shutdown(conn->fd, SHUT_RDWR);
    }
}

void api_conn_set_phase(struct api_conn *conn, enum api_phase phase)
{
    atomic_store(&conn->since_ms, api_read_mono_ms());
    atomic_store(&conn->phase, phase);
}

static void *helper_main(void *p)
{
    struct api_server *s = p;
    int64_t next_cut = api_read_mono_ms() + s->tick_ms;

    pthread_setname_np(pthread_self(), "http-helper");
    pthread_mutex_lock(&s->lock);
    while (!s->helper_stop) {
        int64_t now = api_read_mono_ms(), next_stream = resume_due_streams(s, now);

        if (now >= next_cut) {
            shut_down_late_connections(s, now);
            next_cut = now + s->tick_ms;
        }
        s->helper_wakes_ms = next_stream < next_cut ? next_stream : next_cut;
        base_cond_wait_until(&s->wake, &s->lock, s->helper_wakes_ms * 1000);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* ---- libmicrohttpd's callbacks ---- */

static void *on_uri(void *cls, const char *uri, struct MHD_Connection *connection)
{
    struct api_request *rq = api_request_new(cls, connection, uri);

    if (rq->conn)
        api_conn_set_phase(rq->conn, API_PHASE_HEAD);
    return rq;
}

static enum MHD_Result send_answer(struct api_request *rq)
{
    struct api_server *s = rq->server;
    enum api_state state;

    pthread_mutex_lock(&s->lock);
    state = rq->state;
    pthread_mutex_unlock(&s->lock);
    base_assert(state == API_ST_ANSWERED || state == API_ST_ABORTED);
    return state == API_ST_ANSWERED ? api_reply_send(rq) : api_reply_send_stopping_error(rq);
}

static enum MHD_Result finish_and_handle(struct api_request *rq)
{
    struct api_server *s = rq->server;
    enum api_state state;

    api_request_finish_body(rq);
    pthread_mutex_lock(&s->lock);
    state = rq->state;
    pthread_mutex_unlock(&s->lock);
    if (state == API_ST_HANDLING) {
        base_log_error("http", "%s %s: the handler neither answered nor parked", rq->method,
                       rq->uri.path);
        api_answer_error(rq, 500, "YarnRuntimeException", "No answer");
    }
    if (state == API_ST_PARKING && suspend_if_unanswered(rq))
        return MHD_YES; /* @rq may be freed already */
    return send_answer(rq);
}

static void note_head_arrived(struct api_request *rq)
{
    struct api_conn *conn = rq->conn;

    if (!conn)
        return;
    if (!conn->spoke)
        api_peers_mark_spoken(rq->server->peers, &conn->seat);
    conn->spoke = true;
    api_conn_set_phase(conn, API_PHASE_BODY);
}

/* MHD calls this after the headers, for every piece of the body, when the whole body is there, and
 * again after each resume. */
static enum MHD_Result on_access(void *cls, struct MHD_Connection *connection, const char *url,
                                 const char *method, const char *version, const char *data,
                                 size_t *size, void **context)
{
    struct api_request *rq = *context;

    (void)cls;
    (void)connection;
    (void)url;
    (void)version;
    if (!rq)
        return MHD_NO;
    if (!rq->begun) {
        const char *expect = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Expect");
        const char *length =
            MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Content-Length");

        note_head_arrived(rq);
        api_request_handle_head(rq, method);
        /* An error that is known now spares the client its body, at the price of the connection; a
         * short body is better read and dropped. */
        if (rq->state == API_ST_ANSWERED &&
            (expect || (length && strtoull(length, NULL, 10) > API_DRAIN_MAX))) {
            rq->close = true;
            return api_reply_send(rq);
        }
        return MHD_YES;
    }
    if (*size > 0) {
        bool ok = api_request_add_body_piece(rq, data, *size);

        *size = 0;
        return ok ? MHD_YES : MHD_NO;
    }
    return rq->handled ? send_answer(rq) : finish_and_handle(rq);
}

static void on_completed(void *cls, struct MHD_Connection *connection, void **context,
                         enum MHD_RequestTerminationCode why)
{
    struct api_server *s = cls;
    struct api_request *rq = *context;
    bool owed;

    (void)connection;
    (void)why;
    *context = NULL;
    if (!rq)
        return;
    api_request_release_body_memory(rq);
    if (rq->conn)
        api_conn_set_phase(rq->conn, API_PHASE_IDLE);
    pthread_mutex_lock(&s->lock);
    owed = rq->state == API_ST_ABORTED && !rq->late_answer;
    if (rq->state == API_ST_ABORTED) {
        rq->completed = true;
        rq->conn = NULL;
        if (!owed)
            api_link_remove(&rq->parked);
    }
    if (--s->n_requests == 0 && atomic_load(&s->stopping))
        pthread_cond_broadcast(&s->wake);
    pthread_mutex_unlock(&s->lock);
    if (!owed)
        api_request_free(rq);
}

static void on_connection(void *cls, struct MHD_Connection *connection, void **context,
                          enum MHD_ConnectionNotificationCode what)
{
    struct api_server *s = cls;
    struct api_conn *conn = *context;

    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *fd =
            MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        const union MHD_ConnectionInfo *address;

        conn = base_alloc(sizeof *conn);
        conn->fd = fd->connect_fd;
        api_conn_set_phase(conn, API_PHASE_HEAD);
        *context = conn;
        address = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
        api_peers_seat_connection(s->peers, &conn->seat, address ? address->client_addr : NULL,
                                  conn->fd, api_read_mono_ms());
        pthread_mutex_lock(&s->lock);
        api_link_add(&s->conns, &conn->link);
        pthread_mutex_unlock(&s->lock);
        return;
    }
    if (!conn)
        return;
    pthread_mutex_lock(&s->lock);
    api_link_remove(&conn->link);
    pthread_mutex_unlock(&s->lock);
    api_peers_unseat_connection(s->peers, &conn->seat, api_read_mono_ms());
    *context = NULL;
    free(conn);
}

static void on_log(void *cls, const char *fmt, va_list ap)
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

/* ---- start ---- */

static bool is_loopback(const struct sockaddr *a)
{
    if (a->sa_family == AF_INET)
        return ntohl(((const struct sockaddr_in *)(const void *)a)->sin_addr.s_addr) >> 24 == 127;
    if (a->sa_family == AF_INET6)
        return IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)(const void *)a)->sin6_addr);
    return false;
}

#define BIND_TRIES   100
#define BIND_WAIT_MS 20

/* Retries a busy address for a while: a killed daemon keeps its address until its last thread is
 * gone, so that it can be restarted at once. */
static int bind_patiently(int fd, const struct addrinfo *ai)
{
    for (int i = 0; i < BIND_TRIES; i++) {
        if (bind(fd, ai->ai_addr, ai->ai_addrlen) == 0)
            return 0;
        if (errno != EADDRINUSE)
            return -1;
        nanosleep(&(struct timespec){.tv_nsec = BIND_WAIT_MS * 1000000}, NULL);
    }
    errno = EADDRINUSE;
    return -1;
}

static int open_listening_socket(const struct addrinfo *ai, const struct api_server_conf *conf,
                                 struct base_error *err)
{
    int fd = socket(ai->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), on = 1;

    if (fd < 0)
        return base_error_sys(err, -BASE_EIO, errno, "socket for %s", conf->bind);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    /* inherited by connections: an answer is sent as soon as it is written */
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (bind_patiently(fd, ai) < 0 || listen(fd, 1024) < 0) {
        int saved = errno;

        close(fd);
        return base_error_sys(err, -BASE_EIO, saved, "cannot listen on %s port %u", conf->bind,
                              conf->port);
    }
    return fd;
}

int api_open_listener(const struct api_server_conf *conf, struct base_error *err)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV},
                    *ai = NULL;
    const char *host = conf->bind ? conf->bind : "127.0.0.1";
    char text[8];
    int rc, fd;

    snprintf(text, sizeof text, "%u", conf->port);
    rc = getaddrinfo(host, text, &hints, &ai);
    if (rc != 0) /* an unreachable name server may come back */
        return base_error_set(err, rc == EAI_AGAIN ? -BASE_EAGAIN : -BASE_EINVAL, "address %s: %s",
                              host, gai_strerror(rc));
    if (!conf->insecure && !is_loopback(ai->ai_addr)) {
        freeaddrinfo(ai);
        return base_error_set(
            err, -BASE_EPERM,
            "refusing to listen on %s: only loopback addresses are allowed while requests are not "
            "authenticated (--insecure lifts this)",
            host);
    }
    fd = open_listening_socket(ai, conf, err);
    freeaddrinfo(ai);
    return fd;
}

static int get_bound_port(int fd, uint16_t *port, struct base_error *err)
{
    struct sockaddr_storage bound;
    socklen_t len = sizeof bound;

    if (getsockname(fd, (struct sockaddr *)&bound, &len) < 0)
        return base_error_sys(err, -BASE_EIO, errno, "getsockname");
    *port = ntohs(bound.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)(void *)&bound)->sin6_port
                                              : ((struct sockaddr_in *)(void *)&bound)->sin_port);
    return 0;
}

static unsigned choose_thread_count(unsigned wanted)
{
    cpu_set_t set;

    if (wanted == 0)
        wanted = sched_getaffinity(0, sizeof set, &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
    return wanted > THREADS_MAX ? THREADS_MAX : wanted ? wanted : 1;
}

/* Raises the limit of descriptors to what @connections need. Returns how many connections are
 * possible: with more connections than descriptors, accept() would fail long before a limit is
 * reached. */
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

/* Accepts no connection while stopping. (MHD_quiesce_daemon() would race with the server's threads
 * and abort the process.) */
static enum MHD_Result on_connect(void *cls, const struct sockaddr *addr, socklen_t len)
{
    struct api_server *s = cls;

    (void)len;
    return !atomic_load(&s->stopping) && api_peers_have_room_for(s->peers, addr, api_read_mono_ms())
               ? MHD_YES
               : MHD_NO;
}

static void set_limits(struct api_server *s, const struct api_server_conf *conf,
                       unsigned connections)
{
    unsigned asked = conf->connections_max ? conf->connections_max : CONNECTIONS_DEFAULT;
    struct api_peer_limits limits = {.connections = connections,
                                     .per_address = conf->connections_per_address,
                                     .for_nodes = conf->connections_for_nodes,
                                     .body_bytes = conf->body_memory};

    if (connections < asked) { /* scale the shares too */
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
    struct MHD_OptionItem pool[] = {{MHD_OPTION_THREAD_POOL_SIZE, (intptr_t)threads, NULL},
                                    {MHD_OPTION_END, 0, NULL}};

    if (threads == 1)
        pool[0] = pool[1];
    connections = raise_descriptor_limit(connections);
    set_limits(s, conf, connections);
    s->mhd = MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME |
                                  MHD_USE_TURBO | MHD_USE_ITC | MHD_USE_ERROR_LOG,
                              0, on_connect, s, on_access, s, MHD_OPTION_EXTERNAL_LOGGER, on_log,
                              NULL, MHD_OPTION_LISTEN_SOCKET, s->listen_fd, MHD_OPTION_ARRAY, pool,
                              MHD_OPTION_CONNECTION_LIMIT, connections + CONNECTIONS_SPARE,
                              MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)(s->idle_timeout_ms / 1000),
                              MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)API_CONNECTION_MEMORY,
                              MHD_OPTION_URI_LOG_CALLBACK, on_uri, s, MHD_OPTION_NOTIFY_COMPLETED,
                              on_completed, s, MHD_OPTION_NOTIFY_CONNECTION, on_connection, s,
                              MHD_OPTION_END);
    s->listen_fd = -1; /* owned by libmicrohttpd, which closes it even when it does not start */
    if (!s->mhd)
        return base_error_sys(err, -BASE_EIO, errno, "the HTTP server did not start");
    return 0;
}

static void server_free(struct api_server *s)
{
    if (s->listen_fd >= 0)
        close(s->listen_fd);
    api_router_free(s->router);
    pthread_cond_destroy(&s->wake);
    pthread_mutex_destroy(&s->lock);
    free(s->node_secret);
    free(s->static_user);
    api_hosts_free(s->hosts);
    api_peers_free(s->peers);
    free(s);
}

static struct api_server *server_new(const struct api_server_conf *conf, void *user)
{
    struct api_server *s = base_alloc(sizeof *s);

    s->user = user;
    s->listen_fd = -1;
    s->node_secret =
        conf->node_secret && conf->node_secret[0] ? base_strdup(conf->node_secret) : NULL;
    s->static_user = base_strdup(conf->static_user);
    s->hosts = conf->hosts ? api_hosts_copy(conf->hosts) : api_hosts_new();
    if (conf->bind)
        api_hosts_add_addresses(s->hosts, conf->bind);
    s->gate = conf->gate;
    s->on_answer = conf->on_answer;
    s->idle_timeout_ms =
        (int64_t)(conf->idle_timeout_s ? conf->idle_timeout_s : IDLE_DEFAULT_S) * 1000;
    s->head_timeout_ms = conf->head_timeout_ms ? conf->head_timeout_ms : HEAD_DEFAULT_MS;
    s->body_window_ms = conf->body_window_ms ? conf->body_window_ms : WINDOW_DEFAULT_MS;
    s->body_rate = conf->body_rate;
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
    struct api_server *s = server_new(conf, user);
    int rc;

    s->listen_fd = conf->listener > 0 ? conf->listener : -1;
    rc = api_router_new(routes, n, &s->router, err);
    if (rc == 0 && s->listen_fd < 0)
        rc = s->listen_fd = api_open_listener(conf, err);
    if (rc >= 0)
        rc = get_bound_port(s->listen_fd, &s->port, err);
    if (rc < 0)
        goto fail;
    rc = pthread_create(&s->helper, NULL, helper_main, s);
    if (rc != 0) {
        rc = base_error_sys(err, -BASE_EIO, rc, "thread of the HTTP server");
        goto fail;
    }
    rc = start_mhd(s, conf, err);
    if (rc < 0)
        goto stop_helper;
    *out = s;
    return 0;

stop_helper:
    pthread_mutex_lock(&s->lock);
    s->helper_stop = true;
    pthread_cond_broadcast(&s->wake);
    pthread_mutex_unlock(&s->lock);
    pthread_join(s->helper, NULL);
fail:
    server_free(s);
    return rc;
}

uint16_t api_server_port(const struct api_server *s)
{
    return s->port;
}

/* ---- stop ---- */

/* Resumes everything that is suspended, to be answered 503 or ended. Called with the lock held. */
static void abort_all_parked(struct api_server *s)
{
    resume_due_streams(s, INT64_MAX);
    while (s->parked.next != &s->parked)
        abort_parked(s, (struct api_request *)(void *)s->parked.next);
}

void api_server_stop_begin(struct api_server *s)
{
    bool first;

    pthread_mutex_lock(&s->lock);
    first = !atomic_exchange(&s->stopping, true);
    pthread_mutex_unlock(&s->lock);
    if (!first)
        return;
    pthread_mutex_lock(&s->lock);
    s->helper_stop = true;
    pthread_cond_broadcast(&s->wake);
    abort_all_parked(s);
    shut_down_idle_connections(s);
    pthread_mutex_unlock(&s->lock);
}

/* Waits for threads inside MHD_resume_connection() without a limit, since libmicrohttpd aborts the
 * process when it is stopped with suspended connections, but only for a while for answers under
 * way. */
void api_server_stop(struct api_server *s)
{
    int64_t until = api_read_mono_ms() + STOP_WAIT_MS;

    if (!s)
        return;
    api_server_stop_begin(s);
    pthread_mutex_lock(&s->lock);
    while (s->resuming > 0 || (s->n_requests > 0 && api_read_mono_ms() < until))
        base_cond_wait_until(
            &s->wake, &s->lock,
            (s->resuming > 0 && api_read_mono_ms() >= until ? api_read_mono_ms() + 10 : until) *
                1000);
    pthread_mutex_unlock(&s->lock);
    pthread_join(s->helper, NULL);
    MHD_stop_daemon(s->mhd);
    while (s->aborted.next != &s->aborted) { /* requests that the daemon never answered */
        struct api_request *rq = (struct api_request *)(void *)s->aborted.next;

        api_link_remove(&rq->parked);
        api_request_free(rq);
    }
    server_free(s);
}
