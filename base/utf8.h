/* base/utf8.h - checks and displays UTF-8 text. */
#ifndef CREEL_BASE_UTF8_H
#define CREEL_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Returns the length of the valid sequence at @s (1 for ASCII; no surrogates, nothing above
 * U+10FFFF, no overlong form), or 0 when it is invalid. Reads no further than a NUL. */
size_t base_utf8_len(const char *s);
bool base_utf8_valid(const char *s);
/* Tells whether @s is valid UTF-8 without control characters. */
bool base_utf8_plain(const char *s);
/* Prepares arbitrary bytes for a message: @s with every control character and every byte that is
 * not UTF-8 as %XX, truncated after @max bytes ("..."). Caller frees. */
char *base_utf8_shown(const char *s, size_t max);

#endif
