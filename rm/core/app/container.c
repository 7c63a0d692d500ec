/* Containers. A container is created when a slot is assigned, or when a node reports one that an
 * earlier instance started. A container ends when its node reports the end, registers without the
 * container, is lost or does not start it in time, or when it is killed before the node knows of
 * it. The memory is freed when no reader is left: the container of a task once the task's record is
 * durable, one that a master asked for once the master has acknowledged the end. The ledger does
 * the counting (rm/core/ledger.h), the application's kind reacts to the end
 * (rm/core/app/kind.h). */
#include "rm/core/app/container.h"

#include <stdlib.h>

#include "rm/core/app/app_nodes.h"
#include "rm/core/app/kind.h"
#include "rm/core/emit.h"
#include "rm/core/ledger.h"
#include "rm/core/node/forget.h"
#include "rm/core/state.h"

bool rm_container_ids_equal(const struct base_container_id *a, const struct base_container_id *b)
{
    return a->num == b->num && a->attempt.app.seq == b->attempt.app.seq &&
           a->attempt.attempt == b->attempt.attempt &&
           a->attempt.app.cluster_ts == b->attempt.app.cluster_ts;
}

static bool container_has_id(const void *object, const void *key)
{
    return rm_container_ids_equal(&((const struct rm_container *)object)->id, key);
}

struct rm_container *rm_container_find(const struct rm_core *c, const struct base_container_id *id)
{
    return base_map_find(&c->containers_by_id, rm_container_id_hash(id), container_has_id, id);
}

void rm_container_prefetch(const struct rm_core *c, const struct rm_container_report *r, size_t n)
{
    size_t mask = c->containers_by_id.cap - 1;

    if (!c->containers_by_id.cap)
        return;
    for (size_t i = 0; i < n; i++)
        __builtin_prefetch(&c->containers_by_id.slot[rm_container_id_hash(&r[i].id) & mask]);
    for (size_t i = 0; i < n; i++) {
        /* the first entry for the hash, usually the right one */
        const void *ct = c->containers_by_id.slot[rm_container_id_hash(&r[i].id) & mask].object;

        if (ct)
            base_prefetch(ct, sizeof(struct rm_container));
    }
    for (size_t i = 0; i < n; i++) {
        const struct rm_container *ct =
            c->containers_by_id.slot[rm_container_id_hash(&r[i].id) & mask].object;

        if (ct && ct->task) {
            __builtin_prefetch(ct->task);
            __builtin_prefetch((const char *)ct->task + 64);
        }
    }
}

void rm_container_set_state(struct rm_container *ct, enum rm_container_state s)
{
    base_assert(rm_container_transition_is_legal(ct->state, s));
    ct->state = s;
}

static void unstarted_list_append(struct rm_core *c, struct rm_container *ct)
{
    ct->waiting = true;
    ct->wait_prev = c->unstarted_last;
    if (c->unstarted_last)
        c->unstarted_last->wait_next = ct;
    else
        c->unstarted = ct;
    c->unstarted_last = ct;
    if (!c->unstarted_timer.place && c->conf.allocation_expiry_us > 0)
        rm_timer_set(&c->timers, &c->unstarted_timer, ct->start_us + c->conf.allocation_expiry_us);
}

void rm_container_remove_from_unstarted(struct rm_core *c, struct rm_container *ct)
{
    if (!ct->waiting)
        return;
    ct->waiting = false;
    if (ct->wait_prev)
        ct->wait_prev->wait_next = ct->wait_next;
    else
        c->unstarted = ct->wait_next;
    if (ct->wait_next)
        ct->wait_next->wait_prev = ct->wait_prev;
    else
        c->unstarted_last = ct->wait_prev;
    ct->wait_prev = ct->wait_next = NULL;
}

