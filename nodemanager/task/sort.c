#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <unistd.h>

#include "nodemanager/task/sort.h"

#define SORT_MB_BEST    16
#define MERGE_BUFFER_KB 256 /* sort's read buffer for each file of a merge */

static int watch = -1; /* inotify descriptor: files created in the task's tmp folder */

static void watch_for_spill_files(const struct task *t)
{
    if (watch >= 0)
        return;
    watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (watch >= 0 && inotify_add_watch(watch, t->tmp, IN_CREATE | IN_ONLYDIR) < 0) {
        close(watch);
        watch = -1;
    }
}

void task_sort_count_spills(struct task *t)
{
    _Alignas(struct inotify_event) char buf[16384];
    ssize_t n;

    while (watch >= 0 && (n = task_read_retrying(watch, buf, sizeof buf)) > 0) {
        for (ssize_t at = 0; at < n;) {
            const struct inotify_event *e = (const void *)(buf + at);

            if (e->len > 4 && strncmp(e->name, "sort", 4) == 0)
                task_counter_add(t, BASE_COUNT_SPILLS, 1);
            at += (ssize_t)(sizeof *e + e->len);
        }
    }
}

/* Returns how many files sort merges at once: as many as memory and descriptors allow, 16 to 512,
 * to avoid a second level of merging. */
static unsigned merge_batch_size(const struct task *t)
{
    struct rlimit nofile;
    unsigned n = (unsigned)t->spec.sort_buffer_mb * 1024 / MERGE_BUFFER_KB;

    if (getrlimit(RLIMIT_NOFILE, &nofile) == 0 && nofile.rlim_cur < n + 32)
        n = nofile.rlim_cur > 64 ? (unsigned)nofile.rlim_cur - 32 : 16;
    return n < 16 ? 16 : n > 512 ? 512 : n;
}

static int choose_sort_buffer_mb(const struct task *t)
{
    int64_t input = t->spec.gzip ? t->spec.length * 5 : t->spec.length;
    int best = SORT_MB_BEST;

    /* Many short runs would need a second merge level, which costs more than longer runs. A run
     * holds about a third of its buffer; the output is assumed to be at most three times the
     * input. */
    while (best < 256 && input / (best << 20) * 9 > merge_batch_size(t))
        best *= 2;
    return best < t->spec.sort_buffer_mb ? best : t->spec.sort_buffer_mb;
}

int task_sort_start_process(struct task *t, struct task_child *c, int in, int out, bool by_key,
                            const char *merge_list, struct base_error *err)
{
    const char *program = access("/usr/bin/sort", X_OK) == 0 ? "/usr/bin/sort" : "sort";
    char memory[32], batch[32], from[4200];
    const char *argv[16];
    size_t n = 0;

    watch_for_spill_files(t);
    snprintf(memory, sizeof memory, "%dM", choose_sort_buffer_mb(t));
    snprintf(batch, sizeof batch, "--batch-size=%u", merge_batch_size(t));
    argv[n++] = program;
    argv[n++] = "--parallel=1";
    argv[n++] = "-T";
    argv[n++] = t->tmp;
    argv[n++] = "-S";
    argv[n++] = memory;
    argv[n++] = batch;
    if (by_key) {
        argv[n++] = "-t\t";
        argv[n++] = "-k1,1";
    }
    if (merge_list != NULL) {
        if (snprintf(from, sizeof from, "--files0-from=%s", merge_list) >= (int)sizeof from)
            return base_error_set(err, -BASE_ELIMIT, "%s: path too long", merge_list);
        argv[n++] = "-m";
        argv[n++] = from;
    }
    argv[n] = NULL;
    return task_child_start(c, "sort", argv, in, out, t->tmp, true, err);
}
