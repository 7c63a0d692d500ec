/* api/cli/yarn/yarn.h - shared by the subcommands that behave like those of the `yarn` command:
 * options with a single dash, usage, exit codes and Java's number formats. (SOURCE: the classes of
 * org.apache.hadoop.yarn.client.cli in Hadoop 3.4.2, and commons-cli's GnuParser.)
 *
 * A subcommand has a table of options, from which its parser, its usage (-help), its help (--help)
 * and its page of the manual are made. It prints on stdout what `yarn` prints there; where `yarn`
 * would end with a Java exception, it prints the exception's message as one line on stderr. */
#ifndef CREEL_API_CLI_YARN_YARN_H
#define CREEL_API_CLI_YARN_YARN_H

#include <stdio.h>

#include "api/cli/rm_client.h"

/* The exit codes of `yarn`. */
enum cli_yarn_exit {
    CLI_YARN_OK = 0,
    CLI_YARN_EXCEPTION = 1, /* a Java exception in yarn: the RM refuses or does not answer */
    CLI_YARN_FAILED = 255,  /* an error found by yarn itself: wrong usage, an unknown id (-1) */
};
#define CLI_YARN_EXIT_HELP                                                                         \
    "Options with one dash print what yarn prints and exit as yarn does: 0 success, 255 wrong "    \
    "usage or an unknown id, 1 anything that the ResourceManager refuses, or no answer from it."

/* Special numbers of values: at least one, all that follow; any number; at most one. */
enum { CLI_YARN_MANY = -1, CLI_YARN_ANY = -2, CLI_YARN_OPTIONAL = -3 };

struct cli_yarn_option {
    const char *name; /* "appStates", without the dash; "h,--help": two names; NULL: end of table */
    int values;       /* number of values: 0, 1, … or one of the above */
    char separator;   /* splits a value into several: ',' or 0 */
    const char *arg;  /* name of its values: "Application ID"; NULL: "arg" */
    const char *help; /* NULL: not shown */
};

/* ---- api/cli/yarn/line.c: a command line ---- */
struct cli_yarn_values { /* of one option */
    bool given;
    char **v;
    size_t n, cap;
};
struct cli_yarn_line {
    const char *title; /* "application" */
    const struct cli_yarn_option *options;
    struct cli_yarn_values *values; /* one for each row of the table */
    char **words; /* arguments that are neither options nor their values; borrowed */
    size_t n_words, cap_words;
    const char *first; /* the first of the @n_args arguments; NULL: none */
    size_t n_args;     /* number of arguments, without the options that every command has */
    char **owned;      /* copies of the values, to which @values point */
    size_t n_owned, cap_owned;
    bool missing;        /* an option lacks its value */
    bool keep_unknown;   /* set by the caller: an unknown option is kept in @unknown, not refused */
    const char *unknown; /* borrowed; NULL: none */
};
/* Splits the arguments into the options that every subcommand of creel has (--rm, --json, --conf,
 * -D, --help), which set up @c, and those of @options. @help describes the subcommand for --help;
 * @options are added to it. Returns CLI_OK; an exit code after printing the error; or -1
 * after printing the help. @line starts zeroed but for keep_unknown; the caller frees it and
 * @c in any case. */
int cli_yarn_parse(struct cli *c, const struct argp *help, const char *title,
                   const struct cli_yarn_option *options, int argc, char **argv,
                   struct cli_yarn_line *line);
void cli_yarn_line_free(struct cli_yarn_line *line);

/* A command whose line is @line; returns its exit code. */
typedef int cli_yarn_action(struct cli *c, const struct cli_yarn_line *line);
/* Runs a whole subcommand: parses as cli_yarn_parse() does, finds the ResourceManager, calls @run.
 * Returns the exit code. @keep_unknown as in struct cli_yarn_line. */
int cli_yarn_main(const struct argp *help, const char *title, const struct cli_yarn_option *options,
                  bool keep_unknown, int argc, char **argv, cli_yarn_action *run);
