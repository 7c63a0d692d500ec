#include "sim/run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <uthash.h>

#include "base/io/log.h"

struct text {  /* a stored text of the outcome, found by its bytes */
    size_t at; /* offset in run.texts */
    UT_hash_handle hh;
    char bytes[];
};
struct run {
    const struct sim_spec *spec;
    const struct sim_run_watch *watch;
    struct sim_outcome *out;
    struct sim_workload inner; /* the workload that was given or opened */
    struct sim_source *source; /* the source that @inner reads; NULL: another workload */
    struct base_buf texts;
    struct text *known;
    size_t jobs_cap, notes;
    uint64_t given;         /* number of jobs that inner.next has handed out */
    uint64_t asked;         /* jobs run alone: id of the job after which the next was taken */
    bool over;              /* the workload has no more jobs */
    struct base_error late; /* an error from a callback that cannot return one */
};

void sim_spec_init(struct sim_spec *spec)
{
    *spec = (struct sim_spec){.keep_jobs = true};
    sim_conf_init(&spec->conf);
    spec->conf.true_work = true;
}

void sim_spec_format_name(const struct sim_spec *spec, char *out, size_t size)
{
    if (spec->label)
        snprintf(out, size, "%s", spec->label);
    else
        snprintf(out, size, "%s, seed %llu", spec->conf.policy,
                 (unsigned long long)spec->conf.seed);
}

/* ---------------------------------------------------------------- jobs */
static int take_next_job(void *self, struct sim_job *job, struct base_error *err)
{
    struct run *run = self;
    int rc = run->inner.next(run->inner.self, job, err);

    if (rc == 1) {
        run->given++;
        if (run->spec->tweak)
            run->spec->tweak(run->spec, job);
    }
    return rc;
}

static bool take_job_at_end(void *self, const struct sim_job_result *ended, int64_t now_us,
                            struct sim_job *job)
{
    struct run *run = self;

    if (!run->inner.at_end(run->inner.self, ended, now_us, job))
        return false;
    if (run->spec->tweak)
        run->spec->tweak(run->spec, job);
    return true;
}

/* Takes the next job to run alone: submitted at once, without deadline, predecessor or remote data.
 * @ended: the job before it; NULL: none. Returns what sim_workload.next returns. */
static int take_job_to_run_alone(struct run *run, const struct sim_job_result *ended,
                                 int64_t now_us, struct sim_job *job, struct base_error *err)
{
    int rc = run->over ? 0 : take_next_job(run, job, err);

    run->over = rc != 1;
    if (rc == 0 && ended && run->inner.at_end && take_job_at_end(run, ended, now_us, job))
        rc = 1; /* closed loop: the workload reacts to the end */
    if (rc != 1)
        return rc;
    if (!job->id)
        job->id = run->given; /* as the engine would number it; durations are derived from the id */
    job->submit_us = 0;
    job->after = 0;
    job->gap_us = 0;
    job->deadline_us = 0;
    job->f_rack = job->f_off = 1;
    return 1;
}

static int take_first_job_alone(void *self, struct sim_job *job, struct base_error *err)
{
    struct run *run = self;

    return run->given ? 0 : take_job_to_run_alone(run, NULL, 0, job, err);
}

static bool take_next_job_alone(void *self, const struct sim_job_result *ended, int64_t now_us,
                                struct sim_job *job)
{
    struct run *run = self;

    if (run->asked == ended->id ||
        run->late.code) /* one new job per ended job; the engine asks until it gets none */
        return false;
    run->asked = ended->id;
    return take_job_to_run_alone(run, ended, now_us, job, &run->late) == 1;
}

/* ---------------------------------------------------------------- the outcome */
/* Returns the offset of @text in the outcome's texts. Equal texts are stored once. */
static size_t store_text_once(struct run *run, const char *text)
{
    size_t len = strlen(text);
    struct text *t;

    HASH_FIND(hh, run->known, text, len, t);
    if (t)
        return t->at;
    t = base_alloc(sizeof *t + len + 1);
    t->at = run->texts.len;
    memcpy(t->bytes, text, len + 1);
    HASH_ADD_KEYPTR(hh, run->known, t->bytes, len, t);
    base_buf_add(&run->texts, text, len + 1);
    return t->at;
}