void rm_containers_expire_unstarted(struct rm_core *c)
{
    while (c->unstarted && c->unstarted->start_us + c->conf.allocation_expiry_us <= c->now_us) {
        struct rm_container *ct = c->unstarted;

        rm_node_enqueue_kill(c, ct->node, &ct->id, "not started in time");
        rm_container_end(c, ct, RM_EXIT_ABORTED, "Container expired since it was unused", NULL);
    }
    if (c->unstarted)
        rm_timer_set(&c->timers, &c->unstarted_timer,
                     c->unstarted->start_us + c->conf.allocation_expiry_us);
}

struct rm_container *rm_container_new(struct rm_core *c, struct rm_app *a, struct rm_node *n,
                                      const struct base_container_id *id, enum base_task_kind slot,
                                      const struct rm_res *res, bool master)
{
    struct rm_container *ct = rm_pool_get(&c->containers);

    ct->id = *id;
    ct->app = a;
    ct->node = n;
    ct->slot = (uint8_t)slot;
    ct->slots = rm_slots_for_resource(c, slot, res);
    ct->resource = *res;
    ct->master = master;
    ct->on_master_slots = master && rm_app_newest_attempt(a)->on_master_slots;
    ct->start_us = c->now_us;
    ct->exit_code = RM_EXIT_INVALID;
    ct->app_next = a->containers;
    if (a->containers)
        a->containers->app_prev = ct;
    a->containers = ct;
    ct->node_next = n->containers;
    if (n->containers)
        n->containers->node_prev = ct;
    n->containers = ct;
    base_map_add(&c->containers_by_id, rm_container_id_hash(id), ct);
    rm_app_add_used_node(c, a, n);
    rm_node_ref(c, n);
    rm_ledger_begin_container(c, ct);
    unstarted_list_append(c, ct);
    return ct;
}

void rm_container_set_start_if_plausible(const struct rm_core *c, struct rm_container *ct,
                                         const struct rm_container_report *r)
{
    if (r->started_us >= ct->app->submit_us && r->started_us < c->now_us)
        ct->start_us = r->started_us;
}

/* Removes @ct from the lists of live containers and gives its slot back. */
static void unlink_container_and_free_slot(struct rm_core *c, struct rm_container *ct)
{
    struct rm_app *a = ct->app;
    struct rm_node *n = ct->node;

    rm_container_remove_from_unstarted(c, ct);
    if (ct->app_prev)
        ct->app_prev->app_next = ct->app_next;
    else
        a->containers = ct->app_next;
    if (ct->app_next)
        ct->app_next->app_prev = ct->app_prev;
    if (ct->node_prev)
        ct->node_prev->node_next = ct->node_next;
    else
        n->containers = ct->node_next;
    if (ct->node_next)
        ct->node_next->node_prev = ct->node_prev;
    ct->app_prev = ct->app_next = ct->node_prev = ct->node_next = NULL;
    rm_ledger_end_container(c, ct);
    if (!rm_app_state_is_final(a->state))
        return;
    c->trim_due = c->trim_due || !a->containers;
    /* the next attempt of an owed abort may run on the same node */
    if (ct->step != BASE_STEP_ABORT || a->step.kind != BASE_STEP_ABORT)
        rm_app_order_cleanup_if_done(c, a);
}

void rm_container_free(struct rm_core *c, struct rm_container *ct)
{
    base_map_remove(&c->containers_by_id, rm_container_id_hash(&ct->id), ct);
    rm_node_unref(c, ct->node);
    rm_launch_unref(ct->launch);
    free(ct->diagnostics);
    rm_pool_put(&c->containers, ct);
}

void rm_container_order_forget_and_free(struct rm_core *c, struct rm_container *ct)
{
    if (!c->conf.simulation) /* simulated nodes do not remember ended containers */
        rm_node_enqueue_forget(c, ct->node, &ct->id);
    rm_container_free(c, ct);
}

bool rm_container_is_unknown_to_node(const struct rm_container *ct)
{
    if (!ct->app->kind->runs_containers)
        return false;
    if (ct->master) /* its launch waits for the store */
        return ct->state == RM_CONTAINER_ALLOCATED;
    return ct->state <= RM_CONTAINER_ACQUIRED && !ct->launch;
}

