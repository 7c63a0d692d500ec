/* rm/http/jobs.c - serves Creel's own resource for jobs: submission, lists, single jobs, tasks,
 * counters, and the explanation of why an application waits. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/audit/audit.h"
#include "base/conf/conf.h"
#include "base/crypto/random.h"
#include "base/io/io.h"
#include "base/io/json_write.h"
#include "base/limits.h"
#include "rm/config/allocation_file.h"
#include "rm/http/access/access.h"
#include "rm/http/core_call.h"
#include "rm/http/listing.h"
#include "rm/http/spec_json.h"

#define JOBS         "/ws/v1/cluster/jobs"
#define LIST_DEFAULT 100
#define LIST_MAX     10000

/* ---------------------------------------------------------------- encoding */
static double to_percent(double part)
{
    double p = part < 0 ? 0 : part > 1 ? 100 : part * 100;

    return (double)(int64_t)(p * 100 + 0.5) / 100;
}

static void put_progress(const struct rm_app_view *a, struct base_buf *out)
{
    base_json_key(out, "progress");
    base_json_open(out, '{');
    base_json_put_num(out, "map", to_percent(a->phase[BASE_TASK_MAP].progress));
    base_json_put_num(out, "shuffle", to_percent(a->shuffle_progress));
    base_json_put_num(out, "reduce", to_percent(a->phase[BASE_TASK_REDUCE].progress));
    base_json_put_num(out, "overall", to_percent(a->progress));
    base_json_close(out, '}');
}

static void put_task_counts(const struct rm_app_view *a, struct base_buf *out)
{
    base_json_key(out, "taskCounts");
    base_json_open(out, '{');
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        const struct rm_phase_view *p = &a->phase[k];
        base_json_key(out, k == BASE_TASK_MAP ? "map" : "reduce");
        base_json_open(out, '{');
        base_json_put_int(out, "total", p->total);
        base_json_put_int(out, "pending", p->pending);
        base_json_put_int(out, "running", p->running);
        base_json_put_int(out, "suspended", p->suspended);
        base_json_put_int(out, "succeeded", p->succeeded);
        base_json_put_int(out, "failedAttempts", p->failed_attempts);
        base_json_put_int(out, "killedAttempts", p->killed_attempts);
        base_json_close(out, '}');
    }
    base_json_close(out, '}');
}

static void put_counters(const struct rm_app_view *a, struct base_buf *out)
{
    base_json_key(out, "counters");
    base_json_open(out, '{');
    for (int c = 0; c < RM_C_COUNTERS; c++)
        base_json_put_int(out, rm_counter_name(c), a->counters[c]);
    base_json_close(out, '}');
}

static void put_state(const struct rm_app_view *a, struct base_buf *out)
{
    base_json_put_str(out, "state",
                      rm_app_state_name(rm_app_public_state(a->state, a->state_before)));
    base_json_put_str(out, "finalStatus", rm_final_status_name(a->final_status));
    base_json_put_str(out, "result", rm_result_name(a->result));
}

static void put_times(const struct rm_app_view *a, struct base_buf *out)
{
    base_json_put_int(out, "submitTime", a->submit_us / 1000);
    base_json_put_int(out, "startTime", a->start_us / 1000);
    base_json_put_int(out, "finishTime", a->finish_us / 1000);
}

/* Writes the member in ms, unless the date is 0. */
static void put_date_if_set(struct base_buf *out, const char *key, int64_t us)
{
    if (us > 0)
        base_json_put_int(out, key, us / 1000);
}

static void put_deadline_and_promises(const struct rm_app_view *a, struct base_buf *out)
{
    put_date_if_set(out, "deadline", a->deadline_us);
    put_date_if_set(out, "promisedFinish", a->promised_us);
    put_date_if_set(out, "earliestFinish", a->earliest_us);
}

/* Appends the job. @why: the policy's explanation; NULL: none. */
static void put_job(const struct rm_app_view *a, const char *why, struct base_buf *out)
{
    base_json_open(out, '{');
    rm_spec_job_encode(a->job, a->queue, out);
    put_state(a, out);
    put_deadline_and_promises(a, out);
    base_json_put_str_opt(out, "why", why);
    put_progress(a, out);
    put_task_counts(a, out);
    put_times(a, out);
    put_counters(a, out);
    base_json_put_str(out, "diagnostics", a->diagnostics);
    base_json_close(out, '}');
}

