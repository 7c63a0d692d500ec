/* api/cli/cli.h - what the subcommands of `creel` share: exit codes, the error line, common options, the RM's address.
 *
 * A subcommand is a function (argc, argv with argv[0] = its full name, as "creel job submit") that returns an exit
 * code. It prints results on stdout, everything else on stderr, and at most one line per error: "creel: …". */
#ifndef CREEL_API_CLI_H
#define CREEL_API_CLI_H

#include <argp.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/conf/conf.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/conf/rm_list.h"

enum cli_exit {
    CLI_OK = 0,
    CLI_FAILED = 1,      /* the job failed or was killed; a daemon does not run */
    CLI_USAGE = 2,       /* wrong usage, or input that Creel refuses */
    CLI_UNREACHABLE = 3, /* no ResourceManager answers */
    CLI_INCOMPLETE = 5,  /* output or logs that there should be cannot be had, and stderr says which */
    CLI_NOTFOUND = 4,    /* no such job, application, node, container or log */
    CLI_INTERRUPTED = 130,
};
#define CLI_EXIT_HELP                                                                                                  \
    "Exit status: 0 success, 1 the job failed or was killed, 2 wrong usage or refused input, "                         \
    "3 the ResourceManager cannot be reached, 4 not found."

/* What every subcommand's --rm, --json, --conf and -D fill. Zero it, then cli_parse(); cli_free() in the end. */
struct cli {
    const char *name; /* "creel job submit" */
    bool json;
    unsigned without; /* CLI_WITHOUT_*, set before the parsing: options this subcommand does not have */
    char *rm_arg;     /* --rm */
    char **sets;      /* every -D, borrowed from argv */
    size_t n_sets, cap_sets;
    struct base_conf *conf;
    char *left_out; /* a configuration file that this user may not read; NULL: none */
    struct cli_rm *rm; /* opened by cli_rm_open() */
};
enum { CLI_WITHOUT_RM = 1, CLI_WITHOUT_JSON = 2, CLI_WITHOUT_CONF = 4 };
void cli_free(struct cli *c);

/* ---- api/cli/error.c ---- */
/* "creel: <text>" on stderr, as one line without control characters; returns @code. */
int cli_error(int code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A parser of options that finds something wrong returns cli_option_error(): the text is kept for
 * cli_parse() to print. */
error_t cli_option_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
const char *cli_option_error_text(void); /* the text kept last; "": none */
void cli_option_error_clear(void);

/* ---- api/cli/output.c ---- */
/* Call first: keeps descriptors 0 to 2 from being reused, and makes the process fail when stdout cannot be written. */
void cli_output_init(void);
/* Writes bytes to descriptor 1 or 2, past stdio. Returns 0 or -errno. An error other than EPIPE is
 * printed, once, and from then on cli_write_failed() is true: the command has failed. */
int cli_write_through(int fd, const void *data, size_t len);
bool cli_write_failed(void);

/* ---- api/cli/parse.c ---- */
/* Parses with @argp plus the common options, then loads the configuration. Parsers find @input in state->input.
 * Returns CLI_OK; CLI_USAGE after printing what is wrong; -1 when --help was printed: exit with 0. */
int cli_parse(struct cli *c, const struct argp *argp, unsigned argp_flags, int argc, char **argv, void *input);
#define CLI_KEY_FIRST 2000      /* keys of common options start here: subcommands use 256 to 1999 */

/* ---- api/cli/options.c ---- */
/* Says why argp stopped at the argument @at; returns CLI_USAGE. */
int cli_print_option_error(const char *name, const char *at, const struct argp_option *common,
                           const struct argp_option *own);
/* The help text of @argp on stdout; options of @single (may be NULL) are shown with one dash. */
void cli_print_help(const struct argp *argp, const struct argp_option *single, char *name);

/* ---- api/cli/address.c ---- */
/* The RMs' addresses: --rm, then CREEL_RM, then the configuration: yarn.resourcemanager.webapp.address.<id> of each of
 * yarn.resourcemanager.ha.rm-ids, yarn.resourcemanager.webapp.address, creel.nodemanager.rm. CLI_OK, caller frees with
 * base_rm_list_free(); CLI_USAGE after printing what is wrong with them. */
int cli_rm_list_read(const struct cli *c, struct base_rm_list *out);

/* ---- api/cli/app_id.c ---- */
/* "application_1_2", "job_1_2" and ids of attempts, containers and tasks -> "application_1_0002"; NULL: no id. */
char *cli_app_id_of(const char *id);
/* As above, but says what is wrong with @id; NULL after printing. */
char *cli_app_id_require(const char *id, const char *what);
/* All of them: CLI_OK, or CLI_USAGE after saying which is no id. */
int cli_app_ids_require(char *const *ids, size_t n);

/* ---- subcommands ---- */
typedef int cli_main_fn(int argc, char **argv);
int cli_dev_main(int argc, char **argv);
int cli_job_main(int argc, char **argv);
int cli_job_submit_main(int argc, char **argv);
int cli_job_list_main(int argc, char **argv);
int cli_job_status_main(int argc, char **argv);
int cli_job_kill_main(int argc, char **argv);
int cli_job_wait_main(int argc, char **argv);
int cli_job_counters_main(int argc, char **argv);
int cli_run_main(int argc, char **argv);
int cli_logs_main(int argc, char **argv);
int cli_app_main(int argc, char **argv);
int cli_node_main(int argc, char **argv);
int cli_why_main(int argc, char **argv);
int cli_rmadmin_main(int argc, char **argv);
int cli_history_main(int argc, char **argv);
int cli_version_main(int argc, char **argv);

#endif
