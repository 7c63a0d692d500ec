/* rm/http/jobs.c - Creel's own resource of jobs: submit, list, look at, tasks, counters. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/conf/conf.h"
#include "base/io/io.h"
#include "base/io/json_write.h"
#include "base/limits.h"
#include "rm/config/allocation_file.h"
#include "rm/daemon/audit.h"
#include "rm/http/core_call.h"
#include "rm/http/listing.h"
#include "rm/http/spec_json.h"
#include "rm/jobs/output_folder.h"
#include "rm/jobs/splits.h"

#define JOBS         "/ws/v1/cluster/jobs"
#define LIST_DEFAULT 100
#define LIST_MAX     10000

/* ---------------------------------------------------------------- encoding */
static double percent(double part)
{
    double p = part < 0 ? 0 : part > 1 ? 100 : part * 100;

    return (double)(int64_t)(p * 100 + 0.5) / 100;
}

static void put_progress(const struct rm_app_view *a, struct base_buf *out)
{
    base_json_key(out, "progress");
    base_json_open(out, '{');
    base_json_put_num(out, "map", percent(a->phase[BASE_TASK_MAP].progress));
    base_json_put_num(out, "shuffle", percent(a->shuffle_progress));
    base_json_put_num(out, "reduce", percent(a->phase[BASE_TASK_REDUCE].progress));
    base_json_put_num(out, "overall", percent(a->progress));
    base_json_close(out, '}');
}

static void put_counts(const struct rm_app_view *a, struct base_buf *out)
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
                      rm_app_state_name(rm_app_state_public(a->state, a->state_before)));
    base_json_put_str(out, "finalStatus", rm_final_status_name(a->final_status));
    base_json_put_str(out, "result", rm_result_name(a->result));
}

static void put_times(const struct rm_app_view *a, struct base_buf *out)
{
    base_json_put_int(out, "submitTime", a->submit_us / 1000);
    base_json_put_int(out, "startTime", a->start_us / 1000);
    base_json_put_int(out, "finishTime", a->finish_us / 1000);
}

/* Absent where there is no such date. */
static void put_date(struct base_buf *out, const char *key, int64_t us)
{
    if (us > 0)
        base_json_put_int(out, key, us / 1000);
}

static void put_deadline(const struct rm_app_view *a, struct base_buf *out)
{
    put_date(out, "deadline", a->deadline_us);
    put_date(out, "promisedFinish", a->promised_us);
    put_date(out, "earliestFinish", a->earliest_us);
}

/* @why: the policy's words, NULL: it has none. */
static void put_job(const struct rm_app_view *a, const char *why, struct base_buf *out)
{
    base_json_open(out, '{');
    rm_spec_job_encode(a->job, a->queue, out);
    put_state(a, out);
    put_deadline(a, out);
    base_json_put_str_opt(out, "why", why);
    put_progress(a, out);
    put_counts(a, out);
    put_times(a, out);
    put_counters(a, out);
    base_json_put_str(out, "diagnostics", a->diagnostics);
    base_json_close(out, '}');
}

static void put_summary(const struct rm_app_view *a, struct base_buf *out)
{
    char text[BASE_ID_TEXT_MAX];

    base_json_open(out, '{');
    base_json_put_str(out, "id", base_app_id_text(&a->id, text));
    base_json_put_str(out, "name", a->name);
    base_json_put_str(out, "user", a->user);
    base_json_put_str(out, "queue", a->queue);
    base_json_put_int(out, "priority", a->priority);
    put_state(a, out);
    put_deadline(a, out);
    put_progress(a, out);
    put_counts(a, out);
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
    rm_api_json(rq, status, &body);
}

/* ---------------------------------------------------------------- submit */
struct submit_call {
    struct rm_call call;
    struct rm_job_spec *spec; /* our reference; the event's is the core's */
    char *prefix;             /* of Location: headers are gone once the request is parked */
    char token[33];
};

static void drop_submit(struct rm_call *c)
{
    rm_job_spec_unref(((struct submit_call *)c)->spec);
    free(((struct submit_call *)c)->prefix);
}

static char *location_prefix(const struct api_request *rq, const struct rm_backend *b)
{
    const char *host = api_header(rq, "Host");

    return host ? base_printf("http://%s", host) : base_strdup(rm_backend_url(b));
}

