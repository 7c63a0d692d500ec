/* Goal: RTMR keeps its promises. Method: the examples; a thousand random workloads on small
 * clusters, whose tasks take at most as long as submitted; the same after other policies, beside
 * jobs without deadlines, with fewer or more slots. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policies/registry.h"
#include "policies/rtmr/cost.h"
#include "policies/rtmr/rtmr_internal.h"
#include "tests/policy/rtmr_world.h"
#include "tests/unit/cunit_main.h"

static uint64_t seed;

static int64_t rnd(int64_t n) /* 0..n-1 */
{
    seed ^= seed >> 12;
    seed ^= seed << 25;
    seed ^= seed >> 27;
    return (int64_t)((seed * UINT64_C(2685821657736338717) >> 33) % (uint64_t)n);
}

static void seed_with(int i)
{
    seed = UINT64_C(0x9E3779B97F4A7C15) * (uint64_t)(i + 1);
}

static bool contains(const char *text, const char *part)
{
    if (text && strstr(text, part))
        return true;
    fprintf(stderr, "\"%s\" lacks \"%s\"\n", text ? text : "(nothing)", part);
    return false;
}

/* ---- examples ---- */

/* Two map slots and one reduce slot; maps of 10 s, reduces of 5 s. J1 runs when J2 comes. */
static void test_admission(void)
{
    static const int64_t asked[] = {30, 40};

    for (int i = 0; i < 2; i++) {
        struct world w;
        struct world_job *j1, *j2;

        world_init(&w, &policy_rtmr, "rtmr.offer_margin=0", 1, 2, 1, 0, false);
        j1 = world_job(&w, 0, 3, 10 * S, 1, 5 * S, 100 * S);
        j2 = world_job(&w, 1 * S, 2, 10 * S, 1, 5 * S, asked[i] * S);
        world_run(&w, INT64_MAX);
        CU_ASSERT(j1->accepted);
        CU_ASSERT_EQUAL(j1->promise.finish_us, 25 * S);
        CU_ASSERT_EQUAL(j1->finish_us, 25 * S);
        CU_ASSERT_EQUAL(j2->accepted, i == 1);
        /* the end that is promised, or the earliest that could be promised */
        CU_ASSERT_EQUAL(j2->promise.finish_us, 35 * S);
        if (i == 0) {
            CU_ASSERT(
                contains(j2->promise.why, "needs until 34.0 s after submission, deadline 30.0 s"));
            CU_ASSERT(contains(j2->promise.why, "could be promised: 34.0 s"));
        } else {
            CU_ASSERT(j2->finish_us <= 35 * S);
        }
        CU_ASSERT_EQUAL(w.notes, 0);
        world_free(&w);
    }
}

/* J1 has not started, since no heartbeat has come: J2, whose deadline is earlier, goes first. */
static void test_waiting_jobs_by_deadline(void)
{
    struct world w;
    struct world_job *j1, *j2;
    struct base_buf text = {0};

    world_init(&w, &policy_rtmr, NULL, 1, 2, 1, 3600 * S, false); /* no heartbeat comes */
    w.next_us[0] = 3600 * S;
    j1 = world_job(&w, 0, 3, 10 * S, 1, 5 * S, 100 * S);
    j2 = world_job(&w, 1 * S, 2, 10 * S, 1, 5 * S, 30 * S);
    world_run(&w, 2 * S);
    CU_ASSERT_EQUAL(j1->promise.finish_us, 25 * S);
    CU_ASSERT_EQUAL(j2->promise.finish_us, 16 * S);
    CU_ASSERT_EQUAL(rtmr_job_of(&j1->pj)->entry->finish_us, 36 * S);
    policy_rtmr.explain(w.policy, &j1->pj, w.now_us, &text);
    CU_ASSERT_STRING_EQUAL(
        text.data, "waits, place 2 of 2; deadline in 98.0 s, finishes in 34.0 s at the latest; "
                   "1 reduce slots are kept for it, 1 for jobs before it");
    base_buf_free(&text);
    world_free(&w);
}

/* Four map slots and three reduce slots. H: 3 maps and 3 reduces of 10 s, due at 25. L: a map of 5
 * s, a reduce of 100 s. */
static void reservation(const char *settings, int64_t h_finish, int64_t l_finish)
{
    struct world w;
    struct world_job *h, *l;

    world_init(&w, &policy_rtmr, settings, 1, 4, 3, 0, false);
    h = world_job(&w, 0, 3, 10 * S, 3, 10 * S, 25 * S);
    l = world_job(&w, 0, 1, 5 * S, 1, 100 * S, 200 * S);
    world_run(&w, INT64_MAX);
    CU_ASSERT_EQUAL(h->promise.finish_us, 20 * S);
    CU_ASSERT_EQUAL(l->promise.finish_us, 120 * S);
    CU_ASSERT_EQUAL(h->finish_us, h_finish * S);
    CU_ASSERT_EQUAL(l->finish_us, l_finish * S);
    CU_ASSERT_EQUAL(w.notes, h_finish > 25);
    if (w.notes)
        CU_ASSERT(contains(w.last_note,
                           "job_1_0001 ended 10.0 s later than promised (its deadline is missed)"));
    world_free(&w);
}

