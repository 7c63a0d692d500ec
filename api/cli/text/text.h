/* api/cli/text/text.h - pure text: widths, cleaning, durations, dates and sizes for people, shell quoting, file URIs. */
#ifndef CREEL_API_CLI_TEXT_TEXT_H
#define CREEL_API_CLI_TEXT_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"

/* Columns that @len bytes of UTF-8 take: wide East Asian and emoji ranges 2, combining marks 0, a broken byte 1. */
size_t cli_text_width(const char *s, size_t len);
/* The longest prefix of @s (bytes) that is at most @columns wide, never inside a character. */
size_t cli_text_prefix_fitting(const char *s, size_t columns);
/* Appends @s with every control character (and DEL) as one space, runs of them as one: what comes from a job cannot
 * move the cursor. Trailing blanks are dropped. */
void cli_text_add_clean(const char *s, struct base_buf *out);

/* Appends @len bytes with U+FFFD for each byte that belongs to no character of UTF-8. */
void cli_text_add_utf8(const char *s, size_t len, struct base_buf *out);

void cli_text_add_duration(int64_t ms,
                           struct base_buf *out); /* "0.3 s", "12.4 s", "3m05s", "2h07m" */
void cli_text_add_bytes(int64_t bytes,
                        struct base_buf *out); /* "0 B", "1.4 kB", "2.0 GB": powers of 1000 */
void cli_text_add_count(int64_t n, struct base_buf *out); /* "1,234,567" */
void cli_text_add_time(int64_t epoch_ms,
                       struct base_buf *out); /* local "2024-05-01 10:11:12"; "-" for 0 */

/* ---- api/cli/text/when.c ---- */
/* A span "90", "1.5s", "+5m", "1h30m", "2d" (*relative, ms > 0) or a date "2026-11-21T20:00[:00]", local unless "Z" or
 * "+02:00" follows (ms since the epoch). False: neither. */
bool cli_when_parse(const char *text, bool *relative, int64_t *ms);
void cli_when_add_iso(int64_t epoch_ms,
                      struct base_buf *out); /* local "2026-11-21T20:00:05+01:00"; reads back */
void cli_when_add_distance(int64_t epoch_ms, int64_t now_ms,
                           struct base_buf *out); /* "in 42.0 s", "5m03s ago" */

/* Appends @arg so that sh reads exactly it back: bare when harmless, else in single quotes. */
void cli_shell_quote(const char *arg, struct base_buf *out);
/* Appends all of a NULL-ended vector, separated by blanks. */
void cli_shell_quote_all(char *const *argv, struct base_buf *out);

/* A path given by a person -> URI: with a scheme ("file://", "webhdfs://") it stays; a relative one is put below
 * @cwd; "." and ".." are resolved by name; bytes outside [A-Za-z0-9-._~/] and the glob characters *[]{},! are
 * percent-encoded ('?' too: it means the same after decoding). Caller frees. */
char *cli_uri_from_path(const char *path, const char *cwd);
/* For people: "file:///a%20b" -> "/a b"; other URIs as they are. Caller frees. */
char *cli_uri_to_path(const char *uri);
/* Appends @s percent-encoded for a query value or a path segment. */
void cli_uri_add_encoded(const char *s, struct base_buf *out);

#endif
