/* Plain copies for readers: cluster, nodes, queues, tasks, map outputs. Applications, attempts and
 * containers: rm/core/view/app_view.c. */
#include "rm/core/view/view.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "policies/common/queue_acl.h"
#include "rm/core/job/job.h"
#include "rm/core/job/task_attempt.h"
#include "rm/core/master/turns.h"
#include "rm/core/state.h"
#include "rm/core/view/view_internal.h"

void *rm_view_alloc(struct rm_views *v, size_t n)
{
    if (!v->arena)
        v->arena = base_alloc(sizeof *v->arena);
    return memset(rm_step_arena_alloc(&v->arena->memory, n), 0, n);
}

char *rm_view_copy_text(struct rm_views *v, const char *s)
{
    size_t n;
    char *copy;

    if (!s)
        return NULL;
    if (!v->arena)
        v->arena = base_alloc(sizeof *v->arena);
    n = strlen(s);
    copy = rm_step_arena_alloc(&v->arena->memory, n + 1);
    memcpy(copy, s, n + 1);
    return copy;
}

void rm_views_free(struct rm_views *v)
{
    for (size_t i = 0; i < v->apps_n; i++) {
        rm_job_spec_unref(v->apps[i].job);
        rm_app_spec_unref(v->apps[i].app);
    }
    free(v->apps);
    free(v->attempts);
    free(v->containers);
    free(v->nodes);
    free(v->tasks);
    free(v->queues);
    free(v->queue_users);
    free(v->outputs);
    free(v->rounds);
    free(v->turns);
    free(v->labels);
    free(v->label_uses);
    free(v->node_labels);
    free(v->partitions);
    free(v->reservations);
    if (v->arena)
        rm_step_arena_free(&v->arena->memory);
    free(v->arena);
    *v = (struct rm_views){0};
}

/* Arrays of views have no stored capacity: they grow when their length is a power of two. */
void *rm_view_array_reserve_one(void *v, size_t n, size_t el)
{
    if (n == 0)
        return base_realloc_array(NULL, 8, el);
    if (n >= 8 && (n & (n - 1)) == 0)
        return base_realloc_array(v, n * 2, el);
    return v;
}

/* ---------------------------------------------------------------- cluster */
static void sum_queue_counts(const struct rm_core *c, struct rm_cluster_view *out)
{
    for (size_t i = 0; i < c->queues_n; i++) {
        out->apps_pending += c->queues[i].pending_apps;
        out->apps_running += c->queues[i].active_apps;
        out->containers_pending += c->queues[i].pending_containers;
        for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
            for (int r = RM_RES_MEMORY_MB; r <= RM_RES_VCORES; r++)
                out->pending.v[r] += c->queues[i].pending[k] * c->conf.slot_res[k].v[r];
        }
        out->pending.v[RM_RES_MAP_SLOTS] += c->queues[i].pending[BASE_TASK_MAP];
        out->pending.v[RM_RES_REDUCE_SLOTS] += c->queues[i].pending[BASE_TASK_REDUCE];
    }
}

/* Adds the requests for which slots of @n are reserved. */
static void add_reservations(const struct rm_core *c, const struct rm_node *n,
                             struct rm_cluster_view *out)
{
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        struct rm_res r;

        if (!n->reserved[k])
            continue;
        r = rm_resource_of_slots(c, k, n->reserved[k]->wide[k].slots);
        out->containers_reserved++;
        for (int i = 0; i < RM_RES_NAMES; i++)
            out->reserved.v[i] += r.v[i];
    }
}

/* The fair policy names its victims in its timer, and only if an option says so. */
static bool policy_preempts(const struct rm_core *c)
{
    if (c->ops->victims)
        return true;
    for (const struct policy_option *o = c->ops->options; o && o->name; o++)
        if (strcmp(o->name, "fair.preemption") == 0)
            return policy_conf_bool(&c->options, c->ops->options, o->name);
    return false;
}

