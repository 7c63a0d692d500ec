#include "nodemanager/task/job/steps.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/wire/task.h"
#include "base/clock.h"
#include "nodemanager/task/job/output_folder.h"
#include "nodemanager/task/job/splits.h"
#include "nodemanager/task/rm_client.h"

#define ASK_TIMEOUT_MS 60000
#define PAGE_PATHS_MAX (1u << 20) /* bytes of the paths in one page, before they are escaped */
#define GRACE_US       INT64_C(3000000)
#define LIMIT          "creel.rm.input-timeout-ms"

static int parse_job_id(const struct task *t, struct base_app_id *id, struct base_error *err)
{
    int rc = base_app_id_parse(t->spec.app_id, id, err);

    return rc < 0 ? base_error_wrap(err, rc, "spec.job") : 0;
}

/* Returns true when another attempt of the step on this node would fail in the same way. */
static bool error_would_repeat(int rc)
{
    return rc == -BASE_EINVAL || rc == -BASE_EEXIST || rc == -BASE_ELIMIT ||
           rc == -BASE_ETOOLARGE || rc == -BASE_EPERM || rc == -BASE_ETIMEOUT;
}

static int record_if_error_would_repeat(struct task *t, int rc, const struct base_error *err)
{
    if (rc < 0 && error_would_repeat(rc))
        task_record_failure(t, TASK_EXIT_JOB_REFUSED, "%s", err->text);
    return rc;
}

static int post_to_rm(struct task *t, struct task_rm *rm, const char *what,
                      const struct base_buf *body, struct base_http_answer *answer,
                      struct base_error *err)
{
    char *path = base_printf("/ws/v1/nodetracker/apps/%s/%s", t->spec.app_id, what);
    int rc = task_rm_call_patiently(rm, path, body->data, ASK_TIMEOUT_MS, answer, err);

    free(path);
    return rc < 0 ? base_error_wrap(err, rc, "%s", what) : 0;
}

static const char *body_or_empty(const struct base_http_answer *a)
{
    return a->body.data != NULL ? a->body.data : "";
}

/* ---- setup: time limit ----
 * The search for files ends itself at its limit, unless it sits in a system call on a file system
 * that does not answer. Then this thread ends the process, if the kernel lets it, so that the node
 * gets its slot back and another node can try. */
static _Atomic bool search_is_over;

static void *exit_if_search_hangs(void *arg)
{
    struct task *t = arg;
    int64_t limit_us = t->spec.limit_ms * 1000 + GRACE_US;

    while (!atomic_load(&search_is_over) && task_active_time_us(t) < limit_us)
        task_sleep_ms(200);
    if (atomic_load(&search_is_over))
        return NULL;
    task_record_failure(t, 1, "a file system has not answered for %lld s (" LIMIT ")",
                        (long long)(limit_us / 1000000));
    task_write_failure(t);
    _exit(1);
}

static int start_watching_search(struct task *t, struct base_error *err)
{
    pthread_t thread;
    int rc = pthread_create(&thread, NULL, exit_if_search_hangs, t);

    if (rc != 0)
        return base_error_sys(err, -BASE_EIO, rc, "watching thread");
    pthread_detach(thread);
    return 0;
}

static int check_time_limit(void *user, struct base_error *err)
{
    const struct task *t = user;

    if (task_active_time_us(t) < t->spec.limit_ms * 1000)
        return 0;
    return base_error_set(err, -BASE_ETIMEOUT,
                          "not done after %lld ms, which is the limit (" LIMIT ")",
                          (long long)t->spec.limit_ms);
}

/* ---- setup: report ---- */
/* A page of the report: consecutive splits, with the paths of the files in which they lie. */
struct page {
    const char *paths[WIRE_SPLITS_PAGE_MAX];
    int64_t splits[WIRE_SPLITS_PAGE_MAX * WIRE_SPLIT_NUMBERS];
    size_t paths_n, splits_n;
};

static void fill_splits_page(const struct task_input *in, size_t from, struct page *p)
{
    size_t bytes = 0, i;

    p->paths_n = p->splits_n = 0;
    for (i = from; i < in->splits_len && p->splits_n < WIRE_SPLITS_PAGE_MAX; i++) {
        const struct task_input_split *s = &in->splits[i];
        int64_t *v = p->splits + p->splits_n * WIRE_SPLIT_NUMBERS;

        if (p->paths_n == 0 || p->paths[p->paths_n - 1] != in->paths[s->path_index]) {
            bytes += strlen(in->paths[s->path_index]);
            if (p->paths_n > 0 && bytes > PAGE_PATHS_MAX)
                break;
            p->paths[p->paths_n++] = in->paths[s->path_index];
        }
        v[0] = (int64_t)p->paths_n - 1;
        v[1] = s->offset;
        v[2] = s->length;
        v[3] = s->gzip;
        p->splits_n++;
    }
}

