/* rm/rpc/attempts.c - attempts of applications, and containers. */
#include <stdlib.h>

#include "rm/rpc/client.h"

/* Copies the application and its attempts to @v. Returns true when the caller may see them; the
 * call has been answered otherwise. Free @v in any case. */
static bool copy_attempts_if_allowed(struct api_rpc_call *call, struct rm_backend *b,
                                     enum rm_operation op, const Yarn__AppId *app,
                                     struct rm_views *v)
{
    if (!rm_rpc_copy_app(call, b, app, v))
        return false;
    /* an application that was removed meanwhile has no attempts */
    rm_view_attempts(rm_backend_lock_core(b), v->apps[0].id, v);
    rm_backend_unlock_core(b);
    return !rm_rpc_refuse_unless_allowed(call, b, op, &v->apps[0]);
}

/* The same for one attempt, which is returned; NULL: the call has been answered. */
static const struct rm_attempt_view *
copy_attempt_if_allowed(struct api_rpc_call *call, struct rm_backend *b, enum rm_operation op,
                        const Yarn__AttemptId *given, struct base_attempt_id *id,
                        struct rm_views *v)
{
    if (!rm_rpc_get_attempt_id(given, id)) {
        rm_rpc_answer_no_id(call);
        return NULL;
    }
    if (!copy_attempts_if_allowed(call, b, op, given->app, v))
        return NULL;
    for (size_t i = 0; i < v->attempts_n; i++)
        if (v->attempts[i].id.attempt == id->attempt)
            return &v->attempts[i];
    rm_rpc_answer_no_attempt(call, id);
    return NULL;
}

/* ---- attempts ---- */

/* Fills the report of the attempt at @i. Free @filled afterwards. */
static void put_attempt(const struct yarn_context *f, const struct rm_views *v, size_t i,
                        struct yarn_attempt_and_texts *filled, struct rm_rpc_attempt *out)
{
    yarn_attempt_fill(f, &v->attempts[i], filled);
    if (i == v->attempts_n - 1)
        yarn_attempt_explain_waiting(f, &v->apps[0], filled);
    rm_rpc_put_attempt(&v->attempts[i], &filled->info, out);
}

void rm_rpc_get_attempts(struct api_rpc_call *call, const ProtobufCMessage *request, void *user)
{
    const Yarn__AppRequest *rq = (const Yarn__AppRequest *)request;
    struct base_buf out = {0};
    struct rm_views v = {0};
    struct yarn_context f;

    if (copy_attempts_if_allowed(call, user, RM_OP_VIEW_ATTEMPT, rq->id, &v)) {
        yarn_context_read_with_queues(user, &f);
        for (size_t i = 0; i < v.attempts_n; i++) {
            struct yarn_attempt_and_texts filled = {0};
            struct rm_rpc_attempt attempt;

            put_attempt(&f, &v, i, &filled, &attempt);
            api_rpc_add_field(&out, 1, &attempt.report.base);
            yarn_attempt_texts_free(&filled);
        }
        yarn_context_free(&f);
        api_rpc_answer_encoded(call, &out);
    }
    rm_views_free(&v);
}

void rm_rpc_get_attempt(struct api_rpc_call *call, const ProtobufCMessage *request, void *user)
{
    const Yarn__AttemptRequest *rq = (const Yarn__AttemptRequest *)request;
    Yarn__AttemptAnswer answer = YARN__ATTEMPT_ANSWER__INIT;
    struct yarn_attempt_and_texts filled = {0};
    struct rm_rpc_attempt attempt;
    struct base_attempt_id id;
    struct rm_views v = {0};
    struct yarn_context f;
    const struct rm_attempt_view *found =
        copy_attempt_if_allowed(call, user, RM_OP_VIEW_ATTEMPT, rq->id, &id, &v);

    if (found) {
        yarn_context_read_with_queues(user, &f);
        put_attempt(&f, &v, (size_t)(found - v.attempts), &filled, &attempt);
        answer.report = &attempt.report;
        api_rpc_answer(call, &answer.base);
        yarn_context_free(&f);
    }
    yarn_attempt_texts_free(&filled);
    rm_views_free(&v);
}

/* ---- containers ---- */

struct container_listing {
    struct rm_rpc_listing list;
    struct base_attempt_id attempt;
};

static void add_container(const struct yarn_context *f, const struct rm_container_view *v,
                          struct base_buf *out)
{
    struct yarn_container_and_texts filled = {0};
    struct rm_rpc_container container;

    yarn_container_fill(f, v, &filled);
    rm_rpc_put_container(v, &filled.container, &container);
    api_rpc_add_field(out, 1, &container.report.base);
    yarn_container_texts_free(&filled);
}

