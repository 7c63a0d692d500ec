/* rm/http/mapreduce/tasks.c - the tasks of a job, and their attempts. */
#include <stdlib.h>
#include <string.h>

#include "api/audit/audit.h"
#include "rm/http/access/access.h"
#include "rm/http/listing.h"
#include "rm/http/mapreduce/mapreduce_internal.h"
#include "rm/http/yarn/write.h"

#define KILLED        "KILLED"
#define TASKS_AN_ITEM 8 /* tasks that cost as much as one application in a listing */

/* ---- the list of tasks ---- */

struct task_list {
    struct rm_listing list;
    struct rm_views job; /* one application */
    struct yarn_context frame;
    const struct api_shape *shape;
    enum api_dialect dialect;
    unsigned kinds; /* bit set of enum base_task_kind */
    enum base_task_kind kind;
    int64_t pos; /* among the tasks of this kind */
    bool opened;
    size_t shown;
};

static void free_task_list(struct rm_listing *list)
{
    struct task_list *l = (struct task_list *)list;

    rm_views_free(&l->job);
    yarn_context_free(&l->frame);
}

/* Writes at most @max tasks of the present kind. Returns false when none are left. */
static bool write_tasks_of_kind(struct task_list *l, size_t max, struct base_buf *out)
{
    struct rm_views v = {0};
    struct mr_task_and_texts filled;
    int64_t before = l->pos;
    int rc = rm_view_tasks(rm_backend_lock_core(l->list.b), l->job.apps[0].id, l->kind, 0, &l->pos,
                           max, &v);

    rm_backend_unlock_core(l->list.b);
    for (size_t i = 0; i < v.tasks_n; i++) {
        mr_task_fill(&l->frame, &l->job.apps[0], &v.tasks[i], &filled);
        api_shape_add_list_item("task", l->shape, l->dialect, &filled.task, l->shown++, out);
    }
    rm_views_free(&v);
    return rc == 0 && l->pos != before;
}

static enum rm_listing_next write_task_chunk(struct rm_listing *list, size_t max,
                                             struct base_buf *out)
{
    struct task_list *l = (struct task_list *)list;

    if (!l->opened)
        api_shape_open_list("tasks", "task", l->dialect, out);
    l->opened = true;
    for (; l->kind < BASE_TASK_KINDS; l->kind++, l->pos = 0)
        if (l->kinds & 1u << l->kind && write_tasks_of_kind(l, max * TASKS_AN_ITEM, out))
            return RM_LISTING_MORE;
    api_shape_close_list("tasks", l->dialect, l->shown, out);
    return RM_LISTING_END;
}

/* Returns false when the parameter "type" is not valid; the request has then been answered. */
static bool read_task_kinds(const struct mr_call *c, unsigned *kinds)
{
    const char *type = api_query(c->rq, "type");

    *kinds = 1u << BASE_TASK_MAP | 1u << BASE_TASK_REDUCE;
    if (!type || !type[0])
        return true;
    if (strcmp(type, "m") == 0)
        *kinds = 1u << BASE_TASK_MAP;
    else if (strcmp(type, "r") == 0)
        *kinds = 1u << BASE_TASK_REDUCE;
    else
        yarn_bad_request(c->rq, "tasktype must be either m or r");
    return strcmp(type, "m") == 0 || strcmp(type, "r") == 0;
}

void mr_list_tasks(const struct mr_call *c)
{
    struct rm_views v = {0};
    struct task_list *l;
    unsigned kinds;

    if (!mr_copy_job_if_visible(c, &v) || !read_task_kinds(c, &kinds)) {
        rm_views_free(&v);
        return;
    }
    l = base_alloc(sizeof *l);
    l->list = (struct rm_listing){.rq = c->rq,
                                  .b = c->b,
                                  .type = api_wanted_type(c->rq),
                                  .is_sent_while_written = true,
                                  .chunk = write_task_chunk,
                                  .drop = free_task_list};
    l->job = v;
    l->shape = mr_call_is_to_history(c) ? &yarn_shape_mr_ended_task : &yarn_shape_mr_task;
    l->dialect = yarn_choose_dialect(c->rq, API_N_WRAPPED);
    l->kinds = kinds;
    yarn_context_read(c->b, &l->frame);
    rm_listing_answer(&l->list);
}

