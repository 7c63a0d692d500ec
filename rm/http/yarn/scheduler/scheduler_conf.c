/* rm/http/yarn/scheduler/scheduler_conf.c - shows and changes the configuration of the queues.
 * SOURCE: Hadoop's ResourceManager REST APIs (Scheduler Configuration Mutation API); the recordings
 * capacity/conf and *scheduler-conf*. Only the capacity scheduler's can be changed, and only where
 * yarn.scheduler.configuration.store.class says so; otherwise the answer says what is missing. */
#include <stdlib.h>

#include "api/audit/audit.h"
#include "api/yarn/scheduler.h"
#include "rm/config/queue_conf_file.h"
#include "rm/http/access/access.h"
#include "rm/http/core_call.h"
#include "rm/http/yarn/scheduler/conf_change.h"
#include "rm/http/yarn/write.h"

#define CONF      YARN_CLUSTER "/scheduler-conf"
#define BODY_MAX  (4 << 20)
#define ROOT      "sched-conf"
#define AUDIT_MAX 8

/* ---------------------------------------------------------------- showing */
/* Reads the configuration (@out NULL: its version alone). Returns false when clients cannot change
 * it. */
static bool read_queue_conf(struct rm_backend *b, struct rm_properties *out, int64_t *version)
{
    bool changeable = rm_view_queue_conf(rm_backend_lock_core(b), out, version);

    rm_backend_unlock_core(b);
    return changeable;
}

static bool conf_is_changeable(struct rm_backend *b)
{
    int64_t version;

    return read_queue_conf(b, NULL, &version);
}

static void answer_conf(struct api_request *rq, const struct rm_properties *p)
{
    struct yarn_conf_property *v = base_alloc((p->n + 1) * sizeof *v);
    struct yarn_scheduler_conf shown = {.properties = {v, p->n, sizeof *v}};

    for (size_t i = 0; i < p->n; i++)
        v[i] = (struct yarn_conf_property){p->v[i].name, p->v[i].value};
    yarn_answer(rq, 200, &yarn_shape_scheduler_conf, API_M_BARE, &shown);
    free(v);
}

static void get_conf(struct api_request *rq, void *user)
{
    static const char *const names[] = {[RM_SHAPE_CAPACITY] = "CapacityScheduler",
                                        [RM_SHAPE_FAIR] = "FairScheduler",
                                        [RM_SHAPE_FIFO] = "FifoScheduler"};
    struct rm_backend *b = user;
    struct rm_properties p = {0};
    int64_t version;

    if (rm_access_refuse_unless_allowed(rq, b, RM_OP_CONFIGURE))
        return;
    if (read_queue_conf(b, &p, &version))
        answer_conf(rq, &p);
    else
        yarn_answer_text(rq, 400,
                         "This API only supports to retrieve scheduler configuration from a "
                         "mutable-conf scheduler, underneath scheduler %s is not an instance of "
                         "MutableConfScheduler",
                         names[rm_scheduler_shape_read(rm_backend_conf(b))]);
    rm_properties_free(&p);
}

static void get_conf_version(struct api_request *rq, void *user)
{
    struct yarn_conf_version shown;

    if (rm_access_refuse_unless_allowed(rq, user, RM_OP_CONFIGURE))
        return;
    if (read_queue_conf(user, NULL, &shown.version))
        yarn_answer(rq, 200, &yarn_shape_conf_version, API_M_BARE, &shown);
    else
        yarn_answer_text(rq, 400, "Configuration Version only supported by MutableConfScheduler.");
}

/* ---------------------------------------------------------------- changing */
struct conf_call {
    struct rm_call call;
    json_t *body; /* owns most texts of the change */
    struct yarn_conf_change change;
    struct rm_properties whole;
};

static void free_conf_call_parts(struct rm_call *c)
{
    struct conf_call *p = (struct conf_call *)c;

    yarn_conf_change_free(&p->change);
    json_decref(p->body);
    rm_properties_free(&p->whole);
}

static void free_unposted_call(struct conf_call *p)
{
    free_conf_call_parts(&p->call);
    free(p);
}

static struct conf_call *conf_call_new(struct rm_backend *b)
{
    struct conf_call *p = base_alloc(sizeof *p);

    p->call.b = b;
    p->call.drop = free_conf_call_parts;
    p->call.ev.kind = RM_EV_SET_QUEUE_CONF;
    return p;
}

/* Reads the change in the body. Returns NULL when there is none, it is not valid, or the caller may
 * not change anything; @rq has then been answered. */
static struct conf_call *read_conf_change(struct api_request *rq, struct rm_backend *b)
{
    json_t *body = yarn_read_body(rq, ROOT, NULL);
    struct base_error err = {0};
    struct conf_call *p;

    if (!body)
        return NULL;
    if (rm_access_refuse_unless_allowed(rq, b, RM_OP_CONFIGURE)) {
        json_decref(body);
        return NULL;
    }
    p = conf_call_new(b);
    p->body = body;
    if (yarn_conf_change_decode(body, &p->change, &err) == 0) {
        p->call.ev.u.queue_conf.change = &p->change.change;
        return p;
    }
    yarn_answer_text(rq, 400, "%s", err.text);
    free_unposted_call(p);
    return NULL;
}

