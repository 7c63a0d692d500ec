/* The checker: what must hold while a world runs, and when it has come to rest. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "rm/core/record/takeover.h"
#include "rm/core/state.h"
#include "rm/core/view/view.h"
#include "tests/sim/sim_nm.h"
#include "tests/sim/sim_rm.h"

#define PATIENCE 8 /* most checks in a row, a second apart, that may find the same thing */

/* Checks that a job whose move was acknowledged is in the new queue. */
static void check_queue(struct sim_world *w, const struct rm_core *core, const struct sim_job *j)
{
    const struct rm_app *a = rm_app_find(core, j->id);

    if (a && strcmp(a->queue, "batch") != 0)
        sim_violated(&w->s, "I1",
                     "the move of job %d was acknowledged with epoch %" PRId64
                     ", it is in queue %s",
                     j->index, j->move_epoch, a->queue);
}

static bool app_of(struct rm_core *core, const struct sim_job *j, struct rm_app_view *out)
{
    struct rm_views v = {0};
    bool found = rm_view_app(core, j->id, &v) == 0;

    if (found)
        *out = v.apps[0]; /* its texts are freed below and are not used */
    rm_views_free(&v);
    return found;
}

/* ---------------------------------------------------------------- a new leader knows what was
 * acknowledged */
static bool undone(enum rm_app_state s)
{
    return s == RM_APP_NEW || s == RM_APP_NEW_SAVING || s == RM_APP_SUBMITTED ||
           s == RM_APP_ACCEPTED || s == RM_APP_RUNNING;
}

void sim_check_activated(struct sim_world *w, struct sim_rm *rm)
{
    for (int i = 0; i < w->jobs; i++) {
        const struct sim_job *j = &w->job[i];
        struct rm_app_view v;

        if (!j->acked || j->acked_epoch >= rm->lead->epoch)
            continue;
        if (j->move_acked && j->move_epoch < rm->lead->epoch)
            check_queue(w, rm->lead->core, j);
        if (!app_of(rm->lead->core, j, &v))
            sim_violated(&w->s, "I1",
                         "job %d was acknowledged with epoch %" PRId64
                         ", %s does not know it with epoch %" PRId64,
                         i, j->acked_epoch, rm->proc.name, rm->lead->epoch);
        else if (j->kill_acked && j->kill_epoch < rm->lead->epoch && undone(v.state))
            sim_violated(&w->s, "I1",
                         "the kill of job %d was acknowledged with epoch %" PRId64
                         "; for %s it is %s",
                         i, j->kill_epoch, rm->proc.name, rm_app_state_name(v.state));
    }
}

/* ---------------------------------------------------------------- orders */
static struct sim_box *other_master(struct sim_world *w, const struct sim_job *j,
                                    const struct sim_nm *here)
{
    for (int i = 0; i < w->nms; i++)
        for (size_t k = 0; k < w->nm[i].boxes_n; k++) {
            const struct sim_disk_box *d = w->nm[i].boxes[k];

            if (d->box && d->box->master && d->box->job == j && !d->box->ended &&
                !d->kill_ordered && !w->nm[i].given_up && &w->nm[i] != here)
                return d->box;
        }
    return NULL;
}

static void note_attempt(struct sim_world *w, struct sim_nm *nm, const struct rm_order *o,
                         int64_t epoch)
{
    struct sim_job *j = sim_job_of(w, o->container.attempt.app);
    struct sim_task *t = &j->tasks[o->slot][o->task.index];

    for (int i = 0; i < t->n; i++)
        if (t->v[i].attempt == o->task_attempt)
            sim_violated(&w->s, "I2",
                         "attempt %d of task %d of job %d is started on %s, as it was on nm%d "
                         "before: they share "
                         "their temporary files",
                         o->task_attempt, o->task.index, j->index, nm->proc.name, t->v[i].node);
    if (t->n == W_ATTEMPTS) {
        sim_violated(&w->s, "I5", "task %d of job %d was started %d times", o->task.index, j->index,
                     t->n);
        return;
    }
    t->v[t->n++] = (struct sim_attempt){.id = o->container,
                                        .attempt = o->task_attempt,
                                        .node = nm->index,
                                        .epoch = epoch,
                                        .late = epoch < w->epoch_max};
}

