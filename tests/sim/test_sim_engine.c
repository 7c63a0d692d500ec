/* Goal: the engine does what its model says. Method: tiny schedules computed by hand, under real
 * policies and the real core: heartbeats at every change make them exact; then heartbeats of 3 s,
 * locality, early reduces, chains, setup and cleanup, equal logs, and invalid input. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "policies/options.h"
#include "sim/engine/engine_internal.h"
#include "tests/sim/log_to_buffer.h"
#include "tests/unit/cunit_main.h"

#define S        INT64_C(1000000)
#define JOBS_MAX 64

struct world {
    struct sim_conf conf;
    struct sim_group group[2];
    struct sim_job jobs[JOBS_MAX], more;
    size_t jobs_n, given, loops;
    struct sim_job_result r[JOBS_MAX * 2];
    size_t r_n;
    int64_t allocs, alloc_max;
    struct base_buf text;
    struct sim_log log;
    struct sim_totals totals;
    struct base_error err;
};

static int next(void *self, struct sim_job *out, struct base_error *err)
{
    struct world *w = self;

    (void)err;
    if (w->given == w->jobs_n)
        return 0;
    *out = w->jobs[w->given];
    sim_job_init(&w->jobs[w->given++]); /* the engine now owns what this job pointed to */
    return 1;
}

static bool at_end(void *self, const struct sim_job_result *ended, int64_t now_us,
                   struct sim_job *out)
{
    struct world *w = self;

    (void)ended;
    (void)now_us;
    if (!w->loops)
        return false;
    w->loops--;
    *out = w->more;
    return true;
}

static bool once(void *self, const struct sim_job_result *ended, int64_t now_us,
                 struct sim_job *out)
{
    static uint64_t last; /* id of the job that ended last: each end brings one new job */

    if (ended->id == last)
        return false;
    last = ended->id;
    return at_end(self, ended, now_us, out);
}

/* A refused job is submitted again, once, with the offered date as its deadline. */
static bool asks_again(void *self, const struct sim_job_result *ended, int64_t now_us,
                       struct sim_job *out)
{
    struct world *w = self;

    if (ended->accepted || w->loops++)
        return false;
    out->located = false;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        out->tasks[k] = ended->tasks[k];
        out->base_us[k] = k == BASE_TASK_MAP ? 10 * S : 5 * S;
    }
    out->deadline_us = ended->promised_us - now_us;
    return true;
}

static void on_job(void *ctx, const struct sim_job_result *r)
{
    struct world *w = ctx;

    w->r[w->r_n++] = *r;
}

static void on_alloc(void *ctx, const struct sim_alloc *a)
{
    struct world *w = ctx;

    w->allocs++;
    if (a->running > w->alloc_max)
        w->alloc_max = a->running;
}

static void init(struct world *w, const char *policy, int32_t nodes, int32_t maps, int32_t reduces)
{
    memset(w, 0, sizeof *w);
    sim_conf_init(&w->conf);
    w->group[0] = (struct sim_group){.nodes = nodes, .slots = {maps, reduces}, .speed = 1};
    w->conf.policy = policy;
    w->conf.cluster.groups = w->group;
    w->conf.cluster.groups_n = 1;
    w->conf.cluster.heartbeat_us = SIM_HEARTBEAT_ZERO;
    w->conf.workload = (struct sim_workload){.self = w, .next = next};
    w->conf.on_job = on_job;
    w->conf.on_alloc = on_alloc;
    w->conf.ctx = w;
}

static struct sim_job *add(struct world *w, double submit_s, int32_t maps, double map_s,
                           int32_t reduces, double reduce_s)
{
    struct sim_job *j = &w->jobs[w->jobs_n++];

    sim_job_init(j);
    j->located = false;
    j->submit_us = (int64_t)(submit_s * 1e6);
    j->tasks[BASE_TASK_MAP] = maps;
    j->tasks[BASE_TASK_REDUCE] = reduces;
    j->base_us[BASE_TASK_MAP] = (int64_t)(map_s * 1e6);
    j->base_us[BASE_TASK_REDUCE] = (int64_t)(reduce_s * 1e6);
    return j;
}

static int run(struct world *w)
{
    struct sim *s = sim_new(&w->conf, &w->err);
    int rc;

    if (!s)
        return w->err.code;
    rc = sim_run(s, &w->err);
    w->totals = *sim_totals_peek(s);
    CU_ASSERT_EQUAL(w->totals.overruled, 0);
    CU_ASSERT_EQUAL(w->totals.fallbacks, 0);
    if (w->conf.log)
        CU_ASSERT_EQUAL(sim_log_flush_and_free(w->conf.log, NULL), 0);
    sim_free(s);
    return rc;
}

