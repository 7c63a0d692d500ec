/* tests/bench/bench_policy.c - assignments per second of policies by themselves, on one core: the
 * policy's order and all it is told, the delay filter, the choice of the task by place. No
 * containers, no records: bench_core has those.
 *
 * Load: 2,500 nodes x (2 + 2) slots, 100 jobs x (1,000 maps + 1,000 reduces), 20 queues, 3 replicas
 * per split; and 10,000 nodes x (5 + 5), 1,000 jobs. Nodes send heartbeats in turn: each ends two
 * tasks of each kind on its node, fills the free slots, and asks the policy for victims when all
 * slots are taken. Measured between a tenth and nine tenths of all tasks. CPU time of the process.
 *
 * Usage: bench_policy [RUNS [POLICY]]. Prints lines "name value unit". */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "policies/common/delay.h"
#include "policies/common/queues.h"
#include "policies/policy.h"
#include "policies/registry.h"
#include "tests/bench/allocations.h"
#include "tests/xorshift.h"

#define S        INT64_C(1000000)
#define REPLICAS 3
#define PER_BEAT 2
#define QUEUES   20

struct task {
    struct job *job;
    int64_t started_us, suspended_at_us;
    int32_t index;
};
struct job {
    struct policy_job pj; /* first */
    struct delay_job delay;
    uint64_t *pending[BASE_TASK_KINDS]; /* bit sets */
    size_t low[BASE_TASK_KINDS];
    uint64_t *near; /* by node: its list may have a pending split */
    struct list {
        uint32_t at, end;
    } * list; /* of each node: where in split[] */
    int32_t *split;
    int64_t done_us[BASE_TASK_KINDS];
};
struct node {
    struct task running[BASE_TASK_KINDS][8], stopped[BASE_TASK_KINDS][16];
    int32_t n[BASE_TASK_KINDS], stopped_n[BASE_TASK_KINDS];
};
static struct {
    const struct policy_ops *ops;
    struct policy *policy;
    struct policy_env env;
    struct policy_conf conf;
    struct policy_capacity capacity;
    struct policy_learned learned;
    struct policy_queues queues;
    struct policy_plan plan;
    struct delay delay;
    struct node *nodes;
    struct job *jobs;
    int32_t nodes_n, jobs_n, tasks, slots;
    int64_t now_us, timer_us, assigned, local;
    uint64_t rng;
} b;
static uint32_t rnd(uint32_t below)
{
    return (uint32_t)(xorshift_next(&b.rng) >> 33) % below;
}

static int64_t cpu_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* ---------------------------------------------------------------- the world */
static bool running(void *core, const struct policy_job *pj, enum base_task_kind kind,
                    void **cursor, struct policy_running *out)
{
    /* only policies that work in epochs look at running tasks, which is no part of an assignment */
    (void)core;
    (void)pj;
    (void)kind;
    (void)cursor;
    (void)out;
    return false;
}

static void note(void *core, int level, const char *text)
{
    (void)core;
    (void)level;
    (void)text;
}

static void changed(struct job *j, enum base_task_kind k)
{
    b.ops->on_job_changed(b.policy, &j->pj, k);
}

static void place_splits(struct job *j)
{
    uint32_t *host = base_alloc((size_t)b.tasks * REPLICAS * sizeof *host), first = 0;

    j->list = base_alloc((size_t)b.nodes_n * sizeof *j->list);
    j->split = base_alloc((size_t)b.tasks * REPLICAS * sizeof *j->split);
    j->near = base_alloc(((size_t)b.nodes_n / 64 + 1) * sizeof *j->near);
    for (int32_t i = 0; i < b.tasks * REPLICAS; i++)
        j->list[host[i] = rnd((uint32_t)b.nodes_n)].end++;
    for (int32_t n = 0; n < b.nodes_n; n++) {
        uint32_t len = j->list[n].end;

        if (len)
            j->near[n / 64] |= UINT64_C(1) << (n % 64);
        j->list[n] = (struct list){first, first};
        first += len;
    }
    for (int32_t i = 0; i < b.tasks * REPLICAS; i++)
        j->split[j->list[host[i]].end++] = i / REPLICAS;
    free(host);
}

