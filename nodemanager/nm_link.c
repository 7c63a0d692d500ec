/* nodemanager/nm_link.c - see the header. */
#include "nodemanager/nm_link.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/base_http.h"
#include "base/base_io.h"

#define RMS_MAX            16
#define CONNECT_TIMEOUT_MS 3000
#define WAKE_TIMEOUT_MS    5000
#define ANSWER_MAX         (64u << 20)

struct job {
    pthread_cond_t wake;
    bool waiting, running;
    char url[1024];
    struct base_buf body;
    int64_t timeout_ms;
};
struct nm_link_io {
    char *rm[RMS_MAX];
    size_t n, at, failed; /* whom we ask; failures in a row */
    char *moved;          /* where a standby sent us, instead of rm[at] */
    char *secret;
    int fd;
    pthread_mutex_t lock;
    bool stopping, done;
    struct job beat, call;
    struct nm_link_result result;
    struct base_http *beat_http, *call_http;
    pthread_t beat_thread, call_thread;
    int threads;
};

static void body_take(struct base_buf *to, struct base_buf *from)
{
    base_buf_free(to);
    *to = *from;
    memset(from, 0, sizeof *from);
}

static int post(struct nm_link_io *l, struct base_http *h, const struct job *j, struct base_http_answer *out,
                struct base_error *err)
{
    struct base_http_request rq = {.method = "POST",
                                   .url = j->url,
                                   .body = j->body.data,
                                   .body_len = j->body.len,
                                   .bearer = l->secret,
                                   .connect_timeout_ms = CONNECT_TIMEOUT_MS,
                                   .timeout_ms = j->timeout_ms,
                                   .body_max = ANSWER_MAX};
    return base_http_do(h, &rq, out, err);
}

/* Waits for work; false when the end has come. */
static bool job_wait(struct nm_link_io *l, struct job *j)
{
    pthread_mutex_lock(&l->lock);
    j->running = false;
    while (!j->waiting && !l->stopping)
        pthread_cond_wait(&j->wake, &l->lock);
    bool go = !l->stopping;
    j->waiting = false;
    j->running = go;
    pthread_mutex_unlock(&l->lock);
    return go;
}

static void *call_loop(void *u)
{
    struct nm_link_io *l = u;
    while (job_wait(l, &l->call)) {
        struct base_http_answer a = {0};
        pthread_mutex_lock(&l->lock);
        struct job j = {.timeout_ms = l->call.timeout_ms};
        memcpy(j.url, l->call.url, sizeof j.url);
        body_take(&j.body, &l->call.body);
        pthread_mutex_unlock(&l->lock);
        post(l, l->call_http, &j, &a, NULL); /* lost: the heartbeat's interval ends anyway */
        base_http_answer_free(&a);
        base_buf_free(&j.body);
    }
    return NULL;
}

/* "scheme://host:port" of where we were sent, so that the next request goes there. */
static void follow(struct nm_link_io *l, const char *location)
{
    const char *slashes = strstr(location, "://");
    if (!slashes)
        return;
    size_t n = (size_t)(slashes + 3 - location) + strcspn(slashes + 3, "/?#");
    free(l->moved);
    l->moved = base_strndup(location, n);
}

static void *beat_loop(void *u)
{
    struct nm_link_io *l = u;
    while (job_wait(l, &l->beat)) {
        struct base_http_answer a = {0};
        struct base_error err = {0};
        int rc = post(l, l->beat_http, &l->beat, &a, &err);
        pthread_mutex_lock(&l->lock);
        l->result = (struct nm_link_result){.rc = rc, .status = a.status, .err = err};
        snprintf(l->result.url, sizeof l->result.url, "%s", l->beat.url);
        if (rc >= 0)
            body_take(&l->result.body, &a.body);
        if (rc >= 0 && a.status == 200) {
            l->failed = 0;
        } else {
            l->failed++;
            free(l->moved);
            l->moved = NULL;
            if (rc >= 0 && a.status == 307 && a.location[0])
                follow(l, a.location);
            else
                l->at = (l->at + 1) % l->n;
        }
        l->result.tried_all = l->failed >= l->n;
        l->done = true;
        pthread_mutex_unlock(&l->lock);
        base_http_answer_free(&a);
        uint64_t one = 1;
        if (write(l->fd, &one, sizeof one) < 0)
            continue; /* full counter: it is readable anyway */
    }
    return NULL;
}

