/* Goal: the virtual cluster shares as processor sharing does, splits intervals at ends, and
 * projects finishes. Method: worked examples with exact numbers, and random clusters whose
 * projections must come true when time passes. */
#include <stdlib.h>

#include "policies/hfsp/virtual_cluster.h"
#include "tests/policy/virtual_rate.h"
#include "tests/unit/cunit_main.h"

#define S 1000000LL

static int32_t add(struct virtual_cluster *vc, int64_t submit_s, int32_t seq, double weight,
                   int32_t tasks, double seconds)
{
    struct virtual_run run = {tasks, seconds * S};

    return virtual_cluster_add_job(vc, submit_s * S, 1, seq, weight, &run, 1);
}

static void expect_finish(struct virtual_cluster *vc, int32_t job, double s)
{
    CU_ASSERT_EQUAL(virtual_cluster_finish_us(vc, job), (int64_t)(s * S + 0.5));
}

/* HFSP's first figure: one server, jobs of 30, 10 and 10 s at 0, 10 and 15. */
static void test_one_server(void)
{
    struct virtual_cluster *vc = virtual_cluster_new(VIRTUAL_FLUID, VIRTUAL_BY_FINISH, 1, 0);
    int32_t j1 = add(vc, 0, 1, 1, 1, 30), j2, j3;
    const int32_t *order;
    size_t n;

    virtual_cluster_project(vc);
    expect_finish(vc, j1, 30);
    virtual_cluster_advance(vc, 10 * S);
    CU_ASSERT_DOUBLE_EQUAL(virtual_cluster_work_left(vc, j1), 20.0 * S, 1e-6);
    j2 = add(vc, 10, 2, 1, 1, 10);
    virtual_cluster_project(vc);
    expect_finish(vc, j2, 30);
    expect_finish(vc, j1, 40);
    virtual_cluster_advance(vc, 15 * S);
    CU_ASSERT_DOUBLE_EQUAL(virtual_cluster_work_left(vc, j1), 17.5 * S, 1e-6);
    CU_ASSERT_DOUBLE_EQUAL(virtual_cluster_work_left(vc, j2), 7.5 * S, 1e-6);
    j3 = add(vc, 15, 3, 1, 1, 10);
    virtual_cluster_project(vc);
    expect_finish(vc, j2, 37.5);
    expect_finish(vc, j3, 42.5);
    expect_finish(vc, j1, 50);
    order = virtual_cluster_order(vc, &n);
    CU_ASSERT_EQUAL_FATAL(n, 3);
    CU_ASSERT(order[0] == j2 && order[1] == j3 && order[2] == j1);
    /* over two ends at once: the projections come true */
    virtual_cluster_advance(vc, 45 * S);
    CU_ASSERT_EQUAL(virtual_cluster_work_left(vc, j2), 0);
    CU_ASSERT_EQUAL(virtual_cluster_work_left(vc, j3), 0);
    CU_ASSERT_DOUBLE_EQUAL(virtual_cluster_work_left(vc, j1), 5.0 * S, 1e-5);
    expect_finish(vc, j2, 37.5);
    CU_ASSERT_DOUBLE_EQUAL(virtual_cluster_service_received(vc, j1), 25.0 * S, 1e-5);
    virtual_cluster_free(vc);
}

/* HFSP's second figure on 20 slots: caps 1, .55, .35 are 20, 11 and 7 tasks. */
static void test_caps(void)
{
    struct virtual_cluster *vc = virtual_cluster_new(VIRTUAL_FLUID, VIRTUAL_BY_FINISH, 20, 0);
    int32_t j1 = add(vc, 0, 1, 1, 20, 30), j2, j3;

    virtual_cluster_advance(vc, 10 * S);
    j2 = add(vc, 10, 2, 1, 11, 10);
    CU_ASSERT_DOUBLE_EQUAL(virtual_rate(vc, j1), 10, 1e-9);
    virtual_cluster_advance(vc, 13 * S);
    CU_ASSERT_DOUBLE_EQUAL(virtual_cluster_work_left(vc, j1), 20 * 18.5 * S, 1e-3);
    CU_ASSERT_DOUBLE_EQUAL(virtual_cluster_work_left(vc, j2), 20 * 4.0 * S, 1e-3);
    j3 = add(vc, 13, 3, 1, 7, 10);
    virtual_cluster_project(vc);
    expect_finish(vc, j3, 23.5);
    expect_finish(vc, j2, 24.5);
    expect_finish(vc, j1, 39);
    virtual_cluster_free(vc);
}

