/* Picks the task of a job that suits a node. Pending tasks are a bit set with a summary bit per
 * word, so that the lowest one is found in two steps. For locality each job has an index by host
 * and one by rack: for each key the list of its tasks in ascending order, with a cursor past the
 * tasks that are no longer pending. A task that becomes pending again moves the cursors of its
 * lists back. The index by rack is built again after racks have changed. The lowest task index
 * always wins, which keeps the core deterministic. */
#include "rm/core/job/pick.h"

#include <stdlib.h>

#include "rm/core/node/places.h"
#include "rm/core/state.h"

/* The group where the last lookup ended, so that lookups for tasks in ascending order need only one
 * walk over the groups. */
struct group_at {
    size_t g;
    int64_t first; /* index, within the kind, of the first task of group @g */
};

static const struct rm_str_list *hosts_of_group_task(const struct rm_job_spec *s,
                                                     enum base_task_kind k, int32_t index,
                                                     struct group_at *at)
{
    if (index < at->first)
        *at = (struct group_at){0};
    for (; at->g < s->groups_n; at->g++) {
        const struct rm_task_group *group = &s->groups[at->g];

        if (group->kind != k)
            continue;
        if (index < at->first + group->count)
            return &group->hosts;
        at->first += group->count;
    }
    return NULL;
}

static const struct rm_str_list *hosts_of_task(const struct rm_job_spec *s, enum base_task_kind k,
                                               int32_t index, struct group_at *at)
{
    if (s->groups_n)
        return hosts_of_group_task(s, k, index, at);
    return k == BASE_TASK_MAP && (size_t)index < s->splits_n ? &s->splits[index].hosts : NULL;
}

static bool task_is_pending(const struct rm_phase *p, int32_t i)
{
    return p->bits[i / 64] >> (i % 64) & 1;
}

static void set_task_pending(struct rm_phase *p, int32_t i)
{
    size_t w = (size_t)i / 64;

    p->bits[w] |= UINT64_C(1) << (i % 64);
    p->summary[w / 64] |= UINT64_C(1) << (w % 64);
    if (w / 64 < p->low)
        p->low = w / 64;
}

static void clear_task_pending(struct rm_phase *p, int32_t i)
{
    size_t w = (size_t)i / 64;

    p->bits[w] &= ~(UINT64_C(1) << (i % 64));
    if (!p->bits[w])
        p->summary[w / 64] &= ~(UINT64_C(1) << (w % 64));
}

static int32_t lowest_pending_task(struct rm_phase *p)
{
    while (p->low < p->summary_words && !p->summary[p->low])
        p->low++;
    if (p->low == p->summary_words)
        return -1;
    {
        size_t w = p->low * 64 + (size_t)__builtin_ctzll(p->summary[p->low]);

        return (int32_t)(w * 64 + (size_t)__builtin_ctzll(p->bits[w]));
    }
}

/* Returns the lowest pending task above @after; -1: none. */
static int32_t next_pending_task(const struct rm_phase *p, int32_t after)
{
    size_t w = (size_t)(after + 1) / 64;
    uint64_t bits;

    if (w >= p->words)
        return -1;
    for (bits = p->bits[w] & (~UINT64_C(0) << ((after + 1) % 64)); !bits; bits = p->bits[w])
        if (++w == p->words)
            return -1;
    return (int32_t)(w * 64 + (size_t)__builtin_ctzll(bits));
}

static uint32_t hash_place_key(uint32_t key)
{
    return (uint32_t)(key * UINT32_C(2654435769)) >> 7;
}

static struct rm_near *find_near_list(const struct rm_near_index *x, uint32_t key)
{
    if (!x->v || key >= x->keys)
        return NULL;
    for (uint32_t i = hash_place_key(key) & x->mask; x->v[i].key != RM_NONE; i = (i + 1) & x->mask)
        if (x->v[i].key == key)
            return &x->v[i];
    return NULL;
}

/* @hosts: the keys are hosts, which the index references; otherwise racks, which it does not. @c
 * may be NULL when the core is being freed. */
