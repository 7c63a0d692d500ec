#include "rm/http/admin/queue_beans.h"

#include <stdlib.h>
#include <string.h>

#include "base/conf/conf.h"
#include "rm/core/app/totals.h"
#include "rm/http/admin/beans.h"
#include "rm/http/yarn/queue_part.h"
#include "rm/http/yarn/scheduler/scheduler_internal.h"

/* what a bean is, in the bits of api_attribute.when */
enum { CAPACITY = 1, FAIR = 2, USER = 4, PARTITION = 8, QUEUE = 16 };

struct figures {
    const char *partition, *queue, *user, *context, *policy, *host;
    int64_t running[4];
    int64_t wanting_apps, active_users, pending_apps, active_apps, pending_containers, containers;
    int64_t unmanaged_pending_apps, unmanaged_active_apps;
    int64_t available_mb, available_vcores;
    struct rm_res used, pending, masters_used, masters_limit, min, max, fair, steady;
    double used_part, absolute_used_part; /* of the queue's capacity; of the cluster */
    struct yarn_queue_part part;
    int64_t max_apps;
    struct rm_totals totals;
    int64_t submitted, completed, failed, killed; /* including unmanaged applications */
    struct api_rate first;
};
#define MB(name)     name.v[RM_RES_MEMORY_MB]
#define VCORES(name) name.v[RM_RES_VCORES]
#define TAG(name, member, when)                                                                    \
    {                                                                                              \
        name, API_ATTR_TAG, offsetof(struct figures, member), when                                 \
    }
#define ONLY(when, name, type, member)                                                             \
    {                                                                                              \
        name, API_ATTR_##type, offsetof(struct figures, member), when                              \
    }
#define GAUGE(name, member) API_ATTRIBUTE(figures, name, API_ATTR_GAUGE, member)
#define COUNT(name, member) API_ATTRIBUTE(figures, name, API_ATTR_COUNT, member)
#define NO_GAUGE(when, name)                                                                       \
    {                                                                                              \
        name, API_ATTR_NO_GAUGE, 0, when                                                           \
    }

