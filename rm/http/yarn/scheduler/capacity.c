/* Fills GET scheduler in the shape of the capacity scheduler. What the percentages mean:
 * rm/http/yarn/queue_part.h. A figure of the capacity scheduler that Creel lacks is shown with the
 * value that YARN shows when the feature is off: no reservations, no limits by user, no weights, no
 * lifetimes, no queues that are created from templates. */
#include <stdlib.h>
#include <string.h>

#include "rm/http/yarn/scheduler/scheduler_internal.h"

#define NO_LIMIT INT32_MAX

static const struct rm_res none;

static bool has_no_memory_and_vcores(const struct rm_res *r)
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

/* ---- partitions ---- */

/* One queue's figures in one partition. */
struct share {
    const struct yarn_queue_part *part;
    const struct yarn_partition *partition;
    struct rm_res used;
    struct rm_res min, max;     /* the effective ones: parts of the partition */
    struct rm_res masters_used; /* of leaves only, like the next */
    struct rm_res masters_limit;
};

struct rm_res yarn_capacity_get_masters_limit(const struct rm_cluster_view *c,
                                              const struct rm_res *max)
{
    struct rm_res limit = {{0}};

    for (int r = RM_RES_MEMORY_MB; r <= RM_RES_VCORES; r++) {
        limit.v[r] = (c->masters_max + c->master_slots) * c->slot[BASE_TASK_MAP].v[r];
        if (limit.v[r] > max->v[r])
            limit.v[r] = max->v[r];
    }
    limit.v[RM_RES_MAP_SLOTS] = c->masters_max;
    return limit;
}

/* Fills the share of the queue at @i in partition @p. */
static void fill_queue_share(const struct yarn_context *f, const struct yarn_partitions *all,
                             size_t i, size_t p, struct share *s)
{
    const struct rm_res *total = &all->v[p].total;

    *s = (struct share){.part = &f->parts[i],
                        .partition = &all->v[p],
                        .used = all->used[i * all->n + p],
                        .min = yarn_queue_part_of(f->parts[i].absolute, total),
                        .max = yarn_queue_part_of(f->parts[i].absolute_max, total),
                        .masters_used = all->masters_used[i * all->n + p]};
    s->masters_limit = yarn_capacity_get_masters_limit(&f->cluster, &s->max);
}

/* YARN shows an amount that is not configured as 0, together with the scheduler's limits. */
static void fill_configured_resource(const struct yarn_context *f, struct yarn_resource *r,
                                     const struct rm_res *from)
{
    yarn_resource_fill(f, r, from);
    if (has_no_memory_and_vcores(from))
        yarn_resource_set_memory_and_vcores(r, 0, 0, &f->limits);
}

static void fill_partition_capacity(const struct yarn_context *f, const struct rm_queue_view *v,
                                    const struct share *s, struct yarn_partition_capacity *p)
{
    bool labelled = s->partition->name[0] != '\0'; /* then no amounts are configured */
    struct rm_res min = labelled ? none : v->min;
    struct rm_res max = !labelled && v->max_part < 1 ? v->max : none;

    p->partition = s->partition->name;
    yarn_capacity_vector_set_percent(&p->vector, s->part->capacity * 100);
    p->capacity = as_percent(s->part->capacity);
    p->max = as_percent(s->part->max);
    p->absolute = as_percent(s->part->absolute);
    p->absolute_max = as_percent(s->part->absolute_max);
    p->used = compute_used_percent(&s->used, &s->min);
    p->absolute_used = compute_used_percent(&s->used, &s->partition->total);
    p->masters_max = v->is_parent ? 0.0f : 50.0f;
    p->weight = -1.0f;
    fill_configured_resource(f, &p->configured_min, &min);
    fill_configured_resource(f, &p->configured_max, &max);
    yarn_resource_fill(f, &p->effective_min, &s->min);
    yarn_resource_fill(f, &p->effective_max, &s->max);
}

/* ---- queues ---- */

static struct rm_res subtract_resources(const struct rm_res *a, const struct rm_res *b)
{
    struct rm_res r;

    for (int i = 0; i < RM_RES_NAMES; i++)
        r.v[i] = a->v[i] - b->v[i];
    return r;
}

static void fill_acls(const struct rm_queue_view *v, struct yarn_capacity_queue *q)
{
    q->acl[0] = (struct yarn_queue_acl){"ADMINISTER_QUEUE", v->acl_admin};
    q->acl[1] = (struct yarn_queue_acl){"APPLICATION_MAX_PRIORITY", "*"};
    q->acl[2] = (struct yarn_queue_acl){"SUBMIT_APP", v->acl_submit};
    q->acls.list = (struct api_list){q->acl, 3, sizeof q->acl[0]};
}

/* Returns the order of applications in a leaf: "fifo", "fair", or the name of a policy that YARN
 * does not have; for a parent that of its children. */
