#include "nodemanager/task/fetch.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/wire/task.h"
#include "base/clock.h"
#include "base/cond.h"
#include "base/conf/http_address.h"
#include "base/io/http_client.h"
#include "base/limits.h"
#include "nodemanager/task/rm_client.h"

#define FETCHERS          4
#define HOLD_MS           1000
#define POLL_TIMEOUT_MS   15000
#define REPORT_TIMEOUT_MS 10000
/* doubles with each failure, so that a large output on a slow link succeeds eventually */
#define FETCH_TIMEOUT_MS     60000
#define FETCH_TIMEOUT_MAX_MS (16 * 60000)
#define RETRY_FIRST_MS       250
#define RETRY_MAX_MS         10000
#define TRIES_PER_REPORT     3
/* give up when known outputs have not been fetched and nothing has arrived for this long, time of
 * suspension left out */
#define STALL_US (INT64_C(30) * 60 * 1000000)

enum output_state { OUT_UNKNOWN, OUT_DUE, OUT_FETCHING, OUT_DONE };
struct output {
    enum output_state state;
    int32_t attempt;
    unsigned generation; /* incremented when the RM names another output of this map */
    unsigned failures;
    int64_t due_us;
    char *container, *node;
    char *complaint; /* the reason to report to the RM */
};

struct shuffle {
    struct task *t;
    struct task_runs *runs;
    struct task_rm *rm;
    int64_t version;
    pthread_mutex_t lock; /* protects everything below */
    pthread_cond_t work;  /* signals that an output may be due, or that the shuffle has ended */
    pthread_cond_t moved; /* wakes the main thread after a fetch, a complaint or a fatal error */
    struct output *outputs;
    int32_t maps, known, fetched, complaints;
    /* where the search for due outputs continues; each reduce starts at a different map, to spread
     * the load */
    int32_t next;
    /* time of the last progress, by task_active_time_us(): suspended time does not count */
    int64_t moved_us;
    bool over;
    int rc;
    struct base_error err;
};

static int64_t monotonic_now_us(void)
{
    return base_mono_us(&base_clock_real);
}

/* ---- fetchers ---- */

struct job {
    int32_t map;
    unsigned generation;
    int64_t timeout_ms;
    char *url;
};

/* Call with the lock held. Marks a due output as being fetched, fills @job, whose URL the caller
 * frees, and returns true. If no output is due, returns false and sets *wait_us to the time until
 * one may be, at most a second. The search continues after the last output claimed, so that an
 * output that keeps failing does not delay the others. */
static bool claim_next_due_output(struct shuffle *s, struct job *job, int64_t *wait_us)
{
    int64_t now = monotonic_now_us();

    *wait_us = 1000000;
    for (int32_t k = 0; k < s->maps; k++) {
        int32_t m = (s->next + k) % s->maps;
        struct output *o = &s->outputs[m];

        if (o->state != OUT_DUE)
            continue;
        if (o->due_us <= now) {
            unsigned shift = o->failures < 4 ? o->failures : 4;

            o->state = OUT_FETCHING;
            job->map = m;
            job->generation = o->generation;
            job->timeout_ms = (int64_t)FETCH_TIMEOUT_MS << shift;
            job->url =
                base_printf("%s%s/ws/v1/node/mapoutput/%s/%d", base_http_address_scheme(o->node),
                            base_http_address_host(o->node), o->container, s->t->spec.index);
            s->next = (m + 1) % s->maps;
            return true;
        }
        if (o->due_us - now < *wait_us)
            *wait_us = o->due_us - now;
    }
    return false;
}

static bool wait_for_fetch_job(struct shuffle *s, struct job *job)
{
    bool found = false;

    pthread_mutex_lock(&s->lock);
    while (!s->over && !found) {
        int64_t wait_us;

        found = claim_next_due_output(s, job, &wait_us);
        if (!found)
            base_cond_wait_for(&s->work, &s->lock, wait_us);
    }
    pthread_mutex_unlock(&s->lock);
    return found;
}

/* Schedules a retry after a failure of a node or the network. @gone: the node has answered 404.
 * Also sets the complaint for the RM when it is time for one. Failures of the task's own disk are
 * not recorded here; they end the task. */