static void put_job_summary(const struct rm_app_view *a, struct base_buf *out)
{
    char text[BASE_ID_TEXT_MAX];

    base_json_open(out, '{');
    base_json_put_str(out, "id", base_app_id_text(&a->id, text));
    base_json_put_str(out, "name", a->name);
    base_json_put_str(out, "user", a->user);
    base_json_put_str(out, "queue", a->queue);
    base_json_put_int(out, "priority", a->priority);
    put_state(a, out);
    put_deadline_and_promises(a, out);
    put_progress(a, out);
    put_task_counts(a, out);
    put_times(a, out);
    base_json_close(out, '}');
}

static void answer_job(struct api_request *rq, unsigned status, const struct rm_app_view *a,
                       const char *why)
{
    struct base_buf body = {0};

    base_json_open(&body, '{');
    base_json_key(&body, "job");
    put_job(a, why, &body);
    base_json_close(&body, '}');
    rm_api_answer_json(rq, status, &body);
}

/* ---------------------------------------------------------------- submit */
struct submit_call {
    struct rm_call call;
    struct rm_job_spec *spec; /* our reference; the event has its own */
    char *prefix;             /* scheme and host of Location, read before the request is parked */
    char token[33];
};

static void free_submit_call_parts(struct rm_call *c)
{
    rm_job_spec_unref(((struct submit_call *)c)->spec);
    free(((struct submit_call *)c)->prefix);
}

static char *make_location_prefix(const struct api_request *rq, const struct rm_backend *b)
{
    const char *host = api_header(rq, "Host");

    return host ? base_printf("%s%s", api_scheme(rq), host) : base_strdup(rm_backend_url(b));
}

static void add_job_location_header(struct api_request *rq, const char *prefix,
                                    const struct base_app_id *id)
{
    char text[BASE_ID_TEXT_MAX],
        *url = base_printf("%s" JOBS "/%s", prefix, base_app_id_text(id, text));

    api_add_header(rq, "Location", url);
    api_audit_add_member(rq, "app", text);
    free(url);
}

static bool find_app_view(struct rm_backend *b, struct base_app_id id, struct rm_views *out)
{
    int rc = rm_view_app(rm_backend_lock_core(b), id, out);

    rm_backend_unlock_core(b);
    return rc == 0 && out->apps_n == 1;
}

/* Answers a submission once it is durable. A new job is shown as it was submitted; a job submitted
 * before is shown in its current state, if the core still has it. */
static void answer_stored_job(struct submit_call *s, const struct rm_effect *fx)
{
    struct api_request *rq = s->call.rq;
    struct rm_app_view fresh = {.state = RM_APP_ACCEPTED, .diagnostics = ""};
    struct rm_views views = {0};
    bool made = fx->u.reply.flag;

    add_job_location_header(rq, s->prefix, &fx->u.reply.app_id);
    if (!made && find_app_view(s->call.b, fx->u.reply.app_id, &views) && views.apps[0].is_job) {
        answer_job(rq, 200, &views.apps[0], NULL);
    } else {
        /* Encoded without locking the core, since one commit of the store may release a thousand
         * waiting submissions at once. */
        fresh.id = fx->u.reply.app_id;
        fresh.job = s->spec;
        fresh.queue = s->spec->queue;
        fresh.submit_us = rm_backend_now_us(s->call.b);
        fresh.deadline_us = s->spec->deadline_at_us;
        if (s->spec->deadline_us)
            fresh.deadline_us = fresh.submit_us + s->spec->deadline_us;
        fresh.phase[BASE_TASK_REDUCE].total = fresh.phase[BASE_TASK_REDUCE].pending =
            s->spec->reduces;
        fresh.phase[BASE_TASK_MAP].total = fresh.phase[BASE_TASK_MAP].pending =
            (int64_t)s->spec->splits_n;
        for (size_t i = 0; i < s->spec->groups_n; i++) {
            const struct rm_task_group *g = &s->spec->groups[i];
            fresh.phase[g->kind].total += g->count;
            fresh.phase[g->kind].pending += g->count;
        }
        answer_job(rq, made ? 201 : 200, &fresh, NULL);
    }
    rm_views_free(&views);
}

static void answer_submission(void *user, const struct rm_effect *fx)
{
    struct submit_call *s = user;

    if (fx->kind == RM_FX_REPLY && fx->u.reply.kind == RM_REPLY_JOB)
        answer_stored_job(s, fx);
    else
        rm_api_answer_core_error(s->call.rq, fx);
    rm_call_unref(&s->call);
}

