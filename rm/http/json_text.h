/* rm/http/json_text.h - writing JSON straight into a buffer: orders and listings are made by the thousand, without building
 * trees first. The comma is found by looking at the last byte written, so there is no state to carry:
 *   rm_json_open(b, '{'); rm_json_key(b, "name"); rm_json_str(b, v); rm_json_close(b, '}'); */
#ifndef CREEL_RM_HTTP_JSON_TEXT_H
#define CREEL_RM_HTTP_JSON_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"

void rm_json_open(struct base_buf *b, char bracket);
void rm_json_close(struct base_buf *b, char bracket);
void rm_json_key(struct base_buf *b, const char *key); /* key: plain ASCII, not escaped */
void rm_json_str(struct base_buf *b, const char *v);   /* NULL: null */
void rm_json_int(struct base_buf *b, int64_t v);
void rm_json_num(struct base_buf *b, double v);        /* at most 6 decimals, no exponent */
void rm_json_bool(struct base_buf *b, bool v);

/* key and value; the _opt form writes nothing for NULL */
void rm_json_kstr(struct base_buf *b, const char *key, const char *v);
void rm_json_kstr_opt(struct base_buf *b, const char *key, const char *v);
void rm_json_kint(struct base_buf *b, const char *key, int64_t v);
void rm_json_knum(struct base_buf *b, const char *key, double v);
void rm_json_kbool(struct base_buf *b, const char *key, bool v);

#endif
