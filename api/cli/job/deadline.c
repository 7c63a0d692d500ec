/* api/cli/job/deadline.c - parses deadlines of jobs, waits for the policy's decision, and describes
 * both. */
#include <stdlib.h>
#include <string.h>

#include "api/cli/interrupt.h"
#include "api/cli/job/job.h"
#include "api/cli/text/text.h"
#include "base/clock.h"

enum { DECISION_MS = 30000, POLL_MS = 10 };

static int64_t now_ms(void)
{
    return base_wall_us(&base_clock_real) / 1000;
}

error_t cli_deadline_parse_into_job(json_t *job, const char *arg)
{
    bool relative;
    int64_t ms;

    if (!cli_when_parse(arg, &relative, &ms))
        return cli_option_set_error(
            "--deadline: '%s' is neither a span such as 90s, 5m or 1h30m nor a date such as "
            "2026-11-21T20:00:00",
            arg);
    /* when the option is given twice, the last one counts */
    json_object_del(job, relative ? "deadline-at-ms" : "deadline-s");
    if (relative)
        json_object_set_new(job, "deadline-s", json_real((double)ms / 1000));
    else
        json_object_set_new(job, "deadline-at-ms", json_integer(ms));
    return 0;
}

static void add_date_and_distance(struct base_buf *b, int64_t ms)
{
    cli_when_add_iso(ms, b);
    base_buf_adds(b, " (");
    cli_when_add_distance(ms, now_ms(), b);
    base_buf_adds(b, ")");
}

void cli_deadline_describe(const json_t *job, struct base_buf *out)
{
    int64_t deadline = cli_int(job, "deadline"), finish = cli_int(job, "finishTime");

    if (!deadline)
        return;
    cli_when_add_iso(deadline, out);
    if (!cli_job_has_ended(job)) {
        base_buf_adds(out, deadline >= now_ms() ? ", " : ", passed ");
        cli_when_add_distance(deadline, now_ms(), out);
    } else if (cli_job_exit_code(job) == CLI_OK) {
        base_buf_adds(out, finish <= deadline ? ", met, " : ", missed by ");
        cli_text_add_duration(finish <= deadline ? deadline - finish : finish - deadline, out);
        base_buf_adds(out, finish <= deadline ? " to spare" : "");
    }
}

void cli_deadline_describe_offer(const json_t *job, struct base_buf *out)
{
    int64_t earliest = cli_int(job, "earliestFinish");

    if (!earliest)
        return;
    add_date_and_distance(out, earliest);
    base_buf_adds(out, ": submit the job again with --deadline ");
    cli_when_add_iso(earliest, out);
}

/* A decision is visible only when it is stored: until then the job is NEW or SUBMITTED, or has the
 * diagnostics of a refusal without having ended. */
static bool is_deadline_decided(const json_t *job)
{
    const char *state = cli_str(job, "state");

    if (cli_job_has_ended(job) || cli_int(job, "promisedFinish"))
        return true;
    return strncmp(state, "NEW", 3) != 0 && strcmp(state, "SUBMITTED") != 0 &&
           !*cli_str(job, "diagnostics") && !cli_int(job, "earliestFinish");
}

static int print_refusal(const json_t *job)
{
    struct base_buf offer = {0};

    fflush(stdout);
    fprintf(stderr, "creel: %s was refused:\n", cli_str(job, "id"));
    cli_print_indented(stderr, "  ", cli_str(job, "diagnostics"));
    cli_deadline_describe_offer(job, &offer);
    if (offer.len)
        fprintf(stderr, "creel: offered: %s\n", offer.data);
    base_buf_free(&offer);
    return CLI_FAILED;
}

static void print_promise(const json_t *job)
{
    struct base_buf b = {0};

    if (!cli_int(job, "promisedFinish")) {
        fprintf(stderr, "creel: accepted; the scheduling policy makes no promise\n");
        return;
    }
    add_date_and_distance(&b, cli_int(job, "promisedFinish"));
    fprintf(stderr, "creel: accepted; promised to finish by %s\n", b.data);
    base_buf_free(&b);
}

/* Polls, since the decision comes with the store's acknowledgement: some milliseconds after the
 * answer to the submission. A job that is still undecided after DECISION_MS counts as accepted. */
int cli_deadline_await_and_print_decision(struct cli *c, const char *id, json_t **job)
{
    int64_t until = base_mono_us(&base_clock_real) + DECISION_MS * INT64_C(1000);
    int rc;

    for (;;) {
        json_decref(*job);
        *job = NULL;
        rc = cli_job_get(c, id, CLI_RM_PATIENT, job);
        if (rc != CLI_OK)
            return rc;
        const json_t *inner = json_object_get(*job, "job");
        if (is_deadline_decided(inner) || base_mono_us(&base_clock_real) > until) {
            bool refused =
                strcmp(cli_str(inner, "state"), "FAILED") == 0 && !cli_int(inner, "startTime");
            if (refused)
                return print_refusal(inner);
            print_promise(inner);
            return CLI_OK;
        }
        if (cli_interrupt_sleep(POLL_MS))
            return CLI_INTERRUPTED;
    }
}
