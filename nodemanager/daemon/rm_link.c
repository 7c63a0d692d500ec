#include "nodemanager/daemon/rm_link.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/cond.h"
#include "base/io/http_client.h"
#include "base/io/io.h"
#include "base/io/log.h"
#include "nodemanager/daemon/leader_search.h"

#define WAKE_TIMEOUT_MS 5000
#define ANSWER_MAX      (64u << 20)

/* Of several a silent one keeps us from the next; alone there is nobody else to ask. */
#define CONNECT_ALONE_MS 3000
#define CONNECT_MS       1000
#define SILENCE_MS                                                                                 \
    3000 /* a host that acknowledges nothing for so long is given up; alone never                  \
          */

struct job {
    pthread_cond_t wake;
    bool waiting, running;
    char url[1024];
    char *header; /* or NULL */
    struct base_buf body;
    int64_t timeout_ms;
};
struct nm_link_io {
    bool several; /* RMs to choose from */
    char *secret;
    int fd;
    pthread_mutex_t lock;
    bool stopping, done;
    struct job beat, call;
    struct nm_link_result result;
    struct base_http *beat_http, *call_http;
    struct nm_search search;
    /* looking around, with several RMs */
    pthread_cond_t look_wake;
    int64_t sleeps_until_us;     /* end of the thread's sleep; 0: it is awake */
    struct base_http *look_http; /* during a look, else NULL */
    pthread_t threads[3];
    int threads_n;
};

static void body_take(struct base_buf *to, struct base_buf *from)
{
    base_buf_free(to);
    *to = *from;
    memset(from, 0, sizeof *from);
}

static int post(struct nm_link_io *l, struct base_http *h, const struct job *j,
                struct base_http_answer *out, struct base_error *err)
{
    struct base_http_request rq = {.method = "POST",
                                   .url = j->url,
                                   .body = j->body.data,
                                   .body_len = j->body.len,
                                   .bearer = l->secret,
                                   .header = j->header,
                                   .connect_timeout_ms = l->several ? CONNECT_MS : CONNECT_ALONE_MS,
                                   .timeout_ms = j->timeout_ms,
                                   .silence_ms = l->several ? SILENCE_MS : 0,
                                   .body_max = ANSWER_MAX};
    return base_http_perform(h, &rq, out, err);
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

static enum nm_outcome outcome_of(int rc, const struct base_http_answer *a)
{
    if (rc < 0)
        return NM_OUTCOME_SILENT;
    return a->status == 200   ? NM_OUTCOME_OK
           : a->status == 307 ? NM_OUTCOME_MOVED
                              : NM_OUTCOME_ERROR;
}

/* Lock held. A 200 is judged by the loop. */
static void request_ended(struct nm_link_io *l, int rc, const struct base_http_answer *a)
{
    bool abandoned = l->search.leader;

    nm_search_ended(&l->search, outcome_of(rc, a), a->location, &l->result.retry);
    if (!abandoned)
        return;
    base_http_free(l->beat_http); /* and with it a cancel that came too late to end anything */
    l->beat_http = base_http_new();
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
        request_ended(l, rc, &a);
        l->done = true;
        pthread_mutex_unlock(&l->lock);
        base_http_answer_free(&a);
        uint64_t one = 1;
        if (write(l->fd, &one, sizeof one) < 0)
            continue; /* full counter: it is readable anyway */
    }
    return NULL;
}

/* ---- looking around ---- */

static int64_t now_us(void)
{
    return base_mono_us(&base_clock_real);
}

static uint32_t any_number(void)
{
    uint32_t random = 0;
    if (getrandom(&random, sizeof random, GRND_NONBLOCK) < 0)
        random = 0; /* does as well */
    return random;
}

/* Lock held, and let go meanwhile. In the normal case it ends when there has been another request
 * for long. */
static void look_sleep(struct nm_link_io *l)
{
    int64_t until = l->search.look_us;
    l->sleeps_until_us = until;
    if (until == INT64_MAX)
        pthread_cond_wait(&l->look_wake, &l->lock);
    else
        base_cond_wait_for(&l->look_wake, &l->lock, until - now_us());
    l->sleeps_until_us = 0;
}

/* Lock not held. The next one to be asked on behalf of request @asked, NULL: none. */
static const char *other(struct nm_link_io *l, uint64_t asked, size_t *at)
{
    pthread_mutex_lock(&l->lock);
    const char *url =
        !l->stopping && nm_search_waits(&l->search, asked) ? nm_search_other(&l->search, at) : NULL;
    pthread_mutex_unlock(&l->lock);
    return url;
}

/* Lock not held. The one that leads, NULL: nobody does. */
static const char *look_for_leader(struct nm_link_io *l, uint64_t asked, int64_t least)
{
    size_t at = 0;
    const char *url;
    while ((url = other(l, asked, &at)))
        if (nm_ask_if_leads(l->look_http, url, least))
            return url;
    return NULL;
}

