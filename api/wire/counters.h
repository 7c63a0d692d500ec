/* api/wire/counters.h - the counters of a task: the member "counters" of its progress, its result
 * and its node's reports, with YARN's names. A name that Creel does not know is ignored, and an
 * invalid value counts as 0: a job's own commands can write the files of progress and result, whose
 * contents must not make a node fail. */
#ifndef CREEL_API_WIRE_COUNTERS_H
#define CREEL_API_WIRE_COUNTERS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"
#include "base/task_counter.h"

#define WIRE_COUNT_MAX (INT64_MAX / 4) /* largest value of a counter */

struct wire_counters {
    /* a JSON object that is written unchanged instead of @v; NULL: write @v */
    const char *text;
    bool known; /* @v holds values */
    int64_t v[BASE_TASK_COUNTERS];
};
/* Appends the member, without counters that are 0; nothing when @c has neither text nor values. */
void wire_counters_put(const struct wire_counters *c, struct base_buf *out);
/* Reads the member of @obj; a missing or empty one leaves @c->known false. */
void wire_counters_get(const json_t *obj, struct wire_counters *c);
/* Returns the member of @obj as JSON text to pass on. Keeps names that are unknown here, but only
 * integers from 0 to WIRE_COUNT_MAX with names of 1 to 64 bytes, and at most 64 of them. Returns
 * NULL if @obj has no such object. The caller frees the text. */
char *wire_counters_copy_valid_text(const json_t *obj);

#endif
