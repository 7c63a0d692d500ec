/* The delay scheduling paper: its figure 11 (slots of three pools over time) and all pictures of
 * the report. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policies/common/queues.h"
#include "sim/paper/hfs.h"

#define SLOTS 400.0
#define NEAR  3.0 /* tolerance, in percent of the slots */

/* ---------------------------------------------------------------- figure 11 */
void hfs_make_fig11_pools(void *ctx, struct rm_core_conf *core)
{
    static struct policy_queues tree; /* rm_core_new() takes over the contents */

    (void)ctx;
    policy_queues_init(&tree, core->queues);
    tree.v[policy_queues_find(&tree, "pool3")].order = POLICY_QUEUE_FIFO;
    core->tree = &tree;
}

/* Mean percentage of the slots that a pool holds from second @from to second @to. */
static double mean_pool_percent(const struct sim_usage *u, const char *pool, double from, double to)
{
    const struct sim_usage_line *line = sim_usage_find_line(u, SIM_BY_POOL, pool);
    double width = (double)u->width_us / 1e6, sum = 0;
    size_t n = 0;

    for (size_t i = (size_t)(from / width);
         line && i < sim_usage_cell_count(u) && (double)i * width < to; i++, n++)
        sum += sim_usage_mean_slots(u, line, BASE_TASK_MAP, i);
    return n ? 100 * sum / (double)n / SLOTS : 0;
}

/* Seconds after @from until the pool first holds at least @percent - NEAR percent of the slots.
 * INFINITY if that never happens. */
static double seconds_until_pool_holds(const struct sim_usage *u, const char *pool, double from,
                                       double percent)
{
    const struct sim_usage_line *line = sim_usage_find_line(u, SIM_BY_POOL, pool);
    double width = (double)u->width_us / 1e6;

    for (size_t i = (size_t)(from / width); line && i < sim_usage_cell_count(u); i++)
        if (100 * sim_usage_mean_slots(u, line, BASE_TASK_MAP, i) / SLOTS >= percent - NEAR)
            return (double)i * width - from;
    return INFINITY;
}

void hfs_add_fig11_row(struct sim_paper_run *run)
{
    static const struct {
        double from, to, ideal[3];
    } spans[] = {{85, 118, {50, 50, 0}},
                 {140, 320, {100 / 3.0, 100 / 3.0, 100 / 3.0}},
                 {375, 494, {50, 50, 0}},
                 {494, 700, {50, 50, 0}}};
    static const char *const pools[] = {"pool1", "pool2", "pool3"};
    struct sim_stat half = {0}, third = {0}, off = {0}, local = {0}, end = {0};
    char text[5][64];

    for (size_t i = 0; i < run->seeds; i++) {
        const struct sim_outcome *o = sim_paper_outcome(run, "fig11", i);
        double worst = 0, last = 0;

        for (size_t s = 0; s < sizeof spans / sizeof *spans; s++)
            for (int p = 0; p < 3; p++)
                worst = fmax(
                    worst, fabs(mean_pool_percent(o->usage, pools[p], spans[s].from, spans[s].to) -
                                spans[s].ideal[p]));
        for (size_t j = 0; j < o->jobs_n; j++)
            if (strcmp(o->jobs[j].pool, "pool3") == 0)
                last = fmax(last, (double)o->jobs[j].finish_us / 1e6);
        sim_stat_add(&off, worst);
        sim_stat_add(&half, seconds_until_pool_holds(o->usage, "pool2", 57, 50));
        sim_stat_add(&third, seconds_until_pool_holds(o->usage, "pool3", 118, 100 / 3.0));
        sim_stat_add(&local, sim_paper_local_percent(o, "", SIM_NODE_LOCAL));
        sim_stat_add(&end, last);
    }
    sim_paper_add_row(
        run, "D6", "Fig. 11",
        "shares 50/50, 33/33/33, 50/50; ramps 17 s to half, 12 s to a third; locality 99-100 %",
        "shares within 3 points after ramps; ramps 8-25 s, 4-20 s; locality >= 98",
        sim_paper_verdict_of(off.mean <= NEAR && sim_paper_within(half.mean, 8, 25) &&
                             sim_paper_within(third.mean, 4, 20) && local.mean >= 98),
        "at most %s points off; ramps %s, %s; locality %s; pool 3 ends at %s",
        sim_paper_format_stat(&off, 1, "", text[0]), sim_paper_format_stat(&half, 1, " s", text[1]),
        sim_paper_format_stat(&third, 1, " s", text[2]),
        sim_paper_format_stat(&local, 1, " %", text[3]),
        sim_paper_format_stat(&end, 0, " s", text[4]));
}

