/* The model of fair sharing that virtual_fair.h describes. It steps from one end of a virtual task
 * to the next. Between two ends nothing changes, since all free slots have been given away as long
 * as a job waits. Two orders per kind make each step O(log jobs): waiting phases by running tasks
 * per weight, and running phases by their next end.
 *
 * Tasks of a phase last equally long, so they end in the order in which they started. A phase
 * therefore keeps its running tasks as a queue of (start, number of tasks), whose head ends next.
 * Changing the duration of tasks does not change the queue. */
#include "policies/hfsp/virtual_fair.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "policies/hfsp/virtual_cluster.h"

struct fair_run { /* tasks that started together */
    int64_t start_us;
    int32_t tasks;
};
struct fair_phase {
    int32_t pending, running, done, total;
    int32_t blocked; /* running reduces that wait for the last map */
    int64_t task_us; /* < 0: unknown */
    int64_t last_us; /* latest start of a task; reset when blocked reduces go on */
    struct fair_run *run;
    size_t at, len, cap; /* run[at .. len) */
    struct policy_link waits, ends;
};
struct virtual_fair_job {
    struct virtual_fair_job *prev, *next;
    bool gone; /* the real job has left */
    double weight;
    struct fair_phase phase[BASE_TASK_KINDS];
};
struct fair_kind {
    int64_t slots, used;
    struct policy_order waits, ends;
};
struct virtual_fair {
    double slowstart;
    int64_t now_us;
    bool dirty; /* slots or tasks were added, so give_away_free_slots() is needed */
    struct virtual_fair_job *first;
    struct fair_kind kind[BASE_TASK_KINDS];
};

#define JOB_OF(link, kind, member)                                                                 \
    ((struct virtual_fair_job *)(void *)((char *)(link) -                                          \
                                         (size_t)(kind) * sizeof(struct fair_phase) -              \
                                         offsetof(struct virtual_fair_job, phase) -                \
                                         offsetof(struct fair_phase, member)))

struct virtual_fair *virtual_fair_new(double slowstart)
{
    struct virtual_fair *vf = base_alloc(sizeof *vf);

    vf->slowstart = slowstart;
    return vf;
}

static void remove_and_free_job(struct virtual_fair *vf, struct virtual_fair_job *j)
{
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        struct fair_phase *p = &j->phase[k];

        policy_order_place(&vf->kind[k].waits, &p->waits, false, 0);
        policy_order_place(&vf->kind[k].ends, &p->ends, false, 0);
        vf->kind[k].used -= p->running;
        free(p->run);
    }
    *(j->prev ? &j->prev->next : &vf->first) = j->next;
    if (j->next)
        j->next->prev = j->prev;
    free(j);
    vf->dirty = true;
}

void virtual_fair_free(struct virtual_fair *vf)
{
    while (vf->first)
        remove_and_free_job(vf, vf->first);
    free(vf);
}

struct virtual_fair_job *virtual_fair_add_job(struct virtual_fair *vf, const struct policy_job *job)
{
    struct virtual_fair_job *j = base_alloc(sizeof *j);

    j->weight = job->weight;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        struct fair_phase *p = &j->phase[k];

        p->task_us = -1;
        policy_link_init(&p->waits, job->submit_us, job->cluster_ts, job->seq);
        p->ends = p->waits;
    }
    j->next = vf->first;
    if (vf->first)
        vf->first->prev = j;
    vf->first = j;
    return j;
}

/* ---------------------------------------------------------------- places in the orders */
static bool are_maps_done(const struct virtual_fair_job *j)
{
    return j->phase[BASE_TASK_MAP].done >= j->phase[BASE_TASK_MAP].total;
}

static bool may_start_tasks(const struct virtual_fair *vf, const struct virtual_fair_job *j,
                            enum base_task_kind kind)
{
    const struct fair_phase *maps = &j->phase[BASE_TASK_MAP];

    return kind == BASE_TASK_MAP || maps->done >= vf->slowstart * maps->total;
}

static void update_waiting_and_ending_places(struct virtual_fair *vf, struct virtual_fair_job *j,
                                             enum base_task_kind kind)
{
    struct fair_phase *p = &j->phase[kind];
    struct fair_kind *k = &vf->kind[kind];
    bool ends = p->at < p->len && p->task_us >= 0;

    policy_order_place(&k->waits, &p->waits, p->pending > 0 && may_start_tasks(vf, j, kind),
                       (int64_t)fmin(p->running * 1e6 / j->weight, (double)VIRTUAL_NEVER));
    policy_order_place(&k->ends, &p->ends, ends, ends ? p->run[p->at].start_us + p->task_us : 0);
}

static void update_places_and_dependent_reduces(struct virtual_fair *vf, struct virtual_fair_job *j,
                                                enum base_task_kind kind)
{
    update_waiting_and_ending_places(vf, j, kind);
    if (kind == BASE_TASK_MAP && j->phase[BASE_TASK_REDUCE].total)
        update_waiting_and_ending_places(vf, j, BASE_TASK_REDUCE);
}

/* ---------------------------------------------------------------- tasks start and end */
static void append_run_starting_now(struct virtual_fair *vf, struct fair_phase *p, int32_t tasks)
{
    if (p->at == p->len)
        p->at = p->len = 0;
    if (p->len > p->at && p->run[p->len - 1].start_us == vf->now_us) {
        p->run[p->len - 1].tasks += tasks;
        return;
    }
    if (p->at > 0 && p->len == p->cap) { /* reuse the front of the array before growing it */
        for (size_t i = p->at; i < p->len; i++)
            p->run[i - p->at] = p->run[i];
        p->len -= p->at;
        p->at = 0;
    }
    base_array_grow(&p->run, p->len, &p->cap);
    p->run[p->len++] = (struct fair_run){vf->now_us, tasks};
}

