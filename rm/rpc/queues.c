/* rm/rpc/queues.c - queues, in the shape of the configured scheduler of YARN. */
#include <stdlib.h>
#include <string.h>

#include "rm/http/yarn/scheduler/scheduler_internal.h"
#include "rm/rpc/client.h"

#define SUBMIT_APPLICATIONS 1 /* rights as YARN numbers them */
#define ADMINISTER_QUEUE    2

#define PUT(message, member, value) ((message)->has_##member = true, (message)->member = (value))

static const char *const queue_states[] = {NULL, "STOPPED", "RUNNING", "DRAINING"};

/* One queue of the answer and what it points to. */
struct put_queue {
    Yarn__Queue queue;
    Yarn__QueueStatistics statistics;
    char *label;
};

struct queue_answer {
    const struct yarn_context *f;
    const Yarn__QueueRequest *request;
    struct rm_res *steady;    /* fair only */
    int64_t *users;           /* how many users want containers in each queue */
    struct put_queue *queues; /* of all queues, in their order */
    /* The children of queue i are children[first_child[i]] and so on, up to first_child[i + 1]. */
    size_t *first_child, *children;
    Yarn__Queue **links; /* what the queues of the answer point to, in the same order */
};

static int32_t number_state(const char *name)
{
    for (int32_t i = 1; i < (int32_t)(sizeof queue_states / sizeof *queue_states); i++)
        if (strcmp(queue_states[i], name) == 0)
            return i;
    return 0;
}

static float compute_part(int64_t part, int64_t whole)
{
    return whole > 0 ? (float)((double)part / (double)whole) : 0;
}

static int64_t difference_or_0(int64_t a, int64_t b)
{
    return a > b ? a - b : 0;
}

static void put_statistics(const struct rm_queue_view *v, const struct rm_res *entitled,
                           int64_t users, Yarn__QueueStatistics *s)
{
    const struct rm_totals *t = &v->totals;

    yarn__queue_statistics__init(s);
    PUT(s, submitted, t->submitted[0] + t->submitted[1]);
    PUT(s, running, v->active_apps);
    PUT(s, pending, v->pending_apps);
    PUT(s, completed, t->completed[0] + t->completed[1]);
    PUT(s, killed, t->killed[0] + t->killed[1]);
    PUT(s, failed, t->failed[0] + t->failed[1]);
    PUT(s, active_users, users);
    PUT(s, available_mb,
        difference_or_0(entitled->v[RM_RES_MEMORY_MB], v->used.v[RM_RES_MEMORY_MB]));
    PUT(s, allocated_mb, v->used.v[RM_RES_MEMORY_MB]);
    PUT(s, pending_mb, difference_or_0(v->demand.v[RM_RES_MEMORY_MB], v->used.v[RM_RES_MEMORY_MB]));
    PUT(s, reserved_mb, 0);
    PUT(s, available_vcores, difference_or_0(entitled->v[RM_RES_VCORES], v->used.v[RM_RES_VCORES]));
    PUT(s, allocated_vcores, v->used.v[RM_RES_VCORES]);
    PUT(s, pending_vcores, difference_or_0(v->demand.v[RM_RES_VCORES], v->used.v[RM_RES_VCORES]));
    PUT(s, reserved_vcores, 0);
    PUT(s, allocated_containers, v->allocated_containers);
    PUT(s, pending_containers, v->pending_containers);
    PUT(s, reserved_containers, 0);
}

static void put_capacity_queue(const struct queue_answer *a, size_t i, struct put_queue *out)
{
    const struct yarn_context *f = a->f;
    const struct rm_queue_view *v = &f->queues.queues[i];
    const struct yarn_queue_part *part = &f->parts[i];
    const char *last = strrchr(v->name, '.');
    struct rm_res entitled = yarn_queue_part_of(part->absolute, &f->cluster.total);
    bool preempts = f->cluster.preempts && v->preemptable;
    Yarn__Queue *q = &out->queue;

    q->name = (char *)(last ? last + 1 : v->name);
    q->path = (char *)v->name;
    PUT(q, capacity, (float)part->capacity);
    PUT(q, max_capacity, (float)part->max);
    PUT(q, current_capacity,
        compute_part(v->used.v[RM_RES_MEMORY_MB], entitled.v[RM_RES_MEMORY_MB]));
    out->label = "*";
    q->labels = &out->label;
    q->n_labels = 1;
    PUT(q, preemption_disabled, !preempts);
    PUT(q, intra_queue_preemption_disabled, !preempts);
    PUT(q, weight, -1);
    PUT(q, max_parallel_apps, v->max_apps);
    q->scheduler = "CapacityScheduler";
    put_statistics(v, &entitled, a->users[i], &out->statistics);
}

