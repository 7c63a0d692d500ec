/* sim/report/report.c - writes the sections of the page in order, with their tables. */
#include "sim/report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io/io.h"
#include "sim/report/report_internal.h"
#include "sim/report/summary.h"

/* With more variations than this, only the first and the last get sections of their own. */
enum { VARIATIONS_WHOLE = 3 };

/* ---------------------------------------------------------------- tables */
static const enum sim_metric job_metrics[] = {
    SIM_M_JOBS,        SIM_M_SOJOURN,    SIM_M_BOUND,     SIM_M_BOUND_RATIO, SIM_M_SOJOURN_MEDIAN,
    SIM_M_SOJOURN_P95, SIM_M_WAITING,    SIM_M_EXECUTION, SIM_M_SLOWDOWN,    SIM_M_ACCEPTED,
    SIM_M_SUCCESS,     SIM_M_NODE_LOCAL, SIM_M_RACK_LOCAL};
static const enum sim_metric run_metrics[] = {
    SIM_M_MAKESPAN,        SIM_M_UTILISATION_MAP, SIM_M_UTILISATION_REDUCE, SIM_M_UTILISATION,
    SIM_M_UTILISATION_MET, SIM_M_KILLS,           SIM_M_SUSPENSIONS,        SIM_M_LOST};
static const enum sim_metric class_metrics[] = {
    SIM_M_JOBS,       SIM_M_SOJOURN,  SIM_M_SOJOURN_MEDIAN, SIM_M_SOJOURN_P95, SIM_M_WAITING,
    SIM_M_EXECUTION,  SIM_M_SLOWDOWN, SIM_M_ACCEPTED,       SIM_M_SUCCESS,     SIM_M_NODE_LOCAL,
    SIM_M_RACK_LOCAL, SIM_M_KILLS,    SIM_M_SUSPENSIONS};

static size_t choose_shown_metrics(const struct sim_results *r, const enum sim_metric *from,
                                   size_t n, enum sim_metric *out)
{
    size_t chosen = 0;

    for (size_t i = 0; i < n; i++)
        if (sim_output_is_column_shown(r, from[i]))
            out[chosen++] = from[i];
    return chosen;
}

static void add_metric_cells(struct report *w, const struct sim_class_summary *f,
                             const enum sim_metric *metrics, size_t n)
{
    static const struct sim_stat none;
    char text[96];

    for (size_t i = 0; i < n; i++) {
        const struct sim_stat *s = f ? &f->v[metrics[i]] : &none;
        sim_output_format_stat(s, sim_metric_infos[metrics[i]].digits, text, sizeof text);
        sim_page_add_table_cell(&w->page, true, s->n ? "" : "weak", text);
    }
}

static void add_metric_table_head(struct report *w, const char *first, const char *second,
                                  const enum sim_metric *metrics, size_t n)
{
    char titles[SIM_METRICS][96];
    const char *pointers[SIM_METRICS + 2];
    size_t left = 0;

    pointers[left++] = first;
    if (second)
        pointers[left++] = second;
    for (size_t i = 0; i < n; i++) {
        sim_output_format_title(metrics[i], titles[i], sizeof titles[i]);
        pointers[left + i] = titles[i];
    }
    sim_page_add_table_head(&w->page, pointers, left + n);
}

/* One row per variation and policy, over all jobs. */
static void add_table_of_all_jobs(struct report *w, const enum sim_metric *from, size_t from_n,
                                  const char *caption)
{
    const struct sim_results *r = w->r;
    enum sim_metric metrics[SIM_METRICS];
    size_t n = choose_shown_metrics(r, from, from_n, metrics);

    sim_page_begin_table(&w->page, caption);
    add_metric_table_head(w, r->axis ? r->axis : "policy", r->axis ? "policy" : NULL, metrics, n);
    for (size_t v = 0; v < r->variations_n; v++)
        for (size_t p = 0; p < r->policies_n; p++) {
            const struct sim_seed_summary *summary = &sim_results_cell(r, v, p)->summary;
            sim_page_begin_table_row(&w->page);
            if (r->axis)
                sim_page_add_table_cell(&w->page, false, "", r->variations[v]);
            sim_page_add_table_cell(&w->page, false, "", r->policies[p]);
            add_metric_cells(w, summary->n ? &summary->v[0] : NULL, metrics, n);
        }
    sim_page_end_table(&w->page);
}

