/* api/cli/text/table.c - builds and prints tables. Cells are kept as text until the table is laid
 * out; then columns shrink, or are dropped, until the rows fit. */
#include "api/cli/text/table.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/text/text.h"
#include "base/error.h"
#include "base/io/io.h"

enum { COLUMNS_MAX = 16, GAP = 2, CELL_MIN = 8 };

struct cli_table {
    size_t columns;
    char align[COLUMNS_MAX], drop[COLUMNS_MAX]; /* drop: 0, or a digit; '1' is dropped first */
    size_t widths[COLUMNS_MAX];                 /* columns' widths on the pages printed so far */
    bool titled;
    struct base_buf texts; /* texts of all cells, each with its NUL */
    size_t *cells;         /* offsets into texts, row by row; row 0 holds the titles */
    size_t n, cap, titles_len;
};

static const char *get_cell_text(const struct cli_table *t, size_t i)
{
    return t->texts.data + t->cells[i];
}

static void add_cell(struct cli_table *t, const char *text)
{
    base_array_grow(&t->cells, t->n, &t->cap);
    t->cells[t->n++] = t->texts.len;
    cli_text_add_clean(text ? text : "", &t->texts);
    base_buf_add(&t->texts, "", 1);
}

struct cli_table *cli_table_new(const char *title, ...)
{
    struct cli_table *t = base_alloc(sizeof *t);
    va_list ap;
    va_start(ap, title);
    for (const char *s = title; s; s = va_arg(ap, const char *)) {
        base_assert(t->columns < COLUMNS_MAX);
        add_cell(t, s);
        const char *how = va_arg(ap, const char *);
        t->align[t->columns] = how[0];
        t->drop[t->columns++] = how[1];
    }
    va_end(ap);
    t->titles_len = t->texts.len;
    return t;
}

void cli_table_add_row(struct cli_table *t, const char *first, ...)
{
    va_list ap;
    size_t n = 0;
    va_start(ap, first);
    for (const char *s = first; s && n < t->columns; s = va_arg(ap, const char *), n++)
        add_cell(t, s);
    va_end(ap);
    for (; n < t->columns; n++)
        add_cell(t, "");
}

static size_t sum_widths(const struct cli_table *t, const size_t *widths)
{
    size_t total = 0, shown = 0;
    for (size_t c = 0; c < t->columns; c++) {
        total += widths[c];
        shown += widths[c] > 0;
    }
    return total + (shown ? shown - 1 : 0) * GAP;
}

/* Narrows the widest of the "~" columns (with @all: of all columns but the first), one step at a
 * time, until the rows fit. Returns false when the columns cannot be narrowed enough. */
static bool shrink_columns(const struct cli_table *t, size_t *widths, size_t width, bool all)
{
    while (sum_widths(t, widths) > width) {
        size_t pick = 0;
        for (size_t c = 1; c < t->columns; c++)
            if (widths[c] > CELL_MIN && (all || t->align[c] == '~') &&
                (pick == 0 || widths[c] > widths[pick]))
                pick = c;
        if (pick == 0)
            return false;
        widths[pick]--;
    }
    return true;
}

/* Returns the column to drop next: the one with the lowest digit, or with @any, when none has a
 * digit, the rightmost. Returns 0 when no column is left to drop. */
static size_t pick_column_to_drop(const struct cli_table *t, const size_t *widths, bool any)
{
    size_t pick = 0;
    for (size_t c = 1; c < t->columns; c++) {
        if (widths[c] == 0)
            continue;
        if (t->drop[c] && (pick == 0 || t->drop[c] < t->drop[pick]))
            pick = c;
    }
    for (size_t c = t->columns; any && pick == 0 && --c > 0;)
        if (widths[c] > 0)
            pick = c;
    return pick;
}

/* Makes the rows fit into @width; a column of width 0 is dropped. In this order: shrink "~"
 * columns; drop numbered columns, each time starting again from full widths, since a dropped column
 * leaves room for the others; shrink all but the first; drop columns from the right. The first
 * column stays whole, even when it is wider than the terminal. */
