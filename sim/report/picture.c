/* sim/report/picture.c - see the header. */
#include "sim/report/picture.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io/io.h"

/* Colours that stand for others until the picture is done: of texts and axes, of the grid. */
#define INK  "#010203"
#define GRID "#040506"
enum { SVG_MAX = 64 << 20, LOG_TICS_DECADES = 3, WORDS_MAX = 4000, NAMES_BELOW_MAX = 6, VALUES_MAX = 12 };

void sim_picture_init(struct sim_picture *p)
{
    *p = (struct sim_picture){.x_min = NAN, .x_max = NAN, .y_min = NAN, .y_max = NAN};
}

const char *sim_picture_colour(const char *name, size_t index)
{
    static const char *const known[][2] = {
        {"fifo", "#868686"},      {"naive-fair", "#a9794e"}, {"fair", "#3b82c4"},      {"hsrtf-pu", "#2f9e63"},
        {"hsrtf-pup", "#93b83b"}, {"hsrtf-pr", "#8f63c4"},   {"hsrtf-prp", "#d468a8"}, {"hfsp", "#e0762a"},
        {"rtmr", "#d1454f"},      {"dc", "#26a0a8"},         {"las", "#b8a11c"},       {"srpt", "#5b6ad0"},
        {"np-srpt", "#47b39d"},   {"ps", "#6aa9dd"},         {"fsp", "#b8458f"},       {"psbs", "#1f8f86"},
    };
    static const char *const others[] = {
        "#3b82c4", "#e0762a", "#2f9e63", "#d1454f", "#8f63c4", "#b8a11c", "#26a0a8", "#d468a8",
        "#a9794e", "#868686", "#93b83b", "#5b6ad0", "#7fb2e0", "#f0ab76", "#7cc79c", "#e58f96",
        "#b99ddd", "#d9ca72", "#7ccbd0", "#e6a5cb", "#c9a988", "#b5b5b5", "#bdd582", "#9aa4e4",
    };

    for (size_t i = 0; name && i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i][0], name) == 0)
            return known[i][1];
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
static void add_number(struct base_buf *b, double x)
{
    if (isfinite(x))
        base_buf_addf(b, "%.10g", x);
    else
        base_buf_adds(b, "?");
}

/* A comment must not end before its line does. */
static void add_comment(struct base_buf *b, const char *text)
{
    base_buf_adds(b, "# ");
    for (; text && *text; text++)
        base_buf_addf(b, "%c", (unsigned char)*text < ' ' ? ' ' : *text);
    base_buf_adds(b, "\n");
}

/* A block per series: x, y, half width. */
static void add_blocks(const struct sim_picture *p, struct base_buf *b)
{
    for (size_t s = 0; s < p->series_n; s++) {
        const struct sim_series *v = &p->series[s];
        base_buf_adds(b, s ? "\n\n" : "");
        add_comment(b, v->name);
        for (size_t i = 0; i < v->n; i++) {
            add_number(b, v->x[i]);
            base_buf_adds(b, " ");
            add_number(b, v->y[i]);
            base_buf_adds(b, " ");
            add_number(b, v->half ? v->half[i] : 0);
            base_buf_adds(b, "\n");
        }
    }
}

/* One block: x, then the sums of the first series, of the first two, ...; each at the beginning and the end of its
 * step. */
static void add_stack(const struct sim_picture *p, struct base_buf *b)
{
    size_t n = p->series_n ? p->series[0].n : 0;

    for (size_t s = 0; s < p->series_n; s++)
        add_comment(b, p->series[s].name);
    for (size_t i = 0; i < 2 * n; i++) {
        const double *x = p->series[0].x;
        size_t at = (i + 1) / 2 < n ? (i + 1) / 2 : n - 1;
        double sum = 0;

        add_number(b, i + 1 == 2 * n && n > 1 ? 2 * x[n - 1] - x[n - 2] : x[at]);
        for (size_t s = 0; s < p->series_n; s++) {
            sum += p->series[s].y[i / 2];
            base_buf_adds(b, " ");
            add_number(b, sum);
        }
        base_buf_adds(b, "\n");
    }
}

/* ---------------------------------------------------------------- commands */
/* Nothing in it ends the quotes: gnuplot does not read '' as a quote everywhere, and runs what stands in `` outside of
 * quotes. */