static void add_table_of_classes(struct report *w, size_t v)
{
    const struct sim_results *r = w->r;
    const struct sim_seed_summary *first = &sim_results_cell(r, v, 0)->summary;
    enum sim_metric metrics[SIM_METRICS];
    size_t n = choose_shown_metrics(r, class_metrics, sizeof class_metrics / sizeof *class_metrics,
                                    metrics);

    if (first->n < 3)
        return;
    sim_page_begin_table(&w->page, NULL);
    add_metric_table_head(w, "class", "policy", metrics, n);
    for (size_t k = 1; k < first->n; k++)
        for (size_t p = 0; p < r->policies_n; p++) {
            sim_page_begin_table_row(&w->page);
            sim_page_add_table_cell(&w->page, false, "",
                                    p == 0 ? report_class_label(first->v[k].name) : "");
            sim_page_add_table_cell(&w->page, false, "", r->policies[p]);
            add_metric_cells(
                w,
                sim_seed_summary_find_class(&sim_results_cell(r, v, p)->summary, first->v[k].name),
                metrics, n);
        }
    sim_page_end_table(&w->page);
}

/* ---------------------------------------------------------------- sections */
const char *report_class_label(const char *name)
{
    return *name ? name : "(no class)";
}

int report_draw_picture(struct report *w, const struct sim_picture *p, const char *caption)
{
    char name[160];
    struct sim_picture named = *p;

    if (w->failed || !sim_picture_has_data(p))
        return w->failed;
    snprintf(name, sizeof name, "%s%s", w->prefix, p->name);
    for (char *at = name; *at; at++)
        if (!(*at >= 'a' && *at <= 'z') && !(*at >= '0' && *at <= '9'))
            *at = '-';
    named.name = name;
    w->failed = sim_picture_draw(w->dir, &named, w->err);
    if (!w->failed)
        w->failed = sim_page_embed_picture(&w->page, w->dir, name, caption, w->err);
    return w->failed;
}

static void add_variation_section(struct report *w, size_t v)
{
    const struct sim_results *r = w->r;

    *w->prefix = '\0';
    if (r->variations_n > 1)
        snprintf(w->prefix, sizeof w->prefix, "v%zu-", v + 1);
    if (!r->axis)
        sim_page_add_heading(&w->page, "By class");
    else if (strchr(r->variations[v], '=')) /* several parameters; their names are included */
        sim_page_add_heading(&w->page, "%s", r->variations[v]);
    else
        sim_page_add_heading(&w->page, "%s = %s", r->axis, r->variations[v]);
    add_table_of_classes(w, v);
    report_draw_class_bars(w, v);
    report_draw_distributions(w, v);
    report_draw_speedups(w, v);
    report_draw_slot_usage(w, v);
}

