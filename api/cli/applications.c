/* api/cli/applications.c - `creel application`: `list` and `status ID` in Creel's own form; with a
 * dash, as `yarn application` (api/cli/yarn/application.c). */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/cli/text/table.h"
#include "api/cli/text/text.h"
#include "api/cli/yarn/application.h"

static int compare_newest_first(const void *a, const void *b)
{
    const json_t *x = *(const json_t *const *)a, *y = *(const json_t *const *)b;
    int64_t dx = cli_int(x, "startedTime"), dy = cli_int(y, "startedTime");
    return dx != dy ? (dx < dy ? 1 : -1) : strcmp(cli_str(y, "id"), cli_str(x, "id"));
}

static void print_creel_list(const json_t *apps)
{
    struct cli_table *t = cli_table_new("ID", "<", "NAME", "~", "TYPE", "<3", "USER", "<", "QUEUE",
                                        "<4", "STATE", "<", "RESULT", "<", "PROGRESS", ">",
                                        "CONTAINERS", ">2", "TRACKING", "<1", NULL);
    size_t n = cli_list_or_one_len(apps);
    /* the answer lists the applications in no particular order */
    const json_t **sorted = base_realloc_array(NULL, n ? n : 1, sizeof *sorted);
    for (size_t i = 0; i < n; i++)
        sorted[i] = cli_list_or_one_get(apps, i);
    qsort(sorted, n, sizeof *sorted, compare_newest_first);
    for (size_t i = 0; i < n; i++) {
        const json_t *j = sorted[i];
        char progress[16], containers[32];
        const char *url = cli_str(j, "trackingUrl");
        snprintf(progress, sizeof progress, "%d%%", (int)cli_num(j, "progress"));
        snprintf(containers, sizeof containers, "%lld", (long long)cli_int(j, "runningContainers"));
        cli_table_add_row(t, cli_str(j, "id"), cli_str(j, "name"), cli_str(j, "applicationType"),
                          cli_str(j, "user"), cli_str(j, "queue"), cli_str(j, "state"),
                          cli_str(j, "finalStatus"), progress,
                          cli_int(j, "runningContainers") < 0 ? "-" : containers, *url ? url : "-",
                          NULL);
    }
    free(sorted);
    cli_table_print_and_free(t, stdout);
}

/* Appends the values of an option as one parameter. */
static void add_filter(const struct cli_yarn_line *line, const char *option, const char *parameter,
                       struct base_buf *path)
{
    const struct cli_yarn_values *given = cli_yarn_values(line, option);
    for (size_t i = 0; i < given->n; i++) {
        if (i == 0)
            base_buf_addf(path, "%c%s=", strchr(path->data, '?') ? '&' : '?', parameter);
        else
            base_buf_adds(path, ",");
        cli_uri_add_encoded(given->v[i], path);
    }
}

static int list_apps(struct cli *c, const struct cli_yarn_line *line)
{
    struct base_buf path = {0};
    json_t *answer = NULL;
    const char *states = cli_yarn_value(line, "appStates");
    base_buf_adds(&path, "/ws/v1/cluster/apps");
    if (!states)
        base_buf_adds(&path, "?states=NEW,NEW_SAVING,SUBMITTED,ACCEPTED,RUNNING");
    else if (strcasecmp(states, "ALL") != 0)
        add_filter(line, "appStates", "states", &path);
    add_filter(line, "appTypes", "applicationTypes", &path);
    add_filter(line, "appTags", "applicationTags", &path);
    add_filter(line, "user", "user", &path);
    add_filter(line, "queue", "queue", &path);
    int rc = cli_rm_get(c, path.data, &answer);
    base_buf_free(&path);
    if (rc == CLI_OK && c->json)
        cli_print_json(answer);
    else if (rc == CLI_OK)
        print_creel_list(cli_at(answer, "apps.app"));
    json_decref(answer);
    return rc;
}

enum { FIELD_WIDTH = 14 };