static const struct api_attribute attributes[] = {
    TAG("Partition", partition, PARTITION),
    TAG("Queue", queue, QUEUE),
    TAG("User", user, USER),
    TAG("Context", context, 0),
    TAG("SchedulingPolicy", policy, FAIR),
    TAG("Hostname", host, 0),
    GAUGE("running_0", running[0]),
    GAUGE("running_60", running[1]),
    GAUGE("running_300", running[2]),
    GAUGE("running_1440", running[3]),
    ONLY(CAPACITY, "AMResourceLimitMB", GAUGE, MB(masters_limit)),
    ONLY(CAPACITY, "AMResourceLimitVCores", GAUGE, VCORES(masters_limit)),
    ONLY(CAPACITY, "AbsoluteUsedCapacity", FLOAT, absolute_used_part),
    ONLY(CAPACITY, "GuaranteedAbsoluteCapacity", FLOAT, part.absolute),
    ONLY(CAPACITY, "GuaranteedCapacity", FLOAT, part.capacity),
    ONLY(CAPACITY, "GuaranteedMB", GAUGE, MB(min)),
    ONLY(CAPACITY, "GuaranteedVCores", GAUGE, VCORES(min)),
    ONLY(CAPACITY, "MaxAbsoluteCapacity", FLOAT, part.absolute_max),
    ONLY(CAPACITY, "MaxCapacity", FLOAT, part.max),
    ONLY(CAPACITY, "MaxCapacityMB", GAUGE, MB(max)),
    ONLY(CAPACITY, "MaxCapacityVCores", GAUGE, VCORES(max)),
    ONLY(CAPACITY, "UsedAMResourceMB", GAUGE, MB(masters_used)),
    ONLY(CAPACITY, "UsedAMResourceVCores", GAUGE, VCORES(masters_used)),
    ONLY(CAPACITY, "UsedCapacity", FLOAT, used_part),
    ONLY(FAIR, "AmResourceUsageMB", GAUGE, MB(masters_used)),
    ONLY(FAIR, "AmResourceUsageVCores", GAUGE, VCORES(masters_used)),
    ONLY(FAIR, "FairShareMB", GAUGE, MB(fair)),
    ONLY(FAIR, "FairShareVCores", GAUGE, VCORES(fair)),
    NO_GAUGE(FAIR, "MaxAMShareMB"),
    NO_GAUGE(FAIR, "MaxAMShareVCores"),
    ONLY(FAIR, "MaxApps", GAUGE, max_apps),
    ONLY(FAIR, "MaxShareMB", GAUGE, MB(max)),
    ONLY(FAIR, "MaxShareVCores", GAUGE, VCORES(max)),
    ONLY(FAIR, "MinShareMB", GAUGE, MB(min)),
    ONLY(FAIR, "MinShareVCores", GAUGE, VCORES(min)),
    ONLY(FAIR, "SteadyFairShareMB", GAUGE, MB(steady)),
    ONLY(FAIR, "SteadyFairShareVCores", GAUGE, VCORES(steady)),
    GAUGE("ActiveApplications", wanting_apps),
    GAUGE("ActiveUsers", active_users),
    COUNT("AggregateContainersAllocated", totals.begun),
    COUNT("AggregateContainersPreempted", totals.preempted),
    COUNT("AggregateContainersReleased", totals.ended),
    COUNT("AggregateMemoryMBPreempted", totals.preempted_mb),
    COUNT("AggregateMemoryMBSecondsPreempted", totals.preempted_mb_seconds),
    COUNT("AggregateNodeLocalContainersAllocated", totals.placed[DELAY_NODE]),
    COUNT("AggregateOffSwitchContainersAllocated", totals.placed[DELAY_ANY]),
    COUNT("AggregateRackLocalContainersAllocated", totals.placed[DELAY_RACK]),
    COUNT("AggregateVcoreSecondsPreempted", totals.preempted_vcore_seconds),
    COUNT("AggregateVcoresPreempted", totals.preempted_vcores),
    GAUGE("AllocatedContainers", containers),
    GAUGE("AllocatedMB", MB(used)),
    GAUGE("AllocatedVCores", VCORES(used)),
    API_ATTRIBUTE(figures, "AppAttemptFirstContainerAllocationDelay", API_ATTR_RATE, first),
    COUNT("AppsCompleted", completed),
    COUNT("AppsFailed", failed),
    COUNT("AppsKilled", killed),
    GAUGE("AppsPending", pending_apps),
    GAUGE("AppsRunning", active_apps),
    COUNT("AppsSubmitted", submitted),
    GAUGE("AvailableMB", available_mb),
    GAUGE("AvailableVCores", available_vcores),
    GAUGE("PendingContainers", pending_containers),
    GAUGE("PendingMB", MB(pending)),
    GAUGE("PendingVCores", VCORES(pending)),
    /* Creel reserves nothing */
    NO_GAUGE(0, "ReservedContainers"),
    NO_GAUGE(0, "ReservedMB"),
    NO_GAUGE(0, "ReservedVCores"),
    COUNT("UnmanagedAppsCompleted", totals.completed[1]),
    COUNT("UnmanagedAppsFailed", totals.failed[1]),
    COUNT("UnmanagedAppsKilled", totals.killed[1]),
    GAUGE("UnmanagedAppsPending", unmanaged_pending_apps),
    GAUGE("UnmanagedAppsRunning", unmanaged_active_apps),
    COUNT("UnmanagedAppsSubmitted", totals.submitted[1]),
};

static void add_res(struct rm_res *to, const struct rm_res *r, int sign)
{
    for (int i = 0; i < RM_RES_NAMES; i++)
        to->v[i] += sign * r->v[i];
}

static int64_t subtract_or_zero(int64_t whole, int64_t used)
{
    return whole > used ? whole - used : 0;
}

