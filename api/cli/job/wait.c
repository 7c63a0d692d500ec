/* api/cli/job/wait.c - waits for a job while showing its progress, then prints a summary. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/cli/interrupt.h"
#include "api/cli/job/job.h"
#include "api/cli/text/progress.h"
#include "api/cli/text/text.h"
#include "base/clock.h"

enum {
    POLL_FIRST_MS = 20,
    POLL_MAX_MS = 250,
    WAITS_MS = 3000, /* time without a running task before the reason is printed */
};

static void add_bar(struct cli_progress *p, const json_t *job, const char *kind)
{
    struct base_buf path = {0};
    struct cli_progress_bar bar = {.label = kind};
    base_buf_addf(&path, "taskCounts.%s", kind);
    const json_t *counts = cli_at(job, path.data);
    base_buf_clear(&path);
    base_buf_addf(&path, "progress.%s", kind);
    bar.percent = cli_num(job, path.data);
    base_buf_free(&path);
    bar.total = cli_int(counts, "total");
    bar.done = cli_int(counts, "succeeded");
    bar.running = cli_int(counts, "running");
    bar.suspended = cli_int(counts, "suspended");
    bar.failed = cli_int(counts, "failedAttempts");
    if (bar.total > 0)
        p->bars[p->n++] = bar;
}

struct waiting {
    struct cli_progress_screen screen;
    struct cli_progress_hold hold;
    struct cli_rm *rm;
    json_t *job;                        /* {"job":{…}} as drawn last; NULL: none yet */
    int64_t start_us, waiting_since_us; /* waiting_since_us: 0 while a task of the job runs */
    bool reason_printed;
};

static void draw_progress(struct waiting *w)
{
    const json_t *job = json_object_get(w->job, "job");
    const char *state = cli_str(job, "state"), *result = cli_job_result(job);
    /* show the result of a failed job, since its state FINISHED would hide the failure */
    bool lost = cli_job_has_ended(job) && *result && cli_job_exit_code(job) != CLI_OK;
    struct cli_progress p = {.id = cli_str(job, "id"),
                             .name = cli_str(job, "name"),
                             .state = lost ? result : state,
                             .elapsed_ms = (base_mono_us(&base_clock_real) - w->start_us) / 1000,
                             .last = cli_job_has_ended(job)};
    add_bar(&p, job, "map");
    add_bar(&p, job, "reduce");
    cli_progress_keep_from_falling(&w->hold, cli_rm_count_failed_requests(w->rm), &p);
    cli_progress_draw(&w->screen, &p);
}

/* Prints the line about waiting for an RM above the bars. */
static void print_wait_above_bars(void *user)
{
    struct waiting *w = user;
    cli_progress_clear(&w->screen);
    cli_rm_print_waiting(w->rm);
    if (w->job && w->screen.terminal)
        draw_progress(w);
}

static int print_no_longer_waiting(struct cli_progress_screen *screen, const char *id, int rc)
{
    cli_progress_clear(screen);
    return cli_error(rc, "no longer waiting; the job %s (creel job wait %s, creel job kill %s)",
                     rc == CLI_INTERRUPTED ? "goes on" : "may go on", id, id);
}

static bool is_waiting_with_reason(const json_t *job)
{
    int64_t running =
        cli_int(job, "taskCounts.map.running") + cli_int(job, "taskCounts.reduce.running");
    return !cli_job_has_ended(job) && running == 0 && *cli_str(job, "why");
}

/* Prints once why none of the job's tasks runs, after that has lasted for WAITS_MS. */
static void print_why_waiting_once(struct waiting *w, const char *id)
{
    const json_t *job = json_object_get(w->job, "job");
    int64_t now_us = base_mono_us(&base_clock_real);
    if (!is_waiting_with_reason(job)) {
        w->waiting_since_us = 0;
        return;
    }
    w->waiting_since_us = w->waiting_since_us ? w->waiting_since_us : now_us;
    if (w->reason_printed || now_us - w->waiting_since_us < WAITS_MS * INT64_C(1000))
        return;
    w->reason_printed = true;
    cli_progress_clear(&w->screen);
    cli_error(0, "%s waits: %s", id, cli_str(job, "why"));
}

/* Polls the job, faster at first so that the end of a short job is noticed at once. cli_job_get()
 * retries while no RM answers; print_wait_above_bars() then prints a line without damaging the
 * bars. */
