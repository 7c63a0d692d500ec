/* rm/rpc/lifetime.c - when an application ends: its lifetime, and the end of an attempt. */
#include <stdlib.h>
#include <string.h>

#include "rm/http/yarn/app/java_time.h"
#include "rm/http/yarn/change.h"
#include "rm/rpc/client.h"

#define LIFETIME 1

/* ---- lifetimes ---- */

static void answer_lifetime(struct rm_rpc_change *c, const struct rm_effect *fx)
{
    char text[YARN_JAVA_TIME_MAX];
    Yarn__TimeoutUpdate update = YARN__TIMEOUT_UPDATE__INIT, *list[] = {&update};
    Yarn__TimeoutsAnswer answer = YARN__TIMEOUTS_ANSWER__INIT;
    struct yarn_timeout timeout;

    yarn_timeout_fill(fx->u.reply.value, fx->u.reply.flag, rm_backend_now_us(c->b) / 1000, &timeout,
                      text);
    update.has_type = true;
    update.type = LIFETIME;
    update.expires = (char *)timeout.expiry_time;
    answer.timeouts = list;
    answer.n_timeouts = 1;
    api_rpc_answer(c->call, &answer.base);
}

static void set_lifetime(struct api_rpc_call *call, struct rm_backend *b,
                         const struct rm_app_view *v, const char *expires)
{
    struct rm_rpc_change *c;
    char why[400];
    int64_t end_us;

    if (rm_rpc_refuse_unless_allowed(call, b, RM_OP_SET_TIMEOUT, v))
        return;
    if (yarn_lifetime_parse(v, expires, &end_us, why, sizeof why) < 0) {
        api_rpc_answer_error(call, RM_RPC_YARN_EXCEPTION, "%s", why);
        return;
    }
    c = rm_rpc_change_new(call, b, RM_EV_SET_LIFETIME, "lifetime");
    c->ev.u.lifetime.id = v->id;
    c->ev.u.lifetime.end_us = end_us;
    rm_rpc_change_post(c, &v->id, answer_lifetime);
}

void rm_rpc_set_timeouts(struct api_rpc_call *call, const ProtobufCMessage *request, void *user)
{
    const Yarn__TimeoutsRequest *rq = (const Yarn__TimeoutsRequest *)request;
    struct rm_views v = {0};

    if (rq->n_timeouts != 1 || !rq->timeouts[0]->has_type || rq->timeouts[0]->type != LIFETIME ||
        !rq->timeouts[0]->expires)
        api_rpc_answer_error(call, RM_RPC_YARN_EXCEPTION,
                             "timeouts: expected one, of the type LIFETIME, with a time");
    else if (rm_rpc_copy_app(call, user, rq->id, &v))
        set_lifetime(call, user, &v.apps[0], rq->timeouts[0]->expires);
    rm_views_free(&v);
}

/* ---- attempts: one is failed by the end of its master's container ---- */

static void answer_failed_attempt(struct rm_rpc_change *c, const struct rm_effect *fx)
{
    Yarn__Empty none = YARN__EMPTY__INIT;

    (void)fx;
    api_rpc_answer(c->call, &none.base);
}

/* Returns the attempt if its master runs, or may run. */
static const struct rm_attempt_view *find_live_attempt(const struct rm_views *v, int32_t attempt)
{
    for (size_t i = 0; i < v->attempts_n; i++)
        if (v->attempts[i].id.attempt == attempt)
            return v->attempts[i].has_container && !v->attempts[i].finish_us ? &v->attempts[i]
                                                                             : NULL;
    return NULL;
}

void rm_rpc_fail_attempt(struct api_rpc_call *call, const ProtobufCMessage *request, void *user)
{
    const Yarn__AttemptRequest *rq = (const Yarn__AttemptRequest *)request;
    const struct rm_attempt_view *attempt;
    struct base_attempt_id id;
    struct rm_views v = {0};
    struct rm_rpc_change *c;

    if (!rm_rpc_get_attempt_id(rq->id, &id)) {
        rm_rpc_answer_no_id(call);
    } else if (rm_rpc_copy_app(call, user, rq->id->app, &v) &&
               !rm_rpc_refuse_unless_allowed(call, user, RM_OP_KILL, &v.apps[0])) {
        rm_view_attempts(rm_backend_lock_core(user), id.app, &v);
        rm_backend_unlock_core(user);
        attempt = find_live_attempt(&v, id.attempt);
        if (attempt) {
            c = rm_rpc_change_new(call, user, RM_EV_SIGNAL_CONTAINER, "fail-attempt");
            c->ev.u.signal.id = attempt->container;
            c->ev.u.signal.command = BASE_SIGNAL_FORCEFUL_SHUTDOWN;
            rm_rpc_change_post(c, &id.app, answer_failed_attempt);
        } else {
            rm_rpc_answer_no_attempt(call, &id);
        }
    }
    rm_views_free(&v);
}
