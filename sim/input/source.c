#include "sim/input/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/stat.h>

#include "base/data/heap.h"
#include "sim/input/id_set.h"
#include "sim/input/trace_csv.h"
#include "sim/input/trace_jsonl.h"
#include "sim/input/trace_sls.h"
#include "sim/input/trace_swim.h"
#include "sim/input/workload.h"

enum kind { SWIM, SLS, CSV, JSONL, KINDS, NAMED = KINDS };
static const char *const kinds[KINDS] = {"swim", "sls", "csv", "jsonl"};

struct pending {
    uint64_t row;
    size_t line; /* line number in the trace, for messages */
    struct sim_job job;
};
struct sim_source {
    enum kind kind;
    bool skip_bad;
    struct sim_made_jobs made; /* only if kind is NAMED */
    struct sim_trace trace;
    struct sim_swim swim;
    struct sim_sls sls;
    struct sim_csv csv;
    struct sim_jsonl jsonl;
    struct pending *window[SIM_SOURCE_WINDOW]; /* binary heap, earliest submission on top */
    size_t window_n;
    /* list elements in the window; no job is read while there are SIM_SOURCE_LISTED_MAX or more */
    int64_t listed;
    uint64_t rows;
    struct sim_ids ids; /* ids of all jobs read so far */
    int64_t last_us;
    bool ended;
    size_t skipped;
    char first_skipped[sizeof((struct base_error *)0)->text];
    char note[256];
};

/* ---------------------------------------------------------------- settings of traces */
static int parse_swim_setting(struct sim_source *s, const char *param, struct base_error *err)
{
    struct sim_swim *w = &s->swim;
    struct sim_trace at = {.name = (char *)"swim"};
    const char *eq = strchr(param, '='), *value = eq ? eq + 1 : "";
    char *key = eq ? base_strndup(param, (size_t)(eq - param)) : base_strdup(param);
    int64_t n = 0;
    int rc;

    if (strcmp(key, "origin") == 0 || strcmp(key, "target") == 0) {
        rc = sim_trace_parse_int(&at, key, value, 0, SIM_TRACE_HOSTS_MAX, &n, err);
        if (rc == 0 && key[0] == 'o')
            w->origin = (int32_t)n;
        else if (rc == 0)
            sim_swim_set_target(w, (int32_t)n);
    } else if (strcmp(key, "block_bytes") == 0) {
        rc = sim_trace_parse_int(&at, key, value, 1, SIM_TRACE_BYTES_MAX, &w->guess.block_bytes,
                                 err);
    } else if (strcmp(key, "per_reduce_bytes") == 0) {
        rc = sim_trace_parse_int(&at, key, value, 1, SIM_TRACE_BYTES_MAX,
                                 &w->guess.per_reduce_bytes, err);
    } else if (strcmp(key, "map_s") == 0) {
        rc = sim_trace_parse_seconds(&at, key, value, 1e-6, SIM_TRACE_TIME_MAX_S, &w->guess.map_us,
                                     err);
    } else if (strcmp(key, "reduce_s") == 0) {
        rc = sim_trace_parse_seconds(&at, key, value, 1e-6, SIM_TRACE_TIME_MAX_S,
                                     &w->guess.reduce_us, err);
    } else if (strcmp(key, "reduce_bytes_s") == 0) {
        rc = sim_trace_parse_real(&at, key, value, 1e3, 1e18, &w->guess.reduce_bytes_s, err);
    } else if (strcmp(key, "cv") == 0) {
        rc = sim_trace_parse_real(&at, key, value, 0, 10, &w->guess.cv, err);
    } else {
        rc = base_error_set(err, -BASE_EINVAL,
                            "swim has no setting '%.60s': there are origin, target, block_bytes, "
                            "per_reduce_bytes, map_s, "
                            "reduce_s, reduce_bytes_s, cv",
                            key);
    }
    free(key);
    return rc;
}

