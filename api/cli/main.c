/* api/cli/main.c - the `creel` command: finds and calls the subcommand, prints the overview. */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/cli.h"
#include "api/cli/rm_client.h"
#include "base/nearest.h"
#include "base/version.h"
#include "base/version/build.h"
#include "sim/command.h"

struct command {
    const char *name;
    cli_main_fn *run;
    const char *help; /* NULL: another name of the subcommand above */
};

static int help_main(int argc, char **argv);

static const struct command commands[] = {
    {"dev", cli_dev_main, "start, stop, restart or inspect a cluster on this machine"},
    {"run", cli_run_command_main, "run one command on the cluster: creel run -- CMD"},
    {"job", cli_job_main, "submit, list, inspect, wait for or kill jobs"},
    {"why", cli_why_main, "explain why a job or application waits, in the policy's words"},
    {"logs", cli_logs_main, "show stdout and stderr of a job, task or container"},
    {"application", cli_app_main, "list, inspect, move or kill applications, as yarn application"},
    {"app", cli_app_main, NULL},
    {"applicationattempt", cli_attempt_main, "list, inspect or fail attempts, as yarn does"},
    {"container", cli_container_main, "list, inspect or signal containers, as yarn container"},
    {"node", cli_node_main, "list, inspect or drain nodes, as yarn node"},
    {"queue", cli_queue_main, "list or inspect queues, as yarn queue"},
    {"top", cli_top_main, "show what the cluster runs, again and again, as yarn top"},
    {"history", cli_history_main, "export ended jobs as a workload that creel sim replays"},
    {"rmadmin", cli_rmadmin_main, "administer the cluster: policy, queues, nodes, failover"},
    {"secret", cli_secret_main, "make or replace the secret that the daemons of a cluster share"},
    {"token", cli_token_main, "make, list or revoke tokens of users"},
    {"cluster", cli_cluster_main, "list the labels of nodes, as yarn cluster"},
    {"doctor", cli_doctor_main, "say what is open in a configuration and in a running cluster"},
    {"classpath", cli_classpath_main, "refused: Creel needs no Java classes"},
    {"jar", cli_jar_main, "refused: Creel runs commands, not Java programs"},
    {"sim", sim_cli_main, "simulate a cluster: policies on workloads and traces, in virtual time"},
    {"version", cli_version_main, "print the versions of this program and of the ResourceManager"},
    {"help", help_main, "print the help of a command: creel help job submit"},
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static void print_overview(FILE *out)
{
    fprintf(out, "Usage: creel COMMAND ...\n\nCreel, a cluster resource manager that speaks YARN "
                 "over HTTP.\n\n");
    for (size_t i = 0; i < COMMANDS; i++)
        if (commands[i].help)
            fprintf(out, "  %-19s %s\n", commands[i].name, commands[i].help);
    fprintf(
        out,
        "\n"
        "The address of the ResourceManager comes from --rm URL[,URL] (before or after the "
        "command), else\n"
        "from $CREEL_RM, else from the configuration ($CREEL_CONF_DIR or /etc/creel):\n"
        "yarn.resourcemanager.webapp.address.<id> for each of yarn.resourcemanager.ha.rm-ids, "
        "else\n"
        "yarn.resourcemanager.webapp.address, else creel.nodemanager.rm; else it is "
        "http://127.0.0.1:8088. With yarn.http.policy HTTPS_ONLY: webapp.https.address, and "
        "https://127.0.0.1:8090.\n"
        "Daemons with TLS are recognised by the authority in $CREEL_CA_FILE, else in "
        "creel.tls.ca-file.\n"
        "The token that proves who you are comes from $CREEL_TOKEN_FILE, else from the cluster of "
        "creel dev or\n"
        "the ResourceManager of your own that it talks to, else from ~/.config/creel/token.\n"
        "Among several, creel finds the active one; while there is none, commands wait for up to a "
        "minute.\n\n"
        "Exit status:\n"
        "  0  success\n"
        "  1  the job failed or was killed; a daemon is down; standard output cannot be written\n"
        "  2  wrong usage or refused input\n"
        "  3  the ResourceManager cannot be reached\n"
        "  4  no such job, application, node, container or log\n"
        "  5  output or logs are missing; stderr names them\n"
        "  creel run: the command's own status (128+n after signal n), 130 after Ctrl-C\n\n"
        "Start here:  creel dev\n");
}

static int run_subcommand(int argc, char **argv);

static int help_main(int argc, char **argv)
{
    if (argc < 2 || strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0 ||
        strcmp(argv[1], "-h") == 0) {
        print_overview(stdout);
        return CLI_OK;
    }
    char *args[] = {"creel", argv[1], argc > 2 ? argv[2] : "--help", argc > 2 ? "--help" : NULL,
                    NULL};
    if (strcmp(argv[1], "job") != 0) {
        args[2] = "--help";
        args[3] = NULL;
    }
    return run_subcommand(args[3] ? 4 : 3, args);
}

/* Returns how many arguments the common option at @arg consists of: 1, or 2 when its value is an
 * argument of its own; 0 when @arg is none of --rm, --conf, -D and --json. */
static int count_args_of_common_option(const char *arg)
{
    static const char *const valued[] = {"--rm", "--conf", "-D"};
    if (strcmp(arg, "--json") == 0 || (strncmp(arg, "-D", 2) == 0 && arg[2]))
        return 1;
    for (size_t i = 0; i < sizeof valued / sizeof *valued; i++) {
        size_t len = strlen(valued[i]);
        if (strcmp(arg, valued[i]) == 0)
            return 2;
        if (strncmp(arg, valued[i], len) == 0 && arg[len] == '=')
            return 1;
    }
    return 0;
}

/* Turns `creel --rm URL job list` into `creel job list --rm URL`: moves common options from before
 * the command to after it, or after the verb of `creel job`. */
static void move_options_after_command(int argc, char **argv)
{
    int n = 0, words;
    while (1 + n < argc && (words = count_args_of_common_option(argv[1 + n])) > 0)
        n += words;
    if (n == 0 || 1 + n >= argc)
        return;
    int names = strcmp(argv[1 + n], "job") == 0 && 2 + n < argc && argv[2 + n][0] != '-' ? 2 : 1;
    char **moved = base_alloc((size_t)n * sizeof *moved);
    memcpy(moved, argv + 1, (size_t)n * sizeof *moved);
    memmove(argv + 1, argv + 1 + n, (size_t)names * sizeof *argv);
    memcpy(argv + 1 + names, moved, (size_t)n * sizeof *moved);
    free(moved);
}

/* Takes the options of the `yarn` script that stand before the command: --config DIR becomes
 * CREEL_CONF_DIR; --loglevel LEVEL and --debug have no meaning here. Returns how many arguments
 * they were. */
static int take_options_of_yarn_script(int argc, char **argv)
{
    int n = 1;
    for (; n < argc; n++) {
        bool config = strcmp(argv[n], "--config") == 0;
        if ((config || strcmp(argv[n], "--loglevel") == 0) && n + 1 < argc) {
            if (config)
                setenv("CREEL_CONF_DIR", argv[n + 1], 1);
            n++;
        } else if (strcmp(argv[n], "--debug") != 0) {
            break;
        }
    }
    return n - 1;
}

/* Calls the subcommand with its full name, "creel run", as argv[0]. */
static int run_subcommand(int argc, char **argv)
{
    for (size_t i = 0; i < COMMANDS; i++) {
        if (strcmp(argv[1], commands[i].name) != 0)
            continue;
        char *full = base_printf("creel %s", argv[1]);
        argv[1] = full;
        int rc = commands[i].run(argc - 1, argv + 1);
        free(full);
        return rc;
    }
    const char *best = NULL;
    size_t distance = 0;
    if (count_args_of_common_option(argv[1]))
        return cli_error(CLI_USAGE, "%s must be followed by a command; see creel help", argv[1]);
    for (size_t i = 0; i < COMMANDS; i++)
        base_nearest_take_if_closer(argv[1], commands[i].name, &best, &distance);
    if (best)
        return cli_error(CLI_USAGE, "unknown command '%s'; did you mean creel %s?", argv[1], best);
    return cli_error(CLI_USAGE, "unknown command '%s'; see creel help", argv[1]);
}

/* Returns what a daemon was built from: the word after "from" in the text of its build, whose form
 * is base_build_yarn_text's; "unknown" in a text of another form. Caller frees. */
static char *parse_build_source(const char *build)
{
    const char *from = strstr(build, " from ");
    return from ? base_strndup(from + 6, strcspn(from + 6, " ")) : base_strdup("unknown");
}

int cli_version_main(int argc, char **argv)
{
    static const struct argp argp = {.doc = "Prints the version of this program, and that of the "
                                            "ResourceManager if one answers.\v" CLI_EXIT_HELP};
    struct cli c = {0};
    int rc = cli_parse_and_load_conf(&c, &argp, 0, argc, argv, NULL);
    if (rc != CLI_OK) {
        cli_free(&c);
        return rc < 0 ? CLI_OK : rc;
    }
    if ((rc = cli_rm_open(&c)) != CLI_OK) {
        cli_free(&c);
        return rc;
    }
    struct cli_answer a = {0};
    bool up = cli_rm_call(c.rm, "GET", "/ws/v1/cluster/info", NULL, CLI_RM_ONCE, &a) == CLI_OK;
    const char *rm = cli_str(a.json, "clusterInfo.resourceManagerVersion");
    char *source = parse_build_source(cli_str(a.json, "clusterInfo.resourceManagerBuildVersion"));
    if (c.json) {
        json_t *j = json_pack("{s:s, s:s}", "creel", CREEL_VERSION, "source", base_build_source);
        if (up) {
            json_object_set_new(j, "resourceManager", json_string(rm));
            json_object_set_new(j, "resourceManagerSource", json_string(source));
        }
        cli_print_json(j);
        json_decref(j);
    } else {
        printf("creel %s\n", base_build_text);
        if (up)
            printf("ResourceManager %s (built from %s) at %s\n", rm, source, cli_rm_url(c.rm));
    }
    free(source);
    cli_answer_free(&a);
    cli_free(&c);
    return CLI_OK;
}

int main(int argc, char **argv)
{
    setlocale(LC_ALL, "");
    cli_output_install_guards();
    int taken = take_options_of_yarn_script(argc, argv);
    argc -= taken;
    argv += taken;
    if (argc < 2) {
        print_overview(stderr);
        return CLI_USAGE;
    }
    move_options_after_command(argc, argv);
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_overview(stdout);
        return CLI_OK;
    }
    if (strcmp(argv[1], "--version") == 0)
        argv[1] = "version";
    return run_subcommand(argc, argv);
}
