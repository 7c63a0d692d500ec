#include "rm/rpc/tracker/answer.h"

#include <stdlib.h>

/* What YARN's own ResourceManager of that version says; NodeManagers may ask for a least one. */
#define YARN_VERSION "3.4.2"

#define PUT(message, member, value) ((message)->has_##member = true, (message)->member = (value))

enum rm_tracker_action rm_tracker_find_action(const struct rm_effect *fx)
{
    enum rm_tracker_action action = RM_TRACKER_NORMAL;

    if (fx->kind == RM_FX_REPLY)
        return RM_TRACKER_RESYNC;
    for (size_t i = 0; i < fx->u.heartbeat.orders_n; i++) {
        enum base_order_kind kind = fx->u.heartbeat.orders[i].kind;

        if (kind == BASE_ORDER_SHUTDOWN)
            return RM_TRACKER_SHUTDOWN;
        if (kind == BASE_ORDER_RESYNC)
            action = RM_TRACKER_RESYNC;
    }
    return action;
}

char *rm_tracker_explain_action(enum rm_tracker_action action)
{
    return action == RM_TRACKER_RESYNC     ? "The node is to register again"
           : action == RM_TRACKER_SHUTDOWN ? "Disallowed NodeManager: its host may not have one"
                                           : NULL;
}

/* Returns the resource that an operator has given the node, filled in @room; NULL: none. */
static Yarn__Resource *put_given_resource(const struct rm_effect *fx, struct rm_rpc_resource *room)
{
    if (fx->kind != RM_FX_HEARTBEAT || !fx->u.heartbeat.resource_given)
        return NULL;
    rm_rpc_put_resource(fx->u.heartbeat.given_memory_mb, fx->u.heartbeat.given_vcores, room);
    return &room->resource;
}

static void put_key(const struct rm_master_key *key, Tracker__Key *out)
{
    tracker__key__init(out);
    PUT(out, id, key->id);
    out->has_bytes = true;
    out->bytes.data = (uint8_t *)key->bytes;
    out->bytes.len = sizeof key->bytes;
}

void rm_tracker_put_registered(const struct rm_effect *fx, struct rm_tracker_registered *out)
{
    Tracker__Registered *m = &out->message;

    tracker__registered__init(m);
    PUT(m, action, rm_tracker_find_action(fx));
    m->diagnostics = rm_tracker_explain_action((enum rm_tracker_action)m->action);
    m->rm_version = YARN_VERSION;
    if (fx->kind == RM_FX_HEARTBEAT)
        PUT(m, rm_identifier, fx->u.heartbeat.rm_instance_ms);
    if (m->action != RM_TRACKER_NORMAL)
        return;
    put_key(fx->u.heartbeat.container_keys, &out->container_key);
    put_key(fx->u.heartbeat.nm_keys, &out->nm_key);
    m->container_key = &out->container_key;
    m->nm_key = &out->nm_key;
    m->resource = put_given_resource(fx, &out->resource);
}

static int32_t number_signal(enum base_signal_command command)
{
    return command == BASE_SIGNAL_OUTPUT_THREAD_DUMP  ? 1
           : command == BASE_SIGNAL_GRACEFUL_SHUTDOWN ? 2
                                                      : 3;
}

static void put_order(const struct rm_order *o, struct rm_tracker_order *out,
                      Tracker__BeatAnswer *m)
{
    rm_rpc_put_container_id(&o->container, &out->container);
    switch (o->kind) {
    case BASE_ORDER_KILL:
        m->to_end[m->n_to_end++] = &out->container.id;
        break;
    case BASE_ORDER_FORGET:
        m->to_forget[m->n_to_forget++] = &out->container.id;
        break;
    case BASE_ORDER_CLEANUP_APP:
        rm_rpc_put_app_id(&o->app, &out->app);
        m->apps_to_clean_up[m->n_apps_to_clean_up++] = &out->app;
        break;
    case BASE_ORDER_SIGNAL:
        tracker__signal__init(&out->signal);
        out->signal.container = &out->container.id;
        PUT(&out->signal, command, number_signal(o->signal));
        m->signals[m->n_signals++] = &out->signal;
        break;
    default:
        break;
    }
}

static void put_orders(const struct rm_effect *fx, struct rm_tracker_beat_answer *out)
{
    Tracker__BeatAnswer *m = &out->message;
    size_t n = fx->u.heartbeat.orders_n;

    out->orders = base_realloc_array(NULL, n, sizeof *out->orders);
    m->to_end = base_realloc_array(NULL, n, sizeof(Yarn__ContainerId *));
    m->to_forget = base_realloc_array(NULL, n, sizeof(Yarn__ContainerId *));
    m->apps_to_clean_up = base_realloc_array(NULL, n, sizeof(Yarn__AppId *));
    m->signals = base_realloc_array(NULL, n, sizeof(Tracker__Signal *));
    for (size_t i = 0; i < n; i++)
        put_order(&fx->u.heartbeat.orders[i], &out->orders[i], m);
}

void rm_tracker_put_beat_answer(const struct rm_effect *fx, struct rm_tracker_beat_answer *out)
{
    Tracker__BeatAnswer *m = &out->message;

    tracker__beat_answer__init(m);
    out->orders = NULL;
    PUT(m, action, rm_tracker_find_action(fx));
    m->diagnostics = rm_tracker_explain_action((enum rm_tracker_action)m->action);
    if (fx->kind != RM_FX_HEARTBEAT)
        return;
    PUT(m, response_id, (int32_t)fx->u.heartbeat.response_id);
    PUT(m, interval_ms, fx->u.heartbeat.interval_us / 1000);
    PUT(m, token_sequence, 1); /* as YARN's own answers have it */
    m->resource = put_given_resource(fx, &out->resource);
    if (fx->u.heartbeat.container_keys_n > 1) { /* the second one waits */
        put_key(&fx->u.heartbeat.container_keys[1], &out->container_key);
        m->container_key = &out->container_key;
    }
    if (fx->u.heartbeat.nm_keys_n > 1) {
        put_key(&fx->u.heartbeat.nm_keys[1], &out->nm_key);
        m->nm_key = &out->nm_key;
    }
    if (fx->u.heartbeat.orders_n)
        put_orders(fx, out);
}

void rm_tracker_beat_answer_free(struct rm_tracker_beat_answer *a)
{
    free(a->message.to_end);
    free(a->message.to_forget);
    free(a->message.apps_to_clean_up);
    free(a->message.signals);
    free(a->orders);
}
