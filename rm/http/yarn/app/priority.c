/* rm/http/yarn/app/priority.c - shows and changes the priority of an application. SOURCE: Hadoop's
 * ResourceManager REST APIs. */
#include <stdio.h>

#include "api/audit/audit.h"
#include "base/io/io.h"
#include "rm/http/access/access.h"
#include "rm/http/yarn/write.h"

static void answer_priority(struct api_request *rq, int64_t priority)
{
    struct yarn_app_priority shown = {.priority = priority};

    yarn_answer(rq, 200, &yarn_shape_app_priority, API_N_BARE, &shown);
}

static void get_app_priority(struct api_request *rq, void *user)
{
    struct rm_views v = {0};
    struct yarn_context f;

    if (yarn_copy_app_view(rq, user, &v)) {
        yarn_context_read(user, &f);
        answer_priority(rq, yarn_get_shown_priority(&f, &v.apps[0]));
        yarn_context_free(&f);
    }
    rm_views_free(&v);
}

static void answer_priority_change(void *user, const struct rm_effect *fx)
{
    struct yarn_write *w = user;

    if (!yarn_is_error_reply(fx))
        answer_priority(w->rq, fx->u.reply.value);
    else if (fx->u.reply.code == -BASE_ESTATE)
        yarn_answer_undeclared_throwable(w->rq, fx->u.reply.text);
    else
        yarn_answer_refusal(w->rq, fx);
    yarn_write_unref(w);
}

static void post_priority_change(struct api_request *rq, struct rm_backend *b,
                                 struct base_app_id id, int32_t priority)
{
    struct yarn_write *w = yarn_write_new(rq, RM_EV_SET_PRIORITY);
    char text[16];

    snprintf(text, sizeof text, "%d", priority);
    api_audit_add_member(rq, "priority", text);
    w->ev.u.priority.id = id;
    w->ev.u.priority.priority = priority;
    yarn_write_post(w, b, answer_priority_change);
}

/* Only the capacity scheduler has priorities. Fifo answers that it has kept 0; fair refuses any
 * other value for an application that has not ended. */
static void change_app_priority(struct api_request *rq, struct rm_backend *b,
                                const struct yarn_context *f, const struct rm_app_view *v,
                                int32_t priority)
{
    if (priority != yarn_get_shown_priority(f, v) &&
        rm_access_refuse_app_unless_allowed(rq, b, RM_OP_SET_PRIORITY, v))
        return;
    if (yarn_has_priorities(f))
        post_priority_change(rq, b, v->id, priority);
    else if (f->shape == RM_SHAPE_FAIR && priority != 0 && !yarn_app_is_ending_or_ended(v->state))
        yarn_answer_undeclared_throwable(rq,
                                         "the fair scheduler has no priorities of applications");
    else
        answer_priority(rq, 0);
}

/* Returns the priority in @body, an integer or a string that holds one. Anything else, or a value
 * outside 32 bits, counts as 0, as in YARN. */
static int32_t read_priority_or_0(const json_t *body)
{
    const json_t *j = json_object_get(body, "priority");
    int64_t n = 0;

    if (json_is_integer(j))
        n = json_integer_value(j);
    else if (json_is_string(j) && !yarn_parse_long(json_string_value(j), &n))
        n = 0;
    return n < INT32_MIN || n > INT32_MAX ? 0 : (int32_t)n;
}

static void handle_put_priority(struct api_request *rq, void *user)
{
    json_t *body = yarn_read_body(rq, "applicationpriority", YARN_SUBMISSION_ROOTS);
    struct rm_views v = {0};
    struct yarn_context f;

    if (body && yarn_copy_app_view(rq, user, &v)) {
        yarn_context_read(user, &f);
        change_app_priority(rq, user, &f, &v.apps[0], read_priority_or_0(body));
        yarn_context_free(&f);
    }
    rm_views_free(&v);
    json_decref(body);
}

/* clang-format off */
const struct api_route rm_yarn_priority_routes[] = {
    {"GET", YARN_APPS "/{appid}/priority", API_ROLE_READ,  0, get_app_priority, 0},
    {"PUT", YARN_APPS "/{appid}/priority", API_ROLE_WRITE, YARN_STATE_BODY_MAX, handle_put_priority,
            0},
};
/* clang-format on */
const size_t rm_yarn_priority_routes_n =
    sizeof rm_yarn_priority_routes / sizeof rm_yarn_priority_routes[0];
