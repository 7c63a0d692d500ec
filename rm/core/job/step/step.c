#include "rm/core/job/step/step.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "rm/core/state.h"

/* ---- waiting ---- */

static void append_to_waiting(struct rm_core *c, struct rm_app *a)
{
    a->step.waits = true;
    a->step.prev = c->steps_last;
    a->step.next = NULL;
    if (c->steps_last)
        c->steps_last->step.next = a;
    else
        c->steps = a;
    c->steps_last = a;
    c->steps_due = true;
}

static void remove_from_waiting(struct rm_core *c, struct rm_app *a)
{
    struct rm_step *s = &a->step;

    if (!s->waits)
        return;
    if (s->prev)
        s->prev->step.next = s->next;
    else
        c->steps = s->next;
    if (s->next)
        s->next->step.prev = s->prev;
    else
        c->steps_last = s->prev;
    s->waits = false;
    s->prev = s->next = NULL;
}

static void drop_reported_splits(struct rm_step *s)
{
    rm_split_page_free(s->coming);
    s->coming = NULL;
}

void rm_step_begin(struct rm_core *c, struct rm_app *a, enum base_job_step kind)
{
    struct rm_step *s = &a->step;

    rm_step_end(c, a);
    s->kind = kind;
    s->failures = 0;
    s->avoid_n = 0;
    rm_step_wait_unless_running(c, a);
}

void rm_step_end(struct rm_core *c, struct rm_app *a)
{
    struct rm_step *s = &a->step;

    remove_from_waiting(c, a);
    drop_reported_splits(s);
    s->kind = BASE_STEP_NONE;
    s->running = NULL;
}

/* Returns true while an attempt of an earlier instance may be moving parts on a node that has not
 * registered yet. */
static bool other_attempt_may_commit(const struct rm_core *c, const struct rm_app *a)
{
    return a->step.kind == BASE_STEP_COMMIT && a->commit_begun && c->awaited > 0;
}

void rm_step_wait_unless_running(struct rm_core *c, struct rm_app *a)
{
    if (a->step.kind && !a->step.running && !a->step.waits && !a->held &&
        !other_attempt_may_commit(c, a))
        append_to_waiting(c, a);
}

/* ---- placing ---- */

static bool list_has_node(const struct rm_step *s, uint32_t node)
{
    for (uint32_t i = 0; i < s->avoid_n; i++)
        if (s->avoid[i] == node)
            return true;
    return false;
}

static void avoid_node(struct rm_step *s, uint32_t node)
{
    if (list_has_node(s, node))
        return;
    if (s->avoid_n == RM_STEP_AVOIDS)
        memmove(s->avoid, s->avoid + 1, --s->avoid_n * sizeof *s->avoid);
    s->avoid[s->avoid_n++] = node;
}

/* Returns true when the step failed on @n, and there is another live node with slots of kind @k on
 * which it has not. */
static bool should_avoid_node(const struct rm_core *c, const struct rm_step *s,
                              const struct rm_node *n, enum base_task_kind k)
{
    int32_t elsewhere = c->live_nodes[k];

    if (!list_has_node(s, n->index))
        return false;
    for (uint32_t i = 0; i < s->avoid_n; i++) {
        const struct rm_node *b = c->nodes[s->avoid[i]];

        elsewhere -= b && b->state == RM_NODE_RUNNING && b->registered && b->slots[k] > 0;
    }
    return elsewhere > 0;
}

/* One step at a time, so that a flood of submissions leaves slots to the tasks of others. */
static bool node_can_run_step(const struct rm_node *n, enum base_task_kind k)
{
    if (n->state != RM_NODE_RUNNING || !n->registered || !n->parked || n->exclusive ||
        n->used[k] >= n->slots[k])
        return false;
    for (const struct rm_container *ct = n->containers; ct; ct = ct->node_next)
        if (ct->step && !ct->killing)
            return false;
    return true;
}

static void launch(struct rm_core *c, struct rm_app *a, struct rm_node *n, enum base_task_kind k)
{
    struct rm_step *s = &a->step;
    struct base_container_id id = {{a->id, 1}, c->conf.epoch << 40 | a->next_num++};
    struct rm_container *ct = rm_container_new(c, a, n, &id, k, &c->conf.slot_res[k], false);

    rm_health_note(c, RM_OPERATION_ALLOCATION, ct);
    ct->state = RM_CONTAINER_ACQUIRED; /* acquired at once: the RM is the job's master */
    ct->step = (uint8_t)s->kind;
    s->attempt = s->attempt + 1 > a->attempt_base ? s->attempt + 1 : a->attempt_base;
    ct->task_attempt = s->attempt;
    s->running = ct;
    s->launched = true;
    rm_container_enqueue_launch(c, ct, NULL);
}

