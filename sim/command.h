/* sim/command.h - the command `creel sim`.
 *
 *     argv --sim_cli_parse()--> struct sim_cli --settings--> one struct sim_setup per variation -->
 *     specs --> results
 *
 * Results go to standard output, everything else to standard error; an error is one line, "creel:
 * ...". Exit status: 0, 1 a run failed or a criterion of a paper is not met, 2 wrong usage or
 * refused input. */
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
struct sim_cli { /* what was asked for */
    bool help, list, single_server, skip_bad, no_pictures, force;
    char *workload; /* as sim_source_conf.what */
    char *paper;    /* NULL: none */
    struct sim_list policies;
    struct sim_list sets; /* "KEY=VALUE": --set, and --nodes and the like, in their order */
    struct sim_sweep sweeps[SIM_CLI_SWEEPS_MAX];
    size_t sweeps_n;
    uint64_t seed_first, seeds_n;
    bool seeds_given, format_given;
    double load;
    int jobs;
    char *out, *log;
    enum sim_format format;
    int progress; /* -1: on a terminal */
    int slowdown; /* -1: where it costs little */
    int argc;
    char **argv; /* borrowed */
};
/* 0, or -BASE_EINVAL: what is wrong with which option. @cli is to be freed in any case. */
int sim_cli_parse(struct sim_cli *cli, int argc, char **argv, struct base_error *err);
void sim_cli_free(struct sim_cli *cli);
void sim_cli_help(const char *name);
void sim_cli_list(void);

/* ---- the ways to go on; each returns an exit status ---- */
int sim_cli_runs(const struct sim_cli *cli);
int sim_cli_single(const struct sim_cli *cli);

/* All of it: `creel sim`, argv[0] is its full name. */
int sim_cli_main(int argc, char **argv);

#endif
