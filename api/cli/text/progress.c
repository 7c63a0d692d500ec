/* api/cli/text/progress.c - renders the progress of a job, and draws it. */
#include "api/cli/text/progress.h"

#include <langinfo.h>
#include <string.h>
#include <unistd.h>

#include "api/cli/text/table.h"
#include "api/cli/text/text.h"

enum { BAR_MAX = 40, BAR_MIN = 8, EIGHTHS = 8 };

static double clamp_percent(double percent)
{
    return percent >= 0 && percent <= 100 ? percent : percent > 100 ? 100 : 0; /* NaN becomes 0 */
}

static void add_elapsed_time(int64_t ms, struct base_buf *out)
{
    int64_t s = ms < 0 ? 0 : ms / 1000;
    if (s >= 3600)
        base_buf_addf(out, "%lld:%02lld:%02lld", (long long)(s / 3600), (long long)(s / 60 % 60),
                      (long long)(s % 60));
    else
        base_buf_addf(out, "%lld:%02lld", (long long)(s / 60), (long long)(s % 60));
}

static void add_bar(double percent, size_t columns, bool utf8, struct base_buf *out)
{
    static const char *const parts[EIGHTHS] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    size_t eighths = (size_t)(clamp_percent(percent) / 100 * (double)(columns * EIGHTHS));
    size_t full = eighths / EIGHTHS, used = full;
    base_buf_adds(out, utf8 ? "│" : "[");
    for (size_t i = 0; i < full; i++)
        base_buf_adds(out, utf8 ? "█" : "#");
    if (utf8 && eighths % EIGHTHS) {
        base_buf_adds(out, parts[eighths % EIGHTHS]);
        used++;
    }
    for (size_t i = used; i < columns; i++)
        base_buf_adds(out, utf8 ? " " : "-");
    base_buf_adds(out, utf8 ? "│" : "]");
}

static void add_counts(const struct cli_progress_bar *b, struct base_buf *out)
{
    base_buf_addf(out, "%lld of %lld", (long long)b->done, (long long)b->total);
    if (b->running)
        base_buf_addf(out, ", %lld running", (long long)b->running);
    if (b->suspended)
        base_buf_addf(out, ", %lld suspended", (long long)b->suspended);
    if (b->failed)
        base_buf_addf(out, ", %lld failed", (long long)b->failed);
}

static void add_line_cut(const struct base_buf *line, size_t width, struct base_buf *out)
{
    base_buf_add(out, line->data, width ? cli_text_prefix_fitting(line->data, width) : line->len);
    base_buf_adds(out, "\n");
}

size_t cli_progress_add_bars(const struct cli_progress *p, size_t width, bool utf8,
                             struct base_buf *out)
{
    struct base_buf line = {0};
    base_buf_addf(&line, "%s  %s  ", p->id, p->state);
    add_elapsed_time(p->elapsed_ms, &line);
    base_buf_adds(&line, "  ");
    /* the name comes last, so that it is cut first when the line is too long */
    cli_text_add_clean(p->name, &line);
    add_line_cut(&line, width, out);
    /* 54 columns: label 8, ends of the bar 2, percentage 7, counts 37; the bar takes the rest */
    size_t columns = width == 0 || width > BAR_MAX + 54 ? BAR_MAX
                     : width > BAR_MIN + 54             ? width - 54
                                                        : BAR_MIN;
    for (size_t i = 0; i < p->n; i++) {
        base_buf_clear(&line);
        base_buf_addf(&line, "%-7s ", p->bars[i].label);
        add_bar(p->bars[i].percent, columns, utf8, &line);
        base_buf_addf(&line, " %3d%%  ", (int)clamp_percent(p->bars[i].percent));
        add_counts(&p->bars[i], &line);
        add_line_cut(&line, width, out);
    }
    base_buf_free(&line);
    return p->n + 1;
}

void cli_progress_add_line(const struct cli_progress *p, struct base_buf *out)
{
    add_elapsed_time(p->elapsed_ms, out);
    base_buf_addf(out, " %s", p->state);
    for (size_t i = 0; i < p->n; i++) {
        base_buf_addf(out, " %s %d%% (", p->bars[i].label, (int)clamp_percent(p->bars[i].percent));
        add_counts(&p->bars[i], out);
        base_buf_adds(out, ")");
    }
}