static void add_location(struct api_request *rq, const char *prefix, const struct base_app_id *id)
{
    char text[BASE_ID_TEXT_MAX],
        *url = base_printf("%s" JOBS "/%s", prefix, base_app_id_text(id, text));

    api_add_header(rq, "Location", url);
    rm_audit_note(rq, "app", text);
    free(url);
}

static bool find_job(struct rm_backend *b, struct base_app_id id, struct rm_views *out)
{
    int rc = rm_view_app(rm_backend_hold(b), id, out);

    rm_backend_release(b);
    return rc == 0 && out->apps_n == 1;
}

/* A job that was just stored: shown as it stands now; on the way it may have been dropped from the
 * core already. */
static void answer_stored(struct submit_call *s, const struct rm_effect *fx)
{
    struct api_request *rq = s->call.rq;
    struct rm_app_view fresh = {.state = RM_APP_ACCEPTED, .diagnostics = ""};
    struct rm_views views = {0};
    bool made = fx->u.reply.flag;

    add_location(rq, s->prefix, &fx->u.reply.app_id);
    if (!made && find_job(s->call.b, fx->u.reply.app_id, &views) && views.apps[0].is_job) {
        answer_job(rq, 200, &views.apps[0], NULL);
    } else {
        /* Encoded without asking the core: a thousand waiting submissions are answered by one
         * commit. */
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

static void submit_done(void *user, const struct rm_effect *fx)
{
    struct submit_call *s = user;

    if (fx->kind == RM_FX_REPLY && fx->u.reply.kind == RM_REPLY_JOB)
        answer_stored(s, fx);
    else
        rm_api_reply_error(s->call.rq, fx);
    rm_call_unref(&s->call);
}

/* The same id again: the same body is the same job, another body is refused. True: answered. */
static bool answer_repeat(struct api_request *rq, struct rm_backend *b,
                          const struct rm_job_spec *spec)
{
    struct rm_views views = {0};
    char id[BASE_ID_TEXT_MAX];
    const struct rm_app_view *a;

    if (spec->id.seq == 0 || !find_job(b, spec->id, &views)) {
        rm_views_free(&views);
        return false;
    }
    a = &views.apps[0];
    if (a->is_job && strcmp(a->job->json, spec->json) == 0 && a->state > RM_APP_NEW_SAVING) {
        char *prefix = location_prefix(rq, b);
        add_location(rq, prefix, &spec->id);
        free(prefix);
        answer_job(rq, 200, a, NULL);
    } else if (a->is_job && strcmp(a->job->json, spec->json) == 0) {
        rm_views_free(&views);
        return false; /* not durable yet: the core answers when it is */
    } else {
        api_answer_error(rq, 409, "ConflictException",
                         "job.id: %s was submitted before with another body",
                         base_app_id_text(&spec->id, id));
    }
    rm_views_free(&views);
    return true;
}

/* A repeated submission whose first one is under way: the output folder may be there by now, the
 * input gone. The core compares the two and answers. */
static bool is_known(struct rm_backend *b, struct base_app_id id)
{
    struct rm_views views = {0};
    bool known = id.seq && find_job(b, id, &views);

    rm_views_free(&views);
    return known;
}

static void post_submit(struct submit_call *s)
{
    s->call.ev.kind = RM_EV_SUBMIT_JOB;
    s->call.ev.u.submit_job.spec = rm_job_spec_ref(s->spec);
    s->call.ev.u.submit_job.app_token = s->token;
    rm_call_post_parked(&s->call, submit_done);
}

/* Looking at thousands of files, at a disk that sleeps, or at a name service takes its time: a
 * thread of the pool does it when the job has files or its queue depends on its user's groups. What
 * can be wrong with the files of a submission is found there, before the core hears of it; the core
 * finds its queue. */
struct submit_look {
    struct rm_file_work work;
    struct submit_call *call; /* NULL: answered, or the core's */
    struct rm_backend *b;
    struct rm_job_spec *spec; /* a reference of its own: the call may be answered while it looks */
};

static int look_at_output(struct submit_look *l, struct base_error *err)
{
    char *path;
    int rc = rm_output_parse_path(l->spec->output, &path, err);

    if (rc < 0)
        return rc;
    rc = rm_file_work_enter_path(&l->work, path, err);
    if (rc < 0)
        base_error_wrap(err, rc, "job.output: %s", path);
    else
        rc = rm_output_check_creatable(path, err);
    free(path);
    return rc;
}

static int look_at_submission(struct rm_file_work *work, struct base_error *err)
{
    struct submit_look *l = (struct submit_look *)work;
    const struct rm_input_bounds bounds = {
        .check = rm_file_work_check_cancelled, .enter = rm_file_work_enter_path, .user = work};
    int rc = l->spec->output ? look_at_output(l, err) : 0;

    if (rc == 0)
        rc = rm_spec_expand(l->spec, &bounds, err);
    if (rc == 0)
        rc = rm_file_work_enter_path(work, NULL,
                                     err); /* who hangs at a name service hangs at no file */
    if (rc == 0)
        rm_queues_look_up_groups(l->b, l->spec->user, &l->spec->user_groups);
    /* A limit or a permission met on the way is a wrong value of the job, not of the request. */
    return rc == -BASE_ELIMIT || rc == -BASE_ENOTFOUND || rc == -BASE_EPERM || rc == -BASE_ETIMEOUT
               ? -BASE_EINVAL
               : rc;
}

static void submission_looked_at(struct rm_file_work *work, int rc, struct base_error *err)
{
    struct submit_look *l = (struct submit_look *)work;
    struct submit_call *s = l->call;
    /* the look may still go on: its spec is not to be used */
    bool given_up = rc == -BASE_EAGAIN || rc == -BASE_EIO;

    l->call = NULL;
    if (rc < 0 && (given_up || !is_known(l->b, s->spec->id))) {
        err->code = rc;
        api_answer_base_error(s->call.rq, err);
        drop_submit(&s->call);
        free(s);
        return;
    }
    post_submit(s);
}

static void submit_look_drop(struct rm_file_work *work)
{
    struct submit_look *l = (struct submit_look *)work;

    rm_job_spec_unref(l->spec);
    free(l);
}

static void submit_after_look(struct submit_call *s)
{
    struct submit_look *l = base_alloc(sizeof *l);

    l->work.look = look_at_submission;
    l->work.done = submission_looked_at;
    l->work.drop = submit_look_drop;
    l->call = s;
    l->b = s->call.b;
    l->spec = rm_job_spec_ref(s->spec);
    rm_backend_files(s->call.b, &l->work);
}

static void do_submit(struct api_request *rq, void *user)
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
        rm_api_bad_request(rq, &err);
        return;
    }
    rm_audit_note(rq, "name", spec->name);
    rm_audit_note(rq, "queue", spec->queue);
    if (answer_repeat(rq, user, spec)) {
        rm_job_spec_unref(spec);
        return;
    }
    s = base_alloc(sizeof *s);
    s->call.rq = rq;
    s->call.b = user;
    s->call.drop = drop_submit;
    s->spec = spec;
    s->prefix = location_prefix(rq, user);
    base_random_hex(s->token);
    api_park(rq);
    if (spec->groups_n && !spec->output && !rm_queues_rules_use_groups(user))
        post_submit(s);
    else
        submit_after_look(s);
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

/* Query parameter @key, "RUNNING,accepted": a bit set of the first @names. @known: which of them to
 * offer. */
static bool read_names(struct api_request *rq, const char *key, const char *(*name_of)(int),
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

static bool read_filter(struct api_request *rq, struct rm_app_filter *f)
{
    return read_names(rq, "states", state_name, RM_APP_STATES,
                      "NEW, NEW_SAVING, SUBMITTED, ACCEPTED, RUNNING, FINISHED, FAILED, KILLED",
                      &f->states) &&
           read_names(rq, "result", result_name, RM_RESULTS,
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
    struct base_app_id cursor;
    bool opened, from; /* from: @cursor is where to go on */
    int64_t limit;
};

static enum rm_listing_next list_chunk(struct rm_listing *list, size_t max, struct base_buf *out)
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
    more = rm_view_apps(rm_backend_hold(list->b), &l->filter, l->from ? &before : NULL, max, &views,
                        &l->cursor);
    rm_backend_release(list->b);
    l->from = true;
    for (size_t i = 0; i < views.apps_n; i++)
        put_summary(&views.apps[i], out);
    l->limit -= (int64_t)views.apps_n;
    rm_views_free(&views);
    if (more && l->limit > 0)
        return RM_LISTING_MORE;
    base_json_close(out, ']');
    if (more)
        base_json_put_str(out, "cursor", base_app_id_text(&l->cursor, text));
    base_json_close(out, '}');
    return RM_LISTING_END;
}

static void do_list(struct api_request *rq, void *user)
{
    struct job_list *l = base_alloc(sizeof *l);

    l->list = (struct rm_listing){.rq = rq, .b = user, .type = API_JSON, .chunk = list_chunk};
    l->filter = (struct rm_app_filter){
        .jobs_only = true, .user = api_query(rq, "user"), .queue = api_query(rq, "queue")};
    l->limit = LIST_DEFAULT;
    if (rm_api_query_int(rq, "limit", 1, LIST_MAX, &l->limit) && read_filter(rq, &l->filter) &&
        read_cursor(rq, &l->cursor, &l->from))
        rm_listing_run(&l->list);
    else
        free(l);
}

/* ---------------------------------------------------------------- one job */
/* The job named in the path; false: answered. Caller frees the views. */
static bool path_job(struct api_request *rq, struct rm_backend *b, struct rm_views *views)
{
    struct base_app_id id;
    char text[BASE_ID_TEXT_MAX];

    if (!rm_api_app_id(rq, 0, &id))
        return false;
    if (find_job(b, id, views) && views->apps[0].is_job)
        return true;
    rm_views_free(views);
    api_answer_error(rq, 404, "NotFoundException", "job %s not found", base_app_id_text(&id, text));
    return false;
}

static void do_job(struct api_request *rq, void *user)
{
    struct rm_views views = {0};
    struct base_buf why = {0};

    if (!path_job(rq, user, &views))
        return;
    rm_api_explain(user, views.apps[0].id, &why);
    answer_job(rq, 200, &views.apps[0], why.len ? why.data : NULL);
    base_buf_free(&why);
    rm_views_free(&views);
}

static void do_counters(struct api_request *rq, void *user)
{
    struct rm_views views = {0};
    struct base_buf body = {0};

    if (!path_job(rq, user, &views))
        return;
    base_json_open(&body, '{');
    put_counters(&views.apps[0], &body);
    base_json_close(&body, '}');
    rm_views_free(&views);
    rm_api_json(rq, 200, &body);
}

/* ---------------------------------------------------------------- tasks */
struct tasks_query {
    uint32_t kinds, states;
    bool rows; /* instead of objects */
    int kind;  /* where to go on */
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
    if (!rm_api_query_int(rq, "limit", 1, LIST_MAX, &q->limit) || !read_task_states(rq, &q->states))
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

/* A task with rows=true: values in the order of TASK_FIELDS, null for what there is not. A reader
 * of a million tasks spends its time on every byte: ids are told without what they share, "m17",
 * and the number alone of container_…_01_<number> (with the epoch above bit 40); the time from
 * start to finish in milliseconds. */
#define TASK_FIELDS                                                                                \
    "[\"task\",\"state\",\"progress\",\"attempts\",\"exitCode\",\"startTime\",\"elapsedTime\","    \
    "\"node\",\"container\"]"

static void put_or_null(struct base_buf *out, bool there, int64_t v)
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
    base_json_value_num(out, percent(t->progress));
    base_json_value_int(out, t->attempts);
    put_or_null(out, t->finish_us != 0, t->exit_code);
    put_or_null(out, t->start_us != 0, t->start_us / 1000);
    put_or_null(out, t->finish_us != 0, t->finish_us / 1000 - t->start_us / 1000);
    base_json_value_str(out, t->node_id);
    put_or_null(out, t->has_container, t->container.num);
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
    base_json_put_num(out, "progress", percent(t->progress));
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

#define TASKS_AN_ITEM                                                                              \
    8 /* a task costs about so much less than what a listing counts in, an application */

struct task_list {
    struct rm_listing list;
    struct base_app_id id;
    struct tasks_query q;
    bool opened, gone; /* gone: there were some, and none is kept */
};

/* At most @max tasks of q->kind from q->pos; false: all of this kind are listed. */
static bool list_kind(struct task_list *l, size_t max, struct base_buf *out)
{
    struct tasks_query *q = &l->q;
    struct rm_views views = {0};
    int64_t before = q->pos;
    int rc;

    if (q->limit < (int64_t)max)
        max = (size_t)q->limit;
    rc = rm_view_tasks(rm_backend_hold(l->list.b), l->id, q->kind, q->states, &q->pos, max, &views);
    rm_backend_release(l->list.b);
    for (size_t i = 0; i < views.tasks_n; i++)
        (q->rows ? put_task_row : put_task)(&views.tasks[i], out);
    q->limit -= (int64_t)views.tasks_n;
    rm_views_free(&views);
    return rc == 0 && q->pos != before;
}

static enum rm_listing_next tasks_chunk(struct rm_listing *list, size_t max, struct base_buf *out)
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
        if (q->kinds & 1u << q->kind && list_kind(l, max, out)) {
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

/* {"tasks":[…],"cursor":"m1000"} (while more follow; with rows=true
 * {"fields":[names],"tasks":[[values],…]}), or {"tasks":[],"tasksGone":true} of a job that had
 * ended before this ResourceManager became the active one, or whose tasks made room for newer jobs
 * (creel.rm.max-completed-mb). */
static void do_tasks(struct api_request *rq, void *user)
{
    struct tasks_query q = {0};
    struct rm_views views = {0};
    struct base_app_id id;
    struct task_list *l;
    bool gone;

    if (!path_job(rq, user, &views))
        return;
    id = views.apps[0].id;
    gone = views.apps[0].tasks_gone;
    rm_views_free(&views);
    if (!read_tasks_query(rq, &q))
        return;
    l = base_alloc(sizeof *l);
    l->list = (struct rm_listing){.rq = rq, .b = user, .type = API_JSON, .chunk = tasks_chunk};
    l->id = id;
    l->q = q;
    l->gone = gone;
    rm_listing_run(&l->list);
}

/* ---------------------------------------------------------------- why */
static const char *reason_beside_policy(const struct rm_app_view *a)
{
    if (rm_app_state_public(a->state, a->state_before) < RM_APP_ACCEPTED)
        return "it is not stored yet";
    if (a->finish_us)
        return "it has ended";
    return "it is about to end";
}

/* Of jobs and of other applications. */
static void do_why(struct api_request *rq, void *user)
{
    struct rm_views views = {0};
    struct rm_cluster_view cluster;
    struct base_buf body = {0}, why = {0};
    struct base_app_id id;
    const struct rm_app_view *a;
    char text[BASE_ID_TEXT_MAX];

    if (!rm_api_app_id(rq, 0, &id))
        return;
    if (!find_job(user, id, &views)) {
        rm_views_free(&views);
        api_answer_error(rq, 404, "NotFoundException", "application %s not found",
                         base_app_id_text(&id, text));
        return;
    }
    a = &views.apps[0];
    rm_view_cluster(rm_backend_hold(user), &cluster);
    rm_backend_release(user);
    rm_api_explain(user, id, &why);
    base_json_open(&body, '{');
    base_json_key(&body, "why");
    base_json_open(&body, '{');
    base_json_put_str(&body, "id", base_app_id_text(&id, text));
    put_state(a, &body);
    base_json_put_str(&body, "policy", cluster.policy);
    base_json_put_str(&body, "queue", a->queue);
    base_json_put_int(&body, "priority", a->priority);
    put_counts(a, &body);
    put_deadline(a, &body);
    base_json_put_str(&body, "reason", why.len ? why.data : reason_beside_policy(a));
    base_json_put_str(&body, "diagnostics", a->diagnostics);
    base_json_close(&body, '}');
    base_json_close(&body, '}');
    base_buf_free(&why);
    rm_views_free(&views);
    rm_api_json(rq, 200, &body);
}

const struct api_route rm_api_jobs_routes[] = {
    {"POST", JOBS, API_ROLE_WRITE, BASE_BODY_MAX, do_submit, API_ROUTE_CREEL},
    {"GET", JOBS, API_ROLE_READ, 0, do_list, API_ROUTE_CREEL},
    {"GET", JOBS "/{jobid}", API_ROLE_READ, 0, do_job, API_ROUTE_CREEL},
    {"GET", "/ws/v1/cluster/apps/{appid}/why", API_ROLE_READ, 0, do_why, API_ROUTE_CREEL},
    {"GET", JOBS "/{jobid}/tasks", API_ROLE_READ, 0, do_tasks, API_ROUTE_CREEL},
    {"GET", JOBS "/{jobid}/counters", API_ROLE_READ, 0, do_counters, API_ROUTE_CREEL},
};
const size_t rm_api_jobs_routes_n = sizeof rm_api_jobs_routes / sizeof *rm_api_jobs_routes;
