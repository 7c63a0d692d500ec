/* tests/bench/bench_hfsp.c - CPU time of HFSP's updates with 1,000 jobs of 1 to 100 maps and 1 to
 * 20 reduces: a job arrives and a slot of each kind is offered (both phases enter the virtual
 * cluster, all are projected and ordered anew), a sample is measured (one phase, an offer), a slot
 * is given away; then an arrival among 10,000 jobs, and each of 10,000 arrivals at one instant. One
 * job leaves for each that arrives; that is not measured. Jobs that have left stay in the virtual
 * cluster until they are virtually over: with few slots there are more than 1,000 in the end.
 *
 * Usage: bench_hfsp [RUNS [plain|table]]. plain (the default) prints lines "name value unit", table
 * prints rows of a table. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "policies/options.h"
#include "policies/policy.h"
#include "policies/registry.h"

#define JOBS     1000
#define JOBS_MAX 10000
#define S        INT64_C(1000000)

struct job { /* as far apart in memory as the core's */
    struct policy_job pj;
    char rest[2048];
};
static struct {
    struct policy_env env;
    struct policy_conf conf;
    struct policy_capacity capacity;
    struct policy_learned learned;
    struct policy *policy;
    struct job *job[JOBS_MAX];
    int jobs;
    int64_t now;
    int32_t seq;
} w;

static uint64_t seed = 7;

static int64_t rnd(int64_t n)
{
    seed ^= seed >> 12;
    seed ^= seed << 25;
    seed ^= seed >> 27;
    return (int64_t)((seed * UINT64_C(2685821657736338717) >> 33) % (uint64_t)n);
}

static int64_t cpu_ns(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    return ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
}

static bool running(void *core, const struct policy_job *job, enum base_task_kind kind,
                    void **cursor, struct policy_running *out)
{
    (void)core;
    (void)job;
    (void)kind;
    (void)cursor;
    (void)out;
    return false;
}

static void describe(struct policy_job *pj)
{
    int32_t n[BASE_TASK_KINDS] = {1 + (int32_t)rnd(100), 1 + (int32_t)rnd(20)};

    *pj = (struct policy_job){
        .submit_us = w.now, .cluster_ts = 1, .seq = ++w.seq, .weight = 1, .is_job = true};
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        pj->phase[k].total = n[k];
        pj->size[k].given_us = n[k] * (1 + rnd(600)) * S;
    }
}

static struct policy_job *offer(enum base_task_kind kind)
{
    struct policy_offer o = {
        .kind = kind, .now_us = w.now, .node_slots = 4, .node_used = 3, .capacity = &w.capacity};

    return policy_hfsp.next(w.policy, &o, NULL);
}

/* The counts come after the arrival, as the core tells them. */
static void enter(struct policy_job *pj)
{
    policy_hfsp.on_job_arrived(w.policy, pj, w.now);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        pj->phase[k].pending = pj->phase[k].total;
        policy_hfsp.on_job_changed(w.policy, pj, k);
    }
}

static int64_t arrive(struct policy_job *pj)
{
    int64_t before;

    describe(pj);
    before = cpu_ns();
    enter(pj);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        if (!offer(k))
            abort();
    return cpu_ns() - before;
}

/* Lets the job leave with all its tasks done. */
static void leave(struct policy_job *pj)
{
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        pj->phase[k] =
            (struct policy_phase){.total = pj->phase[k].total, .done = pj->phase[k].total};
    policy_hfsp.on_job_left(w.policy, pj, w.now);
}

static void begin(int64_t slots, const char *sizes, int jobs, int64_t apart)
{
    struct base_error err;

    w.seq = 0;
    w.now = S;
    policy_conf_free(&w.conf);
    if (policy_conf_set(&w.conf, "hfsp.sizes", sizes, &err) < 0)
        abort();
    w.capacity =
        (struct policy_capacity){.nodes = (int32_t)(slots / 4), .slots = {slots, slots / 2}};
    w.env = (struct policy_env){.conf = &w.conf,
                                .capacity = &w.capacity,
                                .learned = &w.learned,
                                .heartbeat_us = S,
                                .running = running};
    w.policy = policy_hfsp.create(&w.env);
    w.jobs = jobs;
    for (int i = 0; i < jobs; i++) {
        w.job[i] = base_alloc(sizeof *w.job[i]);
        describe(&w.job[i]->pj);
        enter(&w.job[i]->pj);
        w.now += rnd(apart);
    }
}

static void end(void)
{
    for (int i = 0; i < w.jobs; i++) {
        leave(&w.job[i]->pj);
        free(w.job[i]);
    }
    policy_hfsp.destroy(w.policy);
}

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

