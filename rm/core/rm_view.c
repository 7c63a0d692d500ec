/* Plain copies for readers: cluster, nodes, queues, tasks, containers, map outputs. Applications: rm_view_app.c. */
#include "rm/core/rm_view.h"

#include <stdlib.h>
#include <string.h>

#include "base/base_limits.h"
#include "rm/core/rm_view_internal.h"

char *rm_view_text(struct rm_views *v, const char *s)
{
    size_t n;
    char *copy;

    if (!s)
        return NULL;
    if (!v->arena)
        v->arena = base_alloc(sizeof *v->arena);
    n = strlen(s);
    copy = rm_steps_alloc(&v->arena->memory, n + 1);
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
    free(v->outputs);
    if (v->arena)
        rm_steps_free(&v->arena->memory);
    free(v->arena);
    *v = (struct rm_views){0};
}

/* The arrays of a view set have no capacity of their own: they grow when their length reaches a power of two. */
void *rm_view_grow(void *v, size_t n, size_t el)
{
    if (n == 0)
        return base_realloc_array(NULL, 8, el);
    if (n >= 8 && (n & (n - 1)) == 0)
        return base_realloc_array(v, n * 2, el);
    return v;
}

/* ---------------------------------------------------------------- cluster */
static void count_apps(const struct rm_core *c, struct rm_cluster_view *out)
{
    for (size_t i = 0; i < c->queues_n; i++) {
        out->apps_pending += c->queues[i].pending_apps;
        out->apps_running += c->queues[i].active_apps;
        for (int k = 0; k < RM_SLOT_KINDS; k++) {
            out->containers_pending += c->queues[i].pending[k];
            for (int r = 0; r < RM_RES_NAMES; r++)
                out->pending.v[r] += c->queues[i].pending[k] * c->conf.slot_res[k].v[r];
        }
        out->pending.v[RM_RES_MAP_SLOTS] += c->queues[i].pending[RM_SLOT_MAP];
        out->pending.v[RM_RES_REDUCE_SLOTS] += c->queues[i].pending[RM_SLOT_REDUCE];
    }
}

void rm_view_cluster(const struct rm_core *c, struct rm_cluster_view *out)
{
    *out = (struct rm_cluster_view){.cluster_ts_ms = c->conf.cluster_ts_ms,
                                    .rm_instance_ms = c->conf.rm_instance_ms,
                                    .epoch = c->conf.epoch,
                                    .policy = c->ops->name,
                                    .apps_submitted = c->stats.submitted,
                                    .apps_completed = c->stats.completed,
                                    .apps_failed = c->stats.failed,
                                    .apps_killed = c->stats.killed,
                                    .assignments = c->stats.assignments,
                                    .heartbeats = c->stats.heartbeats,
                                    .events = c->stats.events,
                                    .policy_overruled = c->stats.overruled,
                                    .policy_fallbacks = c->stats.fallbacks,
                                    .max_capability = rm_max_capability(c)};
    count_apps(c, out);
    for (size_t i = 0; i < c->nodes_n; i++) {
        const struct rm_node *n = c->nodes[i];

        out->nodes[n->state]++;
        out->containers_allocated += n->containers_n;
        for (int r = 0; r < RM_RES_NAMES; r++) {
            out->total.v[r] += n->state == RM_NODE_RUNNING ? n->total.v[r] : 0;
            out->used.v[r] += n->used_res.v[r];
        }
        out->used.v[RM_RES_MAP_SLOTS] += n->used[RM_SLOT_MAP];
        out->used.v[RM_RES_REDUCE_SLOTS] += n->used[RM_SLOT_REDUCE];
    }
}