static void free_near_index(struct rm_core *c, struct rm_near_index *x, bool hosts)
{
    for (uint32_t i = 0; c && hosts && x->v && i <= x->mask; i++)
        if (x->v[i].key != RM_NONE)
            rm_host_unref(c, x->v[i].key);
    free(x->v);
    free(x->tasks);
    free(x->has);
    *x = (struct rm_near_index){0};
}

/* Returns the core's host numbers for the entries of a table shared by many jobs. The result is
 * cached, and its hosts stay referenced, until a job with another table arrives. */
static const uint32_t *host_table_to_keys(struct rm_core *c, const struct rm_host_table *t)
{
    uint32_t *keys;

    if (c->host_table == t->id)
        return c->host_keys;
    keys = base_realloc_array(NULL, t->n, sizeof *keys);
    for (size_t i = 0; i < t->n; i++) {
        keys[i] = rm_names_add_bounded(&c->hosts, t->v[i], RM_NAMES_MAX);
        if (keys[i] != RM_NONE)
            rm_names_ref(&c->hosts, keys[i]);
    }
    for (size_t i = 0; i < c->host_keys_n; i++)
        if (c->host_keys[i] != RM_NONE)
            rm_host_unref(c, c->host_keys[i]);
    free(c->host_keys);
    c->host_keys = keys;
    c->host_keys_n = t->n;
    c->host_table = t->id;
    return c->host_keys;
}

enum keys { KEYS_MAKE_HOSTS, KEYS_HOSTS, KEYS_RACKS };

/* Writes the keys of a task to @keys, without duplicates, at most @max: its hosts, or the known
 * racks of its hosts. Returns their number. Unknown hosts are added to the core's names only with
 * KEYS_MAKE_HOSTS, for the index by host, which references them; a name added for another purpose
 * would never be removed. @at: zero before the first call for a job and kind. */
static size_t collect_task_keys(struct rm_core *c, const struct rm_job_spec *s,
                                enum base_task_kind k, int32_t index, enum keys what,
                                struct group_at *at, uint32_t *keys, size_t max)
{
    bool compact = s->near_n && k == BASE_TASK_MAP;
    const uint32_t *near = compact ? s->near + (size_t)index * s->near_n : NULL;
    const uint32_t *table = compact ? host_table_to_keys(c, s->hosts) : NULL;
    const struct rm_str_list *hosts = compact ? NULL : hosts_of_task(s, k, index, at);
    size_t of = compact ? s->near_n : hosts ? hosts->n : 0, n = 0;

    for (size_t i = 0; i < of && n < max; i++) {
        uint32_t key = compact ? table[near[i]]
                       : what == KEYS_MAKE_HOSTS
                           ? rm_names_add_bounded(&c->hosts, hosts->v[i], RM_NAMES_MAX)
                           : rm_names_find(&c->hosts, hosts->v[i]);
        bool known = false;

        if (what == KEYS_RACKS)
            key = key < c->host_rack_n ? c->host_rack[key] : RM_NONE;
        for (size_t j = 0; j < n; j++)
            known = known || keys[j] == key;
        if (key != RM_NONE && !known)
            keys[n++] = key;
    }
    return n;
}

#define KEYS_MAX 64 /* keys of one task that are considered */

static void add_near_list(struct rm_near_index *x, uint32_t key, uint32_t start, uint32_t n)
{
    uint32_t i = hash_place_key(key) & x->mask;

    while (x->v[i].key != RM_NONE)
        i = (i + 1) & x->mask;
    x->v[i] = (struct rm_near){.key = key, .start = start, .n = n};
    x->has[key / 64] |= UINT64_C(1) << (key % 64);
}

/* The keys of all tasks of a phase, one task after the other. */
struct phase_keys {
    uint32_t *v;
    size_t n, cap;
    size_t *end; /* by task: the end of its keys in @v */
};

static void collect_phase_keys(struct rm_core *c, const struct rm_app *a, enum base_task_kind k,
                               enum keys what, struct phase_keys *out)
{
    struct group_at group = {0};
    int32_t total = a->phase[k].total;

    *out = (struct phase_keys){.end = base_realloc_array(NULL, (size_t)total, sizeof *out->end)};
    for (int32_t i = 0; i < total; i++) {
        if (out->cap - out->n < KEYS_MAX) {
            out->cap = 2 * out->cap + KEYS_MAX;
            out->v = base_realloc_array(out->v, out->cap, sizeof *out->v);
        }
        out->n += collect_task_keys(c, a->job, k, i, what, &group, out->v + out->n, KEYS_MAX);
        out->end[i] = out->n;
    }
}