#define LOOKED_AT_MAX 64 /* waiting steps, or nodes, that one search looks at */

static bool place_in_slot(struct rm_core *c, struct rm_node *n, enum base_task_kind k)
{
    int seen = 0;

    if (!node_can_run_step(n, k))
        return false;
    for (struct rm_app *a = c->steps; a && seen < LOOKED_AT_MAX; a = a->step.next, seen++) {
        if (should_avoid_node(c, &a->step, n, k))
            continue;
        remove_from_waiting(c, a);
        launch(c, a, n, k);
        return true;
    }
    return false;
}

bool rm_step_place_on_node(struct rm_core *c, struct rm_node *n)
{
    return place_in_slot(c, n, BASE_TASK_MAP) || place_in_slot(c, n, BASE_TASK_REDUCE);
}

static bool place_on_emptiest_node(struct rm_core *c, enum base_task_kind k)
{
    int seen = 0;

    for (int b = RM_FREE_BUCKETS - 1; b > 0; b--)
        for (struct rm_node *n = c->free_first[k][b]; n; n = n->free_next[k]) {
            if (++seen > LOOKED_AT_MAX)
                return false;
            if (place_in_slot(c, n, k))
                return true;
        }
    return false;
}

void rm_step_place_on_held_nodes(struct rm_core *c)
{
    c->steps_due = false;
    while (c->steps && (place_on_emptiest_node(c, BASE_TASK_MAP) ||
                        place_on_emptiest_node(c, BASE_TASK_REDUCE)))
        continue;
}

/* ---- ends ---- */

static int32_t attempts_limit(const struct rm_core *c, const struct rm_app *a)
{
    return a->job->max_attempts > 0 ? a->job->max_attempts : c->conf.task_attempts_max;
}

static bool was_killed(const struct rm_container *ct, const struct rm_container_report *r)
{
    return ct->killing || !r || ct->exit_code == RM_EXIT_ABORTED ||
           ct->exit_code == RM_EXIT_PREEMPTED || ct->exit_code == RM_EXIT_KILLED_BY_RM;
}

/* Counts the failure of an attempt. Returns true when no other attempt may follow. A failed disk is
 * the node's fault, unless the step has failed on that node before. */
static bool count_failure(const struct rm_core *c, struct rm_app *a, const struct rm_container *ct)
{
    struct rm_step *s = &a->step;

    s->failures += ct->exit_code != RM_EXIT_DISKS_FAILED || list_has_node(s, ct->node->index);
    avoid_node(s, ct->node->index);
    return ct->exit_code == RM_EXIT_JOB_REFUSED || s->failures >= attempts_limit(c, a);
}

enum rm_step_outcome rm_step_note_container_end(struct rm_core *c, struct rm_app *a,
                                                struct rm_container *ct,
                                                const struct rm_container_report *r,
                                                const char **why)
{
    struct rm_step *s = &a->step;

    if (s->running != ct)
        return RM_STEP_GOES_ON;
    s->running = NULL;
    drop_reported_splits(s);
    if (r && ct->exit_code == 0 &&
        (s->kind == BASE_STEP_ABORT || (s->kind == BASE_STEP_COMMIT && a->commit_begun)))
        return RM_STEP_DONE;
    /* The commit of a killed job is not tried again when it has failed. An attempt of an earlier
     * instance does not decide that: another one may have committed on a node that has not
     * registered yet. */
    if (!was_killed(ct, r) &&
        (count_failure(c, a, ct) || (s->kind == BASE_STEP_COMMIT && a->ending != RM_END_NONE &&
                                     ct->id.num >> 40 == c->conf.epoch))) {
        *why = ct->diagnostics ? ct->diagnostics : "the step ended without finishing its work";
        return RM_STEP_FAILED;
    }
    rm_step_wait_unless_running(c, a);
    return RM_STEP_GOES_ON;
}

/* ---- attempts of an earlier instance ---- */

