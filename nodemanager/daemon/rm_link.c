/* nodemanager/daemon/rm_link.c - see the header. */
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

#include "base/cond.h"
#include "base/clock.h"
#include "base/io/http_client.h"
#include "base/io/io.h"
#include "base/io/log.h"
#include "nodemanager/daemon/leader_search.h"

#define WAKE_TIMEOUT_MS 5000
#define ANSWER_MAX      (64u << 20)

/* What an RM may take, in ms. Alone there is nobody else to ask; of several a silent one keeps us from the next. */
struct patience {
    int64_t connect, registration, beyond_hold, silence;
};
static const struct patience alone = {.connect = 3000, .registration = 10000, .beyond_hold = 10000};
static const struct patience several = {.connect = 1000, .registration = 10000, .beyond_hold = 3000, .silence = 3000};
#define PARK_MS 10000 /* a standby keeps a request so long, waiting for its turn to lead */
#define REGISTRATION_MS 1000 /* it is not held: over a thousand of them at once a leader takes its time nevertheless */

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
    /* looking around, with several RMs */
    struct nm_look look;
    pthread_cond_t look_wake;
    int64_t look_ms, sleeps_until_ms; /* the next look, INT64_MAX: none; the end of the thread's sleep */
    bool asking;                      /* a request is in flight ... */
    uint64_t asked;                   /* ... counted */
    int64_t epoch;                    /* obeyed last */
    const char *leader;               /* the request is abandoned for this one of the list, or NULL */
    struct base_http *look_http;      /* during a look, else NULL */
    pthread_t threads[3];
    int threads_n;
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
    if (rc < 0 && l->leader) {
        base_rm_turn_leads(&l->turn, l->leader);
        l->result.at_once = true;
    } else if (rc >= 0 && a->status == 307) {
        l->result.at_once = base_rm_turn_moved(&l->turn, a->location);
    } else {
        l->result.at_once = base_rm_turn_bad(&l->turn);
    }
    l->result.elsewhere = l->turn.list->n > 1;
}

