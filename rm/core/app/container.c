/* Containers: table, reports of nodes, kill, end. */
#include <stdlib.h>
#include <string.h>

#include "rm/core/state.h"

static uint64_t id_hash(const struct base_container_id *id)
{
    uint64_t x = (uint64_t)id->attempt.app.cluster_ts * UINT64_C(0x9e3779b97f4a7c15);

    x ^= (uint64_t)(uint32_t)id->attempt.app.seq << 32 ^ (uint64_t)(uint32_t)id->attempt.attempt << 56;
    return rm_hash_mix(x ^ (uint64_t)id->num);
}

static bool id_same(const struct base_container_id *a, const struct base_container_id *b)
{
    return a->num == b->num && a->attempt.app.seq == b->attempt.app.seq && a->attempt.attempt == b->attempt.attempt &&
           a->attempt.app.cluster_ts == b->attempt.app.cluster_ts;
}

static bool id_eq(const void *object, const void *key)
{
    return id_same(&((const struct rm_container *)object)->id, key);
}

struct rm_container *rm_container_find(const struct rm_core *c, const struct base_container_id *id)
{
    return rm_map_find(&c->containers_by_id, id_hash(id), id_eq, id);
}

void rm_container_prefetch(const struct rm_core *c, const struct rm_container_report *r, size_t n)
{
    size_t mask = c->containers_by_id.cap - 1;

    if (!c->containers_by_id.cap)
        return;
    for (size_t i = 0; i < n; i++)
        __builtin_prefetch(&c->containers_by_id.v[id_hash(&r[i].id) & mask]);
    for (size_t i = 0; i < n; i++) {
        const char *ct = c->containers_by_id.v[id_hash(&r[i].id) & mask].p; /* most often the one */

        for (size_t line = 0; ct && line < sizeof(struct rm_container); line += 64)
            __builtin_prefetch(ct + line);
    }
    for (size_t i = 0; i < n; i++) {
        const struct rm_container *ct = c->containers_by_id.v[id_hash(&r[i].id) & mask].p;

        if (ct && ct->task) {
            __builtin_prefetch(ct->task);
            __builtin_prefetch((const char *)ct->task + 64);
        }
    }
}

void rm_container_set_state(struct rm_container *ct, enum rm_container_state s)
{
    base_assert(rm_container_edge(ct->state, s));
    ct->state = s;
}

/* ---------------------------------------------------------------- started by its node? */
static void wait_add(struct rm_core *c, struct rm_container *ct)
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

void rm_container_started(struct rm_core *c, struct rm_container *ct)
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

static void order_kill(struct rm_core *c, struct rm_node *n, const struct base_container_id *id, const char *reason)
{
    struct rm_queued *o = rm_node_order(c, n, RM_ORDER_KILL);

    o->container = *id;
    o->reason = reason;
    o->grace_ms = (int32_t)c->conf.kill_grace_ms;
}

void rm_containers_expire(struct rm_core *c)
{
    while (c->unstarted && c->unstarted->start_us + c->conf.allocation_expiry_us <= c->now_us) {
        struct rm_container *ct = c->unstarted;

        order_kill(c, ct->node, &ct->id, "not started in time");
        rm_container_end(c, ct, RM_EXIT_ABORTED, "Container expired since it was unused", NULL);
    }
    if (c->unstarted)
        rm_timer_set(&c->timers, &c->unstarted_timer, c->unstarted->start_us + c->conf.allocation_expiry_us);
}

/* ---------------------------------------------------------------- birth and death */
static void count_resources(struct rm_core *c, const struct rm_container *ct, int64_t sign)
{
    struct rm_app *a = ct->app;

    for (int i = 0; i < RM_RES_NAMES; i++) {
        a->allocated.v[i] += sign * ct->resource.v[i];
        ct->node->used_res.v[i] += sign * ct->resource.v[i];
        if (a->queue_index != RM_NONE)
            c->queues[a->queue_index].used.v[i] += sign * ct->resource.v[i];
    }
}

static void count_suspended(struct rm_core *c, const struct rm_container *ct, int32_t by)
{
    ct->node->suspended[ct->slot] += by;
    c->suspended[ct->slot] += by;
}

/* A slot that will be free when its process has ended. A suspended one holds none. */
static void count_freeing(struct rm_core *c, struct rm_container *ct, int32_t by)
{
    if (ct->suspended_at_us)
        return;
    ct->node->freeing[ct->slot] += by;
    if (ct->node->counted)
        c->capacity.freeing[ct->slot] += by;
}