void sim_check_launch(struct sim_world *w, struct sim_nm *nm, const struct rm_order *o,
                      const struct sim_answer *a)
{
    struct sim_job *j = sim_job_of(w, o->container.attempt.app);
    char id[BASE_ID_TEXT_MAX];
    const struct sim_disk_box *d = sim_nm_find(nm, &o->container);

    base_container_id_text(&o->container, id);
    if (d) { /* a repeated order: nothing is started */
        if (!d->cleaned && !nm_core_find_container(nm->core, &o->container) &&
            !nm_core_has_forgotten(nm->core, &o->container))
            sim_violated(&w->s, "I4", "%s is started on %s once more", id, nm->proc.name);
        return;
    }
    w->totals->launches++;
    sim_log(&w->s, "%s: epoch %" PRId64 " starts %s, job %d %s %d attempt %d", nm->proc.name,
            a->epoch, id, j->index,
            o->master                     ? "master"
            : o->step                     ? wire_job_step_name(o->step)
            : o->slot == BASE_TASK_REDUCE ? "reduce"
                                          : "map",
            o->task.index, o->task_attempt);
    /* In the epoch of the kill, this launch may repeat an answer that was lost, and the order to
     * kill follows. An abort is part of the kill; a commit may have begun before the kill. */
    if (j->kill_acked && j->kill_state == RM_APP_KILLING && a->epoch > j->kill_epoch &&
        a->made_us > j->kill_acked_us && o->step != BASE_STEP_ABORT && o->step != BASE_STEP_COMMIT)
        sim_violated(&w->s, "I1",
                     "%s is started although the kill of job %d was acknowledged before", id,
                     j->index);
    if (o->master && other_master(w, j, nm))
        sim_violated(&w->s, "I3", "%s: a second master of application %d is started while one runs",
                     id, j->index);
    if (o->step)
        j->step_launches[o->step]++;
    else if (o->job)
        note_attempt(w, nm, o, a->epoch);
}

/* ---------------------------------------------------------------- masters */
void sim_check_registered(struct sim_world *w, struct sim_rm *rm, struct base_app_id app)
{
    const struct rm_core *core = rm->lead ? rm->lead->core : NULL;
    struct sim_job *j = sim_job_of(w, app);

    if (core && core->awaited > 0 && !rm_takeover_delays_master_registration(core))
        j->late_nodes = true;
}

/* Checks, when a master finishes, that not more containers were started for it than it wanted,
 * apart from those on nodes that were given up. */
void sim_check_finishes(struct sim_world *w, struct sim_box *master)
{
    int n = 0;

    if (master->asked_more || master->job->late_nodes || master->job->kill_asked)
        return;
    for (int i = 0; i < w->nms; i++)
        for (size_t k = 0; !w->nm[i].given_up && k < w->nm[i].boxes_n; k++) {
            const struct sim_disk_box *d = w->nm[i].boxes[k];
            const struct sim_box *b = d->box;

            n += b && !b->master && b->job == master->job &&
                 d->id.attempt.attempt == master->id.attempt.attempt &&
                 (b->ended ? b->exit_code == 0 : !d->kill_ordered);
        }
    if (n > master->wanted)
        sim_violated(&w->s, "I6",
                     "the master of application %d wanted %d containers, %d were started",
                     master->job->index, master->wanted, n);
}

static int slots_of_launch(const struct nm_launch *l)
{
    return l->memory_mb > W_SLOT_MB ? (int)(l->memory_mb / W_SLOT_MB) : 1;
}

