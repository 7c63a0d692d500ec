/* api/cli/rmadmin.c - `creel rmadmin`: the options of `yarn rmadmin` (SOURCE: RMAdminCLI), the
 * scheduling policy, and the state of the ResourceManagers. */
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/cli/rmadmin.h"
#include "api/cli/text/text.h"
#include "api/cli/yarn/admin.h"

#define POLICY_PATH  "/ws/v1/cluster/scheduler/policy"
#define REFRESH_PATH "/ws/v1/cluster/scheduler/queues/refresh"
#define SECRET_PATH  "/ws/v1/cluster/secret/refresh"

static const struct cli_yarn_option options[] = {
    {"policy", CLI_YARN_OPTIONAL, 0, "NAME",
     "Show the scheduling policy, or change it to NAME; running tasks go on (not in yarn)"},
    {"refreshQueues", 0, 0, NULL,
     "Read the queues again (fair-scheduler.xml, capacity-scheduler.xml)"},
    {"refreshSecret", 0, 0, NULL, "Read the file of the cluster's secret again (not in yarn)"},
    {"refreshNodes", 0, 0, NULL, "Read the lists of included and excluded hosts again"},
    {"g", CLI_YARN_OPTIONAL, 0, "SECONDS",
     "With -refreshNodes: let the applications of excluded nodes end first, for so long at most"},
    {"graceful", CLI_YARN_OPTIONAL, 0, "SECONDS", "The same as -g"},
    {"client", 0, 0, NULL, "With -g: wait until the nodes are decommissioned"},
    {"server", 0, 0, NULL, "With -g: do not wait"},
    {"updateNodeResource", CLI_YARN_MANY, 0, "NODE MEMORY VCORES [TIMEOUT]",
     "Change what a node offers; or NODE memory-mb=MEMORY,vcores=VCORES [TIMEOUT]"},
    {"addToClusterNodeLabels", 1, 0, "LABEL[(exclusive=true|false)],...",
     "Add labels that nodes may have"},
    {"removeFromClusterNodeLabels", 1, 0, "LABEL,...", "Remove labels"},
    {"replaceLabelsOnNode", CLI_YARN_MANY, 0, "HOST[:PORT]=LABEL ...", "Label nodes"},
    {"failOnUnknownNodes", 0, 0, NULL, "With -replaceLabelsOnNode: refuse unknown nodes"},
    {"directlyAccessNodeLabelStore", 0, 0, NULL, "Ignored: the ResourceManager has the labels"},
    {"getGroups", CLI_YARN_ANY, 0, "USER", "Show the groups that users have on this host"},
    {"refreshNodesResources", 0, 0, NULL, "Does nothing: nodes report what they offer"},
    {"refreshUserToGroupsMappings", 0, 0, NULL, "Does nothing: groups are looked up when needed"},
    {"refreshSuperUserGroupsConfiguration", 0, 0, NULL, "Does nothing: there are no proxy users"},
    {"refreshAdminAcls", 0, 0, NULL, "Refused: read when a ResourceManager starts"},
    {"refreshServiceAcl", 0, 0, NULL, "Refused: there is no service authorization"},
    {"refreshClusterMaxPriority", 0, 0, NULL, "Refused: read when a ResourceManager starts"},
    {"getServiceState", CLI_YARN_ANY, 0, "ID",
     "Show the state of a ResourceManager: active, standby or initializing"},
    {"getAllServiceState", 0, 0, NULL, "Show the state of every ResourceManager"},
    {"checkHealth", CLI_YARN_ANY, 0, "ID", "Fail unless a ResourceManager answers"},
    {"transitionToStandby", CLI_YARN_ANY, 0, "ID",
     "Make the active ResourceManager a standby; the next in line takes over. If none does within "
     "10 s, it becomes active again"},
    {"failover", CLI_YARN_ANY, 0, "FROM TO",
     "Make FROM a standby, wait until another ResourceManager is active, and print which one and "
     "how long it took. The election decides which one: with more than two it may not be TO (not "
     "in yarn)"},
    {"transitionToActive", CLI_YARN_ANY, 0, "ID",
     "Refused: the election decides which one is active"},
    {"forceactive", 0, 0, NULL, "With -transitionToActive, which is refused anyway"},
    {"help", CLI_YARN_OPTIONAL, 0, "ACTION", "Show these options"},
    {"subClusterId", 1, 0, NULL, "Ignored: there is one cluster"},
    {0},
};

/* ---- the policy ---- */
static int show_policy(struct cli *c)
{
    json_t *answer = NULL;
    int rc = cli_rm_get(c, POLICY_PATH, &answer);

    if (rc == CLI_OK && c->json)
        cli_print_json(answer);
    else if (rc == CLI_OK)
        puts(cli_str(answer, "policy"));
    json_decref(answer);
    return rc;
}

