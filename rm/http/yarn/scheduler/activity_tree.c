#include "rm/http/yarn/scheduler/activity_tree.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* YARN's words, which tools show and match. */
#define QUEUE_WANTS_NOTHING "Queue does not need more resource"
#define QUEUE_NODE_FULL     "Queue skipped because node resource is insufficient"
#define QUEUE_OTHERS_FIRST  "Queue skipped to respect FIFO of applications"
#define APP_WANTS_NOTHING   "Application does not need more resource"
#define APP_WAITS           "Node skipped because of off-switch delay"
#define APP_DECLINED        "Application couldn't get container for allocation"

static void *memory_alloc(struct yarn_memory *m, size_t size)
{
    base_array_grow(&m->v, m->n, &m->cap);
    m->v[m->n] = base_alloc(size);
    return m->v[m->n++];
}

void yarn_memory_free(struct yarn_memory *m)
{
    for (size_t i = 0; i < m->n; i++)
        free(m->v[i]);
    free(m->v);
    *m = (struct yarn_memory){0};
}

const char *yarn_format_date_time(struct yarn_memory *m, int64_t ms)
{
    enum { SIZE = 64 };
    char *text = memory_alloc(m, SIZE);
    time_t seconds = (time_t)(ms / 1000);
    struct tm tm;

    if (!localtime_r(&seconds, &tm) || !strftime(text, SIZE, "%a %b %d %H:%M:%S %Z %Y", &tm))
        text[0] = '\0';
    return text;
}

/* ---- applications, requests, containers ---- */

static struct yarn_activity_node *activity_node_new(struct yarn_memory *m, const char *state)
{
    struct yarn_activity_node *n = memory_alloc(m, sizeof *n);

    n->state = state;
    return n;
}

/* Makes @child the only child of @n. */
static void set_only_child(struct yarn_memory *m, struct yarn_activity_node *n,
                           const struct api_shape *shape, const struct yarn_activity_node *child)
{
    struct api_any *any = memory_alloc(m, sizeof *any);

    *any = (struct api_any){shape, child};
    n->children = (struct api_list){any, 1, sizeof *any};
}

/* Returns the request that got a slot. A suspended attempt that was resumed shows no container. */
static const struct yarn_activity_node *request_node_new(struct yarn_memory *m, const char *node_id,
                                                         const struct rm_offer_view *o,
                                                         bool by_diagnostic)
{
    struct yarn_activity_node *request = activity_node_new(m, "ALLOCATED"),
                              *container = activity_node_new(m, "ALLOCATED");
    const char **ids = memory_alloc(m, sizeof *ids);

    request->request_priority = o->request_priority;
    request->allocation_request_id = o->allocation_request_id;
    if (!o->has_container)
        return request;
    container->name = base_container_id_text(&o->container, memory_alloc(m, BASE_ID_TEXT_MAX));
    container->node_id = ids[0] = node_id;
    container->count = 1;
    container->node_ids = (struct api_list){ids, 1, sizeof *ids};
    set_only_child(m, request,
                   by_diagnostic ? &yarn_shape_activity_group : &yarn_shape_activity_container,
                   container);
    return request;
}

static const char *explain_declined(const struct rm_offer_view *o)
{
    if (o->wants_nothing)
        return APP_WANTS_NOTHING;
    return o->waits_for_locality ? APP_WAITS : APP_DECLINED;
}

static const struct yarn_activity_node *app_node_new(struct yarn_memory *m, const char *node_id,
                                                     const struct rm_offer_view *o,
                                                     bool by_diagnostic)
{
    struct yarn_activity_node *n = activity_node_new(m, o->taken ? "ACCEPTED" : "SKIPPED");

    n->name = base_app_id_text(&o->app, memory_alloc(m, BASE_ID_TEXT_MAX));
    n->app_priority = o->app_priority;
    if (o->taken)
        set_only_child(m, n, &yarn_shape_activity_request,
                       request_node_new(m, node_id, o, by_diagnostic));
    else
        n->diagnostic = explain_declined(o);
    return n;
}

