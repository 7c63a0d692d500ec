/* api/cli/cli_rmadmin.c - `creel rmadmin`, with the spellings of `yarn rmadmin`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/cli_rm.h"
#include "api/cli/cli_text.h"

#define POLICY_PATH  "/ws/v1/cluster/scheduler/policy"
#define REFRESH_PATH "/ws/v1/cluster/scheduler/queues/refresh"

enum { KEY_POLICY = 256, KEY_REFRESH_QUEUES };

struct admin {
    bool policy, refresh_queues;
    const char *name;
};

static const struct argp_option options[] = {
    {"policy", KEY_POLICY, NULL, 0, "Show the scheduling policy; with a NAME behind it, change it: running tasks go on", 1},
    {"refreshQueues", KEY_REFRESH_QUEUES, NULL, 0, "Read the allocation file (fair-scheduler.xml) again", 1},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct admin *a = state->input;

    switch (key) {
    case KEY_POLICY:
        a->policy = true;
        return 0;
    case KEY_REFRESH_QUEUES:
        a->refresh_queues = true;
        return 0;
    case ARGP_KEY_ARG:
        if (!a->policy || a->name)
            return cli_bad("'%s' is too much; see creel rmadmin --help", arg);
        a->name = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int call(struct cli *c, const char *method, const char *path, const json_t *body, json_t **out)
{
    struct cli_answer a = {0};
    int rc = cli_rm_call(c->rm, method, path, body, 0, &a);

    if (rc != CLI_OK)
        return cli_rm_fail(&a, rc);
    *out = a.json;
    a.json = NULL;
    cli_answer_free(&a);
    return CLI_OK;
}

static int show_policy(struct cli *c)
{
    json_t *answer = NULL;
    int rc = call(c, "GET", POLICY_PATH, NULL, &answer);

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
    rc = call(c, "GET", POLICY_PATH, NULL, &old);
    if (rc == CLI_OK)
        rc = call(c, "PUT", POLICY_PATH, body, &answer);
    if (rc == CLI_OK && c->json) {
        cli_print_json(answer);
    } else if (rc == CLI_OK) {
        printf("scheduling policy: %s -> %s; running tasks go on\n", cli_str(old, "policy"),
               cli_str(answer, "policy"));
        puts("When the ResourceManager is started again, creel.scheduler.policy of its configuration holds.");
    }
    json_decref(old);
    json_decref(answer);
    json_decref(body);
    return rc;
}

static int refresh_queues(struct cli *c)
{
    json_t *answer = NULL;
    int rc = call(c, "POST", REFRESH_PATH, NULL, &answer);

    if (rc == CLI_OK && c->json)
        cli_print_json(answer);
    else if (rc == CLI_OK)
        printf("%s: %lld queues\n", cli_str(answer, "file"), (long long)cli_int(answer, "queues"));
    json_decref(answer);
    return rc;
}

int cli_rmadmin_main(int argc, char **argv)
{
    static const struct argp argp = {
        options,
        parse,
        "-policy [NAME]\n-refreshQueues",
        "Administration of the ResourceManager; options as of yarn rmadmin, and -policy.\v"
        "Examples:\n  creel rmadmin -policy\n  creel rmadmin -policy hfsp\n  creel rmadmin -refreshQueues\n\n"
        "A policy set here holds until the ResourceManager is started again.\n\n" CLI_EXIT_HELP,
        NULL,
        NULL,
        NULL};
    struct cli c = {0};
    struct admin a = {0};
    int rc = cli_parse(&c, &argp, ARGP_LONG_ONLY, argc, argv, &a);

    if (rc == CLI_OK && a.policy == a.refresh_queues)
        rc = cli_error(CLI_USAGE, "rmadmin: give one of -policy [NAME], -refreshQueues");
    if (rc == CLI_OK && (rc = cli_rm_open(&c)) == CLI_OK)
        rc = a.refresh_queues ? refresh_queues(&c) : a.name ? set_policy(&c, a.name) : show_policy(&c);
    cli_free(&c);
    return rc < 0 ? CLI_OK : rc;
}
