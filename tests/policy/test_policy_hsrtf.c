/* Goal: hSRTF's equations give the numbers of its paper's cluster, and its four variants order,
 * share and kill as they say. Method: the formulas alone, then each variant in a small cluster
 * without a core. */
#include <math.h>
#include <string.h>

#include "policies/hsrtf/formulas.h"
#include "policies/options.h"
#include "policies/registry.h"
#include "tests/policy/policy_fake.h"
#include "tests/unit/cunit_main.h"

#define S(x) ((int64_t)((x)*1000000.0))
#define GIB  (INT64_C(1) << 30)
#define MIB  (INT64_C(1) << 20)

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-9;
}

/* ---------------------------------------------------------------- formulas */
static int64_t paper_rt(int64_t maps, int64_t reduces, int64_t bytes, bool fluid)
{
    int64_t tasks[BASE_TASK_KINDS] = {maps, reduces};
    int64_t avg[BASE_TASK_KINDS] = {S(60),
                                    hsrtf_reduce_duration_us(bytes, 1, reduces, 128 * MIB, S(60))};
    double slots[BASE_TASK_KINDS] = {464, 116};

    return hsrtf_remaining_time_us(tasks, avg, slots, fluid);
}

static void test_remaining_time(void)
{
    CU_ASSERT_EQUAL(hsrtf_reduce_duration_us(32 * GIB, 1, 32, 128 * MIB, S(60)), S(480));
    CU_ASSERT_EQUAL(hsrtf_reduce_duration_us(32 * GIB, 0.5, 32, 0, S(60)),
                    S(240)); /* a block is 128 MiB */
    CU_ASSERT_EQUAL(hsrtf_reduce_duration_us(32 * GIB, 1, 0, 0, S(60)), 0);
    CU_ASSERT_EQUAL(paper_rt(256, 32, 32 * GIB, false), S(540)); /* Large */
    CU_ASSERT_EQUAL(paper_rt(64, 8, 8 * GIB, false), S(540));    /* Medium: as long as Large */
    CU_ASSERT_EQUAL(paper_rt(1, 1, 128 * MIB, false), S(120));   /* Small */
    CU_ASSERT_EQUAL(paper_rt(465, 1, 128 * MIB, false), S(180)); /* two waves */
    CU_ASSERT_EQUAL(paper_rt(0, 0, 0, false), HSRTF_RT_MIN_US);
    /* work that fits in one wave takes one task; half a wave more is half a task more */
    CU_ASSERT_EQUAL(paper_rt(256, 32, 32 * GIB, true), S(540));
    CU_ASSERT_EQUAL(paper_rt(696, 32, 32 * GIB, true),
                    S(90) + hsrtf_reduce_duration_us(32 * GIB, 1, 32, 128 * MIB, S(60)));
    CU_ASSERT_EQUAL(paper_rt(696, 32, 32 * GIB, false),
                    S(120) + hsrtf_reduce_duration_us(32 * GIB, 1, 32, 128 * MIB, S(60)));
}

/* Sizes that no cluster has: times are capped and do not wrap around. */
static void test_absurd(void)
{
    int64_t tasks[BASE_TASK_KINDS] = {INT32_MAX, INT32_MAX},
            avg[BASE_TASK_KINDS] = {S(1000000000), S(1000000000)};
    double slots[BASE_TASK_KINDS] = {1, 1};

    CU_ASSERT_EQUAL(hsrtf_remaining_time_us(tasks, avg, slots, false), HSRTF_TIME_MAX_US);
    CU_ASSERT_EQUAL(hsrtf_remaining_time_us(tasks, avg, slots, true), HSRTF_TIME_MAX_US);
    CU_ASSERT_EQUAL(hsrtf_reduce_duration_us(INT64_MAX, 1e9, 1, 1, S(1000000000)),
                    HSRTF_TIME_MAX_US);
    CU_ASSERT_EQUAL(hsrtf_slot_time_us(INT32_MAX, S(1000000000)), HSRTF_TIME_MAX_US);
    CU_ASSERT_EQUAL(hsrtf_slot_time_us(3, S(10)), S(30));
}

