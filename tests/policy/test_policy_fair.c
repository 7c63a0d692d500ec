/* Goal: the fair scheduler gives slots as the paper and Hadoop say. Method: the figures of Zaharia
 * et al., EuroSys 2010, Hadoop's limits one by one, and preemption traces on a cluster in
 * memory. */
#include <math.h>

#include "policies/common/spread_cap.h"
#include "policies/registry.h"
#include "tests/policy/fair_world.h"

static void shares_are(struct world *w, const char *queue, int64_t maps)
{
    int64_t share[BASE_TASK_KINDS], demand[BASE_TASK_KINDS];

    CU_ASSERT(w->ops->queue_share(w->policy, policy_queues_find(&w->queues, queue), share, demand));
    CU_ASSERT_EQUAL(share[BASE_TASK_MAP], maps);
}

static int maps_of(const struct policy_job *job)
{
    return job->phase[BASE_TASK_MAP].running;
}

/* Fig. 4: pool 1 has a minimum of 60, pool 2 is FIFO, pool 3 has a minimum and no demand. */
static void test_figure_4(void)
{
    struct world *w = world_new(100, 0, "p1,p2,p3");
    struct policy_job *j[4];

    world_limit(&world_queue(w, "p1")->min, 60, 0);
    world_limit(&world_queue(w, "p3")->min, 10, 0);
    world_queue(w, "p2")->order = POLICY_QUEUE_FIFO;
    world_start(w, &policy_fair);
    for (int i = 0; i < 4; i++)
        j[i] = world_submit(w, i < 2 ? "p1" : "p2", 100, 0);
    world_fill(w);
    CU_ASSERT_EQUAL(maps_of(j[0]), 30);
    CU_ASSERT_EQUAL(maps_of(j[1]), 30);
    CU_ASSERT_EQUAL(maps_of(j[2]), 40);
    CU_ASSERT_EQUAL(maps_of(j[3]), 0);
    world_pass(w, SEC);
    shares_are(w, "p1", 60);
    shares_are(w, "p2", 40);
    shares_are(w, "p3", 0);
    world_free(w);
}

static void test_weights(void)
{
    struct world *w = world_new(100, 0, "a,b,c");
    struct policy_job *j[3];

    world_queue(w, "a")->weight = 2;
    world_start(w, &policy_fair);
    j[0] = world_submit(w, "a", 100, 0);
    j[1] = world_submit(w, "b", 100, 0);
    j[2] = world_submit(w, "c", 10, 0);
    world_fill(w);
    CU_ASSERT_EQUAL(maps_of(j[0]), 60);
    CU_ASSERT_EQUAL(maps_of(j[1]), 30);
    CU_ASSERT_EQUAL(maps_of(j[2]), 10);
    world_pass(w, SEC);
    shares_are(w, "a", 60);
    shares_are(w, "b", 30);
    shares_are(w, "c", 10);
    world_submit(w, "c", 100, 0);
    world_pass(w, SEC);
    shares_are(w, "a", 50);
    shares_are(w, "b", 25);
    shares_are(w, "c", 25);
    world_free(w);
}

static void test_weight_zero_comes_last(void)
{
    struct world *w = world_new(10, 0, "a,b");
    struct policy_job *a, *b;

    world_queue(w, "a")->weight = 0;
    world_start(w, &policy_fair);
    a = world_submit(w, "a", 20, 0);
    b = world_submit(w, "b", 7, 0);
    world_fill(w);
    CU_ASSERT_EQUAL(maps_of(a), 3);
    CU_ASSERT_EQUAL(maps_of(b), 7);
    world_free(w);
}

/* Priorities are factors of two; a job's own weight counts beside them. */
static void test_job_weights(void)
{
    static const int want[] = {40, 20, 10, 5, 5};
    struct world *w = world_new(80, 0, NULL);
    struct policy_job *j[5];

    world_start(w, &policy_fair);
    for (int i = 0; i < 5; i++) {
        j[i] = world_job(w, "default", 100, 0);
        j[i]->priority = i < 4 ? 2 - i : 0;
        j[i]->weight = i < 4 ? 1 : .5;
        world_arrive(w, j[i]);
    }
    world_fill(w);
    for (int i = 0; i < 5; i++)
        CU_ASSERT_EQUAL(maps_of(j[i]), want[i]);
    world_free(w);
}