static void add_job(int32_t i)
{
    struct job *j = &b.jobs[i];
    size_t words = ((size_t)b.tasks + 63) / 64;
    char queue[32];

    snprintf(queue, sizeof queue, "q%d", i % QUEUES);
    j->pj = (struct policy_job){.submit_us = b.now_us + i,
                                .cluster_ts = 1,
                                .seq = i + 1,
                                .weight = 1,
                                .is_job = true,
                                .queue = policy_queues_find(&b.queues, queue),
                                .user = i % QUEUES};
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        j->pj.phase[k].total = b.tasks;
        j->pj.size[k] = (struct policy_size){.bytes = b.tasks * (INT64_C(128) << 20),
                                             .bytes_max = INT64_C(128) << 20,
                                             .given_us = b.tasks * 10 * S,
                                             .given_max_us = 10 * S,
                                             .true_us = b.tasks * 10 * S};
        j->pending[k] = base_alloc(words * sizeof **j->pending);
        memset(j->pending[k], 0xff, words * sizeof **j->pending);
        if (b.tasks % 64)
            j->pending[k][words - 1] = (UINT64_C(1) << (b.tasks % 64)) - 1;
        b.capacity.outstanding[k] += b.tasks;
    }
    place_splits(j);
    b.ops->on_job_arrived(b.policy, &j->pj, b.now_us);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        j->pj.phase[k].pending = b.tasks;
        changed(j, k);
    }
}

/* ---------------------------------------------------------------- an assignment */
static bool is_pending(const struct job *j, enum base_task_kind k, int32_t i)
{
    return j->pending[k][i / 64] >> (i % 64) & 1;
}

static int32_t local_task(struct job *j, uint32_t node)
{
    struct list *l = &j->list[node];

    if (!(j->near[node / 64] >> (node % 64) & 1))
        return -1;
    while (l->at < l->end && !is_pending(j, BASE_TASK_MAP, j->split[l->at]))
        l->at++;
    if (l->at < l->end)
        return j->split[l->at];
    j->near[node / 64] &= ~(UINT64_C(1) << (node % 64));
    return -1;
}

static int32_t any_task(struct job *j, enum base_task_kind k)
{
    while (!j->pending[k][j->low[k]])
        j->low[k]++;
    return (int32_t)(j->low[k] * 64 + (size_t)__builtin_ctzll(j->pending[k][j->low[k]]));
}

static void start(struct job *j, enum base_task_kind k, uint32_t node, int32_t task)
{
    struct node *n = &b.nodes[node];

    j->pending[k][task / 64] &= ~(UINT64_C(1) << (task % 64));
    n->running[k][n->n[k]++] = (struct task){.job = j, .index = task, .started_us = b.now_us};
    b.capacity.used[k]++;
    j->pj.phase[k].pending--;
    j->pj.phase[k].running++;
    if (!j->pj.first_us)
        j->pj.first_us = b.now_us;
    if (b.ops->on_task_started)
        b.ops->on_task_started(b.policy, &j->pj, k, task, node, b.now_us);
    changed(j, k);
    b.assigned++;
}

static bool resume(struct job *j, enum base_task_kind k, uint32_t node)
{
    struct node *n = &b.nodes[node];

    for (int32_t i = 0; i < n->stopped_n[k]; i++)
        if (n->stopped[k][i].job == j) {
            struct task t = n->stopped[k][i];

            n->stopped[k][i] = n->stopped[k][--n->stopped_n[k]];
            t.started_us += b.now_us - t.suspended_at_us;
            n->running[k][n->n[k]++] = t;
            b.capacity.used[k]++;
            j->pj.phase[k].suspended--;
            j->pj.phase[k].running++;
            if (b.ops->on_task_suspended)
                b.ops->on_task_suspended(b.policy, &j->pj, k, t.index, node, false, b.now_us);
            changed(j, k);
            return true;
        }
    return false;
}

static bool takes(struct job *j, enum base_task_kind k, uint32_t node, bool no_delay)
{
    int32_t task = -1;

    if (j->pj.phase[k].suspended && resume(j, k, node))
        return true;
    if (j->pj.phase[k].pending <= 0)
        return false;
    if (k == BASE_TASK_MAP) {
        task = local_task(j, node);
        if (b.delay.w1_us && !no_delay &&
            !delay_offer_slot(&b.delay, &j->delay, task >= 0 ? DELAY_NODE : DELAY_RACK))
            return false;
        b.local += task >= 0;
    }
    start(j, k, node, task >= 0 ? task : any_task(j, k));
    return true;
}

static bool fill(enum base_task_kind k, uint32_t node)
{
    struct node *n = &b.nodes[node];
    struct policy_offer offer = {.kind = k,
                                 .now_us = b.now_us,
                                 .node = node,
                                 .node_slots = b.slots,
                                 .node_used = n->n[k],
                                 .node_suspended = n->stopped_n[k],
                                 .capacity = &b.capacity};
    struct policy_job *pj = NULL;

    while ((pj = b.ops->next(b.policy, &offer, pj))) {
        if (takes((struct job *)(void *)pj, k, node, offer.no_delay))
            return true;
        offer.no_delay = false;
    }
    return false;
}

