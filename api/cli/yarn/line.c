/* api/cli/yarn/line.c - parses a command line by the rules of commons-cli's GnuParser, with which
 * `yarn` reads its own: "-name value", "--name value" or "-name=value"; a value may begin with a
 * dash unless it names an option; an option with many values takes all words up to the next
 * option. */
#include <stdlib.h>
#include <string.h>

#include "api/cli/rm_client.h"
#include "api/cli/yarn/yarn.h"
#include "base/nearest.h"

static const struct cli_yarn_option *find_option(const struct cli_yarn_option *options,
                                                 const char *name, size_t len)
{
    for (const struct cli_yarn_option *o = options; o->name; o++) {
        size_t first = strcspn(o->name, ",");
        const char *other = o->name[first] ? o->name + first + 3 : "";
        if ((first == len && strncmp(o->name, name, len) == 0) ||
            (*other && strlen(other) == len && strncmp(other, name, len) == 0))
            return o;
    }
    return NULL;
}

/* Returns the option that an argument names; NULL when it names none. @value becomes the part after
 * "=", or NULL. */
static const struct cli_yarn_option *match_option(const struct cli_yarn_option *options,
                                                  const char *arg, const char **value)
{
    const char *name = arg + strspn(arg, "-");
    const struct cli_yarn_option *o;
    size_t len = strlen(name);
    *value = NULL;
    if (name == arg || name - arg > 2)
        return NULL;
    o = find_option(options, name, len);
    if (!o && strchr(name, '=')) {
        len = strcspn(name, "=");
        o = find_option(options, name, len);
        *value = o ? name + len + 1 : NULL;
    }
    return o;
}

static struct cli_yarn_values *values_of(const struct cli_yarn_line *line,
                                         const struct cli_yarn_option *o)
{
    return &line->values[o - line->options];
}

static void add_one_value(struct cli_yarn_values *values, char *value)
{
    base_array_grow(&values->v, values->n, &values->cap);
    values->v[values->n++] = value;
}

/* Adds a value, split at the option's separator. */
static void add_split_values(struct cli_yarn_line *line, const struct cli_yarn_option *o,
                             const char *arg)
{
    struct cli_yarn_values *values = values_of(line, o);
    char *copy = base_strdup(arg), *at = copy, *end;
    base_array_grow(&line->owned, line->n_owned, &line->cap_owned);
    line->owned[line->n_owned++] = copy;
    while (o->separator && (end = strchr(at, o->separator))) {
        *end = '\0';
        add_one_value(values, at);
        at = end + 1;
    }
    add_one_value(values, at);
}

/* Reads the values of option @o from the @n arguments after it. @value: the one joined to the
 * option by "="; NULL: none. Returns how many of the arguments were values. */
static int read_values(struct cli_yarn_line *line, const struct cli_yarn_option *o,
                       const char *value, int n, char **args)
{
    struct cli_yarn_values *values = values_of(line, o);
    const char *ignored;
    int used = 0, taken = 0;
    values->given = true;
    if (o->values == 0)
        return 0;
    if (value) {
        add_split_values(line, o, value);
        taken++;
    }
    int most = o->values > 0 ? o->values : o->values == CLI_YARN_OPTIONAL ? 1 : INT32_MAX;
    while (used < n && taken < most && !match_option(line->options, args[used], &ignored)) {
        add_split_values(line, o, args[used++]);
        taken++;
    }
    line->missing = line->missing ||
                    (values->n == 0 && o->values != CLI_YARN_ANY && o->values != CLI_YARN_OPTIONAL);
    return used;
}

static int refuse_unknown_option(const struct cli_yarn_line *line, const char *arg)
{
    const char *best = NULL, *name = arg + strspn(arg, "-");
    char *word = base_strndup(name, strcspn(name, "="));
    size_t distance = 0;
    for (const struct cli_yarn_option *o = line->options; o->name; o++)
        base_nearest_take_if_closer(word, o->name, &best, &distance);
    free(word);
    if (best)
        return cli_yarn_print_exception("%s: Unrecognized option: %s; did you mean -%s?",
                                        line->title, arg, best);
    return cli_yarn_print_exception("%s: Unrecognized option: %s", line->title, arg);
}

/* Parses the arguments that are not common options. */
static int parse_arguments(struct cli_yarn_line *line, int n, char **args)
{
    bool options_end = false;
    for (int i = 0; i < n; i++) {
        const char *value = NULL;
        const struct cli_yarn_option *o =
            options_end ? NULL : match_option(line->options, args[i], &value);
        if (o) {
            i += read_values(line, o, value, n - i - 1, args + i + 1);
        } else if (!options_end && strcmp(args[i], "--") == 0) {
            options_end = true;
        } else if (!options_end && args[i][0] == '-' && args[i][1]) {
            if (!line->keep_unknown)
                return refuse_unknown_option(line, args[i]);
            line->unknown = args[i];
        } else {
            base_array_grow(&line->words, line->n_words, &line->cap_words);
            line->words[line->n_words++] = args[i];
        }
    }
    return CLI_OK;
}

