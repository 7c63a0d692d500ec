/* HFSP: Pastorelli, Barbuzzi, Carra, Dell'Amico, Michiardi, "Practical size-based scheduling for
 * MapReduce workloads", arXiv:1302.2749: figures 3 to 7 and the text around them. 100 nodes (fewer
 * in some cases) with 4 map and 2 reduce slots, one rack; an extra heartbeat at the end of a task.
 * Figure 7 has a cluster of its own. FAIR is Hadoop's Fair Scheduler with one pool and its
 * defaults. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/paper/paper.h"
#include "sim/report/stats.h"

static const char *const classes[] = {"small", "medium", "large"};
static const int sizes[] = {100, 50, 20, 10};
enum { SIZES = 4, ERRORS = 11, HYSTERESIS_NODES = 20 };

/* ---------------------------------------------------------------- cases */
static struct sim_paper_case *add_case(struct sim_paper_run *run, const char *key,
                                       const char *workload, const char *policy, int nodes)
{
    struct sim_paper_case *c = sim_paper_add_case(run, key, workload, policy);

    sim_paper_set_cluster(c, nodes, 4, 2, 1);
    c->spec.conf.cluster.oob = true;
    return c;
}

static void add_cluster_size_cases(struct sim_paper_run *run)
{
    char key[SIM_PAPER_KEY_MAX];

    for (int i = 0; i < SIZES; i++) {
        snprintf(key, sizeof key, "fair-%d", sizes[i]);
        add_case(run, key, "w-hfsp", "fair", sizes[i])->spec.keep_usage = false;
        snprintf(key, sizeof key, "hfsp-%d", sizes[i]);
        add_case(run, key, "w-hfsp", "hfsp", sizes[i]);
    }
    add_case(run, "fifo", "w-hfsp", "fifo", 100);
    sim_paper_set_option(add_case(run, "xi", "w-hfsp", "hfsp", 100), "hfsp.xi", "inf");
}

static void add_size_error_cases(struct sim_paper_run *run)
{
    char key[SIM_PAPER_KEY_MAX], a[16];

    for (int i = 0; i < ERRORS; i++) {
        struct sim_paper_case *c;

        snprintf(key, sizeof key, "error-%d", i);
        snprintf(a, sizeof a, "%g", i / 10.0);
        c = add_case(run, key, "w-hfsp", "hfsp", 100);
        sim_paper_add_workload_param(c, "reduces=0");
        sim_paper_set_option(c, "hfsp.error", a);
    }
    sim_paper_add_workload_param(add_case(run, "error-fair", "w-hfsp", "fair", 100), "reduces=0");
}

static void add_fig7_cases(struct sim_paper_run *run)
{
    static const char *const how[] = {"eager", "wait", "kill"};
    char key[SIM_PAPER_KEY_MAX];

    for (int tasks = 8; tasks <= 11; tasks += 3)
        for (int i = 0; i < 3; i++) {
            struct sim_paper_case *c;

            snprintf(key, sizeof key, "fig7-%s-%d", how[i], tasks);
            c = sim_paper_add_case(run, key, "hfsp-fig7", "hfsp");
            sim_paper_set_cluster(c, 4, 0, 2, 1);
            c->spec.conf.cluster.heartbeat_us = SIM_HEARTBEAT_ZERO;
            sim_paper_add_workload_param(c, "tasks=%d", tasks);
            sim_paper_set_option(c, "hfsp.sizes", "given");
            sim_paper_set_option(c, "hfsp.preemption", how[i]);
            c->seeds = 1;
            c->spec.keep_usage = true;
        }
}

static void add_cases(struct sim_paper_run *run)
{
    struct sim_paper_case *c;

    add_cluster_size_cases(run);
    add_size_error_cases(run);
    add_fig7_cases(run);
    c = add_case(run, "decreasing", "hfsp-decreasing", "hfsp", HYSTERESIS_NODES);
    /* the second series of jobs arrives when half of the attempts that the first suspended have
     * been resumed */
    sim_paper_add_workload_param(c, "again_s=6000");
    sim_paper_set_option(c, "hfsp.sizes", "given");
}