void rm_view_cluster(const struct rm_core *c, struct rm_cluster_view *out)
{
    *out = (struct rm_cluster_view){.max_capability = rm_max_capability(c, true),
                                    .queue_apps_max = c->conf.queue_apps_max,
                                    .user_apps_max = c->conf.user_apps_max,
                                    .preempts = policy_preempts(c)};
    memcpy(out->slot, c->conf.slot_res, sizeof out->slot);
#define COPY(type, name, from) out->name = from;
    RM_CLUSTER_FIGURES(COPY)
#undef COPY
    memcpy(out->apps_results, c->stats.results, sizeof out->apps_results);
    sum_queue_counts(c, out);
    for (size_t i = 0; i < c->nodes_n; i++) {
        const struct rm_node *n = c->nodes[i];

        if (!n)
            continue;
        out->nodes[n->state]++;
        out->containers_allocated += n->containers_n;
        for (int r = 0; r < RM_RES_NAMES; r++) {
            out->total.v[r] += n->state == RM_NODE_RUNNING           ? n->total.v[r]
                               : n->state == RM_NODE_DECOMMISSIONING ? n->used_res.v[r]
                                                                     : 0;
        }
        for (int r = RM_RES_MEMORY_MB; r <= RM_RES_VCORES; r++)
            out->used.v[r] += n->used_res.v[r];
        out->used.v[RM_RES_MAP_SLOTS] += n->used[BASE_TASK_MAP];
        out->used.v[RM_RES_REDUCE_SLOTS] += n->used[BASE_TASK_REDUCE];
        add_reservations(c, n, out);
    }
}

/* ---------------------------------------------------------------- nodes */
static void copy_node(const struct rm_core *c, const struct rm_node *n, struct rm_views *out)
{
    struct rm_node_view *v;

    out->nodes = rm_view_array_reserve_one(out->nodes, out->nodes_n, sizeof *out->nodes);
    v = &out->nodes[out->nodes_n++];
    *v = (struct rm_node_view){
        .id = rm_view_copy_text(out, n->id),
        .host = rm_view_copy_text(out, n->host_name),
        .http_address = rm_view_copy_text(out, n->http ? n->http : ""),
        .rack = n->unseen ? NULL : rm_view_copy_text(out, n->rack_name),
        .version = rm_view_copy_text(out, n->version ? n->version : ""),
        .health_report = rm_view_copy_text(out, n->health_report ? n->health_report : ""),
        .label = rm_view_copy_text(out, rm_labels_name(&c->labels, n->label)),
        .state = n->state,
        .draining = n->draining,
        .decommissioning = n->decommissioning,
        .decommission_at_us = n->decommission_at_us,
        .last_heartbeat_us = n->last_us,
        .containers = n->containers_n,
        .master_slots = n->masters.slots,
        .used_master_slots = n->masters.used,
        .total = n->total,
        .used = n->used_res,
        .utilization = n->utilization};
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        v->slots[k] = n->slots[k];
        v->used_slots[k] = n->used[k];
    }
    v->used.v[RM_RES_MAP_SLOTS] = n->used[BASE_TASK_MAP];
    v->used.v[RM_RES_REDUCE_SLOTS] = n->used[BASE_TASK_REDUCE];
}

bool rm_view_nodes(const struct rm_core *c, size_t *pos, size_t max, struct rm_views *out)
{
    for (; *pos < c->nodes_n && max; ++*pos)
        if (c->nodes[*pos]) {
            copy_node(c, c->nodes[*pos], out);
            max--;
        }
    return *pos < c->nodes_n;
}

int rm_view_node(const struct rm_core *c, const char *node_id, struct rm_views *out)
{
    const struct rm_node *n = rm_node_find(c, node_id);

    if (!n)
        return -BASE_ENOTFOUND;
    copy_node(c, n, out);
    return 0;
}