/* Builds an index in three passes: collect the keys of the tasks, count the tasks of each key, and
 * fill the lists. @nowhere (may be NULL) is set to the list of tasks without a key. */
static void build_near_index(struct rm_core *c, struct rm_app *a, enum base_task_kind k, bool racks,
                             struct rm_near_index *x, struct rm_near *nowhere)
{
    const struct rm_phase *p = &a->phase[k];
    uint32_t *count, *at, distinct = 0, places = 8, start = 0;
    struct phase_keys keys;
    size_t count_n, key_names;

    /* adds the names of all hosts; the table of counts has an entry for each */
    collect_phase_keys(c, a, k, racks ? KEYS_RACKS : KEYS_MAKE_HOSTS, &keys);
    key_names = racks ? c->racks.n : c->hosts.n;
    count_n = key_names + 1; /* last element: tasks without a key */
    count = base_alloc(count_n * sizeof *count);
    for (size_t i = 0; i < keys.n; i++)
        distinct += count[keys.v[i]]++ == 0;
    for (int32_t i = 0; i < p->total; i++)
        count[key_names] += keys.end[i] == (i ? keys.end[i - 1] : 0);
    while (places < distinct * 2)
        places *= 2;
    x->v = base_realloc_array(NULL, places, sizeof *x->v);
    x->mask = places - 1;
    for (uint32_t i = 0; i < places; i++)
        x->v[i] = (struct rm_near){.key = RM_NONE};
    x->keys = (uint32_t)key_names;
    x->has = base_alloc((key_names / 64 + 1) * sizeof *x->has);
    at = base_alloc(count_n * sizeof *at);
    for (size_t i = 0; i < count_n; i++) {
        at[i] = start;
        if (i == key_names && nowhere) {
            *nowhere = (struct rm_near){.key = RM_NONE, .start = start, .n = count[i]};
        } else if (i < key_names && count[i]) {
            add_near_list(x, (uint32_t)i, start, count[i]);
            if (!racks)
                rm_names_ref(&c->hosts, (uint32_t)i);
        }
        start += count[i];
    }
    x->tasks = base_realloc_array(NULL, start ? start : 1, sizeof *x->tasks);
    for (int32_t i = 0; i < p->total; i++) {
        size_t first = i ? keys.end[i - 1] : 0;

        for (size_t j = first; j < keys.end[i]; j++)
            x->tasks[at[keys.v[j]]++] = i;
        if (keys.end[i] == first)
            x->tasks[at[key_names]++] = i;
    }
    free(keys.end);
    free(keys.v);
    free(at);
    free(count);
}

static bool any_task_has_hosts(const struct rm_job_spec *s, enum base_task_kind k)
{
    if (s->near_n && k == BASE_TASK_MAP)
        return true;
    for (size_t g = 0; g < s->groups_n; g++)
        if (s->groups[g].kind == k && s->groups[g].hosts.n)
            return true;
    for (size_t i = 0; k == BASE_TASK_MAP && !s->groups_n && i < s->splits_n; i++)
        if (s->splits[i].hosts.n)
            return true;
    return false;
}

void rm_pick_index_init(struct rm_core *c, struct rm_app *a, enum base_task_kind k)
{
    struct rm_phase *p = &a->phase[k];

    p->words = ((size_t)p->total + 63) / 64;
    p->summary_words = (p->words + 63) / 64;
    p->bits = base_alloc(p->words * sizeof *p->bits);
    p->summary = base_alloc(p->summary_words * sizeof *p->summary);
    p->low = p->summary_words;
    p->located = any_task_has_hosts(a->job, k);
    if (p->located)
        build_near_index(c, a, k, false, &p->host, &p->nowhere);
}

void rm_pick_index_free(struct rm_core *c, struct rm_phase *p)
{
    free(p->bits);
    free(p->summary);
    p->bits = p->summary = NULL;
    p->words = p->summary_words = p->low = 0;
    free_near_index(c, &p->host, true);
    free_near_index(c, &p->rack, false);
    p->nowhere = (struct rm_near){0};
    p->located = false;
}

