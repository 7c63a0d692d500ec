/* api/pages/escape.h - escapes texts for HTML. */
#ifndef CREEL_API_PAGES_ESCAPE_H
#define CREEL_API_PAGES_ESCAPE_H

#include "base/mem.h"

/* Appends @text for use in an element or in a quoted attribute: the characters & < > " ' become
 * entities. U+FFFD replaces what could mislead a reader or a browser: bytes that are not UTF-8,
 * control characters except line feed and tab, and the characters that change the direction of the
 * text around them. SOURCE of the entities: org.apache.hadoop.http.HtmlQuoting. */
void api_html_add_escaped(struct base_buf *out, const char *text);
/* Returns the entity for the byte @c, for texts that are processed in pieces; NULL: @c needs
 * none. */
const char *api_html_find_entity(char c);
/* The same as api_html_add_escaped() with at most @max bytes of @text, cut between characters; "…"
 * replaces the rest. */
void api_html_add_escaped_cut(struct base_buf *out, const char *text, size_t max);

#endif