struct rm_container *rm_step_attach(struct rm_core *c, struct rm_node *n, struct rm_app *a,
                                    const struct rm_container_report *r)
{
    struct rm_step *s = &a->step;
    struct rm_container *ct;

    if (s->kind != r->step || s->running || r->task_attempt <= s->attempt ||
        r->task_attempt > RM_TASK_ATTEMPT_MAX)
        return NULL;
    ct = rm_container_new(c, a, n, &r->id, r->slot, &c->conf.slot_res[r->slot], false);
    ct->state = RM_CONTAINER_ACQUIRED;
    ct->step = (uint8_t)s->kind;
    ct->task_attempt = r->task_attempt;
    rm_container_set_reported_start(c, ct, r);
    remove_from_waiting(c, a);
    s->attempt = r->task_attempt;
    s->running = ct;
    s->launched = true;
    return ct;
}

bool rm_step_is_current(const struct rm_app *a, enum base_job_step kind, int32_t attempt)
{
    const struct rm_step *s = &a->step;

    return s->kind == kind && s->running && s->running->task_attempt == attempt &&
           !s->running->killing;
}

/* ---- splits ---- */

static int check_page_fits(const struct rm_split_page *all, const struct rm_split_page *page,
                           struct base_error *err)
{
    size_t n = all->splits_n + page->splits_n;

    if (n > BASE_TASKS_MAX || (n == 0 && page->last))
        return base_error_set(
            err, -BASE_ELIMIT,
            "job.input: gives %zu map tasks; 1 to %d are possible (see split-size)", n,
            BASE_TASKS_MAX);
    if (all->bytes > BASE_RECORD_MAX)
        return base_error_set(
            err, -BASE_ETOOLARGE,
            "job.input: the list of its files and splits takes more than %d bytes "
            "to store; a larger split-size makes fewer splits",
            BASE_RECORD_MAX);
    /* a page has a path only for its splits; else pages could fill the memory with paths */
    if (page->paths.n > page->splits_n || (page->splits_n == 0 && !page->last))
        return base_error_set(err, -BASE_EINVAL,
                              "splits: %zu with %zu paths: expected a split "
                              "of each path",
                              page->splits_n, page->paths.n);
    for (size_t i = 0; i < page->splits_n; i++)
        if (page->splits[i].path >= page->paths.n)
            return base_error_set(err, -BASE_EINVAL, "splits: %u is not one of %zu paths",
                                  page->splits[i].path, page->paths.n);
    return 0;
}

/* Moves the page's paths to @all, except the first if it equals the last one of @all: a file may
 * have splits in two pages. Returns the index in @all of the page's first path. */
static size_t append_paths(struct rm_split_page *all, struct rm_split_page *page)
{
    bool shared = all->paths.n && page->paths.n &&
                  strcmp(all->paths.v[all->paths.n - 1], page->paths.v[0]) == 0;
    size_t first = all->paths.n - shared;

    for (size_t i = 0; i < page->paths.n; i++) {
        if (i == 0 && shared) {
            free(page->paths.v[i]);
            continue;
        }
        base_array_grow(&all->paths.v, all->paths.n, &all->paths_cap);
        all->bytes += strlen(page->paths.v[i]) + 2;
        all->paths.v[all->paths.n++] = page->paths.v[i];
    }
    page->paths.n = 0;
    return first;
}

#define SPLIT_STORED_MIN 10 /* least number of bytes that a split takes in the job's record */

int rm_step_take_page(struct rm_app *a, struct rm_split_page *page, bool *complete,
                      struct base_error *err)
{
    struct rm_split_page *all = a->step.coming;
    size_t first;
    int rc;

    *complete = false;
    if (!all)
        all = a->step.coming = base_alloc(sizeof *all);
    if (page->first != (int64_t)all->splits_n)
        return 0;
    rc = check_page_fits(all, page, err);
    if (rc < 0)
        return rc;
    first = append_paths(all, page);
    for (size_t i = 0; i < page->splits_n; i++) {
        base_array_grow(&all->splits, all->splits_n, &all->splits_cap);
        all->splits[all->splits_n] = page->splits[i];
        all->splits[all->splits_n++].path += (uint32_t)first;
    }
    all->bytes += page->splits_n * SPLIT_STORED_MIN;
    page->splits_n = 0; /* their hosts have moved too */
    *complete = page->last;
    return 0;
}

int64_t rm_step_splits_n(const struct rm_app *a)
{
    return a->step.coming ? (int64_t)a->step.coming->splits_n : 0;
}

struct rm_split_page *rm_step_take_splits(struct rm_app *a)
{
    struct rm_split_page *all = a->step.coming;

    a->step.coming = NULL;
    return all;
}
