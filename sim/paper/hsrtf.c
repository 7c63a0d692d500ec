/* hSRTF: Cheriere, Donat-Bouillud, Ibrahim, Simonin, "On the usability of shortest remaining time
 * first policy in shared Hadoop clusters", SAC 2016: figures 2 and 3, section 5. 58 nodes with 8
 * map and 2 reduce slots, one rack. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/paper/paper.h"

static const char *const variants[][2] = {
    /* case, policy */
    {"fifo", "fifo"},     {"fair", "fair"},   {"pu", "hsrtf-pu"},
    {"pup", "hsrtf-pup"}, {"pr", "hsrtf-pr"}, {"prp", "hsrtf-prp"},
};
enum { VARIANTS = 6 };

static void add_cases(struct sim_paper_run *run)
{
    for (size_t i = 0; i < VARIANTS; i++)
        sim_paper_set_cluster(sim_paper_add_case(run, variants[i][0], "w-hsrtf", variants[i][1]),
                              58, 8, 2, 1);
}

/* The mean of @of over the jobs of a class in the case @key; a statistic over seeds. */
static struct sim_stat mean_over_seeds(const struct sim_paper_run *run, const char *key,
                                       const char *class_name, sim_paper_quantity of)
{
    struct sim_stat s = {0};

    for (size_t i = 0; i < run->seeds; i++)
        sim_stat_add(&s, sim_paper_class_mean(sim_paper_outcome(run, key, i), class_name, of));
    return s;
}

/* The percentage of node-local launches of a class in the case @key; a statistic over seeds. */
static struct sim_stat locality_over_seeds(const struct sim_paper_run *run, const char *key,
                                           const char *class_name)
{
    struct sim_stat s = {0};

    for (size_t i = 0; i < run->seeds; i++)
        sim_stat_add(&s, sim_paper_local_percent(sim_paper_outcome(run, key, i), class_name,
                                                 SIM_NODE_LOCAL));
    return s;
}

/* Returns the percentage by which the class's mean of @of is lower in the case @key than in the
 * case @than; a statistic over seeds. */
static struct sim_stat percent_shorter(const struct sim_paper_run *run, const char *key,
                                       const char *than, const char *class_name,
                                       sim_paper_quantity of)
{
    struct sim_stat s = {0};

    for (size_t i = 0; i < run->seeds; i++)
        sim_stat_add(
            &s,
            100 * (1 - sim_paper_class_mean(sim_paper_outcome(run, key, i), class_name, of) /
                           sim_paper_class_mean(sim_paper_outcome(run, than, i), class_name, of)));
    return s;
}

static void add_shorter_row(struct sim_paper_run *run, const char *id, const char *source,
                            const char *published, const char *criterion, const char *key,
                            const char *than, const char *class_name, double low, double high)
{
    struct sim_stat s = percent_shorter(run, key, than, class_name, sim_paper_sojourn_s);
    char text[64];

    sim_paper_add_row(run, id, source, published, criterion,
                      sim_paper_verdict_of(sim_paper_within(s.mean, low, high)), "%s shorter",
                      sim_paper_format_stat(&s, 1, " %", text));
}

static void add_longer_row(struct sim_paper_run *run, const char *id, const char *source,
                           const char *published, const char *criterion, const char *key,
                           const char *than, const char *class_name, double low, double high)
{
    struct sim_stat s = percent_shorter(run, key, than, class_name, sim_paper_sojourn_s);
    char text[64];

    s.mean = -s.mean;
    sim_paper_add_row(run, id, source, published, criterion,
                      sim_paper_verdict_of(sim_paper_within(s.mean, low, high)), "%s longer",
                      sim_paper_format_stat(&s, 1, " %", text));
}

