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

#define WAKE_TIMEOUT_MS     5000
#define SIGN_OFF_TIMEOUT_MS 2000
#define ANSWER_MAX          (64u << 20)

/* Time to connect; shorter with several RMs, since waiting for one delays the attempt with the
 * next. */
#define CONNECT_ALONE_MS 3000
#define CONNECT_MS       1000
/* With several RMs, a host that acknowledges no data for this time is given up. */
#define SILENCE_MS 3000

struct job {
    pthread_cond_t wake;
    bool waiting, running;
    char url[1024];
    char *header; /* additional header line, or NULL */
    struct base_buf body;
    int64_t timeout_ms;
};
struct nm_link_io {
    bool several; /* RMs to choose from */
    struct base_keyring *keys;
    int fd;
    pthread_mutex_t lock;
    bool stopping, done;
    struct job beat, call;
    struct nm_link_result result;
    struct base_http *beat_http, *call_http;
    struct nm_rm_search search;
    /* used by the look thread, which exists only with several RMs */
    pthread_cond_t look_wake;
    int64_t sleeps_until_us;     /* end of the thread's sleep; 0: it is awake */
    struct base_http *look_http; /* during a look, else NULL */
    pthread_t threads[3];
    int threads_n;
};

static void move_body(struct base_buf *to, struct base_buf *from)
{
    base_buf_free(to);
    *to = *from;
    memset(from, 0, sizeof *from);
}

static int post_to_rm(struct nm_link_io *l, struct base_http *h, const struct job *j,
                      struct base_http_answer *out, struct base_error *err)
{
    struct base_http_request rq = {.method = "POST",
                                   .url = j->url,
                                   .body = j->body.data,
                                   .body_len = j->body.len,
                                   .keys = l->keys,
                                   .header = j->header,
                                   .connect_timeout_ms = l->several ? CONNECT_MS : CONNECT_ALONE_MS,
                                   .timeout_ms = j->timeout_ms,
                                   .silence_ms = l->several ? SILENCE_MS : 0,
                                   .body_max = ANSWER_MAX};
    return base_http_perform(h, &rq, out, err);
}

/* Waits for a job. Returns false when the thread must end. */
static bool wait_for_job(struct nm_link_io *l, struct job *j)
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

static void *run_wake_rm_thread(void *u)
{
    struct nm_link_io *l = u;
    while (wait_for_job(l, &l->call)) {
        struct base_http_answer a = {0};
        pthread_mutex_lock(&l->lock);
        struct job j = {.timeout_ms = l->call.timeout_ms};
        memcpy(j.url, l->call.url, sizeof j.url);
        move_body(&j.body, &l->call.body);
        pthread_mutex_unlock(&l->lock);
        post_to_rm(l, l->call_http, &j, &a,
                   NULL); /* may fail: the RM answers after the interval anyway */
        base_http_answer_free(&a);
        base_buf_free(&j.body);
    }
    return NULL;
}

static enum nm_outcome classify_outcome(int rc, const struct base_http_answer *a)
{
    if (rc < 0)
        return NM_OUTCOME_SILENT;
    return a->status == 200   ? NM_OUTCOME_OK
           : a->status == 307 ? NM_OUTCOME_MOVED
                              : NM_OUTCOME_ERROR;
}

/* Call with the lock held. An answer with status 200 is judged by the loop later. */
static void note_request_ended(struct nm_link_io *l, int rc, const struct base_http_answer *a)
{
    bool abandoned = l->search.leader;

    nm_rm_search_note_request_ended(&l->search, classify_outcome(rc, a), a->location,
                                    &l->result.retry);
    if (!abandoned)
        return;
    base_http_free(l->beat_http); /* drops a cancellation that came too late for this request */
    l->beat_http = base_http_new();
}

