/* Handlers that write: new application ids, submissions, kills, moves, the active policy. Source:
 * Hadoop's ResourceManager REST APIs.
 *
 * Each write has one context that holds the event and everything the event points to. The event
 * (until the core has processed it) and the reply share the context and end in either order; the
 * last one frees it. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/yarn/xml_body.h"
#include "base/io/io.h"
#include "base/io/json.h"
#include "policies/policy.h"
#include "policies/registry.h"
#include "rm/config/allocation_file.h"
#include "rm/config/policy_options.h"
#include "rm/daemon/audit.h"
#include "rm/http/app_json.h"
#include "rm/http/core_call.h"
#include "rm/http/yarn/yarn_internal.h"
#include "rm/leader/standby.h"

#define SUBMISSION_ROOT "application-submission-context"
/* the roots that YARN's decoder of this resource knows, in YARN's order */
#define SUBMISSION_ROOTS                                                                           \
    "<{}NewApplication>,<{}application-submission-context>,<{}applicationpriority>,<{}appqueue>,"  \
    "<{}container-launch-context-info>,<{}credentials-info>,<{}delegation-token>,<{}"              \
    "localresources>,"                                                                             \
    "<{}log-aggregation-context>,<{}resourceInfo>,<{}resourceInformations>,<{}resourceOption>"
#define KILLED "KILLED"

struct write {
    atomic_int refs;
    struct api_request *rq;
    struct rm_backend *b; /* submissions only */
    struct rm_event ev;
    char *caller, *text, *location, *queue;
    char token[33];
    bool unmanaged;
    struct yarn_frame frame; /* new-application only */
};

static struct write *create_write(struct api_request *rq, enum rm_event_kind kind)
{
    struct write *w = base_alloc(sizeof *w);

    atomic_init(&w->refs, 2);
    w->rq = rq;
    w->caller = base_strdup(api_caller(rq));
    w->ev.kind = kind;
    w->ev.caller = w->caller;
    return w;
}

static void unref_write(void *user)
{
    struct write *w = user;

    if (atomic_fetch_sub(&w->refs, 1) != 1)
        return;
    yarn_frame_free(&w->frame);
    free(w->caller);
    free(w->text);
    free(w->location);
    free(w->queue);
    free(w);
}

static void post_write(struct write *w, struct rm_backend *b, rm_reply_fn *fn)
{
    api_park(w->rq); /* the reply may come at any time from now on, on another thread */
    rm_backend_post(b, &w->ev, fn, unref_write, w);
}

/* Formats "<scheme and host of the request><path><suffix>". */
static char *format_location(struct api_request *rq, struct rm_backend *b, const char *slash,
                             const char *suffix)
{
    const char *host = api_header(rq, "Host");

    if (host && host[0])
        return base_printf("http://%s%s%s%s", host, api_path(rq), slash, suffix);
    return base_printf("%s%s%s%s", rm_backend_url(b), api_path(rq), slash, suffix);
}

/* Answers a refusal: to YARN's clients, what the RM refuses is a bad request, but an internal
 * failure is not their fault. */
static void answer_refusal(struct api_request *rq, const struct rm_effect *fx)
{
    switch (fx->u.reply.code) {
    case -BASE_EINVAL:
    case -BASE_ELIMIT:
    case -BASE_EEXIST:
    case -BASE_ESTATE:
        yarn_bad_request(rq, "%s", fx->u.reply.text);
        break;
    case -BASE_ETOOLARGE:
        api_answer_error(rq, 413, "LimitException", "java.lang.Exception: %s", fx->u.reply.text);
        break;
    case -BASE_ENOTFOUND:
        yarn_not_found(rq, "%s", fx->u.reply.text);
        break;
    case -BASE_EPERM:
        api_answer_error(rq, 403, "ForbiddenException", "java.lang.Exception: %s",
                         fx->u.reply.text);
        break;
    case -BASE_EVERSION:
        rm_standby_answer_leadership_over(rq, api_server_user(rq), fx->u.reply.text);
        break;
    default:
        api_answer_error(rq, 503, "YarnRuntimeException", "%s", fx->u.reply.text);
    }
}

static bool is_error_reply(const struct rm_effect *fx)
{
    return fx->kind == RM_FX_REPLY && fx->u.reply.kind == RM_REPLY_ERROR;
}

/* ---- bodies ---- */

