/* Cases, runs, figures and rows of the papers' experiments. */
#include "sim/paper/paper.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/options.h"
#include "sim/paper/paper_internal.h"
#include "sim/pool.h"
#include "sim/report/stats.h"
#include "sim/terminal.h"

/* ---------------------------------------------------------------- cases */
static struct sim_paper_case *find_case(const struct sim_paper_run *run, const char *key)
{
    for (size_t i = 0; i < run->cases_n; i++)
        if (strcmp(run->cases[i]->key, key) == 0)
            return run->cases[i];
    return NULL;
}

struct sim_paper_case *sim_paper_add_case(struct sim_paper_run *run, const char *key,
                                          const char *workload, const char *policy)
{
    struct sim_paper_case *c = base_alloc(sizeof *c);

    base_assert(!find_case(run, key) && strlen(key) < sizeof c->key);
    snprintf(c->key, sizeof c->key, "%s", key);
    sim_spec_init(&c->spec);
    c->spec.conf.policy = policy;
    c->spec.conf.options = &c->options;
    c->spec.source.what = workload;
    c->spec.label = c->key;
    c->spec.conf.cluster.groups = c->groups;
    sim_paper_set_option(c, "fifo.hadoop_rules", "true");
    sim_paper_set_option(c, "fair.spread_cap", "true");
    base_array_grow(&run->cases, run->cases_n, &run->cases_cap);
    run->cases[run->cases_n++] = c;
    return c;
}

void sim_paper_set_cluster(struct sim_paper_case *c, int32_t nodes, int32_t map_slots,
                           int32_t reduce_slots, int32_t racks)
{
    c->spec.conf.cluster.groups_n = 0;
    c->spec.conf.cluster.racks = racks;
    sim_paper_add_group(c, nodes, map_slots, reduce_slots, 1);
}

void sim_paper_add_group(struct sim_paper_case *c, int32_t nodes, int32_t map_slots,
                         int32_t reduce_slots, double speed)
{
    base_assert(c->spec.conf.cluster.groups_n < SIM_PAPER_GROUPS_MAX);
    c->groups[c->spec.conf.cluster.groups_n++] =
        (struct sim_group){.nodes = nodes, .slots = {map_slots, reduce_slots}, .speed = speed};
}

void sim_paper_set_option(struct sim_paper_case *c, const char *option, const char *value)
{
    struct base_error err;
    int rc = sim_option_set(&c->options, option, value, &err);

    if (rc < 0)
        fprintf(stderr, "%s: %s\n", c->key, err.text);
    base_assert(rc == 0);
}

void sim_paper_add_workload_param(struct sim_paper_case *c, const char *fmt, ...)
{
    struct base_buf b = {0};
    va_list ap;

    base_assert(c->params_n < SIM_PAPER_PARAMS_MAX);
    va_start(ap, fmt);
    base_buf_vaddf(&b, fmt, ap);
    va_end(ap);
    c->params[c->params_n++] = b.data;
    c->spec.source.params = (const char *const *)c->params;
    c->spec.source.params_n = c->params_n;
}

static size_t case_seed_count(const struct sim_paper_run *run, const struct sim_paper_case *c)
{
    return c->seeds ? c->seeds : run->seeds;
}

static void free_case(const struct sim_paper_run *run, struct sim_paper_case *c)
{
    for (size_t i = 0; c->outcomes && i < case_seed_count(run, c); i++)
        sim_outcome_free(&c->outcomes[i]);
    free(c->outcomes);
    for (size_t i = 0; i < c->params_n; i++)
        free(c->params[i]);
    policy_conf_free(&c->options);
    free(c->own);
    free(c);
}

void sim_paper_run_free(struct sim_paper_run *run)
{
    for (size_t i = 0; i < run->cases_n; i++)
        free_case(run, run->cases[i]);
    free(run->cases);
    for (size_t i = 0; i < run->rows_n; i++) {
        free(run->rows[i].id);
        free(run->rows[i].source);
        free(run->rows[i].published);
        free(run->rows[i].ours);
        free(run->rows[i].criterion);
    }
    free(run->rows);
}

