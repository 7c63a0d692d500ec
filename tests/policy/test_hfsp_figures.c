/* Goal: HFSP's published figures, to the second, under the real core. Method: virtual time with
 * nodes that are heard at every change, tasks of exact length, sizes submitted with the jobs. */
#include <stdio.h>
#include <string.h>

#include "policies/options.h"
#include "sim/engine/sim.h"
#include "tests/unit/cunit_main.h"

#define S        INT64_C(1000000)
#define JOBS_MAX 120

struct world {
    struct sim_conf conf;
    struct policy_conf options;
    struct sim_group group;
    struct sim_job jobs[JOBS_MAX];
    size_t jobs_n, given;
    int64_t sojourn_us[JOBS_MAX], finish_us[JOBS_MAX], kills, suspensions;
    size_t ended;
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

static void on_job(void *ctx, const struct sim_job_result *r)
{
    struct world *w = ctx;

    w->sojourn_us[r->id - 1] = sim_sojourn_us(r);
    w->finish_us[r->id - 1] = r->finish_us;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        w->kills += r->kills[k];
        w->suspensions += r->suspensions[k];
    }
    w->ended++;
}

static void init(struct world *w, const char *policy, int32_t nodes, int32_t maps, int32_t reduces)
{
    memset(w, 0, sizeof *w);
    sim_conf_init(&w->conf);
    w->group = (struct sim_group){.nodes = nodes, .slots = {maps, reduces}, .speed = 1};
    w->conf.policy = policy;
    w->conf.options = &w->options;
    w->conf.cluster.groups = &w->group;
    w->conf.cluster.groups_n = 1;
    w->conf.cluster.heartbeat_us = SIM_HEARTBEAT_ZERO;
    w->conf.progress = SIM_PROGRESS_OFF; /* sizes are known, or measured on tasks that ended */
    w->conf.workload = (struct sim_workload){.self = w, .next = next};
    w->conf.on_job = on_job;
    w->conf.ctx = w;
}

static void set(struct world *w, const char *name, const char *value)
{
    CU_ASSERT_EQUAL(policy_conf_set(&w->options, name, value, &w->err), 0);
}

static struct sim_job *add(struct world *w, double submit_s, enum base_task_kind kind,
                           int32_t tasks, double task_s)
{
    struct sim_job *j = &w->jobs[w->jobs_n++];

    sim_job_init(j);
    j->located = false;
    j->submit_us = (int64_t)(submit_s * 1e6);
    j->tasks[kind] = tasks;
    j->base_us[kind] = (int64_t)(task_s * 1e6);
    j->expected_us[kind] = SIM_EXPECT_TRUE;
    return j;
}

static void run(struct world *w)
{
    struct sim *s = sim_new(&w->conf, &w->err);

    CU_ASSERT_PTR_NOT_NULL_FATAL(s);
    if (sim_run(s, &w->err) < 0) {
        printf("%s\n", w->err.text);
        CU_FAIL("the run");
    }
    w->totals = *sim_totals_peek(s);
    CU_ASSERT_EQUAL(w->totals.overruled, 0);
    CU_ASSERT_EQUAL(w->totals.fallbacks, 0);
    CU_ASSERT_EQUAL(w->ended, w->jobs_n);
    sim_free(s);
    policy_conf_free(&w->options);
}

static void expect_finish(const struct world *w, int job, double s)
{
    CU_ASSERT_EQUAL(w->finish_us[job - 1], (int64_t)(s * 1e6 + 0.5));
}

static double mean_s(const struct world *w)
{
    return sim_mean_sojourn_us(&w->totals) / 1e6;
}

/* The first figure: one slot, jobs of 30, 10, 10 s at 0, 10, 15. */
static void test_one_slot(void)
{
    static const char *const policies[] = {"hfsp", "fsp", "psbs"};

    for (size_t i = 0; i < 3; i++) {
        struct world w;

        init(&w, policies[i], 1, 1, 0);
        if (i == 0)
            set(&w, "hfsp.sizes", "given");
        add(&w, 0, BASE_TASK_MAP, 1, 30);
        add(&w, 10, BASE_TASK_MAP, 1, 10);
        add(&w, 15, BASE_TASK_MAP, 1, 10);
        run(&w);
        expect_finish(&w, 1, 50);
        expect_finish(&w, 2, 20);
        expect_finish(&w, 3, 30);
        CU_ASSERT_DOUBLE_EQUAL(mean_s(&w), 25, 1e-9);
        CU_ASSERT_EQUAL(w.suspensions, 1);
    }
}

