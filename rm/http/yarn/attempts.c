/* rm/http/yarn/attempts.c - shows the attempts of an application and their containers. SOURCE:
 * Hadoop's ResourceManager REST APIs. */
#include <stdlib.h>
#include <string.h>

#include "rm/http/access/access.h"
#include "rm/http/yarn/yarn_internal.h"

#define YARN_EXCEPTIONS "org.apache.hadoop.yarn.exceptions."

static void get_attempts(struct api_request *rq, void *user)
{
    struct rm_backend *b = user;
    struct base_app_id id;
    struct rm_views v = {0};
    struct yarn_context f;
    struct yarn_attempt_and_texts *filled;
    struct yarn_attempts list;
    bool sees;
    int rc;

    if (!yarn_parse_app_id_arg(rq, 0, &id))
        return;
    rc = rm_view_attempts(rm_backend_lock_core(b), id, &v);
    rm_backend_unlock_core(b);
    if (rc < 0) {
        yarn_answer_app_not_found(rq);
        rm_views_free(&v);
        return;
    }
    sees = rm_access_sees_app_id(rq, b, id);
    yarn_context_read(b, &f);
    filled = base_alloc(v.attempts_n * sizeof *filled);
    for (size_t i = 0; i < v.attempts_n; i++) {
        yarn_attempt_fill(&f, &v.attempts[i], &filled[i]);
        if (!sees)
            yarn_attempt_hide_details(&filled[i].item);
    }
    list.list =
        (struct api_list){.items = &filled[0].item, .n = v.attempts_n, .stride = sizeof *filled};
    yarn_answer(rq, 200, &yarn_shape_attempts, API_N_WRAPPED, &list);
    for (size_t i = 0; i < v.attempts_n; i++)
        yarn_attempt_texts_free(&filled[i]);
    free(filled);
    yarn_context_free(&f);
    rm_views_free(&v);
}

static int copy_app_with_attempts(struct rm_backend *b, struct base_app_id id, struct rm_views *v)
{
    const struct rm_core *core = rm_backend_lock_core(b);
    int rc = rm_view_app(core, id, v);

    if (rc == 0)
        rc = rm_view_attempts(core, id, v);
    rm_backend_unlock_core(b);
    return rc;
}

/* Copies the application in path argument 0 and its attempts to @v, and sets *@id to the id in path
 * argument 1. Returns that attempt, or NULL after answering an error, such as a refusal of @op.
 * Free @v in any case. */
static const struct rm_attempt_view *
copy_attempt_view_if_allowed(struct api_request *rq, struct rm_backend *b, enum rm_operation op,
                             struct base_attempt_id *id, struct rm_views *v)
{
    struct base_app_id app;
    char text[BASE_ID_TEXT_MAX];
    int rc;

    if (!yarn_parse_app_id_arg(rq, 0, &app) || !yarn_parse_attempt_id_arg(rq, 1, id))
        return NULL;
    if (base_app_id_cmp(&app, &id->app) != 0) {
        yarn_not_found(rq, "appId and appAttemptId don't match");
        return NULL;
    }
    rc = copy_app_with_attempts(b, app, v);
    if (rc < 0) {
        api_answer_error(
            rq, 404, "NotFoundException",
            YARN_EXCEPTIONS
            "ApplicationNotFoundException: Application with id '%s' doesn't exist in RM. "
            "Please check that the job submission was successful.",
            base_app_id_text(&app, text));
        return NULL;
    }
    if (rm_access_refuse_app_id_unless_allowed(
            rq, b, op, app, op == RM_OP_VIEW_ATTEMPT ? base_attempt_id_text(id, text) : NULL))
        return NULL;
    for (size_t i = 0; i < v->attempts_n; i++)
        if (v->attempts[i].id.attempt == id->attempt)
            return &v->attempts[i];
    api_answer_error(rq, 404, "NotFoundException",
                     YARN_EXCEPTIONS
                     "ApplicationAttemptNotFoundException: ApplicationAttempt with id '%s' doesn't "
                     "exist in RM.",
                     base_attempt_id_text(id, text));
    return NULL;
}

void yarn_attempt_explain_waiting(const struct yarn_context *f, const struct rm_app_view *app,
                                  struct yarn_attempt_and_texts *filled)
{
    struct base_buf path = {0};
    const char *why =
        yarn_explain_waiting(f, app, yarn_get_shown_queue(f, app, &path), &filled->wait);

    if (why)
        filled->info.diagnostics = why;
    base_buf_free(&path);
}

