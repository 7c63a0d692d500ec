/* The partitions that the capacity scheduler shows for each queue. All queues may use the nodes of
 * all labels, with the same part of each partition as of the cluster. A capacity configured for a
 * label only makes the label known (rm/core/queue/capacity_tree.h). */
#include <stdlib.h>
#include <string.h>

#include "rm/http/yarn/scheduler/scheduler_internal.h"

#define PREFIX "yarn.scheduler.capacity."
#define MIDDLE ".accessible-node-labels."
#define SUFFIX ".capacity"

static void add_res(struct rm_res *to, const struct rm_res *r, int sign)
{
    for (int i = 0; i < RM_RES_NAMES; i++)
        to->v[i] += sign * r->v[i];
}

/* ---- the partitions that exist ---- */

/* Finds the queue and the label whose capacity the property @name sets. Returns false when the
 * property is another one; *@label is owned by the caller. */
static bool parse_label_capacity_key(const struct rm_views *queues, const char *name, size_t *queue,
                                     char **label)
{
    size_t n = strlen(name), tail = strlen(SUFFIX);
    const char *path = name + strlen(PREFIX), *middle;

    if (strncmp(name, PREFIX, strlen(PREFIX)) != 0 || !(middle = strstr(path, MIDDLE)))
        return false;
    n -= (size_t)(middle + strlen(MIDDLE) - name);
    middle += strlen(MIDDLE);
    if (n <= tail || strcmp(middle + n - tail, SUFFIX) != 0)
        return false;
    for (size_t i = 0; i < queues->queues_n; i++) {
        const char *of = queues->queues[i].name;

        if (strlen(of) == (size_t)(middle - strlen(MIDDLE) - path) &&
            strncmp(of, path, strlen(of)) == 0) {
            *queue = i;
            *label = base_printf("%.*s", (int)(n - tail), middle);
            return true;
        }
    }
    return false;
}

/* Returns the index of partition @name, adding it if necessary. Takes @name. */
static size_t find_or_add_partition(struct yarn_partitions *p, size_t *cap, char *name)
{
    for (size_t i = 1; i < p->n; i++)
        if (strcmp(p->v[i].name, name) == 0) {
            free(name);
            return i;
        }
    base_array_grow(&p->v, p->n, cap);
    p->v[p->n] = (struct yarn_partition){.name = name};
    return p->n++;
}

/* Adds the existing labels, and subtracts their nodes from the partition without a label. */
static void add_existing_labels(const struct rm_views *uses, struct yarn_partitions *p, size_t *cap)
{
    for (size_t i = 1; i < uses->labels_n; i++) {
        /* may move p->v */
        size_t at = find_or_add_partition(p, cap, base_strdup(uses->labels[i].name));
        struct yarn_partition *v = &p->v[at];

        v->exists = true;
        v->total = uses->labels[i].total;
        add_res(&p->v[0].total, &v->total, -1);
    }
}

/* ---- what runs in the partitions ---- */

static void add_uses_of_queues(const struct yarn_context *f, struct yarn_partitions *p)
{
    const struct rm_views *queues = &f->queues, *uses = p->uses;
    size_t places_n;
    int32_t *places = yarn_capacity_queue_places_new(queues, &places_n);

    for (size_t q = 0; q < queues->queues_n; q++)
        p->used[q * p->n] = queues->queues[q].used;
    for (size_t i = 0; i < uses->queue_users_n; i++) {
        const struct rm_queue_user_view *u = &uses->queue_users[i];
        int32_t at = (size_t)u->queue < places_n ? places[u->queue] : -1;

        if (at >= 0)
            add_res(&p->masters_used[(size_t)at * p->n], &u->am_used, 1);
    }
    for (size_t i = 0; i < uses->label_uses_n; i++) {
        const struct rm_label_use_view *u = &uses->label_uses[i];
        int32_t at = (size_t)u->queue < places_n ? places[u->queue] : -1;

        if (at >= 0) {
            add_res(&p->masters_used[(size_t)at * p->n + u->label], &u->masters_used, 1);
            add_res(&p->masters_used[(size_t)at * p->n], &u->masters_used, -1);
        }
        for (; at >= 0; at = queues->queues[at].parent) {
            add_res(&p->used[(size_t)at * p->n + u->label], &u->used, 1);
            add_res(&p->used[(size_t)at * p->n], &u->used, -1);
        }
    }
    free(places);
}

