#include "sim/report/picture.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io/io.h"
#include "policies/registry.h"

/* Placeholder colours for text and axes, and for the grid. gnuplot draws with them; the finished
 * SVG has the page's own colours instead. */
#define INK  "#010203"
#define GRID "#040506"
enum {
    SVG_MAX = 64 << 20,
    LOG_TICS_DECADES = 3,
    WORDS_MAX = 4000,
    NAMES_BELOW_MAX = 6,
    VALUES_MAX = 12
};

void sim_picture_init(struct sim_picture *p)
{
    *p = (struct sim_picture){.x_min = NAN, .x_max = NAN, .y_min = NAN, .y_max = NAN};
}

const char *sim_picture_colour_for(const char *name, size_t index)
{
    static const char *const others[] = {
        "#3b82c4", "#e0762a", "#2f9e63", "#d1454f", "#8f63c4", "#b8a11c", "#26a0a8", "#d468a8",
        "#a9794e", "#868686", "#93b83b", "#5b6ad0", "#7fb2e0", "#f0ab76", "#7cc79c", "#e58f96",
        "#b99ddd", "#d9ca72", "#7ccbd0", "#e6a5cb", "#c9a988", "#b5b5b5", "#bdd582", "#9aa4e4",
    };

    const struct policy_ops *ops = name ? policy_find(name) : NULL;

    if (ops && ops->colour)
        return ops->colour;
    return others[index % (sizeof others / sizeof *others)];
}

bool sim_picture_has_data(const struct sim_picture *p)
{
    for (size_t s = 0; s < p->series_n; s++)
        for (size_t i = 0; i < p->series[s].n; i++)
            if (isfinite(p->series[s].y[i]))
                return true;
    return false;
}

/* ---------------------------------------------------------------- numbers */
static void append_number(struct base_buf *b, double x)
{
    if (isfinite(x))
        base_buf_addf(b, "%.10g", x);
    else
        base_buf_adds(b, "?");
}

/* Control characters become spaces: a line end would end the comment. */
static void append_comment(struct base_buf *b, const char *text)
{
    base_buf_adds(b, "# ");
    for (; text && *text; text++)
        base_buf_addf(b, "%c", (unsigned char)*text < ' ' ? ' ' : *text);
    base_buf_adds(b, "\n");
}

/* Writes one data block per series: x, y, half width of the interval. */
static void append_series_data(const struct sim_picture *p, struct base_buf *b)
{
    for (size_t s = 0; s < p->series_n; s++) {
        const struct sim_series *v = &p->series[s];
        base_buf_adds(b, s ? "\n\n" : "");
        append_comment(b, v->name);
        for (size_t i = 0; i < v->n; i++) {
            append_number(b, v->x[i]);
            base_buf_adds(b, " ");
            append_number(b, v->y[i]);
            base_buf_adds(b, " ");
            append_number(b, v->half ? v->half[i] : 0);
            base_buf_adds(b, "\n");
        }
    }
}

/* Writes one data block: x, then the cumulative sums over the series. Each step has two rows, one
 * at its beginning and one at its end. */
static void append_stacked_data(const struct sim_picture *p, struct base_buf *b)
{
    size_t n = p->series_n ? p->series[0].n : 0;

    for (size_t s = 0; s < p->series_n; s++)
        append_comment(b, p->series[s].name);
    for (size_t i = 0; i < 2 * n; i++) {
        const double *x = p->series[0].x;
        size_t at = (i + 1) / 2 < n ? (i + 1) / 2 : n - 1;
        double sum = 0;

        append_number(b, i + 1 == 2 * n && n > 1 ? 2 * x[n - 1] - x[n - 2] : x[at]);
        for (size_t s = 0; s < p->series_n; s++) {
            sum += p->series[s].y[i / 2];
            base_buf_adds(b, " ");
            append_number(b, sum);
        }
        base_buf_adds(b, "\n");
    }
}

/* ---------------------------------------------------------------- gnuplot commands */
/* Quotes @text for gnuplot such that no character can end the quotes early. gnuplot does not accept
 * '' as an escaped quote everywhere, and would execute text in back-ticks outside quotes. @format:
 * gnuplot reads @text as a format string, in which % must be doubled. */
static void append_quoted(struct base_buf *b, const char *text, bool format)
{
    base_buf_adds(b, "'");
    for (; text && *text; text++)
        if (*text == '\'')
            base_buf_adds(b, "\u2019");
        else if (format && *text == '%')
            base_buf_adds(b, "%%");
        else
            base_buf_addf(b, "%c", (unsigned char)*text < ' ' ? ' ' : *text);
    base_buf_adds(b, "'");
}

