/* api/cli/yarn/container.c - `creel container` (SOURCE: ApplicationCLI). */
#include <stdlib.h>
#include <string.h>

#include "api/cli/yarn/signal.h"
#include "api/cli/yarn/yarn.h"
#include "base/id.h"

#define NO_SHELL "Refused: Creel has no terminal into containers"
#define NO_NAMES "Refused: Creel has no YARN services, whose containers have names"

static const struct cli_yarn_option options[] = {
    {"list", 1, 0, "Application Name or Attempt ID", "List the live containers of an attempt"},
    {"status", 1, 0, "Container ID", "Show one container"},
    {"signal", 3, 0, "container ID [signal command]",
     "Signal a container: OUTPUT_THREAD_DUMP (the default), GRACEFUL_SHUTDOWN or "
     "FORCEFUL_SHUTDOWN"},
    {"help", 0, 0, NULL, "Show these options as yarn does"},
    {"clusterId", 1, 0, "Cluster ID", "Ignored: there is one cluster"},
    {"shell", 3, 0, "Container ID [bash|sh]", NO_SHELL},
    {"appTypes", CLI_YARN_MANY, ',', "Types", NO_NAMES},
    {"version", 1, 0, NULL, NO_NAMES},
    {"components", CLI_YARN_MANY, ',', NULL, NO_NAMES},
    {"states", CLI_YARN_MANY, ',', NULL, NO_NAMES},
    {0},
};

static const char *text_or_na(const char *text)
{
    return *text ? text : "N/A";
}

/* ---- -list ---- */
static void print_container_row(const json_t *j)
{
    struct base_buf start = {0}, finish = {0};
    cli_yarn_add_time(cli_int(j, "startedTime"), &start);
    cli_yarn_add_time(cli_int(j, "finishedTime"), &finish);
    cli_yarn_print_cell(30, cli_str(j, "containerId"), "\t");
    cli_yarn_print_cell(20, start.data, "\t");
    cli_yarn_print_cell(20, finish.data, "\t");
    cli_yarn_print_cell(20, cli_str(j, "containerState"), "\t");
    cli_yarn_print_cell(20, cli_str(j, "nodeId"), "\t");
    cli_yarn_print_cell(20, text_or_na(cli_str(j, "nodeHttpAddress")), "\t");
    cli_yarn_print_cell(35, cli_str(j, "logUrl"), "\n");
    base_buf_free(&start);
    base_buf_free(&finish);
}

static void print_containers(const json_t *containers)
{
    printf("Total number of containers :%zu\n", cli_list_or_one_len(containers));
    printf("%30s\t%20s\t%20s\t%20s\t%20s\t%20s\t%35s\n", "Container-Id", "Start Time",
           "Finish Time", "State", "Host", "Node Http Address", "LOG-URL");
    for (size_t i = 0; i < cli_list_or_one_len(containers); i++)
        print_container_row(cli_list_or_one_get(containers, i));
}

static int list_containers(struct cli *c, const char *text)
{
    struct base_attempt_id id;
    char attempt[BASE_ID_TEXT_MAX], app[BASE_ID_TEXT_MAX];
    struct cli_answer a = {0};
    if (base_attempt_id_parse(text, &id, NULL) < 0) /* yarn then looks for a service */
        return cli_error(CLI_YARN_FAILED,
                         "Application with name '%s' doesn't exist in RM or Timeline Server.",
                         text);
    char *path = base_printf("/ws/v1/cluster/apps/%s/appattempts/%s/containers",
                             base_app_id_text(&id.app, app), base_attempt_id_text(&id, attempt));
    int rc = cli_yarn_request(c, "GET", path, NULL, &a);
    if (rc == CLI_YARN_OK && c->json)
        cli_print_json(a.json);
    else if (rc == CLI_YARN_OK)
        print_containers(json_object_get(a.json, "container"));
    free(path);
    cli_answer_free(&a);
    return rc;
}

/* ---- -status ---- */
static void print_report(const json_t *j)
{
    const char *said = cli_str(j, "diagnostics");
    puts("Container Report : ");
    cli_yarn_print_line("\tContainer-Id : ", cli_str(j, "containerId"));
    printf("\tStart-Time : %lld\n", (long long)cli_int(j, "startedTime"));
    printf("\tFinish-Time : %lld\n", (long long)cli_int(j, "finishedTime"));
    cli_yarn_print_line("\tState : ", cli_str(j, "containerState"));
    puts("\tExecution-Type : GUARANTEED"); /* Creel has no opportunistic containers */
    cli_yarn_print_line("\tLOG-URL : ", cli_str(j, "logUrl"));
    cli_yarn_print_line("\tHost : ", cli_str(j, "nodeId"));
    cli_yarn_print_line("\tNodeHttpAddress : ", text_or_na(cli_str(j, "nodeHttpAddress")));
    cli_yarn_print_line("\tExposedPorts : ", cli_str(j, "exposedPorts"));
    cli_yarn_print_lines("\tDiagnostics : ", *said ? said : "null");
}