/* Answers a submission whose id has been used before: with the job if the body is equal, otherwise
 * with 409. Returns false, without an answer, for a new id, and for an equal job that is not
 * durable yet. */
static bool answer_repeated_submission(struct api_request *rq, struct rm_backend *b,
                                       const struct rm_job_spec *spec)
{
    struct rm_views views = {0};
    char id[BASE_ID_TEXT_MAX];
    const struct rm_app_view *a;

    if (spec->id.seq == 0 || !find_app_view(b, spec->id, &views)) {
        rm_views_free(&views);
        return false;
    }
    a = &views.apps[0];
    if (a->is_job && strcmp(a->job->json, spec->json) == 0 && a->state > RM_APP_NEW_SAVING) {
        char *prefix = make_location_prefix(rq, b);
        add_job_location_header(rq, prefix, &spec->id);
        free(prefix);
        answer_job(rq, 200, a, NULL);
    } else if (a->is_job && strcmp(a->job->json, spec->json) == 0) {
        rm_views_free(&views);
        return false; /* not durable yet: the core will answer */
    } else {
        api_answer_error(rq, 409, "ConflictException",
                         "job.id: %s was submitted before with another body",
                         base_app_id_text(&spec->id, id));
    }
    rm_views_free(&views);
    return true;
}

static void post_submission(struct submit_call *s)
{
    s->call.ev.kind = RM_EV_SUBMIT_JOB;
    s->call.ev.u.submit_job.spec = rm_job_spec_ref(s->spec);
    s->call.ev.u.submit_job.app_token = s->token;
    rm_call_post_parked(&s->call, answer_submission);
}

/* Asking a name service takes time, so a thread of its own looks up the groups of the user when the
 * queue depends on them, before the job is posted to the core. */
static bool look_up_groups_and_submit(void *user, bool stopping)
{
    struct submit_call *s = user;

    if (!stopping)
        rm_queues_look_up_groups_if_needed(s->call.b, s->spec->queue, s->spec->user,
                                           &s->spec->user_groups);
    post_submission(s);
    return false;
}

static void submit_job(struct api_request *rq, void *user)
{
    const struct base_conf *conf = rm_backend_conf(user);
    const struct rm_spec_defaults defaults = {
        .user = api_caller(rq),
        .split_size = base_conf_int(conf, "creel.mapreduce.split-size"),
        .max_attempts = (int32_t)base_conf_int(conf, "creel.mapreduce.max-attempts"),
    };
    struct rm_job_spec *spec = NULL;
    struct base_error err = {0};
    struct submit_call *s;
    size_t len;
    const char *body = api_body(rq, &len);

    if (rm_spec_job_decode(body, len, &defaults, &spec, &err) < 0) {
        rm_api_answer_bad_request(rq, &err);
        return;
    }
    api_audit_add_member(rq, "name", spec->name);
    api_audit_add_member(rq, "queue", spec->queue);
    if (answer_repeated_submission(rq, user, spec)) {
        rm_job_spec_unref(spec);
        return;
    }
    s = base_alloc(sizeof *s);
    s->call.rq = rq;
    s->call.b = user;
    s->call.drop = free_submit_call_parts;
    s->spec = spec;
    s->prefix = make_location_prefix(rq, user);
    base_random_hex(s->token);
    api_park(rq);
    if (rm_queues_submission_needs_groups(user, spec->queue, spec->user))
        rm_backend_queue_slow_task(user, RM_SLOW_FILES, look_up_groups_and_submit, s);
    else
        post_submission(s);
}

/* ---------------------------------------------------------------- list */
static const char *state_name(int s)
{
    return rm_app_state_name((enum rm_app_state)s);
}

static const char *result_name(int r)
{
    return rm_result_name((enum rm_result)r);
}

/* Adds the names in query parameter @key, such as "RUNNING,accepted", to the bit set *@out. Names
 * are those of @name_of for 0 to @names - 1; @known lists them for messages. Returns false for an
 * unknown name; @rq is then answered with 400. */
