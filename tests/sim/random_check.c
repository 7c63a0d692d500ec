/* What must hold after every random event: see random_check.h. */
#include <stdlib.h>
#include <string.h>

#include "rm/core/app/app_nodes.h"
#include "rm/core/app/kind.h"
#include "rm/core/ledger.h"
#include "tests/sim/random_check.h"

#define GIVEN_MAX (1u << 18)

static struct world_container *given; /* launches so far, by task and attempt: an open hash table */
static size_t given_n;
size_t masters_seen, mapreduce_jobs_seen;

/* ---------------------------------------------------------------- invariants */
static void check_node(const struct rm_node *n)
{
    int32_t used[BASE_TASK_KINDS] = {0}, suspended[BASE_TASK_KINDS] = {0},
            freeing[BASE_TASK_KINDS] = {0}, count = 0, masters = 0, masters_freeing = 0;

    for (const struct rm_container *ct = n->containers; ct; ct = ct->node_next) {
        bool stopped = ct->state == RM_CONTAINER_SUSPENDED;
        int32_t slots = ct->on_master_slots ? 0 : ct->slots;

        masters += ct->slots - slots;
        masters_freeing += ct->killing ? ct->slots - slots : 0;
        MUST(!ct->on_master_slots || ct->master);
        used[ct->slot] += stopped ? 0 : slots;
        suspended[ct->slot] += stopped;
        freeing[ct->slot] += !stopped && ct->killing ? slots : 0;
        count++;
        MUST(stopped == (ct->suspended_at_us != 0));
        MUST(!stopped || !ct->task || ct->task->state == RM_TASK_SUSPENDED);
        MUST(ct->node == n && ct->state != RM_CONTAINER_COMPLETED);
        MUST(rm_container_find(w.core, &ct->id) == ct);
        MUST(!ct->task || ct->task->running == ct);
    }
    MUST(count == n->containers_n);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        MUST(used[k] == n->used[k]);
        /* a node that registers again with fewer slots keeps its running containers */
        MUST(n->used[k] <= n->slots[k] || n->used[k] <= SLOTS_MAX);
        MUST(suspended[k] == n->suspended[k] && freeing[k] == n->freeing[k]);
        MUST(n->free_bucket[k] < 0 || n->state == RM_NODE_RUNNING);
    }
    MUST(masters == n->masters.used && masters_freeing == n->masters.freeing);
    MUST(n->masters.used <= n->masters.slots || n->masters.used <= SLOTS_MAX);
    MUST(n->free_bucket[RM_FREE_LIST_MASTERS] < 0 || n->state == RM_NODE_RUNNING);
    MUST(!n->registered || !n->resource_given || !n->overcommit_at_us ||
         n->overcommit_at_us > w.now || masters - masters_freeing <= n->masters.slots);
    MUST(!n->registered ||
         (n->state == RM_NODE_DECOMMISSIONING) == (n->draining || n->decommissioning));
    MUST(n->registered || !n->containers);
    /* Once the overcommit time is over, every container that is not being killed has a slot, even
     * if an earlier RM set that time. */
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        MUST(!n->registered || !n->resource_given || !n->overcommit_at_us ||
             n->overcommit_at_us > w.now || n->used[k] - n->freeing[k] <= n->slots[k]);
}

/* Checks a MapReduce application: what policies see of its maps and reduces. */
static void check_mapreduce(const struct rm_app *a)
{
    const struct rm_mapreduce *m = &a->mapreduce;
    int32_t failed[BASE_TASK_KINDS] = {0};

    MUST(m->applies || !a->pj.is_job);
    MUST(a->pj.never_suspended == a->pj.is_job && !(m->waits && a->pj.is_job));
    for (size_t i = 0; i < a->news_n; i++)
        if (a->news[i]->state == RM_CONTAINER_COMPLETED && a->news[i]->exit_code != 0)
            failed[a->news[i]->slot] += a->news[i]->slots;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        MUST(a->pj.is_job || (!m->done[k] && !m->owed[k]));
        MUST(m->done[k] >= 0 && m->owed[k] >= 0);
    }
    if (!a->in_policy || !rm_app_is_live(a))
        return;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        const struct policy_phase *is = &a->pj.phase[k], now = a->kind->demand(a, k);

        MUST(is->total == now.total && is->pending == now.pending && is->running == now.running &&
             is->done == now.done && is->pending_tasks == now.pending_tasks);
        MUST(is->total >= is->pending + is->running + is->done);
        MUST(m->owed[k] <= failed[k]);
    }
    if (a->pj.is_job)
        MUST((a->pj.maps_done_us != 0) ==
             (!a->asked_slots[BASE_TASK_MAP] && !a->phase[BASE_TASK_MAP].running &&
              !m->owed[BASE_TASK_MAP]));
    mapreduce_jobs_seen += a->pj.is_job;
}

