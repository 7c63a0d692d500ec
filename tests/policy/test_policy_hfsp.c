/* Goal: HFSP's two levels at policy level: guesses, samples, estimates, the order of
 * training, late jobs, claims and their bounds, what is carried over a change of policy, and its
 * words. Method: a small world of slots around the policy; sizes are read from its state. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "policies/hfsp/hfsp_internal.h"
#include "policies/options.h"
#include "policies/registry.h"
#include "tests/policy/policy_fake.h"
#include "tests/unit/cunit_main.h"

#define S FAKE_SECOND

static void start(struct fake *w, const struct policy_ops *ops, const char *options, uint32_t nodes,
                  int32_t maps, int32_t reduces)
{
    struct policy_conf conf = {0};
    char text[256], *at = text;
    struct base_error err;

    snprintf(text, sizeof text, "%s", options);
    for (char *word; (word = strsep(&at, " ")) && *word;) {
        char *value = strchr(word, '=');

        *value++ = '\0';
        if (policy_conf_set(&conf, word, value, &err) < 0) {
            printf("%s\n", err.text);
            CU_FAIL("an option");
        }
    }
    fake_init(w, ops, &conf, nodes, maps, reduces);
}

static const struct hfsp_phase *phase(const struct fake_job *j, enum base_task_kind kind)
{
    return hfsp_phase_of(&j->pj, kind);
}

static double left_s(const struct fake *w, const struct fake_job *j, enum base_task_kind kind)
{
    return virtual_cluster_left(w->policy->kind[kind].vc, phase(j, kind)->virtual) / 1e6;
}

static struct fake_job *arrive(struct fake *w, int32_t maps, double map_s, int32_t reduces,
                               double reduce_s)
{
    struct fake_job *j =
        fake_job(w, maps, (int64_t)(map_s * 1e6), reduces, (int64_t)(reduce_s * 1e6));

    fake_sizes(j, true, true);
    CU_ASSERT(fake_arrive(w, j));
    return j;
}

/* ---------------------------------------------------------------- sizes */
static void test_first_guess(void)
{
    struct fake w;
    struct fake_job *j;

    start(&w, &policy_hfsp, "", 2, 4, 1);
    j = arrive(&w, 10, 1, 0, 0);
    /* nothing is known yet: 60 s a task */
    CU_ASSERT_EQUAL(phase(j, BASE_TASK_MAP)->size_us, 600.0 * S);
    CU_ASSERT_EQUAL(phase(j, BASE_TASK_REDUCE)->state, HFSP_ABSENT);
    fake_free(&w);
    start(&w, &policy_hfsp, "hfsp.xi=1.5 hfsp.initial_map=7", 2, 4, 1);
    w.learned.kind[BASE_TASK_MAP].us[0] = 20 * S; /* mean of the last two: 30 s */
    w.learned.kind[BASE_TASK_MAP].us[1] = 40 * S;
    w.learned.kind[BASE_TASK_MAP].sum_us = 60 * S;
    w.learned.kind[BASE_TASK_MAP].n = w.learned.kind[BASE_TASK_MAP].at = 2;
    j = arrive(&w, 40, 1, 0, 0);
    CU_ASSERT_EQUAL(phase(j, BASE_TASK_MAP)->state, HFSP_TRAINING);
    CU_ASSERT_EQUAL(phase(j, BASE_TASK_MAP)->size_us, 1800.0 * S);
    CU_ASSERT_DOUBLE_EQUAL(left_s(&w, j, BASE_TASK_MAP), 1800, 1e-9);
    fake_free(&w);
}

/* 20 maps, samples of 9, 10, 11, 10, 10 s: 200 s in all, 150 left. */
static struct fake_job *train_started(struct fake *w, double first_s)
{
    static const double s[5] = {9, 10, 11, 10, 10};
    struct fake_job *j;
    int64_t from;

    j = arrive(w, 20, 10, 0, 0);
    j->task[BASE_TASK_MAP][0].needs_us = (int64_t)(first_s * 1e6);
    for (int i = 1; i < 5; i++)
        j->task[BASE_TASK_MAP][i].needs_us = (int64_t)(s[i] * 1e6);
    from = w->now_us;
    for (uint32_t i = 0; i < 5; i++)
        CU_ASSERT_PTR_EQUAL(fake_offer(w, i, BASE_TASK_MAP), j);
    for (int t = 9; t <= 11; t++)
        for (int i = 0; i < 5; i++)
            if (j->task[BASE_TASK_MAP][i].state == FAKE_RUNS &&
                fake_ends_at(w, &j->task[BASE_TASK_MAP][i]) <= from + t * S) {
                w->now_us = from + t * S;
                CU_ASSERT_EQUAL(phase(j, BASE_TASK_MAP)->state, HFSP_TRAINING);
                fake_end(w, &j->task[BASE_TASK_MAP][i]);
            }
    CU_ASSERT_EQUAL(phase(j, BASE_TASK_MAP)->state, HFSP_SIZED);
    return j;
}

static struct fake_job *train(struct fake *w, const char *options, double first_s)
{
    start(w, &policy_hfsp, options, 5, 1, 1);
    return train_started(w, first_s);
}

static void test_training_update(void)
{
    struct fake w;
    struct fake_job *j = train(&w, "", 9), *k;

    CU_ASSERT_DOUBLE_EQUAL(phase(j, BASE_TASK_MAP)->size_us, 200e6, 1);
    CU_ASSERT_DOUBLE_EQUAL(left_s(&w, j, BASE_TASK_MAP), 150, 1e-6);
    CU_ASSERT_EQUAL(
        virtual_cluster_tasks(w.policy->kind[BASE_TASK_MAP].vc, phase(j, BASE_TASK_MAP)->virtual),
        15);
    k = arrive(&w, 4, 1, 0, 0); /* guessed by the mean of the estimated job */
    CU_ASSERT_EQUAL(phase(k, BASE_TASK_MAP)->size_us, 40e6);
    fake_free(&w);
    /* by virtual service: 11 s on 5 slots */
    j = train(&w, "hfsp.resize=virtual", 9);
    CU_ASSERT_DOUBLE_EQUAL(left_s(&w, j, BASE_TASK_MAP), 145, 1e-6);
    fake_free(&w);
    /* a uniform distribution through 9, 10, 10, 10, 11 has the same total */
    j = train(&w, "hfsp.estimator=uniform", 9);
    CU_ASSERT_DOUBLE_EQUAL(phase(j, BASE_TASK_MAP)->size_us, 200e6, 10);
    fake_free(&w);
    for (int f = 0; f < ESTIMATOR_FAMILIES; f++) {
        static const char *const names[] = {"mean",      "uniform",     "normal",
                                            "lognormal", "exponential", "weibull"};
        char option[64];

        snprintf(option, sizeof option, "hfsp.estimator=%s", names[f]);
        j = train(&w, option, 9);
        CU_ASSERT(phase(j, BASE_TASK_MAP)->size_us > 100e6 &&
                  phase(j, BASE_TASK_MAP)->size_us < 300e6);
        CU_ASSERT_DOUBLE_EQUAL(left_s(&w, j, BASE_TASK_MAP),
                               phase(j, BASE_TASK_MAP)->size_us / 1e6 - 50, 1e-3);
        fake_free(&w);
    }
}

