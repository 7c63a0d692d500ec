/* sim/report/figures.c - selects the pictures of a report and fills in their data. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/report/report_internal.h"

enum { POINTS_MAX = 400, CELLS_MAX = 500, USAGE_JOBS_MAX = 14, WIDE = 900 };

/* Series whose arrays the list owns; sim/report/picture.h only borrows such arrays. */
struct series_list {
    struct sim_series *v;
    size_t n, cap;
};
/* Adds an empty series with room for @points points. @half: the points have intervals. */
static struct sim_series *series_list_add(struct series_list *l, const char *name, size_t points,
                                          bool half)
{
    base_array_grow(&l->v, l->n, &l->cap);
    struct sim_series *s = &l->v[l->n++];
    *s = (struct sim_series){.name = name};
    s->x = base_alloc(points * sizeof(double));
    s->y = base_alloc(points * sizeof(double));
    if (half)
        s->half = base_alloc(points * sizeof(double));
    return s;
}

/* The casts are safe: series_list_add() allocated these arrays. */
static void series_append_point(struct sim_series *s, double x, double y, double half)
{
    ((double *)(uintptr_t)s->x)[s->n] = x;
    ((double *)(uintptr_t)s->y)[s->n] = y;
    if (s->half)
        ((double *)(uintptr_t)s->half)[s->n] = half;
    s->n++;
}

static void series_list_free(struct series_list *l)
{
    for (size_t i = 0; i < l->n; i++) {
        free((void *)(uintptr_t)l->v[i].x);
        free((void *)(uintptr_t)l->v[i].y);
        free((void *)(uintptr_t)l->v[i].half);
    }
    free(l->v);
    *l = (struct series_list){0};
}

static void draw_series_and_free(struct report *w, struct sim_picture *p, struct series_list *l,
                                 const char *caption)
{
    p->series = l->v;
    p->series_n = l->n;
    report_draw_picture(w, p, caption);
    series_list_free(l);
}

/* ---------------------------------------------------------------- bars by class */
struct classes { /* names of the bar groups: all jobs, then the classes of the first policy */
    const char **v;
    size_t n;
};

static struct classes list_class_names(const struct report *w, size_t v)
{
    const struct sim_seed_summary *first = &sim_results_cell(w->r, v, 0)->summary;
    size_t n = first->n == 2 ? 1 : first->n; /* a single class is the same as all jobs */
    struct classes c = {.v = base_alloc((n + 1) * sizeof *c.v), .n = n};

    for (size_t i = 0; i < n; i++)
        c.v[i] = i ? report_class_label(first->v[i].name) : "all jobs";
    return c;
}

/* Draws @metric of every policy, grouped by class. With @over_first the bars show the first
 * policy's mean divided by the other policy's. @like supplies titles and axes. */
static void draw_bars_by_class(struct report *w, size_t v, const struct sim_picture *like,
                               enum sim_metric metric, bool over_first, const char *caption)
{
    const struct sim_results *r = w->r;
    struct classes classes = list_class_names(w, v);
    const struct sim_seed_summary *first = &sim_results_cell(r, v, 0)->summary;
    struct series_list l = {0};
    struct sim_picture p = *like;

    for (size_t i = over_first; i < r->policies_n; i++) {
        struct sim_series *s = series_list_add(&l, r->policies[i], classes.n, !over_first);
        for (size_t k = 0; k < classes.n; k++) {
            const struct sim_class_summary *f =
                sim_seed_summary_find_class(&sim_results_cell(r, v, i)->summary, first->v[k].name);
            if (!f || !f->v[metric].n)
                continue;
            double y =
                over_first ? first->v[k].v[metric].mean / f->v[metric].mean : f->v[metric].mean;
            series_append_point(s, (double)k, y, sim_stat_ci95_half_width(&f->v[metric]));
        }
    }
    p.kind = SIM_PICTURE_BARS;
    p.x_label = classes.n > 1 ? "class" : "";
    p.categories = classes.v;
    p.categories_n = classes.n;
    draw_series_and_free(w, &p, &l, caption);
    free(classes.v);
}

/* Bars and sweeps get a logarithmic axis if the largest value is more than this many times
 * the smallest positive one. */
#define LOG_RATIO 30.0
/* The corresponding factor for the x axis of a distribution, which stays linear if a value is 0. */
#define WIDE_RATIO 5.0