/* Checks a plain application: the counts that policies see match its asks and containers. */
static void check_master(const struct rm_app *a)
{
    const struct rm_attempt *at = a->attempts_n ? &a->attempts[a->attempts_n - 1] : NULL;
    int64_t asked[BASE_TASK_KINDS] = {0};
    int32_t running[BASE_TASK_KINDS] = {0};
    size_t rows = 0;

    for (size_t i = 0; i < a->asks_n; i++) {
        const struct rm_ask_group *g = a->asks[i];

        asked[g->slot] += g->any_given ? g->any : g->named;
        rows += g->rows_n;
        MUST((g->any_given ? g->any : g->named) > 0);
    }
    for (const struct rm_container *ct = a->containers; ct; ct = ct->app_next)
        running[ct->slot] += ct->master ? 0 : ct->slots;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        MUST(asked[k] == a->asked[k] && running[k] == a->phase[k].running);
    MUST(rows == a->ask_rows);
    /* asks sent to an earlier RM do not count until the master has registered again */
    MUST(!at || !at->reregister || !a->asks_n);
    MUST(!at || !at->master || (at->master->master && at->master->state != RM_CONTAINER_COMPLETED));
    for (size_t i = 0; i < a->news_n; i++)
        for (size_t j = 0; j < i; j++)
            MUST(a->news[i] != a->news[j]);
    check_mapreduce(a);
}

static void check_app(const struct rm_app *a)
{
    int64_t live = 0, progress[BASE_TASK_KINDS] = {0};

    for (const struct rm_container *ct = a->containers; ct; ct = ct->app_next) {
        live++;
        MUST(ct->app == a);
        if (ct->task)
            progress[ct->slot] += ct->progress;
    }
    MUST(live == a->containers_n);
    MUST(!rm_app_state_is_final(a->state) || !a->in_policy);
    if (!a->is_job)
        check_master(a);
    for (enum base_task_kind k = 0; a->is_job && k < BASE_TASK_KINDS; k++) {
        const struct rm_phase *p = &a->phase[k];
        int32_t n[RM_TASK_STATES] = {0}, kept = 0;

        if (!p->tasks) { /* recovered without its tasks */
            MUST(a->pruned && (rm_app_state_is_final(a->state) || a->state == RM_APP_FINAL_SAVING));
            continue;
        }

        for (int32_t i = 0; i < p->total; i++) {
            const struct rm_task *t = &p->tasks[i];

            n[t->state]++;
            kept += t->state == RM_TASK_PENDING && t->commit_attempt >= 0;
            MUST((t->state == RM_TASK_RUNNING || t->state == RM_TASK_SUSPENDED) ==
                 (t->running != NULL));
            MUST(!t->running || t->commit_attempt < 0 || t->commit_attempt == t->last_attempt);
            if (p->bits && a->state != RM_APP_FINAL_SAVING) /* in that state no task starts */
                MUST((p->bits[i / 64] >> (i % 64) & 1) ==
                     (t->state == RM_TASK_PENDING && t->commit_attempt < 0));
        }
        MUST(n[RM_TASK_PENDING] == p->pending && n[RM_TASK_RUNNING] == p->running &&
             n[RM_TASK_SUCCEEDED] == p->succeeded && n[RM_TASK_SUSPENDED] == p->suspended);
        if (!rm_app_state_is_final(a->state) && a->state != RM_APP_FINAL_SAVING)
            MUST(kept == p->kept && (!kept || w.core->awaited));
        MUST(progress[k] == p->progress);
        MUST(a->final_status != RM_FINAL_SUCCEEDED || p->succeeded == p->total);
    }
}