static void test_size_weight(void)
{
    struct world *w = world_new(80, 0, NULL);
    struct policy_job *a, *b;

    world_set(w, "fair.size_weight", "true");
    world_start(w, &policy_fair);
    a = world_submit(w, "default", 255, 0);
    b = world_submit(w, "default", 4095, 0);
    world_fill(w);
    CU_ASSERT_EQUAL(maps_of(a), 32); /* weights of 8 and 12 */
    CU_ASSERT_EQUAL(maps_of(b), 48);
    world_free(w);
}

static void test_minima_that_do_not_fit(void)
{
    struct world *w = world_new(100, 0, "a,b");

    world_limit(&world_queue(w, "a")->min, 60, 0);
    world_limit(&world_queue(w, "b")->min, 60, 0);
    world_start(w, &policy_fair);
    world_submit(w, "a", 100, 0);
    world_submit(w, "b", 100, 0);
    world_pass(w, SEC);
    shares_are(w, "a", 50);
    shares_are(w, "b", 50);
    CU_ASSERT_STRING_EQUAL(w->noted, "");
    world_pass(w, 20 * SEC);
    CU_ASSERT_STRING_EQUAL(
        w->noted,
        "minimum shares of the queues add up to 120 map slots of 100: they are scaled down");
    world_free(w);
}

/* Of two queues below their minimum, the one that runs the smaller part of its minimum goes first;
 * both come before queues that are not below theirs. */
static void test_needy_first(void)
{
    struct world *w = world_new(1000, 0, "a,b,c");
    struct policy_job *a, *b, *c;
    struct policy_offer offer;

    world_limit(&world_queue(w, "a")->min, 10, 0);
    world_limit(&world_queue(w, "b")->min, 100, 0);
    world_start(w, &policy_fair);
    a = world_submit(w, "a", 100, 0);
    b = world_submit(w, "b", 200, 0);
    c = world_submit(w, "c", 100, 0);
    for (int i = 0; i < 5; i++)
        world_launch(w, a, BASE_TASK_MAP, 0);
    for (int i = 0; i < 40; i++)
        world_launch(w, b, BASE_TASK_MAP, 0);
    offer = world_offer(w, BASE_TASK_MAP, 0);
    CU_ASSERT_PTR_EQUAL(w->ops->next(w->policy, &offer, NULL), b);
    CU_ASSERT_PTR_EQUAL(w->ops->next(w->policy, &offer, b), a);
    CU_ASSERT_PTR_EQUAL(w->ops->next(w->policy, &offer, a), c);
    CU_ASSERT_PTR_NULL(w->ops->next(w->policy, &offer, c));
    CU_ASSERT_FALSE(offer.held);
    for (int i = 0; i < 10; i++)
        world_launch(w, b, BASE_TASK_MAP, 0); /* 50 of 100, 5 of 10: the first of the two */
    CU_ASSERT_PTR_EQUAL(w->ops->next(w->policy, &offer, NULL), a);
    world_free(w);
}

static void test_nested(void)
{
    struct world *w = world_new(100, 20, "a.x,a.y.z,b");
    struct policy_job *x, *z, *b, *late;

    world_start(w, &policy_fair);
    x = world_submit(w, "a.x", 100, 20);
    z = world_submit(w, "a.y.z", 100, 20);
    b = world_submit(w, "b", 100, 20);
    world_fill(w);
    CU_ASSERT_EQUAL(maps_of(x), 25);
    CU_ASSERT_EQUAL(maps_of(z), 25);
    CU_ASSERT_EQUAL(maps_of(b), 50);
    CU_ASSERT_EQUAL(b->phase[BASE_TASK_REDUCE].running, 10);
    CU_ASSERT_EQUAL(x->phase[BASE_TASK_REDUCE].running, 5);
    world_pass(w, SEC);
    shares_are(w, "root", 100);
    shares_are(w, "a", 50);
    shares_are(w, "a.y", 25);
    shares_are(w, "a.y.z", 25);
    late = world_submit(w, "a.y.z", 100, 0);
    world_pass(w, SEC);
    shares_are(w, "a.y.z", 25);
    for (int i = 0; i < 10; i++) { /* what z gives back goes to the job beside it */
        world_end_one(w, z, BASE_TASK_MAP);
        CU_ASSERT_PTR_EQUAL(world_assign(w, BASE_TASK_MAP), late);
    }
    world_free(w);
}