static void test_known_sizes(void)
{
    struct fake w;
    struct fake_job *j;

    start(&w, &policy_hfsp, "hfsp.sizes=given", 2, 4, 1);
    j = fake_job(&w, 4, 10 * S, 2, 30 * S);
    j->task[BASE_TASK_MAP][0].needs_us = 40 * S;
    fake_sizes(j, true, false);
    fake_arrive(&w, j);
    CU_ASSERT_EQUAL(phase(j, BASE_TASK_MAP)->state, HFSP_SIZED);
    CU_ASSERT_DOUBLE_EQUAL(left_s(&w, j, BASE_TASK_MAP), 70, 1e-9);
    /* the longest task is known: 40 s, however many slots there are */
    hfsp_rank_anew(w.policy, BASE_TASK_MAP);
    CU_ASSERT_EQUAL(virtual_cluster_finish_us(w.policy->kind[BASE_TASK_MAP].vc,
                                              phase(j, BASE_TASK_MAP)->virtual) -
                        w.now_us,
                    40 * S);
    CU_ASSERT_DOUBLE_EQUAL(left_s(&w, j, BASE_TASK_REDUCE), 60, 1e-9);
    j = fake_job(&w, 4, 10 * S, 0, 0); /* nothing is given: it trains */
    fake_arrive(&w, j);
    CU_ASSERT_EQUAL(phase(j, BASE_TASK_MAP)->state, HFSP_TRAINING);
    fake_free(&w);
    start(&w, &policy_hfsp, "hfsp.sizes=true hfsp.min_tasks=3", 2, 4, 1);
    j = arrive(&w, 2, 10, 0, 0);
    CU_ASSERT_DOUBLE_EQUAL(left_s(&w, j, BASE_TASK_MAP), 20, 1e-9);
    fake_free(&w);
    start(&w, &policy_hfsp, "hfsp.min_tasks=3", 2, 4, 1);
    j = arrive(&w, 2, 10, 0, 0);
    CU_ASSERT_EQUAL(phase(j, BASE_TASK_MAP)->state, HFSP_SIZED);
    CU_ASSERT_EQUAL(left_s(&w, j, BASE_TASK_MAP), 0);
    fake_free(&w);
}

/* The factor that the core answers with: a half for maps, double for reduces. */
static double half_or_double(void *core, const struct policy_job *job, enum base_task_kind kind)
{
    (void)core;
    CU_ASSERT_PTR_NOT_NULL(job);
    return kind == BASE_TASK_MAP ? 0.5 : 2;
}

static void test_size_factor(void)
{
    struct fake w;
    struct fake_job *j;

    start(&w, &policy_hfsp, "hfsp.sizes=given", 2, 4, 1);
    w.env.size_factor = half_or_double;
    j = arrive(&w, 10, 10, 4, 20);
    CU_ASSERT_EQUAL(phase(j, BASE_TASK_MAP)->size_us, 50e6);
    CU_ASSERT_EQUAL(phase(j, BASE_TASK_REDUCE)->size_us, 160e6);
    fake_free(&w);
    start(&w, &policy_hfsp, "hfsp.sizes=true", 2, 4, 1);
    w.env.size_factor = half_or_double;
    j = arrive(&w, 10, 10, 0, 0);
    CU_ASSERT_EQUAL(phase(j, BASE_TASK_MAP)->size_us, 50e6);
    fake_free(&w);
    start(&w, &policy_hfsp, "", 5, 1, 1);
    w.env.size_factor = half_or_double;
    j = train_started(&w, 9); /* at the end of training, not before */
    CU_ASSERT_DOUBLE_EQUAL(phase(j, BASE_TASK_MAP)->size_us, 100e6, 10);
    fake_free(&w);
}

/* Delta 60 s: a score of .75 is a quarter of the function, so 240 s a reduce. */
static void test_reduces_in_delta(void)
{
    struct fake w;
    struct fake_job *j;

    start(&w, &policy_hfsp, "", 5, 1, 1);
    j = arrive(&w, 0, 0, 20, 240);
    for (uint32_t i = 0; i < 5; i++)
        CU_ASSERT_PTR_EQUAL(fake_offer(&w, i, BASE_TASK_REDUCE), j);
    for (uint32_t i = 0; i < 5; i++)
        fake_report(&w, i);
    w.now_us += 59 * S;
    for (uint32_t i = 0; i < 5; i++)
        fake_report(&w, i);
    CU_ASSERT_EQUAL(phase(j, BASE_TASK_REDUCE)->measured, 0);
    w.now_us += 1 * S;
    for (uint32_t i = 0; i < 4; i++)
        fake_report(&w, i);
    CU_ASSERT_EQUAL(phase(j, BASE_TASK_REDUCE)->measured, 4);
    CU_ASSERT_EQUAL(phase(j, BASE_TASK_REDUCE)->sample[0].lasts_us, 240 * S);
    CU_ASSERT_EQUAL(phase(j, BASE_TASK_REDUCE)->state, HFSP_TRAINING);
    fake_report(&w, 4);
    CU_ASSERT_EQUAL(phase(j, BASE_TASK_REDUCE)->state, HFSP_SIZED);
    CU_ASSERT_DOUBLE_EQUAL(phase(j, BASE_TASK_REDUCE)->size_us, 4800e6, 10);
    CU_ASSERT_DOUBLE_EQUAL(left_s(&w, j, BASE_TASK_REDUCE), 4500, 1e-3);
    fake_free(&w);
}

/* ---------------------------------------------------------------- training */
static void test_training_order(void)
{
    struct fake w;
    struct fake_job *big, *small;

    start(&w, &policy_hfsp, "", 10, 1, 1);
    big = arrive(&w, 30, 10, 0, 0);
    small = arrive(&w, 2, 10, 0, 0);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 0, BASE_TASK_MAP), small);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 1, BASE_TASK_MAP), small);
    for (uint32_t i = 2; i < 8; i++)
        CU_ASSERT_PTR_EQUAL(fake_offer(&w, i, BASE_TASK_MAP),
                            big); /* its sample, then the job scheduler */
    CU_ASSERT_EQUAL(phase(big, BASE_TASK_MAP)->started, 5);
    CU_ASSERT_EQUAL(big->pj.phase[BASE_TASK_MAP].running, 6);
    fake_free(&w);
    start(&w, &policy_hfsp, "hfsp.train_order=most", 10, 1, 1);
    big = arrive(&w, 30, 10, 0, 0);
    fake_offer(&w, 0, BASE_TASK_MAP);
    small = arrive(&w, 2, 10, 0, 0);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 1, BASE_TASK_MAP), big);
    fake_free(&w);
}

/* Three jobs and three training slots: one each. What training does not use goes to the job
 * scheduler, and back. */
static void test_training_share(void)
{
    struct fake w;
    struct fake_job *known, *a, *b, *c;

    start(&w, &policy_hfsp, "hfsp.train_map_slots=3 hfsp.sizes=given", 10, 1, 1);
    known = arrive(&w, 2, 10, 0, 0);
    for (int i = 0; i < 3; i++) {
        struct fake_job *j = fake_job(&w, 10 + i, 10 * S, 0, 0); /* of unknown size */

        fake_arrive(&w, j);
        *(i == 0 ? &a : i == 1 ? &b : &c) = j;
    }
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 0, BASE_TASK_MAP), a);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 1, BASE_TASK_MAP), b);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 2, BASE_TASK_MAP), c);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 3, BASE_TASK_MAP), known); /* training has its three slots */
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 4, BASE_TASK_MAP), known);
    for (uint32_t i = 5; i < 10; i++)
        CU_ASSERT_PTR_NOT_NULL(fake_offer(&w, i, BASE_TASK_MAP)); /* nothing stays idle */
    fake_free(&w);
}