static void test_shares(void)
{
    int64_t rt[] = {S(10), S(20), S(40)};
    struct hsrtf_claim c[3];
    double s[3];

    hsrtf_inverse_shares(rt, 3, s);
    CU_ASSERT(near(s[0], 4.0 / 7) && near(s[1], 2.0 / 7) && near(s[2], 1.0 / 7));
    for (int i = 0; i < 3; i++)
        c[i] = (struct hsrtf_claim){.share = s[i], .demand = 1000};
    hsrtf_split_slots(c, 3, 70);
    for (int i = 0; i < 3; i++)
        CU_ASSERT_EQUAL(c[i].target, c[i].at == 0 ? 40 : c[i].at == 1 ? 20 : 10);
    /* what a small demand leaves goes to the others by share */
    for (int i = 0; i < 3; i++)
        c[i] = (struct hsrtf_claim){.share = s[i], .demand = i == 0 ? 5 : INT64_C(1) << 40};
    hsrtf_split_slots(c, 3, 70);
    for (int i = 0; i < 3; i++) {
        double fluid = c[i].at == 0 ? 5 : c[i].at == 1 ? 65 * 2.0 / 3 : 65 / 3.0;

        CU_ASSERT(near(c[i].fluid, fluid));
        CU_ASSERT_EQUAL(c[i].target, c[i].at == 0 ? 5 : c[i].at == 1 ? 43 : 22);
    }
}

static void test_starvation(void)
{
    int64_t tasks[2][BASE_TASK_KINDS] = {{400, 0}, {100, 0}}, avg[BASE_TASK_KINDS] = {S(10), S(10)},
            rt[2];
    double all[BASE_TASK_KINDS] = {100, 100}, s[2], st[2];
    struct hsrtf_claim c[2];

    for (int i = 0; i < 2; i++)
        rt[i] = hsrtf_remaining_time_us(tasks[i], avg, all, false);
    CU_ASSERT_EQUAL(rt[0], S(40));
    CU_ASSERT_EQUAL(rt[1], S(10));
    hsrtf_inverse_shares(rt, 2, s);
    CU_ASSERT(near(s[0], .2) && near(s[1], .8));
    for (int i = 0; i < 2; i++) {
        double part[BASE_TASK_KINDS] = {100 * s[i], 100 * s[i]};
        int64_t on_share = hsrtf_remaining_time_us(tasks[i], avg, part, false);

        CU_ASSERT_EQUAL(on_share, i == 0 ? S(200) : S(20));
        st[i] = hsrtf_starvation(0, on_share, rt[i]);
    }
    CU_ASSERT(near(st[0], 5) && near(st[1], 2));
    hsrtf_apply_starvation(s, st, 2);
    CU_ASSERT(near(s[0], 1.0 / 2.6) && near(s[1], 1.6 / 2.6));
    CU_ASSERT(fabs(s[0] - .3846) < 5e-5 && fabs(s[1] - .6154) < 5e-5);
    for (int i = 0; i < 2; i++)
        c[i] = (struct hsrtf_claim){.share = s[i], .demand = tasks[i][0]};
    hsrtf_split_slots(c, 2, 100);
    for (int i = 0; i < 2; i++)
        CU_ASSERT_EQUAL(c[i].target, c[i].at == 0 ? 38 : 62);
}

static uint64_t state = 7;

static uint32_t rnd(uint32_t below)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(state >> 33) % below;
}

/* Random claims: all slots are given out, nobody has more than it can use, nobody who can use one
 * goes without one while there are enough, and of two that are not at a bound the one with twice
 * the share has about twice the slots. */
