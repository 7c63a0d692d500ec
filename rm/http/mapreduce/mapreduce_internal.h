/* rm/http/mapreduce/mapreduce_internal.h - what the files of this folder share. */
#ifndef CREEL_RM_HTTP_MAPREDUCE_MAPREDUCE_INTERNAL_H
#define CREEL_RM_HTTP_MAPREDUCE_MAPREDUCE_INTERNAL_H

#include "api/yarn/mapreduce.h"
#include "rm/http/mapreduce/mapreduce.h"
#include "rm/http/yarn/yarn_internal.h"

/* A request for a job, to the master or to the history server. */
struct mr_call {
    struct api_request *rq;
    struct rm_backend *b;
    /* The only job that the master knows. NULL: the history server, which knows every job that has
     * ended. */
    const struct rm_app_view *job;
    /* Ids as in the path, decoded; NULL where the path has none. */
    const char *job_id, *task_id, *attempt_id;
};
typedef void mr_handler(const struct mr_call *c);

static inline bool mr_call_is_to_history(const struct mr_call *c)
{
    return c->job == NULL;
}

/* ---- finding what the path names (find.c) ---- */
/* Copies the job to @v without checking the caller's rights. Returns it, or NULL after answering
 * 404. Free @v in any case. */
const struct rm_app_view *mr_copy_job(const struct mr_call *c, struct rm_views *v);
/* The same for callers who may see all of the job; answers other callers as YARN does, with 503 and
 * no message. */
const struct rm_app_view *mr_copy_job_if_visible(const struct mr_call *c, struct rm_views *v);
/* Copies the task with its counters and attempts to @v, after the job. Returns the task, or NULL
 * after answering 404, or 503 as mr_copy_job_if_visible() does. */
const struct rm_task_view *mr_copy_task(const struct mr_call *c, struct rm_views *v);
/* Parses the number of the attempt of the task with the id @task. Returns -1 when the path names no
 * attempt of that task; the request has then been answered with 404. */
int32_t mr_parse_attempt_number(const struct mr_call *c, const struct base_task_id *task);
void mr_answer_attempt_not_found(const struct mr_call *c);

/* ---- filling (fill.c) ---- */
#define MR_ATTEMPT_ID_MAX (BASE_ID_TEXT_MAX + 16)

/* Writes "job_…" for the job of application @id. */
void mr_job_id_text(struct base_app_id id, char out[static BASE_ID_TEXT_MAX]);

struct mr_job_and_texts {
    struct yarn_mr_job job;
    char id[BASE_ID_TEXT_MAX];
    struct base_buf queue;
    struct base_buf acl_texts[2];
    struct yarn_mr_acl acls[2];
};
/* Fills every member of both servers' tables. mr_job_hide_details_unless_allowed() (job.c) takes
 * away what the caller may not see. */
void mr_job_fill(const struct yarn_context *f, const struct rm_app_view *v,
                 struct mr_job_and_texts *filled);
void mr_job_hide_details_unless_allowed(const struct mr_call *c, const struct rm_app_view *v,
                                        struct mr_job_and_texts *filled);
void mr_job_texts_free(struct mr_job_and_texts *filled);

struct mr_task_and_texts {
    struct yarn_mr_task task;
    char id[BASE_ID_TEXT_MAX], attempt[MR_ATTEMPT_ID_MAX];
};
void mr_task_fill(const struct yarn_context *f, const struct rm_app_view *job,
                  const struct rm_task_view *v, struct mr_task_and_texts *filled);

struct mr_attempt_and_texts {
    struct yarn_mr_attempt attempt;
    int32_t number;
    char id[MR_ATTEMPT_ID_MAX], container[BASE_ID_TEXT_MAX], exit[40];
};
/* Lists the attempts of a task that mr_copy_task() has copied, oldest first: those that have ended,
 * the one that runs or has succeeded, the one that a pending task waits for. Returns their number;
 * the caller frees *@out. */
size_t mr_attempts_new(const struct yarn_context *f, const struct rm_task_view *v,
                       struct mr_attempt_and_texts **out);

/* ---- counters (counters.c) ---- */
struct mr_counters { /* freed with mr_counters_free() */
    struct yarn_mr_counters counters;
    struct yarn_mr_counter_group groups[8];
    struct yarn_mr_counter *items;
    size_t items_n;
};
/* Fills Hadoop's groups of counters of a job. */
void mr_counters_fill_job(const struct base_conf *conf, const struct rm_app_view *v, const char *id,
                          struct mr_counters *out);
/* Fills those of a task of @job, or of the task's attempt that has succeeded. @values: the task's
 * BASE_TASK_COUNTERS counters; NULL: none yet. */
void mr_counters_fill_task(const struct rm_app_view *job, enum base_task_kind kind,
                           const int64_t *values, const char *id, struct mr_counters *out);
void mr_counters_free(struct mr_counters *c);

/* ---- handlers for a job and what is below it (job.c, tasks.c, conf.c) ---- */
mr_handler mr_get_job, mr_get_job_attempts, mr_get_job_counters, mr_get_conf;
mr_handler mr_list_tasks, mr_get_task, mr_get_task_counters, mr_list_attempts, mr_get_attempt,
    mr_get_attempt_state, mr_get_attempt_counters;
/* Changes the state of an attempt to KILLED. Only the master serves it. */
mr_handler mr_put_attempt_state;

/* ---- logs of containers, on the history server alone (logs.c) ---- */
void mr_redirect_to_log_list(struct api_request *rq, void *user);
void mr_redirect_to_log(struct api_request *rq, void *user);

#endif