static void test_xi_without_bound(void)
{
    struct fake w;
    struct fake_job *j;

    start(&w, &policy_hfsp, "hfsp.xi=inf", 10, 1, 1);
    j = arrive(&w, 20, 10, 0, 0);
    for (uint32_t i = 0; i < 5; i++)
        CU_ASSERT_PTR_EQUAL(fake_offer(&w, i, BASE_TASK_MAP), j);
    CU_ASSERT_PTR_NULL(fake_offer(&w, 5, BASE_TASK_MAP));
    CU_ASSERT_EQUAL(w.held, 1); /* and that is meant */
    CU_ASSERT_EQUAL(w.breaches, 0);
    fake_free(&w);
}

/* A sample that is killed is replaced. */
static void test_sample_lost(void)
{
    struct fake w;
    struct fake_job *j;
    struct policy_task_end end = {.killed = true};

    start(&w, &policy_hfsp, "", 10, 1, 1);
    j = arrive(&w, 20, 10, 0, 0);
    for (uint32_t i = 0; i < 5; i++)
        fake_offer(&w, i, BASE_TASK_MAP);
    CU_ASSERT_EQUAL(hfsp_train_need(phase(j, BASE_TASK_MAP)), 0);
    end.task = 2;
    end.node = 2;
    end.ended_us = w.now_us + S;
    w.ops->on_task_ended(w.policy, &j->pj, BASE_TASK_MAP, &end);
    CU_ASSERT_EQUAL(hfsp_train_need(phase(j, BASE_TASK_MAP)), 1);
    CU_ASSERT_EQUAL(w.policy->kind[BASE_TASK_MAP].training_running, 4);
    fake_free(&w);
}

/* Also one that was measured already, as a reduce is that still runs: its measure goes with it. */
static void test_measured_sample_lost(void)
{
    struct fake w;
    struct fake_job *j;
    struct policy_task_end end = {.killed = true};

    start(&w, &policy_hfsp, "", 6, 1, 1);
    j = arrive(&w, 0, 0, 20, 240);
    for (uint32_t i = 0; i < 5; i++)
        CU_ASSERT_PTR_EQUAL(fake_offer(&w, i, BASE_TASK_REDUCE), j);
    for (uint32_t i = 0; i < 5; i++)
        fake_report(&w, i);
    w.now_us += 60 * S;
    for (uint32_t i = 0; i < 4; i++)
        fake_report(&w, i);
    CU_ASSERT_EQUAL(phase(j, BASE_TASK_REDUCE)->measured, 4);
    end.task = phase(j, BASE_TASK_REDUCE)->sample[0].task;
    end.ended_us = w.now_us;
    w.ops->on_task_ended(w.policy, &j->pj, BASE_TASK_REDUCE, &end);
    CU_ASSERT_EQUAL(phase(j, BASE_TASK_REDUCE)->measured, 3);
    CU_ASSERT_EQUAL(hfsp_train_need(phase(j, BASE_TASK_REDUCE)), 1);
    fake_report(&w, 4); /* the fifth is measured: four of five are */
    CU_ASSERT_EQUAL(phase(j, BASE_TASK_REDUCE)->state, HFSP_TRAINING);
    CU_ASSERT_EQUAL(phase(j, BASE_TASK_REDUCE)->measured, 4);
    fake_free(&w);
}

/* ---------------------------------------------------------------- order */
static void test_carried_over(void)
{
    struct fake w;
    struct fake_job *j, *k;

    start(&w, &policy_fifo, "", 10, 1, 1);
    j = arrive(&w, 20, 10, 0, 0);
    k = arrive(&w, 20, 30, 0, 0);
    for (uint32_t i = 0; i < 5; i++)
        CU_ASSERT_PTR_EQUAL(fake_offer(&w, i, BASE_TASK_MAP), j);
    w.now_us += 10 * S;
    for (uint32_t i = 0; i < 5; i++)
        fake_report(&w, i);
    for (uint32_t i = 0; i < 2; i++)
        CU_ASSERT_PTR_EQUAL(fake_offer(&w, i, BASE_TASK_MAP), j);
    fake_start(&w, k, BASE_TASK_MAP, 0, 2);
    w.now_us += 4 * S;
    fake_switch(&w, &policy_hfsp);
    /* five of its tasks have been seen */
    CU_ASSERT_EQUAL(phase(j, BASE_TASK_MAP)->state, HFSP_SIZED);
    CU_ASSERT_DOUBLE_EQUAL(phase(j, BASE_TASK_MAP)->size_us, 200e6, 1);
    CU_ASSERT_DOUBLE_EQUAL(left_s(&w, j, BASE_TASK_MAP), 142, 1e-6); /* two have run for 4 s */
    CU_ASSERT_EQUAL(phase(k, BASE_TASK_MAP)->state, HFSP_TRAINING);
    CU_ASSERT_EQUAL(phase(k, BASE_TASK_MAP)->started, 1);     /* what runs is of its sample */
    CU_ASSERT_EQUAL(phase(k, BASE_TASK_MAP)->size_us, 200e6); /* guessed by the other's tasks */
    fake_free(&w);
}

static void test_reduces_when_ready(void)
{
    struct fake w;
    struct fake_job *j;

    start(&w, &policy_hfsp, "hfsp.sizes=given hfsp.reduce_virtual=ready", 2, 1, 1);
    j = arrive(&w, 2, 10, 2, 20);
    CU_ASSERT_EQUAL(phase(j, BASE_TASK_REDUCE)->state, HFSP_ABSENT);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 0, BASE_TASK_MAP), j);
    w.now_us += 10 * S;
    fake_report(&w, 0);
    CU_ASSERT_EQUAL(phase(j, BASE_TASK_REDUCE)->state, HFSP_SIZED);
    CU_ASSERT_DOUBLE_EQUAL(left_s(&w, j, BASE_TASK_REDUCE), 40, 1e-9);
    fake_free(&w);
}

/* Two late jobs: one after the other by default, in turns under PSBS, and before everybody else. */
static void late_jobs(const struct policy_ops *ops, const char *options, bool turns)
{
    struct fake w;
    struct fake_job *a, *b, *c;

    start(&w, ops, options, 8, 1, 1);
    a = arrive(&w, 8, 10, 0, 0);
    b = arrive(&w, 8, 10, 0, 0);
    w.now_us += 100 * S; /* nothing ran: both are virtually over */
    c = arrive(&w, 1, 1, 0, 0);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 0, BASE_TASK_MAP), a);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 1, BASE_TASK_MAP), turns ? b : a);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 2, BASE_TASK_MAP), a);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 3, BASE_TASK_MAP), turns ? b : a);
    CU_ASSERT_EQUAL(c->pj.phase[BASE_TASK_MAP].running, 0);
    CU_ASSERT_EQUAL(phase(a, BASE_TASK_MAP)->late, turns);
    CU_ASSERT_EQUAL(phase(c, BASE_TASK_MAP)->late, false);
    fake_free(&w);
}

static void test_late(void)
{
    late_jobs(&policy_hfsp, "hfsp.sizes=given", false);
    late_jobs(&policy_hfsp, "hfsp.sizes=given hfsp.late=psbs", true);
    late_jobs(&policy_fsp, "", false);
    late_jobs(&policy_psbs, "", true);
}

static void test_weights(void)
{
    struct fake w;
    struct fake_job *light, *heavy;

    start(&w, &policy_hfsp, "hfsp.sizes=given", 4, 1, 1);
    light = arrive(&w, 40, 10, 0, 0);
    heavy = fake_job(&w, 60, 10 * S, 0, 0);
    fake_sizes(heavy, true, true);
    heavy->pj.weight = 3;
    fake_arrive(&w, heavy);
    CU_ASSERT_PTR_EQUAL(fake_peek(&w, 0, BASE_TASK_MAP), heavy); /* 600/3 before 400/1 */
    CU_ASSERT_PTR_NOT_EQUAL(fake_peek(&w, 0, BASE_TASK_MAP), light);
    fake_free(&w);
}