/* A queue at its maximum gets nothing; the offer says that slots are held back on purpose. */
static void test_maximum(void)
{
    struct world *w = world_new(100, 0, "a.x,a.y,b");
    struct policy_job *x, *y, *b;
    struct policy_offer offer;

    world_limit(&world_queue(w, "a")->max, 10, -1);
    world_limit(&world_queue(w, "a.x")->max, 3, -1);
    world_start(w, &policy_fair);
    x = world_submit(w, "a.x", 100, 0);
    y = world_submit(w, "a.y", 100, 0);
    world_fill(w);
    CU_ASSERT_EQUAL(maps_of(x), 3);
    CU_ASSERT_EQUAL(maps_of(y), 7);
    offer = world_offer(w, BASE_TASK_MAP, 0);
    CU_ASSERT_PTR_NULL(w->ops->next(w->policy, &offer, NULL));
    CU_ASSERT(offer.held);
    b = world_submit(w, "b", 200, 0);
    world_fill(w);
    CU_ASSERT_EQUAL(maps_of(b), 90);
    world_pass(w, SEC);
    shares_are(w, "a", 10);
    shares_are(w, "a.x", 3);
    shares_are(w, "b", 90);
    world_free(w);
}

static int32_t user_job(struct world *w, const char *queue, int32_t user)
{
    struct policy_job *job = world_job(w, queue, 5, 0);

    job->user = user;
    world_arrive(w, job);
    return job->seq - 1;
}

/* Applications beyond the limit of a queue or a user wait, and run in the order of submission. */
static void test_running_applications(void)
{
    struct world *w = world_new(100, 0, "a.x,a.y");
    struct base_buf text = {0};
    struct policy_offer offer;

    world_queue(w, "a")->max_running = 3;
    world_queue(w, "a.x")->max_running = 2;
    w->queues.user_max_running = 3;
    w->queues.users = base_alloc(sizeof *w->queues.users);
    w->queues.users[w->queues.users_n++] = (struct policy_user_limit){base_strdup("bob"), 1};
    world_start(w, &policy_fair);
    user_job(w, "a.x", 0); /* 0 runs */
    user_job(w, "a.x", 1); /* 1 runs: bob's only one */
    user_job(w, "a.x", 0); /* 2 waits for a.x */
    user_job(w, "a.y", 1); /* 3 waits for bob's other */
    user_job(w, "a.y", 0); /* 4 runs */
    user_job(w, "a.y", 2); /* 5 waits for a */
    world_fill(w);
    for (int i = 0; i < 6; i++)
        CU_ASSERT_EQUAL(maps_of(&w->jobs[i]), i == 0 || i == 1 || i == 4 ? 5 : 0);
    offer = world_offer(w, BASE_TASK_MAP, 0);
    CU_ASSERT_PTR_NULL(w->ops->next(w->policy, &offer, NULL));
    CU_ASSERT(offer.held);
    w->ops->explain(w->policy, &w->jobs[2], w->now_us, &text);
    CU_ASSERT_PTR_NOT_NULL(strstr(text.data, "queue root.a.x ends: it may have 2"));
    base_buf_clear(&text);
    world_leave(w, &w->jobs[4]); /* room in a: 3 came first, but bob may run one */
    world_fill(w);
    CU_ASSERT_EQUAL(maps_of(&w->jobs[5]), 5);
    CU_ASSERT_EQUAL(maps_of(&w->jobs[3]), 0);
    w->ops->explain(w->policy, &w->jobs[3], w->now_us, &text);
    world_leave(w, &w->jobs[1]); /* room in a and a.x, and for bob */
    world_fill(w);
    CU_ASSERT_EQUAL(maps_of(&w->jobs[2]), 5);
    CU_ASSERT_EQUAL(maps_of(&w->jobs[3]), 0); /* a is full */
    world_leave(w, &w->jobs[0]);
    world_fill(w);
    CU_ASSERT_EQUAL(maps_of(&w->jobs[3]), 5);
    base_buf_free(&text);
    world_free(w);
}

