/* Goal: fair sharing without preemption, in virtual time. Method: small cases by hand, then random
 * jobs against a plain model that keeps every task by itself. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policies/hfsp/virtual_cluster.h"
#include "policies/hfsp/virtual_fair.h"
#include "tests/unit/cunit_main.h"

#define S INT64_C(1000000)

static int32_t seq;
static double weight = 1; /* of the next job */

static struct virtual_fair_job *arrive(struct virtual_fair *vf, int64_t at_s, int32_t maps,
                                       int64_t map_s, int32_t reduces, int64_t reduce_s)
{
    struct policy_job job = {.submit_us = at_s * S, .seq = ++seq, .weight = weight, .is_job = true};
    struct virtual_fair_job *j;

    virtual_fair_advance(vf, at_s * S);
    j = virtual_fair_add_job(vf, &job);
    virtual_fair_set_task_duration(vf, j, BASE_TASK_MAP, map_s < 0 ? -1 : map_s * S);
    virtual_fair_add_tasks(vf, j, BASE_TASK_MAP, maps, 0, 0);
    virtual_fair_set_task_duration(vf, j, BASE_TASK_REDUCE, reduce_s < 0 ? -1 : reduce_s * S);
    virtual_fair_add_tasks(vf, j, BASE_TASK_REDUCE, reduces, 0, 0);
    return j;
}

static struct virtual_fair *cluster(double slowstart, int64_t maps, int64_t reduces)
{
    struct virtual_fair *vf = virtual_fair_new(slowstart);

    virtual_fair_set_slots(vf, BASE_TASK_MAP, maps);
    virtual_fair_set_slots(vf, BASE_TASK_REDUCE, reduces);
    return vf;
}

static int64_t finish_s(struct virtual_fair *vf, const struct virtual_fair_job *j,
                        enum base_task_kind kind, int64_t at_s)
{
    int64_t us;

    virtual_fair_advance(vf, at_s * S);
    us = virtual_fair_finish_us(j, kind);
    return us == VIRTUAL_NEVER ? -1 : us / S;
}

/* A slot stays with its task; a free one goes to the job that runs fewest. */
static void test_slots(void)
{
    struct virtual_fair *vf = cluster(0, 2, 1);
    struct virtual_fair_job *a = arrive(vf, 0, 3, 10, 0, 0), *b = arrive(vf, 5, 1, 10, 0, 0);

    CU_ASSERT_EQUAL(finish_s(vf, a, BASE_TASK_MAP, 9), -1);
    CU_ASSERT_EQUAL(finish_s(vf, b, BASE_TASK_MAP, 9), -1);
    CU_ASSERT_EQUAL(finish_s(vf, a, BASE_TASK_MAP, 10), 20);
    CU_ASSERT_EQUAL(finish_s(vf, b, BASE_TASK_MAP, 10), 20);
    CU_ASSERT_EQUAL(finish_s(vf, a, BASE_TASK_REDUCE, 10), -1); /* it has no reduces */
    virtual_fair_set_slots(vf, BASE_TASK_MAP, 3);
    CU_ASSERT_EQUAL(finish_s(vf, arrive(vf, 12, 1, 7, 0, 0), BASE_TASK_MAP, 12), 19);
    virtual_fair_set_slots(vf, BASE_TASK_MAP, 1); /* nothing is taken away */
    b = arrive(vf, 15, 1, 10, 0, 0);
    CU_ASSERT_EQUAL(finish_s(vf, b, BASE_TASK_MAP, 19), -1);
    CU_ASSERT_EQUAL(finish_s(vf, b, BASE_TASK_MAP, 20), 30);
    virtual_fair_free(vf);
}

/* Reduces hold their slots until the last map has ended. */
static void test_reduces(void)
{
    struct virtual_fair *vf = cluster(0.5, 1, 1);
    struct virtual_fair_job *a = arrive(vf, 0, 2, 10, 1, 5), *b = arrive(vf, 1, 0, 0, 1, 3);

    CU_ASSERT_EQUAL(finish_s(vf, b, BASE_TASK_REDUCE, 1), 4);
    CU_ASSERT_EQUAL(finish_s(vf, a, BASE_TASK_REDUCE, 9), -1);
    CU_ASSERT_EQUAL(finish_s(vf, a, BASE_TASK_MAP, 10), 20);
    CU_ASSERT_EQUAL(finish_s(vf, a, BASE_TASK_REDUCE, 10), 25);
    b = arrive(vf, 11, 0, 0, 1, 3);
    CU_ASSERT_EQUAL(finish_s(vf, b, BASE_TASK_REDUCE, 24), -1);
    CU_ASSERT_EQUAL(finish_s(vf, b, BASE_TASK_REDUCE, 25), 28);
    virtual_fair_free(vf);
}

