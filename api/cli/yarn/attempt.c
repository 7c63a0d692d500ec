/* api/cli/yarn/attempt.c - `creel applicationattempt` (SOURCE: ApplicationCLI). */
#include <stdlib.h>
#include <string.h>

#include "api/cli/yarn/signal.h"
#include "api/cli/yarn/yarn.h"
#include "base/id.h"

static const struct cli_yarn_option options[] = {
    {"list", 1, 0, "Application ID", "List the attempts of an application"},
    {"status", 1, 0, "Application Attempt ID", "Show one attempt"},
    {"fail", 1, 0, "Application Attempt ID",
     "Make an attempt fail by killing its master; the application may start another"},
    {"help", 0, 0, NULL, "Show these options as yarn does"},
    {"clusterId", 1, 0, "Cluster ID", "Ignored: there is one cluster"},
    {0},
};

/* Parses an attempt's id, and formats it and the application's id. Returns false after printing the
 * error. */
static bool read_attempt_id(const char *text, char attempt[static BASE_ID_TEXT_MAX],
                            char app[static BASE_ID_TEXT_MAX])
{
    struct base_attempt_id id;
    if (base_attempt_id_parse(text, &id, NULL) < 0) {
        cli_yarn_print_exception("Invalid AppAttemptId prefix: %s", text);
        return false;
    }
    base_attempt_id_text(&id, attempt);
    base_app_id_text(&id.app, app);
    return true;
}

static const char *text_or_na(const char *text)
{
    return *text ? text : "N/A";
}

/* ---- -list ---- */
/* @url: the application's tracking URL, which is shown for each attempt. */
static void print_attempts(const json_t *attempts, const char *url)
{
    printf("Total number of application attempts :%zu\n", cli_list_or_one_len(attempts));
    printf("%30s\t%20s\t%35s\t%35s\n", "ApplicationAttempt-Id", "State", "AM-Container-Id",
           "Tracking-URL");
    for (size_t i = 0; i < cli_list_or_one_len(attempts); i++) {
        const json_t *j = cli_list_or_one_get(attempts, i);
        cli_yarn_print_cell(30, cli_str(j, "appAttemptId"), "\t");
        cli_yarn_print_cell(20, cli_str(j, "appAttemptState"), "\t");
        cli_yarn_print_cell(35, text_or_na(cli_str(j, "containerId")), "\t");
        cli_yarn_print_cell(35, text_or_na(url), "\n");
    }
}

static int list_attempts(struct cli *c, const char *text)
{
    char *app = cli_app_id_from_any_id(text);
    struct cli_answer list = {0}, of = {0};
    if (!app)
        return cli_yarn_print_exception(
            "Invalid ApplicationId prefix: %s. The valid ApplicationId should "
            "start with prefix application",
            text);
    char *path = base_printf("/ws/v1/cluster/apps/%s/appattempts", app);
    int rc = cli_yarn_request(c, "GET", path, NULL, &list);
    free(path);
    path = base_printf("/ws/v1/cluster/apps/%s", app);
    if (rc == CLI_YARN_OK && c->json)
        cli_print_json(list.json);
    else if (rc == CLI_YARN_OK && (rc = cli_yarn_request(c, "GET", path, NULL, &of)) == CLI_YARN_OK)
        print_attempts(cli_at(list.json, "appAttempts.appAttempt"),
                       cli_str(of.json, "app.trackingUrl"));
    free(path);
    free(app);
    cli_answer_free(&list);
    cli_answer_free(&of);
    return rc;
}

/* ---- -status ---- */
static void print_report(const json_t *j)
{
    puts("Application Attempt Report : ");
    cli_yarn_print_line("\tApplicationAttempt-Id : ", cli_str(j, "appAttemptId"));
    cli_yarn_print_line("\tState : ", cli_str(j, "appAttemptState"));
    cli_yarn_print_line("\tAMContainer : ", text_or_na(cli_str(j, "amContainerId")));
    cli_yarn_print_line("\tTracking-URL : ", text_or_na(cli_str(j, "trackingUrl")));
    printf("\tRPC Port : %lld\n", (long long)cli_int(j, "rpcPort"));
    cli_yarn_print_line("\tAM Host : ", text_or_na(cli_str(j, "host")));
    cli_yarn_print_lines("\tDiagnostics : ", cli_str(j, "diagnosticsInfo"));
}