static const char *store_text_as_offset(struct run *run, const char *text)
{
    return (const char *)(uintptr_t)store_text_once(run, text ? text : "");
}

static void keep_job_result(void *ctx, const struct sim_job_result *r)
{
    struct run *run = ctx;
    struct sim_outcome *o = run->out;

    if (run->spec->conf.on_job)
        run->spec->conf.on_job(run->spec->conf.ctx, r);
    if (!run->spec->keep_jobs)
        return;
    base_array_grow(&o->jobs, o->jobs_n, &run->jobs_cap);
    struct sim_job_result *kept = &o->jobs[o->jobs_n++];
    *kept = *r;
    kept->name = store_text_as_offset(run, r->name);
    kept->class_name = store_text_as_offset(run, r->class_name);
    kept->pool = store_text_as_offset(run, r->pool);
    kept->user = store_text_as_offset(run, r->user);
}

/* The texts may move while they grow, so results hold offsets until the end of the run. Turns these
 * offsets into pointers. */
static void turn_offsets_into_texts(struct sim_outcome *o)
{
    for (size_t i = 0; i < o->jobs_n; i++) {
        struct sim_job_result *r = &o->jobs[i];
        r->name = o->texts + (uintptr_t)r->name;
        r->class_name = o->texts + (uintptr_t)r->class_name;
        r->pool = o->texts + (uintptr_t)r->pool;
        r->user = o->texts + (uintptr_t)r->user;
    }
}

static void record_slot_change(void *ctx, const struct sim_alloc *a)
{
    struct run *run = ctx;

    if (run->spec->conf.on_alloc)
        run->spec->conf.on_alloc(run->spec->conf.ctx, a);
    if (run->out->usage)
        sim_usage_record(run->out->usage, a);
}

static bool has_line(const struct base_buf *lines, const char *text)
{
    size_t len = strlen(text);

    for (const char *at = lines->data; at && *at; at = strchr(at, '\n') + 1)
        if (strncmp(at, text, len) == 0 && at[len] == '\n')
            return true;
    return false;
}

static void keep_note(struct run *run, const char *text)
{
    if (!*text || run->notes >= SIM_RUN_NOTES || has_line(&run->out->notes, text))
        return;
    run->notes++;
    base_buf_addf(&run->out->notes, "%s\n", text);
}

static void keep_warning(void *ctx, int64_t now_us, int level, const char *text)
{
    struct run *run = ctx;

    if (run->spec->conf.on_note)
        run->spec->conf.on_note(run->spec->conf.ctx, now_us, level, text);
    if (level <= BASE_LOG_WARN)
        keep_note(run, text);
}

static bool report_progress(void *ctx, int64_t now_us, const struct sim_totals *so_far)
{
    struct run *run = ctx;
    const struct sim_spec *spec = run->spec;

    if (spec->conf.on_tick && !spec->conf.on_tick(spec->conf.ctx, now_us, so_far))
        return false;
    if (!run->watch)
        return true;
    double fraction = run->source ? sim_source_fraction_read(run->source) : -1;
    return run->watch->on_progress(run->watch->ctx, fraction, now_us, so_far);
}

static void adjust_core_conf(void *ctx, struct rm_core_conf *core)
{
    struct run *run = ctx;

    run->spec->conf.adjust(run->spec->conf.ctx, core);
}

/* ---------------------------------------------------------------- the run */
static double cpu_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void copy_conf_with_run_hooks(struct run *run, struct sim_conf *conf)
{
    const struct sim_spec *spec = run->spec;

    *conf = spec->conf;
    conf->workload.self = run;
    if (spec->alone) {
        conf->policy = "fifo";
        conf->workload.next = take_first_job_alone;
        conf->workload.at_end = take_next_job_alone;
    } else {
        conf->workload.next = take_next_job;
        conf->workload.at_end = run->inner.at_end ? take_job_at_end : NULL;
    }
    conf->ctx = run;
    conf->on_job = keep_job_result;
    conf->on_alloc = run->out->usage || spec->conf.on_alloc ? record_slot_change : NULL;
    conf->on_note = keep_warning;
    conf->on_tick = report_progress;
    conf->adjust = spec->conf.adjust ? adjust_core_conf : NULL;
}

