/* api/cli/text/progress.h - progress of a running job: bars on a terminal, plain lines elsewhere.
 * Rendering is pure. */
#ifndef CREEL_API_CLI_TEXT_PROGRESS_H
#define CREEL_API_CLI_TEXT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/mem.h"

enum { CLI_PROGRESS_BARS = 2 };
struct cli_progress_bar {
    const char *label; /* "map" */
    double percent;    /* 0 to 100; outside values are clamped */
    int64_t done, total, running, suspended, failed;
};
struct cli_progress {
    const char *id, *name, *state;
    int64_t elapsed_ms;
    bool last; /* the final state of the job: not subject to the limit of a line a second */
    struct cli_progress_bar bars[CLI_PROGRESS_BARS];
    size_t n;
};
/* Appends lines of at most @width columns (0: no limit) and returns their number. @utf8: use block
 * characters. */
size_t cli_progress_add_bars(const struct cli_progress *p, size_t width, bool utf8,
                             struct base_buf *out);
/* Appends one line for logs, without a newline: "0:03 RUNNING map 45% (5 of 12, 3 running) reduce
 * 0% (0 of 3)". */
void cli_progress_add_line(const struct cli_progress *p, struct base_buf *out);

/* A ResourceManager that has just taken over does not know the progress of running tasks until they
 * report to it. For CLI_PROGRESS_HOLD_MS after a failed request no bar goes back. Start with a
 * zeroed structure. */
enum { CLI_PROGRESS_HOLD_MS = 10000 };
struct cli_progress_hold {
    int64_t failed_requests, until_ms;
    struct cli_progress_bar last[CLI_PROGRESS_BARS];
    size_t n;
};
/* Raises @p's bars to the level shown before, for CLI_PROGRESS_HOLD_MS after @failed_requests, the
 * result of cli_rm_count_failed_requests(), has changed; not those of the job's final state. */
void cli_progress_keep_from_falling(struct cli_progress_hold *h, int64_t failed_requests,
                                    struct cli_progress *p);

/* Draws on @out: in place on a terminal; elsewhere a line whenever the state or the tens digit of a
 * percentage changes, at most one a second. */
struct cli_progress_screen {
    FILE *out;
    bool terminal, utf8;
    size_t drawn; /* lines on the screen */
    char last[256];
    int64_t last_ms;
    int last_tenths;
};
void cli_progress_open(struct cli_progress_screen *s, FILE *out);
void cli_progress_draw(struct cli_progress_screen *s, const struct cli_progress *p);
void cli_progress_clear(struct cli_progress_screen *s); /* erases the bars */

#endif
