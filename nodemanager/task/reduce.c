/* Runs a reduce: shuffle, merge, command, part file. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io/io.h"
#include "nodemanager/task/child.h"
#include "nodemanager/task/fetch.h"
#include "nodemanager/task/part_file.h"
#include "nodemanager/task/scan.h"
#include "nodemanager/task/task.h"

struct reduce_run {
    struct task *t;
    struct task_part_file *output;
    struct task_child command, merge;
    int merged;     /* delivers all lines in order */
    int in, out;    /* stdin and stdout of the command */
    pthread_t feed; /* copies from merged to in */
    bool enough;    /* the command has stopped reading */
    int rc;
    struct base_error err;
};

/* Sets counter @c to the time since the start of the task, less @counted_ms, which other counters
 * contain already. */
static void set_remaining_millis(struct task *t, enum base_task_counter c, int64_t counted_ms)
{
    int64_t ms = (base_mono_us(&base_clock_real) - t->started_us) / 1000;

    atomic_store(&t->counter[c], ms > counted_ms ? ms - counted_ms : 0);
}

static int feed_merged_lines(struct reduce_run *r)
{
    struct task *t = r->t;
    char *buf = base_alloc(TASK_IO_BYTES);
    bool low = false, begun = false;
    ssize_t n;
    int rc = 0;

    while (rc == 0 && (n = task_read_retrying(r->merged, buf, TASK_IO_BYTES)) != 0) {
        if (n < 0) {
            rc = base_error_sys(&r->err, -BASE_EIO, (int)-n, "reading the merged input");
            break;
        }
        if (!begun)
            set_remaining_millis(t, BASE_COUNT_MERGE_MILLIS,
                                 atomic_load(&t->counter[BASE_COUNT_SHUFFLE_MILLIS]));
        begun = true;
        task_counter_add(t, BASE_COUNT_REDUCE_INPUT_RECORDS,
                         (int64_t)task_count_lines(buf, (size_t)n, &low));
        task_counter_add(t, BASE_COUNT_REDUCE_INPUT_BYTES, n);
        if (t->spec.command == NULL) {
            rc = task_part_file_write(r->output, buf, (size_t)n, BASE_COUNT_REDUCE_OUTPUT_RECORDS,
                                      &r->err);
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

/* A failure of sort must not look like the end of the input to the command, so it is recorded
 * before the command's stdin is closed. */
static int finish_merge(struct reduce_run *r)
{
    close(r->merged);
    r->merge.sigpipe_ok = r->enough;
    return task_child_wait(r->t, &r->merge, &r->err);
}

static void *feed_thread(void *arg)
{
    struct reduce_run *r = arg;
    int rc = feed_merged_lines(r), mrc = finish_merge(r);

    r->rc = rc < 0 ? rc : mrc;
    if (r->rc < 0)
        task_record_error(r->t, &r->err);
    close(r->in);
    return NULL;
}

static int run_reduce_command(struct reduce_run *r, struct base_error *err)
{
    int in[2], out[2];
    int rc = task_pipe_create(in, err);

    if (rc == 0)
        rc = task_pipe_create(out, err);
    if (rc < 0)
        return rc;
    rc = task_child_start_shell(r->t, &r->command, "reduce command", r->t->spec.command, in[0],
                                out[1], err);
    close(in[0]);
    close(out[1]);
    if (rc < 0)
        return rc;
    r->in = in[1];
    r->out = out[0];
    rc = pthread_create(&r->feed, NULL, feed_thread, r);
    if (rc != 0)
        return base_error_sys(err, -BASE_EIO, rc, "feeding thread");
    rc = task_part_file_copy_from_fd(r->output, r->out, BASE_COUNT_REDUCE_OUTPUT_RECORDS, err);
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

static int run_identity_reduce(struct reduce_run *r, struct base_error *err)
{
    int rc = feed_merged_lines(r), mrc;

    if (rc < 0) {
        *err = r->err;
        return rc;
    }
    mrc = finish_merge(r);
    if (mrc < 0)
        *err = r->err;
    return mrc;
}

static int merge_and_reduce(struct reduce_run *r, struct task_runs *runs, struct base_error *err)
{
    struct task *t = r->t;
    int rc;

    set_remaining_millis(t, BASE_COUNT_SHUFFLE_MILLIS, 0);
    atomic_store(&t->done, 0);
    atomic_store(&t->total, 0);
    atomic_store(&t->phase, TASK_PHASE_SORT);
    rc = task_runs_start_merge(runs, &r->merged, &r->merge, err);
    if (rc < 0)
        return rc;
    atomic_store(&t->total, task_runs_total_bytes(runs));
    atomic_store(&t->phase, TASK_PHASE_REDUCE);
    rc = task_part_file_create(t, &r->output, err);
    if (rc == 0)
        rc = t->spec.command == NULL ? run_identity_reduce(r, err) : run_reduce_command(r, err);
    if (rc == 0) {
        atomic_store(&t->total, 1);
        atomic_store(&t->done, 1);
        rc = task_part_file_commit(r->output, err);
    }
    task_part_file_free(r->output);
    return rc;
}

int task_run_reduce(struct task *t, struct base_error *err)
{
    struct reduce_run r = {.t = t};
    struct task_runs *runs = NULL;
    int rc = task_runs_new(t, &runs, err);

    if (rc == 0)
        rc = task_fetch_map_outputs(t, runs, err);
    if (rc == 0)
        rc = merge_and_reduce(&r, runs, err);
    task_runs_free(runs);
    return rc;
}