/* ---------------------------------------------------------------- queues */
static const char *queue_order_name(enum policy_queue_order o)
{
    return o == POLICY_QUEUE_FIFO ? "fifo" : o == POLICY_QUEUE_DRF ? "drf" : "fair";
}

/* Returns the resources of slots[k] slots of each kind k. */
static struct rm_res slots_as_resource(const struct rm_core *c,
                                       const int64_t slots[BASE_TASK_KINDS])
{
    struct rm_res out = {{0}};

    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        for (int r = RM_RES_MEMORY_MB; r <= RM_RES_VCORES; r++)
            out.v[r] += slots[k] * c->conf.slot_res[k].v[r];
    out.v[RM_RES_MAP_SLOTS] = slots[BASE_TASK_MAP];
    out.v[RM_RES_REDUCE_SLOTS] = slots[BASE_TASK_REDUCE];
    return out;
}

static void fill_queue_counts(const struct rm_core *c, size_t i, struct rm_queue_view *v)
{
    const struct rm_queue *q = &c->queues[i];

    v->pending_apps = q->pending_apps;
    v->active_apps = q->active_apps;
    v->pending_containers = q->pending_containers;
    v->allocated_containers = q->containers;
    v->used = q->used;
    v->totals = q->totals;
    v->demand = slots_as_resource(c, q->pending);
    for (int r = 0; r < RM_RES_NAMES; r++)
        v->demand.v[r] += q->used.v[r];
}

/* Without nodes, only a limit in percent can be expressed as a part of the cluster. */
static double max_as_fraction_of_cluster(const struct rm_core *c, const struct policy_limit *max,
                                         const struct rm_res *slots, const struct rm_res *total)
{
    int64_t all = total->v[RM_RES_MEMORY_MB];
    double part = 1;

    if (!max->given || (all == 0 && max->percent[0] < 0 && max->percent[1] < 0))
        return 1;
    part = policy_limit_fraction(max, &c->capacity);
    if (part < 0)
        part = (double)slots->v[RM_RES_MEMORY_MB] / (double)all;
    return part < 1 ? part : 1;
}

/* @total: slots that policies count; @most: also memory and vcores of slots for masters alone */
static void fill_queue_limits(const struct rm_core *c, const struct policy_queue *q,
                              const struct rm_res *total, const struct rm_res *most,
                              struct rm_queue_view *v)
{
    int64_t min[BASE_TASK_KINDS], max[BASE_TASK_KINDS];

    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        min[k] = policy_limit_to_slots(&q->min, k, &c->capacity, 0);
        max[k] = policy_limit_to_slots(&q->max, k, &c->capacity, c->capacity.slots[k]);
    }
    v->min = slots_as_resource(c, min);
    v->max = q->max.given ? slots_as_resource(c, max) : *most;
    v->weight = q->weight;
    v->max_apps = q->max_running;
    v->preemptable = q->preempt;
    v->is_parent = q->is_parent;
    v->is_dynamic = q->dynamic;
    v->max_part = max_as_fraction_of_cluster(c, &q->max, &v->max, total);
}

/* Sets the fair share: as the policy says, or the cluster divided by @siblings, the number of
 * queues in the same parent, including this one. */
static void fill_queue_fair_share(const struct rm_core *c, size_t i, const struct rm_res *total,
                                  int64_t siblings, struct rm_queue_view *v)
{
    int64_t share[BASE_TASK_KINDS], demand[BASE_TASK_KINDS];

    if (c->ops->queue_share && c->ops->queue_share(c->policy, (int32_t)i, share, demand)) {
        v->fair_share = slots_as_resource(c, share);
        return;
    }
    for (int r = 0; r < RM_RES_NAMES; r++)
        v->fair_share.v[r] = total->v[r] / siblings;
}