static void add_quoted(struct base_buf *b, const char *text, bool format)
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

static void add_text(struct base_buf *b, const char *text)
{
    add_quoted(b, text, false);
}

static void add_range(struct base_buf *b, char axis, double low, double high)
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

/* Least and largest value on an axis with its intervals, of positive ones alone if need be. */
static void range_of(const struct sim_picture *p, bool of_x, bool positive, double *low, double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t s = 0; s < p->series_n; s++)
        for (size_t i = 0; i < p->series[s].n; i++) {
            const struct sim_series *v = &p->series[s];
            double at = of_x ? v->x[i] : v->y[i], half = !of_x && v->half && isfinite(v->half[i]) ? v->half[i] : 0;
            if (!isfinite(at) || (positive && at <= 0))
                continue;
            double least = positive && at - half <= 0 ? at : at - half;
            *low = least < *low ? least : *low;
            *high = at + half > *high ? at + half : *high;
        }
}

/* A little more than the data, so that marks at the ends are within. On a short axis 1, 2 and 5 of each decade have
 * their numbers. */
static void add_log_axis(struct base_buf *b, const struct sim_picture *p, char axis)
{
    double low, high, from = axis == 'x' ? p->x_min : p->y_min, to = axis == 'x' ? p->x_max : p->y_max;
    const char *between = "";

    range_of(p, axis == 'x', true, &low, &high);
    if (from > 0)
        low = from * 1.08;
    if (to > 0)
        high = to / 1.08;
    base_buf_addf(b, "set logscale %c\n", axis);
    if (!(high > 0))
        return;
    add_range(b, axis, low / 1.08, high * 1.08);
    if (log10(high / low) > LOG_TICS_DECADES)
        return;
    base_buf_addf(b, "set %ctics (", axis);
    for (int e = (int)floor(log10(low)) - 1; e <= (int)ceil(log10(high)); e++, between = ", ")
        base_buf_addf(b, "%s1e%d, 2e%d, 5e%d", between, e, e, e);
    base_buf_adds(b, ")\n");
}

/* A parameter that takes a few values has these on its axis, and marks at the ends are within. */
static void add_values(struct base_buf *b, const struct sim_picture *p)
{
    const struct sim_series *most = &p->series[0];
    double low, high;

    range_of(p, true, false, &low, &high);
    if (!p->log_x && isnan(p->x_min) && isnan(p->x_max) && high > low)
        add_range(b, 'x', low - (high - low) / 30, high + (high - low) / 30);
    for (size_t i = 1; i < p->series_n; i++)
        most = p->series[i].n > most->n ? &p->series[i] : most;
    base_buf_adds(b, "set xtics (");
    for (size_t i = 0; i < most->n; i++)
        base_buf_addf(b, "%s%.10g", i ? ", " : "", most->x[i]);
    base_buf_adds(b, ")\n");
}

static void add_categories(struct base_buf *b, const struct sim_picture *p)
{
    size_t letters = 0;

    for (size_t i = 0; i < p->categories_n; i++)
        letters += strlen(p->categories[i]) + 2;
    base_buf_addf(b, "set xtics %s(", letters > 90 ? "rotate by -35 " : "");
    for (size_t i = 0; i < p->categories_n; i++) {
        base_buf_adds(b, i ? ", " : "");
        add_quoted(b, p->categories[i], true); /* the name of a mark is a format */
        base_buf_addf(b, " %zu", i);
    }
    base_buf_addf(b, ")\nset xrange [-0.6:%zu.6]\n", p->categories_n ? p->categories_n - 1 : 0);
}