static void append_quoted_text(struct base_buf *b, const char *text)
{
    append_quoted(b, text, false);
}

static void append_axis_range(struct base_buf *b, char axis, double low, double high)
{
    base_buf_addf(b, "set %crange [", axis);
    if (isfinite(low))
        base_buf_addf(b, "%.10g", low);
    else
        base_buf_adds(b, "*");
    base_buf_adds(b, ":");
    if (isfinite(high))
        base_buf_addf(b, "%.10g", high);
    else
        base_buf_adds(b, "*");
    base_buf_adds(b, "]\n");
}

/* Finds the smallest and largest value on an axis, including intervals. @positive: ignores values
 * that a logarithmic axis cannot show. */
static void find_value_range(const struct sim_picture *p, bool of_x, bool positive, double *low,
                             double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t s = 0; s < p->series_n; s++)
        for (size_t i = 0; i < p->series[s].n; i++) {
            const struct sim_series *v = &p->series[s];
            double at = of_x ? v->x[i] : v->y[i],
                   half = !of_x && v->half && isfinite(v->half[i]) ? v->half[i] : 0;
            if (!isfinite(at) || (positive && at <= 0))
                continue;
            double least = positive && at - half <= 0 ? at : at - half;
            *low = least < *low ? least : *low;
            *high = at + half > *high ? at + half : *high;
        }
}

/* The range is slightly wider than the data so that marks at the ends are not clipped. Short axes
 * label 1, 2 and 5 of each decade. */
static void append_log_axis(struct base_buf *b, const struct sim_picture *p, char axis)
{
    double low, high, from = axis == 'x' ? p->x_min : p->y_min,
                      to = axis == 'x' ? p->x_max : p->y_max;
    const char *between = "";

    find_value_range(p, axis == 'x', true, &low, &high);
    if (from > 0)
        low = from * 1.08;
    if (to > 0)
        high = to / 1.08;
    base_buf_addf(b, "set logscale %c\n", axis);
    if (!(high > 0))
        return;
    append_axis_range(b, axis, low / 1.08, high * 1.08);
    if (log10(high / low) > LOG_TICS_DECADES)
        return;
    base_buf_addf(b, "set %ctics (", axis);
    for (int e = (int)floor(log10(low)) - 1; e <= (int)ceil(log10(high)); e++, between = ", ")
        base_buf_addf(b, "%s1e%d, 2e%d, 5e%d", between, e, e, e);
    base_buf_adds(b, ")\n");
}

/* A parameter with few values is labelled with exactly these values. The range is widened so that
 * marks at the ends are not clipped. */
static void append_value_tics(struct base_buf *b, const struct sim_picture *p)
{
    const struct sim_series *most = &p->series[0];
    double low, high;

    find_value_range(p, true, false, &low, &high);
    if (!p->log_x && isnan(p->x_min) && isnan(p->x_max) && high > low)
        append_axis_range(b, 'x', low - (high - low) / 30, high + (high - low) / 30);
    for (size_t i = 1; i < p->series_n; i++)
        most = p->series[i].n > most->n ? &p->series[i] : most;
    base_buf_adds(b, "set xtics (");
    for (size_t i = 0; i < most->n; i++)
        base_buf_addf(b, "%s%.10g", i ? ", " : "", most->x[i]);
    base_buf_adds(b, ")\n");
}

static void append_category_tics(struct base_buf *b, const struct sim_picture *p)
{
    size_t letters = 0;

    for (size_t i = 0; i < p->categories_n; i++)
        letters += strlen(p->categories[i]) + 2;
    base_buf_addf(b, "set xtics %s(", letters > 90 ? "rotate by -35 " : "");
    for (size_t i = 0; i < p->categories_n; i++) {
        base_buf_adds(b, i ? ", " : "");
        append_quoted(b, p->categories[i], true); /* gnuplot treats tic labels as formats */
        base_buf_addf(b, " %zu", i);
    }
    base_buf_addf(b, ")\nset xrange [-0.6:%zu.6]\n", p->categories_n ? p->categories_n - 1 : 0);
}