static void test_reservation(void)
{
    reservation(NULL, 20, 120);
    reservation("rtmr.literal=true", 30, 105);
}

/* A job takes a third of its submitted time: with feedback the next job is accepted for the slots
 * that came free early, without feedback it is not. */
static void test_feedback(void)
{
    for (int feedback = 0; feedback < 2; feedback++) {
        struct world w;
        struct world_job *a, *b;

        world_init(&w, &policy_rtmr, feedback ? NULL : "rtmr.feedback=false", 1, 2, 1, 0, false);
        a = world_job(&w, 0, 2, 60 * S, 1, 60 * S, 200 * S);
        for (int i = 0; i < 2; i++)
            a->task[BASE_TASK_MAP][i].needs_us = a->task[BASE_TASK_REDUCE][0].needs_us = 20 * S;
        b = world_job(&w, 45 * S, 2, 10 * S, 1, 10 * S, 30 * S);
        world_run(&w, INT64_MAX);
        CU_ASSERT_EQUAL(a->promise.finish_us, 120 * S);
        CU_ASSERT_EQUAL(a->finish_us, 40 * S);
        CU_ASSERT_EQUAL(b->accepted, feedback);
        CU_ASSERT_EQUAL(b->promise.finish_us, (feedback ? 65 : 130) * S);
        world_free(&w);
    }
}

/* ---- learned lengths ---- */
static void test_lengths(void)
{
    struct policy_learned l = {0};
    struct policy_job j = {.phase = {{.total = 4}, {.total = 2}}, .is_job = true};

    CU_ASSERT_EQUAL(rtmr_cost_longest_task_us(&l, &j, BASE_TASK_MAP, 60 * S), 60 * S);
    CU_ASSERT_EQUAL(rtmr_cost_total_work_us(&l, &j, BASE_TASK_MAP, 60 * S), 240 * S);
    l.kind[BASE_TASK_MAP].us[0] = 7 * S;
    l.kind[BASE_TASK_MAP].us[1] = 9 * S;
    l.kind[BASE_TASK_MAP].sum_us = 16 * S;
    l.kind[BASE_TASK_MAP].n = 2;
    CU_ASSERT_EQUAL(rtmr_cost_longest_task_us(&l, &j, BASE_TASK_MAP, 60 * S), 9 * S);
    CU_ASSERT_EQUAL(rtmr_cost_total_work_us(&l, &j, BASE_TASK_MAP, 60 * S), 32 * S);
    j.size[BASE_TASK_MAP] = (struct policy_size){.bytes = 4000, .bytes_max = 1500};
    l.kind[BASE_TASK_MAP].sized = 4;
    l.kind[BASE_TASK_MAP].cost_max = 2000; /* us per byte */
    l.kind[BASE_TASK_MAP].cost_sum = 4000;
    CU_ASSERT_EQUAL(rtmr_cost_longest_task_us(&l, &j, BASE_TASK_MAP, 60 * S), 3 * S);
    CU_ASSERT_EQUAL(rtmr_cost_total_work_us(&l, &j, BASE_TASK_MAP, 60 * S), 4 * S);
    l.eta_max = 0.5;
    l.kind[BASE_TASK_REDUCE].sized = 1;
    l.kind[BASE_TASK_REDUCE].cost_max = l.kind[BASE_TASK_REDUCE].cost_sum = 3000;
    l.kind[BASE_TASK_REDUCE].startup_us = 20 * S;
    /* 0.5 * 4000 / 2 bytes */
    CU_ASSERT_EQUAL(rtmr_cost_longest_task_us(&l, &j, BASE_TASK_REDUCE, 60 * S), 23 * S);
    j.size[BASE_TASK_REDUCE] = (struct policy_size){.given_us = 12 * S, .given_max_us = 8 * S};
    l.kind[BASE_TASK_REDUCE].late_max_us = S / 2;
    CU_ASSERT_EQUAL(rtmr_cost_longest_task_us(&l, &j, BASE_TASK_REDUCE, 60 * S), 8 * S + S / 2);
    CU_ASSERT_EQUAL(rtmr_cost_total_work_us(&l, &j, BASE_TASK_REDUCE, 60 * S), 12 * S);
}

static void test_length_options(void)
{
    struct world w;
    struct world_job *j;

    world_init(&w, &policy_rtmr, "rtmr.eps_margin=1.5,rtmr.reduce_startup=20,rtmr.bootstrap_map=30",
               1, 2, 1, 3 * S, true);
    CU_ASSERT_EQUAL(w.learned.kind[BASE_TASK_REDUCE].startup_us, 20 * S);
    CU_ASSERT_EQUAL(w.learned.kind[BASE_TASK_MAP].startup_us, 0);
    j = world_job(&w, 0, 1, 10 * S, 0, 0, 100 * S);
    j->pj.size[BASE_TASK_MAP] = (struct policy_size){0};
    world_run(&w, 0);
    CU_ASSERT_EQUAL(j->promise.finish_us, 34500000);
    world_free(&w);
}

