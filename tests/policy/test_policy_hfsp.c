/* Goal: HFSP's two levels at policy level: guesses, samples, estimates, the order of
 * training, late jobs, what is carried over a change of policy, and explanations. Method: a small
 * world of slots around the policy; sizes are read from its state. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/policy/hfsp_world.h"
#include "tests/policy/virtual_rate.h"
#include "tests/unit/cunit_main.h"

/* ---------------------------------------------------------------- sizes */
static void test_first_guess(void)
{
    struct fake w;
    struct fake_job *j;

    hfsp_start(&w, &policy_hfsp, "", 2, 4, 1);
    j = hfsp_arrive(&w, 10, 1, 0, 0);
    /* nothing is known yet: 60 s a task */
    CU_ASSERT_EQUAL(hfsp_phase_in(j, BASE_TASK_MAP)->size_us, 600.0 * S);
    CU_ASSERT_EQUAL(hfsp_phase_in(j, BASE_TASK_REDUCE)->state, HFSP_ABSENT);
    fake_free(&w);
    hfsp_start(&w, &policy_hfsp, "hfsp.xi=1.5 hfsp.initial_map=7", 2, 4, 1);
    w.learned.kind[BASE_TASK_MAP].us[0] = 20 * S; /* mean of the last two: 30 s */
    w.learned.kind[BASE_TASK_MAP].us[1] = 40 * S;
    w.learned.kind[BASE_TASK_MAP].sum_us = 60 * S;
    w.learned.kind[BASE_TASK_MAP].n = w.learned.kind[BASE_TASK_MAP].at = 2;
    j = hfsp_arrive(&w, 40, 1, 0, 0);
    CU_ASSERT_EQUAL(hfsp_phase_in(j, BASE_TASK_MAP)->state, HFSP_TRAINING);
    CU_ASSERT_EQUAL(hfsp_phase_in(j, BASE_TASK_MAP)->size_us, 1800.0 * S);
    CU_ASSERT_DOUBLE_EQUAL(hfsp_left_s(&w, j, BASE_TASK_MAP), 1800, 1e-9);
    fake_free(&w);
}

/* Trains a job of 20 maps whose five samples take @first_s, 10, 11, 10 and 10 s. With a @first_s of
 * 9, its size is 200 s, and 150 s are left. */
static struct fake_job *train_started(struct fake *w, double first_s)
{
    static const double s[5] = {9, 10, 11, 10, 10};
    struct fake_job *j;
    int64_t from;

    j = hfsp_arrive(w, 20, 10, 0, 0);
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
                CU_ASSERT_EQUAL(hfsp_phase_in(j, BASE_TASK_MAP)->state, HFSP_TRAINING);
                fake_end(w, &j->task[BASE_TASK_MAP][i]);
            }
    CU_ASSERT_EQUAL(hfsp_phase_in(j, BASE_TASK_MAP)->state, HFSP_SIZED);
    return j;
}

static struct fake_job *train(struct fake *w, const char *options, double first_s)
{
    hfsp_start(w, &policy_hfsp, options, 5, 1, 1);
    return train_started(w, first_s);
}

