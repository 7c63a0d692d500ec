/* api/cli/cli.h - shared by all subcommands of `creel`: exit codes, errors, options, output.
 *
 * A subcommand is a function of argc and argv, with argv[0] its full name ("creel job submit"). It
 * returns an exit code, prints results on stdout and everything else on stderr, and prints one line
 * per error, "creel: …", which a job's indented diagnostics may follow. Options of yarn's print
 * what yarn prints (api/cli/yarn/yarn.h). */
#ifndef CREEL_API_CLI_H
#define CREEL_API_CLI_H

#include <argp.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/conf/conf.h"
#include "base/conf/rm_list.h"
#include "base/error.h"
#include "base/mem.h"

enum cli_exit {
    CLI_OK = 0,
    CLI_FAILED = 1,      /* the job or the action failed, or the job was killed; a daemon is down */
    CLI_USAGE = 2,       /* wrong usage or refused input */
    CLI_UNREACHABLE = 3, /* no ResourceManager answers */
    CLI_NOTFOUND = 4,    /* no such job, application, node, container, log or other object */
    CLI_INCOMPLETE = 5,  /* output or logs are missing; stderr names them */
    CLI_INTERRUPTED = 130,
};
#define CLI_EXIT_HELP                                                                              \
    "Exit status: 0 success, 1 the job failed or was killed, 2 wrong usage or refused input, "     \
    "3 the ResourceManager cannot be reached, 4 not found."

/* The options that all subcommands share, and what follows from them. Zero the struct, set
 * @without, then call cli_parse_and_load_conf(), and cli_free() at the end. */
struct cli {
    const char *name; /* "creel job submit" */
    bool json;
    unsigned without; /* CLI_WITHOUT_*: options that this subcommand lacks */
    char *rm_arg;     /* --rm */
    char **sets;      /* every -D, borrowed from argv */
    size_t n_sets, cap_sets;
    struct base_conf *conf;
    char *left_out;    /* a configuration file that this user may not read; NULL: none */
    struct cli_rm *rm; /* set by cli_rm_open() */
};
enum { CLI_WITHOUT_RM = 1, CLI_WITHOUT_JSON = 2, CLI_WITHOUT_CONF = 4 };
void cli_free(struct cli *c);

/* ---- api/cli/error.c ---- */
/* Prints "creel: <text>" on stderr, as one line without control characters. Returns @code. */
int cli_error(int code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* For parsers of options: keeps the text, which cli_parse_and_load_conf() prints. Returns an error
 * for argp. */
error_t cli_option_set_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
const char *cli_option_error_text(void); /* the text last kept; "": none */
void cli_option_error_clear(void);

/* ---- api/cli/output.c ---- */
/* Call first: keeps descriptors 0 to 2 from being reused, and makes the process fail when stdout
 * cannot be written. */
void cli_output_install_guards(void);
/* Writes bytes to descriptor 1 or 2, bypassing stdio. Returns 0 or -errno. The first error other
 * than EPIPE is printed; from then on cli_write_failed() returns true: the command has failed. */
int cli_write_all_or_print_error(int fd, const void *data, size_t len);
bool cli_write_failed(void);
/* Print @text without control characters on stdout: as "label text", the label padded to @width,
 * or in the format @fmt, which has one %s. */
void cli_print_field(int width, const char *label, const char *text);
void cli_print_clean(const char *fmt, const char *text);

/* ---- api/cli/parse.c ---- */
/* Parses with @argp plus the common options, then loads the configuration. Parsers find @input in
 * state->input. Returns CLI_OK; CLI_USAGE after printing the error; or -1 after printing
 * --help: exit with 0. */
int cli_parse_and_load_conf(struct cli *c, const struct argp *argp, unsigned argp_flags, int argc,
                            char **argv, void *input);
/* argp parser of subcommands that take one id and no options of their own; their input is a
 * const char **. */
error_t cli_parse_one_id(int key, char *arg, struct argp_state *state);
#define CLI_KEY_FIRST 2000 /* first key of the common options; subcommands use 256 to 1999 */

/* ---- api/cli/options.c ---- */
/* Prints why argp stopped at the argument @at. Returns CLI_USAGE. */
int cli_print_option_error(const char *name, const char *at, const struct argp_option *common,
                           const struct argp_option *own);
/* Prints the help text of @argp on stdout. The options of @single (may be NULL) get one dash. */
void cli_print_help(const struct argp *argp, const struct argp_option *single, char *name);

/* ---- api/cli/address.c ---- */
/* Reads the addresses of the RMs from --rm, else CREEL_RM, else the configuration:
 * those of the ids in yarn.resourcemanager.ha.rm-ids (see base_rm_list_add_ha_ids()), else
 * yarn.resourcemanager.webapp.address, else creel.nodemanager.rm, else http://127.0.0.1:8088. With
 * yarn.http.policy HTTPS_ONLY, webapp.https.address and https://127.0.0.1:8090 take their places.
 * Returns CLI_OK, and the caller frees @out with base_rm_list_free(); or CLI_USAGE after printing
 * the error. */
int cli_rm_list_read(const struct cli *c, struct base_rm_list *out);

/* ---- api/cli/authority.c ---- */
/* Sets which certificate authority is trusted for connections to @rms and to the nodes that these
 * name: that of CREEL_CA_FILE, else creel.tls.ca-file, else, when `creel dev --tls` has started
 * @rms in its default folder, that of their cluster; else those of the system. */
void cli_trust_authority(const struct cli *c, const struct base_rm_list *rms);

/* ---- api/cli/app_id.c ---- */
/* Returns the id of the application that @id, an id of an application, job, attempt, container or
 * task, belongs to, as "application_1_0002"; NULL when @id is not an id. Caller frees. */
char *cli_app_id_from_any_id(const char *id);
/* Like cli_app_id_from_any_id(), but prints an error before returning NULL. @id may be NULL: not
 * given; then the error refers to the help of @command ("creel logs"). */
char *cli_app_id_require(const char *id, const char *command);
/* Checks @n ids. Returns CLI_OK, or CLI_USAGE after printing which one is not an id. */
int cli_app_ids_require(char *const *ids, size_t n);

/* ---- subcommands ---- */
typedef int cli_main_fn(int argc, char **argv);
int cli_dev_main(int argc, char **argv);
int cli_doctor_main(int argc, char **argv);
int cli_job_main(int argc, char **argv);
int cli_job_submit_main(int argc, char **argv);
int cli_job_list_main(int argc, char **argv);
int cli_job_status_main(int argc, char **argv);
int cli_job_kill_main(int argc, char **argv);
int cli_job_wait_main(int argc, char **argv);
int cli_job_counters_main(int argc, char **argv);
int cli_run_command_main(int argc, char **argv);
int cli_logs_main(int argc, char **argv);
int cli_app_main(int argc, char **argv);
int cli_node_main(int argc, char **argv);
int cli_attempt_main(int argc, char **argv);
int cli_container_main(int argc, char **argv);
int cli_queue_main(int argc, char **argv);
int cli_top_main(int argc, char **argv);
int cli_cluster_main(int argc, char **argv);
int cli_classpath_main(int argc, char **argv);
int cli_jar_main(int argc, char **argv);
int cli_why_main(int argc, char **argv);
int cli_rmadmin_main(int argc, char **argv);
int cli_token_main(int argc, char **argv);
int cli_history_main(int argc, char **argv);
int cli_secret_main(int argc, char **argv);
int cli_version_main(int argc, char **argv);

#endif