/* ---------------------------------------------------------------- ends, and room for others */
static void end(enum base_task_kind k, uint32_t node, int32_t at, bool killed)
{
    struct node *n = &b.nodes[node];
    struct task t = n->running[k][at];
    struct job *j = t.job;
    struct policy_task_end e = {.task = t.index,
                                .node = node,
                                .started_us = t.started_us,
                                .ended_us = b.now_us,
                                .work_us = b.now_us - t.started_us,
                                .bytes_in = INT64_C(128) << 20,
                                .bytes_out = INT64_C(128) << 20,
                                .success = !killed,
                                .killed = killed};

    memmove(n->running[k] + at, n->running[k] + at + 1,
            (size_t)(n->n[k] - at - 1) * sizeof **n->running);
    n->n[k]--;
    b.capacity.used[k]--;
    j->pj.phase[k].running--;
    if (killed) {
        /* the lists of nodes have passed this task: it is no longer found as local */
        j->pending[k][t.index / 64] |= UINT64_C(1) << (t.index % 64);
        if ((size_t)t.index / 64 < j->low[k])
            j->low[k] = (size_t)t.index / 64;
        j->pj.phase[k].pending++;
    } else {
        j->pj.phase[k].done++;
        b.capacity.outstanding[k]--;
        j->pj.seen[k].n++;
        j->pj.seen[k].work_us += e.work_us;
        if (k == BASE_TASK_MAP && j->pj.phase[k].done == j->pj.phase[k].total)
            j->pj.maps_done_us = b.now_us;
        policy_learned_add_task(&b.learned, &j->pj, k, &e);
    }
    if (b.ops->on_task_ended)
        b.ops->on_task_ended(b.policy, &j->pj, k, &e);
    changed(j, k);
}

static void stop(enum base_task_kind k, uint32_t node, int32_t at)
{
    struct node *n = &b.nodes[node];
    struct task t = n->running[k][at];

    memmove(n->running[k] + at, n->running[k] + at + 1,
            (size_t)(n->n[k] - at - 1) * sizeof **n->running);
    n->n[k]--;
    t.suspended_at_us = b.now_us;
    n->stopped[k][n->stopped_n[k]++] = t;
    b.capacity.used[k]--;
    t.job->pj.phase[k].running--;
    t.job->pj.phase[k].suspended++;
    if (b.ops->on_task_suspended)
        b.ops->on_task_suspended(b.policy, &t.job->pj, k, t.index, node, true, b.now_us);
    changed(t.job, k);
}

static void make_room(enum base_task_kind k, uint32_t node)
{
    struct node *n = &b.nodes[node];
    struct policy_running here[8];
    struct policy_offer offer = {.kind = k,
                                 .now_us = b.now_us,
                                 .node = node,
                                 .node_slots = b.slots,
                                 .node_used = n->n[k],
                                 .node_suspended = n->stopped_n[k],
                                 .capacity = &b.capacity};
    int32_t len = n->n[k];

    for (int32_t i = 0; i < len; i++) { /* newest last in running[] */
        struct task *t = &n->running[k][len - 1 - i];

        here[i] = (struct policy_running){
            .job = &t->job->pj,
            .kind = k,
            .task = t->index,
            .node = node,
            .started_us = t->started_us,
            .container = (void *)(uintptr_t)(t->index + 1 + (int64_t)t->job->pj.seq * 100000)};
    }
    b.ops->victims(b.policy, &offer, here, (size_t)len, &b.plan);
    for (size_t v = 0; v < b.plan.len; v++)
        for (int32_t i = 0; i < n->n[k]; i++) {
            struct task *t = &n->running[k][i];

            if ((uintptr_t)b.plan.v[v].container !=
                (uintptr_t)(t->index + 1 + (int64_t)t->job->pj.seq * 100000))
                continue;
            if (b.plan.v[v].how == POLICY_VICTIM_KILL)
                end(k, node, i, true);
            else if (n->stopped_n[k] < 16)
                stop(k, node, i);
            break;
        }
    b.plan.len = 0;
}

