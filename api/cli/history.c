/* api/cli/history.c - `creel history export`: ended jobs, one line of JSON each, for `creel sim
 * --history`. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "api/cli/rm_client.h"
#include "api/cli/text/text.h"
#include "base/clock.h"
#include "base/io/io.h"

enum { KEY_FROM = 256, KEY_TO, KEY_FORCE };

struct history {
    bool export, force;
    int64_t from_ms, to_ms;
    const char *output;
    json_t **v; /* the jobs, owned */
    size_t n, cap;
};

static const struct argp_option options[] = {
    {"from", KEY_FROM, "WHEN", 0,
     "Only jobs submitted at or after WHEN: a date (2026-11-21T20:00:00) or a time ago (2h)", 1},
    {"to", KEY_TO, "WHEN", 0, "Only jobs submitted at or before WHEN", 1},
    {"output", 'o', "FILE", 0, "Write to FILE instead of standard output", 1},
    {"force", KEY_FORCE, NULL, 0, "Replace FILE if it exists", 1},
    {0},
};

static error_t parse_time_option(const char *option, const char *arg, int64_t *out)
{
    bool relative;
    int64_t ms;

    if (!cli_when_parse(arg, &relative, &ms))
        return cli_option_set_error(
            "%s: '%s' is neither a date such as 2026-11-21T20:00:00 nor a time "
            "ago such as 2h",
            option, arg);
    *out = relative ? base_wall_us(&base_clock_real) / 1000 - ms : ms;
    return 0;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct history *h = state->input;

    switch (key) {
    case KEY_FROM:
        return parse_time_option("--from", arg, &h->from_ms);
    case KEY_TO:
        return parse_time_option("--to", arg, &h->to_ms);
    case 'o':
        if (!*arg)
            return cli_option_set_error("--output: the name of the file is empty");
        h->output = arg;
        return 0;
    case KEY_FORCE:
        h->force = true;
        return 0;
    case ARGP_KEY_ARG:
        if (h->export || strcmp(arg, "export") != 0)
            return cli_option_set_error(
                "unexpected argument '%s'; the command is creel history export", arg);
        h->export = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* Gets one page of ended jobs. *cursor, NULL for the first page, is replaced by the cursor of the
 * next page, or NULL after the last one. The RM lists the jobs newest first, but the export is in
 * order of submission, so all jobs are kept in memory until the end. */
static int fetch_history_page(struct cli *c, struct history *h, char **cursor)
{
    struct base_buf path = {0};
    json_t *page = NULL, *job, *list;
    size_t i;
    int rc;

    base_buf_addf(&path, "/ws/v1/cluster/history?from=%lld", (long long)h->from_ms);
    if (h->to_ms)
        base_buf_addf(&path, "&to=%lld", (long long)h->to_ms);
    if (*cursor) {
        base_buf_adds(&path, "&cursor=");
        cli_uri_add_encoded(*cursor, &path);
    }
    free(*cursor);
    *cursor = NULL;
    rc = cli_rm_get(c, path.data, &page);
    base_buf_free(&path);
    if (rc != CLI_OK)
        return rc;
    list = json_object_get(page, "history");
    json_array_foreach(list, i, job)
    {
        base_array_grow(&h->v, h->n, &h->cap);
        h->v[h->n++] = json_incref(job);
    }
    if (*cli_str(page, "cursor"))
        *cursor = base_strdup(cli_str(page, "cursor"));
    json_decref(page);
    return CLI_OK;
}

static int compare_by_submission_time(const void *a, const void *b)
{
    const json_t *x = *(json_t *const *)a, *y = *(json_t *const *)b;
    double dx = cli_num(x, "submit_s"), dy = cli_num(y, "submit_s");

    return dx != dy ? (dx < dy ? -1 : 1) : strcmp(cli_str(x, "app"), cli_str(y, "app"));
}

static double seconds_since(const json_t *seconds, double zero_s)
{
    return round((json_number_value(seconds) - zero_s) * 1e6) / 1e6;
}

/* Makes the job's times relative to @zero_ms, which is added as time_0_ms; in the RM's answer they
 * count from 1970. */
static void make_times_relative(json_t *job, int64_t zero_ms)
{
    static const char *const moments[] = {"submit_s", "start_s", "finish_s"};
    static const char *const lists[] = {"map_starts_s", "reduce_starts_s"};
    double zero_s = (double)zero_ms / 1000;

    for (size_t i = 0; i < sizeof moments / sizeof *moments; i++)
        if (json_object_get(job, moments[i]))
            json_object_set_new(job, moments[i],
                                json_real(seconds_since(json_object_get(job, moments[i]), zero_s)));
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        json_t *list = json_object_get(job, lists[i]), *at;
        size_t k;
        json_array_foreach(list, k, at)
        {
            if (json_number_value(at) > 0) /* 0: no attempt of the task succeeded */
                json_array_set_new(list, k, json_real(seconds_since(at, zero_s)));
        }
    }
    json_object_set_new(job, "time_0_ms", json_integer(zero_ms));
}

/* Sorts the jobs by submission and appends one line of JSON for each. Times count from the first
 * submission, as in the simulator's workloads; the member time_0_ms is the date of that submission,
 * so that exports can be compared. */
static void sort_and_add_json_lines(struct history *h, struct base_buf *out)
{
    int64_t zero_ms;

    if (h->n == 0)
        return;
    qsort(h->v, h->n, sizeof *h->v, compare_by_submission_time);
    zero_ms = (int64_t)floor(cli_num(h->v[0], "submit_s") * 1000);
    for (size_t i = 0; i < h->n; i++) {
        char *line;

        make_times_relative(h->v[i], zero_ms);
        json_object_set_new(h->v[i], "id", json_integer((json_int_t)i + 1));
        line = json_dumps(h->v[i], JSON_COMPACT | JSON_REAL_PRECISION(15));
        base_buf_adds(out, line);
        base_buf_adds(out, "\n");
        free(line);
    }
}

/* Writes @text to @path. A regular or new file is replaced atomically; anything else, such as a
 * pipe or device, is written to directly. */
static int write_output(const char *path, const struct base_buf *text, struct base_error *err)
{
    struct stat st;
    bool bad;
    FILE *f;

    if (lstat(path, &st) < 0 || S_ISREG(st.st_mode))
        return base_file_write_atomic(path, text->data ? text->data : "", text->len, 0644, false,
                                      err);
    f = fopen(path, "we");
    if (!f)
        return base_error_sys(err, -BASE_EIO, errno, "cannot write %s", path);
    bad = fwrite(text->data ? text->data : "", 1, text->len, f) != text->len;
    bad = fclose(f) != 0 || bad;
    return bad ? base_error_sys(err, -BASE_EIO, errno, "cannot write %s", path) : 0;
}

static int export_history(struct cli *c, struct history *h)
{
    struct base_buf text = {0};
    struct base_error err = {0};
    char *cursor = NULL;
    int rc;

    do
        rc = fetch_history_page(c, h, &cursor);
    while (rc == CLI_OK && cursor);
    free(cursor);
    if (rc != CLI_OK)
        return rc;
    sort_and_add_json_lines(h, &text);
    if (!h->output)
        fwrite(text.data ? text.data : "", 1, text.len, stdout);
    else if (write_output(h->output, &text, &err) < 0)
        rc = cli_error(CLI_FAILED, "%s", err.text);
    else
        fprintf(stderr, "creel: %s: %zu jobs\n", h->output, h->n);
    base_buf_free(&text);
    return rc;
}

int cli_history_main(int argc, char **argv)
{
    static const struct argp argp = {
        options,
        parse_option,
        "export",
        "Writes the ended jobs that the ResourceManager still knows, one line of JSON each, in "
        "order of submission, with the durations and places of their tasks. creel sim --history "
        "replays them.\v"
        "Examples:\n"
        "  creel history export -o history.jsonl\n"
        "  creel history export --from 2h\n\n"
        "Jobs without any known duration of a task are left out.\n\n" CLI_EXIT_HELP,
        NULL,
        NULL,
        NULL};
    struct cli c = {.without = CLI_WITHOUT_JSON};
    struct history h = {0};
    int rc = cli_parse_and_load_conf(&c, &argp, 0, argc, argv, &h);

    if (rc == CLI_OK && !h.export)
        rc = cli_error(CLI_USAGE, "history: the action is missing: creel history export");
    if (rc == CLI_OK && h.to_ms && h.to_ms < h.from_ms)
        rc = cli_error(CLI_USAGE, "--to: is before --from");
    struct stat st;
    if (rc == CLI_OK && h.output && !h.force && lstat(h.output, &st) == 0 && S_ISREG(st.st_mode))
        rc = cli_error(CLI_USAGE, "--output: %s exists; --force replaces it", h.output);
    if (rc == CLI_OK && (rc = cli_rm_open(&c)) == CLI_OK)
        rc = export_history(&c, &h);
    for (size_t i = 0; i < h.n; i++)
        json_decref(h.v[i]);
    free(h.v);
    cli_free(&c);
    return rc < 0 ? CLI_OK : rc;
}