static const struct sim_job_result *result(const struct world *w, uint64_t id)
{
    for (size_t i = 0; i < w->r_n; i++)
        if (w->r[i].id == id)
            return &w->r[i];
    CU_FAIL("the job never ended");
    return &w->r[0];
}

static void with_log(struct world *w)
{
    w->log = (struct sim_log){.write = log_to_buffer, .self = &w->text};
    w->conf.log = &w->log;
}

/* ---------------------------------------------------------------- schedules */
/* Two slots; j1 three maps of 10 s at 0, j2 one at 1: 0-10 two of j1, 10-20 the third beside j2. */
static void test_fifo(void)
{
    static const char want[] = "time_us,event,job,kind,task,attempt,node,detail\n"
                               "0,submit,1,,,,,\n"
                               "0,launch,1,m,0,0,0,any\n"
                               "0,launch,1,m,1,0,1,any\n"
                               "1000000,submit,2,,,,,\n"
                               "10000000,end,1,m,0,0,0,\n"
                               "10000000,end,1,m,1,0,1,\n"
                               "10000000,launch,1,m,2,0,0,any\n"
                               "10000000,launch,2,m,0,0,1,any\n"
                               "20000000,end,1,m,2,0,0,\n"
                               "20000000,end,2,m,0,0,1,\n"
                               "20000000,finish,1,,,,,\n"
                               "20000000,finish,2,,,,,\n";
    struct world w;

    init(&w, "fifo", 2, 1, 0);
    with_log(&w);
    add(&w, 0, 3, 10, 0, 0);
    add(&w, 1, 1, 10, 0, 0);
    CU_ASSERT_EQUAL(run(&w), 0);
    CU_ASSERT_EQUAL(sim_sojourn_us(result(&w, 1)), 20 * S);
    CU_ASSERT_EQUAL(sim_sojourn_us(result(&w, 2)), 19 * S);
    CU_ASSERT_EQUAL(sim_waiting_us(result(&w, 2)), 9 * S);
    CU_ASSERT_EQUAL(sim_execution_us(result(&w, 2)), 10 * S);
    CU_ASSERT_EQUAL(result(&w, 1)->launches[BASE_TASK_MAP], 3);
    CU_ASSERT_EQUAL(result(&w, 1)->useful_us[BASE_TASK_MAP], 30 * S);
    CU_ASSERT_EQUAL(sim_makespan_us(&w.totals), 20 * S);
    CU_ASSERT_DOUBLE_EQUAL(sim_utilisation(&w.totals, BASE_TASK_MAP), 1, 1e-12);
    CU_ASSERT_EQUAL(w.totals.completions[BASE_TASK_MAP], 4);
    CU_ASSERT(w.text.data && strcmp(w.text.data, want) == 0);
    base_buf_free(&w.text);
}

/* Two slots; j1 four maps of 10 s at 0, j2 two at 5: from 10 on each has one slot. */
static void test_naive_fair(void)
{
    struct world w;

    init(&w, "naive-fair", 2, 1, 0);
    add(&w, 0, 4, 10, 0, 0);
    add(&w, 5, 2, 10, 0, 0);
    CU_ASSERT_EQUAL(run(&w), 0);
    CU_ASSERT_EQUAL(result(&w, 1)->finish_us, 30 * S);
    CU_ASSERT_EQUAL(result(&w, 2)->finish_us, 30 * S);
    CU_ASSERT_EQUAL(result(&w, 2)->first_us, 10 * S);
    CU_ASSERT_EQUAL(w.alloc_max, 2);
    CU_ASSERT_EQUAL(w.allocs, 12);
}

/* A higher priority goes before an earlier submission. */
static void test_priority(void)
{
    struct world w;

    init(&w, "fifo", 1, 1, 0);
    add(&w, 0, 2, 10, 0, 0);
    add(&w, 1, 1, 10, 0, 0)->priority = 1;
    CU_ASSERT_EQUAL(run(&w), 0);
    CU_ASSERT_EQUAL(result(&w, 2)->finish_us, 20 * S);
    CU_ASSERT_EQUAL(result(&w, 1)->finish_us, 30 * S);
}

/* One node with heartbeats at p, p+3, ...: a task of 10 s from p frees its slot at p+12, or with
 * extra heartbeats at p+10. */