static void append_axes(struct base_buf *b, const struct sim_picture *p)
{
    bool from_0 = p->kind != SIM_PICTURE_STEPS && !p->log_y;

    base_buf_adds(b, "set border 3 lc rgb '" INK "'\n"
                     "set tics nomirror out scale 0.6 textcolor rgb '" INK "'\n"
                     "set grid y lt 1 lw 0.8 lc rgb '" GRID "'\n"
                     "set format '%g'\n"
                     "set lmargin 9\n");
    if (p->title) {
        base_buf_adds(b, "set title ");
        append_quoted_text(b, p->title);
        base_buf_adds(b, " textcolor rgb '" INK "'\n");
    }
    base_buf_adds(b, "set xlabel ");
    append_quoted_text(b, p->x_label);
    base_buf_adds(b, " textcolor rgb '" INK "'\nset ylabel ");
    append_quoted_text(b, p->y_label);
    base_buf_adds(b, " textcolor rgb '" INK "'\n");
    append_axis_range(b, 'x', p->x_min, p->x_max);
    append_axis_range(b, 'y', isnan(p->y_min) && from_0 ? 0 : p->y_min, p->y_max);
    if (p->log_x)
        append_log_axis(b, p, 'x');
    if (p->log_y)
        append_log_axis(b, p, 'y');
    if (p->kind == SIM_PICTURE_POINTS && !p->categories && p->series_n &&
        p->series[0].n <= VALUES_MAX)
        append_value_tics(b, p);
    if (p->categories)
        append_category_tics(b, p);
}

static const char *colour_of_series(const struct sim_series *s, size_t index)
{
    return s->colour ? s->colour : sim_picture_colour_for(s->name, index);
}

static void append_plot_clause(struct base_buf *b, const char *what, const char *data,
                               const struct sim_series *s, size_t index, const char *using,
                               const char *style, bool named)
{
    base_buf_addf(b, "%s '%s' index %zu using %s %s ", what, data, index, using, style);
    base_buf_addf(b, "lc rgb '%s' ", colour_of_series(s, index));
    if (named) {
        base_buf_adds(b, "title ");
        append_quoted_text(b, s->name);
    } else {
        base_buf_adds(b, "notitle");
    }
}

static bool has_intervals(const struct sim_series *s)
{
    for (size_t i = 0; s->half && i < s->n; i++)
        if (s->half[i] > 0)
            return true;
    return false;
}

static void append_plot_command(struct base_buf *b, const struct sim_picture *p, const char *data)
{
    double width = 0.82 / (double)p->series_n;
    const char *what = "plot";
    char using[128];

    if (p->kind == SIM_PICTURE_BARS)
        base_buf_addf(b, "set boxwidth %.4g\nset style fill solid 1 noborder\n", width * 0.92);
    for (size_t i = 0; i < p->series_n; i++) {
        const struct sim_series *s = &p->series[i];
        const char *style = p->kind == SIM_PICTURE_STEPS ? "with steps lw 2" : "with lines lw 2";
        double aside =
            p->kind == SIM_PICTURE_BARS ? ((double)i - (double)(p->series_n - 1) / 2) * width : 0;

        /* A logarithmic axis has no zero where bars could begin, so their length would mislead:
         * draw points. */
        if (p->kind == SIM_PICTURE_BARS)
            style = p->log_y ? "with points pt 7 ps 1.1" : "with boxes";
        else if (p->kind == SIM_PICTURE_POINTS)
            style = "with linespoints lw 2 pt 7 ps 0.6";
        if (s->dashed && p->kind != SIM_PICTURE_BARS)
            style = "with lines lw 2 dt 2";
        snprintf(using, sizeof using, "($1+%.6g):2", aside);
        append_plot_clause(b, what, data, s, i, using, style, true);
        what = ", \\\n    ";
        if (!has_intervals(s))
            continue;
        snprintf(using, sizeof using, "($1+%.6g):2:3", aside);
        base_buf_addf(
            b, "%s '%s' index %zu using %s with yerrorbars ps 0 lw 1.2 lc rgb '%s' notitle", what,
            data, i, using, p->kind == SIM_PICTURE_BARS ? INK : colour_of_series(s, i));
    }
    if (p->mark_label) {
        base_buf_addf(b, "%s %.10g with lines lw 1.5 dt 2 lc rgb '" INK "' title ", what,
                      p->mark_y);
        append_quoted_text(b, p->mark_label);
    }
    base_buf_adds(b, "\n");
}

/* The highest area is drawn first; the lower ones cover it. */
static void append_stacked_areas(struct base_buf *b, const struct sim_picture *p, const char *data)
{
    const char *what = "plot";

    for (size_t i = p->series_n; i-- > 0;) {
        const struct sim_series *s = &p->series[i];
        base_buf_addf(
            b, "%s '%s' using 1:%zu with filledcurves x1 fs solid 1 noborder lc rgb '%s' title ",
            what, data, i + 2, colour_of_series(s, i));
        append_quoted_text(b, s->name);
        what = ", \\\n    ";
    }
    if (p->mark_label) {
        base_buf_addf(b, "%s %.10g with lines lw 1.5 dt 2 lc rgb '" INK "' title ", what,
                      p->mark_y);
        append_quoted_text(b, p->mark_label);
    }
    base_buf_adds(b, "\n");
}