static void test_training_update(void)
{
    struct fake w;
    struct fake_job *j = train(&w, "", 9), *k;

    CU_ASSERT_DOUBLE_EQUAL(hfsp_phase_in(j, BASE_TASK_MAP)->size_us, 200e6, 1);
    CU_ASSERT_DOUBLE_EQUAL(hfsp_left_s(&w, j, BASE_TASK_MAP), 150, 1e-6);
    CU_ASSERT_EQUAL(virtual_cluster_tasks_left(w.policy->kind[BASE_TASK_MAP].vc,
                                               hfsp_phase_in(j, BASE_TASK_MAP)->virtual),
                    15);
    k = hfsp_arrive(&w, 4, 1, 0, 0); /* guessed by the mean of the estimated job */
    CU_ASSERT_EQUAL(hfsp_phase_in(k, BASE_TASK_MAP)->size_us, 40e6);
    fake_free(&w);
    /* or, by virtual service, as much as five slots have done in 11 s is taken off */
    j = train(&w, "hfsp.resize=virtual", 9);
    CU_ASSERT_DOUBLE_EQUAL(hfsp_left_s(&w, j, BASE_TASK_MAP), 145, 1e-6);
    fake_free(&w);
    /* a uniform distribution through 9, 10, 10, 10, 11 has the same total */
    j = train(&w, "hfsp.estimator=uniform", 9);
    CU_ASSERT_DOUBLE_EQUAL(hfsp_phase_in(j, BASE_TASK_MAP)->size_us, 200e6, 10);
    fake_free(&w);
    for (int f = 0; f < ESTIMATOR_FAMILIES; f++) {
        static const char *const names[] = {"mean",      "uniform",     "normal",
                                            "lognormal", "exponential", "weibull"};
        char option[64];

        snprintf(option, sizeof option, "hfsp.estimator=%s", names[f]);
        j = train(&w, option, 9);
        CU_ASSERT(hfsp_phase_in(j, BASE_TASK_MAP)->size_us > 100e6 &&
                  hfsp_phase_in(j, BASE_TASK_MAP)->size_us < 300e6);
        CU_ASSERT_DOUBLE_EQUAL(hfsp_left_s(&w, j, BASE_TASK_MAP),
                               hfsp_phase_in(j, BASE_TASK_MAP)->size_us / 1e6 - 50, 1e-3);
        fake_free(&w);
    }
}

static void test_known_sizes(void)
{
    struct fake w;
    struct fake_job *j;

    hfsp_start(&w, &policy_hfsp, "hfsp.sizes=given", 2, 4, 1);
    j = fake_job(&w, 4, 10 * S, 2, 30 * S);
    j->task[BASE_TASK_MAP][0].needs_us = 40 * S;
    fake_sizes(j, true, false);
    fake_arrive(&w, j);
    CU_ASSERT_EQUAL(hfsp_phase_in(j, BASE_TASK_MAP)->state, HFSP_SIZED);
    CU_ASSERT_DOUBLE_EQUAL(hfsp_left_s(&w, j, BASE_TASK_MAP), 70, 1e-9);
    /* the longest task is known: 40 s, however many slots there are */
    hfsp_rank_update_if_stale(w.policy, BASE_TASK_MAP);
    CU_ASSERT_EQUAL(virtual_cluster_finish_us(w.policy->kind[BASE_TASK_MAP].vc,
                                              hfsp_phase_in(j, BASE_TASK_MAP)->virtual) -
                        w.now_us,
                    40 * S);
    CU_ASSERT_DOUBLE_EQUAL(hfsp_left_s(&w, j, BASE_TASK_REDUCE), 60, 1e-9);
    j = fake_job(&w, 4, 10 * S, 0, 0); /* nothing is given: it trains */
    fake_arrive(&w, j);
    CU_ASSERT_EQUAL(hfsp_phase_in(j, BASE_TASK_MAP)->state, HFSP_TRAINING);
    fake_free(&w);
    hfsp_start(&w, &policy_hfsp, "hfsp.sizes=true hfsp.min_tasks=3", 2, 4, 1);
    j = hfsp_arrive(&w, 2, 10, 0, 0);
    CU_ASSERT_DOUBLE_EQUAL(hfsp_left_s(&w, j, BASE_TASK_MAP), 20, 1e-9);
    fake_free(&w);
    hfsp_start(&w, &policy_hfsp, "hfsp.min_tasks=3", 2, 4, 1);
    j = hfsp_arrive(&w, 2, 10, 0, 0);
    CU_ASSERT_EQUAL(hfsp_phase_in(j, BASE_TASK_MAP)->state, HFSP_SIZED);
    CU_ASSERT_EQUAL(hfsp_left_s(&w, j, BASE_TASK_MAP), 0);
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

    hfsp_start(&w, &policy_hfsp, "hfsp.sizes=given", 2, 4, 1);
    w.env.size_factor = half_or_double;
    j = hfsp_arrive(&w, 10, 10, 4, 20);
    CU_ASSERT_EQUAL(hfsp_phase_in(j, BASE_TASK_MAP)->size_us, 50e6);
    CU_ASSERT_EQUAL(hfsp_phase_in(j, BASE_TASK_REDUCE)->size_us, 160e6);
    fake_free(&w);
    hfsp_start(&w, &policy_hfsp, "hfsp.sizes=true", 2, 4, 1);
    w.env.size_factor = half_or_double;
    j = hfsp_arrive(&w, 10, 10, 0, 0);
    CU_ASSERT_EQUAL(hfsp_phase_in(j, BASE_TASK_MAP)->size_us, 50e6);
    fake_free(&w);
    hfsp_start(&w, &policy_hfsp, "", 5, 1, 1);
    w.env.size_factor = half_or_double;
    j = train_started(&w, 9); /* at the end of training, not before */
    CU_ASSERT_DOUBLE_EQUAL(hfsp_phase_in(j, BASE_TASK_MAP)->size_us, 100e6, 10);
    fake_free(&w);
}