/* A task takes longer than submitted: this is noted once, and the broken promise separately. */
static void test_broken_precondition(void)
{
    struct world w;
    struct world_job *j;

    world_init(&w, &policy_rtmr, NULL, 1, 1, 1, 0, false);
    j = world_job(&w, 0, 2, 10 * S, 0, 0, 25 * S);
    j->task[BASE_TASK_MAP][0].needs_us = j->task[BASE_TASK_MAP][1].needs_us = 14 * S;
    world_run(&w, 20 * S);
    CU_ASSERT_EQUAL(w.notes, 1);
    CU_ASSERT(
        contains(w.last_note, "a map of job_1_0001 took 14.0 s: promises rest on at most 10.0 s"));
    world_run(&w, INT64_MAX);
    CU_ASSERT_EQUAL(w.notes, 2);
    CU_ASSERT(
        contains(w.last_note,
                 "ended 8.0 s later than promised (its deadline is missed): a task took longer"));
    world_free(&w);
}

/* ---- jobs without deadline ---- */
static void test_beside(void)
{
    struct world w;
    struct world_job *be, *app, *j1, *j2;
    struct base_buf text = {0};

    world_init(&w, &policy_rtmr, "rtmr.offer_margin=0", 1, 4, 2, 0, false);
    app = world_job(&w, 0, 1, 1000 * S, 0, 0, 0);
    app->pj.is_job = false;
    be = world_job(&w, 1 * S, 6, 20 * S, 0, 0, 0);
    j1 = world_job(&w, 5 * S, 2, 10 * S, 1, 10 * S, 30 * S);
    j2 = world_job(&w, 6 * S, 4, 10 * S, 0, 0, 25 * S);
    world_run(&w, 7 * S);
    CU_ASSERT_EQUAL(be->pj.phase[BASE_TASK_MAP].running, 3);
    /* three slots are free again at 21: its maps would end at 31, its reduce at 41 */
    CU_ASSERT_FALSE(j1->accepted);
    CU_ASSERT_EQUAL(j1->promise.finish_us, 41 * S);
    CU_ASSERT_FALSE(j2->accepted);
    /* its maps would end at 31, 31, 31 and 41: the application's slot is never free again */
    CU_ASSERT_EQUAL(j2->promise.finish_us, 41 * S);
    policy_rtmr.explain(w.policy, &be->pj, w.now_us, &text);
    CU_ASSERT_STRING_EQUAL(
        text.data,
        "without a deadline: it gets what jobs with one leave, 0 reduce slots are kept for "
        "them; runs 3 maps and 0 reduces");
    j1 = world_job(&w, 8 * S, 2, 10 * S, 1, 10 * S, 33 * S);
    world_run(&w, INT64_MAX);
    CU_ASSERT(j1->accepted);
    CU_ASSERT_EQUAL(j1->promise.finish_us, 41 * S);
    CU_ASSERT_EQUAL(j1->finish_us, 41 * S);
    CU_ASSERT_EQUAL(be->finish_us, 51 * S); /* one task runs from 21 on, two from 31 on */
    base_buf_free(&text);
    world_free(&w);
}

/* The jobs that decline every slot, and the node of which all decline them; NULL, or -1: none. */
static const struct policy_job *declines;
static int declined_node;

static enum policy_take takes_elsewhere(void *core, const struct policy_job *job,
                                        enum base_task_kind kind, uint32_t node)
{
    (void)core;
    (void)kind;
    return job == declines || (int)node == declined_node ? POLICY_DECLINES : POLICY_TAKES;
}

/* Nothing is killed for a job that would not take the slot. */
static void test_kills_and_places(void)
{
    struct world w;
    struct world_job *choosy;

    world_init(&w, &policy_rtmr, "rtmr.be_kill=true", 2, 2, 2, 0, false);
    w.env.takes = takes_elsewhere;
    declines = NULL;
    declined_node = 0;
    world_job(&w, 0, 8, 20 * S, 0, 0, 0);
    world_job(&w, 5 * S, 3, 10 * S, 0, 0, 100 * S);
    world_run(&w, 6 * S);
    CU_ASSERT_EQUAL(w.kills, 2); /* of three, both on the second node */
    world_free(&w);

    world_init(&w, &policy_rtmr, "rtmr.be_kill=true", 1, 8, 2, 0, false);
    w.env.takes = takes_elsewhere;
    declined_node = -1;
    world_job(&w, 0, 8, 20 * S, 0, 0, 0);
    choosy = world_job(&w, 5 * S, 2, 10 * S, 0, 0, 100 * S);
    declines = &choosy->pj;
    world_job(&w, 5 * S, 3, 10 * S, 0, 0, 100 * S);
    world_run(&w, 5 * S);
    CU_ASSERT_EQUAL(w.kills, 3);
    world_free(&w);
}

