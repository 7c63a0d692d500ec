/* api/cli/text/text.h - pure text functions: widths, cleaning, durations, dates and sizes for
 * people, shell quoting, file URIs. */
#ifndef CREEL_API_CLI_TEXT_TEXT_H
#define CREEL_API_CLI_TEXT_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"

/* ---- api/cli/text/text.c ---- */
/* Returns how many columns @len bytes of UTF-8 take: 2 for wide East Asian characters and emoji, 0
 * for combining marks, 1 for a broken byte. */
size_t cli_text_width(const char *s, size_t len);
/* Returns the length in bytes of the longest prefix of @s that is at most @columns wide and ends
 * with a whole character. */
size_t cli_text_prefix_fitting(const char *s, size_t columns);
/* Appends @s with each run of control characters (DEL included) as one space, or as nothing at the
 * start or after a space, so that text from a job cannot move the cursor. A broken byte becomes
 * "?". Drops trailing blanks. */
void cli_text_add_clean(const char *s, struct base_buf *out);
/* Appends @len bytes, with U+FFFD for each byte that is not part of a UTF-8 character. */
void cli_text_add_as_valid_utf8(const char *s, size_t len, struct base_buf *out);
/* Appends a duration as "0.3 s", "12.4 s", "3m05s" or "2h07m". */
void cli_text_add_duration(int64_t ms, struct base_buf *out);
/* Appends a size as "0 B", "1.4 kB" or "2.0 GB", in powers of 1000. */
void cli_text_add_bytes(int64_t bytes, struct base_buf *out);
/* Appends a number as "1,234,567". */
void cli_text_add_grouped_count(int64_t n, struct base_buf *out);
/* Appends a date in local time as "2024-05-01 10:11:12"; "-" for 0 or less. */
void cli_text_add_time(int64_t epoch_ms, struct base_buf *out);

/* ---- api/cli/text/when.c ---- */
/* Parses a duration of at most about 31 years, "90", "1.5s", "+5m", "1h30m" or "2d" (*relative, *ms
 * > 0), or a date after 1970, "2026-11-21T20:00[:00]" (*ms since the epoch), in local time unless
 * "Z" or "+02:00" follows. Returns false when @text is neither. */
bool cli_when_parse(const char *text, bool *relative, int64_t *ms);
/* Appends a date in local time as "2026-11-21T20:00:05+01:00", which cli_when_parse() reads back.
 */
void cli_when_add_iso(int64_t epoch_ms, struct base_buf *out);
/* Appends how far a date is from now, as "in 42.0 s" or "5m03s ago". */
void cli_when_add_distance(int64_t epoch_ms, int64_t now_ms, struct base_buf *out);

/* ---- api/cli/text/quote.c ---- */
/* Appends @arg so that sh reads exactly @arg: in single quotes if it needs quoting. */
void cli_shell_quote(const char *arg, struct base_buf *out);
/* Appends the quoted arguments of a NULL-terminated vector, separated by blanks. */
void cli_shell_quote_all(char *const *argv, struct base_buf *out);
/* Turns a path as typed into a URI. A URI with a scheme ("file://", "webhdfs://") is copied
 * unchanged; a relative path starts at @cwd; "." and ".." are resolved by name. Bytes other than
 * [A-Za-z0-9-._~/] and the glob characters *[]{},! are percent-encoded, '?' too, which means the
 * same after decoding. Caller frees. */
char *cli_uri_from_path(const char *path, const char *cwd);
/* Turns "file:///a%20b" into "/a b"; copies other URIs. Caller frees. */
char *cli_uri_to_path(const char *uri);
/* Appends @s percent-encoded for a query value or a path segment. */
void cli_uri_add_encoded(const char *s, struct base_buf *out);

#endif