/* Delta 60 s: a score of .75 is a quarter of the function, so 240 s a reduce. */
static void test_reduces_in_delta(void)
{
    struct fake w;
    struct fake_job *j;

    hfsp_start(&w, &policy_hfsp, "", 5, 1, 1);
    j = hfsp_arrive(&w, 0, 0, 20, 240);
    for (uint32_t i = 0; i < 5; i++)
        CU_ASSERT_PTR_EQUAL(fake_offer(&w, i, BASE_TASK_REDUCE), j);
    for (uint32_t i = 0; i < 5; i++)
        fake_report(&w, i);
    w.now_us += 59 * S;
    for (uint32_t i = 0; i < 5; i++)
        fake_report(&w, i);
    CU_ASSERT_EQUAL(hfsp_phase_in(j, BASE_TASK_REDUCE)->measured, 0);
    w.now_us += 1 * S;
    for (uint32_t i = 0; i < 4; i++)
        fake_report(&w, i);
    CU_ASSERT_EQUAL(hfsp_phase_in(j, BASE_TASK_REDUCE)->measured, 4);
    CU_ASSERT_EQUAL(hfsp_phase_in(j, BASE_TASK_REDUCE)->sample[0].lasts_us, 240 * S);
    CU_ASSERT_EQUAL(hfsp_phase_in(j, BASE_TASK_REDUCE)->state, HFSP_TRAINING);
    fake_report(&w, 4);
    CU_ASSERT_EQUAL(hfsp_phase_in(j, BASE_TASK_REDUCE)->state, HFSP_SIZED);
    CU_ASSERT_DOUBLE_EQUAL(hfsp_phase_in(j, BASE_TASK_REDUCE)->size_us, 4800e6, 10);
    CU_ASSERT_DOUBLE_EQUAL(hfsp_left_s(&w, j, BASE_TASK_REDUCE), 4500, 1e-3);
    fake_free(&w);
}

/* ---------------------------------------------------------------- training */
static void test_training_order(void)
{
    struct fake w;
    struct fake_job *big, *small;

    hfsp_start(&w, &policy_hfsp, "", 10, 1, 1);
    big = hfsp_arrive(&w, 30, 10, 0, 0);
    small = hfsp_arrive(&w, 2, 10, 0, 0);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 0, BASE_TASK_MAP), small);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 1, BASE_TASK_MAP), small);
    for (uint32_t i = 2; i < 8; i++)
        CU_ASSERT_PTR_EQUAL(fake_offer(&w, i, BASE_TASK_MAP),
                            big); /* its sample, then the job scheduler */
    CU_ASSERT_EQUAL(hfsp_phase_in(big, BASE_TASK_MAP)->started, 5);
    CU_ASSERT_EQUAL(big->pj.phase[BASE_TASK_MAP].running, 6);
    fake_free(&w);
    hfsp_start(&w, &policy_hfsp, "hfsp.train_order=most", 10, 1, 1);
    big = hfsp_arrive(&w, 30, 10, 0, 0);
    fake_offer(&w, 0, BASE_TASK_MAP);
    small = hfsp_arrive(&w, 2, 10, 0, 0);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 1, BASE_TASK_MAP), big);
    fake_free(&w);
}

