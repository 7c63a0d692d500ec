/* Simulated nodes: creation, registration, times and contents of heartbeats. */
#include <stdio.h>
#include <stdlib.h>

#include "sim/engine/engine_internal.h"
#include "sim/engine/rng.h"

#define PURPOSE_PHASE    UINT64_C(0x70686173)
#define HEARTBEAT_MIN_US 3000000
#define NODES_PER_SECOND 100
#define ID_MAX           16
#define AHEAD            16    /* how many attempts of the next node are prefetched */
#define ROUNDS_MAX       10000 /* rounds of heartbeats at one instant; then the run fails */

/* ---------------------------------------------------------------- creation */
static int check_cluster_and_count_nodes(const struct sim_cluster *c, int64_t *nodes,
                                         struct base_error *err)
{
    int64_t slots = 0;

    *nodes = 0;
    for (size_t i = 0; i < c->groups_n; i++) {
        const struct sim_group *g = &c->groups[i];

        if (g->nodes < 0 || !(g->speed > 0))
            return base_error_set(err, -BASE_EINVAL,
                                  "cluster: a group of %d nodes of speed %g cannot be", g->nodes,
                                  g->speed);
        for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
            if (g->slots[k] < 0 || g->slots[k] > SIM_NODE_SLOTS_MAX)
                return base_error_set(
                    err, -BASE_EINVAL, "cluster: %d %s slots on a node; at most %d can be",
                    g->slots[k], k == BASE_TASK_MAP ? "map" : "reduce", SIM_NODE_SLOTS_MAX);
            slots += (int64_t)g->slots[k] * g->nodes;
        }
        *nodes += g->nodes;
    }
    if (*nodes < 1 || *nodes > SIM_NODES_MAX)
        return base_error_set(err, -BASE_EINVAL, "cluster: %lld nodes; 1 to %d can be",
                              (long long)*nodes, SIM_NODES_MAX);
    if (slots < 1 || slots > SIM_SLOTS_MAX)
        return base_error_set(err, -BASE_EINVAL, "cluster: %lld slots; 1 to %d can be",
                              (long long)slots, SIM_SLOTS_MAX);
    if (c->racks < 0 || c->racks > *nodes)
        return base_error_set(err, -BASE_EINVAL, "cluster: %d racks for %lld nodes", c->racks,
                              (long long)*nodes);
    for (int64_t i = 0; c->rack_of && i < *nodes; i++)
        if (c->rack_of[i] < 0 || c->rack_of[i] >= (c->racks ? c->racks : 1))
            return base_error_set(err, -BASE_EINVAL, "cluster: node %lld is in rack %d of %d",
                                  (long long)i, c->rack_of[i], c->racks);
    if (c->heartbeat_us < SIM_HEARTBEAT_AUTO)
        return base_error_set(err, -BASE_EINVAL,
                              "cluster: a heartbeat interval cannot be negative");
    return 0;
}

static int compare_beats_by_phase(const void *x, const void *y)
{
    const struct sim_beat *a = x, *b = y;

    if (a->phase_us != b->phase_us)
        return a->phase_us < b->phase_us ? -1 : 1;
    return a->node < b->node ? -1 : 1;
}

static void draw_heartbeat_phases(struct sim *s)
{
    s->beats = base_alloc((size_t)s->nodes_n * sizeof *s->beats);
    for (int32_t i = 0; i < s->nodes_n; i++)
        s->beats[i] = (struct sim_beat){
            (int64_t)sim_bits_to_below(sim_hash(s->conf.seed, (uint64_t)i, PURPOSE_PHASE),
                                       (uint64_t)s->heartbeat_us),
            (uint32_t)i};
    qsort(s->beats, (size_t)s->nodes_n, sizeof *s->beats, compare_beats_by_phase);
}

int sim_nodes_create(struct sim *s, struct base_error *err)
{
    const struct sim_cluster *c = &s->conf.cluster;
    int64_t nodes;
    int32_t at = 0;
    int rc = check_cluster_and_count_nodes(c, &nodes, err);

    if (rc < 0)
        return rc;
    s->nodes_n = (int32_t)nodes;
    s->heartbeat_us = c->heartbeat_us;
    if (s->heartbeat_us == SIM_HEARTBEAT_AUTO) {
        s->heartbeat_us = (nodes + NODES_PER_SECOND - 1) / NODES_PER_SECOND * 1000000;
        s->heartbeat_us = s->heartbeat_us < HEARTBEAT_MIN_US ? HEARTBEAT_MIN_US : s->heartbeat_us;
    }
    sim_topology_init(&s->topology, s->nodes_n, c->racks > 0 ? c->racks : 1, c->rack_of);
    s->nodes = base_alloc((size_t)nodes * sizeof *s->nodes);
    s->oob = base_alloc((size_t)nodes * sizeof *s->oob);
    s->oob_set = base_alloc((size_t)nodes);
    s->news = base_alloc((size_t)nodes);
    s->texts = base_alloc((size_t)nodes * ID_MAX);
    s->ids = base_alloc((size_t)nodes * sizeof *s->ids);
    for (size_t g = 0; g < c->groups_n; g++)
        for (int32_t i = 0; i < c->groups[g].nodes; i++, at++) {
            struct sim_node *n = &s->nodes[at];

            snprintf(s->texts + (size_t)at * ID_MAX, ID_MAX, "n%d", at);
            s->ids[at] = n->id = s->texts + (size_t)at * ID_MAX;
            n->attempts = n->free = SIM_NONE;
            n->block =
                (uint32_t)(s->totals.slots[BASE_TASK_MAP] + s->totals.slots[BASE_TASK_REDUCE]);
            n->speed = c->groups[g].speed;
            for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
                n->slots[k] = c->groups[g].slots[k];
                s->totals.slots[k] += n->slots[k];
                if (n->slots[k] > s->slots_most[k])
                    s->slots_most[k] = n->slots[k];
            }
        }
    sim_attempts_create_table(
        s, (uint32_t)(s->totals.slots[BASE_TASK_MAP] + s->totals.slots[BASE_TASK_REDUCE]));
    s->hosts = (struct rm_host_table){.id = 1, .v = s->ids, .n = (size_t)nodes};
    if (s->heartbeat_us > 0)
        draw_heartbeat_phases(s);
    return 0;
}