static int set_policy(struct cli *c, const char *name)
{
    struct cli_answer answer = {0};
    json_t *old = NULL, *text = json_string(name), *body;

    if (!text)
        return cli_error(CLI_USAGE, "-policy: the name is not UTF-8");
    body = json_pack("{s:o}", "policy", text);
    int rc = cli_rm_get(c, POLICY_PATH, &old);
    if (rc == CLI_OK && (rc = cli_rm_call(c->rm, "PUT", POLICY_PATH, body, 0, &answer)) != CLI_OK)
        cli_answer_print_error_and_free(&answer, rc);
    if (rc == CLI_OK && c->json) {
        cli_print_json(answer.json);
    } else if (rc == CLI_OK) {
        printf("scheduling policy: %s -> %s; running tasks go on\n", cli_str(old, "policy"),
               cli_str(answer.json, "policy"));
        puts("It lasts until the ResourceManager restarts or another one takes over; then "
             "creel.scheduler.policy of the configuration applies again.");
    }
    json_decref(old);
    json_decref(body);
    cli_answer_free(&answer);
    return rc;
}

/* ---- refreshing ---- */
/* Prints on stderr what was read, since yarn prints nothing on stdout. */
static int refresh_queues(struct cli *c)
{
    struct cli_answer answer = {0};
    int rc = cli_admin_request(c, "refreshQueues", "POST", REFRESH_PATH, NULL, &answer);

    if (rc == CLI_YARN_OK && c->json)
        cli_print_json(answer.json);
    else if (rc == CLI_YARN_OK)
        fprintf(stderr, "%s: %lld queues\n", cli_str(answer.json, "file"),
                (long long)cli_int(answer.json, "queues"));
    cli_answer_free(&answer);
    return rc;
}

static int refresh_secret(struct cli *c)
{
    struct cli_answer answer = {0};
    int rc = cli_admin_request(c, "refreshSecret", "POST", SECRET_PATH, NULL, &answer);

    if (rc == CLI_YARN_OK && c->json)
        cli_print_json(answer.json);
    else if (rc == CLI_YARN_OK)
        fprintf(stderr, "the secret %s; key %s signs\n",
                json_is_true(json_object_get(answer.json, "changed")) ? "has been replaced"
                                                                      : "is the same",
                cli_str(answer.json, "signsWith"));
    cli_answer_free(&answer);
    return rc;
}

static int refresh_nodes(struct cli *c, const struct cli_yarn_line *line)
{
    const char *seconds = cli_yarn_value(line, cli_yarn_has(line, "g") ? "g" : "graceful");
    if (cli_yarn_has_options_besides(line, "refreshNodes g graceful client server"))
        return cli_admin_print_failure("refreshNodes", "Unrecognized option");
    if (!cli_yarn_has(line, "g") && !cli_yarn_has(line, "graceful"))
        return cli_admin_refresh_nodes(c);
    if (!cli_yarn_has(line, "client") && !cli_yarn_has(line, "server"))
        return cli_admin_print_failure("refreshNodes", "-g needs -client or -server");
    return cli_admin_refresh_nodes_gracefully(c, seconds, cli_yarn_has(line, "client"));
}

/* Prints the groups of a user, as this host knows them. */
static void print_groups(const char *user)
{
    const struct passwd *pw = getpwnam(user);
    gid_t groups[256];
    int n = 256;
    printf("%s :", user);
    if (pw && getgrouplist(user, pw->pw_gid, groups, &n) >= 0)
        for (int i = 0; i < n; i++) {
            const struct group *group = getgrgid(groups[i]);
            if (group)
                printf(" %s", group->gr_name);
        }
    puts("");
}

static int print_groups_of_users(const struct cli *c, const struct cli_yarn_values *users)
{
    for (size_t i = 0; i < users->n; i++)
        print_groups(users->v[i]);
    if (users->n == 0)
        print_groups(cli_rm_user(c->rm));
    return CLI_YARN_OK;
}

/* ---- the command ---- */
/* Lists the actions, or only the one named @action; with @help, also describes them. Returns
 * CLI_YARN_FAILED. */
static int print_usage(FILE *out, const char *action, bool help)
{
    fputs("Usage: creel rmadmin\n", out);
    for (const struct cli_yarn_option *o = options; o->name; o++)
        if (!action || strcmp(o->name, action) == 0)
            fprintf(out, "   -%s%s%s%s%s\n", o->name, o->arg ? " " : "", o->arg ? o->arg : "",
                    help ? ": " : "", help ? o->help : "");
    return CLI_YARN_FAILED;
}