static void put_fair_queue(const struct queue_answer *a, size_t i, struct put_queue *out)
{
    const struct yarn_context *f = a->f;
    const struct rm_res *steady = a->steady;
    const struct rm_queue_view *v = &f->queues.queues[i];
    const struct rm_res *total = &f->cluster.total;
    struct rm_res max = v->max_part < 1 ? v->max : *total;
    Yarn__Queue *q = &out->queue;

    q->name = (char *)v->name;
    PUT(q, capacity, compute_part(v->fair_share.v[RM_RES_MEMORY_MB], total->v[RM_RES_MEMORY_MB]));
    PUT(q, current_capacity,
        compute_part(v->used.v[RM_RES_MEMORY_MB], v->fair_share.v[RM_RES_MEMORY_MB]));
    PUT(q, preemption_disabled, !(f->cluster.preempts && v->preemptable));
    PUT(q, weight, (float)v->weight);
    q->scheduler = "FairScheduler";
    PUT(q, min_mb, v->min.v[RM_RES_MEMORY_MB]);
    PUT(q, min_vcores, (int32_t)v->min.v[RM_RES_VCORES]);
    PUT(q, max_mb, max.v[RM_RES_MEMORY_MB]);
    PUT(q, max_vcores, (int32_t)max.v[RM_RES_VCORES]);
    PUT(q, reserved_mb, 0);
    PUT(q, reserved_vcores, 0);
    PUT(q, steady_mb, steady[i].v[RM_RES_MEMORY_MB]);
    PUT(q, steady_vcores, (int32_t)steady[i].v[RM_RES_VCORES]);
    PUT(q, max_apps, v->max_apps);
    put_statistics(v, &max, a->users[i], &out->statistics);
}

/* ---- one queue, and those below it ---- */

/* Fills the queue at @i, and the queues below it: its children, or with "recursive" all. */
static void put_queue(struct queue_answer *a, size_t i, bool with_children)
{
    const struct rm_views *v = &a->f->queues;
    struct put_queue *out = &a->queues[i];

    yarn__queue__init(&out->queue);
    if (a->f->shape == RM_SHAPE_CAPACITY)
        put_capacity_queue(a, i, out);
    else
        put_fair_queue(a, i, out);
    PUT(&out->queue, state, number_state(v->queues[i].state));
    out->queue.statistics = &out->statistics;
    if (!with_children)
        return;
    out->queue.children = a->links + a->first_child[i];
    out->queue.n_children = a->first_child[i + 1] - a->first_child[i];
    for (size_t c = a->first_child[i]; c < a->first_child[i + 1]; c++) {
        put_queue(a, a->children[c], a->request->recursive);
        a->links[c] = &a->queues[a->children[c]].queue;
    }
}

/* Sorts the queues by their parents, in one pass over them. */
static void find_children(struct queue_answer *a)
{
    const struct rm_views *v = &a->f->queues;
    size_t n = v->queues_n, *next = base_alloc((n + 1) * sizeof *next);

    a->first_child = base_alloc((n + 2) * sizeof *a->first_child);
    a->children = base_alloc((n + 1) * sizeof *a->children);
    a->links = base_alloc((n + 1) * sizeof *a->links);
    for (size_t i = 0; i < n; i++)
        if (v->queues[i].parent >= 0)
            a->first_child[v->queues[i].parent + 1]++;
    for (size_t i = 0; i < n; i++) {
        a->first_child[i + 1] += a->first_child[i];
        next[i] = a->first_child[i];
    }
    for (size_t i = 0; i < n; i++)
        if (v->queues[i].parent >= 0)
            a->children[next[v->queues[i].parent]++] = i;
    free(next);
}

static int32_t find_queue(const struct yarn_context *f, const char *name)
{
    struct base_buf path = {0};
    int32_t at = -1;

    if (f->shape == RM_SHAPE_CAPACITY)
        return yarn_find_queue_by_path_or_last_name(&f->queues, name);
    yarn_format_queue_path(name, &path);
    for (size_t i = 0; i < f->queues.queues_n && at < 0; i++)
        if (strcmp(f->queues.queues[i].name, path.data) == 0)
            at = (int32_t)i;
    base_buf_free(&path);
    return at;
}

/* Returns where the queue with each of the core's numbers stands in the list, counted from 1; 0: no
 * queue has the number. The caller frees it. */
static size_t *find_places(const struct rm_views *queues, int32_t *n)
{
    size_t *places;

    *n = 0;
    for (size_t q = 0; q < queues->queues_n; q++)
        if (queues->queues[q].index >= *n)
            *n = queues->queues[q].index + 1;
    places = base_alloc(((size_t)*n + 1) * sizeof *places);
    for (size_t q = 0; q < queues->queues_n; q++)
        places[queues->queues[q].index] = q + 1;
    return places;
}

