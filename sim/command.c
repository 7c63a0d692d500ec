/* Arguments, help and lists of `creel sim`. */
#include "sim/command.h"
#include "sim/paper/paper.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io/io.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "policies/policy.h"
#include "policies/registry.h"
#include "sim/command_settings.h"
#include "sim/input/workload.h"
#include "sim/options.h"
#include "sim/pool.h"
#include "sim/terminal.h"

/* ---------------------------------------------------------------- options */
#define OPTION(name)                                                                               \
    static int name(struct sim_cli *c, const char *option, const char *value,                      \
                    struct base_error *err)

static int refuse_option_value(const char *option, const char *value, const char *wanted,
                               struct base_error *err)
{
    return base_error_set(err, -BASE_EINVAL, "%s: \"%.100s\" is not %s", option, value, wanted);
}

static void replace_text(char **text, const char *value)
{
    free(*text);
    *text = base_strdup(value);
}

/* An empty file name usually comes from an unset variable of a script. */
static int refuse_if_empty(const char *option, const char *value, struct base_error *err)
{
    return *value ? 0 : refuse_option_value(option, value, "the name of a file or folder", err);
}

OPTION(opt_workload)
{
    const char *colon = strchr(value, ':');

    if (colon && refuse_if_empty(option, colon + 1, err) < 0)
        return err->code;
    replace_text(&c->workload, value);
    return 0;
}
OPTION(opt_history)
{
    if (refuse_if_empty(option, value, err) < 0)
        return err->code;
    free(c->workload);
    c->workload = base_printf("jsonl:%s", value);
    return 0;
}
OPTION(opt_paper)
{
    (void)err;
    (void)option;
    replace_text(&c->paper, value);
    return 0;
}
OPTION(opt_policy)
{
    return sim_list_add_comma_separated(&c->policies, value)
               ? 0
               : refuse_option_value(option, value, "a list of policies with commas between", err);
}

/* An option such as --nodes N is short for --set nodes=N. */
OPTION(opt_set_named)
{
    char *pair = base_printf("%s=%s", option + 2, value);

    (void)err;
    sim_list_add(&c->sets, pair, strlen(pair));
    free(pair);
    return 0;
}
OPTION(opt_oob)
{
    (void)option;
    return opt_set_named(c, "--oob_heartbeat", value, err);
}
OPTION(opt_set)
{
    if (!strchr(value, '=') || *value == '=')
        return refuse_option_value(option, value, "KEY=VALUE", err);
    sim_list_add(&c->sets, value, strlen(value));
    return 0;
}
OPTION(opt_sweep)
{
    const char *eq = strchr(value, '=');

    if (c->sweeps_n == SIM_CLI_SWEEPS_MAX)
        return base_error_set(err, -BASE_EINVAL, "%s: at most %d parameters", option,
                              SIM_CLI_SWEEPS_MAX);
    if (!eq || eq == value)
        return refuse_option_value(option, value, "KEY=VALUE,VALUE,...", err);
    struct sim_sweep *s = &c->sweeps[c->sweeps_n++];
    s->key = base_strndup(value, (size_t)(eq - value));
    if (!sim_list_add_comma_separated(&s->values, eq + 1))
        return refuse_option_value(option, value, "KEY=VALUE,VALUE,...", err);
    return 0;
}
OPTION(opt_seeds)
{
    const char *dash = strchr(value, '-');
    int64_t first, last;
    char *head = dash ? base_strndup(value, (size_t)(dash - value)) : base_strdup(value);
    bool good = base_int_parse(head, 0, INT64_MAX, &first) == 0;

    free(head);
    good = good && base_int_parse(dash ? dash + 1 : value, first, INT64_MAX, &last) == 0;
    if (!good || last - first >= SIM_CLI_SEEDS_MAX)
        return refuse_option_value(option, value, "FIRST-LAST (at most 100000 seeds) or one seed",
                                   err);
    c->seed_first = (uint64_t)first;
    c->seeds_n = (uint64_t)(last - first) + 1;
    c->seeds_given = true;
    return 0;
}
OPTION(opt_out)
{
    if (refuse_if_empty(option, value, err) < 0)
        return err->code;
    replace_text(&c->out, value);
    return 0;
}
OPTION(opt_log)
{
    if (refuse_if_empty(option, value, err) < 0)
        return err->code;
    replace_text(&c->log, value);
    return 0;
}
OPTION(opt_format)
{
    c->format_given = true;
    return sim_format_parse(value, &c->format, err) < 0
               ? base_error_wrap(err, -BASE_EINVAL, "%s", option)
               : 0;
}
OPTION(opt_jobs)
{
    int64_t n;

    if (base_int_parse(value, 0, SIM_POOL_JOBS_MAX, &n) < 0)
        return refuse_option_value(
            option, value, "a number of processes from 1 to 256, or 0: one per processor", err);
    c->jobs = (int)n;
    return 0;
}
OPTION(opt_load)
{
    char *end;

    c->load = strtod(value, &end);
    return *value && !*end && c->load > 0 && c->load < 1e6
               ? 0
               : refuse_option_value(option, value, "a load above 0", err);
}
OPTION(opt_slowdown)
{
    (void)option;
    if (strcmp(value, "auto") == 0)
        c->slowdown = -1;
    else if (strcmp(value, "on") == 0 || strcmp(value, "off") == 0)
        c->slowdown = value[1] == 'n';
    else
        return refuse_option_value(option, value, "auto, on or off", err);
    return 0;
}
#define FLAG(name, what)                                                                           \
    OPTION(name)                                                                                   \
    {                                                                                              \
        (void)option;                                                                              \
        (void)value;                                                                               \
        (void)err;                                                                                 \
        what;                                                                                      \
        return 0;                                                                                  \
    }