static void record_fetch_failure(struct shuffle *s, const struct job *job, const char *why,
                                 bool gone)
{
    struct output *o = &s->outputs[job->map];
    int64_t wait_ms = RETRY_FIRST_MS;

    task_counter_add(s->t, BASE_COUNT_FAILED_SHUFFLE, 1);
    pthread_mutex_lock(&s->lock);
    if (o->state == OUT_FETCHING && o->generation == job->generation) {
        o->failures++;
        for (unsigned i = 1; i < o->failures && wait_ms < RETRY_MAX_MS; i++)
            wait_ms *= 2;
        o->due_us = monotonic_now_us() + (wait_ms < RETRY_MAX_MS ? wait_ms : RETRY_MAX_MS) * 1000;
        o->state = OUT_DUE;
        if ((gone && o->failures == 1) || o->failures % TRIES_PER_REPORT == 0) {
            s->complaints += o->complaint == NULL;
            free(o->complaint);
            o->complaint = base_strdup(why);
            pthread_cond_signal(&s->moved);
        }
    } else if (o->state == OUT_FETCHING) {
        o->state = OUT_DUE; /* another output was named in the meantime */
        o->due_us = 0;
    }
    pthread_mutex_unlock(&s->lock);
}

static void record_fetched_output(struct shuffle *s, const struct job *job, int64_t bytes)
{
    struct output *o = &s->outputs[job->map];

    task_counter_add(s->t, BASE_COUNT_SHUFFLE_BYTES, bytes);
    task_counter_add(s->t, BASE_COUNT_SHUFFLED_MAPS, 1);
    pthread_mutex_lock(&s->lock);
    o->state = OUT_DONE;
    s->complaints -= o->complaint != NULL;
    free(o->complaint);
    o->complaint = NULL;
    s->fetched++;
    s->moved_us = task_active_time_us(s->t);
    atomic_store(&s->t->done, s->fetched);
    pthread_cond_signal(&s->moved);
    pthread_mutex_unlock(&s->lock);
}

static void abort_shuffle(struct shuffle *s, const struct base_error *err)
{
    pthread_mutex_lock(&s->lock);
    if (s->rc == 0) {
        s->rc = err->code;
        s->err = *err;
    }
    s->over = true;
    pthread_cond_broadcast(&s->work);
    pthread_cond_signal(&s->moved);
    pthread_mutex_unlock(&s->lock);
}

struct fetcher {
    struct shuffle *s;
    struct base_http *http;
    pthread_t thread;
    int number, serial;
    char *path;
    int fd;
};

static int open_or_empty_run_file(struct fetcher *f, struct base_error *err)
{
    if (f->fd >= 0)
        return ftruncate(f->fd, 0) < 0 || lseek(f->fd, 0, SEEK_SET) < 0
                   ? base_error_sys(err, -BASE_EIO, errno, "%s", f->path)
                   : 0;
    free(f->path);
    f->path = base_printf("%s/run-%d-%d", f->s->t->tmp, f->number, f->serial++);
    f->fd = task_open_plain_file(f->path, O_RDWR | O_CREAT | O_TRUNC, err);
    return f->fd >= 0 ? 0 : f->fd;
}

/* Fetches an output into a run. Returns 0 if the fetch succeeded or will be retried, and an error
 * only if the task's own disk failed. */
static int fetch_output(struct fetcher *f, const struct job *job, struct base_error *err)
{
    struct base_http_request rq = {
        .method = "GET",
        .url = job->url,
        .keys = task_reread_keys(f->s->t),
        .stream = true,
        .accept = "application/octet-stream",
        .timeout_ms =
            job->timeout_ms < FETCH_TIMEOUT_MAX_MS ? job->timeout_ms : FETCH_TIMEOUT_MAX_MS,
    };
    struct base_http_answer answer;
    struct base_error why = {0};
    bool kept = false;
    off_t bytes;
    int rc = open_or_empty_run_file(f, err);

    if (rc < 0)
        return rc;
    rq.out_fd = f->fd;
    rc = base_http_perform(f->http, &rq, &answer, &why);
    if (rc == -BASE_ENOSPC || (rc < 0 && strstr(why.text, "cannot store") != NULL)) {
        *err = why;
        return rc;
    }
    if (rc == 0 && answer.status != 200) {
        bool gone = answer.status == 404;

        base_error_set(&why, -BASE_EIO, "%s: HTTP %ld", job->url, answer.status);
        base_http_answer_free(&answer);
        record_fetch_failure(f->s, job, why.text, gone);
        return 0;
    }
    if (rc < 0) {
        record_fetch_failure(f->s, job, why.text, false);
        return 0;
    }
    base_http_answer_free(&answer);
    bytes = lseek(f->fd, 0, SEEK_END);
    rc = task_runs_add_file(f->s->runs, f->fd, f->path, &kept, &why);
    if (rc == -BASE_ECORRUPT) {
        record_fetch_failure(f->s, job, why.text, false);
        return 0;
    }
    if (rc < 0) {
        *err = why;
        return rc;
    }
    if (kept) {
        close(f->fd);
        f->fd = -1;
    }
    record_fetched_output(f->s, job, bytes);
    return 0;
}

static void *fetcher_thread(void *arg)
{
    struct fetcher *f = arg;
    struct job job;

    while (wait_for_fetch_job(f->s, &job)) {
        struct base_error err = {0};
        int rc = fetch_output(f, &job, &err);

        free(job.url);
        if (rc < 0)
            abort_shuffle(f->s, &err);
    }
    return NULL;
}