/* The glossary, for readers new to the field. */
static const struct {
    enum sim_metric metric;
    const char *meaning;
} meanings[] = {
    {SIM_M_SOJOURN,
     "Time from a job's submission to its end: waiting and execution. Also called response time."},
    {SIM_M_BOUND, "No policy's mean sojourn can be lower: each job takes at least as long as its "
                  "longest tasks, and all work at "
                  "least as long as on one machine as fast as the whole cluster that serves the "
                  "shortest job first."},
    {SIM_M_BOUND_RATIO,
     "Mean sojourn divided by that bound; 1 would be perfect but may be impossible."},
    {SIM_M_SOJOURN_MEDIAN, "Half of the jobs have a shorter sojourn."},
    {SIM_M_SOJOURN_P95, "95 of 100 jobs have a shorter sojourn."},
    {SIM_M_WAITING, "Time from a job's submission until its first task starts."},
    {SIM_M_EXECUTION, "Time from the start of a job's first task to the job's end."},
    {SIM_M_SLOWDOWN,
     "A job's sojourn divided by its sojourn alone on the empty cluster; 1 means no slowdown."},
    {SIM_M_ACCEPTED, "Jobs that the policy admitted. Policies that guarantee deadlines reject jobs "
                     "whose deadline they "
                     "cannot guarantee."},
    {SIM_M_SUCCESS, "Accepted jobs that met their deadline."},
    {SIM_M_NODE_LOCAL, "Maps started on a node that holds their input."},
    {SIM_M_RACK_LOCAL, "Maps started in a rack with such a node, or on the node itself."},
    {SIM_M_MAKESPAN, "Time from the first submission to the end of the last job."},
    {SIM_M_UTILISATION,
     "Slot time in which tasks ran, divided by all slot time until the last job's end."},
    {SIM_M_UTILISATION_MET, "The part of the utilisation due to jobs that met their deadlines."},
    {SIM_M_KILLS,
     "Tasks killed to give their slots to others; they start again from the beginning."},
    {SIM_M_SUSPENSIONS, "How often tasks were suspended in favour of others and resumed later."},
    {SIM_M_LOST, "Slot time of killed attempts: wasted work."},
};

static void add_glossary(struct report *w)
{
    sim_page_add_heading(&w->page, "Terms");
    sim_page_begin_text_table(&w->page);
    sim_page_add_table_head(&w->page, (const char *const[]){"term", "meaning"}, 2);
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++) {
        if (!sim_output_is_column_shown(w->r, meanings[i].metric))
            continue;
        sim_page_begin_table_row(&w->page);
        sim_page_add_table_cell(&w->page, false, "", sim_metric_infos[meanings[i].metric].title);
        sim_page_add_table_cell(&w->page, false, "meaning", meanings[i].meaning);
    }
    sim_page_end_table(&w->page);
}

static void add_all_sections(struct report *w, const char *const (*facts)[2], size_t facts_n)
{
    static const char *const files[][2] = {
        {"summary.csv", "every table of this page"},
        {"jobs.csv", "every job of every run"},
        {"manifest.json", "what is needed to reproduce the results"},
        {"data/", "the numbers of each picture, with gnuplot's commands"}};
    const struct sim_results *r = w->r;

    sim_page_add_facts(&w->page, facts, facts_n);
    sim_page_add_file_links(&w->page, files, sizeof files / sizeof *files);
    sim_page_add_heading(&w->page, "Summary");
    add_table_of_all_jobs(w, job_metrics, sizeof job_metrics / sizeof *job_metrics,
                          "All jobs: means over the seeds with half the width of their 95 % "
                          "intervals. No policy's mean sojourn can be "
                          "below the lower bound.");
    add_table_of_all_jobs(w, run_metrics, sizeof run_metrics / sizeof *run_metrics, "The cluster.");
    if (r->axis) {
        sim_page_add_heading(&w->page, "By %s", r->axis);
        report_draw_sweep(w);
    }
    for (size_t v = 0; v < r->variations_n; v++)
        if (r->variations_n <= VARIATIONS_WHOLE || v == 0 || v + 1 == r->variations_n)
            add_variation_section(w, v);
    add_glossary(w);
}

int sim_report_write(const char *dir, const struct sim_results *r, const char *title,
                     const char *const (*facts)[2], size_t facts_n, struct base_error *err)
{
    struct report w = {.dir = dir, .r = r, .err = err};

    add_all_sections(&w, facts, facts_n);
    if (w.failed) {
        sim_page_free(&w.page);
        return w.failed;
    }
    return sim_page_write_and_free(&w.page, dir, title, err);
}