FLAG(opt_single, c->single_server = true)
FLAG(opt_skip_bad, c->skip_bad = true)
FLAG(opt_progress, c->progress = 1)
FLAG(opt_no_progress, c->progress = 0)
FLAG(opt_no_pictures, c->no_pictures = true)
FLAG(opt_force, c->force = true)
FLAG(opt_list, c->list = true)
FLAG(opt_help, c->help = true)

static const struct option_row {
    const char *name, *arg, *help; /* arg NULL: a flag; help NULL: a heading */
    int (*set)(struct sim_cli *c, const char *option, const char *value, struct base_error *err);
} options[] = {
    {"Jobs", NULL, NULL, NULL},
    {"--workload", "W",
     "a workload by name (--list), or swim:FILE, sls:FILE, csv:FILE, jsonl:FILE; FILE \"-\" is "
     "standard input",
     opt_workload},
    {"--history", "FILE",
     "a file written by `creel history export`; short for --workload jsonl:FILE", opt_history},
    {"--skip-bad", NULL, "skip bad lines of a trace and count them", opt_skip_bad},
    {"Cluster", NULL, NULL, NULL},
    {"--nodes", "N", "number of nodes (100)", opt_set_named},
    {"--map-slots", "M", "map slots of each node (4)", opt_set_named},
    {"--reduce-slots", "R", "reduce slots of each node (2)", opt_set_named},
    {"--racks", "K", "number of racks (1)", opt_set_named},
    {"--heartbeat", "S", "seconds between a node's heartbeats, or auto (auto); see --list",
     opt_set_named},
    {"--oob", "on|off", "an extra heartbeat at the end of every task (on)", opt_oob},
    {"--slowstart", "X", "fraction of the maps that must be done before reduces start (0.05)",
     opt_set_named},
    {"Policies", NULL, NULL, NULL},
    {"--policy", "P[,P...]", "policies (fifo); pictures compare the others with the first one",
     opt_policy},
    {"--set", "KEY=VALUE", "an option of a policy, of the simulator or of the workload (--list)",
     opt_set},
    {"Runs", NULL, NULL, NULL},
    {"--seeds", "A-B", "run every policy with each of these seeds (1)", opt_seeds},
    {"--seed", "S", "one seed", opt_seeds},
    {"--sweep", "KEY=V,V...",
     "repeat all runs with each value of a setting; several sweeps are combined", opt_sweep},
    {"--jobs", "N", "number of parallel processes (one per processor)", opt_jobs},
    {"--slowdown", "auto|on|off",
     "also run each job alone, to report slowdowns (auto: for named workloads)", opt_slowdown},
    {"Results", NULL, NULL, NULL},
    {"--format", "F", "table, csv or json on standard output (table)", opt_format},
    {"--out", "DIR",
     "write a report to DIR: index.html with pictures, summary, jobs.csv, manifest.json", opt_out},
    {"--force", NULL, "overwrite the report in DIR and the log in FILE", opt_force},
    {"--no-pictures", NULL, "write no index.html and no pictures to DIR", opt_no_pictures},
    {"--log", "FILE",
     "write a log of events; several runs write one file each, named after the run", opt_log},
    {"--progress", NULL, "show a progress bar even if standard error is not a terminal",
     opt_progress},
    {"--no-progress", NULL, "show no progress bar", opt_no_progress},
    {"Other simulations", NULL, NULL, NULL},
    {"--single-server", NULL,
     "run the jobs on a single machine; prints policy,mean_sojourn_s. Policies: fifo, ps, las, "
     "fsp, srpt, psbs",
     opt_single},
    {"--load", "L", "load of the single server until the last submission (0.9)", opt_load},
    {"--paper", "NAME[,...]",
     "repeat the experiments of a paper and compare the results with the published ones: hsrtf, "
     "hfsp, rtmr, hfs or all; 10 seeds unless --seeds is given; with --out also pictures",
     opt_paper},
    {"Help", NULL, NULL, NULL},
    {"--list", NULL, "policies, workloads, and all settings with their defaults", opt_list},
    {"--help", NULL, "this text", opt_help},
};
enum { OPTIONS = sizeof options / sizeof *options };

