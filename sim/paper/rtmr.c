/* RTMR: He, Lu, Swanson, "Real-time scheduling in MapReduce clusters", HPCC 2013: acceptance,
 * success and utilisation of both job mixes under RTMR, RTMR without feedback, the Deadline
 * Constraint scheduler and FIFO. 30 workers in one rack: 20 with 4 map slots and 1 reduce slot, 10
 * slower ones with 2 and 1. Task durations are learned beforehand, by a run of the same jobs under
 * FIFO; the paper uses the longest times it observed. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "policies/common/learned.h"
#include "sim/paper/paper.h"

static const char *const mixes[] = {"w-rtmr-1", "w-rtmr-2"};
enum variant { RTMR, PLAIN, DC, DC_MAX, FIFO, VARIANTS };
static const struct {
    const char *key, *policy;
} variants[VARIANTS] = {
    {"rtmr", "rtmr"}, {"plain", "rtmr"}, {"dc", "dc"}, {"dc-max", "dc"}, {"fifo", "fifo"}};

/* ---------------------------------------------------------------- learning beforehand */
struct profile {
    const char *mix;
    struct sim_source_conf source;
    struct policy_learned learned;
    struct sim_source *open;
};

static void keep_learned_times(const struct sim_spec *spec, const struct sim *sim,
                               struct sim_outcome *out)
{
    struct profile *p = spec->finish_ctx;

    (void)out;
    p->learned = *rm_core_get_learned(sim_core_peek(sim));
}

static int learn_from_fifo_run_and_open(const struct sim_spec *spec, struct sim_workload *out,
                                        struct base_error *err)
{
    struct profile *p = spec->open_ctx;
    struct sim_spec fifo;
    struct sim_outcome o;
    struct sim_source_conf source = p->source;
    int rc;

    sim_spec_init(&fifo);
    fifo.conf = spec->conf;
    fifo.conf.policy = "fifo";
    fifo.conf.adjust = NULL;
    fifo.source = source;
    fifo.source.what = p->mix;
    fifo.finish = keep_learned_times;
    fifo.finish_ctx = p;
    rc = sim_run_spec(&fifo, NULL, &o);
    if (rc < 0)
        *err = o.err;
    sim_outcome_free(&o);
    if (rc < 0)
        return rc;
    source.what = p->mix;
    source.seed = spec->conf.seed;
    p->open = sim_source_open(&source, err);
    if (!p->open)
        return err->code;
    *out = sim_source_as_workload(p->open);
    return 0;
}

static void close_source(const struct sim_spec *spec, struct sim_workload *w)
{
    struct profile *p = spec->open_ctx;

    (void)w;
    sim_source_close(p->open);
}

static void hand_learned_times_to_core(void *ctx, struct rm_core_conf *core)
{
    core->learned = &((struct profile *)ctx)->learned;
}

/* ---------------------------------------------------------------- cases */
static const char *case_key(int mix, enum variant v, char out[SIM_PAPER_KEY_MAX])
{
    snprintf(out, SIM_PAPER_KEY_MAX, "%s-%d", variants[v].key, mix + 1);
    return out;
}

static void add_case(struct sim_paper_run *run, int mix, enum variant v)
{
    char key[SIM_PAPER_KEY_MAX];
    struct sim_paper_case *c =
        sim_paper_add_case(run, case_key(mix, v, key), NULL, variants[v].policy);
    struct profile *p = base_alloc(sizeof *p);

    sim_paper_set_cluster(c, 20, 4, 1, 1);
    sim_paper_add_group(c, 10, 2, 1, 0.8);
    c->spec.conf.cluster.oob = true;
    sim_paper_set_option(c, "learn.reduce_startup", "20");
    sim_paper_set_option(c, "fifo.hadoop_rules", "false");
    if (v == PLAIN)
        sim_paper_set_option(c, "rtmr.feedback", "false");
    if (v == DC_MAX)
        sim_paper_set_option(c, "dc.cost", "max");
    if ((v == DC || v == DC_MAX) && mix == 1)
        sim_paper_add_workload_param(c, "reduces_max=30");
    c->own = p;
    p->mix = mixes[mix];
    p->source = c->spec.source;
    c->spec.source.what = NULL;
    c->spec.open = learn_from_fifo_run_and_open;
    c->spec.close = close_source;
    c->spec.open_ctx = p;
    c->spec.conf.adjust = hand_learned_times_to_core;
    c->spec.conf.ctx = p;
}

