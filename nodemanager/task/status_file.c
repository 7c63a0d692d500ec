/* Writes the reports of a task: progress while it runs, result.json or failure.json at its end. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "api/wire/task_file.h"
#include "base/clock.h"
#include "base/cond.h"
#include "base/io/io.h"
#include "base/io/plain.h"
#include "base/utf8.h"
#include "nodemanager/task/task.h"

#define PROGRESS_INTERVAL_US 200000
#define LIVED_STEP_MAX_US    1000000 /* the rest of a longer step counts as suspended */

static const char *const phase_names[] = {"map", "shuffle", "sort", "reduce"};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects stop and the first failure */
static pthread_cond_t wake;
static pthread_t thread;
static bool stop;

static int64_t cpu_time_ms(int who)
{
    struct rusage u;

    getrusage(who, &u);
    return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000 +
           (u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1000;
}

int task_open_plain_file(const char *path, int flags, struct base_error *err)
{
    int fd = base_plain_open(AT_FDCWD, path, flags, 0640, NULL);

    if (fd == -BASE_PLAIN_OTHER)
        return base_error_set(err, -BASE_EIO, "%s: %s", path, base_plain_open_strerror(fd));
    return fd < 0 ? base_error_sys(err, -BASE_EIO, -fd, "%s", path) : fd;
}

static void collect_counters(struct task *t, struct wire_counters *out)
{
    int64_t ms = (base_mono_us(&base_clock_real) - t->started_us) / 1000,
            cpu_ms = cpu_time_ms(RUSAGE_SELF) + cpu_time_ms(RUSAGE_CHILDREN);

    atomic_store(&t->counter[t->spec.is_reduce ? BASE_COUNT_REDUCE_MILLIS : BASE_COUNT_MAP_MILLIS],
                 ms);
    atomic_store(&t->counter[BASE_COUNT_CPU_MILLIS], cpu_ms);
    if (t->spec.is_reduce)
        atomic_store(&t->counter[BASE_COUNT_REDUCE_CPU_MILLIS], cpu_ms);
    out->known = true;
    for (enum base_task_counter i = 0; i < BASE_TASK_COUNTERS; i++)
        out->v[i] = atomic_load(&t->counter[i]);
}

static double compute_progress(struct task *t)
{
    int64_t total = atomic_load(&t->total), done = atomic_load(&t->done);
    double part = total > 0 ? (double)done / (double)total : 0;
    int phase = atomic_load(&t->phase);

    if (part > 1)
        part = 1;
    return phase == TASK_PHASE_MAP ? part : (phase - TASK_PHASE_SHUFFLE + part) / 3;
}

/* Writes @text and a newline to the file @name in the task's folder. Frees @text. */
static int write_report_file(const struct task *t, const char *name, struct base_buf *text,
                             struct base_error *err)
{
    char *path = base_printf("%s/%s", t->dir, name);
    int rc;

    base_buf_adds(text, "\n");
    rc = base_file_write_atomic(path, text->data, text->len, 0644, false, err);
    base_buf_free(text);
    free(path);
    return rc;
}

/* Failing to write progress does not fail the task: if the disk is full, writing the data will fail
 * too. */
static void write_progress(struct task *t)
{
    struct wire_task_progress p = {.progress = compute_progress(t),
                                   .phase = phase_names[atomic_load(&t->phase)]};
    struct base_buf text = {0};

    collect_counters(t, &p.counters);
    wire_task_progress_put(&p, &text);
    (void)write_report_file(t, "progress", &text, NULL);
}

static void add_active_time_since_last(struct task *t, int64_t *last_us)
{
    int64_t now = base_mono_us(&base_clock_real), step = now - *last_us;

    *last_us = now;
    atomic_fetch_add(&t->lived_us, step < LIVED_STEP_MAX_US ? step : LIVED_STEP_MAX_US);
}

static void *progress_thread(void *arg)
{
    struct task *t = arg;
    int64_t seen_done = -1, last_us = base_mono_us(&base_clock_real);
    int seen_phase = -1;

    pthread_mutex_lock(&lock);
    while (!stop) {
        int64_t until_us;
        int phase = atomic_load(&t->phase);
        int64_t done = atomic_load(&t->done);

        if (phase != seen_phase || done != seen_done) {
            seen_phase = phase;
            seen_done = done;
            pthread_mutex_unlock(&lock);
            write_progress(t);
            pthread_mutex_lock(&lock);
        }
        until_us = base_cond_now_us() + PROGRESS_INTERVAL_US;
        while (!stop && base_cond_wait_until(&wake, &lock, until_us))
            continue;
        add_active_time_since_last(t, &last_us);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

int task_progress_start(struct task *t, struct base_error *err)
{
    int rc;

    base_cond_init(&wake);
    rc = pthread_create(&thread, NULL, progress_thread, t);
    return rc == 0 ? 0 : base_error_sys(err, -BASE_EIO, rc, "progress thread");
}

void task_progress_stop(struct task *t)
{
    pthread_mutex_lock(&lock);
    stop = true;
    pthread_cond_signal(&wake);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    write_progress(t);
}

int task_write_result(struct task *t, struct base_error *err)
{
    struct wire_task_result r = {.output_bytes = 0};
    struct base_buf text = {0};

    for (int32_t i = 0; t->partitions != NULL && i < t->spec.reduces; i++)
        r.output_bytes += t->partitions[i].bytes;
    collect_counters(t, &r.counters);
    wire_task_result_put(&r, &text);
    return write_report_file(t, "result.json", &text, err);
}

/* Replaces invalid UTF-8 and control characters other than newline and TAB by '?'. */
static void replace_unprintable_bytes(char *s)
{
    while (*s != '\0') {
        size_t n = base_utf8_sequence_len(s);

        if (n == 0 || ((unsigned char)*s < 0x20 && *s != '\n' && *s != '\t') || *s == 0x7f) {
            *s = '?';
            n = 1;
        }
        s += n;
    }
}

static void keep_failure_if_first(struct task *t, int exit_code, char *text, size_t headline)
{
    pthread_mutex_lock(&lock);
    if (t->diagnostics == NULL) {
        t->diagnostics = text;
        t->headline = headline;
        replace_unprintable_bytes(t->diagnostics);
        atomic_store(&t->failed, exit_code);
    } else {
        free(text);
    }
    pthread_mutex_unlock(&lock);
}

void task_record_failure(struct task *t, int exit_code, const char *fmt, ...)
{
    struct base_buf b = {0};
    size_t headline;
    va_list ap;

    va_start(ap, fmt);
    base_buf_vaddf(&b, fmt, ap);
    va_end(ap);
    headline = b.len;
    keep_failure_if_first(t, exit_code, base_buf_take(&b), headline);
}

void task_record_failure_with_stderr(struct task *t, int exit_code, const char *tail, size_t len,
                                     const char *fmt, ...)
{
    struct base_buf b = {0};
    size_t headline;
    va_list ap;

    va_start(ap, fmt);
    base_buf_vaddf(&b, fmt, ap);
    va_end(ap);
    headline = b.len;
    if (len > 0) {
        base_buf_adds(&b, ": ");
        base_buf_add(&b, tail, len);
    }
    keep_failure_if_first(t, exit_code, base_buf_take(&b), headline);
}

void task_record_error(struct task *t, const struct base_error *err)
{
    if (err->code == -BASE_ENOSPC)
        task_record_failure(t, TASK_EXIT_NOSPACE, "%s",
                            strstr(err->text, "No space left") != NULL ? err->text
                                                                       : "No space left on device");
    else
        task_record_failure(t, 1, "%s", err->text);
}

void task_write_failure(const struct task *t)
{
    int code = atomic_load(&t->failed);
    struct wire_task_failure f = {.exit_code =
                                      code == TASK_EXIT_NOSPACE ? WIRE_TASK_EXIT_NO_SPACE : code,
                                  .diagnostics = t->diagnostics};
    struct base_buf text = {0};

    wire_task_failure_put(&f, &text);
    (void)write_report_file(t, "failure.json", &text, NULL);
}