static void test_beside_options(void)
{
    struct world w;
    struct world_job *be, *j, *late;

    world_init(&w, &policy_rtmr, "rtmr.be_share=0.5", 1, 4, 2, 0, false);
    be = world_job(&w, 0, 8, 20 * S, 0, 0, 0);
    world_run(&w, 1 * S);
    CU_ASSERT_EQUAL(be->pj.phase[BASE_TASK_MAP].running, 2);
    CU_ASSERT_EQUAL(w.idle, 0);
    world_free(&w);

    world_init(&w, &policy_rtmr, "rtmr.be_kill=true", 1, 4, 2, 0, false);
    be = world_job(&w, 0, 8, 20 * S, 0, 0, 0);
    j = world_job(&w, 5 * S, 3, 10 * S, 0, 0, 11 * S);
    world_run(&w, INT64_MAX);
    CU_ASSERT(j->accepted);
    CU_ASSERT_EQUAL(j->finish_us, 15 * S + 1); /* a kill takes a microsecond here */
    CU_ASSERT_EQUAL(w.kills, 3);
    CU_ASSERT_EQUAL(be->pj.phase[BASE_TASK_MAP].done, 8);
    world_free(&w);

    world_init(&w, &policy_rtmr, "rtmr.be_order=fair", 1, 4, 2, 0, false);
    be = world_job(&w, 0, 8, 20 * S, 0, 0, 0);
    late = world_job(&w, 0, 8, 20 * S, 0, 0, 0);
    world_run(&w, 1 * S);
    CU_ASSERT_EQUAL(be->pj.phase[BASE_TASK_MAP].running, 2);
    CU_ASSERT_EQUAL(late->pj.phase[BASE_TASK_MAP].running, 2);
    world_free(&w);

    world_init(&w, &policy_rtmr, "rtmr.be_order=hsrtf", 1, 4, 2, 0, false);
    be = world_job(&w, 0, 8, 20 * S, 0, 0, 0);
    late = world_job(&w, 0, 4, 20 * S, 0, 0, 0);
    world_run(&w, 1 * S);
    /* two waves of @be are left, one of @late */
    CU_ASSERT_EQUAL(be->pj.phase[BASE_TASK_MAP].running, 0);
    CU_ASSERT_EQUAL(late->pj.phase[BASE_TASK_MAP].running, 4);
    world_free(&w);
}

/* Reduces of a job without a deadline stay off the slots that are kept for a job with one. */
static void test_beside_reduces(void)
{
    struct world w;
    struct world_job *be, *j;

    world_init(&w, &policy_rtmr, NULL, 1, 4, 3, 0, false);
    j = world_job(&w, 0, 2, 10 * S, 2, 10 * S, 25 * S);
    be = world_job(&w, 0, 0, 0, 3, 100 * S, 0);
    world_run(&w, 1 * S);
    CU_ASSERT_EQUAL(be->pj.phase[BASE_TASK_REDUCE].running, 1);
    world_run(&w, INT64_MAX);
    CU_ASSERT_EQUAL(j->finish_us, 20 * S);
    CU_ASSERT_EQUAL(w.idle, 0);
    world_free(&w);
}

/* ---- jobs that were there before ---- */
static void test_taken_over(void)
{
    struct world w;
    struct world_job *a, *b, *c;

    world_init(&w, &policy_fifo, NULL, 1, 2, 1, 0, false);
    a = world_job(&w, 0, 4, 10 * S, 1, 5 * S, 50 * S);
    b = world_job(&w, 1 * S, 2, 10 * S, 0, 0, 15 * S); /* fifo admits every job */
    world_run(&w, 12 * S);
    CU_ASSERT_EQUAL(a->pj.phase[BASE_TASK_MAP].done, 2);
    world_switch(&w, &policy_rtmr);
    /* a has started: its two maps end at 20, its reduce at 25. b waits behind it, whatever its
     * deadline: 30 */
    CU_ASSERT_EQUAL(rtmr_job_of(&a->pj)->entry->at, 0);
    CU_ASSERT_EQUAL(rtmr_job_of(&a->pj)->entry->finish_us, 25 * S);
    CU_ASSERT_EQUAL(rtmr_job_of(&b->pj)->entry->finish_us, 30 * S);
    c = world_job(&w, 13 * S, 1, 10 * S, 0, 0, 30 * S);
    world_run(&w, INT64_MAX);
    CU_ASSERT(c->accepted);
    CU_ASSERT_EQUAL(c->promise.finish_us, 40 * S);
    CU_ASSERT_EQUAL(a->finish_us, 25 * S);
    CU_ASSERT_EQUAL(b->finish_us, 30 * S);
    CU_ASSERT_EQUAL(c->finish_us, 40 * S);
    world_free(&w);
}

/* RTMR takes over between two heartbeats: it must not plan a free slot for a time that has
 * passed. */
static void test_taken_over_at_its_time(void)
{
    struct world w;
    struct world_job *j;

    world_init(&w, &policy_fifo, NULL, 2, 1, 1, 3 * S, true);
    w.next_us[1] = 1 * S;
    j = world_job(&w, 0, 1, 10 * S, 4, 10 * S, 100 * S);
    world_run(&w, 12 * S + S / 2);
    CU_ASSERT_EQUAL(j->pj.phase[BASE_TASK_REDUCE].running, 1); /* since 12 s, until 25 s at most */
    world_switch(&w, &policy_rtmr);
    CU_ASSERT_EQUAL(rtmr_job_of(&j->pj)->entry->finish_us, 38 * S + S / 2);
    world_free(&w);
}

static struct world_job *submitted_now(struct world *w)
{
    struct world_job *j = world_job(w, w->now_us, 1, 10 * S, 1, 10 * S, INT64_MAX);

    world_run(w, w->now_us);
    return j;
}