static void test_heartbeats(void)
{
    for (int oob = 0; oob < 2; oob++) {
        struct world w;
        const struct sim_job_result *r;

        init(&w, "fifo", 1, 1, 0);
        w.conf.cluster.heartbeat_us = 3 * S;
        w.conf.cluster.oob = oob;
        add(&w, 0, 2, 10, 0, 0);
        add(&w, 1000, 1, 1, 0, 0); /* no heartbeats in between: the phase is kept all the same */
        CU_ASSERT_EQUAL(run(&w), 0);
        r = result(&w, 1);
        CU_ASSERT(sim_waiting_us(r) >= 0 && sim_waiting_us(r) < 3 * S);
        CU_ASSERT_EQUAL(sim_execution_us(r), oob ? 20 * S : 22 * S);
        CU_ASSERT_EQUAL((result(&w, 2)->first_us - r->first_us) % (3 * S), 0);
        CU_ASSERT(sim_waiting_us(result(&w, 2)) < 3 * S);
        CU_ASSERT(w.totals.heartbeats < 20);
    }
}

static int64_t heartbeat_of(int32_t nodes)
{
    struct world w;
    struct sim *s;
    int64_t us;

    init(&w, "fifo", nodes, 1, 1);
    w.conf.cluster.heartbeat_us = SIM_HEARTBEAT_AUTO;
    s = sim_new(&w.conf, NULL);
    us = sim_heartbeat_us(s);
    sim_free(s);
    return us;
}

static void test_heartbeat_rule(void)
{
    CU_ASSERT_EQUAL(heartbeat_of(58), 3 * S);
    CU_ASSERT_EQUAL(heartbeat_of(300), 3 * S);
    CU_ASSERT_EQUAL(heartbeat_of(301), 4 * S);
    CU_ASSERT_EQUAL(heartbeat_of(3000), 30 * S);
}

/* Two maps of 10 s, one after the other. A reduce of 5 s, launched when the first map ends, waits
 * in its slot until 20. */
static void test_early_reduces(void)
{
    for (int late = 0; late < 2; late++) {
        struct world w;
        const struct sim_job_result *r;

        init(&w, "fifo", 1, 1, 1);
        w.conf.slowstart = late ? 1 : .05;
        add(&w, 0, 2, 10, 1, 5);
        add(&w, 1, 0, 0, 1, 1)->priority = -1; /* over before the reduce of job 1 is launched */
        CU_ASSERT_EQUAL(run(&w), 0);
        r = result(&w, 1);
        CU_ASSERT_EQUAL(r->finish_us, 25 * S);
        CU_ASSERT_EQUAL(r->maps_done_us, 20 * S);
        CU_ASSERT_EQUAL(r->idle_us, late ? 0 : 10 * S);
        CU_ASSERT_EQUAL(r->useful_us[BASE_TASK_REDUCE], late ? 5 * S : 15 * S);
        CU_ASSERT_EQUAL(result(&w, 2)->finish_us, 2 * S); /* no maps to wait for */
    }
}

static struct sim_job *place(struct sim_job *j, uint32_t node)
{
    j->located = true;
    j->replicas = 1;
    j->replica_nodes = malloc(sizeof *j->replica_nodes);
    j->replica_nodes[0] = node;
    return j;
}

/* The first of four nodes is offered first, so the only map runs there, wherever its data are.
 * Returns the sojourn time; @level gets the counts of locality levels. */
static int64_t sojourn_with_data_on(uint32_t node, int32_t racks, int64_t level[SIM_LEVELS])
{
    struct world w;

    init(&w, "fifo", 4, 1, 0);
    w.conf.cluster.racks = racks;
    place(add(&w, 0, 1, 10, 0, 0), node);
    CU_ASSERT_EQUAL(run(&w), 0);
    memcpy(level, w.r[0].level, sizeof w.r[0].level);
    return sim_sojourn_us(&w.r[0]);
}

static void test_levels(void)
{
    int64_t level[SIM_LEVELS];

    CU_ASSERT_EQUAL(sojourn_with_data_on(0, 2, level), 10 * S);
    CU_ASSERT(level[SIM_NODE_LOCAL] == 1 && !level[SIM_RACK_LOCAL] && !level[SIM_OFF_RACK]);
    CU_ASSERT_EQUAL(sojourn_with_data_on(2, 2, level), 12 * S);
    CU_ASSERT_EQUAL(level[SIM_RACK_LOCAL], 1);
    CU_ASSERT_EQUAL(sojourn_with_data_on(3, 2, level), 20 * S);
    CU_ASSERT_EQUAL(level[SIM_OFF_RACK], 1);
    CU_ASSERT_EQUAL(sojourn_with_data_on(3, 1, level), 20 * S);
    CU_ASSERT_EQUAL(level[SIM_RACK_LOCAL], 1); /* one rack: there is nothing beyond it */
}

