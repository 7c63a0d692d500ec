/* api/wire/task.h - what a task runner asks the ResourceManager: leave to commit, where outputs of
 * maps are, and that one could not be fetched. Each request carries the application's token.
 *
 *   POST /ws/v1/nodetracker/commit                        struct wire_commit -> struct wire_leave
 *   GET  /ws/v1/nodetracker/apps/{appid}/mapoutputs       -> struct wire_map_outputs
 *   POST /ws/v1/nodetracker/apps/{appid}/fetch-failure    struct wire_fetch_failure -> 204
 *
 * Rules of reading: api/wire/member.h; ownership: as in api/wire/node.h. */
#ifndef CREEL_API_WIRE_TASK_H
#define CREEL_API_WIRE_TASK_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/id.h"
#include "base/mem.h"

struct wire_commit {
    const char *app; /* for readers of a trace; the task's id says it too */
    const char *task;
    int32_t task_attempt;
    json_t *root;
};
void wire_commit_put(const struct wire_commit *c, struct base_buf *out);
int wire_commit_get(const char *text, size_t len, struct wire_commit *c, struct base_error *err);
void wire_commit_free(struct wire_commit *c);

struct wire_leave {
    bool commit; /* false: another attempt has committed */
};
void wire_leave_put(const struct wire_leave *l, struct base_buf *out);
int wire_leave_get(const char *text, size_t len, struct wire_leave *l, struct base_error *err);

struct wire_fetch_failure {
    int32_t map, attempt;  /* whose output */
    const char *container; /* that made the output, for readers of a trace; NULL: not said */
    const char *reduce;    /* the id of the task that needs it */
    const char *reason;
    bool gone; /* the node answers but has no such output: one report is enough */
    json_t *root;
};
void wire_fetch_failure_put(const struct wire_fetch_failure *f, struct base_buf *out);
int wire_fetch_failure_get(const char *text, size_t len, struct wire_fetch_failure *f,
                           struct base_error *err);
void wire_fetch_failure_free(struct wire_fetch_failure *f);

struct wire_map_output {
    int32_t map, attempt;
    const char *container, *node; /* node: host:port of its HTTP server */
};
struct wire_map_outputs {
    int64_t version;    /* to be asked with next time: what changed since */
    int64_t maps, done; /* of the job */
    struct wire_map_output *outputs;
    size_t outputs_n;
    json_t *root;
};
void wire_map_outputs_open(const struct wire_map_outputs *o, struct base_buf *out);
void wire_map_output_put(const struct wire_map_output *o, struct base_buf *out);
void wire_map_outputs_close(struct base_buf *out);
int wire_map_outputs_get(const char *text, size_t len, struct wire_map_outputs *o,
                         struct base_error *err);
void wire_map_outputs_free(struct wire_map_outputs *o);

#endif
