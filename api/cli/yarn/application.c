/* api/cli/yarn/application.c - `creel application` with the options and the output of
 * `yarn application` (SOURCE: ApplicationCLI). */
#include "api/cli/yarn/application.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "api/cli/interrupt.h"
#include "api/cli/text/text.h"
#include "base/clock.h"

#define STATES      "NEW,NEW_SAVING,SUBMITTED,ACCEPTED,RUNNING,FINISHED,FAILED,KILLED"
#define NO_SERVICES "Refused: Creel has no YARN services"

enum { POLL_MS = 50 }; /* between two polls while an application is being killed */

const struct cli_yarn_option cli_yarn_application_options[] = {
    {"list", 0, 0, NULL, "List the applications that have not ended, or those with -appStates"},
    {"status", 1, 0, "Application Name or ID", "Show one application"},
    {"kill", CLI_YARN_MANY, ' ', "Application ID",
     "Kill an application and wait until it has ended; more ids may follow"},
    {"movetoqueue", 1, 0, "Application ID",
     "Move an application to the queue named by -queue (the older form of -changeQueue)"},
    {"changeQueue", 1, 0, "Queue Name", "Move the application named by -appId to another queue"},
    {"updatePriority", 1, 0, "Priority", "Change the priority of the application named by -appId"},
    {"updateLifetime", 1, 0, "Timeout",
     "End the application named by -appId this many seconds from now"},
    {"appId", 1, 0, "Application ID",
     "With -changeQueue, -updatePriority and -updateLifetime: the application"},
    {"appStates", CLI_YARN_MANY, ',', "States",
     "With -list: states, separated by commas: ALL, NEW, NEW_SAVING, SUBMITTED, ACCEPTED, RUNNING, "
     "FINISHED, FAILED, KILLED"},
    {"appTypes", CLI_YARN_MANY, ',', "Types",
     "With -list: types, separated by commas, such as MAPREDUCE"},
    {"appTags", CLI_YARN_MANY, ',', "Tags", "With -list: tags, separated by commas"},
    {"user", 1, 0, "User", "With -list: owner (not in yarn)"},
    {"queue", 1, 0, "Queue Name", "With -movetoqueue: the new queue. With -list: queue"},
    {"help", 0, 0, NULL, "Show these options as yarn does"},
    {"clusterId", 1, 0, "Cluster ID", "Ignored: there is one cluster"},
    {"launch", 2, 0, "Application Name> <File Name", NO_SERVICES},
    {"stop", 1, 0, "Application Name or ID", NO_SERVICES},
    {"start", 1, 0, "Application Name", NO_SERVICES},
    {"save", 2, 0, "Application Name> <File Name", NO_SERVICES},
    {"destroy", 1, 0, "Application Name", NO_SERVICES},
    {"flex", 1, 0, "Application Name or ID", NO_SERVICES},
    {"component", 2, 0, "Component Name> <Count", NO_SERVICES},
    {"decommission", 1, 0, "Application Name", NO_SERVICES},
    {"enableFastLaunch", CLI_YARN_OPTIONAL, 0, "Destination Folder", NO_SERVICES},
    {"upgrade", 1, 0, "Application Name", NO_SERVICES},
    {"express", 1, 0, NULL, NO_SERVICES},
    {"initiate", 1, 0, "File Name", NO_SERVICES},
    {"autoFinalize", 0, 0, NULL, NO_SERVICES},
    {"finalize", 0, 0, NULL, NO_SERVICES},
    {"cancel", 0, 0, NULL, NO_SERVICES},
    {"instances", CLI_YARN_MANY, ',', "Component Instances", NO_SERVICES},
    {"components", CLI_YARN_MANY, ',', "Components", NO_SERVICES},
    {0},
};

/* ---- ids ---- */
/* Returns the application's id as the RM writes it; NULL after printing that @id is not an id. */
static char *require_app_id(const char *id)
{
    char *app = cli_app_id_from_any_id(id ? id : "");
    if (!app)
        cli_yarn_print_exception(
            "Invalid ApplicationId prefix: %s. The valid ApplicationId should start "
            "with prefix application",
            id ? id : "");
    return app;
}

