#include "api/server/answer/stream.h"

#include <stdlib.h>
#include <sys/socket.h>

#include "api/server/server_internal.h"

/* An idle stream is polled after POLL_FIRST_MS, then after twice as long each time, up to
 * POLL_MAX_MS: so the end of a short command is seen at once, and a long silence costs little. */
#define POLL_FIRST_MS 2
#define POLL_MAX_MS   50

struct api_stream {
    struct api_link link; /* listed in server->waiting while suspended */
    struct api_server *server;
    struct MHD_Connection *connection;
    const struct api_route *route;
    int fd;
    /* length of the current or last wait (0: bytes have come since), and when it ends */
    int64_t wait_ms, wake_at_ms;
    int64_t (*read)(void *u, char *buf, size_t max);
    void *u;
    void (*free_fn)(void *);
};

/* Suspends a stream that has no bytes now. Returns false when the server is stopping, and the
 * stream has to be cut. */
static bool suspend_stream(struct api_stream *st)
{
    struct api_server *s = st->server;
    bool waits = false;

    pthread_mutex_lock(&s->lock);
    if (!atomic_load(&s->stopping)) {
        MHD_suspend_connection(st->connection);
        st->wait_ms = st->wait_ms == 0                ? POLL_FIRST_MS
                      : st->wait_ms * 2 > POLL_MAX_MS ? POLL_MAX_MS
                                                      : st->wait_ms * 2;
        st->wake_at_ms = api_mono_ms() + st->wait_ms;
        if (st->wake_at_ms < s->helper_wakes_ms)
            pthread_cond_broadcast(&s->wake);
        api_link_add(&s->waiting, &st->link);
        waits = true;
    }
    pthread_mutex_unlock(&s->lock);
    return waits;
}

/* Shuts the socket down, so that the client notices at once: libmicrohttpd 0.9.75 only marks the
 * connection closed, and closes it when something happens on its socket. */
static ssize_t cut_connection(const struct api_stream *st)
{
    if (st->fd >= 0)
        shutdown(st->fd, SHUT_RDWR);
    return MHD_CONTENT_READER_END_WITH_ERROR;
}

static ssize_t read_stream(void *cls, uint64_t pos, char *buf, size_t max)
{
    struct api_stream *st = cls;
    int64_t n;

    (void)pos;
    /* cut the connection, since a clean end would tell the client that the body is complete */
    if (atomic_load(&st->server->stopping))
        return cut_connection(st);
    n = st->read(st->u, buf, max);
    if (n < 0)
        return n == API_STREAM_BROKEN ? cut_connection(st) : MHD_CONTENT_READER_END_OF_STREAM;
    base_assert((size_t)n <= max);
    if (n > 0) {
        st->wait_ms = 0;
        api_calls_count_sent(st->server->calls, st->route, (uint64_t)n);
        return (ssize_t)n;
    }
    if (api_fd_is_closed_by_peer(st->fd))
        return MHD_CONTENT_READER_END_WITH_ERROR;
    return suspend_stream(st) ? 0 : cut_connection(st);
}

static void free_stream(void *cls)
{
    struct api_stream *st = cls;

    if (st->free_fn)
        st->free_fn(st->u);
    free(st);
}

struct MHD_Response *api_stream_create_response(struct api_request *rq)
{
    struct api_reply *reply = &rq->reply;
    struct api_stream *st = base_alloc(sizeof *st);

    st->server = rq->server;
    st->connection = rq->connection;
    st->route = rq->route;
    st->fd = rq->conn ? rq->conn->fd : -1;
    st->read = reply->read;
    st->u = reply->u;
    st->free_fn = reply->free_fn;
    reply->free_fn = NULL; /* now owned by the stream */
    return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 16 * 1024, read_stream, st,
                                             free_stream);
}

/* MHD_resume_connection() calls none of the server's functions, so the lock may be held meanwhile.
 */
int64_t api_streams_resume_due(struct api_server *s, int64_t now)
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