static void set_available(struct figures *f, const struct rm_res *whole)
{
    f->available_mb = subtract_or_zero(MB((*whole)), MB(f->used));
    f->available_vcores = subtract_or_zero(VCORES((*whole)), VCORES(f->used));
}

static double divide_or_zero(int64_t a, int64_t b)
{
    return b > 0 ? (double)a / (double)b : 0;
}

static void set_totals(struct figures *f, const struct rm_totals *t)
{
    f->totals = *t;
    f->submitted = t->submitted[0] + t->submitted[1];
    f->completed = t->completed[0] + t->completed[1];
    f->failed = t->failed[0] + t->failed[1];
    f->killed = t->killed[0] + t->killed[1];
    f->first.ops = t->first_n;
    f->first.average = divide_or_zero(t->first_us, t->first_n) / 1000;
}

/* Appends the value of a property; characters that are special in names become "_". */
static void add_property_value(struct base_buf *tail, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        base_buf_add(tail, strchr(",=:*?\"\\", text[i]) ? "_" : &text[i], 1);
}

/* Appends ",q0=root,q1=a" for the path "root.a". */
static void add_queue_path_properties(struct base_buf *tail, const char *path)
{
    for (int i = 0;; i++) {
        size_t n = strcspn(path, ".");

        base_buf_addf(tail, ",q%d=", i);
        add_property_value(tail, path, n);
        if (!path[n])
            return;
        path += n + 1;
    }
}

/* ---- users ---- */

/* A user in a queue, including the queues below it. */
struct user {
    size_t place; /* of the queue in the views */
    const char *name;
    struct rm_queue_user_view sums;
};
struct users {
    struct user *v;
    size_t n;
};

static int compare_users(const void *a, const void *b)
{
    const struct user *x = a, *y = b;
    int order = (x->place > y->place) - (x->place < y->place);

    return order ? order : strcmp(x->name, y->name);
}

static void add_sums(struct rm_queue_user_view *to, const struct rm_queue_user_view *v)
{
    to->pending_apps += v->pending_apps;
    to->active_apps += v->active_apps;
    to->unmanaged_pending_apps += v->unmanaged_pending_apps;
    to->unmanaged_active_apps += v->unmanaged_active_apps;
    to->pending_containers += v->pending_containers;
    to->containers += v->containers;
    to->wanting_apps += v->wanting_apps;
    add_res(&to->used, &v->used, 1);
    add_res(&to->am_used, &v->am_used, 1);
    add_res(&to->pending, &v->pending, 1);
    for (int i = 0; i < 4; i++)
        to->running_apps[i] += v->running_apps[i];
    rm_totals_add(&to->totals, &v->totals);
}

/* Merges rows of the same user in the same queue; @u is sorted. */
static void merge_users(struct users *u)
{
    size_t kept = 0;

    for (size_t i = 0; i < u->n; i++) {
        if (kept && compare_users(&u->v[kept - 1], &u->v[i]) == 0)
            add_sums(&u->v[kept - 1].sums, &u->v[i].sums);
        else
            u->v[kept++] = u->v[i];
    }
    u->n = kept;
}

/* Returns the place of each queue in the views by the core's index, -1: not shown; sets *@n to one
 * above the highest index. The caller frees the array. */
static int32_t *queue_places_new(const struct rm_views *v, int32_t *n)
{
    int32_t *places;

    *n = 0;
    for (size_t q = 0; q < v->queues_n; q++)
        if (v->queues[q].index >= *n)
            *n = v->queues[q].index + 1;
    places = base_alloc(((size_t)*n + 1) * sizeof *places);
    memset(places, -1, ((size_t)*n + 1) * sizeof *places);
    for (size_t q = 0; q < v->queues_n; q++)
        places[v->queues[q].index] = (int32_t)q;
    return places;
}

/* Returns a row for each user in each queue that is shown, and in the queues above it, sorted by
 * queue. The caller frees the rows. */