static void answer_conf_change(struct api_request *rq, const struct rm_effect *fx, const char *done)
{
    if (!yarn_is_error_reply(fx))
        yarn_answer_text(rq, 200, "%s", done);
    else if (fx->u.reply.code == -BASE_EINVAL || fx->u.reply.code == -BASE_ELIMIT ||
             fx->u.reply.code == -BASE_ESTATE)
        yarn_answer_text(rq, 400, "%s", fx->u.reply.text);
    else
        yarn_answer_refusal(rq, fx);
}

static void answer_put_conf(void *user, const struct rm_effect *fx)
{
    struct conf_call *p = user;

    answer_conf_change(p->call.rq, fx, "Configuration change successfully applied.");
    rm_call_unref(&p->call);
}

/* Adds the changed queues and properties to the audit line: the first few of each sort. */
static void add_audit_members(struct api_request *rq, const struct rm_conf_change *change)
{
    for (size_t i = 0; i < AUDIT_MAX; i++) {
        if (i < change->removed_n)
            api_audit_add_member(rq, "remove", change->removed[i]);
        if (i < change->added_n)
            api_audit_add_member(rq, "add", change->added[i].queue);
        if (i < change->updated_n)
            api_audit_add_member(rq, "update", change->updated[i].queue);
        if (i < change->globals_n)
            api_audit_add_member(rq, "property", change->globals[i].name);
    }
}

static void handle_put_conf(struct api_request *rq, void *user)
{
    struct conf_call *p = read_conf_change(rq, user);

    if (!p)
        return;
    add_audit_members(rq, &p->change.change);
    if (conf_is_changeable(user)) {
        rm_call_post(&p->call, user, rq, answer_put_conf);
        return;
    }
    yarn_answer_text(rq, 400, "Configuration change only supported by %s.",
                     rm_scheduler_shape_read(rm_backend_conf(user)) == RM_SHAPE_CAPACITY
                         ? "mutable configuration store"
                         : "MutableConfScheduler");
    free_unposted_call(p);
}

static void validate_conf_change(struct api_request *rq, void *user)
{
    struct conf_call *p = read_conf_change(rq, user);
    struct rm_properties changed = {0};
    struct base_error err = {0};
    int rc;

    if (!p)
        return;
    rc = rm_view_changed_queue_conf(rm_backend_lock_core(user), &p->change.change, &changed, &err);
    rm_backend_unlock_core(user);
    if (rc == 0)
        answer_conf(rq, &changed);
    else if (rc == -BASE_ESTATE)
        yarn_answer_text(rq, 400,
                         "Configuration change validation only supported by MutableConfScheduler.");
    else
        yarn_answer_text(
            rq, 400, "CapacityScheduler configuration validation failed:java.io.IOException: %s",
            err.text);
    rm_properties_free(&changed);
    free_unposted_call(p);
}

/* ---------------------------------------------------------------- resetting to the file */
static void answer_conf_reset(void *user, const struct rm_effect *fx)
{
    struct conf_call *p = user;

    answer_conf_change(p->call.rq, fx, "Configuration under store successfully formatted.");
    rm_call_unref(&p->call);
}

/* Runs on the thread for slow work. Returns false: the work is done, whatever the outcome. */
static bool read_conf_file_and_post(void *user, bool stopping)
{
    struct conf_call *p = user;
    struct base_error err = {0};
    int rc = stopping
                 ? base_error_set(&err, -BASE_EIO, "the ResourceManager is shutting down")
                 : rm_queue_conf_read_file_or_listed(rm_backend_conf(p->call.b), &p->whole, &err);

    if (rc >= 0) {
        p->call.ev.u.queue_conf.whole = &p->whole;
        rm_call_post_parked(&p->call, answer_conf_reset);
        return false;
    }
    if (stopping)
        api_answer_base_error(p->call.rq, &err);
    else
        yarn_answer_text(p->call.rq, 400, "%s", err.text);
    free_unposted_call(p);
    return false;
}

static void reset_conf_to_file(struct api_request *rq, void *user)
{
    struct conf_call *p;

    if (rm_access_refuse_unless_allowed(rq, user, RM_OP_CONFIGURE))
        return;
    if (!conf_is_changeable(user)) {
        yarn_answer_text(rq, 400,
                         "Scheduler Configuration format only supported by MutableConfScheduler");
        return;
    }
    p = conf_call_new(user);
    p->call.rq = rq;
    api_park(rq);
    rm_backend_queue_slow_task(user, RM_SLOW_FILES, read_conf_file_and_post, p);
}

/* clang-format off */
const struct api_route rm_yarn_scheduler_conf_routes[] = {
    {"GET",  CONF,             API_ROLE_READ,  0,        get_conf, 0},
    {"PUT",  CONF,             API_ROLE_WRITE, BODY_MAX, handle_put_conf, 0},
    {"GET",  CONF "/version",  API_ROLE_READ,  0,        get_conf_version, 0},
    {"POST", CONF "/validate", API_ROLE_WRITE, BODY_MAX, validate_conf_change, 0},
    {"GET",  CONF "/format",   API_ROLE_WRITE, 0,        reset_conf_to_file, 0},
};
/* clang-format on */
const size_t rm_yarn_scheduler_conf_routes_n =
    sizeof rm_yarn_scheduler_conf_routes / sizeof rm_yarn_scheduler_conf_routes[0];
