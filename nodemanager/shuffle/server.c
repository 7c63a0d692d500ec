#include "nodemanager/shuffle/server.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io/log.h"
#include "base/mem.h"

#define EVENTS_MAX      64
#define ACCEPTS_MAX     16 /* of one turn */
#define TICK_MS         1000
#define TURNED_AWAY_MAX 64 /* connections that are told to come again; further ones are closed */

struct peer {
    struct nm_shuffle_connection *connection;
    enum nm_shuffle_want want;
    TAILQ_ENTRY(peer) all;
};
struct worker {
    struct nm_shuffle_server *server;
    pthread_t thread;
    bool runs, paused; /* paused: no descriptors are left for new connections */
    int epoll;
    TAILQ_HEAD(, peer) peers;
};
struct nm_shuffle_server {
    struct nm_shuffle_server_conf conf;
    int stop; /* readable for good when the workers have to end */
    struct worker *workers;
    unsigned workers_n;
};

/* Addresses that mark events of other descriptors than connections'. */
static char listener_mark, stop_mark;

static int64_t now_us(void)
{
    return base_mono_us(&base_clock_real);
}

/* ---- connections ---- */

static void drop_peer(struct worker *w, struct peer *p)
{
    TAILQ_REMOVE(&w->peers, p, all);
    nm_shuffle_connection_free(p->connection);
    free(p);
}

static bool watch(const struct worker *w, int operation, struct peer *p)
{
    struct epoll_event ev = {.events = p->want == NM_SHUFFLE_WRITE ? EPOLLOUT : EPOLLIN,
                             .data.ptr = p};

    return epoll_ctl(w->epoll, operation, nm_shuffle_connection_fd(p->connection), &ev) == 0;
}

static void continue_peer(struct worker *w, struct peer *p)
{
    enum nm_shuffle_want before = p->want;

    p->want = nm_shuffle_connection_continue(p->connection, now_us());
    if (p->want == NM_SHUFFLE_OVER || (p->want != before && !watch(w, EPOLL_CTL_MOD, p)))
        drop_peer(w, p);
}

/* Returns the oldest peer that has proven nothing; NULL: there is none. A search of all costs less
 * than the connections that make it necessary. */
static struct peer *find_unproven_peer(struct worker *w)
{
    struct peer *p;

    TAILQ_FOREACH(p, &w->peers, all)
    if (nm_shuffle_connection_is_unproven(p->connection))
        return p;
    return NULL;
}

static void add_peer(struct worker *w, int fd)
{
    const struct nm_shuffle_server_conf *conf = &w->server->conf;
    int64_t n = atomic_load_explicit(&conf->site.counts->connections, memory_order_relaxed);
    bool full = n >= conf->connections_max;
    struct peer *other = full ? find_unproven_peer(w) : NULL, *p;

    if (!other && n >= conf->connections_max + TURNED_AWAY_MAX) {
        close(fd);
        return;
    }
    p = base_alloc(sizeof *p);
    if (other)
        drop_peer(w, other);
    p->connection = nm_shuffle_connection_new(&conf->site, fd, now_us());
    TAILQ_INSERT_TAIL(&w->peers, p, all);
    if (full && !other) {
        nm_shuffle_connection_turn_away(p->connection);
        p->want = NM_SHUFFLE_WRITE;
    }
    if (!watch(w, EPOLL_CTL_ADD, p))
        drop_peer(w, p);
}

static void drop_late_peers(struct worker *w)
{
    struct peer *p, *next;
    int64_t now = now_us();

    for (p = TAILQ_FIRST(&w->peers); p; p = next) {
        next = TAILQ_NEXT(p, all);
        if (nm_shuffle_connection_is_late(p->connection, now))
            drop_peer(w, p);
    }
}

/* ---- new connections ---- */

static bool watch_listener(struct worker *w)
{
    /* one thread wakes for a connection, not all */
    struct epoll_event ev = {.events = EPOLLIN | EPOLLEXCLUSIVE, .data.ptr = &listener_mark};

    return epoll_ctl(w->epoll, EPOLL_CTL_ADD, w->server->conf.listener, &ev) == 0;
}

