/* Removes queues that are no longer configured and have nothing left in them, so that the tree
 * never grows beyond what is configured and used. Every index of a queue that the core holds is
 * updated here. */
#include <stdlib.h>
#include <string.h>

#include "rm/core/app/queues.h"
#include "rm/core/schedule/activity.h"
#include "rm/core/state.h"

/* Marks the queues that stay. Returns whether all do. */
static bool mark_queues_to_keep(const struct rm_core *c, bool *keep)
{
    bool all = true;

    for (size_t i = 0; i < c->apps_n; i++) {
        const struct rm_app *a = c->apps[i];

        if (a->queue_index != RM_NONE && (a->is_listed_live || a->containers))
            keep[a->queue_index] = true;
    }
    keep[0] = true;
    for (size_t i = c->tree.n; i-- > 1;) { /* children before their parents */
        const struct policy_queue *q = &c->tree.v[i];

        keep[i] = keep[i] || q->configured || q->dynamic;
        keep[q->parent] = keep[q->parent] || keep[i];
        all = all && keep[i];
    }
    return all;
}

/* Adds the totals of removed queues to those of the queue above them. Children come after their
 * parents. */
static void move_counts_of_removed_queues(struct rm_core *c, const bool *keep)
{
    size_t kept = 0;

    for (size_t i = c->queues_n; i-- > 1;)
        if (!keep[i])
            rm_totals_add_removed_queue_to_parent(c, (uint32_t)i, (uint32_t)c->tree.v[i].parent);
    for (size_t i = 0; i < c->queues_n; i++)
        if (keep[i])
            c->queues[kept++] = c->queues[i];
    c->queues_n = kept;
}

static void renumber_queues_of_apps(struct rm_core *c, const int32_t *to)
{
    for (size_t i = 0; i < c->apps_n; i++) {
        struct rm_app *a = c->apps[i];

        if (a->queue_index == RM_NONE)
            continue;
        if (to[a->queue_index] < 0) { /* the application has ended */
            a->queue_index = RM_NONE;
            a->member = NULL;
            continue;
        }
        a->queue_index = (uint32_t)to[a->queue_index];
        a->pj.queue = (int32_t)a->queue_index;
    }
}

static void renumber_queues_of_operations(struct rm_core *c, const int32_t *to)
{
    for (size_t i = 0; i < RM_OPERATION_KINDS; i++) {
        struct rm_operation *o = &c->operations[i];

        if (o->known && o->queue != RM_NONE)
            o->queue = to[o->queue] < 0 ? RM_NONE : (uint32_t)to[o->queue];
    }
}

void rm_queues_remove_unused(struct rm_core *c)
{
    bool *keep = base_alloc(c->tree.n * sizeof *keep);
    int32_t *to;

    if (!mark_queues_to_keep(c, keep)) {
        to = base_alloc(c->tree.n * sizeof *to);
        move_counts_of_removed_queues(c, keep);
        policy_queues_remove(&c->tree, keep, to);
        renumber_queues_of_apps(c, to);
        rm_totals_renumber_queues(c, to);
        renumber_queues_of_operations(c, to);
        rm_activity_renumber_queues(c, to);
        free(to);
    }
    free(keep);
}