static bool needs_log_axis(const struct report *w, size_t v, enum sim_metric metric)
{
    double low = INFINITY, high = 0;

    for (size_t i = 0; i < w->r->policies_n; i++) {
        const struct sim_seed_summary *summary = &sim_results_cell(w->r, v, i)->summary;
        for (size_t k = 0; k < summary->n; k++) {
            double x = summary->v[k].v[metric].n ? summary->v[k].v[metric].mean : 0;
            if (x > 0) {
                low = x < low ? x : low;
                high = x > high ? x : high;
            }
        }
    }
    return high > LOG_RATIO * low;
}

void report_draw_class_bars(struct report *w, size_t v)
{
    struct sim_picture p;

    sim_page_begin_pictures(&w->page);
    sim_picture_init(&p);
    p.name = "sojourn";
    p.title = "Mean sojourn by class";
    p.y_label = "mean sojourn (s)";
    p.log_y = needs_log_axis(w, v, SIM_M_SOJOURN);
    draw_bars_by_class(w, v, &p, SIM_M_SOJOURN, false,
                       "From submission to the end, with 95 % intervals over the seeds.");
    sim_picture_init(&p);
    p.name = "locality";
    p.title = "Locality by class";
    p.y_label = "node-local maps (%)";
    p.y_min = 0;
    p.y_max = 100;
    draw_bars_by_class(w, v, &p, SIM_M_NODE_LOCAL, false,
                       "Launches of maps on a node that holds their split.");
    sim_picture_init(&p);
    p.name = "slowdown";
    p.title = "Mean slowdown by class";
    p.y_label = "sojourn over sojourn alone";
    p.log_y = needs_log_axis(w, v, SIM_M_SLOWDOWN);
    draw_bars_by_class(w, v, &p, SIM_M_SLOWDOWN, false,
                       "Sojourn divided by the sojourn alone on the empty cluster.");
    sim_picture_init(&p);
    p.y_min = 0;
    p.y_max = 100;
    if (sim_results_cell(w->r, v, 0)->summary.n &&
        sim_results_cell(w->r, v, 0)->summary.v[0].v[SIM_M_SUCCESS].n) {
        p.name = "accepted";
        p.title = "Accepted jobs";
        p.y_label = "accepted (%)";
        draw_bars_by_class(w, v, &p, SIM_M_ACCEPTED, false, "Jobs admitted at submission.");
        p.name = "success";
        p.title = "Deadlines met";
        p.y_label = "met (% of accepted)";
        draw_bars_by_class(w, v, &p, SIM_M_SUCCESS, false,
                           "Accepted jobs that met their deadline.");
    }
    sim_page_end_pictures(&w->page);
}

/* ---------------------------------------------------------------- distributions */
static const struct sim_cell_class *find_class_samples(const struct sim_cell *c, const char *name)
{
    for (size_t i = 0; i < c->classes_n; i++)
        if (strcmp(c->classes[i].name, name) == 0)
            return &c->classes[i];
    return NULL;
}

/* Returns true if the x values are positive and span a range that needs a logarithmic axis. */
static bool spans_wide_range(const struct series_list *l)
{
    double low = INFINITY, high = 0;

    for (size_t i = 0; i < l->n; i++)
        for (size_t k = 0; k < l->v[i].n; k++) {
            low = l->v[i].x[k] < low ? l->v[i].x[k] : low;
            high = l->v[i].x[k] > high ? l->v[i].x[k] : high;
        }
    return low > 0 && high > WIDE_RATIO * low;
}

static void add_distribution_series(struct series_list *l, const char *name,
                                    struct sim_samples *samples)
{
    double x[POINTS_MAX], y[POINTS_MAX];
    size_t n;

    sim_samples_sort(samples);
    n = sim_samples_cdf(samples, POINTS_MAX, x, y);
    struct sim_series *s = series_list_add(l, name, POINTS_MAX + 1, false);
    if (n)
        series_append_point(s, x[0], 0, 0);
    for (size_t i = 0; i < n; i++)
        series_append_point(s, x[i], y[i], 0);
}