static void add_waiting_rows(struct sim_paper_run *run)
{
    double w[VARIANTS], hb = 3;
    struct sim_stat fifo = mean_over_seeds(run, "fifo", "medium", sim_paper_waiting_s),
                    pu = mean_over_seeds(run, "pu", "medium", sim_paper_waiting_s);
    bool pass;

    for (size_t i = 0; i < VARIANTS; i++)
        w[i] = mean_over_seeds(run, variants[i][0], "small", sim_paper_waiting_s).mean;
    pass = fmax(w[4], w[2]) <= 0.25 * w[0] && fmax(w[4], w[2]) <= 0.5 * w[1] && w[3] <= w[2] + hb;
    sim_paper_add_row(
        run, "S6", "Fig. 2d",
        "small jobs wait far less under hSRTF than under Fifo and Fair, least with kills",
        "Pr, Pu <= 0.25 Fifo and <= 0.5 Fair; PuP <= Pu + 3 s", sim_paper_verdict_of(pass),
        "Fifo %.2f, Fair %.2f, Pu %.2f, PuP %.2f, Pr %.2f, PrP %.2f s", w[0], w[1], w[2], w[3],
        w[4], w[5]);
    sim_paper_add_row(run, "S7", "Fig. 2e", "medium jobs wait as long under Fifo as under Pu",
                      "within 10 %", sim_paper_verdict_of(fabs(pu.mean / fifo.mean - 1) <= 0.10),
                      "Fifo %.1f s, Pu %.1f s", fifo.mean, pu.mean);
}

static void add_locality_rows(struct sim_paper_run *run)
{
    struct sim_stat fair = locality_over_seeds(run, "fair", "small"),
                    fifo = locality_over_seeds(run, "fifo", "small");
    double worst = 0, of[3] = {0};
    bool rises = true;

    for (size_t i = 2; i < VARIANTS; i++)
        worst = fmax(worst, locality_over_seeds(run, variants[i][0], "small").mean);
    sim_paper_add_row(run, "S9", "Fig. 3a", "locality of small jobs: Fair 100 %, hSRTF 5-15 %",
                      "Fair >= 90, others <= 20",
                      sim_paper_verdict_of(fair.mean >= 90 && worst <= 20 && fifo.mean <= 20),
                      "Fair %.0f %%, hSRTF at most %.0f %%, Fifo %.0f %%", fair.mean, worst,
                      fifo.mean);
    for (size_t i = 2; i < VARIANTS; i++) {
        double a = locality_over_seeds(run, variants[i][0], "small").mean,
               b = locality_over_seeds(run, variants[i][0], "medium").mean,
               c = locality_over_seeds(run, variants[i][0], "large").mean;

        rises = rises && a < b && b < c;
        if (i == 4) {
            of[0] = a;
            of[1] = b;
            of[2] = c;
        }
    }
    sim_paper_add_row(run, "S10", "Fig. 3b, c", "locality rises with the size of the job",
                      "monotone under every hSRTF", sim_paper_verdict_of(rises),
                      "Pr: small %.0f, medium %.0f, large %.0f %%", of[0], of[1], of[2]);
}