/* Three jobs and three training slots: one each. Slots that training does not use go to the job
 * scheduler. */
static void test_training_share(void)
{
    struct fake w;
    struct fake_job *known, *a, *b, *c;

    hfsp_start(&w, &policy_hfsp, "hfsp.train_map_slots=3 hfsp.sizes=given", 10, 1, 1);
    known = hfsp_arrive(&w, 2, 10, 0, 0);
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

    hfsp_start(&w, &policy_hfsp, "hfsp.xi=inf", 10, 1, 1);
    j = hfsp_arrive(&w, 20, 10, 0, 0);
    for (uint32_t i = 0; i < 5; i++)
        CU_ASSERT_PTR_EQUAL(fake_offer(&w, i, BASE_TASK_MAP), j);
    CU_ASSERT_PTR_NULL(fake_offer(&w, 5, BASE_TASK_MAP));
    CU_ASSERT_EQUAL(w.held, 1); /* the slot is held back on purpose */
    CU_ASSERT_EQUAL(w.breaches, 0);
    fake_free(&w);
}

/* A sample that is killed is replaced. */
static void test_sample_lost(void)
{
    struct fake w;
    struct fake_job *j;
    struct policy_task_end end = {.killed = true};

    hfsp_start(&w, &policy_hfsp, "", 10, 1, 1);
    j = hfsp_arrive(&w, 20, 10, 0, 0);
    for (uint32_t i = 0; i < 5; i++)
        fake_offer(&w, i, BASE_TASK_MAP);
    CU_ASSERT_EQUAL(hfsp_train_samples_to_launch(hfsp_phase_in(j, BASE_TASK_MAP)), 0);
    end.task = 2;
    end.node = 2;
    end.ended_us = w.now_us + S;
    w.ops->on_task_ended(w.policy, &j->pj, BASE_TASK_MAP, &end);
    CU_ASSERT_EQUAL(hfsp_train_samples_to_launch(hfsp_phase_in(j, BASE_TASK_MAP)), 1);
    CU_ASSERT_EQUAL(w.policy->kind[BASE_TASK_MAP].training_running, 4);
    fake_free(&w);
}

/* A killed sample is replaced even if it has been measured already, as a reduce may be while it
 * still runs; its measurement is dropped. */
static void test_measured_sample_lost(void)
{
    struct fake w;
    struct fake_job *j;
    struct policy_task_end end = {.killed = true};

    hfsp_start(&w, &policy_hfsp, "", 6, 1, 1);
    j = hfsp_arrive(&w, 0, 0, 20, 240);
    for (uint32_t i = 0; i < 5; i++)
        CU_ASSERT_PTR_EQUAL(fake_offer(&w, i, BASE_TASK_REDUCE), j);
    for (uint32_t i = 0; i < 5; i++)
        fake_report(&w, i);
    w.now_us += 60 * S;
    for (uint32_t i = 0; i < 4; i++)
        fake_report(&w, i);
    CU_ASSERT_EQUAL(hfsp_phase_in(j, BASE_TASK_REDUCE)->measured, 4);
    end.task = hfsp_phase_in(j, BASE_TASK_REDUCE)->sample[0].task;
    end.ended_us = w.now_us;
    w.ops->on_task_ended(w.policy, &j->pj, BASE_TASK_REDUCE, &end);
    CU_ASSERT_EQUAL(hfsp_phase_in(j, BASE_TASK_REDUCE)->measured, 3);
    CU_ASSERT_EQUAL(hfsp_train_samples_to_launch(hfsp_phase_in(j, BASE_TASK_REDUCE)), 1);
    fake_report(&w, 4); /* the fifth is measured: four of five are */
    CU_ASSERT_EQUAL(hfsp_phase_in(j, BASE_TASK_REDUCE)->state, HFSP_TRAINING);
    CU_ASSERT_EQUAL(hfsp_phase_in(j, BASE_TASK_REDUCE)->measured, 4);
    fake_free(&w);
}

