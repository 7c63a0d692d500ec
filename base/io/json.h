/* base/io/json.h - jansson with our bounds and our error messages.
 * Field readers name the field, the value and what was expected: "reduces: -1 is not an integer
 * from 0 to 1000000". */
#ifndef CREEL_BASE_IO_JSON_H
#define CREEL_BASE_IO_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/mem.h"

/* Strict JSON, duplicates rejected, depth <= BASE_JSON_DEPTH_MAX. Caller owns *out. */
int base_json_parse(const char *text, size_t len, json_t **out, struct base_error *err);
/* Compact, appended to @out. */
void base_json_dump(const json_t *j, struct base_buf *out);

/* Each reads member @name of object @obj. Absent or null: *out keeps its value (the default) unless
 * @required.
 * @where prefixes the field in messages ("job.", "tasks[2]."; "" is fine). Strings are borrowed
 * from @obj. */
int base_json_str(const json_t *obj, const char *where, const char *name, bool required, size_t max,
                  const char **out, struct base_error *err);
int base_json_int(const json_t *obj, const char *where, const char *name, bool required,
                  int64_t min, int64_t max, int64_t *out, struct base_error *err);
int base_json_num(const json_t *obj, const char *where, const char *name, bool required, double min,
                  double max, double *out, struct base_error *err);
int base_json_bool(const json_t *obj, const char *where, const char *name, bool required, bool *out,
                   struct base_error *err);
int base_json_arr(const json_t *obj, const char *where, const char *name, bool required, size_t max,
                  json_t **out, struct base_error *err); /* borrowed */
/* -BASE_EINVAL with "<where><name>: <value of @j> is not <wanted>"; without a name @where itself is
 * meant, without both the body. */
int base_json_refuse(const json_t *j, const char *where, const char *name, const char *wanted,
                     struct base_error *err);
/* Refuses members not in the NULL-ended list @names, suggesting the nearest one. */
int base_json_known(const json_t *obj, const char *where, const char *const *names,
                    struct base_error *err);

#endif
