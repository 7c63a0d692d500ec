/* api/cli/applications.c - `creel application`: `list` and `status ID` in Creel's own form; with a
 * dash, the options and output of `yarn application` for scripts (SOURCE: ApplicationCLI of
 * Hadoop 3.4). */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/cli/rm_client.h"
#include "api/cli/text/table.h"
#include "api/cli/text/text.h"

enum {
    KEY_LIST = 256,
    KEY_STATUS,
    KEY_KILL,
    KEY_STATES,
    KEY_TYPES,
    KEY_TAGS,
    KEY_USER,
    KEY_QUEUE,
    KEY_CHANGE_QUEUE,
    KEY_APP_ID,
    KEY_MOVE_TO_QUEUE
};

struct app {
    bool list, own_form; /* own_form: list and status without a dash */
    const char *status, *states, *types, *tags, *user, *queue, *change_queue, *app_id,
        *move_to_queue;
    char **kill;
    size_t n_kill, cap_kill;
};

static const struct argp_option options[] = {
    {"list", KEY_LIST, NULL, 0,
     "List the applications that have not ended, or those with -appStates", 1},
    {"status", KEY_STATUS, "ID", 0, "Show one application", 1},
    {"kill", KEY_KILL, "ID", 0, "Kill an application; more ids may follow", 1},
    {"changeQueue", KEY_CHANGE_QUEUE, "QUEUE", 0,
     "Move the application named by -appId to another queue", 1},
    {"movetoqueue", KEY_MOVE_TO_QUEUE, "ID", 0,
     "Move an application to the queue named by -queue (the older form)", 1},
    {"appStates", KEY_STATES, "A,B", 0, "With -list: states, or ALL", 2},
    {"appTypes", KEY_TYPES, "A,B", 0, "With -list: types, such as MAPREDUCE", 2},
    {"appTags", KEY_TAGS, "A,B", 0, "With -list: tags", 2},
    {"user", KEY_USER, "USER", 0, "With -list: owner", 2},
    {"queue", KEY_QUEUE, "QUEUE", 0, "With -list: queue. With -movetoqueue: the new queue", 2},
    {"appId", KEY_APP_ID, "ID", 0, "With -changeQueue: the application", 2},
    {0},
};

/* Three forms share this parser: `list` and `status ID` without a dash, options with a single dash
 * as in yarn application, and more ids after -kill ID. */
