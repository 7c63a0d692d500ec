/* sim/report/report.c - the page: sections in their order, tables; see the header. */
#include "sim/report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io/io.h"
#include "sim/report/summary.h"
#include "sim/report/report_internal.h"

enum { VARIATIONS_WHOLE = 3 }; /* with more of them, the first and the last are shown in full */

/* ---------------------------------------------------------------- tables */
static const enum sim_metric job_metrics[] = {SIM_M_JOBS,           SIM_M_SOJOURN,     SIM_M_BOUND,   SIM_M_BOUND_RATIO,
                                              SIM_M_SOJOURN_MEDIAN, SIM_M_SOJOURN_P95, SIM_M_WAITING, SIM_M_EXECUTION,
                                              SIM_M_SLOWDOWN,       SIM_M_ACCEPTED,    SIM_M_SUCCESS, SIM_M_NODE_LOCAL,
                                              SIM_M_RACK_LOCAL};
static const enum sim_metric run_metrics[] = {
    SIM_M_MAKESPAN,        SIM_M_UTILISATION_MAP, SIM_M_UTILISATION_REDUCE, SIM_M_UTILISATION,
    SIM_M_UTILISATION_MET, SIM_M_KILLS,           SIM_M_SUSPENSIONS,        SIM_M_LOST};
static const enum sim_metric class_metrics[] = {
    SIM_M_JOBS,       SIM_M_SOJOURN,  SIM_M_SOJOURN_MEDIAN, SIM_M_SOJOURN_P95, SIM_M_WAITING,
    SIM_M_EXECUTION,  SIM_M_SLOWDOWN, SIM_M_ACCEPTED,       SIM_M_SUCCESS,     SIM_M_NODE_LOCAL,
    SIM_M_RACK_LOCAL, SIM_M_KILLS,    SIM_M_SUSPENSIONS};

static size_t choose(const struct sim_results *r, const enum sim_metric *from, size_t n, enum sim_metric *out)
{
    size_t chosen = 0;

    for (size_t i = 0; i < n; i++)
        if (sim_output_shown(r, from[i]))
            out[chosen++] = from[i];
    return chosen;
}

static void add_row(struct report *w, const struct sim_figures_over *f, const enum sim_metric *metrics, size_t n)
{
    static const struct sim_stat none;
    char text[96];

    for (size_t i = 0; i < n; i++) {
        const struct sim_stat *s = f ? &f->v[metrics[i]] : &none;
        sim_output_stat(s, sim_metric_infos[metrics[i]].digits, text, sizeof text);
        sim_page_table_cell(&w->page, true, s->n ? "" : "weak", text);
    }
}

static void add_head(struct report *w, const char *first, const char *second, const enum sim_metric *metrics, size_t n)
{
    char titles[SIM_METRICS][96];
    const char *pointers[SIM_METRICS + 2];
    size_t left = 0;

    pointers[left++] = first;
    if (second)
        pointers[left++] = second;
    for (size_t i = 0; i < n; i++) {
        sim_output_title(metrics[i], titles[i], sizeof titles[i]);
        pointers[left + i] = titles[i];
    }
    sim_page_table_head(&w->page, pointers, left + n);
}

/* A row per variation and policy, of all jobs together. */
static void table_of_all(struct report *w, const enum sim_metric *from, size_t from_n, const char *caption)
{
    const struct sim_results *r = w->r;
    enum sim_metric metrics[SIM_METRICS];
    size_t n = choose(r, from, from_n, metrics);

    sim_page_table_begin(&w->page, caption);
    add_head(w, r->axis ? r->axis : "policy", r->axis ? "policy" : NULL, metrics, n);
    for (size_t v = 0; v < r->variations_n; v++)
        for (size_t p = 0; p < r->policies_n; p++) {
            const struct sim_over *over = &sim_results_cell(r, v, p)->over;
            sim_page_table_row(&w->page);
            if (r->axis)
                sim_page_table_cell(&w->page, false, "", r->variations[v]);
            sim_page_table_cell(&w->page, false, "", r->policies[p]);
            add_row(w, over->n ? &over->v[0] : NULL, metrics, n);
        }
    sim_page_table_end(&w->page);
}

static void table_of_classes(struct report *w, size_t v)
{
    const struct sim_results *r = w->r;
    const struct sim_over *first = &sim_results_cell(r, v, 0)->over;
    enum sim_metric metrics[SIM_METRICS];
    size_t n = choose(r, class_metrics, sizeof class_metrics / sizeof *class_metrics, metrics);

    if (first->n < 3)
        return;
    sim_page_table_begin(&w->page, NULL);
    add_head(w, "class", "policy", metrics, n);
    for (size_t k = 1; k < first->n; k++)
        for (size_t p = 0; p < r->policies_n; p++) {
            sim_page_table_row(&w->page);
            sim_page_table_cell(&w->page, false, "", p == 0 ? report_class(first->v[k].name) : "");
            sim_page_table_cell(&w->page, false, "", r->policies[p]);
            add_row(w, sim_over_find(&sim_results_cell(r, v, p)->over, first->v[k].name), metrics, n);
        }
    sim_page_table_end(&w->page);
}

/* ---------------------------------------------------------------- sections */
const char *report_class(const char *name)
{
    return *name ? name : "(no class)";
}