/* The second figure: 20 nodes with a slot each; 20 tasks of 30 s at 0, 11 of 10 s at 10, 7 of 10 s
 * at 13. */
static void caps(const char *policy, const char *form)
{
    struct world w;

    init(&w, policy, 20, 1, 0);
    if (strcmp(policy, "hfsp") == 0)
        set(&w, "hfsp.sizes", "given");
    set(&w, "hfsp.virtual", form);
    add(&w, 0, BASE_TASK_MAP, 20, 30);
    add(&w, 10, BASE_TASK_MAP, 11, 10);
    add(&w, 13, BASE_TASK_MAP, 7, 10);
    run(&w);
    expect_finish(&w, 1, 40);
    expect_finish(&w, 2, 20);
    expect_finish(&w, 3, 23);
    CU_ASSERT_DOUBLE_EQUAL(mean_s(&w), 20, 1e-9);
    CU_ASSERT_EQUAL(w.suspensions, 18);
    CU_ASSERT_EQUAL(w.totals.suspended_node_max[BASE_TASK_MAP], 1);
}

static void test_caps(void)
{
    caps("hfsp", "fluid");
    caps("hfsp", "slots");
    caps("fsp", "fluid");
}

/* The seventh figure: 4 nodes with two reduce slots each; @tasks reduces of 500 s at 140, and at
 * 150 four jobs of 2, 1, 1 and 1 reduces of 400 s. Expected sojourns in seconds: @first of the
 * large job, @others of each other job, @mean of all. */
static void seventh(const char *preemption, int32_t tasks, double first, double others, double mean,
                    int suspensions, int kills)
{
    struct world w;

    init(&w, "hfsp", 4, 0, 2);
    set(&w, "hfsp.sizes", "given");
    set(&w, "hfsp.preemption", preemption);
    add(&w, 140, BASE_TASK_REDUCE, tasks, 500);
    add(&w, 150, BASE_TASK_REDUCE, 2, 400);
    for (int i = 0; i < 3; i++)
        add(&w, 150, BASE_TASK_REDUCE, 1, 400);
    run(&w);
    CU_ASSERT_EQUAL(w.sojourn_us[0], (int64_t)(first * 1e6));
    for (int i = 1; i < 5; i++)
        CU_ASSERT_EQUAL(w.sojourn_us[i], (int64_t)(others * 1e6));
    CU_ASSERT_DOUBLE_EQUAL(mean_s(&w), mean, 1e-9);
    CU_ASSERT_EQUAL(w.suspensions, suspensions);
    CU_ASSERT_EQUAL(w.kills, kills);
}

static void test_preemption(void)
{
    seventh("eager", 11, 1000, 400, 520, 5, 0);
    seventh("wait", 11, 1000, 890, 912, 0, 0);
    seventh("kill", 11, 1000, 400, 520, 0, 5);
    seventh("eager", 8, 900, 400, 500, 5, 0);
    seventh("kill", 8, 910, 400, 502, 0, 5);
    seventh("wait", 8, 500, 890, 812, 0, 0);
}

/* Jobs in decreasing size, each wanting the whole cluster: suspended tasks pile up to twice the
 * slots of a node, and are resumed before more are suspended. */
static void test_hysteresis(void)
{
    static const struct {
        const char *policy, *sizes;
    } with[] = {{"hfsp", "given"}, {"hfsp", "estimated"}, {"fsp", "given"}};

    for (size_t i = 0; i < sizeof with / sizeof *with; i++) {
        struct world w;

        init(&w, with[i].policy, 5, 2, 2);
        set(&w, "hfsp.sizes", with[i].sizes);
        for (int j = 0; j < 12; j++) {
            struct sim_job *job = add(&w, 20 * j, BASE_TASK_MAP, 30, 200.0 - 16 * j);

            job->tasks[BASE_TASK_REDUCE] = 12;
            job->base_us[BASE_TASK_REDUCE] = 300 * S;
            job->expected_us[BASE_TASK_REDUCE] = SIM_EXPECT_TRUE;
        }
        run(&w);
        CU_ASSERT(w.suspensions > 0);
        for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
            CU_ASSERT(w.totals.suspended_node_max[k] <= 4);
        if (i != 1)
            CU_ASSERT_EQUAL(w.totals.suspended_node_max[BASE_TASK_MAP], 4);
        CU_ASSERT_EQUAL(w.kills, 0);
        CU_ASSERT_EQUAL(w.totals.completions[BASE_TASK_MAP], 360);
    }
}

