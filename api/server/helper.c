#include "api/server/helper.h"

#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "api/server/answer/stream.h"
#include "api/server/limits/spare_memory.h"
#include "api/server/server_internal.h"
#include "base/cond.h"

/* Returns true when bytes have arrived that no thread has read yet: then the server is the slow
 * side, and the client is not late. */
static bool has_unread_bytes(int fd)
{
    int n = 0;

    return ioctl(fd, FIONREAD, &n) == 0 && n > 0;
}

/* Returns true when the client takes the answer too slowly. Time during which nothing waits for the
 * client does not count: the daemon may have nothing to send, as when a log is followed. The bytes
 * are counted by the kernel, since libmicrohttpd passes on a short answer in one piece. */
static bool is_answer_late(struct api_server *s, struct api_conn *conn, int64_t since, int64_t now)
{
    struct tcp_info info = {0};
    socklen_t size = sizeof info;
    int waiting = 0;

    if (s->answer_rate == 0)
        return false;
    if (ioctl(conn->fd, SIOCOUTQ, &waiting) < 0 || waiting == 0) {
        conn->pace = (struct api_pace){0};
        return false;
    }
    if (getsockopt(conn->fd, IPPROTO_TCP, TCP_INFO, &info, &size) < 0)
        return false;
    return api_pace_is_late(&conn->pace, since, info.tcpi_bytes_acked, now, s->body_window_ms,
                            s->answer_rate);
}

/* Returns true when the client has taken too long for the phase its connection is in. */
static bool is_connection_late(struct api_server *s, struct api_conn *conn, int64_t now)
{
    enum api_phase phase = (enum api_phase)atomic_load(&conn->phase);
    int64_t since = atomic_load(&conn->since_ms);

    switch (phase) {
    case API_PHASE_HEAD:
        return now - since > s->head_timeout_ms && !has_unread_bytes(conn->fd);
    case API_PHASE_BODY:
        return s->body_rate > 0 &&
               api_pace_is_late(&conn->pace, since, atomic_load(&conn->received), now,
                                s->body_window_ms, s->body_rate) &&
               !has_unread_bytes(conn->fd);
    /* libmicrohttpd's own time-out ends silent connections; this limit also ends those on which a
     * byte of a request line arrives now and then */
    case API_PHASE_IDLE:
        return now - since > 2 * s->idle_timeout_ms && !has_unread_bytes(conn->fd);
    case API_PHASE_ANSWER:
        return is_answer_late(s, conn, since, now);
    case API_PHASE_BUSY:
        break;
    }
    return false;
}

/* Ends a connection whose descriptor is open as long as the connection is listed. While a client
 * does not read, it would never see the end behind the bytes that wait for it, and the kernel would
 * keep these bytes for minutes. An answer under way therefore ends in a reset. */
static void cut_off(struct api_conn *conn)
{
    struct linger reset = {.l_onoff = 1, .l_linger = 0};

    if (atomic_load(&conn->phase) == API_PHASE_ANSWER)
        setsockopt(conn->fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    shutdown(conn->fd, SHUT_RDWR);
}

/* Shuts down the connections whose clients are late. Called with the lock held. */
static void shut_down_late_connections(struct api_server *s, int64_t now)
{
    for (struct api_link *l = s->conns.next; l != &s->conns; l = l->next) {
        struct api_conn *conn = (struct api_conn *)(void *)l;

        if (is_connection_late(s, conn, now))
            cut_off(conn);
    }
}

void api_helper_shut_down_idle_connections(struct api_server *s)
{
    for (struct api_link *l = s->conns.next; l != &s->conns; l = l->next) {
        struct api_conn *conn = (struct api_conn *)(void *)l;

        int phase = atomic_load(&conn->phase);

        if (phase != API_PHASE_BUSY && phase != API_PHASE_ANSWER)
            shutdown(conn->fd, SHUT_RDWR);
    }
}

static void *helper_main(void *p)
{
    struct api_server *s = p;
    int64_t next_cut = api_mono_ms() + s->tick_ms;
    struct api_spare_memory spare = {0};

    pthread_setname_np(pthread_self(), "http-helper");
    pthread_mutex_lock(&s->lock);
    while (!s->helper_stop) {
        int64_t now = api_mono_ms(), next_stream = api_streams_resume_due(s, now);

        if (now >= next_cut) {
            shut_down_late_connections(s, now);
            next_cut = now + s->tick_ms;
            pthread_mutex_unlock(&s->lock);
            api_spare_memory_give_back(&spare, now);
            pthread_mutex_lock(&s->lock);
            continue;
        }
        s->helper_wakes_ms = next_stream < next_cut ? next_stream : next_cut;
        base_cond_wait_until(&s->wake, &s->lock, s->helper_wakes_ms * 1000);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

int api_helper_start(struct api_server *s, struct base_error *err)
{
    int rc = pthread_create(&s->helper, NULL, helper_main, s);

    return rc == 0 ? 0 : base_error_sys(err, -BASE_EIO, rc, "thread of the HTTP server");
}

void api_helper_request_stop(struct api_server *s)
{
    s->helper_stop = true;
    pthread_cond_broadcast(&s->wake);
}

void api_helper_join(struct api_server *s)
{
    pthread_join(s->helper, NULL);
}