/* Tasks of unknown duration do not end; a duration that is set later counts from their start. */
static void test_unknown(void)
{
    struct virtual_fair *vf = cluster(0, 1, 1);
    struct virtual_fair_job *a = arrive(vf, 0, 1, -1, 0, 0), *b = arrive(vf, 1, 1, 10, 0, 0);

    CU_ASSERT_EQUAL(finish_s(vf, a, BASE_TASK_MAP, 50), -1);
    CU_ASSERT_EQUAL(finish_s(vf, b, BASE_TASK_MAP, 50), -1);
    virtual_fair_set_task_duration(vf, a, BASE_TASK_MAP, 60 * S);
    CU_ASSERT_EQUAL(finish_s(vf, a, BASE_TASK_MAP, 50), 60);
    virtual_fair_set_task_duration(vf, a, BASE_TASK_MAP, 55 * S);
    CU_ASSERT_EQUAL(finish_s(vf, b, BASE_TASK_MAP, 56), 65);
    virtual_fair_free(vf);
}

/* A job that has ended in reality is served until its virtual end; a job that was killed is not.
 * Then the other job gets more tasks, and loses some. */
static void test_gone(void)
{
    for (int finished = 0; finished < 2; finished++) {
        struct virtual_fair *vf = cluster(0, 1, 1);
        struct virtual_fair_job *a = arrive(vf, 0, 2, 10, 0, 0), *b = arrive(vf, 1, 1, 10, 0, 0);

        virtual_fair_advance(vf, 1 * S);
        virtual_fair_detach_job(vf, a, finished);
        CU_ASSERT_EQUAL(finish_s(vf, b, BASE_TASK_MAP, 2), finished ? -1 : 11);
        CU_ASSERT_EQUAL(finish_s(vf, b, BASE_TASK_MAP, 20), finished ? 30 : 11);
        virtual_fair_add_tasks(vf, b, BASE_TASK_MAP, 2, 0, 0);
        CU_ASSERT_EQUAL(finish_s(vf, b, BASE_TASK_MAP, 20), -1);
        virtual_fair_add_tasks(vf, b, BASE_TASK_MAP, -5, 0, 0);
        CU_ASSERT_EQUAL(finish_s(vf, b, BASE_TASK_MAP, 20), 30);
        virtual_fair_free(vf);
    }
}

/* Sixty tasks of 10 s on two slots: one starts every 5 s. Only two run at a time: places of ended
 * tasks in the array of running ones are used again. */
static void test_many_starts(void)
{
    struct virtual_fair *vf = cluster(0, 1, 1);
    struct virtual_fair_job *a = arrive(vf, 0, 60, 10, 0, 0);

    virtual_fair_advance(vf, 5 * S);
    virtual_fair_set_slots(vf, BASE_TASK_MAP, 2);
    CU_ASSERT_EQUAL(finish_s(vf, a, BASE_TASK_MAP, 294), -1);
    CU_ASSERT_EQUAL(finish_s(vf, a, BASE_TASK_MAP, 295), 305);
    CU_ASSERT_EQUAL(finish_s(vf, arrive(vf, 296, 1, 1, 0, 0), BASE_TASK_MAP, 300), 301);
    virtual_fair_free(vf);
}

/* ---------------------------------------------------------------- random jobs */
#define JOBS  12
#define TASKS 9
enum { SLOTS = 3 };

struct plain_job {
    struct virtual_fair_job *j;
    int64_t at, lasts[BASE_TASK_KINDS],
        starts[BASE_TASK_KINDS][TASKS]; /* seconds; starts -1: waits */
    int32_t n[BASE_TASK_KINDS], weight;
};
static uint64_t random_state;

static int below(int n)
{
    random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (int)(random_state >> 33) % n;
}

static int64_t map_end(const struct plain_job *p) /* -1: maps wait */
{
    int64_t end = p->at;

    for (int32_t t = 0; t < p->n[BASE_TASK_MAP]; t++) {
        if (p->starts[BASE_TASK_MAP][t] < 0)
            return -1;
        if (p->starts[BASE_TASK_MAP][t] + p->lasts[BASE_TASK_MAP] > end)
            end = p->starts[BASE_TASK_MAP][t] + p->lasts[BASE_TASK_MAP];
    }
    return end;
}