/* Slots whose tasks are being killed are free soon; slots of an application, or of reduces whose
 * maps are not done, at an unknown time. A deadline may be as late as INT64_MAX. */
static void test_slots_taken(void)
{
    struct world w;
    struct world_job *be;

    world_init(&w, &policy_rtmr, NULL, 1, 2, 1, 3 * S, true);
    w.next_us[0] = 100 * S;
    w.capacity.used[BASE_TASK_MAP] = 2;
    CU_ASSERT_STRING_EQUAL(submitted_now(&w)->promise.why,
                           "there is no map slot for it; no date can be promised");
    w.capacity.freeing[BASE_TASK_MAP] = 1;
    CU_ASSERT_EQUAL(submitted_now(&w)->promise.finish_us, (6 + 13 + 13) * S);
    world_free(&w);

    world_init(&w, &policy_fifo, NULL, 1, 2, 1, 3 * S, true);
    be = world_job(&w, 0, 0, 0, 1, 50 * S, 0);
    world_run(&w, 0);
    CU_ASSERT_EQUAL(be->pj.phase[BASE_TASK_REDUCE].running, 1);
    be->pj.phase[BASE_TASK_MAP].total = 1;
    world_switch(&w, &policy_rtmr);
    w.next_us[0] = 100 * S;
    CU_ASSERT_STRING_EQUAL(submitted_now(&w)->promise.why,
                           "there is no reduce slot for it; no date can be promised");
    be->pj.phase[BASE_TASK_MAP].total = 0;
    CU_ASSERT_EQUAL(submitted_now(&w)->promise.finish_us, (53 + 13) * S);
    world_free(&w);
}

/* Maps that were done run again when their output is lost: the promise to the next job allows for
 * them. */
static void test_output_lost(void)
{
    struct world w;
    struct world_job *j, *k;

    world_init(&w, &policy_rtmr, NULL, 1, 1, 1, 0, false);
    j = world_job(&w, 0, 2, 10 * S, 1, 20 * S, 100 * S);
    world_run(&w, 20 * S);
    CU_ASSERT_EQUAL(j->pj.phase[BASE_TASK_MAP].done, 2);
    j->task[BASE_TASK_MAP][0].done = false;
    j->pj.phase[BASE_TASK_MAP].done--;
    j->pj.phase[BASE_TASK_MAP].pending++;
    policy_rtmr.on_job_changed(w.policy, &j->pj, BASE_TASK_MAP);
    k = world_job(&w, 20 * S, 1, 10 * S, 0, 0, 100 * S);
    world_run(&w, 20 * S);
    CU_ASSERT_EQUAL(k->promise.finish_us, 40 * S);
    world_free(&w);
}

static void test_slots_lost(void)
{
    struct world w;
    struct world_job *j;

    world_init(&w, &policy_rtmr, NULL, 2, 2, 1, 0, false);
    j = world_job(&w, 0, 8, 10 * S, 0, 0, 25 * S);
    world_run(&w, 1 * S);
    CU_ASSERT_EQUAL(j->promise.finish_us, 20 * S);
    w.capacity.slots[BASE_TASK_MAP] = 2;
    policy_rtmr.on_capacity(w.policy, w.now_us);
    CU_ASSERT_EQUAL(w.notes, 1);
    CU_ASSERT(
        contains(w.last_note, "slots were lost: job_1_0001 may end 15.0 s after its deadline"));
    w.capacity.slots[BASE_TASK_MAP] = 0;
    policy_rtmr.on_capacity(w.policy, w.now_us);
    CU_ASSERT(contains(w.last_note, "no slot is left for job_1_0001"));
    w.capacity.slots[BASE_TASK_MAP] = 4;
    policy_rtmr.on_capacity(w.policy, w.now_us);
    /* the new slots have been there since 1 s */
    CU_ASSERT_EQUAL(rtmr_job_of(&j->pj)->entry->finish_us, 21 * S);
    world_free(&w);
}

/* Two slots: a runs, b waits, c comes behind b. If b or a has been killed, c is promised an earlier
 * end. */
static void test_killed(void)
{
    for (int i = 0; i < 3; i++) {
        struct world w;
        struct world_job *a, *b, *c;

        world_init(&w, &policy_rtmr, "rtmr.feedback=false", 1, 2, 1, 0, false);
        a = world_job(&w, 0, 2, 20 * S, 0, 0, 100 * S);
        b = world_job(&w, 0, 2, 10 * S, 0, 0, 100 * S);
        world_run(&w, 1 * S);
        CU_ASSERT_EQUAL(rtmr_job_of(&b->pj)->entry->finish_us, 30 * S);
        if (i)
            world_kill(&w, i == 1 ? b : a);
        c = world_job(&w, 2 * S, 2, 10 * S, 0, 0, 102 * S); /* behind b: its deadline is later */
        world_run(&w, 2 * S);
        CU_ASSERT_EQUAL(c->promise.finish_us, (i == 0 ? 40 : i == 1 ? 30 : 21) * S);
        world_run(&w, INT64_MAX);
        CU_ASSERT(c->finish_us <= c->promise.finish_us);
        world_free(&w);
    }
}