/* A job that has run before the policy is activated is active, whatever the limits. */
static void test_running_at_arrival(void)
{
    struct world *w = world_new(100, 0, NULL);
    struct policy_job *a, *b;

    world_queue(w, "default")->max_running = 1;
    world_start(w, &policy_fair);
    a = world_submit(w, "default", 5, 0);
    b = world_job(w, "default", 5, 0);
    b->phase[BASE_TASK_MAP].pending = 3;
    b->phase[BASE_TASK_MAP].suspended = 2;
    world_arrive(w, b);
    world_fill(w);
    CU_ASSERT_EQUAL(maps_of(a), 5);
    CU_ASSERT_EQUAL(maps_of(b), 3);
    world_free(w);
}

/* 58 nodes of 8 slots, 100 maps: two per node. */
static void test_spread_cap(void)
{
    struct world *w = world_new(58 * 8, 0, NULL);
    struct policy_offer offer;

    CU_ASSERT_EQUAL(policy_spread_cap(8, 100, 464), 2);
    world_set(w, "fair.spread_cap", "true");
    world_start(w, &policy_fair);
    world_submit(w, "default", 100, 0);
    offer = world_offer(w, BASE_TASK_MAP, 0);
    offer.node_slots = 8;
    offer.node_used = 1;
    CU_ASSERT_PTR_NOT_NULL(w->ops->next(w->policy, &offer, NULL));
    offer.node_used = 2;
    CU_ASSERT_PTR_NULL(w->ops->next(w->policy, &offer, NULL));
    CU_ASSERT(offer.held);
    world_free(w);
}

/* Two equal pools on 100 slots; a runs all but @b_runs. */
static struct world *two_pools(int b_runs, int64_t min, int64_t t_min, int64_t t_fair, bool preempt)
{
    struct world *w = world_new(100, 0, "a,b");
    struct policy_job *a, *b;

    world_limit(&world_queue(w, "b")->min, min, 0);
    for (int i = 0; i < 2; i++) {
        struct policy_queue *q = world_queue(w, i ? "b" : "a");

        q->min_timeout_us = t_min;
        q->fair_timeout_us = t_fair;
    }
    world_set(w, "fair.preemption", preempt ? "true" : "false");
    world_start(w, &policy_fair);
    a = world_submit(w, "a", 200, 0);
    b = world_submit(w, "b", 60, 0);
    for (int i = 0; i < 100; i++) {
        world_launch(w, i < b_runs ? b : a, BASE_TASK_MAP, 0);
        w->now_us++;
    }
    return w;
}

static void killed(const struct world *w, size_t n)
{
    CU_ASSERT_EQUAL(w->plan.len, n);
    for (size_t i = 0; i < w->plan.len; i++) { /* the newest first: a's, which started last */
        CU_ASSERT_PTR_EQUAL(w->plan.v[i].container, &w->attempts[99 - i]);
        CU_ASSERT_EQUAL(w->plan.v[i].how, POLICY_VICTIM_KILL);
    }
}

static void test_preemption(void)
{
    struct world *w = two_pools(25, 0, INT64_MAX, 20 * SEC, true);

    world_pass(w, 100 * SEC);
    killed(w, 0); /* half of its share is not yet starved */
    world_free(w);
    w = two_pools(24, 0, INT64_MAX, 20 * SEC, true);
    world_pass(w, 20 * SEC);
    killed(w, 0);
    world_pass(w, 10 * SEC); /* the second check, at 30 s */
    killed(w, 26);
    for (size_t i = 0; i < w->plan.len; i++)
        world_end(w, w->plan.v[i].container, false);
    CU_ASSERT_EQUAL(maps_of(&w->jobs[0]), 50);
    w->plan.len = 0;
    world_fill(w);
    CU_ASSERT_EQUAL(maps_of(&w->jobs[1]), 50);
    world_pass(w, 100 * SEC);
    killed(w, 0);
    world_free(w);
    w = two_pools(24, 40, 10 * SEC, 10 * SEC, true);
    world_pass(w, 16 * SEC);
    killed(w, 26);
    world_free(w);
    w = two_pools(24, 40, 10 * SEC, INT64_MAX, true);
    world_pass(w, 16 * SEC);
    killed(w, 16);
    world_free(w);
    w = two_pools(24, 0, INT64_MAX, 20 * SEC, false);
    world_pass(w, 100 * SEC);
    killed(w, 0);
    world_free(w);
}