static int simulate(struct run *run, struct base_error *err)
{
    struct sim_outcome *o = run->out;
    struct sim_conf conf;
    struct sim_log log = {.write = sim_log_to_file};
    struct sim *sim = NULL;
    int rc;

    copy_conf_with_run_hooks(run, &conf);
    if (run->spec->log_path) {
        log.self = fopen(run->spec->log_path, "we");
        if (!log.self)
            return base_error_sys(err, -BASE_EIO, errno, "%s", run->spec->log_path);
        conf.log = &log;
    }
    sim = sim_new(&conf, err);
    rc = sim ? sim_run(sim, err) : err->code;
    if (rc == 0 && run->late.code) {
        *err = run->late;
        rc = err->code;
    }
    if (sim) {
        o->totals = *sim_totals_peek(sim);
        o->heartbeat_us = sim_heartbeat_us(sim);
        o->end_us = sim_now_us(sim);
    }
    if (rc == 0 && run->spec->finish)
        run->spec->finish(run->spec, sim, o);
    if (o->usage)
        sim_usage_finish(o->usage, o->end_us);
    sim_free(sim);
    if (log.self) {
        struct base_error written = {0};
        int log_rc = sim_log_flush_and_free(&log, &written);
        if (fclose(log.self) != 0 && log_rc == 0)
            log_rc = base_error_sys(&written, -BASE_EIO, errno, "%s", run->spec->log_path);
        if (rc == 0 && log_rc < 0) {
            *err = written;
            rc = log_rc;
        }
    }
    return rc;
}

static int open_workload(struct run *run, struct base_error *err)
{
    const struct sim_spec *spec = run->spec;
    struct sim_source_conf conf = spec->source;

    if (run->inner.next)
        return 0;
    if (!conf.what)
        return spec->open(spec, &run->inner, err);
    conf.seed = spec->conf.seed;
    for (size_t i = 0; !spec->source.nodes && i < spec->conf.cluster.groups_n; i++)
        conf.nodes += spec->conf.cluster.groups[i].nodes;
    run->source = sim_source_open(&conf, err);
    if (!run->source)
        return err->code;
    run->inner = sim_source_as_workload(run->source);
    return 0;
}

static void close_workload(struct run *run)
{
    const struct sim_spec *spec = run->spec;
    char text[1200];

    if (run->source) {
        keep_note(run, sim_source_scaling_note(run->source));
        if (sim_source_skipped_lines(run->source)) {
            snprintf(text, sizeof text, "bad lines that were passed over: %zu; the first: %s",
                     sim_source_skipped_lines(run->source),
                     sim_source_first_skipped_error(run->source));
            keep_note(run, text);
        }
        sim_source_close(run->source);
    } else if (!spec->conf.workload.next && spec->close) {
        spec->close(spec, &run->inner);
    }
}

static void free_text_index(struct run *run)
{
    struct text *t, *next;

    HASH_ITER(hh, run->known, t, next)
    {
        HASH_DEL(run->known, t);
        free(t);
    }
}

int sim_run_spec(const struct sim_spec *spec, const struct sim_run_watch *watch,
                 struct sim_outcome *out)
{
    struct run run = {.spec = spec, .watch = watch, .out = out, .inner = spec->conf.workload};
    double begin = cpu_seconds();

    *out = (struct sim_outcome){0};
    if (spec->keep_usage) {
        out->usage = base_alloc(sizeof *out->usage);
        sim_usage_init(out->usage);
    }
    out->code = open_workload(&run, &out->err);
    if (out->code == 0) {
        out->code = simulate(&run, &out->err);
        close_workload(&run);
    }
    out->err.code = out->code;
    out->texts = base_buf_take(&run.texts);
    turn_offsets_into_texts(out);
    free_text_index(&run);
    out->cpu_s = cpu_seconds() - begin;
    return out->code;
}

