/* Figure 11 of the delay scheduling paper, slots of three pools over time; and the paper's pictures. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policies/policy_queues.h"
#include "sim/sim_paper_hfs.h"

#define SLOTS 400.0
#define NEAR  3.0 /* points of the cluster */

/* ---------------------------------------------------------------- figure 11 */
void hfs_fig11_pools(void *ctx, struct rm_core_conf *core)
{
    static struct policy_queues tree; /* taken by the core at once */

    (void)ctx;
    policy_queues_init(&tree, core->queues);
    tree.v[policy_queues_find(&tree, "pool3")].order = POLICY_QUEUE_FIFO;
    core->tree = &tree;
}

/* Mean share of a pool in percent over [from, to) seconds. */
static double share(const struct sim_usage *u, const char *pool, double from, double to)
{
    const struct sim_usage_line *line = sim_usage_find(u, SIM_BY_POOL, pool);
    double width = (double)u->width_us / 1e6, sum = 0;
    size_t n = 0;

    for (size_t i = (size_t)(from / width); line && i < sim_usage_cells(u) && (double)i * width < to; i++, n++)
        sum += sim_usage_slots(u, line, SIM_MAP, i);
    return n ? 100 * sum / (double)n / SLOTS : 0;
}

/* Seconds after @from until the pool first holds @percent of the slots, but NEAR points. */
static double ramp(const struct sim_usage *u, const char *pool, double from, double percent)
{
    const struct sim_usage_line *line = sim_usage_find(u, SIM_BY_POOL, pool);
    double width = (double)u->width_us / 1e6;

    for (size_t i = (size_t)(from / width); line && i < sim_usage_cells(u); i++)
        if (100 * sim_usage_slots(u, line, SIM_MAP, i) / SLOTS >= percent - NEAR)
            return (double)i * width - from;
    return INFINITY;
}

void hfs_judge_fig11(struct sim_paper_run *run)
{
    static const struct {
        double from, to, ideal[3];
    } spans[] = {{85, 118, {50, 50, 0}}, {140, 320, {100 / 3.0, 100 / 3.0, 100 / 3.0}}, {375, 494, {50, 50, 0}}};
    static const char *const pools[] = {"pool1", "pool2", "pool3"};
    struct sim_stat half = {0}, third = {0}, off = {0}, local = {0}, end = {0};
    char text[5][64];

    for (size_t i = 0; i < run->seeds; i++) {
        const struct sim_outcome *o = sim_paper_outcome(run, "fig11", i);
        double worst = 0, last = 0;

        for (size_t s = 0; s < sizeof spans / sizeof *spans; s++)
            for (int p = 0; p < 3; p++)
                worst = fmax(worst, fabs(share(o->usage, pools[p], spans[s].from, spans[s].to) - spans[s].ideal[p]));
        for (size_t j = 0; j < o->jobs_n; j++)
            if (strcmp(o->jobs[j].pool, "pool3") == 0)
                last = fmax(last, (double)o->jobs[j].finish_us / 1e6);
        sim_stat_add(&off, worst);
        sim_stat_add(&half, ramp(o->usage, "pool2", 57, 50));
        sim_stat_add(&third, ramp(o->usage, "pool3", 118, 100 / 3.0));
        sim_stat_add(&local, sim_paper_local(o, "", SIM_NODE_LOCAL));
        sim_stat_add(&end, last);
    }
    sim_paper_row(run, "D6", "Fig. 11", "shares 50/50, 33/33/33, 50/50; ramps 17 s to half, 12 s to a third; locality 99-100 %",
                  "shares within 3 points after ramps; ramps 8-25 s, 4-20 s; locality >= 98",
                  sim_paper_verdict(off.mean <= NEAR && sim_paper_within(half.mean, 8, 25) &&
                                    sim_paper_within(third.mean, 4, 20) && local.mean >= 98),
                  "at most %s points off; ramps %s, %s; locality %s; pool 3 ends at %s",
                  sim_paper_stat(&off, 1, "", text[0]), sim_paper_stat(&half, 1, " s", text[1]),
                  sim_paper_stat(&third, 1, " s", text[2]), sim_paper_stat(&local, 1, " %", text[3]),
                  sim_paper_stat(&end, 0, " s", text[4]));
}

