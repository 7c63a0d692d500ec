/* api/cli/cli_table.c - see the header. */
#include "api/cli/cli_table.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "api/cli/cli_text.h"
#include "base/base_error.h"

enum { COLUMNS_MAX = 16, GAP = 2, CELL_MIN = 8 };

struct cli_table {
    size_t columns;
    char align[COLUMNS_MAX];
    char **cells; /* rows * columns; row 0 holds the titles */
    size_t n, cap;
};

static void add_cell(struct cli_table *t, const char *text)
{
    struct base_buf b = {0};
    cli_text_clean(text ? text : "", &b);
    base_array_grow(&t->cells, t->n, &t->cap);
    t->cells[t->n++] = base_buf_take(&b);
}

struct cli_table *cli_table_new(const char *title, ...)
{
    struct cli_table *t = base_alloc(sizeof *t);
    va_list ap;
    va_start(ap, title);
    for (const char *s = title; s; s = va_arg(ap, const char *)) {
        base_assert(t->columns < COLUMNS_MAX);
        add_cell(t, s);
        t->align[t->columns++] = *va_arg(ap, const char *);
    }
    va_end(ap);
    return t;
}

void cli_table_row(struct cli_table *t, const char *cell, ...)
{
    va_list ap;
    size_t n = 0;
    va_start(ap, cell);
    for (const char *s = cell; s && n < t->columns; s = va_arg(ap, const char *), n++)
        add_cell(t, s);
    va_end(ap);
    for (; n < t->columns; n++)
        add_cell(t, "");
}

void cli_table_rowv(struct cli_table *t, const char *const *cells, size_t n)
{
    for (size_t i = 0; i < t->columns; i++)
        add_cell(t, i < n ? cells[i] : "");
}

/* Takes columns away from the widest "~" cell, then from the widest of all, until the row fits. */
static void shrink(const struct cli_table *t, size_t *widths, size_t width)
{
    for (;;) {
        size_t total = (t->columns - 1) * GAP, pick = COLUMNS_MAX;
        for (size_t c = 0; c < t->columns; c++)
            total += widths[c];
        if (width == 0 || total <= width)
            return;
        for (int pass = 0; pass < 2 && pick == COLUMNS_MAX; pass++)
            for (size_t c = 0; c < t->columns; c++)
                if (widths[c] > CELL_MIN && (pass == 1 || t->align[c] == '~') &&
                    (pick == COLUMNS_MAX || widths[c] > widths[pick]))
                    pick = c;
        if (pick == COLUMNS_MAX)
            return; /* the rest is cut at the right edge */
        widths[pick]--;
    }
}

static void add_padded(struct base_buf *out, const char *cell, size_t width, char align, bool last)
{
    size_t len = strlen(cell), columns = cli_text_width(cell, len);
    bool cut = columns > width;
    if (cut) {
        len = cli_text_fit(cell, width > 1 ? width - 1 : 0);
        columns = cli_text_width(cell, len) + 1;
    }
    size_t pad = columns < width ? width - columns : 0;
    if (align == '>')
        base_buf_addf(out, "%*s", (int)pad, "");
    base_buf_add(out, cell, len);
    if (cut)
        base_buf_adds(out, "+");
    if (align != '>' && !last)
        base_buf_addf(out, "%*s", (int)pad, "");
}

void cli_table_render(const struct cli_table *t, size_t width, struct base_buf *out)
{
    size_t widths[COLUMNS_MAX] = {0};
    for (size_t i = 0; i < t->n; i++) {
        size_t w = cli_text_width(t->cells[i], strlen(t->cells[i]));
        if (w > widths[i % t->columns])
            widths[i % t->columns] = w;
    }
    shrink(t, widths, width);
    for (size_t i = 0; i < t->n; i += t->columns) {
        struct base_buf line = {0};
        for (size_t c = 0; c < t->columns; c++) {
            add_padded(&line, t->cells[i + c], widths[c], t->align[c], c + 1 == t->columns);
            if (c + 1 < t->columns)
                base_buf_addf(&line, "%*s", GAP, "");
        }
        size_t len = width ? cli_text_fit(line.data, width) : line.len;
        while (len > 0 && line.data[len - 1] == ' ')
            len--;
        base_buf_add(out, line.data, len);
        base_buf_adds(out, "\n");
        base_buf_free(&line);
    }
}

size_t cli_terminal_width(int fd)
{
    struct winsize ws;
    if (!isatty(fd) || ioctl(fd, TIOCGWINSZ, &ws) != 0)
        return 0;
    return ws.ws_col ? ws.ws_col : 80;
}

void cli_table_print(struct cli_table *t, FILE *out)
{
    struct base_buf b = {0};
    cli_table_render(t, cli_terminal_width(fileno(out)), &b);
    fwrite(b.data, 1, b.len, out);
    base_buf_free(&b);
    cli_table_free(t);
}

void cli_table_free(struct cli_table *t)
{
    for (size_t i = 0; t && i < t->n; i++)
        free(t->cells[i]);
    if (t)
        free(t->cells);
    free(t);
}