/* An application's totals grow with what it asks for. */
static void test_application(void)
{
    struct fake w;
    struct fake_job *j;

    start(&w, &policy_hfsp, "", 4, 1, 1);
    j = fake_job(&w, 6, 10 * S, 0, 0);
    j->pj.is_job = false;
    fake_arrive(&w, j);
    /* nobody would tell when a sample has ended */
    CU_ASSERT_EQUAL(phase(j, BASE_TASK_MAP)->state, HFSP_SIZED);
    CU_ASSERT_EQUAL(w.policy->kind[BASE_TASK_MAP].train[0].n, 0);
    CU_ASSERT_EQUAL(phase(j, BASE_TASK_MAP)->size_us, 360e6);
    j->pj.phase[BASE_TASK_MAP].total += 4;
    j->pj.phase[BASE_TASK_MAP].pending += 4;
    w.ops->on_job_changed(w.policy, &j->pj, BASE_TASK_MAP);
    CU_ASSERT_EQUAL(phase(j, BASE_TASK_MAP)->size_us, 600e6);
    CU_ASSERT_DOUBLE_EQUAL(left_s(&w, j, BASE_TASK_MAP), 600, 1e-6);
    j->pj.phase[BASE_TASK_MAP].total -= 4;
    j->pj.phase[BASE_TASK_MAP].pending -= 4;
    w.ops->on_job_changed(w.policy, &j->pj, BASE_TASK_MAP); /* it wants four less */
    CU_ASSERT_EQUAL(phase(j, BASE_TASK_MAP)->size_us, 360e6);
    CU_ASSERT_DOUBLE_EQUAL(left_s(&w, j, BASE_TASK_MAP), 360, 1e-6);
    j->pj.phase[BASE_TASK_MAP].running = 2;
    j->pj.phase[BASE_TASK_MAP].pending -= 2;
    w.ops->on_job_changed(w.policy, &j->pj, BASE_TASK_MAP);
    j->pj.phase[BASE_TASK_MAP].running = 0;
    j->pj.phase[BASE_TASK_MAP].total -= 2;
    w.ops->on_job_changed(w.policy, &j->pj, BASE_TASK_MAP); /* two have run: virtually they go on */
    CU_ASSERT_DOUBLE_EQUAL(left_s(&w, j, BASE_TASK_MAP), 360, 1e-6);
    fake_free(&w);
}

/* An application of many containers is no larger to HFSP than it asks for: a small job comes
 * first. */
static void test_application_waits(void)
{
    struct fake w;
    struct fake_job *app, *small;

    start(&w, &policy_hfsp, "hfsp.sizes=given", 4, 1, 1);
    app = fake_job(&w, 40, 10 * S, 0, 0);
    app->pj.is_job = false;
    fake_arrive(&w, app);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 0, BASE_TASK_MAP), app);
    small = arrive(&w, 2, 10, 0, 0);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 1, BASE_TASK_MAP), small);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 2, BASE_TASK_MAP), small);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 3, BASE_TASK_MAP), app);
    fake_free(&w);
}

/* Suspended attempts that end (their node is lost, say) are no longer claims of it. */
static void test_suspended_lost(void)
{
    struct fake w;
    struct fake_job *big, *small;
    struct policy_task_end end = {.killed = true, .suspended = true, .ended_us = 2 * S};

    start(&w, &policy_hfsp, "hfsp.sizes=given", 1, 2, 2);
    big = arrive(&w, 2, 100, 0, 0);
    fake_offer_node(&w, 0);
    small = arrive(&w, 2, 10, 0, 0);
    fake_offer_node(&w, 0);
    CU_ASSERT_EQUAL(phase(big, BASE_TASK_MAP)->held, 2);
    for (end.task = 0; end.task < 2; end.task++)
        w.ops->on_task_ended(w.policy, &big->pj, BASE_TASK_MAP, &end);
    CU_ASSERT_EQUAL(phase(big, BASE_TASK_MAP)->held, 0);
    CU_ASSERT_EQUAL(w.policy->kind[BASE_TASK_MAP].node[0].len, 0);
    CU_ASSERT_EQUAL(phase(small, BASE_TASK_MAP)->held, 0);
    fake_free(&w);
    /* one that is being measured: it did not run any more */
    start(&w, &policy_hfsp, "", 1, 4, 1);
    big = arrive(&w, 20, 10, 0, 0);
    fake_offer(&w, 0, BASE_TASK_MAP);
    fake_offer(&w, 0, BASE_TASK_MAP);
    w.ops->on_task_suspended(w.policy, &big->pj, BASE_TASK_MAP, 1, 0, true, w.now_us);
    end.task = 1;
    w.ops->on_task_ended(w.policy, &big->pj, BASE_TASK_MAP, &end);
    CU_ASSERT_EQUAL(w.policy->kind[BASE_TASK_MAP].training_running, 1);
    CU_ASSERT_EQUAL(phase(big, BASE_TASK_MAP)->running, 1);
    CU_ASSERT_EQUAL(hfsp_train_need(phase(big, BASE_TASK_MAP)), 4);
    fake_free(&w);
}

/* ---------------------------------------------------------------- the virtual cluster over time */
/* One slot, load 0.9, every size told twice too large: those that have ended leave what they did
 * not need. */
static void test_sizes_too_large(void)
{
    struct fake w;

    start(&w, &policy_hfsp, "hfsp.sizes=given", 1, 1, 1);
    for (int i = 0; i < 250; i++) {
        struct fake_job *j = fake_job(&w, 1, 9 * S, 0, 0);

        fake_sizes(j, true, false);
        j->pj.size[BASE_TASK_MAP].given_us *= 2;
        j->pj.size[BASE_TASK_MAP].given_max_us *= 2;
        fake_arrive(&w, j);
        CU_ASSERT_PTR_EQUAL(fake_offer(&w, 0, BASE_TASK_MAP), j);
        w.now_us += 9 * S;
        fake_end(&w, &j->task[BASE_TASK_MAP][0]);
        w.now_us += S;
    }
    CU_ASSERT(virtual_cluster_handles(w.policy->kind[BASE_TASK_MAP].vc) < 5);
    fake_free(&w);
}

/* A job that is killed takes its work with it, also from the virtual cluster: all of it (xi without
 * bound: very much).
 */
static void test_killed(void)
{
    struct fake w;
    struct fake_job *huge, *j, *k;
    struct virtual_cluster *vc;

    start(&w, &policy_hfsp, "hfsp.xi=inf", 2, 2, 1);
    vc = w.policy->kind[BASE_TASK_MAP].vc;
    huge = arrive(&w, 1000, 1000, 0, 0);
    w.ops->on_job_left(w.policy, &huge->pj, w.now_us);
    huge->here = false;
    j = arrive(&w, 4, 10, 0, 0);
    CU_ASSERT_EQUAL(phase(j, BASE_TASK_MAP)->virtual, 0); /* its place is free */
    k = arrive(&w, 4, 10, 0, 0);
    CU_ASSERT_EQUAL(virtual_cluster_rate(vc, phase(j, BASE_TASK_MAP)->virtual), 2);
    CU_ASSERT_EQUAL(virtual_cluster_rate(vc, phase(k, BASE_TASK_MAP)->virtual), 2);
    fake_free(&w);
}