/* Lock held. */
static void asked_no_more(struct nm_link_io *l, bool good)
{
    l->asking = false;
    l->look_ms = INT64_MAX;
    nm_look_ended(&l->look, good);
    if (!l->leader)
        return;
    l->leader = NULL;
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
        choose_next(l, rc, &a);
        asked_no_more(l, rc >= 0 && a.status == 200);
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

static int64_t now_ms(void)
{
    return base_mono_us(&base_clock_real) / 1000;
}

/* Lock held. */
static void look_later(struct nm_link_io *l, int64_t from_ms)
{
    uint32_t random = 0;
    if (getrandom(&random, sizeof random, GRND_NONBLOCK) < 0)
        random = 0; /* does as well */
    l->look_ms = from_ms + nm_look_wait_ms(&l->look, random);
    if (l->look_ms < l->sleeps_until_ms)
        pthread_cond_signal(&l->look_wake);
}

/* Lock held, and let go meanwhile. In the normal case it ends when there has been another request for long. */
static void look_sleep(struct nm_link_io *l)
{
    l->sleeps_until_ms = l->look_ms;
    if (l->look_ms == INT64_MAX)
        pthread_cond_wait(&l->look_wake, &l->lock);
    else
        base_cond_wait_for(&l->look_wake, &l->lock, (l->look_ms - now_ms()) * 1000);
    l->sleeps_until_ms = 0;
}

static bool still_asking(struct nm_link_io *l, uint64_t asked)
{
    pthread_mutex_lock(&l->lock);
    bool yes = !l->stopping && l->asking && l->asked == asked;
    pthread_mutex_unlock(&l->lock);
    return yes;
}

/* Lock not held. Who leads, of those that we do not wait for; NULL: nobody. */
static const char *look_for_leader(struct nm_link_io *l, const char *waiting_for, int64_t least, uint64_t asked)
{
    const struct base_rm_list *list = l->turn.list;
    for (size_t i = 0; i < list->n && still_asking(l, asked); i++) {
        if (strcasecmp(list->url[i], waiting_for) != 0 && nm_look_ask(l->look_http, list->url[i], least))
            return list->url[i];
    }
    return NULL;
}

/* Lock held, and let go meanwhile. */
static void look(struct nm_link_io *l)
{
    char waiting_for[BASE_RM_URL_MAX];
    uint64_t asked = l->asked;
    /* Who has answered leads under our epoch, unless there is a higher one; of others we know nothing. */
    int64_t least = l->turn.answered ? l->epoch + 1 : l->epoch;
    snprintf(waiting_for, sizeof waiting_for, "%s", base_rm_turn_url(&l->turn));
    l->look_http = base_http_new();
    pthread_mutex_unlock(&l->lock);
    const char *leader = look_for_leader(l, waiting_for, least, asked);
    pthread_mutex_lock(&l->lock);
    base_http_free(l->look_http); /* nobody keeps a connection to a standby */
    l->look_http = NULL;
    if (l->stopping || !l->asking || l->asked != asked)
        return;
    if (!leader) {
        nm_look_vain(&l->look);
        look_later(l, now_ms());
        return;
    }
    base_log_info("nm", "%s does not answer, and %s leads now", waiting_for, leader);
    l->leader = leader;
    l->look_ms = INT64_MAX;
    base_http_cancel(l->beat_http);
}

static void *look_loop(void *u)
{
    struct nm_link_io *l = u;
    pthread_mutex_lock(&l->lock);
    while (!l->stopping) {
        if (now_ms() < l->look_ms)
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
    int n = l->turn.list->n > 1 ? 3 : 2;
    for (; l->threads_n < n; l->threads_n++) {
        int rc = pthread_create(&l->threads[l->threads_n], NULL, loops[l->threads_n], l);
        if (rc)
            return base_error_sys(err, -BASE_EIO, rc, "thread");
    }
    return 0;
}

int nm_link_start(const struct base_rm_list *rms, const char *secret, struct nm_link_io **out, struct base_error *err)
{
    struct nm_link_io *l = base_alloc(sizeof *l);
    pthread_mutex_init(&l->lock, NULL);
    pthread_cond_init(&l->beat.wake, NULL);
    pthread_cond_init(&l->call.wake, NULL);
    base_cond_init(&l->look_wake);
    base_rm_turn_init(&l->turn, rms);
    l->turn.listed_only = true; /* each request carries the cluster's secret */
    l->patience = rms->n > 1 ? &several : &alone;
    l->secret = secret && *secret ? base_strdup(secret) : NULL;
    l->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    l->beat_http = base_http_new();
    l->call_http = base_http_new();
    nm_look_init(&l->look);
    l->look_ms = INT64_MAX;
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
    base_rm_turn_free(&l->turn);
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
static void hand_over(struct nm_link_io *l, struct job *j, const char *what, struct base_buf *body, int64_t timeout_ms)
{
    snprintf(j->url, sizeof j->url, "%s/ws/v1/nodetracker/%s", base_rm_turn_url(&l->turn), what);
    body_take(&j->body, body);
    j->timeout_ms = timeout_ms;
    j->waiting = true;
    pthread_cond_signal(&j->wake);
}

/* @held_ms: an answer may well take so long. */
static void send_request(struct nm_link_io *l, const char *what, struct base_buf *body, int64_t held_ms,
                         int64_t timeout_ms)
{
    pthread_mutex_lock(&l->lock);
    const char *failed = base_rm_turn_failed(&l->turn);
    free(l->beat.header);
    l->beat.header = failed ? base_printf(BASE_RM_FAILED_HEADER ": %s", failed) : NULL;
    if (l->turn.list->n > 1 && !l->turn.answered)
        timeout_ms += PARK_MS;
    hand_over(l, &l->beat, what, body, timeout_ms);
    l->asking = true;
    l->asked++;
    if (l->turn.list->n > 1)
        look_later(l, now_ms() + held_ms);
    pthread_mutex_unlock(&l->lock);
}

void nm_link_send_register(struct nm_link_io *l, struct base_buf *body)
{
    send_request(l, "register", body, REGISTRATION_MS, l->patience->registration);
}

void nm_link_send_heartbeat(struct nm_link_io *l, struct base_buf *body, int64_t hold_ms)
{
    send_request(l, "heartbeat", body, hold_ms, hold_ms + l->patience->beyond_hold);
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
    l->epoch = epoch;
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
