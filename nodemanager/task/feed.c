#include "nodemanager/task/feed.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/io/io.h"
#include "nodemanager/task/scan.h"
#include "nodemanager/task/split.h"

struct task_feed {
    struct task *t;
    struct task_split *split;
    pthread_t thread;
    int to, rc;
    struct base_error err;
};

static int feed_split_to_command(struct task_feed *f)
{
    struct task *t = f->t;
    const char *data;
    char last = '\n';
    ssize_t n;

    while ((n = task_split_read_chunk(f->split, &data, &f->err)) > 0) {
        bool low = false;
        int rc = base_write_all(f->to, data, (size_t)n);

        if (rc == -EPIPE)
            return 0;
        if (rc < 0)
            return base_error_sys(&f->err, -BASE_EIO, -rc, "writing to the map command");
        task_counter_add(t, BASE_COUNT_MAP_INPUT_RECORDS,
                         (int64_t)task_count_lines(data, (size_t)n, &low));
        task_counter_add(t, BASE_COUNT_MAP_INPUT_BYTES, n);
        atomic_store(&t->done, task_split_consumed_bytes(f->split));
        last = data[n - 1];
    }
    if (n == 0 && last != '\n')
        task_counter_add(t, BASE_COUNT_MAP_INPUT_RECORDS, 1);
    return (int)n;
}

static void *feed_thread(void *arg)
{
    struct task_feed *f = arg;

    f->rc = feed_split_to_command(f);
    /* Record the cause now: the command sees only an early end of input and may fail because of
     * it. */
    if (f->rc < 0)
        task_record_error(f->t, &f->err);
    close(f->to);
    return NULL;
}

int task_feed_start(struct task *t, int to, struct task_feed **out, struct base_error *err)
{
    struct task_feed *f = base_alloc(sizeof *f);
    int rc = task_split_open(&t->spec, &f->split, err);

    f->t = t;
    f->to = to;
    if (rc == 0) {
        atomic_store(&t->total, task_split_length_bytes(f->split));
        rc = pthread_create(&f->thread, NULL, feed_thread, f);
        if (rc != 0)
            rc = base_error_sys(err, -BASE_EIO, rc, "feeding thread");
    }
    if (rc < 0) {
        task_split_free(f->split);
        free(f);
        close(to);
        return rc;
    }
    *out = f;
    return 0;
}

int task_feed_join(struct task_feed *f, struct base_error *err)
{
    int rc;

    pthread_join(f->thread, NULL);
    rc = f->rc;
    if (rc < 0 && err != NULL)
        *err = f->err;
    task_split_free(f->split);
    free(f);
    return rc;
}
