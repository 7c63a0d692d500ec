#include "rm/core/app/totals.h"

#include <stdlib.h>
#include <string.h>

#include "rm/core/state.h"

#define US_PER_S 1000000

static uint64_t hash_member_key(uint32_t queue, uint32_t user)
{
    return base_hash_mix((uint64_t)queue << 32 | user);
}

static bool member_has_key(const void *object, const void *key)
{
    const struct rm_member *m = object, *wanted = key;

    return m->queue == wanted->queue && m->user == wanted->user;
}

static struct rm_member *find_or_add_member(struct rm_members *t, uint32_t queue, uint32_t user)
{
    const struct rm_member wanted = {.queue = queue, .user = user};
    uint64_t hash = hash_member_key(queue, user);
    struct rm_member *m = base_map_find(&t->by_key, hash, member_has_key, &wanted);

    if (m || t->n == RM_MEMBERS_MAX)
        return m;
    m = base_alloc(sizeof *m);
    m->queue = queue;
    m->user = user;
    m->place = t->n;
    base_array_grow(&t->v, t->n, &t->cap);
    t->v[t->n++] = m;
    base_map_add(&t->by_key, hash, m);
    return m;
}

void rm_members_free(struct rm_members *t)
{
    for (size_t i = 0; i < t->n; i++)
        free(t->v[i]);
    free(t->v);
    base_map_free(&t->by_key);
}

/* All members are of one type. */
void rm_totals_add(struct rm_totals *to, const struct rm_totals *from)
{
    int64_t *v = (int64_t *)(void *)to;
    const int64_t *more = (const int64_t *)(const void *)from;

    _Static_assert(sizeof *to % sizeof *v == 0, "a member of another type");
    for (size_t i = 0; i < sizeof *to / sizeof *v; i++)
        v[i] += more[i];
}

/* The totals to which @a adds: [0] its queue's, [1] its user's in that queue; NULL: there are
 * none. */
struct both {
    struct rm_totals *of[2];
};

static struct both totals_of(struct rm_core *c, const struct rm_app *a)
{
    return (struct both){{a->queue_index == RM_NONE ? NULL : &c->queues[a->queue_index].totals,
                          a->member ? &a->member->totals : NULL}};
}

static bool is_unmanaged(const struct rm_app *a)
{
    return a->app && a->app->unmanaged;
}

void rm_totals_enter_queue(struct rm_core *c, struct rm_app *a, bool submitted)
{
    struct both t;

    a->member = a->queue_index == RM_NONE
                    ? NULL
                    : find_or_add_member(&c->members, a->queue_index, (uint32_t)a->pj.user);
    t = totals_of(c, a);
    for (int i = 0; submitted && i < 2; i++)
        if (t.of[i])
            t.of[i]->submitted[is_unmanaged(a)]++;
}

void rm_totals_count_end(struct rm_core *c, const struct rm_app *a)
{
    struct both t = totals_of(c, a);
    bool unmanaged = is_unmanaged(a);

    for (int i = 0; i < 2; i++) {
        if (!t.of[i])
            continue;
        if (a->state == RM_APP_FINISHED)
            t.of[i]->completed[unmanaged]++;
        else if (a->state == RM_APP_FAILED)
            t.of[i]->failed[unmanaged]++;
        else
            t.of[i]->killed[unmanaged]++;
    }
}

/* Returns the totals of queue @index on nodes with the label @number, which is not 0. */
static struct rm_partition *get_totals_of_queue_on_label(struct rm_core *c, uint32_t number,
                                                         uint32_t index)
{
    struct rm_label *l = &c->labels.v[number - 1];

    if (index >= l->of_queue_n) { /* the first container of a queue there */
        l->of_queue = base_realloc_array(l->of_queue, c->queues_n, sizeof *l->of_queue);
        memset(l->of_queue + l->of_queue_n, 0, (c->queues_n - l->of_queue_n) * sizeof *l->of_queue);
        l->of_queue_n = c->queues_n;
    }
    return &l->of_queue[index];
}

static void add_to_partition(struct rm_partition *p, const struct rm_container *ct, int sign)
{
    p->containers += sign;
    for (int i = 0; i < RM_RES_NAMES; i++)
        p->used.v[i] += sign * ct->resource.v[i];
}