/* Numbers that no job has: none of them disturbs the order. */
static void test_extremes(void)
{
    static const char *const options[] = {
        "hfsp.sizes=given hfsp.xi=1e300", "hfsp.sizes=given hfsp.order=remaining",
        "hfsp.sizes=given hfsp.late=psbs", "hfsp.sizes=given hfsp.virtual=slots"};

    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        const double weight[] = {1e-300, 1, 1e300};
        struct fake_job *j[3], *unknown;
        struct fake w;

        start(&w, &policy_hfsp, options[i], 4, 2, 1);
        for (int n = 0; n < 3; n++) {
            j[n] = fake_job(&w, 3, 10 * S, 1, 10 * S);
            fake_sizes(j[n], true, true);
            j[n]->pj.weight = weight[n];
            if (n == 0)
                j[n]->pj.size[BASE_TASK_MAP].given_us = j[n]->pj.size[BASE_TASK_MAP].given_max_us =
                    INT64_MAX;
            fake_arrive(&w, j[n]);
        }
        unknown = fake_job(&w, 1, 10 * S, 0, 0);
        fake_arrive(&w, unknown);
        hfsp_rank_anew(w.policy, BASE_TASK_MAP);
        CU_ASSERT(w.policy->kind[BASE_TASK_MAP].rank.rank[phase(j[1], BASE_TASK_MAP)->virtual] <
                  w.policy->kind[BASE_TASK_MAP].rank.rank[phase(j[0], BASE_TASK_MAP)->virtual]);
        CU_ASSERT_PTR_EQUAL(fake_offer(&w, 0, BASE_TASK_MAP), unknown);
        for (uint32_t n = 0; n < 4; n++)
            while (w.node[n].used[BASE_TASK_MAP] < 2)
                CU_ASSERT_PTR_NOT_NULL_FATAL(fake_offer(&w, n, BASE_TASK_MAP));
        w.now_us += 1000 * S;
        for (uint32_t n = 0; n < 4; n++)
            fake_report(&w, n);
        CU_ASSERT_PTR_NOT_NULL(fake_offer(&w, 0, BASE_TASK_MAP));
        fake_free(&w);
    }
}

/* Sizes that no integer holds when they are rounded: what is left of such a task is long, not the
 * opposite. */
static void test_sizes_beyond_bounds(void)
{
    for (int i = 0; i < 2; i++) {
        struct fake w;
        struct fake_job *j;

        start(&w, &policy_hfsp, i ? "hfsp.sizes=given hfsp.preemption=kill" : "hfsp.sizes=given", 1,
              1, 1);
        j = fake_job(&w, 1, 10 * S, 0, 0);
        j->pj.size[BASE_TASK_MAP].given_us = j->pj.size[BASE_TASK_MAP].given_max_us = INT64_MAX;
        fake_arrive(&w, j);
        CU_ASSERT_PTR_EQUAL(fake_offer(&w, 0, BASE_TASK_MAP), j);
        w.now_us += 10 * S;
        arrive(&w, 1, 10, 0, 0);
        CU_ASSERT_EQUAL(fake_victims(&w, 0, BASE_TASK_MAP), 1);
        fake_free(&w);
    }
}

/* No slots, then some, then none: nobody is lost, time without slots serves nobody. */
static void test_capacity(void)
{
    struct fake w;
    struct fake_job *j;

    start(&w, &policy_hfsp, "hfsp.sizes=given", 1, 0, 0);
    j = arrive(&w, 2, 10, 1, 10);
    w.now_us += 1000 * S;
    for (int32_t slots = 1; slots >= 0; slots--) {
        w.node[0].slots[BASE_TASK_MAP] = slots;
        w.capacity.slots[BASE_TASK_MAP] = slots;
        w.ops->on_capacity(w.policy, w.now_us);
        CU_ASSERT_DOUBLE_EQUAL(left_s(&w, j, BASE_TASK_MAP), slots ? 20 : 15, 1e-6);
        w.now_us += 5 * S;
    }
    hfsp_virtual_advance(w.policy, BASE_TASK_MAP);
    CU_ASSERT_DOUBLE_EQUAL(left_s(&w, j, BASE_TASK_MAP), 15, 1e-6);
    fake_free(&w);
}

/* ---------------------------------------------------------------- preemption */
static void fill(struct fake *w, uint32_t nodes, enum base_task_kind kind)
{
    for (uint32_t i = 0; i < nodes; i++)
        while (w->node[i].used[kind] < w->node[i].slots[kind] && fake_offer(w, i, kind))
            continue;
}

/* One node of two slots, ever smaller jobs: four are suspended, then everybody waits until two have
 * gone on. */
static void test_hysteresis(void)
{
    struct fake w;
    struct fake_job *j[4];

    start(&w, &policy_hfsp, "hfsp.sizes=given", 1, 2, 2);
    for (int i = 0; i < 4; i++) {
        j[i] = arrive(&w, 2, 100 - 20 * i, 0, 0);
        fake_offer_node(&w, 0);
        CU_ASSERT_EQUAL(w.node[0].suspended[BASE_TASK_MAP], i < 2 ? 2 * i : 4);
        w.now_us += S;
    }
    CU_ASSERT_EQUAL(j[2]->pj.phase[BASE_TASK_MAP].running, 2);
    CU_ASSERT_EQUAL(j[3]->pj.phase[BASE_TASK_MAP].running, 0); /* waits */
    CU_ASSERT_EQUAL(fake_victims(&w, 0, BASE_TASK_MAP), 0);
    fake_end(&w, &j[2]->task[BASE_TASK_MAP][0]);
    fake_offer_node(&w, 0); /* j3 is the smallest: it starts */
    CU_ASSERT_EQUAL(j[3]->pj.phase[BASE_TASK_MAP].running, 1);
    fake_end(&w, &j[2]->task[BASE_TASK_MAP][1]);
    fake_offer_node(&w, 0);
    CU_ASSERT_EQUAL(j[3]->pj.phase[BASE_TASK_MAP].running, 2);
    fake_end(&w, &j[3]->task[BASE_TASK_MAP][0]);
    fake_end(&w, &j[3]->task[BASE_TASK_MAP][1]);
    fake_offer_node(&w, 0); /* j1 goes on */
    CU_ASSERT_EQUAL(j[1]->pj.phase[BASE_TASK_MAP].running, 2);
    CU_ASSERT_EQUAL(w.node[0].suspended[BASE_TASK_MAP], 2);
    arrive(&w, 1, 1, 0, 0); /* two are suspended: as many as slots, so again */
    fake_offer_node(&w, 0);
    CU_ASSERT_EQUAL(w.node[0].suspended[BASE_TASK_MAP], 3);
    fake_free(&w);
}

static struct {
    bool (*running)(void *core, const struct policy_job *job, enum base_task_kind kind,
                    void **cursor, struct policy_running *out);
    int times;
} listed;

static bool count_asked(void *core, const struct policy_job *job, enum base_task_kind kind,
                        void **cursor, struct policy_running *out)
{
    listed.times++;
    return listed.running(core, job, kind, cursor, out);
}

/* A container that may never end has the slot of a suspended task: after as long as it had run, 10
 * s, the task starts anew elsewhere, if there is room. */
