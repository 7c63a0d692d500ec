/* Goal: HFSP's preemption: claims and their bounds, the promise of fair sharing, suspended attempts
 * that start anew elsewhere. Method: a small world of slots around the policy. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/policy/hfsp_world.h"

static void fill(struct fake *w, uint32_t nodes, enum base_task_kind kind)
{
    for (uint32_t i = 0; i < nodes; i++)
        while (w->node[i].used[kind] < w->node[i].slots[kind] && fake_offer(w, i, kind))
            continue;
}

/* One node with two slots and ever smaller jobs: four tasks are suspended; after that no job
 * preempts until two of the four have been resumed. */
static void test_hysteresis(void)
{
    struct fake w;
    struct fake_job *j[4];

    hfsp_start(&w, &policy_hfsp, "hfsp.sizes=given", 1, 2, 2);
    for (int i = 0; i < 4; i++) {
        j[i] = hfsp_arrive(&w, 2, 100 - 20 * i, 0, 0);
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
    fake_offer_node(&w, 0); /* j1 is resumed */
    CU_ASSERT_EQUAL(j[1]->pj.phase[BASE_TASK_MAP].running, 2);
    CU_ASSERT_EQUAL(w.node[0].suspended[BASE_TASK_MAP], 2);
    hfsp_arrive(&w, 1, 1, 0, 0); /* two suspended, as many as slots: once more */
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

/* The slot of a suspended task goes to a container of an application, which may never end. Once the
 * task has been suspended for as long as it had run, 10 s, it starts anew elsewhere, if there is
 * room. */
static void test_given_up(void)
{
    struct fake w;
    struct fake_job *big, *small, *app;
    struct fake_task *other;

    hfsp_start(&w, &policy_hfsp, "hfsp.sizes=given", 2, 1, 1);
    big = hfsp_arrive(&w, 1, 100, 0, 0);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 0, BASE_TASK_MAP), big);
    app = fake_job(&w, 2, 10 * S, 0, 0);
    app->pj.is_job = false;
    fake_arrive(&w, app);
    other = fake_start(&w, app, BASE_TASK_MAP, 1, 1);
    w.now_us += 10 * S;
    small = hfsp_arrive(&w, 1, 5, 0, 0);
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
    /* the job has one suspended task and it is here: no more of its tasks are listed */
    CU_ASSERT_EQUAL(listed.times, 1);
    w.now_us += S;
    w.capacity.used[BASE_TASK_MAP]++; /* no room elsewhere */
    CU_ASSERT_EQUAL(fake_victims(&w, 0, BASE_TASK_MAP), 0);
    w.capacity.used[BASE_TASK_MAP]--;
    CU_ASSERT_EQUAL(fake_victims(&w, 0, BASE_TASK_MAP), 1);
    CU_ASSERT_EQUAL(big->pj.phase[BASE_TASK_MAP].pending, 1);
    CU_ASSERT_EQUAL(hfsp_phase_in(big, BASE_TASK_MAP)->held, 0);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 1, BASE_TASK_MAP), big);
    CU_ASSERT_EQUAL(w.breaches, 0);
    fake_free(&w);
}

/* One slot: a job of 100 s has run for 10 s when a job of @seconds arrives, which fair sharing
 * would end first. The running task is interrupted if the new job is clearly shorter than the 90 s
 * that are left; otherwise it would end later than under fair sharing, and is spared. Returns the
 * number of victims. */
static int interrupted(const char *options, double seconds)
{
    struct fake w;
    struct fake_job *first;
    size_t n;

    hfsp_start(&w, &policy_hfsp, options, 1, 1, 1);
    first = hfsp_arrive(&w, 1, 100, 0, 0);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 0, BASE_TASK_MAP), first);
    w.now_us += 10 * S;
    hfsp_arrive(&w, 1, seconds, 0, 0);
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
        /* a killed task loses its 10 s too */
        CU_ASSERT_EQUAL(interrupted(options, i ? 86 : 76), 0);
        strcat(options, " hfsp.promise=none");
        CU_ASSERT_EQUAL(interrupted(options, 85), 1);
    }
    CU_ASSERT_EQUAL(interrupted("hfsp.sizes=given", 74), 1); /* 90 is more than 1.2 times 74 */
}