static const char *name_ordering_policy(const struct rm_queue_view *v)
{
    if (v->is_parent)
        return "utilization";
    return v->policy && strcmp(v->policy, "drf") == 0 ? "fair" : v->policy;
}

static int64_t get_app_limit_or_max(int32_t apps)
{
    return apps ? apps : NO_LIMIT;
}

static void fill_leaf_queue(const struct yarn_context *f, const struct rm_queue_view *v,
                            const struct share *s, struct yarn_capacity_queue *q)
{
    bool preempts = f->cluster.preempts && v->preemptable;

    q->active_apps = v->active_apps;
    q->pending_apps = v->pending_apps;
    q->containers = v->allocated_containers;
    q->max_apps = get_app_limit_or_max(f->cluster.queue_apps_max);
    q->max_apps_per_user = get_app_limit_or_max(f->cluster.user_apps_max);
    q->user_limit = 100.0f;
    q->user_limit_factor = -1.0f; /* no limit by user */
    q->masters_max_part = 0.5;
    yarn_resource_fill(f, &q->masters_limit, &s->masters_limit);
    yarn_resource_fill(f, &q->masters_used, &s->masters_used);
    yarn_resource_fill(f, &q->masters_user_limit, &s->masters_limit);
    q->preemption_disabled = q->intra_queue_preemption_disabled = !preempts;
    q->auto_created = v->is_dynamic;
    q->max_lifetime_s = q->default_lifetime_s = -1;
}

/* Fills the queue's usage in a partition; pending requests are shown in the partition without a
 * label. */
static void fill_queue_usage(const struct yarn_context *f, const struct rm_queue_view *v,
                             const struct share *s, struct yarn_partition_usage *u)
{
    struct rm_res pending = subtract_resources(&v->demand, &v->used);
    bool labelled = s->partition->name[0] != '\0', has_apps = v->pending_apps + v->active_apps > 0;

    yarn_partition_usage_fill(f, u, &s->used, labelled ? &none : &pending);
    u->partition = s->partition->name;
    if (!v->is_parent) /* YARN computes a user's limit when the queue gets its first application */
        yarn_partition_usage_fill_masters(f, u, &s->masters_used, &s->masters_limit,
                                          has_apps && !labelled ? &s->masters_limit : &none);
}

static void fill_queue(const struct yarn_context *f, const struct rm_queue_view *v,
                       const struct share *s, struct yarn_capacity_queue *q)
{
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
    if (v->parent < 0)
        yarn_capacity_vector_set_percent(&q->vector, s->part->capacity * 100);
    q->apps = v->pending_apps + v->active_apps;
    q->max_parallel_apps = v->max_apps;
    q->state = v->state;
    yarn_resource_fill(f, &q->resources_used, &s->used);
    q->label[0] = "*";
    q->labels = (struct api_list){q->label, 1, sizeof q->label[0]};
    q->allocated_containers = v->allocated_containers;
    q->pending_containers = v->pending_containers;
    fill_queue_usage(f, v, s, &q->partition_usage);
    q->usages.list = (struct api_list){&q->partition_usage, 1, sizeof q->partition_usage};
    yarn_resource_fill(f, &q->effective_min, &s->min);
    yarn_resource_fill(f, &q->effective_max, &s->max);
    yarn_resource_fill(f, &q->max_allocation, &f->cluster.max_capability);
    fill_acls(v, q);
    q->ordering_policy = name_ordering_policy(v);
    q->mode = "percentage";
    q->queue_type = v->is_parent ? "parent" : "leaf";
    q->creation_method = v->is_dynamic ? "dynamicFlexible" : "static";
    q->auto_creation = "off";
    if (!v->is_parent)
        fill_leaf_queue(f, v, s, q);
}

/* Replaces the lists of partitions of the queue at @i, if there are several. */
static void fill_queue_partitions(const struct yarn_context *f, const struct yarn_partitions *all,
                                  size_t i, struct yarn_capacity_tree *t)
{
    const struct rm_queue_view *v = &f->queues.queues[i];
    struct yarn_capacity_queue *q = &t->queues[i];
    struct yarn_partition_capacity *capacities;
    struct yarn_partition_usage *usages;
    struct share s;

    if (all->n == 1)
        return;
    capacities = &t->capacities[i * all->n];
    usages = &t->usages[i * all->n];
    q->capacities.list = (struct api_list){capacities, 0, sizeof *capacities};
    q->usages.list = (struct api_list){usages, 0, sizeof *usages};
    for (size_t p = 0; p < all->n; p++) {
        bool configured = all->configured[i * all->n + p];

        fill_queue_share(f, all, i, p, &s);
        if (all->v[p].exists || configured)
            fill_partition_capacity(f, v, &s, &capacities[q->capacities.list.n++]);
        if (all->v[p].exists || (configured && !v->is_parent))
            fill_queue_usage(f, v, &s, &usages[q->usages.list.n++]);
    }
}

/* ---- users ---- */