void report_draw_distributions(struct report *w, size_t v)
{
    const struct sim_results *r = w->r;
    const struct sim_seed_summary *first = &sim_results_cell(r, v, 0)->summary;
    char name[64], title[128];
    struct sim_picture p;

    if (!first->n)
        return;
    sim_page_add_subheading(&w->page, "Distribution of sojourns");
    sim_page_begin_pictures(&w->page);
    for (size_t k = 0; k < (first->n == 2 ? 1 : first->n); k++) {
        struct series_list l = {0};
        for (size_t i = 0; i < r->policies_n; i++) {
            const struct sim_cell_class *c =
                find_class_samples(sim_results_cell(r, v, i), first->v[k].name);
            struct sim_samples copy = {0};
            for (size_t j = 0; c && j < c->sojourn_s.n; j++)
                sim_samples_add(&copy, c->sojourn_s.v[j]);
            add_distribution_series(&l, r->policies[i], &copy);
            sim_samples_free(&copy);
        }
        snprintf(name, sizeof name, "cdf-%zu", k);
        snprintf(title, sizeof title, k ? "Class %s" : "%s",
                 k ? report_class_label(first->v[k].name) : "All jobs");
        sim_picture_init(&p);
        p.name = name;
        p.title = title;
        p.x_label = "sojourn (s)";
        p.y_label = "share of jobs";
        p.kind = SIM_PICTURE_STEPS;
        p.log_x = spans_wide_range(&l);
        p.x_min = p.log_x ? NAN : 0;
        p.y_min = 0;
        p.y_max = 1;
        draw_series_and_free(w, &p, &l, NULL);
    }
    sim_page_end_pictures(&w->page);
}

/* ------------------------------------------------------------- comparison with the first policy */
static int compare_seed_and_job(const void *a, const void *b)
{
    const struct sim_cell_job *x = a, *y = b;

    return x->seed != y->seed ? (x->seed > y->seed) - (x->seed < y->seed)
                              : (x->id > y->id) - (x->id < y->id);
}

/* Collects, for each job that both policies accepted, the first policy's sojourn divided by the
 * other's. The first policy's job list must be sorted by seed and id; the function sorts the
 * other's the same way, so that one pass matches them. */
static void collect_job_speedups(const struct sim_cell *first, struct sim_cell *other,
                                 struct sim_samples *out)
{
    size_t i = 0;

    if (other->jobs_n)
        qsort(other->jobs, other->jobs_n, sizeof *other->jobs, compare_seed_and_job);
    for (size_t k = 0; k < other->jobs_n; k++) {
        while (i < first->jobs_n && compare_seed_and_job(&first->jobs[i], &other->jobs[k]) < 0)
            i++;
        if (i < first->jobs_n && compare_seed_and_job(&first->jobs[i], &other->jobs[k]) == 0 &&
            other->jobs[k].sojourn_s > 0)
            sim_samples_add(out, first->jobs[i].sojourn_s / other->jobs[k].sojourn_s);
    }
}

void report_draw_speedups(struct report *w, size_t v)
{
    const struct sim_results *r = w->r;
    struct sim_cell *first = sim_results_cell(r, v, 0);
    struct series_list l = {0};
    char title[128], label[128];
    struct sim_picture p;

    if (r->policies_n < 2 || !first->summary.n)
        return;
    sim_page_add_subheading(&w->page, "Against %s", r->policies[0]);
    sim_page_begin_pictures(&w->page);
    if (first->jobs_n)
        qsort(first->jobs, first->jobs_n, sizeof *first->jobs, compare_seed_and_job);
    for (size_t i = 1; i < r->policies_n; i++) {
        struct sim_samples gains = {0};
        collect_job_speedups(first, sim_results_cell(r, v, i), &gains);
        add_distribution_series(&l, r->policies[i], &gains);
        sim_samples_free(&gains);
    }
    snprintf(title, sizeof title, "Speed-up of each job over %s", r->policies[0]);
    snprintf(label, sizeof label, "sojourn under %s over sojourn", r->policies[0]);
    sim_picture_init(&p);
    p.name = "speedup-jobs";
    p.title = title;
    p.x_label = label;
    p.y_label = "share of jobs";
    p.kind = SIM_PICTURE_STEPS;
    p.log_x = spans_wide_range(&l);
    p.x_min = p.log_x ? NAN : 0;
    p.y_min = 0;
    p.y_max = 1;
    draw_series_and_free(w, &p, &l, "Right of 1: the job ends sooner.");
    snprintf(title, sizeof title, "Mean speed-up over %s by class", r->policies[0]);
    sim_picture_init(&p);
    p.name = "speedup-classes";
    p.title = title;
    p.y_label = "ratio of mean sojourns";
    p.mark_label = r->policies[0];
    p.mark_y = 1;
    draw_bars_by_class(w, v, &p, SIM_M_SOJOURN, true, "Above 1: sooner on average.");
    sim_page_end_pictures(&w->page);
}