static bool read_name_set(struct api_request *rq, const char *key, const char *(*name_of)(int),
                          int names, const char *known, uint32_t *out)
{
    const char *text = api_query(rq, key);

    while (text && *text) {
        size_t n = strcspn(text, ",");
        int s;
        for (s = 0; s < names; s++) {
            const char *name = name_of(s);
            if (strlen(name) == n && strncasecmp(name, text, n) == 0)
                break;
        }
        if (s == names) {
            api_answer_error(rq, 400, "BadRequestException", "%s: \"%.*s\" is not one of %s", key,
                             (int)(n > 100 ? 100 : n), text, known);
            return false;
        }
        *out |= 1u << s;
        text += n + (text[n] == ',');
    }
    return true;
}

static bool read_state_and_result_filter(struct api_request *rq, struct rm_app_filter *f)
{
    return read_name_set(rq, "states", state_name, RM_APP_STATES,
                         "NEW, NEW_SAVING, SUBMITTED, ACCEPTED, RUNNING, FINISHED, FAILED, KILLED",
                         &f->states) &&
           read_name_set(rq, "result", result_name, RM_RESULTS,
                         "SUCCEEDED, FAILED, KILLED, REFUSED, UNDEFINED", &f->results);
}

static bool read_cursor(struct api_request *rq, struct base_app_id *out, bool *given)
{
    const char *text = api_query(rq, "cursor");
    struct base_error err = {0};

    *given = text && *text;
    if (!*given || base_app_id_parse(text, out, &err) == 0)
        return true;
    api_answer_error(rq, 400, "BadRequestException", "cursor: %s", err.text);
    return false;
}

struct job_list {
    struct rm_listing list;
    struct rm_app_filter filter;
    struct rm_access access;
    struct base_app_id cursor;
    bool opened, from; /* from: the list continues after the cursor */
    int64_t limit;
};

static enum rm_listing_next write_jobs_chunk(struct rm_listing *list, size_t max,
                                             struct base_buf *out)
{
    struct job_list *l = (struct job_list *)list;
    struct base_app_id before = l->cursor;
    struct rm_views views = {0};
    char text[BASE_ID_TEXT_MAX];
    bool more;

    if (!l->opened) {
        base_json_open(out, '{');
        base_json_key(out, "jobs");
        base_json_open(out, '[');
        l->opened = true;
    }
    if (l->limit < (int64_t)max)
        max = (size_t)l->limit;
    more = rm_view_apps(rm_backend_lock_core(list->b), &l->filter, l->from ? &before : NULL, max,
                        &views, &l->cursor);
    rm_backend_unlock_core(list->b);
    l->from = true;
    for (size_t i = 0; i < views.apps_n; i++) {
        if (!rm_access_allows(&l->access, RM_OP_VIEW_APP, &views.apps[i]))
            continue;
        put_job_summary(&views.apps[i], out);
        l->limit--;
    }
    rm_views_free(&views);
    if (more && l->limit > 0)
        return RM_LISTING_MORE;
    base_json_close(out, ']');
    if (more)
        base_json_put_str(out, "cursor", base_app_id_text(&l->cursor, text));
    base_json_close(out, '}');
    return RM_LISTING_END;
}

static void end_job_list(struct rm_listing *list)
{
    rm_access_end(&((struct job_list *)list)->access);
}

/* Lists the jobs that the caller may see. */
static void list_jobs(struct api_request *rq, void *user)
{
    struct job_list *l = base_alloc(sizeof *l);

    l->list = (struct rm_listing){
        .rq = rq, .b = user, .type = API_JSON, .chunk = write_jobs_chunk, .drop = end_job_list};
    rm_access_begin_for_request(&l->access, user, rq);
    l->filter = (struct rm_app_filter){
        .jobs_only = true, .user = api_query(rq, "user"), .queue = api_query(rq, "queue")};
    l->limit = LIST_DEFAULT;
    if (rm_api_read_query_int(rq, "limit", 1, LIST_MAX, &l->limit) &&
        read_state_and_result_filter(rq, &l->filter) && read_cursor(rq, &l->cursor, &l->from)) {
        rm_listing_answer(&l->list);
        return;
    }
    end_job_list(&l->list);
    free(l);
}

/* ---------------------------------------------------------------- one job */
/* Copies the job that the path names to @views, which the caller frees. Returns false when there is
 * no such job, or the caller may not see it; @rq is then answered with 400, 404 or 403. */