/* Tasks that are being killed already are not named again; a queue that must not be preempted is
 * spared. */
static void test_preemption_bounds(void)
{
    struct world *w = two_pools(24, 0, INT64_MAX, 10 * SEC, true);

    for (int i = 90; i < 100; i++) { /* ten of a's tasks end slowly */
        w->attempts[i].killing = true;
        w->capacity.freeing[BASE_TASK_MAP]++;
    }
    world_pass(w, 16 * SEC);
    CU_ASSERT_EQUAL(w->plan.len, 16);
    CU_ASSERT_PTR_EQUAL(w->plan.v[0].container, &w->attempts[89]);
    for (size_t i = 0; i < w->plan.len; i++) {
        struct world_attempt *a = w->plan.v[i].container;

        a->killing = true;
        w->capacity.freeing[BASE_TASK_MAP]++;
    }
    w->plan.len = 0;
    world_submit(w, "b", 100, 0); /* more is wanted, but a has no more than its share left */
    world_pass(w, 100 * SEC);
    CU_ASSERT_EQUAL(w->plan.len, 0);
    world_free(w);
    w = two_pools(24, 0, INT64_MAX, 10 * SEC, true);
    world_queue(w, "a")->preempt = false;
    w->ops->on_queues(w->policy, w->now_us);
    world_pass(w, 40 * SEC);
    killed(w, 0);
    world_free(w);
}

/* Three pools of 100 slots: a runs 60, b 10, c 30, each would have a third. b alone is starved, by
 * 24 slots after rounding up; a could give 27. Slots that are being freed count. */
static void test_preemption_need(void)
{
    static const struct {
        const char *queue;
        int runs;
    } pools[] = {{"a", 60}, {"b", 10}, {"c", 30}};

    for (int freeing = 0; freeing <= 10; freeing += 5) {
        struct world *w = world_new(100, 0, "a,b,c");

        world_set(w, "fair.preemption", "true");
        for (int i = 0; i < 3; i++)
            world_queue(w, pools[i].queue)->fair_timeout_us = 10 * SEC;
        world_start(w, &policy_fair);
        for (int i = 0; i < 3; i++) {
            struct policy_job *j = world_submit(w, pools[i].queue, 200, 0);

            for (int n = 0; n < pools[i].runs; n++)
                world_launch(w, j, BASE_TASK_MAP, 0);
        }
        for (int i = 0; i < freeing; i++) {
            w->attempts[i].killing = true;
            w->capacity.freeing[BASE_TASK_MAP]++;
        }
        world_pass(w, 16 * SEC);
        CU_ASSERT(w->plan.len + (size_t)freeing >= 23 && w->plan.len + (size_t)freeing <= 24);
        world_free(w);
    }
}

/* The time-out of a pool runs from its first submission: an empty pool is not starved. */
static void test_timeout_runs_from_submission(void)
{
    struct world *w = world_new(10, 0, "a,b");

    world_queue(w, "b")->fair_timeout_us = 30 * SEC;
    world_set(w, "fair.preemption", "true");
    world_start(w, &policy_fair);
    world_submit(w, "a", 20, 0);
    world_fill(w);
    world_pass(w, 1000 * SEC);
    world_submit(w, "b", 20, 0);
    world_pass(w, 29 * SEC);
    CU_ASSERT_EQUAL(w->plan.len, 0);
    world_pass(w, 30 * SEC);
    CU_ASSERT(w->plan.len >= 5);
    world_free(w);
}

