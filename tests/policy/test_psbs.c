/* Goal: PSBS serves in the order of virtual finish and shares among late jobs. Method: the example with one job that
 * says 6 and is 30, under one server: exact finishes with every discipline for late jobs. */
#include <math.h>
#include <stdlib.h>

#include "policies/psbs.h"
#include "policies/virtual_cluster.h"
#include "tests/unit/cunit_main.h"

enum late { FIRST, SHARE };

/* Jobs in order of arrival; true and estimated sizes; finishes in seconds. */
static void serve(int n, const double *arrive, const double *size, const double *said, enum late late, double *finish,
                  double *virtual)
{
    struct psbs_job jobs[64];
    double left[64], now = 0, share[64];
    int arrived = 0, over = 0;
    struct psbs p;

    psbs_init(&p, 1, 0);
    for (int i = 0; i < n; i++)
        finish[i] = -1;
    while (over < n) {
        double dt = INFINITY;
        const struct psbs_job *first;

        for (; arrived < n && arrive[arrived] <= now; arrived++) {
            left[arrived] = size[arrived];
            psbs_arrive(&p, &jobs[arrived], said[arrived], 1);
        }
        first = late == FIRST && p.late ? p.late : p.late ? NULL : psbs_first(&p);
        for (int i = 0; i < arrived; i++) {
            share[i] = finish[i] >= 0 ? 0 : first ? &jobs[i] == first : jobs[i].late ? 1 / p.late_weights : 0;
            if (share[i] > 0 && left[i] / share[i] < dt)
                dt = left[i] / share[i];
        }
        if (arrived < n && arrive[arrived] - now < dt)
            dt = arrive[arrived] - now;
        if (psbs_next_us(&p) - now < dt)
            dt = psbs_next_us(&p) - now;
        now += dt;
        psbs_advance(&p, now);
        for (int i = 0; i < arrived; i++) {
            left[i] -= share[i] * dt;
            if (jobs[i].late)
                virtual[i] = jobs[i].finish_us;
            if (finish[i] < 0 && left[i] < 1e-9 * size[i]) {
                finish[i] = now;
                psbs_end(&p, &jobs[i]);
                over++;
            }
        }
    }
    psbs_free(&p);
}

static const double arrive[4] = {0, 5, 6, 20}, size[4] = {30, 4, 4, 2}, said[4] = {6, 4, 4, 2};

static void expect(const double *got, double a, double b, double c, double d)
{
    CU_ASSERT_DOUBLE_EQUAL(got[0], a, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(got[1], b, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(got[2], c, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(got[3], d, 1e-9);
}

static void test_late_jobs(void)
{
    double finish[4], virtual[4] = {0};

    serve(4, arrive, size, size, FIRST, finish, virtual); /* exact sizes: SRPT's order */
    expect(finish, 40, 9, 13, 22);
    serve(4, arrive, size, said, FIRST, finish, virtual); /* the late job keeps the server */
    expect(finish, 30, 34, 38, 40);
    serve(4, arrive, size, said, SHARE, finish, virtual);
    expect(finish, 40, 79.0 / 3, 325.0 / 12, 341.0 / 12);
    expect(virtual, 7.5, 13.5, 14, 22);
    CU_ASSERT_DOUBLE_EQUAL((finish[0] + finish[1] + finish[2] + finish[3] - 31) / 4, 545.0 / 24, 1e-9);
}

/* Weight 2 is done virtually when a job of half its size and weight 1 is. */
static void test_weights(void)
{
    struct psbs_job a, b;
    struct psbs p;

    psbs_init(&p, 1, 0);
    psbs_arrive(&p, &a, 20, 2);
    psbs_arrive(&p, &b, 10, 1);
    CU_ASSERT_PTR_EQUAL(psbs_first(&p), &a); /* earlier at the same key */
    psbs_advance(&p, 29);
    CU_ASSERT(!a.late && !b.late && psbs_next_us(&p) == 30);
    psbs_advance(&p, 40);
    CU_ASSERT(a.late && b.late && p.late == &a && p.late_n == 2 && p.late_weights == 3);
    CU_ASSERT(a.finish_us == 30 && b.finish_us == 30);
    psbs_end(&p, &a);
    CU_ASSERT(p.late == &b && p.late_last == &b);
    psbs_end(&p, &b);
    CU_ASSERT(!p.late && p.late_weights == 0);
    psbs_free(&p);
}

static void test_size_zero(void)
{
    struct psbs_job a, b;
    struct psbs p;

    psbs_init(&p, 2, 5);
    psbs_arrive(&p, &a, 0, 1);
    CU_ASSERT(a.late && a.finish_us == 5);
    CU_ASSERT_PTR_NULL(psbs_first(&p));
    CU_ASSERT(isinf(psbs_next_us(&p)));
    psbs_end(&p, &a);
    psbs_arrive(&p, &b, 10, 1);
    CU_ASSERT_EQUAL(psbs_next_us(&p), 10); /* speed 2 */
    psbs_end(&p, &b);                      /* over at once, virtually later */
    CU_ASSERT_PTR_NULL(psbs_first(&p));
    psbs_advance(&p, 100);
    CU_ASSERT(p.weights == 0 && !p.late);
    psbs_free(&p);
}

/* With exact sizes nobody ends later than under processor sharing. */
static void test_dominance(void)
{
    for (unsigned seed = 1; seed <= 200; seed++) {
        struct virtual_cluster *vc = virtual_cluster_new(VIRTUAL_FLUID, VIRTUAL_BY_FINISH, 1, 0);
        double at[40], work[40], finish[40], virtual[40] = {0};
        int64_t now = 0;
        int32_t shared[40];
        uint64_t x = seed;

        for (int i = 0; i < 40; i++) {
            struct virtual_run run = {1, 0};

            x = x * 6364136223846793005u + 1442695040888963407u;
            now += (int64_t)(x >> 40);
            at[i] = (double)now;
            x = x * 6364136223846793005u + 1442695040888963407u;
            work[i] = run.left_us = 1 + (double)(x >> 40);
            virtual_cluster_advance(vc, now);
            shared[i] = virtual_cluster_add(vc, now, 1, i, 1, &run, 1);
            virtual_cluster_project(vc);
        }
        serve(40, at, work, work, SHARE, finish, virtual);
        virtual_cluster_advance(vc, now * 1000);
        for (int i = 0; i < 40; i++)
            CU_ASSERT(finish[i] <= (double)virtual_cluster_finish_us(vc, shared[i]) + 1);
        virtual_cluster_free(vc);
    }
}

static const struct cunit_case cases[] = {
    {"late jobs", test_late_jobs},
    {"weights", test_weights},
    {"size 0, speed", test_size_zero},
    {"no later than processor sharing", test_dominance},
};
CUNIT_MAIN("psbs", cases)