static int parse_settings(struct sim_source *s, const struct sim_source_conf *conf,
                          struct base_error *err)
{
    for (size_t i = 0; i < conf->params_n; i++) {
        int rc;

        if (s->kind == SWIM)
            rc = parse_swim_setting(s, conf->params[i], err);
        else
            rc = base_error_set(err, -BASE_EINVAL, "%s has no setting '%.60s': it has none",
                                kinds[s->kind], conf->params[i]);
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* ---------------------------------------------------------------- opening */
static int start_reader(struct sim_source *s, const struct sim_source_conf *conf,
                        struct base_error *err)
{
    int rc;

    sim_swim_init(&s->swim, &s->trace, sim_swim_origin_machines(s->trace.name), conf->nodes);
    sim_csv_init(&s->csv, &s->trace);
    sim_jsonl_init(&s->jsonl, &s->trace, conf->nodes);
    if (s->kind == SLS)
        sim_sls_init(&s->sls, &s->trace, conf->nodes);
    if ((rc = parse_settings(s, conf, err)) < 0)
        return rc;
    if (s->kind == SWIM && s->swim.target > 0 && s->swim.origin == 0)
        snprintf(s->note, sizeof s->note,
                 "%.150s: the number of its machines is unknown: its bytes are not scaled "
                 "(origin=N scales them)",
                 s->trace.name);
    return 0;
}

/* Opens "NAME,KEY=VALUE,...". Settings inside the text come first, so the list in @conf overrides
 * them. */
static int open_workload(struct sim_source *s, const struct sim_source_conf *conf,
                         struct base_error *err)
{
    char *text = base_strdup(conf->what), *name = text, *p = strchr(text, ',');
    const char **params = NULL;
    size_t n = 0, cap = 0;
    int rc;

    for (char *next; p; p = next) {
        *p++ = '\0';
        next = strchr(p, ',');
        base_array_grow(&params, n, &cap);
        params[n++] = p;
    }
    for (size_t i = 0; i < conf->params_n; i++) {
        base_array_grow(&params, n, &cap);
        params[n++] = conf->params[i];
    }
    rc = sim_workload_make(name, params, n, conf->seed, &s->made, err);
    free(params);
    free(text);
    return rc;
}

static struct sim_source *source_alloc(const struct sim_source_conf *conf, enum kind kind)
{
    struct sim_source *s = base_alloc(sizeof *s);

    s->kind = kind;
    s->skip_bad = conf->skip_bad;
    return s;
}

struct sim_source *sim_source_open_stream(const char *kind, FILE *in,
                                          const struct sim_source_conf *conf,
                                          struct base_error *err)
{
    for (int k = 0; k < KINDS; k++)
        if (strcmp(kinds[k], kind) == 0) {
            struct sim_source *s = source_alloc(conf, (enum kind)k);

            sim_trace_open_stream(&s->trace, in, kind);
            if (start_reader(s, conf, err) == 0)
                return s;
            sim_source_close(s);
            return NULL;
        }
    base_error_set(err, -BASE_ENOTFOUND, "no format '%.60s': there are swim, sls, csv, jsonl",
                   kind);
    return NULL;
}

struct sim_source *sim_source_open(const struct sim_source_conf *conf, struct base_error *err)
{
    const char *colon = strchr(conf->what, ':');
    struct sim_source *s;
    int rc;

    if (!colon) {
        s = source_alloc(conf, NAMED);
        rc = open_workload(s, conf, err);
    } else {
        size_t n = (size_t)(colon - conf->what);
        int k = 0;

        while (k < KINDS && (strlen(kinds[k]) != n || strncmp(kinds[k], conf->what, n) != 0))
            k++;
        if (k == KINDS) {
            base_error_set(err, -BASE_ENOTFOUND,
                           "no format '%.*s': there are swim, sls, csv, jsonl",
                           (int)(n < 60 ? n : 60), conf->what);
            return NULL;
        }
        s = source_alloc(conf, (enum kind)k);
        rc = sim_trace_open(&s->trace, colon + 1, err);
        if (rc == 0)
            rc = start_reader(s, conf, err);
    }
    if (rc == 0)
        return s;
    sim_source_close(s);
    return NULL;
}

bool sim_source_is_one_shot(const char *what)
{
    const char *colon = strchr(what, ':');
    struct stat st;

    return colon && (strcmp(colon, ":-") == 0 ||
                     (stat(colon + 1, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)));
}

/* ---------------------------------------------------------------- reading */
static int read_next_row(struct sim_source *s, struct sim_job *out, struct base_error *err)
{
    sim_job_init(out);
    switch (s->kind) {
    case SWIM:
        return sim_swim_next_job(&s->swim, out, err);
    case SLS:
        return sim_sls_next_job(&s->sls, out, err);
    case CSV:
        return sim_csv_next_job(&s->csv, out, err);
    default:
        return sim_jsonl_next_job(&s->jsonl, out, err);
    }
}

/* If the error may be skipped, counts the bad line and returns true: the caller continues with the
 * next line. */
static bool count_bad_line_if_skippable(struct sim_source *s, int rc, const struct base_error *err)
{
    /* a header that cannot be read makes every line bad */
    bool nothing = s->kind == CSV && s->csv.columns < 0;

    if (!s->skip_bad || nothing || (rc != -BASE_EINVAL && rc != -BASE_ELIMIT))
        return false;
    if (s->skipped++ == 0)
        snprintf(s->first_skipped, sizeof s->first_skipped, "%s", err->text);
    return true;
}

static bool submitted_earlier(const struct pending *a, const struct pending *b)
{
    return a->job.submit_us < b->job.submit_us ||
           (a->job.submit_us == b->job.submit_us && a->row < b->row);
}

/* The number of list elements the job holds in memory; huge jobs fill the window early. */
static int64_t count_list_elements(const struct sim_job *job)
{
    int64_t n = 0;

    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        n += job->task_us[k] ? job->tasks[k] : 0;
    return n + (job->replica_nodes ? (int64_t)job->tasks[BASE_TASK_MAP] * job->replicas : 0);
}

BASE_HEAP_SIFT(sift, struct pending *, submitted_earlier, BASE_HEAP_NO_INDEX)

static void window_add(struct sim_source *s, struct pending *p)
{
    s->window[s->window_n++] = p;
    sift(s->window, s->window_n, s->window_n - 1);
    s->listed += count_list_elements(&p->job);
}

static struct pending *window_take_first(struct sim_source *s)
{
    struct pending *first = s->window[0];

    s->window[0] = s->window[--s->window_n];
    sift(s->window, s->window_n, 0);
    s->listed -= count_list_elements(&first->job);
    return first;
}

/* Gives a job without an id its row number. Returns 1, or negative if another job has the id:
 * durations, split locations and "after" depend on ids. */
static int assign_row_and_id(struct sim_source *s, struct pending *p, struct base_error *err)
{
    char text[24];

    p->row = s->rows + 1;
    p->line = s->trace.line;
    if (!p->job.id)
        p->job.id = p->row;
    if (sim_ids_add(&s->ids, p->job.id)) {
        s->rows++;
        return 1;
    }
    snprintf(text, sizeof text, "%llu", (unsigned long long)p->job.id);
    return sim_trace_refuse_value(
        &s->trace, "id", text,
        "of one job alone (one that is given no id has the number of its row)", err);
}

/* Reads rows until the window is full or the trace ends. Returns 0 or a negative error; after a bad
 * line the next call continues with the line that follows. */
static int fill_window(struct sim_source *s, struct base_error *err)
{
    struct base_error own;
    struct base_error *e = err ? err : &own;

    while (!s->ended && s->window_n < SIM_SOURCE_WINDOW && s->listed < SIM_SOURCE_LISTED_MAX) {
        struct pending *p = base_alloc(sizeof *p);
        int rc = read_next_row(s, &p->job, e);

        if (rc > 0)
            rc = assign_row_and_id(s, p, e);
        if (rc <= 0) {
            sim_job_clear(&p->job);
            free(p);
            s->ended = rc == 0;
            if (rc < 0 && !count_bad_line_if_skippable(s, rc, e))
                return rc;
            continue;
        }
        window_add(s, p);
    }
    return 0;
}

static int set_out_of_order_error(const struct sim_source *s, const struct pending *p,
                                  struct base_error *err)
{
    return base_error_set(err, -BASE_EINVAL,
                          "%s:%zu: submission: '%.6f' is not in order: more than %d jobs before it "
                          "were submitted later; sort "
                          "the file",
                          s->trace.name, p->line, (double)p->job.submit_us / 1e6,
                          SIM_SOURCE_WINDOW);
}

/* Hands out the earliest job in the window. A job that was submitted before the last one handed out
 * lies more than a window out of order and counts as a bad line. */
static int take_next_job_in_order(struct sim_source *s, struct sim_job *out, struct base_error *err)
{
    struct base_error own;
    struct base_error *e = err ? err : &own;

    for (;;) {
        struct pending *p;
        bool late;
        int rc = fill_window(s, e);

        if (rc < 0)
            return rc;
        if (s->window_n == 0)
            return 0;
        p = window_take_first(s);
        late = p->job.submit_us < s->last_us;
        rc = late ? set_out_of_order_error(s, p, e) : 1;
        if (late) {
            sim_job_clear(&p->job);
        } else {
            s->last_us = p->job.submit_us;
            *out = p->job;
        }
        free(p);
        if (!late || !count_bad_line_if_skippable(s, rc, e))
            return rc;
    }
}

int sim_source_next_job(struct sim_source *s, struct sim_job *out, struct base_error *err)
{
    return s->kind == NAMED ? sim_made_jobs_take_next(&s->made, out)
                            : take_next_job_in_order(s, out, err);
}

/* ---------------------------------------------------------------- adapter for the engine */
static int next_job_for_engine(void *self, struct sim_job *out, struct base_error *err)
{
    return sim_source_next_job(self, out, err);
}

static bool replace_ended_job(void *self, const struct sim_job_result *ended, int64_t now_us,
                              struct sim_job *out)
{
    return sim_made_jobs_replace_ended(&((struct sim_source *)self)->made, ended->id, now_us, out);
}

struct sim_workload sim_source_as_workload(struct sim_source *s)
{
    return (struct sim_workload){.self = s,
                                 .next = next_job_for_engine,
                                 .at_end = s->kind == NAMED && s->made.open > 0 ? replace_ended_job
                                                                                : NULL};
}

double sim_source_fraction_read(const struct sim_source *s)
{
    if (s->kind != NAMED)
        return s->ended && s->window_n == 0 ? 1 : sim_trace_fraction_read(&s->trace);
    return s->made.n ? (double)s->made.next / (double)s->made.n : 1;
}

size_t sim_source_skipped_lines(const struct sim_source *s)
{
    return s->skipped;
}

const char *sim_source_first_skipped_error(const struct sim_source *s)
{
    return s->first_skipped;
}

const char *sim_source_scaling_note(const struct sim_source *s)
{
    return s->note;
}

void sim_source_close(struct sim_source *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->window_n; i++) {
        sim_job_clear(&s->window[i]->job);
        free(s->window[i]);
    }
    sim_made_jobs_free(&s->made);
    sim_ids_free(&s->ids);
    sim_sls_free(&s->sls);
    sim_jsonl_free(&s->jsonl);
    sim_trace_close(&s->trace);
    free(s);
}

/* ---------------------------------------------------------------- adapter for the single server */
static double total_work_s(const struct sim_job *job)
{
    double us = 0;

    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        us += (double)job->base_us[k] * job->tasks[k];
    return us / 1e6;
}

int sim_source_read_single_jobs(struct sim_source *s, struct sim_single_job **out, size_t *n,
                                struct base_error *err)
{
    struct sim_single_job *v = NULL;
    double *work = NULL;
    size_t len = 0, cap = 0, work_cap = 0;
    bool bytes = false;
    struct sim_job job;
    int rc;

    for (sim_job_init(&job); (rc = sim_source_next_job(s, &job, err)) > 0; sim_job_clear(&job)) {
        double size = sim_single_bytes_moved((double)job.input_bytes, (double)job.shuffle_bytes,
                                             (double)job.output_bytes);

        base_array_grow(&v, len, &cap);
        base_array_grow(&work, len, &work_cap);
        work[len] = total_work_s(&job);
        v[len++] = (struct sim_single_job){(double)job.submit_us / 1e6, size};
        bytes = bytes || size > 0;
    }
    for (size_t i = 0; i < len && !bytes; i++)
        v[i].size_s = work[i];
    free(work);
    if (rc < 0) {
        free(v);
        return rc;
    }
    *out = v;
    *n = len;
    return 0;
}