static void add_axes(struct base_buf *b, const struct sim_picture *p)
{
    bool from_0 = p->kind != SIM_PICTURE_STEPS && !p->log_y;

    base_buf_adds(b, "set border 3 lc rgb '" INK "'\n"
                     "set tics nomirror out scale 0.6 textcolor rgb '" INK "'\n"
                     "set grid y lt 1 lw 0.8 lc rgb '" GRID "'\n"
                     "set format '%g'\n"
                     "set lmargin 9\n");
    if (p->title) {
        base_buf_adds(b, "set title ");
        add_text(b, p->title);
        base_buf_adds(b, " textcolor rgb '" INK "'\n");
    }
    base_buf_adds(b, "set xlabel ");
    add_text(b, p->x_label);
    base_buf_adds(b, " textcolor rgb '" INK "'\nset ylabel ");
    add_text(b, p->y_label);
    base_buf_adds(b, " textcolor rgb '" INK "'\n");
    add_range(b, 'x', p->x_min, p->x_max);
    add_range(b, 'y', isnan(p->y_min) && from_0 ? 0 : p->y_min, p->y_max);
    if (p->log_x)
        add_log_axis(b, p, 'x');
    if (p->log_y)
        add_log_axis(b, p, 'y');
    if (p->kind == SIM_PICTURE_POINTS && !p->categories && p->series_n && p->series[0].n <= VALUES_MAX)
        add_values(b, p);
    if (p->categories)
        add_categories(b, p);
}

static const char *colour_of(const struct sim_series *s, size_t index)
{
    return s->colour ? s->colour : sim_picture_colour(s->name, index);
}

static void add_plot(struct base_buf *b, const char *what, const char *data, const struct sim_series *s, size_t index,
                     const char *using, const char *style, bool named)
{
    base_buf_addf(b, "%s '%s' index %zu using %s %s ", what, data, index, using, style);
    base_buf_addf(b, "lc rgb '%s' ", colour_of(s, index));
    if (named) {
        base_buf_adds(b, "title ");
        add_text(b, s->name);
    } else {
        base_buf_adds(b, "notitle");
    }
}

static bool has_width(const struct sim_series *s)
{
    for (size_t i = 0; s->half && i < s->n; i++)
        if (s->half[i] > 0)
            return true;
    return false;
}

static void add_series(struct base_buf *b, const struct sim_picture *p, const char *data)
{
    double width = 0.82 / (double)p->series_n;
    const char *what = "plot";
    char using[128];

    if (p->kind == SIM_PICTURE_BARS)
        base_buf_addf(b, "set boxwidth %.4g\nset style fill solid 1 noborder\n", width * 0.92);
    for (size_t i = 0; i < p->series_n; i++) {
        const struct sim_series *s = &p->series[i];
        const char *style = p->kind == SIM_PICTURE_STEPS ? "with steps lw 2" : "with lines lw 2";
        double aside = p->kind == SIM_PICTURE_BARS ? ((double)i - (double)(p->series_n - 1) / 2) * width : 0;

        if (p->kind == SIM_PICTURE_BARS) /* a logarithmic axis has no zero for bars to stand on: their length would lie */
            style = p->log_y ? "with points pt 7 ps 1.1" : "with boxes";
        else if (p->kind == SIM_PICTURE_POINTS)
            style = "with linespoints lw 2 pt 7 ps 0.6";
        if (s->dashed && p->kind != SIM_PICTURE_BARS)
            style = "with lines lw 2 dt 2";
        snprintf(using, sizeof using, "($1+%.6g):2", aside);
        add_plot(b, what, data, s, i, using, style, true);
        what = ", \\\n    ";
        if (!has_width(s))
            continue;
        snprintf(using, sizeof using, "($1+%.6g):2:3", aside);
        base_buf_addf(b, "%s '%s' index %zu using %s with yerrorbars ps 0 lw 1.2 lc rgb '%s' notitle", what, data, i,
                      using, p->kind == SIM_PICTURE_BARS ? INK : colour_of(s, i));
    }
    if (p->mark_label) {
        base_buf_addf(b, "%s %.10g with lines lw 1.5 dt 2 lc rgb '" INK "' title ", what, p->mark_y);
        add_text(b, p->mark_label);
    }
    base_buf_adds(b, "\n");
}

/* The highest first: what lies below is drawn over it. */
static void add_areas(struct base_buf *b, const struct sim_picture *p, const char *data)
{
    const char *what = "plot";

    for (size_t i = p->series_n; i-- > 0;) {
        const struct sim_series *s = &p->series[i];
        base_buf_addf(b, "%s '%s' using 1:%zu with filledcurves x1 fs solid 1 noborder lc rgb '%s' title ", what, data,
                      i + 2, colour_of(s, i));
        add_text(b, s->name);
        what = ", \\\n    ";
    }
    if (p->mark_label) {
        base_buf_addf(b, "%s %.10g with lines lw 1.5 dt 2 lc rgb '" INK "' title ", what, p->mark_y);
        add_text(b, p->mark_label);
    }
    base_buf_adds(b, "\n");
}