/* ---------------------------------------------------------------- slots over time */
static double sum_slots_in_use(const struct sim_usage *u, enum sim_usage_by by,
                               enum base_task_kind kind)
{
    double sum = 0;

    for (size_t i = 0; i < u->by[by].n; i++)
        for (size_t c = 0; c < sim_usage_cell_count(u); c++)
            sum += sim_usage_mean_slots(u, &u->by[by].v[i], kind, c);
    return sum;
}

/* One line of a usage grouping. Lines are sorted the same way for every policy, so each keeps its
 * colour across pictures if they all have the same lines. */
struct line {
    const struct sim_usage_line *of;
    size_t rank; /* classes only: position by size */
};
static int compare_line_rank(const void *a, const void *b)
{
    const struct line *x = a, *y = b;

    return x->rank != y->rank ? (x->rank > y->rank) - (x->rank < y->rank)
                              : strverscmp(x->of->name, y->of->name);
}

static void sort_usage_lines(const struct sim_usage *u, enum sim_usage_by by,
                             const struct sim_seed_summary *classes, struct line *out)
{
    for (size_t i = 0; i < u->by[by].n; i++) {
        out[i] = (struct line){.of = &u->by[by].v[i]};
        while (by == SIM_BY_CLASS && out[i].rank < classes->n &&
               strcmp(classes->v[out[i].rank].name, out[i].of->name) != 0)
            out[i].rank++;
    }
    qsort(out, u->by[by].n, sizeof *out, compare_line_rank);
}

/* Cells are averaged in groups so that even a long run has at most CELLS_MAX steps. */
static void draw_slot_usage(struct report *w, const struct sim_seed_summary *classes,
                            const char *policy, const struct sim_usage *u, enum sim_usage_by by,
                            enum base_task_kind kind)
{
    struct line lines[SIM_USAGE_NAMES_MAX];
    static const char *const bys[] = {"class", "pool", "job"}, *const kinds[] = {"map", "reduce"};
    size_t cells = sim_usage_cell_count(u), step = (cells + CELLS_MAX - 1) / CELLS_MAX;
    char name[128], title[160], label[64];
    struct series_list l = {0};
    struct sim_picture p;

    if (!cells || sum_slots_in_use(u, by, kind) <= 0)
        return;
    sort_usage_lines(u, by, classes, lines);
    for (size_t i = 0; i < u->by[by].n; i++) {
        const char *of = lines[i].of->name;
        struct sim_series *s =
            series_list_add(&l, by == SIM_BY_CLASS ? report_class_label(of) : of, cells, false);
        s->colour = sim_picture_colour_for(NULL, i);
        for (size_t c = 0; c < cells; c += step) {
            double sum = 0;
            size_t n = 0;
            for (; n < step && c + n < cells; n++)
                sum += sim_usage_mean_slots(u, lines[i].of, kind, c + n);
            series_append_point(s, (double)((int64_t)c * u->width_us) / 1e6, sum / (double)n, 0);
        }
    }
    snprintf(name, sizeof name, "slots-%s-%s-%s", policy, bys[by], kinds[kind]);
    snprintf(title, sizeof title, "%s: %s slots by %s", policy, kinds[kind], bys[by]);
    snprintf(label, sizeof label, "%s slots in use", kinds[kind]);
    sim_picture_init(&p);
    p.name = name;
    p.title = title;
    p.x_label = "time (s)";
    p.y_label = label;
    p.kind = SIM_PICTURE_STACK;
    p.x_min = 0;
    p.x_max = (double)u->end_us / 1e6;
    p.width = WIDE;
    p.height = 300;
    draw_series_and_free(w, &p, &l, NULL);
}