static void add_cases(struct sim_paper_run *run)
{
    for (int mix = 0; mix < 2; mix++)
        for (int v = 0; v < VARIANTS; v++)
            add_case(run, mix, (enum variant)v);
}

/* ---------------------------------------------------------------- figures */
struct figures {
    struct sim_stat accept, success, util; /* percentages */
    struct sim_stat held; /* util that counts waiting reduces too; only FIFO starts any before the
                             last map has ended */
};

/* Fraction of all slot time that successful attempts of accepted jobs used. @met_alone: counts only
 * jobs that met their deadline. @count_waiting: counts the time of reduces waiting for maps too. */
static double utilisation(const struct sim_outcome *o, bool met_alone, bool count_waiting)
{
    const struct sim_totals *t = &o->totals;
    double worked = 0;

    for (size_t i = 0; i < o->jobs_n; i++) {
        const struct sim_job_result *r = &o->jobs[i];

        if (r->accepted && (r->met || !met_alone))
            worked += (double)(r->useful_us[BASE_TASK_MAP] + r->useful_us[BASE_TASK_REDUCE] -
                               (count_waiting ? 0 : r->idle_us));
    }
    return worked /
           ((t->slots[BASE_TASK_MAP] + t->slots[BASE_TASK_REDUCE]) * (double)sim_makespan_us(t));
}

static struct figures figures_over_seeds(const struct sim_paper_run *run, int mix, enum variant v)
{
    struct figures f = {0};
    char key[SIM_PAPER_KEY_MAX];

    for (size_t i = 0; i < run->seeds; i++) {
        const struct sim_outcome *o = sim_paper_outcome(run, case_key(mix, v, key), i);
        const struct sim_totals *t = &o->totals;

        sim_stat_add(&f.accept, 100 * (double)t->accepted / (double)t->jobs);
        sim_stat_add(&f.success,
                     t->with_deadline ? 100 * (double)t->met / (double)t->with_deadline : 100);
        sim_stat_add(&f.util, 100 * utilisation(o, v != FIFO, false));
        sim_stat_add(&f.held, 100 * utilisation(o, v != FIFO, true));
    }
    return f;
}

static void add_values_row(struct sim_paper_run *run, const char *id, const char *published,
                           const struct figures *f, bool util)
{
    char text[VARIANTS][64];

    for (int v = 0; v < VARIANTS; v++)
        sim_paper_format_stat(util ? &f[v].util : &f[v].accept, 1, "", text[v]);
    sim_paper_add_row(run, id, util ? "utilisation, %" : "accepted, %", published, "reported",
                      SIM_PAPER_REPORT, "DC %s (longest times: %s), RTMR %s, no feedback %s%s%s",
                      text[DC], text[DC_MAX], text[RTMR], text[PLAIN], util ? ", FIFO " : "",
                      util ? text[FIFO] : "");
}

static void add_rows_of_mix(struct sim_paper_run *run, int mix, const char *accept,
                            const char *success, const char *util, double least)
{
    struct figures f[VARIANTS];
    const char *roman = mix ? "II" : "I";
    char id[16], text[64], need[96];
    bool all;

    for (int v = 0; v < VARIANTS; v++)
        f[v] = figures_over_seeds(run, mix, (enum variant)v);
    snprintf(id, sizeof id, "%s accept", roman);
    add_values_row(run, id, accept, f, false);
    sim_paper_add_row(run, id, "order", "DC > RTMR > no feedback", "DC > RTMR > no feedback",
                      sim_paper_verdict_of(f[DC].accept.mean > f[RTMR].accept.mean &&
                                           f[RTMR].accept.mean > f[PLAIN].accept.mean),
                      "%.1f, %.1f, %.1f", f[DC].accept.mean, f[RTMR].accept.mean,
                      f[PLAIN].accept.mean);
    snprintf(id, sizeof id, "%s success", roman);
    all = f[RTMR].success.min >= 100 && f[PLAIN].success.min >= 100; /* with every seed */
    sim_paper_add_row(run, id, "deadlines met, % of accepted", success,
                      "RTMR = no feedback = 100 on every seed; DC < 100",
                      sim_paper_verdict_of(all && f[DC].success.mean < 100),
                      "DC %s (longest times: %.1f), RTMR %.1f at least, no feedback %.1f at least; "
                      "what tasks take is known "
                      "from a run of the same jobs, of the same seed, under FIFO",
                      sim_paper_format_stat(&f[DC].success, 1, "", text), f[DC_MAX].success.mean,
                      f[RTMR].success.min, f[PLAIN].success.min);
    snprintf(id, sizeof id, "%s util", roman);
    add_values_row(run, id, util, f, true);
    snprintf(need, sizeof need,
             "FIFO >= RTMR - 2 > no feedback - 2; RTMR > 1.3 DC; RTMR/FIFO >= %.2f", least);
    sim_paper_add_row(
        run, id, "order", "FIFO > RTMR > no feedback > DC", need,
        sim_paper_verdict_of(f[FIFO].util.mean >= f[RTMR].util.mean - 2 &&
                             f[RTMR].util.mean > f[PLAIN].util.mean &&
                             f[RTMR].util.mean > 1.3 * f[DC].util.mean &&
                             f[RTMR].util.mean >= least * f[FIFO].util.mean),
        "FIFO %.1f, RTMR %.1f, no feedback %.1f, DC %.1f; RTMR/FIFO %.2f. Reduces that "
        "wait for maps are not "
        "counted; with them FIFO has %.1f",
        f[FIFO].util.mean, f[RTMR].util.mean, f[PLAIN].util.mean, f[DC].util.mean,
        f[RTMR].util.mean / f[FIFO].util.mean, f[FIFO].held.mean);
}