static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct app *a = state->input;
    switch (key) {
    case KEY_LIST:
        a->list = true;
        return 0;
    case KEY_STATUS:
        a->status = arg;
        return 0;
    case KEY_STATES:
        a->states = arg;
        return 0;
    case KEY_TYPES:
        a->types = arg;
        return 0;
    case KEY_TAGS:
        a->tags = arg;
        return 0;
    case KEY_USER:
        a->user = arg;
        return 0;
    case KEY_QUEUE:
        a->queue = arg;
        return 0;
    case KEY_CHANGE_QUEUE:
        a->change_queue = arg;
        return 0;
    case KEY_APP_ID:
        a->app_id = arg;
        return 0;
    case KEY_MOVE_TO_QUEUE:
        a->move_to_queue = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (!a->own_form && !a->list && !a->status && a->n_kill == 0 && strcmp(arg, "list") == 0) {
            a->own_form = a->list = true;
            return 0;
        }
        if (!a->own_form && !a->list && !a->status && a->n_kill == 0 &&
            strcmp(arg, "status") == 0) {
            a->own_form = true;
            return 0;
        }
        if (a->own_form && !a->list && !a->status) {
            a->status = arg;
            return 0;
        }
        if (a->n_kill == 0)
            return cli_option_error("unexpected argument '%s'; see creel application --help", arg);
        /* fall through */
    case KEY_KILL:
        base_array_grow(&a->kill, a->n_kill, &a->cap_kill);
        a->kill[a->n_kill++] = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void add_filter(struct base_buf *path, const char *name, const char *value)
{
    if (!value)
        return;
    base_buf_addf(path, "%c%s=", strchr(path->data, '?') ? '&' : '?', name);
    cli_uri_add_encoded(value, path);
}

static int compare_newest_first(const void *a, const void *b)
{
    const json_t *x = *(const json_t *const *)a, *y = *(const json_t *const *)b;
    int64_t dx = cli_int(x, "startedTime"), dy = cli_int(y, "startedTime");
    return dx != dy ? (dx < dy ? 1 : -1) : strcmp(cli_str(y, "id"), cli_str(x, "id"));
}

static void print_own_list(const json_t *apps)
{
    struct cli_table *t = cli_table_new("ID", "<", "NAME", "~", "TYPE", "<3", "USER", "<", "QUEUE",
                                        "<4", "STATE", "<", "RESULT", "<", "PROGRESS", ">",
                                        "CONTAINERS", ">2", "TRACKING", "<1", NULL);
    size_t n = cli_list_len(apps);
    /* the answer lists the applications in no particular order */
    const json_t **sorted = base_realloc_array(NULL, n ? n : 1, sizeof *sorted);
    for (size_t i = 0; i < n; i++)
        sorted[i] = cli_list_get(apps, i);
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
    cli_table_print(t, stdout);
}

/* ---- as yarn application ---- */
/* Prints the comma list "a,b" as "[A, B]". */
static void print_in_brackets(const char *list)
{
    struct base_buf b = {0};
    for (const char *at = list ? list : ""; *at; at += strcspn(at, ","), at += strspn(at, ", "))
        base_buf_addf(&b, "%s%.*s", b.len ? ", " : "", (int)strcspn(at, ","), at);
    cli_print_clean("[%s]", b.data ? b.data : "");
    base_buf_free(&b);
}

static const char *text_or_na(const char *text)
{
    return *text ? text : "N/A";
}

static void print_yarn_list(const struct app *a, const json_t *apps)
{
    static const char all[] = "NEW,NEW_SAVING,SUBMITTED,ACCEPTED,RUNNING,FINISHED,FAILED,KILLED";
    printf("Total number of applications (application-types: ");
    print_in_brackets(a->types);
    printf(", states: ");
    print_in_brackets(!a->states                          ? "SUBMITTED,ACCEPTED,RUNNING"
                      : strcasecmp(a->states, "ALL") == 0 ? all
                                                          : a->states);
    printf(" and tags: ");
    print_in_brackets(a->tags);
    printf("):%zu\n", cli_list_len(apps));
    printf("%30s\t%20s\t%20s\t%10s\t%10s\t%18s\t%18s\t%15s\t%35s\n", "Application-Id",
           "Application-Name", "Application-Type", "User", "Queue", "State", "Final-State",
           "Progress", "Tracking-URL");
    for (size_t i = 0; i < cli_list_len(apps); i++) {
        const json_t *j = cli_list_get(apps, i);
        char progress[32];
        snprintf(progress, sizeof progress, "%.4g%%", cli_num(j, "progress"));
        cli_print_clean("%30s\t", cli_str(j, "id"));
        cli_print_clean("%20s\t", cli_str(j, "name"));
        cli_print_clean("%20s\t", cli_str(j, "applicationType"));
        cli_print_clean("%10s\t", cli_str(j, "user"));
        cli_print_clean("%10s\t", cli_str(j, "queue"));
        cli_print_clean("%18s\t", cli_str(j, "state"));
        cli_print_clean("%18s\t", cli_str(j, "finalStatus"));
        cli_print_clean("%15s\t", progress);
        cli_print_clean("%35s\n", text_or_na(cli_str(j, "trackingUrl")));
    }
}

static void print_yarn_status(const json_t *j)
{
    const char *host = cli_str(j, "amHostHttpAddress");
    printf("Application Report : \n");
    cli_print_clean("\tApplication-Id : %s\n", cli_str(j, "id"));
    cli_print_clean("\tApplication-Name : %s\n", cli_str(j, "name"));
    cli_print_clean("\tApplication-Type : %s\n", cli_str(j, "applicationType"));
    cli_print_clean("\tUser : %s\n", cli_str(j, "user"));
    cli_print_clean("\tQueue : %s\n", cli_str(j, "queue"));
    printf("\tApplication Priority : %lld\n", (long long)cli_int(j, "priority"));
    printf("\tStart-Time : %lld\n", (long long)cli_int(j, "startedTime"));
    printf("\tFinish-Time : %lld\n", (long long)cli_int(j, "finishedTime"));
    printf("\tProgress : %.4g%%\n", cli_num(j, "progress"));
    cli_print_clean("\tState : %s\n", cli_str(j, "state"));
    cli_print_clean("\tFinal-State : %s\n", cli_str(j, "finalStatus"));
    cli_print_clean("\tTracking-URL : %s\n", text_or_na(cli_str(j, "trackingUrl")));
    cli_print_clean("\tAM Host : %s\n", text_or_na(host));
    printf("\tAggregate Resource Allocation : %lld MB-seconds, %lld vcore-seconds\n",
           (long long)cli_int(j, "memorySeconds"), (long long)cli_int(j, "vcoreSeconds"));
    cli_print_clean("\tDiagnostics : %s\n", cli_str(j, "diagnostics"));
    printf("\tUnmanaged Application : %s\n",
           json_is_true(json_object_get(j, "unmanagedApplication")) ? "true" : "false");
}

static int list_apps(struct cli *c, const struct app *a)
{
    struct base_buf path = {0};
    json_t *answer = NULL;
    base_buf_adds(&path, "/ws/v1/cluster/apps");
    if (!a->states)
        add_filter(&path, "states",
                   a->own_form ? "NEW,NEW_SAVING,SUBMITTED,ACCEPTED,RUNNING"
                               : "SUBMITTED,ACCEPTED,RUNNING");
    else if (strcasecmp(a->states, "ALL") != 0)
        add_filter(&path, "states", a->states);
    add_filter(&path, "applicationTypes", a->types);
    add_filter(&path, "applicationTags", a->tags);
    add_filter(&path, "user", a->user);
    add_filter(&path, "queue", a->queue);
    int rc = cli_rm_get(c, path.data, &answer);
    base_buf_free(&path);
    if (rc == CLI_OK && c->json)
        cli_print_json(answer);
    else if (rc == CLI_OK && a->own_form)
        print_own_list(cli_at(answer, "apps.app"));
    else if (rc == CLI_OK)
        print_yarn_list(a, cli_at(answer, "apps.app"));
    json_decref(answer);
    return rc;
}

enum { FIELD_WIDTH = 14 };

static void print_own_status(const json_t *app)
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

static int show_app(struct cli *c, const char *arg, bool own_form)
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
    else if (rc == CLI_OK && own_form)
        print_own_status(json_object_get(answer, "app"));
    else if (rc == CLI_OK)
        print_yarn_status(json_object_get(answer, "app"));
    json_decref(answer);
    return rc;
}

