/* base/utf8.h - UTF-8: one walker, and the question whether a text is a plain name. */
#ifndef CREEL_BASE_UTF8_H
#define CREEL_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Length of the valid sequence at @s (1 for ASCII; no surrogates, nothing over U+10FFFF, no overlong form), 0 when
 * bad. Reads no further than a NUL. */
size_t base_utf8_len(const char *s);
bool base_utf8_valid(const char *s);
/* Valid UTF-8 without control characters. */
bool base_utf8_plain(const char *s);
/* For messages about text that may be anything: @s with every control character and every byte that is not UTF-8 as
 * %XX, cut after @max bytes ("..."). Caller frees. */
char *base_utf8_shown(const char *s, size_t max);

#endif