/* ---- one task ---- */

void mr_get_task(const struct mr_call *c)
{
    struct rm_views v = {0};
    struct mr_task_and_texts filled;
    struct yarn_context f;
    const struct rm_task_view *task = mr_copy_task(c, &v);

    if (task) {
        yarn_context_read(c->b, &f);
        mr_task_fill(&f, &v.apps[0], task, &filled);
        yarn_answer(c->rq, 200,
                    mr_call_is_to_history(c) ? &yarn_shape_mr_ended_task : &yarn_shape_mr_task,
                    API_N_WRAPPED, &filled.task);
        yarn_context_free(&f);
    }
    rm_views_free(&v);
}

static void answer_task_counters(const struct mr_call *c, const struct rm_views *v,
                                 const int64_t *values, const char *id,
                                 const struct api_shape *shape)
{
    struct mr_counters counters;

    mr_counters_fill_task(&v->apps[0], v->tasks[0].id.kind, values, id, &counters);
    yarn_answer(c->rq, 200, shape, API_N_WRAPPED, &counters.counters);
    mr_counters_free(&counters);
}

void mr_get_task_counters(const struct mr_call *c)
{
    struct rm_views v = {0};
    char id[BASE_ID_TEXT_MAX];
    const struct rm_task_view *task = mr_copy_task(c, &v);

    if (task)
        answer_task_counters(c, &v, task->counters, base_task_id_text(&task->id, id),
                             &yarn_shape_mr_task_counters);
    rm_views_free(&v);
}

/* ---- attempts ---- */

/* The attempts of the task in the path, and what they borrow from. */
struct attempts {
    struct rm_views views;
    struct yarn_context frame;
    const struct rm_task_view *task;
    struct mr_attempt_and_texts *v;
    size_t n;
};

static void free_attempts(struct attempts *a)
{
    free(a->v);
    yarn_context_free(&a->frame);
    rm_views_free(&a->views);
}

/* Returns false when the task does not exist or the caller may not see it; the request has then
 * been answered. Call free_attempts() in any case. */
static bool copy_attempts_in_path(const struct mr_call *c, struct attempts *a)
{
    *a = (struct attempts){0};
    a->task = mr_copy_task(c, &a->views);
    if (!a->task)
        return false;
    yarn_context_read(c->b, &a->frame);
    a->n = mr_attempts_new(&a->frame, a->task, &a->v);
    return true;
}

/* Likewise; returns the attempt in the path, or NULL after answering the request. */
static const struct mr_attempt_and_texts *copy_attempt_in_path(const struct mr_call *c,
                                                               struct attempts *a)
{
    int32_t number = copy_attempts_in_path(c, a) ? mr_parse_attempt_number(c, &a->task->id) : -1;

    if (number < 0)
        return NULL;
    for (size_t i = 0; i < a->n; i++)
        if (a->v[i].number == number)
            return &a->v[i];
    mr_answer_attempt_not_found(c);
    return NULL;
}

void mr_list_attempts(const struct mr_call *c)
{
    struct attempts a;

    if (copy_attempts_in_path(c, &a)) {
        const struct yarn_mr_attempts list = {
            .list = {.items = &a.v[0].attempt, .n = a.n, .stride = sizeof a.v[0]}};

        yarn_answer(c->rq, 200,
                    a.task->id.kind == BASE_TASK_MAP ? &yarn_shape_mr_map_attempts
                                                     : &yarn_shape_mr_reduce_attempts,
                    API_N_WRAPPED, &list);
    }
    free_attempts(&a);
}

void mr_get_attempt(const struct mr_call *c)
{
    struct attempts a;
    const struct mr_attempt_and_texts *attempt = copy_attempt_in_path(c, &a);

    if (attempt)
        yarn_answer(c->rq, 200,
                    a.task->id.kind == BASE_TASK_MAP ? &yarn_shape_mr_map_attempt
                                                     : &yarn_shape_mr_reduce_attempt,
                    API_N_WRAPPED, &attempt->attempt);
    free_attempts(&a);
}

