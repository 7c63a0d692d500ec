/* base/io/json.h - jansson with our bounds and our error messages, which name the field, the value
 * and what was expected: "reduces: -1 is not an integer from 0 to 1000000". */
#ifndef CREEL_BASE_IO_JSON_H
#define CREEL_BASE_IO_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/mem.h"

/* Parses a JSON object or array; refuses a member that occurs twice in an object (-BASE_EINVAL) and
 * nesting deeper than BASE_JSON_DEPTH_MAX (-BASE_ELIMIT). Caller owns *@out. */
int base_json_parse(const char *text, size_t len, json_t **out, struct base_error *err);
/* Parses plain JSON: objects and arrays of ASCII texts without escapes, numbers of few digits
 * without exponent, truth values and null. Returns what base_json_parse() would return for @text,
 * or NULL for any other text, valid or not. Caller owns the value. */
json_t *base_json_read_plain(const char *text, size_t len);
/* Appends @j to @out, without blanks or line breaks. */
void base_json_dump(const json_t *j, struct base_buf *out);

/* Each of these reads member @name of object @obj into *@out. When the member is absent or null,
 * *@out keeps its value, and the result is 0, or -BASE_EINVAL when @required. A wrong type, a
 * number out of range and an @obj that is not an object are -BASE_EINVAL; more than @max bytes or
 * elements are -BASE_ELIMIT. @where precedes the name in messages ("job.", "tasks[2]."; may be "").
 * Strings and arrays are borrowed from @obj. */
int base_json_str(const json_t *obj, const char *where, const char *name, bool required, size_t max,
                  const char **out, struct base_error *err);
int base_json_int(const json_t *obj, const char *where, const char *name, bool required,
                  int64_t min, int64_t max, int64_t *out, struct base_error *err);
int base_json_num(const json_t *obj, const char *where, const char *name, bool required, double min,
                  double max, double *out, struct base_error *err);
int base_json_bool(const json_t *obj, const char *where, const char *name, bool required, bool *out,
                   struct base_error *err);
int base_json_arr(const json_t *obj, const char *where, const char *name, bool required, size_t max,
                  json_t **out, struct base_error *err);
/* Returns -BASE_EINVAL with the message "<where><name>: <value of @j> is not <wanted>". With @name
 * "" the message names @where without its dot; with both "", "the body". */
int base_json_set_value_error(const json_t *j, const char *where, const char *name,
                              const char *wanted, struct base_error *err);
/* Returns 0, or -BASE_EINVAL when @obj is not an object or has a member that is not in the
 * NULL-ended list @names; the message suggests a similar name if there is one. */
int base_json_refuse_unknown_members(const json_t *obj, const char *where, const char *const *names,
                                     struct base_error *err);

#endif