static void check_targets(void)
{
    struct hsrtf_claim c[40];
    int64_t slots = rnd(200), want = 0, wanting = 0, sum = 0;
    size_t n = 1 + rnd(40);

    for (size_t i = 0; i < n; i++) {
        c[i] = (struct hsrtf_claim){.share = exp((double)rnd(1000) / 100),
                                    .demand = rnd(4) ? rnd(60) : 0};
        want += c[i].demand;
        wanting += c[i].demand > 0;
    }
    hsrtf_split_slots(c, n, slots);
    for (size_t i = 0; i < n; i++) {
        sum += c[i].target;
        CU_ASSERT(c[i].target >= 0 && c[i].target <= c[i].demand);
        CU_ASSERT(fabs(c[i].fluid - (double)c[i].target) < 1 + 1e-6);
        CU_ASSERT(c[i].demand == 0 || slots < wanting || c[i].target >= 1);
        for (size_t j = 0; j < i; j++) {
            bool free_i = c[i].target > 1 && c[i].target<c[i].demand, free_j = c[j].target> 1 &&
                          c[j].target < c[j].demand;

            if (free_i && free_j)
                CU_ASSERT(fabs(c[i].fluid * c[j].share / (c[j].fluid * c[i].share) - 1) < 1e-6);
        }
    }
    CU_ASSERT_EQUAL(sum, want < slots ? want : slots);
}

static void test_targets(void)
{
    struct hsrtf_claim none[1] = {{.share = 1, .demand = 0}};

    for (int i = 0; i < 2000; i++)
        check_targets();
    hsrtf_split_slots(none, 1, 10);
    CU_ASSERT_EQUAL(none[0].target, 0);
}

/* ---------------------------------------------------------------- the variants */
static struct policy_conf one_option(const char *name, const char *value)
{
    struct policy_conf conf = {0};
    struct base_error err;

    CU_ASSERT_EQUAL_FATAL(policy_conf_set(&conf, name, value, &err), 0);
    return conf;
}

static struct fake_job *sort_job(struct fake *w, int32_t maps, int32_t reduces)
{
    struct fake_job *j = fake_job(w, maps, S(60), reduces, S(400));

    j->pj.size[BASE_TASK_MAP].bytes = maps * 128 * MIB;
    j->pj.size[BASE_TASK_MAP].bytes_max = 128 * MIB;
    fake_arrive(w, j);
    return j;
}

/* Starts the first @n tasks of the kind @kind, in turn on each node. */
static void run_some(struct fake *w, struct fake_job *j, enum base_task_kind kind, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        fake_start(w, j, kind, i, (uint32_t)i % w->nodes_n);
}

static void epoch(struct fake *w)
{
    if (w->now_us < w->timer_us)
        w->now_us = w->timer_us;
    fake_timer(w);
}

/* 8 nodes x 8 + 2 slots: Large and Medium need one wave of each kind and 4 blocks per reduce. */
static void order_with(const char *tie, bool large_first, bool medium_before_large)
{
    struct policy_conf conf = one_option("hsrtf.tie", tie);
    struct fake w;
    struct fake_job *a, *b, *small;

    fake_init(&w, &policy_hsrtf_pu, &conf, 8, 8, 2);
    a = large_first ? sort_job(&w, 64, 16) : sort_job(&w, 32, 8);
    w.now_us += S(1);
    b = large_first ? sort_job(&w, 32, 8) : sort_job(&w, 64, 16);
    w.now_us += S(1);
    small = sort_job(&w, 1, 1);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 0, BASE_TASK_MAP), small);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 0, BASE_TASK_MAP),
                        (large_first == medium_before_large) ? b : a);
    CU_ASSERT_PTR_NULL(fake_peek(&w, 0, BASE_TASK_REDUCE));
    fake_free(&w);
}

static void test_order(void)
{
    order_with("submit", true, false);
    order_with("submit", false, true);
    order_with("work", true, true);
    order_with("work", false, true);
}

static void test_fluid_order(void)
{
    struct policy_conf conf = one_option("hsrtf.fluid", "yes");
    struct fake w;
    struct fake_job *a, *b;

    fake_init(&w, &policy_hsrtf_pu, &conf, 2, 8, 2); /* 16 slots: 2 waves each */
    a = sort_job(&w, 30, 0);
    b = sort_job(&w, 20, 0);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 0, BASE_TASK_MAP), b);
    CU_ASSERT(a != b);
    fake_free(&w);
}