/* The first container of an attempt is its master's; those of jobs have higher numbers. */
static bool is_of_master(const struct base_container_id *id)
{
    return (id->num & ((INT64_C(1) << 40) - 1)) == 1;
}

/* Checks that the processes on a node do not exceed its slots. Processes that were ordered to end,
 * or are suspended, hold no slot. A master may hold a map slot, or one for masters alone. */
void sim_check_slots(struct sim_world *w, struct sim_nm *nm)
{
    int used[BASE_TASK_KINDS] = {0}, masters = 0;

    for (size_t i = 0; i < nm->boxes_n; i++) {
        const struct sim_disk_box *d = nm->boxes[i];
        int before = used[BASE_TASK_MAP];

        if (d->kill_ordered || d->suspend_ordered)
            continue;
        if (d->box && !d->box->ended)
            used[d->box->slot] += d->box->task ? d->box->job->slots : 1;
        else if (!d->box && !d->ended && nm->core && nm_core_find_container(nm->core, &d->id))
            used[d->launch.slot == BASE_TASK_REDUCE] += slots_of_launch(&d->launch);
        masters += is_of_master(&d->id) ? used[BASE_TASK_MAP] - before : 0;
    }
    used[BASE_TASK_MAP] -= masters < nm->master_slots ? masters : nm->master_slots;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS && !nm->was_full; k++)
        if (used[k] > nm->slots[k])
            sim_violated(&w->s, "I3", "%s uses %d slots of its %d of kind %d", nm->proc.name,
                         used[k], nm->slots[k], k);
}

/* Returns true when the leading RM may still take @a for running, although its process has ended:
 * the node is down, or keeps reporting the end because no RM has stored it yet. */
static bool end_may_be_unknown(const struct sim_world *w, const struct sim_attempt *a)
{
    const struct sim_nm *nm = &w->nm[a->node];

    return !nm->proc.up || nm_core_find_container(nm->core, &a->id);
}

/* Returns true when @b may rightly be killed: another attempt at its task is alive for all that the
 * leading RM knows, or may have succeeded, or @b was started by an RM that did not know yet that it
 * had been deposed. */
static bool outdone(const struct sim_box *b)
{
    for (int i = 0; b->task && i < b->task->n; i++) {
        const struct sim_attempt *a = &b->task->v[i];

        if (a != b->line && (!a->box || !a->box->ended || a->granted || a->box->exit_code == 0 ||
                             end_may_be_unknown(b->w, a)))
            return true;
    }
    return b->task && b->line->late;
}

static bool may_go_on(const struct sim_world *w, const struct sim_nm *nm,
                      const struct sim_disk_box *d)
{
    const struct sim_job *j = d->box ? d->box->job : NULL;

    return j && !d->box->step && !j->is_app && !j->kill_asked && !j->failing && !j->success &&
           !nm->given_up && !w->grace_us && !d->box->ended && d->box->phase != BOX_DONE &&
           !nm->was_full && !outdone(d->box);
}

static void kill_ordered(struct sim_world *w, struct sim_nm *nm, struct sim_disk_box *d,
                         const struct rm_order *o)
{
    char id[BASE_ID_TEXT_MAX];

    if (d->kill_ordered)
        return;
    if (o->kind == BASE_ORDER_KILL)
        sim_log(&w->s, "%s: %s is to be killed: %s", nm->proc.name,
                base_container_id_text(&d->id, id), o->reason);
    if (o->kind == BASE_ORDER_KILL && strstr(o->reason, "not known") && may_go_on(w, nm, d))
        sim_violated(&w->s, "I4", "%s runs on %s and is killed as unknown",
                     base_container_id_text(&d->id, id), nm->proc.name);
    d->kill_ordered = true;
    if (d->box)
        d->box->ordered_to_stop = true;
}

