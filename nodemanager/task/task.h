/* nodemanager/task/task.h - creel-task: runs one map, one reduce or one step of a job inside its
 * container.
 *
 *   creel-task --dir FOLDER      FOLDER/launch.json is the order; commands run in FOLDER/work
 *
 *   map     split --> sh -c MAP --> partition --> sort --> [sh -c COMBINE]
 *           --> output/file.out + output/file.index
 *           (no reduces: split --> sh -c MAP --> part file --> commit)
 *   reduce  outputs of all maps over HTTP --> runs on disk --> sort -m --> sh -c REDUCE
 *           --> part file --> commit
 *   setup, commit, abort: nodemanager/task/job/steps.h
 *
 * The task writes progress (at most every 200 ms), result.json before it exits with 0, and
 * failure.json before any other exit, unless a signal ends it (api/wire/task_file.h). If a disk is
 * full, failure.json contains WIRE_TASK_EXIT_NO_SPACE and the process exits with TASK_EXIT_NOSPACE.
 *
 * Threads: the main thread moves the command's output; one thread feeds its stdin; one writes
 * progress; one per child keeps the tail of its stderr; one waits for signals that end the task;
 * some fetch map outputs, or move the output of a combine command. A failing task does not unwind:
 * it kills its children, reports the cause and calls _exit(). */
#ifndef CREEL_TASK_H
#define CREEL_TASK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "base/crypto/keyring.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/order_kind.h"
#include "base/task_counter.h"

#define TASK_EXIT_NOSPACE          75
#define TASK_EXIT_COMMIT_REFUSED   3
#define TASK_EXIT_JOB_REFUSED      4 /* of a step: it cannot succeed on this node */
#define TASK_EXIT_OUTPUT_COMMITTED 5 /* of an abort: the output is complete and was left */
/* size of bulk reads and writes, and requested size of pipes */
#define TASK_IO_BYTES (1u << 20)
#define TASK_LINE_MAX (1u << 30) /* maximum length of a record that must be held whole */

enum task_phase { TASK_PHASE_MAP, TASK_PHASE_SHUFFLE, TASK_PHASE_SORT, TASK_PHASE_REDUCE };

/* The part of the launch order that concerns the task (protocol: map and reduce specs). */
struct task_spec {
    bool is_reduce;
    enum base_job_step step; /* BASE_STEP_NONE: a map or reduce */
    char *task_id, *app_id;
    struct base_keyring *keys; /* the container's token; NULL: it has none */
    int32_t attempt;
    int32_t index;
    int32_t reduces, maps;
    char *command; /* map or reduce command; NULL: the reduce passes its input on unchanged */
    char *combine; /* NULL: none */
    char *output;  /* the job's output folder; NULL if not needed */
    /* the job's commit takes the part; false for an RM that expects the part at its final place */
    bool job_commits;
    char *rm;   /* comma-separated URLs */
    char *path; /* path of the split's file */
    int64_t offset, length;
    bool gzip;
    int32_t sort_buffer_mb;
    char **input; /* of a setup, as are the next three */
    size_t input_n;
    int64_t split_size, limit_ms;
};

struct task_partition {
    int64_t offset, bytes, records;
};

struct task {
    char *dir, *work, *tmp, *out; /* absolute paths */
    struct task_spec spec;
    int64_t started_us;
    _Atomic int64_t lived_us; /* see task_active_time_us() */
    _Atomic int phase;
    _Atomic int64_t done, total; /* work of this phase, in any unit; total 0: not known yet */
    _Atomic int64_t counter[BASE_TASK_COUNTERS];
    /* [spec.reduces], for a map whose job has reduces; else NULL */
    struct task_partition *partitions;
    _Atomic int failed; /* exit code of the first failure; 0: none */
    char *diagnostics;  /* message of the first failure */
    /* length of the message without the stderr lines, which were shown already */
    size_t headline;
};

static inline void task_counter_add(struct task *t, enum base_task_counter c, int64_t n)
{
    atomic_fetch_add_explicit(&t->counter[c], n, memory_order_relaxed);
}

/* Opens a plain file in the container's folder with the precautions of base/io/plain.h: commands
 * may have put anything there. Returns a descriptor or a negative error. */
int task_open_plain_file(const char *path, int flags, struct base_error *err);
/* Reads t->dir/launch.json and the environment. */
int task_spec_load(struct task *t, struct base_error *err);
void task_spec_free(struct task_spec *s);

/* Records exit code and message of the first failure; later failures are its consequences and are
 * ignored. */
void task_record_failure(struct task *t, int exit_code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Like task_record_failure(), but appends ": <@tail>", the last lines of a command's stderr. */
void task_record_failure_with_stderr(struct task *t, int exit_code, const char *tail, size_t len,
                                     const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* Like task_record_failure(), for an error returned by a callee: the exit code is TASK_EXIT_NOSPACE
 * for a full disk, otherwise 1. */
void task_record_error(struct task *t, const struct base_error *err);

/* Starts the thread that writes progress. */
int task_progress_start(struct task *t, struct base_error *err);
/* Stops the thread and writes the final progress. */
void task_progress_stop(struct task *t);
/* Returns how long the task has been active, accurate to 200 ms. Time spent suspended (all but its
 * first second) does not count, so that it does not use up time limits. */
static inline int64_t task_active_time_us(const struct task *t)
{
    return atomic_load_explicit(&t->lived_us, memory_order_relaxed);
}
int task_write_result(struct task *t, struct base_error *err);
void task_write_failure(const struct task *t);

int task_run_map(struct task *t, struct base_error *err);
int task_run_reduce(struct task *t, struct base_error *err);

#endif