static void add_rows(struct sim_paper_run *run)
{
    double best = INFINITY, m[VARIANTS];
    const char *which = "";
    struct sim_stat s;
    char text[64];

    add_shorter_row(run, "S1", "Fig. 2a", "small: Pu 43 % shorter than Fifo", "15-60 %", "pu",
                    "fifo", "small", 15, 60);
    add_shorter_row(run, "S2", "abstract", "small: Pr 45 % shorter than Fifo", "15-60 %", "pr",
                    "fifo", "small", 15, 60);
    add_shorter_row(run, "S3", "Fig. 2a", "small: Pr 26 % shorter than Fair", ">= 0", "pr", "fair",
                    "small", 0, 100);
    add_longer_row(run, "S4", "abstract", "large: Pr 10 % longer than Fifo", "0-20 % longer", "pr",
                   "fifo", "large", 0, 20);
    add_longer_row(run, "S5", "abstract", "large: Pr 0.2 % longer than Fair", "within 20 %", "pr",
                   "fair", "large", -20, 20);
    add_waiting_rows(run);
    s = percent_shorter(run, "prp", "pr", "large", sim_paper_sojourn_s);
    s.mean = -s.mean;
    sim_paper_add_row(run, "S8", "5.3", "large: PrP worse than Pr for all",
                      "mean at least 10 % longer", sim_paper_verdict_of(s.mean >= 10), "%s longer",
                      sim_paper_format_stat(&s, 1, " %", text));
    add_locality_rows(run);
    for (size_t i = 0; i < VARIANTS; i++) {
        m[i] = mean_over_seeds(run, variants[i][0], "medium", sim_paper_sojourn_s).mean;
        if (m[i] < best) {
            best = m[i];
            which = variants[i][1];
        }
    }
    sim_paper_add_row(run, "S11", "5.2", "medium: Pr is best", "reported", SIM_PAPER_REPORT,
                      "best is %s; Fifo %.0f, Fair %.0f, Pu %.0f, PuP %.0f, Pr %.0f, PrP %.0f s",
                      which, m[0], m[1], m[2], m[3], m[4], m[5]);
    s = percent_shorter(run, "pup", "pu", "small", sim_paper_sojourn_s);
    sim_paper_add_row(
        run, "S12", "5.1", "kills do not shorten small jobs (their reduces are remote)", "reported",
        SIM_PAPER_REPORT, "PuP %s shorter than Pu", sim_paper_format_stat(&s, 1, " %", text));
}

/* ---------------------------------------------------------------- pictures */
static void draw_bars(struct sim_paper_run *run, const char *name, const char *title,
                      const char *label, sim_paper_quantity of, const char *caption)
{
    static const char *const classes[] = {"small", "medium", "large"};
    static const double at[] = {0, 1, 2};
    struct sim_picture p;
    struct sim_series series[VARIANTS];
    double y[VARIANTS][3], half[VARIANTS][3];

    for (size_t v = 0; v < VARIANTS; v++) {
        for (int g = 0; g < 3; g++) {
            struct sim_stat s = of ? mean_over_seeds(run, variants[v][0], classes[g], of)
                                   : locality_over_seeds(run, variants[v][0], classes[g]);

            y[v][g] = s.mean;
            half[v][g] = sim_stat_ci95_half_width(&s);
        }
        series[v] = (struct sim_series){
            .name = variants[v][1], .x = at, .y = y[v], .half = half[v], .n = 3};
    }
    sim_picture_init(&p);
    p.name = name;
    p.title = title;
    p.y_label = label;
    p.kind = SIM_PICTURE_BARS;
    p.series = series;
    p.series_n = VARIANTS;
    p.categories = classes;
    p.categories_n = 3;
    sim_paper_add_picture(run, &p, caption);
}

static void draw_pictures(struct sim_paper_run *run)
{
    draw_bars(
        run, "hsrtf-sojourn", "Mean sojourn by size of job (figs. 2a-c)", "mean sojourn (s)",
        sim_paper_sojourn_s,
        "Published: small jobs 43 to 45 % shorter under hSRTF than under Fifo, large ones 10 % "
        "longer under Pr.");
    draw_bars(run, "hsrtf-waiting", "Mean waiting by size of job (figs. 2d-f)", "mean waiting (s)",
              sim_paper_waiting_s,
              "Published: small jobs hardly wait under hSRTF; medium ones wait as long under Pu as "
              "under Fifo.");
    draw_bars(
        run, "hsrtf-locality", "Local maps by size of job (fig. 3)", "node-local maps (%)", NULL,
        "Published: small jobs have 100 % under Fair, 5 to 15 % under hSRTF; it rises with the "
        "size of the job.");
}

const struct sim_paper sim_paper_hsrtf = {
    .name = "hsrtf",
    .title = "hSRTF (Cheriere et al., SAC 2016)",
    .add_cases = add_cases,
    .add_rows = add_rows,
    .draw_pictures = draw_pictures,
};