static bool body_is_xml(struct api_request *rq)
{
    const char *type = api_header(rq, "Content-Type");

    return type && strncasecmp(type, "application/xml", strlen("application/xml")) == 0;
}

/* Parses the body; owned by the caller. NULL: the error was answered. */
static json_t *read_body(struct api_request *rq, const char *root, const char *roots)
{
    struct base_error err = {0};
    json_t *body = NULL;
    size_t len;
    const char *text = api_body(rq, &len);
    int rc = body_is_xml(rq) ? api_xml_body_parse(text, len, root, roots, &body, &err)
                             : api_json_body_parse(text, len, &body, &err);

    if (rc < 0) {
        api_answer_error(rq, 400, "WebApplicationException", "%s", err.text);
        return NULL;
    }
    return body;
}

/* ---- POST apps/new-application ---- */

static void answer_new_id(void *user, const struct rm_effect *fx)
{
    struct write *w = user;

    if (is_error_reply(fx)) {
        answer_refusal(w->rq, fx);
    } else {
        struct yarn_new_application app;
        char id[BASE_ID_TEXT_MAX];
        app.id = base_app_id_text(&fx->u.reply.app_id, id);
        yarn_resource_fill(&w->frame, &app.max, &w->frame.cluster.max_capability);
        yarn_answer(w->rq, 200, &yarn_shape_new_application, API_N_BARE, &app);
    }
    unref_write(w);
}

void yarn_post_new_application(struct api_request *rq, void *user)
{
    struct write *w = create_write(rq, RM_EV_NEW_APP_ID);

    yarn_frame_fill_from_backend(user, &w->frame);
    post_write(w, user, answer_new_id);
}

/* ---- POST apps ---- */

static void answer_submission(void *user, const struct rm_effect *fx)
{
    struct write *w = user;
    struct base_buf none = {0};

    /* a known id is accepted without effect: clients repeat a submission whose answer was lost */
    if (is_error_reply(fx) && fx->u.reply.code != -BASE_EEXIST) {
        answer_refusal(w->rq, fx);
    } else {
        api_add_header(w->rq, "Location", w->location);
        api_answer(w->rq, 202, api_want(w->rq), &none);
    }
    unref_write(w);
}

static void answer_bad_spec(struct api_request *rq, int rc, const struct base_error *err)
{
    if (rc == -BASE_ESTATE)
        api_answer_error(rq, 503, "NullPointerException", "%s", err->text);
    else
        yarn_bad_request(rq, "%s", err->text);
}

/* Runs on a thread that may wait for a name service. */
static bool look_up_groups_and_submit(void *user, bool stopping)
{
    struct write *w = user;
    struct rm_app_spec *spec = w->ev.u.submit_app.spec;

    if (!stopping)
        rm_queues_look_up_groups(w->b, spec->user, &spec->user_groups);
    rm_backend_post(w->b, &w->ev, answer_submission, unref_write, w);
    return false;
}

static void submit_app(struct api_request *rq, struct rm_backend *b, struct rm_app_spec *spec)
{
    struct write *w = create_write(rq, RM_EV_SUBMIT_APP);
    char id[BASE_ID_TEXT_MAX];

    w->b = b;
    base_random_hex(w->token);
    w->location = format_location(rq, b, "/", base_app_id_text(&spec->id, id));
    w->ev.u.submit_app.spec = spec;
    rm_audit_note(rq, "app", id);
    rm_audit_note(rq, "name", spec->name);
    rm_audit_note(rq, "queue", spec->queue);
    w->ev.u.submit_app.app_token = w->token;
    if (!rm_queues_rules_use_groups(b)) {
        post_write(w, b, answer_submission);
        return;
    }
    api_park(rq);
    rm_backend_slow(b, RM_SLOW_FILES, look_up_groups_and_submit, w);
}

void yarn_post_app(struct api_request *rq, void *user)
{
    struct rm_backend *b = user;
    struct base_error err = {0};
    struct rm_app_spec *spec = NULL;
    struct rm_cluster_view cluster;
    json_t *body = read_body(rq, SUBMISSION_ROOT, SUBMISSION_ROOTS);
    int rc;

    if (!body)
        return;
    rc = rm_app_spec_decode(body, api_caller(rq), &spec, &err);
    json_decref(body);
    if (rc == 0) {
        rm_view_cluster(rm_backend_hold(b), &cluster);
        rm_backend_release(b);
        rc = rm_app_spec_check_max(spec, &cluster.max_capability, &err);
    }
    if (rc < 0) {
        rm_app_spec_unref(spec);
        answer_bad_spec(rq, rc, &err);
        return;
    }
    submit_app(rq, b, spec);
}

