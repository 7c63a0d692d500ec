#include "rm/core/job/step/step.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "rm/core/emit.h"
#include "rm/core/state.h"

/* ---- waiting ---- */

static void drop_reported_splits(struct rm_step *s)
{
    rm_split_page_free(s->coming);
    s->coming = NULL;
}

static void drop_failure_text(struct rm_step *s)
{
    free(s->why);
    s->why = NULL;
}

void rm_step_begin(struct rm_core *c, struct rm_app *a, enum base_job_step kind)
{
    struct rm_step *s = &a->step;

    rm_step_end(c, a);
    s->kind = kind;
    s->unknown = kind == BASE_STEP_COMMIT && a->commit_begun; /* by an earlier instance */
    s->failures = 0;
    s->avoid_n = 0;
    rm_step_wait_unless_running(c, a);
}

void rm_step_end(struct rm_core *c, struct rm_app *a)
{
    struct rm_step *s = &a->step;

    rm_step_places_remove_waiting(c, a);
    drop_reported_splits(s);
    drop_failure_text(s);
    s->kind = BASE_STEP_NONE;
    s->running = NULL;
}

/* Returns true while an attempt of an earlier instance may be moving parts on a node that has not
 * registered yet. */
static bool other_attempt_may_commit(const struct rm_core *c, const struct rm_app *a)
{
    return a->step.kind == BASE_STEP_COMMIT && a->commit_begun && c->awaited > 0;
}

/* The end of a job waits for its commit, or for its abort until it has been given up. */
static enum rm_step_rank rank_of_step(const struct rm_app *a)
{
    bool waited_for =
        a->step.kind == BASE_STEP_COMMIT || (a->step.kind == BASE_STEP_ABORT && !a->abort_owed);

    return waited_for ? RM_STEP_URGENT : RM_STEP_PATIENT;
}

void rm_step_wait_unless_running(struct rm_core *c, struct rm_app *a)
{
    if (a->step.kind && !a->step.running && !a->step.waits && !a->step.why && !a->held &&
        !other_attempt_may_commit(c, a))
        rm_step_places_add_waiting(c, a, rank_of_step(a));
}

/* ---- placing ---- */

static struct rm_avoided *find_avoided_node(struct rm_step *s, uint32_t node)
{
    for (uint32_t i = 0; i < s->avoid_n; i++)
        if (s->avoid[i].node == node)
            return &s->avoid[i];
    return NULL;
}

static void avoid_node(struct rm_step *s, uint32_t node, bool refused)
{
    struct rm_avoided *known = find_avoided_node(s, node);

    if (known) {
        known->refused = known->refused || refused;
        return;
    }
    if (s->avoid_n == RM_STEP_AVOIDS)
        memmove(s->avoid, s->avoid + 1, --s->avoid_n * sizeof *s->avoid);
    s->avoid[s->avoid_n++] = (struct rm_avoided){node, refused};
}

/* Returns how many live nodes with slots of kind @k there are besides those on which the step has
 * failed; with @refused besides those that have refused it. */
static int32_t count_other_nodes(const struct rm_core *c, const struct rm_step *s,
                                 enum base_task_kind k, bool refused)
{
    int32_t others = c->live_nodes[k];

    for (uint32_t i = 0; i < s->avoid_n; i++) {
        const struct rm_node *n = c->nodes[s->avoid[i].node];

        others -= (s->avoid[i].refused || !refused) && n && n->counted && rm_node_serves_jobs(n) &&
                  n->counted_slots[k] > 0;
    }
    return others;
}

/* Returns true when the step failed on @n, and there is another live node with slots of kind @k on
 * which it has not; or when @n refused it, and another one has not. */
static bool should_avoid_node(const struct rm_core *c, struct rm_step *s, const struct rm_node *n,
                              enum base_task_kind k)
{
    const struct rm_avoided *known = find_avoided_node(s, n->index);

    return known && count_other_nodes(c, s, k, known->refused) > 0;
}

static bool node_has_step_container(const struct rm_node *n)
{
    for (const struct rm_container *ct = n->containers; ct; ct = ct->node_next)
        if (ct->step)
            return true;
    return false;
}

/* One step at a time, so that a flood of submissions leaves slots to the tasks of others; also
 * after its kill was ordered, which ends it within seconds or, if its file system does not answer,
 * perhaps never. */
static bool node_can_run_step(const struct rm_node *n, enum base_task_kind k)
{
    return n->state == RM_NODE_RUNNING && n->registered && n->parked && rm_node_serves_jobs(n) &&
           !n->step && n->used[k] < n->slots[k] && !n->reserved[k] && !node_has_step_container(n);
}