/* ---------------------------------------------------------------- order */
static void test_carried_over(void)
{
    struct fake w;
    struct fake_job *j, *k;

    hfsp_start(&w, &policy_fifo, "", 10, 1, 1);
    j = hfsp_arrive(&w, 20, 10, 0, 0);
    k = hfsp_arrive(&w, 20, 30, 0, 0);
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
    CU_ASSERT_EQUAL(hfsp_phase_in(j, BASE_TASK_MAP)->state, HFSP_SIZED);
    CU_ASSERT_DOUBLE_EQUAL(hfsp_phase_in(j, BASE_TASK_MAP)->size_us, 200e6, 1);
    CU_ASSERT_DOUBLE_EQUAL(hfsp_left_s(&w, j, BASE_TASK_MAP), 142, 1e-6); /* two have run for 4 s */
    CU_ASSERT_EQUAL(hfsp_phase_in(k, BASE_TASK_MAP)->state, HFSP_TRAINING);
    CU_ASSERT_EQUAL(hfsp_phase_in(k, BASE_TASK_MAP)->started, 1); /* the running task is a sample */
    CU_ASSERT_EQUAL(hfsp_phase_in(k, BASE_TASK_MAP)->size_us,
                    200e6); /* guessed from the other job's tasks */
    fake_free(&w);
}

static void test_reduces_when_ready(void)
{
    struct fake w;
    struct fake_job *j;

    hfsp_start(&w, &policy_hfsp, "hfsp.sizes=given hfsp.reduce_virtual=ready", 2, 1, 1);
    j = hfsp_arrive(&w, 2, 10, 2, 20);
    CU_ASSERT_EQUAL(hfsp_phase_in(j, BASE_TASK_REDUCE)->state, HFSP_ABSENT);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 0, BASE_TASK_MAP), j);
    w.now_us += 10 * S;
    fake_report(&w, 0);
    CU_ASSERT_EQUAL(hfsp_phase_in(j, BASE_TASK_REDUCE)->state, HFSP_SIZED);
    CU_ASSERT_DOUBLE_EQUAL(hfsp_left_s(&w, j, BASE_TASK_REDUCE), 40, 1e-9);
    fake_free(&w);
}

