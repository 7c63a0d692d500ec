#include "sim/terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/io/io.h"
#include "base/mem.h"

/* Width for wrapped text: that of the terminal, within limits; 110 if standard output is not a
 * terminal. */
static int output_width(void)
{
    enum { PLAIN = 110, LEAST = 40 };
    size_t width = base_terminal_width(STDOUT_FILENO);

    return width == 0 ? PLAIN : width < LEAST ? LEAST : width > 1000 ? 1000 : (int)width;
}

void sim_print_wrapped(const char *text, int indent)
{
    int column = indent, wide = output_width();

    for (const char *at = text; *at;) {
        int len = (int)strcspn(at, " ");
        if (column > indent && column + len > wide) {
            printf("\n%*s", indent, "");
            column = indent;
        }
        printf("%.*s", len, at);
        column += len;
        at += len;
        if (*at == ' ') {
            at++;
            column++;
            if (*at && column + (int)strcspn(at, " ") <= wide)
                printf(" ");
        }
    }
    printf("\n");
}

void sim_print_pair(const char *left, const char *text, int indent)
{
    enum { OWN_LINE = 6 };

    if (indent > output_width() / 2) {
        printf("%s\n%*s", left, OWN_LINE, "");
        indent = OWN_LINE;
    } else if ((int)strlen(left) >= indent) {
        printf("%s\n%*s", left, indent, "");
    } else {
        printf("%-*s", indent, left);
    }
    sim_print_wrapped(text, indent);
}

void sim_print_lines_folded(const char *text)
{
    enum { FURTHER = 4 };

    while (*text) {
        size_t len = strcspn(text, "\n");
        int blanks = (int)strspn(text, " ");

        if (base_terminal_width(STDOUT_FILENO) == 0 || (int)len <= output_width()) {
            printf("%.*s\n", (int)len, text);
        } else {
            char *line = base_strndup(text + blanks, len - (size_t)blanks);
            printf("%*s", blanks, "");
            sim_print_wrapped(line, blanks + FURTHER);
            free(line);
        }
        text += len + (text[len] == '\n');
    }
}

int sim_print_error_and_get_status(int code, const char *text)
{
    fprintf(stderr, "creel: ");
    for (; *text; text++)
        fputc((unsigned char)*text < ' ' || *text == 127 ? ' ' : *text, stderr);
    fputc('\n', stderr);
    return code == -BASE_EINVAL || code == -BASE_ENOTFOUND || code == -BASE_ELIMIT ||
                   code == -BASE_EEXIST
               ? SIM_CLI_USAGE
               : SIM_CLI_FAILED;
}

/* ---------------------------------------------------------------- the bar */
static int64_t monotonic_now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void sim_bar_begin(struct sim_bar *bar, bool shown)
{
    *bar = (struct sim_bar){.shown = shown, .begin_ms = monotonic_now_ms()};
}

void sim_bar_draw(struct sim_bar *bar, double fraction, size_t ended, size_t all)
{
    enum { WIDTH = 28, WORDS = 42, LEAST = 4 };
    static const char full[] = "############################",
                      empty[] = "----------------------------";
    double elapsed_s = (double)(monotonic_now_ms() - bar->begin_ms) / 1000;
    char left[32] = "";

    if (!bar->shown)
        return;
    fraction = fraction > 1 ? 1 : fraction < 0 ? 0 : fraction;
    int room = (int)base_terminal_width(STDERR_FILENO);
    int bar_width = room == 0 || room >= WIDTH + WORDS ? WIDTH
                    : room > LEAST + WORDS             ? room - WORDS
                                                       : LEAST;
    int marks = (int)(fraction * bar_width);
    if (fraction > 0.02 && fraction < 1 && elapsed_s > 1) {
        int64_t s = (int64_t)(elapsed_s * (1 - fraction) / fraction) + 1;
        snprintf(left, sizeof left, ", %lld:%02d left", (long long)(s / 60), (int)(s % 60));
    }
    fprintf(stderr, "\r[%.*s%.*s] %3d %%  %zu of %zu runs%s\033[K", marks, full, bar_width - marks,
            empty, (int)(fraction * 100), ended, all, left);
    fflush(stderr);
    bar->drawn = true;
}

void sim_bar_erase(struct sim_bar *bar)
{
    if (bar->drawn)
        fprintf(stderr, "\r\033[K");
    bar->drawn = false;
}