/* Lock held, and let go meanwhile. */
static void look(struct nm_link_io *l)
{
    uint64_t asked = l->search.asked;
    int64_t least = nm_search_least_epoch(&l->search);
    l->look_http = base_http_new();
    pthread_mutex_unlock(&l->lock);
    const char *leader = look_for_leader(l, asked, least);
    pthread_mutex_lock(&l->lock);
    base_http_free(l->look_http); /* nobody keeps a connection to a standby */
    l->look_http = NULL;
    if (l->stopping || !nm_search_looked(&l->search, asked, leader, now_us(), any_number()))
        return;
    base_log_info("nm", "%s does not answer, and %s leads now", base_rm_cursor_url(&l->search.turn),
                  leader);
    base_http_cancel(l->beat_http);
}

static void *look_loop(void *u)
{
    struct nm_link_io *l = u;
    pthread_mutex_lock(&l->lock);
    while (!l->stopping) {
        if (now_us() < l->search.look_us)
            look_sleep(l);
        else
            look(l);
    }
    pthread_mutex_unlock(&l->lock);
    return NULL;
}

/* ---- life ---- */

static int threads_start(struct nm_link_io *l, struct base_error *err)
{
    static void *(*const loops[])(void *) = {beat_loop, call_loop, look_loop};
    int n = l->several ? 3 : 2;
    for (; l->threads_n < n; l->threads_n++) {
        int rc = pthread_create(&l->threads[l->threads_n], NULL, loops[l->threads_n], l);
        if (rc)
            return base_error_sys(err, -BASE_EIO, rc, "thread");
    }
    return 0;
}

int nm_link_start(const struct base_rm_list *rms, const char *secret, struct nm_link_io **out,
                  struct base_error *err)
{
    struct nm_link_io *l = base_alloc(sizeof *l);
    pthread_mutex_init(&l->lock, NULL);
    pthread_cond_init(&l->beat.wake, NULL);
    pthread_cond_init(&l->call.wake, NULL);
    base_cond_init(&l->look_wake);
    nm_search_init(&l->search, rms);
    l->several = rms->n > 1;
    l->secret = secret && *secret ? base_strdup(secret) : NULL;
    l->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    l->beat_http = base_http_new();
    l->call_http = base_http_new();
    int rc = l->fd < 0 ? base_error_sys(err, -BASE_EIO, errno, "eventfd") : threads_start(l, err);
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
    pthread_cond_signal(&l->look_wake);
    if (l->look_http)
        base_http_cancel(l->look_http);
    if (l->beat.running)
        base_http_cancel(l->beat_http);
    if (l->call.running)
        base_http_cancel(l->call_http);
    pthread_mutex_unlock(&l->lock);
    for (int i = 0; i < l->threads_n; i++)
        pthread_join(l->threads[i], NULL);
    base_http_free(l->beat_http);
    base_http_free(l->call_http);
    base_buf_free(&l->beat.body);
    base_buf_free(&l->call.body);
    base_buf_free(&l->result.body);
    free(l->beat.header);
    nm_search_free(&l->search);
    free(l->secret);
    if (l->fd >= 0)
        close(l->fd);
    pthread_cond_destroy(&l->beat.wake);
    pthread_cond_destroy(&l->call.wake);
    pthread_cond_destroy(&l->look_wake);
    pthread_mutex_destroy(&l->lock);
    free(l);
}

int nm_link_fd(const struct nm_link_io *l)
{
    return l->fd;
}

/* Lock held. */
static void hand_over(struct nm_link_io *l, struct job *j, const char *what, struct base_buf *body,
                      int64_t timeout_ms)
{
    snprintf(j->url, sizeof j->url, "%s/ws/v1/nodetracker/%s", base_rm_cursor_url(&l->search.turn),
             what);
    body_take(&j->body, body);
    j->timeout_ms = timeout_ms;
    j->waiting = true;
    pthread_cond_signal(&j->wake);
}

static void send_request(struct nm_link_io *l, const char *what, struct base_buf *body,
                         bool registering, int64_t hold_ms)
{
    pthread_mutex_lock(&l->lock);
    const char *failed = base_rm_cursor_failed_urls(&l->search.turn);
    free(l->beat.header);
    l->beat.header = failed ? base_printf(BASE_RM_FAILED_HEADER ": %s", failed) : NULL;
    int64_t timeout_us = nm_search_timeout_us(&l->search, registering, hold_ms * 1000);
    hand_over(l, &l->beat, what, body, timeout_us / 1000);
    nm_search_sent(&l->search, registering, hold_ms * 1000, now_us(), any_number());
    if (l->search.look_us < l->sleeps_until_us)
        pthread_cond_signal(&l->look_wake);
    pthread_mutex_unlock(&l->lock);
}

void nm_link_send_register(struct nm_link_io *l, struct base_buf *body)
{
    send_request(l, "register", body, true, 0);
}

void nm_link_send_heartbeat(struct nm_link_io *l, struct base_buf *body, int64_t hold_ms)
{
    send_request(l, "heartbeat", body, false, hold_ms);
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

void nm_link_good(struct nm_link_io *l, int64_t epoch)
{
    pthread_mutex_lock(&l->lock);
    nm_search_good(&l->search, epoch);
    pthread_mutex_unlock(&l->lock);
}

void nm_link_bad(struct nm_link_io *l, struct nm_link_result *r)
{
    pthread_mutex_lock(&l->lock);
    nm_search_bad(&l->search, &r->retry);
    pthread_mutex_unlock(&l->lock);
}
