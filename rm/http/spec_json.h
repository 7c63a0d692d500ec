/* rm/http/spec_json.h - decodes and encodes a job as JSON: the body of POST /ws/v1/cluster/jobs,
 * the form in the state store, and the answer to GET.
 *
 *   {"job":{"id":"application_…","name":"wordcount","user":"ann","queue":"default","priority":0,
 *           "input":["file:///data/x"],"output":"file:///out/wc","map":"…","combine":"…",
 *           "reduce":"…","reduces":3,"split-size":67108864,"max-attempts":4,
 *           "slots":2,"env":{"LC_ALL":"C"},"deadline-s":600,"weight":2,
 *           "reservation-id":"reservation_…","acl-view":"bob ops","acl-modify":"bob"}}
 *   or "tasks":[{"kind":"map|reduce","command":"sleep 5","hosts":["node1"],"count":20,
 *                "expected-s":5}]
 *   in place of input, output, map, combine, reduce, reduces and split-size;
 *   or "deadline-at-ms":1700000000000 (since the epoch) in place of deadline-s (from submission).
 *
 * Strict: an unknown member, a wrong type or a value out of bounds is refused as a whole, with a
 * message that names the field, the value and what was expected. Defaults: name "job", user the
 * caller, queue "default", priority 0, reduces 1 with a reduce command and else 0, split-size and
 * max-attempts from the configuration, kind "map", count 1, slots 1. */
#ifndef CREEL_RM_HTTP_SPEC_JSON_H
#define CREEL_RM_HTTP_SPEC_JSON_H

#include "base/mem.h"
#include "rm/core/types.h"

struct rm_spec_defaults {
    const char *user;
    int64_t split_size;
    int32_t max_attempts;
};
/* The members that a job and an explicit task may have; each list ends with NULL.
 * deploy/doc/rest.md describes the members. */
extern const char *const rm_spec_job_members[], *const rm_spec_task_members[];
/* Decodes a request body. Accesses no path in it: the setup of the job does, as its user. Returns 0
 * and *@out with one reference, its json set and its splits still empty; else -BASE_EINVAL or
 * -BASE_ELIMIT. */
int rm_spec_job_decode(const char *text, size_t len, const struct rm_spec_defaults *defaults,
                       struct rm_job_spec **out, struct base_error *err);
/* Decodes the stored form (spec->json) of job @id for recovery; the core restores the splits.
 * Returns 0 and *@out with one reference, or -BASE_ECORRUPT. */
int rm_spec_job_from_stored_json(const char *text, size_t len, struct base_app_id id,
                                 struct rm_job_spec **out, struct base_error *err);
/* Appends the members, without braces, in the order above; absent ones are left out. @queue: the
 * queue of an accepted job, whose id is written too; NULL: writes the submission alone. */
void rm_spec_job_encode(const struct rm_job_spec *spec, const char *queue, struct base_buf *out);
/* Returns the command of task @index of @kind in a job of explicit tasks, or NULL when there is no
 * such task. Borrowed. */
const char *rm_spec_task_command(const struct rm_job_spec *spec, enum base_task_kind kind,
                                 int64_t index);

#endif
