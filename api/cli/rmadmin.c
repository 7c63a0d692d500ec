/* api/cli/rmadmin.c - `creel rmadmin`: parses options as in `yarn rmadmin`, shows or sets the
 * policy, and refreshes queues. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/rmadmin.h"
#include "api/cli/text/text.h"

#define POLICY_PATH  "/ws/v1/cluster/scheduler/policy"
#define REFRESH_PATH "/ws/v1/cluster/scheduler/queues/refresh"

enum { KEY_FIRST = 256 }; /* an option's key is KEY_FIRST + its enum cli_rmadmin_do */

struct admin {
    enum cli_rmadmin_do what;
    const char *option;
    char *words[2]; /* its arguments */
    size_t n;
};

static const struct argp_option options[] = {
    {"policy", KEY_FIRST + CLI_RMADMIN_POLICY, NULL, 0,
     "Show the scheduling policy, or change it to NAME; running tasks go on", 1},
    {"refreshQueues", KEY_FIRST + CLI_RMADMIN_REFRESH_QUEUES, NULL, 0,
     "Read the allocation file (fair-scheduler.xml) again", 1},
    {"getServiceState", KEY_FIRST + CLI_RMADMIN_GET_STATE, NULL, 0,
     "Show the state of a ResourceManager: active, standby or initializing", 2},
    {"getAllServiceState", KEY_FIRST + CLI_RMADMIN_GET_ALL, NULL, 0,
     "Show the state of every ResourceManager", 2},
    {"transitionToStandby", KEY_FIRST + CLI_RMADMIN_STANDBY, NULL, 0,
     "Make the active ResourceManager a standby; the next in line takes over. If none does within "
     "10 s, it becomes active again",
     2},
    {"failover", KEY_FIRST + CLI_RMADMIN_FAILOVER, NULL, 0,
     "Make FROM a standby, wait until another ResourceManager is active, and print which one and "
     "how long it took. The election decides which one: with more than two it may not be TO",
     2},
    {"transitionToActive", KEY_FIRST + CLI_RMADMIN_ACTIVE, NULL, 0,
     "Refused: the election decides which one is active", 2},
    {0},
};

/* The number of arguments of each action. */
static const struct {
    size_t min, max;
} argument_counts[] = {
    [CLI_RMADMIN_POLICY] = {0, 1},    [CLI_RMADMIN_REFRESH_QUEUES] = {0, 0},
    [CLI_RMADMIN_GET_STATE] = {1, 1}, [CLI_RMADMIN_GET_ALL] = {0, 0},
    [CLI_RMADMIN_ACTIVE] = {1, 1},    [CLI_RMADMIN_STANDBY] = {1, 1},
    [CLI_RMADMIN_FAILOVER] = {2, 2},  [CLI_RMADMIN_STATUS] = {0, 0},
};

static const char *option_name(int key)
{
    const struct argp_option *o = options;
    while (o->key != key)
        o++;
    return o->name;
}

/* An action is an option with a single dash and comes first; its arguments follow as plain words,
 * as in yarn rmadmin. `status` is an action without a dash. */
static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct admin *a = state->input;

    if (key > KEY_FIRST && key <= KEY_FIRST + CLI_RMADMIN_FAILOVER) {
        if (a->what)
            return cli_option_error("rmadmin: -%s and -%s exclude each other", a->option,
                                    option_name(key));
        a->what = (enum cli_rmadmin_do)(key - KEY_FIRST);
        a->option = option_name(key);
        return 0;
    }
    if (key != ARGP_KEY_ARG)
        return ARGP_ERR_UNKNOWN;
    if (!a->what && strcmp(arg, "status") == 0) {
        a->what = CLI_RMADMIN_STATUS;
        a->option = "status";
        return 0;
    }
    if (!a->what || a->n == argument_counts[a->what].max)
        return cli_option_error("unexpected argument '%s'; see creel rmadmin --help", arg);
    a->words[a->n++] = arg;
    return 0;
}

static int call_rm(struct cli *c, const char *method, const char *path, const json_t *body,
                   json_t **out)
{
    struct cli_answer a = {0};
    int rc = cli_rm_call(c->rm, method, path, body, 0, &a);

    if (rc != CLI_OK)
        return cli_answer_print_error(&a, rc);
    *out = a.json;
    a.json = NULL;
    cli_answer_free(&a);
    return CLI_OK;
}