/* ---- talking to the RM ---- */

static void set_output_location(struct shuffle *s, int32_t map, int32_t attempt,
                                const char *container, const char *node)
{
    struct output *o = &s->outputs[map];

    if (o->state == OUT_DONE || (o->container != NULL && strcmp(o->container, container) == 0 &&
                                 strcmp(o->node, node) == 0))
        return;
    s->known += o->container == NULL;
    s->complaints -= o->complaint != NULL;
    free(o->container);
    free(o->node);
    free(o->complaint);
    o->complaint = NULL;
    o->container = base_strdup(container);
    o->node = base_strdup(node);
    o->attempt = attempt;
    o->generation++;
    o->failures = 0;
    o->due_us = 0;
    /* if the output is being fetched, its fetcher notices the new generation when the old fetch
     * fails */
    if (o->state != OUT_FETCHING)
        o->state = OUT_DUE;
    s->moved_us = task_active_time_us(s->t);
}

static int store_output_locations(struct shuffle *s, const struct wire_map_outputs *reply,
                                  struct base_error *err)
{
    int rc = 0;

    pthread_mutex_lock(&s->lock);
    for (size_t i = 0; rc == 0 && i < reply->outputs_n; i++) {
        const struct wire_map_output *o = &reply->outputs[i];

        if (o->map < s->maps)
            set_output_location(s, o->map, o->attempt, o->container, o->node);
        else
            rc = base_error_set(err, -BASE_EINVAL, "outputs[%zu].map: %d is not one of %d maps", i,
                                (int)o->map, (int)s->maps);
    }
    pthread_cond_broadcast(&s->work);
    pthread_mutex_unlock(&s->lock);
    /* A restarted RM may count versions from the beginning. */
    if (rc == 0)
        s->version = reply->version >= s->version ? reply->version : 0;
    return rc;
}

static int poll_output_locations(struct shuffle *s, int64_t hold_ms, struct base_error *err)
{
    char *path = base_printf("/ws/v1/nodetracker/apps/%s/mapoutputs?since=%lld&hold-ms=%lld",
                             s->t->spec.app_id, (long long)s->version, (long long)hold_ms);
    struct base_http_answer answer = {0};
    struct wire_map_outputs reply = {0};
    int rc = task_rm_call_until_active(s->rm, path, NULL, hold_ms + POLL_TIMEOUT_MS, &answer, err);

    if (rc == 0)
        rc = wire_map_outputs_get(answer.body.data != NULL ? answer.body.data : "", answer.body.len,
                                  &reply, err);
    if (rc == 0)
        rc = store_output_locations(s, &reply, err);
    if (rc < 0)
        s->version = 0; /* the next successful poll asks for all locations */
    wire_map_outputs_free(&reply);
    base_http_answer_free(&answer);
    free(path);
    return rc;
}

/* Removes the next complaint from the table. Returns its request body, which the caller frees, or
 * NULL if there is no complaint. */
static char *take_next_fetch_complaint(struct shuffle *s)
{
    struct base_buf body = {0};

    pthread_mutex_lock(&s->lock);
    for (int32_t m = 0; m < s->maps && s->complaints > 0 && body.len == 0; m++) {
        struct output *o = &s->outputs[m];

        if (o->complaint == NULL)
            continue;
        wire_fetch_failure_put(&(struct wire_fetch_failure){.map = m,
                                                            .attempt = o->attempt,
                                                            .container = o->container,
                                                            .reduce = s->t->spec.task_id,
                                                            .reason = o->complaint},
                               &body);
        free(o->complaint);
        o->complaint = NULL;
        s->complaints--;
    }
    pthread_mutex_unlock(&s->lock);
    return body.len > 0 ? base_buf_take(&body) : NULL;
}

/* A report that does not arrive is repeated after at most three further failures. */
static void report_fetch_failures(struct shuffle *s)
{
    char *path = base_printf("/ws/v1/nodetracker/apps/%s/fetch-failure", s->t->spec.app_id);
    char *body;

    while ((body = take_next_fetch_complaint(s)) != NULL) {
        (void)task_rm_call_until_active(s->rm, path, body, REPORT_TIMEOUT_MS, NULL, NULL);
        free(body);
    }
    free(path);
}

/* Waits up to @wait_ms for the fetchers. Returns true if all outputs are fetched or the shuffle has
 * failed. Sets *all_known to whether the RM has named all outputs, and *stalled to whether known
 * outputs are missing and nothing has progressed for more than STALL_US. */