static bool holds_nothing(void)
{
    const char *name = w.core->ops->name;

    return strcmp(name, "fifo") == 0 || strcmp(name, "naive-fair") == 0;
}

/* Checks the counts of the queues, and that every scheduled application is in one. */
static void check_queues(void)
{
    int64_t active = 0, pending = 0, containers = 0, memory = 0, wants = 0;

    MUST(w.core->queues_n == w.core->tree.n && w.core->tree.n <= POLICY_QUEUES_MAX);
    for (size_t i = 0; i < w.core->queues_n; i++) {
        MUST(w.core->queues[i].active_apps >= 0 && w.core->queues[i].pending_apps >= 0);
        active += w.core->queues[i].active_apps;
        pending += w.core->queues[i].pending_apps;
        MUST(w.core->queues[i].containers >= 0 && w.core->queues[i].used.v[RM_RES_MEMORY_MB] >= 0);
        containers += w.core->queues[i].containers;
        memory += w.core->queues[i].used.v[RM_RES_MEMORY_MB];
        for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
            MUST(w.core->queues[i].pending[k] >= 0);
            wants += w.core->queues[i].pending[k];
        }
    }
    for (size_t i = 0; i < w.core->apps_n; i++) {
        const struct rm_app *a = w.core->apps[i];

        MUST(!a->in_policy ||
             ((size_t)a->pj.queue < w.core->tree.n && a->queue_index == (uint32_t)a->pj.queue));
        if (a->queue_index == RM_NONE)
            continue;
        active -= a->state == RM_APP_RUNNING || a->state == RM_APP_KILLING ||
                  a->state == RM_APP_FINISHING || (a->state == RM_APP_ACCEPTED && a->containers_n);
        pending -=
            a->state == RM_APP_SUBMITTED || (a->state == RM_APP_ACCEPTED && !a->containers_n);
        containers -= a->containers_n;
        memory -= a->allocated.v[RM_RES_MEMORY_MB];
        wants -= a->pj.phase[BASE_TASK_MAP].pending + a->pj.phase[BASE_TASK_REDUCE].pending;
    }
    MUST(active == 0 && pending == 0 && containers == 0 && memory == 0 && wants == 0);
}

static bool every_request_is_wider(int k, int32_t slots)
{
    for (size_t i = 0; i < w.core->apps_n; i++) {
        const struct rm_app *a = w.core->apps[i];

        if (a->in_policy && a->pj.phase[k].pending > 0 && policy_job_width(&a->pj, k) <= slots)
            return false;
    }
    return true;
}

static void check_sums(void)
{
    int32_t runnable[BASE_TASK_KINDS] = {0};
    int64_t masters = 0;
    bool avoiding = false;

    for (size_t i = 0; i < w.core->apps_n; i++) {
        const struct rm_app *a = w.core->apps[i];

        masters += a->activated ? a->master_slots : 0;
        for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
            runnable[k] += a->in_policy && a->pj.phase[k].pending > 0;
            avoiding = avoiding || (a->in_policy && a->phase[k].avoiding);
        }
    }
    for (size_t i = 0; i < w.core->labels.n; i++)
        masters -= w.core->labels.v[i].masters_active;
    MUST(masters == w.core->masters_active);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        MUST(runnable[k] == w.core->runnable[k]);
        for (int b = 1; strict && holds_nothing() && !avoiding && !w.core->labels.n &&
                        runnable[k] && b < RM_FREE_BUCKETS;
             b++)
            /* Work to do, and a node with free slots that could launch at once: only if they are
             * held for a wide request, or too few for any that waits and may use the node. */
            for (const struct rm_node *n = w.core->free_first[k][b]; n; n = n->free_next[k])
                MUST(n->reserved[k] || every_request_is_wider(k, n->slots[k] - n->used[k]));
    }
}