/* Unknown sizes: each job trains first; then the job that turns out smaller goes first. No work is
 * lost. */
static void test_training(void)
{
    struct world w;

    init(&w, "hfsp", 10, 1, 1);
    add(&w, 0, BASE_TASK_MAP, 40, 100);
    add(&w, 1, BASE_TASK_MAP, 40, 10);
    run(&w);
    /* 0: 10 tasks of j1, five of them its sample. At 1 s j2 is guessed as long as j1 (60 s a task)
     * and waits; its sample starts with the first free slots at 100 and is over at 110: j2 is the
     * smaller then. */
    CU_ASSERT(w.finish_us[1] < w.finish_us[0]);
    CU_ASSERT(w.finish_us[1] <= 160 * S);
    CU_ASSERT_EQUAL(w.kills, 0);
}

/* Slots for training are limited, the rest of the cluster is not left idle. */
static void test_training_slots(void)
{
    struct world w;

    init(&w, "hfsp", 10, 1, 0);
    set(&w, "hfsp.train_map_slots", "2");
    add(&w, 0, BASE_TASK_MAP, 20, 10);
    run(&w);
    expect_finish(&w, 1, 20);
    init(&w, "hfsp", 10, 1, 0);
    set(&w, "hfsp.xi", "inf");
    add(&w, 0, BASE_TASK_MAP, 20, 10);
    run(&w);
    expect_finish(&w, 1, 30); /* the sample of 5 alone until 10, then 10 tasks, then 5 */
}

/* A reduce of 1,000 s is measured after 60 s, so the smaller job runs before the first wave has
 * ended. */
static void test_delta(void)
{
    struct world w;

    init(&w, "hfsp", 5, 0, 1);
    w.conf.cluster.heartbeat_us = 1 * S;
    w.conf.cluster.oob = true;
    w.conf.progress = SIM_PROGRESS_ON;
    set(&w, "hfsp.initial_reduce", "1000");
    add(&w, 0, BASE_TASK_REDUCE, 10, 1000);
    add(&w, 200, BASE_TASK_REDUCE, 5, 100);
    run(&w);
    /* at 200 j1 is known (10,000 s) and not in training: j2 (5,000 s by the mean) suspends it */
    CU_ASSERT(w.finish_us[1] < 310 * S);
    CU_ASSERT_EQUAL(w.suspensions, 5);
    /* the same without Delta: j1 trains until its first wave has ended, nobody may be suspended */
    init(&w, "hfsp", 5, 0, 1);
    w.conf.cluster.heartbeat_us = 1 * S;
    w.conf.cluster.oob = true;
    set(&w, "hfsp.initial_reduce", "1000");
    set(&w, "hfsp.delta_reduce", "inf");
    add(&w, 0, BASE_TASK_REDUCE, 10, 1000);
    add(&w, 200, BASE_TASK_REDUCE, 5, 100);
    run(&w);
    CU_ASSERT(w.finish_us[1] > 1000 * S);
    CU_ASSERT_EQUAL(w.suspensions, 0);
}

/* With delay scheduling, the job that claims a slot is asked whether it would take it before a task
 * is suspended for it: at most one suspension for each task that starts. */
static void test_claims_near_data(void)
{
    struct world w;

    init(&w, "hfsp", 20, 1, 0);
    w.conf.cluster.heartbeat_us = 3 * S;
    w.conf.cluster.oob = true;
    set(&w, "hfsp.sizes", "given");
    add(&w, 0, BASE_TASK_MAP, 60, 60)->located = true;
    add(&w, 30, BASE_TASK_MAP, 2, 10)->located = true;
    run(&w);
    CU_ASSERT(w.suspensions >= 1 && w.suspensions <= 2);
    CU_ASSERT(w.sojourn_us[1] < 30 * S);
}

static const struct cunit_case cases[] = {
    {"figure 1: one slot", test_one_slot},
    {"figure 2: caps, whole slots", test_caps},
    {"figure 7: eager, wait, kill", test_preemption},
    {"suspended tasks per node are bounded", test_hysteresis},
    {"training", test_training},
    {"slots for training; xi without bound", test_training_slots},
    {"reduces are measured in Delta", test_delta},
    {"claims near the data", test_claims_near_data},
};
CUNIT_MAIN("HFSP's figures", cases)