static void explained(const struct fake *w, const struct fake_job *j, const char *want)
{
    struct base_buf b = {0};

    w->ops->explain(w->policy, &j->pj, w->now_us, &b);
    if (!strstr(b.data, want))
        printf("\n    \"%s\" lacks \"%s\"", b.data, want);
    CU_ASSERT_PTR_NOT_NULL(strstr(b.data, want));
    base_buf_free(&b);
}

/* Estimates come from the defaults; from running tasks, once they have made some progress; from
 * ended tasks; for reduces from reduces alone; for a new job from other jobs, or from its given
 * durations. */
static void test_estimates(void)
{
    struct fake w;
    struct fake_job *a, *b, *c;

    fake_init(&w, &policy_hsrtf_pu, NULL, 8, 8, 2);
    a = sort_job(&w, 4, 4);
    explained(&w, a, "(map 30.0 s, reduce 30.0 s each, assumed)");
    run_some(&w, a, BASE_TASK_MAP, 4);
    for (int i = 0; i < 4; i++)
        a->task[BASE_TASK_MAP][i].progress = 0.019;
    epoch(&w);
    explained(&w, a, "(map 30.0 s, reduce 30.0 s each, assumed)");
    a->task[BASE_TASK_MAP][0].progress = -1; /* its true progress: 60 s a map */
    epoch(&w);
    explained(
        &w, a,
        "remaining time 120.0 s alone on the cluster (map 60.0 s, reduce 60.0 s each, measured)");
    /* 4 blocks for each reduce, but estimates of running jobs come before equation 2 */
    b = sort_job(&w, 8, 2);
    explained(&w, b, "(map 60.0 s, reduce 240.0 s each, assumed)");
    w.now_us = fake_ends_at(&w, &a->task[BASE_TASK_MAP][0]);
    for (int i = 0; i < 4; i++)
        fake_end(&w, &a->task[BASE_TASK_MAP][i]);
    run_some(&w, a, BASE_TASK_REDUCE, 4);
    w.now_us += S(100);
    epoch(&w);
    /* function progress 1/4 after 100 s, whatever the shuffle took */
    explained(&w, a, "reduce 400.0 s each");
    c = sort_job(&w, 1, 1);
    explained(&w, c, "(map 60.0 s, reduce 400.0 s each, assumed)");
    fake_sizes(c, true, false);
    epoch(&w);
    explained(&w, c, "(map 60.0 s, reduce 400.0 s each, assumed)");
    c->task[BASE_TASK_MAP][0].needs_us = S(7);
    fake_sizes(c, true, false);
    epoch(&w);
    explained(&w, c, "(map 7.0 s,");
    fake_free(&w);
}

static void test_selectivity(void)
{
    struct fake w;
    struct fake_job *a;

    fake_init(&w, &policy_hsrtf_pu, NULL, 8, 8, 2);
    a = sort_job(&w, 4, 1);
    run_some(&w, a, BASE_TASK_MAP, 1);
    w.now_us += S(60);
    fake_end(&w, &a->task[BASE_TASK_MAP][0]);
    epoch(&w);
    explained(&w, a, "(map 60.0 s, reduce 240.0 s each, measured)");
    a->pj.seen[BASE_TASK_MAP].bytes_out /= 2;
    epoch(&w);
    explained(&w, a, "(map 60.0 s, reduce 120.0 s each, measured)");
    fake_free(&w);
}

static void test_last_job(void)
{
    struct fake w;
    struct fake_job *a;

    fake_init(&w, &policy_hsrtf_pu, NULL, 1, 2, 1);
    a = sort_job(&w, 1, 1);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 0, BASE_TASK_MAP), a);
    w.now_us += S(60);
    fake_report(&w, 0);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 0, BASE_TASK_REDUCE), a);
    w.now_us += S(400);
    fake_report(&w, 0);
    CU_ASSERT(a->gone);
    explained(&w, sort_job(&w, 2, 2), "(map 60.0 s, reduce 400.0 s each, assumed)");
    fake_free(&w);
}