static void tell(const char *name, int64_t *ns, int runs, bool table)
{
    double sum = 0;

    for (int i = 0; i < runs; i++)
        sum += (double)ns[i] / 1e3;
    qsort(ns, (size_t)runs, sizeof *ns, by_value);
    if (table)
        printf("| %s | %.2f | %.2f | %.2f |\n", name, sum / runs, (double)ns[runs / 2] / 1e3,
               (double)ns[runs * 99 / 100] / 1e3);
    else
        printf("hfsp_%s_us %.2f us\n", name, sum / runs);
}

static void arrivals(const char *name, int jobs, int64_t slots, int64_t *ns, int runs, bool table)
{
    begin(slots, "given", jobs, S);
    for (int i = 0; i < runs; i++) {
        struct job *j = w.job[rnd(jobs)];

        w.now += 1 + rnd(2 * S);
        leave(&j->pj);
        ns[i] = arrive(&j->pj);
    }
    end();
    tell(name, ns, runs, table);
}

static void at_once(int64_t *ns, int runs, bool table)
{
    for (int i = 0; i < runs; i++) {
        ns[i] = cpu_ns();
        begin(10000, "given", JOBS_MAX, 1);
        if (!offer(BASE_TASK_MAP) || !offer(BASE_TASK_REDUCE))
            abort();
        ns[i] = (cpu_ns() - ns[i]) / JOBS_MAX;
        end();
    }
    tell("arrival_of_10000_at_once", ns, runs, table);
}

/* One task of a job of a single map ends: its sample is complete. */
static void measured(int64_t slots, int64_t *ns, int runs, bool table)
{
    begin(slots, "estimated", JOBS, S);
    for (int i = 0; i < runs; i++) {
        struct policy_job *pj = &w.job[rnd(JOBS)]->pj;
        struct policy_task_end over = {.success = true, .work_us = (1 + rnd(600)) * S};

        w.now += 1 + rnd(2 * S);
        leave(pj);
        describe(pj);
        pj->phase[BASE_TASK_MAP].total = 1;
        policy_hfsp.on_job_arrived(w.policy, pj, w.now);
        policy_hfsp.on_task_started(w.policy, pj, BASE_TASK_MAP, 0, 0, w.now);
        pj->phase[BASE_TASK_MAP].running = 1;
        policy_hfsp.on_job_changed(w.policy, pj, BASE_TASK_MAP);
        over.ended_us = w.now += 1 + rnd(2 * S);
        ns[i] = cpu_ns();
        policy_hfsp.on_task_ended(w.policy, pj, BASE_TASK_MAP, &over);
        if (!offer(BASE_TASK_MAP))
            abort();
        ns[i] = cpu_ns() - ns[i];
    }
    end();
    tell("sample_measured", ns, runs, table);
}

#define BATCH 10000

/* Offers a free slot of a full cluster and starts a task there; then another job gets one more
 * pending task, so that the work never ends. */
static void offers(int64_t *ns, int runs, bool table)
{
    uint64_t given = 0;

    begin(20000, "given", JOBS, S);
    for (int i = 0; i < runs; i++) {
        ns[i] = cpu_ns();
        for (int n = 0; n < BATCH; n++) {
            struct policy_job *pj = offer(BASE_TASK_MAP);
            struct policy_phase *p = &pj->phase[BASE_TASK_MAP];

            given += (uint64_t)pj->seq;
            policy_hfsp.on_task_started(w.policy, pj, BASE_TASK_MAP, 0, 0, w.now);
            p->pending--;
            p->running++;
            policy_hfsp.on_job_changed(w.policy, pj, BASE_TASK_MAP);
            pj = &w.job[(n * 7 + i) % JOBS]->pj;
            pj->phase[BASE_TASK_MAP].pending++;
            policy_hfsp.on_job_changed(w.policy, pj, BASE_TASK_MAP);
        }
        ns[i] = (cpu_ns() - ns[i]) / BATCH;
    }
    end();
    tell("assignment", ns, runs, table);
    if (given == 0)
        abort();
}

int main(int argc, char **argv)
{
    int runs = argc > 1 ? atoi(argv[1]) : 500;
    bool table = argc > 2 && strcmp(argv[2], "table") == 0;
    int64_t *ns;

    if (runs < 1)
        return 2;
    ns = base_alloc((size_t)runs * sizeof *ns);
    if (table)
        printf("| with 1,000 jobs | mean, us | median | 99th of 100 |\n|---|---|---|---|\n");
    arrivals("arrival_400_slots", JOBS, 400, ns, runs, table);
    arrivals("arrival_10000_slots", JOBS, 10000, ns, runs, table);
    arrivals("arrival_100000_slots", JOBS, 100000, ns, runs, table);
    measured(10000, ns, runs, table);
    offers(ns, runs < 100 ? runs : 100, table);
    arrivals("arrival_10000_jobs", JOBS_MAX, 10000, ns, runs < 100 ? runs : 100, table);
    at_once(ns, runs < 10 ? runs : 10, table);
    free(ns);
    return 0;
}
