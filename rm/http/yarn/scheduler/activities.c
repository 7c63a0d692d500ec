/* rm/http/yarn/scheduler/activities.c - shows the scheduler's decisions: for a node, for the next
 * rounds, for one application; and logs its decisions for a time. SOURCE: recordings of YARN 3.4.2;
 * Hadoop's ResourceManager REST APIs (Scheduler Activities API). Only the capacity scheduler has
 * activities; in the other shapes the answers say so. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/limits.h"
#include "rm/http/access/access.h"
#include "rm/http/core_call.h"
#include "rm/http/yarn/scheduler/activity_tree.h"

#define NOT_CAPACITY "Not Capacity Scheduler"
#define NO_NODE      "No node manager running in the cluster"

/* ---- having activities recorded ---- */
struct record {
    struct rm_event ev;
    char *node_id;
};

static void free_record_request(void *user)
{
    struct record *r = user;

    free(r->node_id);
    free(r);
}

/* Returns a request to record, which the caller fills in and posts. */
static struct record *record_request_new(void)
{
    struct record *r = base_alloc(sizeof *r);

    r->ev.kind = RM_EV_RECORD_ACTIVITIES;
    return r;
}

/* Posts without waiting for the reply: a later request shows what was recorded. */
static void post_record_request(struct rm_backend *b, struct record *r)
{
    rm_backend_post(b, &r->ev, NULL, free_record_request, r);
}

/* ---- parameters ---- */

static const char *null_if_empty(const char *s)
{
    return s && s[0] ? s : NULL;
}

/* Reads groupBy. Returns NULL, or an error message, which the caller frees. */
static char *read_group_by_or_mistake(const struct api_request *rq, bool *by_diagnostic)
{
    const char *text = null_if_empty(api_query(rq, "groupBy"));

    *by_diagnostic = text && strcasecmp(text, "diagnostic") == 0;
    if (!text || *by_diagnostic)
        return NULL;
    return base_printf("Got invalid groupBy: %s, valid groupBy types: [DIAGNOSTIC]", text);
}

/* Returns the id of the node that @name, an id or a host, denotes, in @v's memory; NULL: none. */
static const char *find_node_id(struct rm_backend *b, const char *name, struct rm_views *v)
{
    size_t pos = 0;
    bool more = true;

    while (more) {
        size_t from = v->nodes_n;

        more = rm_view_nodes(rm_backend_lock_core(b), &pos, BASE_VIEW_CHUNK, v);
        rm_backend_unlock_core(b);
        for (size_t i = from; i < v->nodes_n; i++)
            if (strcmp(v->nodes[i].id, name) == 0 ||
                (v->nodes[i].host && strcmp(v->nodes[i].host, name) == 0))
                return v->nodes[i].id;
    }
    return NULL;
}

/* ---- activities of a node ---- */

/* Shows the newest recorded round of the node (NULL: of any node), and requests that the next one
 * be recorded. */
static void show_newest_and_record_next_round(struct rm_backend *b, const struct yarn_context *f,
                                              const char *node_id, bool by_diagnostic,
                                              struct rm_views *v, struct yarn_memory *m,
                                              struct yarn_activities *out)
{
    struct record *next = record_request_new();

    next->node_id = node_id ? base_strdup(node_id) : NULL;
    next->ev.u.record.node_id = next->node_id;
    next->ev.u.record.next = !node_id;
    rm_view_rounds(rm_backend_lock_core(b), &(struct rm_round_filter){.node_id = node_id, .max = 1},
                   v);
    rm_backend_unlock_core(b);
    if (v->rounds_n > 0)
        yarn_activities_fill(f, &v->rounds[0], by_diagnostic, m, out);
    else
        out->diagnostic = node_id ? "waiting for display" : "waiting for next allocation";
    post_record_request(b, next);
}

static void get_activities(struct api_request *rq, void *user)
{
    const char *name = null_if_empty(api_query(rq, "nodeId")), *node_id = NULL;
    struct yarn_activities out = {.node_id = name};
    struct yarn_memory m = {0};
    struct rm_views v = {0};
    struct yarn_context f;
    bool by_diagnostic;
    char *wrong;

    yarn_context_read_with_queues(user, &f);
    wrong = read_group_by_or_mistake(rq, &by_diagnostic);
    if (f.shape != RM_SHAPE_CAPACITY)
        out.diagnostic = NOT_CAPACITY;
    else if (wrong)
        out.diagnostic = wrong;
    else if (f.cluster.nodes[RM_NODE_RUNNING] == 0)
        out.diagnostic = NO_NODE;
    else if (name && !(node_id = find_node_id(user, name, &v)))
        out.diagnostic = "Cannot find node manager with given node id";
    else
        show_newest_and_record_next_round(user, &f, node_id, by_diagnostic, &v, &m, &out);
    yarn_answer(rq, 200, &yarn_shape_activities, API_N_WRAPPED, &out);
    free(wrong);
    yarn_memory_free(&m);
    rm_views_free(&v);
    yarn_context_free(&f);
}