void sim_nodes_register(struct sim *s)
{
    char rack[ID_MAX + 2];

    for (int32_t i = 0; i < s->nodes_n; i++) {
        const struct sim_node *n = &s->nodes[i];
        struct rm_event ev = {.kind = RM_EV_NODE_REGISTER, .token = ++s->token};

        snprintf(rack, sizeof rack, "/r%d", s->topology.rack_of[i]);
        ev.u.node_register.node_id = ev.u.node_register.host = ev.u.node_register.http_address =
            n->id;
        ev.u.node_register.rack = rack;
        ev.u.node_register.version = ev.u.node_register.boot_id = ev.u.node_register.instance = "1";
        ev.u.node_register.map_slots = n->slots[BASE_TASK_MAP];
        ev.u.node_register.reduce_slots = n->slots[BASE_TASK_REDUCE];
        sim_core_step(s, &ev);
        sim_carry_out_effects(s, (uint32_t)i);
    }
}

void sim_nodes_free(struct sim *s)
{
    free(s->nodes);
    free(s->oob);
    free(s->oob_set);
    free(s->news);
    free(s->texts);
    free(s->ids);
    free(s->beats);
    free(s->attempts);
    free(s->reports);
    free(s->ended);
    sim_topology_free(&s->topology);
}

/* ---------------------------------------------------------------- reports */
static struct rm_container_report *reserve_nth_report(struct sim *s, size_t n)
{
    base_array_grow(&s->reports, n, &s->reports_cap);
    return &s->reports[n];
}

static void fill_end_report(struct rm_container_report *r, const struct sim_attempt *a)
{
    const struct sim_job *job = &a->job->job;

    r->state = RM_CONTAINER_COMPLETED;
    r->progress = 1;
    r->started_us = SIM_EPOCH_US + a->launched_us;
    r->ended_us = SIM_EPOCH_US + a->end_us;
    if (a->state == SIM_KILLED) {
        r->exit_code = RM_EXIT_KILLED_BY_RM;
        return;
    }
    r->input_bytes = a->kind == BASE_TASK_MAP ? job->split_bytes : job->partition_bytes;
    r->output_bytes =
        a->kind == BASE_TASK_MAP ? (int64_t)((double)job->split_bytes * job->selectivity) : 0;
}

static void fill_report(const struct sim *s, struct rm_container_report *r,
                        const struct sim_attempt *a)
{
    *r = (struct rm_container_report){.id = {{{1, a->job->seq}, 1}, a->num},
                                      .slot = a->kind,
                                      .state = a->state == SIM_SUSPENDED ? RM_CONTAINER_SUSPENDED
                                                                         : RM_CONTAINER_RUNNING};
    if (a->state == SIM_ENDED || a->state == SIM_KILLED)
        fill_end_report(r, a);
    else if (s->progress)
        r->progress = sim_task_progress(s, a);
}

/* Records the end as s->ended[nth] and frees the attempt before the heartbeat is sent: the answer
 * may launch a task into its place. */
static void release_ended_attempt(struct sim *s, struct sim_node *n, uint32_t index, size_t nth)
{
    const struct sim_attempt *a = &s->attempts[index];

    base_array_grow(&s->ended, nth, &s->ended_cap);
    s->ended[nth] =
        (struct sim_ended){.job = a->job, .kind = a->kind, .success = a->state == SIM_ENDED};
    n->used[a->kind] -= a->slotless ? 0 : sim_job_width(&a->job->job);
    sim_attempt_free(s, index);
}

/* Fills s->reports with what @n has to report and returns the number of reports. Attempts that have
 * ended leave the node; *@ended counts them. */
