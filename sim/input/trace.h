/* sim/input/trace.h - what the readers of traces share: lines with numbers, values with names, hosts, defaults.
 *
 * Every complaint has the same form, so that the place is found at once:
 *     FILE:LINE: FIELD: 'VALUE' is not WHAT WAS EXPECTED
 * A reader that complains has read over the bad line: the next call goes on behind it. Files are streamed: memory is
 * bounded by the longest line.
 * Errors: -BASE_EINVAL for what a line says, -BASE_ELIMIT for what is too long or too much, -BASE_EIO for the file. */
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
#define SIM_TRACE_HOSTS_MAX       1000000              /* names of hosts in a trace */
#define SIM_TRACE_TIME_MAX_S      1e9                  /* about 30 years */
#define SIM_TRACE_SELECTIVITY_MAX 1e9
#define SIM_TRACE_BYTES_MAX       INT64_C(1000000000000000000)

struct sim_trace {
    FILE *in;
    char *name;          /* for messages */
    size_t line;         /* number of the line that was read last, from 1 */
    struct base_buf buf; /* that line, without its end */
    bool ours;           /* close @in */
};
/* "-" is standard input. */
int sim_trace_open(struct sim_trace *t, const char *path, struct base_error *err);
/* Reads @in, which stays the caller's. */
void sim_trace_from(struct sim_trace *t, FILE *in, const char *name);
void sim_trace_close(struct sim_trace *t);
/* The next line that is not blank into t->buf, NUL-terminated, without "\n" or "\r\n" and a byte order mark: 1; at the
 * end 0; negative: a NUL inside, longer than SIM_TRACE_LINE_MAX, cannot be read. */
int sim_trace_line(struct sim_trace *t, struct base_error *err);
/* What the end of the input means: 0, or -BASE_EIO: it could not be read on. */
int sim_trace_end(const struct sim_trace *t, struct base_error *err);
/* The share of the file that was read, in [0,1]; -1 when its size is not known. */
double sim_trace_progress(const struct sim_trace *t);

/* -BASE_EINVAL with "FILE:LINE: @field: '@value' is not @wanted". A long value is cut. No line: the name alone. */
int sim_trace_bad(const struct sim_trace *t, const char *field, const char *value, const char *wanted,
                  struct base_error *err);
/* Puts "FILE:LINE: " before what @err says. */
int sim_trace_wrap(const struct sim_trace *t, int rc, struct base_error *err);

/* Values of text: the whole of @value must be a number within the bounds. */
int sim_trace_int(const struct sim_trace *t, const char *field, const char *value, int64_t min, int64_t max,
                  int64_t *out, struct base_error *err);
int sim_trace_real(const struct sim_trace *t, const char *field, const char *value, double min, double max, double *out,
                   struct base_error *err);
/* Seconds, with a fraction if need be, as microseconds. */
int sim_trace_seconds(const struct sim_trace *t, const char *field, const char *value, double min_s, double max_s,
                      int64_t *out_us, struct base_error *err);
int64_t sim_trace_us_of(double seconds); /* to the nearest that fits */

/* ---------------------------------------------------------------- hosts
 * A trace names hosts, a simulation numbers them: in order of first appearance. */
struct sim_hosts {
    struct sim_host *table;
    uint32_t n;
};
/* The number of @name, a new one if need be; -BASE_ELIMIT over SIM_TRACE_HOSTS_MAX. */
int sim_hosts_number(struct sim_hosts *h, const char *name, uint32_t *out, struct base_error *err);
void sim_hosts_free(struct sim_hosts *h);

/* ---------------------------------------------------------------- what a trace does not say
 * Traces of bytes have no tasks and no durations. One map per block of input, one reduce per GiB that is shuffled or
 * written (none without shuffle); a map takes 30 s, a reduce 20 s and the time of its bytes at 20 MB/s. */
struct sim_guess {
    int64_t block_bytes, per_reduce_bytes;
    int64_t map_us, reduce_us; /* a reduce's fixed part */
    double reduce_bytes_s;     /* bytes a second */
    double cv;
    int32_t reduces_max, reduces_over; /* above @reduces_max there are @reduces_over instead; 0: no bound */
};
void sim_guess_init(struct sim_guess *g);
int64_t sim_guess_maps(const struct sim_guess *g, int64_t input_bytes);
int64_t sim_guess_reduces(const struct sim_guess *g, int64_t shuffle_bytes, int64_t output_bytes);
/* Shuffle by input, at most SIM_TRACE_SELECTIVITY_MAX; 0 without input. */
double sim_guess_selectivity(const struct sim_job *job);
int64_t sim_guess_reduce_us(const struct sim_guess *g, const struct sim_job *job);

/* ---------------------------------------------------------------- jobs */
/* Sets base_us to the means of task_us, where there are any; at least 1. */
void sim_trace_means(struct sim_job *job);
/* @to (initialised) becomes a copy with arrays of its own. */
void sim_trace_copy(struct sim_job *to, const struct sim_job *from);

#endif