static void beat(uint32_t node)
{
    struct node *n = &b.nodes[node];

    delay_on_heartbeat(&b.delay, b.now_us);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        for (int i = 0; i < PER_BEAT && n->n[k] > 0; i++)
            end(k, node, 0, false);
        while (n->n[k] < b.slots && fill(k, node))
            continue;
        if (b.ops->victims && n->n[k] == b.slots) {
            make_room(k, node);
            while (n->n[k] < b.slots && fill(k, node))
                continue;
        }
    }
}

/* ---------------------------------------------------------------- a run */
static void free_all(void)
{
    for (int32_t i = 0; i < b.jobs_n; i++) {
        struct job *j = &b.jobs[i];

        b.ops->on_job_left(b.policy, &j->pj, b.now_us);
        for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
            free(j->pending[k]);
        free(j->near);
        free(j->list);
        free(j->split);
    }
    b.ops->destroy(b.policy);
    policy_queues_free(&b.queues);
    policy_conf_free(&b.conf);
    free(b.nodes);
    free(b.jobs);
    free(b.plan.v);
}

static void prepare(const struct policy_ops *ops, int32_t nodes, int32_t slots, int32_t jobs,
                    int32_t tasks)
{
    struct base_buf list = {0};

    memset(&b, 0, sizeof b);
    b.ops = ops;
    b.nodes_n = nodes;
    b.slots = slots;
    b.jobs_n = jobs;
    b.tasks = tasks;
    b.rng = 88172645463325252;
    b.now_us = S;
    b.nodes = base_alloc((size_t)nodes * sizeof *b.nodes);
    b.jobs = base_alloc((size_t)jobs * sizeof *b.jobs);
    for (int i = 0; i < QUEUES; i++)
        base_buf_addf(&list, "%sq%d", i ? "," : "", i);
    policy_queues_init(&b.queues, list.data);
    base_buf_free(&list);
    delay_init(&b.delay, ops->delays ? 4500000 : 0, ops->delays ? 4500000 : 0);
    b.capacity = (struct policy_capacity){.nodes = nodes,
                                          .slots = {(int64_t)nodes * slots, (int64_t)nodes * slots},
                                          .memory_mb = nodes * 8192,
                                          .vcores = nodes * 8};
    b.env = (struct policy_env){.conf = &b.conf,
                                .capacity = &b.capacity,
                                .queues = &b.queues,
                                .learned = &b.learned,
                                .heartbeat_us = 3 * S,
                                .running = running,
                                .note = note};
    b.policy = ops->create(&b.env);
    if (ops->on_capacity)
        ops->on_capacity(b.policy, b.now_us);
    b.timer_us = ops->on_timer ? ops->on_timer(b.policy, b.now_us, &b.plan) : 0;
    for (int32_t i = 0; i < jobs; i++)
        add_job(i);
}

static void measure(const char *label, const struct policy_ops *ops, int32_t nodes, int32_t slots,
                    int32_t jobs, int32_t tasks)
{
    int64_t all = (int64_t)jobs * tasks * BASE_TASK_KINDS, begin = 0, from = 0, made = 0, beats = 0;
    double seconds;

    prepare(ops, nodes, slots, jobs, tasks);
    while (b.assigned < all * 9 / 10) {
        if (!from && b.assigned >= all / 10) {
            from = b.assigned;
            made = allocations;
            begin = cpu_ns();
        }
        b.now_us += 3 * S / nodes;
        if (b.timer_us && b.timer_us <= b.now_us) {
            b.timer_us = ops->on_timer(b.policy, b.now_us, &b.plan);
            b.plan.len = 0;
        }
        beat((uint32_t)(beats++ % nodes));
        if (beats > 100 * all) {
            fprintf(stderr, "%s: nothing goes on after %" PRId64 " assignments\n", ops->name,
                    b.assigned);
            exit(1);
        }
    }
    seconds = (double)(cpu_ns() - begin) / 1e9;
    printf("policy_%s_%s %.0f 1/s\n", label, ops->name, (double)(b.assigned - from) / seconds);
    printf("policy_%s_%s_allocations %.4f per_assignment\n", label, ops->name,
           (double)(allocations - made) / (double)(b.assigned - from));
    fflush(stdout);
    free_all();
}

int main(int argc, char **argv)
{
    int runs = argc > 1 ? atoi(argv[1]) : 5;

    for (int r = 0; r < runs; r++)
        for (size_t i = 0; policy_at(i); i++) {
            if (argc > 2 && strcmp(policy_at(i)->name, argv[2]) != 0)
                continue;
            measure("reference", policy_at(i), 2500, 2, 100, 1000);
            measure("large", policy_at(i), 10000, 5, 1000, 1000);
        }
    return 0;
}