/* ---- PUT apps/{id}/state ---- */

static void answer_state(struct api_request *rq, unsigned status, enum rm_app_state s)
{
    struct yarn_app_state state = {.state = rm_app_state_name(s)};

    yarn_answer(rq, status, &yarn_shape_app_state, API_M_BARE, &state);
}

static void answer_kill(void *user, const struct rm_effect *fx)
{
    struct write *w = user;
    enum rm_app_state now = fx->u.reply.app_state;

    if (is_error_reply(fx)) {
        answer_refusal(w->rq, fx);
    } else if (fx->u.reply.flag || now == RM_APP_FINISHING || w->unmanaged) {
        answer_state(w->rq, 200, now);
    } else {
        api_add_header(w->rq, "Location", w->location);
        answer_state(w->rq, 202, now);
    }
    unref_write(w);
}

static void kill_app(struct api_request *rq, struct rm_backend *b, const struct rm_app_view *v,
                     const char *reason)
{
    struct write *w = create_write(rq, RM_EV_KILL_APP);
    char id[BASE_ID_TEXT_MAX];

    w->unmanaged = v->unmanaged;
    w->location = format_location(rq, b, "", "");
    w->text = base_printf("Application %s was killed by user %s%s%s", base_app_id_text(&v->id, id),
                          w->caller, reason && reason[0] ? " with diagnostic message: " : "",
                          reason ? reason : "");
    w->ev.u.kill.id = v->id;
    w->ev.u.kill.diagnostics = w->text;
    post_write(w, b, answer_kill);
}

static void change_state(struct api_request *rq, struct rm_backend *b, const json_t *body)
{
    const char *target = json_string_value(json_object_get(body, "state"));
    struct base_app_id id;
    struct rm_views v = {0};
    int rc;

    if (!yarn_parse_app_id_arg(rq, 0, &id))
        return;
    rc = rm_view_app(rm_backend_hold(b), id, &v);
    rm_backend_release(b);
    if (rc < 0)
        yarn_answer_app_not_found(rq);
    else if (!target)
        api_answer_error(rq, 503, "NullPointerException",
                         "Cannot invoke \"String.equals(Object)\" because the return value of "
                         "\"org.apache.hadoop.yarn.server.resourcemanager.webapp.dao.AppState."
                         "getState()\" is null");
    else if (strcmp(target, rm_app_state_name(v.apps[0].state)) == 0)
        answer_state(rq, 200, v.apps[0].state);
    else if (strcmp(target, KILLED) == 0)
        kill_app(rq, b, &v.apps[0], json_string_value(json_object_get(body, "diagnostics")));
    else
        yarn_bad_request(rq, "Only 'KILLED' is allowed as a target state.");
    rm_views_free(&v);
}

void yarn_put_state(struct api_request *rq, void *user)
{
    json_t *body = read_body(rq, "appstate", NULL);

    if (body)
        change_state(rq, user, body);
    json_decref(body);
}

/* ---- PUT apps/{id}/queue ---- */

static void answer_queue(struct api_request *rq, const char *queue)
{
    struct yarn_app_queue shown = {.queue = queue};

    yarn_answer(rq, 200, &yarn_shape_app_queue, API_M_BARE, &shown);
}

/* Answers a refused move. YARN's answer has no document and no word about the scheduler's reason,
 * so the reason goes into a header. */
static void answer_unmoved(struct api_request *rq, int code, const char *why)
{
    struct base_buf body = {0};

    rm_audit_refuse(rq, why);
    if (code == -BASE_ESTATE) {
        base_buf_adds(&body, why);
        api_answer(rq, 400, api_want(rq), &body);
    } else {
        api_add_header(rq, "X-Creel-Reason", why);
        api_answer_error(rq, 503, "UndeclaredThrowableException", "%s", "");
    }
}

static void answer_move(void *user, const struct rm_effect *fx)
{
    struct write *w = user;

    if (!is_error_reply(fx))
        answer_queue(w->rq, w->text);
    else if (fx->u.reply.code == -BASE_ESTATE || fx->u.reply.code == -BASE_EINVAL)
        answer_unmoved(w->rq, fx->u.reply.code, fx->u.reply.text);
    else
        answer_refusal(w->rq, fx);
    unref_write(w);
}