static int get_app(struct cli *c, const char *id, json_t **out)
{
    char *path = base_printf("/ws/v1/cluster/apps/%s", id);
    int rc = cli_yarn_get_object(c, path, "app", out);
    free(path);
    return rc;
}

/* Like get_app(), but prints yarn's message for an id that is unexpectedly unknown. Returns
 * CLI_YARN_OK or CLI_YARN_EXCEPTION. */
static int require_app(struct cli *c, const char *id, json_t **out)
{
    int rc = get_app(c, id, out);
    if (rc == CLI_NOTFOUND)
        cli_yarn_print_exception(
            "Application with id '%s' doesn't exist in RM. Please check that the job "
            "submission was successful.",
            id);
    return cli_yarn_exit_code_of(rc);
}

static void print_already_finished(const char *id)
{
    printf("Application %s has already finished \n", id);
}

/* ---- -list ---- */
/* Returns the bit of a state in a set of states; bits follow YARN's order (STATES). */
static unsigned state_bit(const char *name, size_t len)
{
    unsigned bit = 1;
    for (const char *at = STATES; *at; bit <<= 1, at += strcspn(at, ","), at += *at == ',')
        if (strcspn(at, ",") == len && strncasecmp(at, name, len) == 0)
            return bit;
    return 0;
}

static void add_states(unsigned set, const char *between, struct base_buf *out)
{
    bool any = false;
    for (const char *at = STATES; *at; at += strcspn(at, ","), at += *at == ',') {
        if (state_bit(at, strcspn(at, ",")) & set) {
            base_buf_addf(out, "%s%.*s", any ? between : "", (int)strcspn(at, ","), at);
            any = true;
        }
    }
}

/* Trims blanks at both ends, in place. */
static char *trim(char *text)
{
    text += strspn(text, " \t");
    for (size_t n = strlen(text); n > 0 && strchr(" \t", text[n - 1]); n--)
        text[n - 1] = '\0';
    return text;
}

/* Returns the states of -appStates as a set; 0 after printing which one does not exist. */
static unsigned read_states(const struct cli_yarn_line *line)
{
    const struct cli_yarn_values *given = cli_yarn_values(line, "appStates");
    unsigned all = 0xff, set = 0;
    for (size_t i = 0; i < given->n; i++) {
        char *state = trim(given->v[i]);
        if (!*state)
            continue;
        if (strcasecmp(state, "ALL") == 0)
            return all;
        unsigned bit = state_bit(state, strlen(state));
        if (!bit) {
            cli_print_clean("The application state %s is invalid.\n", state);
            puts("The valid application state can be one of the following: ALL," STATES);
            return 0;
        }
        set |= bit;
    }
    return set ? set
               : state_bit("SUBMITTED", 9) | state_bit("ACCEPTED", 8) | state_bit("RUNNING", 7);
}

/* Adds the values of an option that are not empty, trimmed and, if wanted, in upper case, to the
 * request as one parameter, and to @set in Java's order. */
static void add_filter(const struct cli_yarn_line *line, const char *option, const char *parameter,
                       bool upper, struct base_buf *path, struct base_buf *set)
{
    const struct cli_yarn_values *given = cli_yarn_values(line, option);
    char **kept = base_alloc((given->n + 1) * sizeof *kept);
    struct base_buf list = {0};
    size_t n = 0;
    for (size_t i = 0; i < given->n; i++) {
        char *one = trim(given->v[i]);
        for (char *s = one; upper && *s; s++)
            *s = (char)(*s >= 'a' && *s <= 'z' ? *s - 'a' + 'A' : *s);
        if (!*one)
            continue;
        base_buf_addf(&list, "%s%s", n ? "," : "", one);
        kept[n++] = one;
    }
    if (n) {
        base_buf_addf(path, "&%s=", parameter);
        cli_uri_add_encoded(list.data, path);
    }
    if (set)
        cli_yarn_add_java_hash_set(kept, n, set);
    base_buf_free(&list);
    free(kept);
}

