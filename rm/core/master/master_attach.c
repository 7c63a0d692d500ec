/* After a restart, nodes report containers of plain applications that an earlier instance started.
 * Such a container is attached if it belongs to the current attempt, or is kept from an earlier
 * one. That it was ever given is the node's word alone, within what can be: a container's number
 * tells which instance has given it. */
#include "rm/core/master/master_attach.h"

#include "base/limits.h"
#include "rm/core/master/master.h"
#include "rm/core/node/width.h"
#include "rm/core/state.h"

/* Returns true for a container, not a master's, of an earlier attempt of an application that keeps
 * its containers across attempts. */
static bool is_kept_from_earlier_attempt(const struct rm_app *a, const struct rm_attempt *at,
                                         const struct rm_container_report *r)
{
    return a->app->keep_containers && !r->master && r->id.attempt.attempt < at->id.attempt;
}

/* Returns true when it is the present master that has started the container. */
static bool attempt_has_started(const struct rm_app *a, const struct rm_attempt *at,
                                const struct rm_container_report *r)
{
    return (a->app->speaks_hadoop || at->by_rpc) && r->id.attempt.attempt == at->id.attempt;
}

/* Returns false for a container that no instance before this one can have given to the attempt:
 * this one knows all live containers that it has given, and none was given before the master's. */
static bool may_be_of_earlier_instance(const struct rm_core *c, const struct rm_app *a,
                                       const struct rm_attempt *at,
                                       const struct rm_container_report *r)
{
    bool same = at->has_master && at->id.attempt == r->id.attempt.attempt;
    int64_t epoch = r->id.num >> 40, first = same ? at->master_id.num >> 40 : a->epoch;

    return epoch >= first && epoch < c->conf.epoch;
}

/* Kills a container that was still unknown when its application's containers were killed. */
static void kill_late_container(struct rm_core *c, struct rm_app *a, struct rm_container *ct)
{
    if (a->state == RM_APP_FINISHING)
        rm_container_order_kill(c, ct, RM_EXIT_KILLED_AFTER_APP, "application has ended");
    else
        rm_container_order_kill(c, ct, RM_EXIT_KILLED_BY_RM, "application was killed");
}

/* Returns false for a container that would bring the used slots of @n beyond what any node has: its
 * amounts are the node's word alone, and sums of them must not overflow. */
static bool has_plausible_width(const struct rm_core *c, const struct rm_node *n,
                                enum base_task_kind kind, const struct rm_res *r,
                                bool on_master_slots)
{
    int32_t used = on_master_slots ? n->masters.used : n->used[kind];

    return rm_slots_for_resource(c, kind, r) <= BASE_NODE_SLOTS_MAX - used;
}

struct rm_container *rm_plain_app_attach_container(struct rm_core *c, struct rm_node *n,
                                                   struct rm_app *a,
                                                   const struct rm_container_report *r)
{
    struct rm_attempt *at = rm_app_newest_attempt(a);
    enum base_task_kind kind;
    struct rm_container *ct;
    bool master;

    if (!at || rm_app_end_is_decided(a))
        return NULL;
    if (at->id.attempt != r->id.attempt.attempt && !is_kept_from_earlier_attempt(a, at, r))
        return NULL;
    master = at->has_master && rm_container_ids_equal(&at->master_id, &r->id);
    if (master && at->master)
        return NULL;
    /* masters hold map slots, or master slots, whatever the node says */
    kind = master
               ? BASE_TASK_MAP
               : rm_mapreduce_slot_kind(a, r->priority, &r->resource, n->slots[BASE_TASK_REDUCE]);
    if (!may_be_of_earlier_instance(c, a, at, r))
        return NULL;
    if (!has_plausible_width(c, n, kind, &r->resource, master && at->on_master_slots))
        return NULL;
    ct = rm_container_new(c, a, n, &r->id, kind, &r->resource, master);
    ct->state = RM_CONTAINER_ACQUIRED;
    ct->priority = r->priority;
    ct->allocation_id = r->allocation_request_id;
    /* Announced again if the application is live, since the announcing answer may have been
     * lost; but a master that speaks Hadoop RPC has started the container itself, and would give
     * back what it gets twice. */
    ct->pulled = master || !rm_app_is_live(a) || attempt_has_started(a, at, r);
    rm_container_set_start_if_plausible(c, ct, r);
    if (!master)
        rm_mapreduce_note_container_begin(c, a, ct);
    if (!ct->pulled)
        rm_master_queue_container_news(a, ct);
    if (master)
        at->master = ct;
    else
        rm_app_update_demand(c, a, ct->slot);
    if (!rm_app_is_live(a) && r->state != RM_CONTAINER_COMPLETED &&
        !(master && a->state == RM_APP_FINISHING))
        kill_late_container(c, a, ct);
    return ct;
}