/* Prints which is unknown: the application, or only its attempt. */
static int print_unknown_attempt(const struct cli_answer *a, const char *attempt)
{
    bool app = a->error && strstr(a->error, "Application with id") == a->error;
    printf("%s with id '%s' doesn't exist in RM or Timeline Server.\n",
           app ? "Application for AppAttempt" : "Application Attempt", attempt);
    return CLI_YARN_FAILED;
}

static int show_attempt(struct cli *c, const char *text)
{
    char attempt[BASE_ID_TEXT_MAX], app[BASE_ID_TEXT_MAX];
    struct cli_answer a = {0};
    if (!read_attempt_id(text, attempt, app))
        return CLI_YARN_EXCEPTION;
    char *path = base_printf("/ws/v1/cluster/apps/%s/appattempts/%s", app, attempt);
    int rc = cli_yarn_request_silent_if_not_found(c, "GET", path, NULL, &a);
    free(path);
    if (rc == CLI_NOTFOUND)
        rc = print_unknown_attempt(&a, attempt);
    else if (rc != CLI_OK)
        rc = cli_yarn_exit_code_of(rc);
    else if (c->json)
        cli_print_json(a.json);
    else
        print_report(a.json);
    cli_answer_free(&a);
    return rc;
}

/* ---- -fail ---- */
static int fail_attempt(struct cli *c, const char *text)
{
    char attempt[BASE_ID_TEXT_MAX], app[BASE_ID_TEXT_MAX];
    struct cli_answer a = {0};
    if (!read_attempt_id(text, attempt, app))
        return CLI_YARN_EXCEPTION;
    printf("Failing attempt %s of application %s\n", attempt, app);
    char *path = base_printf("/ws/v1/cluster/apps/%s/appattempts/%s", app, attempt);
    int rc = cli_yarn_request(c, "GET", path, NULL, &a);
    const char *master = cli_str(a.json, "amContainerId"),
               *state = cli_str(a.json, "appAttemptState");
    bool over = cli_state_is_final(state);
    free(path);
    if (rc == CLI_YARN_OK && !over && !*master)
        rc = cli_yarn_print_exception("%s has no master yet, so it cannot fail", attempt);
    else if (rc == CLI_YARN_OK && !over)
        rc = cli_yarn_signal_container(c, master, "FORCEFUL_SHUTDOWN");
    cli_answer_free(&a);
    return rc;
}

/* ---- the command ---- */
static int run_action(struct cli *c, const struct cli_yarn_line *line)
{
    if (line->missing || line->n_words)
        return cli_yarn_refuse_usage(line);
    if (cli_yarn_has(line, "status") && !cli_yarn_has_options_besides(line, "status"))
        return show_attempt(c, cli_yarn_value(line, "status"));
    if (cli_yarn_has(line, "list") && !cli_yarn_has_options_besides(line, "list"))
        return list_attempts(c, cli_yarn_value(line, "list"));
    if (cli_yarn_has(line, "status") || cli_yarn_has(line, "list"))
        return cli_yarn_refuse_usage(line);
    if (cli_yarn_has(line, "fail"))
        return fail_attempt(c, cli_yarn_value(line, "fail"));
    if (!cli_yarn_has(line, "help"))
        fputs("Invalid Command Usage : \n", stderr);
    cli_yarn_refuse_usage(line);
    return CLI_YARN_OK; /* as yarn does */
}

int cli_attempt_main(int argc, char **argv)
{
    static const struct argp help = {
        .args_doc = "-list ID\n-status ID\n-fail ID",
        .doc =
            "Lists, shows or fails the attempts of an application to run its master. The options "
            "do and print what those of yarn applicationattempt do.\v"
            "Examples:\n"
            "  creel applicationattempt -list application_1700000000000_0001\n"
            "  creel applicationattempt -status "
            "appattempt_1700000000000_0001_000001\n\n" CLI_YARN_EXIT_HELP};
    return cli_yarn_main(&help, "applicationattempt", options, false, argc, argv, run_action);
}
