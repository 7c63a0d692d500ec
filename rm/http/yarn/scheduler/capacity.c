/* Fills GET scheduler in the shape of the capacity scheduler. What the percentages mean:
 * rm/http/yarn/queue_part.h. Figures of the capacity scheduler that Creel does not have show what
 * they show there when they are off: no reservations, no limits by user, no weights, no lifetimes,
 * no queues that are created from templates. */
#include <stdlib.h>
#include <string.h>

#include "rm/http/yarn/scheduler/scheduler_internal.h"

#define NO_LIMIT INT32_MAX

static const struct rm_res none;

static bool is_zero(const struct rm_res *r)
{
    return r->v[RM_RES_MEMORY_MB] == 0 && r->v[RM_RES_VCORES] == 0;
}

static float as_percent(double part)
{
    return (float)part * 100.0f;
}

/* Returns which percentage of @whole's memory @used is, which may exceed 100. */
static float compute_used_percent(const struct rm_res *used, const struct rm_res *whole)
{
    int64_t all = whole->v[RM_RES_MEMORY_MB];

    return all > 0 ? (float)((double)used->v[RM_RES_MEMORY_MB] * 100.0 / (double)all) : 0.0f;
}

/* ---- partitions: all nodes are in the default one ---- */

/* What is known about a queue in one partition. */
struct share {
    const struct yarn_queue_part *part;
    struct rm_res min, max;     /* the effective ones: parts of the partition */
    struct rm_res masters_used; /* leaves only, as the next */
    struct rm_res masters_limit;
};

struct rm_res yarn_capacity_limit_masters(const struct rm_cluster_view *c, const struct rm_res *max)
{
    struct rm_res limit = {{0}};

    for (int r = RM_RES_MEMORY_MB; r <= RM_RES_VCORES; r++) {
        limit.v[r] = c->masters_max * c->slot[BASE_TASK_MAP].v[r];
        if (limit.v[r] > max->v[r])
            limit.v[r] = max->v[r];
    }
    limit.v[RM_RES_MAP_SLOTS] = c->masters_max;
    return limit;
}

static void fill_share(const struct yarn_context *f, size_t i, struct share *s)
{
    const struct rm_cluster_view *c = &f->cluster;

    *s = (struct share){.part = &f->parts[i],
                        .min = yarn_queue_part_of(f->parts[i].absolute, &c->total),
                        .max = yarn_queue_part_of(f->parts[i].absolute_max, &c->total)};
    s->masters_limit = yarn_capacity_limit_masters(c, &s->max);
}

/* YARN shows an amount that is not configured with the scheduler's limits. */
static void fill_configured(const struct yarn_context *f, struct yarn_resource *r,
                            const struct rm_res *from)
{
    yarn_resource_fill(f, r, from);
    if (is_zero(from))
        yarn_resource_set_memory_and_vcores(r, 0, 0, &f->limits);
}

static void fill_partition_capacity(const struct yarn_context *f, const struct rm_queue_view *v,
                                    const struct share *s, struct yarn_partition_capacity *p)
{
    struct rm_res max = v->max_part < 1 ? v->max : none;

    p->partition = "";
    yarn_capacity_vector_set_percent(&p->vector, s->part->capacity * 100);
    p->capacity = as_percent(s->part->capacity);
    p->max = as_percent(s->part->max);
    p->absolute = as_percent(s->part->absolute);
    p->absolute_max = as_percent(s->part->absolute_max);
    p->used = compute_used_percent(&v->used, &s->min);
    p->absolute_used = compute_used_percent(&v->used, &f->cluster.total);
    p->masters_max = v->is_parent ? 0.0f : 50.0f;
    p->weight = -1.0f;
    fill_configured(f, &p->configured_min, &v->min);
    fill_configured(f, &p->configured_max, &max);
    yarn_resource_fill(f, &p->effective_min, &s->min);
    yarn_resource_fill(f, &p->effective_max, &s->max);
}

/* ---- queues ---- */

static struct rm_res subtract(const struct rm_res *a, const struct rm_res *b)
{
    struct rm_res r;