/* Returns how many users want containers in each queue, itself and below; the caller frees it. */
static int64_t *count_active_users(struct rm_backend *b, const struct rm_views *queues)
{
    int64_t *users = base_alloc((queues->queues_n + 1) * sizeof *users);
    struct rm_views v = {0};
    int32_t places_n;
    size_t *places = find_places(queues, &places_n); /* by the core's number */

    rm_view_queue_users(rm_backend_lock_core(b), &v);
    rm_backend_unlock_core(b);
    for (size_t i = 0; i < v.queue_users_n; i++)
        if (v.queue_users[i].pending_containers > 0 && v.queue_users[i].queue < places_n &&
            places[v.queue_users[i].queue] > 0)
            users[places[v.queue_users[i].queue] - 1]++;
    free(places);
    for (size_t q = queues->queues_n; q-- > 1;) /* parents come first in the list */
        if (queues->queues[q].parent >= 0)
            users[queues->queues[q].parent] += users[q];
    rm_views_free(&v);
    return users;
}

static void answer_queue(struct api_rpc_call *call, struct rm_backend *b, struct queue_answer *a,
                         int32_t at)
{
    Yarn__QueueAnswer answer = YARN__QUEUE_ANSWER__INIT;
    size_t n = a->f->queues.queues_n;

    a->queues = base_alloc(n * sizeof *a->queues);
    if (a->f->shape == RM_SHAPE_FAIR)
        a->steady = yarn_fair_steady_shares_new(&a->f->queues, &a->f->cluster.total);
    a->users = count_active_users(b, &a->f->queues);
    find_children(a);
    put_queue(a, (size_t)at, a->request->children);
    answer.queue = &a->queues[at].queue;
    api_rpc_answer(call, &answer.base);
    free(a->links);
    free(a->children);
    free(a->first_child);
    free(a->queues);
    free(a->steady);
    free(a->users);
}

/* The fifo scheduler has one queue, whatever it is called. */
static void answer_fifo_queue(struct api_rpc_call *call, const struct yarn_context *f)
{
    Yarn__QueueAnswer answer = YARN__QUEUE_ANSWER__INIT;
    Yarn__Queue q = YARN__QUEUE__INIT;
    const struct rm_cluster_view *c = &f->cluster;

    q.name = "default";
    q.path = "default";
    q.scheduler = "FifoScheduler";
    PUT(&q, capacity, 1);
    PUT(&q, max_capacity, 1);
    PUT(&q, current_capacity,
        compute_part(c->used.v[RM_RES_MEMORY_MB], c->total.v[RM_RES_MEMORY_MB]));
    PUT(&q, state, number_state("RUNNING"));
    answer.queue = &q;
    api_rpc_answer(call, &answer.base);
}

/* For a queue that is not known YARN answers without one. */
void rm_rpc_get_queue(struct api_rpc_call *call, const ProtobufCMessage *request, void *user)
{
    const Yarn__QueueRequest *rq = (const Yarn__QueueRequest *)request;
    Yarn__QueueAnswer none = YARN__QUEUE_ANSWER__INIT;
    struct yarn_context f;
    struct queue_answer a = {.f = &f, .request = rq};
    int32_t at;

    yarn_context_read_with_queues(user, &f);
    at = rq->name ? find_queue(&f, rq->name) : -1;
    if (f.shape == RM_SHAPE_FIFO)
        answer_fifo_queue(call, &f);
    else if (at < 0)
        api_rpc_answer(call, &none.base);
    else
        answer_queue(call, user, &a, at);
    yarn_context_free(&f);
}

/* ---- the caller's rights ---- */

static void add_rights(struct rm_access *access, const char *queue, struct base_buf *out)
{
    Yarn__QueueRights rights = YARN__QUEUE_RIGHTS__INIT;
    int32_t list[2];

    rights.queue = (char *)queue;
    rights.rights = list;
    if (rm_access_has_queue_right(access, queue, false))
        list[rights.n_rights++] = SUBMIT_APPLICATIONS;
    if (rm_access_has_queue_right(access, queue, true))
        list[rights.n_rights++] = ADMINISTER_QUEUE;
    api_rpc_add_field(out, 1, &rights.base);
}

void rm_rpc_get_queue_rights(struct api_rpc_call *call, const ProtobufCMessage *request, void *user)
{
    struct rm_access access;
    struct yarn_context f;
    struct base_buf out = {0};

    (void)request;
    yarn_context_read_with_queues(user, &f);
    rm_access_begin_for_user(&access, user, api_rpc_caller(call));
    for (size_t i = 0; i < f.queues.queues_n; i++)
        add_rights(&access, f.queues.queues[i].name, &out);
    if (f.shape == RM_SHAPE_FIFO)
        add_rights(&access, "default", &out);
    rm_access_end(&access);
    yarn_context_free(&f);
    api_rpc_answer_encoded(call, &out);
}
