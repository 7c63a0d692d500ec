/* Goal: the order of HFSP's jobs, what they want, and sums of their counts before and behind a
 * rank.
 * Method: thousands of random changes, each answer compared with one counted out plainly. */
#include <string.h>

#include "base/mem.h"
#include "policies/hfsp/rank.h"
#include "tests/unit/cunit_main.h"

#define JOBS 200

static struct { /* the plain model */
    int32_t order[JOBS], count[HFSP_COUNTS][JOBS];
    unsigned want[JOBS];
    size_t n;
} plain;
static struct hfsp_rank rank;
static uint64_t seed;

static uint32_t below(uint32_t n)
{
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % n;
}

static int32_t place(int32_t job)
{
    for (size_t i = 0; i < plain.n; i++)
        if (plain.order[i] == job)
            return (int32_t)i;
    return -1;
}

static void new_order(uint32_t most)
{
    int32_t all[JOBS];

    for (int32_t i = 0; i < JOBS; i++)
        all[i] = i;
    plain.n = below(most + 1);
    for (size_t i = 0; i < plain.n; i++) {
        size_t with = i + below((uint32_t)(JOBS - i));
        int32_t t = all[i];

        all[i] = all[with];
        all[with] = t;
        plain.order[i] = all[i];
    }
    hfsp_rank_set_order(&rank, plain.order, plain.n);
}

static void compare(void)
{
    for (int32_t r = -1; r < (int32_t)plain.n; r++) { /* -1: before all of them */
        for (int c = 0; c < HFSP_COUNTS; c++) {
            int64_t sum[2] = {0};

            for (size_t i = 0; i < plain.n; i++)
                sum[(int32_t)i > r] += plain.count[c][plain.order[i]];
            CU_ASSERT_EQUAL(hfsp_rank_sum_up_to(&rank, (enum hfsp_count)c, r), sum[0]);
            CU_ASSERT_EQUAL(hfsp_rank_sum_after(&rank, (enum hfsp_count)c, r), sum[1]);
        }
    }
    for (unsigned want = 1; want < 1u << HFSP_WANTS; want++)
        for (int32_t from = 0; from <= (int32_t)plain.n; from++) {
            int32_t next = from;

            while (next < (int32_t)plain.n && !(plain.want[plain.order[next]] & want))
                next++;
            CU_ASSERT_EQUAL(hfsp_rank_next_wanting(&rank, from, want),
                            next < (int32_t)plain.n ? next : -1);
        }
}

static void test_random(void)
{
    static const uint32_t most[] = {1, 2, 10, 63, 64, 65, 128, JOBS};

    seed = 1;
    for (size_t m = 0; m < sizeof most / sizeof *most; m++) {
        memset(&plain, 0, sizeof plain);
        rank = (struct hfsp_rank){0};
        hfsp_rank_reserve_handles(&rank, JOBS);
        for (int round = 0; round < 6; round++) {
            new_order(most[m]);
            compare();
            for (int i = 0; i < 60; i++) {
                /* mostly a job that has a rank, now and then any job */
                int32_t job = plain.n && below(8) ? plain.order[below((uint32_t)plain.n)]
                                                  : (int32_t)below(JOBS);

                if (below(2)) {
                    enum hfsp_count c = (enum hfsp_count)below(HFSP_COUNTS);

                    plain.count[c][job] = (int32_t)below(20);
                    hfsp_rank_set_count(&rank, c, job, plain.count[c][job]);
                } else {
                    plain.want[job] = below(1u << HFSP_WANTS);
                    hfsp_rank_set_wants(&rank, job, plain.want[job]);
                }
                CU_ASSERT_EQUAL(rank.rank[job], place(job));
            }
            compare();
        }
        hfsp_rank_free(&rank);
    }
}

static const struct cunit_case cases[] = {{"random changes", test_random}};

CUNIT_MAIN("ranks", cases)