static void add_queue_counts(struct rm_queue_view *to, const struct rm_queue_view *v)
{
    to->pending_apps += v->pending_apps;
    to->active_apps += v->active_apps;
    to->pending_containers += v->pending_containers;
    to->allocated_containers += v->allocated_containers;
    for (int r = 0; r < RM_RES_NAMES; r++) {
        to->used.v[r] += v->used.v[r];
        to->demand.v[r] += v->demand.v[r];
    }
    rm_totals_add(&to->totals, &v->totals);
}

bool rm_view_submission_needs_groups(const struct rm_core *c, const char *queue, const char *user)
{
    return rm_queue_submission_needs_groups(c, queue, user);
}

const struct policy_queues *rm_view_queue_tree(const struct rm_core *c)
{
    return &c->tree;
}

void rm_view_queues(const struct rm_core *c, struct rm_views *out)
{
    int64_t *slots = (int64_t[BASE_TASK_KINDS]){c->capacity.slots[BASE_TASK_MAP],
                                                c->capacity.slots[BASE_TASK_REDUCE]};
    struct rm_res total = slots_as_resource(c, slots), most = total;
    size_t n = c->tree.n, kept = 0;
    struct rm_queue_view *all = base_alloc(n * sizeof *all);
    int32_t *place = base_alloc(n * sizeof *place), *inside = base_alloc(n * sizeof *inside);

    for (int r = RM_RES_MEMORY_MB; r <= RM_RES_VCORES; r++)
        most.v[r] += c->master_slots.slots * c->conf.slot_res[BASE_TASK_MAP].v[r];
    for (size_t i = 0; i < n; i++) {
        fill_queue_counts(c, i, &all[i]);
        if (i) /* root has no parent */
            inside[c->tree.v[i].parent]++;
    }
    for (size_t i = n - 1; i > 0; i--) { /* children before their parents */
        place[i] = place[i] || c->tree.v[i].configured || all[i].pending_apps ||
                   all[i].active_apps || all[i].allocated_containers;
        place[c->tree.v[i].parent] |= place[i];
        add_queue_counts(&all[c->tree.v[i].parent], &all[i]);
    }
    for (size_t i = 0; i < n; i++) {
        const struct policy_queue *q = &c->tree.v[i];
        struct rm_queue_view *v = &all[kept];

        if (i && !place[i]) /* neither configured nor in use */
            continue;
        if (kept < i)
            *v = all[i];
        v->name = rm_view_copy_text(out, q->name);
        v->index = (int32_t)i;
        v->state = rm_queue_state_name(q, v->pending_apps + v->active_apps);
        v->acl_submit =
            rm_view_copy_text(out, policy_queue_get_acl(&c->tree, (int32_t)i, POLICY_QUEUE_SUBMIT));
        v->acl_admin = rm_view_copy_text(
            out, policy_queue_get_acl(&c->tree, (int32_t)i, POLICY_QUEUE_ADMINISTER));
        v->parent = i ? place[q->parent] : -1;
        v->depth = i ? all[v->parent].depth + 1 : 0;
        v->policy =
            rm_view_copy_text(out, c->ops->queue_share ? queue_order_name(q->order) : c->ops->name);
        fill_queue_limits(c, q, &total, &most, v);
        fill_queue_fair_share(c, i, &total, i ? inside[q->parent] : 1, v);
        place[i] = (int32_t)kept++;
    }
    free(place);
    free(inside);
    free(out->queues);
    out->queues = all;
    out->queues_n = kept;
}

/* ---------------------------------------------------------------- tasks */
static double task_progress(const struct rm_task *t)
{
    if (t->state == RM_TASK_SUCCEEDED)
        return 1;
    return t->running ? rm_progress_capped_until_ended(
                            (double)t->running->progress / RM_PROGRESS_ONE, false)
                      : 0;
}