static bool read_job_of_path(struct api_request *rq, struct rm_backend *b, struct rm_views *views)
{
    struct base_app_id id;
    char text[BASE_ID_TEXT_MAX];

    if (!rm_api_read_app_id(rq, 0, &id))
        return false;
    if (find_app_view(b, id, views) && views->apps[0].is_job) {
        if (!rm_access_refuse_app_unless_allowed(rq, b, RM_OP_VIEW_APP, &views->apps[0]))
            return true;
        rm_views_free(views);
        return false;
    }
    rm_views_free(views);
    api_answer_error(rq, 404, "NotFoundException", "job %s not found", base_app_id_text(&id, text));
    return false;
}

static void get_job(struct api_request *rq, void *user)
{
    struct rm_views views = {0};
    struct base_buf why = {0};

    if (!read_job_of_path(rq, user, &views))
        return;
    rm_api_explain_wait(user, views.apps[0].id, &why);
    answer_job(rq, 200, &views.apps[0], why.len ? why.data : NULL);
    base_buf_free(&why);
    rm_views_free(&views);
}

static void get_job_counters(struct api_request *rq, void *user)
{
    struct rm_views views = {0};
    struct base_buf body = {0};

    if (!read_job_of_path(rq, user, &views))
        return;
    base_json_open(&body, '{');
    put_counters(&views.apps[0], &body);
    base_json_close(&body, '}');
    rm_views_free(&views);
    rm_api_answer_json(rq, 200, &body);
}

/* ---------------------------------------------------------------- tasks */
struct tasks_query {
    uint32_t kinds, states;
    bool rows; /* write rows instead of objects */
    int kind;  /* kind of the next task; pos: its index */
    int64_t pos, limit;
};

static bool read_task_states(struct api_request *rq, uint32_t *out)
{
    const char *text = api_query(rq, "state");

    if (!text || !*text)
        return true;
    for (int s = 0; s < RM_TASK_STATES; s++)
        if (strcasecmp(text, rm_task_state_name((enum rm_task_state)s)) == 0)
            *out |= 1u << s;
    if (*out)
        return true;
    api_answer_error(
        rq, 400, "BadRequestException",
        "state: \"%.100s\" is not one of PENDING, RUNNING, SUSPENDED, SUCCEEDED, FAILED, KILLED",
        text);
    return false;
}

static bool read_tasks_query(struct api_request *rq, struct tasks_query *q)
{
    const char *kind = api_query(rq, "kind"), *cursor = api_query(rq, "cursor"),
               *rows = api_query(rq, "rows");

    q->rows = rows && strcmp(rows, "true") == 0;
    q->limit = 1000;
    q->kinds = 3;
    if (!rm_api_read_query_int(rq, "limit", 1, LIST_MAX, &q->limit) ||
        !read_task_states(rq, &q->states))
        return false;
    if (kind && *kind) {
        if (strcmp(kind, "map") != 0 && strcmp(kind, "reduce") != 0) {
            api_answer_error(rq, 400, "BadRequestException",
                             "kind: \"%.100s\" is not \"map\" or \"reduce\"", kind);
            return false;
        }
        q->kinds = strcmp(kind, "map") == 0 ? 1u << BASE_TASK_MAP : 1u << BASE_TASK_REDUCE;
    }
    if (!cursor || !*cursor)
        return true;
    if ((*cursor != 'm' && *cursor != 'r') ||
        base_int_parse(cursor + 1, 0, INT64_MAX, &q->pos) < 0) {
        api_answer_error(rq, 400, "BadRequestException",
                         "cursor: \"%.100s\" does not come from a list of tasks", cursor);
        return false;
    }
    q->kind = *cursor == 'm' ? BASE_TASK_MAP : BASE_TASK_REDUCE;
    return true;
}

/* With rows=true a task is an array of values in the order of TASK_FIELDS, with null for absent
 * ones. Rows are short, since clients read up to a million of them: "m17" stands for the task id,
 * the container's number (with the epoch from bit 40 on) for the container id, and elapsedTime, in
 * milliseconds, for the finish time. */
#define TASK_FIELDS                                                                                \
    "[\"task\",\"state\",\"progress\",\"attempts\",\"exitCode\",\"startTime\",\"elapsedTime\","    \
    "\"node\",\"container\"]"

static void put_int_or_null(struct base_buf *out, bool there, int64_t v)
{
    if (there)
        base_json_value_int(out, v);
    else
        base_json_value_str(out, NULL);
}