void sim_check_order(struct sim_world *w, struct sim_nm *nm, const struct rm_order *o)
{

    for (size_t i = 0; i < nm->boxes_n; i++) {
        struct sim_disk_box *d = nm->boxes[i];

        if (o->kind == BASE_ORDER_CLEANUP_APP ? base_app_id_cmp(&d->id.attempt.app, &o->app) != 0
                                              : base_container_id_cmp(&d->id, &o->container) != 0)
            continue;
        if (o->kind == BASE_ORDER_KILL || o->kind == BASE_ORDER_CLEANUP_APP)
            kill_ordered(w, nm, d, o);
        else if (o->kind == BASE_ORDER_SUSPEND || o->kind == BASE_ORDER_RESUME)
            d->suspend_ordered = o->kind == BASE_ORDER_SUSPEND;
    }
}

/* ---------------------------------------------------------------- commits */
void sim_check_granted(struct sim_world *w, struct sim_box *box)
{
    struct sim_task *t = box->task;
    char id[BASE_ID_TEXT_MAX];

    base_container_id_text(&box->id, id);
    for (int i = 0; i < t->n; i++) {
        const struct sim_attempt *a = &t->v[i];
        const struct sim_nm *nm = &w->nm[a->node];
        const struct sim_box *other = a->box;

        if (!a->granted || !other || other == box || nm->given_up || nm->was_full ||
            other->ordered_to_stop)
            continue;
        if (!other->ended)
            sim_violated(
                &w->s, "I2",
                "%s may commit task %d of job %d, and attempt %d, which runs on nm%d, may as well",
                id, box->index, box->job->index, a->attempt, a->node);
        else if (a->renamed)
            sim_violated(&w->s, "I2",
                         "%s commits task %d of job %d, which attempt %d on nm%d has committed", id,
                         box->index, box->job->index, a->attempt, a->node);
    }
    box->line->granted = true;
}

void sim_check_job_granted(struct sim_world *w, struct sim_box *box)
{
    for (int i = 0; i < w->boxes_n; i++) {
        const struct sim_box *other = w->boxes[i];

        /* one that has run into its limit may not have been killed yet */
        if (other != box && other->job == box->job && other->may_commit && !other->ended &&
            !other->ordered_to_stop && !other->nm->given_up && !other->nm->was_full &&
            w->s.now_us - other->born_us < w->step_timeout_us / 4)
            sim_violated(&w->s, "I2",
                         "attempt %d may commit job %d, and attempt %d on %s may as well",
                         box->attempt, box->job->index, other->attempt, other->nm->proc.name);
    }
    box->may_commit = true;
}

/* ---------------------------------------------------------------- every second, when it is
 * quiet */
struct living {
    struct base_container_id v[128];
    int n;
};

static void add_living(struct nm_container *ct, void *user)
{
    const struct nm_container_view *v = nm_core_view(ct);
    struct living *l = user;

    if (v->state != NM_COMPLETE && l->n < 128)
        l->v[l->n++] = v->id;
}

static bool among(const struct living *l, const struct base_container_id *id)
{
    for (int i = 0; i < l->n; i++)
        if (base_container_id_cmp(&l->v[i], id) == 0)
            return true;
    return false;
}

/* Finds a live container that only the leader or only the node knows. */
static bool first_difference(const struct rm_node *n, struct sim_nm *nm,
                             struct base_container_id *out)
{
    struct living rm = {.n = 0}, node = {.n = 0};

    nm_core_each_container(nm->core, add_living, &node);
    for (const struct rm_container *ct = n->containers; ct && rm.n < 128; ct = ct->node_next)
        rm.v[rm.n++] = ct->id;
    for (int i = 0; i < rm.n; i++)
        if (!among(&node, &rm.v[i])) {
            *out = rm.v[i];
            return true;
        }
    for (int i = 0; i < node.n; i++)
        if (!among(&rm, &node.v[i])) {
            *out = node.v[i];
            return true;
        }
    return false;
}