static bool any_wide_master_waits(void)
{
    for (size_t i = 0; i < w.core->apps_n; i++)
        if (w.core->apps[i]->waits && w.core->apps[i]->master_slots > 1)
            return true;
    return false;
}

/* Checks that no master waits for master slots while a node that could launch it has enough free
 * ones, and that none wants map slots while a node offers enough master slots. */
static void check_waiting_masters(void)
{
    /* for a wide one a node may be held; fair's limits may hold applications back */
    bool work_conserving = !any_wide_master_waits() && !w.core->ops->may_start;

    for (size_t i = 0; i < w.core->apps_n; i++) {
        const struct rm_app *a = w.core->apps[i];
        const struct rm_attempt *at = a->attempts_n ? &a->attempts[a->attempts_n - 1] : NULL;
        bool scheduled = at && at->state == RM_ATTEMPT_SCHEDULED && a->in_policy, offered = false;

        for (size_t j = 0; scheduled && j < w.core->nodes_n; j++) {
            const struct rm_node *n = w.core->nodes[j];

            if (!n || !rm_node_serves_label(n, a->am_label))
                continue;
            offered =
                offered || ((n->counted || n->awaited) && n->masters.slots >= a->master_slots);
            if (a->waits && work_conserving)
                MUST(!n->parked || n->state != RM_NODE_RUNNING ||
                     n->masters.used >= n->masters.slots);
        }
        MUST(!offered || (!a->activated && !a->pj.phase[BASE_TASK_MAP].pending));
        MUST(!at || !at->on_master_slots || !a->activated);
        masters_seen += at && at->master && at->on_master_slots;
    }
}

static void check_capacity(void)
{
    struct policy_capacity all = {0};

    for (size_t i = 0; i < w.core->nodes_n; i++) {
        const struct rm_node *n = w.core->nodes[i];

        if (!n || n->state != RM_NODE_RUNNING || !n->registered)
            continue;
        all.nodes++;
        for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
            all.slots[k] += n->slots[k];
            all.used[k] += n->used[k];
            all.freeing[k] += n->freeing[k];
        }
    }
    MUST(all.nodes == w.core->capacity.nodes);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        MUST(all.slots[k] == w.core->capacity.slots[k] && all.used[k] == w.core->capacity.used[k] &&
             all.freeing[k] == w.core->capacity.freeing[k]);
}

static bool before(const struct rm_app *a, const struct rm_app *b)
{
    if (a->pj.priority != b->pj.priority)
        return a->pj.priority > b->pj.priority;
    if (a->pj.submit_us != b->pj.submit_us)
        return a->pj.submit_us < b->pj.submit_us;
    return base_app_id_cmp(&a->id, &b->id) < 0;
}

/* Checks that rm_asks_match_node_label(), which relies on counts kept for @a, agrees for every node
 * with a walk through the asks. */
static void check_asks_may_use_nodes(const struct rm_app *a)
{
    const struct rm_attempt *at = rm_app_newest_attempt(a);

    for (size_t j = 0; at && at->state == RM_ATTEMPT_RUNNING && j < w.core->nodes_n; j++)
        for (enum base_task_kind k = 0; w.core->nodes[j] && k < BASE_TASK_KINDS; k++) {
            bool may = false;

            for (size_t i = 0; i < a->asks_n && !may; i++)
                may = a->asks[i]->slot == k &&
                      rm_node_serves_label(w.core->nodes[j], a->asks[i]->label);
            MUST(rm_asks_match_node_label(a, k, w.core->nodes[j]) == may);
        }
}

/* Checks that labels send each task and master to nodes that may serve it, and that the demand of
 * each label is counted correctly. */