static void append_gnuplot_script(struct base_buf *b, const struct sim_picture *p)
{
    char *data = base_printf("data/%s.dat", p->name), *plain = base_strdup(p->name);
    size_t names = p->series_n + (p->mark_label != NULL);

    for (char *at = plain; *at; at++) /* gnuplot accepts no '-' in the name of an SVG */
        *at = *at == '-' ? '_' : *at;
    base_buf_addf(b,
                  "set terminal svg size %d,%d dynamic noenhanced font 'sans-serif,14' name '%s'\n",
                  p->width ? p->width : 640, p->height ? p->height : 400, plain);
    base_buf_addf(b, "set encoding utf8\nset output '%s.svg'\nset datafile missing '?'\n", p->name);
    if (!names)
        base_buf_adds(b, "set nokey\n");
    else if (names <= NAMES_BELOW_MAX && p->kind != SIM_PICTURE_STACK)
        base_buf_adds(b, "set key below horizontal Left reverse samplen 1.5 spacing 1.3 height 0.6 "
                         "textcolor rgb '" INK "'\n");
    else
        base_buf_adds(b, "set key outside right top vertical Left reverse samplen 1.5 font ',12' "
                         "textcolor rgb '" INK "'\n");
    append_axes(b, p);
    if (p->kind == SIM_PICTURE_STACK)
        append_stacked_areas(b, p, data);
    else
        append_plot_command(b, p, data);
    free(data);
    free(plain);
}

/* ---------------------------------------------------------------- gnuplot */
_Noreturn static void exec_gnuplot(const char *dir, const char *arg, int output_fd)
{
    if ((dir && chdir(dir) < 0) || dup2(output_fd, STDOUT_FILENO) < 0 ||
        dup2(output_fd, STDERR_FILENO) < 0)
        _exit(126);
    setenv("LC_ALL", "C", 1);
    execlp("gnuplot", "gnuplot", arg, (char *)NULL);
    _exit(errno == ENOENT ? 127 : 126);
}

static void append_gnuplot_message(struct base_buf *words, const char *data, size_t n)
{
    for (size_t i = 0; i < n && words->len < WORDS_MAX; i++) {
        bool blank = (unsigned char)data[i] <= ' ' || data[i] == '^';
        if (!blank)
            base_buf_add(words, &data[i], 1);
        else if (words->len && words->data[words->len - 1] != ' ')
            base_buf_adds(words, " ");
    }
}

/* Runs gnuplot in @dir. If gnuplot fails, its output becomes the error message. */
static int run_gnuplot(const char *dir, const char *arg, struct base_error *err)
{
    struct base_buf words = {0};
    char piece[1024];
    int ends[2], status = 0;
    ssize_t n;

    if (pipe(ends) < 0)
        return base_error_sys(err, -BASE_EIO, errno, "cannot make a pipe");
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0)
        exec_gnuplot(dir, arg, ends[1]);
    int sys = errno;
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return base_error_sys(err, -BASE_EIO, sys, "cannot start gnuplot");
    }
    while ((n = read(ends[0], piece, sizeof piece)) > 0 || (n < 0 && errno == EINTR))
        if (n > 0)
            append_gnuplot_message(&words, piece, (size_t)n);
    close(ends[0]);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    int rc = 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        rc = base_error_set(err, -BASE_ENOTFOUND,
                            "gnuplot draws the pictures of a report and is not installed (on "
                            "Debian: apt-get install "
                            "gnuplot-nox)");
    else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        rc = base_error_set(err, -BASE_EIO, "gnuplot failed on %s: %s", arg,
                            words.len ? words.data : "it printed no message");
    base_buf_free(&words);
    return rc;
}

int sim_picture_check_gnuplot(struct base_error *err)
{
    return run_gnuplot(NULL, "--version", err);
}

/* ---------------------------------------------------------------- editing gnuplot's SVG */
/* If the text at *@at begins with @from, advances *@at past it and returns true. */
static bool skip_prefix(const char **at, const char *from)
{
    size_t n = strlen(from);

    if (strncmp(*at, from, n) != 0)
        return false;
    *at += n;
    return true;
}

static void append_escaped_xml_text(struct base_buf *b, const char *text)
{
    for (; text && *text; text++)
        if (*text == '<')
            base_buf_adds(b, "&lt;");
        else if (*text == '&')
            base_buf_adds(b, "&amp;");
        else
            base_buf_addf(b, "%c", *text);
}

