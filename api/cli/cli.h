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

#include "base/base_conf.h"
#include "base/base_error.h"
#include "base/base_mem.h"

enum cli_exit {
    CLI_OK = 0,
    CLI_FAILED = 1,      /* the job failed or was killed; a daemon does not run */
    CLI_USAGE = 2,       /* wrong usage, or input that Creel refuses */
    CLI_UNREACHABLE = 3, /* no ResourceManager answers */
    CLI_NOTFOUND = 4,    /* no such job, application, node, container or log */
};
#define CLI_EXIT_HELP                                                                                                  \
    "Exit status: 0 success, 1 the job failed or was killed, 2 wrong usage or refused input, "                         \
    "3 the ResourceManager cannot be reached, 4 not found."

/* What every subcommand's --rm, --json, --conf and -D fill. Zero it, then cli_parse(). */
struct cli {
    const char *name; /* "creel job submit" */
    bool json;
    char *rm_arg; /* --rm */
    struct base_conf *conf;
    struct cli_rm *rm; /* opened by cli_rm_open() */
};
void cli_free(struct cli *c);

/* "creel: <text>" on stderr, as one line without control characters; returns @code. */
int cli_error(int code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Parses with @argp plus the common options. A parser that finds something wrong calls cli_bad() and returns its
 * value. Returns CLI_OK, CLI_USAGE (the line has been printed), or -1 when --help was printed: exit 0.
 * Parsers find their own data in state->input. */
int cli_parse(struct cli *c, const struct argp *argp, unsigned argp_flags, int argc, char **argv, void *input);
error_t cli_bad(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
const char *cli_bad_text(void); /* what cli_bad() was told last, for checks after the parsing */
#define CLI_KEY_FIRST 2000      /* keys of common options start here: subcommands use 256 to 1999 */

/* The RMs' URLs: --rm, then CREEL_RM, then the configuration. NULL-ended, caller frees with cli_urls_free(). */
char **cli_rm_urls(const struct cli *c);
/* "http://a:1, b:2" -> {"http://a:1", "http://b:2"}; no trailing slashes. */
char **cli_urls_split(const char *text);
void cli_urls_free(char **urls);

/* Who we are for the RM: $HADOOP_USER_NAME, the login name, else the numeric uid. Caller frees. */
char *cli_user(void);

/* ---- subcommands ---- */
typedef int cli_main_fn(int argc, char **argv);
int cli_dev_main(int argc, char **argv);
int cli_job_main(int argc, char **argv);
int cli_job_submit_main(int argc, char **argv);
int cli_job_list_main(int argc, char **argv);
int cli_job_status_main(int argc, char **argv);
int cli_job_kill_main(int argc, char **argv);
int cli_job_counters_main(int argc, char **argv);
int cli_run_main(int argc, char **argv);
int cli_logs_main(int argc, char **argv);
int cli_app_main(int argc, char **argv);
int cli_node_main(int argc, char **argv);
int cli_version_main(int argc, char **argv);

#endif