/* Returns how many arguments the common option at @args takes up; 0: it is not a common option. */
static int count_args_of_common_option(int n, char **args)
{
    static const char *const valued[] = {"--rm", "--conf", "-conf", "-D"};
    const char *arg = args[0];
    if (strcmp(arg, "--json") == 0 || strcmp(arg, "--help") == 0 || strcmp(arg, "-h") == 0 ||
        (strncmp(arg, "-D", 2) == 0 && arg[2]))
        return 1;
    for (size_t i = 0; i < sizeof valued / sizeof *valued; i++) {
        size_t len = strlen(valued[i]);
        if (strcmp(arg, valued[i]) == 0)
            return n > 1 ? 2 : 1;
        if (strncmp(arg, valued[i], len) == 0 && arg[len] == '=')
            return 1;
    }
    return 0;
}

int cli_yarn_parse(struct cli *c, const struct argp *help, const char *title,
                   const struct cli_yarn_option *options, int argc, char **argv,
                   struct cli_yarn_line *line)
{
    char **common = base_alloc(((size_t)argc + 1) * sizeof *common);
    char **own = base_alloc(((size_t)argc + 1) * sizeof *own);
    int n_common = 1, n_own = 0;
    struct argp described = *help;
    struct argp_option *table = cli_yarn_argp_options(help->options, options);
    size_t rows = 0;

    while (options[rows].name)
        rows++;
    line->title = title;
    line->options = options;
    line->values = base_alloc((rows + 1) * sizeof *line->values);
    common[0] = argv[0];
    for (int i = 1; i < argc; i++) {
        int words = count_args_of_common_option(argc - i, argv + i);
        for (int k = 0; k < words; k++)
            common[n_common++] = argv[i + k];
        if (words > 0)
            i += words - 1;
        else
            own[n_own++] = argv[i];
    }
    for (int i = 1; i < n_common; i++) /* Hadoop writes -conf with one dash */
        if (strcmp(common[i], "-conf") == 0)
            common[i] = "--conf";
    line->n_args = (size_t)n_own;
    line->first = n_own ? own[0] : NULL;
    described.options = table;
    int rc = cli_parse_and_load_conf(c, &described, ARGP_LONG_ONLY, n_common, common, NULL);
    if (rc == CLI_OK)
        rc = parse_arguments(line, n_own, own);
    free(table);
    free(common);
    free(own);
    return rc;
}

void cli_yarn_line_free(struct cli_yarn_line *line)
{
    for (size_t i = 0; line->values && line->options[i].name; i++)
        free(line->values[i].v);
    for (size_t i = 0; i < line->n_owned; i++)
        free(line->owned[i]);
    free(line->owned);
    free(line->values);
    free(line->words);
    *line = (struct cli_yarn_line){0};
}

int cli_yarn_main(const struct argp *help, const char *title, const struct cli_yarn_option *options,
                  bool keep_unknown, int argc, char **argv, cli_yarn_action *run)
{
    struct cli c = {0};
    struct cli_yarn_line line = {.keep_unknown = keep_unknown};
    int rc = cli_yarn_parse(&c, help, title, options, argc, argv, &line);

    if (rc == CLI_OK && (rc = cli_rm_open(&c)) == CLI_OK)
        rc = run(&c, &line);
    cli_yarn_line_free(&line);
    cli_free(&c);
    return rc < 0 ? CLI_OK : rc;
}

const struct cli_yarn_values *cli_yarn_values(const struct cli_yarn_line *line, const char *option)
{
    static const struct cli_yarn_values none;
    const struct cli_yarn_option *o = find_option(line->options, option, strlen(option));
    return o ? values_of(line, o) : &none;
}

bool cli_yarn_has(const struct cli_yarn_line *line, const char *option)
{
    return cli_yarn_values(line, option)->given;
}

const char *cli_yarn_value(const struct cli_yarn_line *line, const char *option)
{
    const struct cli_yarn_values *values = cli_yarn_values(line, option);
    return values->n ? values->v[0] : NULL;
}

bool cli_yarn_has_options_besides(const struct cli_yarn_line *line, const char *allowed)
{
    for (const struct cli_yarn_option *o = line->options; o->name; o++) {
        const char *at = strstr(allowed, o->name);
        size_t len = strlen(o->name);
        while (at && ((at > allowed && at[-1] != ' ') || (at[len] && at[len] != ' ')))
            at = strstr(at + 1, o->name);
        if (!at && values_of(line, o)->given)
            return true;
    }
    return false;
}

bool cli_yarn_is_creel_form(const struct cli_yarn_line *line)
{
    return line->n_words > 0 &&
           (strcmp(line->words[0], "list") == 0 || strcmp(line->words[0], "status") == 0);
}
