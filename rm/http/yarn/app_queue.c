/* rm/http/yarn/app_queue.c - shows and changes the queue of an application. SOURCE: Hadoop's
 * ResourceManager REST APIs. */
#include <stdlib.h>
#include <string.h>

#include "api/audit/audit.h"
#include "rm/http/access/access.h"
#include "rm/http/yarn/change.h"
#include "rm/http/yarn/write.h"

static void answer_app_queue(struct api_request *rq, const char *queue)
{
    struct yarn_app_queue shown = {.queue = queue};

    yarn_answer(rq, 200, &yarn_shape_app_queue, API_M_BARE, &shown);
}

/* Answers a refused move. When the state of the application forbids it (-BASE_ESTATE), the body is
 * the reason. */
static void answer_refused_move(struct api_request *rq, int code, const char *why)
{
    if (code == -BASE_ESTATE) {
        api_audit_mark_refused(rq, why);
        yarn_answer_text(rq, 400, "%s", why);
    } else {
        yarn_answer_undeclared_throwable(rq, why);
    }
}

static void answer_move(void *user, const struct rm_effect *fx)
{
    struct yarn_write *w = user;

    if (!yarn_is_error_reply(fx))
        answer_app_queue(w->rq, w->text);
    else if (fx->u.reply.code == -BASE_ESTATE || fx->u.reply.code == -BASE_EINVAL)
        answer_refused_move(w->rq, fx->u.reply.code, fx->u.reply.text);
    else
        yarn_answer_refusal(w->rq, fx);
    yarn_write_unref(w);
}

/* Posts the move to @queue, which the answer names as @shown. @queue NULL: the application stays,
 * and the request is answered once its current queue is durable, since the client may be repeating
 * a request whose answer was lost. */
static void move_app(struct api_request *rq, struct rm_backend *b, struct base_app_id id,
                     const char *queue, const char *shown)
{
    struct yarn_write *w = yarn_write_new(rq, RM_EV_MOVE_APP);

    api_audit_add_member(rq, "queue", shown);
    w->text = base_strdup(shown);
    w->queue = queue ? base_strdup(queue) : NULL;
    w->ev.u.move.id = id;
    w->ev.u.move.queue = w->queue;
    yarn_write_post(w, b, answer_move);
}

const char *yarn_resolve_queue_path(const struct yarn_context *f, const char *queue)
{
    int32_t at = f->shape == RM_SHAPE_CAPACITY
                     ? yarn_find_queue_by_path_or_last_name(&f->queues, queue)
                     : -1;

    return at >= 0 ? f->queues.queues[at].name : queue;
}

char *yarn_move_explain_refusal(const struct rm_app_view *v)
{
    if (v->state == RM_APP_ACCEPTED || v->state == RM_APP_RUNNING)
        return NULL;
    return base_printf("App in %s state cannot be moved.", rm_app_state_name(v->state));
}

static void change_app_queue(struct api_request *rq, struct rm_backend *b,
                             const struct yarn_context *f, const struct rm_app_view *v,
                             const char *queue)
{
    struct base_buf path = {0};
    const char *shown = yarn_get_shown_queue(f, v, &path);
    char *why = NULL;

    queue = queue ? yarn_resolve_queue_path(f, queue) : NULL;
    if (queue && strcmp(queue, shown) == 0) {
        move_app(rq, b, v->id, NULL, shown);
    } else if (rm_access_refuse_move_unless_allowed(rq, b, v, queue)) {
        base_buf_free(&path);
        return;
    } else if ((why = yarn_move_explain_refusal(v)) != NULL) {
        answer_refused_move(rq, -BASE_ESTATE, why);
        free(why);
    } else if (!queue && f->shape == RM_SHAPE_FAIR) {
        api_answer_error(rq, 503, "NullPointerException",
                         "Cannot invoke \"String.startsWith(String)\" because \"name\" is null");
    } else if (!queue) {
        answer_refused_move(rq, -BASE_EINVAL, "queue: is missing");
    } else {
        yarn_format_queue_path(queue, &path);
        move_app(rq, b, v->id, queue, path.data);
    }
    base_buf_free(&path);
}

static void handle_put_queue(struct api_request *rq, void *user)
{
    json_t *body = yarn_read_body(rq, "appqueue", NULL);
    struct rm_backend *b = user;
    struct base_app_id id;
    struct yarn_context f;
    struct rm_views v = {0};
    int rc;

    if (!body || !yarn_parse_app_id_arg(rq, 0, &id)) {
        json_decref(body);
        return;
    }
    rc = rm_view_app(rm_backend_lock_core(b), id, &v);
    rm_backend_unlock_core(b);
    if (rc < 0) {
        yarn_answer_app_not_found(rq);
    } else {
        yarn_context_read_with_queues(b, &f);
        change_app_queue(rq, b, &f, &v.apps[0], json_string_value(json_object_get(body, "queue")));
        yarn_context_free(&f);
    }
    rm_views_free(&v);
    json_decref(body);
}

static void get_app_queue(struct api_request *rq, void *user)
{
    struct yarn_app_queue queue;
    struct base_buf path = {0};
    struct rm_views v = {0};
    struct yarn_context f;

    if (yarn_copy_app_view(rq, user, &v)) {
        yarn_context_read(user, &f);
        queue.queue = yarn_get_shown_queue(&f, &v.apps[0], &path);
        yarn_answer(rq, 200, &yarn_shape_app_queue, API_M_BARE, &queue);
        yarn_context_free(&f);
        base_buf_free(&path);
    }
    rm_views_free(&v);
}

/* clang-format off */
const struct api_route rm_yarn_app_queue_routes[] = {
    {"GET", YARN_APPS "/{appid}/queue", API_ROLE_READ,  0, get_app_queue, 0},
    {"PUT", YARN_APPS "/{appid}/queue", API_ROLE_WRITE, YARN_STATE_BODY_MAX, handle_put_queue, 0},
};
/* clang-format on */
const size_t rm_yarn_app_queue_routes_n =
    sizeof rm_yarn_app_queue_routes / sizeof rm_yarn_app_queue_routes[0];