static void put_task_row(const struct rm_task_view *t, struct base_buf *out)
{
    char text[24] = {t->id.kind == BASE_TASK_MAP ? 'm' : 'r'};

    *base_write_digits(text + 1, (uint32_t)t->id.index, 1) = '\0';
    base_json_open(out, '[');
    base_json_value_str(out, text);
    base_json_value_str(out, rm_task_state_name(t->state));
    base_json_value_num(out, to_percent(t->progress));
    base_json_value_int(out, t->attempts);
    put_int_or_null(out, t->finish_us != 0, t->exit_code);
    put_int_or_null(out, t->start_us != 0, t->start_us / 1000);
    put_int_or_null(out, t->finish_us != 0, t->finish_us / 1000 - t->start_us / 1000);
    base_json_value_str(out, t->node_id);
    put_int_or_null(out, t->has_container, t->container.num);
    base_json_close(out, ']');
}

static void put_task(const struct rm_task_view *t, struct base_buf *out)
{
    char text[BASE_ID_TEXT_MAX];

    base_json_open(out, '{');
    base_json_put_str(out, "id", base_task_id_text(&t->id, text));
    base_json_put_str(out, "kind", t->id.kind == BASE_TASK_MAP ? "map" : "reduce");
    base_json_put_int(out, "index", t->id.index);
    base_json_put_str(out, "state", rm_task_state_name(t->state));
    base_json_put_num(out, "progress", to_percent(t->progress));
    base_json_put_str(out, "node", t->node_id ? t->node_id : "");
    base_json_put_str(out, "nodeHttpAddress", t->node_http ? t->node_http : "");
    base_json_put_str(out, "containerId",
                      t->has_container ? base_container_id_text(&t->container, text) : "");
    base_json_put_int(out, "attempts", t->attempts);
    base_json_put_int(out, "startTime", t->start_us / 1000);
    base_json_put_int(out, "finishTime", t->finish_us / 1000);
    base_json_put_int(out, "exitCode", t->exit_code);
    base_json_put_str(out, "diagnostics", t->diagnostics ? t->diagnostics : "");
    base_json_close(out, '}');
}

#define TASKS_AN_ITEM 8 /* tasks that cost as much as one application in a listing */

struct task_list {
    struct rm_listing list;
    struct base_app_id id;
    struct tasks_query q;
    bool opened, gone; /* gone: the job's tasks are no longer kept */
};

/* Writes at most @max tasks of kind q.kind from index q.pos on. Returns false when none of this
 * kind is left. */
static bool write_tasks_of_kind(struct task_list *l, size_t max, struct base_buf *out)
{
    struct tasks_query *q = &l->q;
    struct rm_views views = {0};
    int64_t before = q->pos;
    int rc;

    if (q->limit < (int64_t)max)
        max = (size_t)q->limit;
    rc = rm_view_tasks(rm_backend_lock_core(l->list.b), l->id, q->kind, q->states, &q->pos, max,
                       &views);
    rm_backend_unlock_core(l->list.b);
    for (size_t i = 0; i < views.tasks_n; i++)
        (q->rows ? put_task_row : put_task)(&views.tasks[i], out);
    q->limit -= (int64_t)views.tasks_n;
    rm_views_free(&views);
    return rc == 0 && q->pos != before;
}

static enum rm_listing_next write_tasks_chunk(struct rm_listing *list, size_t max,
                                              struct base_buf *out)
{
    struct task_list *l = (struct task_list *)list;
    struct tasks_query *q = &l->q;

    max *= TASKS_AN_ITEM;
    if (!l->opened) {
        base_json_open(out, '{');
        if (q->rows) {
            base_json_key(out, "fields");
            base_buf_adds(out, TASK_FIELDS);
        }
        base_json_key(out, "tasks");
        base_json_open(out, '[');
        l->opened = true;
    }
    while (q->kind < BASE_TASK_KINDS && q->limit > 0) {
        if (q->kinds & 1u << q->kind && write_tasks_of_kind(l, max, out)) {
            if (q->limit > 0)
                return RM_LISTING_MORE;
        } else {
            q->kind++;
            q->pos = 0;
        }
    }
    base_json_close(out, ']');
    if (q->limit == 0) {
        char cursor[32];
        snprintf(cursor, sizeof cursor, "%c%lld", q->kind == BASE_TASK_MAP ? 'm' : 'r',
                 (long long)q->pos);
        base_json_put_str(out, "cursor", cursor);
    }
    if (l->gone)
        base_json_put_bool(out, "tasksGone", true);
    base_json_close(out, '}');
    return RM_LISTING_END;
}