static void fill_queue_user(const struct yarn_context *f, const struct rm_queue_user_view *v,
                            const struct share *s, const struct yarn_partitions *all,
                            struct yarn_capacity_user *u, struct yarn_partition_usage *usages)
{
    struct rm_res used = v->used, masters_used = v->am_used;
    struct api_list *list = &u->usages.list;

    *list = (struct api_list){usages, 1, sizeof *usages};
    for (size_t p = 1; p < all->n; p++) {
        struct rm_label_use_view use = yarn_partitions_use_of(all, p, v->queue, v->user);

        if (has_no_memory_and_vcores(&use.used))
            continue;
        used = subtract_resources(&used, &use.used);
        masters_used = subtract_resources(&masters_used, &use.masters_used);
        yarn_partition_usage_fill(f, &usages[list->n], &use.used, &none);
        yarn_partition_usage_fill_masters(f, &usages[list->n], &use.masters_used, &none, &none);
        usages[list->n++].partition = all->v[p].name;
    }
    yarn_partition_usage_fill(f, usages, &used, &v->pending);
    yarn_partition_usage_fill_masters(f, usages, &masters_used, &s->masters_limit, &none);
    u->name = v->user;
    yarn_resource_fill(f, &u->used, &v->used);
    u->pending_apps = v->pending_apps;
    u->active_apps = v->active_apps;
    yarn_resource_fill(f, &u->masters_used, &v->am_used);
    yarn_resource_fill(f, &u->limit, &s->max);
    u->weight = 1.0f;
    u->active = v->pending_containers > 0;
}

/* Fills the users, a range of t->users for each queue. @shares: of the queues in the partition
 * without a label. */
static void fill_queue_users(const struct yarn_context *f, const struct rm_views *v,
                             const struct share *shares, const struct yarn_partitions *all,
                             struct yarn_capacity_tree *t)
{
    size_t used = 0, places_n;
    int32_t *places = yarn_capacity_queue_places_new(&f->queues, &places_n);

    for (size_t i = 0; i < v->queue_users_n; i++) {
        const struct rm_queue_user_view *u = &v->queue_users[i];
        int32_t at = (size_t)u->queue < places_n ? places[u->queue] : -1;

        if (at >= 0)
            t->queues[at].users.list.n++;
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
        fill_queue_user(f, u, &shares[at], all, &t->users[to], &t->user_usages[to * all->n]);
    }
    free(places);
}

/* ---- the tree ---- */

/* Enters the children of each queue into a range of t->any, leaves before parents. */
static void link_child_queues(const struct yarn_context *f, struct yarn_capacity_tree *t)
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

static const char *text_or_na(const char *s)
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
            .node_id = text_or_na(o ? o->node_id : NULL),
            /* YARN notes an allocation before its container has an id */
            .container_id = o && i != RM_OPERATION_ALLOCATION
                                ? base_container_id_text(&o->container, t->containers[i])
                                : "N/A",
            .queue = text_or_na(o ? o->queue : NULL)};
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

int32_t *yarn_capacity_queue_places_new(const struct rm_views *v, size_t *n)
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
                             const struct rm_properties *conf, const struct rm_health_view *health,
                             struct yarn_capacity_tree *t)
{
    const struct rm_views *v = &f->queues;
    size_t n = v->queues_n;
    struct share *shares = base_alloc((n + 1) * sizeof *shares);
    struct yarn_partitions *all = &t->partitions;

    *t = (struct yarn_capacity_tree){0};
    yarn_partitions_fill(f, users, conf, all);
    t->queues = base_alloc((n + 1) * sizeof *t->queues);
    t->children = base_alloc((n + 1) * sizeof *t->children);
    t->any = base_alloc((n + 1) * sizeof *t->any);
    t->users = base_alloc((users->queue_users_n + 1) * sizeof *t->users);
    t->user_usages = base_alloc((users->queue_users_n * all->n + 1) * sizeof *t->user_usages);
    if (all->n > 1) {
        t->capacities = base_alloc(n * all->n * sizeof *t->capacities);
        t->usages = base_alloc(n * all->n * sizeof *t->usages);
    }
    for (size_t i = 0; i < n; i++)
        fill_queue_share(f, all, i, 0, &shares[i]);
    fill_queue_users(f, users, shares, all, t);
    for (size_t i = 0; i < n; i++) {
        fill_queue(f, &v->queues[i], &shares[i], &t->queues[i]);
        fill_queue_partitions(f, all, i, t);
    }
    link_child_queues(f, t);
    fill_health(f, health, t);
    t->scheduler.root = &t->queues[0];
    free(shares);
}

void yarn_capacity_tree_free(struct yarn_capacity_tree *t)
{
    yarn_partitions_free(&t->partitions);
    free(t->queues);
    free(t->children);
    free(t->any);
    free(t->users);
    free(t->capacities);
    free(t->usages);
    free(t->user_usages);
}