static void add_commands(struct base_buf *b, const struct sim_picture *p)
{
    char *data = base_printf("data/%s.dat", p->name), *plain = base_strdup(p->name);
    size_t names = p->series_n + (p->mark_label != NULL);

    for (char *at = plain; *at; at++) /* what gnuplot lets a name consist of */
        *at = *at == '-' ? '_' : *at;
    base_buf_addf(b, "set terminal svg size %d,%d dynamic noenhanced font 'sans-serif,14' name '%s'\n",
                  p->width ? p->width : 640, p->height ? p->height : 400, plain);
    base_buf_addf(b, "set encoding utf8\nset output '%s.svg'\nset datafile missing '?'\n", p->name);
    if (!names)
        base_buf_adds(b, "set nokey\n");
    else if (names <= NAMES_BELOW_MAX && p->kind != SIM_PICTURE_STACK)
        base_buf_adds(b, "set key below horizontal Left reverse samplen 1.5 spacing 1.3 height 0.6 textcolor rgb '" INK
                         "'\n");
    else
        base_buf_adds(b, "set key outside right top vertical Left reverse samplen 1.5 font ',12' textcolor rgb '" INK
                         "'\n");
    add_axes(b, p);
    if (p->kind == SIM_PICTURE_STACK)
        add_areas(b, p, data);
    else
        add_series(b, p, data);
    free(data);
    free(plain);
}

/* ---------------------------------------------------------------- gnuplot */
_Noreturn static void be_gnuplot(const char *dir, const char *arg, int words)
{
    if ((dir && chdir(dir) < 0) || dup2(words, STDOUT_FILENO) < 0 || dup2(words, STDERR_FILENO) < 0)
        _exit(126);
    setenv("LC_ALL", "C", 1);
    execlp("gnuplot", "gnuplot", arg, (char *)NULL);
    _exit(errno == ENOENT ? 127 : 126);
}

static void add_words(struct base_buf *words, const char *data, size_t n)
{
    for (size_t i = 0; i < n && words->len < WORDS_MAX; i++) {
        bool blank = (unsigned char)data[i] <= ' ' || data[i] == '^';
        if (!blank)
            base_buf_add(words, &data[i], 1);
        else if (words->len && words->data[words->len - 1] != ' ')
            base_buf_adds(words, " ");
    }
}

/* Runs gnuplot in @dir. What it said becomes the error. */
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
        be_gnuplot(dir, arg, ends[1]);
    int sys = errno;
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return base_error_sys(err, -BASE_EIO, sys, "cannot start gnuplot");
    }
    while ((n = read(ends[0], piece, sizeof piece)) > 0 || (n < 0 && errno == EINTR))
        if (n > 0)
            add_words(&words, piece, (size_t)n);
    close(ends[0]);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    int rc = 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        rc = base_error_set(err, -BASE_ENOTFOUND,
                            "gnuplot draws the pictures of a report and is not installed (on Debian: apt-get install "
                            "gnuplot-nox)");
    else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        rc =
            base_error_set(err, -BASE_EIO, "gnuplot failed on %s: %s", arg, words.len ? words.data : "it says nothing");
    base_buf_free(&words);
    return rc;
}

int sim_picture_check(struct base_error *err)
{
    return run_gnuplot(NULL, "--version", err);
}

/* ---------------------------------------------------------------- the picture itself */
/* Takes @from off the front of *@at, when it is there. */
static bool eat(const char **at, const char *from)
{
    size_t n = strlen(from);

    if (strncmp(*at, from, n) != 0)
        return false;
    *at += n;
    return true;
}

static void add_xml(struct base_buf *b, const char *text)
{
    for (; text && *text; text++)
        if (*text == '<')
            base_buf_adds(b, "&lt;");
        else if (*text == '&')
            base_buf_adds(b, "&amp;");
        else
            base_buf_addf(b, "%c", *text);
}