static void test_given_up(void)
{
    struct fake w;
    struct fake_job *big, *small, *app;
    struct fake_task *other;

    start(&w, &policy_hfsp, "hfsp.sizes=given", 2, 1, 1);
    big = arrive(&w, 1, 100, 0, 0);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 0, BASE_TASK_MAP), big);
    app = fake_job(&w, 2, 10 * S, 0, 0);
    app->pj.is_job = false;
    fake_arrive(&w, app);
    other = fake_start(&w, app, BASE_TASK_MAP, 1, 1);
    w.now_us += 10 * S;
    small = arrive(&w, 1, 5, 0, 0);
    CU_ASSERT_EQUAL(fake_victims(&w, 0, BASE_TASK_MAP), 1);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 0, BASE_TASK_MAP), small);
    w.now_us += 5 * S;
    fake_end(&w, &small->task[BASE_TASK_MAP][0]);
    fake_start(&w, app, BASE_TASK_MAP, 0, 0);
    w.now_us += 4 * S;
    fake_end(&w, other);
    listed.times = 0;
    listed.running = w.env.running;
    w.env.running = count_asked;
    CU_ASSERT_EQUAL(fake_victims(&w, 0, BASE_TASK_MAP), 0);
    /* it is the only one here: the rest of its job is not looked at */
    CU_ASSERT_EQUAL(listed.times, 1);
    w.now_us += S;
    w.capacity.used[BASE_TASK_MAP]++; /* no room elsewhere */
    CU_ASSERT_EQUAL(fake_victims(&w, 0, BASE_TASK_MAP), 0);
    w.capacity.used[BASE_TASK_MAP]--;
    CU_ASSERT_EQUAL(fake_victims(&w, 0, BASE_TASK_MAP), 1);
    CU_ASSERT_EQUAL(big->pj.phase[BASE_TASK_MAP].pending, 1);
    CU_ASSERT_EQUAL(phase(big, BASE_TASK_MAP)->held, 0);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 1, BASE_TASK_MAP), big);
    CU_ASSERT_EQUAL(w.breaches, 0);
    fake_free(&w);
}

/* One slot: a job of 100 s runs for 10 s when another comes that fair sharing would end first. Its
 * task is interrupted for one that is clearly shorter than the 90 s that are left; else it would
 * end later than the 100 s that fair sharing needs, and is spared. */
static int interrupted(const char *options, double seconds)
{
    struct fake w;
    struct fake_job *first;
    size_t n;

    start(&w, &policy_hfsp, options, 1, 1, 1);
    first = arrive(&w, 1, 100, 0, 0);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 0, BASE_TASK_MAP), first);
    w.now_us += 10 * S;
    arrive(&w, 1, seconds, 0, 0);
    n = fake_victims(&w, 0, BASE_TASK_MAP);
    CU_ASSERT_EQUAL(w.breaches, 0);
    fake_free(&w);
    return (int)n;
}

static void test_promise(void)
{
    static const char *const how[] = {"eager", "kill"};

    for (int i = 0; i < 2; i++) {
        char options[80];

        snprintf(options, sizeof options, "hfsp.sizes=given hfsp.preemption=%s", how[i]);
        CU_ASSERT_EQUAL(interrupted(options, 60), 1);
        CU_ASSERT_EQUAL(interrupted(options, i ? 86 : 76), 0); /* a killed one loses its 10 s too */
        strcat(options, " hfsp.promise=none");
        CU_ASSERT_EQUAL(interrupted(options, 85), 1);
    }
    CU_ASSERT_EQUAL(interrupted("hfsp.sizes=given", 74), 1); /* 90 is more than 1.2 times 74 */
}

/* Who has time waits: a job of ten tasks on one slot ends after 1,000 s under fair sharing too. */
static void test_promise_of_the_long(void)
{
    struct fake w;
    struct fake_job *big;

    start(&w, &policy_hfsp, "hfsp.sizes=given", 1, 1, 1);
    big = arrive(&w, 10, 100, 0, 0);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 0, BASE_TASK_MAP), big);
    w.now_us += 10 * S;
    arrive(&w, 1, 85, 0, 0);
    CU_ASSERT_EQUAL(fake_victims(&w, 0, BASE_TASK_MAP), 1);
    fake_free(&w);
}

/* A job that nobody knows: its tasks are no shorter than the one that would wait, whatever is
 * guessed. */
static void test_promise_and_guesses(void)
{
    struct fake w;
    struct fake_job *first, *other;

    start(&w, &policy_hfsp, "hfsp.sizes=given hfsp.initial_map=1", 1, 1, 1);
    first = arrive(&w, 1, 100, 0, 0);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 0, BASE_TASK_MAP), first);
    w.now_us += 10 * S;
    other = fake_job(&w, 1, 10 * S, 0, 0);
    fake_arrive(&w, other);
    CU_ASSERT_EQUAL(phase(other, BASE_TASK_MAP)->state, HFSP_TRAINING);
    CU_ASSERT_EQUAL(fake_victims(&w, 0, BASE_TASK_MAP), 0);
    fake_free(&w);
}

static int64_t fair_s(struct fake *w, const struct fake_job *j, enum base_task_kind kind)
{
    int64_t us;

    virtual_fair_advance(w->policy->fair, w->now_us);
    us = virtual_fair_finish_us(((struct hfsp_job *)j->pj.own)->fair, kind);
    return us == VIRTUAL_NEVER ? -1 : us / S;
}

/* What the virtual fair cluster is told: sizes that were measured, more tasks, more slots, and what
 * tasks really took. */
static void test_promise_is_told(void)
{
    struct fake w;
    struct fake_job *a, *b;
    int64_t from;

    start(&w, &policy_hfsp, "", 5, 1, 1);
    from = w.now_us / S;
    a = arrive(&w, 0, 0, 5, 240);
    for (uint32_t i = 0; i < 5; i++)
        CU_ASSERT_PTR_EQUAL(fake_offer(&w, i, BASE_TASK_REDUCE), a);
    for (uint32_t i = 0; i < 5; i++)
        fake_report(&w, i);
    w.now_us += 60 * S;
    CU_ASSERT_EQUAL(fair_s(&w, a, BASE_TASK_REDUCE), -1);
    for (uint32_t i = 0; i < 5; i++)
        fake_report(&w, i);
    CU_ASSERT_EQUAL(phase(a, BASE_TASK_REDUCE)->state, HFSP_SIZED);
    CU_ASSERT_EQUAL(fair_s(&w, a, BASE_TASK_REDUCE), from + 240);
    fake_free(&w);
    start(&w, &policy_hfsp, "hfsp.sizes=given", 1, 1, 1);
    from = w.now_us / S;
    a = arrive(&w, 1, 100, 0, 0);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 0, BASE_TASK_MAP), a);
    CU_ASSERT_EQUAL(fair_s(&w, a, BASE_TASK_MAP), from + 100);
    w.now_us += 1 * S;
    b = arrive(&w, 2, 50, 0, 0);
    CU_ASSERT_EQUAL(fair_s(&w, b, BASE_TASK_MAP), -1);
    a->task[BASE_TASK_MAP][0].needs_us = 10 * S; /* less than it said */
    w.now_us += 9 * S;
    fake_end(&w, &a->task[BASE_TASK_MAP][0]);
    CU_ASSERT(a->gone);
    CU_ASSERT_EQUAL(fair_s(&w, b, BASE_TASK_MAP), -1);
    w.capacity.slots[BASE_TASK_MAP]++;
    w.ops->on_capacity(w.policy, w.now_us);
    CU_ASSERT_EQUAL(fair_s(&w, b, BASE_TASK_MAP), from + 60); /* both tasks run there now */
    b->pj.phase[BASE_TASK_MAP].total++;
    b->pj.phase[BASE_TASK_MAP].pending++;
    w.ops->on_job_changed(w.policy, &b->pj, BASE_TASK_MAP);
    CU_ASSERT_EQUAL(fair_s(&w, b, BASE_TASK_MAP), -1);
    b->pj.phase[BASE_TASK_MAP].total--;
    b->pj.phase[BASE_TASK_MAP].pending--;
    w.ops->on_job_changed(w.policy, &b->pj, BASE_TASK_MAP);
    w.capacity.slots[BASE_TASK_MAP]--;
    fake_free(&w);
}