/* ---------------------------------------------------------------- proportional */
/* The example of equation 5: 100 map slots, 400 and 100 tasks of 10 s: 38 and 62 slots, short job
 * first. */
static void test_proportional(void)
{
    struct fake w;
    struct fake_job *a, *b;

    fake_init(&w, &policy_hsrtf_pr, NULL, 10, 10, 1);
    a = fake_job(&w, 400, S(10), 0, 0);
    b = fake_job(&w, 100, S(10), 0, 0);
    fake_sizes(a, true, false);
    fake_sizes(b, true, false);
    fake_arrive(&w, a);
    fake_arrive(&w, b);
    explained(&w, a, "share 38.5%: 0 of 38 map slots");
    explained(&w, b, "share 61.5%: 0 of 62 map slots");
    for (int i = 0; i < 100; i++) {
        const struct fake_job *j = fake_offer(&w, (uint32_t)i / 10, BASE_TASK_MAP);

        CU_ASSERT_PTR_EQUAL(j, i < 62 ? b : a);
    }
    CU_ASSERT_EQUAL(w.breaches, 0);
    fake_free(&w);
}

/* A slot that becomes free when all jobs have their targets goes to the shortest job with pending
 * work. */
static void test_beyond_targets(void)
{
    struct fake w;
    struct fake_job *a, *b;

    fake_init(&w, &policy_hsrtf_pr, NULL, 1, 10, 1);
    a = fake_job(&w, 40, S(10), 0, 0);
    b = fake_job(&w, 10, S(10), 0, 0);
    fake_sizes(a, true, false);
    fake_sizes(b, true, false);
    fake_arrive(&w, a);
    fake_arrive(&w, b);
    explained(&w, a, "0 of 4 map slots"); /* 3.85 and 6.15 */
    explained(&w, b, "0 of 6 map slots");
    run_some(&w, a, BASE_TASK_MAP, 4);
    for (int i = 0; i < 5; i++)
        fake_start(&w, b, BASE_TASK_MAP, i, 0);
    CU_ASSERT_PTR_EQUAL(fake_peek(&w, 0, BASE_TASK_MAP), b);
    fake_start(&w, b, BASE_TASK_MAP, 5, 0);
    /* no job is below its target: the shorter one gets the slot */
    CU_ASSERT_PTR_EQUAL(fake_peek(&w, 0, BASE_TASK_MAP), b);
    fake_free(&w);
}

/* A job that brings its first reduces between epochs gets its part at once. */
static void test_new_demand(void)
{
    struct fake w;
    struct fake_job *a, *b;

    fake_init(&w, &policy_hsrtf_pr, NULL, 4, 4, 4);
    a = sort_job(&w, 1, 8);
    b = sort_job(&w, 1, 8);
    explained(&w, a, "0 of 0 reduce slots");
    run_some(&w, a, BASE_TASK_MAP, 1);
    w.now_us += S(5);
    fake_end(&w, &a->task[BASE_TASK_MAP][0]);
    explained(&w, a, "0 of 8 reduce slots");
    explained(&w, b, "0 of 0 reduce slots");
    epoch(&w);
    explained(&w, a, "0 of 8 reduce slots"); /* nobody else wants any */
    fake_free(&w);
}

/* ---------------------------------------------------------------- killing */
/* Fills the cluster with tasks of one long job, *longer; then a short job of @n maps arrives, and
 * is returned. */
static struct fake_job *crowd(struct fake *w, const struct policy_ops *ops,
                              struct fake_job **longer, int32_t n)
{
    struct fake_job *small;

    fake_init(w, ops, NULL, 2, 4, 1);
    *longer = fake_job(w, 40, S(100), 0, 0);
    fake_sizes(*longer, true, false);
    fake_arrive(w, *longer);
    for (uint32_t i = 0; i < 8; i++)
        CU_ASSERT_PTR_EQUAL(fake_offer(w, i / 4, BASE_TASK_MAP), *longer);
    w->now_us += S(20);
    small = fake_job(w, n, S(10), 0, 0);
    fake_sizes(small, true, false);
    fake_arrive(w, small);
    return small;
}

