/* Runs papers by name, prints their tables and, if asked to, writes a report to a folder. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io/io.h"
#include "base/io/json.h"
#include "sim/paper/paper.h"
#include "sim/paper/paper_internal.h"
#include "sim/report/folder.h"
#include "sim/terminal.h"

static const struct sim_paper *const papers[] = {&sim_paper_hsrtf, &sim_paper_hfsp, &sim_paper_rtmr,
                                                 &sim_paper_hfs};
enum { PAPERS = sizeof papers / sizeof *papers };

static const char *const columns[] = {"id", "of", "published", "here", "criterion", "verdict"};
enum { COLUMNS = 6 };

static const char *verdict_name(enum sim_paper_verdict v)
{
    return v == SIM_PAPER_PASS ? "pass" : v == SIM_PAPER_FAIL ? "FAIL" : "reported";
}

static void fill_row_cells(const struct sim_paper_row *r, const char *out[COLUMNS])
{
    out[0] = r->id;
    out[1] = r->source;
    out[2] = r->published;
    out[3] = r->ours;
    out[4] = r->criterion;
    out[5] = verdict_name(r->verdict);
}

/* ---------------------------------------------------------------- tables */
static void write_markdown_table(const struct sim_paper_run *run, FILE *out)
{
    const char *cells[COLUMNS];

    fprintf(out, "## %s\n\n|", run->paper->title);
    for (int i = 0; i < COLUMNS; i++)
        fprintf(out, " %s |", columns[i]);
    fprintf(out, "\n|");
    for (int i = 0; i < COLUMNS; i++)
        fprintf(out, "---|");
    fprintf(out, "\n");
    for (size_t r = 0; r < run->rows_n; r++) {
        fill_row_cells(&run->rows[r], cells);
        fprintf(out, "|");
        for (int i = 0; i < COLUMNS; i++)
            fprintf(out, " %s |", cells[i]);
        fprintf(out, "\n");
    }
    fprintf(out, "\n");
}

static void append_csv_rows(const struct sim_paper_run *run, struct base_buf *out)
{
    const char *cells[COLUMNS];

    for (size_t r = 0; r < run->rows_n; r++) {
        fill_row_cells(&run->rows[r], cells);
        base_buf_adds(out, run->paper->name);
        for (int i = 0; i < COLUMNS; i++) {
            base_buf_adds(out, ",");
            sim_output_append_csv_text(cells[i], out);
        }
        base_buf_adds(out, "\n");
    }
}

static void append_json_rows(const struct sim_paper_run *run, json_t *out)
{
    const char *cells[COLUMNS];

    for (size_t r = 0; r < run->rows_n; r++) {
        json_t *row = json_pack("{s:s}", "paper", run->paper->name);

        fill_row_cells(&run->rows[r], cells);
        for (int i = 0; i < COLUMNS; i++)
            json_object_set_new(row, columns[i], json_string(cells[i]));
        json_array_append_new(out, row);
    }
}

static void print_results(const struct sim_paper_conf *conf, const struct sim_paper_run *runs,
                          size_t n)
{
    struct base_buf b = {0};
    json_t *rows;

    if (conf->format == SIM_FORMAT_TABLE) {
        for (size_t i = 0; i < n; i++)
            write_markdown_table(&runs[i], stdout);
        return;
    }
    if (conf->format == SIM_FORMAT_CSV) {
        base_buf_adds(&b, "paper,id,of,published,here,criterion,verdict\n");
        for (size_t i = 0; i < n; i++)
            append_csv_rows(&runs[i], &b);
        printf("%s", b.data);
        base_buf_free(&b);
        return;
    }
    rows = json_array();
    for (size_t i = 0; i < n; i++)
        append_json_rows(&runs[i], rows);
    base_json_dump(rows, &b);
    printf("%s\n", b.data);
    base_buf_free(&b);
    json_decref(rows);
}

/* ---------------------------------------------------------------- the folder */
static void add_page_table(const struct sim_paper_run *run, struct sim_page *page)
{
    const char *cells[COLUMNS];

    sim_page_begin_text_table(page);
    sim_page_add_table_head(page, columns, COLUMNS);
    for (size_t r = 0; r < run->rows_n; r++) {
        enum sim_paper_verdict v = run->rows[r].verdict;

        fill_row_cells(&run->rows[r], cells);
        sim_page_begin_table_row(page);
        for (int i = 0; i < COLUMNS; i++)
            sim_page_add_table_cell(page, false,
                                    i < COLUMNS - 1       ? ""
                                    : v == SIM_PAPER_PASS ? "good"
                                    : v == SIM_PAPER_FAIL ? "bad"
                                                          : "weak",
                                    cells[i]);
    }
    sim_page_end_table(page);
}

