#include "rm/http/access/access.h"

#include <stdlib.h>
#include <string.h>

#include "api/audit/audit.h"
#include "base/acl/groups.h"
#include "base/conf/acl_conf.h"
#include "base/conf/conf.h"
#include "policies/common/queue_acl.h"
#include "rm/config/scheduler_shape.h"

/* ---- what is known about the caller ---- */

void rm_access_begin_for_user(struct rm_access *a, struct rm_backend *b, const char *user)
{
    const struct base_conf *conf = rm_backend_conf(b);

    *a = (struct rm_access){
        .b = b,
        .rules = {.acl = base_acl_conf_read(conf),
                  .open_queues = rm_scheduler_shape_read(conf) == RM_SHAPE_FIFO &&
                                 !base_acl_conf_requires_auth(conf)},
        .who = {.user = user ? base_strdup(user) : NULL},
    };
}

void rm_access_begin_for_request(struct rm_access *a, struct rm_backend *b,
                                 const struct api_request *rq)
{
    const struct api_route *route = api_route_of(rq);
    bool unproven = rm_access_requires_tokens(b) && !api_caller_is_named(rq),
         reads = route && route->role == API_ROLE_READ && !(route->flags & API_ROUTE_PRIVATE),
         open = unproven && reads && !base_acl_conf_is_explicitly_enabled(rm_backend_conf(b));

    rm_access_begin_for_user(a, b, open ? NULL : api_caller(rq));
}

void rm_access_end(struct rm_access *a)
{
    for (size_t i = 0; i < a->groups.n; i++)
        free(a->groups.v[i]);
    free(a->groups.v);
    free((char *)a->who.user);
}

static void look_up_groups(struct rm_access *a)
{
    rm_backend_look_up_groups(a->b, a->who.user, &a->groups);
    a->who.groups = (const char *const *)a->groups.v;
    a->who.groups_n = a->groups.n;
    a->who.groups_known = true;
}

/* ---- decisions ---- */

/* Returns true when the caller is allowed without a look at the queue's lists, so that listing
 * one's own applications is cheap. */
static bool is_allowed_without_queue(const struct rm_access *a, enum rm_operation op,
                                     const struct rm_access_question *question)
{
    if (op == RM_OP_MOVE || op == RM_OP_ASK_QUEUE_ACCESS)
        return op == RM_OP_MOVE && !a->rules.acl.enabled;
    if (!question->owner)
        return op == RM_OP_CONFIGURE && !a->rules.acl.enabled;
    return base_acl_check_app(&a->rules.acl, &a->who, question->owner,
                              op <= RM_OP_VIEW_CONTAINERS ? question->acl_view
                                                          : question->acl_modify) == BASE_ACL_YES;
}

/* @queue: the application's queue; @target: the queue that a move leads to. NULL: none. */
static bool decide_access(struct rm_access *a, struct rm_access_question *question,
                          const char *queue, const char *target)
{
    enum base_acl_answer answer;

    if (is_allowed_without_queue(a, question->op, question))
        return true;
    for (;;) {
        const struct policy_queues *queues = rm_view_queue_tree(rm_backend_lock_core(a->b));

        question->queue = queue ? policy_queue_find_nearest(queues, queue) : 0;
        question->target = target ? policy_queues_find(queues, target) : -1;
        answer = rm_access_decide(&a->rules, queues, &a->who, question);
        rm_backend_unlock_core(a->b);
        if (answer != BASE_ACL_ASK_GROUPS)
            return answer == BASE_ACL_YES;
        look_up_groups(a);
    }
}

static struct rm_access_question make_app_access_question(enum rm_operation op,
                                                          const struct rm_app_view *v)
{
    struct rm_access_question q = {.op = op};

    if (!v)
        return q;
    q.owner = v->user;
    q.acl_view = v->app ? v->app->acl_view : v->job ? v->job->acl_view : NULL;
    q.acl_modify = v->app ? v->app->acl_modify : v->job ? v->job->acl_modify : NULL;
    return q;
}

bool rm_access_allows(struct rm_access *a, enum rm_operation op, const struct rm_app_view *v)
{
    struct rm_access_question question = make_app_access_question(op, v);

    return decide_access(a, &question, v ? v->queue : NULL, NULL);
}

bool rm_access_allows_move(struct rm_access *a, const struct rm_app_view *v, const char *target)
{
    struct rm_access_question question = make_app_access_question(RM_OP_MOVE, v);

    return decide_access(a, &question, v->queue, target);
}

bool rm_access_has_queue_right(struct rm_access *a, const char *name, bool administer)
{
    enum base_acl_answer answer = BASE_ACL_NO;
    enum policy_queue_right right = administer ? POLICY_QUEUE_ADMINISTER : POLICY_QUEUE_SUBMIT;

    if (a->rules.open_queues)
        return true;
    for (;;) {
        const struct policy_queues *queues = rm_view_queue_tree(rm_backend_lock_core(a->b));
        int32_t at = policy_queues_find(queues, name);

        if (at >= 0)
            answer = policy_queue_check_right(queues, at, right, &a->who);
        rm_backend_unlock_core(a->b);
        if (answer != BASE_ACL_ASK_GROUPS)
            return answer == BASE_ACL_YES;
        look_up_groups(a);
    }
}

