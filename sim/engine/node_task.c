/* Task attempts on simulated nodes.
 *
 *     launch --> working <--> suspended          end event --> ended --reported--> freed
 *       |           ^                            kill      --> killed --reported--> freed
 *       +-> waiting +   a reduce launched early holds its slot idle until the last map ends
 *
 * An end event stays in the queue when its attempt is killed or suspended; the attempt then forgets
 * the event's order, so that the event is ignored when its time comes. */
#include <stdlib.h>
#include <string.h>

#include "sim/engine/engine_internal.h"

static struct sim_attempt *attempt_at(const struct sim *s, uint32_t index)
{
    return &s->attempts[index];
}

/* ---------------------------------------------------------------- the table */
#define LINE 64

static void grow_attempt_table(struct sim *s, uint32_t cap)
{
    size_t size = (size_t)cap * sizeof *s->attempts;
    struct sim_attempt *v = aligned_alloc(LINE, (size + LINE - 1) / LINE * LINE);

    base_assert(v && cap <= SIM_INDEX_MAX);
    if (s->attempts_n)
        memcpy(v, s->attempts, s->attempts_n * sizeof *v);
    free(s->attempts);
    s->attempts = v;
    s->attempts_cap = cap;
}

void sim_attempts_create_table(struct sim *s, uint32_t slots)
{
    grow_attempt_table(s, slots);
    s->attempts_n = slots;
    s->attempts_free = SIM_NONE;
}

static bool is_in_node_block(const struct sim_node *n, uint32_t index)
{
    return index - n->block < (uint32_t)(n->slots[BASE_TASK_MAP] + n->slots[BASE_TASK_REDUCE]);
}

/* Takes a place in the node's own block if one is free, so that the attempts of a node lie close
 * together; otherwise a place beyond the blocks. Returns its index. */
static uint32_t take_attempt_place(struct sim *s, struct sim_node *n)
{
    uint32_t *from = n->free != SIM_NONE ? &n->free : &s->attempts_free, i = *from;

    if (n->free == SIM_NONE && n->fresh < n->slots[BASE_TASK_MAP] + n->slots[BASE_TASK_REDUCE])
        return n->block + (uint32_t)n->fresh++;
    if (i != SIM_NONE) {
        *from = s->attempts[i].node_next;
        return i;
    }
    if (s->attempts_n == s->attempts_cap)
        grow_attempt_table(s, s->attempts_cap + s->attempts_cap / 2 + 64);
    return s->attempts_n++;
}

void sim_attempt_free(struct sim *s, uint32_t index)
{
    struct sim_node *n = &s->nodes[s->attempts[index].node];
    uint32_t *to = is_in_node_block(n, index) ? &n->free : &s->attempts_free;

    s->attempts[index].job = NULL;
    s->attempts[index].event = 0;
    s->attempts[index].node_next = *to;
    *to = index;
}

/* The attempt on @node that the order @o names; SIM_NONE if the node no longer has it. */
static uint32_t find_ordered_attempt(const struct sim *s, uint32_t node, const struct rm_order *o)
{
    uint32_t i = s->nodes[node].attempts;

    while (i != SIM_NONE && (attempt_at(s, i)->num != o->container.num ||
                             attempt_at(s, i)->job->seq != o->container.attempt.app.seq))
        i = attempt_at(s, i)->node_next;
    return i;
}

/* Makes the attempt's node report the end: at its next heartbeat, or at once if the cluster has
 * out-of-band heartbeats. */
static void mark_end_to_report(struct sim *s, const struct sim_attempt *a)
{
    s->news[a->node] = 1;
    s->changed = true;
    s->last_active_us = s->now_us;
    if (!s->conf.cluster.oob || s->oob_set[a->node] || !s->heartbeat_us)
        return;
    s->oob_set[a->node] = 1;
    s->oob[(s->oob_first + s->oob_n++) % s->nodes_n] = a->node;
}