/* A task is interrupted when its job has time: ten tasks of 100 s on one slot do not end before
 * 1,000 s under fair sharing either. */
static void test_promise_of_the_long(void)
{
    struct fake w;
    struct fake_job *big;

    hfsp_start(&w, &policy_hfsp, "hfsp.sizes=given", 1, 1, 1);
    big = hfsp_arrive(&w, 10, 100, 0, 0);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 0, BASE_TASK_MAP), big);
    w.now_us += 10 * S;
    hfsp_arrive(&w, 1, 85, 0, 0);
    CU_ASSERT_EQUAL(fake_victims(&w, 0, BASE_TASK_MAP), 1);
    fake_free(&w);
}

/* No task is interrupted for a job of unknown size, whatever is guessed: its tasks count as no
 * shorter than the task that would wait. */
static void test_promise_and_guesses(void)
{
    struct fake w;
    struct fake_job *first, *other;

    hfsp_start(&w, &policy_hfsp, "hfsp.sizes=given hfsp.initial_map=1", 1, 1, 1);
    first = hfsp_arrive(&w, 1, 100, 0, 0);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 0, BASE_TASK_MAP), first);
    w.now_us += 10 * S;
    other = fake_job(&w, 1, 10 * S, 0, 0);
    fake_arrive(&w, other);
    CU_ASSERT_EQUAL(hfsp_phase_in(other, BASE_TASK_MAP)->state, HFSP_TRAINING);
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

    hfsp_start(&w, &policy_hfsp, "", 5, 1, 1);
    from = w.now_us / S;
    a = hfsp_arrive(&w, 0, 0, 5, 240);
    for (uint32_t i = 0; i < 5; i++)
        CU_ASSERT_PTR_EQUAL(fake_offer(&w, i, BASE_TASK_REDUCE), a);
    for (uint32_t i = 0; i < 5; i++)
        fake_report(&w, i);
    w.now_us += 60 * S;
    CU_ASSERT_EQUAL(fair_s(&w, a, BASE_TASK_REDUCE), -1);
    for (uint32_t i = 0; i < 5; i++)
        fake_report(&w, i);
    CU_ASSERT_EQUAL(hfsp_phase_in(a, BASE_TASK_REDUCE)->state, HFSP_SIZED);
    CU_ASSERT_EQUAL(fair_s(&w, a, BASE_TASK_REDUCE), from + 240);
    fake_free(&w);
    hfsp_start(&w, &policy_hfsp, "hfsp.sizes=given", 1, 1, 1);
    from = w.now_us / S;
    a = hfsp_arrive(&w, 1, 100, 0, 0);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 0, BASE_TASK_MAP), a);
    CU_ASSERT_EQUAL(fair_s(&w, a, BASE_TASK_MAP), from + 100);
    w.now_us += 1 * S;
    b = hfsp_arrive(&w, 2, 50, 0, 0);
    CU_ASSERT_EQUAL(fair_s(&w, b, BASE_TASK_MAP), -1);
    a->task[BASE_TASK_MAP][0].needs_us = 10 * S; /* less than was submitted */
    w.now_us += 9 * S;
    fake_end(&w, &a->task[BASE_TASK_MAP][0]);
    CU_ASSERT(a->gone);
    CU_ASSERT_EQUAL(fair_s(&w, b, BASE_TASK_MAP), -1);
    w.capacity.slots[BASE_TASK_MAP]++;
    w.ops->on_capacity(w.policy, w.now_us);
    CU_ASSERT_EQUAL(fair_s(&w, b, BASE_TASK_MAP), from + 60); /* both tasks run at once now */
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

/* Two nodes with one slot each. At 10 s, both running tasks are interrupted for a job of @tasks
 * tasks of 300 s. Its task on node 1 ends at @ends_s, and the task that is suspended there, of the
 * last job in order, is resumed; with more than two tasks, the job itself still wants that slot.
 * The task that is suspended on node 0 had run for 10 s: it starts anew if it would otherwise wait
 * for longer than that and a heartbeat. */