/* ---------------------------------------------------------------- runs */
struct gather { /* collects the outcomes of the pool */
    struct place {
        struct sim_paper_case *c;
        size_t seed; /* index of the seed; the seed is first_seed + this */
        uint64_t first_seed;
    } * places;
    struct sim_bar *bar;
    size_t n;
    struct base_error *err;
    int rc;
};

static bool keep_outcome(void *ctx, size_t index, struct sim_outcome *o)
{
    struct gather *g = ctx;
    struct sim_paper_case *c = g->places[index].c;

    if (o->code < 0) {
        g->rc = base_error_set(
            g->err, o->code, "%s, seed %llu: %s", c->key,
            (unsigned long long)(g->places[index].first_seed + g->places[index].seed), o->err.text);
        return false;
    }
    c->outcomes[g->places[index].seed] = *o;
    *o = (struct sim_outcome){0};
    return true;
}

static void draw_progress(void *ctx, double fraction, size_t ended, size_t running)
{
    struct gather *g = ctx;

    (void)running;
    sim_bar_draw(g->bar, fraction, ended, g->n);
}

int sim_paper_run_cases(struct sim_paper_run *runs, size_t n, int jobs, struct sim_bar *bar,
                        struct base_error *err)
{
    struct sim_spec *specs = NULL;
    struct gather g = {.bar = bar, .err = err};
    struct sim_pool_hooks hooks = {
        .on_outcome = keep_outcome, .on_progress = draw_progress, .ctx = &g};
    size_t specs_n = 0, specs_cap = 0, places_cap = 0;
    int rc;

    for (size_t r = 0; r < n; r++)
        for (size_t i = 0; i < runs[r].cases_n; i++) {
            struct sim_paper_case *c = runs[r].cases[i];
            size_t seeds = case_seed_count(&runs[r], c);

            c->outcomes = base_alloc(seeds * sizeof *c->outcomes);
            for (size_t s = 0; s < seeds; s++) {
                base_array_grow(&specs, specs_n, &specs_cap);
                base_array_grow(&g.places, specs_n, &places_cap);
                specs[specs_n] = c->spec;
                specs[specs_n].conf.seed = runs[r].first_seed + s;
                g.places[specs_n++] = (struct place){c, s, runs[r].first_seed};
            }
        }
    g.n = specs_n;
    rc = sim_pool_run(specs, specs_n, jobs, &hooks, err);
    free(specs);
    free(g.places);
    return g.rc < 0 ? g.rc : rc;
}

/* ---------------------------------------------------------------- figures */
const struct sim_outcome *sim_paper_outcome(const struct sim_paper_run *run, const char *key,
                                            size_t i)
{
    const struct sim_paper_case *c = find_case(run, key);

    base_assert(c);
    return &c->outcomes[c->seeds ? i % c->seeds : i];
}

double sim_paper_sojourn_s(const struct sim_job_result *r)
{
    return (double)sim_sojourn_us(r) / 1e6;
}

double sim_paper_waiting_s(const struct sim_job_result *r)
{
    return (double)sim_waiting_us(r) / 1e6;
}

static bool is_accepted_job_of_class(const struct sim_job_result *r, const char *class_name)
{
    return r->accepted && (!*class_name || strcmp(r->class_name, class_name) == 0);
}

double sim_paper_class_mean(const struct sim_outcome *o, const char *class_name,
                            sim_paper_quantity of)
{
    struct sim_stat s = {0};

    for (size_t i = 0; i < o->jobs_n; i++)
        if (is_accepted_job_of_class(&o->jobs[i], class_name))
            sim_stat_add(&s, of(&o->jobs[i]));
    return s.n ? s.mean : (double)NAN;
}

double sim_paper_class_median(const struct sim_outcome *o, const char *class_name,
                              sim_paper_quantity of)
{
    struct sim_samples s = {0};
    double median;

    for (size_t i = 0; i < o->jobs_n; i++)
        if (is_accepted_job_of_class(&o->jobs[i], class_name))
            sim_samples_add(&s, of(&o->jobs[i]));
    sim_samples_sort(&s);
    median = sim_samples_quantile(&s, 0.5);
    sim_samples_free(&s);
    return median;
}

double sim_paper_local_percent(const struct sim_outcome *o, const char *class_name,
                               enum sim_level level)
{
    int64_t good = 0, all = 0;

