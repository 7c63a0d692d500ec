/* api/rpc/server.c - the server's thread: it waits for sockets and answers, accepts connections,
 * and closes those that are too slow. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "api/rpc/server_internal.h"
#include "base/io/log.h"
#include "base/io/peer_key.h"

#define EVENTS           64
#define TICK_MS          1000
#define LINES_PER_SECOND 10

int64_t api_rpc_now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Takes one of the lines that may be written in this second. */
static bool take_line(struct api_rpc_server *s)
{
    if (s->lines_left == 0) {
        s->lines_left_out++;
        return false;
    }
    s->lines_left--;
    return true;
}

void api_rpc_log_end(struct api_rpc_server *s, const char *peer, const char *why)
{
    if (take_line(s))
        base_log_warn("rpc", "connection of %s closed: %s", peer, why);
}

void api_rpc_log_bad_call(struct api_rpc_server *s, const char *peer, const char *why)
{
    if (take_line(s))
        base_log_warn("rpc", "a call of %s was refused: %s", peer, why);
}

static void begin_next_second(struct api_rpc_server *s)
{
    s->lines_left = LINES_PER_SECOND;
    if (s->lines_left_out)
        base_log_warn("rpc", "%u more lines about connections left out within a second",
                      s->lines_left_out);
    s->lines_left_out = 0;
}

/* ---- accepting ---- */

static const struct api_rpc_port *find_port(const struct api_rpc_server *s, const void *event_data)
{
    for (size_t i = 0; i < s->conf.ports_n; i++)
        if (event_data == &s->conf.ports[i])
            return &s->conf.ports[i];
    return NULL;
}

/* Waits for connections, or no longer. */
static void watch_listeners(struct api_rpc_server *s, bool accepts)
{
    for (size_t i = 0; i < s->conf.ports_n; i++) {
        struct epoll_event ev = {.events = accepts ? EPOLLIN : 0, .data.ptr = &s->conf.ports[i]};

        epoll_ctl(s->epoll, EPOLL_CTL_MOD, s->conf.ports[i].listener, &ev);
    }
    s->accepts = accepts;
}

/* Takes an accepted socket, or closes it when a limit is reached. */
static void add_connection(struct api_rpc_server *s, const struct api_rpc_port *port, int fd,
                           const struct sockaddr *from, const char *peer)
{
    const struct api_rpc_seats *seats = &s->conf.seats;
    void *seat = NULL;

    if (s->conns_n >= s->conf.connections_max)
        api_rpc_log_end(s, peer, "there are creel.rpc.connections already");
    else if (seats->take && !(seat = seats->take(seats->user, from, fd)))
        api_rpc_log_end(s, peer, "creel.http.connections or its share per address is used up");
    else {
        api_rpc_conn_new(s, port, fd, from, peer, seat);
        return;
    }
    close(fd);
}

static void accept_connections(struct api_rpc_server *s, const struct api_rpc_port *port)
{
    for (int i = 0; i < EVENTS; i++) {
        struct sockaddr_storage from;
        socklen_t len = sizeof from;
        char peer[INET6_ADDRSTRLEN];
        int fd =
            accept4(port->listener, (struct sockaddr *)&from, &len, SOCK_NONBLOCK | SOCK_CLOEXEC);

        if (fd < 0) {
            /* Out of descriptors or memory: asking again at once would only keep a core busy. */
            if (errno != EAGAIN && errno != ECONNABORTED && errno != EINTR)
                watch_listeners(s, false);
            return;
        }
        base_format_peer((const struct sockaddr *)&from, peer, sizeof peer);
        add_connection(s, port, fd, (const struct sockaddr *)&from, peer);
    }
}

/* ---- the thread ---- */

static void close_slow_connections(struct api_rpc_server *s)
{
    struct api_rpc_conn *c = s->conns, *next;
    int64_t now = api_rpc_now_ms();

    for (; c; c = next) {
        next = c->next;
        api_rpc_conn_close_if_slow(c, now);
        api_rpc_conn_free_if_done(c);
    }
}