static size_t collect_reports(struct sim *s, struct sim_node *n, size_t *ended)
{
    uint32_t *link = &n->attempts, i;
    size_t len = 0;

    while ((i = *link) != SIM_NONE) {
        struct sim_attempt *a = &s->attempts[i];
        bool over = a->state == SIM_ENDED || a->state == SIM_KILLED;

        if (over || s->progress || (s->running_told && !a->told)) {
            fill_report(s, reserve_nth_report(s, len), a);
            len++;
            a->told = true;
        }
        if (!over) {
            link = &a->node_next;
            continue;
        }
        *link = a->node_next;
        release_ended_attempt(s, n, i, (*ended)++);
    }
    return len;
}

/* Counts the successful ones among the first @n of s->ended as reported to the core, and ends
 * their jobs as sim_job_end_if_done() does. */
static void count_reported_ends_and_end_jobs(struct sim *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct sim_ended e = s->ended[i];

        if (!e.success)
            continue;
        e.job->reported[e.kind]++;
        sim_job_end_if_done(s, e.job);
    }
}

/* ---------------------------------------------------------------- heartbeats */
static void send_heartbeat(struct sim *s, uint32_t node)
{
    struct sim_node *n = &s->nodes[node];
    struct rm_event ev;
    size_t ended = 0, len = s->news[node] || (s->progress && n->attempts != SIM_NONE)
                                ? collect_reports(s, n, &ended)
                                : 0;

    s->changed = s->changed || s->news[node]; /* progress alone is not a change */
    s->news[node] = 0;
    ev.kind = RM_EV_NODE_HEARTBEAT;
    ev.token = ++s->token;
    ev.caller = NULL;
    ev.u.heartbeat.node_id = n->id;
    ev.u.heartbeat.instance = "1";
    ev.u.heartbeat.response_id = n->response_id;
    ev.u.heartbeat.healthy = true;
    ev.u.heartbeat.health_report = "";
    ev.u.heartbeat.has_utilization = false;
    ev.u.heartbeat.logs = NULL;
    ev.u.heartbeat.logs_n = 0;
    ev.u.heartbeat.logs_more = false;
    ev.u.heartbeat.hold_us = ev.u.heartbeat.sent_us = 0;
    ev.u.heartbeat.node_hint = node + 1;
    ev.u.heartbeat.reports = s->reports;
    ev.u.heartbeat.reports_n = len;
    s->totals.heartbeats++;
    sim_core_step(s, &ev);
    sim_carry_out_effects(s, node);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        /* the core never fills more slots than a node has */
        base_assert(n->used[k] <= n->slots[k]);
    count_reported_ends_and_end_jobs(s, ended);
}

int64_t sim_nodes_next_beat_us(const struct sim *s)
{
    return s->cycle_us + s->beats[s->beat].phase_us;
}

void sim_nodes_skip_past_beats(struct sim *s)
{
    int32_t low = 0, high = s->nodes_n;
    int64_t off = s->now_us % s->heartbeat_us;

    while (low < high) {
        int32_t mid = low + (high - low) / 2;

        if (s->beats[mid].phase_us < off)
            low = mid + 1;
        else
            high = mid;
    }
    s->cycle_us = s->now_us - off;
    s->beat = low;
    if (low == s->nodes_n) {
        s->beat = 0;
        s->cycle_us += s->heartbeat_us;
    }
}

/* Prefetches what the next two heartbeats will read, while the present one is processed. */
static void prefetch_next_nodes(const struct sim *s)
{
    const struct sim_node *near = &s->nodes[s->beats[s->beat].node];
    int32_t far = s->beat + 1 < s->nodes_n ? s->beat + 1 : 0,
            n = near->slots[BASE_TASK_MAP] + near->slots[BASE_TASK_REDUCE];

    rm_core_prefetch_node(s->core, s->beats[far].node + 1, 0);
    rm_core_prefetch_node(s->core, s->beats[s->beat].node + 1, 1);
    __builtin_prefetch(&s->nodes[s->beats[far].node]);
    __builtin_prefetch((const char *)&s->nodes[s->beats[far].node] + 64);
    for (int32_t i = 0; i < n && i < AHEAD; i++)
        __builtin_prefetch(&s->attempts[near->block + (uint32_t)i]);
}

void sim_nodes_beat_next(struct sim *s)
{
    uint32_t node;

    if (s->oob_n) {
        node = s->oob[s->oob_first];
        s->oob_first = (s->oob_first + 1) % s->nodes_n;
        s->oob_n--;
        s->oob_set[node] = 0;
        send_heartbeat(s, node);
        return;
    }
    node = s->beats[s->beat].node;
    if (++s->beat == s->nodes_n) {
        s->beat = 0;
        s->cycle_us += s->heartbeat_us;
    }
    prefetch_next_nodes(s);
    send_heartbeat(s, node);
}

void sim_nodes_beat_until_settled(struct sim *s)
{
    for (int round = 0; s->changed && !s->failed; round++) {
        s->changed = false;
        for (int32_t i = 0; i < s->nodes_n; i++)
            send_heartbeat(s, (uint32_t)i);
        if (round == ROUNDS_MAX)
            sim_fail(s, -BASE_ESTATE, "at %lld us the policy's orders come to no end",
                     (long long)s->now_us);
    }
}