/* Past its time-out a pool takes any slot, also when nothing is killed. */
static void test_no_delay(void)
{
    struct world *w = two_pools(24, 0, INT64_MAX, 20 * SEC, false);
    struct policy_offer offer;

    world_pass(w, 19 * SEC);
    offer = world_offer(w, BASE_TASK_MAP, 0);
    CU_ASSERT_PTR_EQUAL(w->ops->next(w->policy, &offer, NULL), &w->jobs[1]);
    CU_ASSERT_FALSE(offer.no_delay);
    world_pass(w, 5 * SEC);
    offer = world_offer(w, BASE_TASK_MAP, 0);
    CU_ASSERT_PTR_EQUAL(w->ops->next(w->policy, &offer, NULL), &w->jobs[1]);
    CU_ASSERT(offer.no_delay);
    CU_ASSERT_PTR_EQUAL(w->ops->next(w->policy, &offer, &w->jobs[1]), &w->jobs[0]);
    CU_ASSERT_FALSE(offer.no_delay);
    world_free(w);
}

/* 10 slots, 8 and 2 running for 2 s: deficits of -6 and +6 task-seconds, and the second job goes
 * first until it has made up for its deficit, however many tasks it runs. */
static void test_deficit(void)
{
    struct world *w = world_new(10, 0, "a,b");
    struct policy_job *a, *b;
    int turns = 0;

    world_set(w, "fair.mode", "deficit");
    world_start(w, &policy_fair);
    a = world_submit(w, "a", 10000, 0);
    b = world_submit(w, "b", 10000, 0);
    for (int i = 0; i < 10; i++)
        world_launch(w, i < 8 ? a : b, BASE_TASK_MAP, 0);
    world_pass(w, 2 * SEC);
    for (int i = 0; i < 6; i++) {
        world_end_one(w, a, BASE_TASK_MAP);
        CU_ASSERT_PTR_EQUAL(world_assign(w, BASE_TASK_MAP), b);
    }
    for (; turns < 10; turns++) { /* 2 and 8: three task-seconds a second */
        struct policy_offer offer = world_offer(w, BASE_TASK_MAP, 0);

        if (w->ops->next(w->policy, &offer, NULL) == a)
            break;
        world_pass(w, SEC / 2);
    }
    CU_ASSERT_EQUAL(turns, 4);
    world_free(w);
}

/* A long job's maps are spread; after five short ones the job no longer counts as long. */
static void test_long_tasks(void)
{
    struct world *w = world_new(100, 0, NULL);
    struct policy_job *a;
    struct policy_offer offer;

    w->learned.kind[BASE_TASK_MAP].count = 100;
    w->learned.kind[BASE_TASK_MAP].total_us = 1000 * SEC;
    world_set(w, "fair.long_tasks", "true");
    world_start(w, &policy_fair);
    a = world_submit(w, "default", 100, 0);
    for (uint32_t node = 0; node < 5; node++)
        world_launch(w, a, BASE_TASK_MAP, node);
    offer = world_offer(w, BASE_TASK_MAP, 0);
    /* one map runs here, half a map per node on average */
    CU_ASSERT_PTR_NULL(w->ops->next(w->policy, &offer, NULL));
    CU_ASSERT(offer.held);
    offer = world_offer(w, BASE_TASK_MAP, 7);
    CU_ASSERT_PTR_EQUAL(w->ops->next(w->policy, &offer, NULL), a);
    for (uint32_t node = 5; node < 10; node++)
        world_launch(w, a, BASE_TASK_MAP, node);
    offer = world_offer(w, BASE_TASK_MAP, 0);
    CU_ASSERT_PTR_EQUAL(w->ops->next(w->policy, &offer, NULL), a); /* no more than the average */
    world_launch(w, a, BASE_TASK_MAP, 0);
    CU_ASSERT_PTR_NULL(w->ops->next(w->policy, &offer, NULL));
    world_pass(w, SEC);
    for (int i = 0; i < 5; i++)
        world_end_one(w, a, BASE_TASK_MAP);
    world_launch(w, a, BASE_TASK_MAP, 9);
    offer = world_offer(w, BASE_TASK_MAP, 9);
    CU_ASSERT_PTR_EQUAL(w->ops->next(w->policy, &offer, NULL), a);
    world_free(w);
}