static void test_no_killing(void)
{
    struct fake w;
    struct fake_job *a;

    crowd(&w, &policy_hsrtf_pu, &a, 3);
    CU_ASSERT_EQUAL(fake_victims(&w, 0, BASE_TASK_MAP), 0);
    fake_free(&w);
    crowd(&w, &policy_hsrtf_pr, &a, 3);
    CU_ASSERT_EQUAL(fake_victims(&w, 0, BASE_TASK_MAP), 0);
    fake_free(&w);
}

static void test_kill_one_per_slot(void)
{
    struct fake w;
    struct fake_job *a, *small = crowd(&w, &policy_hsrtf_pup, &a, 6);

    w.kill_us = S(3);
    for (int i = 0; i < 4; i++)
        a->task[BASE_TASK_MAP][i].progress = i == 2 ? 0.1 : 0.5 + 0.1 * i;
    CU_ASSERT_EQUAL(fake_victims(&w, 0, BASE_TASK_MAP), 4);
    CU_ASSERT_EQUAL(fake_victims(&w, 1, BASE_TASK_MAP), 2); /* four slots are being freed already */
    CU_ASSERT_EQUAL(fake_victims(&w, 1, BASE_TASK_MAP), 0);
    w.now_us += S(3);
    fake_report(&w, 0);
    fake_report(&w, 1);
    CU_ASSERT_EQUAL(w.kills, 6);
    for (int i = 0; i < 6; i++)
        CU_ASSERT_PTR_EQUAL(fake_offer(&w, i < 4 ? 0 : 1, BASE_TASK_MAP), small);
    CU_ASSERT_EQUAL(w.breaches, 0);
    fake_free(&w);
}

static void test_kill_least_progress(void)
{
    struct fake w;
    struct fake_job *a;

    crowd(&w, &policy_hsrtf_pup, &a, 1);
    w.kill_us = S(3);
    for (int i = 0; i < 4; i++)
        a->task[BASE_TASK_MAP][i].progress = i == 2 ? 0.1 : 0.5 + 0.1 * i;
    CU_ASSERT_EQUAL(fake_victims(&w, 0, BASE_TASK_MAP), 1);
    for (int i = 0; i < 4; i++)
        CU_ASSERT_EQUAL(a->task[BASE_TASK_MAP][i].kill_at_us > 0, i == 2);
    fake_free(&w);
}

/* No task is killed for a job with the same remaining time, even when that job came earlier. */
static void test_kill_strictly_longer(void)
{
    struct fake w;
    struct fake_job *a, *b;

    fake_init(&w, &policy_hsrtf_pup, NULL, 1, 4, 1);
    a = fake_job(&w, 4, S(10), 0, 0);
    fake_arrive(&w, a);
    b = fake_job(&w, 4, S(10), 0, 0);
    fake_arrive(&w, b);
    for (int32_t i = 0; i < 4; i++)
        fake_start(&w, b, BASE_TASK_MAP, i, 0);
    CU_ASSERT_EQUAL(a->pj.phase[BASE_TASK_MAP].pending, 4);
    CU_ASSERT_EQUAL(fake_victims(&w, 0, BASE_TASK_MAP), 0);
    fake_free(&w);
}

