/* sim/report/summary.c - formats summaries as text tables, CSV and JSON. */
#include "sim/report/summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int sim_format_parse(const char *name, enum sim_format *out, struct base_error *err)
{
    static const char *const names[] = {"table", "csv", "json"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0) {
            *out = (enum sim_format)i;
            return 0;
        }
    return base_error_set(err, -BASE_EINVAL, "'%.60s' is no format: there are table, csv, json",
                          name);
}

/* ---------------------------------------------------------------- building blocks */
void sim_output_append_csv_text(const char *text, struct base_buf *out)
{
    if (!strpbrk(text, ",\"\r\n")) {
        base_buf_adds(out, text);
        return;
    }
    base_buf_adds(out, "\"");
    for (; *text; text++)
        base_buf_addf(out, *text == '"' ? "\"\"" : "%c", *text);
    base_buf_adds(out, "\"");
}

void sim_output_append_json_text(const char *text, struct base_buf *out)
{
    base_buf_adds(out, "\"");
    for (; *text; text++)
        if (*text == '"' || *text == '\\')
            base_buf_addf(out, "\\%c", *text);
        else if ((unsigned char)*text < ' ')
            base_buf_addf(out, "\\u%04x", (unsigned)(unsigned char)*text);
        else
            base_buf_add(out, text, 1);
    base_buf_adds(out, "\"");
}

void sim_output_append_number(double x, enum sim_format format, struct base_buf *out)
{
    char text[40];

    if (!isfinite(x)) {
        base_buf_adds(out, format == SIM_FORMAT_JSON ? "null" : "");
        return;
    }
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, x);
        if (strtod(text, NULL) == x)
            break;
    }
    base_buf_adds(out, text);
}

void sim_output_format_stat(const struct sim_stat *s, int digits, char *out, size_t size)
{
    if (s->n && (s->mean >= 1000 || s->mean <= -1000))
        digits = 0;
    if (!s->n)
        snprintf(out, size, "-");
    else if (s->n < 2 || s->min == s->max)
        snprintf(out, size, "%.*f", digits, s->mean);
    else
        snprintf(out, size, "%.*f ±%.*f", digits, s->mean, digits, sim_stat_ci95_half_width(s));
}

void sim_output_format_title(enum sim_metric metric, char *out, size_t size)
{
    const struct sim_metric_info *m = &sim_metric_infos[metric];

    snprintf(out, size, *m->unit && strcmp(m->unit, "x") != 0 ? "%s (%s)" : "%s", m->title,
             m->unit);
}

/* ---------------------------------------------------------------- tables */
void sim_table_begin(struct sim_table *t, size_t columns, size_t left)
{
    *t = (struct sim_table){.columns = columns, .left = left};
}

void sim_table_add_cell(struct sim_table *t, const char *text)
{
    base_array_grow(&t->cells, t->n, &t->cap);
    t->cells[t->n++] = base_strdup(text);
}