/* ---- answers ---- */

void rm_access_answer_refusal(struct api_request *rq, enum rm_operation op, const char *subject)
{
    const struct rm_refusal *refusal = &rm_refusals[op];
    struct base_buf text = {0};

    rm_refusal_format(refusal, api_caller(rq) ? api_caller(rq) : "", subject, &text);
    api_audit_mark_forbidden(rq, text.data);
    if (refusal->exception) {
        api_answer_error(rq, refusal->status, refusal->exception, "%s", text.data);
        base_buf_free(&text);
    } else {
        api_answer(rq, refusal->status, api_wanted_type(rq), &text);
    }
}

static bool is_allowed(struct api_request *rq, struct rm_backend *b, enum rm_operation op)
{
    struct rm_access a;
    bool allowed;

    rm_access_begin_for_request(&a, b, rq);
    allowed = rm_access_allows(&a, op, NULL);
    rm_access_end(&a);
    return allowed;
}

bool rm_access_is_admin(struct api_request *rq, void *backend)
{
    return is_allowed(rq, backend, RM_OP_ADMINISTER);
}

bool rm_access_requires_tokens(struct rm_backend *b)
{
    return rm_backend_own_token(b) != NULL;
}

bool rm_access_is_named_admin(struct api_request *rq, struct rm_backend *b, const char *acl)
{
    struct rm_access a;
    enum base_acl_answer answer;

    if (!api_caller(rq))
        return false;
    if (strcmp(api_caller(rq), base_process_user()) == 0)
        return true;
    if (base_acl_names_everybody(acl))
        return false;
    rm_access_begin_for_request(&a, b, rq);
    answer = base_acl_check(acl, &a.who);
    if (answer == BASE_ACL_ASK_GROUPS) {
        look_up_groups(&a);
        answer = base_acl_check(acl, &a.who);
    }
    rm_access_end(&a);
    return answer == BASE_ACL_YES;
}

bool rm_access_refuse_unless_allowed(struct api_request *rq, struct rm_backend *b,
                                     enum rm_operation op)
{
    bool allowed = is_allowed(rq, b, op);

    if (!allowed)
        rm_access_answer_refusal(rq, op, "");
    return !allowed;
}

bool rm_access_refuse_app_unless_allowed(struct api_request *rq, struct rm_backend *b,
                                         enum rm_operation op, const struct rm_app_view *v)
{
    char text[BASE_ID_TEXT_MAX];
    struct rm_access a;
    bool allowed;

    rm_access_begin_for_request(&a, b, rq);
    allowed = rm_access_allows(&a, op, v);
    rm_access_end(&a);
    if (!allowed)
        rm_access_answer_refusal(rq, op, base_app_id_text(&v->id, text));
    return !allowed;
}

bool rm_access_refuse_move_unless_allowed(struct api_request *rq, struct rm_backend *b,
                                          const struct rm_app_view *v, const char *target)
{
    char text[BASE_ID_TEXT_MAX];
    struct rm_access a;
    bool allowed;

    rm_access_begin_for_request(&a, b, rq);
    allowed = rm_access_allows_move(&a, v, target);
    rm_access_end(&a);
    if (!allowed)
        rm_access_answer_refusal(rq, RM_OP_MOVE, base_app_id_text(&v->id, text));
    return !allowed;
}

static bool is_allowed_by_id(struct api_request *rq, struct rm_backend *b, enum rm_operation op,
                             struct base_app_id id)
{
    struct rm_views v = {0};
    struct rm_access a;
    bool allowed = true;

    rm_access_begin_for_request(&a, b, rq);
    if (a.rules.acl.enabled) {
        int rc = rm_view_app(rm_backend_lock_core(b), id, &v);

        rm_backend_unlock_core(b);
        allowed = rc < 0 || rm_access_allows(&a, op, &v.apps[0]);
    }
    rm_views_free(&v);
    rm_access_end(&a);
    return allowed;
}

bool rm_access_refuse_app_id_unless_allowed(struct api_request *rq, struct rm_backend *b,
                                            enum rm_operation op, struct base_app_id id,
                                            const char *subject)
{
    char text[BASE_ID_TEXT_MAX];

    if (is_allowed_by_id(rq, b, op, id))
        return false;
    rm_access_answer_refusal(rq, op, subject ? subject : base_app_id_text(&id, text));
    return true;
}

bool rm_access_sees_app_id(struct api_request *rq, struct rm_backend *b, struct base_app_id id)
{
    return is_allowed_by_id(rq, b, RM_OP_VIEW_APP, id);
}

bool rm_access_sees_app(struct api_request *rq, struct rm_backend *b, const struct rm_app_view *v)
{
    struct rm_access a;
    bool allowed;

    rm_access_begin_for_request(&a, b, rq);
    allowed = rm_access_allows(&a, RM_OP_VIEW_APP, v);
    rm_access_end(&a);
    return allowed;
}