static void test_no_slots(void)
{
    struct world w;
    struct world_job *j;

    world_init(&w, &policy_rtmr, NULL, 1, 2, 0, 0, false);
    j = world_job(&w, 0, 1, 10 * S, 1, 10 * S, 1000 * S);
    world_run(&w, 0);
    CU_ASSERT_FALSE(j->accepted);
    CU_ASSERT_EQUAL(j->promise.finish_us, 0);
    CU_ASSERT_STRING_EQUAL(j->promise.why,
                           "there is no reduce slot for it; no date can be promised");
    world_free(&w);
}

/* ---- random workloads ---- */
struct outcome {
    int accepted, late, unfinished, refused;
    int64_t latest_us; /* most that a job was later than its estimate */
};

/* Adds @n random jobs of up to @maps_max maps and @reduces_max reduces, some of them without
 * deadlines if @beside. Their tasks take 30 to 100 % of the submitted times. */
static void jobs_up_to(struct world *w, int32_t n, bool beside, int32_t maps_max,
                       int32_t reduces_max)
{
    int64_t at = 0;

    for (int32_t i = 0; i < n; i++) {
        int32_t maps = (int32_t)(rnd(8) ? 1 + rnd(maps_max) : 0),
                reduces = (int32_t)(rnd(3) || !maps ? 1 + rnd(reduces_max) : 0);
        int64_t map_us = 5 * S + rnd(40 * S), reduce_us = 5 * S + rnd(60 * S),
                alone = map_us + reduce_us;
        bool be = beside && !rnd(3);
        struct world_job *j;

        at += rnd(40 * S);
        j = world_job(w, at, maps, map_us, reduces, reduce_us, be ? 0 : alone + rnd(6 * alone));
        for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
            for (int32_t t = 0; t < j->pj.phase[k].total; t++) {
                int64_t most = j->task[k][t].needs_us;

                if (k == BASE_TASK_REDUCE && maps && !w->oob &&
                    w->heartbeat_us) /* the end of the maps is noticed late, too */
                    most -= w->heartbeat_us;
                j->task[k][t].needs_us = rnd(3) ? most : most * (30 + rnd(71)) / 100;
            }
    }
}

static void random_jobs(struct world *w, int32_t n, bool beside)
{
    jobs_up_to(w, n, beside, 20, 8);
}

static struct outcome look(const struct world *w)
{
    struct outcome o = {0};

    for (int32_t i = 0; i < w->n; i++) {
        const struct world_job *j = w->jobs[i];

        o.unfinished += j->present || !j->submitted;
        o.refused += !j->accepted;
        if (!j->accepted || !j->pj.deadline_us)
            continue;
        o.accepted++;
        if (j->finish_us > j->recorded_us || j->finish_us > j->pj.submit_us + j->pj.deadline_us)
            o.late++;
        if (j->finish_us - j->recorded_us > o.latest_us)
            o.latest_us = j->finish_us - j->recorded_us;
    }
    return o;
}

static struct outcome random_world(int run, const char *settings, bool oob, bool beside, bool pad)
{
    struct world w;
    struct outcome o;
    int32_t nodes = 1 + (int32_t)rnd(6);

    world_init(&w, &policy_rtmr, settings, nodes, 1 + (int32_t)rnd(4), 1 + (int32_t)rnd(3), 3 * S,
               pad);
    w.oob = oob;
    for (int32_t i = 0; i < nodes; i++)
        w.next_us[i] = rnd(3 * S);
    random_jobs(&w, 5 + (int32_t)rnd(30), beside);
    world_run(&w, INT64_MAX);
    o = look(&w);
    if (pad && (o.late || o.unfinished || w.idle))
        printf("seed %d (%s): %d late (%.3f s), %d unfinished, %d idle; %s\n", run, settings,
               o.late, (double)o.latest_us / 1e6, o.unfinished, w.idle, w.last_note);
    CU_ASSERT_EQUAL(w.idle, 0);
    world_free(&w);
    return o;
}

static void add_up(struct outcome *sum, const struct outcome *o)
{
    sum->accepted += o->accepted;
    sum->late += o->late;
    sum->refused += o->refused;
    sum->unfinished += o->unfinished;
    if (o->latest_us > sum->latest_us)
        sum->latest_us = o->latest_us;
}

static void test_promises_hold(void)
{
    static const char *const settings[] = {
        "rtmr.feedback=true",
        "rtmr.feedback=false",
        "rtmr.delta=0",
        "rtmr.be_kill=true",
        "rtmr.be_order=fair",
        "rtmr.be_order=hsrtf,rtmr.delta=0",
        "rtmr.order=fifo,rtmr.delta=1",
        "rtmr.be_kill=true,rtmr.delta=0",
    };
    struct outcome sum = {0};

    for (int run = 0; run < 1000; run++) {
        struct outcome o;

        seed_with(run);
        o = random_world(run, settings[run % 8], rnd(2), rnd(2), true);
        add_up(&sum, &o);
    }
    printf("%d accepted, %d refused ", sum.accepted, sum.refused);
    CU_ASSERT_EQUAL(sum.late, 0);
    CU_ASSERT_EQUAL(sum.unfinished, 0);
    CU_ASSERT(sum.accepted > 5000);
    CU_ASSERT(sum.refused > 1000);
}

