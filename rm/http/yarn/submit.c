/* rm/http/yarn/submit.c - hands out new application ids, and takes submissions. SOURCE: Hadoop's
 * ResourceManager REST APIs. */
#include <stdlib.h>
#include <string.h>

#include "api/audit/audit.h"
#include "base/crypto/random.h"
#include "base/io/io.h"
#include "base/limits.h"
#include "rm/config/allocation_file.h"
#include "rm/http/app_json.h"
#include "rm/http/yarn/write.h"

#define SUBMISSION_ROOT "application-submission-context"
/* ---- POST apps/new-application ---- */

static void answer_new_app_id(void *user, const struct rm_effect *fx)
{
    struct yarn_write *w = user;

    if (yarn_is_error_reply(fx)) {
        yarn_answer_refusal(w->rq, fx);
    } else {
        struct yarn_new_application app;
        char id[BASE_ID_TEXT_MAX];
        app.id = base_app_id_text(&fx->u.reply.app_id, id);
        yarn_resource_fill(&w->frame, &app.max, &w->frame.cluster.max_capability);
        yarn_answer(w->rq, 200, &yarn_shape_new_application, API_N_BARE, &app);
    }
    yarn_write_unref(w);
}

static void post_new_application(struct api_request *rq, void *user)
{
    struct yarn_write *w = yarn_write_new(rq, RM_EV_NEW_APP_ID);

    yarn_context_read(user, &w->frame);
    yarn_write_post(w, user, answer_new_app_id);
}

/* ---- POST apps ---- */

static void answer_submission(void *user, const struct rm_effect *fx)
{
    struct yarn_write *w = user;
    struct base_buf none = {0};

    /* An id that was used before is accepted without effect: clients whose answer was lost repeat
     * their submissions. */
    if (yarn_is_error_reply(fx) && fx->u.reply.code == -BASE_EPERM) {
        api_audit_mark_forbidden(w->rq, fx->u.reply.text);
        yarn_bad_request(w->rq, "org.apache.hadoop.security.AccessControlException: %s",
                         fx->u.reply.text);
    } else if (yarn_is_error_reply(fx) && fx->u.reply.code != -BASE_EEXIST) {
        yarn_answer_refusal(w->rq, fx);
    } else {
        api_add_header(w->rq, "Location", w->location);
        api_answer(w->rq, 202, api_wanted_type(w->rq), &none);
    }
    yarn_write_unref(w);
}

static void answer_bad_spec(struct api_request *rq, int rc, const struct base_error *err)
{
    if (rc == -BASE_ESTATE)
        api_answer_error(rq, 503, "NullPointerException", "%s", err->text);
    else if (rc == -BASE_ENOTFOUND)
        api_answer_error(rq, 404, "IOException", "%s", err->text);
    else
        yarn_bad_request(rq, "%s", err->text);
}

/* Runs on the thread for slow work, since looking up groups may wait for a name service. Returns
 * false: the work is done. */
static bool look_up_groups_and_submit(void *user, bool stopping)
{
    struct yarn_write *w = user;
    struct rm_app_spec *spec = w->ev.u.submit_app.spec;

    if (!stopping)
        rm_queues_look_up_groups_if_needed(w->b, spec->queue, spec->user, &spec->user_groups);
    rm_backend_post(w->b, &w->ev, answer_submission, yarn_write_unref, w);
    return false;
}

static void submit_app(struct api_request *rq, struct rm_backend *b, struct rm_app_spec *spec)
{
    struct yarn_write *w = yarn_write_new(rq, RM_EV_SUBMIT_APP);
    char id[BASE_ID_TEXT_MAX];

    w->b = b;
    base_random_hex(w->token);
    w->location = yarn_format_location(rq, b, "/", base_app_id_text(&spec->id, id));
    w->ev.u.submit_app.spec = spec;
    api_audit_add_member(rq, "app", id);
    api_audit_add_member(rq, "name", spec->name);
    api_audit_add_member(rq, "queue", spec->queue);
    w->ev.u.submit_app.app_token = w->token;
    if (!rm_queues_submission_needs_groups(b, spec->queue, spec->user)) {
        yarn_write_post(w, b, answer_submission);
        return;
    }
    api_park(rq);
    rm_backend_queue_slow_task(b, RM_SLOW_FILES, look_up_groups_and_submit, w);
}

static void handle_submission(struct api_request *rq, void *user)
{
    struct rm_backend *b = user;
    struct base_error err = {0};
    struct rm_app_spec *spec = NULL;
    struct rm_cluster_view cluster;
    json_t *body = yarn_read_body(rq, SUBMISSION_ROOT, YARN_SUBMISSION_ROOTS);
    int rc;

    if (!body)
        return;
    rc = rm_app_spec_decode(body, api_caller(rq), &spec, &err);
    json_decref(body);
    if (rc == 0) {
        rm_view_cluster(rm_backend_lock_core(b), &cluster);
        rm_backend_unlock_core(b);
        rc = rm_app_spec_check_resource(spec, &cluster.max_capability, &err);
    }
    if (rc < 0) {
        rm_app_spec_unref(spec);
        answer_bad_spec(rq, rc, &err);
        return;
    }
    submit_app(rq, b, spec);
}

/* clang-format off */
const struct api_route rm_yarn_submit_routes[] = {
    {"POST", YARN_APPS,                    API_ROLE_WRITE, BASE_BODY_MAX, handle_submission, 0},
    {"POST", YARN_APPS "/new-application", API_ROLE_WRITE, 0, post_new_application, 0},
};
/* clang-format on */
const size_t rm_yarn_submit_routes_n =
    sizeof rm_yarn_submit_routes / sizeof rm_yarn_submit_routes[0];
