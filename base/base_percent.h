/* base/base_percent.h - percent escapes of URIs. */
#ifndef CREEL_BASE_PERCENT_H
#define CREEL_BASE_PERCENT_H

#include <stdbool.h>

/* Decodes [from, end) to @to (never longer) and NUL-terminates it. Returns the place after the NUL; NULL: an escape
 * without two hex digits, or one that stands for NUL. */
char *base_percent_decode(const char *from, const char *end, char *to, bool plus_is_space);

#endif