bool cli_yarn_has(const struct cli_yarn_line *line, const char *option);
/* Returns the first value of an option; NULL when none was given. */
const char *cli_yarn_value(const struct cli_yarn_line *line, const char *option);
const struct cli_yarn_values *cli_yarn_values(const struct cli_yarn_line *line, const char *option);
/* Returns true when an option was given that is not in @allowed ("list appTypes"). */
bool cli_yarn_has_options_besides(const struct cli_yarn_line *line, const char *allowed);
/* Returns true when the first word is `list` or `status`: Creel's own form of a subcommand. */
bool cli_yarn_is_creel_form(const struct cli_yarn_line *line);

/* ---- api/cli/yarn/usage.c ---- */
/* Prints the usage of a subcommand, with its options in order of their names. Returns
 * CLI_YARN_FAILED. */
int cli_yarn_print_usage(FILE *out, const char *syntax, const struct cli_yarn_option *options);
/* Like cli_yarn_print_usage() for @line's table, but prints "Missing argument for options" first if
 * an argument is missing. */
int cli_yarn_refuse_usage(const struct cli_yarn_line *line);
/* Returns a table for argp: that of @own (may be NULL), then @options; caller frees. */
struct argp_option *cli_yarn_argp_options(const struct argp_option *own,
                                          const struct cli_yarn_option *options);

/* ---- api/cli/yarn/ask.c: requests ---- */
/* Prints an exception's message as one line on stderr. Returns CLI_YARN_EXCEPTION. */
int cli_yarn_print_exception(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Turns an exit code of creel (CLI_*) into yarn's: anything but success and CLI_INTERRUPTED is an
 * exception. */
int cli_yarn_exit_code_of(int rc);
/* Sends a request. On success sets *out (the caller's) and returns CLI_OK. On 404 returns
 * CLI_NOTFOUND, with the RM's message as text in *out, and prints nothing. Otherwise prints the
 * reason and returns another code, which cli_yarn_exit_code_of() turns into yarn's. */
int cli_yarn_request_silent_if_not_found(struct cli *c, const char *method, const char *path,
                                         const json_t *body, struct cli_answer *out);
/* Like cli_yarn_request_silent_if_not_found(), but prints the RM's message on 404 too. Returns the
 * code that cli_yarn_exit_code_of() makes of the result; @out may be NULL. */
int cli_yarn_request(struct cli *c, const char *method, const char *path, const json_t *body,
                     struct cli_answer *out);
/* GETs a resource and sets *out to its object @member, which the caller owns. Otherwise like
 * cli_yarn_request_silent_if_not_found(). */
int cli_yarn_get_object(struct cli *c, const char *path, const char *member, json_t **out);

/* ---- api/cli/yarn/format.c: Java's formats ---- */
/* Appends @v with at least @min_int digits before and @min to @max digits after the point, as
 * DecimalFormat does: "#.00" is (0, 2, 2) and shows 0 as ".00"; "##0.##" is (1, 0, 2). */
void cli_yarn_add_decimal(double v, int min_int, int min, int max, struct base_buf *out);
/* Appends a single-precision number as Float.toString() does: "0.1", "1.0", "1.7316017". */
void cli_yarn_add_java_float(double v, struct base_buf *out);
/* Appends a time as "Wed Sep 16 09:50:59 +0000 2020"; "N/A" for 0 or less. */
void cli_yarn_add_time(int64_t ms, struct base_buf *out);
/* Appends the names, each once, in the order in which Java prints a HashSet: "[A, B]". */
void cli_yarn_add_java_hash_set(char *const *names, size_t n, struct base_buf *out);
/* Prints @text in a field @width wide, right-aligned, then @end. @text is cleaned by
 * cli_text_add_clean(). Widths count characters, as Java's do. */
void cli_yarn_print_cell(int width, const char *text, const char *end);
/* Prints "<label><text>\n", with @text cleaned by cli_text_add_clean(). */
void cli_yarn_print_line(const char *label, const char *text);
/* Like cli_yarn_print_line(), but keeps the line ends of @text. */
void cli_yarn_print_lines(const char *label, const char *text);

#endif