/* Maps that are being killed when their long job leaves count no longer, although the core does not
 * list them any more. */
static void test_long_tasks_killed(void)
{
    struct world *w = world_new(100, 0, NULL);
    struct policy_job *a, *b;
    struct policy_offer offer;

    world_set(w, "fair.long_tasks", "true");
    world_start(w, &policy_fair);
    a = world_submit(w, "default", 100, 0);
    for (int i = 0; i < 3; i++)
        world_launch(w, a, BASE_TASK_MAP, 0);
    for (int i = 0; i < 3; i++)
        w->attempts[i].killing = true;
    w->in[a - w->jobs] = false;
    w->ops->on_job_left(w->policy, a, w->now_us);
    b = world_submit(w, "default", 100, 0);
    world_launch(w, b, BASE_TASK_MAP, 1);
    offer = world_offer(w, BASE_TASK_MAP, 0);
    CU_ASSERT_PTR_EQUAL(w->ops->next(w->policy, &offer, NULL), b);
    offer = world_offer(w, BASE_TASK_MAP, 1);
    CU_ASSERT_PTR_NULL(w->ops->next(w->policy, &offer, NULL));
    world_free(w);
}

/* An ended task counts as running for a while longer, so its slot goes to the other job first. */
static void commit_delay(const struct policy_ops *ops, bool on)
{
    struct world *w = world_new(10, 0, NULL);
    struct policy_job *a, *b;

    world_set(w, "commit_delay", on ? "2" : "0");
    world_start(w, ops);
    a = world_submit(w, "default", 100, 0);
    b = world_submit(w, "default", 100, 0);
    world_fill(w);
    CU_ASSERT_EQUAL(maps_of(a), 5);
    world_end_one(w, b, BASE_TASK_MAP);
    CU_ASSERT_PTR_EQUAL(world_assign(w, BASE_TASK_MAP), on ? a : b);
    world_pass(w, 3 * SEC);
    world_end_one(w, a, BASE_TASK_MAP);
    world_pass(w, 3 * SEC); /* counted no longer */
    CU_ASSERT_PTR_EQUAL(world_assign(w, BASE_TASK_MAP), on ? b : a);
    world_end_one(w, a, BASE_TASK_MAP);
    world_free(w);
}

static void test_commit_delay(void)
{
    for (int on = 0; on < 2; on++) {
        commit_delay(&policy_fair, on);
        commit_delay(&policy_naive_fair, on);
    }
}

/* Another configuration while jobs run: they go on in their queues, limits and weights are the new
 * ones. */
static void test_queues_change(void)
{
    struct world *w = world_new(90, 0, "a,b");
    struct policy_queues new;
    struct policy_job *a, *b, *c;

    world_queue(w, "a")->max_running = 1;
    world_start(w, &policy_fair);
    a = world_submit(w, "a", 100, 0);
    c = world_submit(w, "a", 100, 0);
    b = world_submit(w, "b", 100, 0);
    world_fill(w);
    CU_ASSERT_EQUAL(maps_of(a), 45);
    CU_ASSERT_EQUAL(maps_of(c), 0);
    policy_queues_init(&new, "n,a,b.x");
    new.v[policy_queues_find(&new, "a")].weight = 2;
    policy_queues_replace(&w->queues, &new);
    w->ops->on_queues(w->policy, w->now_us);
    world_pass(w, SEC);
    shares_are(w, "a", 60);
    shares_are(w, "b", 30); /* b has a job of its own and a queue in it */
    for (int i = 0; i < 15; i++) {
        world_end_one(w, b, BASE_TASK_MAP);
        CU_ASSERT_PTR_EQUAL(world_assign(w, BASE_TASK_MAP), c);
    }
    world_submit(w, "b.x", 100, 0);
    world_pass(w, SEC);
    shares_are(w, "b", 30);
    shares_are(w, "b.x", 15);
    policy_queues_add_dynamic(&w->queues, "root.new.user");
    world_submit(w, "new.user", 100, 0); /* the policy finds the new queue itself */
    world_pass(w, SEC);
    shares_are(w, "new.user", 22); /* 22.5, as for b, which comes first and gets 23 */
    world_free(w);
}