/* One line of gnuplot's SVG: its stand-in colours become those of the text around the picture, its ids become unique,
 * so that several pictures can be in one page. */
static void add_line(struct base_buf *b, const char *line, const char *end, const char *name)
{
    while (line < end) {
        if (eat(&line, "rgb(  1,   2,   3)") || eat(&line, "rgb(1,2,3)"))
            base_buf_adds(b, "currentColor");
        else if (eat(&line, "stroke='rgb(  4,   5,   6)'"))
            base_buf_adds(b, "stroke='currentColor' stroke-opacity='0.18'");
        else if (eat(&line, "color=\"black\" "))
            continue;
        else if (eat(&line, "'#gp"))
            base_buf_addf(b, "'#%s-gp", name);
        else if (eat(&line, "id='"))
            base_buf_addf(b, "id='%s-", name);
        else if (eat(&line, "id=\"gnuplot_canvas\""))
            base_buf_addf(b, "id=\"%s-canvas\"", name);
        else
            base_buf_add(b, line++, 1);
    }
    base_buf_adds(b, "\n");
}

/* gnuplot wipes a white disc below the middle of every interval, and draws a point of no size there. */
static bool is_blot(const char *at, const char *stop)
{
    size_t n = (size_t)(stop - at);

    return memmem(at, n, "<use ", 5) && (memmem(at, n, "color='white'", 13) || memmem(at, n, "scale(0.00)", 11));
}

static void polish(const struct base_buf *svg, const struct sim_picture *p, struct base_buf *out)
{
    const char *at = svg->data, *end = svg->data + svg->len;
    bool in_defs = false;

    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop ? stop : end;
        const char *next = stop < end ? stop + 1 : end;
        if (strncmp(at, "<title>", 7) == 0) {
            base_buf_adds(out, "<title>");
            add_xml(out, p->title ? p->title : p->name);
            base_buf_adds(out, "</title>\n");
        } else if (strncmp(at, "<desc>", 6) == 0 || at == stop || is_blot(at, stop)) {
            at = next;
            continue;
        } else if (strncmp(at, "<g ", 3) == 0 && !in_defs && strncmp(next, "</g>\n", 5) == 0) {
            next += 5; /* a group of nothing: gnuplot makes many */
        } else {
            in_defs = strncmp(at, "<defs>", 6) == 0 || (in_defs && strncmp(at, "</defs>", 7) != 0);
            add_line(out, at, stop, p->name);
        }
        at = next;
    }
}

static int write_file(const char *dir, const char *sub, const char *name, const char *end, const struct base_buf *b,
                      struct base_error *err)
{
    char *path = base_printf("%s/%s%s%s", dir, sub, name, end);
    int rc = base_file_write_atomic(path, b->data, b->len, 0644, false, err);

    free(path);
    return rc;
}

static int polish_file(const char *dir, const struct sim_picture *p, struct base_error *err)
{
    struct base_buf svg = {0}, out = {0};
    char *path = base_printf("%s/%s.svg", dir, p->name);
    int rc = base_file_read(path, SVG_MAX, &svg, err);

    if (rc == 0) {
        polish(&svg, p, &out);
        rc = write_file(dir, "", p->name, ".svg", &out, err);
    }
    free(path);
    base_buf_free(&svg);
    base_buf_free(&out);
    return rc;
}

int sim_picture_write(const char *dir, const struct sim_picture *p, struct base_error *err)
{
    struct base_buf data = {0}, commands = {0};
    char *folder = base_printf("%s/data", dir), *script = base_printf("data/%s.gp", p->name);
    int rc = base_mkdirs(folder, 0755, err);

    if (p->kind == SIM_PICTURE_STACK)
        add_stack(p, &data);
    else
        add_blocks(p, &data);
    add_commands(&commands, p);
    if (rc == 0)
        rc = write_file(dir, "data/", p->name, ".dat", &data, err);
    if (rc == 0)
        rc = write_file(dir, "data/", p->name, ".gp", &commands, err);
    if (rc == 0)
        rc = run_gnuplot(dir, script, err);
    if (rc == 0)
        rc = polish_file(dir, p, err);
    base_buf_free(&data);
    base_buf_free(&commands);
    free(folder);
    free(script);
    return rc;
}
