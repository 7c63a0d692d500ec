/* api/cli/options.c - prints texts about options: the help, and one line about a wrong option. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/cli.h"
#include "base/nearest.h"

/* ---- errors ---- */
struct search {
    const char *word; /* the option as given, without dashes and value */
    size_t len;
    const struct argp_option *found;
    unsigned prefixes; /* number of options that begin with @word; 1 when one is equal to it */
    const char *best;
    size_t distance;
};

static bool is_table_end(const struct argp_option *o)
{
    return !o->name && !o->key && !o->doc;
}

static void search_option_table(struct search *s, const struct argp_option *options)
{
    const struct argp_option *real = options;
    for (const struct argp_option *o = options; o && !is_table_end(o); o++) {
        if (!(o->flags & OPTION_ALIAS))
            real = o;
        if (s->len == 1 && o->key == s->word[0]) {
            s->found = real;
            s->prefixes = 1;
            return;
        }
        if (!o->name)
            continue;
        base_nearest_take_if_closer(s->word, o->name, &s->best, &s->distance);
        if (strncmp(o->name, s->word, s->len) != 0)
            continue;
        bool whole = strlen(o->name) == s->len;
        if (whole || !s->found)
            s->found = real;
        s->prefixes = whole ? 1 : s->prefixes + 1;
        if (whole)
            return;
    }
}

/* Repeats argp's search for the option to see how it failed: the option exists but lacks its value,
 * or has one that it does not take; its abbreviation is ambiguous; or it does not exist, and then
 * the nearest name is suggested. */
int cli_print_option_error(const char *name, const char *at, const struct argp_option *common,
                           const struct argp_option *own)
{
    size_t dashes = strspn(at, "-");
    char *word = base_strndup(at + dashes, strcspn(at + dashes, "="));
    struct search s = {.word = word, .len = strlen(word)};
    int rc;
    if (dashes > 0 && s.len > 0) {
        search_option_table(&s, own);
        if (!s.found || s.prefixes != 1)
            search_option_table(&s, common);
    }
    if (dashes == 0 || s.len == 0)
        rc = cli_error(CLI_USAGE, "unexpected argument '%s'; see %s --help", at, name);
    else if (s.found && s.prefixes > 1)
        rc = cli_error(CLI_USAGE, "'%s' is ambiguous; see %s --help", at, name);
    else if (s.found && s.found->arg)
        rc = cli_error(CLI_USAGE, "%.*s%s needs a value: %s; see %s --help", (int)dashes, at, word,
                       s.found->arg, name);
    else if (s.found && strchr(at, '='))
        rc = cli_error(CLI_USAGE, "%.*s%s takes no value, but '%s' has one", (int)dashes, at, word,
                       at);
    else if (s.best)
        rc = cli_error(CLI_USAGE, "%s has no option '%s'; did you mean %.*s%s?", name, at,
                       (int)dashes, at, s.best);
    else
        rc = cli_error(CLI_USAGE, "%s has no option '%s'; see %s --help", name, at, name);
    free(word);
    return rc;
}

/* ---- help ---- */
/* Turns "--name=ID  " at @at into "-name ID   ", of the same length, so that columns stay aligned.
 */
static void use_single_dash(char *at, size_t name_len)
{
    char *end = at + 2 + name_len;
    if (*end == '=')
        *end++ = ' ';
    end += strcspn(end, " \n");
    memmove(at, at + 1, (size_t)(end - at - 1));
    if (*end == ' ')
        end[-1] = ' ';
    else
        memmove(end - 1, end, strlen(end) + 1);
}

static void use_single_dashes(char *text, const struct argp_option *options)
{
    for (const struct argp_option *o = options; !is_table_end(o); o++) {
        if (!o->name)
            continue;
        char *word = base_printf("--%s", o->name);
        for (char *at = text; (at = strstr(at, word)); at++)
            if (strchr("= ,\n", at[strlen(word)]) && at > text && at[-1] == ' ')
                use_single_dash(at, strlen(o->name));
        free(word);
    }
}

/* argp can only print options with two dashes. The options of YARN's commands have one dash, so the
 * text is printed into memory and edited. */
void cli_print_help(const struct argp *argp, const struct argp_option *single, char *name)
{
    char *text = NULL;
    size_t len = 0;
    FILE *memory = open_memstream(&text, &len);
    base_assert(memory);
    argp_help(argp, memory, ARGP_HELP_STD_HELP & ~(unsigned)ARGP_HELP_EXIT_OK, name);
    fclose(memory);
    if (single)
        use_single_dashes(text, single);
    fputs(text, stdout);
    free(text);
}
