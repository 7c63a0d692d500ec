/* api/cli/yarn/usage.c - prints a table of options as commons-cli's HelpFormatter does, and
 * converts it to a table for argp, from which --help and the manual are made. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/cli/yarn/yarn.h"

enum { WIDTH = 74, PADDING = 3 }; /* HelpFormatter's defaults */

static int compare_names(const void *a, const void *b)
{
    const struct cli_yarn_option *x = *(const struct cli_yarn_option *const *)a;
    const struct cli_yarn_option *y = *(const struct cli_yarn_option *const *)b;
    return strcasecmp(x->name, y->name);
}

static void add_option_head(const struct cli_yarn_option *o, struct base_buf *out)
{
    base_buf_addf(out, " -%s", o->name);
    if (o->values)
        base_buf_addf(out, " <%s>", o->arg ? o->arg : "arg");
}

/* Writes @text, wrapped; lines after the first begin at @indent. @at is the column reached. */
static void print_wrapped(FILE *out, const char *text, size_t at, size_t indent)
{
    while (strlen(text) > WIDTH - at) {
        size_t cut = WIDTH - at;
        while (cut > 0 && text[cut] != ' ')
            cut--;
        if (cut == 0)
            cut = WIDTH - at;
        fprintf(out, "%.*s\n%*s", (int)cut, text, (int)indent, "");
        text += cut;
        text += strspn(text, " ");
        at = indent;
    }
    fprintf(out, "%s\n", text);
}

int cli_yarn_print_usage(FILE *out, const char *syntax, const struct cli_yarn_option *options)
{
    const struct cli_yarn_option *sorted[64];
    size_t n = 0, widest = 0;
    struct base_buf head = {0};
    for (const struct cli_yarn_option *o = options; o->name && n < 64; o++)
        if (o->help)
            sorted[n++] = o;
    qsort(sorted, n, sizeof *sorted, compare_names);
    for (size_t i = 0; i < n; i++) {
        base_buf_clear(&head);
        add_option_head(sorted[i], &head);
        widest = head.len > widest ? head.len : widest;
    }
    if (*syntax)
        fprintf(out, "usage: %s\n", syntax);
    for (size_t i = 0; i < n; i++) {
        base_buf_clear(&head);
        add_option_head(sorted[i], &head);
        fprintf(out, "%-*s", (int)(widest + PADDING), head.data);
        print_wrapped(out, sorted[i]->help, widest + PADDING, widest + PADDING);
    }
    base_buf_free(&head);
    return CLI_YARN_FAILED;
}

int cli_yarn_refuse_usage(const struct cli_yarn_line *line)
{
    if (line->missing)
        puts("Missing argument for options");
    return cli_yarn_print_usage(stdout, line->title, line->options);
}

/* Returns the longer of an option's names. */
static const char *long_name(const struct cli_yarn_option *o)
{
    const char *comma = strchr(o->name, ',');
    return comma ? comma + 3 : o->name;
}

struct argp_option *cli_yarn_argp_options(const struct argp_option *own,
                                          const struct cli_yarn_option *options)
{
    size_t n = 0, rows = 0;
    while (own && (own[n].name || own[n].key || own[n].doc))
        n++;
    while (options[rows].name)
        rows++;
    struct argp_option *table = base_alloc((n + rows + 1) * sizeof *table);
    for (size_t i = 0; i < n; i++)
        table[i] = own[i];
    for (size_t i = 0; i < rows; i++)
        if (options[i].help &&
            strcmp(long_name(&options[i]), "help") != 0) /* --help is in the table already */
            table[n++] = (struct argp_option){
                .name = long_name(&options[i]),
                .key = 256 + (int)i,
                .arg = options[i].values ? (options[i].arg ? options[i].arg : "arg") : NULL,
                .doc = options[i].help,
                .group = 2};
    return table;
}