static bool add_all_containers(struct rm_rpc_listing *list)
{
    struct container_listing *l = (struct container_listing *)list;
    struct rm_views v = {0};
    struct yarn_context f;

    /* an attempt that was removed meanwhile has no containers */
    rm_view_containers(rm_backend_lock_core(list->b), l->attempt, &v);
    rm_backend_unlock_core(list->b);
    yarn_context_read(list->b, &f);
    for (size_t i = 0; i < v.containers_n; i++)
        add_container(&f, &v.containers[i], &list->out);
    yarn_context_free(&f);
    rm_views_free(&v);
    return false;
}

void rm_rpc_get_containers(struct api_rpc_call *call, const ProtobufCMessage *request, void *user)
{
    const Yarn__AttemptRequest *rq = (const Yarn__AttemptRequest *)request;
    struct base_attempt_id id;
    struct rm_views v = {0};
    struct container_listing *l;

    if (copy_attempt_if_allowed(call, user, RM_OP_VIEW_CONTAINERS, rq->id, &id, &v)) {
        l = base_alloc(sizeof *l);
        l->list = (struct rm_rpc_listing){.call = call, .b = user, .add_chunk = add_all_containers};
        l->attempt = id;
        rm_rpc_listing_answer(&l->list);
    }
    rm_views_free(&v);
}

static void answer_container(struct api_rpc_call *call, struct rm_backend *b,
                             const struct rm_container_view *v)
{
    Yarn__ContainerAnswer answer = YARN__CONTAINER_ANSWER__INIT;
    struct yarn_container_and_texts filled = {0};
    struct rm_rpc_container container;
    struct yarn_context f;

    yarn_context_read(b, &f);
    yarn_container_fill(&f, v, &filled);
    rm_rpc_put_container(v, &filled.container, &container);
    answer.report = &container.report;
    api_rpc_answer(call, &answer.base);
    yarn_container_texts_free(&filled);
    yarn_context_free(&f);
}

void rm_rpc_get_container(struct api_rpc_call *call, const ProtobufCMessage *request, void *user)
{
    const Yarn__ContainerRequest *rq = (const Yarn__ContainerRequest *)request;
    struct base_container_id id;
    struct base_attempt_id attempt;
    struct rm_views v = {0};

    if (!rm_rpc_get_container_id(rq->id, &id)) {
        rm_rpc_answer_no_id(call);
    } else if (copy_attempt_if_allowed(call, user, RM_OP_VIEW_CONTAINERS, rq->id->attempt, &attempt,
                                       &v)) {
        int rc = rm_view_container(rm_backend_lock_core(user), &id, &v);

        rm_backend_unlock_core(user);
        if (rc < 0)
            rm_rpc_answer_no_container(call, &id);
        else
            answer_container(call, user, &v.containers[0]);
    }
    rm_views_free(&v);
}

/* ---- signals ---- */

static void answer_signal(struct rm_rpc_change *c, const struct rm_effect *fx)
{
    Yarn__Empty none = YARN__EMPTY__INIT;

    (void)fx;
    api_rpc_answer(c->call, &none.base);
}

void rm_rpc_signal_container(struct api_rpc_call *call, const ProtobufCMessage *request, void *user)
{
    /* by their numbers in YARN, from 1 on */
    static const enum base_signal_command commands[] = {BASE_SIGNAL_OUTPUT_THREAD_DUMP,
                                                        BASE_SIGNAL_GRACEFUL_SHUTDOWN,
                                                        BASE_SIGNAL_FORCEFUL_SHUTDOWN};
    const Yarn__SignalRequest *rq = (const Yarn__SignalRequest *)request;
    struct base_container_id id;
    struct rm_views v = {0};
    struct rm_rpc_change *c;

    if (!rm_rpc_get_container_id(rq->id, &id)) {
        rm_rpc_answer_no_id(call);
    } else if (rq->command < 1 || rq->command > (int32_t)(sizeof commands / sizeof *commands)) {
        api_rpc_answer_error(call, RM_RPC_YARN_EXCEPTION, "command %d: expected 1 to 3",
                             rq->command);
    } else if (rm_rpc_copy_app(call, user, rq->id->attempt->app, &v) &&
               !rm_rpc_refuse_unless_allowed(call, user, RM_OP_KILL, &v.apps[0])) {
        c = rm_rpc_change_new(call, user, RM_EV_SIGNAL_CONTAINER, "signal");
        c->ev.u.signal.id = id;
        c->ev.u.signal.command = commands[rq->command - 1];
        rm_rpc_change_post(c, &id.attempt.app, answer_signal);
    }
    rm_views_free(&v);
}