/* Without descriptors the listener would stay readable, and the thread turn without end. */
static void pause_accepting(struct worker *w)
{
    base_log_warn("shuffle", "no connection can be accepted: %s", strerror(errno));
    w->paused = epoll_ctl(w->epoll, EPOLL_CTL_DEL, w->server->conf.listener, NULL) == 0;
}

static void accept_peers(struct worker *w)
{
    for (int i = 0; i < ACCEPTS_MAX; i++) {
        int fd = accept4(w->server->conf.listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

        if (fd >= 0)
            add_peer(w, fd);
        else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
            return pause_accepting(w);
        else if (errno == EAGAIN || (errno != EINTR && errno != ECONNABORTED))
            return;
    }
}

/* ---- the thread ---- */

static void *run_worker(void *u)
{
    struct epoll_event events[EVENTS_MAX];
    struct worker *w = u;
    int64_t looked_us = now_us();
    bool stop = false;

    while (!stop) {
        int n = epoll_wait(w->epoll, events, EVENTS_MAX,
                           TAILQ_EMPTY(&w->peers) && !w->paused ? -1 : TICK_MS);
        bool accept = false;

        for (int i = 0; i < n; i++) {
            if (events[i].data.ptr == &stop_mark)
                stop = true;
            else if (events[i].data.ptr == &listener_mark)
                accept = true;
            else
                continue_peer(w, events[i].data.ptr);
        }
        if (accept) /* last, since it may free peers that have events */
            accept_peers(w);
        if (now_us() - looked_us < TICK_MS * INT64_C(1000))
            continue;
        looked_us = now_us();
        drop_late_peers(w);
        if (w->paused)
            w->paused = !watch_listener(w);
    }
    while (!TAILQ_EMPTY(&w->peers))
        drop_peer(w, TAILQ_FIRST(&w->peers));
    return NULL;
}

static int start_worker(struct nm_shuffle_server *s, struct worker *w, struct base_error *err)
{
    struct epoll_event ev = {.events = EPOLLIN, .data.ptr = &stop_mark};
    int rc;

    w->server = s;
    TAILQ_INIT(&w->peers);
    w->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (w->epoll < 0 || epoll_ctl(w->epoll, EPOLL_CTL_ADD, s->stop, &ev) < 0 || !watch_listener(w))
        return base_error_sys(err, -BASE_EIO, errno, "epoll");
    rc = pthread_create(&w->thread, NULL, run_worker, w);
    w->runs = rc == 0;
    return rc == 0 ? 0 : base_error_sys(err, -BASE_EIO, rc, "a thread");
}

int nm_shuffle_server_start(const struct nm_shuffle_server_conf *conf,
                            struct nm_shuffle_server **out, struct base_error *err)
{
    struct nm_shuffle_server *s = base_alloc(sizeof *s);
    int rc = 0;

    s->conf = *conf;
    s->workers = base_alloc(conf->threads * sizeof *s->workers);
    s->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (s->stop < 0)
        rc = base_error_sys(err, -BASE_EIO, errno, "eventfd");
    while (rc == 0 && s->workers_n < conf->threads)
        rc = start_worker(s, &s->workers[s->workers_n++], err);
    if (rc < 0) {
        nm_shuffle_server_stop(s);
        return rc;
    }
    *out = s;
    return 0;
}

void nm_shuffle_server_stop(struct nm_shuffle_server *s)
{
    if (!s)
        return;
    if (s->stop >= 0)
        base_assert(write(s->stop, &(uint64_t){1}, sizeof(uint64_t)) == sizeof(uint64_t));
    for (unsigned i = 0; i < s->workers_n; i++) {
        if (s->workers[i].runs)
            pthread_join(s->workers[i].thread, NULL);
        if (s->workers[i].epoll >= 0)
            close(s->workers[i].epoll);
    }
    close(s->conf.listener);
    if (s->stop >= 0)
        close(s->stop);
    free(s->workers);
    free(s);
}