static struct rm_container *add_step_container(struct rm_core *c, struct rm_app *a,
                                               struct rm_node *n,
                                               const struct base_container_id *id,
                                               enum base_task_kind k, int32_t attempt)
{
    struct rm_step *s = &a->step;
    struct rm_container *ct = rm_container_new(c, a, n, id, k, &c->conf.slot_res[k], false);

    ct->state = RM_CONTAINER_ACQUIRED; /* acquired at once: the RM is the job's master */
    ct->step = (uint8_t)s->kind;
    ct->task_attempt = s->attempt = attempt;
    s->running = ct;
    s->launched = true;
    return ct;
}

static void launch_step(struct rm_core *c, struct rm_app *a, struct rm_node *n,
                        enum base_task_kind k)
{
    struct base_container_id id = {{a->id, 1}, c->conf.epoch << 40 | a->next_num++};
    int32_t next = a->step.attempt + 1;
    struct rm_container *ct =
        add_step_container(c, a, n, &id, k, next > a->attempt_base ? next : a->attempt_base);

    rm_health_note_operation(c, RM_OPERATION_ALLOCATION, ct);
    rm_step_places_hold_for_launch(c, ct);
    rm_step_places_remove_waiting(c, a);
    rm_container_enqueue_launch(c, ct, NULL);
}

#define LOOKED_AT_MAX 64 /* users with waiting steps, or nodes, that one search looks at */
/* Waiting steps of each rank that a search looks at for one user: few, so that those which have to
 * avoid the node do not use up the search before the next user. */
#define STEPS_LOOKED_AT_MAX 8

/* Returns the first step of @u that may run in a slot of @n; NULL: none. */
static struct rm_app *find_step_of_user(const struct rm_core *c, const struct rm_step_user *u,
                                        const struct rm_node *n, enum base_task_kind k)
{
    for (enum rm_step_rank rank = 0; rank < RM_STEP_RANKS; rank++) {
        int seen = 0;

        if (!rm_step_places_user_may_take(&c->places, u, rank))
            continue;
        for (struct rm_app *a = u->first[rank]; a && seen < STEPS_LOOKED_AT_MAX;
             a = a->step.next, seen++)
            if (!should_avoid_node(c, &a->step, n, k))
                return a;
    }
    return NULL;
}

/* Returns the step that gets the place of @n; NULL: none. */
static struct rm_app *find_step_for_slot(struct rm_core *c, const struct rm_node *n,
                                         enum base_task_kind k)
{
    struct rm_step_user *aside[LOOKED_AT_MAX];
    struct rm_app *found = NULL;
    int users = 0;

    while (!found && users < LOOKED_AT_MAX &&
           (aside[users] = rm_step_places_take_first_user(&c->places)) != NULL)
        found = find_step_of_user(c, aside[users++], n, k);
    while (users > 0)
        rm_step_places_put_user_back(&c->places, aside[--users]);
    return found;
}

static bool place_waiting_step_in_slot(struct rm_core *c, struct rm_node *n, enum base_task_kind k)
{
    struct rm_app *a = node_can_run_step(n, k) ? find_step_for_slot(c, n, k) : NULL;

    if (a)
        launch_step(c, a, n, k);
    return a != NULL;
}

bool rm_step_place_on_node(struct rm_core *c, struct rm_node *n)
{
    return place_waiting_step_in_slot(c, n, BASE_TASK_MAP) ||
           place_waiting_step_in_slot(c, n, BASE_TASK_REDUCE);
}

static bool place_step_on_emptiest_node(struct rm_core *c, enum base_task_kind k)
{
    int seen = 0;

    for (int b = RM_FREE_BUCKETS - 1; b > 0; b--)
        for (struct rm_node *n = c->free_first[k][b]; n; n = n->free_next[k]) {
            if (++seen > LOOKED_AT_MAX)
                return false;
            if (place_waiting_step_in_slot(c, n, k))
                return true;
        }
    return false;
}

void rm_step_place_on_held_nodes(struct rm_core *c)
{
    c->places.due = false;
    while (c->places.n && (place_step_on_emptiest_node(c, BASE_TASK_MAP) ||
                           place_step_on_emptiest_node(c, BASE_TASK_REDUCE)))
        continue;
}

/* ---- ends ---- */

static int32_t step_attempts_limit(const struct rm_core *c, const struct rm_app *a)
{
    return a->job->max_attempts > 0 ? a->job->max_attempts : c->conf.task_attempts_max;
}

static bool was_killed(const struct rm_container *ct, const struct rm_container_report *r)
{
    return ct->killing || !r || ct->exit_code == RM_EXIT_ABORTED ||
           ct->exit_code == RM_EXIT_PREEMPTED || ct->exit_code == RM_EXIT_KILLED_BY_RM;
}

/* Returns true when every node that could run the step has refused it, as far as is known. For a
 * commit that may be complete, another node is waited for. */