/* A task that was killed is left alone for ten seconds, even when it is the only one. */
static void test_kill_guard(void)
{
    struct fake w;
    struct fake_job *a, *b, *c;

    fake_init(&w, &policy_hsrtf_pup, NULL, 1, 1, 1);
    a = fake_job(&w, 5, S(100), 0, 0);
    fake_sizes(a, true, false);
    fake_arrive(&w, a);
    fake_start(&w, a, BASE_TASK_MAP, 0, 0);
    w.now_us += S(1);
    b = fake_job(&w, 1, S(2), 0, 0);
    fake_sizes(b, true, false);
    fake_arrive(&w, b);
    CU_ASSERT_EQUAL(fake_victims(&w, 0, BASE_TASK_MAP), 1);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 0, BASE_TASK_MAP), b);
    w.now_us += S(2);
    fake_report(&w, 0);
    CU_ASSERT(b->gone);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 0, BASE_TASK_MAP), a);
    CU_ASSERT_EQUAL(a->task[BASE_TASK_MAP][0].state, FAKE_RUNS); /* the same task again */
    w.now_us += S(1);
    c = fake_job(&w, 1, S(2), 0, 0);
    fake_sizes(c, true, false);
    fake_arrive(&w, c);
    CU_ASSERT_EQUAL(fake_victims(&w, 0, BASE_TASK_MAP), 0);
    w.now_us += S(6.999999);
    CU_ASSERT_EQUAL(fake_victims(&w, 0, BASE_TASK_MAP), 0);
    w.now_us += 1;
    CU_ASSERT_EQUAL(fake_victims(&w, 0, BASE_TASK_MAP), 1);
    CU_ASSERT_EQUAL(a->task[BASE_TASK_MAP][0].kills, 2);
    fake_free(&w);
}

/* Two jobs whose estimates change with what they run, on one slot, do not kill each other's tasks
 * for ever: a task that was killed often is left alone for longer. */
static void test_kill_patience(void)
{
    struct fake w;
    struct fake_job *a, *b;

    fake_init(&w, &policy_hsrtf_pup, NULL, 1, 1, 1);
    a = fake_job(&w, 5, S(1000), 0, 0);
    fake_sizes(a, true, false);
    fake_arrive(&w, a);
    for (int i = 0; i < 8; i++) {
        fake_start(&w, a, BASE_TASK_MAP, 0, 0);
        w.now_us += S(i < 5 ? 10 : 10 << (i - 4));
        b = fake_job(&w, 1, S(1), 0, 0);
        fake_sizes(b, true, false);
        fake_arrive(&w, b);
        w.now_us--;
        CU_ASSERT(i == 0 || fake_victims(&w, 0, BASE_TASK_MAP) == 0);
        w.now_us++;
        CU_ASSERT_EQUAL(fake_victims(&w, 0, BASE_TASK_MAP), 1);
        CU_ASSERT_PTR_EQUAL(fake_offer(&w, 0, BASE_TASK_MAP), b);
        fake_end(&w, &b->task[BASE_TASK_MAP][0]);
    }
    fake_free(&w);
}

/* PrP kills as many tasks as the job lacks of its share, no more. Alone on the cluster the jobs
 * need 500 and 10 s, which gives shares of 1/51 and 50/51. With these they would need 4000 and 20
 * s, and the first has been there for 20 s already: they are slowed down 8.04 and 2 times, and get
 * 0.6 and 7.4 slots. */
static void test_kill_up_to_share(void)
{
    struct fake w;
    struct fake_job *a, *small = crowd(&w, &policy_hsrtf_prp, &a, 8);

    explained(&w, a, "8 of 1 map slots");
    explained(&w, small, "share 92.6%: 0 of 7 map slots");
    w.kill_us = S(3);
    CU_ASSERT_EQUAL(fake_victims(&w, 0, BASE_TASK_MAP), 4);
    CU_ASSERT_EQUAL(fake_victims(&w, 1, BASE_TASK_MAP), 3);
    fake_free(&w);
}

/* Tasks that an earlier policy has suspended are resumed. */
static void test_resumes(void)
{
    struct fake w;
    struct fake_job *a;

    fake_init(&w, &policy_srpt, NULL, 1, 2, 1);
    a = fake_job(&w, 2, S(50), 0, 0);
    fake_sizes(a, true, true);
    fake_arrive(&w, a);
    fake_offer_node(&w, 0);
    fake_arrive(&w, fake_job(&w, 1, S(10), 0, 0));
    fake_sizes(w.job[1], true, true);
    w.now_us += S(1);
    w.timer_us = w.now_us;
    fake_timer(&w);
    CU_ASSERT_EQUAL(fake_victims(&w, 0, BASE_TASK_MAP), 1);
    fake_switch(&w, &policy_hsrtf_pr);
    CU_ASSERT_EQUAL(a->pj.phase[BASE_TASK_MAP].suspended, 1);
    CU_ASSERT_EQUAL(a->pj.phase[BASE_TASK_MAP].pending, 0);
    fake_offer_node(&w, 0);
    w.now_us += S(10);
    fake_report(&w, 0);
    fake_offer_node(&w, 0);
    CU_ASSERT_EQUAL(a->pj.phase[BASE_TASK_MAP].running, 2);
    CU_ASSERT_EQUAL(w.breaches, 0);
    fake_free(&w);
}