static int compare_uses(const void *x, const void *y)
{
    const struct rm_label_use_view *a = x, *b = y;

    if (a->queue != b->queue)
        return a->queue < b->queue ? -1 : 1;
    if (a->label != b->label)
        return a->label < b->label ? -1 : 1;
    return strcmp(a->user, b->user);
}

/* Sums up, over the nodes, what each user has in each queue and partition. There may be rows of
 * thousands of nodes, and the sums of every user are looked up, so they are sorted. */
static void sum_up_uses_by_user(struct yarn_partitions *p)
{
    const struct rm_views *uses = p->uses;
    struct rm_label_use_view *sums = base_alloc((uses->label_uses_n + 1) * sizeof *sums);
    size_t n = 0;

    if (uses->label_uses_n) {
        memcpy(sums, uses->label_uses, uses->label_uses_n * sizeof *sums);
        qsort(sums, uses->label_uses_n, sizeof *sums, compare_uses);
    }
    for (size_t i = 0; i < uses->label_uses_n; i++) {
        if (n == 0 || compare_uses(&sums[n - 1], &sums[i]) != 0) {
            sums[n++] = sums[i];
            continue;
        }
        add_res(&sums[n - 1].used, &sums[i].used, 1);
        add_res(&sums[n - 1].masters_used, &sums[i].masters_used, 1);
    }
    p->sums = sums;
    p->sums_n = n;
}

void yarn_partitions_fill(const struct yarn_context *f, const struct rm_views *uses,
                          const struct rm_properties *conf, struct yarn_partitions *out)
{
    struct pair {
        size_t queue, partition;
    } *pairs = NULL;
    size_t cap = 0, pairs_cap = 0, pairs_n = 0, cells, queue;
    char *label;

    *out = (struct yarn_partitions){.uses = uses};
    base_array_grow(&out->v, out->n, &cap);
    out->v[out->n++] =
        (struct yarn_partition){.name = base_strdup(""), .exists = true, .total = f->cluster.total};
    add_existing_labels(uses, out, &cap);
    for (size_t i = 0; i < conf->n; i++)
        if (parse_label_capacity_key(&f->queues, conf->v[i].name, &queue, &label)) {
            base_array_grow(&pairs, pairs_n, &pairs_cap);
            pairs[pairs_n++] = (struct pair){queue, find_or_add_partition(out, &cap, label)};
        }
    cells = f->queues.queues_n * out->n + 1;
    out->used = base_alloc(cells * sizeof *out->used);
    out->masters_used = base_alloc(cells * sizeof *out->masters_used);
    out->configured = base_alloc(cells * sizeof *out->configured);
    for (size_t i = 0; i < pairs_n; i++)
        out->configured[pairs[i].queue * out->n + pairs[i].partition] = true;
    free(pairs);
    add_uses_of_queues(f, out);
    sum_up_uses_by_user(out);
}

void yarn_partitions_free(struct yarn_partitions *p)
{
    for (size_t i = 0; i < p->n; i++)
        free(p->v[i].name);
    free(p->v);
    free(p->used);
    free(p->masters_used);
    free(p->configured);
    free(p->sums);
}

struct rm_label_use_view yarn_partitions_use_of(const struct yarn_partitions *p, size_t partition,
                                                int32_t queue, const char *user)
{
    const struct rm_label_use_view wanted = {.label = partition, .queue = queue, .user = user};
    const struct rm_label_use_view *found =
        p->sums_n ? bsearch(&wanted, p->sums, p->sums_n, sizeof *p->sums, compare_uses) : NULL;

    return found ? *found : wanted;
}