void rm_totals_add_app_to_partitions(struct rm_core *c, const struct rm_app *a, int sign)
{
    if (c->labels.n == 0 || a->queue_index == RM_NONE)
        return;
    for (const struct rm_container *ct = a->containers; ct; ct = ct->app_next)
        if (ct->label)
            add_to_partition(get_totals_of_queue_on_label(c, ct->label, a->queue_index), ct, sign);
}

void rm_totals_count_container_begin(struct rm_core *c, struct rm_container *ct)
{
    struct both t = totals_of(c, ct->app);

    ct->label = ct->node->label;
    for (int i = 0; i < 2; i++)
        if (t.of[i])
            t.of[i]->begun++;
    if (ct->label && ct->app->queue_index != RM_NONE) {
        struct rm_partition *p = get_totals_of_queue_on_label(c, ct->label, ct->app->queue_index);

        p->begun++;
        add_to_partition(p, ct, 1);
    }
}

void rm_totals_count_container_end(struct rm_core *c, struct rm_container *ct)
{
    struct both t = totals_of(c, ct->app);

    for (int i = 0; i < 2; i++)
        if (t.of[i])
            t.of[i]->ended++;
    if (ct->label && ct->app->queue_index != RM_NONE) {
        struct rm_partition *p = get_totals_of_queue_on_label(c, ct->label, ct->app->queue_index);

        p->ended++;
        add_to_partition(p, ct, -1);
    }
}

void rm_totals_count_placed(struct rm_core *c, struct rm_app *a, enum delay_level level)
{
    struct both t = totals_of(c, a);
    bool first = !a->was_placed;

    a->was_placed = true;
    for (int i = 0; i < 2; i++) {
        if (!t.of[i])
            continue;
        t.of[i]->placed[level]++;
        if (first) {
            t.of[i]->first_n++;
            t.of[i]->first_us += c->now_us - a->submit_us;
        }
    }
}

void rm_totals_count_preempted(struct rm_core *c, const struct rm_container *ct)
{
    struct both t = totals_of(c, ct->app);
    int64_t mb = ct->resource.v[RM_RES_MEMORY_MB], vcores = ct->resource.v[RM_RES_VCORES];
    int64_t seconds = (c->now_us - ct->start_us) / US_PER_S;

    for (int i = 0; i < 2; i++) {
        if (!t.of[i])
            continue;
        t.of[i]->preempted++;
        t.of[i]->preempted_mb += mb;
        t.of[i]->preempted_vcores += vcores;
        t.of[i]->preempted_mb_seconds += mb * seconds;
        t.of[i]->preempted_vcore_seconds += vcores * seconds;
    }
}

void rm_totals_add_removed_queue_to_parent(struct rm_core *c, uint32_t index, uint32_t parent)
{
    rm_totals_add(&c->queues[parent].totals, &c->queues[index].totals);
    for (size_t i = 0; i < c->labels.n; i++) {
        struct rm_label *l = &c->labels.v[i];

        if (index >= l->of_queue_n) /* its parent's index is smaller */
            continue;
        l->of_queue[parent].begun += l->of_queue[index].begun;
        l->of_queue[parent].ended += l->of_queue[index].ended;
    }
}

static void renumber_queues_of_label(struct rm_label *l, const int32_t *to)
{
    size_t kept = 0;

    for (size_t i = 0; i < l->of_queue_n; i++)
        if (to[i] >= 0)
            l->of_queue[kept++] = l->of_queue[i];
    l->of_queue_n = kept;
}

void rm_totals_renumber_queues(struct rm_core *c, const int32_t *to)
{
    struct rm_members *t = &c->members;
    size_t kept = 0;

    base_map_free(&t->by_key);
    for (size_t i = 0; i < t->n; i++) {
        struct rm_member *m = t->v[i];

        if (to[m->queue] < 0) {
            free(m);
            continue;
        }
        m->queue = (uint32_t)to[m->queue];
        m->place = kept;
        t->v[kept++] = m;
        base_map_add(&t->by_key, hash_member_key(m->queue, m->user), m);
    }
    t->n = kept;
    for (size_t i = 0; i < c->labels.n; i++)
        renumber_queues_of_label(&c->labels.v[i], to);
}