static void *run_request_thread(void *u)
{
    struct nm_link_io *l = u;
    while (wait_for_job(l, &l->beat)) {
        struct base_http_answer a = {0};
        struct base_error err = {0};
        int rc = post_to_rm(l, l->beat_http, &l->beat, &a, &err);
        pthread_mutex_lock(&l->lock);
        l->result = (struct nm_link_result){.rc = rc, .status = a.status, .err = err};
        snprintf(l->result.url, sizeof l->result.url, "%s", l->beat.url);
        if (rc >= 0)
            move_body(&l->result.body, &a.body);
        note_request_ended(l, rc, &a);
        l->done = true;
        pthread_mutex_unlock(&l->lock);
        base_http_answer_free(&a);
        uint64_t one = 1;
        if (write(l->fd, &one, sizeof one) < 0)
            continue; /* the counter is full, so the descriptor is readable anyway */
    }
    return NULL;
}

/* ---- looks for another leader ---- */

static int64_t now_us(void)
{
    return base_mono_us(&base_clock_real);
}

static uint32_t random_number(void)
{
    uint32_t random = 0;
    if (getrandom(&random, sizeof random, GRND_NONBLOCK) < 0)
        random = 0; /* good enough: the number only spreads the looks of nodes */
    return random;
}

/* Call with the lock held, which is released while sleeping. A request that is answered in time
 * does not wake the thread, so usually a later request is in flight when the sleep ends. */
static void sleep_until_next_look(struct nm_link_io *l)
{
    int64_t until = l->search.look_us;
    l->sleeps_until_us = until;
    if (until == INT64_MAX)
        pthread_cond_wait(&l->look_wake, &l->lock);
    else
        base_cond_wait_for(&l->look_wake, &l->lock, until - now_us());
    l->sleeps_until_us = 0;
}

/* Call without the lock. Returns the next RM to ask for request @asked, or NULL at the end of the
 * list, when this request is no longer in flight, or when the link is being stopped. */
static const char *next_rm_to_ask(struct nm_link_io *l, uint64_t asked, size_t *at)
{
    pthread_mutex_lock(&l->lock);
    const char *url = !l->stopping && nm_rm_search_is_request_in_flight(&l->search, asked)
                          ? nm_rm_search_next_rm_but_current(&l->search, at)
                          : NULL;
    pthread_mutex_unlock(&l->lock);
    return url;
}

/* Call without the lock. Returns the other RM that leads, or NULL if none does. */
static const char *find_other_leader(struct nm_link_io *l, uint64_t asked, int64_t least)
{
    size_t at = 0;
    const char *url;
    while ((url = next_rm_to_ask(l, asked, &at)))
        if (nm_ask_whether_rm_leads(l->look_http, l->keys, url, least))
            return url;
    return NULL;
}

/* Call with the lock held, which is released while RMs are asked. Abandons the request in flight if
 * another RM leads. */
static void look_for_new_leader(struct nm_link_io *l)
{
    uint64_t asked = l->search.asked;
    int64_t least = nm_rm_search_least_leader_epoch(&l->search);
    l->look_http = base_http_new();
    pthread_mutex_unlock(&l->lock);
    const char *leader = find_other_leader(l, asked, least);
    pthread_mutex_lock(&l->lock);
    base_http_free(l->look_http); /* do not keep connections to standbys */
    l->look_http = NULL;
    if (l->stopping ||
        !nm_rm_search_note_look_result(&l->search, asked, leader, now_us(), random_number()))
        return;
    base_log_info("nm", "%s does not answer, and %s leads now", base_rm_cursor_url(&l->search.turn),
                  leader);
    base_http_cancel(l->beat_http);
}

static void *run_look_thread(void *u)
{
    struct nm_link_io *l = u;
    pthread_mutex_lock(&l->lock);
    while (!l->stopping) {
        if (now_us() < l->search.look_us)
            sleep_until_next_look(l);
        else
            look_for_new_leader(l);
    }
    pthread_mutex_unlock(&l->lock);
    return NULL;
}

/* ---- start and stop ---- */

static int start_threads(struct nm_link_io *l, struct base_error *err)
{
    static void *(*const loops[])(void *) = {run_request_thread, run_wake_rm_thread,
                                             run_look_thread};
    static const char *const names[] = {"rm-link", "rm-link-wake", "rm-link-look"};
    int n = l->several ? 3 : 2;
    for (; l->threads_n < n; l->threads_n++) {
        int rc = pthread_create(&l->threads[l->threads_n], NULL, loops[l->threads_n], l);
        if (rc)
            return base_error_sys(err, -BASE_EIO, rc, "thread");
        pthread_setname_np(l->threads[l->threads_n], names[l->threads_n]);
    }
    return 0;
}