static int write_markdown_file(const struct sim_paper_conf *conf, const struct sim_paper_run *runs,
                               size_t n, struct base_error *err)
{
    char *path = base_printf("%s/RESULTS.md", conf->dir);
    FILE *out = fopen(path, "w");
    int rc = 0;

    if (out) {
        fprintf(out,
                "# The papers' results, here\n\nMade by `creel sim --paper %s --seeds %llu-%llu`. "
                "Means over seeds with 95 %% intervals.\n\n",
                conf->name, (unsigned long long)conf->first_seed,
                (unsigned long long)(conf->first_seed + conf->seeds - 1));
        for (size_t i = 0; i < n; i++)
            write_markdown_table(&runs[i], out);
    }
    if (!out || fflush(out) || ferror(out))
        rc = base_error_sys(err, -BASE_EIO, errno, "%s", path);
    if (out)
        fclose(out);
    free(path);
    return rc;
}

static int write_report_folder(const struct sim_paper_conf *conf, struct sim_paper_run *runs,
                               size_t n, struct base_error *err)
{
    struct sim_page page = {0};
    int rc;

    for (size_t i = 0; i < n; i++) {
        sim_page_add_heading(&page, "%s", runs[i].paper->title);
        add_page_table(&runs[i], &page);
        runs[i].page = &page;
        runs[i].dir = conf->dir;
        if (runs[i].paper->draw_pictures) {
            sim_page_begin_pictures(&page);
            runs[i].paper->draw_pictures(&runs[i]);
            sim_page_end_pictures(&page);
        }
        if (runs[i].err.code < 0) {
            *err = runs[i].err;
            sim_page_free(&page);
            return err->code;
        }
    }
    rc = sim_page_write_and_free(&page, conf->dir, "The papers' results, here", err);
    return rc < 0 ? rc : write_markdown_file(conf, runs, n, err);
}

/* ---------------------------------------------------------------- all of it */
/* Adds the paper called @name (@len bytes; "all": every paper), unless already in @runs. */
static int add_named_papers(struct sim_paper_run *runs, size_t *n, const char *name, size_t len,
                            struct base_error *err)
{
    char one[16];

    snprintf(one, sizeof one, "%.*s", (int)len, name);
    for (size_t i = 0; i < PAPERS; i++)
        if (strcmp(one, "all") == 0 || strcmp(one, papers[i]->name) == 0) {
            bool there = false;

            for (size_t j = 0; j < *n; j++)
                there = there || runs[j].paper == papers[i];
            if (!there)
                runs[(*n)++].paper = papers[i];
            if (strcmp(one, "all") != 0)
                return 0;
        }
    if (strcmp(one, "all") == 0)
        return 0;
    return base_error_set(err, -BASE_EINVAL,
                          "paper: \"%.*s\" is unknown; there are hsrtf, hfsp, rtmr, hfs and all",
                          (int)(len < 100 ? len : 100), name);
}

static int any_row_failed(const struct sim_paper_run *runs, size_t n)
{
    int failed = 0;

    for (size_t i = 0; i < n; i++)
        for (size_t r = 0; r < runs[i].rows_n; r++)
            failed |= runs[i].rows[r].verdict == SIM_PAPER_FAIL;
    return failed;
}

int sim_paper_run_and_report(const struct sim_paper_conf *conf, struct base_error *err)
{
    enum { PAPERS_MAX = 8 };
    struct sim_bar bar;
    struct sim_paper_run runs[PAPERS_MAX] = {0};
    const char *p = conf->name;
    size_t n = 0;
    int rc;

    do {
        size_t len = strcspn(p, ",");

        rc = add_named_papers(runs, &n, p, len, err);
        p += len + (p[len] == ',');
    } while (rc >= 0 && *p);
    if (rc >= 0 && conf->dir) /* fail before the runs, not after them */
        rc = sim_picture_check_gnuplot(err);
    if (rc >= 0 && conf->dir)
        rc = sim_report_prepare_folder(conf->dir, conf->force, err);
    for (size_t i = 0; rc >= 0 && i < n; i++) {
        runs[i].first_seed = conf->first_seed;
        runs[i].seeds = conf->seeds;
        runs[i].paper->add_cases(&runs[i]);
    }
    sim_bar_begin(&bar, conf->progress);
    if (rc >= 0)
        rc = sim_paper_run_cases(runs, n, conf->jobs, &bar, err);
    sim_bar_erase(&bar);
    if (rc >= 0) {
        for (size_t i = 0; i < n; i++)
            runs[i].paper->add_rows(&runs[i]);
        print_results(conf, runs, n);
        rc = conf->dir ? write_report_folder(conf, runs, n, err) : 0;
    }
    if (rc >= 0)
        rc = any_row_failed(runs, n);
    for (size_t i = 0; i < n; i++)
        sim_paper_run_free(&runs[i]);
    return rc;
}