static struct rm_task_view *copy_task(const struct rm_core *c, const struct rm_app *a,
                                      const struct rm_task *t, struct rm_views *out)
{
    const struct rm_node *n = rm_task_latest_node(c, a, t);
    struct rm_task_view *v;

    out->tasks = rm_view_array_reserve_one(out->tasks, out->tasks_n, sizeof *out->tasks);
    v = &out->tasks[out->tasks_n++];
    *v = (struct rm_task_view){
        .id = {a->id, t->kind, t->index},
        .state = (enum rm_task_state)t->state,
        .progress = task_progress(t),
        .attempts = t->attempts,
        .container = {{a->id, 1}, t->container_num},
        .has_container = t->container_num != 0,
        .node_id = n ? rm_view_copy_text(out, n->id) : NULL,
        .node_http = n ? rm_view_copy_text(out, n->http ? n->http : "") : NULL,
        .diagnostics = rm_view_copy_text(out, t->diagnostics ? t->diagnostics : ""),
        .start_us = t->start_us,
        .finish_us = t->finish_us,
        .suspended_us = t->suspended_us,
        .exit_code = t->attempts ? t->exit_code : RM_EXIT_INVALID,
        .last_attempt = t->last_attempt,
        .coming_attempt = t->state == RM_TASK_PENDING && rm_app_is_live(a)
                              ? rm_task_next_attempt_number(a, t)
                              : -1,
        .rack = n ? rm_view_copy_text(out, n->rack_name) : NULL,
        .first_start_us = t->past_n ? t->past[0].start_us : t->start_us};
    return v;
}

/* Copies the attempts of @t that have ended without success. */
static void copy_past_attempts(const struct rm_core *c, const struct rm_app *a,
                               const struct rm_task *t, struct rm_task_view *v,
                               struct rm_views *out)
{
    struct rm_past_attempt_view *past;

    if (!t->past_n)
        return;
    past = rm_view_alloc(out, t->past_n * sizeof *past);
    for (int i = 0; i < t->past_n; i++) {
        const struct rm_past_attempt *p = &t->past[i];
        const struct rm_node *n = rm_task_node_unless_forgotten(c, a, p->node);

        past[i] = (struct rm_past_attempt_view){
            .number = p->number,
            .exit_code = p->exit_code,
            .killed = p->killed,
            .container = {{a->id, 1}, p->container_num},
            .node_id = n ? rm_view_copy_text(out, n->id) : NULL,
            .node_http = n ? rm_view_copy_text(out, n->http ? n->http : "") : NULL,
            .rack = n ? rm_view_copy_text(out, n->rack_name) : NULL,
            .start_us = p->start_us,
            .finish_us = p->finish_us};
    }
    v->past = past;
    v->past_n = t->past_n;
}

int rm_view_task(const struct rm_core *c, const struct base_task_id *id, struct rm_views *out)
{
    struct rm_app *a = rm_app_find(c, id->app);
    const struct rm_task *t = a && a->is_job ? rm_task_find(a, id->kind, id->index) : NULL;
    const int64_t *counters;
    struct rm_task_view *v;

    if (!t)
        return -BASE_ENOTFOUND;
    v = copy_task(c, a, t, out);
    copy_past_attempts(c, a, t, v, out);
    counters = t->state == RM_TASK_SUCCEEDED ? rm_task_counters(a, t, false) : NULL;
    if (counters)
        v->counters = memcpy(rm_view_alloc(out, BASE_TASK_COUNTERS * sizeof *counters), counters,
                             BASE_TASK_COUNTERS * sizeof *counters);
    return 0;
}

int rm_view_tasks(const struct rm_core *c, struct base_app_id id, enum base_task_kind kind,
                  uint32_t states, int64_t *pos, size_t max, struct rm_views *out)
{
    const struct rm_app *a = rm_app_find(c, id);
    const struct rm_phase *p;

    if (!a || !a->is_job)
        return -BASE_ENOTFOUND;
    p = &a->phase[kind];
    for (int look = BASE_VIEW_CHUNK * 5; p->tasks && *pos >= 0 && *pos < p->total && max && look;
         (*pos)++, look--) {
        const struct rm_task *t = &p->tasks[*pos];

        if (states && !(states & UINT32_C(1) << t->state))
            continue;
        copy_task(c, a, t, out);
        max--;
    }
    return 0;
}