static const char *text_or_na(const char *text)
{
    return *text ? text : "N/A";
}

static void add_progress(const json_t *app, struct base_buf *out)
{
    cli_yarn_add_decimal(cli_num(app, "progress"), 1, 0, 2, out);
    base_buf_adds(out, "%");
}

static void print_app_row(const json_t *j)
{
    struct base_buf progress = {0};
    add_progress(j, &progress);
    cli_yarn_print_cell(30, cli_str(j, "id"), "\t");
    cli_yarn_print_cell(20, cli_str(j, "name"), "\t");
    cli_yarn_print_cell(20, cli_str(j, "applicationType"), "\t");
    cli_yarn_print_cell(10, cli_str(j, "user"), "\t");
    cli_yarn_print_cell(10, cli_str(j, "queue"), "\t");
    cli_yarn_print_cell(18, cli_str(j, "state"), "\t");
    cli_yarn_print_cell(18, cli_str(j, "finalStatus"), "\t");
    cli_yarn_print_cell(15, progress.data, "\t");
    cli_yarn_print_cell(35, text_or_na(cli_str(j, "trackingUrl")), "\n");
    base_buf_free(&progress);
}

static void print_apps(const json_t *apps, const char *types, const char *states, const char *tags)
{
    printf("Total number of applications (application-types: ");
    cli_print_clean("%s", types);
    printf(", states: [%s] and tags: ", states);
    cli_print_clean("%s", tags);
    printf("):%zu\n", cli_list_or_one_len(apps));
    printf("%30s\t%20s\t%20s\t%10s\t%10s\t%18s\t%18s\t%15s\t%35s\n", "Application-Id",
           "Application-Name", "Application-Type", "User", "Queue", "State", "Final-State",
           "Progress", "Tracking-URL");
    for (size_t i = 0; i < cli_list_or_one_len(apps); i++)
        print_app_row(cli_list_or_one_get(apps, i));
}

static int list_apps(struct cli *c, const struct cli_yarn_line *line)
{
    struct base_buf path = {0}, types = {0}, tags = {0}, states = {0};
    struct cli_answer a = {0};
    unsigned set = read_states(line);
    if (!set)
        return CLI_YARN_FAILED;
    base_buf_adds(&path, "/ws/v1/cluster/apps?states=");
    add_states(set, ",", &path);
    add_states(set, ", ", &states);
    add_filter(line, "appTypes", "applicationTypes", true, &path, &types);
    add_filter(line, "appTags", "applicationTags", false, &path, &tags);
    add_filter(line, "user", "user", false, &path, NULL);
    add_filter(line, "queue", "queue", false, &path, NULL);
    int rc = cli_yarn_request(c, "GET", path.data, NULL, &a);
    if (rc == CLI_YARN_OK && c->json)
        cli_print_json(a.json);
    else if (rc == CLI_YARN_OK)
        print_apps(cli_at(a.json, "apps.app"), types.data, states.data, tags.data);
    cli_answer_free(&a);
    base_buf_free(&path);
    base_buf_free(&types);
    base_buf_free(&tags);
    base_buf_free(&states);
    return rc;
}

/* ---- -status ---- */
/* Prints an expression of node labels; the RM shows the default partition as "", and omits the
 * member of an expression that was not set. */
static void print_node_label_expression(const char *label, const json_t *app, const char *member,
                                        const char *when_absent)
{
    const json_t *value = json_object_get(app, member);
    const char *text = value ? cli_str(app, member) : when_absent;
    cli_yarn_print_line(label, *text ? text : "<DEFAULT_PARTITION>");
}

/* Prints the master's address, which is a property of its attempt. */
static void print_master_address(const json_t *attempt)
{
    const json_t *port = json_object_get(attempt, "rpcPort");
    printf("\tRPC Port : %lld\n", port ? (long long)cli_int(attempt, "rpcPort") : -1LL);
    cli_yarn_print_line("\tAM Host : ", text_or_na(cli_str(attempt, "host")));
}