void rm_container_enqueue_launch(struct rm_core *c, struct rm_container *ct,
                                 struct rm_launch *launch)
{
    struct rm_queued *o = rm_node_enqueue_order(c, ct->node, BASE_ORDER_LAUNCH);

    ct->app->refs++;
    o->app = ct->app;
    o->launch = rm_launch_ref(launch);
    o->container = ct->id;
    o->slot = ct->slot;
    o->priority = ct->priority;
    o->memory_mb = (int32_t)ct->resource.v[RM_RES_MEMORY_MB];
    o->vcores = (int32_t)ct->resource.v[RM_RES_VCORES];
    o->master = ct->master;
    o->allocation_id = ct->allocation_id;
    if (!ct->task && !ct->step)
        return;
    o->step = ct->step;
    o->has_task = ct->task != NULL;
    o->task = ct->task ? ct->task->index : 0;
    o->task_attempt = ct->task_attempt;
}

void rm_container_order_kill(struct rm_core *c, struct rm_container *ct, int32_t status,
                             const char *reason)
{
    if (ct->killing)
        return;
    ct->killing = true;
    ct->kill_status = status;
    if (ct->tally == RM_TALLY_HELD)
        rm_ledger_change_container(c, ct, RM_TALLY_FREEING);
    rm_node_enqueue_kill(c, ct->node, &ct->id, reason);
}

/* Returns the progress of the shuffle of a reduce whose own progress is @progress: the shuffle is
 * the first third of a reduce, as in Hadoop. */
static int64_t shuffle_progress(int32_t progress)
{
    return progress * (int64_t)3 < RM_PROGRESS_ONE ? progress * (int64_t)3 : RM_PROGRESS_ONE;
}

void rm_container_set_progress(struct rm_core *c, struct rm_container *ct, int32_t progress)
{
    struct rm_phase *p;

    if (progress == ct->progress)
        return;
    if (ct->task && ct->task->running == ct) {
        p = &ct->app->phase[ct->task->kind];
        p->progress += progress - ct->progress;
        p->shuffle += shuffle_progress(progress) - shuffle_progress(ct->progress);
        if (c->ops->on_progress && ct->app->in_policy)
            c->ops->on_progress(c->policy, &ct->app->pj, ct->task->kind, ct->task->index,
                                (double)progress / RM_PROGRESS_ONE, c->now_us);
    }
    ct->progress = progress;
}

void rm_container_end(struct rm_core *c, struct rm_container *ct, int32_t exit_code,
                      const char *diagnostics, const struct rm_container_report *r)
{
    base_assert(ct->state != RM_CONTAINER_COMPLETED);
    rm_container_set_progress(c, ct, 0);
    rm_container_set_state(ct, RM_CONTAINER_COMPLETED);
    ct->exit_code = ct->killing && (!r || exit_code != 0) ? ct->kill_status : exit_code;
    ct->finish_us = c->now_us;
    if (diagnostics && *diagnostics)
        rm_set_bounded_text(&ct->diagnostics, diagnostics);
    rm_health_note_operation(c, RM_OPERATION_RELEASE, ct);
    unlink_container_and_free_slot(c, ct);
    ct->app->kind->container_ended(c, ct->app, ct, r);
}

void rm_container_kill_or_end(struct rm_core *c, struct rm_container *ct, int32_t status,
                              const char *reason)
{
    if (rm_container_is_unknown_to_node(ct)) {
        /* Its master may have started it over Hadoop RPC since the node's last heartbeat. A node
         * that does not have it ignores the order. */
        if (ct->state == RM_CONTAINER_ACQUIRED)
            rm_node_enqueue_kill(c, ct->node, &ct->id, reason);
        rm_container_end(c, ct, status, reason, NULL);
    } else {
        rm_container_order_kill(c, ct, status, reason);
    }
}