/* Many jobs arrive at once: under Pu each finds its place at once, under Pr at the next epoch. */
static void test_many_at_once(void)
{
    static const struct policy_ops *const variants[] = {&policy_hsrtf_pu, &policy_hsrtf_pr};

    for (int v = 0; v < 4; v++) {
        struct policy_conf conf = one_option("hsrtf.tie", v % 2 ? "work" : "submit");
        struct fake w;
        int64_t last = 0;

        fake_init(&w, variants[v / 2], &conf, 1, 4, 1);
        for (int i = 0; i < 200; i++) {
            struct fake_job *j = fake_job(&w, 1, S(1 + i * 37 % 200), 0, 0);

            fake_sizes(j, true, false);
            fake_arrive(&w, j);
        }
        for (int pass = 0; pass < 2; pass++, epoch(&w)) {
            struct policy_offer offer = {
                .kind = BASE_TASK_MAP, .now_us = w.now_us, .capacity = &w.capacity};
            int n = 0;

            last = 0;
            for (struct policy_job *j = NULL; (j = w.ops->next(w.policy, &offer, j)); n++) {
                if (w.ops == &policy_hsrtf_pu || pass == 1)
                    CU_ASSERT(j->size[BASE_TASK_MAP].given_us >= last ||
                              n == 4); /* Pr: after those with a share */
                last = j->size[BASE_TASK_MAP].given_us;
            }
            CU_ASSERT_EQUAL(n, 200);
        }
        fake_free(&w);
    }
}

static void test_options(void)
{
    struct policy_conf conf = {0};
    struct base_error err;

    CU_ASSERT(policy_conf_set(&conf, "hsrtf.tie", "name", &err) < 0);
    CU_ASSERT(policy_conf_set(&conf, "hsrtf.epoch", "0", &err) < 0);
    CU_ASSERT(policy_conf_set(&conf, "creel.hsrtf.kill-guard", "-1", &err) < 0);
    CU_ASSERT_EQUAL(policy_conf_set(&conf, "creel.hsrtf.kill-guard", "2.5", &err), 0);
    CU_ASSERT_EQUAL(policy_conf_us(&conf, policy_hsrtf_pu.options, "hsrtf.kill_guard"), 2500000);
    policy_conf_free(&conf);
}

static const struct cunit_case cases[] = {
    {"equations 1 and 2 on the paper's cluster", test_remaining_time},
    {"absurd sizes", test_absurd},
    {"equations 3 and 4, surplus", test_shares},
    {"equation 5", test_starvation},
    {"targets: random claims", test_targets},
    {"Pu: order and ties", test_order},
    {"fluid remaining time", test_fluid_order},
    {"estimates", test_estimates},
    {"selectivity", test_selectivity},
    {"estimates of the last job", test_last_job},
    {"Pr: shares", test_proportional},
    {"Pr: beyond targets", test_beyond_targets},
    {"Pr: new demand between epochs", test_new_demand},
    {"Pu, Pr: no killing", test_no_killing},
    {"PuP: one kill for each claimed slot", test_kill_one_per_slot},
    {"PuP: least progress", test_kill_least_progress},
    {"PuP: strictly longer", test_kill_strictly_longer},
    {"PuP: a killed task is left alone", test_kill_guard},
    {"PuP: a task that was killed often", test_kill_patience},
    {"PrP: up to its share", test_kill_up_to_share},
    {"suspended tasks of another policy", test_resumes},
    {"many at once", test_many_at_once},
    {"options", test_options},
};
CUNIT_MAIN("hsrtf", cases)