static void draw_fig11(struct sim_paper_run *run)
{
    const struct sim_usage *u = sim_paper_outcome(run, "fig11", 0)->usage;
    struct sim_series series[3];
    struct sim_picture p;
    size_t cells = sim_usage_cell_count(u);
    double *x = base_alloc((cells + 1) * sizeof *x), *y[3];

    for (size_t i = 0; i < cells; i++)
        x[i] = (double)u->width_us * (double)i / 1e6;
    for (int k = 0; k < 3; k++) {
        static const char *const pools[] = {"pool1", "pool2", "pool3"};
        const struct sim_usage_line *line = sim_usage_find_line(u, SIM_BY_POOL, pools[k]);

        y[k] = base_alloc((cells + 1) * sizeof **y);
        for (size_t i = 0; line && i < cells; i++)
            y[k][i] = 100 * sim_usage_mean_slots(u, line, BASE_TASK_MAP, i) / SLOTS;
        series[k] = (struct sim_series){.name = pools[k], .x = x, .y = y[k], .n = cells};
    }
    sim_picture_init(&p);
    p.name = "hfs-fig11";
    p.title = "Map slots of three pools (fig. 11)";
    p.x_label = "time (s)";
    p.y_label = "share of the map slots (%)";
    p.kind = SIM_PICTURE_STACK;
    p.series = series;
    p.series_n = 3;
    p.x_max = 800;
    sim_paper_add_picture(run, &p,
                          "Published: 17 s to a half, 12 s to a third of the cluster. Seed by seed "
                          "alike; the first is shown.");
    for (int k = 0; k < 3; k++)
        free(y[k]);
    free(x);
}

/* ---------------------------------------------------------------- by bin */
struct bars { /* a picture with one to three bars per bin */
    const char *name, *title, *y_label, *caption;
    const char *names[3];
    size_t n;
    double y[3][HFS_BINS];
    bool log_y;  /* logarithmic axis that begins at 10 */
    bool from_1; /* a line marks the value 1 */
};

static void draw_bars(struct sim_paper_run *run, const struct bars *b)
{
    double x[HFS_BINS];
    struct sim_series series[3];
    struct sim_picture p;

    for (int i = 0; i < HFS_BINS; i++)
        x[i] = i;
    for (size_t k = 0; k < b->n; k++)
        series[k] = (struct sim_series){.name = b->names[k], .x = x, .y = b->y[k], .n = HFS_BINS};
    sim_picture_init(&p);
    p.name = b->name;
    p.title = b->title;
    p.x_label = "bin (1: jobs of one map ... 9: of more than 1500)";
    p.y_label = b->y_label;
    p.kind = SIM_PICTURE_BARS;
    p.log_y = b->log_y;
    if (b->log_y)
        p.y_min = 10;
    if (b->from_1) {
        p.mark_label = "as fast";
        p.mark_y = 1;
    }
    p.series = series;
    p.series_n = b->n;
    p.categories = hfs_bins;
    p.categories_n = HFS_BINS;
    sim_paper_add_picture(run, &p, b->caption);
}

static const char *const how[] = {"fifo", "naive", "delay"};