/* ---------------------------------------------------------------- rows */
static struct sim_stat sojourn_ratio_over_seeds(const struct sim_paper_run *run, const char *key,
                                                const char *to, const char *class_name)
{
    struct sim_stat s = {0};

    for (size_t i = 0; i < run->seeds; i++)
        sim_stat_add(&s, sim_paper_class_mean(sim_paper_outcome(run, key, i), class_name,
                                              sim_paper_sojourn_s) /
                             sim_paper_class_mean(sim_paper_outcome(run, to, i), class_name,
                                                  sim_paper_sojourn_s));
    return s;
}

static struct sim_stat mean_sojourn_over_seeds(const struct sim_paper_run *run, const char *key)
{
    struct sim_stat s = {0};

    for (size_t i = 0; i < run->seeds; i++)
        sim_stat_add(&s,
                     sim_paper_class_mean(sim_paper_outcome(run, key, i), "", sim_paper_sojourn_s));
    return s;
}

static void add_mean_rows(struct sim_paper_run *run)
{
    struct sim_stat r = sojourn_ratio_over_seeds(run, "fifo", "hfsp-100", ""),
                    fifo = mean_sojourn_over_seeds(run, "fifo"), c[3];
    char text[4][64];

    sim_paper_add_row(run, "H1", "text", "FIFO's mean is 2983 s, about 5 times HFSP's",
                      "FIFO/HFSP 2.5-8", sim_paper_verdict_of(sim_paper_within(r.mean, 2.5, 8)),
                      "FIFO %s, ratio %s", sim_paper_format_stat(&fifo, 0, " s", text[0]),
                      sim_paper_format_stat(&r, 2, "", text[1]));
    for (int i = 0; i < 3; i++)
        c[i] = sojourn_ratio_over_seeds(run, "hfsp-100", "fair-100", classes[i]);
    sim_paper_add_row(
        run, "H2", "Fig. 3", "small jobs equal, medium and large much shorter under HFSP",
        "HFSP/FAIR small 0.8-1.1, medium <= 0.85, large <= 0.95",
        sim_paper_verdict_of(sim_paper_within(c[0].mean, 0.8, 1.1) && c[1].mean <= 0.85 &&
                             c[2].mean <= 0.95),
        "small %s, medium %s, large %s", sim_paper_format_stat(&c[0], 2, "", text[0]),
        sim_paper_format_stat(&c[1], 2, "", text[1]), sim_paper_format_stat(&c[2], 2, "", text[2]));
}

static void add_worse_jobs_row(struct sim_paper_run *run)
{
    struct sim_stat worse = {0}, most = {0}, far = {0};
    char text[3][64];

    for (size_t i = 0; i < run->seeds; i++) {
        const struct sim_outcome *h = sim_paper_outcome(run, "hfsp-100", i),
                                 *f = sim_paper_outcome(run, "fair-100", i);
        double n = 0, max = 0, beyond = 0;

        for (size_t j = 0; j < h->jobs_n; j++) {
            const struct sim_job_result *other = sim_paper_find_job(f, h->jobs[j].id);
            double later =
                other ? sim_paper_sojourn_s(&h->jobs[j]) - sim_paper_sojourn_s(other) : 0;

            n += later > 10;
            beyond += later > 60;
            max = later > max ? later : max;
        }
        sim_stat_add(&worse, n);
        sim_stat_add(&far, beyond);
        sim_stat_add(&most, max);
    }
    sim_paper_add_row(run, "H3", "Fig. 4", "every job better than under FAIR but one, by 9 s",
                      "at most 5 jobs more than 10 s worse", sim_paper_verdict_of(worse.mean <= 5),
                      "%s of 100 jobs; more than 60 s: %s; worst by %s",
                      sim_paper_format_stat(&worse, 1, "", text[0]),
                      sim_paper_format_stat(&far, 1, "", text[2]),
                      sim_paper_format_stat(&most, 0, " s", text[1]));
}