/* ---------------------------------------------------------------- nodes */
static void add_node(const struct rm_node *n, struct rm_views *out)
{
    struct rm_node_view *v;

    out->nodes = rm_view_grow(out->nodes, out->nodes_n, sizeof *out->nodes);
    v = &out->nodes[out->nodes_n++];
    *v = (struct rm_node_view){.id = rm_view_text(out, n->id),
                               .host = rm_view_text(out, n->host_name),
                               .http_address = rm_view_text(out, n->http ? n->http : ""),
                               .rack = rm_view_text(out, n->rack_name),
                               .version = rm_view_text(out, n->version ? n->version : ""),
                               .health_report = rm_view_text(out, n->health_report ? n->health_report : ""),
                               .state = n->state,
                               .last_heartbeat_us = n->last_us,
                               .containers = n->containers_n,
                               .total = n->total,
                               .used = n->used_res};
    for (int k = 0; k < RM_SLOT_KINDS; k++) {
        v->slots[k] = n->slots[k];
        v->used_slots[k] = n->used[k];
    }
    v->used.v[RM_RES_MAP_SLOTS] = n->used[RM_SLOT_MAP];
    v->used.v[RM_RES_REDUCE_SLOTS] = n->used[RM_SLOT_REDUCE];
}

bool rm_view_nodes(const struct rm_core *c, size_t *pos, size_t max, struct rm_views *out)
{
    for (; *pos < c->nodes_n && max; max--)
        add_node(c->nodes[(*pos)++], out);
    return *pos < c->nodes_n;
}

int rm_view_node(const struct rm_core *c, const char *node_id, struct rm_views *out)
{
    const struct rm_node *n = rm_node_find(c, node_id);

    if (!n)
        return -BASE_ENOTFOUND;
    add_node(n, out);
    return 0;
}

/* ---------------------------------------------------------------- queues */
void rm_view_queues(const struct rm_core *c, struct rm_views *out)
{
    struct rm_queue_view *root;
    struct rm_res total = {{0}};

    for (size_t i = 0; i < c->nodes_n; i++)
        for (int r = 0; r < RM_RES_NAMES; r++)
            total.v[r] += c->nodes[i]->state == RM_NODE_RUNNING ? c->nodes[i]->total.v[r] : 0;
    free(out->queues);
    out->queues = base_alloc((c->queues_n + 1) * sizeof *out->queues);
    out->queues_n = c->queues_n + 1;
    root = &out->queues[0];
    *root = (struct rm_queue_view){.name = rm_view_text(out, "root"),
                                   .parent = -1,
                                   .fair_share = total,
                                   .max = total,
                                   .policy = rm_view_text(out, c->ops->name)};
    for (size_t i = 0; i < c->queues_n; i++) {
        const struct rm_queue *q = &c->queues[i];
        struct rm_queue_view *v = &out->queues[i + 1];
        char *full = base_printf("root.%s", q->name);

        *v = (struct rm_queue_view){.name = rm_view_text(out, full),
                                    .depth = 1,
                                    .pending_apps = q->pending_apps,
                                    .active_apps = q->active_apps,
                                    .pending_containers = q->pending[RM_SLOT_MAP] + q->pending[RM_SLOT_REDUCE],
                                    .allocated_containers = q->containers,
                                    .used = q->used,
                                    .max = total,
                                    .policy = root->policy};
        free(full);
        for (int r = 0; r < RM_RES_NAMES; r++) {
            v->demand.v[r] = q->used.v[r];
            for (int k = 0; k < RM_SLOT_KINDS; k++)
                v->demand.v[r] += q->pending[k] * c->conf.slot_res[k].v[r];
            v->fair_share.v[r] = total.v[r] / (int64_t)c->queues_n;
            root->used.v[r] += v->used.v[r];
            root->demand.v[r] += v->demand.v[r];
        }
        root->pending_apps += v->pending_apps;
        root->active_apps += v->active_apps;
        root->pending_containers += v->pending_containers;
        root->allocated_containers += v->allocated_containers;
    }
}

bool rm_view_queue_exists(const struct rm_core *c, const char *name)
{
    uint32_t index;

    return rm_queue_find(c, name, &index);
}

/* ---------------------------------------------------------------- tasks */
static double task_progress(const struct rm_task *t)
{
    if (t->state == RM_TASK_SUCCEEDED)
        return 1;
    return t->running ? (double)t->running->progress / RM_PROGRESS_ONE : 0;
}