    for (size_t i = 0; i < o->jobs_n; i++)
        for (int l = 0; l < SIM_LEVELS && is_accepted_job_of_class(&o->jobs[i], class_name); l++) {
            all += o->jobs[i].level[l];
            good += l <= (int)level ? o->jobs[i].level[l] : 0;
        }
    return all ? 100 * (double)good / (double)all : (double)NAN;
}

const struct sim_job_result *sim_paper_find_job(const struct sim_outcome *o, uint64_t id)
{
    for (size_t i = 0; i < o->jobs_n; i++)
        if (o->jobs[i].id == id)
            return &o->jobs[i];
    return NULL;
}

const char *sim_paper_format_stat(const struct sim_stat *s, int digits, const char *unit,
                                  char out[64])
{
    if (s->n > 1)
        snprintf(out, 64, "%.*f ± %.*f%s", digits, s->mean, digits, sim_stat_ci95_half_width(s),
                 unit);
    else
        snprintf(out, 64, "%.*f%s", digits, s->mean, unit);
    return out;
}

/* ---------------------------------------------------------------- rows */
void sim_paper_add_row(struct sim_paper_run *run, const char *id, const char *source,
                       const char *published, const char *criterion, enum sim_paper_verdict verdict,
                       const char *fmt, ...)
{
    struct base_buf ours = {0};
    va_list ap;

    va_start(ap, fmt);
    base_buf_vaddf(&ours, fmt, ap);
    va_end(ap);
    base_array_grow(&run->rows, run->rows_n, &run->rows_cap);
    run->rows[run->rows_n++] = (struct sim_paper_row){.id = base_strdup(id),
                                                      .source = base_strdup(source),
                                                      .published = base_strdup(published),
                                                      .ours = ours.data,
                                                      .criterion = base_strdup(criterion),
                                                      .verdict = verdict};
}

void sim_paper_add_picture(struct sim_paper_run *run, const struct sim_picture *p,
                           const char *caption)
{
    struct base_error err;
    int rc;

    if (!run->page || !sim_picture_has_data(p))
        return;
    rc = sim_picture_draw(run->dir, p, &err);
    if (rc >= 0)
        rc = sim_page_embed_picture(run->page, run->dir, p->name, caption, &err);
    if (rc < 0 && !run->err.code)
        run->err = err;
}

enum { CDF_POINTS = 200, CDF_SERIES_MAX = 4 };

/* Sojourns of the jobs of @classes in all outcomes of the case @key, sorted. */
static struct sim_samples sorted_sojourns(const struct sim_paper_run *run, const char *key,
                                          const char *const *classes)
{
    struct sim_samples s = {0};

    for (size_t i = 0; i < run->seeds; i++) {
        const struct sim_outcome *o = sim_paper_outcome(run, key, i);

        for (size_t j = 0; j < o->jobs_n; j++)
            for (size_t c = 0; classes[c]; c++)
                if (strcmp(o->jobs[j].class_name, classes[c]) == 0)
                    sim_samples_add(&s, sim_paper_sojourn_s(&o->jobs[j]));
    }
    sim_samples_sort(&s);
    return s;
}

void sim_paper_add_cdf_picture(struct sim_paper_run *run, const char *name, const char *title,
                               const char *const *keys, const char *const *names, size_t n,
                               const char *const *classes, const char *caption)
{
    double x[CDF_SERIES_MAX][CDF_POINTS], y[CDF_SERIES_MAX][CDF_POINTS];
    struct sim_series series[CDF_SERIES_MAX];
    struct sim_picture p;

    base_assert(n <= CDF_SERIES_MAX);
    for (size_t v = 0; v < n; v++) {
        struct sim_samples s = sorted_sojourns(run, keys[v], classes);

        series[v] = (struct sim_series){.name = names[v],
                                        .x = x[v],
                                        .y = y[v],
                                        .n = s.n ? sim_samples_cdf(&s, CDF_POINTS, x[v], y[v]) : 0};
        sim_samples_free(&s);
    }
    sim_picture_init(&p);
    p.name = name;
    p.title = title;
    p.x_label = "sojourn (s)";
    p.y_label = "share of jobs";
    p.kind = SIM_PICTURE_STEPS;
    p.series = series;
    p.series_n = n;
    sim_paper_add_picture(run, &p, caption);
}