static void check_accounts(struct sim_world *w, const struct rm_node *n, struct sim_nm *nm)
{
    struct base_container_id id;
    char text[BASE_ID_TEXT_MAX];
    int i = nm->index;

    if (!first_difference(n, nm, &id)) {
        w->odd[i] = 0;
        return;
    }
    w->odd[i] = w->odd[i] && base_container_id_cmp(&w->odd_id[i], &id) == 0 ? w->odd[i] + 1 : 1;
    w->odd_id[i] = id;
    if (w->odd[i] > PATIENCE)
        sim_violated(&w->s, "I6", "the leader and %s do not agree on %s", nm->proc.name,
                     base_container_id_text(&id, text));
}

/* Returns true when a job wants at most @slots slots of kind @k on any node. Jobs with a task that
 * avoids a node do not count: such a task waits for another node, however long that node is busy.
 */
static bool wants(const struct rm_core *core, int k, int32_t slots)
{
    for (size_t i = 0; i < core->apps_n; i++) {
        const struct rm_app *a = core->apps[i];

        if (a->is_job && a->in_policy && a->pj.phase[k].pending > 0 && !a->phase[k].avoiding &&
            policy_job_width(&a->pj, (enum base_task_kind)k) <= slots)
            return true;
    }
    return false;
}

static void check_idle(struct sim_world *w, const struct rm_core *core, const struct rm_node *n,
                       struct sim_nm *nm)
{
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        /* slots of a reserved node wait for a request that is wider */
        bool idle = n->state == RM_NODE_RUNNING && n->used[k] < n->slots[k] && !n->reserved[k] &&
                    wants(core, k, n->slots[k] - n->used[k]);

        w->idle[nm->index][k] = idle ? w->idle[nm->index][k] + 1 : 0;
        if (w->idle[nm->index][k] > PATIENCE)
            sim_violated(&w->s, "I7", "%s has had a free slot of kind %d for %d s while tasks wait",
                         nm->proc.name, k, PATIENCE);
    }
}

static bool owes_abort(const struct rm_core *core, const struct sim_job *j)
{
    const struct rm_app *a = rm_app_find(core, j->id);

    return a && a->abort_owed;
}

/* Returns true when a step waits that any node could run, of a user whose steps hold no place. */
static bool step_wants_place(const struct rm_core *core)
{
    for (size_t i = 0; i < core->places.n; i++)
        for (enum rm_step_rank k = 0; core->places.v[i]->held == 0 && k < RM_STEP_RANKS; k++)
            for (const struct rm_app *a = core->places.v[i]->first[k]; a; a = a->step.next)
                if (a->step.avoid_n == 0)
                    return true;
    return false;
}

/* Checks that no place for steps stays free while a step waits that may have it. */
static void check_free_place(struct sim_world *w, const struct rm_core *core,
                             const struct rm_node *n, const struct sim_nm *nm)
{
    int *found = &w->free_place[nm->index];
    bool slot =
        (n->used[BASE_TASK_MAP] < n->slots[BASE_TASK_MAP] && !n->reserved[BASE_TASK_MAP]) ||
        (n->used[BASE_TASK_REDUCE] < n->slots[BASE_TASK_REDUCE] && !n->reserved[BASE_TASK_REDUCE]);
    bool idle = n->state == RM_NODE_RUNNING && slot && !n->step && step_wants_place(core);

    *found = idle ? *found + 1 : 0;
    if (*found > PATIENCE)
        sim_violated(&w->s, "I8", "no step has run on %s for %d s while one waits", nm->proc.name,
                     PATIENCE);
}

/* Checks that no step goes on beyond its limit, from its start or, if that is later, from the
 * beginning of the present leadership, from the end of the faults, or from the registration of its
 * node, which gets no orders before. */