/* Returns the number of outputs in the log that a reader at version @since knows; 0 for a version
 * of an earlier epoch. */
static int64_t count_known_outputs(const struct rm_core *c, const struct rm_app *a, int64_t since)
{
    int64_t counter = since & ((INT64_C(1) << 40) - 1);

    if (since >> 40 != c->conf.epoch)
        return since >> 40 < c->conf.epoch ? 0 : a->out_counter;
    return counter < a->out_counter ? counter : a->out_counter;
}

int rm_view_map_outputs(const struct rm_core *c, struct base_app_id id, int64_t since,
                        int64_t *version, int64_t *maps, int64_t *done, struct rm_views *out)
{
    const struct rm_app *a = rm_app_find(c, id);
    const struct rm_phase *p;
    int64_t i, room = BASE_VIEW_CHUNK * 5;

    if (!a || !a->is_job)
        return -BASE_ENOTFOUND;
    p = &a->phase[BASE_TASK_MAP];
    *maps = p->total;
    *done = p->succeeded;
    for (i = count_known_outputs(c, a, since); i < a->out_counter && room; i++) {
        const struct rm_task *t = &p->tasks[a->out_log[i]];
        const struct rm_node *n = rm_task_latest_node(c, a, t);

        if (t->out_version != (c->conf.epoch << 40 | (i + 1)) ||
            !n) /* another version follows, or none: the map ran again */
            continue;
        room--;
        out->outputs =
            rm_view_array_reserve_one(out->outputs, out->outputs_n, sizeof *out->outputs);
        out->outputs[out->outputs_n++] =
            (struct rm_map_output_view){.map = t->index,
                                        .attempt = t->last_attempt,
                                        .container = {{a->id, 1}, t->container_num},
                                        .node_http = rm_view_copy_text(out, n->http)};
    }
    *version = a->out_counter ? c->conf.epoch << 40 | i : since;
    return 0;
}

int rm_view_attempts_to_commit(const struct rm_core *c, struct base_app_id id,
                               enum base_task_kind *kind, int32_t **attempts, size_t *n)
{
    const struct rm_app *a = rm_app_find(c, id);
    const struct rm_phase *p;

    if (!a || !a->is_job || !a->committing)
        return -BASE_ENOTFOUND;
    *kind = rm_job_kind_of_output_tasks(a);
    p = &a->phase[*kind];
    *n = (size_t)p->total;
    *attempts = base_realloc_array(NULL, *n + 1, sizeof **attempts);
    for (size_t i = 0; i < *n; i++)
        (*attempts)[i] = p->tasks[i].last_attempt;
    return 0;
}

int rm_view_app_token(const struct rm_core *c, struct base_app_id id, char out[static 65])
{
    const struct rm_app *a = rm_app_find(c, id);

    if (!a)
        return -BASE_ENOTFOUND;
    memcpy(out, a->token, sizeof a->token);
    return 0;
}

int rm_view_secret_of_container(const struct rm_core *c, const struct base_container_id *id,
                                char out[static 65])
{
    const struct rm_container *ct = rm_container_find(c, id);

    if (!ct || ct->state == RM_CONTAINER_COMPLETED)
        return -BASE_ENOTFOUND;
    memcpy(out, ct->app->token, sizeof ct->app->token);
    return 0;
}

int rm_view_secret_of_master(const struct rm_core *c, const struct base_container_id *id,
                             char out[static 65])
{
    const struct rm_app *a = rm_app_find(c, id->attempt.app);
    const struct rm_attempt *at = a ? rm_app_newest_attempt(a) : NULL;

    if (!at || !at->has_master || !rm_container_ids_equal(&at->master_id, id) ||
        (!at->master && !at->reregister))
        return -BASE_ENOTFOUND;
    memcpy(out, a->token, sizeof a->token);
    return 0;
}