/* Returns the position in @list of its first task with an index of at least @index; list->n when
 * there is none. */
static uint32_t seek_task_in_list(const struct rm_near_index *x, const struct rm_near *list,
                                  int32_t index)
{
    uint32_t low = 0, high = list->n;

    while (low < high) {
        uint32_t mid = (low + high) / 2;

        if (x->tasks[list->start + mid] < index)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static void rewind_list_to_task(const struct rm_near_index *x, struct rm_near *list, int32_t index)
{
    uint32_t at;

    if (list && list->n && list->key != RM_NONE)
        x->has[list->key / 64] |= UINT64_C(1) << (list->key % 64);
    if (!list || !list->n || !list->cursor)
        return;
    at = seek_task_in_list(x, list, index);
    if (at < list->cursor)
        list->cursor = at;
}

void rm_pick_mark_all_pending(struct rm_phase *p)
{
    for (size_t w = 0; w < p->words; w++)
        p->bits[w] = ~UINT64_C(0);
    if (p->total % 64)
        p->bits[p->words - 1] = (UINT64_C(1) << (p->total % 64)) - 1;
    for (size_t w = 0; w < p->words; w++)
        p->summary[w / 64] |= UINT64_C(1) << (w % 64);
    p->low = 0;
}

void rm_pick_mark_pending(struct rm_core *c, struct rm_app *a, struct rm_task *t)
{
    struct rm_phase *p = &a->phase[t->kind];
    struct group_at group = {0};
    uint32_t keys[KEYS_MAX];
    size_t n;

    if (!p->bits)
        return;
    set_task_pending(p, t->index);
    if (!p->located)
        return;
    n = collect_task_keys(c, a->job, t->kind, t->index, KEYS_HOSTS, &group, keys, KEYS_MAX);
    for (size_t i = 0; i < n; i++)
        rewind_list_to_task(&p->host, find_near_list(&p->host, keys[i]), t->index);
    if (!n)
        rewind_list_to_task(&p->host, &p->nowhere, t->index);
    if (!p->rack.v)
        return;
    n = collect_task_keys(c, a->job, t->kind, t->index, KEYS_RACKS, &group, keys, KEYS_MAX);
    for (size_t i = 0; i < n; i++)
        rewind_list_to_task(&p->rack, find_near_list(&p->rack, keys[i]), t->index);
}

void rm_pick_unmark_pending(struct rm_app *a, struct rm_task *t)
{
    if (a->phase[t->kind].bits)
        clear_task_pending(&a->phase[t->kind], t->index);
}

/* Returns how many live nodes have enough slots for a task of the phase. */
static int32_t count_nodes_wide_enough(const struct rm_core *c, const struct rm_app *a,
                                       enum base_task_kind k)
{
    int32_t width = policy_job_width(&a->pj, k), nodes = 0;

    if (width == 1)
        return c->live_nodes[k];
    for (size_t i = 0; i < c->nodes_n; i++)
        nodes += c->nodes[i] && c->nodes[i]->counted && rm_node_serves_jobs(c->nodes[i]) &&
                 c->nodes[i]->counted_slots[k] >= width;
    return nodes;
}

/* Returns true when the task failed on @node, and there is another live node with enough slots on
 * which it has not failed. */
static bool task_should_avoid_node(const struct rm_core *c, const struct rm_app *a,
                                   const struct rm_task *t, const struct rm_node *node)
{
    int32_t elsewhere, width;
    bool here = false;

    if (!t->bad)
        return false;
    width = policy_job_width(&a->pj, t->kind);
    elsewhere = count_nodes_wide_enough(c, a, t->kind);
    for (uint32_t i = 1; i <= t->bad[0]; i++) {
        const struct rm_node *b = c->nodes[t->bad[i]];

        here = here || b == node;
        elsewhere -= b->state == RM_NODE_RUNNING && b->registered && rm_node_serves_jobs(b) &&
                     b->slots[t->kind] >= width;
    }
    return here && elsewhere > 0;
}

/* Returns the list of @key if it may still have a pending task, else NULL. */
static struct rm_near *find_list_that_may_have_pending(const struct rm_near_index *x, uint32_t key)
{
    return key < x->keys && (x->has[key / 64] >> (key % 64) & 1) ? find_near_list(x, key) : NULL;
}

static int32_t first_runnable_in_list(const struct rm_core *c, const struct rm_app *a,
                                      const struct rm_phase *p, const struct rm_near_index *x,
                                      struct rm_near *list, const struct rm_node *node)
{
    const int32_t *tasks;

    if (!list)
        return -1;
    tasks = x->tasks + list->start;
    while (list->cursor < list->n && !task_is_pending(p, tasks[list->cursor]))
        list->cursor++;
    if (list->cursor == list->n && list->key != RM_NONE)
        x->has[list->key / 64] &= ~(UINT64_C(1) << (list->key % 64));
    if (!p->avoiding)
        return list->cursor < list->n ? tasks[list->cursor] : -1;
    for (uint32_t i = list->cursor; i < list->n; i++)
        if (task_is_pending(p, tasks[i]) &&
            !task_should_avoid_node(c, a, &p->tasks[tasks[i]], node))
            return tasks[i];
    return -1;
}

static int32_t first_runnable_task(const struct rm_core *c, const struct rm_app *a,
                                   struct rm_phase *p, const struct rm_node *node)
{
    int32_t i = lowest_pending_task(p);

    if (p->avoiding)
        while (i >= 0 && task_should_avoid_node(c, a, &p->tasks[i], node))
            i = next_pending_task(p, i);
    return i;
}

static struct rm_task *first_runnable_in_rack(struct rm_core *c, struct rm_app *a,
                                              enum base_task_kind k, const struct rm_node *node)
{
    struct rm_phase *p = &a->phase[k];
    int32_t i;

    if (p->rack_stamp != c->rack_stamp) {
        free_near_index(c, &p->rack, false);
        build_near_index(c, a, k, true, &p->rack, NULL);
        p->rack_stamp = c->rack_stamp;
    }
    i = first_runnable_in_list(c, a, p, &p->rack,
                               find_list_that_may_have_pending(&p->rack, node->rack), node);
    return i < 0 ? NULL : &p->tasks[i];
}

void rm_pick_prefetch_near(const struct rm_app *a, enum base_task_kind k,
                           const struct rm_node *node, int step)
{
    const struct rm_phase *p = &a->phase[k];
    const struct rm_near *list;

    if (!p->located || !p->host.v)
        return;
    if (step == 0) {
        if (node->host < p->host.keys && (p->host.has[node->host / 64] >> (node->host % 64) & 1))
            __builtin_prefetch(&p->host.v[hash_place_key(node->host) & p->host.mask]);
        return;
    }
    list = find_list_that_may_have_pending(&p->host, node->host);
    if (list && list->cursor < list->n)
        __builtin_prefetch(p->host.tasks + list->start + list->cursor);
}

struct rm_task *rm_pick_task_near(struct rm_core *c, struct rm_app *a, enum base_task_kind k,
                                  const struct rm_node *node, enum delay_level *level,
                                  bool *located)
{
    struct rm_phase *p = &a->phase[k];
    struct rm_task *t;
    int32_t i;

    *located = p->located;
    *level = DELAY_ANY;
    if (!p->located)
        return NULL;
    i = first_runnable_in_list(c, a, p, &p->host,
                               find_list_that_may_have_pending(&p->host, node->host), node);
    if (i >= 0) {
        *level = DELAY_NODE;
        return &p->tasks[i];
    }
    i = p->nowhere.n ? first_runnable_in_list(c, a, p, &p->host, &p->nowhere, node) : -1;
    if (i >= 0) {
        *located = false;
        return &p->tasks[i];
    }
    if (c->racks.map.n > 1) {
        t = first_runnable_in_rack(c, a, k, node);
        *level = t ? DELAY_RACK : DELAY_ANY;
        return t;
    }
    *level = DELAY_RACK; /* in a single rack, any task is at least rack-local */
    return NULL;
}

struct rm_task *rm_pick_any_task(struct rm_core *c, struct rm_app *a, enum base_task_kind k,
                                 const struct rm_node *node)
{
    struct rm_phase *p = &a->phase[k];
    int32_t i = p->bits ? first_runnable_task(c, a, p, node) : -1;

    return i < 0 ? NULL : &p->tasks[i];
}
