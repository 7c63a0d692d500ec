/* base/conf/percent.h - percent escapes of URIs. */
#ifndef CREEL_BASE_CONF_PERCENT_H
#define CREEL_BASE_CONF_PERCENT_H

#include <stdbool.h>

struct base_buf;
/* Appends @text as one component of a path or query, escaping everything but letters, digits and
 * "-._~". */
void base_percent_encode(const char *text, struct base_buf *out);

/* Decodes [from, end) to @to (never longer) and NUL-terminates it. Returns the place after the NUL,
 * or NULL for an escape without two hex digits or one that stands for NUL. */
char *base_percent_decode(const char *from, const char *end, char *to, bool plus_is_space);

#endif