/* Delay scheduling: the map declines the first node and runs on the one that has its data. */
static void test_delay(void)
{
    struct policy_conf options = {0};
    struct world w;

    init(&w, "fifo", 4, 1, 0);
    w.conf.cluster.heartbeat_us = 3 * S;
    CU_ASSERT_EQUAL(policy_conf_set(&options, "delay.w1", "10", &w.err), 0);
    w.conf.options = &options;
    place(add(&w, 0, 1, 10, 0, 0), 3);
    CU_ASSERT_EQUAL(run(&w), 0);
    CU_ASSERT_EQUAL(w.r[0].level[SIM_NODE_LOCAL], 1);
    CU_ASSERT_EQUAL(sim_execution_us(&w.r[0]), 10 * S);
    policy_conf_free(&options);
}

/* FSP runs the shorter job first; with wrong sizes, for some seeds, the longer one. */
static void test_wrong_sizes(void)
{
    const struct policy_option *table = sim_size_error_options; /* error, sigma, seed */
    struct policy_conf options = {0};
    struct world w;
    int longer_first = 0;

    for (int seed = 0; seed <= 20; seed++) {
        char text[8];

        snprintf(text, sizeof text, "%d", seed);
        CU_ASSERT_EQUAL(policy_conf_put(&options, &table[0], seed ? "1" : "0", &w.err), 0);
        CU_ASSERT_EQUAL(policy_conf_put(&options, &table[2], text, &w.err), 0);
        init(&w, "fsp", 1, 1, 0);
        w.conf.options = &options;
        add(&w, 0, 2, 10, 0, 0);
        add(&w, 0, 2, 9, 0, 0);
        CU_ASSERT_EQUAL(run(&w), 0);
        longer_first += w.r[0].id == 1;
        CU_ASSERT(seed > 0 || w.r[0].id == 2);
    }
    CU_ASSERT(longer_first > 3 && longer_first < 17);
    policy_conf_free(&options);
}

static void test_speeds_and_exact(void)
{
    static const int64_t us[] = {10 * S, 40 * S};
    struct world w;
    struct sim_job *j;

    init(&w, "fifo", 1, 1, 0);
    w.group[1] = (struct sim_group){.nodes = 1, .slots = {1, 0}, .speed = .5};
    w.conf.cluster.groups_n = 2;
    j = add(&w, 0, 2, 0, 0, 0);
    j->task_us[BASE_TASK_MAP] = malloc(sizeof us);
    memcpy(j->task_us[BASE_TASK_MAP], us, sizeof us);
    w.conf.true_work = true;
    CU_ASSERT_EQUAL(run(&w), 0);
    CU_ASSERT_EQUAL(w.r[0].finish_us, 80 * S);
    CU_ASSERT_EQUAL(w.r[0].work_us[BASE_TASK_MAP], 50 * S);
    CU_ASSERT_DOUBLE_EQUAL(w.totals.bound_us, 40e6, 1); /* the longest task on the fast node */
}

/* A job of one map and one reduce: the reduce finds its data on the map's node. */
static void test_colocated(void)
{
    struct world w;

    init(&w, "fifo", 1, 1, 1);
    add(&w, 0, 1, 10, 1, 10)->f_colo = .7;
    CU_ASSERT_EQUAL(run(&w), 0);
    CU_ASSERT_EQUAL(w.r[0].finish_us, 17 * S);
}

/* ---------------------------------------------------------------- preemption */
/* One slot; 30 s at 0, 10 s at 10, 10 s at 15. SOURCE: Pastorelli et al., HFSP, Fig. 1: ends 50, 20
 * and 30. */
static void three(struct world *w, const char *policy)
{
    init(w, policy, 1, 1, 0);
    add(w, 0, 1, 30, 0, 0);
    add(w, 10, 1, 10, 0, 0);
    add(w, 15, 1, 10, 0, 0);
}