struct rm_container *rm_container_new(struct rm_core *c, struct rm_app *a, struct rm_node *n,
                                      const struct base_container_id *id, enum base_task_kind slot,
                                      const struct rm_res *res)
{
    struct rm_container *ct = rm_pool_get(&c->containers);

    ct->id = *id;
    ct->app = a;
    ct->node = n;
    ct->slot = (uint8_t)slot;
    ct->resource = *res;
    ct->start_us = c->now_us;
    ct->exit_code = RM_EXIT_INVALID;
    ct->app_next = a->containers;
    if (a->containers)
        a->containers->app_prev = ct;
    a->containers = ct;
    a->containers_n++;
    ct->node_next = n->containers;
    if (n->containers)
        n->containers->node_prev = ct;
    n->containers = ct;
    n->containers_n++;
    count_resources(c, ct, 1);
    if (a->queue_index != RM_NONE)
        c->queues[a->queue_index].containers++;
    rm_map_put(&c->containers_by_id, id_hash(id), ct);
    rm_app_touch_node(c, a, n);
    rm_node_hold(c, n);
    rm_node_use(c, n, slot, 1);
    wait_add(c, ct);
    return ct;
}

/* Out of the lists of living ones; its slot is free. */
static void unlink_container(struct rm_core *c, struct rm_container *ct)
{
    struct rm_app *a = ct->app;
    struct rm_node *n = ct->node;
    int64_t lived = c->now_us - ct->start_us;

    rm_container_started(c, ct);
    if (ct->app_prev)
        ct->app_prev->app_next = ct->app_next;
    else
        a->containers = ct->app_next;
    if (ct->app_next)
        ct->app_next->app_prev = ct->app_prev;
    if (--a->containers_n == 0 && rm_app_ended(a->state)) {
        c->trim_due = true;
        rm_app_cleanup(c, a);
    }
    if (ct->node_prev)
        ct->node_prev->node_next = ct->node_next;
    else
        n->containers = ct->node_next;
    if (ct->node_next)
        ct->node_next->node_prev = ct->node_prev;
    n->containers_n--;
    ct->app_prev = ct->app_next = ct->node_prev = ct->node_next = NULL;
    if (ct->suspended_at_us)
        count_suspended(c, ct, -1);
    else
        count_resources(c, ct, -1);
    if (a->queue_index != RM_NONE)
        c->queues[a->queue_index].containers--;
    a->memory_ms = base_sat_add(a->memory_ms, rm_held_ms(ct->resource.v[RM_RES_MEMORY_MB], lived));
    a->vcore_ms = base_sat_add(a->vcore_ms, rm_held_ms(ct->resource.v[RM_RES_VCORES], lived));
    if (ct->killing)
        count_freeing(c, ct, -1);
    if (!ct->suspended_at_us)
        rm_node_use(c, n, ct->slot, -1);
}

void rm_container_free(struct rm_core *c, struct rm_container *ct)
{
    rm_map_remove(&c->containers_by_id, id_hash(&ct->id), ct);
    rm_node_release(c, ct->node);
    rm_launch_unref(ct->launch);
    free(ct->diagnostics);
    rm_pool_put(&c->containers, ct);
}

static void order_forget(struct rm_core *c, struct rm_node *n, const struct base_container_id *id)
{
    struct rm_queued *o;

    if (rm_node_ordered(n, RM_ORDER_FORGET, id))
        return;
    o = rm_node_order(c, n, RM_ORDER_FORGET);
    o->container = *id;
}

void rm_container_forget(struct rm_core *c, struct rm_container *ct)
{
    if (!c->conf.simulation) /* simulated nodes remember nothing that they have reported */
        order_forget(c, ct->node, &ct->id);
    rm_container_free(c, ct);
}

bool rm_container_unsent(const struct rm_container *ct)
{
    if (ct->app->is_job)
        return false;
    if (ct->master) /* its launch waits for the store */
        return ct->state == RM_CONTAINER_ALLOCATED;
    return ct->state <= RM_CONTAINER_ACQUIRED && !ct->launch;
}

/* Tells its node to start it. @launch: an application's, referenced; NULL for tasks of jobs. */
void rm_container_launch(struct rm_core *c, struct rm_container *ct, struct rm_launch *launch)
{
    struct rm_queued *o = rm_node_order(c, ct->node, RM_ORDER_LAUNCH);

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
    if (!ct->task)
        return;
    o->has_task = true;
    o->task = ct->task->index;
    o->task_attempt = ct->task_attempt;
}

