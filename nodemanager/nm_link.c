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

#define WAKE_TIMEOUT_MS 5000
#define ANSWER_MAX      (64u << 20)

/* What an RM may take, in ms. Alone there is nobody else to ask; of several a silent one keeps us from the next. */
struct patience {
    int64_t connect, registration, beyond_hold, silence;
};
static const struct patience alone = {.connect = 3000, .registration = 10000, .beyond_hold = 10000};
static const struct patience several = {.connect = 1000, .registration = 10000, .beyond_hold = 3000, .silence = 3000};
#define PARK_MS 10000 /* a standby keeps a request so long, waiting for its turn to lead */

struct job {
    pthread_cond_t wake;
    bool waiting, running;
    char url[1024];
    char *header; /* or NULL */
    struct base_buf body;
    int64_t timeout_ms;
};
struct nm_link_io {
    struct base_rm_turn turn;
    const struct patience *patience;
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
                                   .header = j->header,
                                   .connect_timeout_ms = l->patience->connect,
                                   .timeout_ms = j->timeout_ms,
                                   .silence_ms = l->patience->silence,
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

/* Lock held: chooses whom to ask next. A 200 is judged by the loop. */
static void choose_next(struct nm_link_io *l, int rc, const struct base_http_answer *a)
{
    if (rc >= 0 && a->status == 200)
        return;
    if (rc >= 0 && a->status == 307)
        l->result.at_once = base_rm_turn_moved(&l->turn, a->location);
    else
        l->result.at_once = base_rm_turn_bad(&l->turn);
    l->result.elsewhere = l->turn.list->n > 1;
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
        choose_next(l, rc, &a);
        l->done = true;
        pthread_mutex_unlock(&l->lock);
        base_http_answer_free(&a);
        uint64_t one = 1;
        if (write(l->fd, &one, sizeof one) < 0)
            continue; /* full counter: it is readable anyway */
    }
    return NULL;
}

int nm_link_start(const struct base_rm_list *rms, const char *secret, struct nm_link_io **out, struct base_error *err)
{
    struct nm_link_io *l = base_alloc(sizeof *l);
    pthread_mutex_init(&l->lock, NULL);
    pthread_cond_init(&l->beat.wake, NULL);
    pthread_cond_init(&l->call.wake, NULL);
    base_rm_turn_init(&l->turn, rms);
    l->patience = rms->n > 1 ? &several : &alone;
    l->secret = secret && *secret ? base_strdup(secret) : NULL;
    l->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    l->beat_http = base_http_new();
    l->call_http = base_http_new();
    int rc = l->fd < 0 ? base_error_sys(err, -BASE_EIO, errno, "eventfd") : 0;
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
    free(l->beat.header);
    base_rm_turn_free(&l->turn);
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

/* Lock held. */
static void hand_over(struct nm_link_io *l, struct job *j, const char *what, struct base_buf *body, int64_t timeout_ms)
{
    snprintf(j->url, sizeof j->url, "%s/ws/v1/nodetracker/%s", base_rm_turn_url(&l->turn), what);
    body_take(&j->body, body);
    j->timeout_ms = timeout_ms;
    j->waiting = true;
    pthread_cond_signal(&j->wake);
}

static void send_request(struct nm_link_io *l, const char *what, struct base_buf *body, int64_t timeout_ms)
{
    pthread_mutex_lock(&l->lock);
    const char *failed = base_rm_turn_failed(&l->turn);
    free(l->beat.header);
    l->beat.header = failed ? base_printf(BASE_RM_FAILED_HEADER ": %s", failed) : NULL;
    if (l->turn.list->n > 1 && !l->turn.answered)
        timeout_ms += PARK_MS;
    hand_over(l, &l->beat, what, body, timeout_ms);
    pthread_mutex_unlock(&l->lock);
}

void nm_link_send_register(struct nm_link_io *l, struct base_buf *body)
{
    send_request(l, "register", body, l->patience->registration);
}

void nm_link_send_heartbeat(struct nm_link_io *l, struct base_buf *body, int64_t hold_ms)
{
    send_request(l, "heartbeat", body, hold_ms + l->patience->beyond_hold);
}

void nm_link_wake(struct nm_link_io *l, struct base_buf *body)
{
    pthread_mutex_lock(&l->lock);
    hand_over(l, &l->call, "wake", body, WAKE_TIMEOUT_MS);
    pthread_mutex_unlock(&l->lock);
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

void nm_link_good(struct nm_link_io *l)
{
    pthread_mutex_lock(&l->lock);
    base_rm_turn_good(&l->turn);
    pthread_mutex_unlock(&l->lock);
}

void nm_link_bad(struct nm_link_io *l, struct nm_link_result *r)
{
    pthread_mutex_lock(&l->lock);
    r->at_once = base_rm_turn_bad(&l->turn);
    r->elsewhere = l->turn.list->n > 1;
    pthread_mutex_unlock(&l->lock);
}