static void draw_sojourns(struct sim_paper_run *run, const char *load, const char *caption)
{
    char name[48], title[96], key[SIM_PAPER_KEY_MAX];
    struct bars b = {.name = name,
                     .title = title,
                     .y_label = "mean sojourn (s)",
                     .caption = caption,
                     .names = {"fifo", "naive-fair", "fair"},
                     .n = 3,
                     .log_y = true};

    for (int h = 0; h < 3; h++) {
        snprintf(key, sizeof key, "%s-%s", load, how[h]);
        for (int i = 0; i < HFS_BINS; i++)
            b.y[h][i] = hfs_mean_sojourn_s(run, key, hfs_bins[i]);
    }
    snprintf(name, sizeof name, "hfs-%s-sojourn", load);
    snprintf(title, sizeof title, "Mean sojourn by bin, %s workload", load);
    draw_bars(run, &b);
}

/* Draws how many times longer jobs take under FIFO, and under fair without delay scheduling, than
 * under fair with it. */
static void draw_speedups(struct sim_paper_run *run, const char *load, const char *caption)
{
    char name[48], title[96], key[2][SIM_PAPER_KEY_MAX];
    struct bars b = {.name = name,
                     .title = title,
                     .y_label = "speedup of fair with delay",
                     .caption = caption,
                     .names = {"over fifo", "over naive fair"},
                     .n = 2,
                     .from_1 = true};

    snprintf(key[1], sizeof key[1], "%s-delay", load);
    for (int h = 0; h < 2; h++) {
        snprintf(key[0], sizeof key[0], "%s-%s", load, how[h]);
        for (int i = 0; i < HFS_BINS; i++)
            b.y[h][i] = hfs_sojourn_ratio(run, key[0], key[1], hfs_bins[i]).mean;
    }
    snprintf(name, sizeof name, "hfs-%s-speedup", load);
    snprintf(title, sizeof title, "Speedup by bin, %s workload", load);
    draw_bars(run, &b);
}

static void draw_locality(struct sim_paper_run *run)
{
    struct bars b = {.name = "hfs-io-locality",
                     .title = "Local maps by bin, io workload (fig. 6)",
                     .y_label = "node-local maps (%)",
                     .caption =
                         "Published: 99 to 100 % with delay scheduling; low in small bins without.",
                     .names = {"fifo", "naive-fair", "fair"},
                     .n = 3};
    char key[SIM_PAPER_KEY_MAX];

    for (int h = 0; h < 3; h++) {
        snprintf(key, sizeof key, "io-%s", how[h]);
        for (int i = 0; i < HFS_BINS; i++)
            b.y[h][i] = hfs_local_percent(run, key, hfs_bins[i], SIM_NODE_LOCAL).mean;
    }
    draw_bars(run, &b);
}

/* Figure 5: distributions of sojourns in three ranges of bins. */
static void draw_cdfs(struct sim_paper_run *run)
{
    static const char *const keys[] = {"io-fifo", "io-naive", "io-delay"};
    static const char *const names[] = {"fifo", "naive-fair", "fair"};
    static const struct {
        const char *name, *title, *bins[6];
    } ranges[] = {
        {"hfs-cdf-small",
         "Sojourns of jobs of bins 1 to 3, io workload (fig. 5)",
         {"1", "2", "3", NULL}},
        {"hfs-cdf-medium",
         "Sojourns of jobs of bins 4 to 8, io workload (fig. 5)",
         {"4", "5", "6", "7", "8", NULL}},
        {"hfs-cdf-large", "Sojourns of jobs of bin 9, io workload (fig. 5)", {"9", NULL}}};

    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        sim_paper_add_cdf_picture(
            run, ranges[i].name, ranges[i].title, keys, names, 3, ranges[i].bins,
            i ? NULL : "Published: about 30 % of the small jobs are badly delayed by FIFO.");
}

/* ---------------------------------------------------------------- lines */
static void draw_lines(struct sim_paper_run *run, const char *name, const char *title,
                       const char *x_label, const char *y_label, const struct sim_series *series,
                       size_t n, const char *caption)
{
    struct sim_picture p;

    sim_picture_init(&p);
    p.name = name;
    p.title = title;
    p.x_label = x_label;
    p.y_label = y_label;
    p.kind = SIM_PICTURE_POINTS;
    p.series = series;
    p.series_n = n;
    sim_paper_add_picture(run, &p, caption);
}