int cli_job_wait_showing_progress(struct cli *c, const char *id, json_t **job)
{
    static const int signals[] = {SIGINT};
    struct waiting w = {.rm = c->rm, .start_us = base_mono_us(&base_clock_real)};
    int64_t pause_ms = POLL_FIRST_MS;
    int rc;
    cli_progress_open(&w.screen, stderr);
    cli_interrupt_catch(signals, 1);
    cli_rm_set_wait_notice(c->rm, print_wait_above_bars, &w);
    while ((rc = cli_job_get(c, id, CLI_RM_PATIENT, job)) == CLI_OK) {
        json_decref(w.job);
        w.job = *job;
        *job = NULL;
        print_why_waiting_once(&w, id);
        draw_progress(&w);
        if (cli_job_has_ended(json_object_get(w.job, "job"))) {
            *job = json_incref(w.job);
            break;
        }
        if (cli_interrupt_sleep(pause_ms)) {
            rc = CLI_INTERRUPTED;
            break;
        }
        pause_ms = pause_ms * 3 / 2 > POLL_MAX_MS ? POLL_MAX_MS : pause_ms * 3 / 2;
    }
    cli_rm_set_wait_notice(c->rm, NULL, NULL);
    cli_interrupt_release();
    json_decref(w.job);
    return rc == CLI_INTERRUPTED || rc == CLI_UNREACHABLE
               ? print_no_longer_waiting(&w.screen, id, rc)
               : rc;
}

static void print_summary_line(const char *label, const struct base_buf *text)
{
    printf("  %-9s %s\n", label, text->data);
}

/* When the first task of each kind started and the last task ended; 0: none did. */
struct spans {
    int64_t first[2], last[2]; /* maps, reduces */
};

static void extend_spans(void *user, const json_t *tasks)
{
    struct spans *p = user;
    for (size_t i = 0; i < json_array_size(tasks); i++) {
        const json_t *t = json_array_get(tasks, i);
        int64_t start = cli_int(t, "startTime"), finish = cli_int(t, "finishTime");
        size_t k = strcasecmp(cli_str(t, "kind"), "reduce") == 0;
        if (start <= 0)
            continue;
        if (p->first[k] == 0 || start < p->first[k])
            p->first[k] = start;
        if (finish > p->last[k])
            p->last[k] = finish;
    }
}

static void append_comma_and_attempts(struct base_buf *out, int64_t n, const char *how)
{
    base_buf_addf(out, ", %lld %s attempt%s", (long long)n, how, n == 1 ? "" : "s");
}

static void print_phase_summary(const json_t *job, int64_t first, int64_t last, const char *kind,
                                const char *label, const char *counter)
{
    struct base_buf b = {0};
    char path[64];
    snprintf(path, sizeof path, "taskCounts.%s", kind);
    const json_t *counts = cli_at(job, path);
    if (cli_int(counts, "total") == 0)
        return;
    base_buf_addf(&b, "%lld of %lld", (long long)cli_int(counts, "succeeded"),
                  (long long)cli_int(counts, "total"));
    if (cli_int(counts, "failedAttempts"))
        append_comma_and_attempts(&b, cli_int(counts, "failedAttempts"), "failed");
    if (cli_int(counts, "killedAttempts"))
        append_comma_and_attempts(&b, cli_int(counts, "killedAttempts"), "killed");
    if (first && last) {
        base_buf_adds(&b, "; from ");
        cli_text_add_duration(first - cli_int(job, "submitTime"), &b);
        base_buf_adds(&b, " to ");
        cli_text_add_duration(last - cli_int(job, "submitTime"), &b);
        base_buf_adds(&b, " after submission");
    }
    snprintf(path, sizeof path, "counters.%s", counter);
    if (cli_int(job, path)) {
        base_buf_adds(&b, ", ");
        cli_text_add_duration(cli_int(job, path), &b);
        base_buf_adds(&b, " of task time");
    }
    print_summary_line(label, &b);
    base_buf_free(&b);
}

static void print_line_and_byte_counts(const json_t *job, const char *label, const char *in,
                                       const char *in_bytes, const char *out, const char *out_bytes)
{
    const json_t *counters = cli_at(job, "counters");
    struct base_buf b = {0};
    if (!cli_int(counters, in) && !cli_int(counters, out))
        return;
    cli_text_add_grouped_count(cli_int(counters, in), &b);
    base_buf_adds(&b, " lines in (");
    cli_text_add_bytes(cli_int(counters, in_bytes), &b);
    base_buf_adds(&b, "), ");
    cli_text_add_grouped_count(cli_int(counters, out), &b);
    base_buf_adds(&b, " out (");
    cli_text_add_bytes(cli_int(counters, out_bytes), &b);
    base_buf_adds(&b, ")");
    print_summary_line(label, &b);
    base_buf_free(&b);
}