void sim_outcome_free(struct sim_outcome *o)
{
    if (o->usage)
        sim_usage_free(o->usage);
    free(o->usage);
    free(o->jobs);
    free(o->texts);
    base_buf_free(&o->notes);
    base_buf_free(&o->extra);
    *o = (struct sim_outcome){0};
}

/* ---------------------------------------------------------------- between processes */
struct packed { /* followed by the jobs, texts, notes, extra and usage */
    int code;
    struct base_error err;
    struct sim_totals totals;
    int64_t heartbeat_us, end_us;
    double cpu_s;
    size_t jobs_n, texts, notes, extra, usage;
};

void sim_outcome_pack(const struct sim_outcome *o, struct base_buf *out)
{
    struct base_buf usage = {0};
    struct packed head;
    size_t texts = 0;

    if (o->usage)
        sim_usage_pack(o->usage, &usage);
    for (size_t i = 0; i < o->jobs_n; i++) {
        const char *last[] = {o->jobs[i].name, o->jobs[i].class_name, o->jobs[i].pool,
                              o->jobs[i].user};
        for (size_t k = 0; k < sizeof last / sizeof *last; k++) {
            size_t end = (size_t)(last[k] - o->texts) + strlen(last[k]) + 1;
            texts = end > texts ? end : texts;
        }
    }
    memset(&head, 0, sizeof head);
    head.code = o->code;
    head.err = o->err;
    head.totals = o->totals;
    head.heartbeat_us = o->heartbeat_us;
    head.end_us = o->end_us;
    head.cpu_s = o->cpu_s;
    head.jobs_n = o->jobs_n;
    head.texts = texts;
    head.notes = o->notes.len;
    head.extra = o->extra.len;
    head.usage = usage.len;
    base_buf_add(out, &head, sizeof head);
    for (size_t i = 0; i < o->jobs_n; i++) {
        struct sim_job_result r = o->jobs[i];
        r.name = (const char *)(r.name - o->texts);
        r.class_name = (const char *)(r.class_name - o->texts);
        r.pool = (const char *)(r.pool - o->texts);
        r.user = (const char *)(r.user - o->texts);
        base_buf_add(out, &r, sizeof r);
    }
    base_buf_add(out, o->texts, texts);
    base_buf_add(out, o->notes.data, o->notes.len);
    base_buf_add(out, o->extra.data, o->extra.len);
    base_buf_add(out, usage.data, usage.len);
    base_buf_free(&usage);
}

static const char *append_bytes(struct base_buf *to, const char *data, size_t len)
{
    if (len)
        base_buf_add(to, data, len);
    return data + len;
}

int sim_outcome_unpack(struct sim_outcome *o, const char *data, size_t len, struct base_error *err)
{
    struct packed head;

    *o = (struct sim_outcome){0};
    if (len < sizeof head)
        return base_error_set(err, -BASE_ECORRUPT, "a result is cut short");
    memcpy(&head, data, sizeof head);
    if (head.jobs_n > len / sizeof *o->jobs || len != sizeof head + head.jobs_n * sizeof *o->jobs +
                                                          head.texts + head.notes + head.extra +
                                                          head.usage)
        return base_error_set(err, -BASE_ECORRUPT, "a result is not as it was sent");
    o->code = head.code;
    o->err = head.err;
    o->totals = head.totals;
    o->heartbeat_us = head.heartbeat_us;
    o->end_us = head.end_us;
    o->cpu_s = head.cpu_s;
    o->jobs_n = head.jobs_n;
    data += sizeof head;
    o->jobs = base_realloc_array(NULL, head.jobs_n + 1, sizeof *o->jobs);
    memcpy(o->jobs, data, head.jobs_n * sizeof *o->jobs);
    data += head.jobs_n * sizeof *o->jobs;
    o->texts = base_alloc(head.texts + 1);
    memcpy(o->texts, data, head.texts);
    data += head.texts;
    turn_offsets_into_texts(o);
    data = append_bytes(&o->notes, data, head.notes);
    data = append_bytes(&o->extra, data, head.extra);
    if (!head.usage)
        return 0;
    o->usage = base_alloc(sizeof *o->usage);
    return sim_usage_unpack(o->usage, data, head.usage, err);
}