/* ---- queues ---- */

/* One allocation: the offers of a round from @first up to, but not including, @end. */
struct part {
    const struct yarn_context *f;
    const struct rm_round_view *round;
    struct yarn_memory *m;
    size_t first, end;
    bool by_diagnostic;
};

static bool is_in_queue_or_below(const char *path, const char *queue)
{
    size_t n = strlen(queue);

    return path && strncmp(path, queue, n) == 0 && (path[n] == '\0' || path[n] == '.');
}

static bool has_offer_in_queue(const struct part *p, const char *queue, bool *taken)
{
    bool offered = false;

    *taken = false;
    for (size_t i = p->first; i < p->end; i++)
        if (is_in_queue_or_below(p->round->offers[i].queue, queue)) {
            offered = true;
            *taken = *taken || p->round->offers[i].taken;
        }
    return offered;
}

static bool queue_wanted_slot(const struct part *p, const char *queue)
{
    for (size_t i = 0; i < p->round->wanting_n; i++)
        if (is_in_queue_or_below(p->round->wanting[i], queue))
            return true;
    return false;
}

/* Adds the applications of @queue itself that were offered slots. */
static size_t add_offered_apps(const struct part *p, const char *queue, struct api_any *out)
{
    size_t n = 0;

    for (size_t i = p->first; i < p->end; i++) {
        const struct rm_offer_view *o = &p->round->offers[i];

        if (o->queue && strcmp(o->queue, queue) == 0)
            out[n++] = (struct api_any){&yarn_shape_activity_app,
                                        app_node_new(p->m, p->round->node_id, o, p->by_diagnostic)};
    }
    return n;
}

static const struct yarn_activity_node *queue_node_new(const struct part *p, size_t at);

static size_t add_child_queues(const struct part *p, size_t at, struct api_any *out)
{
    const struct rm_views *v = &p->f->queues;
    size_t n = 0;

    for (size_t i = at + 1; i < v->queues_n; i++)
        if (v->queues[i].parent == (int32_t)at)
            out[n++] = (struct api_any){&yarn_shape_activity_queue, queue_node_new(p, i)};
    return n;
}

static const struct yarn_activity_node *queue_node_new(const struct part *p, size_t at)
{
    const struct rm_views *v = &p->f->queues;
    const char *name = v->queues[at].name;
    bool taken, offered = has_offer_in_queue(p, name, &taken);
    struct yarn_activity_node *n = activity_node_new(p->m, taken ? "ACCEPTED" : "SKIPPED");
    struct api_any *children;
    size_t children_n = 0;

    n->name = name;
    if (!offered && !queue_wanted_slot(p, name)) {
        n->diagnostic = QUEUE_WANTS_NOTHING;
        return n;
    }
    children = memory_alloc(p->m, (v->queues_n + p->end - p->first + 1) * sizeof *children);
    children_n = add_child_queues(p, at, children);
    children_n += add_offered_apps(p, name, children + children_n);
    n->children = (struct api_list){children, children_n, sizeof *children};
    if (children_n == 0)
        n->diagnostic = p->round->full ? QUEUE_NODE_FULL : QUEUE_OTHERS_FIRST;
    return n;
}

static void fill_allocation(const struct part *p, struct yarn_allocation *a)
{
    const struct rm_offer_view *last = p->end > p->first ? &p->round->offers[p->end - 1] : NULL;

    *a = (struct yarn_allocation){.partition = "", .state = "SKIPPED"};
    if (p->f->queues.queues_n > 0)
        a->root = queue_node_new(p, 0);
    if (!last || !last->taken)
        return;
    a->state = "ALLOCATED";
    if (last->has_container)
        a->container =
            base_container_id_text(&last->container, memory_alloc(p->m, BASE_ID_TEXT_MAX));
}