void rm_container_kill(struct rm_core *c, struct rm_container *ct, int32_t status, const char *reason)
{
    if (ct->killing)
        return;
    ct->killing = true;
    ct->kill_status = status;
    count_freeing(c, ct, 1);
    order_kill(c, ct->node, &ct->id, reason);
}

/* ---------------------------------------------------------------- suspended and resumed */
static void order_plain(struct rm_core *c, struct rm_container *ct, enum rm_order_kind kind)
{
    rm_node_order(c, ct->node, kind)->container = ct->id;
}

static void tell_suspended(struct rm_core *c, struct rm_container *ct, bool suspended)
{
    struct rm_app *a = ct->app;

    if (c->ops->on_task_suspended && a->in_policy)
        c->ops->on_task_suspended(c->policy, &a->pj, ct->slot, ct->task->index, ct->node->index,
                                  suspended, c->now_us);
    rm_app_counts(c, a, ct->slot);
}

static void now_suspended(struct rm_core *c, struct rm_container *ct)
{
    rm_container_set_state(ct, RM_CONTAINER_SUSPENDED);
    count_resources(c, ct, -1);
    ct->suspended_at_us = c->now_us;
    count_suspended(c, ct, 1);
    rm_task_set_state(ct->app, ct->task, RM_TASK_SUSPENDED);
    rm_node_use(c, ct->node, ct->slot, -1);
    tell_suspended(c, ct, true);
}

void rm_container_suspend(struct rm_core *c, struct rm_container *ct)
{
    c->stats.suspended++;
    order_plain(c, ct, RM_ORDER_SUSPEND);
    now_suspended(c, ct);
}

void rm_container_resume(struct rm_core *c, struct rm_container *ct)
{
    c->stats.resumed++;
    ct->suspended_us += c->now_us - ct->suspended_at_us;
    ct->suspended_at_us = 0;
    count_suspended(c, ct, -1);
    rm_container_set_state(ct, RM_CONTAINER_RUNNING);
    count_resources(c, ct, 1);
    rm_task_set_state(ct->app, ct->task, RM_TASK_RUNNING);
    rm_node_use(c, ct->node, ct->slot, 1);
    order_plain(c, ct, RM_ORDER_RESUME);
    tell_suspended(c, ct, false);
}

/* The one with the lowest task index. */
struct rm_container *rm_container_suspended_of(const struct rm_app *a, const struct rm_node *n, enum base_task_kind k)
{
    struct rm_container *best = NULL;

    for (struct rm_container *ct = n->containers; ct; ct = ct->node_next)
        if (ct->app == a && ct->suspended_at_us && ct->slot == (uint8_t)k && !ct->killing &&
            (!best || ct->task->index < best->task->index))
            best = ct;
    return best;
}

/* The node's order may have been lost with the NodeManager that had it. */
static void align(struct rm_core *c, struct rm_container *ct, enum rm_container_state reported)
{
    if (ct->killing)
        return;
    if (ct->state == RM_CONTAINER_SUSPENDED && reported == RM_CONTAINER_RUNNING)
        order_plain(c, ct, RM_ORDER_SUSPEND);
    else if (ct->state == RM_CONTAINER_RUNNING && reported == RM_CONTAINER_SUSPENDED)
        order_plain(c, ct, RM_ORDER_RESUME);
}

/* ---------------------------------------------------------------- progress */
static int64_t shuffle_part(int32_t progress)
{
    return progress * (int64_t)3 < RM_PROGRESS_ONE ? progress * (int64_t)3 : RM_PROGRESS_ONE;
}

static void set_progress(struct rm_core *c, struct rm_container *ct, int32_t progress)
{
    struct rm_phase *p;

    if (progress == ct->progress)
        return;
    if (ct->task && ct->task->running == ct) {
        p = &ct->app->phase[ct->task->kind];
        p->progress += progress - ct->progress;
        p->shuffle += shuffle_part(progress) - shuffle_part(ct->progress);
        if (c->ops->on_progress && ct->app->in_policy)
            c->ops->on_progress(c->policy, &ct->app->pj, ct->task->kind, ct->task->index,
                                (double)progress / RM_PROGRESS_ONE, c->now_us);
    }
    ct->progress = progress;
}

static int32_t reported_progress(const struct rm_container_report *r)
{
    float p = r->progress;

    if (!(p > 0)) /* not a number as well */
        return 0;
    return p >= 1 ? RM_PROGRESS_ONE : (int32_t)((double)p * RM_PROGRESS_ONE);
}