static void check_labels(void)
{
    const struct rm_labels *l = &w.core->labels;

    for (size_t i = 0; l->n && i < w.step_launches_n; i++) {
        const struct rm_container *ct = rm_container_find(w.core, &w.step_launches[i].id);

        if (ct && ct->start_us == w.now && (ct->app->is_job || ct->master))
            MUST(rm_node_serves_label(ct->node, ct->app->am_label));
    }
    for (size_t i = 0; i < l->n; i++) {
        int64_t wanted[BASE_TASK_KINDS] = {0}, slots[BASE_TASK_KINDS] = {0};

        for (size_t j = 0; j < w.core->apps_n; j++) {
            const struct rm_app *a = w.core->apps[j];

            if (i == 0)
                check_asks_may_use_nodes(a);
            for (size_t d = 0; d < a->label_demand_n; d++)
                for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
                    if (a->label_demand[d].label == i + 1)
                        wanted[k] += a->label_demand[d].counted[k];
        }
        for (size_t j = 0; j < w.core->nodes_n; j++) {
            const struct rm_node *n = w.core->nodes[j];

            for (enum base_task_kind k = 0; n && n->label == i + 1 && k < BASE_TASK_KINDS; k++)
                slots[k] += n->counted ? n->slots[k] : 0;
        }
        for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
            MUST(wanted[k] == l->v[i].wanted[k] && slots[k] == l->v[i].slots[k]);
    }
}

/* Checks that under FIFO no job gets a slot while an earlier job wants one of that kind. Jobs with
 * wide tasks are left out: they get slots that were held for them, and pass over those that do not
 * fit. */
static void check_fifo(void)
{
    if (!strict || strcmp(w.core->ops->name, "fifo") != 0 || w.core->labels.n)
        return;
    for (size_t i = 0; i < w.step_launches_n; i++) {
        const struct world_launch *l = &w.step_launches[i];
        const struct rm_app *b = l->job ? rm_app_find(w.core, l->task.app) : NULL;
        int k = l->task.kind;
        const struct rm_container *ct = rm_container_find(w.core, &l->id);

        /* the launch was in a repeated answer, or of a wide task */
        if (!b || !ct || ct->start_us != w.now || ct->slots > 1)
            continue;
        for (size_t j = 0; j < w.core->apps_n; j++) {
            const struct rm_app *a = w.core->apps[j];

            /* a plain application is activated only after the slots of this step were offered */
            if (!a->is_job)
                continue;
            if (a != b && a->in_policy && before(a, b) && !a->phase[k].avoiding &&
                a->pj.widest[k] <= 1)
                MUST(a->pj.phase[k].pending <= 0);
        }
    }
}

/* ---------------------------------------------------------------- what a new leader must not do */
static bool same_task(const struct base_task_id *a, const struct base_task_id *b)
{
    return a->kind == b->kind && a->index == b->index && base_app_id_cmp(&a->app, &b->app) == 0;
}

static uint64_t attempt_hash(const struct base_task_id *t, int32_t attempt)
{
    uint64_t x = (uint64_t)t->app.cluster_ts * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)t->app.seq;

    return base_hash_mix((x ^ (uint64_t)t->kind << 62 ^ (uint64_t)(uint32_t)t->index << 32) +
                         (uint64_t)attempt);
}

void check_begin(void)
{
    if (!given)
        given = base_alloc(GIVEN_MAX * sizeof *given);
    memset(given, 0, GIVEN_MAX * sizeof *given);
    given_n = 0;
}

void check_end(void)
{
    free(given);
    given = NULL;
}

/* Checks that an attempt, and with it the name of a temporary folder, is assigned to one container
 * only, whichever RM leads. */
static void check_given(const struct world_container *ct)
{
    size_t i = attempt_hash(&ct->task, ct->attempt) % GIVEN_MAX;

    while (given[i].has_task) {
        if (same_task(&given[i].task, &ct->task) && given[i].attempt == ct->attempt) {
            MUST(base_container_id_cmp(&given[i].id, &ct->id) == 0);
            return;
        }
        i = (i + 1) % GIVEN_MAX;
    }
    MUST(++given_n < GIVEN_MAX / 2);
    given[i] = *ct;
}

/* Checks the nodes themselves: the running containers fit into the slots, and no two containers are
 * the same attempt. */
static void check_world(void)
{
    for (size_t i = 0; i < w.nodes_n; i++) {
        int32_t live[BASE_TASK_KINDS] = {0}, masters = 0;

        for (size_t j = 0; j < w.nodes[i].n; j++) {
            const struct world_container *ct = &w.nodes[i].v[j];

            live[ct->slot] += !ct->master && !ct->ended && !ct->suspended;
            masters += ct->master && !ct->ended;
            if (ct->has_task)
                check_given(ct);
        }
        for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
            MUST(live[k] <= SLOTS_MAX);
        MUST(masters <= 2 * SLOTS_MAX); /* in map slots, and in slots for masters alone */
    }
}

