/* base/conf/percent.h - encodes and decodes percent escapes of URIs. */
#ifndef CREEL_BASE_CONF_PERCENT_H
#define CREEL_BASE_CONF_PERCENT_H

#include <stdbool.h>

struct base_buf;
/* Appends @text as one component of a path or query, escaping everything but letters, digits and
 * "-._~". */
void base_percent_encode(const char *text, struct base_buf *out);
/* Appends @text as the path of a URI, whose slashes and other signs of paths stay. */
void base_percent_encode_path(const char *text, struct base_buf *out);

/* Decodes [@from, @end) into @to, which needs room for as many bytes and a NUL; @to may be @from.
 * Returns the place after the NUL, or NULL when an escape lacks two hex digits or is %00. */
char *base_percent_decode(const char *from, const char *end, char *to, bool plus_is_space);

#endif
