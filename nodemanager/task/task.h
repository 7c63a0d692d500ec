/* nodemanager/task/task.h - creel-task: runs one map or one reduce of a job inside its container.
 *
 *   creel-task --dir FOLDER      FOLDER/launch.json says what to do; the command runs in FOLDER/work
 *
 *   map     split --> sh -c MAP --> partition --> sort --> [sh -c COMBINE] --> output/file.out + output/file.index
 *           (no reduces: split --> sh -c MAP --> part file --> commit)
 *   reduce  outputs of all maps over HTTP --> runs on disk --> sort -m --> sh -c REDUCE --> part file --> commit
 *
 * It writes progress (at most every 200 ms), result.json before it exits 0, and failure.json before it exits with
 * anything else: {"exitCode":n,"diagnostics":"..."}; exitCode -101 when a disk is full (the process exits 75).
 *
 * Threads: the main one moves the command's output; one feeds its stdin; one writes progress; one per child keeps the
 * tail of its stderr; one waits for SIGTERM. A failing task does not unwind: it kills its children, says why, _exits.
 */
#ifndef CREEL_TASK_H
#define CREEL_TASK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "base/error.h"
#include "base/mem.h"

#define TASK_EXIT_NOSPACE        75
#define TASK_EXIT_COMMIT_REFUSED 3
#define TASK_REPORT_NOSPACE      (-101)     /* what failure.json says for a full disk */
#define TASK_IO_BYTES            (1u << 20) /* one read or write of bulk data, and what pipes are asked to hold */
#define TASK_LINE_MAX            (1u << 30) /* one record that has to be held whole */

enum task_phase { TASK_PHASE_MAP, TASK_PHASE_SHUFFLE, TASK_PHASE_SORT, TASK_PHASE_REDUCE };

enum task_counter {
    TASK_MAP_INPUT_RECORDS,
    TASK_MAP_INPUT_BYTES,
    TASK_MAP_OUTPUT_RECORDS,
    TASK_MAP_OUTPUT_BYTES,
    TASK_COMBINE_INPUT_RECORDS,
    TASK_COMBINE_OUTPUT_RECORDS,
    TASK_SPILLED_RECORDS,
    TASK_SPILLS, /* files of sorted lines: sort's temporary ones, a map's output, a reduce's small inputs as one */
    TASK_SHUFFLE_BYTES,
    TASK_SHUFFLED_MAPS,
    TASK_REDUCE_INPUT_RECORDS,
    TASK_REDUCE_INPUT_BYTES,
    TASK_REDUCE_OUTPUT_RECORDS,
    TASK_REDUCE_OUTPUT_BYTES,
    TASK_MAP_MILLIS,
    TASK_REDUCE_MILLIS,
    TASK_CPU_MILLIS,
    TASK_COUNTERS
};

/* The launch order's part that concerns the runner (protocol: map and reduce specs). */
struct task_spec {
    bool is_reduce;
    char *task_id, *app_id, *token;
    int32_t attempt;
    int32_t index;
    int32_t reduces, maps;
    char *command; /* map or reduce; NULL: identity */
    char *combine; /* NULL: none */
    char *output;  /* output folder of the job, NULL when not needed */
    bool job_commits; /* the job's commit takes the part; an RM that does not say so wants it at its place */
    char *rm;      /* comma-separated URLs */
    char *path;    /* split */
    int64_t offset, length;
    bool gzip;
    int32_t sort_buffer_mb;
};

struct task_partition {
    int64_t offset, bytes, records;
};

struct task {
    char *dir, *work, *tmp, *out; /* absolute */
    struct task_spec spec;
    int64_t started_us;
    _Atomic int64_t lived_us; /* see task_lived_us */
    _Atomic int phase;
    _Atomic int64_t done, total; /* of the current phase, any unit; total 0: nothing to do yet */
    _Atomic int64_t counter[TASK_COUNTERS];
    struct task_partition *partitions; /* of a map with reduces, [spec.reduces] */
    _Atomic int failed;                /* exit code said first; 0: none */
    char *diagnostics;                 /* said with it */
    size_t headline;                   /* its first bytes, without what stderr has shown already */
};

static inline void task_count(struct task *t, enum task_counter c, int64_t n)
{
    atomic_fetch_add_explicit(&t->counter[c], n, memory_order_relaxed);
}

/* A plain file in the container's folder, where the commands can put anything: opened as base/io/plain.h says. */
int task_open(const char *path, int flags, struct base_error *err);
/* Reads t->dir/launch.json and the environment. */
int task_spec_load(struct task *t, struct base_error *err);
void task_spec_free(struct task_spec *s);

/* Keeps the exit code and the story of the first failure; later ones are consequences. */
void task_fail(struct task *t, int exit_code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* The same with ": <@tail>" behind it, a command's last words. */
void task_fail_tail(struct task *t, int exit_code, const char *tail, size_t len, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
/* The same for an error that travelled up: a full disk gets its own code. */
void task_fail_error(struct task *t, const struct base_error *err);

int task_status_start(struct task *t, struct base_error *err); /* the progress thread */
void task_status_stop(struct task *t);                         /* last progress; stops the thread */
/* How long the task has really run, to 200 ms: time it was suspended does not count against anybody's patience. */
static inline int64_t task_lived_us(const struct task *t)
{
    return atomic_load_explicit(&t->lived_us, memory_order_relaxed);
}
/* The time @us from now, for pthread_cond_timedwait on CLOCK_MONOTONIC. */
struct timespec task_deadline(int64_t us);
int task_result_write(struct task *t, struct base_error *err);
void task_failure_write(const struct task *t);

int task_map(struct task *t, struct base_error *err);
int task_reduce(struct task *t, struct base_error *err);

#endif