/* Copies one line of gnuplot's SVG. The placeholder colours become the page's text colour, and ids
 * get the picture's name as a prefix, so that one page can hold several pictures. */
static void append_themed_svg_line(struct base_buf *b, const char *line, const char *end,
                                   const char *name)
{
    while (line < end) {
        if (skip_prefix(&line, "rgb(  1,   2,   3)") || skip_prefix(&line, "rgb(1,2,3)"))
            base_buf_adds(b, "currentColor");
        else if (skip_prefix(&line, "stroke='rgb(  4,   5,   6)'"))
            base_buf_adds(b, "stroke='currentColor' stroke-opacity='0.18'");
        else if (skip_prefix(&line, "color=\"black\" "))
            continue;
        else if (skip_prefix(&line, "'#gp"))
            base_buf_addf(b, "'#%s-gp", name);
        else if (skip_prefix(&line, "id='"))
            base_buf_addf(b, "id='%s-", name);
        else if (skip_prefix(&line, "id=\"gnuplot_canvas\""))
            base_buf_addf(b, "id=\"%s-canvas\"", name);
        else
            base_buf_add(b, line++, 1);
    }
    base_buf_adds(b, "\n");
}

/* Returns true for two marks that gnuplot adds to every interval: a white disc in the middle and a
 * point of size zero. */
static bool is_gnuplot_artifact(const char *at, const char *stop)
{
    size_t n = (size_t)(stop - at);

    return memmem(at, n, "<use ", 5) &&
           (memmem(at, n, "color='white'", 13) || memmem(at, n, "scale(0.00)", 11));
}

/* Copies gnuplot's SVG line by line to @out: sets the title, drops the description, artifacts,
 * empty groups and empty lines, and adapts colours and ids. */
static void polish_svg(const struct base_buf *svg, const struct sim_picture *p,
                       struct base_buf *out)
{
    const char *at = svg->data, *end = svg->data + svg->len;
    bool in_defs = false;

    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop ? stop : end;
        const char *next = stop < end ? stop + 1 : end;
        if (strncmp(at, "<title>", 7) == 0) {
            base_buf_adds(out, "<title>");
            append_escaped_xml_text(out, p->title ? p->title : p->name);
            base_buf_adds(out, "</title>\n");
        } else if (strncmp(at, "<desc>", 6) == 0 || at == stop || is_gnuplot_artifact(at, stop)) {
            at = next;
            continue;
        } else if (strncmp(at, "<g ", 3) == 0 && !in_defs && strncmp(next, "</g>\n", 5) == 0) {
            next += 5; /* skips an empty group; gnuplot writes many */
        } else {
            in_defs = strncmp(at, "<defs>", 6) == 0 || (in_defs && strncmp(at, "</defs>", 7) != 0);
            append_themed_svg_line(out, at, stop, p->name);
        }
        at = next;
    }
}

static int write_picture_file(const char *dir, const char *folder, const char *name,
                              const char *extension, const struct base_buf *b,
                              struct base_error *err)
{
    char *path = base_printf("%s/%s%s%s", dir, folder, name, extension);
    int rc = base_file_write_atomic(path, b->data, b->len, 0644, false, err);

    free(path);
    return rc;
}

static int polish_svg_file(const char *dir, const struct sim_picture *p, struct base_error *err)
{
    struct base_buf svg = {0}, out = {0};
    char *path = base_printf("%s/%s.svg", dir, p->name);
    int rc = base_file_read(path, SVG_MAX, &svg, err);

    if (rc == 0) {
        polish_svg(&svg, p, &out);
        rc = write_picture_file(dir, "", p->name, ".svg", &out, err);
    }
    free(path);
    base_buf_free(&svg);
    base_buf_free(&out);
    return rc;
}

int sim_picture_draw(const char *dir, const struct sim_picture *p, struct base_error *err)
{
    struct base_buf data = {0}, commands = {0};
    char *folder = base_printf("%s/data", dir), *script = base_printf("data/%s.gp", p->name);
    int rc = base_mkdirs(folder, 0755, err);

    if (p->kind == SIM_PICTURE_STACK)
        append_stacked_data(p, &data);
    else
        append_series_data(p, &data);
    append_gnuplot_script(&commands, p);
    if (rc == 0)
        rc = write_picture_file(dir, "data/", p->name, ".dat", &data, err);
    if (rc == 0)
        rc = write_picture_file(dir, "data/", p->name, ".gp", &commands, err);
    if (rc == 0)
        rc = run_gnuplot(dir, script, err);
    if (rc == 0)
        rc = polish_svg_file(dir, p, err);
    base_buf_free(&data);
    base_buf_free(&commands);
    free(folder);
    free(script);
    return rc;
}
