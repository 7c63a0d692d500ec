/* rm/rpc/answer.c - refusals, changes and long lists. */
#include <stdlib.h>
#include <string.h>

#include "api/audit/audit.h"
#include "rm/rpc/client.h"

#define NO_SUCH_APP    RM_RPC_YARN_EXCEPTIONS "ApplicationNotFoundException"
#define ACCESS_REFUSED "org.apache.hadoop.security.AccessControlException"

/* ---- refusals ---- */

void rm_rpc_answer_no_app(struct api_rpc_call *call, const struct base_app_id *id)
{
    char text[BASE_ID_TEXT_MAX];

    api_rpc_answer_error(call, NO_SUCH_APP,
                         "Application with id '%s' doesn't exist in RM. Please check that the job "
                         "submission was successful.",
                         base_app_id_text(id, text));
}

void rm_rpc_answer_absent_app(struct api_rpc_call *call, const char *what,
                              const struct base_app_id *id)
{
    char text[BASE_ID_TEXT_MAX];

    api_rpc_answer_error(call, NO_SUCH_APP, "Trying to %s an absent application %s", what,
                         base_app_id_text(id, text));
}

void rm_rpc_answer_no_attempt(struct api_rpc_call *call, const struct base_attempt_id *id)
{
    char text[BASE_ID_TEXT_MAX];

    api_rpc_answer_error(call, RM_RPC_YARN_EXCEPTIONS "ApplicationAttemptNotFoundException",
                         "ApplicationAttempt with id '%s' doesn't exist in RM.",
                         base_attempt_id_text(id, text));
}

void rm_rpc_answer_no_container(struct api_rpc_call *call, const struct base_container_id *id)
{
    char text[BASE_ID_TEXT_MAX];

    api_rpc_answer_error(call, RM_RPC_YARN_EXCEPTIONS "ContainerNotFoundException",
                         "Container with id '%s' doesn't exist in RM.",
                         base_container_id_text(id, text));
}

void rm_rpc_answer_no_id(struct api_rpc_call *call)
{
    api_rpc_answer_error(call, NO_SUCH_APP,
                         "Invalid id: null: the request of %s lacks a part of it",
                         api_rpc_method_name(call));
}

void rm_rpc_answer_core_error(struct api_rpc_call *call, const struct rm_effect *fx)
{
    const char *text = fx->u.reply.text;

    switch (fx->u.reply.code) {
    case -BASE_EVERSION:
        api_rpc_answer_error(call, RM_RPC_STANDBY, "%s", text);
        break;
    case -BASE_EPERM:
        api_rpc_answer_error(call, RM_RPC_YARN_EXCEPTION, ACCESS_REFUSED ": %s", text);
        break;
    case -BASE_ENOTFOUND:
        api_rpc_answer_error(call, NO_SUCH_APP, "%s", text);
        break;
    case -BASE_EAGAIN:
    case -BASE_EIO:
    case -BASE_ENOSPC:
        api_rpc_answer_error(call, API_RPC_COME_AGAIN, "%s", text);
        break;
    default:
        api_rpc_answer_error(call, RM_RPC_YARN_EXCEPTION, "%s", text);
    }
}

/* The names of rights in YARN's refusals. */
static const char *name_right(enum rm_operation op)
{
    return op <= RM_OP_VIEW_CONTAINERS ? "VIEW_APP" : "MODIFY_APP";
}

void rm_rpc_answer_forbidden(struct api_rpc_call *call, enum rm_operation op,
                             const struct base_app_id *id)
{
    char app[BASE_ID_TEXT_MAX];
    char *why = base_printf("User %s cannot perform operation %s on %s", api_rpc_caller(call),
                            name_right(op), base_app_id_text(id, app));

    api_audit_log_call(api_rpc_method_name(call), api_rpc_caller(call), api_rpc_peer(call), app,
                       why);
    api_rpc_answer_error(call, RM_RPC_YARN_EXCEPTION, ACCESS_REFUSED ": %s", why);
    free(why);
}

bool rm_rpc_refuse_unless_allowed(struct api_rpc_call *call, struct rm_backend *b,
                                  enum rm_operation op, const struct rm_app_view *v)
{
    struct rm_access access;
    bool allowed;

    rm_access_begin_for_user(&access, b, api_rpc_caller(call));
    allowed = rm_access_allows(&access, op, v);
    rm_access_end(&access);
    if (!allowed)
        rm_rpc_answer_forbidden(call, op, &v->id);
    return !allowed;
}

