/* Goal: jobs come in the order their policy promises. Method: random changes against sorting. */
#include <stdlib.h>
#include <string.h>

#include "policies/options.h"
#include "policies/policy.h"
#include "policies/registry.h"
#include "tests/unit/cunit_main.h"

#define JOBS 200

static uint64_t state = 42;

static uint32_t rnd(uint32_t below)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(state >> 33) % below;
}

static int sorted(const void *a, const void *b)
{
    const struct policy_link *x = *(struct policy_link *const *)a,
                             *y = *(struct policy_link *const *)b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    if (x->submit_us != y->submit_us)
        return x->submit_us < y->submit_us ? -1 : 1;
    return x->seq < y->seq ? -1 : x->seq > y->seq;
}

static void check(const struct policy_order *o, struct policy_link *links)
{
    struct policy_link *want[JOBS], *l = o->first;
    size_t n = 0;

    for (size_t i = 0; i < JOBS; i++)
        if (links[i].linked)
            want[n++] = &links[i];
    CU_ASSERT_EQUAL(o->n, n);
    qsort(want, n, sizeof *want, sorted);
    for (size_t i = 0; i < n; i++, l = policy_order_next(l)) {
        CU_ASSERT_PTR_EQUAL_FATAL(l, want[i]);
        CU_ASSERT_PTR_EQUAL_FATAL(policy_order_prev(l), i ? want[i - 1] : NULL);
    }
    CU_ASSERT_PTR_NULL(l);
}

static void test_order(void)
{
    static struct policy_link links[JOBS];
    struct policy_order o = {0};

    for (int i = 0; i < JOBS; i++)
        policy_link_init(&links[i], (int64_t)rnd(20), 1, i + 1);
    for (int i = 0; i < 20000; i++) {
        struct policy_link *l = &links[rnd(JOBS)];

        if (!l->linked)
            policy_order_insert(&o, l, rnd(10));
        else if (rnd(3))
            policy_order_move(&o, l, l->key + (rnd(2) ? 1 : -1));
        else
            policy_order_remove(&o, l);
        if (i % 50 == 0)
            check(&o, links);
    }
    check(&o, links);
}

static struct policy_job *walk(const struct policy_ops *ops, struct policy *p,
                               enum base_task_kind kind, int n)
{
    struct policy_capacity capacity = {0};
    struct policy_offer offer = {.kind = kind, .node_slots = 2, .capacity = &capacity};
    struct policy_job *job = NULL;

    for (int i = 0; i <= n; i++)
        job = ops->next(p, &offer, job);
    return job;
}

static void test_fifo(void)
{
    struct policy_conf conf = {0};
    struct policy_env env = {.conf = &conf};
    struct policy *p = policy_fifo.create(&env);
    struct policy_job jobs[4] = {{.submit_us = 5, .seq = 2},
                                 {.submit_us = 5, .seq = 1},
                                 {.submit_us = 9, .seq = 3, .priority = 1},
                                 {.submit_us = 1, .seq = 4, .priority = -2}};

    for (int i = 0; i < 4; i++) {
        jobs[i].phase[BASE_TASK_MAP].pending = 1;
        policy_fifo.on_job_arrived(p, &jobs[i], 0);
    }
    CU_ASSERT_PTR_EQUAL(walk(&policy_fifo, p, BASE_TASK_MAP, 0), &jobs[2]);
    CU_ASSERT_PTR_EQUAL(walk(&policy_fifo, p, BASE_TASK_MAP, 1), &jobs[1]);
    CU_ASSERT_PTR_EQUAL(walk(&policy_fifo, p, BASE_TASK_MAP, 2), &jobs[0]);
    CU_ASSERT_PTR_EQUAL(walk(&policy_fifo, p, BASE_TASK_MAP, 3), &jobs[3]);
    CU_ASSERT_PTR_NULL(walk(&policy_fifo, p, BASE_TASK_REDUCE, 0));
    jobs[2].phase[BASE_TASK_MAP].pending = 0;
    policy_fifo.on_job_changed(p, &jobs[2], BASE_TASK_MAP);
    CU_ASSERT_PTR_EQUAL(walk(&policy_fifo, p, BASE_TASK_MAP, 0), &jobs[1]);
    for (int i = 0; i < 4; i++)
        policy_fifo.on_job_left(p, &jobs[i], 0);
    CU_ASSERT_PTR_NULL(walk(&policy_fifo, p, BASE_TASK_MAP, 0));
    policy_fifo.destroy(p);
}

