#include "sim/input/trace.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <uthash.h>

#include "base/utf8.h"

int sim_trace_open(struct sim_trace *t, const char *path, struct base_error *err)
{
    FILE *in = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");

    if (!in)
        return base_error_sys(err, -BASE_EIO, errno, "cannot read %s", path);
    sim_trace_open_stream(t, in, in == stdin ? "standard input" : path);
    t->ours = in != stdin;
    return 0;
}

void sim_trace_open_stream(struct sim_trace *t, FILE *in, const char *name)
{
    *t = (struct sim_trace){.in = in, .name = base_strdup(name)};
}

void sim_trace_close(struct sim_trace *t)
{
    if (t->ours)
        fclose(t->in);
    free(t->name);
    base_buf_free(&t->buf);
    *t = (struct sim_trace){0};
}

double sim_trace_fraction_read(const struct sim_trace *t)
{
    struct stat st;
    off_t at = ftello(t->in);

    if (at < 0 || fileno(t->in) < 0 || fstat(fileno(t->in), &st) < 0 || !S_ISREG(st.st_mode))
        return -1;
    return st.st_size > 0 ? fmin(1, (double)at / (double)st.st_size) : 1;
}

/* ---------------------------------------------------------------- lines */
/* Some editors put a byte order mark at the start of a text file. */
static void drop_byte_order_mark(struct base_buf *b)
{
    if (b->len >= 3 && memcmp(b->data, "\xef\xbb\xbf", 3) == 0) {
        b->len -= 3;
        memmove(b->data, b->data + 3, b->len + 1);
    }
}

/* Reads one line, blank or not. Returns 1, or 0 at the end of the file. Sets *has_nul if the line
 * contains a NUL byte, *too_long if the line was cut at the maximum length. */
static int read_line_or_blank(struct sim_trace *t, bool *has_nul, bool *too_long)
{
    int ch = getc_unlocked(t->in);

    *has_nul = *too_long = false;
    base_buf_reserve(&t->buf, 256);
    base_buf_clear(&t->buf);
    if (ch == EOF)
        return 0;
    t->line++;
    for (; ch != EOF && ch != '\n'; ch = getc_unlocked(t->in)) {
        if (ch == '\0')
            *has_nul = true;
        if (t->buf.len >= SIM_TRACE_LINE_MAX) {
            *too_long = true;
            continue;
        }
        if (t->buf.len + 1 >= t->buf.cap)
            base_buf_reserve(&t->buf, t->buf.cap);
        t->buf.data[t->buf.len++] = (char)ch;
    }
    if (t->buf.len && t->buf.data[t->buf.len - 1] == '\r')
        t->buf.len--;
    t->buf.data[t->buf.len] = '\0';
    if (t->line == 1)
        drop_byte_order_mark(&t->buf);
    return 1;
}

int sim_trace_check_read_error(const struct sim_trace *t, struct base_error *err)
{
    return ferror(t->in) ? base_error_sys(err, -BASE_EIO, errno, "cannot read %s", t->name) : 0;
}

int sim_trace_read_line(struct sim_trace *t, struct base_error *err)
{
    bool has_nul, too_long;

    while (read_line_or_blank(t, &has_nul, &too_long)) {
        if (too_long) {
            base_error_set(err, -BASE_ELIMIT, "the line is longer than %lld bytes",
                           (long long)SIM_TRACE_LINE_MAX);
            return sim_trace_prefix_place(t, -BASE_ELIMIT, err);
        }
        if (has_nul) {
            base_error_set(err, -BASE_EINVAL, "the line has a NUL byte: this is not text");
            return sim_trace_prefix_place(t, -BASE_EINVAL, err);
        }
        if (t->buf.data[strspn(t->buf.data, " \t")] != '\0')
            return 1;
    }
    return sim_trace_check_read_error(t, err);
}

/* ---------------------------------------------------------------- error messages */
#define SHOWN_MAX 60 /* bytes of a value quoted in a message */

int sim_trace_refuse_value(const struct sim_trace *t, const char *field, const char *value,
                           const char *wanted, struct base_error *err)
{
    char *shown = base_utf8_escape_for_message(value, SHOWN_MAX);

    base_error_set(err, -BASE_EINVAL, "%s: '%s' is not %s", field, shown, wanted);
    free(shown);
    return t->line ? sim_trace_prefix_place(t, -BASE_EINVAL, err)
                   : base_error_wrap(err, -BASE_EINVAL, "%s", t->name);
}

int sim_trace_prefix_place(const struct sim_trace *t, int rc, struct base_error *err)
{
    return base_error_wrap(err, rc, "%s:%zu", t->name, t->line);
}

/* ---------------------------------------------------------------- values */
int sim_trace_parse_int(const struct sim_trace *t, const char *field, const char *value,
                        int64_t min, int64_t max, int64_t *out, struct base_error *err)
{
    char wanted[96], *end;
    long long v;

    errno = 0;
    v = strtoll(value, &end, 10);
    if (end != value && !*end && !errno && v >= min && v <= max &&
        strchr("+-0123456789", value[0])) {
        *out = v;
        return 0;
    }
    snprintf(wanted, sizeof wanted, "an integer from %lld to %lld", (long long)min, (long long)max);
    return sim_trace_refuse_value(t, field, value, wanted, err);
}

/* Parses a plain decimal number: no hexadecimal, no inf, no nan, no spaces. */
static bool parse_decimal(const char *value, double *out)
{
    char *end;

    if (!value[0] || value[strspn(value, "+-0123456789.eE")] != '\0')
        return false;
    *out = strtod(value, &end);
    return end != value && !*end && isfinite(*out);
}