void check_right(struct world_container *it)
{
    for (size_t i = 0; i < w.nodes_n; i++) {
        const struct rm_node *n = rm_node_find(w.core, w.nodes[i].id);

        for (size_t j = 0; j < w.nodes[i].n; j++) {
            struct world_container *ct = &w.nodes[i].v[j];

            if (ct == it || !ct->may_commit || ct->ended || !same_task(&ct->task, &it->task))
                continue;
            /* only an attempt on a node that was given up may still have the right */
            MUST(!n || (n->state == RM_NODE_LOST || n->state == RM_NODE_SHUTDOWN ||
                        n->state == RM_NODE_REBOOTED || n->state == RM_NODE_DECOMMISSIONED));
        }
    }
    it->may_commit = true;
}

static void count_ref(int64_t *refs, uint32_t node)
{
    MUST(node < w.core->nodes_n && w.core->nodes[node]);
    refs[node]++;
}

/* Checks that no node is forgotten while something refers to it, and that the nodes that may be
 * forgotten are all in the list, in the order in which they left. */
static void check_refs(void)
{
    struct rm_core *c = w.core;
    int64_t *refs = base_alloc((c->nodes_n + 1) * sizeof *refs), since_us = 0;
    size_t gone = 0, held = 0;

    for (size_t i = 0; i < c->containers_by_id.cap; i++)
        if (c->containers_by_id.slot[i].object)
            count_ref(refs,
                      ((struct rm_container *)c->containers_by_id.slot[i].object)->node->index);
    for (size_t i = 0; i < c->apps_n; i++) {
        const struct rm_app *a = c->apps[i];

        for (uint32_t n = 0; n < a->nodes_words * 64; n++)
            if (rm_app_has_used_node(a, n))
                count_ref(refs, n);
        MUST(!rm_app_state_is_final(a->state) || a->containers || !a->nodes_words);
        for (enum base_task_kind k = 0; !rm_app_state_is_final(a->state) && k < BASE_TASK_KINDS;
             k++)
            for (int32_t j = 0; a->phase[k].tasks && j < a->phase[k].total; j++) {
                const struct rm_task *t = &a->phase[k].tasks[j];

                MUST(t->node == RM_NONE || rm_app_has_used_node(a, t->node));
                for (uint32_t b = 1; t->bad && b <= t->bad[0]; b++)
                    MUST(rm_app_has_used_node(a, t->bad[b]));
            }
    }
    for (const struct rm_node *n = c->gone; n; n = n->gone_next, gone++) {
        MUST(n->gone && n->gone_us >= since_us);
        since_us = n->gone_us;
    }
    MUST(gone == c->gone_n);
    for (size_t i = 0; i < c->nodes_n; i++) {
        const struct rm_node *n = c->nodes[i];

        if (!n)
            continue;
        held++;
        MUST(n->refs == refs[i] && n->index == i);
        MUST(n->gone == (!n->registered && !n->awaited && !n->refused && !n->refs && !n->unseen));
        MUST(strcmp(c->hosts.v[n->host], n->host_name) == 0 &&
             strcmp(c->racks.v[n->rack], n->rack_name) == 0);
    }
    MUST(held == c->nodes_by_id.n && held + c->nodes_free_n == c->nodes_n);
    free(refs);
}

void check(bool all)
{
    check_world();
    check_fifo();
    check_labels();
    check_sums();
    check_capacity();
    check_waiting_masters();
    check_queues();
    rm_ledger_check(w.core);
    MUST(w.core->stats.fallbacks == 0);
    for (size_t i = 0; all && i < w.core->nodes_n; i++)
        if (w.core->nodes[i])
            check_node(w.core->nodes[i]);
    if (all)
        check_refs();
    for (size_t i = 0; all && i < w.core->apps_n; i++)
        check_app(w.core->apps[i]);
}