static void add_cluster_size_row(struct sim_paper_run *run)
{
    struct sim_stat r[SIZES];
    char key[2][SIM_PAPER_KEY_MAX], text[SIZES][64];

    for (int i = 0; i < SIZES; i++) {
        snprintf(key[0], sizeof key[0], "fair-%d", sizes[i]);
        snprintf(key[1], sizeof key[1], "hfsp-%d", sizes[i]);
        r[i] = sojourn_ratio_over_seeds(run, key[0], key[1], "");
        sim_paper_format_stat(&r[i], 2, "", text[i]);
    }
    sim_paper_add_row(
        run, "H4", "Fig. 5", "the gap grows as nodes fall from 100 to 10",
        "FAIR/HFSP at 20 > at 50 > at 100 >= 1.15",
        sim_paper_verdict_of(r[2].mean > r[1].mean && r[1].mean > r[0].mean && r[0].mean >= 1.15),
        "100: %s, 50: %s, 20: %s, 10: %s", text[0], text[1], text[2], text[3]);
}

static void add_size_error_row(struct sim_paper_run *run)
{
    struct base_buf ours = {0};
    struct sim_stat fair = sojourn_ratio_over_seeds(run, "error-fair", "error-0", ""), s;
    char key[SIM_PAPER_KEY_MAX], text[64];
    bool pass = true;

    for (int i = 1; i < ERRORS; i++) {
        snprintf(key, sizeof key, "error-%d", i);
        s = sojourn_ratio_over_seeds(run, key, "error-0", "");
        pass = pass && (i > 5 || (s.mean <= 1.15 && s.mean < fair.mean));
        if (i == 1 || i == 3 || i == 5 || i == 10)
            base_buf_addf(&ours, "a = %.1f: %s, ", i / 10.0,
                          sim_paper_format_stat(&s, 2, "", text));
    }
    sim_paper_add_row(
        run, "H5", "Fig. 6", "errors of sizes matter little, but huge ones",
        "a <= 0.5: <= 1.15 of the mean without errors, and below FAIR; a = 1 reported",
        sim_paper_verdict_of(pass), "%sFAIR %s", ours.data,
        sim_paper_format_stat(&fair, 2, "", text));
    base_buf_free(&ours);
}

static void add_locality_row(struct sim_paper_run *run)
{
    struct sim_stat fair = {0}, hfsp = {0};
    char text[2][64];

    for (size_t i = 0; i < run->seeds; i++) {
        sim_stat_add(&fair, sim_paper_local_percent(sim_paper_outcome(run, "fair-100", i), "",
                                                    SIM_NODE_LOCAL));
        sim_stat_add(&hfsp, sim_paper_local_percent(sim_paper_outcome(run, "hfsp-100", i), "",
                                                    SIM_NODE_LOCAL));
    }
    sim_paper_add_row(
        run, "H6", "text", "local maps: FAIR 98 %, HFSP 100 %", "both >= 97, HFSP >= FAIR - 0.5",
        sim_paper_verdict_of(fair.mean >= 97 && hfsp.mean >= 97 && hfsp.mean >= fair.mean - 0.5),
        "FAIR %s, HFSP %s", sim_paper_format_stat(&fair, 2, " %", text[0]),
        sim_paper_format_stat(&hfsp, 2, " %", text[1]));
}

/* Mean sojourn of figure 7 with preemption @how and @tasks tasks in the first job. Sets *@moved to
 * the number of times that a reduce was suspended or killed. */