static int post_splits_page(struct task *t, struct task_rm *rm, const struct task_input *in,
                            size_t from, const struct page *p, struct wire_splits_answer *told,
                            struct base_error *err)
{
    struct base_http_answer answer = {0};
    struct base_buf body = {0};
    int rc;

    wire_splits_put(&(struct wire_splits){.attempt = t->spec.attempt,
                                          .from = (int64_t)from,
                                          .last = from + p->splits_n == in->splits_len,
                                          .paths = (const char **)p->paths,
                                          .paths_n = p->paths_n,
                                          .splits = (int64_t *)p->splits,
                                          .splits_n = p->splits_n},
                    &body);
    rc = post_to_rm(t, rm, "splits", &body, &answer, err);
    if (rc == 0)
        rc = wire_splits_answer_get(body_or_empty(&answer), answer.body.len, told, err);
    base_http_answer_free(&answer);
    base_buf_free(&body);
    return rc;
}

static int record_superseded_failure(struct task *t, const char *text, struct base_error *err)
{
    task_record_failure(t, TASK_EXIT_COMMIT_REFUSED, "%s", text);
    return base_error_set(err, -BASE_ESTATE, "%s", text);
}

/* Sends the splits in pages. Each answer says how many splits the RM has, and the next page begins
 * with the one after these: after a failover, with the first one again. */
static int report_splits(struct task *t, const struct task_input *in, struct base_error *err)
{
    struct task_rm *rm = task_rm_new(t);
    struct page *p = base_alloc(sizeof *p);
    size_t from = 0;
    int rc = 0;

    for (;;) {
        struct wire_splits_answer told;

        fill_splits_page(in, from, p);
        rc = post_splits_page(t, rm, in, from, p, &told, err);
        if (rc < 0)
            break;
        if (!told.accepted) {
            rc = record_superseded_failure(t, "another attempt sets the job up", err);
            break;
        }
        if ((size_t)told.splits >= in->splits_len)
            break;
        from = (size_t)told.splits;
    }
    free(p);
    task_rm_free(rm);
    return rc;
}

/* ---- the steps ---- */

static int run_setup(struct task *t, struct base_app_id id, struct base_error *err)
{
    const struct task_spec *s = &t->spec;
    const struct task_input_bounds bounds = {.check = check_time_limit, .user = t};
    struct task_input in = {0};
    int rc = start_watching_search(t, err);

    if (rc == 0)
        rc = task_output_check_creatable(s->output, id, err);
    if (rc == 0)
        rc = task_input_find_splits((const char *const *)s->input, s->input_n, s->split_size,
                                    &bounds, &in, err);
    if (rc == 0)
        rc = task_output_create_folder(s->output, id, err);
    atomic_store(&search_is_over, true);
    record_if_error_would_repeat(t, rc, err);
    if (rc == 0)
        rc = report_splits(t, &in, err);
    task_input_free(&in);
    return rc;
}

static int ask_to_commit(struct task *t, struct wire_job_commit_answer *told,
                         struct base_error *err)
{
    struct task_rm *rm = task_rm_new(t);
    struct base_http_answer answer = {0};
    struct base_buf body = {0};
    int rc;

    wire_job_commit_put(&(struct wire_job_commit){.attempt = t->spec.attempt}, &body);
    rc = post_to_rm(t, rm, "commit", &body, &answer, err);
    if (rc == 0)
        rc = wire_job_commit_answer_get(body_or_empty(&answer), answer.body.len, told, err);
    base_http_answer_free(&answer);
    base_buf_free(&body);
    task_rm_free(rm);
    return rc;
}

static int run_commit(struct task *t, struct base_app_id id, struct base_error *err)
{
    struct wire_job_commit_answer told = {0};
    int rc = ask_to_commit(t, &told, err);

    if (rc == 0 && !told.commit)
        rc = record_superseded_failure(t, "another attempt commits the job", err);
    if (rc == 0) {
        const struct task_output_parts parts = {told.kind, told.attempts, told.attempts_n};

        rc = record_if_error_would_repeat(
            t, task_output_commit_parts(t->spec.output, id, &parts, err), err);
    }
    wire_job_commit_answer_free(&told);
    return rc;
}

static int run_abort(struct task *t, struct base_app_id id, struct base_error *err)
{
    bool complete;
    int rc = task_output_abort_job(t->spec.output, id, &complete, err);

    if (rc == 0 && complete) {
        task_record_failure(t, TASK_EXIT_OUTPUT_COMMITTED, "the output is complete");
        rc = base_error_set(err, -BASE_ESTATE, "the output is complete");
    }
    return rc;
}

int task_run_job_step(struct task *t, struct base_error *err)
{
    struct base_app_id id;
    int rc = parse_job_id(t, &id, err);

    if (rc < 0)
        return rc;
    switch (t->spec.step) {
    case BASE_STEP_SETUP:
        return run_setup(t, id, err);
    case BASE_STEP_COMMIT:
        return run_commit(t, id, err);
    default:
        return run_abort(t, id, err);
    }
}