static bool every_node_has_refused(const struct rm_core *c, const struct rm_step *s)
{
    return c->awaited == 0 && !s->unknown && count_other_nodes(c, s, BASE_TASK_MAP, true) <= 0 &&
           count_other_nodes(c, s, BASE_TASK_REDUCE, true) <= 0;
}

/* Counts the failure of an attempt. Returns true when no other attempt may follow. A failed disk is
 * the node's fault, unless the step has failed on that node before. */
static bool count_failure_and_check_limit(const struct rm_core *c, struct rm_app *a,
                                          const struct rm_container *ct)
{
    struct rm_step *s = &a->step;
    bool refused = ct->exit_code == RM_EXIT_JOB_REFUSED;

    s->failures += ct->exit_code != RM_EXIT_DISKS_FAILED || find_avoided_node(s, ct->node->index);
    avoid_node(s, ct->node->index, refused);
    return s->failures >= step_attempts_limit(c, a) || (refused && every_node_has_refused(c, s));
}

/* Returns true when the exit code proves that the attempt has not done its work: the task runner
 * has ended itself after a failure. A signal or a full disk can end a process that was done. */
static bool exit_code_tells_failure(const struct rm_container *ct)
{
    return ct->exit_code > 0 && ct->exit_code < 128 && ct->exit_code != RM_EXIT_OUTPUT_LOST;
}

static const char *explain_step_failure(struct rm_core *c, const struct rm_app *a,
                                        const struct rm_container *ct, const char *why)
{
    static const char *const names[BASE_STEPS] = {
        [BASE_STEP_SETUP] = "setup", [BASE_STEP_COMMIT] = "commit", [BASE_STEP_ABORT] = "abort"};
    const struct rm_step *s = &a->step;

    if (s->failures < 2)
        return rm_scratch_printf(c, "The job's %s failed on node %s: %s", names[s->kind],
                                 ct->node->id, why);
    return rm_scratch_printf(c, "The job's %s failed %d times; last on node %s: %s", names[s->kind],
                             s->failures, ct->node->id, why);
}

static bool commit_container_is_left(const struct rm_app *a)
{
    for (const struct rm_container *ct = a->containers; ct; ct = ct->app_next)
        if (ct->step == BASE_STEP_COMMIT)
            return true;
    return false;
}

/* The step has failed with its last attempt, @why. A commit that was permitted to move parts has
 * failed only when the containers of all its attempts have ended, since one of those that are being
 * killed may have completed the output: then the text is kept until then. */
static enum rm_step_outcome fail_step_or_await_commit_ends(struct rm_app *a, const char *text,
                                                           const char **why)
{
    if (a->step.kind == BASE_STEP_COMMIT && a->commit_begun && commit_container_is_left(a)) {
        a->step.why = base_strdup(text);
        return RM_STEP_GOES_ON;
    }
    *why = text;
    return RM_STEP_FAILED;
}

/* The attempt in @ct has failed; @last: no other one may follow. */
static enum rm_step_outcome retry_or_fail_step(struct rm_core *c, struct rm_app *a,
                                               const struct rm_container *ct, bool last,
                                               const char *text, const char **why)
{
    if (last)
        return fail_step_or_await_commit_ends(a, explain_step_failure(c, a, ct, text), why);
    rm_step_wait_unless_running(c, a);
    return RM_STEP_GOES_ON;
}

/* The commit of a killed job is not tried again when it has failed, unless an attempt before may
 * have completed the output. */
static bool failure_ends_commit(const struct rm_app *a)
{
    return a->step.kind == BASE_STEP_COMMIT && a->ending != RM_END_NONE && !a->step.unknown;
}

static bool is_permitted_commit(const struct rm_app *a, const struct rm_container *ct)
{
    return a->step.kind == BASE_STEP_COMMIT && ct->step == BASE_STEP_COMMIT && a->commit_begun;
}

/* An attempt that was superseded has ended. That of a commit may have completed the output. */
static enum rm_step_outcome note_superseded_end(struct rm_core *c, struct rm_app *a,
                                                const struct rm_container *ct,
                                                const struct rm_container_report *r,
                                                const char **why)
{
    struct rm_step *s = &a->step;

    if (!is_permitted_commit(a, ct))
        return RM_STEP_GOES_ON;
    if (r && ct->exit_code == 0) {
        if (s->running)
            rm_container_order_kill(c, s->running, RM_EXIT_KILLED_BY_RM,
                                    "an earlier attempt has committed the output");
        return RM_STEP_DONE;
    }
    if (!s->why || (r && commit_container_is_left(a)))
        return RM_STEP_GOES_ON;
    if (r) {
        *why = rm_scratch_printf(c, "%s", s->why);
        return RM_STEP_FAILED;
    }
    /* lost with its node: nobody knows what it has done, so another attempt has to complete it */
    drop_failure_text(s);
    rm_step_wait_unless_running(c, a);
    return RM_STEP_GOES_ON;
}