static int parse_real_described_as(const struct sim_trace *t, const char *field, const char *value,
                                   const char *what, double min, double max, double *out,
                                   struct base_error *err)
{
    char wanted[96];
    double v;

    if (parse_decimal(value, &v) && v >= min && v <= max) {
        *out = v;
        return 0;
    }
    snprintf(wanted, sizeof wanted, "%s from %.10g to %.10g", what, min, max);
    return sim_trace_refuse_value(t, field, value, wanted, err);
}

int sim_trace_parse_real(const struct sim_trace *t, const char *field, const char *value,
                         double min, double max, double *out, struct base_error *err)
{
    return parse_real_described_as(t, field, value, "a number", min, max, out, err);
}

/* larger times would overflow int64_t */
#define TIME_LIMIT_US 9e18

int64_t sim_trace_seconds_to_us(double seconds)
{
    return llround(fmax(-TIME_LIMIT_US, fmin(TIME_LIMIT_US, seconds * 1e6)));
}

int sim_trace_parse_seconds(const struct sim_trace *t, const char *field, const char *value,
                            double min_s, double max_s, int64_t *out_us, struct base_error *err)
{
    double v = 0;
    int rc = parse_real_described_as(t, field, value, "a number of seconds", min_s, max_s, &v, err);

    if (rc < 0)
        return rc;
    *out_us = sim_trace_seconds_to_us(v);
    return 0;
}

/* ---------------------------------------------------------------- hosts */
struct sim_host {
    UT_hash_handle hh;
    uint32_t number;
    char name[];
};

int sim_hosts_find_or_add(struct sim_hosts *h, const char *name, uint32_t *out,
                          struct base_error *err)
{
    struct sim_host *host;
    size_t len = strlen(name);

    HASH_FIND(hh, h->table, name, len, host);
    if (!host) {
        if (h->n >= SIM_TRACE_HOSTS_MAX)
            return base_error_set(err, -BASE_ELIMIT, "more than %d hosts", SIM_TRACE_HOSTS_MAX);
        host = base_alloc(sizeof *host + len + 1);
        memcpy(host->name, name, len + 1);
        host->number = h->n++;
        HASH_ADD_KEYPTR(hh, h->table, host->name, len, host);
    }
    *out = host->number;
    return 0;
}

void sim_hosts_free(struct sim_hosts *h)
{
    struct sim_host *host, *next;

    HASH_ITER(hh, h->table, host, next)
    {
        HASH_DEL(h->table, host);
        free(host);
    }
    *h = (struct sim_hosts){0};
}

/* ---------------------------------------------------------------- assumptions */
void sim_guess_init_defaults(struct sim_guess *g)
{
    *g = (struct sim_guess){.block_bytes = SIM_BLOCK_BYTES,
                            .per_reduce_bytes = INT64_C(1) << 30,
                            .map_us = 30000000,
                            .reduce_us = 20000000,
                            .reduce_bytes_s = 20e6,
                            .cv = 0.1};
}

int64_t sim_guess_map_count(const struct sim_guess *g, int64_t input_bytes)
{
    return input_bytes > 0 ? (input_bytes - 1) / g->block_bytes + 1 : 1;
}

int64_t sim_guess_reduce_count(const struct sim_guess *g, int64_t shuffle_bytes,
                               int64_t output_bytes)
{
    int64_t n;

    if (shuffle_bytes <= 0)
        return 0;
    n = llround(((double)shuffle_bytes + (double)output_bytes) / (double)g->per_reduce_bytes);
    if (g->reduces_max > 0 && n > g->reduces_max)
        n = g->reduces_over;
    return n > 1 ? n : 1;
}

double sim_guess_selectivity(const struct sim_job *job)
{
    if (job->input_bytes <= 0)
        return 0;
    return fmin(SIM_TRACE_SELECTIVITY_MAX, (double)job->shuffle_bytes / (double)job->input_bytes);
}

int64_t sim_guess_reduce_duration_us(const struct sim_guess *g, const struct sim_job *job)
{
    double bytes = (double)job->shuffle_bytes + (double)job->output_bytes;

    if (job->tasks[BASE_TASK_REDUCE] <= 0)
        return g->reduce_us;
    return g->reduce_us +
           sim_trace_seconds_to_us(bytes / job->tasks[BASE_TASK_REDUCE] / g->reduce_bytes_s);
}

/* ---------------------------------------------------------------- jobs */
void sim_trace_set_mean_durations(struct sim_job *job)
{
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        double sum = 0;

        for (int32_t i = 0; i < job->tasks[k] && job->task_us[k]; i++)
            sum += (double)job->task_us[k][i];
        if (job->task_us[k] && job->tasks[k] > 0)
            job->base_us[k] = llround(fmax(1, sum / job->tasks[k]));
    }
}

static void *copy_array(const void *from, size_t size)
{
    void *to = from ? base_alloc(size) : NULL;

    if (from && size)
        memcpy(to, from, size);
    return to;
}

void sim_trace_copy_job(struct sim_job *to, const struct sim_job *from)
{
    *to = *from;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        to->task_us[k] =
            copy_array(from->task_us[k], (size_t)from->tasks[k] * sizeof *from->task_us[k]);
    to->replica_nodes =
        copy_array(from->replica_nodes, (size_t)from->tasks[BASE_TASK_MAP] *
                                            (size_t)from->replicas * sizeof *from->replica_nodes);
}