/* Two late jobs: one after the other by default, in turns under PSBS, and before all other jobs. */
static void late_jobs(const struct policy_ops *ops, const char *options, bool turns)
{
    struct fake w;
    struct fake_job *a, *b, *c;

    hfsp_start(&w, ops, options, 8, 1, 1);
    a = hfsp_arrive(&w, 8, 10, 0, 0);
    b = hfsp_arrive(&w, 8, 10, 0, 0);
    w.now_us += 100 * S; /* nothing ran: both are virtually over */
    c = hfsp_arrive(&w, 1, 1, 0, 0);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 0, BASE_TASK_MAP), a);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 1, BASE_TASK_MAP), turns ? b : a);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 2, BASE_TASK_MAP), a);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 3, BASE_TASK_MAP), turns ? b : a);
    CU_ASSERT_EQUAL(c->pj.phase[BASE_TASK_MAP].running, 0);
    CU_ASSERT_EQUAL(hfsp_phase_in(a, BASE_TASK_MAP)->late, turns);
    CU_ASSERT_EQUAL(hfsp_phase_in(c, BASE_TASK_MAP)->late, false);
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

    hfsp_start(&w, &policy_hfsp, "hfsp.sizes=given", 4, 1, 1);
    light = hfsp_arrive(&w, 40, 10, 0, 0);
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

    hfsp_start(&w, &policy_hfsp, "", 4, 1, 1);
    j = fake_job(&w, 6, 10 * S, 0, 0);
    j->pj.is_job = false;
    fake_arrive(&w, j);
    /* the policy would not be told when a sample has ended */
    CU_ASSERT_EQUAL(hfsp_phase_in(j, BASE_TASK_MAP)->state, HFSP_SIZED);
    CU_ASSERT_EQUAL(w.policy->kind[BASE_TASK_MAP].train[0].n, 0);
    CU_ASSERT_EQUAL(hfsp_phase_in(j, BASE_TASK_MAP)->size_us, 360e6);
    j->pj.phase[BASE_TASK_MAP].total += 4;
    j->pj.phase[BASE_TASK_MAP].pending += 4;
    w.ops->on_job_changed(w.policy, &j->pj, BASE_TASK_MAP);
    CU_ASSERT_EQUAL(hfsp_phase_in(j, BASE_TASK_MAP)->size_us, 600e6);
    CU_ASSERT_DOUBLE_EQUAL(hfsp_left_s(&w, j, BASE_TASK_MAP), 600, 1e-6);
    j->pj.phase[BASE_TASK_MAP].total -= 4;
    j->pj.phase[BASE_TASK_MAP].pending -= 4;
    w.ops->on_job_changed(w.policy, &j->pj, BASE_TASK_MAP); /* it wants four fewer */
    CU_ASSERT_EQUAL(hfsp_phase_in(j, BASE_TASK_MAP)->size_us, 360e6);
    CU_ASSERT_DOUBLE_EQUAL(hfsp_left_s(&w, j, BASE_TASK_MAP), 360, 1e-6);
    j->pj.phase[BASE_TASK_MAP].running = 2;
    j->pj.phase[BASE_TASK_MAP].pending -= 2;
    w.ops->on_job_changed(w.policy, &j->pj, BASE_TASK_MAP);
    j->pj.phase[BASE_TASK_MAP].running = 0;
    j->pj.phase[BASE_TASK_MAP].total -= 2;
    /* two have ended; virtually they run on */
    w.ops->on_job_changed(w.policy, &j->pj, BASE_TASK_MAP);
    CU_ASSERT_DOUBLE_EQUAL(hfsp_left_s(&w, j, BASE_TASK_MAP), 360, 1e-6);
    fake_free(&w);
}

/* To HFSP an application is as large as the containers that it asks for, so a small job goes
 * first. */
static void test_application_waits(void)
{
    struct fake w;
    struct fake_job *app, *small;

    hfsp_start(&w, &policy_hfsp, "hfsp.sizes=given", 4, 1, 1);
    app = fake_job(&w, 40, 10 * S, 0, 0);
    app->pj.is_job = false;
    fake_arrive(&w, app);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 0, BASE_TASK_MAP), app);
    small = hfsp_arrive(&w, 2, 10, 0, 0);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 1, BASE_TASK_MAP), small);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 2, BASE_TASK_MAP), small);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 3, BASE_TASK_MAP), app);
    fake_free(&w);
}

/* Suspended attempts that end, because their node is lost, say, are no longer claims of their
 * job. */