static int64_t task_end(const struct plain_job *p, int k, int32_t t) /* -1: not known */
{
    int64_t from = p->starts[k][t], maps = map_end(p);

    if (from < 0 || (k == BASE_TASK_REDUCE && maps < 0))
        return -1;
    return (k == BASE_TASK_REDUCE && maps > from ? maps : from) + p->lasts[k];
}

static bool ready(const struct plain_job *p, int k, int64_t now)
{
    int32_t done = 0;

    for (int32_t t = 0; k == BASE_TASK_REDUCE && t < p->n[BASE_TASK_MAP]; t++)
        done += p->starts[BASE_TASK_MAP][t] >= 0 && task_end(p, BASE_TASK_MAP, t) <= now;
    return k == BASE_TASK_MAP || 2 * done >= p->n[BASE_TASK_MAP];
}

/* The job that gets a free slot of @k at @now, NULL: none; *@used: slots that are not free. */
static struct plain_job *choose(struct plain_job *v, int jobs, int k, int64_t now, int *used)
{
    struct plain_job *best = NULL;
    int least = 0; /* running tasks per weight of @best; times 6: whole for weights 1 to 3 */

    *used = 0;
    for (int i = 0; i < jobs; i++) {
        int runs = 0, waits = 0;

        for (int32_t t = 0; t < v[i].n[k]; t++) {
            waits += v[i].starts[k][t] < 0;
            runs += v[i].starts[k][t] >= 0 &&
                    (task_end(&v[i], k, t) < 0 || task_end(&v[i], k, t) > now);
        }
        *used += runs;
        if (waits && ready(&v[i], k, now) && (!best || runs * 6 / v[i].weight < least)) {
            best = &v[i];
            least = runs * 6 / v[i].weight;
        }
    }
    return best;
}

static void plain_second(struct plain_job *v, int jobs, int64_t now)
{
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        for (;;) {
            int used;
            struct plain_job *p = choose(v, jobs, k, now, &used);
            int32_t t = 0;

            if (!p || used >= SLOTS)
                break;
            while (p->starts[k][t] >= 0)
                t++;
            p->starts[k][t] = now;
        }
}

static bool agree(const struct plain_job *v, int jobs, int64_t now)
{
    for (int i = 0; i < jobs; i++)
        for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
            int64_t end = v[i].n[k] ? 0 : -1;

            for (int32_t t = 0; t < v[i].n[k] && end >= 0; t++) {
                int64_t of = task_end(&v[i], k, t);

                end = of < 0 ? -1 : of > end ? of : end;
            }
            if (virtual_fair_finish_us(v[i].j, k) == (end < 0 ? VIRTUAL_NEVER : end * S))
                continue;
            printf("at %lld s, job %d, kind %d: %.6g s, not %lld s\n", (long long)now, i, k,
                   (double)virtual_fair_finish_us(v[i].j, k) / 1e6, (long long)end);
            return false;
        }
    return true;
}

static void test_random(void)
{
    random_state = 1;
    for (int round = 0; round < 30; round++) {
        struct virtual_fair *vf = cluster(0.5, SLOTS, SLOTS);
        struct plain_job v[JOBS];

        memset(v, 0, sizeof v);
        for (int i = 0; i < JOBS; i++) {
            v[i].weight = 1 + below(3);
            v[i].at = i ? v[i - 1].at + below(8) : 0;
            for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
                v[i].n[k] = below(TASKS + 1);
                v[i].lasts[k] = 1 + below(9);
                for (int32_t t = 0; t < TASKS; t++)
                    v[i].starts[k][t] = -1;
            }
        }
        for (int64_t now = 0, jobs = 0; now < 300; now++) {
            plain_second(v, (int)jobs, now);
            for (; jobs < JOBS && v[jobs].at == now; jobs++) {
                struct plain_job *p = &v[jobs];

                weight = p->weight;
                p->j = arrive(vf, now, p->n[0], p->lasts[0], p->n[1], p->lasts[1]);
                virtual_fair_advance(vf, now * S);
                plain_second(v, (int)jobs + 1, now);
            }
            virtual_fair_advance(vf, now * S);
            if (!agree(v, (int)jobs, now)) {
                CU_FAIL("the plain model says otherwise");
                break;
            }
        }
        virtual_fair_free(vf);
        weight = 1;
    }
}

static const struct cunit_case cases[] = {{"slots", test_slots},
                                          {"reduces", test_reduces},
                                          {"times that are not known", test_unknown},
                                          {"jobs that are gone", test_gone},
                                          {"many starts", test_many_starts},
                                          {"random jobs", test_random}};

CUNIT_MAIN("virtual fair sharing", cases)