/* ---------------------------------------------------------------- parsing */
static int refuse_unknown_option(const char *arg, struct base_error *err)
{
    const char *best = NULL;
    size_t distance = 0;

    for (size_t i = 0; i < OPTIONS; i++)
        if (options[i].help)
            base_nearest_take_if_closer(arg, options[i].name, &best, &distance);
    if (*arg != '-')
        return base_error_set(err, -BASE_EINVAL, "\"%.100s\" is no option; see creel sim --help",
                              arg);
    return base_error_set(err, -BASE_EINVAL, "there is no option %.100s%s%s; see creel sim --help",
                          arg, best ? "; did you mean " : "", best ? best : "");
}

static int parse_argument(struct sim_cli *c, int argc, char **argv, int *i, struct base_error *err)
{
    const char *arg = argv[*i], *eq = strncmp(arg, "--", 2) == 0 ? strchr(arg, '=') : NULL;
    char *name = eq ? base_strndup(arg, (size_t)(eq - arg))
                    : base_strdup(strcmp(arg, "-h") == 0 ? "--help" : arg);
    const struct option_row *o = NULL;
    int rc;

    for (size_t k = 0; k < OPTIONS && !o; k++)
        if (options[k].help && strcmp(options[k].name, name) == 0)
            o = &options[k];
    if (!o)
        rc = refuse_unknown_option(name, err);
    else if (!o->arg && eq)
        rc = base_error_set(err, -BASE_EINVAL, "%s takes no value", o->name);
    else if (o->arg && !eq && *i + 1 >= argc)
        rc = base_error_set(err, -BASE_EINVAL, "%s needs a value: %s", o->name, o->arg);
    else
        rc = o->set(c, o->name, !o->arg ? NULL : eq ? eq + 1 : argv[++*i], err);
    free(name);
    return rc;
}

static int check_combination_and_set_default_policy(struct sim_cli *c, struct base_error *err)
{
    if (c->help || c->list)
        return 0;
    if (c->paper &&
        (c->workload || c->policies.n || c->sets.n || c->sweeps_n || c->log || c->single_server))
        return base_error_set(
            err, -BASE_EINVAL,
            "--paper defines what is run: only --seeds, --jobs, --out, --force and --format may be "
            "given too");
    if (c->paper)
        return 0;
    if (!c->workload)
        return base_error_set(
            err, -BASE_EINVAL,
            "what is to be simulated? --workload NAME|swim:FILE|sls:FILE|csv:FILE or "
            "--history FILE; see creel sim --help");
    if (c->single_server && (c->out || c->log || c->sweeps_n))
        return base_error_set(err, -BASE_EINVAL, "--single-server has no %s",
                              c->out   ? "--out"
                              : c->log ? "--log"
                                       : "--sweep");
    if (c->load > 0 && !c->single_server)
        return base_error_set(err, -BASE_EINVAL, "--load is for --single-server");
    if (!c->policies.n && !c->single_server)
        sim_list_add(&c->policies, "fifo", 4);
    return 0;
}

int sim_cli_parse(struct sim_cli *c, int argc, char **argv, struct base_error *err)
{
    int rc = 0;

    *c = (struct sim_cli){
        .seed_first = 1, .seeds_n = 1, .progress = -1, .slowdown = -1, .argc = argc, .argv = argv};
    for (int i = 1; i < argc && rc == 0; i++)
        rc = parse_argument(c, argc, argv, &i, err);
    return rc == 0 ? check_combination_and_set_default_policy(c, err) : rc;
}

void sim_cli_free(struct sim_cli *c)
{
    free(c->workload);
    free(c->paper);
    free(c->out);
    free(c->log);
    sim_list_free(&c->policies);
    sim_list_free(&c->sets);
    for (size_t i = 0; i < c->sweeps_n; i++) {
        free(c->sweeps[i].key);
        sim_list_free(&c->sweeps[i].values);
    }
    *c = (struct sim_cli){0};
}