static void test_suspended_lost(void)
{
    struct fake w;
    struct fake_job *big, *small;
    struct policy_task_end end = {.killed = true, .suspended = true, .ended_us = 2 * S};

    hfsp_start(&w, &policy_hfsp, "hfsp.sizes=given", 1, 2, 2);
    big = hfsp_arrive(&w, 2, 100, 0, 0);
    fake_offer_node(&w, 0);
    small = hfsp_arrive(&w, 2, 10, 0, 0);
    fake_offer_node(&w, 0);
    CU_ASSERT_EQUAL(hfsp_phase_in(big, BASE_TASK_MAP)->held, 2);
    for (end.task = 0; end.task < 2; end.task++)
        w.ops->on_task_ended(w.policy, &big->pj, BASE_TASK_MAP, &end);
    CU_ASSERT_EQUAL(hfsp_phase_in(big, BASE_TASK_MAP)->held, 0);
    CU_ASSERT_EQUAL(w.policy->kind[BASE_TASK_MAP].node[0].len, 0);
    CU_ASSERT_EQUAL(hfsp_phase_in(small, BASE_TASK_MAP)->held, 0);
    fake_free(&w);
    /* a suspended sample was no longer counted as running, so its end takes nothing off */
    hfsp_start(&w, &policy_hfsp, "", 1, 4, 1);
    big = hfsp_arrive(&w, 20, 10, 0, 0);
    fake_offer(&w, 0, BASE_TASK_MAP);
    fake_offer(&w, 0, BASE_TASK_MAP);
    w.ops->on_task_suspended(w.policy, &big->pj, BASE_TASK_MAP, 1, 0, true, w.now_us);
    end.task = 1;
    w.ops->on_task_ended(w.policy, &big->pj, BASE_TASK_MAP, &end);
    CU_ASSERT_EQUAL(w.policy->kind[BASE_TASK_MAP].training_running, 1);
    CU_ASSERT_EQUAL(hfsp_phase_in(big, BASE_TASK_MAP)->running, 1);
    CU_ASSERT_EQUAL(hfsp_train_samples_to_launch(hfsp_phase_in(big, BASE_TASK_MAP)), 4);
    fake_free(&w);
}

/* ---------------------------------------------------------------- the virtual cluster over time */
/* One slot, a load of 0.9, and every size given twice too large: jobs that have ended leave the
 * virtual cluster, with the work that they did not need. */
static void test_sizes_too_large(void)
{
    struct fake w;

    hfsp_start(&w, &policy_hfsp, "hfsp.sizes=given", 1, 1, 1);
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
    CU_ASSERT(virtual_cluster_handle_limit(w.policy->kind[BASE_TASK_MAP].vc) < 5);
    fake_free(&w);
}

/* A job that is killed takes all its work with it, from the virtual cluster too (a great deal of
 * work when xi is infinite). */
static void test_killed(void)
{
    struct fake w;
    struct fake_job *huge, *j, *k;
    struct virtual_cluster *vc;

    hfsp_start(&w, &policy_hfsp, "hfsp.xi=inf", 2, 2, 1);
    vc = w.policy->kind[BASE_TASK_MAP].vc;
    huge = hfsp_arrive(&w, 1000, 1000, 0, 0);
    w.ops->on_job_left(w.policy, &huge->pj, w.now_us);
    huge->here = false;
    j = hfsp_arrive(&w, 4, 10, 0, 0);
    CU_ASSERT_EQUAL(hfsp_phase_in(j, BASE_TASK_MAP)->virtual, 0); /* huge's handle, free again */
    k = hfsp_arrive(&w, 4, 10, 0, 0);
    CU_ASSERT_EQUAL(virtual_rate(vc, hfsp_phase_in(j, BASE_TASK_MAP)->virtual), 2);
    CU_ASSERT_EQUAL(virtual_rate(vc, hfsp_phase_in(k, BASE_TASK_MAP)->virtual), 2);
    fake_free(&w);
}

