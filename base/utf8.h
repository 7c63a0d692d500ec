/* base/utf8.h - checks UTF-8 text, and makes arbitrary bytes printable. */
#ifndef CREEL_BASE_UTF8_H
#define CREEL_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Returns the length in bytes of the first character of @s (1 for ASCII and for the terminating
 * NUL), or 0 when the bytes there are not valid UTF-8: surrogates, code points above U+10FFFF and
 * overlong forms are invalid. Never reads past the NUL. */
size_t base_utf8_sequence_len(const char *s);
bool base_utf8_valid(const char *s);
/* Returns true when @s is valid UTF-8 and contains neither a byte below 0x20 nor DEL. */
bool base_utf8_valid_without_controls(const char *s);
/* Returns the largest number of bytes, at most @max, at which @s can be cut off without cutting a
 * character in two. */
size_t base_utf8_cut(const char *s, size_t max);
/* Returns @s with every control character and every byte that is not UTF-8 written as %XX. Once the
 * result has @max bytes or more, "..." replaces the rest of @s. Caller frees. */
char *base_utf8_escape_for_message(const char *s, size_t max);

#endif
