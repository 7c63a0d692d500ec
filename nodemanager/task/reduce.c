/* One reduce: shuffle, merge, command, part file. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/io/io.h"
#include "nodemanager/task/task.h"
#include "nodemanager/task/child.h"
#include "nodemanager/task/part_file.h"
#include "nodemanager/task/scan.h"
#include "nodemanager/task/fetch.h"

struct reduce_run {
    struct task *t;
    struct task_output *output;
    struct task_child command, merge;
    int merged;     /* all lines in order */
    int in, out;    /* the command's stdin and stdout */
    pthread_t feed; /* merged --> in */
    bool enough;    /* the command reads no more */
    int rc;
    struct base_error err;
};

static int feed(struct reduce_run *r)
{
    struct task *t = r->t;
    char *buf = base_alloc(TASK_IO_BYTES);
    bool low = false;
    ssize_t n;
    int rc = 0;

    while (rc == 0 && (n = task_read(r->merged, buf, TASK_IO_BYTES)) != 0) {
        if (n < 0) {
            rc = base_error_sys(&r->err, -BASE_EIO, (int)-n, "reading the merged input");
            break;
        }
        task_count(t, TASK_REDUCE_INPUT_RECORDS, (int64_t)task_scan_lines(buf, (size_t)n, &low));
        task_count(t, TASK_REDUCE_INPUT_BYTES, n);
        if (t->spec.command == NULL) {
            rc = task_output_write(r->output, buf, (size_t)n, TASK_REDUCE_OUTPUT_RECORDS, &r->err);
        } else {
            rc = base_write_all(r->in, buf, (size_t)n);
            r->enough = rc == -EPIPE;
            if (r->enough)
                break;
            if (rc < 0)
                rc = base_error_sys(&r->err, -BASE_EIO, -rc, "writing to the reduce command");
        }
        atomic_fetch_add(&t->done, n);
    }
    free(buf);
    return r->enough ? 0 : rc;
}

/* An error of sort must not look like the end of the input to the command: it is told before stdin is closed. */
static int feed_end(struct reduce_run *r)
{
    close(r->merged);
    r->merge.sigpipe_ok = r->enough;
    return task_child_wait(r->t, &r->merge, &r->err);
}

static void *feed_main(void *arg)
{
    struct reduce_run *r = arg;
    int rc = feed(r), mrc = feed_end(r);

    r->rc = rc < 0 ? rc : mrc;
    if (r->rc < 0)
        task_fail_error(r->t, &r->err);
    close(r->in);
    return NULL;
}

static int run_command(struct reduce_run *r, struct base_error *err)
{
    int in[2], out[2];
    int rc = task_pipe(in, err);

    if (rc == 0)
        rc = task_pipe(out, err);
    if (rc < 0)
        return rc;
    rc = task_child_shell(r->t, &r->command, "reduce command", r->t->spec.command, in[0], out[1], err);
    close(in[0]);
    close(out[1]);
    if (rc < 0)
        return rc;
    r->in = in[1];
    r->out = out[0];
    rc = pthread_create(&r->feed, NULL, feed_main, r);
    if (rc != 0)
        return base_error_sys(err, -BASE_EIO, rc, "feeding thread");
    rc = task_output_copy(r->output, r->out, TASK_REDUCE_OUTPUT_RECORDS, err);
    if (rc < 0)
        return rc;
    close(r->out);
    rc = task_child_wait(r->t, &r->command, err);
    if (rc < 0)
        return rc;
    pthread_join(r->feed, NULL);
    if (r->rc < 0)
        *err = r->err;
    return r->rc;
}

static int run_identity(struct reduce_run *r, struct base_error *err)
{
    int rc = feed(r), mrc;

    if (rc < 0) {
        *err = r->err;
        return rc;
    }
    mrc = feed_end(r);
    if (mrc < 0)
        *err = r->err;
    return mrc;
}

static int reduce_phase(struct reduce_run *r, struct task_runs *runs, struct base_error *err)
{
    struct task *t = r->t;
    int rc;

    atomic_store(&t->done, 0);
    atomic_store(&t->total, 0);
    atomic_store(&t->phase, TASK_PHASE_SORT);
    rc = task_runs_merge(runs, &r->merged, &r->merge, err);
    if (rc < 0)
        return rc;
    atomic_store(&t->total, task_runs_bytes(runs));
    atomic_store(&t->phase, TASK_PHASE_REDUCE);
    rc = task_output_open(t, &r->output, err);
    if (rc == 0)
        rc = t->spec.command == NULL ? run_identity(r, err) : run_command(r, err);
    if (rc == 0) {
        atomic_store(&t->total, 1);
        atomic_store(&t->done, 1);
        rc = task_output_commit(r->output, err);
    }
    task_output_free(r->output);
    return rc;
}

int task_reduce(struct task *t, struct base_error *err)
{
    struct reduce_run r = {.t = t};
    struct task_runs *runs = NULL;
    int rc = task_runs_new(t, &runs, err);

    if (rc == 0)
        rc = task_shuffle(t, runs, err);
    if (rc == 0)
        rc = reduce_phase(&r, runs, err);
    task_runs_free(runs);
    return rc;
}
