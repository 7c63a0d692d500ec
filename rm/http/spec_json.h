/* rm/http/spec_json.h - a job as JSON: what POST /ws/v1/cluster/jobs takes, what the store keeps,
 * what GET shows.
 *
 *   {"job":{"id":"application_…","name":"wordcount","user":"ann","queue":"default","priority":0,
 *           "input":["file:///data/x"],"output":"file:///out/wc","map":"…","combine":"…",
 *           "reduce":"…","reduces":3,"split-size":67108864,"max-attempts":4,
 *           "env":{"LC_ALL":"C"},"deadline-s":600,"weight":2}}
 *   or "tasks":[{"kind":"map|reduce","command":"sleep 5","hosts":["node1"],"count":20,
 *                "expected-s":5}]
 *   in place of input, output, map, combine, reduce, reduces and split-size;
 *   or "deadline-at-ms":1700000000000 (since the epoch) in place of deadline-s (from submission).
 *
 * Strict: an unknown member, a wrong type, a value out of bounds is refused, naming field, value
 * and expectation, and nothing is half done. Defaults: name "job", user = who asks, queue
 * "default", priority 0, reduces 1 when a reduce command is given and else 0, kind "map", count
 * 1. */
#ifndef CREEL_RM_HTTP_SPEC_JSON_H
#define CREEL_RM_HTTP_SPEC_JSON_H

#include "base/mem.h"
#include "rm/core/types.h"

struct rm_spec_defaults {
    const char *user;
    int64_t split_size;
    int32_t max_attempts;
};
/* Every member that a job, and a task of a job, may have; each ends with NULL. deploy/doc/rest.md
 * describes them. */
extern const char *const rm_spec_job_members[], *const rm_spec_task_members[];
/* Decodes a request body. 0 and *out with one reference, its json set and its splits still empty
 * (rm_spec_expand); -BASE_EINVAL or -BASE_ELIMIT. */
int rm_spec_job_decode(const char *text, size_t len, const struct rm_spec_defaults *defaults,
                       struct rm_job_spec **out, struct base_error *err);
/* The stored form (spec->json) back, for recovery; its splits are the core's to restore.
 * -BASE_ECORRUPT. */
int rm_spec_job_from_text(const char *text, size_t len, struct base_app_id id,
                          struct rm_job_spec **out, struct base_error *err);
/* Looks at the input on disk and fills paths and splits; nothing to do for explicit tasks.
 * -BASE_EINVAL (no such input), -BASE_ELIMIT, what @bounds say (rm/jobs/splits.h; NULL: the usual
 * ones). Reads the file system: not on the core's thread. */
struct rm_input_bounds;
int rm_spec_expand(struct rm_job_spec *spec, const struct rm_input_bounds *bounds,
                   struct base_error *err);
/* Appends the members (without braces) in the order above, absent ones left out. @queue: where the
 * job was placed, and its id is there; NULL: the submission alone. */
void rm_spec_job_encode(const struct rm_job_spec *spec, const char *queue, struct base_buf *out);
/* The command of task @index of @kind of a job of explicit tasks; NULL when there is none.
 * Borrowed. */
const char *rm_spec_task_command(const struct rm_job_spec *spec, enum base_task_kind kind,
                                 int64_t index);

#endif