/* ---------------------------------------------------------------- slots */
/* The attempt takes (@sign 1) or gives back (@sign -1) its slots. */
static void take_or_give_back_slot(struct sim *s, struct sim_attempt *a, int32_t sign)
{
    struct sim_live *job = a->job;
    int32_t by = sign * sim_job_width(&job->job);

    s->running_all += by;
    job->running[a->kind] += by;
    if (by > 0)
        a->since_us = s->now_us;
    if (s->conf.on_alloc) {
        struct sim_alloc alloc = {.now_us = s->now_us,
                                  .job = job->id,
                                  .name = job->job.name,
                                  .pool = job->job.pool,
                                  .class_name = job->job.class_name,
                                  .kind = a->kind,
                                  .running = job->running[a->kind]};

        s->conf.on_alloc(s->conf.ctx, &alloc);
    }
}

/* How long the attempt has held its slots up to now; the attempt must hold them. */
static int64_t slot_time_us(const struct sim *s, const struct sim_attempt *a)
{
    return (a->summed ? a->held_us : 0) + (s->now_us - a->since_us);
}

static bool all_maps_done(const struct sim_live *job)
{
    return job->done[BASE_TASK_MAP] == job->job.tasks[BASE_TASK_MAP];
}

static int64_t drawn_duration_us(const struct sim *s, const struct sim_attempt *a)
{
    const struct sim_live *job = a->job;
    double speed = s->nodes[a->node].speed;

    if (a->kind == BASE_TASK_MAP)
        return sim_cost_map_us(&job->cost, a->task, (enum sim_level)a->level, speed);
    return sim_cost_reduce_us(
        &job->cost, a->task, job->job.tasks[BASE_TASK_MAP] == 1 && job->map_node == a->node, speed);
}

static void schedule_end(struct sim *s, uint32_t index, int64_t us)
{
    attempt_at(s, index)->end_us = us;
    attempt_at(s, index)->event =
        sim_queue_add(&s->queue, us, SIM_CLASS_END, SIM_EVENT_TASK_END, index);
}

/* The attempt's input is complete: its duration starts now. */
static void begin_work(struct sim *s, uint32_t index)
{
    struct sim_attempt *a = attempt_at(s, index);

    a->duration_us = drawn_duration_us(s, a);
    schedule_end(s, index, s->now_us + a->duration_us);
}

/* Adds a reduce that must wait for the end of the last map to its job's list. The reduce holds its
 * slot idle until then. */
static void add_to_waiting_list(struct sim *s, uint32_t index)
{
    struct sim_attempt *a = attempt_at(s, index);

    a->wait_next = a->job->waiting;
    a->job->waiting = index;
}

static void remove_from_waiting_list(struct sim *s, uint32_t index)
{
    uint32_t *link = &attempt_at(s, index)->job->waiting;

    while (*link != index)
        link = &attempt_at(s, *link)->wait_next;
    *link = attempt_at(s, index)->wait_next;
}

/* All maps of @job have ended: its waiting reduces begin, in the order in which they began to wait.
 */
static void begin_waiting_reduces(struct sim *s, struct sim_live *job)
{
    uint32_t first = SIM_NONE;

    while (job->waiting != SIM_NONE) {
        uint32_t i = job->waiting;

        job->waiting = attempt_at(s, i)->wait_next;
        attempt_at(s, i)->wait_next = first;
        first = i;
    }
    for (; first != SIM_NONE; first = attempt_at(s, first)->wait_next) {
        attempt_at(s, first)->idle_us += s->now_us - attempt_at(s, first)->since_us;
        attempt_at(s, first)->summed = true;
        begin_work(s, first);
        sim_log_task(s, "begin", attempt_at(s, first), NULL);
    }
}

/* ---------------------------------------------------------------- orders */
/* Sets a->level to how near the attempt of a map is to its input, if the places of its split are
 * given, counts that level, and returns its name in the event log. Any other attempt gets
 * SIM_NODE_LOCAL, is not counted, and is logged as "any". */
