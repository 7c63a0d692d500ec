/* base/io/json_write.h - writes JSON straight into a buffer. Orders and listings are written by the
 * thousand, so no tree is built first. Commas are added automatically: the last byte in the buffer
 * shows whether one is needed, and there is no other state.
 *
 *   base_json_open(b, '{');
 *   base_json_key(b, "name");
 *   base_json_value_str(b, v);
 *   base_json_close(b, '}'); */
#ifndef CREEL_BASE_IO_JSON_WRITE_H
#define CREEL_BASE_IO_JSON_WRITE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"

/* Appends @s as a JSON string, quoted and escaped, without a comma before it. */
void base_json_quote(struct base_buf *b, const char *s);

void base_json_open(struct base_buf *b, char bracket);
void base_json_close(struct base_buf *b, char bracket);
void base_json_key(struct base_buf *b, const char *key);     /* key: plain ASCII, not escaped */
void base_json_value_str(struct base_buf *b, const char *v); /* NULL: null */
void base_json_value_int(struct base_buf *b, int64_t v);
/* Appends @v with at most 6 decimals and no exponent. Infinities and NaN become 0; other values are
 * limited to the range from -1e30 to 1e30. */
void base_json_value_num(struct base_buf *b, double v);
void base_json_value_bool(struct base_buf *b, bool v);

/* Each appends a member: key and value. base_json_put_str_opt() appends nothing for NULL. */
void base_json_put_str(struct base_buf *b, const char *key, const char *v);
void base_json_put_str_opt(struct base_buf *b, const char *key, const char *v);
void base_json_put_int(struct base_buf *b, const char *key, int64_t v);
void base_json_put_num(struct base_buf *b, const char *key, double v);
void base_json_put_bool(struct base_buf *b, const char *key, bool v);

#endif