static void test_explain(void)
{
    struct world *w = world_new(10, 0, "a,b");
    struct base_buf text = {0};
    struct policy_job *a;

    world_queue(w, "a")->weight = 2;
    world_start(w, &policy_fair);
    a = world_submit(w, "a", 20, 0);
    world_submit(w, "b", 20, 0);
    world_fill(w);
    world_pass(w, SEC);
    w->ops->explain(w->policy, a, w->now_us, &text);
    CU_ASSERT_STRING_EQUAL(
        text.data,
        "queue root.a runs 7 of a fair share of 6.7 map slots (weight 2); the job runs 7 at "
        "weight 1, 1 queue beside its own and 0 jobs in it comes first");
    base_buf_free(&text);
    world_free(w);
}

static void explained_as(struct world *w, const struct policy_job *job, const char *words)
{
    struct base_buf text = {0};

    w->ops->explain(w->policy, job, w->now_us, &text);
    CU_ASSERT_STRING_EQUAL(text.data ? text.data : "", words);
    base_buf_free(&text);
}

/* The words are about the slots that the job still wants: reduce slots once its maps all run, and
 * none when all of it does. */
static void test_explain_what_is_wanted(void)
{
    struct world *w = world_new(10, 2, "a");
    struct policy_job *all_run, *reduces_wait;

    world_start(w, &policy_fair);
    all_run = world_submit(w, "a", 2, 1);
    reduces_wait = world_submit(w, "a", 2, 3);
    world_fill(w);
    world_pass(w, SEC);
    explained_as(w, all_run, "");
    explained_as(w, reduces_wait,
                 "queue root.a runs 2 of a fair share of 2.0 reduce slots (weight 1); the job runs "
                 "1 at weight 1, "
                 "0 queues beside its own and 0 jobs in it come first");
    world_free(w);
}

static void test_processor_sharing(void)
{
    struct world *w = world_new(90, 0, "a,b");
    struct policy_job *j[3];
    int64_t share[BASE_TASK_KINDS];

    CU_ASSERT_PTR_NULL(policy_ps.queue_share);
    (void)share;
    world_start(w, &policy_ps);
    for (int i = 0; i < 3; i++)
        j[i] = world_submit(w, i ? "b" : "a", 100, 0);
    world_fill(w);
    for (int i = 0; i < 3; i++)
        CU_ASSERT_EQUAL(maps_of(j[i]), 30);
    world_free(w);
}

static void test_names(void)
{
    CU_ASSERT_PTR_EQUAL(policy_find("fair"), &policy_fair);
    CU_ASSERT_PTR_EQUAL(
        policy_find("org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler"),
        &policy_fair);
    CU_ASSERT_PTR_EQUAL(policy_find("ps"), &policy_ps);
    CU_ASSERT(policy_fair.delays && !policy_ps.delays);
}

static const struct cunit_case cases[] = {
    {"Fig. 4", test_figure_4},
    {"weights of queues", test_weights},
    {"weight 0 comes last", test_weight_zero_comes_last},
    {"weights of jobs", test_job_weights},
    {"weights by size", test_size_weight},
    {"minima that do not fit", test_minima_that_do_not_fit},
    {"below the minimum first, by ratio", test_needy_first},
    {"queues in queues", test_nested},
    {"maximum", test_maximum},
    {"running applications", test_running_applications},
    {"running when the policy comes", test_running_at_arrival},
    {"spread cap", test_spread_cap},
    {"preemption", test_preemption},
    {"preemption: bounds", test_preemption_bounds},
    {"preemption: as many as are needed", test_preemption_need},
    {"time-outs run from the submission", test_timeout_runs_from_submission},
    {"a starved pool does not wait for locality", test_no_delay},
    {"deficits", test_deficit},
    {"long tasks", test_long_tasks},
    {"long tasks that are killed", test_long_tasks_killed},
    {"ended tasks that count on", test_commit_delay},
    {"queues change", test_queues_change},
    {"explain", test_explain},
    {"explain what is wanted", test_explain_what_is_wanted},
    {"processor sharing", test_processor_sharing},
    {"names", test_names},
};

CUNIT_MAIN("fair scheduler", cases)