static void print_timeouts(const json_t *app)
{
    const json_t *timeouts = cli_at(app, "timeouts.timeout");
    for (size_t i = 0; i < cli_list_or_one_len(timeouts); i++) {
        const json_t *one = cli_list_or_one_get(timeouts, i);
        cli_yarn_print_cell(0, "", "\tTimeoutType : ");
        cli_yarn_print_cell(0, cli_str(one, "type"), "\tExpiryTime : ");
        cli_yarn_print_cell(0, cli_str(one, "expiryTime"), "\tRemainingTime : ");
        printf("%lldseconds\n", (long long)cli_int(one, "remainingTimeInSeconds"));
    }
}

static void print_report(const json_t *j, const json_t *attempt)
{
    struct base_buf progress = {0};
    add_progress(j, &progress);
    puts("Application Report : ");
    cli_yarn_print_line("\tApplication-Id : ", cli_str(j, "id"));
    cli_yarn_print_line("\tApplication-Name : ", cli_str(j, "name"));
    cli_yarn_print_line("\tApplication-Type : ", cli_str(j, "applicationType"));
    cli_yarn_print_line("\tUser : ", cli_str(j, "user"));
    cli_yarn_print_line("\tQueue : ", cli_str(j, "queue"));
    printf("\tApplication Priority : %lld\n", (long long)cli_int(j, "priority"));
    printf("\tStart-Time : %lld\n", (long long)cli_int(j, "startedTime"));
    printf("\tFinish-Time : %lld\n", (long long)cli_int(j, "finishedTime"));
    cli_yarn_print_line("\tProgress : ", progress.data);
    cli_yarn_print_line("\tState : ", cli_str(j, "state"));
    cli_yarn_print_line("\tFinal-State : ", cli_str(j, "finalStatus"));
    cli_yarn_print_line("\tTracking-URL : ", text_or_na(cli_str(j, "trackingUrl")));
    print_master_address(attempt);
    printf("\tAggregate Resource Allocation : %lld MB-seconds, %lld vcore-seconds\n",
           (long long)cli_int(j, "memorySeconds"), (long long)cli_int(j, "vcoreSeconds"));
    printf("\tAggregate Resource Preempted : %lld MB-seconds, %lld vcore-seconds\n",
           (long long)cli_int(j, "preemptedMemorySeconds"),
           (long long)cli_int(j, "preemptedVcoreSeconds"));
    cli_yarn_print_line("\tLog Aggregation Status : ",
                        text_or_na(cli_str(j, "logAggregationStatus")));
    cli_yarn_print_lines("\tDiagnostics : ", cli_str(j, "diagnostics"));
    printf("\tUnmanaged Application : %s\n",
           json_is_true(json_object_get(j, "unmanagedApplication")) ? "true" : "false");
    print_node_label_expression("\tApplication Node Label Expression : ", j,
                                "appNodeLabelExpression", "<Not set>");
    print_node_label_expression("\tAM container Node Label Expression : ", j,
                                "amNodeLabelExpression", "");
    print_timeouts(j);
    if (*cli_str(j, "rmClusterId"))
        cli_yarn_print_line("\tRMClusterId : ", cli_str(j, "rmClusterId"));
    puts("");
    base_buf_free(&progress);
}

/* GETs the last attempt of an application; NULL: it has none. Caller owns it. */
static json_t *get_last_attempt(struct cli *c, const char *id)
{
    struct cli_answer list = {0}, one = {0};
    char *path = base_printf("/ws/v1/cluster/apps/%s/appattempts", id);
    json_t *attempt = NULL;
    if (cli_rm_call(c->rm, "GET", path, NULL, 0, &list) == CLI_OK) {
        const json_t *all = cli_at(list.json, "appAttempts.appAttempt");
        size_t n = cli_list_or_one_len(all);
        free(path);
        path = base_printf("/ws/v1/cluster/apps/%s/appattempts/%s", id,
                           n ? cli_str(cli_list_or_one_get(all, n - 1), "appAttemptId") : "none");
        if (n && cli_rm_call(c->rm, "GET", path, NULL, 0, &one) == CLI_OK)
            attempt = json_incref(one.json);
    }
    free(path);
    cli_answer_free(&list);
    cli_answer_free(&one);
    return attempt;
}

