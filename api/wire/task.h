/* api/wire/task.h - a task runner's requests to the ResourceManager (for permission to commit, and
 * for the places of map outputs), its report of an output that could not be fetched, and the
 * requests of a job's steps. Each request is signed with the token of the task's container.
 *
 *   POST /ws/v1/nodetracker/commit                      wire_commit -> wire_commit_answer
 *   GET  /ws/v1/nodetracker/apps/{appid}/mapoutputs     -> wire_map_outputs
 *   POST /ws/v1/nodetracker/apps/{appid}/splits         wire_splits -> wire_splits_answer
 *   POST /ws/v1/nodetracker/apps/{appid}/commit         wire_job_commit -> wire_job_commit_answer
 *   POST /ws/v1/nodetracker/apps/{appid}/fetch-failure  wire_fetch_failure -> status 204
 *
 * How members are read is in api/wire/member.h, who owns what in api/wire/node.h. */
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
    const char *app; /* only for readers of a trace: the task's id contains the application */
    const char *task;
    int32_t task_attempt;
    json_t *root;
};
void wire_commit_put(const struct wire_commit *c, struct base_buf *out);
int wire_commit_get(const char *text, size_t len, struct wire_commit *c, struct base_error *err);
void wire_commit_free(struct wire_commit *c);

struct wire_commit_answer {
    bool commit; /* false: the attempt must not commit */
};
void wire_commit_answer_put(const struct wire_commit_answer *l, struct base_buf *out);
int wire_commit_answer_get(const char *text, size_t len, struct wire_commit_answer *l,
                           struct base_error *err);

struct wire_fetch_failure {
    int32_t map, attempt; /* the map, and its attempt, that made the output */
    /* the attempt's container, only for readers of a trace; NULL: unknown */
    const char *container;
    const char *reduce; /* id of the task that needs the output */
    const char *reason;
    bool gone; /* the node answered that it has no such output: one report is enough */
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
    int64_t version;    /* the next request names it, to get only newer outputs */
    int64_t maps, done; /* number of the job's maps, and of those that have succeeded */
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

/* Splits found by the setup of a job, a page at a time. The answer says how many the
 * ResourceManager has, so that a setup goes on after a lost answer, or begins again after a
 * failover. */
#define WIRE_SPLITS_PAGE_MAX 20000     /* splits in a page */
#define WIRE_SPLITS_BODY_MAX (8 << 20) /* bytes of a page */
struct wire_splits {
    int32_t attempt;
    int64_t from;       /* index in the job of the first split here */
    bool last;          /* the job's last split is in this page */
    const char **paths; /* when read: owned, the texts are not */
    size_t paths_n;
    /* WIRE_SPLIT_NUMBERS for each split: index into @paths, offset, length, gzip (0 or 1); owned
     * when read */
    int64_t *splits;
    size_t splits_n;
    json_t *root;
};
#define WIRE_SPLIT_NUMBERS 4
void wire_splits_put(const struct wire_splits *s, struct base_buf *out);
int wire_splits_get(const char *text, size_t len, struct wire_splits *s, struct base_error *err);
void wire_splits_free(struct wire_splits *s);

struct wire_splits_answer {
    bool accepted;  /* false: the attempt is not the job's current one */
    int64_t splits; /* how many splits the ResourceManager has, all pages together */
};
void wire_splits_answer_put(const struct wire_splits_answer *a, struct base_buf *out);
int wire_splits_answer_get(const char *text, size_t len, struct wire_splits_answer *a,
                           struct base_error *err);

struct wire_job_commit {
    int32_t attempt;
};
void wire_job_commit_put(const struct wire_job_commit *c, struct base_buf *out);
int wire_job_commit_get(const char *text, size_t len, struct wire_job_commit *c,
                        struct base_error *err);

struct wire_job_commit_answer {
    bool commit; /* false: the attempt must not move anything */
    /* Part i of the output is that of attempt attempts[i] of task i of this kind. Owned when
     * read. */
    enum base_task_kind kind;
    int32_t *attempts;
    size_t attempts_n;
};
void wire_job_commit_answer_put(const struct wire_job_commit_answer *a, struct base_buf *out);
int wire_job_commit_answer_get(const char *text, size_t len, struct wire_job_commit_answer *a,
                               struct base_error *err);
void wire_job_commit_answer_free(struct wire_job_commit_answer *a);

#endif