int report_picture(struct report *w, const struct sim_picture *p, const char *caption)
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
    w->failed = sim_picture_write(w->dir, &named, w->err);
    if (!w->failed)
        w->failed = sim_page_picture(&w->page, w->dir, name, caption, w->err);
    return w->failed;
}

static void variation(struct report *w, size_t v)
{
    const struct sim_results *r = w->r;

    *w->prefix = '\0';
    if (r->variations_n > 1)
        snprintf(w->prefix, sizeof w->prefix, "v%zu-", v + 1);
    if (!r->axis)
        sim_page_heading(&w->page, "By class");
    else if (strchr(r->variations[v], '=')) /* several parameters, with their names */
        sim_page_heading(&w->page, "%s", r->variations[v]);
    else
        sim_page_heading(&w->page, "%s = %s", r->axis, r->variations[v]);
    table_of_classes(w, v);
    report_bars(w, v);
    report_distributions(w, v);
    report_gains(w, v);
    report_usage(w, v);
}

/* The tables' words, for readers who do not know the field's. */
static const struct {
    enum sim_metric metric;
    const char *meaning;
} meanings[] = {
    {SIM_M_SOJOURN, "Time from a job's submission to its end: waiting and execution. Also called response time."},
    {SIM_M_BOUND, "No policy's mean sojourn can be below it: jobs take their longest tasks at least, and all work at least "
                  "what one machine as fast as the cluster takes, the least work first."},
    {SIM_M_BOUND_RATIO, "Mean sojourn over that bound; 1 would be perfect, and may not be possible."},
    {SIM_M_SOJOURN_MEDIAN, "Half of the jobs have a sojourn below it."},
    {SIM_M_SOJOURN_P95, "95 of 100 jobs have a sojourn below it."},
    {SIM_M_WAITING, "Time from a job's submission until its first task starts."},
    {SIM_M_EXECUTION, "Time from the start of a job's first task to the job's end."},
    {SIM_M_SLOWDOWN, "A job's sojourn over what it takes alone on the empty cluster: 1 is not slowed down at all."},
    {SIM_M_ACCEPTED, "Jobs that the policy let in. Policies that promise deadlines refuse what they cannot promise."},
    {SIM_M_SUCCESS, "Accepted jobs with a deadline that ended before it."},
    {SIM_M_NODE_LOCAL, "Maps that were started on a node that holds their input."},
    {SIM_M_RACK_LOCAL, "The same in a rack with such a node, the node itself included."},
    {SIM_M_MAKESPAN, "Time from the first submission to the end of the last job."},
    {SIM_M_UTILISATION, "Slot time in which tasks ran, over all slot time until the last job's end."},
    {SIM_M_UTILISATION_MET, "The part of it by jobs that met their deadlines."},
    {SIM_M_KILLS, "Tasks that were killed to give their slots to others; they start anew."},
    {SIM_M_SUSPENSIONS, "Times that tasks were stopped for others, to go on later."},
    {SIM_M_LOST, "Slot time of attempts that were killed: work done in vain."},
};

static void words(struct report *w)
{
    sim_page_heading(&w->page, "Words");
    sim_page_words_begin(&w->page);
    sim_page_table_head(&w->page, (const char *const[]){"word", "what it means"}, 2);
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++) {
        if (!sim_output_shown(w->r, meanings[i].metric))
            continue;
        sim_page_table_row(&w->page);
        sim_page_table_cell(&w->page, false, "", sim_metric_infos[meanings[i].metric].title);
        sim_page_table_cell(&w->page, false, "meaning", meanings[i].meaning);
    }
    sim_page_table_end(&w->page);
}

static void sections(struct report *w, const char *const (*facts)[2], size_t facts_n)
{
    static const char *const files[][2] = {{"summary.csv", "every table of this page"},
                                           {"jobs.csv", "every job of every run"},
                                           {"manifest.json", "what is needed to get the same again"},
                                           {"data/", "the numbers of each picture, with gnuplot's commands"}};
    const struct sim_results *r = w->r;

    sim_page_facts(&w->page, facts, facts_n);
    sim_page_links(&w->page, files, sizeof files / sizeof *files);
    sim_page_heading(&w->page, "Summary");
    table_of_all(
        w, job_metrics, sizeof job_metrics / sizeof *job_metrics,
        "All jobs: means over the seeds with half the width of their 95 % intervals. The lower bound is what no "
        "policy's mean sojourn can be below.");
    table_of_all(w, run_metrics, sizeof run_metrics / sizeof *run_metrics, "The cluster.");
    if (r->axis) {
        sim_page_heading(&w->page, "By %s", r->axis);
        report_sweep(w);
    }
    for (size_t v = 0; v < r->variations_n; v++)
        if (r->variations_n <= VARIATIONS_WHOLE || v == 0 || v + 1 == r->variations_n)
            variation(w, v);
    words(w);
}

int sim_report_write(const char *dir, const struct sim_results *r, const char *title, const char *const (*facts)[2],
                     size_t facts_n, struct base_error *err)
{
    struct report w = {.dir = dir, .r = r, .err = err};

    sections(&w, facts, facts_n);
    if (w.failed) {
        sim_page_free(&w.page);
        return w.failed;
    }
    return sim_page_write(&w.page, dir, title, err);
}
