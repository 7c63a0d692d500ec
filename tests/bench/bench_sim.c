/* tests/bench/bench_sim.c - the simulator's engine: CPU time and memory of whole runs, one process
 * each.
 *
 * ends:      FIFO, 1,000 nodes x (4 + 2) slots, heartbeats of 10 s, 200 jobs x 10,000 located maps
 *            of 60 s, a job every 170 s: ended tasks per CPU second.
 * reference: 2,500 nodes x 4 slots, heartbeats of 1 s, 100 jobs x 2,000 maps of 10 s in 20 pools,
 *            delay scheduling of 5 s: YARN's own simulator (SLS of Hadoop 3.4.2) took 365 CPU
 *            seconds and 6.8 GB for it.
 * day:       a day of jobs of mixed sizes at 3,000 nodes, heartbeats of 30 s.
 *
 * Usage: bench_sim [ends|reference|day [POLICY]]. Prints lines "name value unit". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "policies/options.h"
#include "sim/engine/rng.h"
#include "sim/engine/sim.h"

#define SECOND INT64_C(1000000)

struct load {
    const char *name, *policy;
    int32_t jobs, given, maps, nodes, slots[BASE_TASK_KINDS], pools;
    int64_t map_us, heartbeat_us, gap_us;
    const char *w1;
    bool mixed;
    struct sim_rng rng;
    int64_t at_us;
};

static double cpu_s(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static int next(void *self, struct sim_job *out, struct base_error *err)
{
    struct load *l = self;

    (void)err;
    if (l->given == l->jobs)
        return 0;
    snprintf(out->name, sizeof out->name, "job%d", l->given);
    if (l->pools)
        snprintf(out->pool, sizeof out->pool, "q%d", l->given % l->pools);
    out->tasks[BASE_TASK_MAP] = l->maps;
    if (l->mixed) {
        double size = sim_rng_log_uniform(&l->rng, 1, 8000);

        out->tasks[BASE_TASK_MAP] = (int32_t)(sim_rng_below(&l->rng, 10) ? 1 + size / 40 : size);
        out->tasks[BASE_TASK_REDUCE] = (int32_t)(out->tasks[BASE_TASK_MAP] / 20);
    }
    if (l->gap_us)
        l->at_us += (int64_t)sim_rng_exponential(&l->rng, (double)l->gap_us);
    out->submit_us = l->at_us;
    out->base_us[BASE_TASK_MAP] = out->base_us[BASE_TASK_REDUCE] = l->map_us;
    out->cv[BASE_TASK_MAP] = out->cv[BASE_TASK_REDUCE] = 0.1;
    l->given++;
    return 1;
}

static void say(const struct load *l, const char *what, double v, const char *unit)
{
    printf("sim_%s_%s_%s %.2f %s\n", l->name, l->policy, what, v, unit);
}

static void run(struct load *l)
{
    struct sim_group group = {.nodes = l->nodes, .slots = {l->slots[0], l->slots[1]}, .speed = 1};
    struct policy_conf options = {0};
    struct sim_conf conf;
    struct base_error err = {0};
    struct rusage use;
    struct sim *s;
    const struct sim_totals *t;
    double begin = cpu_s(), cpu;

    sim_conf_init(&conf);
    conf.policy = l->policy;
    if (l->w1 && policy_conf_set(&options, "delay.w1", l->w1, &err) < 0)
        fprintf(stderr, "%s\n", err.text);
    conf.options = &options;
    conf.cluster.groups = &group;
    conf.cluster.groups_n = 1;
    conf.cluster.heartbeat_us = l->heartbeat_us;
    conf.workload = (struct sim_workload){.self = l, .next = next};
    l->rng = sim_rng_seed(1, 1);
    s = sim_new(&conf, &err);
    if (!s || sim_run(s, &err) < 0) {
        fprintf(stderr, "%s: %s\n", l->name, err.text);
        exit(1);
    }
    cpu = cpu_s() - begin;
    getrusage(RUSAGE_SELF, &use);
    t = sim_totals_peek(s);
    say(l, "cpu", cpu, "s");
    say(l, "ends", (double)(t->completions[0] + t->completions[1]) / cpu, "per_cpu_s");
    say(l, "completions", (double)(t->completions[0] + t->completions[1]), "tasks");
    say(l, "heartbeats", (double)t->heartbeats, "beats");
    say(l, "memory", (double)use.ru_maxrss / 1024, "MiB");
    say(l, "virtual", (double)sim_makespan_us(t) / 1e6, "s");
    say(l, "local", 100.0 * (double)t->level[0] / (double)t->launches[BASE_TASK_MAP], "%");
    sim_free(s);
    policy_conf_free(&options);
}

int main(int argc, char **argv)
{
    struct load loads[] = {
        {.name = "ends",
         .policy = "fifo",
         .jobs = 200,
         .maps = 10000,
         .nodes = 1000,
         .slots = {4, 2},
         .map_us = 60 * SECOND,
         .heartbeat_us = 10 * SECOND,
         .gap_us = 170 * SECOND},
        {.name = "reference",
         .policy = "naive-fair",
         .jobs = 100,
         .maps = 2000,
         .nodes = 2500,
         .slots = {4, 0},
         .pools = 20,
         .map_us = 10 * SECOND,
         .heartbeat_us = SECOND,
         .w1 = "5"},
        {.name = "day",
         .policy = "fifo",
         .jobs = 24442,
         .nodes = 3000,
         .slots = {4, 2},
         .map_us = 30 * SECOND,
         .heartbeat_us = 30 * SECOND,
         .gap_us = 3540000,
         .mixed = true},
    };

    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
        pid_t child;

        if (argc > 1 && strcmp(argv[1], loads[i].name) != 0)
            continue;
        loads[i].policy = argc > 2 ? argv[2] : loads[i].policy;
        fflush(stdout);
        child = fork(); /* memory is counted by process */
        if (child == 0) {
            run(&loads[i]);
            exit(0);
        }
        waitpid(child, NULL, 0);
    }
    return 0;
}