static void check_limits(struct sim_world *w)
{
    int64_t earliest = w->leader_us > w->faults_until_us ? w->leader_us : w->faults_until_us;

    for (int i = 0; i < w->boxes_n; i++) {
        const struct sim_box *b = w->boxes[i];
        int64_t absent_us = w->absent_us[b->nm->index];
        int64_t from = b->born_us > earliest ? b->born_us : earliest;

        from = absent_us > from ? absent_us : from;
        if (b->step && !b->ended && !b->ordered_to_stop && b->nm->proc.up &&
            w->s.now_us - from > w->step_timeout_us + PATIENCE * S)
            sim_violated(&w->s, "I8", "a step of job %d has run on %s for %" PRId64 " s",
                         b->job->index, b->nm->proc.name, (w->s.now_us - b->born_us) / S);
    }
}

static void count_owed_aborts(struct sim_world *w, const struct rm_core *core)
{
    for (int i = 0; i < w->jobs; i++)
        if (!w->job[i].owed && owes_abort(core, &w->job[i])) {
            w->job[i].owed = true;
            w->totals->owed_aborts++;
        }
}

void sim_check_quiet(struct sim_world *w)
{
    struct sim_rm *rm = sim_rm_leader(w);

    if (rm)
        count_owed_aborts(w, rm->lead->core);
    for (int i = 0; i < w->nms; i++) {
        const struct rm_node *n = rm ? rm_node_find(rm->lead->core, w->nm[i].node_id) : NULL;

        if (!n || !n->registered || !w->nm[i].core) {
            w->absent_us[i] = w->s.now_us;
            continue;
        }
        check_accounts(w, n, &w->nm[i]);
        check_idle(w, rm->lead->core, n, &w->nm[i]);
        check_free_place(w, rm->lead->core, n, &w->nm[i]);
    }
    check_limits(w);
}

/* ---------------------------------------------------------------- rest */
static void count_any(struct nm_container *ct, void *user)
{
    (void)ct;
    ++*(int *)user;
}

bool sim_check_rest(struct sim_world *w)
{
    struct sim_rm *rm = sim_rm_leader(w);

    if (!rm)
        return false;
    for (int i = 0; i < w->jobs; i++) {
        const struct sim_job *j = &w->job[i];
        struct rm_app_view v;

        if (!j->acked || (j->kill_us && !j->kill_acked) || (j->move_us && !j->move_over) ||
            !app_of(rm->lead->core, j, &v) || !rm_app_state_is_final(v.state) ||
            owes_abort(rm->lead->core, j))
            return false;
    }
    for (int i = 0; i < w->nms; i++) {
        const struct rm_node *node = rm_node_find(rm->lead->core, w->nm[i].node_id);
        int n = 0;

        if (!w->nm[i].gone && (!node || !node->registered))
            return false;
        if (w->nm[i].gone && node && node->state != RM_NODE_LOST)
            return false;
        if (w->nm[i].core)
            nm_core_each_container(w->nm[i].core, count_any, &n);
        if (n)
            return false;
    }
    return true;
}

/* ---------------------------------------------------------------- the end */
static void check_parts(struct sim_world *w, const struct sim_job *j, bool succeeded)
{
    if (!j->output)
        return;
    if (succeeded && !j->success)
        sim_violated(&w->s, "I2", "job %d has succeeded, its output was never committed", j->index);
    /* unless the job had to end without the abort, which would have found the output complete
     * (SECURITY.md) */
    if (!succeeded && j->success && !j->owed)
        sim_violated(&w->s, "I2", "the output of job %d is committed although it has not succeeded",
                     j->index);
    if (j->temporary && !j->late_folder)
        sim_violated(&w->s, "I2", "job %d has left its temporary folder", j->index);
}

/* Returns true when a step of the job can rightly have failed for good: all its attempts have, or
 * the node that refuses steps was the only one for a while. */
static bool step_may_have_failed(const struct sim_world *w, const struct sim_job *j)
{
    for (enum base_job_step s = BASE_STEP_SETUP; s <= BASE_STEP_COMMIT; s++)
        if (j->step_launches[s] >= w->attempts_max)
            return true;
    for (int i = 0; i < w->nms; i++)
        if (w->nm[i].refuses && (w->nodes_hurt || j->refused_alone))
            return true;
    return false;
}