static bool wait_and_check_progress(struct shuffle *s, int64_t wait_ms, bool *all_known,
                                    bool *stalled)
{
    bool stop;

    pthread_mutex_lock(&s->lock);
    if (wait_ms > 0 && !s->over && s->fetched < s->maps && s->complaints == 0)
        base_cond_wait_for(&s->moved, &s->lock, wait_ms * 1000);
    *all_known = s->known == s->maps;
    /* Waiting for maps that have not run yet is not a stall, however long it takes. */
    *stalled = s->known > s->fetched && task_active_time_us(s->t) - s->moved_us > STALL_US;
    stop = s->over || s->fetched == s->maps;
    pthread_mutex_unlock(&s->lock);
    return stop;
}

/* The main thread's loop. Polling goes on after all outputs are known, because the RM may replace
 * an output whose node was lost: the RM is then polled once a second, and after each complaint. The
 * loop ends early, with an error, when the shuffle stalls or fails, or when no RM has answered for
 * TASK_RM_PATIENCE_US. */
static int poll_until_all_fetched(struct shuffle *s, struct base_error *err)
{
    int64_t lost_us = -1, retry_ms = TASK_RM_RETRY_FIRST_MS;
    bool all_known = false, stalled = false;

    while (!wait_and_check_progress(s, 0, &all_known, &stalled)) {
        struct base_error why = {0};
        int rc;

        if (stalled)
            return base_error_set(err, -BASE_ETIMEOUT, "map outputs exist but cannot be fetched");
        report_fetch_failures(s);
        rc = poll_output_locations(s, all_known ? 0 : HOLD_MS, &why);
        if (rc == 0) {
            lost_us = -1;
            retry_ms = TASK_RM_RETRY_FIRST_MS;
            if (wait_and_check_progress(s, 0, &all_known, &stalled))
                break;
            /* A wake-up may be for one of many outputs: check again without polling the RM each
             * time. */
            for (int64_t until = monotonic_now_us() + HOLD_MS * 1000;
                 all_known && monotonic_now_us() < until;)
                if (wait_and_check_progress(s, (until - monotonic_now_us()) / 1000 + 1, &all_known,
                                            &stalled) ||
                    s->complaints > 0)
                    break;
            continue;
        }
        if (lost_us < 0)
            lost_us = task_active_time_us(s->t);
        if (task_active_time_us(s->t) - lost_us > TASK_RM_PATIENCE_US)
            return base_error_set(err, -BASE_ETIMEOUT,
                                  "no ResourceManager reports where map outputs are: %s", why.text);
        (void)wait_and_check_progress(s, task_rm_next_pause_ms(&retry_ms), &all_known, &stalled);
    }
    if (s->rc < 0)
        *err = s->err;
    return s->rc;
}

static void start_fetchers(struct shuffle *s, struct fetcher *f)
{
    for (int i = 0; i < FETCHERS; i++) {
        f[i] = (struct fetcher){.s = s, .http = base_http_new(), .number = i, .fd = -1};
        base_assert(pthread_create(&f[i].thread, NULL, fetcher_thread, &f[i]) == 0);
    }
}

static void stop_fetchers(struct shuffle *s, struct fetcher *f)
{
    pthread_mutex_lock(&s->lock);
    s->over = true;
    pthread_cond_broadcast(&s->work);
    pthread_mutex_unlock(&s->lock);
    for (int i = 0; i < FETCHERS; i++) {
        pthread_join(f[i].thread, NULL);
        base_http_free(f[i].http);
        if (f[i].fd >= 0) {
            close(f[i].fd);
            unlink(f[i].path);
        }
        free(f[i].path);
    }
}

static void free_outputs(struct shuffle *s)
{
    for (int32_t m = 0; m < s->maps; m++) {
        free(s->outputs[m].container);
        free(s->outputs[m].node);
        free(s->outputs[m].complaint);
    }
    free(s->outputs);
}

int task_fetch_map_outputs(struct task *t, struct task_runs *runs, struct base_error *err)
{
    struct shuffle s = {
        .t = t, .runs = runs, .maps = t->spec.maps, .moved_us = task_active_time_us(t)};
    struct fetcher fetchers[FETCHERS];
    int rc;

    if (s.maps == 0)
        return 0;
    s.outputs = base_alloc((size_t)s.maps * sizeof *s.outputs);
    s.next = t->spec.index % s.maps;
    s.rm = task_rm_new(t);
    pthread_mutex_init(&s.lock, NULL);
    base_cond_init(&s.work);
    base_cond_init(&s.moved);
    atomic_store(&t->done, 0);
    atomic_store(&t->total, s.maps);
    start_fetchers(&s, fetchers);
    rc = poll_until_all_fetched(&s, err);
    stop_fetchers(&s, fetchers);
    pthread_cond_destroy(&s.work);
    pthread_cond_destroy(&s.moved);
    pthread_mutex_destroy(&s.lock);
    task_rm_free(s.rm);
    free_outputs(&s);
    return rc;
}