void mr_get_attempt_counters(const struct mr_call *c)
{
    struct attempts a;
    const struct mr_attempt_and_texts *attempt = copy_attempt_in_path(c, &a);

    if (attempt)
        answer_task_counters(c, &a.views,
                             attempt->number == a.task->last_attempt ? a.task->counters : NULL,
                             attempt->id, &yarn_shape_mr_attempt_counters);
    free_attempts(&a);
}

/* ---- the state of an attempt ---- */

static void answer_attempt_state(struct api_request *rq, const char *state)
{
    const struct yarn_mr_attempt_state s = {.state = state};

    yarn_answer(rq, 200, &yarn_shape_mr_attempt_state, API_N_BARE, &s);
}

void mr_get_attempt_state(const struct mr_call *c)
{
    struct attempts a;
    const struct mr_attempt_and_texts *attempt = copy_attempt_in_path(c, &a);

    if (attempt)
        answer_attempt_state(c->rq, attempt->attempt.state);
    free_attempts(&a);
}

static void answer_killed_attempt(void *user, const struct rm_effect *fx)
{
    struct yarn_write *w = user;

    if (yarn_is_error_reply(fx))
        yarn_answer_refusal(w->rq, fx);
    else
        answer_attempt_state(w->rq, KILLED);
    yarn_write_unref(w);
}

/* Returns true when the caller may not kill attempts of the job; the request is then answered. */
static bool refuse_kill_unless_allowed(const struct mr_call *c,
                                       const struct mr_attempt_and_texts *attempt)
{
    const char *caller = api_caller(c->rq);
    struct rm_access access;
    bool allowed;

    rm_access_begin_for_user(&access, c->b, caller);
    allowed = rm_access_allows(&access, RM_OP_KILL, c->job);
    rm_access_end(&access);
    if (!allowed) {
        api_audit_mark_refused(c->rq, "the caller may not modify the job");
        yarn_answer_text(c->rq, 403,
                         "Unauthorized attempt to kill task attempt %s by remote user %s",
                         attempt->id, caller ? caller : "");
    }
    return !allowed;
}

static void kill_attempt(const struct mr_call *c, const struct rm_task_view *task,
                         const struct mr_attempt_and_texts *attempt)
{
    struct yarn_write *w;

    api_audit_add_member(c->rq, "attempt", attempt->id);
    if (refuse_kill_unless_allowed(c, attempt))
        return;
    w = yarn_write_new(c->rq, RM_EV_KILL_ATTEMPT);
    w->ev.u.kill_attempt.task = task->id;
    w->ev.u.kill_attempt.attempt = attempt->number;
    yarn_write_post(w, c->b, answer_killed_attempt);
}

static void change_attempt_state(const struct mr_call *c, const char *target)
{
    struct attempts a;
    const struct mr_attempt_and_texts *attempt = copy_attempt_in_path(c, &a);

    if (!attempt)
        ; /* answered */
    else if (!target)
        api_answer_error(c->rq, 503, "NullPointerException",
                         "Cannot invoke \"String.equals(Object)\" because the return value of "
                         "\"org.apache.hadoop.mapreduce.v2.app.webapp.dao.JobTaskAttemptState."
                         "getState()\" is null");
    else if (strcmp(target, attempt->attempt.state) == 0)
        answer_attempt_state(c->rq, target);
    else if (strcmp(target, KILLED) == 0)
        kill_attempt(c, a.task, attempt);
    else
        yarn_bad_request(c->rq, "Only 'KILLED' is allowed as a target state.");
    free_attempts(&a);
}

void mr_put_attempt_state(const struct mr_call *c)
{
    json_t *body = yarn_read_body(c->rq, "jobTaskAttemptState", NULL);

    if (body)
        change_attempt_state(c, json_string_value(json_object_get(body, "state")));
    json_decref(body);
}
