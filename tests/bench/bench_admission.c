/* tests/bench/bench_admission.c - CPU time that RTMR needs to say yes or no to a job with a
 * deadline, with 1,000 queued jobs of 100 tasks (90 maps, 10 reduces) of different lengths, 10,000
 * map slots and 10,000 reduce slots.
 *
 * The new job goes to the front (every job behind it is estimated anew), to the end, or is refused
 * with the earliest date that could be promised. The cluster is idle before, or every slot is taken
 * by a task without deadline, each with an end of its own. An accepted job leaves again before the
 * next one is submitted; that is not measured.
 *
 * Usage: bench_admission [RUNS [plain|table]]. plain (the default) prints lines "name value unit",
 * table prints rows of a table. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "policies/policy.h"
#include "policies/registry.h"

#define QUEUED 1000
#define MAPS   90
#define REDS   10
#define SLOTS  10000
#define S      INT64_C(1000000)

static struct {
    struct policy_env env;
    struct policy_conf conf;
    struct policy_capacity capacity;
    struct policy_learned learned;
    struct policy *policy;
    struct policy_job jobs[QUEUED + 1], beside[BASE_TASK_KINDS];
    bool full;
    int64_t now;
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

/* The attempts of the job without deadline that has all slots of a kind: each started at another
 * time. */
static bool running(void *core, const struct policy_job *job, enum base_task_kind kind,
                    void **cursor, struct policy_running *out)
{
    intptr_t i = (intptr_t)*cursor;

    (void)core;
    if (job != &w.beside[kind] || i >= SLOTS)
        return false;
    *out = (struct policy_running){.job = &w.beside[kind],
                                   .kind = kind,
                                   .task = (int32_t)i,
                                   .started_us = w.now - 1 - (i * 7919 % SLOTS) * 2999};
    *cursor = (void *)(i + 1);
    return true;
}

static void note(void *core, int level, const char *text)
{
    (void)core;
    (void)level;
    fprintf(stderr, "%s\n", text);
}

static struct policy_job job(int32_t seq, int64_t deadline_us)
{
    struct policy_job j = {.submit_us = w.now,
                           .cluster_ts = 1,
                           .seq = seq,
                           .weight = 1,
                           .is_job = true,
                           .deadline_us = deadline_us};

    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        j.phase[k].total = k == BASE_TASK_MAP ? MAPS : REDS;
        j.size[k].given_max_us = 5 * S + rnd(50 * S);
        j.size[k].given_us = j.size[k].given_max_us * j.phase[k].total;
    }
    return j;
}

static void die(const char *what, const char *why)
{
    fprintf(stderr, "bench_admission: %s: %s\n", what, why);
    exit(1);
}

static void build(bool full)
{
    struct policy_promise p;

    w.now = 1000000 * S;
    w.full = full;
    w.env = (struct policy_env){.conf = &w.conf,
                                .capacity = &w.capacity,
                                .learned = &w.learned,
                                .heartbeat_us = S,
                                .running = running,
                                .note = note};
    w.capacity = (struct policy_capacity){.nodes = 2500, .slots = {SLOTS, SLOTS}};
    w.policy = policy_rtmr.create(&w.env);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS && full; k++) {
        w.beside[k] = (struct policy_job){
            .submit_us = w.now, .cluster_ts = 1, .seq = 2000000 + k, .weight = 1, .is_job = true};
        w.beside[k].phase[k] = (struct policy_phase){.total = SLOTS, .running = SLOTS};
        w.beside[k].size[k].given_max_us = 30 * S;
        w.capacity.used[k] = SLOTS;
        policy_rtmr.on_job_arrived(w.policy, &w.beside[k], w.now);
    }
    for (int32_t i = 0; i < QUEUED; i++) {
        w.jobs[i] = job(i + 1, 10000 * S + rnd(100000 * S));
        if (!policy_rtmr.admit(w.policy, &w.jobs[i], w.now, &p))
            die("a queued job was refused", p.why);
        policy_rtmr.on_job_arrived(w.policy, &w.jobs[i], w.now);
    }
}

static void tear_down(void)
{
    for (int32_t i = 0; i < QUEUED; i++)
        policy_rtmr.on_job_left(w.policy, &w.jobs[i], w.now);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS && w.full; k++)
        policy_rtmr.on_job_left(w.policy, &w.beside[k], w.now);
    policy_rtmr.destroy(w.policy);
}

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* Returns the median time of @runs admissions in ns. */
static int64_t measure(const char *what, int64_t deadline_us, bool accept, int runs)
{
    int64_t *t = malloc((size_t)runs * sizeof *t), median;
    struct policy_job *j = &w.jobs[QUEUED];
    struct policy_promise p;

    for (int i = 0; i < runs; i++) {
        int64_t from;
        bool ok;

        w.now += 10;
        *j = job(QUEUED + 1 + i, deadline_us);
        from = cpu_ns();
        ok = policy_rtmr.admit(w.policy, j, w.now, &p);
        if (ok)
            policy_rtmr.on_job_arrived(w.policy, j, w.now);
        t[i] = cpu_ns() - from;
        if (ok != accept)
            die(what, p.why);
        if (ok)
            policy_rtmr.on_job_left(w.policy, j, w.now);
    }
    qsort(t, (size_t)runs, sizeof *t, compare);
    median = t[runs / 2];
    free(t);
    return median;
}

static void show(const char *cluster, const char *what, int64_t ns, bool table)
{
    if (table)
        printf(
            "| RTMR admission, 1,000 queued jobs of 100 tasks, 10,000 slots, %s, %s | %.0f us |\n",
            cluster, what, (double)ns / 1e3);
    else
        printf("admission_%s_%s %.1f us\n", cluster, what, (double)ns / 1e3);
}

int main(int argc, char **argv)
{
    int runs = argc > 1 ? atoi(argv[1]) : 201;
    bool table = argc > 2 && strcmp(argv[2], "table") == 0;

    if (runs < 1)
        runs = 1;
    for (int full = 0; full < 2; full++) {
        const char *cluster = full ? "full" : "idle";

        build(full);
        show(cluster, "front", measure("front", 9000 * S, true, runs), table);
        show(cluster, "end", measure("end", 200000 * S, true, runs), table);
        show(cluster, "refused", measure("refused", 5 * S, false, runs), table);
        tear_down();
    }
    return 0;
}