/* When the estimates do not allow for heartbeats, jobs end late. */
static void test_padding(void)
{
    struct outcome sum = {0};

    for (int run = 0; run < 200; run++) {
        struct outcome o;

        seed_with(run);
        o = random_world(run, "rtmr.feedback=true", false, false, false);
        add_up(&sum, &o);
    }
    CU_ASSERT(sum.late > 0);
    CU_ASSERT(sum.latest_us > 3 * S);
}

/* Wide jobs, some of which are killed; refused jobs are submitted again, within the margin, with
 * the date that they were offered, and are then accepted.
 */
static void wide_world(int run, const char *settings, struct outcome *sum)
{
    const int32_t nodes = 2 + (int32_t)rnd(10), n = 20 + (int32_t)rnd(24);
    struct outcome o;
    struct world w;

    world_init(&w, &policy_rtmr, settings, nodes, 1 + (int32_t)rnd(4), 1 + (int32_t)rnd(3), 1 * S,
               true);
    w.oob = rnd(2);
    for (int32_t i = 0; i < nodes; i++)
        w.next_us[i] = rnd(1 * S);
    jobs_up_to(&w, n, rnd(4), 60, 30);
    for (int32_t i = 0; i < n; i++) {
        struct world_job *j = w.jobs[i], *victim = w.jobs[rnd(i + 1)], *again;
        int64_t date, wait = rnd(5 * S);

        world_run(&w, j->pj.submit_us - 1);
        if (!rnd(3) && victim->present) {
            world_kill(&w, victim);
            victim->accepted = false;
        }
        world_run(&w, j->pj.submit_us);
        if (j->accepted || w.n == WORLD_JOBS)
            continue;
        CU_ASSERT(j->promise.finish_us > w.now_us);
        date = (j->promise.finish_us + 5 * S + S - 1) / S * S;
        if (i + 1 == n || w.jobs[i + 1]->pj.submit_us > w.now_us + wait)
            world_run(&w, w.now_us + wait);
        again = world_job(&w, w.now_us, 0, 0, 0, 0, date - w.now_us);
        memcpy(again->task, j->task, sizeof again->task);
        memcpy(again->pj.size, j->pj.size, sizeof again->pj.size);
        memcpy(again->pj.phase, j->pj.phase, sizeof again->pj.phase);
        world_run(&w, w.now_us);
        if (!again->accepted)
            printf("seed %d (%s): %s\n", run, settings, again->promise.why);
        CU_ASSERT(again->accepted);
    }
    world_run(&w, INT64_MAX);
    o = look(&w);
    if (o.late)
        printf("seed %d (%s): %s\n", run, settings, w.last_note);
    add_up(sum, &o);
    world_free(&w);
}

static void test_wide_jobs(void)
{
    static const char *const settings[] = {"rtmr.feedback=true", "rtmr.be_kill=true",
                                           "rtmr.delta=0",
                                           "rtmr.be_order=fair,rtmr.feedback=false"};
    struct outcome sum = {0};

    for (int run = 0; run < 60; run++) {
        seed_with(run);
        wide_world(run, settings[run % 4], &sum);
    }
    CU_ASSERT_EQUAL(sum.late, 0);
    CU_ASSERT_EQUAL(sum.unfinished, 0);
    CU_ASSERT(sum.accepted > 500);
}

/* A refused job asks again at once, and again within the margin, for the date it was offered
 * (rounded up to a second).
 */
static void test_offers_are_good(void)
{
    int refused = 0, wrong = 0;

    for (int run = 0; run < 300; run++) {
        struct world w;
        int64_t wait;

        seed_with(run);
        wait = rnd(5 * S);
        world_init(&w, &policy_rtmr, NULL, 3, 3, 2, 1 * S, true);
        w.oob = true;
        for (int32_t i = 0; i < 3; i++)
            w.next_us[i] = rnd(1 * S);
        random_jobs(&w, 20, true);
        for (int32_t i = 0; i < 20; i++) {
            struct world_job *j = w.jobs[i], *again;
            int64_t date;

            world_run(&w, j->pj.submit_us);
            if (j->accepted || !j->promise.finish_us)
                continue;
            refused++;
            date = (j->promise.finish_us + 5 * S + S - 1) / S * S;
            again = base_alloc(sizeof *again);
            *again = *j;
            again->pj.submit_us = w.now_us;
            again->pj.seq = 1000;
            again->pj.deadline_us = j->promise.finish_us - w.now_us;
            wrong += !policy_rtmr.admit(w.policy, &again->pj, w.now_us, &again->promise);
            if (i + 1 < 20 && w.jobs[i + 1]->pj.submit_us > w.now_us + wait) {
                world_run(&w, w.now_us + wait);
                again->pj.submit_us = w.now_us;
                again->pj.deadline_us = date - w.now_us;
                if (!policy_rtmr.admit(w.policy, &again->pj, w.now_us, &again->promise)) {
                    printf("seed %d: %s\n", run, again->promise.why);
                    wrong++;
                }
            }
            free(again);
        }
        world_run(&w, INT64_MAX);
        CU_ASSERT_EQUAL(look(&w).late, 0);
        world_free(&w);
    }
    CU_ASSERT(refused > 300);
    CU_ASSERT_EQUAL(wrong, 0);
}