int nm_link_start(const struct base_rm_list *rms, struct base_keyring *keys,
                  struct nm_link_io **out, struct base_error *err)
{
    struct nm_link_io *l = base_alloc(sizeof *l);
    pthread_mutex_init(&l->lock, NULL);
    pthread_cond_init(&l->beat.wake, NULL);
    pthread_cond_init(&l->call.wake, NULL);
    base_cond_init(&l->look_wake);
    nm_rm_search_init(&l->search, rms);
    l->several = rms->n > 1;
    l->keys = base_keyring_ref(keys);
    l->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    l->beat_http = base_http_new();
    l->call_http = base_http_new();
    int rc = l->fd < 0 ? base_error_sys(err, -BASE_EIO, errno, "eventfd") : start_threads(l, err);
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
    nm_rm_search_free(&l->search);
    base_keyring_unref(l->keys);
    if (l->fd >= 0)
        close(l->fd);
    pthread_cond_destroy(&l->beat.wake);
    pthread_cond_destroy(&l->call.wake);
    pthread_cond_destroy(&l->look_wake);
    pthread_mutex_destroy(&l->lock);
    free(l);
}

int nm_link_result_fd(const struct nm_link_io *l)
{
    return l->fd;
}

/* Call with the lock held. */
static void hand_over_job(struct nm_link_io *l, struct job *j, const char *what,
                          struct base_buf *body, int64_t timeout_ms)
{
    snprintf(j->url, sizeof j->url, "%s/ws/v1/nodetracker/%s", base_rm_cursor_url(&l->search.turn),
             what);
    move_body(&j->body, body);
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
    int64_t timeout_us = nm_rm_search_timeout_us(&l->search, registering, hold_ms * 1000);
    hand_over_job(l, &l->beat, what, body, timeout_us / 1000);
    nm_rm_search_note_request_sent(&l->search, registering, hold_ms * 1000, now_us(),
                                   random_number());
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

void nm_link_send_wake(struct nm_link_io *l, struct base_buf *body)
{
    pthread_mutex_lock(&l->lock);
    hand_over_job(l, &l->call, "wake", body, WAKE_TIMEOUT_MS);
    pthread_mutex_unlock(&l->lock);
}

int nm_link_sign_off(struct nm_link_io *l, struct base_buf *body, struct base_error *err)
{
    struct job j = {.timeout_ms = SIGN_OFF_TIMEOUT_MS};
    struct base_http *http = base_http_new();
    struct base_http_answer a = {0};
    pthread_mutex_lock(&l->lock);
    snprintf(j.url, sizeof j.url, "%s/ws/v1/nodetracker/unregister",
             base_rm_cursor_url(&l->search.turn));
    pthread_mutex_unlock(&l->lock);
    move_body(&j.body, body);
    int rc = post_to_rm(l, http, &j, &a, err);
    if (rc >= 0 && a.status != 204)
        rc = base_error_set(err, -BASE_EIO, "%s: status %ld", j.url, a.status);
    base_http_answer_free(&a);
    base_buf_free(&j.body);
    base_http_free(http);
    return rc < 0 ? rc : 0;
}

bool nm_link_take_result(struct nm_link_io *l, struct nm_link_result *out)
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

bool nm_link_answer_is_late(struct nm_link_io *l)
{
    pthread_mutex_lock(&l->lock);
    bool late = nm_rm_search_answer_is_late(&l->search, now_us());
    pthread_mutex_unlock(&l->lock);
    return late;
}

void nm_link_accept_answer(struct nm_link_io *l, int64_t epoch)
{
    pthread_mutex_lock(&l->lock);
    nm_rm_search_note_good_answer(&l->search, epoch);
    pthread_mutex_unlock(&l->lock);
}

void nm_link_reject_answer(struct nm_link_io *l, struct nm_link_result *r)
{
    pthread_mutex_lock(&l->lock);
    nm_rm_search_note_bad_answer(&l->search, &r->retry);
    pthread_mutex_unlock(&l->lock);
}