void yarn_activities_fill(const struct yarn_context *f, const struct rm_round_view *round,
                          bool by_diagnostic, struct yarn_memory *m, struct yarn_activities *out)
{
    struct part p = {.f = f, .round = round, .m = m, .by_diagnostic = by_diagnostic};
    struct yarn_allocation *v = memory_alloc(m, (round->offers_n + 1) * sizeof *v);
    size_t n = 0;

    for (size_t i = 0; i < round->offers_n; i++) {
        if (!round->offers[i].taken)
            continue;
        p.end = i + 1;
        fill_allocation(&p, &v[n++]);
        p.first = i + 1;
    }
    if (n == 0 || p.first < round->offers_n) {
        p.end = round->offers_n;
        fill_allocation(&p, &v[n++]);
    }
    *out = (struct yarn_activities){.node_id = round->node_id,
                                    .timestamp = round->at_us / 1000,
                                    .date_time = yarn_format_date_time(m, round->at_us / 1000),
                                    .allocations = {v, n, sizeof *v}};
}

/* ---- one application ---- */

static bool is_in_list_or_list_is_empty(const int64_t *v, size_t n, int64_t wanted)
{
    for (size_t i = 0; i < n; i++)
        if (v[i] == wanted)
            return true;
    return n == 0;
}

static bool offer_passes_filter(const struct yarn_app_activity_filter *filter,
                                const struct rm_offer_view *o, const struct base_app_id *app)
{
    return base_app_id_cmp(&o->app, app) == 0 &&
           is_in_list_or_list_is_empty(filter->priorities, filter->priorities_n,
                                       o->request_priority) &&
           is_in_list_or_list_is_empty(filter->request_ids, filter->request_ids_n,
                                       o->allocation_request_id);
}

static void fill_app_allocation(const struct rm_round_view *round, const struct rm_offer_view *o,
                                bool by_diagnostic, struct yarn_memory *m,
                                struct yarn_app_allocation *a)
{
    struct yarn_activity_node holder = {0};

    *a = (struct yarn_app_allocation){.node_id = round->node_id,
                                      .timestamp = round->at_us / 1000,
                                      .date_time = yarn_format_date_time(m, round->at_us / 1000),
                                      .queue = o->queue,
                                      .app_priority = o->app_priority,
                                      .state = o->taken ? "ACCEPTED" : "SKIPPED",
                                      .diagnostic = o->taken ? NULL : explain_declined(o)};
    if (!o->taken)
        return;
    set_only_child(m, &holder, &yarn_shape_activity_request,
                   request_node_new(m, round->node_id, o, by_diagnostic));
    a->children = holder.children;
}

/* Returns true when a later round of the same node has the application too. */
static bool has_later_round_with_app(const struct rm_views *v, size_t at,
                                     const struct base_app_id *app)
{
    for (size_t i = at + 1; i < v->rounds_n; i++)
        for (size_t k = 0; k < v->rounds[i].offers_n; k++)
            if (strcmp(v->rounds[i].node_id, v->rounds[at].node_id) == 0 &&
                base_app_id_cmp(&v->rounds[i].offers[k].app, app) == 0)
                return true;
    return false;
}

void yarn_app_allocations_fill(const struct rm_views *v, const struct base_app_id *app,
                               const struct yarn_app_activity_filter *filter, struct yarn_memory *m,
                               struct yarn_app_activities *out)
{
    struct yarn_app_allocation *a;
    size_t most = 1, n = 0, skip;

    for (size_t i = 0; i < v->rounds_n; i++)
        most += v->rounds[i].offers_n;
    a = memory_alloc(m, most * sizeof *a);
    for (size_t i = 0; i < v->rounds_n; i++) {
        if (filter->summarize && has_later_round_with_app(v, i, app))
            continue;
        for (size_t k = 0; k < v->rounds[i].offers_n; k++)
            if (offer_passes_filter(filter, &v->rounds[i].offers[k], app))
                fill_app_allocation(&v->rounds[i], &v->rounds[i].offers[k], filter->by_diagnostic,
                                    m, &a[n++]);
    }
    skip = filter->limit > 0 && n > (size_t)filter->limit ? n - (size_t)filter->limit : 0;
    out->allocations = (struct api_list){a + skip, n - skip, sizeof *a};
}