/* Only the first argument selects the action, as in yarn. */
static bool is_action(const struct cli_yarn_line *line, const char *name)
{
    const char *first = line->first ? line->first : "";
    return *first == '-' && strcmp(first + strspn(first, "-"), name) == 0;
}

/* Carries out actions that have no effect in Creel: they succeed or are refused. Returns -1 for any
 * other action. */
static int run_action_without_effect(const struct cli_yarn_line *line)
{
    static const struct {
        const char *action, *refusal; /* NULL: it succeeds, since there is nothing to refresh */
    } all[] = {
        {"refreshNodesResources", NULL},
        {"refreshUserToGroupsMappings", NULL},
        {"refreshSuperUserGroupsConfiguration", NULL},
        {"refreshAdminAcls",
         "the ResourceManager reads its administrators when it starts; restart it"},
        {"refreshServiceAcl", "Service Authorization (hadoop.security.authorization) not enabled."},
        {"refreshClusterMaxPriority",
         "the ResourceManager reads the highest priority when it starts; restart it"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (is_action(line, all[i].action))
            return all[i].refusal ? cli_admin_print_failure(all[i].action, "%s", all[i].refusal)
                                  : CLI_YARN_OK;
    return -1;
}

/* ---- several ResourceManagers ---- */
static const struct ha_action {
    const char *name;
    enum cli_rmadmin_do what;
    size_t ids;
} ha_actions[] = {
    {"getServiceState", CLI_RMADMIN_GET_STATE, 1},   {"getAllServiceState", CLI_RMADMIN_GET_ALL, 0},
    {"checkHealth", CLI_RMADMIN_HEALTH, 1},          {"transitionToActive", CLI_RMADMIN_ACTIVE, 1},
    {"transitionToStandby", CLI_RMADMIN_STANDBY, 1}, {"failover", CLI_RMADMIN_FAILOVER, 2}};

static const struct ha_action *find_ha_action(const struct cli_yarn_line *line)
{
    for (size_t i = 0; i < sizeof ha_actions / sizeof *ha_actions; i++)
        if (is_action(line, ha_actions[i].name))
            return &ha_actions[i];
    return NULL;
}

/* The ids follow the action, or follow "--forceactive" after it. */
static int run_ha_action(struct cli *c, const struct cli_yarn_line *line,
                         const struct ha_action *action)
{
    const struct cli_yarn_values *values = cli_yarn_values(line, action->name);
    char **given = values->n ? values->v : line->words;
    size_t n = values->n ? values->n : line->n_words;
    char *ids[2] = {n > 0 ? given[0] : NULL, n > 1 ? given[1] : NULL};
    bool of_yarn = action->what != CLI_RMADMIN_FAILOVER;
    char *option = base_printf("-%s", action->name);
    int rc;
    char *refusal = base_printf("incorrect number of arguments: it takes %s; see creel rmadmin "
                                "--help",
                                action->ids == 2   ? "the ids of two ResourceManagers"
                                : action->ids == 1 ? "the id of a ResourceManager"
                                                   : "none");
    rc = cli_rmadmin_run_ha_action(c, action->what, option, ids, n == action->ids ? NULL : refusal);
    free(refusal);
    free(option);
    return rc != CLI_OK && of_yarn ? CLI_YARN_FAILED : rc;
}

static int change_labels(struct cli *c, const struct cli_yarn_line *line)
{
    if (is_action(line, "addToClusterNodeLabels"))
        return cli_admin_add_labels(c, cli_yarn_value(line, "addToClusterNodeLabels"));
    if (is_action(line, "removeFromClusterNodeLabels"))
        return cli_admin_remove_labels(c, cli_yarn_value(line, "removeFromClusterNodeLabels"));
    return cli_admin_replace_labels(c, cli_yarn_values(line, "replaceLabelsOnNode"),
                                    cli_yarn_has(line, "failOnUnknownNodes"));
}

/* Prints which argument is missing; yarn has its own sentence for labels. */
static int refuse_missing_argument(const struct cli_yarn_line *line)
{
    if (cli_yarn_has(line, "addToClusterNodeLabels") ||
        cli_yarn_has(line, "removeFromClusterNodeLabels"))
        fputs("No cluster node-labels are specified\n", stderr);
    else if (cli_yarn_has(line, "replaceLabelsOnNode"))
        fputs("No node-to-labels mappings are specified\n", stderr);
    else if (is_action(line, "updateNodeResource"))
        fputs("updateNodeResource: the node and its resources are missing\n", stderr);
    else
        puts("Missing argument for options");
    return print_usage(stderr, NULL, false);
}

/* Returns true when the action takes no argument but was given one, which yarn counts as
 * success. */
static bool has_too_many_words(const struct cli_yarn_line *line)
{
    static const char *const alone[] = {"refreshQueues",
                                        "refreshSecret",
                                        "refreshNodesResources",
                                        "refreshUserToGroupsMappings",
                                        "refreshSuperUserGroupsConfiguration",
                                        "refreshAdminAcls",
                                        "refreshServiceAcl",
                                        "refreshClusterMaxPriority"};
    for (size_t i = 0; i < sizeof alone / sizeof *alone; i++)
        if (is_action(line, alone[i]))
            return line->n_args > 1;
    return false;
}

static int run_yarn_action(struct cli *c, const struct cli_yarn_line *line)
{
    const struct ha_action *ha = find_ha_action(line);
    int rc;
    if (line->missing)
        return refuse_missing_argument(line);
    if (is_action(line, "help")) {
        print_usage(line->n_args > 1 ? stderr : stdout, cli_yarn_value(line, "help"), true);
        return CLI_YARN_OK;
    }
    if (ha)
        return run_ha_action(c, line, ha);
    if (is_action(line, "refreshQueues"))
        return refresh_queues(c);
    if (is_action(line, "refreshSecret"))
        return refresh_secret(c);
    if (is_action(line, "refreshNodes"))
        return refresh_nodes(c, line);
    if (is_action(line, "updateNodeResource"))
        return cli_admin_update_node_resource(c, cli_yarn_values(line, "updateNodeResource"));
    if (is_action(line, "addToClusterNodeLabels") ||
        is_action(line, "removeFromClusterNodeLabels") || is_action(line, "replaceLabelsOnNode"))
        return change_labels(c, line);
    if (is_action(line, "getGroups"))
        return print_groups_of_users(c, cli_yarn_values(line, "getGroups"));
    rc = run_action_without_effect(line);
    return rc < 0 ? print_usage(stderr, NULL, false) : rc;
}

static int refuse_unknown_action(const char *action)
{
    fprintf(stderr, "%s: Unknown command\n", action + (*action == '-'));
    return print_usage(stderr, NULL, false);
}

static int run_action(struct cli *c, const struct cli_yarn_line *line)
{
    static char *const no_ids[2];
    if (line->n_words == 1 && line->n_args == 1 && strcmp(line->words[0], "status") == 0)
        return cli_rmadmin_run_ha_action(c, CLI_RMADMIN_STATUS, "status", no_ids, NULL);
    if (line->first && *line->first != '-')
        return refuse_unknown_action(line->first);
    if (has_too_many_words(line)) {
        print_usage(stderr, line->first + strspn(line->first, "-"), true);
        return CLI_YARN_OK;
    }
    if (line->unknown)
        return refuse_unknown_action(line->unknown);
    if (is_action(line, "policy"))
        return cli_yarn_value(line, "policy") ? set_policy(c, cli_yarn_value(line, "policy"))
                                              : show_policy(c);
    return run_yarn_action(c, line);
}

int cli_rmadmin_main(int argc, char **argv)
{
    static const struct argp help = {
        .args_doc = "status\n"
                    "-policy [NAME]\n"
                    "-refreshQueues\n"
                    "-refreshSecret\n"
                    "-refreshNodes [-g [SECONDS] -client|-server]\n"
                    "-updateNodeResource NODE MEMORY VCORES\n"
                    "-addToClusterNodeLabels LABELS\n"
                    "-removeFromClusterNodeLabels LABELS\n"
                    "-replaceLabelsOnNode NODE=LABEL...\n"
                    "-getServiceState ID\n"
                    "-getAllServiceState\n"
                    "-checkHealth ID\n"
                    "-transitionToStandby ID\n"
                    "-failover FROM TO",
        .doc = "Administers the cluster and its ResourceManagers. The options are those of yarn "
               "rmadmin, and -policy, -refreshSecret and -failover. status shows the id, address, "
               "state and epoch "
               "of every ResourceManager.\v"
               "Examples:\n"
               "  creel rmadmin status\n"
               "  creel rmadmin -policy\n"
               "  creel rmadmin -policy hfsp\n"
               "  creel rmadmin -refreshQueues\n"
               "  creel rmadmin -refreshNodes -g 600 -client\n"
               "  creel rmadmin -getServiceState rm-1\n"
               "  creel rmadmin -failover rm-1 rm-2\n\n"
               "A policy set here lasts until the ResourceManager restarts or another one takes "
               "over. The ids are those in yarn.resourcemanager.ha.rm-ids; with --rm or CREEL_RM, "
               "those that the ResourceManagers at these addresses report.\n\n"
               "Options of yarn's print what yarn prints and exit as yarn does: 0 success, 255 "
               "anything else.\n" CLI_EXIT_HELP};
    return cli_yarn_main(&help, "rmadmin", options, true, argc, argv, run_action);
}