/* Posts the move. @queue NULL: stay, and answer once the present queue is durable, since the answer
 * to an earlier request may have been lost. */
static void move_app(struct api_request *rq, struct rm_backend *b, struct base_app_id id,
                     const char *queue, const char *shown)
{
    struct write *w = create_write(rq, RM_EV_MOVE_APP);

    rm_audit_note(rq, "queue", shown);
    w->text = base_strdup(shown);
    w->queue = queue ? base_strdup(queue) : NULL;
    w->ev.u.move.id = id;
    w->ev.u.move.queue = w->queue;
    post_write(w, b, answer_move);
}

static void change_queue(struct api_request *rq, struct rm_backend *b, const struct yarn_frame *f,
                         const struct rm_app_view *v, const char *queue)
{
    struct base_buf room = {0};
    const char *shown = yarn_get_shown_queue(f, v, &room);

    if (queue && strcmp(queue, shown) == 0) {
        move_app(rq, b, v->id, NULL, shown);
    } else if (v->state != RM_APP_ACCEPTED && v->state != RM_APP_RUNNING) {
        char *why = base_printf("App in %s state cannot be moved.", rm_app_state_name(v->state));
        answer_unmoved(rq, -BASE_ESTATE, why);
        free(why);
    } else if (!queue && f->fair) {
        api_answer_error(rq, 503, "NullPointerException",
                         "Cannot invoke \"String.startsWith(String)\" because \"name\" is null");
    } else if (!queue) {
        answer_unmoved(rq, -BASE_EINVAL, "queue: is missing");
    } else {
        yarn_format_queue_path(queue, &room);
        move_app(rq, b, v->id, queue, room.data);
    }
    base_buf_free(&room);
}

void yarn_put_queue(struct api_request *rq, void *user)
{
    json_t *body = read_body(rq, "appqueue", NULL);
    struct rm_backend *b = user;
    struct base_app_id id;
    struct yarn_frame f;
    struct rm_views v = {0};
    int rc;

    if (!body || !yarn_parse_app_id_arg(rq, 0, &id)) {
        json_decref(body);
        return;
    }
    rc = rm_view_app(rm_backend_hold(b), id, &v);
    rm_backend_release(b);
    if (rc < 0) {
        yarn_answer_app_not_found(rq);
    } else {
        yarn_frame_fill_from_backend(b, &f);
        change_queue(rq, b, &f, &v.apps[0], json_string_value(json_object_get(body, "queue")));
        yarn_frame_free(&f);
    }
    rm_views_free(&v);
    json_decref(body);
}

/* ---- PUT scheduler/policy ---- */

static void answer_policy(void *user, const struct rm_effect *fx)
{
    struct write *w = user;

    if (is_error_reply(fx)) {
        rm_api_answer_core_error(w->rq, fx);
    } else {
        struct yarn_policy policy = {.policy = w->text};
        yarn_answer(w->rq, 200, &yarn_shape_policy, API_N_BARE, &policy);
    }
    unref_write(w);
}

void yarn_put_policy(struct api_request *rq, void *user)
{
    static const char *const members[] = {"policy", NULL};
    struct base_error err = {0};
    const char *name = NULL;
    struct write *w;
    json_t *body = NULL;
    size_t len;
    const char *text = api_body(rq, &len);
    int rc = base_json_parse(text, len, &body, &err);

    if (rc == 0 && !json_is_object(body))
        rc =
            base_error_set(&err, -BASE_EINVAL, "the body is not an object {\"policy\":\"<name>\"}");
    if (rc == 0)
        rc = base_json_refuse_unknown_members(body, "", members, &err);
    if (rc == 0)
        rc = base_json_str(body, "", "policy", true, 255, &name, &err);
    if (rc == 0)
        rc = rm_options_check_policy_name("policy", name, &err);
    if (rc < 0) {
        json_decref(body);
        api_answer_base_error(rq, &err);
        return;
    }
    w = create_write(rq, RM_EV_SET_POLICY);
    w->text = base_strdup(policy_find(name)->name); /* for a Hadoop class: our name of the policy */
    w->ev.u.policy.name = w->text;
    rm_audit_note(rq, "policy", w->text);
    json_decref(body);
    post_write(w, user, answer_policy);
}