static void add_task(const struct rm_core *c, const struct rm_app *a, const struct rm_task *t, struct rm_views *out)
{
    const struct rm_node *n = t->node == RM_NONE ? NULL : c->nodes[t->node];
    struct rm_task_view *v;

    out->tasks = rm_view_grow(out->tasks, out->tasks_n, sizeof *out->tasks);
    v = &out->tasks[out->tasks_n++];
    *v = (struct rm_task_view){
        .id = {a->id, t->kind == RM_SLOT_MAP ? BASE_TASK_MAP : BASE_TASK_REDUCE, t->index},
        .state = (enum rm_task_state)t->state,
        .progress = task_progress(t),
        .attempts = t->attempts,
        .container = {{a->id, 1}, t->container_num},
        .has_container = t->container_num != 0,
        .node_id = n ? rm_view_text(out, n->id) : NULL,
        .node_http = n ? rm_view_text(out, n->http ? n->http : "") : NULL,
        .diagnostics = rm_view_text(out, t->diagnostics ? t->diagnostics : ""),
        .start_us = t->start_us,
        .finish_us = t->finish_us,
        .exit_code = t->attempts ? t->exit_code : RM_EXIT_INVALID};
}

int rm_view_tasks(const struct rm_core *c, struct base_app_id id, enum rm_slot kind, uint32_t states, int64_t *pos,
                  size_t max, struct rm_views *out)
{
    const struct rm_app *a = rm_app_find(c, id);
    const struct rm_phase *p;

    if (!a || !a->is_job)
        return -BASE_ENOTFOUND;
    p = &a->phase[kind];
    for (int look = BASE_VIEW_CHUNK * 5; *pos >= 0 && *pos < p->total && max && look; (*pos)++, look--) {
        const struct rm_task *t = &p->tasks[*pos];

        if (states && !(states & UINT32_C(1) << t->state))
            continue;
        add_task(c, a, t, out);
        max--;
    }
    return 0;
}

/* How many outputs a reader that is at version @since knows of. */
static int64_t outputs_known(const struct rm_core *c, const struct rm_app *a, int64_t since)
{
    int64_t counter = since & ((INT64_C(1) << 40) - 1);

    if (since >> 40 != c->conf.epoch)
        return since >> 40 < c->conf.epoch ? 0 : a->out_counter;
    return counter < a->out_counter ? counter : a->out_counter;
}

int rm_view_map_outputs(const struct rm_core *c, struct base_app_id id, int64_t since, int64_t *version,
                        int64_t *maps, int64_t *done, struct rm_views *out)
{
    const struct rm_app *a = rm_app_find(c, id);
    const struct rm_phase *p;
    int64_t i, room = BASE_VIEW_CHUNK * 5;

    if (!a || !a->is_job)
        return -BASE_ENOTFOUND;
    p = &a->phase[RM_SLOT_MAP];
    *maps = p->total;
    *done = p->succeeded;
    for (i = outputs_known(c, a, since); i < a->out_counter && room; i++) {
        const struct rm_task *t = &p->tasks[a->out_log[i]];

        if (t->out_version != (c->conf.epoch << 40 | (i + 1)) || t->node == RM_NONE) /* it was run again */
            continue;
        room--;
        out->outputs = rm_view_grow(out->outputs, out->outputs_n, sizeof *out->outputs);
        out->outputs[out->outputs_n++] =
            (struct rm_map_output_view){.map = t->index,
                                        .attempt = t->last_attempt,
                                        .container = {{a->id, 1}, t->container_num},
                                        .node_http = rm_view_text(out, c->nodes[t->node]->http)};
    }
    *version = a->out_counter ? c->conf.epoch << 40 | i : since;
    return 0;
}

int rm_view_token(const struct rm_core *c, struct base_app_id id, char out[static 65])
{
    const struct rm_app *a = rm_app_find(c, id);

    if (!a)
        return -BASE_ENOTFOUND;
    memcpy(out, a->token, sizeof a->token);
    return 0;
}