/* The same single job on more and more slots: its end is never promised later than with fewer
 * slots. */
static void test_more_slots(void)
{
    int bad = 0;

    for (int run = 0; run < 1000; run++) {
        int32_t maps, reduces;
        int64_t deadline, map_us, reduce_us, before = INT64_MAX;

        seed_with(run);
        maps = (int32_t)rnd(60);
        reduces = (int32_t)rnd(30);
        map_us = 1 + rnd(100 * S);
        reduce_us = 1 + rnd(100 * S);
        deadline = rnd(1000 * S);
        for (int32_t slots = 1; slots <= 40; slots += 1 + (int32_t)rnd(3)) {
            struct world w;
            struct world_job *j;
            int64_t finish;

            world_init(&w, &policy_rtmr, "rtmr.offer_margin=0", 1, slots, 1 + slots / 2, 3 * S,
                       true);
            j = world_job(&w, 0, maps, map_us, reduces, reduce_us, deadline ? deadline : 1);
            world_run(&w, 0);
            finish = j->promise.finish_us;
            bad += finish > before || (j->accepted && finish > deadline);
            before = finish;
            world_free(&w);
        }
    }
    CU_ASSERT_EQUAL(bad, 0);
}

/* Changes to another policy and back, in the middle of the run: no job is lost, and promises to
 * jobs accepted afterwards are kept. */
static void test_switched_over(void)
{
    int unfinished = 0;

    for (int run = 0; run < 200; run++) {
        struct world w;

        seed_with(run);
        world_init(&w, run % 2 ? &policy_fifo : &policy_rtmr, NULL, 3, 3, 2, 1 * S, true);
        w.oob = true;
        random_jobs(&w, 20, true);
        world_run(&w, 150 * S);
        world_switch(&w, &policy_rtmr);
        world_run(&w, 200 * S);
        world_switch(&w, &policy_fifo);
        world_run(&w, 250 * S);
        world_switch(&w, &policy_rtmr);
        world_run(&w, INT64_MAX);
        unfinished += look(&w).unfinished;
        for (int32_t i = 0; i < w.n; i++)
            if (w.jobs[i]->accepted && w.jobs[i]->pj.submit_us > 250 * S)
                CU_ASSERT(w.jobs[i]->finish_us <= w.jobs[i]->recorded_us ||
                          !w.jobs[i]->pj.deadline_us);
        world_free(&w);
    }
    CU_ASSERT_EQUAL(unfinished, 0);
}

/* Nodes fail and tasks run again: promises to jobs accepted afterwards are kept. */
static void test_after_failures(void)
{
    int accepted = 0, late = 0, unfinished = 0;

    for (int run = 0; run < 500; run++) {
        struct world w;

        seed_with(run);
        world_init(&w, &policy_rtmr, run % 2 ? "rtmr.feedback=false" : "rtmr.delta=0", 3, 3, 2,
                   1 * S, true);
        w.oob = rnd(2);
        random_jobs(&w, 30, rnd(2));
        for (int64_t at = 100; at <= 300; at += 100) {
            world_run(&w, at * S + rnd(S));
            world_fail(&w, (uint32_t)rnd(3), at == 200);
        }
        world_run(&w, INT64_MAX);
        unfinished += look(&w).unfinished;
        for (int32_t i = 0; i < w.n; i++)
            if (w.jobs[i]->accepted && w.jobs[i]->pj.deadline_us &&
                w.jobs[i]->pj.submit_us > 302 * S) {
                accepted++;
                late += w.jobs[i]->finish_us > w.jobs[i]->recorded_us;
                if (w.jobs[i]->finish_us > w.jobs[i]->recorded_us)
                    printf("seed %d: job %d, %s\n", run, i + 1, w.last_note);
            }
        world_free(&w);
    }
    CU_ASSERT(accepted > 1000);
    CU_ASSERT_EQUAL(late, 0);
    CU_ASSERT_EQUAL(unfinished, 0);
}

static const struct cunit_case cases[] = {
    {"admission", test_admission},
    {"waiting jobs by deadline", test_waiting_jobs_by_deadline},
    {"reservation", test_reservation},
    {"feedback", test_feedback},
    {"lengths of tasks", test_lengths},
    {"options of lengths", test_length_options},
    {"broken precondition", test_broken_precondition},
    {"jobs without deadline", test_beside},
    {"options of jobs without deadline", test_beside_options},
    {"kills and places", test_kills_and_places},
    {"reduces without deadline", test_beside_reduces},
    {"jobs that were there before", test_taken_over},
    {"taken over at its time", test_taken_over_at_its_time},
    {"slots taken", test_slots_taken},
    {"output lost", test_output_lost},
    {"slots lost", test_slots_lost},
    {"killed", test_killed},
    {"no slots", test_no_slots},
    {"promises hold", test_promises_hold},
    {"without padding they do not", test_padding},
    {"wide jobs", test_wide_jobs},
    {"offers are good", test_offers_are_good},
    {"after failures", test_after_failures},
    {"more slots accept more", test_more_slots},
    {"switched over", test_switched_over},
};

CUNIT_MAIN("policy_rtmr", cases)
