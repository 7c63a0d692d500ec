/* api/cli/job/job.h - shared by the verbs of `creel job`, by `creel run`, `creel logs` and `creel
 * why`. */
#ifndef CREEL_API_CLI_JOB_JOB_H
#define CREEL_API_CLI_JOB_JOB_H

#include <stdio.h>

#include "api/cli/rm_client.h"

/* Below, @job is the inner object of {"job":{…}}, and @flags are CLI_RM_*. Functions that return an
 * exit code have printed any error; only CLI_INTERRUPTED from cli_job_get() and
 * cli_deadline_await_and_print_decision() comes without one. */

/* ---- api/cli/job/requests.c ---- */
/* Submits @job (taken; without "id"). Asks for an application id first, so that a submission whose
 * answer was lost can be repeated without running the job twice. *stored becomes {"job":{…}},
 * which the caller owns; NULL on an error. */
int cli_job_submit(struct cli *c, json_t *job, json_t **stored);
/* Gets the job: *answer becomes {"job":{…}}, which the caller owns; NULL on an error. */
int cli_job_get(struct cli *c, const char *id, unsigned flags, json_t **answer);
/* Gets the tasks page by page, since a job may have a million. @on_tasks is called with each page,
 * an array that is borrowed for the call. @query: "" or a further parameter, "rows=true".
 * @quiet: prints no error. */
typedef void cli_job_on_tasks(void *user, const json_t *tasks);
int cli_job_get_tasks(struct cli *c, const char *id, const char *query, unsigned flags, bool quiet,
                      cli_job_on_tasks *on_tasks, void *user);
bool cli_job_has_ended(const json_t *job);
/* Returns SUCCEEDED, FAILED, KILLED, REFUSED (the policy could not promise the deadline), or
 * UNDEFINED before the end; borrowed. */
const char *cli_job_result(const json_t *job);
/* Returns CLI_OK when the job succeeded, else CLI_FAILED. */
int cli_job_exit_code(const json_t *job);
/* Prints a text of several lines, such as diagnostics, without its control characters; each line
 * begins with @indent. */
void cli_print_indented(FILE *out, const char *indent, const char *text);

/* ---- api/cli/job/wait.c ---- */
/* Shows progress on stderr until the job has ended. Returns CLI_OK then, however it ended, and
 * *answer is {"job":{…}}, which the caller owns. Returns CLI_INTERRUPTED after Ctrl-C; the job goes
 * on. */
int cli_job_wait_showing_progress(struct cli *c, const char *id, json_t **answer);
/* Prints result, output folder, times and counters on stdout; the diagnostics of a job that did not
 * succeed on stderr. */
void cli_job_print_summary(struct cli *c, const json_t *job);
/* Waits, then prints the summary, or the job with --json. Returns the job's exit code, unless
 * waiting failed. */
int cli_job_wait_and_print(struct cli *c, const char *id);

/* ---- api/cli/job/deadline.c ---- */
/* Parses --deadline, a span or a date, into a submission. */
error_t cli_deadline_parse_into_job(json_t *job, const char *arg);
/* Waits until the policy has accepted or refused the job, and prints the decision on stderr.
 * Replaces *answer, {"job":{…}}. Returns CLI_FAILED when the job was refused. */
int cli_deadline_await_and_print_decision(struct cli *c, const char *id, json_t **answer);
/* Appends the deadline and how far away it is, or after a success by how much it was met or missed;
 * nothing when the job has none. */
void cli_deadline_describe(const json_t *job, struct base_buf *out);
/* Appends the date that the policy could have promised to a refused job, and how to ask for it;
 * nothing when there is no such date. */
void cli_deadline_describe_offer(const json_t *job, struct base_buf *out);

#endif