/* Prints which is unknown: the application, its attempt, or only the container. */
static int print_unknown_container(const struct cli_answer *a, const char *container)
{
    static const char *const others[][2] = {
        {"Application with id", "Application for "},
        {"ApplicationAttempt with id", "Application Attempt for "}};
    const char *of = "";
    for (size_t i = 0; i < 2 && a->error; i++)
        if (strstr(a->error, others[i][0]) == a->error)
            of = others[i][1];
    printf("%sContainer with id '%s' doesn't exist in RM or Timeline Server.\n", of, container);
    return CLI_YARN_FAILED;
}

static int show_container(struct cli *c, const char *text)
{
    struct base_container_id id;
    char container[BASE_ID_TEXT_MAX], attempt[BASE_ID_TEXT_MAX], app[BASE_ID_TEXT_MAX];
    struct cli_answer a = {0};
    if (base_container_id_parse(text, &id, NULL) < 0)
        return cli_yarn_print_exception("Invalid ContainerId: %s", text);
    char *path = base_printf("/ws/v1/cluster/apps/%s/appattempts/%s/containers/%s",
                             base_app_id_text(&id.attempt.app, app),
                             base_attempt_id_text(&id.attempt, attempt),
                             base_container_id_text(&id, container));
    int rc = cli_yarn_request_silent_if_not_found(c, "GET", path, NULL, &a);
    free(path);
    if (rc == CLI_NOTFOUND)
        rc = print_unknown_container(&a, container);
    else if (rc != CLI_OK)
        rc = cli_yarn_exit_code_of(rc);
    else if (c->json)
        cli_print_json(a.json);
    else
        print_report(a.json);
    cli_answer_free(&a);
    return rc;
}

/* ---- -signal ---- */
int cli_yarn_signal_container(struct cli *c, const char *container, const char *command)
{
    char *path = base_printf("/ws/v1/cluster/containers/%s/signal/%s", container, command);
    int rc = cli_yarn_request(c, "POST", path, NULL, NULL);
    free(path);
    return rc;
}

static int signal_container(struct cli *c, const struct cli_yarn_values *words)
{
    static const char *const known[] = {"OUTPUT_THREAD_DUMP", "GRACEFUL_SHUTDOWN",
                                        "FORCEFUL_SHUTDOWN"};
    const char *command = words->n == 2 ? words->v[1] : known[0];
    struct base_container_id id;
    bool found = false;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        found = found || strcmp(command, known[i]) == 0;
    if (!found)
        return cli_yarn_print_exception("No enum constant org.apache.hadoop.yarn.api.records."
                                        "SignalContainerCommand.%s",
                                        command);
    if (base_container_id_parse(words->v[0], &id, NULL) < 0)
        return cli_yarn_print_exception("Invalid ContainerId: %s", words->v[0]);
    printf("Signalling container %s\n", words->v[0]);
    return cli_yarn_signal_container(c, words->v[0], command);
}

/* ---- the command ---- */
static int run_action(struct cli *c, const struct cli_yarn_line *line)
{
    if (line->missing || line->n_words)
        return cli_yarn_refuse_usage(line);
    if (cli_yarn_has(line, "shell"))
        return cli_error(CLI_YARN_FAILED, "-shell is refused: Creel has no terminal into "
                                          "containers; creel logs shows what they write");
    if (cli_yarn_has(line, "status") && !cli_yarn_has_options_besides(line, "status"))
        return show_container(c, cli_yarn_value(line, "status"));
    if (cli_yarn_has(line, "list") &&
        !cli_yarn_has_options_besides(line, "list appTypes version components states"))
        return list_containers(c, cli_yarn_value(line, "list"));
    if (cli_yarn_has(line, "status") || cli_yarn_has(line, "list"))
        return cli_yarn_refuse_usage(line);
    if (cli_yarn_has(line, "signal"))
        return cli_yarn_has_options_besides(line, "signal")
                   ? cli_yarn_refuse_usage(line)
                   : signal_container(c, cli_yarn_values(line, "signal"));
    if (!cli_yarn_has(line, "help"))
        fputs("Invalid Command Usage : \n", stderr);
    cli_yarn_refuse_usage(line);
    return CLI_YARN_OK; /* as yarn does */
}

int cli_container_main(int argc, char **argv)
{
    static const struct argp help = {
        .args_doc = "-list ATTEMPT\n-status ID\n-signal ID [COMMAND]",
        .doc = "Lists, shows or signals containers. The options do and print what those of yarn "
               "container do.\v"
               "Examples:\n"
               "  creel container -list appattempt_1700000000000_0001_000001\n"
               "  creel container -status container_1700000000000_0001_01_000002\n"
               "  creel container -signal container_1700000000000_0001_01_000002 "
               "GRACEFUL_SHUTDOWN\n\n" CLI_YARN_EXIT_HELP};
    return cli_yarn_main(&help, "container", options, false, argc, argv, run_action);
}
