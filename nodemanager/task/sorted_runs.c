#include "nodemanager/task/sorted_runs.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io/io.h"
#include "nodemanager/task/scan.h"
#include "nodemanager/task/sort.h"

#define RUN_LARGE (256 << 10)

struct task_runs {
    struct task *t;
    pthread_mutex_t lock;
    struct base_buf list; /* NUL-terminated names of large runs, as read by sort --files0-from */
    size_t n;
    char *pool_path;
    int pool;
    int64_t pool_bytes, bytes;
    bool low; /* some byte is below TAB: merge by key (nodemanager/task/sort.h) */
};

int task_runs_new(struct task *t, struct task_runs **out, struct base_error *err)
{
    struct task_runs *r = base_alloc(sizeof *r);

    *out = r;
    r->t = t;
    pthread_mutex_init(&r->lock, NULL);
    r->pool_path = base_printf("%s/pool", t->tmp);
    r->pool = task_open_plain_file(r->pool_path, O_RDWR | O_CREAT | O_TRUNC, err);
    return r->pool >= 0 ? 0 : r->pool;
}

static void append_run_path(struct task_runs *r, const char *path)
{
    base_buf_add(&r->list, path, strlen(path) + 1);
    r->n++;
}

/* Reads all of @fd to look for bytes below TAB and a missing last newline (-BASE_ECORRUPT). With
 * @add_to_pool, also appends the data to the pool. */
static int check_run_and_add_to_pool(struct task_runs *r, int fd, bool add_to_pool,
                                     bool *byte_below_tab, struct base_error *err)
{
    char *buf = base_alloc(RUN_LARGE);
    int64_t at = 0;
    char last = '\n';
    ssize_t n;
    int rc = 0;

    while (rc == 0 && (n = pread(fd, buf, RUN_LARGE, at)) != 0) {
        if (n < 0) {
            rc = base_error_sys(err, -BASE_EIO, errno, "reading a fetched run");
            break;
        }
        (void)task_count_lines(buf, (size_t)n, byte_below_tab);
        last = buf[n - 1];
        at += n;
        if (add_to_pool) {
            rc = base_write_all(r->pool, buf, (size_t)n);
            if (rc < 0)
                rc = base_error_sys(err, -BASE_EIO, -rc, "%s", r->pool_path);
        }
    }
    if (rc == 0 && last != '\n')
        rc = base_error_set(err, -BASE_ECORRUPT, "a fetched run does not end with a newline");
    free(buf);
    return rc;
}

/* Appends a run to the pool. A bad run is removed again; it will be fetched once more. */
static int append_run_to_pool(struct task_runs *r, int fd, bool *byte_below_tab,
                              struct base_error *err)
{
    int rc = check_run_and_add_to_pool(r, fd, true, byte_below_tab, err);

    if (rc < 0 &&
        (ftruncate(r->pool, r->pool_bytes) < 0 || lseek(r->pool, r->pool_bytes, SEEK_SET) < 0))
        rc = base_error_sys(err, -BASE_EIO, errno, "%s", r->pool_path);
    return rc;
}

int task_runs_add_file(struct task_runs *r, int fd, const char *path, bool *kept,
                       struct base_error *err)
{
    struct stat st;
    bool low = false, small;
    int rc;

    *kept = false;
    if (fstat(fd, &st) < 0)
        return base_error_sys(err, -BASE_EIO, errno, "%s", path);
    if (st.st_size == 0)
        return 0;
    small = st.st_size < RUN_LARGE;
    if (!small) { /* outside the lock, since a large run takes a while */
        rc = check_run_and_add_to_pool(r, fd, false, &low, err);
        if (rc < 0)
            return rc;
    }
    pthread_mutex_lock(&r->lock);
    rc = small ? append_run_to_pool(r, fd, &low, err) : 0;
    if (rc == 0) {
        r->bytes += st.st_size;
        r->low |= low;
        if (small)
            r->pool_bytes += st.st_size;
        else
            append_run_path(r, path);
        *kept = !small;
    }
    pthread_mutex_unlock(&r->lock);
    return rc;
}

int64_t task_runs_total_bytes(const struct task_runs *r)
{
    return r->bytes;
}

static int sort_pool_into_run(struct task_runs *r, struct base_error *err)
{
    char *path = base_printf("%s/pool.sorted", r->t->tmp);
    struct task_child child;
    int out = task_open_plain_file(path, O_WRONLY | O_CREAT | O_TRUNC, err), rc;

    if (out < 0) {
        rc = out;
    } else if (lseek(r->pool, 0, SEEK_SET) < 0) {
        rc = base_error_sys(err, -BASE_EIO, errno, "%s", path);
    } else {
        rc = task_sort_start_process(r->t, &child, r->pool, out, r->low, NULL, err);
        if (rc == 0)
            rc = task_child_wait(r->t, &child, err);
    }
    if (out >= 0)
        close(out);
    if (rc == 0) {
        append_run_path(r, path);
        task_counter_add(r->t, BASE_COUNT_SPILLS, 1);
        unlink(r->pool_path);
    }
    free(path);
    return rc;
}

static int start_merge_process(struct task_runs *r, int *out, struct task_child *child,
                               struct base_error *err)
{
    char *names = base_printf("%s/runs", r->t->tmp);
    int fds[2], null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    int rc = base_file_write_atomic(names, r->list.data, r->list.len, 0600, false, err);

    if (rc == 0)
        rc = task_pipe_create(fds, err);
    if (rc == 0) {
        rc = task_sort_start_process(r->t, child, null, fds[1], r->low, names, err);
        close(fds[1]);
        *out = fds[0];
    }
    close(null);
    free(names);
    return rc;
}

int task_runs_start_merge(struct task_runs *r, int *out, struct task_child *child,
                          struct base_error *err)
{
    int rc = r->pool_bytes > 0 ? sort_pool_into_run(r, err) : 0;

    child->pid = 0;
    if (rc < 0)
        return rc;
    if (r->n > 1)
        return start_merge_process(r, out, child, err);
    if (r->n == 1) {
        *out = task_open_plain_file(r->list.data, O_RDONLY, err);
        return *out >= 0 ? 0 : *out;
    }
    *out = open("/dev/null", O_RDONLY | O_CLOEXEC);
    return *out >= 0 ? 0 : base_error_sys(err, -BASE_EIO, errno, "/dev/null");
}

void task_runs_free(struct task_runs *r)
{
    if (r == NULL)
        return;
    if (r->pool >= 0)
        close(r->pool);
    pthread_mutex_destroy(&r->lock);
    base_buf_free(&r->list);
    free(r->pool_path);
    free(r);
}