/* ---------------------------------------------------------------- the end */
static void task_ended(struct rm_core *c, struct rm_container *ct, const struct rm_container_report *r)
{
    struct rm_app *a = ct->app;
    struct rm_task *t = ct->task;
    bool killed, counts;

    if (!t || t->running != ct)
        return;
    if (r && ct->exit_code == 0 && rm_app_live(a)) {
        rm_task_succeeded(c, a, t, ct, r);
        return;
    }
    killed = ct->killing || !r || ct->exit_code == RM_EXIT_ABORTED || ct->exit_code == RM_EXIT_PREEMPTED ||
             ct->exit_code == RM_EXIT_KILLED_BY_RM;
    /* a full disk says nothing against the task, unless the task fills it again and again */
    counts = !killed && (ct->exit_code != RM_EXIT_DISKS_FAILED || rm_task_is_bad_on(t, ct->node->index));
    rm_task_failed(c, a, t, ct, counts, killed, ct->diagnostics);
}

void rm_container_end(struct rm_core *c, struct rm_container *ct, int32_t exit_code, const char *diagnostics,
                      const struct rm_container_report *r)
{
    struct rm_app *a = ct->app;

    base_assert(ct->state != RM_CONTAINER_COMPLETED);
    set_progress(c, ct, 0);
    rm_container_set_state(ct, RM_CONTAINER_COMPLETED);
    ct->exit_code = ct->killing && (!r || exit_code != 0) ? ct->kill_status : exit_code;
    ct->finish_us = c->now_us;
    if (diagnostics && *diagnostics)
        rm_set_diagnostics(&ct->diagnostics, diagnostics);
    unlink_container(c, ct);
    if (!a->is_job) {
        rm_am_container_ended(c, a, ct);
        return; /* forgotten when its master has heard of it */
    }
    task_ended(c, ct, r);
    ct->task = NULL;
    if (r)
        rm_ack_add(c, c->seq, RM_ACK_FORGET, ct, 0);
    else
        rm_container_free(c, ct);
    rm_job_check(c, a);
}

/* ---------------------------------------------------------------- reports */
/* The job is being ended: its end waits for this one too. */
static struct rm_container *attach_dying(struct rm_core *c, struct rm_node *n, struct rm_app *a,
                                         const struct rm_container_report *r)
{
    struct rm_container *ct = rm_container_new(c, a, n, &r->id, r->slot, &c->conf.slot_res[r->slot]);

    ct->state = RM_CONTAINER_ACQUIRED;
    ct->task_attempt = r->task_attempt;
    if (r->state != RM_CONTAINER_COMPLETED)
        rm_container_kill(c, ct, RM_EXIT_KILLED_BY_RM, "job was killed");
    return ct;
}

/* Does the attempt under way make way for the reported one, which an earlier instance has given? Not when it may commit,
 * and not when it works already, unless the other has ended well. */
static bool gives_way(const struct rm_task *t, const struct rm_container_report *r)
{
    if (t->commit_attempt >= 0 && t->commit_attempt != r->task_attempt)
        return false;
    if (r->state == RM_CONTAINER_COMPLETED)
        return r->exit_code == 0;
    return t->running->waiting || t->running->killing;
}

static void give_way(struct rm_core *c, struct rm_app *a, struct rm_task *t)
{
    struct rm_container *ct = t->running;

    set_progress(c, ct, 0);
    rm_task_give_way(c, a, t);
    ct->task = NULL;
    rm_container_kill(c, ct, RM_EXIT_KILLED_BY_RM, "an attempt of its task that was started earlier goes on");
}

/* The node's clock may be anything: a start before the submission is none. */
static void take_start(const struct rm_core *c, struct rm_container *ct, const struct rm_container_report *r)
{
    if (r->started_us >= ct->app->submit_us && r->started_us < c->now_us)
        ct->start_us = r->started_us;
}

/* A task's attempt started by an earlier instance: known again, if nobody else does the task. */
static struct rm_container *attach_task(struct rm_core *c, struct rm_node *n, struct rm_app *a,
                                        const struct rm_container_report *r)
{
    struct rm_task *t = r->has_task ? rm_task_find(a, r->task.kind, r->task.index) : NULL;
    struct rm_container *ct;

    if (a->state == RM_APP_KILLING || (a->state == RM_APP_RUNNING && a->ending == RM_END_FAIL))
        return attach_dying(c, n, a, r);
    if (!t || !rm_app_live(a) || r->task_attempt < t->next_attempt || r->task_attempt > RM_TASK_ATTEMPT_MAX)
        return NULL;
    if (t->running && gives_way(t, r))
        give_way(c, a, t);
    if (t->state != RM_TASK_PENDING || r->task_attempt < t->commit_attempt)
        return NULL; /* or a newer attempt may be committing, on a node that is still silent */
    ct = rm_container_new(c, a, n, &r->id, t->kind, &c->conf.slot_res[t->kind]);
    ct->task_attempt = r->task_attempt;
    ct->state = RM_CONTAINER_ACQUIRED;
    take_start(c, ct, r);
    rm_task_launched(c, a, t, ct, true);
    rm_app_counts(c, a, t->kind);
    return ct;
}