/* Answers {"tasks":[…],"cursor":"m1000"}, with a cursor when the limit was reached; with rows=true
 * {"fields":[names],"tasks":[[values],…]}. For a job whose tasks were evicted in favour of newer
 * jobs (creel.rm.max-completed-mb) or, with several ResourceManagers, that ended before this one
 * began to lead, {"tasks":[],"tasksGone":true}. */
static void list_tasks(struct api_request *rq, void *user)
{
    struct tasks_query q = {0};
    struct rm_views views = {0};
    struct base_app_id id;
    struct task_list *l;
    bool gone;

    if (!read_job_of_path(rq, user, &views))
        return;
    id = views.apps[0].id;
    gone = views.apps[0].tasks_gone;
    rm_views_free(&views);
    if (!read_tasks_query(rq, &q))
        return;
    l = base_alloc(sizeof *l);
    l->list =
        (struct rm_listing){.rq = rq, .b = user, .type = API_JSON, .chunk = write_tasks_chunk};
    l->id = id;
    l->q = q;
    l->gone = gone;
    rm_listing_answer(&l->list);
}

/* ---------------------------------------------------------------- why an application waits */
static const char *get_wait_reason_without_policy(const struct rm_app_view *a)
{
    if (rm_app_public_state(a->state, a->state_before) < RM_APP_ACCEPTED)
        return "it is not stored yet";
    if (a->finish_us)
        return "it has ended";
    return "it is about to end";
}

/* GET apps/{appid}/why, for jobs and other applications. */
static void explain_why_app_waits(struct api_request *rq, void *user)
{
    struct rm_views views = {0};
    struct rm_cluster_view cluster;
    struct base_buf body = {0}, why = {0};
    struct base_app_id id;
    const struct rm_app_view *a;
    char text[BASE_ID_TEXT_MAX];

    if (!rm_api_read_app_id(rq, 0, &id))
        return;
    if (!find_app_view(user, id, &views)) {
        rm_views_free(&views);
        api_answer_error(rq, 404, "NotFoundException", "application %s not found",
                         base_app_id_text(&id, text));
        return;
    }
    a = &views.apps[0];
    if (rm_access_refuse_app_unless_allowed(rq, user, RM_OP_VIEW_APP, a)) {
        rm_views_free(&views);
        return;
    }
    rm_view_cluster(rm_backend_lock_core(user), &cluster);
    rm_backend_unlock_core(user);
    rm_api_explain_wait(user, id, &why);
    base_json_open(&body, '{');
    base_json_key(&body, "why");
    base_json_open(&body, '{');
    base_json_put_str(&body, "id", base_app_id_text(&id, text));
    put_state(a, &body);
    base_json_put_str(&body, "policy", cluster.policy);
    base_json_put_str(&body, "queue", a->queue);
    base_json_put_int(&body, "priority", a->priority);
    put_task_counts(a, &body);
    put_deadline_and_promises(a, &body);
    base_json_put_str(&body, "reason", why.len ? why.data : get_wait_reason_without_policy(a));
    base_json_put_str(&body, "diagnostics", a->diagnostics);
    base_json_close(&body, '}');
    base_json_close(&body, '}');
    base_buf_free(&why);
    rm_views_free(&views);
    rm_api_answer_json(rq, 200, &body);
}

const struct api_route rm_api_jobs_routes[] = {
    {"POST", JOBS, API_ROLE_WRITE, BASE_BODY_MAX, submit_job, API_ROUTE_CREEL},
    {"GET", JOBS, API_ROLE_READ, 0, list_jobs, API_ROUTE_CREEL},
    {"GET", JOBS "/{jobid}", API_ROLE_READ, 0, get_job, API_ROUTE_CREEL},
    {"GET", "/ws/v1/cluster/apps/{appid}/why", API_ROLE_READ, 0, explain_why_app_waits,
     API_ROUTE_CREEL},
    {"GET", JOBS "/{jobid}/tasks", API_ROLE_READ, 0, list_tasks, API_ROUTE_CREEL},
    {"GET", JOBS "/{jobid}/counters", API_ROLE_READ, 0, get_job_counters, API_ROUTE_CREEL},
};
const size_t rm_api_jobs_routes_n = sizeof rm_api_jobs_routes / sizeof *rm_api_jobs_routes;