static struct users users_new(const struct rm_views *v)
{
    struct users u = {0};
    size_t cap = 0;
    int32_t n, *places = queue_places_new(v, &n);

    for (size_t i = 0; i < v->queue_users_n; i++) {
        int32_t index = v->queue_users[i].queue, place = index < n ? places[index] : -1;

        for (; place >= 0; place = v->queues[place].parent) {
            base_array_grow(&u.v, u.n, &cap);
            u.v[u.n++] = (struct user){
                .place = (size_t)place, .name = v->queue_users[i].user, .sums = v->queue_users[i]};
        }
    }
    free(places);
    if (u.n)
        qsort(u.v, u.n, sizeof *u.v, compare_users);
    merge_users(&u);
    return u;
}

/* ---- queues ---- */

static void add_user_figures(struct figures *f, const struct rm_queue_user_view *v)
{
    f->wanting_apps += v->wanting_apps;
    f->active_users += v->pending_containers > 0;
    f->unmanaged_pending_apps += v->unmanaged_pending_apps;
    f->unmanaged_active_apps += v->unmanaged_active_apps;
    add_res(&f->masters_used, &v->am_used, 1);
    for (int i = 0; i < 4; i++)
        f->running[i] += v->running_apps[i];
}

/* *@next: the first row of @users that belongs to the queue, or to a later one; advanced past the
 * queue's rows. */
static struct figures fill_queue_figures(const struct rm_queue_beans *b, size_t place,
                                         const struct users *users, size_t *next)
{
    const struct rm_queue_view *q = &b->views.queues[place];
    struct figures f = {.queue = q->name,
                        .context = "yarn",
                        .host = api_bean_get_host_name(),
                        .pending_apps = q->pending_apps,
                        .active_apps = q->active_apps,
                        .pending_containers = q->pending_containers,
                        .containers = q->allocated_containers,
                        .used = q->used,
                        .pending = q->demand,
                        .max_apps = q->max_apps};

    add_res(&f.pending, &q->used, -1);
    set_totals(&f, &q->totals);
    for (; *next < users->n && users->v[*next].place == place; ++*next)
        add_user_figures(&f, &users->v[*next].sums);
    if (q->parent < 0)
        set_available(&f, &b->cluster.total);
    return f;
}

/* Figures about masters exist for leaves only. */
static void fill_capacity_figures(const struct rm_queue_beans *b, size_t place,
                                  const struct yarn_queue_part *part, struct figures *f)
{
    const struct rm_res *total = &b->cluster.total;

    f->part = *part;
    f->min = yarn_queue_part_of(part->absolute, total);
    f->max = yarn_queue_part_of(part->absolute_max, total);
    f->used_part = divide_or_zero(MB(f->used), MB(f->min));
    f->absolute_used_part = divide_or_zero(MB(f->used), MB((*total)));
    if (b->views.queues[place].is_parent)
        f->masters_used = (struct rm_res){{0}};
    else
        f->masters_limit = yarn_capacity_get_masters_limit(&b->cluster, &f->max);
    set_available(f, &f->min);
}

static void fill_fair_figures(const struct rm_queue_beans *b, size_t place,
                              const struct rm_res *steady, struct figures *f)
{
    const struct rm_queue_view *q = &b->views.queues[place];

    f->policy = yarn_fair_name_policy(q->policy);
    f->fair = q->fair_share;
    f->steady = steady[place];
    f->min = q->min;
    f->max = q->max;
    if (q->max_part >= 1) { /* no limit */
        MB(f->max) = INT64_MAX;
        VCORES(f->max) = INT32_MAX;
    }
    if (q->is_parent)
        f->masters_used = (struct rm_res){{0}};
}