/* ---- bars that do not go back ---- */
static struct cli_progress_bar *find_bar(struct cli_progress *p, const char *label)
{
    for (size_t i = 0; i < p->n; i++)
        if (strcmp(p->bars[i].label, label) == 0)
            return &p->bars[i];
    return NULL;
}

static void raise_bar(struct cli_progress *p, const struct cli_progress_bar *last)
{
    struct cli_progress_bar *bar = find_bar(p, last->label);
    if (!bar && p->n < CLI_PROGRESS_BARS)
        p->bars[p->n++] = *last;
    if (!bar)
        return;
    if (bar->percent < last->percent)
        bar->percent = last->percent;
    if (bar->done < last->done)
        bar->done = last->done;
    if (bar->total < last->total)
        bar->total = last->total;
}

void cli_progress_keep_from_falling(struct cli_progress_hold *h, int64_t failed_requests,
                                    struct cli_progress *p)
{
    if (failed_requests != h->failed_requests)
        h->until_ms = p->elapsed_ms + CLI_PROGRESS_HOLD_MS;
    h->failed_requests = failed_requests;
    for (size_t i = 0; i < h->n && p->elapsed_ms < h->until_ms && !p->last; i++)
        raise_bar(p, &h->last[i]);
    h->n = p->n;
    for (size_t i = 0; i < p->n; i++)
        h->last[i] = p->bars[i];
}

void cli_progress_open(struct cli_progress_screen *s, FILE *out)
{
    *s = (struct cli_progress_screen){.out = out, .last_tenths = -1, .last_ms = -1000000};
    s->terminal = isatty(fileno(out));
    s->utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

/* One write for the whole picture, so that a terminal never shows half of it. Each line is cut one
 * column short: some terminals wrap a line that fills the last column. */
static void draw_terminal(struct cli_progress_screen *s, const struct cli_progress *p)
{
    struct base_buf lines = {0}, screen = {0};
    size_t width = cli_terminal_width(fileno(s->out));
    size_t n = cli_progress_add_bars(p, width > 1 ? width - 1 : 0, s->utf8, &lines);
    if (s->drawn) /* \r too: the terminal may have echoed "^C" */
        base_buf_addf(&screen, "\r\033[%zuA", s->drawn);
    for (const char *at = lines.data; *at; at = strchr(at, '\n') + 1) {
        base_buf_add(&screen, at, (size_t)(strchr(at, '\n') - at));
        base_buf_adds(&screen, "\033[K\n");
    }
    s->drawn = n;
    fwrite(screen.data, 1, screen.len, s->out);
    fflush(s->out);
    base_buf_free(&lines);
    base_buf_free(&screen);
}

static void draw_plain_if_changed(struct cli_progress_screen *s, const struct cli_progress *p)
{
    int tenths = 0;
    for (size_t i = 0; i < p->n; i++)
        tenths = tenths * 16 + (int)(clamp_percent(p->bars[i].percent) / 10);
    bool changed = tenths != s->last_tenths || strcmp(s->last, p->state) != 0;
    if (!changed || (!p->last && p->elapsed_ms - s->last_ms < 1000))
        return;
    struct base_buf line = {0};
    cli_progress_add_line(p, &line);
    fprintf(s->out, "%s\n", line.data);
    fflush(s->out);
    base_buf_free(&line);
    s->last_tenths = tenths;
    s->last_ms = p->elapsed_ms;
    snprintf(s->last, sizeof s->last, "%s", p->state);
}

void cli_progress_draw(struct cli_progress_screen *s, const struct cli_progress *p)
{
    if (s->terminal)
        draw_terminal(s, p);
    else
        draw_plain_if_changed(s, p);
}

void cli_progress_clear(struct cli_progress_screen *s)
{
    if (s->drawn)
        fprintf(s->out, "\r\033[%zuA\033[J", s->drawn);
    fflush(s->out);
    s->drawn = 0;
}