static int show_policy(struct cli *c)
{
    json_t *answer = NULL;
    int rc = call_rm(c, "GET", POLICY_PATH, NULL, &answer);

    if (rc == CLI_OK && c->json)
        cli_print_json(answer);
    else if (rc == CLI_OK)
        puts(cli_str(answer, "policy"));
    json_decref(answer);
    return rc;
}

static int set_policy(struct cli *c, const char *name)
{
    json_t *old = NULL, *answer = NULL, *text = json_string(name), *body;
    int rc;

    if (!text)
        return cli_error(CLI_USAGE, "-policy: the name is not UTF-8");
    body = json_pack("{s:o}", "policy", text);
    rc = call_rm(c, "GET", POLICY_PATH, NULL, &old);
    if (rc == CLI_OK)
        rc = call_rm(c, "PUT", POLICY_PATH, body, &answer);
    if (rc == CLI_OK && c->json) {
        cli_print_json(answer);
    } else if (rc == CLI_OK) {
        printf("scheduling policy: %s -> %s; running tasks go on\n", cli_str(old, "policy"),
               cli_str(answer, "policy"));
        puts("It lasts until the ResourceManager restarts or another one takes over; then "
             "creel.scheduler.policy of the configuration applies again.");
    }
    json_decref(old);
    json_decref(answer);
    json_decref(body);
    return rc;
}

static int refresh_queues(struct cli *c)
{
    json_t *answer = NULL;
    int rc = call_rm(c, "POST", REFRESH_PATH, NULL, &answer);

    if (rc == CLI_OK && c->json)
        cli_print_json(answer);
    else if (rc == CLI_OK)
        printf("%s: %lld queues\n", cli_str(answer, "file"), (long long)cli_int(answer, "queues"));
    json_decref(answer);
    return rc;
}

static int check_usage(const struct admin *a)
{
    if (!a->what)
        return cli_error(
            CLI_USAGE,
            "rmadmin: an action is missing: status, -policy, -refreshQueues, -getServiceState, "
            "-getAllServiceState, -transitionToStandby or -failover");
    if (a->n < argument_counts[a->what].min)
        return cli_error(CLI_USAGE,
                         "%s: incorrect number of arguments: it takes %s; see creel rmadmin --help",
                         a->option,
                         argument_counts[a->what].min == 2 ? "the ids of two ResourceManagers"
                                                           : "the id of a ResourceManager");
    return CLI_OK;
}

static int run_action(struct cli *c, const struct admin *a)
{
    if (a->what == CLI_RMADMIN_REFRESH_QUEUES)
        return refresh_queues(c);
    if (a->what == CLI_RMADMIN_POLICY)
        return a->n ? set_policy(c, a->words[0]) : show_policy(c);
    return cli_rmadmin_ha(c, a->what, a->option, a->words);
}

int cli_rmadmin_main(int argc, char **argv)
{
    static const struct argp argp = {
        options,
        parse_option,
        "status\n"
        "-policy [NAME]\n"
        "-refreshQueues\n"
        "-getServiceState ID\n"
        "-getAllServiceState\n"
        "-transitionToStandby ID\n"
        "-failover FROM TO",
        "Administers ResourceManagers. The options are those of yarn rmadmin, and -policy. status "
        "shows the id, address, state and epoch of every ResourceManager.\v"
        "Examples:\n"
        "  creel rmadmin status\n"
        "  creel rmadmin -policy\n"
        "  creel rmadmin -policy hfsp\n"
        "  creel rmadmin -refreshQueues\n"
        "  creel rmadmin -getServiceState rm-1\n"
        "  creel rmadmin -failover rm-1 rm-2\n\n"
        "A policy set here lasts until the ResourceManager restarts or another one takes over. The "
        "ids are those in yarn.resourcemanager.ha.rm-ids; with --rm or CREEL_RM, those that the "
        "ResourceManagers at these addresses report.\n\n" CLI_EXIT_HELP,
        NULL,
        NULL,
        NULL};
    struct cli c = {0};
    struct admin a = {0};
    int rc = cli_parse(&c, &argp, ARGP_LONG_ONLY, argc, argv, &a);

    if (rc == CLI_OK)
        rc = check_usage(&a);
    if (rc == CLI_OK && (rc = cli_rm_open(&c)) == CLI_OK)
        rc = run_action(&c, &a);
    cli_free(&c);
    return rc < 0 ? CLI_OK : rc;
}