static int rm_list(struct nm_link_io *l, const char *rm, struct base_error *err)
{
    while (*rm) {
        size_t n = strcspn(rm, ",");
        const char *from = rm + strspn(rm, " "), *to = rm + n;
        while (to > from && (to[-1] == ' ' || to[-1] == '/'))
            to--;
        if (to > from) {
            if (l->n == RMS_MAX)
                return base_error_set(err, -BASE_ELIMIT, "creel.nodemanager.rm: more than %d addresses", RMS_MAX);
            bool scheme = strncmp(from, "http://", 7) == 0 || strncmp(from, "https://", 8) == 0;
            l->rm[l->n++] = base_printf("%s%.*s", scheme ? "" : "http://", (int)(to - from), from);
        }
        rm += n + (rm[n] == ',');
    }
    return l->n ? 0 : base_error_set(err, -BASE_EINVAL, "creel.nodemanager.rm: no address");
}

int nm_link_start(const char *rm, const char *secret, struct nm_link_io **out, struct base_error *err)
{
    struct nm_link_io *l = base_alloc(sizeof *l);
    pthread_mutex_init(&l->lock, NULL);
    pthread_cond_init(&l->beat.wake, NULL);
    pthread_cond_init(&l->call.wake, NULL);
    l->secret = secret && *secret ? base_strdup(secret) : NULL;
    l->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    l->beat_http = base_http_new();
    l->call_http = base_http_new();
    int rc = l->fd < 0 ? base_error_sys(err, -BASE_EIO, errno, "eventfd") : rm_list(l, rm, err);
    if (rc == 0 && (errno = pthread_create(&l->beat_thread, NULL, beat_loop, l)) == 0)
        l->threads++;
    if (rc == 0 && l->threads == 1 && (errno = pthread_create(&l->call_thread, NULL, call_loop, l)) == 0)
        l->threads++;
    if (rc == 0 && l->threads < 2)
        rc = base_error_sys(err, -BASE_EIO, errno, "thread");
    if (rc < 0) {
        nm_link_stop(l);
        return rc;
    }
    *out = l;
    return 0;
}

void nm_link_stop(struct nm_link_io *l)
{
    if (!l)
        return;
    pthread_mutex_lock(&l->lock);
    l->stopping = true;
    pthread_cond_signal(&l->beat.wake);
    pthread_cond_signal(&l->call.wake);
    if (l->beat.running)
        base_http_cancel(l->beat_http);
    if (l->call.running)
        base_http_cancel(l->call_http);
    pthread_mutex_unlock(&l->lock);
    if (l->threads > 0)
        pthread_join(l->beat_thread, NULL);
    if (l->threads > 1)
        pthread_join(l->call_thread, NULL);
    base_http_free(l->beat_http);
    base_http_free(l->call_http);
    base_buf_free(&l->beat.body);
    base_buf_free(&l->call.body);
    base_buf_free(&l->result.body);
    for (size_t i = 0; i < l->n; i++)
        free(l->rm[i]);
    free(l->moved);
    free(l->secret);
    if (l->fd >= 0)
        close(l->fd);
    pthread_cond_destroy(&l->beat.wake);
    pthread_cond_destroy(&l->call.wake);
    pthread_mutex_destroy(&l->lock);
    free(l);
}

int nm_link_fd(const struct nm_link_io *l)
{
    return l->fd;
}

static void hand_over(struct nm_link_io *l, struct job *j, const char *path, struct base_buf *body, int64_t timeout_ms)
{
    pthread_mutex_lock(&l->lock);
    snprintf(j->url, sizeof j->url, "%s%s", l->moved ? l->moved : l->rm[l->at], path);
    body_take(&j->body, body);
    j->timeout_ms = timeout_ms;
    j->waiting = true;
    pthread_cond_signal(&j->wake);
    pthread_mutex_unlock(&l->lock);
}

void nm_link_send(struct nm_link_io *l, const char *path, struct base_buf *body, int64_t timeout_ms)
{
    hand_over(l, &l->beat, path, body, timeout_ms);
}

void nm_link_wake(struct nm_link_io *l, struct base_buf *body)
{
    hand_over(l, &l->call, "/ws/v1/nodetracker/wake", body, WAKE_TIMEOUT_MS);
}

bool nm_link_take(struct nm_link_io *l, struct nm_link_result *out)
{
    uint64_t n;
    if (read(l->fd, &n, sizeof n) < 0 && errno != EAGAIN)
        return false;
    pthread_mutex_lock(&l->lock);
    bool done = l->done;
    if (done) {
        *out = l->result;
        memset(&l->result, 0, sizeof l->result);
        l->done = false;
    }
    pthread_mutex_unlock(&l->lock);
    return done;
}

void nm_link_other(struct nm_link_io *l)
{
    pthread_mutex_lock(&l->lock);
    free(l->moved);
    l->moved = NULL;
    l->at = (l->at + 1) % l->n;
    pthread_mutex_unlock(&l->lock);
}