static void add_bean(const struct api_bean_kind *kind, struct api_bean_sink *sink,
                     const char *partition, const char *path, const char *user, unsigned bits,
                     const struct figures *f)
{
    struct base_buf tail = {0};

    base_buf_adds(&tail, kind->name);
    if (partition)
        base_buf_addf(&tail, ",partition=%s", partition);
    if (path)
        add_queue_path_properties(&tail, path);
    if (user) {
        base_buf_adds(&tail, ",user=");
        add_property_value(&tail, user, strlen(user));
    }
    api_bean_add_if_wanted(kind, sink, tail.data, bits, f);
    base_buf_free(&tail);
}

static void add_user_bean(const struct api_bean_kind *kind, struct api_bean_sink *sink,
                          const struct rm_queue_beans *b, const struct user *u)
{
    const struct rm_queue_user_view *v = &u->sums;
    struct figures f = {.queue = b->views.queues[u->place].name,
                        .user = u->name,
                        .context = "yarn",
                        .host = api_bean_get_host_name(),
                        .pending_apps = v->pending_apps,
                        .active_apps = v->active_apps,
                        .pending_containers = v->pending_containers,
                        .containers = v->containers,
                        .used = v->used,
                        .pending = v->pending};

    add_user_figures(&f, v);
    set_totals(&f, &v->totals);
    add_bean(kind, sink, NULL, f.queue, u->name, QUEUE | USER, &f);
}

/* YARN's fair scheduler has a parent queue only while that queue has children. */
static bool is_empty_parent_below_root(const struct rm_views *v, size_t place)
{
    if (!v->queues[place].is_parent || place == 0)
        return false;
    for (size_t i = place + 1; i < v->queues_n; i++)
        if (v->queues[i].parent == (int32_t)place)
            return false;
    return true;
}

void rm_queue_beans_add_queues(const struct api_bean_kind *kind, struct api_bean_sink *sink,
                               const struct rm_queue_beans *b)
{
    const struct rm_views *v = &b->views;
    struct users users = users_new(v);
    struct yarn_queue_part *parts = yarn_queue_parts_new(v);
    struct rm_res *steady = yarn_fair_steady_shares_new(v, &b->cluster.total);
    size_t next = 0;

    for (size_t i = 0; i < v->queues_n; i++) {
        struct figures f = fill_queue_figures(b, i, &users, &next);
        unsigned bits = QUEUE;

        if (b->shape == RM_SHAPE_CAPACITY) {
            bits |= CAPACITY;
            fill_capacity_figures(b, i, &parts[i], &f);
        } else if (b->shape == RM_SHAPE_FAIR) {
            if (is_empty_parent_below_root(v, i))
                continue;
            bits |= FAIR;
            fill_fair_figures(b, i, steady, &f);
        } else {
            f.queue = "default";
        }
        add_bean(kind, sink, NULL, f.queue, NULL, bits, &f);
        if (b->shape == RM_SHAPE_FIFO)
            break; /* the root is all there is */
    }
    for (size_t i = 0; b->with_users && i < users.n; i++)
        add_user_bean(kind, sink, b, &users.v[i]);
    free(steady);
    free(parts);
    free(users.v);
}

/* ---- partitions ---- */

/* Returns what each queue, with those below it, uses on nodes with the label; label 0: on nodes
 * without one, computed as the remainder. The caller frees the array. */
static struct rm_partition *queue_uses_of_label_new(const struct rm_views *v, size_t label)
{
    struct rm_partition *uses = base_alloc((v->queues_n + 1) * sizeof *uses);
    int32_t n, *places = queue_places_new(v, &n);
    int sign = label ? 1 : -1;

    for (size_t i = 0; i < v->partitions_n; i++) {
        const struct rm_partition_view *p = &v->partitions[i];
        bool counts = p->queue < n && (!label || p->label == label);
        int32_t place = counts ? places[p->queue] : -1;

        for (; place >= 0; place = v->queues[place].parent) {
            add_res(&uses[place].used, &p->use.used, sign);
            uses[place].containers += sign * p->use.containers;
            uses[place].begun += sign * p->use.begun;
            uses[place].ended += sign * p->use.ended;
        }
    }
    free(places);
    for (size_t q = 0; !label && q < v->queues_n; q++) {
        add_res(&uses[q].used, &v->queues[q].used, 1);
        uses[q].containers += v->queues[q].allocated_containers;
        uses[q].begun += v->queues[q].totals.begun;
        uses[q].ended += v->queues[q].totals.ended;
    }
    return uses;
}