static void start_tasks(struct virtual_fair *vf, struct virtual_fair_job *j,
                        enum base_task_kind kind, int32_t tasks)
{
    struct fair_phase *p = &j->phase[kind];

    p->running += tasks;
    p->last_us = vf->now_us;
    vf->kind[kind].used += tasks;
    if (kind == BASE_TASK_REDUCE && !are_maps_done(j))
        p->blocked += tasks;
    else
        append_run_starting_now(vf, p, tasks);
}

/* Gives free slots to waiting phases, the one with the fewest running tasks per weight first. */
static void give_away_free_slots(struct virtual_fair *vf, enum base_task_kind kind)
{
    struct fair_kind *k = &vf->kind[kind];

    while (k->used < k->slots && k->waits.first) {
        struct virtual_fair_job *j = JOB_OF(k->waits.first, kind, waits);
        struct fair_phase *p = &j->phase[kind];
        int64_t free = k->slots - k->used;
        int32_t n = k->waits.n > 1 ? 1 : p->pending < free ? p->pending : (int32_t)free;

        p->pending -= n;
        start_tasks(vf, j, kind, n);
        update_places_and_dependent_reduces(vf, j, kind);
    }
}

static void unblock_reduces_if_maps_done(struct virtual_fair *vf, struct virtual_fair_job *j)
{
    struct fair_phase *reduces = &j->phase[BASE_TASK_REDUCE];

    if (!are_maps_done(j) || !reduces->blocked)
        return;
    append_run_starting_now(vf, reduces, reduces->blocked);
    reduces->last_us = vf->now_us;
    reduces->blocked = 0;
}

static bool has_no_tasks_left(const struct virtual_fair_job *j)
{
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        if (j->phase[k].pending + j->phase[k].running > 0)
            return false;
    return true;
}

/* Ends the tasks of @kind that end next. */
static void end_next_run_of_tasks(struct virtual_fair *vf, enum base_task_kind kind)
{
    struct virtual_fair_job *j = JOB_OF(vf->kind[kind].ends.first, kind, ends);
    struct fair_phase *p = &j->phase[kind];
    int32_t tasks = p->run[p->at++].tasks;

    p->running -= tasks;
    p->done += tasks;
    vf->kind[kind].used -= tasks;
    unblock_reduces_if_maps_done(vf, j);
    update_places_and_dependent_reduces(vf, j, kind);
    if (j->gone && has_no_tasks_left(j))
        remove_and_free_job(vf, j);
}

/* Ends all tasks that are due, before any free slot is given away. Otherwise jobs would be served
 * in the order in which simultaneous ends are processed. */
static void end_due_tasks(struct virtual_fair *vf)
{
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        while (vf->kind[k].ends.first && vf->kind[k].ends.first->key <= vf->now_us)
            end_next_run_of_tasks(vf, k);
}

void virtual_fair_advance(struct virtual_fair *vf, int64_t now_us)
{
    for (;;) {
        int64_t next = now_us + 1;

        for (enum base_task_kind k = 0; k < BASE_TASK_KINDS && vf->dirty; k++)
            give_away_free_slots(vf, k);
        vf->dirty = false;
        for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
            if (vf->kind[k].ends.first && vf->kind[k].ends.first->key < next)
                next = vf->kind[k].ends.first->key;
        if (next > now_us)
            break;
        if (next > vf->now_us)
            vf->now_us = next;
        end_due_tasks(vf);
        vf->dirty = true;
    }
    if (now_us > vf->now_us)
        vf->now_us = now_us;
}

/* ---------------------------------------------------------------- changes */
void virtual_fair_add_tasks(struct virtual_fair *vf, struct virtual_fair_job *j,
                            enum base_task_kind kind, int32_t pending, int32_t running,
                            int32_t done)
{
    struct fair_phase *p = &j->phase[kind];

    if (pending < -p->pending)
        pending = -p->pending;
    p->total += pending + running + done;
    p->pending += pending;
    p->done += done;
    if (running > 0)
        start_tasks(vf, j, kind, running);
    if (kind == BASE_TASK_MAP)
        unblock_reduces_if_maps_done(vf, j);
    update_places_and_dependent_reduces(vf, j, kind);
    vf->dirty = true;
}

void virtual_fair_set_task_duration(struct virtual_fair *vf, struct virtual_fair_job *j,
                                    enum base_task_kind kind, int64_t task_us)
{
    j->phase[kind].task_us = task_us;
    update_places_and_dependent_reduces(vf, j, kind);
}

void virtual_fair_detach_job(struct virtual_fair *vf, struct virtual_fair_job *j, bool finished)
{
    j->gone = true;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        finished = finished && (!j->phase[k].total || j->phase[k].task_us >= 0);
    if (!finished || has_no_tasks_left(j))
        remove_and_free_job(vf, j);
}

void virtual_fair_set_slots(struct virtual_fair *vf, enum base_task_kind kind, int64_t slots)
{
    vf->kind[kind].slots = slots;
    vf->dirty = true;
}

/* ---------------------------------------------------------------- answers */
int64_t virtual_fair_finish_us(const struct virtual_fair_job *j, enum base_task_kind kind)
{
    const struct fair_phase *p = &j->phase[kind];
    int64_t from = p->last_us;

    if (!p->total || p->pending > 0 || p->task_us < 0)
        return VIRTUAL_NEVER;
    if (kind == BASE_TASK_REDUCE && p->blocked) {
        from = virtual_fair_finish_us(j, BASE_TASK_MAP);
        if (from == VIRTUAL_NEVER)
            return VIRTUAL_NEVER;
    }
    return from + p->task_us;
}