static double fig7_mean_sojourn_s(const struct sim_paper_run *run, const char *how, int tasks,
                                  int64_t *moved)
{
    char key[SIM_PAPER_KEY_MAX];
    const struct sim_outcome *o;

    snprintf(key, sizeof key, "fig7-%s-%d", how, tasks);
    o = sim_paper_outcome(run, key, 0);
    *moved = o->totals.suspensions[BASE_TASK_REDUCE] + o->totals.kills[BASE_TASK_REDUCE];
    return sim_paper_class_mean(o, "", sim_paper_sojourn_s);
}

static void add_fig7_row(struct sim_paper_run *run)
{
    int64_t moved[6];
    double eager = fig7_mean_sojourn_s(run, "eager", 11, &moved[0]),
           wait = fig7_mean_sojourn_s(run, "wait", 11, &moved[1]),
           kill = fig7_mean_sojourn_s(run, "kill", 11, &moved[2]),
           eager8 = fig7_mean_sojourn_s(run, "eager", 8, &moved[3]),
           wait8 = fig7_mean_sojourn_s(run, "wait", 8, &moved[4]),
           kill8 = fig7_mean_sojourn_s(run, "kill", 8, &moved[5]);

    sim_paper_add_row(
        run, "H7", "Fig. 7", "means: eager about 9 min, wait 15 min; kill: the first job later",
        "exact: 520, 912, 520 s; with 8 tasks 500, 812, 502 s",
        sim_paper_verdict_of(eager == 520 && wait == 912 && kill == 520 && eager8 == 500 &&
                             wait8 == 812 && kill8 == 502 && moved[0] == 5 && moved[1] == 0 &&
                             moved[2] == 5),
        "eager %.6g, wait %.6g, kill %.6g s (%lld suspended, %lld killed); with 8 tasks %.6g, "
        "%.6g, %.6g s",
        eager, wait, kill, (long long)moved[0], (long long)moved[2], eager8, wait8, kill8);
}

static void add_xi_and_hysteresis_rows(struct sim_paper_run *run)
{
    struct sim_stat xi = sojourn_ratio_over_seeds(run, "xi", "hfsp-100", ""), suspended = {0};
    int32_t most = 0;
    bool all = true;
    char text[64];

    sim_paper_add_row(run, "H8", "note 6", "larger xi: slightly longer sojourns",
                      "mean(xi = inf)/mean(xi = 1) 0.98-1.3",
                      sim_paper_verdict_of(sim_paper_within(xi.mean, 0.98, 1.3)), "%s",
                      sim_paper_format_stat(&xi, 3, "", text));
    for (size_t i = 0; i < run->seeds; i++) {
        const struct sim_outcome *o = sim_paper_outcome(run, "decreasing", i);

        for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
            most = o->totals.suspended_node_max[k] > most ? (int32_t)o->totals.suspended_node_max[k]
                                                          : most;
        sim_stat_add(&suspended, (double)o->totals.suspensions[BASE_TASK_REDUCE]);
        all = all && o->jobs_n == 20 &&
              o->totals.resumes[BASE_TASK_REDUCE] == o->totals.suspensions[BASE_TASK_REDUCE];
    }
    sim_paper_add_row(
        run, "H9", "3.3", "jobs that come in decreasing size: hysteresis bounds what is suspended",
        "at most 2 x slots suspended on a node, reached; later suspended anew; all is "
        "resumed, all jobs end",
        sim_paper_verdict_of(most == 4 && suspended.min > 4 * HYSTERESIS_NODES && all),
        "at most %d on each of %d nodes with 2 slots, %s suspensions in all", most,
        HYSTERESIS_NODES, sim_paper_format_stat(&suspended, 0, "", text));
}

static void add_rows(struct sim_paper_run *run)
{
    add_mean_rows(run);
    add_worse_jobs_row(run);
    add_cluster_size_row(run);
    add_size_error_row(run);
    add_locality_row(run);
    add_fig7_row(run);
    add_xi_and_hysteresis_rows(run);
}