static void test_suspend(void)
{
    struct world w;

    three(&w, "srpt");
    with_log(&w);
    CU_ASSERT_EQUAL(run(&w), 0);
    CU_ASSERT_EQUAL(result(&w, 1)->finish_us, 50 * S);
    CU_ASSERT_EQUAL(result(&w, 2)->finish_us, 20 * S);
    CU_ASSERT_EQUAL(result(&w, 3)->finish_us, 30 * S);
    CU_ASSERT_EQUAL(result(&w, 1)->suspensions[BASE_TASK_MAP], 1);
    CU_ASSERT_EQUAL(result(&w, 1)->useful_us[BASE_TASK_MAP], 30 * S);
    CU_ASSERT_EQUAL(result(&w, 1)->launches[BASE_TASK_MAP], 1);
    CU_ASSERT_EQUAL(w.totals.resumes[BASE_TASK_MAP], 1);
    CU_ASSERT_EQUAL(w.totals.suspended_node_max[BASE_TASK_MAP], 1);
    CU_ASSERT_EQUAL(w.alloc_max, 1);
    CU_ASSERT(strstr(w.text.data, "10000000,suspend,1,m,0,0,0,\n") != NULL);
    CU_ASSERT(strstr(w.text.data, "30000000,resume,1,m,0,0,0,\n") != NULL);
    base_buf_free(&w.text);
    CU_ASSERT_DOUBLE_EQUAL(w.totals.bound_us, 25e6, 1); /* no schedule is better */
}

static void test_swap(void)
{
    struct world w;

    three(&w, "srpt");
    w.conf.swap_us = 4 * S;
    CU_ASSERT_EQUAL(run(&w), 0);
    CU_ASSERT_EQUAL(result(&w, 1)->finish_us, 54 * S);
    CU_ASSERT_EQUAL(result(&w, 1)->useful_us[BASE_TASK_MAP], 34 * S);
}

/* A reduce is suspended while it waits for the last map, and begins when both the maps and the
 * suspension are over. */
static void test_suspend_early_reduce(void)
{
    struct world w;

    init(&w, "srpt", 1, 1, 1);
    add(&w, 0, 2, 10, 1, 30);
    add(&w, 12, 0, 0, 1, 20);
    CU_ASSERT_EQUAL(run(&w), 0);
    CU_ASSERT_EQUAL(result(&w, 2)->finish_us, 32 * S);
    CU_ASSERT_EQUAL(result(&w, 1)->finish_us, 62 * S);
    CU_ASSERT_EQUAL(result(&w, 1)->suspensions[BASE_TASK_REDUCE], 1);
    CU_ASSERT_EQUAL(result(&w, 1)->idle_us, 2 * S);
    CU_ASSERT_EQUAL(result(&w, 1)->useful_us[BASE_TASK_REDUCE], 32 * S);
}

/* The long job's task is killed for the short one at a heartbeat and runs again from its
 * beginning. */
static void test_kill(void)
{
    for (int oob = 0; oob < 2; oob++) {
        struct world w;
        const struct sim_job_result *a, *b;

        init(&w, "hsrtf-pup", 1, 1, 0);
        w.conf.cluster.heartbeat_us = 3 * S;
        w.conf.cluster.oob = oob;
        w.conf.slowstart = 1;
        add(&w, 0, 8, 100, 0, 0);
        add(&w, 150, 1, 10, 0, 0);
        with_log(&w);
        CU_ASSERT_EQUAL(run(&w), 0);
        a = result(&w, 1);
        b = result(&w, 2);
        CU_ASSERT_EQUAL(a->kills[BASE_TASK_MAP], 1);
        CU_ASSERT_EQUAL(a->launches[BASE_TASK_MAP], 9);
        CU_ASSERT_EQUAL(w.totals.completions[BASE_TASK_MAP], 9);
        CU_ASSERT_EQUAL(a->useful_us[BASE_TASK_MAP], 800 * S);
        CU_ASSERT(a->lost_us[BASE_TASK_MAP] > 40 * S && a->lost_us[BASE_TASK_MAP] < 60 * S);
        CU_ASSERT(sim_waiting_us(b) < (oob ? 3 : 6) * S);
        CU_ASSERT(strstr(w.text.data, ",kill,1,m,1,0,0,\n") &&
                  strstr(w.text.data, ",launch,1,m,1,1,0,any\n"));
        base_buf_free(&w.text);
    }
}

/* ---------------------------------------------------------------- around the tasks */
static void test_setup_cleanup(void)
{
    struct world w;
    struct sim_job *j;

    init(&w, "fifo", 1, 1, 1);
    j = add(&w, 0, 1, 12, 0, 0);
    j->setup_us = j->cleanup_us = 10 * S;
    add(&w, 1, 1, 5, 0, 0);  /* setup holds no slot */
    add(&w, 50, 0, 0, 0, 0); /* no tasks */
    j = add(&w, 60, 0, 0, 0, 0);
    j->setup_us = j->cleanup_us = 2 * S;
    CU_ASSERT_EQUAL(run(&w), 0);
    CU_ASSERT_EQUAL(result(&w, 1)->finish_us, 32 * S);
    CU_ASSERT_EQUAL(result(&w, 1)->first_us, 10 * S);
    CU_ASSERT_EQUAL(result(&w, 2)->finish_us, 6 * S);
    CU_ASSERT_EQUAL(result(&w, 3)->finish_us, 50 * S);
    CU_ASSERT_EQUAL(result(&w, 4)->finish_us, 64 * S);
}

