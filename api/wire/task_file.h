/* api/wire/task_file.h - the files in a container's folder by which a task reports to its
 * NodeManager. creel-task writes them; a job's own commands may write "progress" as well, and can
 * overwrite the others.
 *
 *   progress       struct wire_task_progress   while the task runs
 *   result.json    struct wire_task_result     before the task exits with 0
 *   failure.json   struct wire_task_failure    before the task exits with anything else
 *
 * Reading is tolerant (api/wire/member.h), because a node must not fail over what a job has
 * written: only a text that base_json_parse() refuses, or that is not an object, is refused. An
 * upgraded NodeManager reads files of tasks that the previous version started, so names of members
 * stay.
 *
 * wire_..._get() fills the struct with strings that belong to it; the caller ends with
 * wire_..._free(), except after an error. */
#ifndef CREEL_API_WIRE_TASK_FILE_H
#define CREEL_API_WIRE_TASK_FILE_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "api/wire/counters.h"
#include "base/error.h"
#include "base/mem.h"

#define WIRE_TASK_EXIT_NO_SPACE (-101) /* exit_code of a task that found a disk full */

/* Counters are written as values and read as JSON text, which the NodeManager passes on. */
struct wire_task_progress {
    double progress;   /* 0 to 1 */
    const char *phase; /* NULL when read: not given */
    struct wire_counters counters;
    json_t *root; /* set by reading, as is counters_read: owners of the strings */
    char *counters_read;
};
void wire_task_progress_put(const struct wire_task_progress *p, struct base_buf *out);
int wire_task_progress_get(const char *text, size_t len, struct wire_task_progress *p,
                           struct base_error *err);
void wire_task_progress_free(struct wire_task_progress *p);

struct wire_task_result {
    struct wire_counters counters;
    int64_t output_bytes; /* size of a map's output for the reduces */
    char *counters_read;  /* as above */
};
void wire_task_result_put(const struct wire_task_result *r, struct base_buf *out);
int wire_task_result_get(const char *text, size_t len, struct wire_task_result *r,
                         struct base_error *err);
void wire_task_result_free(struct wire_task_result *r);

struct wire_task_failure {
    int32_t exit_code;
    const char *diagnostics; /* NULL when read: not given */
    json_t *root;            /* set by reading: owns the string */
};
void wire_task_failure_put(const struct wire_task_failure *f, struct base_buf *out);
int wire_task_failure_get(const char *text, size_t len, struct wire_task_failure *f,
                          struct base_error *err);
void wire_task_failure_free(struct wire_task_failure *f);

#endif