static const char *record_locality(struct sim *s, struct sim_attempt *a, uint32_t node)
{
    static const char *const names[] = {"local", "rack", "off"};
    const struct rm_job_spec *spec = a->job->spec;
    const uint32_t *near = spec->near_n ? spec->near + (size_t)a->task * spec->near_n : NULL;

    a->level = SIM_NODE_LOCAL;
    if (a->kind != BASE_TASK_MAP || !near)
        return "any";
    a->level = SIM_OFF_RACK;
    for (uint32_t i = 0; i < spec->near_n; i++) {
        if (near[i] == node) {
            a->level = SIM_NODE_LOCAL;
            break;
        }
        if (s->topology.rack_of[near[i]] == s->topology.rack_of[node])
            a->level = SIM_RACK_LOCAL;
    }
    a->job->r.level[a->level]++;
    s->totals.level[a->level]++;
    return names[a->level];
}

void sim_task_launch(struct sim *s, uint32_t node, const struct rm_order *o)
{
    struct sim_live *job = sim_live_get_by_seq(s, o->container.attempt.app.seq);
    struct sim_node *n = &s->nodes[node];
    uint32_t index = take_attempt_place(s, n);
    struct sim_attempt *a = attempt_at(s, index);
    const char *level;

    *a = (struct sim_attempt){.job = job,
                              .num = o->container.num,
                              .launched_us = s->now_us,
                              .task = o->task.index,
                              .number = o->task_attempt,
                              .node = node,
                              .node_next = n->attempts,
                              .wait_next = SIM_NONE,
                              .kind = (uint8_t)o->slot};
    n->attempts = index;
    n->used[a->kind] += sim_job_width(&job->job);
    if (s->running_told || s->progress)
        s->news[node] = 1;
    if (!job->r.launches[a->kind] && (a->kind == BASE_TASK_MAP || !job->job.tasks[BASE_TASK_MAP]))
        job->r.first_us = s->now_us;
    job->r.launches[a->kind]++;
    s->totals.launches[a->kind]++;
    s->changed = true;
    s->last_active_us = s->now_us;
    level = record_locality(s, a, node);
    take_or_give_back_slot(s, a, 1);
    sim_log_task(s, "launch", a, level);
    if (a->kind == BASE_TASK_MAP || all_maps_done(job))
        begin_work(s, index);
    else
        add_to_waiting_list(s, index);
}

/* Takes the slot away from a running attempt and adds up its slot time. The attempt
 * forgets its queued end event, which is then ignored. */
static void take_slot_from_running_attempt(struct sim *s, uint32_t index)
{
    struct sim_attempt *a = attempt_at(s, index);

    if (!a->duration_us && a->kind == BASE_TASK_REDUCE) {
        remove_from_waiting_list(s, index);
        a->idle_us += s->now_us - a->since_us;
    }
    a->event = 0;
    a->held_us = slot_time_us(s, a);
    a->summed = true;
    take_or_give_back_slot(s, a, -1);
}

void sim_task_kill(struct sim *s, uint32_t node, const struct rm_order *o)
{
    uint32_t index = find_ordered_attempt(s, node, o);
    struct sim_attempt *a;

    if (index == SIM_NONE || attempt_at(s, index)->state == SIM_ENDED ||
        attempt_at(s, index)->state == SIM_KILLED)
        return;
    a = attempt_at(s, index);
    if (a->state == SIM_RUNNING) {
        take_slot_from_running_attempt(s, index);
    } else {
        s->nodes[node].suspended[a->kind]--;
        a->slotless = true;
    }
    a->state = SIM_KILLED;
    a->end_us = s->now_us;
    a->job->r.kills[a->kind]++;
    a->job->r.lost_us[a->kind] += a->held_us * sim_job_width(&a->job->job);
    s->totals.kills[a->kind]++;
    sim_log_task(s, "kill", a, NULL);
    mark_end_to_report(s, a);
}