static int kill_apps(struct cli *c, const struct app *a)
{
    json_t *report = json_object();
    int rc = CLI_OK;
    for (size_t i = 0; i < a->n_kill; i++) {
        char *state = NULL, *id = cli_app_id_from(a->kill[i]);
        bool late = false;
        int one = cli_rm_kill(c, id, &state, &late);
        if (one == CLI_OK && c->json)
            json_object_set_new(report, id, json_string(state));
        else if (one == CLI_OK && late)
            printf("%s has already finished (%s)\n", id, state);
        else if (one == CLI_OK)
            printf("%s is being killed; its state was %s\n", id, state);
        if (rc == CLI_OK)
            rc = one;
        free(state);
        free(id);
        if (one == CLI_UNREACHABLE)
            break; /* the other requests would fail in the same way */
    }
    if (c->json)
        cli_print_json(report);
    json_decref(report);
    return rc;
}

/* Moves an application that has not ended. Prints what `yarn application` prints. */
static int move_app_to(struct cli *c, const char *id, const char *queue)
{
    struct cli_answer answer = {0};
    json_t *app = NULL, *body;
    char *path = base_printf("/ws/v1/cluster/apps/%s", id);
    int rc = cli_rm_get_object(c, path, "app", &app);
    bool late = rc == CLI_OK && cli_state_is_final(cli_str(app, "app.state"));
    free(path);
    json_decref(app);
    if (rc != CLI_OK)
        return rc;
    if (late)
        return cli_error(CLI_USAGE, "Application %s has already finished", id);
    if (!c->json)
        printf("Moving application %s to queue %s\n", id, queue);
    path = base_printf("/ws/v1/cluster/apps/%s/queue", id);
    body = json_pack("{s:s}", "queue", queue);
    rc = cli_rm_call(c->rm, "PUT", path, body, 0, &answer);
    json_decref(body);
    free(path);
    if (rc != CLI_OK)
        return cli_answer_print_error(&answer, rc);
    if (c->json)
        cli_print_json(answer.json);
    else
        printf("Successfully completed move.\n");
    cli_answer_free(&answer);
    return CLI_OK;
}