/* ---------------------------------------------------------------- pictures */
static void draw_sojourn_distribution(struct sim_paper_run *run, const char *class_name,
                                      const char *caption)
{
    static const char *const keys[] = {"fair-100", "hfsp-100"}, *const names[] = {"fair", "hfsp"};
    const char *const one[] = {class_name, NULL};
    char name[32], title[64];

    snprintf(name, sizeof name, "hfsp-cdf-%s", class_name);
    snprintf(title, sizeof title, "Sojourns of %s jobs (fig. 3)", class_name);
    sim_paper_add_cdf_picture(run, name, title, keys, names, 2, one, caption);
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The gain of each job: its sojourn under FAIR minus that under HFSP. Jobs of all seeds, sorted by
 * gain. */
static void draw_gain_of_each_job(struct sim_paper_run *run)
{
    double *gain = NULL, *at = NULL;
    size_t n = 0, cap = 0, at_cap = 0;
    struct sim_series series;
    struct sim_picture p;

    for (size_t i = 0; i < run->seeds; i++) {
        const struct sim_outcome *h = sim_paper_outcome(run, "hfsp-100", i),
                                 *f = sim_paper_outcome(run, "fair-100", i);

        for (size_t j = 0; j < h->jobs_n; j++) {
            const struct sim_job_result *other = sim_paper_find_job(f, h->jobs[j].id);

            if (!other)
                continue;
            base_array_grow(&gain, n, &cap);
            base_array_grow(&at, n, &at_cap);
            gain[n++] = sim_paper_sojourn_s(other) - sim_paper_sojourn_s(&h->jobs[j]);
        }
    }
    if (n)
        qsort(gain, n, sizeof *gain, compare_doubles);
    for (size_t i = 0; i < n; i++)
        at[i] = 100 * ((double)i + 0.5) / (double)n;
    series = (struct sim_series){.name = "fair - hfsp",
                                 .colour = sim_picture_colour_for("hfsp", 0),
                                 .x = at,
                                 .y = gain,
                                 .n = n};
    sim_picture_init(&p);
    p.name = "hfsp-each";
    p.title = "Sojourn under FAIR less that under HFSP, job by job (fig. 4)";
    p.x_label = "jobs, by difference (%)";
    p.y_label = "earlier under HFSP (s)";
    p.kind = SIM_PICTURE_STEPS;
    p.series = &series;
    p.series_n = 1;
    p.mark_label = "as long";
    sim_paper_add_picture(
        run, &p, "Published: all but one job are better off under HFSP, and that one loses 9 s.");
    free(gain);
    free(at);
}

static void draw_cluster_sizes(struct sim_paper_run *run)
{
    static const char *const names[] = {"fair", "hfsp"};
    double x[SIZES], y[2][SIZES], half[2][SIZES];
    struct sim_series series[2];
    struct sim_picture p;
    char key[SIM_PAPER_KEY_MAX];

    for (int v = 0; v < 2; v++) {
        for (int i = 0; i < SIZES; i++) {
            struct sim_stat s;

            snprintf(key, sizeof key, "%s-%d", names[v], sizes[i]);
            s = mean_sojourn_over_seeds(run, key);
            x[i] = sizes[i];
            y[v][i] = s.mean;
            half[v][i] = sim_stat_ci95_half_width(&s);
        }
        series[v] =
            (struct sim_series){.name = names[v], .x = x, .y = y[v], .half = half[v], .n = SIZES};
    }
    sim_picture_init(&p);
    p.name = "hfsp-nodes";
    p.title = "Mean sojourn by size of the cluster (fig. 5)";
    p.x_label = "nodes";
    p.y_label = "mean sojourn (s)";
    p.kind = SIM_PICTURE_POINTS;
    p.series = series;
    p.series_n = 2;
    sim_paper_add_picture(run, &p, "Published: the gap grows as nodes fall from 100 to 10.");
}

static void draw_size_errors(struct sim_paper_run *run)
{
    double x[ERRORS], y[2][ERRORS], half[ERRORS];
    struct sim_stat fair = mean_sojourn_over_seeds(run, "error-fair");
    struct sim_series series[2];
    struct sim_picture p;
    char key[SIM_PAPER_KEY_MAX];

    for (int i = 0; i < ERRORS; i++) {
        struct sim_stat s;

        snprintf(key, sizeof key, "error-%d", i);
        s = mean_sojourn_over_seeds(run, key);
        x[i] = i / 10.0;
        y[0][i] = s.mean;
        half[i] = sim_stat_ci95_half_width(&s);
        y[1][i] = fair.mean;
    }
    series[0] = (struct sim_series){.name = "hfsp", .x = x, .y = y[0], .half = half, .n = ERRORS};
    series[1] = (struct sim_series){.name = "fair", .x = x, .y = y[1], .n = ERRORS, .dashed = true};
    sim_picture_init(&p);
    p.name = "hfsp-errors";
    p.title = "Errors of sizes: factor in [1 - a, 1 + a] (fig. 6)";
    p.x_label = "largest relative error, a";
    p.y_label = "mean sojourn (s)";
    p.kind = SIM_PICTURE_POINTS;
    p.series = series;
    p.series_n = 2;
    sim_paper_add_picture(
        run, &p, "Published: hardly any effect, but of huge errors. Jobs have maps alone.");
}

static void draw_fig7(struct sim_paper_run *run, const char *how, const char *caption)
{
    struct sim_series series[SIM_USAGE_NAMES_MAX];
    char key[SIM_PAPER_KEY_MAX], name[32], title[64];
    struct sim_picture p;
    const struct sim_usage *u;
    size_t cells;
    double *x;

    snprintf(key, sizeof key, "fig7-%s-11", how);
    u = sim_paper_outcome(run, key, 0)->usage;
    cells = sim_usage_cell_count(u);
    x = base_alloc((cells + 1) * sizeof *x);
    sim_picture_init(&p);
    for (size_t i = 0; i < cells; i++)
        x[i] = (double)u->width_us * (double)i / 1e6;
    for (size_t j = 0; j < u->by[SIM_BY_JOB].n; j++) {
        const struct sim_usage_line *line = &u->by[SIM_BY_JOB].v[j];
        double *y = base_alloc((cells + 1) * sizeof *y);

        for (size_t i = 0; i < cells; i++)
            y[i] = sim_usage_mean_slots(u, line, BASE_TASK_REDUCE, i);
        series[p.series_n++] = (struct sim_series){.name = line->name, .x = x, .y = y, .n = cells};
    }
    snprintf(name, sizeof name, "hfsp-fig7-%s", how);
    snprintf(title, sizeof title, "Slots over time, preemption: %s (fig. 7)", how);
    p.name = name;
    p.title = title;
    p.x_label = "time (s)";
    p.y_label = "reduce slots";
    p.kind = SIM_PICTURE_STACK;
    p.series = series;
    sim_paper_add_picture(run, &p, caption);
    for (size_t j = 0; j < p.series_n; j++)
        free((void *)(uintptr_t)series[j].y);
    free(x);
}

static void draw_pictures(struct sim_paper_run *run)
{
    draw_sojourn_distribution(run, "small", "Published: no difference for small jobs.");
    draw_sojourn_distribution(run, "medium", "Published: much shorter under HFSP.");
    draw_sojourn_distribution(run, "large", "Published: much shorter under HFSP.");
    draw_gain_of_each_job(run);
    draw_cluster_sizes(run);
    draw_size_errors(run);
    draw_fig7(run, "eager", "Published: mean sojourn about 9 min.");
    draw_fig7(run, "wait", "Published: mean sojourn about 15 min.");
    draw_fig7(run, "kill", "Published: as eager, but the first job ends later.");
}

const struct sim_paper sim_paper_hfsp = {
    .name = "hfsp",
    .title = "HFSP (Pastorelli et al., 2013)",
    .add_cases = add_cases,
    .add_rows = add_rows,
    .draw_pictures = draw_pictures,
};