void sim_task_suspend(struct sim *s, uint32_t node, const struct rm_order *o)
{
    uint32_t index = find_ordered_attempt(s, node, o);
    struct sim_attempt *a;
    struct sim_node *n = &s->nodes[node];

    if (index == SIM_NONE || attempt_at(s, index)->state != SIM_RUNNING)
        return;
    a = attempt_at(s, index);
    a->left_us = a->duration_us ? a->end_us - s->now_us : 0;
    take_slot_from_running_attempt(s, index);
    n->used[a->kind] -= sim_job_width(&a->job->job);
    a->state = SIM_SUSPENDED;
    a->job->r.suspensions[a->kind]++;
    s->totals.suspensions[a->kind]++;
    if (++n->suspended[a->kind] > s->totals.suspended_node_max[a->kind])
        s->totals.suspended_node_max[a->kind] = n->suspended[a->kind];
    s->changed = true;
    sim_log_task(s, "suspend", a, NULL);
}

void sim_task_resume(struct sim *s, uint32_t node, const struct rm_order *o)
{
    uint32_t index = find_ordered_attempt(s, node, o);
    struct sim_attempt *a;

    if (index == SIM_NONE || attempt_at(s, index)->state != SIM_SUSPENDED)
        return;
    a = attempt_at(s, index);
    a->state = SIM_RUNNING;
    s->nodes[node].suspended[a->kind]--;
    s->nodes[node].used[a->kind] += sim_job_width(&a->job->job);
    s->totals.resumes[a->kind]++;
    s->changed = true;
    s->last_active_us = s->now_us;
    take_or_give_back_slot(s, a, 1);
    sim_log_task(s, "resume", a, NULL);
    if (a->duration_us)
        schedule_end(s, index, s->now_us + s->conf.swap_us + a->left_us);
    else if (all_maps_done(a->job))
        begin_work(s, index);
    else
        add_to_waiting_list(s, index);
}

/* ---------------------------------------------------------------- the end */
void sim_task_handle_end(struct sim *s, const struct sim_event *e)
{
    struct sim_attempt *a = attempt_at(s, sim_event_index(e));
    struct sim_live *job = a->job;

    if (a->event != e->order) /* killed or suspended since */
        return;
    a->event = 0;
    a->state = SIM_ENDED;
    job->done[a->kind]++;
    job->last_end_us = s->now_us;
    job->r.useful_us[a->kind] += slot_time_us(s, a) * sim_job_width(&job->job);
    job->r.idle_us += a->summed ? a->idle_us * sim_job_width(&job->job) : 0;
    take_or_give_back_slot(s, a, -1);
    s->totals.completions[a->kind]++;
    sim_log_task(s, "end", a, NULL);
    mark_end_to_report(s, a);
    if (a->kind != BASE_TASK_MAP)
        return;
    job->map_node = a->node;
    if (!all_maps_done(job))
        return;
    job->r.maps_done_us = s->now_us;
    begin_waiting_reduces(s, job);
}

float sim_task_progress(const struct sim *s, const struct sim_attempt *a)
{
    double share = 0;

    if (a->duration_us) {
        int64_t left = a->state == SIM_SUSPENDED ? a->left_us : a->end_us - s->now_us;

        left = left < a->duration_us ? left : a->duration_us;
        share = (double)(a->duration_us - left) / (double)a->duration_us;
    }
    if (a->kind == BASE_TASK_MAP)
        return (float)share;
    if (a->duration_us) /* shuffle and sort are done; the last third is the reduce function */
        return (float)((2 + share) / 3);
    return a->job->job.tasks[BASE_TASK_MAP]
               ? (float)a->job->done[BASE_TASK_MAP] / (float)(3 * a->job->job.tasks[BASE_TASK_MAP])
               : 0;
}