static void print_times(const json_t *job)
{
    struct base_buf b = {0};
    int64_t submit = cli_int(job, "submitTime"), start = cli_int(job, "startTime"),
            finish = cli_int(job, "finishTime");
    cli_text_add_duration(finish - submit, &b);
    base_buf_adds(&b, " in all");
    if (start >= submit && start > 0) {
        base_buf_adds(&b, ", ");
        cli_text_add_duration(start - submit, &b);
        base_buf_adds(&b, " of it before the first task ran");
    }
    if (cli_int(job, "counters.CPU_MILLIS")) {
        base_buf_adds(&b, "; ");
        cli_text_add_duration(cli_int(job, "counters.CPU_MILLIS"), &b);
        base_buf_adds(&b, " of processor time");
    }
    print_summary_line("time", &b);
    base_buf_free(&b);
}

void cli_job_print_summary(struct cli *c, const json_t *job)
{
    const char *id = cli_str(job, "id"), *result = cli_job_result(job);
    struct base_buf name = {0};
    struct spans spans = {0};
    cli_text_add_clean(cli_str(job, "name"), &name);
    printf("%s  %s  %s\n", id, name.data, result);
    base_buf_free(&name);
    if (*cli_str(job, "output")) {
        char *path = cli_uri_to_path(cli_str(job, "output"));
        struct base_buf b = {0};
        cli_text_add_clean(path, &b);
        print_summary_line("output", &b);
        base_buf_free(&b);
        free(path);
    }
    cli_job_get_tasks(c, id, "", CLI_RM_PATIENT, true, extend_spans, &spans);
    print_times(job);
    print_phase_summary(job, spans.first[0], spans.last[0], "map", "maps", "MAP_MILLIS");
    print_phase_summary(job, spans.first[1], spans.last[1], "reduce", "reduces", "REDUCE_MILLIS");
    print_line_and_byte_counts(job, "map", "MAP_INPUT_RECORDS", "MAP_INPUT_BYTES",
                               "MAP_OUTPUT_RECORDS", "MAP_OUTPUT_BYTES");
    print_line_and_byte_counts(job, "reduce", "REDUCE_INPUT_RECORDS", "REDUCE_INPUT_BYTES",
                               "REDUCE_OUTPUT_RECORDS", "REDUCE_OUTPUT_BYTES");
    if (cli_int(job, "counters.SHUFFLE_BYTES")) {
        struct base_buf b = {0};
        cli_text_add_bytes(cli_int(job, "counters.SHUFFLE_BYTES"), &b);
        base_buf_addf(&b, " fetched; %lld spills", (long long)cli_int(job, "counters.SPILLS"));
        print_summary_line("shuffle", &b);
        base_buf_free(&b);
    }
    if (cli_job_exit_code(job) != CLI_OK) {
        fflush(stdout);
        const char *text = cli_str(job, "diagnostics");
        fprintf(stderr, "creel: %s ended %s%s\n", id, *result ? result : cli_str(job, "state"),
                *text ? ":" : "");
        cli_print_indented(stderr, "  ", text);
    }
}

int cli_job_wait_and_print(struct cli *c, const char *id)
{
    json_t *ended = NULL;
    int rc = cli_job_wait_showing_progress(c, id, &ended);
    if (rc == CLI_OK) {
        const json_t *job = json_object_get(ended, "job");
        if (c->json)
            cli_print_json(ended);
        else
            cli_job_print_summary(c, job);
        rc = cli_job_exit_code(job);
    }
    json_decref(ended);
    return rc;
}

/* ---- creel job wait ---- */
int cli_job_wait_main(int argc, char **argv)
{
    static const struct argp argp = {
        NULL,
        cli_parse_one_id,
        "ID",
        "Shows the progress of a job on stderr until it has ended, then its result, as submit "
        "--wait does. Ctrl-C ends the waiting, not the job (exit status 130).\v"
        "Example:\n"
        "  creel job wait application_1700000000000_0001\n\n" CLI_EXIT_HELP,
        NULL,
        NULL,
        NULL};
    struct cli c = {0};
    const char *given = NULL;
    char *id = NULL;
    int rc = cli_parse_and_load_conf(&c, &argp, 0, argc, argv, &given);
    if (rc == CLI_OK && !(id = cli_app_id_require(given, "creel job wait")))
        rc = CLI_USAGE;
    if (rc == CLI_OK && (rc = cli_rm_open(&c)) == CLI_OK)
        rc = cli_job_wait_and_print(&c, id);
    free(id);
    cli_free(&c);
    return rc < 0 ? CLI_OK : rc;
}