static void starts_anew(int32_t tasks, int64_t ends_s, bool anew)
{
    struct fake w;
    struct fake_job *last, *mine, *first;
    int64_t from;

    hfsp_start(&w, &policy_hfsp, "hfsp.sizes=given", 2, 1, 1);
    from = w.now_us;
    last = hfsp_arrive(&w, 9, 1000, 0, 0);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 1, BASE_TASK_MAP), last);
    mine = hfsp_arrive(&w, 1, 1000, 0, 0);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 0, BASE_TASK_MAP), mine);
    w.now_us += 10 * S;
    first = hfsp_arrive(&w, tasks, 300, 0, 0);
    for (uint32_t i = 0; i < 2; i++) {
        CU_ASSERT_EQUAL(fake_victims(&w, 1 - i, BASE_TASK_MAP), 1);
        CU_ASSERT_PTR_EQUAL(fake_offer(&w, 1 - i, BASE_TASK_MAP), first);
    }
    /* there is no slot that the suspended task could have now */
    CU_ASSERT_EQUAL(fake_victims(&w, 0, BASE_TASK_MAP), 0);
    w.now_us = from + ends_s * S;
    fake_end(&w, &first->task[BASE_TASK_MAP][0]);
    if (tasks == 2)
        CU_ASSERT_PTR_EQUAL(fake_offer(&w, 1, BASE_TASK_MAP), last);
    CU_ASSERT_EQUAL(fake_victims(&w, 0, BASE_TASK_MAP), anew);
    CU_ASSERT_EQUAL(mine->pj.phase[BASE_TASK_MAP].suspended, !anew);
    CU_ASSERT_EQUAL(mine->pj.phase[BASE_TASK_MAP].pending, anew);
    CU_ASSERT_EQUAL(hfsp_phase_in(mine, BASE_TASK_MAP)->held, !anew);
    if (anew) {
        /* its task takes the slot of the last job */
        CU_ASSERT_EQUAL(fake_victims(&w, 1, BASE_TASK_MAP), 1);
        CU_ASSERT_PTR_EQUAL(fake_offer(&w, 1, BASE_TASK_MAP), mine);
    }
    CU_ASSERT_EQUAL(w.breaches, 0);
    fake_free(&w);
}

/* Attempts of two jobs are suspended on node 0, and a job behind both in order has one slot
 * elsewhere: one of the two starts anew to get it. */