enum rm_step_outcome rm_step_note_container_end(struct rm_core *c, struct rm_app *a,
                                                struct rm_container *ct,
                                                const struct rm_container_report *r,
                                                const char **why)
{
    struct rm_step *s = &a->step;
    bool last;

    if (s->running != ct)
        return note_superseded_end(c, a, ct, r, why);
    s->running = NULL;
    drop_reported_splits(s);
    if (r && ct->exit_code == 0 && (s->kind == BASE_STEP_ABORT || is_permitted_commit(a, ct)))
        return RM_STEP_DONE;
    if (r && ct->exit_code == RM_EXIT_OUTPUT_COMMITTED && s->kind == BASE_STEP_ABORT)
        return RM_STEP_FOUND_COMMITTED;
    s->unknown = s->unknown || (is_permitted_commit(a, ct) &&
                                (was_killed(ct, r) || !exit_code_tells_failure(ct)));
    if (was_killed(ct, r)) {
        rm_step_wait_unless_running(c, a);
        return RM_STEP_GOES_ON;
    }
    last = count_failure_and_check_limit(c, a, ct) || failure_ends_commit(a);
    return retry_or_fail_step(
        c, a, ct, last,
        ct->diagnostics ? ct->diagnostics : "the step ended without finishing its work", why);
}

enum rm_step_outcome rm_step_end_late_attempt(struct rm_core *c, struct rm_container *ct,
                                              const char **why)
{
    struct rm_app *a = ct->app;
    enum rm_step_outcome outcome = RM_STEP_GOES_ON;

    if (a->step.running == ct) {
        a->step.running = NULL;
        drop_reported_splits(&a->step);
        outcome =
            retry_or_fail_step(c, a, ct, count_failure_and_check_limit(c, a, ct),
                               rm_scratch_printf(c,
                                                 "it was not done after %lld ms, which is the "
                                                 "limit (creel.job.step-timeout-ms)",
                                                 (long long)(c->conf.step_timeout_us / 1000)),
                               why);
        a->step.unknown = a->step.unknown || is_permitted_commit(a, ct);
        rm_step_places_mark_user_late(c, a);
    }
    rm_container_order_kill(c, ct, RM_EXIT_KILLED_BY_RM, "the step takes too long");
    return outcome;
}

/* ---- attempts of an earlier instance ---- */

/* A later attempt than the current one is known: the current one is killed, and its end changes
 * nothing any more, except that of a commit. */
static void supersede_current_attempt(struct rm_core *c, struct rm_app *a)
{
    struct rm_step *s = &a->step;
    struct rm_container *old = s->running;

    s->running = NULL;
    drop_reported_splits(s);
    s->unknown = s->unknown || is_permitted_commit(a, old);
    rm_container_order_kill(c, old, RM_EXIT_KILLED_BY_RM, "a later attempt of its step goes on");
}

/* A superseded attempt of a commit may complete the output, or have completed it. */
static struct rm_container *attach_superseded_commit(struct rm_core *c, struct rm_node *n,
                                                     struct rm_app *a,
                                                     const struct rm_container_report *r)
{
    struct rm_container *ct;

    if (r->step != BASE_STEP_COMMIT || !a->commit_begun)
        return NULL;
    ct = rm_container_new(c, a, n, &r->id, r->slot, &c->conf.slot_res[r->slot], false);
    ct->state = RM_CONTAINER_ACQUIRED;
    ct->step = BASE_STEP_COMMIT;
    ct->task_attempt = r->task_attempt;
    rm_container_set_start_if_plausible(c, ct, r);
    if (r->state != RM_CONTAINER_COMPLETED)
        rm_container_order_kill(c, ct, RM_EXIT_KILLED_BY_RM, "a later attempt of its step goes on");
    return ct;
}

struct rm_container *rm_step_attach(struct rm_core *c, struct rm_node *n, struct rm_app *a,
                                    const struct rm_container_report *r)
{
    struct rm_step *s = &a->step;
    struct rm_container *ct;

    if (s->kind != r->step || r->task_attempt > RM_TASK_ATTEMPT_MAX)
        return NULL;
    if (r->task_attempt <= s->attempt)
        return attach_superseded_commit(c, n, a, r);
    if (n->step && n->step != s->running)
        return NULL;
    if (s->running)
        supersede_current_attempt(c, a);
    ct = add_step_container(c, a, n, &r->id, r->slot, r->task_attempt);
    rm_container_set_start_if_plausible(c, ct, r);
    rm_step_places_hold(c, ct);
    rm_step_places_remove_waiting(c, a);
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
static size_t move_paths_to_list(struct rm_split_page *all, struct rm_split_page *page)
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

int rm_step_add_split_page(struct rm_app *a, struct rm_split_page *page, bool *complete,
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
    first = move_paths_to_list(all, page);
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