static void print_creel_status(const json_t *app)
{
    static const char *const members[][2] = {
        {"id", "id"},
        {"name", "name"},
        {"type", "applicationType"},
        {"user", "user"},
        {"queue", "queue"},
        {"tags", "applicationTags"},
        {"state", "state"},
        {"result", "finalStatus"},
        {"tracking", "trackingUrl"},
        {"master node", "masterNodeId"},
        {"master logs", "amContainerLogs"},
    };
    struct base_buf b = {0};
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
        if (*cli_str(app, members[i][1]))
            cli_print_field(FIELD_WIDTH, members[i][0], cli_str(app, members[i][1]));
    base_buf_addf(&b, "%d%%", (int)cli_num(app, "progress"));
    cli_print_field(FIELD_WIDTH, "progress", b.data);
    base_buf_clear(&b);
    cli_text_add_time(cli_int(app, "startedTime"), &b);
    cli_print_field(FIELD_WIDTH, "submitted", b.data);
    base_buf_clear(&b);
    if (cli_int(app, "finishedTime")) {
        cli_text_add_time(cli_int(app, "finishedTime"), &b);
        cli_print_field(FIELD_WIDTH, "finished", b.data);
        base_buf_clear(&b);
    }
    cli_text_add_duration(cli_int(app, "elapsedTime"), &b);
    cli_print_field(FIELD_WIDTH, "time", b.data);
    base_buf_clear(&b);
    if (cli_int(app, "runningContainers") >= 0) {
        base_buf_addf(
            &b, "%lld: %lld MB, %lld vcores", (long long)cli_int(app, "runningContainers"),
            (long long)cli_int(app, "allocatedMB"), (long long)cli_int(app, "allocatedVCores"));
        cli_print_field(FIELD_WIDTH, "containers", b.data);
    }
    base_buf_free(&b);
    if (*cli_str(app, "diagnostics"))
        cli_print_field(FIELD_WIDTH, "diagnostics", cli_str(app, "diagnostics"));
}

static int show_app(struct cli *c, const char *arg)
{
    char *id = cli_app_id_require(arg, "creel application");
    json_t *answer = NULL;
    if (!id)
        return CLI_USAGE;
    char *path = base_printf("/ws/v1/cluster/apps/%s", id);
    int rc = cli_rm_get_object(c, path, "app", &answer);
    free(path);
    free(id);
    if (rc == CLI_OK && c->json)
        cli_print_json(answer);
    else if (rc == CLI_OK)
        print_creel_status(json_object_get(answer, "app"));
    json_decref(answer);
    return rc;
}

/* Carries out `list` or `status ID`. Returns one of creel's exit codes. */
static int list_or_show_applications(struct cli *c, const struct cli_yarn_line *line)
{
    bool list = strcmp(line->words[0], "list") == 0;
    size_t words = list ? 1 : 2;
    if (line->missing)
        return cli_error(CLI_USAGE, "application %s: an option lacks its value", line->words[0]);
    if (cli_yarn_has_options_besides(line, list ? "appStates appTypes appTags user queue" : ""))
        return cli_error(CLI_USAGE,
                         "application %s: takes no other option with one dash%s; see creel "
                         "application --help",
                         line->words[0], list ? " than those that filter" : "");
    if (line->n_words > words)
        return cli_error(CLI_USAGE, "unexpected argument '%s'; see creel application --help",
                         line->words[words]);
    return list ? list_apps(c, line) : show_app(c, line->n_words > 1 ? line->words[1] : NULL);
}

static int run_creel_or_yarn_action(struct cli *c, const struct cli_yarn_line *line)
{
    return cli_yarn_is_creel_form(line) ? list_or_show_applications(c, line)
                                        : cli_yarn_application(c, line);
}

int cli_app_main(int argc, char **argv)
{
    static const struct argp help = {
        .args_doc = "list\nstatus ID\n-list\n-status ID\n-kill ID...\n-changeQueue QUEUE -appId "
                    "ID\n-updatePriority N -appId ID\n-updateLifetime SECONDS -appId ID",
        .doc = "Lists, shows, moves or kills applications of every kind, jobs included. Options "
               "with one dash do and print what those of yarn application do.\v"
               "Examples:\n"
               "  creel application list\n"
               "  creel application -list\n"
               "  creel application -list -appStates ALL -appTypes MAPREDUCE\n"
               "  creel app -status application_1700000000000_0001 --json\n"
               "  creel app -kill application_1700000000000_0001\n"
               "  creel app -changeQueue root.dev -appId "
               "application_1700000000000_0001\n\n" CLI_YARN_EXIT_HELP "\n" CLI_EXIT_HELP};
    return cli_yarn_main(&help, "application", cli_yarn_application_options, false, argc, argv,
                         run_creel_or_yarn_action);
}