/* Jobs 2 and 3 wait for job 1; job 4 waits for job 3 and another 5 s; job 5 waits for a job that
 * has ended long before it is submitted. */
static void test_chain(void)
{
    struct world w;
    struct sim_job *j;

    init(&w, "fifo", 2, 1, 0);
    add(&w, 0, 1, 10, 0, 0);
    add(&w, 0, 1, 10, 0, 0)->after = 1;
    add(&w, 0, 1, 10, 0, 0)->after = 1;
    j = add(&w, 0, 1, 10, 0, 0);
    j->after = 3;
    j->gap_us = 5 * S;
    add(&w, 100, 1, 10, 0, 0)->after = 1;
    CU_ASSERT_EQUAL(run(&w), 0);
    CU_ASSERT_EQUAL(result(&w, 2)->submit_us, 10 * S);
    CU_ASSERT_EQUAL(result(&w, 3)->submit_us, 10 * S);
    CU_ASSERT_EQUAL(result(&w, 4)->submit_us, 25 * S);
    CU_ASSERT_EQUAL(result(&w, 4)->finish_us, 35 * S);
    CU_ASSERT_EQUAL(result(&w, 5)->submit_us, 100 * S);
}

static void test_closed_loop(void)
{
    struct world w;

    init(&w, "fifo", 2, 1, 0);
    w.conf.workload.at_end = once;
    w.loops = 8;
    add(&w, 0, 1, 10, 0, 0);
    add(&w, 0, 1, 10, 0, 0);
    w.more = w.jobs[0];
    CU_ASSERT_EQUAL(run(&w), 0);
    CU_ASSERT_EQUAL(w.r_n, 10);
    CU_ASSERT_EQUAL(w.totals.jobs_live_max, 2);
    CU_ASSERT_EQUAL(sim_makespan_us(&w.totals), 50 * S);
    CU_ASSERT_DOUBLE_EQUAL(sim_mean_sojourn_us(&w.totals), 10e6, 1e-6);
}

/* The first job shows how long tasks take. The second cannot be done in time and is refused with an
 * offered date; the third asks for that date and meets it. */
static void test_deadlines(void)
{
    struct world w;
    const struct sim_job_result *no, *yes;

    init(&w, "rtmr", 2, 1, 1);
    w.conf.cluster.heartbeat_us = 3 * S;
    add(&w, 0, 4, 10, 2, 5);
    add(&w, 100, 4, 10, 2, 5)->deadline_us = 5 * S;
    w.conf.workload.at_end = asks_again;
    with_log(&w);
    CU_ASSERT_EQUAL(run(&w), 0);
    no = result(&w, 2);
    yes = result(&w, 3);
    CU_ASSERT(!no->accepted && !no->met && result(&w, 1)->accepted && result(&w, 1)->met);
    CU_ASSERT_EQUAL(no->finish_us, 100 * S);
    CU_ASSERT_EQUAL(no->launches[BASE_TASK_MAP], 0);
    CU_ASSERT(no->promised_us > 120 * S && no->promised_us < 200 * S);
    CU_ASSERT(yes->accepted && yes->met);
    CU_ASSERT(yes->promised_us >= yes->finish_us && yes->promised_us <= no->promised_us);
    CU_ASSERT(w.totals.refused == 1 && w.totals.accepted == 2 && w.totals.with_deadline == 1 &&
              w.totals.met == 1);
    CU_ASSERT(strstr(w.text.data, "100000000,refuse,2,,,,,1") != NULL);
    base_buf_free(&w.text);
}

/* A job waits until its first map starts, even though a reduce of it has had a slot since 1 s. */
static void test_first_map(void)
{
    struct world w;

    init(&w, "fifo", 1, 1, 1);
    w.conf.slowstart = 0;
    add(&w, 0, 1, 10, 0, 0);
    add(&w, 1, 1, 5, 1, 2);
    add(&w, 1, 0, 0, 1, 2);
    CU_ASSERT_EQUAL(run(&w), 0);
    CU_ASSERT_EQUAL(result(&w, 2)->first_us, 10 * S);
    CU_ASSERT_EQUAL(result(&w, 2)->idle_us, 14 * S);
    CU_ASSERT_EQUAL(result(&w, 3)->first_us, 17 * S);
}