static void test_hadoop_rules(void)
{
    struct policy_conf conf = {0};
    struct policy_env env = {.conf = &conf};
    struct policy *p;
    struct policy_job job = {.seq = 1};
    struct policy_capacity capacity = {.nodes = 58, .slots = {464, 116}, .outstanding = {100, 100}};
    struct policy_offer offer = {
        .kind = BASE_TASK_MAP, .node_slots = 8, .node_used = 1, .capacity = &capacity};

    CU_ASSERT_EQUAL(policy_conf_set(&conf, "fifo.hadoop-rules", "yes", NULL), 0);
    p = policy_fifo.create(&env);
    policy_conf_free(&conf);
    job.phase[BASE_TASK_MAP].pending = job.phase[BASE_TASK_REDUCE].pending = 100;
    policy_fifo.on_job_arrived(p, &job, 0);
    CU_ASSERT_PTR_EQUAL(policy_fifo.next(p, &offer, NULL), &job);
    offer.node_used = 2; /* the cap of this load */
    CU_ASSERT_PTR_NULL(policy_fifo.next(p, &offer, NULL));
    CU_ASSERT(offer.held);
    offer = (struct policy_offer){
        .kind = BASE_TASK_MAP, .node_slots = 8, .off_rack = true, .capacity = &capacity};
    CU_ASSERT_PTR_NULL(policy_fifo.next(p, &offer, NULL)); /* no map after an off-rack one */
    offer = (struct policy_offer){.kind = BASE_TASK_REDUCE, .node_slots = 2, .capacity = &capacity};
    CU_ASSERT_PTR_EQUAL(policy_fifo.next(p, &offer, NULL), &job);
    offer.assigned[BASE_TASK_REDUCE] = 1;
    CU_ASSERT_PTR_NULL(policy_fifo.next(p, &offer, NULL)); /* one reduce per heartbeat */
    policy_fifo.on_job_left(p, &job, 0);
    policy_fifo.destroy(p);
}

/* Three equal jobs take turns; the order follows every single assignment. */
static void test_naive_fair(void)
{
    struct policy_conf conf = {0};
    struct policy_env env = {.conf = &conf};
    struct policy *p = policy_naive_fair.create(&env);
    struct policy_job jobs[3] = {
        {.submit_us = 1, .seq = 1}, {.submit_us = 2, .seq = 2}, {.submit_us = 3, .seq = 3}};

    for (int i = 0; i < 3; i++) {
        jobs[i].phase[BASE_TASK_MAP].pending = 10;
        policy_naive_fair.on_job_arrived(p, &jobs[i], 0);
    }
    for (int i = 0; i < 30; i++) {
        struct policy_job *job = walk(&policy_naive_fair, p, BASE_TASK_MAP, 0);

        CU_ASSERT_PTR_EQUAL_FATAL(job, &jobs[i % 3]);
        job->phase[BASE_TASK_MAP].pending--;
        job->phase[BASE_TASK_MAP].running++;
        policy_naive_fair.on_job_changed(p, job, BASE_TASK_MAP);
    }
    CU_ASSERT_PTR_NULL(walk(&policy_naive_fair, p, BASE_TASK_MAP, 0));
    jobs[2].phase[BASE_TASK_MAP].pending = jobs[0].phase[BASE_TASK_MAP].pending = 1;
    jobs[2].phase[BASE_TASK_MAP].running = 4;
    policy_naive_fair.on_job_changed(p, &jobs[0], BASE_TASK_MAP);
    policy_naive_fair.on_job_changed(p, &jobs[2], BASE_TASK_MAP);
    CU_ASSERT_PTR_EQUAL(walk(&policy_naive_fair, p, BASE_TASK_MAP, 0), &jobs[2]);
    CU_ASSERT_PTR_EQUAL(walk(&policy_naive_fair, p, BASE_TASK_MAP, 1), &jobs[0]);
    for (int i = 0; i < 3; i++)
        policy_naive_fair.on_job_left(p, &jobs[i], 0);
    policy_naive_fair.destroy(p);
}

static void test_registry(void)
{
    CU_ASSERT_PTR_EQUAL(policy_find("fifo"), &policy_fifo);
    CU_ASSERT_PTR_EQUAL(policy_find("naive-fair"), &policy_naive_fair);
    CU_ASSERT_PTR_NULL(policy_find("nosuch"));
    CU_ASSERT_PTR_NULL(policy_find(NULL));
    for (size_t i = 0; policy_at(i); i++) {
        const struct policy_ops *ops = policy_at(i);

        CU_ASSERT(ops->name && ops->source && ops->create && ops->destroy && ops->on_job_arrived &&
                  ops->on_job_left && ops->on_job_changed && ops->next);
    }
}

static const struct cunit_case cases[] = {{"order against sorting", test_order},
                                          {"fifo", test_fifo},
                                          {"fifo with Hadoop's rules", test_hadoop_rules},
                                          {"naive fair", test_naive_fair},
                                          {"registry", test_registry}};

CUNIT_MAIN("orders", cases)
