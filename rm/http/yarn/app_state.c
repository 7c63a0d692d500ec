/* rm/http/yarn/app_state.c - shows the state of an application, and changes it to KILLED. SOURCE:
 * Hadoop's ResourceManager REST APIs. */
#include <string.h>

#include "rm/http/access/access.h"
#include "rm/http/yarn/change.h"
#include "rm/http/yarn/write.h"

#define KILLED "KILLED"

static void answer_app_state(struct api_request *rq, unsigned status, enum rm_app_state s)
{
    struct yarn_app_state state = {.state = rm_app_state_name(s)};

    yarn_answer(rq, status, &yarn_shape_app_state, API_M_BARE, &state);
}

bool yarn_kill_is_complete(bool had_ended, enum rm_app_state now, bool unmanaged)
{
    return had_ended || now == RM_APP_FINISHING || unmanaged;
}

char *yarn_kill_format_text(const struct base_app_id *id, const char *user, const char *address,
                            const char *reason)
{
    char text[BASE_ID_TEXT_MAX];

    return base_printf("Application %s was killed by user %s%s%s%s%s", base_app_id_text(id, text),
                       user, address ? " at " : "", address ? address : "",
                       reason && reason[0] ? " with diagnostic message: " : "",
                       reason ? reason : "");
}

static void answer_killed_app(void *user, const struct rm_effect *fx)
{
    struct yarn_write *w = user;
    enum rm_app_state now = fx->u.reply.app_state;

    if (yarn_is_error_reply(fx)) {
        yarn_answer_refusal(w->rq, fx);
    } else if (yarn_kill_is_complete(fx->u.reply.flag, now, w->unmanaged)) {
        answer_app_state(w->rq, 200, now);
    } else {
        api_add_header(w->rq, "Location", w->location);
        answer_app_state(w->rq, 202, now);
    }
    yarn_write_unref(w);
}

static void kill_app(struct api_request *rq, struct rm_backend *b, const struct rm_app_view *v,
                     const char *reason)
{
    struct yarn_write *w;

    if (rm_access_refuse_app_unless_allowed(rq, b, RM_OP_KILL, v))
        return;
    w = yarn_write_new(rq, RM_EV_KILL_APP);
    w->unmanaged = v->unmanaged;
    w->location = yarn_format_location(rq, b, "", "");
    w->text = yarn_kill_format_text(&v->id, w->caller, NULL, reason);
    w->ev.u.kill.id = v->id;
    w->ev.u.kill.diagnostics = w->text;
    yarn_write_post(w, b, answer_killed_app);
}

static void change_app_state(struct api_request *rq, struct rm_backend *b, const json_t *body)
{
    const char *target = json_string_value(json_object_get(body, "state"));
    struct base_app_id id;
    struct rm_views v = {0};
    int rc;

    if (!yarn_parse_app_id_arg(rq, 0, &id))
        return;
    rc = rm_view_app(rm_backend_lock_core(b), id, &v);
    rm_backend_unlock_core(b);
    if (rc < 0)
        yarn_answer_app_not_found(rq);
    else if (!target)
        api_answer_error(rq, 503, "NullPointerException",
                         "Cannot invoke \"String.equals(Object)\" because the return value of "
                         "\"org.apache.hadoop.yarn.server.resourcemanager.webapp.dao.AppState."
                         "getState()\" is null");
    else if (strcmp(target, rm_app_state_name(v.apps[0].state)) == 0)
        answer_app_state(rq, 200, v.apps[0].state);
    else if (strcmp(target, KILLED) == 0)
        kill_app(rq, b, &v.apps[0], json_string_value(json_object_get(body, "diagnostics")));
    else
        yarn_bad_request(rq, "Only 'KILLED' is allowed as a target state.");
    rm_views_free(&v);
}

static void handle_put_state(struct api_request *rq, void *user)
{
    json_t *body = yarn_read_body(rq, "appstate", NULL);

    if (body)
        change_app_state(rq, user, body);
    json_decref(body);
}

static void get_app_state(struct api_request *rq, void *user)
{
    struct yarn_app_state state;
    struct rm_views v = {0};

    if (yarn_copy_app_view(rq, user, &v)) {
        state.state = rm_app_state_name(v.apps[0].state);
        yarn_answer(rq, 200, &yarn_shape_app_state, API_M_BARE, &state);
    }
    rm_views_free(&v);
}

/* clang-format off */
const struct api_route rm_yarn_app_state_routes[] = {
    {"GET", YARN_APPS "/{appid}/state", API_ROLE_READ,  0, get_app_state, 0},
    {"PUT", YARN_APPS "/{appid}/state", API_ROLE_WRITE, YARN_STATE_BODY_MAX, handle_put_state, 0},
};
/* clang-format on */
const size_t rm_yarn_app_state_routes_n =
    sizeof rm_yarn_app_state_routes / sizeof rm_yarn_app_state_routes[0];