static int show_app(struct cli *c, const char *arg)
{
    char *id = cli_app_id_from_any_id(arg);
    json_t *app = NULL;
    if (!id) /* not an id: yarn then looks for a service of this name */
        return cli_error(CLI_YARN_FAILED,
                         "Application with name '%s' doesn't exist in RM or Timeline Server.", arg);
    int rc = get_app(c, id, &app);
    if (rc == CLI_NOTFOUND) {
        printf("Application with id '%s' doesn't exist in RM or Timeline Server.\n", id);
        rc = CLI_YARN_FAILED;
    } else if (rc != CLI_OK) {
        rc = cli_yarn_exit_code_of(rc);
    } else if (c->json) {
        json_t *whole = json_pack("{s:O}", "app", app);
        cli_print_json(whole);
        json_decref(whole);
    } else {
        json_t *attempt = get_last_attempt(c, id);
        print_report(app, attempt);
        json_decref(attempt);
    }
    json_decref(app);
    free(id);
    return rc;
}

/* ---- -kill ---- */
/* Waits until the application has ended. */
static int wait_until_app_ended(struct cli *c, const char *id)
{
    for (;;) {
        json_t *app = NULL;
        int rc = get_app(c, id, &app);
        bool over = rc == CLI_OK && cli_state_is_final(cli_str(app, "state"));
        json_decref(app);
        if (over || rc == CLI_NOTFOUND) /* ended, and already forgotten */
            return CLI_YARN_OK;
        if (rc != CLI_OK)
            return cli_yarn_exit_code_of(rc);
        if (cli_interrupt_sleep(POLL_MS))
            return CLI_INTERRUPTED;
    }
}

/* Kills one application. Sets *found unless the RM does not know it. */
static int kill_app(struct cli *c, const char *id, json_t *report, bool *found)
{
    json_t *app = NULL;
    int rc = get_app(c, id, &app);
    bool late = rc == CLI_OK && cli_state_is_final(cli_str(app, "state"));
    *found = *found || rc == CLI_OK;
    if (late || c->json)
        json_object_set_new(report, id, json_string(cli_str(app, "state")));
    json_decref(app);
    if (rc == CLI_NOTFOUND) {
        printf("Application with id '%s' doesn't exist in RM.\n", id);
        return CLI_YARN_OK;
    }
    if (rc != CLI_OK)
        return cli_yarn_exit_code_of(rc);
    if (late) {
        if (!c->json)
            print_already_finished(id);
        return CLI_YARN_OK;
    }
    if (!c->json)
        printf("Killing application %s\n", id);
    fflush(stdout);
    char *state = NULL;
    rc = cli_yarn_exit_code_of(cli_rm_kill_app(c, id, &state, &late));
    if (rc == CLI_YARN_OK)
        rc = wait_until_app_ended(c, id);
    if (rc == CLI_YARN_OK && !c->json)
        fprintf(stderr, "Killed application %s\n", id);
    free(state);
    return rc;
}

static int kill_apps(struct cli *c, const struct cli_yarn_line *line)
{
    const struct cli_yarn_values *ids = cli_yarn_values(line, "kill");
    json_t *report = json_object();
    bool found = false;
    int rc = CLI_YARN_OK;
    for (size_t i = 0; i < ids->n && rc == CLI_YARN_OK; i++) {
        char *id = require_app_id(ids->v[i]);
        rc = id ? kill_app(c, id, report, &found) : CLI_YARN_EXCEPTION;
        free(id);
    }
    if (c->json)
        cli_print_json(report);
    json_decref(report);
    return rc == CLI_YARN_OK && !found ? CLI_YARN_FAILED : rc;
}