/* ---- activities of the next rounds ---- */
#define ROUNDS_DEFAULT 10
#define ROUNDS_MAX     500

struct bulk {
    struct rm_call call;
    bool by_diagnostic;
    uint64_t after; /* number of the round before the first */
};

/* Runs on the thread for lists, since the function that receives the core's reply must return
 * soon. */
static bool answer_bulk_activities(void *user, bool stopping)
{
    struct bulk *k = user;
    struct yarn_bulk_activities bulk = {{0}};
    struct yarn_activities *each;
    struct yarn_memory m = {0};
    struct rm_views v = {0};
    struct yarn_context f;

    if (stopping) {
        api_answer_error(k->call.rq, 503, "YarnRuntimeException", "%s",
                         "the ResourceManager is shutting down");
        rm_call_unref(&k->call);
        return false;
    }
    yarn_context_read_with_queues(k->call.b, &f);
    rm_view_rounds(rm_backend_lock_core(k->call.b),
                   &(struct rm_round_filter){.after = k->after, .max = ROUNDS_MAX}, &v);
    rm_backend_unlock_core(k->call.b);
    each = base_alloc((v.rounds_n + 1) * sizeof *each);
    for (size_t i = 0; i < v.rounds_n; i++)
        yarn_activities_fill(&f, &v.rounds[i], k->by_diagnostic, &m, &each[i]);
    bulk.list = (struct api_list){each, v.rounds_n, sizeof *each};
    yarn_answer(k->call.rq, 200, &yarn_shape_bulk_activities, API_N_WRAPPED, &bulk);
    free(each);
    yarn_memory_free(&m);
    rm_views_free(&v);
    yarn_context_free(&f);
    rm_call_unref(&k->call);
    return false;
}

static void on_activities_recorded(void *user, const struct rm_effect *fx)
{
    struct bulk *k = user;

    if (fx->kind == RM_FX_REPLY && fx->u.reply.kind == RM_REPLY_ERROR) {
        rm_api_answer_core_error(k->call.rq, fx);
        rm_call_unref(&k->call);
    } else {
        rm_backend_queue_slow_task(k->call.b, RM_SLOW_LISTS, answer_bulk_activities, k);
    }
}

/* Parses a number as Java's Integer.parseInt() does. */
static bool parse_java_int(const char *text, int64_t *out)
{
    return yarn_parse_long(text, out) && *out >= INT32_MIN && *out <= INT32_MAX;
}

static void get_bulk_activities(struct api_request *rq, void *user)
{
    const char *text = null_if_empty(api_query(rq, "activitiesCount"));
    int64_t count = ROUNDS_DEFAULT;
    struct yarn_context f;
    bool by_diagnostic;
    struct bulk *k;
    char *wrong;

    if (text && !parse_java_int(text, &count)) {
        api_answer_error(rq, 503, "QueryParamException",
                         "java.lang.NumberFormatException: For input string: \"%s\"", text);
        return;
    }
    yarn_context_read(user, &f);
    wrong = read_group_by_or_mistake(rq, &by_diagnostic);
    if (f.shape != RM_SHAPE_CAPACITY) {
        yarn_bad_request(rq, "%s", NOT_CAPACITY);
    } else if (wrong) {
        yarn_bad_request(rq, "%s", wrong);
    } else if (f.cluster.nodes[RM_NODE_RUNNING] == 0) {
        yarn_bad_request(rq, "%s", NO_NODE);
    } else {
        k = base_alloc(sizeof *k);
        k->by_diagnostic = by_diagnostic;
        k->after = rm_view_last_round_number(rm_backend_lock_core(user));
        rm_backend_unlock_core(user);
        k->call.ev.kind = RM_EV_RECORD_ACTIVITIES;
        k->call.ev.u.record.rounds = count <= 0           ? ROUNDS_DEFAULT
                                     : count > ROUNDS_MAX ? ROUNDS_MAX
                                                          : count;
        rm_call_post(&k->call, user, rq, on_activities_recorded);
    }
    free(wrong);
    yarn_context_free(&f);
}

/* ---- activities of an application ---- */
#define APP_RECORD_S_DEFAULT 3.0
#define APP_RECORD_S_MAX     600.0 /* longer times are cut */

struct app_query {
    bool refresh, get;
    double record_s;
    struct yarn_app_activity_filter filter;
    int64_t *numbers[2]; /* the numbers in the filter's lists; owned */
};