/* The ideal: jobs in the order of their projected finish, each at its cap or with what is left. */
static void test_ideal_fsp(void)
{
    struct virtual_cluster *vc = virtual_cluster_new(VIRTUAL_FLUID, VIRTUAL_BY_FINISH, 20, 0);
    const struct {
        int64_t at;
        int32_t tasks, seconds;
    } arrives[3] = {{0, 20, 30}, {10, 11, 10}, {13, 7, 10}};
    double left[3] = {0}, finish[3] = {0}, t = 0;
    int32_t job[3];
    int arrived = 0, over = 0;

    while (over < 3) {
        double rate[3] = {0}, room = 20, dt = 1e9;
        const int32_t *order;
        size_t n;

        for (; arrived < 3 && (double)arrives[arrived].at <= t; arrived++) {
            virtual_cluster_advance(vc, arrives[arrived].at * S);
            job[arrived] = add(vc, arrives[arrived].at, arrived, 1, arrives[arrived].tasks,
                               arrives[arrived].seconds);
            left[arrived] = arrives[arrived].tasks * arrives[arrived].seconds;
            virtual_cluster_project(vc);
        }
        order = virtual_cluster_order(vc, &n);
        for (size_t i = 0; i < n; i++)
            for (int j = 0; j < arrived; j++)
                if (job[j] == order[i] && left[j] > 1e-9) {
                    rate[j] = room < arrives[j].tasks ? room : arrives[j].tasks;
                    room -= rate[j];
                    if (rate[j] > 0 && left[j] / rate[j] < dt)
                        dt = left[j] / rate[j];
                }
        if (arrived < 3 && (double)arrives[arrived].at - t < dt)
            dt = (double)arrives[arrived].at - t;
        t += dt;
        for (int j = 0; j < arrived; j++) {
            if (left[j] <= 1e-9)
                continue;
            left[j] -= rate[j] * dt;
            if (left[j] <= 1e-9) {
                finish[j] = t;
                over++;
            }
        }
    }
    CU_ASSERT_DOUBLE_EQUAL(finish[1], 20, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(finish[2], 23, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(finish[0], 39, 1e-9);
    virtual_cluster_free(vc);
}

static void expect_slots(int64_t slots, int a, int b, int c)
{
    struct virtual_cluster *vc = virtual_cluster_new(VIRTUAL_SLOTS, VIRTUAL_BY_FINISH, slots, 0);
    int32_t j10 = add(vc, 0, 1, 1, 10, 1), j2 = add(vc, 0, 2, 1, 2, 1), j1 = add(vc, 0, 3, 1, 1, 1);

    CU_ASSERT_EQUAL(virtual_rate(vc, j1), a);
    CU_ASSERT_EQUAL(virtual_rate(vc, j2), b);
    CU_ASSERT_EQUAL(virtual_rate(vc, j10), c);
    virtual_cluster_free(vc);
}

static void test_round_robin(void)
{
    struct virtual_cluster *vc = virtual_cluster_new(VIRTUAL_SLOTS, VIRTUAL_BY_FINISH, 9, 0);
    int32_t light = add(vc, 0, 1, 1, 10, 1), heavy = add(vc, 0, 2, 2, 10, 1);

    expect_slots(4, 1, 2, 1);
    expect_slots(5, 1, 2, 2);
    CU_ASSERT_EQUAL(virtual_rate(vc, light), 3);
    CU_ASSERT_EQUAL(virtual_rate(vc, heavy), 6);
    virtual_cluster_free(vc);
}

/* Whole slots: 4 tasks of 10 s and 1 of 10 s on 2 slots. The job with one task has its slot; the
 * other runs 0-10 one, 10-20 two, 20-30 one. */
static void test_slots_in_time(void)
{
    struct virtual_cluster *vc = virtual_cluster_new(VIRTUAL_SLOTS, VIRTUAL_BY_FINISH, 2, 0);
    int32_t wide = add(vc, 0, 1, 1, 4, 10), small = add(vc, 0, 2, 1, 1, 10);

    virtual_cluster_project(vc);
    expect_finish(vc, small, 10);
    expect_finish(vc, wide, 30);
    virtual_cluster_advance(vc, 15 * S);
    CU_ASSERT_EQUAL(virtual_cluster_work_left(vc, small), 0);
    CU_ASSERT_EQUAL(virtual_cluster_work_left(vc, wide), 20.0 * S);
    CU_ASSERT_EQUAL(virtual_cluster_tasks_left(vc, wide), 3);
    expect_finish(vc, wide, 30);
    virtual_cluster_project(vc);
    expect_finish(vc, wide, 30);
    virtual_cluster_free(vc);
}

/* Weight 3 to 1: 75 and 25 of 100 slots, while there are tasks enough. */
static void test_weights(void)
{
    struct virtual_cluster *vc = virtual_cluster_new(VIRTUAL_FLUID, VIRTUAL_BY_FINISH, 100, 0);
    int32_t a = add(vc, 0, 1, 3, 200, 10), b = add(vc, 0, 2, 1, 200, 10), c;

    CU_ASSERT_DOUBLE_EQUAL(virtual_rate(vc, a), 75, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(virtual_rate(vc, b), 25, 1e-9);
    c = add(vc, 0, 3, 1, 10, 10); /* capped: the others share 90 */
    CU_ASSERT_DOUBLE_EQUAL(virtual_rate(vc, c), 10, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(virtual_rate(vc, a), 67.5, 1e-9);
    virtual_cluster_free(vc);
}

/* Runs of different length: the cap falls when the short tasks end. 2 tasks of 10 s and 1 of 30 s
 * alone on 8 slots. */
static void test_runs(void)
{
    struct virtual_cluster *vc = virtual_cluster_new(VIRTUAL_FLUID, VIRTUAL_BY_FINISH, 8, 0);
    const struct virtual_run runs[2] = {{2, 10.0 * S}, {1, 30.0 * S}};
    int32_t a = virtual_cluster_add_job(vc, 0, 1, 1, 1, runs, 2), b = add(vc, 0, 2, 1, 14, 10);

    /* 0-10: a 3, b 5 (50 of 140 done); then a 1, b 7: 90/7 s more */
    virtual_cluster_project(vc);
    expect_finish(vc, a, 30);
    expect_finish(vc, b, 10 + 90.0 / 7);
    virtual_cluster_advance(vc, 12 * S);
    CU_ASSERT_EQUAL(virtual_cluster_tasks_left(vc, a), 1);
    CU_ASSERT_DOUBLE_EQUAL(virtual_cluster_work_left(vc, a), 18.0 * S, 1e-3);
    CU_ASSERT_DOUBLE_EQUAL(virtual_cluster_work_left(vc, b), 76.0 * S, 1e-3);
    virtual_cluster_free(vc);
}

/* A job that has ended in reality stays until it ends virtually; a job that has ended only
 * virtually comes first in the order. */
static void test_leave_and_late(void)
{
    struct virtual_cluster *vc = virtual_cluster_new(VIRTUAL_FLUID, VIRTUAL_BY_FINISH, 1, 0);
    int32_t a = add(vc, 0, 1, 1, 1, 10), b = add(vc, 0, 2, 1, 1, 30), c;
    struct virtual_run more = {1, 5.0 * S};
    const int32_t *order;
    size_t n;

    virtual_cluster_project(vc);
    virtual_cluster_advance(vc, 2 * S);
    virtual_cluster_detach_job(vc, a);
    order = virtual_cluster_order(vc, &n);
    CU_ASSERT(n == 1 && order[0] == b);
    c = add(vc, 2, 3, 1, 1, 1);
    virtual_cluster_project(vc);
    expect_finish(vc, c, 5); /* a third each, as if a were still there */
    virtual_cluster_advance(vc, 50 * S);
    expect_finish(vc, b, 41);
    add(vc, 50, 4, 1, 1, 1);
    virtual_cluster_project(vc);
    order = virtual_cluster_order(vc, &n);
    CU_ASSERT(n == 3 && order[0] == c && order[1] == b);
    virtual_cluster_replace_work(vc, c, &more, 1); /* it was larger than thought */
    virtual_cluster_project(vc);
    order = virtual_cluster_order(vc, &n);
    CU_ASSERT(n == 3 && order[0] == b && order[2] == c);
    expect_finish(vc, c, 56);
    CU_ASSERT_DOUBLE_EQUAL(virtual_cluster_service_received(vc, c), 1.0 * S, 1e-6);
    virtual_cluster_free(vc);
}

/* Work that turns out not to exist is taken off: half of what is left, then all; service received
 * stays. */
static void test_cut(void)
{
    struct virtual_cluster *vc = virtual_cluster_new(VIRTUAL_FLUID, VIRTUAL_BY_FINISH, 4, 0);
    const struct virtual_run runs[2] = {{2, 10.0 * S}, {2, 30.0 * S}};
    int32_t a = virtual_cluster_add_job(vc, 0, 1, 1, 1, runs, 2), b = add(vc, 0, 2, 1, 4, 10);

    virtual_cluster_project(vc);
    virtual_cluster_advance(vc, 10 * S);
    CU_ASSERT_DOUBLE_EQUAL(virtual_cluster_service_received(vc, a), 20.0 * S, 1e-3);
    virtual_cluster_reduce_work(vc, a, 0);
    CU_ASSERT_DOUBLE_EQUAL(virtual_cluster_work_left(vc, a), 60.0 * S, 1e-3);
    virtual_cluster_reduce_work(vc, a, 30.0 * S);
    CU_ASSERT_DOUBLE_EQUAL(virtual_cluster_work_left(vc, a), 30.0 * S, 1e-3);
    CU_ASSERT_DOUBLE_EQUAL(virtual_cluster_service_received(vc, a), 20.0 * S, 1e-3);
    virtual_cluster_reduce_work(vc, a, 1e30);
    CU_ASSERT_EQUAL(virtual_cluster_work_left(vc, a), 0);
    CU_ASSERT_DOUBLE_EQUAL(virtual_cluster_service_received(vc, a), 20.0 * S, 1e-3);
    virtual_cluster_detach_job(vc, a);
    virtual_cluster_project(vc);
    expect_finish(vc, b, 15);
    CU_ASSERT_EQUAL(add(vc, 10, 3, 1, 1, 1), a); /* the handle of a is free again */
    virtual_cluster_free(vc);
}

/* Weights and sizes at the limits of their ranges, and runs that rounding has put out of order. */
static void test_extremes(void)
{
    for (int form = VIRTUAL_FLUID; form <= VIRTUAL_SLOTS; form++) {
        struct virtual_cluster *vc =
            virtual_cluster_new((enum virtual_form)form, VIRTUAL_BY_FINISH, 2, 0);
        const struct virtual_run runs[2] = {{1, 10.0 * S}, {1, 10.0 * S - 1e-9}};
        int32_t light = add(vc, 0, 1, 1e-300, 3, 10), heavy = add(vc, 0, 2, 1e300, 3, 10),
                huge = add(vc, 0, 3, 1, 2, 1e290),
                plain = virtual_cluster_add_job(vc, 0, 1, 4, 1, runs, 2);
        const int32_t *order;
        size_t n;

        virtual_cluster_project(vc);
        order = virtual_cluster_order(vc, &n);
        CU_ASSERT_EQUAL_FATAL(n, 4);
        CU_ASSERT_EQUAL(order[0], heavy);
        CU_ASSERT_EQUAL(order[1], plain);
        CU_ASSERT_EQUAL(virtual_cluster_finish_us(vc, huge), VIRTUAL_NEVER);
        CU_ASSERT(virtual_cluster_finish_us(vc, light) > 0);
        virtual_cluster_advance(vc, 1000000 * S);
        CU_ASSERT_EQUAL(virtual_cluster_work_left(vc, heavy), 0);
        CU_ASSERT_EQUAL(virtual_cluster_work_left(vc, plain), 0);
        virtual_cluster_free(vc);
    }
}

static void test_no_slots(void)
{
    struct virtual_cluster *vc = virtual_cluster_new(VIRTUAL_FLUID, VIRTUAL_BY_FINISH, 0, 0);
    int32_t a = add(vc, 0, 1, 1, 1, 10), b = add(vc, 0, 2, 1, 1, 5), none;
    const int32_t *order;
    size_t n;

    virtual_cluster_project(vc);
    order = virtual_cluster_order(vc, &n);
    CU_ASSERT(n == 2 && order[0] == b);
    virtual_cluster_advance(vc, 100 * S);
    CU_ASSERT_EQUAL(virtual_cluster_work_left(vc, a), 10.0 * S);
    virtual_cluster_set_slots(vc, 2);
    none = virtual_cluster_add_job(vc, 100 * S, 1, 3, 1, NULL, 0);
    virtual_cluster_project(vc);
    expect_finish(vc, a, 110);
    expect_finish(vc, b, 105);
    expect_finish(vc, none, 100);
    virtual_cluster_free(vc);
}

static void test_by_remaining(void)
{
    struct virtual_cluster *vc = virtual_cluster_new(VIRTUAL_FLUID, VIRTUAL_BY_REMAINING, 4, 0);
    int32_t narrow = add(vc, 0, 1, 1, 1, 30), wide = add(vc, 0, 2, 1, 40, 1), late;
    const int32_t *order;
    size_t n;

    virtual_cluster_project(vc); /* finishes 30 and 13.3; work 30 and 40 */
    order = virtual_cluster_order(vc, &n);
    CU_ASSERT(n == 2 && order[0] == narrow && order[1] == wide);
    CU_ASSERT_EQUAL(virtual_cluster_order_key(vc, wide), 40 * S);
    virtual_cluster_advance(vc, 15 * S);
    late = wide;
    virtual_cluster_project(vc);
    order = virtual_cluster_order(vc, &n);
    CU_ASSERT(n == 2 && order[0] == late && virtual_cluster_order_key(vc, late) < 0);
    virtual_cluster_free(vc);
}

static uint64_t state;
static uint32_t random_below(uint32_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % n;
}

static size_t random_runs(struct virtual_run *runs)
{
    size_t n = 1 + random_below(3);
    double left = 0;

    for (size_t i = 0; i < n; i++) {
        left += 1 + random_below(20 * S);
        runs[i] = (struct virtual_run){1 + (int32_t)random_below(30), left};
    }
    return n;
}

/* Without arrivals the projections come true, into whatever steps time is cut; no slot stays idle
 * while there are tasks, and service is conserved.
 */
static void random_cluster(enum virtual_form form, uint64_t seed)
{
    struct virtual_cluster *vc = virtual_cluster_new(form, VIRTUAL_BY_FINISH, 0, 0);
    struct virtual_run runs[3];
    int64_t finish[40], last = 0, now = 0, slots;
    int32_t jobs[40];
    int n = 1 + (int)random_below(40);
    double work = 0, received = 0, tasks_left = 0;

    state = seed;
    slots = 1 + random_below(60);
    virtual_cluster_set_slots(vc, slots);
    for (int i = 0; i < n; i++) {
        size_t runs_n = random_runs(runs);

        for (size_t r = 0; r < runs_n; r++)
            work += runs[r].tasks * runs[r].left_us;
        jobs[i] = virtual_cluster_add_job(vc, i, 1, i, 1 + random_below(4) / 2.0, runs, runs_n);
        if (form == VIRTUAL_FLUID && random_below(2)) {
            virtual_cluster_project(vc);
            virtual_cluster_advance(vc, now += random_below(3 * S));
        }
    }
    virtual_cluster_project(vc);
    for (int i = 0; i < n; i++) {
        finish[i] = virtual_cluster_finish_us(vc, jobs[i]);
        last = finish[i] > last ? finish[i] : last;
    }
    while (now < last) {
        double served = 0, step = 1 + random_below((uint32_t)(last / 7 + 1)), all, least;

        for (int i = 0; i < n; i++)
            served += virtual_cluster_work_left(vc, jobs[i]);
        virtual_cluster_advance(vc, now += (int64_t)step);
        tasks_left = 0;
        for (int i = 0; i < n; i++) {
            served -= virtual_cluster_work_left(vc, jobs[i]);
            tasks_left += virtual_cluster_tasks_left(vc, jobs[i]);
        }
        /* no slot is idle while there are tasks; their number only falls during the step */
        all = (double)slots * step;
        least = tasks_left < (double)slots ? tasks_left * step : all;
        CU_ASSERT(served <= all + 1e-9 * work + 1e-3 && served >= least - 1e-9 * work - 1e-3);
        if (random_below(2))
            virtual_cluster_project(vc);
        for (int i = 0; i < n; i++) {
            CU_ASSERT(llabs(virtual_cluster_finish_us(vc, jobs[i]) - finish[i]) <= 1);
            if (finish[i] < now - 1)
                CU_ASSERT_EQUAL(virtual_cluster_tasks_left(vc, jobs[i]), 0);
            if (finish[i] > now + 1)
                CU_ASSERT(virtual_cluster_work_left(vc, jobs[i]) > 0);
        }
    }
    virtual_cluster_advance(vc, last + 1);
    for (int i = 0; i < n; i++)
        received += virtual_cluster_service_received(vc, jobs[i]);
    CU_ASSERT_DOUBLE_EQUAL(received, work, work * 1e-9);
    virtual_cluster_free(vc);
}

static void test_random(void)
{
    for (uint64_t seed = 1; seed <= 120; seed++) {
        random_cluster(VIRTUAL_FLUID, seed);
        random_cluster(VIRTUAL_SLOTS, seed);
    }
}

/* Jobs come and go at random; handles are used again, and the order lists exactly the jobs that are
 * present. */
static void test_churn(void)
{
    struct virtual_cluster *vc = virtual_cluster_new(VIRTUAL_FLUID, VIRTUAL_BY_FINISH, 50, 0);
    struct virtual_run runs[3];
    int32_t here[200];
    size_t n = 0, listed;
    int64_t now = 0;
    const int32_t *order;

    state = 7;
    for (int step = 0; step < 2000; step++) {
        virtual_cluster_advance(vc, now += random_below(S));
        if (n < 200 && random_below(100) < 52) {
            size_t runs_n = random_runs(runs);

            here[n++] = virtual_cluster_add_job(vc, now, 1, step, 1, runs, runs_n);
        } else if (n > 0) {
            size_t at = random_below((uint32_t)n);

            if (random_below(3) == 0) {
                size_t runs_n = random_runs(runs);

                virtual_cluster_replace_work(vc, here[at], runs, runs_n);
            } else {
                virtual_cluster_detach_job(vc, here[at]);
                here[at] = here[--n];
            }
        }
        virtual_cluster_project(vc);
        order = virtual_cluster_order(vc, &listed);
        CU_ASSERT_EQUAL(listed, n);
        for (size_t i = 1; i < listed; i++)
            CU_ASSERT(virtual_cluster_finish_us(vc, order[i - 1]) <=
                      virtual_cluster_finish_us(vc, order[i]));
    }
    virtual_cluster_free(vc);
}

static const struct cunit_case cases[] = {
    {"one server: projections at 10 and 15 s", test_one_server},
    {"caps: max-min processor sharing", test_caps},
    {"the ideal order under caps", test_ideal_fsp},
    {"round robin hands out whole slots", test_round_robin},
    {"whole slots in time", test_slots_in_time},
    {"weights", test_weights},
    {"runs of different length", test_runs},
    {"really over, virtually over", test_leave_and_late},
    {"work is taken off", test_cut},
    {"extremes", test_extremes},
    {"no slots", test_no_slots},
    {"by remaining work", test_by_remaining},
    {"projections come true", test_random},
    {"jobs come and go", test_churn},
};
CUNIT_MAIN("virtual cluster", cases)
