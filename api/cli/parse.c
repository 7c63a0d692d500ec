/* api/cli/parse.c - parses a command line: the subcommand's own options and the common ones, which
 * an outer argp adds to every subcommand. argp itself prints nothing (ARGP_NO_ERRS), so that each
 * error is one line. Then the configuration is loaded, and -D applied to it. */
#include "api/cli/cli.h"

#include <stdlib.h>
#include <string.h>

#include "api/cli/rm_client.h"
#include "policies/options.h"

enum { KEY_RM = CLI_KEY_FIRST, KEY_JSON, KEY_CONF, KEY_HELP };

static const struct argp_option common_options[] = {
    {"rm", KEY_RM, "URL[,URL]", 0,
     "ResourceManagers, tried in this order; default: $CREEL_RM, then the configuration", 90},
    {"json", KEY_JSON, NULL, 0, "Print the answer as JSON", 90},
    {"conf", KEY_CONF, "FILE", 0, "Read this configuration file instead of the default ones", 90},
    {NULL, 'D', "KEY=VALUE", 0, "Set a configuration key", 90},
    {"help", KEY_HELP, NULL, 0, "Print this help", 91},
    {NULL, 'h', NULL, OPTION_HIDDEN, NULL, 91},
    {0},
};

enum { COMMON = sizeof common_options / sizeof common_options[0] };

struct parsing {
    struct cli *c;
    const struct argp *argp;
    void *input;
    const char *conf_file;
    bool help;
    int stopped_at; /* index after the argument that argp did not understand */
};

static error_t parse_common_option(int key, char *arg, struct argp_state *state)
{
    struct parsing *p = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = p->input;
        return 0;
    case ARGP_KEY_ERROR:
        p->stopped_at = state->next;
        return 0;
    case KEY_RM:
        if (*arg == '\0')
            return cli_option_set_error("--rm: expected an address such as http://127.0.0.1:8088");
        free(p->c->rm_arg);
        p->c->rm_arg = base_strdup(arg);
        return 0;
    case KEY_JSON:
        p->c->json = true;
        return 0;
    case KEY_CONF:
        p->conf_file = arg;
        return 0;
    case 'D':
        base_array_grow(&p->c->sets, p->c->n_sets, &p->c->cap_sets);
        p->c->sets[p->c->n_sets++] = arg;
        return 0;
    case 'h':
    case KEY_HELP:
        p->help = true;
        state->next = state->argc; /* print help without checking the remaining arguments */
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* Loads the configuration files, applies -D, then checks the result. */
static int load_conf(struct parsing *p)
{
    struct base_error err = {0};
    struct base_conf *conf = p->c->conf = base_conf_new();
    int rc = p->conf_file ? base_conf_load_file(conf, p->conf_file, &err)
                          : base_conf_load_readable_files(conf, &p->c->left_out, &err);
    for (size_t i = 0; rc >= 0 && i < p->c->n_sets; i++)
        rc = base_conf_set_arg(conf, p->c->sets[i], &err);
    if (rc >= 0)
        rc = base_conf_check(conf, policy_key_looks_like_option, &err);
    return rc < 0 ? cli_error(CLI_USAGE, "%s", err.text) : CLI_OK;
}

/* Copies the common options that this subcommand has. */
static void select_common_options(unsigned without, struct argp_option *out)
{
    for (const struct argp_option *o = common_options; o->name || o->key; o++) {
        unsigned bit = o->key == KEY_RM     ? CLI_WITHOUT_RM
                       : o->key == KEY_JSON ? CLI_WITHOUT_JSON
                       : o->key == KEY_CONF ? CLI_WITHOUT_CONF
                                            : 0;
        if (!(without & bit))
            *out++ = *o;
    }
    *out = (struct argp_option){0};
}

/* argp stops at the first argument that it does not understand and prints nothing. Either the
 * parser has explained why (cli_option_set_error()), or cli_print_option_error() finds out by
 * searching the tables. */
int cli_parse_and_load_conf(struct cli *c, const struct argp *argp, unsigned argp_flags, int argc,
                            char **argv, void *input)
{
    struct argp_option common[COMMON];
    struct argp_child children[] = {{argp, 0, NULL, 0}, {0}};
    struct argp outer = {common, parse_common_option, argp->args_doc, argp->doc, children, NULL,
                         NULL};
    struct parsing p = {.c = c, .argp = argp, .input = input};
    struct argp inner = *argp; /* without its texts: the outer argp prints them */
    inner.args_doc = inner.doc = NULL;
    children[0].argp = &inner;
    select_common_options(c->without, common);
    c->name = argv[0];
    cli_option_error_clear();
    error_t rc = argp_parse(&outer, argc, argv,
                            argp_flags | ARGP_NO_ERRS | ARGP_NO_EXIT | ARGP_NO_HELP, NULL, &p);
    int result = CLI_OK;
    if (p.help) {
        cli_print_help(&outer, argp_flags & ARGP_LONG_ONLY ? argp->options : NULL, argv[0]);
        result = -1;
    } else if (rc != 0 && *cli_option_error_text()) {
        result = cli_error(CLI_USAGE, "%s", cli_option_error_text());
    } else if (rc != 0) {
        const char *at =
            p.stopped_at > 1 && p.stopped_at <= argc ? argv[p.stopped_at - 1] : argv[argc - 1];
        result = cli_print_option_error(argv[0], at, common, argp->options);
    } else {
        result = load_conf(&p);
    }
    return result;
}

error_t cli_parse_one_id(int key, char *arg, struct argp_state *state)
{
    const char **id = state->input;
    if (key != ARGP_KEY_ARG)
        return ARGP_ERR_UNKNOWN;
    if (*id)
        return cli_option_set_error("unexpected argument '%s': one id is enough", arg);
    *id = arg;
    return 0;
}

void cli_free(struct cli *c)
{
    cli_rm_close(c->rm);
    base_conf_free(c->conf);
    free(c->rm_arg);
    free(c->left_out);
    free(c->sets);
    *c = (struct cli){0};
}