/* Two nodes with one slot. Both tasks that run are interrupted for a job of 300 s at 10 s; its task
 * on node 1 ends at @ends_s, the last in order goes on there. What is suspended on node 0 had run
 * for 10 s; it starts anew when it would wait for longer than that and a heartbeat. @tasks of that
 * job; more than two of them still want the slot. */
static void starts_anew(int32_t tasks, int64_t ends_s, bool anew)
{
    struct fake w;
    struct fake_job *last, *mine, *first;
    int64_t from;

    start(&w, &policy_hfsp, "hfsp.sizes=given", 2, 1, 1);
    from = w.now_us;
    last = arrive(&w, 9, 1000, 0, 0);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 1, BASE_TASK_MAP), last);
    mine = arrive(&w, 1, 1000, 0, 0);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 0, BASE_TASK_MAP), mine);
    w.now_us += 10 * S;
    first = arrive(&w, tasks, 300, 0, 0);
    for (uint32_t i = 0; i < 2; i++) {
        CU_ASSERT_EQUAL(fake_victims(&w, 1 - i, BASE_TASK_MAP), 1);
        CU_ASSERT_PTR_EQUAL(fake_offer(&w, 1 - i, BASE_TASK_MAP), first);
    }
    /* there is nothing that it could have now */
    CU_ASSERT_EQUAL(fake_victims(&w, 0, BASE_TASK_MAP), 0);
    w.now_us = from + ends_s * S;
    fake_end(&w, &first->task[BASE_TASK_MAP][0]);
    if (tasks == 2)
        CU_ASSERT_PTR_EQUAL(fake_offer(&w, 1, BASE_TASK_MAP), last);
    CU_ASSERT_EQUAL(fake_victims(&w, 0, BASE_TASK_MAP), anew);
    CU_ASSERT_EQUAL(mine->pj.phase[BASE_TASK_MAP].suspended, !anew);
    CU_ASSERT_EQUAL(mine->pj.phase[BASE_TASK_MAP].pending, anew);
    CU_ASSERT_EQUAL(phase(mine, BASE_TASK_MAP)->held, !anew);
    if (anew) {
        /* its task takes the other's slot */
        CU_ASSERT_EQUAL(fake_victims(&w, 1, BASE_TASK_MAP), 1);
        CU_ASSERT_PTR_EQUAL(fake_offer(&w, 1, BASE_TASK_MAP), mine);
    }
    CU_ASSERT_EQUAL(w.breaches, 0);
    fake_free(&w);
}

/* Attempts of two jobs are suspended on node 0, and one slot is behind them: one of them starts
 * anew for it. */
static void test_one_starts_anew(void)
{
    static const double sizes[] = {1000, 600, 300};
    struct fake w;
    struct fake_job *last, *app, *j[3];
    struct fake_task *other;

    start(&w, &policy_hfsp, "hfsp.sizes=given", 2, 1, 1);
    app = fake_job(&w, 1, 10 * S, 0, 0);
    app->pj.is_job = false;
    fake_arrive(&w, app);
    other = fake_start(&w, app, BASE_TASK_MAP, 0, 1);
    for (int i = 0; i < 3; i++, w.now_us += 10 * S) {
        j[i] = arrive(&w, 1, sizes[i], 0, 0);
        if (i > 0)
            CU_ASSERT_EQUAL(fake_victims(&w, 0, BASE_TASK_MAP), 1);
        CU_ASSERT_PTR_EQUAL(fake_offer(&w, 0, BASE_TASK_MAP), j[i]);
    }
    last = arrive(&w, 9, 1000, 0, 0);
    fake_end(&w, other);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 1, BASE_TASK_MAP), last);
    CU_ASSERT_EQUAL(w.node[0].suspended[BASE_TASK_MAP], 2);
    CU_ASSERT_EQUAL(fake_victims(&w, 0, BASE_TASK_MAP), 1);
    CU_ASSERT_EQUAL(j[0]->pj.phase[BASE_TASK_MAP].pending + j[1]->pj.phase[BASE_TASK_MAP].pending,
                    1);
    CU_ASSERT_EQUAL(w.breaches, 0);
    fake_free(&w);
}

static void test_starts_anew(void)
{
    starts_anew(2, 30, true);
    starts_anew(2, 24, false);  /* it was looked at less than 15 s ago */
    starts_anew(2, 298, true);  /* 12 s to wait */
    starts_anew(2, 299, false); /* 11: as long as it had run, and a heartbeat */
    starts_anew(3, 30, false);  /* the free slot is the other job's */
}

static void test_victims(void)
{
    struct fake w;
    struct fake_job *big, *medium, *small;

    /* wait: nobody; kill: as many as claimed, newest first */
    start(&w, &policy_hfsp, "hfsp.sizes=given hfsp.preemption=wait", 2, 2, 1);
    big = arrive(&w, 8, 100, 0, 0);
    fill(&w, 2, BASE_TASK_MAP);
    small = arrive(&w, 1, 10, 0, 0);
    CU_ASSERT_EQUAL(fake_victims(&w, 0, BASE_TASK_MAP), 0);
    fake_free(&w);
    start(&w, &policy_hfsp, "hfsp.sizes=given hfsp.preemption=kill", 2, 2, 1);
    w.kill_us = 3 * S;
    big = arrive(&w, 8, 100, 0, 0);
    for (uint32_t i = 0; i < 4; i++, w.now_us += S)
        CU_ASSERT_PTR_EQUAL(fake_offer(&w, i / 2, BASE_TASK_MAP), big);
    small = arrive(&w, 1, 10, 0, 0);
    CU_ASSERT_EQUAL(fake_victims(&w, 0, BASE_TASK_MAP), 1);
    CU_ASSERT(big->task[BASE_TASK_MAP][1].kill_at_us > 0);  /* the newest here */
    CU_ASSERT_EQUAL(fake_victims(&w, 1, BASE_TASK_MAP), 0); /* one is being freed already */
    fake_free(&w);
    /* those on other nodes that come later go first */
    start(&w, &policy_hfsp, "hfsp.sizes=given", 2, 2, 1);
    medium = arrive(&w, 2, 50, 0, 0);
    fill(&w, 1, BASE_TASK_MAP);
    big = arrive(&w, 8, 100, 0, 0);
    fill(&w, 2, BASE_TASK_MAP);
    CU_ASSERT_EQUAL(medium->pj.phase[BASE_TASK_MAP].running, 2);
    CU_ASSERT_EQUAL(big->pj.phase[BASE_TASK_MAP].running, 2);
    small = arrive(&w, 2, 10, 0, 0);
    CU_ASSERT_EQUAL(fake_victims(&w, 0, BASE_TASK_MAP), 0); /* the medium one's */
    CU_ASSERT_EQUAL(fake_victims(&w, 1, BASE_TASK_MAP), 2);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 1, BASE_TASK_MAP), small);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 1, BASE_TASK_MAP), small);
    CU_ASSERT_EQUAL(w.breaches, 0);
    fake_free(&w);
    /* nobody in training is a victim */
    start(&w, &policy_hfsp, "", 1, 2, 1);
    big = arrive(&w, 8, 100, 0, 0);
    fill(&w, 1, BASE_TASK_MAP);
    small = arrive(&w, 1, 10, 0, 0);
    CU_ASSERT_EQUAL(fake_victims(&w, 0, BASE_TASK_MAP), 0);
    fake_free(&w);
}

