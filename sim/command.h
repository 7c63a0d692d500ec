/* sim/command.h - the command `creel sim`.
 *
 *     argv --sim_cli_parse()--> struct sim_cli --settings--> one struct sim_setup per variation
 *          --> specs --> results
 *
 * Results go to standard output, everything else to standard error; an error is one line, "creel:
 * ...". Exit status: 0 success, 1 a run failed or a criterion of a paper is not met, 2 wrong usage
 * or refused input. */
#ifndef CREEL_SIM_COMMAND_H
#define CREEL_SIM_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "sim/report/summary.h"
#include "sim/text_list.h"

enum { SIM_CLI_SEEDS_MAX = 100000, SIM_CLI_SWEEPS_MAX = 4, SIM_CLI_VALUES_MAX = 1000 };

struct sim_sweep {
    char *key;
    struct sim_list values;
};
struct sim_cli { /* the parsed command line */
    bool help, list, single_server, skip_bad, no_pictures, force;
    char *workload; /* as sim_source_conf.what */
    char *paper;    /* NULL: no --paper */
    struct sim_list policies;
    struct sim_list sets; /* "KEY=VALUE" in their order; --nodes and the like are short for --set */
    struct sim_sweep sweeps[SIM_CLI_SWEEPS_MAX];
    size_t sweeps_n;
    uint64_t seed_first, seeds_n;
    bool seeds_given, format_given;
    double load;
    int jobs;
    char *out, *log;
    enum sim_format format;
    int progress; /* the bar: 1: show it; 0: do not; -1: if standard error is a terminal */
    int slowdown; /* jobs run alone: 1: yes; 0: no; -1: for named workloads except reference-load */
    int argc;
    char **argv; /* borrowed */
};
/* Returns 0, or -BASE_EINVAL with @err naming the option. Free @cli in both cases. */
int sim_cli_parse(struct sim_cli *cli, int argc, char **argv, struct base_error *err);
void sim_cli_free(struct sim_cli *cli);
void sim_cli_print_help(const char *name);
void sim_cli_print_lists(void);

/* ---- both return an exit status ---- */
int sim_cli_run_simulations(const struct sim_cli *cli);
int sim_cli_run_single_server(const struct sim_cli *cli);

/* Runs `creel sim`; argv[0] is the full name of the command. Returns the exit status. */
int sim_cli_main(int argc, char **argv);

#endif