static void draw_fig11(struct sim_paper_run *run)
{
    const struct sim_usage *u = sim_paper_outcome(run, "fig11", 0)->usage;
    struct sim_series series[3];
    struct sim_picture p;
    size_t cells = sim_usage_cells(u);
    double *x = base_alloc((cells + 1) * sizeof *x), *y[3];

    for (size_t i = 0; i < cells; i++)
        x[i] = (double)u->width_us * (double)i / 1e6;
    for (int k = 0; k < 3; k++) {
        static const char *const pools[] = {"pool1", "pool2", "pool3"};
        const struct sim_usage_line *line = sim_usage_find(u, SIM_BY_POOL, pools[k]);

        y[k] = base_alloc((cells + 1) * sizeof **y);
        for (size_t i = 0; line && i < cells; i++)
            y[k][i] = 100 * sim_usage_slots(u, line, SIM_MAP, i) / SLOTS;
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
    sim_paper_picture(run, &p, p.title);
    for (int k = 0; k < 3; k++)
        free(y[k]);
    free(x);
}

/* ---------------------------------------------------------------- by bin */
static void draw_bins(struct sim_paper_run *run, const char *load, bool locality)
{
    static const char *const how[] = {"fifo", "naive", "delay"}, *const names[] = {"fifo", "naive-fair", "fair"};
    double x[HFS_BINS], y[3][HFS_BINS];
    struct sim_series series[3];
    struct sim_picture p;
    char name[48], title[96], key[SIM_PAPER_KEY_MAX];

    for (int h = 0; h < 3; h++) {
        snprintf(key, sizeof key, "%s-%s", load, how[h]);
        for (int b = 0; b < HFS_BINS; b++) {
            x[b] = b;
            y[h][b] = locality ? hfs_local(run, key, hfs_bins[b], SIM_NODE_LOCAL).mean : hfs_mean(run, key, hfs_bins[b]);
        }
        series[h] = (struct sim_series){.name = names[h], .x = x, .y = y[h], .n = HFS_BINS};
    }
    snprintf(name, sizeof name, "hfs-%s-%s", load, locality ? "locality" : "sojourn");
    snprintf(title, sizeof title, "%s by bin, %s workload", locality ? "Local maps" : "Mean sojourn", load);
    sim_picture_init(&p);
    p.name = name;
    p.title = title;
    p.x_label = "bin";
    p.y_label = locality ? "node-local maps (%)" : "mean sojourn (s)";
    p.kind = SIM_PICTURE_BARS;
    p.log_y = !locality;
    if (!locality)
        p.y_min = 10;
    p.series = series;
    p.series_n = 3;
    p.categories = hfs_bins;
    p.categories_n = HFS_BINS;
    sim_paper_picture(run, &p, title);
}

static void draw_scans(struct sim_paper_run *run)
{
    static const char *const how[] = {"without", "with"}, *const names[] = {"without delay scheduling", "with"};
    double x[HFS_SCANS], y[2][HFS_SCANS];
    struct sim_series series[2];
    struct sim_picture p;
    char key[SIM_PAPER_KEY_MAX];

    for (int h = 0; h < 2; h++) {
        for (int i = 0; i < HFS_SCANS; i++) {
            snprintf(key, sizeof key, "scans-%d-%s", hfs_scans[i], how[h]);
            x[i] = hfs_scans[i];
            y[h][i] = hfs_local(run, key, "", SIM_NODE_LOCAL).mean;
        }
        series[h] = (struct sim_series){.name = names[h], .x = x, .y = y[h], .n = HFS_SCANS};
    }
    sim_picture_init(&p);
    p.name = "hfs-scans";
    p.title = "Sticky slots: local maps by concurrent jobs (fig. 13)";
    p.x_label = "concurrent jobs";
    p.y_label = "node-local maps (%)";
    p.kind = SIM_PICTURE_POINTS;
    p.series = series;
    p.series_n = 2;
    sim_paper_picture(run, &p, p.title);
}

void hfs_draw(struct sim_paper_run *run)
{
    draw_bins(run, "io", false);
    draw_bins(run, "io", true);
    draw_bins(run, "cpu", false);
    draw_bins(run, "mixed", false);
    draw_fig11(run);
    draw_scans(run);
}