/* ---- changes ---- */
static int move_app_to(struct cli *c, const char *id, const char *queue)
{
    struct cli_answer answer = {0};
    json_t *app = NULL, *body;
    int rc = require_app(c, id, &app);
    bool late = rc == CLI_YARN_OK && cli_state_is_final(cli_str(app, "state"));
    json_decref(app);
    if (rc != CLI_YARN_OK)
        return rc;
    if (late) {
        print_already_finished(id);
        return CLI_YARN_OK;
    }
    if (!c->json)
        printf("Moving application %s to queue %s\n", id, queue);
    char *path = base_printf("/ws/v1/cluster/apps/%s/queue", id);
    body = json_pack("{s:s}", "queue", queue);
    rc = cli_yarn_request(c, "PUT", path, body, &answer);
    json_decref(body);
    free(path);
    if (rc == CLI_YARN_OK && c->json)
        cli_print_json(answer.json);
    else if (rc == CLI_YARN_OK)
        puts("Successfully completed move.");
    cli_answer_free(&answer);
    return rc;
}

static int move_app(struct cli *c, const char *arg, const char *queue)
{
    char *id = require_app_id(arg);
    int rc = id ? move_app_to(c, id, queue) : CLI_YARN_EXCEPTION;
    free(id);
    return rc;
}

/* Reads a whole number, as Java's parseInt and parseLong do. Returns false after printing that
 * @text is not a number. */
static bool read_number(const char *text, long long least, long long most, long long *out)
{
    char *end;
    errno = 0;
    *out = strtoll(text, &end, 10);
    if (*text && *end == '\0' && !strchr(" \t\n", *text) && errno == 0 && *out >= least &&
        *out <= most)
        return true;
    cli_yarn_print_exception("For input string: \"%s\"", text);
    return false;
}

static int update_priority(struct cli *c, const char *arg, const char *text)
{
    struct cli_answer answer = {0};
    long long priority;
    char *id = require_app_id(arg);
    if (!id || !read_number(text, INT32_MIN, INT32_MAX, &priority)) {
        free(id);
        return CLI_YARN_EXCEPTION;
    }
    if (!c->json)
        printf("Updating priority of an application %s\n", id);
    char *path = base_printf("/ws/v1/cluster/apps/%s/priority", id);
    json_t *body = json_pack("{s:I}", "priority", (json_int_t)priority);
    int rc = cli_yarn_request(c, "PUT", path, body, &answer);
    if (rc == CLI_YARN_OK && c->json)
        cli_print_json(answer.json);
    else if (rc == CLI_YARN_OK && cli_int(answer.json, "priority") == priority)
        printf("Successfully updated the application %s with priority '%s'\n", id, text);
    else if (rc == CLI_YARN_OK)
        printf("Updated priority of an application  %s to cluster max priority OR keeping old "
               "priority as application is in final states\n",
               id);
    cli_answer_free(&answer);
    json_decref(body);
    free(path);
    free(id);
    return rc;
}

/* Appends a time as YARN writes the end of a lifetime: "2037-01-01T00:00:00.000+0000". */
static void add_expiry(int64_t ms, struct base_buf *out)
{
    char day[40], zone[16];
    time_t s = (time_t)(ms / 1000);
    struct tm tm;
    localtime_r(&s, &tm);
    strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%S", &tm);
    strftime(zone, sizeof zone, "%z", &tm);
    base_buf_addf(out, "%s.%03d%s", day, (int)(ms % 1000), zone);
}

/* Prints when the lifetime ends: for an application that has ended, and so has no lifetime any
 * more, the requested date, as yarn does. */
static void print_new_lifetime(const char *id, const char *asked, const char *granted)
{
    if (strcmp(granted, "UNLIMITED") == 0)
        granted = asked;
    if (strcmp(asked, granted) == 0)
        printf("Successfully updated LIFETIME of an application %s. New expiry time is ", id);
    else
        printf("Updated lifetime of an application  %s to queue max/default lifetime. New expiry "
               "time is ",
               id);
    cli_print_clean("%s\n", granted);
}