/* Nobody is suspended for a reduce that would wait for its maps. */
static void test_early_reduces(void)
{
    struct fake w;
    struct fake_job *big, *small;

    start(&w, &policy_hfsp, "hfsp.sizes=given", 1, 2, 1);
    big = arrive(&w, 0, 0, 4, 100);
    fill(&w, 1, BASE_TASK_REDUCE);
    small = arrive(&w, 2, 10, 1, 10);
    fill(&w, 1, BASE_TASK_MAP);
    w.now_us += 10 * S;
    fake_end(&w, &small->task[BASE_TASK_MAP][0]);
    CU_ASSERT_EQUAL(small->pj.phase[BASE_TASK_REDUCE].pending, 1);
    CU_ASSERT_EQUAL(fake_victims(&w, 0, BASE_TASK_REDUCE), 0);
    fake_end(&w, &small->task[BASE_TASK_MAP][1]);
    CU_ASSERT_EQUAL(fake_victims(&w, 0, BASE_TASK_REDUCE), 1);
    CU_ASSERT_EQUAL(big->pj.phase[BASE_TASK_REDUCE].suspended, 1);
    fake_free(&w);
}

/* A slot is asked for one task at a time where data has places, and of whoever runs there when it
 * is near. */
static enum policy_take take;
static int asked;

static enum policy_take takes_so(void *core, const struct policy_job *job, enum base_task_kind kind,
                                 uint32_t node)
{
    (void)core;
    (void)job;
    (void)kind;
    (void)node;
    asked++;
    return take;
}

static void test_claims_and_places(void)
{
    struct fake w;

    start(&w, &policy_hfsp, "hfsp.sizes=given", 2, 2, 1);
    w.env.takes = takes_so;
    arrive(&w, 2, 50, 0, 0);
    fill(&w, 1, BASE_TASK_MAP);
    arrive(&w, 8, 100, 0, 0);
    fill(&w, 2, BASE_TASK_MAP);
    arrive(&w, 2, 10, 0, 0);
    asked = 0;
    take = POLICY_DECLINES;
    CU_ASSERT_EQUAL(fake_victims(&w, 1, BASE_TASK_MAP), 0);
    CU_ASSERT_EQUAL(asked, 1); /* the larger ones claim nothing from jobs before them */
    take = POLICY_TAKES;
    /* the last job's are on the other node */
    CU_ASSERT_EQUAL(fake_victims(&w, 0, BASE_TASK_MAP), 0);
    CU_ASSERT_EQUAL(fake_victims(&w, 1, BASE_TASK_MAP), 1);
    take = POLICY_TAKES_NEAR;
    CU_ASSERT_EQUAL(fake_victims(&w, 0, BASE_TASK_MAP), 1);
    fake_free(&w);
}

/* ---------------------------------------------------------------- words */
static bool says(const struct fake *w, const struct fake_job *j, const char *words)
{
    struct base_buf out = {0};
    bool found;

    w->ops->explain(w->policy, &j->pj, w->now_us, &out);
    found = strstr(out.data, words) != NULL;
    if (!found)
        printf("\n    not \"%s\" in \"%s\"", words, out.data);
    base_buf_free(&out);
    return found;
}

static void test_words(void)
{
    struct fake w;
    struct fake_job *big, *small;

    start(&w, &policy_hfsp, "hfsp.sizes=given", 1, 2, 1);
    big = arrive(&w, 4, 100, 1, 10);
    small = arrive(&w, 2, 10, 0, 0);
    CU_ASSERT(says(
        &w, big,
        "maps: size 400.0 s, a fair share of the cluster would finish it in 210.0 s; 1 waiting job "
        "comes first. reduces: size 10.0 s"));
    CU_ASSERT(says(&w, small, "no waiting job comes first"));
    w.now_us += 30 * S;
    CU_ASSERT(
        says(&w, small, "late: its fair share of the cluster would have finished it 10.0 s ago"));
    fake_free(&w);
    start(&w, &policy_hfsp, "", 1, 2, 1);
    big = arrive(&w, 10, 100, 0, 0);
    CU_ASSERT(says(&w, big, "size guessed as 600.0 s: in training, 0 of 5 sample tasks measured"));
    fake_free(&w);
    start(&w, &policy_hfsp, "hfsp.xi=inf", 1, 2, 1);
    big = arrive(&w, 10, 100, 0, 0);
    CU_ASSERT(says(&w, big, "size unknown: 0 of 5 sample tasks measured, no others start before"));
    fake_free(&w);
}

static void test_options(void)
{
    static const char *const wrong[][2] = {
        {"hfsp.xi", "0.9"},           {"hfsp.sample_maps", "0"},      {"hfsp.min_tasks", "-1"},
        {"hfsp.preemption", "never"}, {"hfsp.train_map_slots", "-2"}, {"hfsp.delta_reduce", "0"}};
    struct policy_conf conf = {0};
    struct base_error err;

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CU_ASSERT_EQUAL(policy_conf_set(&conf, wrong[i][0], wrong[i][1], &err), -BASE_EINVAL);
        CU_ASSERT_PTR_NOT_NULL(strstr(err.text, wrong[i][0]));
    }
    CU_ASSERT_EQUAL(policy_conf_set(&conf, "creel.hfsp.xi", "inf", &err), 0);
    CU_ASSERT_EQUAL(policy_conf_set(&conf, "hfsp.delta-reduce", "inf", &err), 0);
    policy_conf_free(&conf);
    CU_ASSERT(policy_fsp.sim_only && policy_psbs.sim_only && !policy_hfsp.sim_only);
    CU_ASSERT(policy_find("hfsp") == &policy_hfsp && policy_find("fsp") == &policy_fsp &&
              policy_find("psbs") == &policy_psbs);
}

static const struct cunit_case cases[] = {
    {"the first guess", test_first_guess},
    {"training: the estimate and what is left", test_training_update},
    {"known sizes", test_known_sizes},
    {"a factor on sizes", test_size_factor},
    {"reduces are measured in Delta", test_reduces_in_delta},
    {"the order of training", test_training_order},
    {"equal shares of the training slots", test_training_share},
    {"xi without bound", test_xi_without_bound},
    {"a sample is lost", test_sample_lost},
    {"a measured sample is lost", test_measured_sample_lost},
    {"estimates carry over", test_carried_over},
    {"reduces enter when ready", test_reduces_when_ready},
    {"late jobs", test_late},
    {"weights", test_weights},
    {"an application grows", test_application},
    {"an application waits its turn", test_application_waits},
    {"suspended attempts are lost", test_suspended_lost},
    {"sizes that are too large", test_sizes_too_large},
    {"a job is killed", test_killed},
    {"extremes", test_extremes},
    {"sizes beyond all bounds", test_sizes_beyond_bounds},
    {"capacity comes and goes", test_capacity},
    {"hysteresis", test_hysteresis},
    {"interrupted only when it can wait", test_promise},
    {"interrupted when there is time", test_promise_of_the_long},
    {"interrupted for guesses", test_promise_and_guesses},
    {"what fair sharing is told", test_promise_is_told},
    {"starts anew where that is sooner", test_starts_anew},
    {"one starts anew for one slot", test_one_starts_anew},
    {"a suspended task is given up", test_given_up},
    {"victims", test_victims},
    {"reduces that would wait claim nothing", test_early_reduces},
    {"claims and places", test_claims_and_places},
    {"in words", test_words},
    {"options", test_options},
};
CUNIT_MAIN("HFSP", cases)