static size_t display_width(const char *text)
{
    size_t n = 0;

    for (; *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80; /* skip UTF-8 continuation bytes */
    return n;
}

/* Appends all rows, but of each row only the columns that name the row and the columns @first to
 * @end - 1. */
static void append_column_block(const struct sim_table *t, const size_t *widest, size_t first,
                                size_t end, struct base_buf *out)
{
    for (size_t i = 0; i < t->n; i++) {
        size_t column = i % t->columns, pad = widest[column] - display_width(t->cells[i]);
        bool last = column + 1 == end;

        if (column >= t->left && (column < first || column >= end))
            continue;
        if (column >= t->left)
            base_buf_addf(out, "%*s", (int)pad, "");
        base_buf_adds(out, t->cells[i]);
        if (column < t->left && !last)
            base_buf_addf(out, "%*s", (int)pad, "");
        base_buf_adds(out, last ? "\n" : "  ");
    }
}

/* A table wider than t->width is split into several parts below each other; each part repeats the
 * columns that name the rows. */
void sim_table_render_and_free(struct sim_table *t, struct base_buf *out)
{
    size_t *widest = base_alloc(t->columns * sizeof *widest), names = 0;

    for (size_t i = 0; i < t->n; i++) {
        size_t w = display_width(t->cells[i]);
        widest[i % t->columns] = w > widest[i % t->columns] ? w : widest[i % t->columns];
    }
    for (size_t c = 0; c < t->left && c < t->columns; c++)
        names += widest[c] + 2;
    for (size_t first = t->left, end; first < t->columns || first == t->left; first = end) {
        size_t used = names;

        for (end = first; end < t->columns; end++) {
            used += widest[end] + (end > first ? 2 : 0);
            if (t->width && used > t->width && end > first)
                break;
        }
        if (first > t->left)
            base_buf_adds(out, "\n");
        append_column_block(t, widest, first, end > first ? end : t->columns, out);
        if (end == first)
            break;
    }
    for (size_t i = 0; i < t->n; i++)
        free(t->cells[i]);
    free(t->cells);
    free(widest);
    *t = (struct sim_table){0};
}

/* ---------------------------------------------------------------- which columns are shown */
static bool any_class_satisfies(const struct sim_results *r,
                                bool (*holds)(const struct sim_class_summary *f))
{
    for (size_t c = 0; c < r->policies_n * r->variations_n; c++)
        for (size_t i = 0; i < r->cells[c].summary.n; i++)
            if (holds(&r->cells[c].summary.v[i]))
                return true;
    return false;
}

static bool class_has_deadlines(const struct sim_class_summary *f)
{
    return f->v[SIM_M_SUCCESS].n > 0;
}

static bool class_has_refusals(const struct sim_class_summary *f)
{
    return f->v[SIM_M_ACCEPTED].n > 0 && f->v[SIM_M_ACCEPTED].mean < 100;
}

static bool class_has_rack_local_and_off_rack_maps(const struct sim_class_summary *f)
{
    return f->v[SIM_M_RACK_LOCAL].n > 0 && f->v[SIM_M_RACK_LOCAL].mean < 100 &&
           f->v[SIM_M_RACK_LOCAL].mean > f->v[SIM_M_NODE_LOCAL].mean;
}

bool sim_output_is_column_shown(const struct sim_results *r, enum sim_metric metric)
{
    bool needs_more = metric == SIM_M_KILLS || metric == SIM_M_SUSPENSIONS ||
                      metric == SIM_M_LOST || metric == SIM_M_UTILISATION_MAP ||
                      metric == SIM_M_UTILISATION_REDUCE;

    if (metric == SIM_M_ACCEPTED)
        return any_class_satisfies(r, class_has_deadlines) ||
               any_class_satisfies(r, class_has_refusals);
    if (metric == SIM_M_RACK_LOCAL)
        return any_class_satisfies(r, class_has_rack_local_and_off_rack_maps);
    for (size_t c = 0; c < r->policies_n * r->variations_n; c++)
        for (size_t i = 0; i < r->cells[c].summary.n; i++) {
            const struct sim_stat *s = &r->cells[c].summary.v[i].v[metric];
            if (s->n && (!needs_more || s->mean > 0))
                return true;
        }
    return false;
}

/* ---------------------------------------------------------------- the summary as a table */
static const enum sim_metric of_jobs[] = {
    SIM_M_JOBS,        SIM_M_SOJOURN,    SIM_M_BOUND,     SIM_M_BOUND_RATIO, SIM_M_SOJOURN_MEDIAN,
    SIM_M_SOJOURN_P95, SIM_M_WAITING,    SIM_M_EXECUTION, SIM_M_SLOWDOWN,    SIM_M_ACCEPTED,
    SIM_M_SUCCESS,     SIM_M_NODE_LOCAL, SIM_M_RACK_LOCAL};
static const enum sim_metric of_runs[] = {
    SIM_M_MAKESPAN,        SIM_M_UTILISATION_MAP, SIM_M_UTILISATION_REDUCE, SIM_M_UTILISATION,
    SIM_M_UTILISATION_MET, SIM_M_KILLS,           SIM_M_SUSPENSIONS,        SIM_M_LOST};

/* Appends a table with one row per variation and policy. With @classes there is one row per
 * variation, class and policy, so that a class's policies stand below each other. */
static void append_text_table(const struct sim_results *r, const enum sim_metric *metrics, size_t n,
                              bool classes, size_t width, struct base_buf *out)
{
    enum sim_metric shown[SIM_METRICS];
    size_t shown_n = 0, left = classes ? 2 : 1;
    struct sim_table t;
    char text[128];

    for (size_t i = 0; i < n; i++)
        if (sim_output_is_column_shown(r, metrics[i]) &&
            !(classes && sim_metric_infos[metrics[i]].whole))
            shown[shown_n++] = metrics[i];
    left += r->axis != NULL;
    sim_table_begin(&t, left + shown_n, left);
    t.width = width;
    if (r->axis)
        sim_table_add_cell(&t, r->axis);
    if (classes)
        sim_table_add_cell(&t, "class");
    sim_table_add_cell(&t, "policy");
    for (size_t i = 0; i < shown_n; i++) {
        sim_output_format_title(shown[i], text, sizeof text);
        sim_table_add_cell(&t, text);
    }
    for (size_t v = 0; v < r->variations_n; v++) {
        const struct sim_seed_summary *first = &sim_results_cell(r, v, 0)->summary;
        for (size_t k = classes; k < (classes ? first->n : 1) && k < first->n; k++)
            for (size_t p = 0; p < r->policies_n; p++) {
                const struct sim_class_summary *f = sim_seed_summary_find_class(
                    &sim_results_cell(r, v, p)->summary, first->v[k].name);
                if (r->axis)
                    sim_table_add_cell(&t, r->variations[v]);
                if (classes)
                    sim_table_add_cell(&t, first->v[k].name[0] ? first->v[k].name : "-");
                sim_table_add_cell(&t, r->policies[p]);
                for (size_t i = 0; i < shown_n; i++) {
                    static const struct sim_stat none;
                    sim_output_format_stat(f ? &f->v[shown[i]] : &none,
                                           sim_metric_infos[shown[i]].digits, text, sizeof text);
                    sim_table_add_cell(&t, text);
                }
            }
    }
    sim_table_render_and_free(&t, out);
}

static bool has_several_classes(const struct sim_results *r)
{
    for (size_t c = 0; c < r->policies_n * r->variations_n; c++)
        if (r->cells[c].summary.n > 2)
            return true;
    return false;
}

/* ---------------------------------------------------------------- the summary as CSV and JSON */
static void append_csv(const struct sim_results *r, struct base_buf *out)
{
    base_buf_adds(out, r->axis ? "variation,policy,class,runs" : "policy,class,runs");
    for (int m = 0; m < SIM_METRICS; m++)
        base_buf_addf(out, ",%s,%s_half95", sim_metric_infos[m].key, sim_metric_infos[m].key);
    base_buf_adds(out, "\n");
    for (size_t c = 0; c < r->policies_n * r->variations_n; c++) {
        const struct sim_seed_summary *summary = &r->cells[c].summary;
        for (size_t k = 0; k < summary->n; k++) {
            if (r->axis) {
                sim_output_append_csv_text(r->variations[c / r->policies_n], out);
                base_buf_adds(out, ",");
            }
            sim_output_append_csv_text(r->policies[c % r->policies_n], out);
            base_buf_adds(out, ",");
            sim_output_append_csv_text(summary->v[k].name, out);
            base_buf_addf(out, ",%zu", summary->runs);
            for (int m = 0; m < SIM_METRICS; m++) {
                const struct sim_stat *s = &summary->v[k].v[m];
                base_buf_adds(out, ",");
                sim_output_append_number(s->n ? s->mean : NAN, SIM_FORMAT_CSV, out);
                base_buf_adds(out, ",");
                sim_output_append_number(s->n > 1 ? sim_stat_ci95_half_width(s) : NAN,
                                         SIM_FORMAT_CSV, out);
            }
            base_buf_adds(out, "\n");
        }
    }
}

static void append_json_class(const struct sim_class_summary *f, struct base_buf *out)
{
    base_buf_adds(out, "{\"class\":");
    sim_output_append_json_text(f->name, out);
    for (int m = 0; m < SIM_METRICS; m++) {
        const struct sim_stat *s = &f->v[m];
        if (!s->n)
            continue;
        base_buf_addf(out, ",\"%s\":{\"mean\":", sim_metric_infos[m].key);
        sim_output_append_number(s->mean, SIM_FORMAT_JSON, out);
        base_buf_adds(out, ",\"half95\":");
        sim_output_append_number(s->n > 1 ? sim_stat_ci95_half_width(s) : NAN, SIM_FORMAT_JSON,
                                 out);
        base_buf_addf(out, ",\"runs\":%lld}", (long long)s->n);
    }
    base_buf_adds(out, "}");
}

static void append_json(const struct sim_results *r, struct base_buf *out)
{
    base_buf_adds(out, "{\"results\":[");
    for (size_t c = 0; c < r->policies_n * r->variations_n; c++) {
        const struct sim_cell *cell = &r->cells[c];
        base_buf_adds(out, c ? ",\n{" : "\n{");
        if (r->axis) {
            sim_output_append_json_text(r->axis, out);
            base_buf_adds(out, ":");
            sim_output_append_json_text(r->variations[c / r->policies_n], out);
            base_buf_adds(out, ",");
        }
        base_buf_adds(out, "\"policy\":");
        sim_output_append_json_text(r->policies[c % r->policies_n], out);
        base_buf_adds(out, ",\"seeds\":[");
        for (size_t i = 0; i < cell->runs_n; i++)
            base_buf_addf(out, "%s%llu", i ? "," : "", (unsigned long long)cell->seeds[i]);
        base_buf_adds(out, "],\"classes\":[");
        for (size_t k = 0; k < cell->summary.n; k++) {
            base_buf_adds(out, k ? ",\n  " : "\n  ");
            append_json_class(&cell->summary.v[k], out);
        }
        base_buf_adds(out, "]}");
    }
    base_buf_adds(out, "\n]}\n");
}

void sim_output_append_summary(const struct sim_results *r, enum sim_format format, size_t width,
                               struct base_buf *out)
{
    if (format == SIM_FORMAT_CSV) {
        append_csv(r, out);
    } else if (format == SIM_FORMAT_JSON) {
        append_json(r, out);
    } else {
        append_text_table(r, of_jobs, sizeof of_jobs / sizeof *of_jobs, false, width, out);
        base_buf_adds(out, "\n");
        append_text_table(r, of_runs, sizeof of_runs / sizeof *of_runs, false, width, out);
        if (has_several_classes(r)) {
            base_buf_adds(out, "\n");
            append_text_table(r, of_jobs, sizeof of_jobs / sizeof *of_jobs, true, width, out);
        }
    }
}