    for (int i = 0; i < RM_RES_NAMES; i++)
        r.v[i] = a->v[i] - b->v[i];
    return r;
}

/* Access that is not configured is open at the root and given to nobody below it, since a right on
 * a queue is one on all queues below. */
static void fill_acls(const struct rm_queue_view *v, struct yarn_capacity_queue *q)
{
    const char *open = v->parent < 0 ? "*" : " ";

    q->acl[0] = (struct yarn_queue_acl){"ADMINISTER_QUEUE", v->acl_admin ? v->acl_admin : open};
    q->acl[1] = (struct yarn_queue_acl){"APPLICATION_MAX_PRIORITY", "*"};
    q->acl[2] = (struct yarn_queue_acl){"SUBMIT_APP", v->acl_submit ? v->acl_submit : open};
    q->acls.list = (struct api_list){q->acl, 3, sizeof q->acl[0]};
}

/* Returns the order of applications in a leaf: "fifo", "fair", or the name of a policy that YARN
 * does not have; for a parent that of its children. */
static const char *name_ordering(const struct rm_queue_view *v)
{
    if (v->is_parent)
        return "utilization";
    return v->policy && strcmp(v->policy, "drf") == 0 ? "fair" : v->policy;
}

static void fill_leaf(const struct yarn_context *f, const struct rm_queue_view *v,
                      const struct share *s, struct yarn_capacity_queue *q)
{
    bool preempts = f->cluster.preempts && v->preemptable;

    q->active_apps = v->active_apps;
    q->pending_apps = v->pending_apps;
    q->containers = v->allocated_containers;
    q->max_apps = q->max_apps_per_user = NO_LIMIT;
    q->user_limit = 100.0f;
    q->user_limit_factor = -1.0f; /* no limit by user */
    q->masters_max_part = 0.5;
    /* YARN computes the limit of a user when a queue gets its first one */
    yarn_partition_usage_fill_masters(f, &q->partition_usage, &s->masters_used, &s->masters_limit,
                                      q->apps > 0 ? &s->masters_limit : &none);
    yarn_resource_fill(f, &q->masters_limit, &s->masters_limit);
    yarn_resource_fill(f, &q->masters_used, &s->masters_used);
    yarn_resource_fill(f, &q->masters_user_limit, &s->masters_limit);
    q->preemption_disabled = q->intra_queue_preemption_disabled = !preempts;
    q->auto_created = v->is_dynamic;
    q->max_lifetime_s = q->default_lifetime_s = -1;
}

static void fill_queue(const struct yarn_context *f, const struct rm_queue_view *v,
                       const struct share *s, struct yarn_capacity_queue *q)
{
    struct rm_res pending = subtract(&v->demand, &v->used);
    const char *last = strrchr(v->name, '.');

    fill_partition_capacity(f, v, s, &q->partition_capacity);
    q->capacities.list = (struct api_list){&q->partition_capacity, 1, sizeof q->partition_capacity};
    q->path = v->name;
    q->name = last ? last + 1 : v->name;
    q->capacity = q->partition_capacity.capacity;
    q->used = q->partition_capacity.used;
    q->max = q->partition_capacity.max;
    q->absolute = q->partition_capacity.absolute;
    q->absolute_max = q->partition_capacity.absolute_max;
    q->absolute_used = q->partition_capacity.absolute_used;
    q->weight = -1.0f;
    yarn_capacity_vector_set_percent(&q->vector, s->part->capacity * 100);
    q->apps = v->pending_apps + v->active_apps;
    q->max_parallel_apps = v->max_apps;
    q->state = v->state;
    yarn_resource_fill(f, &q->resources_used, &v->used);
    q->label[0] = "*";
    q->labels = (struct api_list){q->label, 1, sizeof q->label[0]};
    q->allocated_containers = v->allocated_containers;
    q->pending_containers = v->pending_containers;
    yarn_partition_usage_fill(f, &q->partition_usage, &v->used, &pending);
    q->usages.list = (struct api_list){&q->partition_usage, 1, sizeof q->partition_usage};
    yarn_resource_fill(f, &q->effective_min, &s->min);
    yarn_resource_fill(f, &q->effective_max, &s->max);
    yarn_resource_fill(f, &q->max_allocation, &f->cluster.max_capability);
    fill_acls(v, q);
    q->ordering_policy = name_ordering(v);
    q->mode = "percentage";
    q->queue_type = v->is_parent ? "parent" : "leaf";
    q->creation_method = v->is_dynamic ? "dynamicFlexible" : "static";
    q->auto_creation = "off";
    if (!v->is_parent)
        fill_leaf(f, v, s, q);
}