static void add_rows(struct sim_paper_run *run)
{
    add_rows_of_mix(run, 0, "DC 71.6, RTMR 56.8, no feedback 46.6",
                    "DC 85.7, RTMR 100, no feedback 100",
                    "DC 5.7, RTMR 15.5, no feedback 11.6, FIFO 21.3", 0.65);
    add_rows_of_mix(run, 1, "DC 49.4, RTMR 24.7, no feedback 15.7",
                    "DC 22.5, RTMR 100, no feedback 100",
                    "DC 0.7, RTMR 64.6, no feedback 49.8, FIFO 69.7", 0.85);
}

/* ---------------------------------------------------------------- pictures */
static void draw_pictures(struct sim_paper_run *run)
{
    static const char *const figures[] = {"accepted, of all jobs", "met, of accepted jobs",
                                          "use of slots"};
    static const enum variant shown[] = {DC, RTMR, PLAIN, FIFO};
    static const char *const names[] = {"Deadline Constraint", "RTMR", "RTMR without feedback",
                                        "FIFO"};
    static const char *const captions[] = {"Published: accepted 71.6, 56.8, 46.6; met 85.7, 100, "
                                           "100; use of slots 5.7, 15.5, 11.6, FIFO 21.3.",
                                           "Published: accepted 49.4, 24.7, 15.7; met 22.5, 100, "
                                           "100; use of slots 0.7, 64.6, 49.8, FIFO 69.7."};
    static const double at[] = {0, 1, 2};

    for (int mix = 0; mix < 2; mix++) {
        struct sim_series series[4];
        double y[4][3], half[4][3];
        struct sim_picture p;
        char name[32], title[64];

        for (int v = 0; v < 4; v++) {
            struct figures f = figures_over_seeds(run, mix, shown[v]);
            const struct sim_stat *s[] = {&f.accept, &f.success, &f.util};

            for (int i = 0; i < 3; i++) {
                y[v][i] = s[i]->mean;
                half[v][i] = sim_stat_ci95_half_width(s[i]);
            }
            series[v] = shown[v] == FIFO /* no admission control: only utilisation applies */
                            ? (struct sim_series){.name = names[v],
                                                  .x = at + 2,
                                                  .y = y[v] + 2,
                                                  .half = half[v] + 2,
                                                  .n = 1}
                            : (struct sim_series){
                                  .name = names[v], .x = at, .y = y[v], .half = half[v], .n = 3};
        }
        snprintf(name, sizeof name, "rtmr-%d", mix + 1);
        snprintf(title, sizeof title, "Job mix %s: deadlines and use of slots", mix ? "II" : "I");
        sim_picture_init(&p);
        p.name = name;
        p.title = title;
        p.y_label = "%";
        p.kind = SIM_PICTURE_BARS;
        p.series = series;
        p.series_n = 4;
        p.categories = figures;
        p.categories_n = 3;
        sim_paper_add_picture(run, &p, captions[mix]);
    }
}

const struct sim_paper sim_paper_rtmr = {
    .name = "rtmr",
    .title = "RTMR (He, Lu, Swanson, HPCC 2013)",
    .add_cases = add_cases,
    .add_rows = add_rows,
    .draw_pictures = draw_pictures,
};