static void free_app_query(struct app_query *q)
{
    free(q->numbers[0]);
    free(q->numbers[1]);
}

/* Reads a list of numbers, skipping words that are not numbers. Returns how many it has read. */
static size_t read_numbers(const struct api_request *rq, const char *name, int64_t **out)
{
    struct yarn_word_list w = {0};
    size_t n = 0;

    yarn_word_list_add_from_query(rq, name, &w);
    *out = base_alloc((w.n + 1) * sizeof **out);
    for (size_t i = 0; i < w.n; i++)
        n += yarn_parse_long(w.v[i], &(*out)[n]);
    yarn_word_list_free(&w);
    return n;
}

/* Reads which actions are wanted, both by default. Returns NULL or an error message. */
static char *read_actions_or_mistake(const struct api_request *rq, struct app_query *q)
{
    struct yarn_word_list w = {0};
    char *wrong = NULL;

    yarn_word_list_add_from_query(rq, "actions", &w);
    q->refresh = q->get = w.n == 0;
    for (size_t i = 0; i < w.n && !wrong; i++)
        if (strcasecmp(w.v[i], "refresh") == 0)
            q->refresh = true;
        else if (strcasecmp(w.v[i], "get") == 0)
            q->get = true;
        else
            wrong = base_printf("Got invalid action: %s, valid actions: [REFRESH, GET]", w.v[i]);
    yarn_word_list_free(&w);
    return wrong;
}

static char *read_limit_or_mistake(const struct api_request *rq, struct app_query *q)
{
    const char *text = null_if_empty(api_query(rq, "limit"));

    if (text && !parse_java_int(text, &q->filter.limit))
        return base_strdup("limit must be integer!");
    if (text && q->filter.limit <= 0)
        return base_strdup("limit must be greater than 0!");
    return NULL;
}

static bool is_text_true(const char *text)
{
    return text && strcasecmp(text, "true") == 0;
}

/* Reads all parameters but maxTime. Returns NULL or an error message, which the caller frees. */
static char *read_app_query_or_mistake(const struct api_request *rq, struct app_query *q)
{
    char *wrong = read_actions_or_mistake(rq, q);

    if (!wrong)
        wrong = read_group_by_or_mistake(rq, &q->filter.by_diagnostic);
    if (!wrong)
        wrong = read_limit_or_mistake(rq, q);
    q->filter.summarize = is_text_true(api_query(rq, "summarize"));
    q->filter.priorities_n = read_numbers(rq, "requestPriorities", &q->numbers[0]);
    q->filter.request_ids_n = read_numbers(rq, "allocationRequestIds", &q->numbers[1]);
    q->filter.priorities = q->numbers[0];
    q->filter.request_ids = q->numbers[1];
    return wrong;
}

/* Reads maxTime in seconds. Returns false when it is not a number; @rq has then been answered. */
static bool read_record_seconds(struct api_request *rq, double *out)
{
    const char *text = null_if_empty(api_query(rq, "maxTime"));
    char *end;

    *out = APP_RECORD_S_DEFAULT;
    if (!text)
        return true;
    errno = 0;
    *out = strtod(text, &end);
    if (end != text && *end == '\0' && *out >= 0) {
        *out = *out < APP_RECORD_S_MAX ? *out : APP_RECORD_S_MAX;
        return true;
    }
    api_answer_error(rq, 400, "NumberFormatException", "For input string: \"%s\"", text);
    return false;
}

static bool app_has_ended(struct rm_backend *b, const struct base_app_id *id)
{
    struct rm_views v = {0};
    int rc = rm_view_app(rm_backend_lock_core(b), *id, &v);
    bool ended;

    rm_backend_unlock_core(b);
    ended = rc < 0 || v.apps[0].state == RM_APP_FINISHED || v.apps[0].state == RM_APP_FAILED ||
            v.apps[0].state == RM_APP_KILLED;
    rm_views_free(&v);
    return ended;
}

/* Shows what was recorded of the application, and requests further recording. */
static void show_and_record_app_rounds(struct rm_backend *b, const struct base_app_id *id,
                                       const struct app_query *q, struct rm_views *v,
                                       struct yarn_memory *m, struct yarn_app_activities *out)
{
    if (q->get && !app_has_ended(b, id)) {
        rm_view_rounds(rm_backend_lock_core(b), &(struct rm_round_filter){.app = id}, v);
        rm_backend_unlock_core(b);
        yarn_app_allocations_fill(v, id, &q->filter, m, out);
        if (out->allocations.n == 0)
            out->diagnostic = "waiting for display";
    } else if (q->get) {
        out->diagnostic = "fail to get application activities after finished";
    } else {
        out->diagnostic = "Successfully received action: refresh";
    }
    if (q->refresh && q->record_s > 0) {
        struct record *more = record_request_new();

        more->ev.u.record.app = *id;
        more->ev.u.record.for_us = (int64_t)(q->record_s * 1e6);
        post_record_request(b, more);
    }
}