void report_draw_slot_usage(struct report *w, size_t v)
{
    const struct sim_results *r = w->r;
    const struct sim_cell *first = sim_results_cell(r, v, 0);

    if (!first->usage)
        return;
    sim_page_add_subheading(&w->page, "Slots over time");
    sim_page_add_paragraph(&w->page, "The first seed, %llu.",
                           (unsigned long long)first->usage_seed);
    sim_page_begin_wide_pictures(&w->page);
    for (size_t i = 0; i < r->policies_n; i++) {
        const struct sim_usage *u = sim_results_cell(r, v, i)->usage;
        if (!u)
            continue;
        bool jobs = !u->by[SIM_BY_JOB].too_many && u->by[SIM_BY_JOB].n <= USAGE_JOBS_MAX;
        bool pools = !u->by[SIM_BY_POOL].too_many && u->by[SIM_BY_POOL].n > 1;
        for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
            if (jobs)
                draw_slot_usage(w, &first->summary, r->policies[i], u, SIM_BY_JOB, k);
            if (pools)
                draw_slot_usage(w, &first->summary, r->policies[i], u, SIM_BY_POOL, k);
            if (!jobs && !u->by[SIM_BY_CLASS].too_many)
                draw_slot_usage(w, &first->summary, r->policies[i], u, SIM_BY_CLASS, k);
        }
    }
    sim_page_end_pictures(&w->page);
}

/* ---------------------------------------------------------------- a swept parameter */
static void draw_sweep_of_metric(struct report *w, const char *class_name, enum sim_metric metric,
                                 const struct sim_picture *like)
{
    const struct sim_results *r = w->r;
    struct series_list l = {0};
    struct sim_picture p = *like;
    double low = INFINITY, high = 0;

    for (size_t i = 0; i <= r->policies_n; i++) {
        bool bound = i == r->policies_n;
        if (bound && (metric != SIM_M_SOJOURN || strcmp(class_name, SIM_CLASS_ALL) != 0))
            break;
        struct sim_series *s =
            series_list_add(&l, bound ? "lower bound" : r->policies[i], r->variations_n, !bound);
        if (bound) {
            s->colour = "#010203"; /* drawn in the colour of the axes */
            s->dashed = true;
        }
        for (size_t v = 0; v < r->variations_n; v++) {
            const struct sim_seed_summary *summary =
                &sim_results_cell(r, v, bound ? 0 : i)->summary;
            const struct sim_class_summary *f = sim_seed_summary_find_class(summary, class_name);
            const struct sim_stat *stat = f ? &f->v[bound ? SIM_M_BOUND : metric] : NULL;
            if (stat && stat->n)
                series_append_point(s, r->values ? r->values[v] : (double)v, stat->mean,
                                    sim_stat_ci95_half_width(stat));
            if (stat && stat->n && stat->mean > 0) {
                low = stat->mean < low ? stat->mean : low;
                high = stat->mean > high ? stat->mean : high;
            }
        }
    }
    p.kind = SIM_PICTURE_POINTS;
    p.x_label = r->axis;
    p.log_y = isnan(p.y_max) && high > LOG_RATIO * low;
    if (!r->values) {
        p.categories = r->variations;
        p.categories_n = r->variations_n;
    } else {
        p.log_x = true;
        for (size_t v = 0; v < r->variations_n; v++)
            p.log_x = p.log_x && r->values[v] > 0;
        p.log_x =
            p.log_x && r->variations_n > 2 && r->values[r->variations_n - 1] >= 8 * r->values[0];
    }
    draw_series_and_free(w, &p, &l, NULL);
}

void report_draw_sweep(struct report *w)
{
    const struct sim_seed_summary *first = &sim_results_cell(w->r, 0, 0)->summary;
    char name[64], title[128];
    struct sim_picture p;

    w->prefix[0] = '\0';
    sim_page_begin_pictures(&w->page);
    for (size_t k = 0; k < (first->n == 2 ? 1 : first->n); k++) {
        snprintf(name, sizeof name, "sweep-sojourn-%zu", k);
        snprintf(title, sizeof title, k ? "Mean sojourn, class %s" : "Mean sojourn, %s",
                 k ? report_class_label(first->v[k].name) : "all jobs");
        sim_picture_init(&p);
        p.name = name;
        p.title = title;
        p.y_label = "mean sojourn (s)";
        draw_sweep_of_metric(w, first->v[k].name, SIM_M_SOJOURN, &p);
    }
    sim_picture_init(&p);
    p.name = "sweep-locality";
    p.title = "Locality, all jobs";
    p.y_label = "node-local maps (%)";
    p.y_max = 100;
    draw_sweep_of_metric(w, SIM_CLASS_ALL, SIM_M_NODE_LOCAL, &p);
    p.name = "sweep-utilisation";
    p.title = "Use of slots";
    p.y_label = "slot time in use (%)";
    draw_sweep_of_metric(w, SIM_CLASS_ALL, SIM_M_UTILISATION, &p);
    sim_page_end_pictures(&w->page);
}