/* A job that is refused after all work has ended does not lengthen the makespan. */
static void test_makespan(void)
{
    struct sim_totals t = {.slots = {1, 0}};
    struct sim_job_result ran = {.submit_us = 1,
                                 .finish_us = 11,
                                 .accepted = true,
                                 .met = true,
                                 .useful_us = {10, 0}},
                          refused = {.submit_us = 50, .finish_us = 50, .deadline_us = 1};

    CU_ASSERT_EQUAL(sim_makespan_us(&t), 0);
    sim_totals_add_job(&t, &ran);
    sim_totals_add_job(&t, &refused);
    CU_ASSERT_EQUAL(sim_makespan_us(&t), 10);
    CU_ASSERT_EQUAL(sim_utilisation(&t, BASE_TASK_MAP), 1);
}

/* The next job of a loop is submitted in the very heartbeat that reports the end of the last one:
 * the node sends the next heartbeat after its interval, not at once. One heartbeat starts a task,
 * the second reports its end, the third starts the next task. */
static void test_one_beat_at_a_time(void)
{
    struct world w;

    init(&w, "fifo", 1, 1, 0);
    w.conf.cluster.heartbeat_us = 3 * S;
    w.more = *add(&w, 0, 1, 1, 0, 0);
    w.loops = 4;
    w.conf.workload.at_end = once;
    CU_ASSERT_EQUAL(run(&w), 0);
    CU_ASSERT_EQUAL(w.r_n, 5);
    for (size_t i = 1; i < w.r_n; i++)
        CU_ASSERT_EQUAL(w.r[i].first_us - w.r[i - 1].first_us, 6 * S);
}

/* ---------------------------------------------------------------- equal seeds */
static void busy(struct world *w, uint64_t seed)
{
    init(w, "naive-fair", 10, 2, 1);
    w->conf.cluster.racks = 3;
    w->conf.cluster.heartbeat_us = 3 * S;
    w->conf.seed = seed;
    w->conf.true_work = true;
    with_log(w);
    for (int i = 0; i < 30; i++) {
        struct sim_job *j = add(w, i * 7, 1 + i * 3 % 40, 12, i % 4, 20);

        j->located = true;
        j->cv[BASE_TASK_MAP] = j->cv[BASE_TASK_REDUCE] = .3;
        j->setup_us = i % 3 ? 0 : S;
    }
}

static void test_determinism(void)
{
    struct world a, b, c;

    busy(&a, 5);
    busy(&b, 5);
    busy(&c, 6);
    /* reports of progress change nothing for policies that do not use them */
    b.conf.progress = SIM_PROGRESS_ON;
    CU_ASSERT_EQUAL(run(&a), 0);
    CU_ASSERT_EQUAL(run(&b), 0);
    CU_ASSERT_EQUAL(run(&c), 0);
    CU_ASSERT(a.text.len > 10000 && a.text.len == b.text.len &&
              memcmp(a.text.data, b.text.data, a.text.len) == 0);
    CU_ASSERT(strcmp(a.text.data, c.text.data) != 0);
    CU_ASSERT_EQUAL(a.r_n, 30);
    CU_ASSERT(a.totals.bound_us > 0 && a.totals.bound_us <= sim_mean_sojourn_us(&a.totals));
    base_buf_free(&a.text);
    base_buf_free(&b.text);
    base_buf_free(&c.text);
}

/* Stopped at 15 s: a job that has not ended by then is not counted. */
static void test_stop_and_classes(void)
{
    struct world w;

    init(&w, "fifo", 1, 1, 0);
    for (int i = 0; i < 4; i++)
        add(&w, i, 1, 4, 0, 0);
    w.conf.stop_us = 15 * S;
    w.conf.true_work = true;
    CU_ASSERT_EQUAL(run(&w), 0);
    CU_ASSERT_EQUAL(w.totals.jobs, 3);
    CU_ASSERT_EQUAL(w.totals.bound_us, 0); /* a bound of all four says nothing about three */
    CU_ASSERT_EQUAL(sim_sojourn_us(result(&w, 1)), 4 * S);
    CU_ASSERT_EQUAL(sim_waiting_us(result(&w, 2)), 3 * S);
    CU_ASSERT_EQUAL(sim_sojourn_us(result(&w, 3)), 10 * S);
}

/* ---------------------------------------------------------------- what cannot be */
static void refused(struct world *w, int code, const char *words)
{
    CU_ASSERT_EQUAL(run(w), code);
    if (!strstr(w->err.text, words))
        CU_FAIL(w->err.text);
}