/* It belongs to an attempt before the present one, and the application keeps such containers. */
static bool kept_from_before(const struct rm_app *a, const struct rm_attempt *at, const struct rm_container_report *r)
{
    return a->app->keep_containers && !r->master && r->id.attempt.attempt < at->id.attempt;
}

/* It was not known when the application's containers were killed; a master that has finished ends by itself. */
static void kill_late(struct rm_core *c, struct rm_app *a, struct rm_container *ct)
{
    if (a->state == RM_APP_FINISHING)
        rm_container_kill(c, ct, RM_EXIT_KILLED_AFTER_APP, "application has ended");
    else
        rm_container_kill(c, ct, RM_EXIT_KILLED_BY_RM, "application was killed");
}

/* A container of an application whose master is an AM. */
static struct rm_container *attach_app(struct rm_core *c, struct rm_node *n, struct rm_app *a,
                                       const struct rm_container_report *r)
{
    struct rm_attempt *at = rm_am_attempt(a);
    struct rm_container *ct;
    bool master;

    if (!at || rm_app_is_over(a))
        return NULL;
    if (at->id.attempt != r->id.attempt.attempt && !kept_from_before(a, at, r))
        return NULL;
    master = at->has_master && id_same(&at->master_id, &r->id);
    if (master && at->master)
        return NULL;
    ct = rm_container_new(c, a, n, &r->id, rm_slot_of(&r->resource), &r->resource);
    ct->state = RM_CONTAINER_ACQUIRED;
    ct->priority = r->priority;
    ct->allocation_id = r->allocation_request_id;
    ct->master = master;
    ct->pulled = master || !rm_app_live(a); /* else it may not have heard of it: that answer may have been lost */
    take_start(c, ct, r);
    if (!ct->pulled)
        rm_am_tell(a, ct);
    if (master) {
        at->master = ct;
    } else {
        a->phase[ct->slot].running++;
        rm_app_counts(c, a, ct->slot);
    }
    if (!rm_app_live(a) && r->state != RM_CONTAINER_COMPLETED && !(master && a->state == RM_APP_FINISHING))
        kill_late(c, a, ct);
    return ct;
}

static struct rm_container *attach(struct rm_core *c, struct rm_node *n, const struct rm_container_report *r,
                                   bool registering)
{
    struct rm_app *a = rm_app_find(c, r->id.attempt.app);
    struct rm_container *ct = NULL;

    if (a && registering)
        ct = a->is_job ? attach_task(c, n, a, r) : attach_app(c, n, a, r);
    if (ct)
        return ct;
    if (r->state != RM_CONTAINER_COMPLETED)
        order_kill(c, n, &r->id, "not known to the resource manager");
    else
        order_forget(c, n, &r->id);
    return NULL;
}

void rm_container_report(struct rm_core *c, struct rm_node *n, const struct rm_container_report *r, bool registering)
{
    struct rm_container *ct = rm_container_find(c, &r->id);
    bool known = ct != NULL;

    if (!ct)
        ct = attach(c, n, r, registering);
    if (!ct || ct->node != n)
        return;
    if (ct->state == RM_CONTAINER_COMPLETED) { /* given up with its node, and its master has not heard of it yet */
        if (registering && r->state != RM_CONTAINER_COMPLETED)
            order_kill(c, n, &r->id, "its node had been given up");
        return;
    }
    rm_container_started(c, ct);
    if (r->state == RM_CONTAINER_COMPLETED) {
        rm_container_end(c, ct, r->exit_code, r->diagnostics, r);
        return;
    }
    if (ct->state == RM_CONTAINER_ALLOCATED || ct->state == RM_CONTAINER_ACQUIRED) {
        rm_container_set_state(ct, RM_CONTAINER_RUNNING);
    }
    set_progress(c, ct, reported_progress(r));
    if (!known && r->state == RM_CONTAINER_SUSPENDED && ct->task && !ct->killing)
        now_suspended(c, ct);
    if (known && registering)
        align(c, ct, r->state);
    if (known && registering && ct->killing) /* the earlier order may not have arrived */
        order_kill(c, n, &ct->id, "killed");
}