static struct figures fill_partition_figures(const struct rm_label_view *label,
                                             const struct rm_partition *use,
                                             const struct rm_res *whole)
{
    struct figures f = {.partition = label->name,
                        .context = "yarn",
                        .host = api_bean_get_host_name(),
                        .containers = use->containers,
                        .used = use->used,
                        .totals = {.begun = use->begun, .ended = use->ended}};

    set_available(&f, whole);
    return f;
}

void rm_queue_beans_add_partitions(const struct api_bean_kind *kind, struct api_bean_sink *sink,
                                   const struct rm_queue_beans *b)
{
    const struct rm_views *v = &b->views;
    struct yarn_queue_part *parts = yarn_queue_parts_new(v);

    for (size_t l = 0; l < v->labels_n && v->queues_n; l++) {
        const struct rm_label_view *label = &v->labels[l];
        struct rm_partition *uses = queue_uses_of_label_new(v, l);
        struct figures f = fill_partition_figures(label, &uses[0], &label->total);

        add_bean(kind, sink, label->name, NULL, NULL, PARTITION, &f);
        for (size_t q = 0; q < v->queues_n; q++) {
            struct rm_res share = yarn_queue_part_of(parts[q].absolute, &label->total);

            f = fill_partition_figures(label, &uses[q], &share);
            f.queue = v->queues[q].name;
            add_bean(kind, sink, label->name, f.queue, NULL, PARTITION | QUEUE, &f);
        }
        free(uses);
    }
    free(parts);
}

/* ---- the kinds ---- */

static void read_queue_beans(struct rm_backend *backend, struct rm_queue_beans *b, bool partitions)
{
    const struct base_conf *conf = rm_backend_conf(backend);
    const struct rm_core *core;

    *b = (struct rm_queue_beans){.shape = rm_scheduler_shape_read(conf)};
    b->with_users = b->shape == RM_SHAPE_FAIR ||
                    (b->shape == RM_SHAPE_CAPACITY &&
                     base_conf_bool(conf, "yarn.scheduler.capacity.user-metrics.enable"));
    core = rm_backend_lock_core(backend);
    rm_view_cluster(core, &b->cluster);
    rm_view_queues(core, &b->views);
    if (partitions)
        rm_view_partitions(core, &b->views);
    else
        rm_view_queue_user_totals(core, rm_backend_now_us(backend), &b->views);
    rm_backend_unlock_core(backend);
}

static void list_queue_beans(const struct api_bean_kind *kind, struct api_bean_sink *sink,
                             const struct api_bean_service *service)
{
    struct rm_queue_beans b;

    read_queue_beans(service->user, &b, false);
    rm_queue_beans_add_queues(kind, sink, &b);
    rm_views_free(&b.views);
}

static void list_partition_beans(const struct api_bean_kind *kind, struct api_bean_sink *sink,
                                 const struct api_bean_service *service)
{
    struct rm_queue_beans b;

    if (rm_scheduler_shape_read(rm_backend_conf(service->user)) != RM_SHAPE_CAPACITY)
        return;
    read_queue_beans(service->user, &b, true);
    rm_queue_beans_add_partitions(kind, sink, &b);
    rm_views_free(&b.views);
}

const struct api_bean_kind rm_bean_queue_metrics = {
    .name = "QueueMetrics", .list = list_queue_beans, API_ATTRIBUTES(attributes)};
const struct api_bean_kind rm_bean_partition_metrics = {
    .name = "PartitionQueueMetrics", .list = list_partition_beans, API_ATTRIBUTES(attributes)};
