/* Removes obsolete records, a bounded number per step: records of the tasks of ended jobs, whose
 * own records have the sums to be shown, and orphans, which are left when the removal of an
 * application was cut short. Without prune_ended, tasks of ended jobs are pruned only when ended
 * applications take too much memory. */
#include "rm/core/record/prune.h"

#include <stdlib.h>
#include <string.h>

#include "rm/core/emit.h"
#include "rm/core/record/record.h"
#include "rm/core/state.h"

/* Tasks examined per step, most of which may have no record. */
#define LOOK_STEP (64 * RM_PRUNE_STEP)

static void queue_job_for_pruning(struct rm_core *c, struct rm_app *a)
{
    if (!a->summed) /* its record was written without the sums of its tasks */
        rm_app_store_record(c, a);
    a->pruned = true;
    a->refs++;
    a->prune_next = NULL;
    if (c->prune_last)
        c->prune_last->prune_next = a;
    else
        c->prune = a;
    c->prune_last = a;
}

void rm_prune_queue_ended_job(struct rm_core *c, struct rm_app *a)
{
    if (c->conf.prune_ended && a->is_job && !a->pruned)
        queue_job_for_pruning(c, a);
}

static void free_tasks_and_splits(struct rm_app *a)
{
    rm_tasks_free(a);
    rm_job_spec_drop_splits(a->job);
}

void rm_prune_tasks_from_memory(struct rm_core *c, struct rm_app *a)
{
    a->light = true;
    if (!a->pruned)
        queue_job_for_pruning(c, a); /* the sums go into its record first */
    else if (a->unrecorded)
        free_tasks_and_splits(a);
}

/* Removes records of the first queued job's tasks until *records_left or *tasks_left is used up.
 * Returns true when no record of a task is left. */
static bool prune_first_queued_job(struct rm_core *c, int *records_left, int *tasks_left)
{
    struct rm_app *a = c->prune;

    for (int64_t total = (int64_t)a->phase[0].total + a->phase[1].total; a->prune_at < total;
         a->prune_at++) {
        bool map = a->prune_at < a->phase[BASE_TASK_MAP].total;
        struct rm_phase *p = &a->phase[map ? BASE_TASK_MAP : BASE_TASK_REDUCE];

        if (*records_left <= 0 || (*tasks_left)-- <= 0)
            return false;
        *records_left -= rm_record_remove_task(
            c, a, &p->tasks[a->prune_at - (map ? 0 : a->phase[BASE_TASK_MAP].total)]);
    }
    rm_record_remove_splits(c, a);
    a->unrecorded = true;
    if (a->light)
        free_tasks_and_splits(a);
    return true;
}

static void free_orphan_records(struct rm_core *c)
{
    for (size_t i = c->orphans_at; i < c->orphans_n; i++)
        rm_stash_free(c->orphans[i]);
    free(c->orphans);
    c->orphans = NULL;
    c->orphans_n = c->orphans_cap = c->orphans_at = 0;
}

void rm_prune_free(struct rm_core *c)
{
    free_orphan_records(c);
    for (struct rm_app *a = c->prune, *next; a; a = next) {
        next = a->prune_next;
        rm_app_unref(a);
    }
}

void rm_prune_queue_orphan_record(struct rm_core *c, struct rm_stash *s)
{
    base_array_grow(&c->orphans, c->orphans_n, &c->orphans_cap);
    c->orphans[c->orphans_n++] = s;
}

/* Removing records makes the store report that as durable, which is another step, in which the next
 * records are removed: no timer is needed. */
void rm_prune_some_records(struct rm_core *c)
{
    int budget = RM_PRUNE_STEP, look = LOOK_STEP;

    for (; c->orphans_at < c->orphans_n && budget > 0; budget--) {
        struct rm_stash *s = c->orphans[c->orphans_at++];

        rm_store_record(c, s->table, rm_scratch_printf(c, "%s", s->key), NULL, 0);
        rm_stash_free(s);
    }
    if (c->orphans && c->orphans_at == c->orphans_n)
        free_orphan_records(c);
    while (c->prune && prune_first_queued_job(c, &budget, &look)) {
        struct rm_app *a = c->prune;

        c->prune = a->prune_next;
        if (!c->prune)
            c->prune_last = NULL;
        rm_app_unref(a);
    }
}

struct rm_stash *rm_stash_new(const struct rm_record *rec, const char *table, bool with_data)
{
    struct rm_stash *s = base_alloc(sizeof *s);

    *s = (struct rm_stash){
        .table = table, .key = base_strdup(rec->key), .len = rec->data ? rec->len : 0};
    if (!with_data)
        return s;
    s->data = base_realloc_array(NULL, s->len + 1, 1);
    if (s->len)
        memcpy(s->data, rec->data, s->len);
    s->data[s->len] = '\0';
    return s;
}

void rm_stash_free(struct rm_stash *s)
{
    free(s->key);
    free(s->data);
    free(s->why);
    free(s);
}