static void test_one_starts_anew(void)
{
    static const double sizes[] = {1000, 600, 300};
    struct fake w;
    struct fake_job *last, *app, *j[3];
    struct fake_task *other;

    hfsp_start(&w, &policy_hfsp, "hfsp.sizes=given", 2, 1, 1);
    app = fake_job(&w, 1, 10 * S, 0, 0);
    app->pj.is_job = false;
    fake_arrive(&w, app);
    other = fake_start(&w, app, BASE_TASK_MAP, 0, 1);
    for (int i = 0; i < 3; i++, w.now_us += 10 * S) {
        j[i] = hfsp_arrive(&w, 1, sizes[i], 0, 0);
        if (i > 0)
            CU_ASSERT_EQUAL(fake_victims(&w, 0, BASE_TASK_MAP), 1);
        CU_ASSERT_PTR_EQUAL(fake_offer(&w, 0, BASE_TASK_MAP), j[i]);
    }
    last = hfsp_arrive(&w, 9, 1000, 0, 0);
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

    /* wait: no victims; kill: as many as are claimed, newest first */
    hfsp_start(&w, &policy_hfsp, "hfsp.sizes=given hfsp.preemption=wait", 2, 2, 1);
    big = hfsp_arrive(&w, 8, 100, 0, 0);
    fill(&w, 2, BASE_TASK_MAP);
    small = hfsp_arrive(&w, 1, 10, 0, 0);
    CU_ASSERT_EQUAL(fake_victims(&w, 0, BASE_TASK_MAP), 0);
    fake_free(&w);
    hfsp_start(&w, &policy_hfsp, "hfsp.sizes=given hfsp.preemption=kill", 2, 2, 1);
    w.kill_us = 3 * S;
    big = hfsp_arrive(&w, 8, 100, 0, 0);
    for (uint32_t i = 0; i < 4; i++, w.now_us += S)
        CU_ASSERT_PTR_EQUAL(fake_offer(&w, i / 2, BASE_TASK_MAP), big);
    small = hfsp_arrive(&w, 1, 10, 0, 0);
    CU_ASSERT_EQUAL(fake_victims(&w, 0, BASE_TASK_MAP), 1);
    CU_ASSERT(big->task[BASE_TASK_MAP][1].kill_at_us > 0);  /* the newest here */
    CU_ASSERT_EQUAL(fake_victims(&w, 1, BASE_TASK_MAP), 0); /* one is being freed already */
    fake_free(&w);
    /* tasks of later jobs are taken first, even on other nodes */
    hfsp_start(&w, &policy_hfsp, "hfsp.sizes=given", 2, 2, 1);
    medium = hfsp_arrive(&w, 2, 50, 0, 0);
    fill(&w, 1, BASE_TASK_MAP);
    big = hfsp_arrive(&w, 8, 100, 0, 0);
    fill(&w, 2, BASE_TASK_MAP);
    CU_ASSERT_EQUAL(medium->pj.phase[BASE_TASK_MAP].running, 2);
    CU_ASSERT_EQUAL(big->pj.phase[BASE_TASK_MAP].running, 2);
    small = hfsp_arrive(&w, 2, 10, 0, 0);
    CU_ASSERT_EQUAL(fake_victims(&w, 0, BASE_TASK_MAP), 0); /* the medium job's tasks */
    CU_ASSERT_EQUAL(fake_victims(&w, 1, BASE_TASK_MAP), 2);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 1, BASE_TASK_MAP), small);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 1, BASE_TASK_MAP), small);
    CU_ASSERT_EQUAL(w.breaches, 0);
    fake_free(&w);
    /* no job in training is a victim */
    hfsp_start(&w, &policy_hfsp, "", 1, 2, 1);
    big = hfsp_arrive(&w, 8, 100, 0, 0);
    fill(&w, 1, BASE_TASK_MAP);
    small = hfsp_arrive(&w, 1, 10, 0, 0);
    CU_ASSERT_EQUAL(fake_victims(&w, 0, BASE_TASK_MAP), 0);
    fake_free(&w);
}

/* No task is suspended for a reduce that would wait for its maps. */
static void test_early_reduces(void)
{
    struct fake w;
    struct fake_job *big, *small;

    hfsp_start(&w, &policy_hfsp, "hfsp.sizes=given", 1, 2, 1);
    big = hfsp_arrive(&w, 0, 0, 4, 100);
    fill(&w, 1, BASE_TASK_REDUCE);
    small = hfsp_arrive(&w, 2, 10, 1, 10);
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

/* Where data have places, the job that claims a slot is asked for one task at a time: it may
 * decline the slot, take it from the last job in order, or, if its data are near, take it from any
 * job. */
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

    hfsp_start(&w, &policy_hfsp, "hfsp.sizes=given", 2, 2, 1);
    w.env.takes = takes_so;
    hfsp_arrive(&w, 2, 50, 0, 0);
    fill(&w, 1, BASE_TASK_MAP);
    hfsp_arrive(&w, 8, 100, 0, 0);
    fill(&w, 2, BASE_TASK_MAP);
    hfsp_arrive(&w, 2, 10, 0, 0);
    asked = 0;
    take = POLICY_DECLINES;
    CU_ASSERT_EQUAL(fake_victims(&w, 1, BASE_TASK_MAP), 0);
    CU_ASSERT_EQUAL(asked, 1); /* the larger ones claim nothing from jobs before them */
    take = POLICY_TAKES;
    /* the last job's tasks are on the other node */
    CU_ASSERT_EQUAL(fake_victims(&w, 0, BASE_TASK_MAP), 0);
    CU_ASSERT_EQUAL(fake_victims(&w, 1, BASE_TASK_MAP), 1);
    take = POLICY_TAKES_NEAR;
    CU_ASSERT_EQUAL(fake_victims(&w, 0, BASE_TASK_MAP), 1);
    fake_free(&w);
}

static const struct cunit_case cases[] = {
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
};
CUNIT_MAIN("HFSP preemption", cases)