static int update_lifetime(struct cli *c, const char *arg, const char *text)
{
    struct cli_answer answer = {0};
    struct base_buf expiry = {0};
    long long seconds;
    char *id;
    if (!read_number(text, INT64_MIN / 1000, INT64_C(100000000000), &seconds) ||
        !(id = require_app_id(arg)))
        return CLI_YARN_EXCEPTION;
    if (!c->json)
        printf("Updating timeout for given timeoutType: LIFETIME of an application %s\n", id);
    add_expiry(base_wall_us(&base_clock_real) / 1000 + seconds * 1000, &expiry);
    char *path = base_printf("/ws/v1/cluster/apps/%s/timeout", id);
    json_t *body =
        json_pack("{s:{s:s,s:s}}", "timeout", "type", "LIFETIME", "expiryTime", expiry.data);
    int rc = cli_yarn_request(c, "PUT", path, body, &answer);
    if (rc == CLI_YARN_OK && c->json)
        cli_print_json(answer.json);
    else if (rc == CLI_YARN_OK)
        print_new_lifetime(id, expiry.data, cli_str(answer.json, "timeout.expiryTime"));
    cli_answer_free(&answer);
    base_buf_free(&expiry);
    json_decref(body);
    free(path);
    free(id);
    return rc;
}

/* ---- the command ---- */
/* Returns a given option that only YARN's services support; NULL: there is none. */
static const char *find_service_option(const struct cli_yarn_line *line)
{
    for (const struct cli_yarn_option *o = line->options; o->name; o++)
        if (o->help && strcmp(o->help, NO_SERVICES) == 0 && cli_yarn_has(line, o->name))
            return o->name;
    return NULL;
}

/* Carries out the option that applies to the application named by -appId. */
static int change_app(struct cli *c, const struct cli_yarn_line *line)
{
    static const struct {
        const char *option;
        int (*change)(struct cli *c, const char *id, const char *value);
    } changes[] = {{"updatePriority", update_priority},
                   {"updateLifetime", update_lifetime},
                   {"changeQueue", move_app}};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        if (cli_yarn_has(line, changes[i].option))
            return cli_yarn_has(line, "appId")
                       ? changes[i].change(c, cli_yarn_value(line, "appId"),
                                           cli_yarn_value(line, changes[i].option))
                       : cli_yarn_refuse_usage(line);
    if (cli_yarn_has(line, "help")) {
        cli_yarn_refuse_usage(line);
        return CLI_YARN_OK;
    }
    fputs("Invalid Command Usage : \n", stderr);
    cli_yarn_refuse_usage(line);
    return CLI_YARN_OK; /* as yarn does */
}

int cli_yarn_application(struct cli *c, const struct cli_yarn_line *line)
{
    const char *service = find_service_option(line);
    if (line->missing || line->n_words)
        return cli_yarn_refuse_usage(line);
    if (service)
        return cli_error(CLI_YARN_FAILED, "-%s is refused: Creel has no YARN services", service);
    if (cli_yarn_has(line, "status"))
        return cli_yarn_has_options_besides(line, "status appTypes")
                   ? cli_yarn_refuse_usage(line)
                   : show_app(c, cli_yarn_value(line, "status"));
    if (cli_yarn_has(line, "list"))
        return list_apps(c, line);
    if (cli_yarn_has(line, "kill"))
        return cli_yarn_has_options_besides(line, "kill") ? cli_yarn_refuse_usage(line)
                                                          : kill_apps(c, line);
    if (cli_yarn_has(line, "movetoqueue"))
        return cli_yarn_has(line, "queue")
                   ? move_app(c, cli_yarn_value(line, "movetoqueue"), cli_yarn_value(line, "queue"))
                   : cli_yarn_refuse_usage(line);
    return change_app(c, line);
}
