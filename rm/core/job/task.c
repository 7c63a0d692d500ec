/* The tasks of a job as objects, with the counts of their states per phase. */
#include "rm/core/job/task.h"

#include <stdlib.h>
#include <string.h>

#include "rm/core/job/pick.h"
#include "rm/core/state.h"

int64_t rm_job_spec_task_count(const struct rm_job_spec *s, enum base_task_kind k)
{
    int64_t n = 0;

    for (size_t g = 0; g < s->groups_n; g++)
        if (s->groups[g].kind == k)
            n += s->groups[g].count;
    if (s->groups_n)
        return n;
    return k == BASE_TASK_MAP ? (int64_t)s->splits_n : s->reduces;
}

static void create_tasks_of_kind(struct rm_core *c, struct rm_app *a, enum base_task_kind k)
{
    struct rm_phase *p = &a->phase[k];

    p->total = p->pending = (int32_t)rm_job_spec_task_count(a->job, k);
    p->tasks = base_alloc((size_t)p->total * sizeof *p->tasks);
    rm_pick_index_init(c, a, k);
    for (int32_t i = 0; i < p->total; i++) {
        p->tasks[i] = (struct rm_task){.index = i,
                                       .kind = (uint8_t)k,
                                       .state = RM_TASK_PENDING,
                                       .node = RM_NONE,
                                       .last_attempt = -1,
                                       .commit_attempt = -1,
                                       .fetch_reduce = -1};
    }
    rm_pick_mark_all_pending(p);
}

static void create_map_output_log(struct rm_app *a)
{
    if (!a->phase[BASE_TASK_REDUCE].total)
        return;
    a->out_log_cap = (size_t)a->phase[BASE_TASK_MAP].total; /* grows when maps run again */
    a->out_log = base_alloc(a->out_log_cap * sizeof *a->out_log);
}

void rm_tasks_create(struct rm_core *c, struct rm_app *a)
{
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        create_tasks_of_kind(c, a, k);
    create_map_output_log(a);
}

void rm_tasks_add_maps(struct rm_core *c, struct rm_app *a)
{
    base_assert(!a->phase[BASE_TASK_MAP].total);
    rm_pick_index_free(c, &a->phase[BASE_TASK_MAP]);
    free(a->phase[BASE_TASK_MAP].tasks);
    free(a->out_log);
    create_tasks_of_kind(c, a, BASE_TASK_MAP);
    create_map_output_log(a);
}

void rm_tasks_free_index(struct rm_core *c, struct rm_app *a)
{
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        rm_pick_index_free(c, &a->phase[k]);
}

void rm_tasks_free(struct rm_app *a)
{
    rm_tasks_free_index(NULL, a);
    free(a->out_log);
    a->out_log = NULL;
    a->out_log_cap = 0;
    a->out_counter = 0; /* as after a restart: readers find no outputs */
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        struct rm_phase *p = &a->phase[k];

        for (int32_t i = 0; p->tasks && i < p->total; i++) {
            free(p->tasks[i].diagnostics);
            free(p->tasks[i].bad);
            free(p->tasks[i].past);
        }
        for (int32_t i = 0; p->counters && i <= p->total / RM_COUNTER_BLOCK; i++)
            free(p->counters[i]);
        free(p->counters);
        free(p->tasks);
        p->tasks = NULL;
        p->counters = NULL;
    }
}

bool rm_tasks_are_in_memory(const struct rm_app *a)
{
    return a->phase[BASE_TASK_MAP].tasks || a->phase[BASE_TASK_REDUCE].tasks;
}

struct rm_task *rm_task_find(struct rm_app *a, enum base_task_kind kind, int32_t index)
{
    struct rm_phase *p = &a->phase[kind];

    return p->tasks && index >= 0 && index < p->total ? &p->tasks[index] : NULL;
}

struct rm_node *rm_task_node_unless_forgotten(const struct rm_core *c, const struct rm_app *a,
                                              uint32_t index)
{
    struct rm_node *n = index == RM_NONE ? NULL : c->nodes[index];

    /* a node created after @a ended has been given the index of a forgotten one */
    return n && a->nodes_left && n->born > a->nodes_left ? NULL : n;
}

struct rm_node *rm_task_latest_node(const struct rm_core *c, const struct rm_app *a,
                                    const struct rm_task *t)
{
    return rm_task_node_unless_forgotten(c, a, t->node);
}

void rm_task_add_past_attempt(struct rm_task *t, const struct rm_past_attempt *past)
{
    if (t->past_n == RM_PAST_ATTEMPTS_MAX) {
        memmove(t->past, t->past + 1, (RM_PAST_ATTEMPTS_MAX - 1) * sizeof *t->past);
        t->past_n--;
    } else {
        t->past = base_realloc_array(t->past, t->past_n + 1u, sizeof *t->past);
    }
    t->past[t->past_n++] = *past;
}

int64_t *rm_task_counters(struct rm_app *a, const struct rm_task *t, bool make)
{
    struct rm_phase *p = &a->phase[t->kind];
    size_t block = (size_t)t->index / RM_COUNTER_BLOCK;

    if (!p->counters && make)
        p->counters = base_alloc(((size_t)p->total / RM_COUNTER_BLOCK + 1) * sizeof *p->counters);
    if (!p->counters)
        return NULL;
    if (!p->counters[block] && make)
        p->counters[block] =
            base_alloc(RM_COUNTER_BLOCK * BASE_TASK_COUNTERS * sizeof **p->counters);
    return p->counters[block]
               ? p->counters[block] + (size_t)t->index % RM_COUNTER_BLOCK * BASE_TASK_COUNTERS
               : NULL;
}

/* Apart from recovery, states of tasks change only here, so that the counts per state stay
 * right. */
void rm_task_set_state(struct rm_app *a, struct rm_task *t, enum rm_task_state s)
{
    struct rm_phase *p = &a->phase[t->kind];

    base_assert(rm_task_transition_is_legal((enum rm_task_state)t->state, s));
    p->pending += (s == RM_TASK_PENDING) - (t->state == RM_TASK_PENDING);
    /* No task becomes withheld here: a task that loses its attempt loses the right to commit. */
    p->kept -= rm_task_is_withheld(t);
    p->running += (s == RM_TASK_RUNNING) - (t->state == RM_TASK_RUNNING);
    p->suspended += (s == RM_TASK_SUSPENDED) - (t->state == RM_TASK_SUSPENDED);
    p->succeeded += (s == RM_TASK_SUCCEEDED) - (t->state == RM_TASK_SUCCEEDED);
    t->state = (uint8_t)s;
}

bool rm_task_avoids_node(const struct rm_task *t, uint32_t node)
{
    for (uint32_t i = 1; t->bad && i <= t->bad[0]; i++)
        if (t->bad[i] == node)
            return true;
    return false;
}

void rm_task_add_avoided_node(struct rm_task *t, uint32_t node)
{
    uint32_t n = t->bad ? t->bad[0] : 0;

    if (rm_task_avoids_node(t, node))
        return;
    if (n == RM_BAD_NODES_MAX) {
        memmove(t->bad + 1, t->bad + 2, (n - 1) * sizeof *t->bad);
        t->bad[n] = node;
        return;
    }
    t->bad = base_realloc_array(t->bad, n + 2, sizeof *t->bad);
    t->bad[0] = n + 1;
    t->bad[n + 1] = node;
}