static void check_end_of(struct sim_world *w, const struct rm_core *core, const struct sim_job *j,
                         const struct rm_app_view *v)
{
    bool killed = v->state == RM_APP_KILLED, failed = v->final_status == RM_FINAL_FAILED;
    bool succeeded = v->state == RM_APP_FINISHED && v->final_status == RM_FINAL_SUCCEEDED;

    if (killed && !j->kill_asked)
        sim_violated(&w->s, "I5", "job %d was killed, which nobody had asked for", j->index);
    else if (failed && !j->failing && !j->hangs && !step_may_have_failed(w, j))
        sim_violated(&w->s, "I5", "job %d has failed, and had no reason to", j->index);
    else if (succeeded && j->hangs)
        sim_violated(&w->s, "I5", "job %d has succeeded although its setup always hangs", j->index);
    else if (succeeded && j->failing)
        sim_violated(&w->s, "I5", "job %d has succeeded although one of its tasks always fails",
                     j->index);
    else if (!killed && !failed && !succeeded)
        sim_violated(&w->s, "I5", "job %d has ended in state %s, status %s", j->index,
                     rm_app_state_name(v->state), rm_final_status_name(v->final_status));
    else if (j->kill_acked && j->kill_state == RM_APP_KILLING && !killed &&
             !(succeeded && (j->success || j->is_app)))
        sim_violated(&w->s, "I1", "the kill of job %d was acknowledged, it has ended as %s %s",
                     j->index, rm_app_state_name(v->state), rm_final_status_name(v->final_status));
    check_parts(w, j, succeeded);
    if (j->move_acked)
        check_queue(w, core, j);
}

static void check_nodes(struct sim_world *w, struct rm_core *core)
{
    for (int i = 0; i < w->nms; i++) {
        const struct rm_node *n = rm_node_find(core, w->nm[i].node_id);
        bool running = n && n->state == RM_NODE_RUNNING && n->registered;

        if (running == w->nm[i].gone)
            sim_violated(&w->s, "I6", "node nm%d %s, for the leader it is %s", i,
                         w->nm[i].gone ? "is gone" : "is there",
                         n ? rm_node_state_name(n->state) : "unknown");
        for (enum base_task_kind k = 0; n && k < BASE_TASK_KINDS; k++)
            if (n->used[k] || n->suspended[k] || n->freeing[k])
                sim_violated(&w->s, "I6",
                             "nothing runs, and the leader counts %d used, %d suspended, %d "
                             "freeing slots of nm%d",
                             n->used[k], n->suspended[k], n->freeing[k], i);
    }
    if (core->containers_by_id.n)
        sim_violated(&w->s, "I6", "nothing runs, and the leader keeps %zu containers",
                     (size_t)core->containers_by_id.n);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        if (core->capacity.used[k] || core->runnable[k])
            sim_violated(&w->s, "I6", "nothing runs, and %d slots of kind %d count as used",
                         (int)core->capacity.used[k], k);
}

void sim_check_end(struct sim_world *w)
{
    struct sim_rm *rm = sim_rm_leader(w);

    for (int i = 0; rm && i < w->jobs; i++) {
        struct rm_app_view v;

        if (app_of(rm->lead->core, &w->job[i], &v))
            check_end_of(w, rm->lead->core, &w->job[i], &v);
        else
            sim_violated(&w->s, "I1", "job %d has gone", i);
    }
    if (rm)
        check_nodes(w, rm->lead->core);
    for (int i = 0; i < w->boxes_n; i++)
        if (!w->boxes[i]->ended)
            sim_violated(&w->s, "I6", "a process of job %d runs on %s, nobody knows of it",
                         w->boxes[i]->job->index, w->boxes[i]->nm->proc.name);
}