static void test_bad_input(void)
{
    struct world w;

    init(&w, "no-such", 1, 1, 1);
    refused(&w, -BASE_EINVAL, "naive-fair"); /* the error lists the policies */
    init(&w, "fifo", 0, 1, 1);
    refused(&w, -BASE_EINVAL, "nodes");
    init(&w, "fifo", 1, 0, 0);
    refused(&w, -BASE_EINVAL, "slots");
    init(&w, "fifo", 1, 1, 0);
    add(&w, 0, 1, 1, 1, 1);
    refused(&w, -BASE_EINVAL, "job 1: reduces");
    init(&w, "fifo", 1, 1, 0);
    add(&w, 5, 1, 1, 0, 0);
    add(&w, 4, 1, 1, 0, 0);
    refused(&w, -BASE_EINVAL, "submission must be in order");
    init(&w, "fifo", 1, 1, 0);
    add(&w, 5, 1, 0, 0, 0);
    refused(&w, -BASE_EINVAL, "map time");
    init(&w, "fifo", 1, 1, 0);
    add(&w, 0, 1, 1, 0, 0)->id = 7;
    add(&w, 0, 1, 1, 0, 0)->id = 7;
    refused(&w, -BASE_EINVAL, "job 7: id");
    init(&w, "fifo", 1, 1, 0);
    place(add(&w, 0, 1, 1, 0, 0), 1);
    refused(&w, -BASE_EINVAL, "places");
}

/* If the core hands out more slots than a node has, the simulation aborts at once, so that it
 * prints no figures. Here the node has one slot fewer than the core was told. */
static void test_too_many(void)
{
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        int status = 0;
        pid_t child;

        fflush(NULL);
        child = fork();
        CU_ASSERT_FATAL(child >= 0);
        if (child == 0) {
            struct world w;
            struct sim *s;

            setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
            if (!freopen("/dev/null", "w", stderr))
                _exit(2);
            init(&w, "fifo", 1, 1, 1);
            add(&w, 0, 1, 4, 1, 2);
            s = sim_new(&w.conf, &w.err);
            s->nodes[0].used[k] = 1;
            _exit(sim_run(s, &w.err) < 0);
        }
        CU_ASSERT_EQUAL(waitpid(child, &status, 0), child);
        CU_ASSERT(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    }
}

static int full(void *self, const char *data, size_t n, struct base_error *err)
{
    (void)self;
    (void)data;
    (void)n;
    return base_error_set(err, -BASE_ENOSPC, "event log: the disk is full");
}

static void test_log_fails(void)
{
    struct world w;
    struct base_error err;

    init(&w, "fifo", 1, 1, 0);
    w.log = (struct sim_log){.write = full};
    sim_log_write_header(&w.log);
    CU_ASSERT_EQUAL(sim_log_flush_and_free(&w.log, &err), -BASE_ENOSPC);
    CU_ASSERT(strstr(err.text, "disk is full") != NULL);
}

static const struct cunit_case cases[] = {
    {"FIFO, to the letter", test_fifo},
    {"naive fair", test_naive_fair},
    {"priority", test_priority},
    {"heartbeats and extra ones", test_heartbeats},
    {"the heartbeat rule of Hadoop 1", test_heartbeat_rule},
    {"reduces that come early hold their slots", test_early_reduces},
    {"locality levels and what they cost", test_levels},
    {"delay scheduling waits for the node with the data", test_delay},
    {"wrong sizes", test_wrong_sizes},
    {"speeds, exact times, true work", test_speeds_and_exact},
    {"a co-located reduce", test_colocated},
    {"suspended and resumed, to the second", test_suspend},
    {"resuming has its price", test_swap},
    {"a reduce suspended before the last map", test_suspend_early_reduce},
    {"killed, and again from its beginning", test_kill},
    {"setup and cleanup", test_setup_cleanup},
    {"jobs after jobs", test_chain},
    {"a closed loop", test_closed_loop},
    {"refused with a date, accepted with that date", test_deadlines},
    {"waiting ends with the first map", test_first_map},
    {"the makespan is that of the work", test_makespan},
    {"a node beats once at a time", test_one_beat_at_a_time},
    {"equal seeds, equal logs", test_determinism},
    {"stopped; by class", test_stop_and_classes},
    {"input that cannot be", test_bad_input},
    {"more slots than there are", test_too_many},
    {"a log that cannot be written", test_log_fails},
};
CUNIT_MAIN("sim engine", cases)
