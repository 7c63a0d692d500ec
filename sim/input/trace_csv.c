#include "sim/input/trace_csv.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

void sim_csv_init(struct sim_csv *r, struct sim_trace *trace)
{
    *r = (struct sim_csv){.trace = trace};
}

/* Takes the next cell from the text at *p and unquotes it in place. Advances *p past the comma,
 * or sets *p to NULL after the last cell. Returns 1, or negative if a quote is misplaced. */
static int take_cell(const struct sim_trace *t, char **p, char **out, struct base_error *err)
{
    char *from = *p, *to, *end;

    if (*from != '"') {
        end = from + strcspn(from, ",");
        *out = from;
        *p = *end ? end + 1 : NULL;
        *end = '\0';
        return 1;
    }
    *out = to = ++from;
    while (*from && (*from != '"' || from[1] == '"')) {
        from += *from == '"';
        *to++ = *from++;
    }
    if (*from != '"' || (from[1] && from[1] != ',')) {
        const char *what = *from ? "text after the closing quote of \"%s\""
                                 : "the quote before \"%s\" is not closed";

        char *shown;

        *to = '\0';
        shown = base_utf8_escape_for_message(*out, 60);
        base_error_set(err, -BASE_EINVAL, what, shown);
        free(shown);
        return sim_trace_prefix_place(t, -BASE_EINVAL, err);
    }
    *p = from[1] ? from + 2 : NULL;
    *to = '\0';
    return 1;
}

static int refuse_column(const struct sim_trace *t, const char *name, const char *why,
                         struct base_error *err)
{
    char *shown = base_utf8_escape_for_message(name, 60);
    struct base_buf names = {0};
    int rc;

    for (int i = 0; i < SIM_FIELDS; i++)
        base_buf_addf(&names, "%s%s", i ? ", " : "", sim_fields[i].name);
    rc = base_error_set(err, -BASE_EINVAL,
                        "%s:%zu: column '%s' %s; the first line names columns of: %s", t->name,
                        t->line, shown, why, names.data);
    base_buf_free(&names);
    free(shown);
    return rc;
}

static int read_header(struct sim_csv *r, struct base_error *err)
{
    uint64_t seen = 0;
    char *p, *name;
    int n = 0, rc = sim_trace_read_line(r->trace, err);

    if (rc <= 0)
        return rc;
    p = r->trace->buf.data;
    while (p) {
        int field;

        if ((rc = take_cell(r->trace, &p, &name, err)) < 0)
            return rc;
        field = sim_field_find_by_name(name);
        if (field < 0)
            return refuse_column(r->trace, name, "is not known", err);
        if (seen >> field & 1)
            return refuse_column(r->trace, name, "appears twice", err);
        seen |= UINT64_C(1) << field;
        r->column[n++] = (int8_t)field;
    }
    if (!(seen >> sim_field_find_by_name("submit_s") & 1))
        return refuse_column(r->trace, "submit_s", "is missing", err);
    r->columns = n;
    return 1;
}

int sim_csv_next_job(struct sim_csv *r, struct sim_job *out, struct base_error *err)
{
    uint64_t seen = 0;
    char *p, *value;
    int n = 0, rc;

    if (r->columns < 0)
        return base_error_set(err, -BASE_EINVAL, "%s: the first line names no columns",
                              r->trace->name);
    if (r->columns == 0 && (rc = read_header(r, err)) <= 0) {
        r->columns = rc; /* a bad header makes every line unreadable */
        return rc;
    }
    if ((rc = sim_trace_read_line(r->trace, err)) <= 0)
        return rc;
    for (p = r->trace->buf.data; p; n++) {
        if ((rc = take_cell(r->trace, &p, &value, err)) < 0)
            return rc;
        if (n >= r->columns || !*value)
            continue;
        if ((rc = sim_field_parse_text(r->trace, r->column[n], value, out, err)) < 0)
            return rc;
        seen |= UINT64_C(1) << r->column[n];
    }
    if (n != r->columns) {
        base_error_set(err, -BASE_EINVAL, "%d cells instead of the %d that the first line names", n,
                       r->columns);
        return sim_trace_prefix_place(r->trace, -BASE_EINVAL, err);
    }
    rc = sim_fields_fill_absent(r->trace, seen, out, err);
    return rc < 0 ? rc : 1;
}