bool rm_rpc_copy_app(struct api_rpc_call *call, struct rm_backend *b, const Yarn__AppId *given,
                     struct rm_views *v)
{
    struct base_app_id id;
    int rc;

    if (!rm_rpc_get_app_id(given, &id)) {
        rm_rpc_answer_no_id(call);
        return false;
    }
    rc = rm_view_app(rm_backend_lock_core(b), id, v);
    rm_backend_unlock_core(b);
    if (rc < 0)
        rm_rpc_answer_no_app(call, &id);
    return rc == 0;
}

/* ---- changes ---- */

struct posted_change { /* the change, as the core's reply finds it */
    struct rm_rpc_change change;
    rm_rpc_answer_change *answer;
    char app[BASE_ID_TEXT_MAX];
};

struct rm_rpc_change *rm_rpc_change_new(struct api_rpc_call *call, struct rm_backend *b,
                                        enum rm_event_kind kind, const char *operation)
{
    struct posted_change *p = base_alloc(sizeof *p);
    struct rm_rpc_change *c = &p->change;

    atomic_init(&c->refs, 2);
    c->call = call;
    c->b = b;
    c->operation = operation;
    c->caller = base_strdup(api_rpc_caller(call));
    c->ev.kind = kind;
    c->ev.caller = c->caller;
    return c;
}

void rm_rpc_change_free_unposted(struct rm_rpc_change *change)
{
    if (change->drop)
        change->drop(change->owned);
    base_buf_free(&change->members);
    free(change->caller);
    free(change->text);
    free(change);
}

static void release_change(void *change)
{
    struct rm_rpc_change *c = change;

    if (atomic_fetch_sub(&c->refs, 1) == 1)
        rm_rpc_change_free_unposted(c);
}

static void answer_change(void *change, const struct rm_effect *fx)
{
    struct posted_change *p = change;
    struct rm_rpc_change *c = &p->change;
    bool failed = fx->kind == RM_FX_REPLY && fx->u.reply.kind == RM_REPLY_ERROR;

    if (c->operation) /* before the answer, after which the call is gone */
        api_audit_log_call_with(c->operation, c->caller, api_rpc_peer(c->call), p->app,
                                c->members.data, failed ? fx->u.reply.text : NULL);
    if (failed && c->class_of_invalid &&
        (fx->u.reply.code == -BASE_EINVAL || fx->u.reply.code == -BASE_ELIMIT))
        api_rpc_answer_error(c->call, RM_RPC_YARN_EXCEPTION, "%s%s", c->class_of_invalid,
                             fx->u.reply.text);
    else if (failed)
        rm_rpc_answer_core_error(c->call, fx);
    else {
        api_rpc_note_durable(c->call);
        p->answer(c, fx);
    }
    release_change(c);
}

void rm_rpc_change_post(struct rm_rpc_change *change, const struct base_app_id *app,
                        rm_rpc_answer_change *answer)
{
    struct posted_change *p = (struct posted_change *)change;

    p->answer = answer;
    if (app)
        base_app_id_text(app, p->app);
    rm_backend_post(change->b, &change->ev, answer_change, release_change, change);
}

/* ---- lists ---- */

static void free_listing(struct rm_rpc_listing *l)
{
    if (l->drop)
        l->drop(l);
    base_buf_free(&l->out);
    free(l);
}

static bool add_chunk_or_answer(void *listing, bool stopping)
{
    struct rm_rpc_listing *l = listing;

    bool wanted = !stopping && !api_rpc_client_is_gone(l->call);
    bool more = wanted && l->add_chunk(l);
    bool fits = api_rpc_charge_answer(l->call, 2 * l->out.cap); /* it is copied into a frame */

    if (more && fits)
        return true;
    if (!wanted)
        api_rpc_answer_error(l->call, RM_RPC_STANDBY, "the ResourceManager is stopping");
    else if (!fits)
        api_rpc_answer_error(l->call, API_RPC_COME_AGAIN,
                             "the list is too long for what is left of creel.rpc.memory-mb");
    else
        api_rpc_answer_encoded(l->call, &l->out);
    free_listing(l);
    return false;
}

void rm_rpc_listing_answer(struct rm_rpc_listing *l)
{
    if (!api_rpc_begin_slow(l->call))
        free_listing(l);
    else
        rm_backend_queue_slow_task(l->b, RM_SLOW_LISTS, add_chunk_or_answer, l);
}
