/* api/cli/job/job.h - what the job subcommands, `creel run` and `creel logs` share. */
#ifndef CREEL_API_CLI_JOB_JOB_H
#define CREEL_API_CLI_JOB_JOB_H

#include <stdio.h>

#include "api/cli/rm_client.h"

/* Submits {"job":{…}} under an id of its own from apps/new-application, so that a submission whose answer was lost is
 * repeated and not doubled. Takes @job (without "id"). *stored gets {"job":{…}}, caller owns. Exit code, printed. */
int cli_job_submit(struct cli *c, json_t *job, json_t **stored);
/* GET jobs/{id}: *job gets {"job":{…}}, caller owns. @flags CLI_RM_*. Exit code, printed. */
int cli_job_get(struct cli *c, const char *id, unsigned flags, json_t **job);
/* Every task, page by page: a job may have a million. @page gets an array, borrowed for the call. @query: "" or
 * "kind=map". @flags CLI_RM_*. Exit code; prints unless @quiet. */
typedef void cli_job_on_tasks(void *user, const json_t *tasks);
int cli_job_get_tasks(struct cli *c, const char *id, const char *query, unsigned flags, bool quiet,
                      cli_job_on_tasks *page, void *user);
bool cli_job_ended(const json_t *job); /* @job: the inner object */
/* SUCCEEDED, FAILED, KILLED, REFUSED (a deadline that could not be promised); UNDEFINED: it has not ended. Borrowed. */
const char *cli_job_result(const json_t *job);
/* CLI_OK when it succeeded, else CLI_FAILED. */
int cli_job_exit_code(const json_t *job);
/* Follows until the end with bars or lines on stderr. *job gets {"job":{…}}. 130 on Ctrl-C: the job goes on. */
int cli_job_wait(struct cli *c, const char *id, json_t **job);
/* For people, on stdout: result, output folder, counters, where the time went. Diagnostics on stderr. */
void cli_job_print_summary(struct cli *c, const json_t *job);
/* Waits, then prints the summary, or with --json the job. Exit code: the job's, or that of the waiting. */
int cli_job_wait_and_print(struct cli *c, const char *id);
/* ---- api/cli/job/deadline.c ---- */
/* --deadline: a span or a date, into the submission. */
error_t cli_deadline_parse(json_t *job, const char *arg);
/* Waits until the policy has accepted or refused job @id, and says so on stderr. *job, replaced, gets {"job":{…}}.
 * CLI_FAILED: refused. */
int cli_deadline_await_decision(struct cli *c, const char *id, json_t **job);
/* Appends the deadline, and how it stands or was kept; nothing without one. @job: the inner object. */
void cli_deadline_describe(const json_t *job, struct base_buf *out);
/* Appends the date a refused job could have had, and how to ask for it. */
void cli_deadline_describe_offer(const json_t *job, struct base_buf *out);
/* Text of many lines (diagnostics), indented, without control characters. */
void cli_print_indented(FILE *out, const char *indent, const char *text);

#endif