static void get_app_activities(struct api_request *rq, void *user)
{
    enum rm_shape shape = rm_scheduler_shape_read(rm_backend_conf(user));
    int64_t now_ms = rm_backend_now_us(user) / 1000;
    struct yarn_app_activities out = {.app_id = api_path_arg(rq, 0), .timestamp = now_ms};
    struct app_query q = {0};
    struct yarn_memory m = {0};
    struct rm_views v = {0};
    struct base_app_id id;
    char *wrong;

    if (!read_record_seconds(rq, &q.record_s))
        return;
    wrong = read_app_query_or_mistake(rq, &q);
    out.date_time = yarn_format_date_time(&m, now_ms);
    if (shape != RM_SHAPE_CAPACITY)
        out.diagnostic = NOT_CAPACITY;
    else if (base_app_id_parse(out.app_id, &id, NULL) < 0)
        out.diagnostic = "Cannot find application with given appId";
    else if (wrong)
        out.diagnostic = wrong;
    else
        show_and_record_app_rounds(user, &id, &q, &v, &m, &out);
    yarn_answer(rq, 200, &yarn_shape_app_activities, API_N_WRAPPED, &out);
    free(wrong);
    free_app_query(&q);
    yarn_memory_free(&m);
    rm_views_free(&v);
}

/* ---- logs ---- */

static int hex_digit_of(char c)
{
    return isdigit((unsigned char)c)    ? c - '0'
           : isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10
                                        : -1;
}

/* Returns the first value of @name in a form, decoded; the caller frees it. NULL: none. */
static char *read_form_field(const char *form, const char *name)
{
    size_t n = strlen(name), len;
    const char *at = form;
    char *out, *to;

    while (strncmp(at, name, n) != 0 || at[n] != '=') {
        at = strchr(at, '&');
        if (!at)
            return NULL;
        at++;
    }
    at += n + 1;
    len = strcspn(at, "&");
    out = to = base_strndup(at, len);
    for (size_t i = 0; i < len; i++, to++) {
        *to = at[i] == '+' ? ' ' : at[i];
        if (at[i] == '%' && i + 2 < len && hex_digit_of(at[i + 1]) >= 0 &&
            hex_digit_of(at[i + 2]) >= 0) {
            *to = (char)(hex_digit_of(at[i + 1]) << 4 | hex_digit_of(at[i + 2]));
            i += 2;
        }
    }
    *to = '\0';
    return out;
}

/* Logs every slot that is taken or declined, for the requested time. */
static void log_decisions_for_a_time(struct api_request *rq, void *user)
{
    char *text;
    struct base_buf body = {0};
    int64_t seconds = 0;

    if (rm_access_refuse_unless_allowed(rq, user, RM_OP_CONFIGURE))
        return;
    text = read_form_field(api_body(rq, NULL), "time");
    if (!text) {
        api_answer_error(rq, 400, "NumberFormatException", "%s", "Cannot parse null string");
    } else if (!parse_java_int(text, &seconds)) {
        api_answer_error(rq, 400, "NumberFormatException", "For input string: \"%s\"", text);
    } else if (seconds <= 0) {
        yarn_bad_request(rq, "Period must be greater than 0");
    } else {
        struct record *logged = record_request_new();

        logged->ev.u.record.log_us = seconds * 1000000;
        post_record_request(user, logged);
        base_buf_adds(&body, "Capacity scheduler logs are being created.");
        api_answer(rq, 200, api_wanted_type(rq), &body);
    }
    free(text);
}

/* clang-format off */
const struct api_route rm_yarn_activities_routes[] = {
    {"GET",  YARN_CLUSTER "/scheduler/activities",      API_ROLE_READ, 0, get_activities, 0},
    {"GET",  YARN_CLUSTER "/scheduler/bulk-activities", API_ROLE_READ, 0, get_bulk_activities, 0},
    {"GET",  YARN_CLUSTER "/scheduler/app-activities/{appid}", API_ROLE_READ, 0,
             get_app_activities, 0},
    {"POST", YARN_CLUSTER "/scheduler/logs",            API_ROLE_WRITE, YARN_STATE_BODY_MAX,
             log_decisions_for_a_time, API_ROUTE_FORM},
};
/* clang-format on */
const size_t rm_yarn_activities_routes_n =
    sizeof rm_yarn_activities_routes / sizeof rm_yarn_activities_routes[0];
