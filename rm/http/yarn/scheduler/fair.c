/* Fills GET scheduler in the shapes of the fifo and of the fair scheduler. */
#include <stdlib.h>
#include <strings.h>

#include "rm/http/yarn/scheduler/scheduler_internal.h"

void yarn_fifo_fill(const struct yarn_context *f, struct yarn_fifo_scheduler *out)
{
    const struct rm_cluster_view *c = &f->cluster;
    int64_t used = c->used.v[RM_RES_MEMORY_MB], total = c->total.v[RM_RES_MEMORY_MB];

    out->info = (struct yarn_fifo_info){
        .capacity = 1.0f,
        .used_capacity = total > 0 ? (float)((double)used / (double)total) : 0.0f,
        .state = "RUNNING",
        .min_memory = f->limits.min[0],
        .max_memory = f->limits.max[0],
        .nodes = c->nodes[RM_NODE_RUNNING],
        .used_mb = used,
        .available_mb = total - used,
        .total_mb = total,
        .containers = c->containers_allocated,
    };
}

/* Returns YARN's name for the policy @name of a queue. */
const char *yarn_fair_name_policy(const char *name)
{
    if (name && strcasecmp(name, "fifo") == 0)
        return "FIFO";
    return name && strcasecmp(name, "drf") == 0 ? "DRF" : "fair";
}

static bool has_no_memory_and_vcores(const struct rm_res *r)
{
    return r->v[RM_RES_MEMORY_MB] == 0 && r->v[RM_RES_VCORES] == 0;
}

static void fill_fair_queue(const struct yarn_context *f, const struct rm_queue_view *v,
                            struct yarn_fair_queue *q)
{
    const struct rm_cluster_view *c = &f->cluster;
    struct rm_res none = {{0}}, max = has_no_memory_and_vcores(&v->max) ? c->total : v->max;

    for (int i = 0; i < RM_RES_NAMES; i++) /* a queue cannot use more than the cluster has */
        if (max.v[i] > c->total.v[i])
            max.v[i] = c->total.v[i];
    *q = (struct yarn_fair_queue){.max_apps = v->max_apps,
                                  .pending_containers = v->pending_containers,
                                  .allocated_containers = v->allocated_containers,
                                  .name = v->name,
                                  .policy = yarn_fair_name_policy(v->policy),
                                  .preemptable = v->preemptable,
                                  .pending_apps = v->pending_apps,
                                  .active_apps = v->active_apps};
    yarn_resource_fill(f, &q->min, &v->min);
    /* YARN shows it as 0, together with the scheduler's limits */
    if (has_no_memory_and_vcores(&v->min))
        yarn_resource_set_memory_and_vcores(&q->min, 0, 0, &f->limits);
    yarn_resource_fill(f, &q->max, &max);
    yarn_resource_fill(f, &q->used, &v->used);
    yarn_resource_fill(f, &q->am_used, &none);
    yarn_resource_fill(f, &q->am_max, &none);
    yarn_resource_fill(f, &q->demand, &v->demand);
    yarn_resource_fill(f, &q->fair, &v->fair_share);
    yarn_resource_fill(f, &q->cluster, &c->total);
    yarn_resource_fill(f, &q->reserved, &none);
    yarn_resource_fill(f, &q->max_container, &c->max_capability);
}

/* Parents come before their children in the array, so one pass suffices. */
struct rm_res *yarn_fair_steady_shares_new(const struct rm_views *v, const struct rm_res *total)
{
    struct rm_res *steady = base_alloc((v->queues_n + 1) * sizeof *steady);
    /* sum over the children of each queue */
    double *weights = base_alloc((v->queues_n + 1) * sizeof *weights);

    for (size_t i = 1; i < v->queues_n; i++)
        weights[v->queues[i].parent] += v->queues[i].weight;
    for (size_t i = 0; i < v->queues_n; i++) {
        const struct rm_queue_view *q = &v->queues[i];
        for (int r = 0; r < RM_RES_NAMES; r++)
            steady[i].v[r] =
                q->parent < 0 ? total->v[r]
                : weights[q->parent] > 0
                    ? (int64_t)((double)steady[q->parent].v[r] * q->weight / weights[q->parent] +
                                0.5)
                    : 0;
    }
    free(weights);
    return steady;
}

static void fill_steady_shares(const struct yarn_context *f, struct yarn_fair_tree *t)
{
    struct rm_res *steady = yarn_fair_steady_shares_new(&f->queues, &f->cluster.total);

    for (size_t i = 0; i < f->queues.queues_n; i++)
        yarn_resource_fill(f, &t->queues[i].steady_fair, &steady[i]);
    free(steady);
}

void yarn_fair_tree_fill(const struct yarn_context *f, struct yarn_fair_tree *t)
{
    const struct rm_views *v = &f->queues;
    size_t n = v->queues_n, used = 0;

    *t = (struct yarn_fair_tree){.queues = base_alloc(n * sizeof *t->queues),
                                 .children = base_alloc(n * sizeof *t->children),
                                 .any = base_alloc(n * sizeof *t->any)};
    for (size_t i = 0; i < n; i++)
        fill_fair_queue(f, &v->queues[i], &t->queues[i]);
    for (size_t i = 1; i < n; i++) /* count each queue's children */
        t->children[v->queues[i].parent].list.n++;
    /* Reserve a range of t->any for each queue's children, then enter the children. */
    for (size_t i = 0; i < n; i++) {
        struct api_list *l = &t->children[i].list;
        used += l->n;
        *l = (struct api_list){.items = &t->any[used - l->n], .n = 0, .stride = sizeof *t->any};
        if (&t->any[used] != l->items)
            t->queues[i].children = &t->children[i];
    }
    for (size_t i = 1; i < n; i++) {
        struct api_list *l = &t->children[v->queues[i].parent].list;
        size_t at = (size_t)((const struct api_any *)l->items - t->any) + l->n++;
        t->any[at] = (struct api_any){.shape = v->queues[i].is_parent ? &yarn_shape_fair_parent
                                                                      : &yarn_shape_fair_leaf,
                                      .view = &t->queues[i]};
    }
    fill_steady_shares(f, t);
    t->scheduler.info.root = n > 0 ? &t->queues[0] : NULL;
}

void yarn_fair_tree_free(struct yarn_fair_tree *t)
{
    free(t->queues);
    free(t->children);
    free(t->any);
}