/* ---- users ---- */

static void fill_user(const struct yarn_context *f, const struct rm_queue_user_view *v,
                      const struct share *s, struct yarn_capacity_user *u,
                      struct yarn_partition_usage *usage)
{
    u->name = v->user;
    yarn_resource_fill(f, &u->used, &v->used);
    u->pending_apps = v->pending_apps;
    u->active_apps = v->active_apps;
    yarn_resource_fill(f, &u->masters_used, &v->am_used);
    yarn_resource_fill(f, &u->limit, &s->max);
    yarn_partition_usage_fill(f, usage, &v->used, &v->pending);
    yarn_partition_usage_fill_masters(f, usage, &v->am_used, &s->masters_limit, &none);
    u->usages.list = (struct api_list){usage, 1, sizeof *usage};
    u->weight = 1.0f;
    u->active = v->pending_containers > 0;
}

/* Fills the users, a range of t->users for each queue, and adds up what masters use. @places: view
 * of each queue by its index in the core, -1: not shown. */
static void fill_users(const struct yarn_context *f, const struct rm_views *v,
                       const int32_t *places, size_t places_n, struct share *shares,
                       struct yarn_capacity_tree *t)
{
    size_t used = 0;

    for (size_t i = 0; i < v->queue_users_n; i++) {
        const struct rm_queue_user_view *u = &v->queue_users[i];
        int32_t at = (size_t)u->queue < places_n ? places[u->queue] : -1;

        if (at < 0)
            continue;
        t->queues[at].users.list.n++;
        for (int r = 0; r < RM_RES_NAMES; r++)
            shares[at].masters_used.v[r] += u->am_used.v[r];
    }
    for (size_t i = 0; i < f->queues.queues_n; i++) {
        struct api_list *l = &t->queues[i].users.list;

        used += l->n;
        *l = (struct api_list){&t->users[used - l->n], 0, sizeof *t->users};
    }
    for (size_t i = 0; i < v->queue_users_n; i++) {
        const struct rm_queue_user_view *u = &v->queue_users[i];
        int32_t at = (size_t)u->queue < places_n ? places[u->queue] : -1;
        struct api_list *l;
        size_t to;

        if (at < 0)
            continue;
        l = &t->queues[at].users.list;
        to = (size_t)((const struct yarn_capacity_user *)l->items - t->users) + l->n++;
        fill_user(f, u, &shares[at], &t->users[to], &t->user_usages[to]);
    }
}

/* ---- the tree ---- */

/* Enters the children of each queue into a range of t->any, leaves before parents. */
static void link_children(const struct yarn_context *f, struct yarn_capacity_tree *t)
{
    const struct rm_views *v = &f->queues;
    size_t used = 0;

    for (size_t i = 1; i < v->queues_n; i++)
        t->children[v->queues[i].parent].list.n++;
    for (size_t i = 0; i < v->queues_n; i++) {
        struct api_list *l = &t->children[i].list;

        used += l->n;
        *l = (struct api_list){&t->any[used - l->n], 0, sizeof *t->any};
        t->queues[i].children = &t->children[i];
    }
    for (int parents = 0; parents < 2; parents++)
        for (size_t i = 1; i < v->queues_n; i++) {
            struct api_list *l = &t->children[v->queues[i].parent].list;
            size_t at;

            if (v->queues[i].is_parent != (parents == 1))
                continue;
            at = (size_t)((const struct api_any *)l->items - t->any) + l->n++;
            t->any[at] = (struct api_any){.shape = parents ? &yarn_shape_capacity_parent
                                                           : &yarn_shape_capacity_leaf,
                                          .view = &t->queues[i]};
        }
}