static void handle_event(struct api_rpc_server *s, const struct epoll_event *ev)
{
    const struct api_rpc_port *port = find_port(s, ev->data.ptr);
    struct api_rpc_conn *c = ev->data.ptr;
    uint64_t count;

    if (s->stop && port)
        watch_listeners(s, false);
    else if (ev->data.ptr == &s->wake) {
        if (read(s->wake, &count, sizeof count) < 0 && errno != EAGAIN)
            base_log_warn("rpc", "eventfd: %s", strerror(errno));
    } else if (port) {
        accept_connections(s, port);
    } else {
        if (ev->events & (EPOLLHUP | EPOLLERR)) /* nobody is there any more */
            api_rpc_conn_close(c, NULL);
        api_rpc_conn_work(c, ev->events & EPOLLIN);
        api_rpc_conn_free_if_done(c);
    }
}

static void close_all_connections(struct api_rpc_server *s)
{
    while (s->conns) {
        struct api_rpc_conn *c = s->conns;

        api_rpc_conn_close(c, NULL);
        api_rpc_conn_free_if_done(c);
    }
}

static void *serve_connections(void *server)
{
    struct api_rpc_server *s = server;
    int64_t tick = api_rpc_now_ms();

    api_rpc_note_thread_of(s);
    while (!s->stop || s->calls_n) {
        struct epoll_event ev[EVENTS];
        int n = epoll_wait(s->epoll, ev, EVENTS, TICK_MS);

        for (int i = 0; i < n; i++)
            handle_event(s, &ev[i]);
        api_rpc_deliver_answers(s);
        if (api_rpc_now_ms() - tick >= TICK_MS) {
            tick = api_rpc_now_ms();
            begin_next_second(s);
            if (!s->accepts)
                watch_listeners(s, true);
            close_slow_connections(s);
        }
    }
    close_all_connections(s);
    return NULL;
}

/* ---- beginning and end ---- */

static void free_server(struct api_rpc_server *s)
{
    for (size_t i = 0; i < s->conf.ports_n; i++)
        close(s->conf.ports[i].listener);
    if (s->epoll >= 0)
        close(s->epoll);
    if (s->wake >= 0)
        close(s->wake);
    free(s->scratch);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

/* Takes no larger frames than the largest request of the port's protocols needs: a client could
 * fill memory with a frame that would be refused once it has arrived. */
static void limit_frames_to_requests(struct api_rpc_port *port)
{
    size_t max = 0;

    for (size_t p = 0; p < port->protocols_n; p++)
        for (size_t m = 0; m < port->protocols[p].methods_n; m++) {
            size_t request = api_rpc_get_request_max(&port->protocols[p].methods[m]);

            max = request > max ? request : max;
        }
    if (max + API_RPC_HEADERS_MAX < port->session.frame_max)
        port->session.frame_max = max + API_RPC_HEADERS_MAX;
}

static bool watch(struct api_rpc_server *s, int fd, void *data)
{
    struct epoll_event ev = {.events = EPOLLIN, .data.ptr = data};

    return epoll_ctl(s->epoll, EPOLL_CTL_ADD, fd, &ev) == 0;
}

int api_rpc_server_start(const struct api_rpc_server_conf *conf, struct api_rpc_server **out,
                         struct base_error *err)
{
    struct api_rpc_server *s = base_alloc(sizeof *s);
    bool good;

    s->conf = *conf;
    s->answered_end = &s->answered;
    s->scratch = base_alloc(API_RPC_READ_BYTES);
    s->accepts = true;
    s->lines_left = LINES_PER_SECOND;
    pthread_mutex_init(&s->lock, NULL);
    s->epoll = epoll_create1(EPOLL_CLOEXEC);
    s->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    good = s->epoll >= 0 && s->wake >= 0 && watch(s, s->wake, &s->wake);
    for (size_t i = 0; i < s->conf.ports_n; i++) {
        limit_frames_to_requests(&s->conf.ports[i]);
        good = good && watch(s, s->conf.ports[i].listener, &s->conf.ports[i]);
    }
    if (!good || (errno = pthread_create(&s->thread, NULL, serve_connections, s)) != 0) {
        int saved = errno;

        free_server(s);
        return base_error_sys(err, -BASE_EIO, saved, "cannot start the server of Hadoop RPC");
    }
    pthread_setname_np(s->thread, "rpc");
    *out = s;
    return 0;
}

void api_rpc_server_stop(struct api_rpc_server *s)
{
    if (!s)
        return;
    s->stop = true;
    base_assert(write(s->wake, &(uint64_t){1}, sizeof(uint64_t)) == sizeof(uint64_t));
    pthread_join(s->thread, NULL);
    free_server(s);
}
