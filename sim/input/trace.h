/* sim/input/trace.h - what the trace readers share: numbered lines, parsed values, host numbers,
 * defaults.
 *
 * Every error about a value has the same form, so that the user finds the place at once; other
 * errors about a line begin with FILE:LINE too.
 *     FILE:LINE: FIELD: 'VALUE' is not WHAT WAS EXPECTED
 * A reader that reports an error has already consumed the bad line; the next call continues after
 * it. Files are streamed: memory is bounded by the longest line and the names of hosts.
 *
 * Errors: -BASE_EINVAL for bad contents, -BASE_ELIMIT for a line that is too long, too many hosts
 * or tasks, and scaled sizes beyond a limit, -BASE_EIO when the file cannot be read. */
#ifndef CREEL_SIM_INPUT_TRACE_H
#define CREEL_SIM_INPUT_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "base/mem.h"
#include "sim/engine/job.h"

#define SIM_TRACE_LINE_MAX        (INT64_C(256) << 20) /* bytes of a line or of a JSON object */
#define SIM_TRACE_HOSTS_MAX       1000000              /* distinct host names in a trace */
#define SIM_TRACE_TIME_MAX_S      1e9                  /* about 30 years */
#define SIM_TRACE_SELECTIVITY_MAX 1e9
#define SIM_TRACE_BYTES_MAX       INT64_C(1000000000000000000)

struct sim_trace {
    FILE *in;
    char *name;          /* shown in messages */
    size_t line;         /* number of the last line read; the first is 1 */
    struct base_buf buf; /* text of that line, without its line end */
    bool ours;           /* @in is closed by sim_trace_close() */
};
/* Opens a file for reading; "-" means standard input. Returns 0 or -BASE_EIO. */
int sim_trace_open(struct sim_trace *t, const char *path, struct base_error *err);
/* Reads from @in, which the caller keeps and closes. */
void sim_trace_open_stream(struct sim_trace *t, FILE *in, const char *name);
void sim_trace_close(struct sim_trace *t);
/* Reads the next line that is not blank into t->buf: NUL-terminated, without its "\n" or "\r\n" and
 * without a byte order mark. Returns 1, or 0 at the end of the file. Fails if the line contains a
 * NUL byte, is longer than SIM_TRACE_LINE_MAX or cannot be read. */
int sim_trace_read_line(struct sim_trace *t, struct base_error *err);
/* Call at the end of the input: 0 after a real end of file, -BASE_EIO after a read error. */
int sim_trace_check_read_error(const struct sim_trace *t, struct base_error *err);
/* The fraction of the file read so far, in [0,1]; -1 when the file size is unknown. */
double sim_trace_fraction_read(const struct sim_trace *t);

/* Sets @err to "FILE:LINE: @field: '@value' is not @wanted" and returns -BASE_EINVAL. Long values
 * are cut. Before the first line the message has no line number. */
int sim_trace_refuse_value(const struct sim_trace *t, const char *field, const char *value,
                           const char *wanted, struct base_error *err);
/* Prefixes the message in @err with "FILE:LINE: " and returns @rc. */
int sim_trace_prefix_place(const struct sim_trace *t, int rc, struct base_error *err);

/* Parse the whole of @value; the number must lie within the bounds. @field names the value in
 * messages. Return 0 or a negative error. */
int sim_trace_parse_int(const struct sim_trace *t, const char *field, const char *value,
                        int64_t min, int64_t max, int64_t *out, struct base_error *err);
int sim_trace_parse_real(const struct sim_trace *t, const char *field, const char *value,
                         double min, double max, double *out, struct base_error *err);
/* Parses seconds, possibly with a fraction, into microseconds. */
int sim_trace_parse_seconds(const struct sim_trace *t, const char *field, const char *value,
                            double min_s, double max_s, int64_t *out_us, struct base_error *err);
/* Rounds to whole microseconds and limits the result to the range of int64_t. */
int64_t sim_trace_seconds_to_us(double seconds);

/* ---------------------------------------------------------------- hosts
 * Traces name hosts, simulations number them: 0, 1, ... in order of first appearance. */
struct sim_hosts {
    struct sim_host *table;
    uint32_t n;
};
/* Sets *out to the number of host @name and adds the host if it is new. Fails with -BASE_ELIMIT
 * beyond SIM_TRACE_HOSTS_MAX hosts. */
int sim_hosts_find_or_add(struct sim_hosts *h, const char *name, uint32_t *out,
                          struct base_error *err);
void sim_hosts_free(struct sim_hosts *h);

/* -------------------------------------------------------------- assumptions for what a trace omits
 * Traces that record only bytes have no tasks and no durations. We assume one map per input block,
 * and one reduce per GiB shuffled or written, rounded (none without shuffle); at least one of each
 * otherwise. A map takes 30 s; a reduce takes 20 s plus the time to process its bytes at 20
 * MB/s. */
struct sim_guess {
    int64_t block_bytes, per_reduce_bytes;
    int64_t map_us, reduce_us; /* reduce_us: the part that does not depend on bytes */
    double reduce_bytes_s;     /* throughput in bytes per second */
    double cv;
    /* Jobs with more than reduces_max reduces get reduces_over instead. reduces_max 0: no limit. */
    int32_t reduces_max, reduces_over;
};
void sim_guess_init_defaults(struct sim_guess *g);
int64_t sim_guess_map_count(const struct sim_guess *g, int64_t input_bytes);
int64_t sim_guess_reduce_count(const struct sim_guess *g, int64_t shuffle_bytes,
                               int64_t output_bytes);
/* Returns shuffle bytes / input bytes, at most SIM_TRACE_SELECTIVITY_MAX; 0 without input. */
double sim_guess_selectivity(const struct sim_job *job);
int64_t sim_guess_reduce_duration_us(const struct sim_guess *g, const struct sim_job *job);

/* ---------------------------------------------------------------- jobs */
/* Sets base_us to the mean of task_us, at least 1, for each kind of task that has a list. */
void sim_trace_set_mean_durations(struct sim_job *job);
/* Copies @from to @to (initialised by the caller), duplicating its arrays. */
void sim_trace_copy_job(struct sim_job *to, const struct sim_job *from);

#endif