static const char *text_or_none(const char *s)
{
    return s ? s : "N/A";
}

static void fill_health(const struct yarn_context *f, const struct rm_health_view *v,
                        struct yarn_capacity_tree *t)
{
    static const char *const names[] = {"last-allocation", "last-release", "last-preemption",
                                        "last-reservation"};
    static const struct {
        const char *name;
        enum rm_operation_kind kind;
    } details[] = {{"releases", RM_OPERATION_RELEASE},
                   {"allocations", RM_OPERATION_ALLOCATION},
                   {"reservations", RM_OPERATION_KINDS}};
    struct yarn_scheduler_health *h = &t->queues[0].health;

    for (int i = 0; i < 4; i++) {
        const struct rm_operation_view *o =
            i < RM_OPERATION_KINDS && v->operations[i].known ? &v->operations[i] : NULL;

        t->operations[i] = (struct yarn_last_operation){
            .operation = names[i],
            .node_id = text_or_none(o ? o->node_id : NULL),
            .container_id = o ? base_container_id_text(&o->container, t->containers[i]) : "N/A",
            .queue = text_or_none(o ? o->queue : NULL)};
    }
    for (int i = 0; i < 3; i++) {
        const struct rm_operation_view *o =
            details[i].kind < RM_OPERATION_KINDS ? &v->operations[details[i].kind] : NULL;

        t->details[i].operation = details[i].name;
        t->details[i].count = o ? o->count : 0;
        yarn_resource_fill(f, &t->details[i].resources, o ? &o->resource : &none);
    }
    h->last_run = v->last_step_us / 1000;
    h->operations = (struct api_list){t->operations, 4, sizeof t->operations[0]};
    h->details = (struct api_list){t->details, 3, sizeof t->details[0]};
}

/* Returns the place of each queue in the views by its index in the core, and sets *@n to one above
 * the highest index. */
static int32_t *places_new(const struct rm_views *v, size_t *n)
{
    int32_t *places;

    *n = 0;
    for (size_t i = 0; i < v->queues_n; i++)
        if ((size_t)v->queues[i].index >= *n)
            *n = (size_t)v->queues[i].index + 1;
    places = base_alloc((*n + 1) * sizeof *places);
    memset(places, -1, (*n + 1) * sizeof *places);
    for (size_t i = 0; i < v->queues_n; i++)
        places[v->queues[i].index] = (int32_t)i;
    return places;
}

void yarn_capacity_tree_fill(const struct yarn_context *f, const struct rm_views *users,
                             const struct rm_health_view *health, struct yarn_capacity_tree *t)
{
    const struct rm_views *v = &f->queues;
    size_t n = v->queues_n, places_n;
    struct share *shares = base_alloc((n + 1) * sizeof *shares);
    int32_t *places = places_new(v, &places_n);

    *t = (struct yarn_capacity_tree){
        .queues = base_alloc((n + 1) * sizeof *t->queues),
        .children = base_alloc((n + 1) * sizeof *t->children),
        .any = base_alloc((n + 1) * sizeof *t->any),
        .users = base_alloc((users->queue_users_n + 1) * sizeof *t->users),
        .user_usages = base_alloc((users->queue_users_n + 1) * sizeof *t->user_usages)};
    for (size_t i = 0; i < n; i++)
        fill_share(f, i, &shares[i]);
    fill_users(f, users, places, places_n, shares, t);
    for (size_t i = 0; i < n; i++)
        fill_queue(f, &v->queues[i], &shares[i], &t->queues[i]);
    link_children(f, t);
    fill_health(f, health, t);
    t->scheduler.root = &t->queues[0];
    free(shares);
    free(places);
}

void yarn_capacity_tree_free(struct yarn_capacity_tree *t)
{
    free(t->queues);
    free(t->children);
    free(t->any);
    free(t->users);
    free(t->user_usages);
}