/* Numbers that no real job has: none of them disturbs the order. */
static void test_extremes(void)
{
    static const char *const options[] = {
        "hfsp.sizes=given hfsp.xi=1e300", "hfsp.sizes=given hfsp.order=remaining",
        "hfsp.sizes=given hfsp.late=psbs", "hfsp.sizes=given hfsp.virtual=slots"};

    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        const double weight[] = {1e-300, 1, 1e300};
        struct fake_job *j[3], *unknown;
        struct fake w;

        hfsp_start(&w, &policy_hfsp, options[i], 4, 2, 1);
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
        hfsp_rank_update_if_stale(w.policy, BASE_TASK_MAP);
        CU_ASSERT(
            w.policy->kind[BASE_TASK_MAP].rank.rank[hfsp_phase_in(j[1], BASE_TASK_MAP)->virtual] <
            w.policy->kind[BASE_TASK_MAP].rank.rank[hfsp_phase_in(j[0], BASE_TASK_MAP)->virtual]);
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

/* Sizes that overflow an integer when they are rounded: what is left of such a task counts as long,
 * not as negative. */
static void test_sizes_beyond_bounds(void)
{
    for (int i = 0; i < 2; i++) {
        struct fake w;
        struct fake_job *j;

        hfsp_start(&w, &policy_hfsp,
                   i ? "hfsp.sizes=given hfsp.preemption=kill" : "hfsp.sizes=given", 1, 1, 1);
        j = fake_job(&w, 1, 10 * S, 0, 0);
        j->pj.size[BASE_TASK_MAP].given_us = j->pj.size[BASE_TASK_MAP].given_max_us = INT64_MAX;
        fake_arrive(&w, j);
        CU_ASSERT_PTR_EQUAL(fake_offer(&w, 0, BASE_TASK_MAP), j);
        w.now_us += 10 * S;
        hfsp_arrive(&w, 1, 10, 0, 0);
        CU_ASSERT_EQUAL(fake_victims(&w, 0, BASE_TASK_MAP), 1);
        fake_free(&w);
    }
}

/* No slots, then one, then none: no job is lost, and time without slots serves no job. */
static void test_capacity(void)
{
    struct fake w;
    struct fake_job *j;

    hfsp_start(&w, &policy_hfsp, "hfsp.sizes=given", 1, 0, 0);
    j = hfsp_arrive(&w, 2, 10, 1, 10);
    w.now_us += 1000 * S;
    for (int32_t slots = 1; slots >= 0; slots--) {
        w.node[0].slots[BASE_TASK_MAP] = slots;
        w.capacity.slots[BASE_TASK_MAP] = slots;
        w.ops->on_capacity(w.policy, w.now_us);
        CU_ASSERT_DOUBLE_EQUAL(hfsp_left_s(&w, j, BASE_TASK_MAP), slots ? 20 : 15, 1e-6);
        w.now_us += 5 * S;
    }
    hfsp_virtual_advance(w.policy, BASE_TASK_MAP);
    CU_ASSERT_DOUBLE_EQUAL(hfsp_left_s(&w, j, BASE_TASK_MAP), 15, 1e-6);
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

    hfsp_start(&w, &policy_hfsp, "hfsp.sizes=given", 1, 2, 1);
    big = hfsp_arrive(&w, 4, 100, 1, 10);
    small = hfsp_arrive(&w, 2, 10, 0, 0);
    CU_ASSERT(says(
        &w, big,
        "maps: size 400.0 s, a fair share of the cluster would finish it in 210.0 s; 1 waiting job "
        "comes first. reduces: size 10.0 s"));
    CU_ASSERT(says(&w, small, "no waiting job comes first"));
    w.now_us += 30 * S;
    CU_ASSERT(
        says(&w, small, "late: its fair share of the cluster would have finished it 10.0 s ago"));
    fake_free(&w);
    hfsp_start(&w, &policy_hfsp, "", 1, 2, 1);
    big = hfsp_arrive(&w, 10, 100, 0, 0);
    CU_ASSERT(says(&w, big, "size guessed as 600.0 s: in training, 0 of 5 sample tasks measured"));
    fake_free(&w);
    hfsp_start(&w, &policy_hfsp, "hfsp.xi=inf", 1, 2, 1);
    big = hfsp_arrive(&w, 10, 100, 0, 0);
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
    {"in words", test_words},
    {"options", test_options},
};
CUNIT_MAIN("HFSP", cases)
