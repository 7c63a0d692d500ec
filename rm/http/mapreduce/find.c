/* rm/http/mapreduce/find.c - finds the job, task and attempt that a path names. YARN answers 404
 * for ids that cannot be parsed, too. SOURCE: Hadoop's AMWebServices, JobID, TaskID, TaskAttemptID.
 */
#include <stdlib.h>
#include <string.h>

#include "base/io/io.h"
#include "rm/core/states.h"
#include "rm/http/access/access.h"
#include "rm/http/mapreduce/mapreduce_internal.h"

#define JOB     "job_"
#define TASK    "task_"
#define ATTEMPT "attempt_"

static bool starts_with(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static bool parse_job_id(const char *text, struct base_app_id *out)
{
    char *app;
    bool ok;

    if (!starts_with(text, JOB))
        return false;
    app = base_printf("application_%s", text + strlen(JOB));
    ok = base_app_id_parse(app, out, NULL) == 0;
    free(app);
    return ok;
}

static bool copy_job_view(const struct mr_call *c, struct base_app_id id, struct rm_views *v)
{
    int rc;

    if (c->job && base_app_id_cmp(&c->job->id, &id) != 0)
        return false;
    rc = rm_view_app(rm_backend_lock_core(c->b), id, v);
    rm_backend_unlock_core(c->b);
    return rc == 0 && v->apps[0].is_job &&
           (!mr_call_is_to_history(c) || rm_app_state_is_final(v->apps[0].state));
}

const struct rm_app_view *mr_copy_job(const struct mr_call *c, struct rm_views *v)
{
    struct base_app_id id;

    if (!parse_job_id(c->job_id, &id))
        yarn_not_found(c->rq, "JobId string : %s is not properly formed", c->job_id);
    else if (!copy_job_view(c, id, v))
        yarn_not_found(c->rq, "job, %s, is not found", c->job_id);
    else
        return &v->apps[0];
    return NULL;
}

const struct rm_app_view *mr_copy_job_if_visible(const struct mr_call *c, struct rm_views *v)
{
    const struct rm_app_view *job = mr_copy_job(c, v);

    if (!job || rm_access_sees_app(c->rq, c->b, job))
        return job;
    api_answer_error(c->rq, 503, "WebApplicationException", "%s", "");
    return NULL;
}

/* Returns the length of @text in Java's units: UTF-16. */
static size_t count_utf16_units(const char *text)
{
    size_t n = 0;

    for (; *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80 ? 1u + ((unsigned char)*text >= 0xf0) : 0u;
    return n;
}

/* Types of tasks that Creel's jobs do not have (setup and cleanup of a job, cleanup of a task) are
 * well-formed too. */
static bool parse_task_id(const char *text, struct base_task_id *out, bool *is_foreign_type)
{
    char *copy = base_strdup(text), *type = strrchr(copy, '_');
    bool ok;

    *is_foreign_type = false;
    if (type && type - copy >= 2 && type[-2] == '_' && strchr("sct", type[-1])) {
        *is_foreign_type = true;
        type[-1] = 'm';
    }
    ok = base_task_id_parse(copy, out, NULL) == 0;
    free(copy);
    return ok;
}

const struct rm_task_view *mr_copy_task(const struct mr_call *c, struct rm_views *v)
{
    const struct rm_app_view *job = mr_copy_job_if_visible(c, v);
    struct base_task_id id;
    bool foreign;
    int rc = -BASE_ENOTFOUND;

    if (!job)
        return NULL;
    if (!parse_task_id(c->task_id, &id, &foreign)) {
        yarn_not_found(c->rq,
                       "TaskId string : %s is not properly formed\nReason: "
                       "java.util.regex.Matcher[pattern=task_(\\d+)_(\\d+)_(m|r|s|c|t)_(\\d+) "
                       "region=0,%zu lastmatch=]",
                       c->task_id, count_utf16_units(c->task_id));
        return NULL;
    }
    if (!foreign && base_app_id_cmp(&id.app, &job->id) == 0) {
        rc = rm_view_task(rm_backend_lock_core(c->b), &id, v);
        rm_backend_unlock_core(c->b);
    }
    if (rc == 0)
        return &v->tasks[0];
    yarn_not_found(c->rq, "task not found with id %s", c->task_id);
    return NULL;
}

static bool parse_attempt_id(const char *text, struct base_task_id *task, int32_t *number)
{
    const char *last = strrchr(text, '_');
    int64_t n;
    char *task_text;
    bool ok;

    if (!starts_with(text, ATTEMPT) || last < text + strlen(ATTEMPT) ||
        base_int_parse(last + 1, 0, INT32_MAX, &n) < 0)
        return false;
    task_text =
        base_printf(TASK "%.*s", (int)(last - text - (int)strlen(ATTEMPT)), text + strlen(ATTEMPT));
    ok = base_task_id_parse(task_text, task, NULL) == 0;
    free(task_text);
    *number = (int32_t)n;
    return ok;
}

void mr_answer_attempt_not_found(const struct mr_call *c)
{
    yarn_not_found(c->rq, "Error getting info on task attempt id %s", c->attempt_id);
}

int32_t mr_parse_attempt_number(const struct mr_call *c, const struct base_task_id *task)
{
    struct base_task_id id;
    int32_t number;

    if (!parse_attempt_id(c->attempt_id, &id, &number))
        yarn_not_found(c->rq, "TaskAttemptId string : %s is not properly formed", c->attempt_id);
    else if (base_app_id_cmp(&id.app, &task->app) != 0 || id.kind != task->kind ||
             id.index != task->index)
        mr_answer_attempt_not_found(c);
    else
        return number;
    return -1;
}