static void draw_scans(struct sim_paper_run *run)
{
    static const char *const with[] = {"without", "with"};
    static const char *const names[] = {"without delay scheduling", "with it, up to 10 s"};
    double x[HFS_SCANS], y[2][HFS_SCANS], gain[HFS_SCANS], half[HFS_SCANS];
    struct sim_series series[2], gains;
    char key[SIM_PAPER_KEY_MAX];

    for (int i = 0; i < HFS_SCANS; i++) {
        struct sim_stat g = hfs_makespan_ratio(run, "scans", hfs_scans[i]);

        x[i] = hfs_scans[i];
        gain[i] = g.mean;
        half[i] = sim_stat_ci95_half_width(&g);
        for (int h = 0; h < 2; h++) {
            snprintf(key, sizeof key, "scans-%d-%s", hfs_scans[i], with[h]);
            y[h][i] = hfs_local_percent(run, key, "", SIM_NODE_LOCAL).mean;
        }
    }
    for (int h = 0; h < 2; h++)
        series[h] = (struct sim_series){.name = names[h], .x = x, .y = y[h], .n = HFS_SCANS};
    gains = (struct sim_series){.name = "gain", .x = x, .y = gain, .half = half, .n = HFS_SCANS};
    draw_lines(run, "hfs-scans", "Sticky slots: local maps by concurrent jobs (fig. 13)",
               "concurrent jobs", "node-local maps (%)", series, 2,
               "Published: without, from 92 % (5 jobs) to 27 % (50); with, 99 to 100 %.");
    draw_lines(run, "hfs-scans-gain",
               "Sticky slots: gain of throughput with delay scheduling (fig. 14)",
               "concurrent jobs", "times as fast", &gains, 1,
               "Published: 1.1 (10 jobs), 1.6 (20), 2.0 (50).");
}

static void draw_waits(struct sim_paper_run *run)
{
    static const char *const names[] = {"jobs of 4 maps", "jobs of 12 maps"};
    double y[2][HFS_WAITS];
    struct sim_series series[2];
    char key[SIM_PAPER_KEY_MAX];

    for (int j = 0; j < 2; j++) {
        for (int w = 0; w < HFS_WAITS; w++) {
            snprintf(key, sizeof key, "loop-%d-%g", j ? 12 : 4, hfs_waits[w]);
            y[j][w] = hfs_local_percent(run, key, "", SIM_NODE_LOCAL).mean;
        }
        series[j] =
            (struct sim_series){.name = names[j], .x = hfs_waits, .y = y[j], .n = HFS_WAITS};
    }
    draw_lines(run, "hfs-waits", "Local maps by the wait allowed, 50 jobs at once (fig. 15)",
               "wait W1 (s)", "node-local maps (%)", series, 2,
               "Published: 5, 68, 98, 100 % with 4 maps; 11, 80, 99, 99.8 % with 12.");
}

void hfs_draw_pictures(struct sim_paper_run *run)
{
    draw_cdfs(run);
    draw_sojourns(run, "io", NULL);
    draw_locality(run);
    draw_speedups(run, "io",
                  "Published (fig. 7): over naive fair sharing medium jobs gain most (bin 5: 44 "
                  "%), bin 9 little.");
    draw_sojourns(run, "cpu", "Published (fig. 8): 2 to 7 times as long as the io workload.");
    draw_speedups(run, "cpu", "Published (fig. 8): delay scheduling makes no difference.");
    draw_sojourns(run, "mixed",
                  "Published (fig. 10): medians of 32 s in bins 1 and 2, 100 s in bin 3.");
    draw_speedups(
        run, "mixed",
        "Published (fig. 9): small jobs without reduces gain most, all but the largest jobs gain.");
    draw_fig11(run);
    draw_scans(run);
    draw_waits(run);
}