static void get_attempt(struct api_request *rq, void *user)
{
    struct yarn_attempt_and_texts filled = {0};
    struct base_attempt_id id;
    struct rm_views v = {0};
    struct yarn_context f;
    const struct rm_attempt_view *attempt =
        copy_attempt_view_if_allowed(rq, user, RM_OP_VIEW_ATTEMPT, &id, &v);

    if (attempt) {
        yarn_context_read_with_queues(user, &f);
        yarn_attempt_fill(&f, attempt, &filled);
        if (attempt == &v.attempts[v.attempts_n - 1])
            yarn_attempt_explain_waiting(&f, &v.apps[0], &filled);
        yarn_answer(rq, 200, &yarn_shape_attempt, API_M_BARE, &filled.info);
        yarn_context_free(&f);
    }
    yarn_attempt_texts_free(&filled);
    rm_views_free(&v);
}

/* Copies the live containers of the attempt in the path to @v. Returns false after answering an
 * error. Free @v in any case. */
static bool copy_container_views(struct api_request *rq, struct rm_backend *b,
                                 struct base_attempt_id *id, struct rm_views *v)
{
    if (!copy_attempt_view_if_allowed(rq, b, RM_OP_VIEW_CONTAINERS, id, v))
        return false;
    /* an attempt that was removed meanwhile has no containers */
    rm_view_containers(rm_backend_lock_core(b), *id, v);
    rm_backend_unlock_core(b);
    return true;
}

static void get_containers(struct api_request *rq, void *user)
{
    struct yarn_container_and_texts *filled;
    struct yarn_containers list;
    struct base_attempt_id id;
    struct rm_views v = {0};
    struct yarn_context f;

    if (!copy_container_views(rq, user, &id, &v)) {
        rm_views_free(&v);
        return;
    }
    yarn_context_read(user, &f);
    filled = base_alloc(v.containers_n * sizeof *filled);
    for (size_t i = 0; i < v.containers_n; i++)
        yarn_container_fill(&f, &v.containers[i], &filled[i]);
    list.list = (struct api_list){
        .items = &filled[0].container, .n = v.containers_n, .stride = sizeof *filled};
    yarn_answer(rq, 200, &yarn_shape_containers, API_M_BARE, &list);
    for (size_t i = 0; i < v.containers_n; i++)
        yarn_container_texts_free(&filled[i]);
    free(filled);
    yarn_context_free(&f);
    rm_views_free(&v);
}

static void answer_container(struct api_request *rq, struct rm_backend *b,
                             const struct rm_container_view *v)
{
    struct yarn_container_and_texts filled = {0};
    struct yarn_context f;

    yarn_context_read(b, &f);
    yarn_container_fill(&f, v, &filled);
    yarn_answer(rq, 200, &yarn_shape_container, API_M_BARE, &filled.container);
    yarn_container_texts_free(&filled);
    yarn_context_free(&f);
}

static void get_container(struct api_request *rq, void *user)
{
    struct base_container_id cid;
    struct base_attempt_id id;
    struct base_app_id app;
    struct rm_views v = {0};
    char text[BASE_ID_TEXT_MAX];
    size_t i = 0;

    if (!yarn_parse_app_id_arg(rq, 0, &app) || !yarn_parse_attempt_id_arg(rq, 1, &id) ||
        !yarn_parse_container_id_arg(rq, 2, &cid))
        return;
    if (base_app_id_cmp(&app, &id.app) == 0 &&
        (base_app_id_cmp(&cid.attempt.app, &id.app) != 0 || cid.attempt.attempt != id.attempt)) {
        yarn_not_found(rq, "appAttemptId and containerId don't match");
        return;
    }
    if (copy_container_views(rq, user, &id, &v)) {
        while (i < v.containers_n && base_container_id_cmp(&v.containers[i].id, &cid) != 0)
            i++;
        if (i < v.containers_n)
            answer_container(rq, user, &v.containers[i]);
        else
            api_answer_error(
                rq, 404, "NotFoundException",
                YARN_EXCEPTIONS
                "ContainerNotFoundException: Container with id '%s' doesn't exist in RM.",
                base_container_id_text(&cid, text));
    }
    rm_views_free(&v);
}

#define ATTEMPTS YARN_APPS "/{appid}/appattempts"

/* clang-format off */
const struct api_route rm_yarn_attempts_routes[] = {
    {"GET", ATTEMPTS,                           API_ROLE_READ, 0, get_attempts, 0},
    {"GET", ATTEMPTS "/{attemptid}",            API_ROLE_READ, 0, get_attempt, 0},
    {"GET", ATTEMPTS "/{attemptid}/containers", API_ROLE_READ, 0, get_containers, 0},
    {"GET", ATTEMPTS "/{attemptid}/containers/{containerid}",
            API_ROLE_READ, 0, get_container, 0},
};
/* clang-format on */
const size_t rm_yarn_attempts_routes_n =
    sizeof rm_yarn_attempts_routes / sizeof rm_yarn_attempts_routes[0];