static void fit_columns(const struct cli_table *t, size_t *widths, size_t width)
{
    size_t full[COLUMNS_MAX], dropped;
    memcpy(full, widths, sizeof full);
    while (!shrink_columns(t, widths, width, false) &&
           (dropped = pick_column_to_drop(t, full, false))) {
        full[dropped] = 0;
        memcpy(widths, full, sizeof full);
    }
    while (!shrink_columns(t, widths, width, true) &&
           (dropped = pick_column_to_drop(t, full, true))) {
        full[dropped] = 0;
        memcpy(widths, full, sizeof full);
    }
}

static void add_spaces(struct base_buf *out, size_t n)
{
    static const char spaces[] = "                                ";
    for (size_t some; n > 0; n -= some) {
        some = n < sizeof spaces - 1 ? n : sizeof spaces - 1;
        base_buf_add(out, spaces, some);
    }
}

static void add_padded(struct base_buf *out, const char *cell, size_t width, char align, bool last)
{
    size_t len = strlen(cell), columns = cli_text_width(cell, len);
    bool cut = columns > width;
    if (cut) {
        len = cli_text_prefix_fitting(cell, width > 1 ? width - 1 : 0);
        columns = cli_text_width(cell, len) + 1;
    }
    size_t pad = columns < width ? width - columns : 0;
    if (align == '>')
        add_spaces(out, pad);
    base_buf_add(out, cell, len);
    if (cut)
        base_buf_adds(out, "+");
    if (align != '>' && !last)
        add_spaces(out, pad);
}

static void add_row(const struct cli_table *t, size_t at, const size_t *widths,
                    struct base_buf *out)
{
    struct base_buf line = {0};
    size_t last = 0;
    for (size_t c = 0; c < t->columns; c++)
        last = widths[c] ? c : last;
    for (size_t c = 0; c <= last; c++) {
        if (widths[c] == 0)
            continue;
        if (line.len || c > 0)
            add_spaces(&line, GAP);
        add_padded(&line, get_cell_text(t, at + c), widths[c], t->align[c], c == last);
    }
    while (line.len > 0 && line.data[line.len - 1] == ' ')
        line.len--;
    base_buf_add(out, line.len ? line.data : "", line.len);
    base_buf_adds(out, "\n");
    base_buf_free(&line);
}

static void widen_columns_to_cells(const struct cli_table *t, size_t *widths)
{
    for (size_t i = 0; i < t->n; i++) {
        size_t w = cli_text_width(get_cell_text(t, i), strlen(get_cell_text(t, i)));
        if (w > widths[i % t->columns])
            widths[i % t->columns] = w;
    }
}

/* Keeps only the titles and the widths so far, so that columns never get narrower from page to page
 * and the output of a long list stays readable. */
void cli_table_print_page(struct cli_table *t, FILE *out)
{
    size_t widths[COLUMNS_MAX], width = cli_terminal_width(fileno(out));
    struct base_buf b = {0};
    widen_columns_to_cells(t, t->widths);
    memcpy(widths, t->widths, sizeof widths);
    if (width)
        fit_columns(t, widths, width);
    for (size_t i = t->titled ? t->columns : 0; i < t->n; i += t->columns)
        add_row(t, i, widths, &b);
    if (b.len)
        fwrite(b.data, 1, b.len, out);
    base_buf_free(&b);
    t->n = t->columns; /* the titles stay */
    t->texts.len = t->titles_len;
    t->titled = true;
}

void cli_table_render(const struct cli_table *t, size_t width, struct base_buf *out)
{
    size_t widths[COLUMNS_MAX] = {0};
    widen_columns_to_cells(t, widths);
    if (width)
        fit_columns(t, widths, width);
    for (size_t i = 0; i < t->n; i += t->columns)
        add_row(t, i, widths, out);
}

size_t cli_terminal_width(int fd)
{
    return base_terminal_width(fd);
}

void cli_table_print_and_free(struct cli_table *t, FILE *out)
{
    struct base_buf b = {0};
    cli_table_render(t, cli_terminal_width(fileno(out)), &b);
    fwrite(b.data, 1, b.len, out);
    base_buf_free(&b);
    cli_table_free(t);
}

void cli_table_free(struct cli_table *t)
{
    if (t) {
        free(t->cells);
        base_buf_free(&t->texts);
    }
    free(t);
}