static int move_app(struct cli *c, const struct app *a)
{
    char *id =
        cli_app_id_require(a->change_queue ? a->app_id : a->move_to_queue, "creel application");
    int rc = id ? move_app_to(c, id, a->change_queue ? a->change_queue : a->queue) : CLI_USAGE;
    free(id);
    return rc;
}

/* Returns the name of the action that was given; NULL when none was given, or several. */
static const char *find_single_action(const struct app *a)
{
    const struct {
        const char *name;
        bool given;
    } all[] = {{"-list", a->list},
               {"-status", a->status},
               {"-kill", a->n_kill > 0},
               {"-changeQueue", a->change_queue},
               {"-movetoqueue", a->move_to_queue}};
    const char *found = NULL;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (all[i].given && found)
            return NULL;
        found = all[i].given ? all[i].name : found;
    }
    return found;
}

static int check_usage(const struct app *a)
{
    const char *what = find_single_action(a);
    const struct {
        const char *name, *value, *with, *or_with;
    } others[] = {{"-appStates", a->states, "-list", ""},
                  {"-appTypes", a->types, "-list", ""},
                  {"-appTags", a->tags, "-list", ""},
                  {"-user", a->user, "-list", ""},
                  {"-queue", a->queue, "-list", "-movetoqueue"},
                  {"-appId", a->app_id, "-changeQueue", ""}};
    if (!what)
        return cli_error(
            CLI_USAGE, "application: give one of -list, -status ID, -kill ID, -changeQueue QUEUE");
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (others[i].value && strcmp(what, others[i].with) != 0 &&
            strcmp(what, others[i].or_with) != 0)
            return cli_error(CLI_USAGE, "application: %s belongs to %s, not to %s", others[i].name,
                             others[i].with, what);
    if (a->change_queue && !a->app_id)
        return cli_error(CLI_USAGE, "application: -changeQueue needs -appId ID");
    if (a->move_to_queue && !a->queue)
        return cli_error(CLI_USAGE, "application: -movetoqueue needs -queue QUEUE");
    return cli_app_ids_require(a->kill, a->n_kill);
}

static int run_action(struct cli *c, const struct app *a)
{
    if (a->list)
        return list_apps(c, a);
    if (a->status)
        return show_app(c, a->status, a->own_form);
    return a->n_kill ? kill_apps(c, a) : move_app(c, a);
}

int cli_app_main(int argc, char **argv)
{
    static const struct argp argp = {
        options,
        parse_option,
        "list\nstatus ID\n-list\n-status ID\n-kill ID...\n-changeQueue QUEUE -appId ID",
        "Lists, shows, moves or kills applications of every kind, jobs included. -list and "
        "-status, with a dash, print what yarn application prints.\v"
        "Examples:\n"
        "  creel application list\n"
        "  creel application -list\n"
        "  creel application -list -appStates ALL -appTypes MAPREDUCE\n"
        "  creel app -status application_1700000000000_0001 --json\n"
        "  creel app -kill application_1700000000000_0001\n"
        "  creel app -changeQueue root.dev -appId application_1700000000000_0001\n\n" CLI_EXIT_HELP,
        NULL,
        NULL,
        NULL};
    struct cli c = {0};
    struct app a = {0};
    int rc = cli_parse(&c, &argp, ARGP_LONG_ONLY, argc, argv, &a);
    if (rc == CLI_OK)
        rc = check_usage(&a);
    if (rc == CLI_OK && (rc = cli_rm_open(&c)) == CLI_OK)
        rc = run_action(&c, &a);
    free(a.kill);
    cli_free(&c);
    return rc < 0 ? CLI_OK : rc;
}