/* ---------------------------------------------------------------- help */
void sim_cli_print_help(const char *name)
{
    char *usage =
        base_printf("Usage: %s --workload W [--policy P,P...] [--seeds A-B] [--out DIR] ...", name);
    sim_print_lines_folded(usage);
    printf("\n");
    free(usage);
    sim_print_wrapped("Simulates a cluster: the ResourceManager's own scheduling core and policies "
                      "in virtual time, with "
                      "simulated nodes and tasks. Equal seeds give equal results.",
                      0);
    for (size_t i = 0; i < OPTIONS; i++) {
        const struct option_row *o = &options[i];
        if (!o->help) {
            printf("\n%s:\n", o->name);
            continue;
        }
        char *left = base_printf("  %s %s", o->name, o->arg ? o->arg : "");
        sim_print_pair(left, o->help, 28);
        free(left);
    }
    printf(
        "\nExamples:\n"
        "  creel sim --workload w-hfsp --policy fifo,fair,hfsp --seeds 1-10 --out report\n"
        "  creel sim --workload w-hfsp --policy fair,hfsp --sweep nodes=10,20,50,100 --seeds 1-5\n"
        "  creel sim --workload swim:FB-2009_samples_24_times_1hr_0.tsv --nodes 600 --racks 30 "
        "--policy hfsp\n"
        "  creel sim --single-server --workload swim:FB-2009_samples_24_times_1hr_0.tsv --load "
        "0.9\n\n");
    sim_print_lines_folded(
        "Exit status: 0 success, 1 a run failed or a paper's criterion is not met, 2 "
        "wrong usage or "
        "refused input.\n");
}

void sim_cli_print_lists(void)
{
    struct base_buf text = {0};

    printf("Policies (--policy):\n");
    for (size_t i = 0; policy_at(i); i++) {
        char *left = base_printf("  %s", policy_at(i)->name);
        sim_print_pair(left, policy_at(i)->source ? policy_at(i)->source : "", 15);
        free(left);
    }
    printf("\nOptions of policies (--set, --sweep), with their defaults:\n");
    for (size_t i = 0; sim_option_at(i); i++) {
        const struct policy_option *o = sim_option_at(i);
        char *left = base_printf("  %s = %s", o->name, o->value);
        char *help = o->type == POLICY_OPT_WORD ? base_printf("%s: %s", o->words, o->help)
                                                : base_strdup(o->help);
        sim_print_pair(left, help, 37);
        free(help);
        free(left);
    }
    sim_setup_append_help(&text);
    printf("\nThe simulator's own (--set, --sweep), with their defaults:\n");
    sim_print_lines_folded(text.data);
    base_buf_clear(&text);
    sim_workload_describe(&text);
    printf("\nWorkloads (--workload NAME[,KEY=VALUE...]):\n");
    sim_print_lines_folded(text.data);
    base_buf_free(&text);
}

/* ---------------------------------------------------------------- the command */
enum { PAPER_SEEDS = 10 };

static int run_papers(const struct sim_cli *cli)
{
    struct sim_paper_conf conf = {.name = cli->paper,
                                  .first_seed = cli->seed_first,
                                  .seeds = cli->seeds_given ? cli->seeds_n : PAPER_SEEDS,
                                  .jobs = cli->jobs,
                                  .dir = cli->out,
                                  .force = cli->force,
                                  .progress =
                                      cli->progress < 0 ? isatty(STDERR_FILENO) : cli->progress,
                                  .format = cli->format};
    struct base_error err;
    int rc = sim_paper_run_and_report(&conf, &err);

    return rc < 0 ? sim_print_error_and_get_status(rc, err.text) : rc ? SIM_CLI_FAILED : SIM_CLI_OK;
}

int sim_cli_main(int argc, char **argv)
{
    struct sim_cli cli;
    struct base_error err = {0};
    int rc = sim_cli_parse(&cli, argc, argv, &err);

    if (rc < 0) {
        rc = sim_print_error_and_get_status(rc, err.text);
    } else if (cli.help) {
        sim_cli_print_help(argv[0]);
    } else if (cli.list) {
        sim_cli_print_lists();
    } else if (cli.paper) {
        rc = run_papers(&cli);
    } else if (cli.single_server) {
        rc = sim_cli_run_single_server(&cli);
    } else {
        rc = sim_cli_run_simulations(&cli);
    }
    sim_cli_free(&cli);
    return rc;
}
