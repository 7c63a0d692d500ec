/* Goal: a profile kept in runs says what the papers' algorithms say, task by task. Method: every
 * operation on random profiles beside the same operation on a plain array of times; the examples by
 * hand. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "policies/common/slot_profile.h"
#include "tests/unit/cunit_main.h"

#define CASES     20000
#define SLOTS_MAX 40
#define S         INT64_C(1000000)

static uint64_t seed = 42;

static int64_t rnd(int64_t n) /* 0..n-1; xorshift64* */
{
    seed ^= seed >> 12;
    seed ^= seed << 25;
    seed ^= seed >> 27;
    return (int64_t)((seed * UINT64_C(2685821657736338717) >> 33) % (uint64_t)n);
}

/* ---- task by task ---- */
struct naive {
    int64_t t[SLOTS_MAX * 2];
    int64_t n;
};

static int cmp(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

static void naive_sort(struct naive *a)
{
    qsort(a->t, (size_t)a->n, sizeof *a->t, cmp);
}

static int64_t naive_place(struct naive *a, int64_t n, int64_t eps, int64_t floor_us)
{
    int64_t last = floor_us;

    for (; n > 0; n--) {
        naive_sort(a);
        if (!a->n || a->t[0] >= SLOT_NEVER)
            return SLOT_NEVER;
        last = a->t[0] = (a->t[0] > floor_us ? a->t[0] : floor_us) + eps;
    }
    return last;
}

static void naive_replace(struct naive *a, const int64_t *ends, size_t n)
{
    for (size_t i = 0; i < n && a->n; i++) {
        naive_sort(a);
        a->t[0] = ends[i];
    }
}

static void naive_hold(struct naive *a, const int64_t *until, int64_t n)
{
    int64_t skip = n > a->n ? n - a->n : 0;

    naive_sort(a);
    for (int64_t i = 0; i + skip < n; i++)
        if (until[i + skip] > a->t[i])
            a->t[i] = until[i + skip];
}

static void naive_never(struct naive *a, int64_t n, int64_t now)
{
    int64_t have = 0;

    naive_sort(a);
    for (int64_t i = 0; i < a->n; i++)
        have += a->t[i] >= SLOT_NEVER;
    n = n > a->n ? a->n : n;
    for (int64_t i = 0; i < n - have; i++)
        a->t[i] = SLOT_NEVER;
    for (int64_t i = 0; i < have - n; i++)
        a->t[a->n - 1 - i] = now;
}

static void naive_resize(struct naive *a, int64_t slots, int64_t now)
{
    naive_sort(a);
    if (slots < a->n)
        memmove(a->t, a->t + (a->n - slots), (size_t)slots * sizeof *a->t);
    for (int64_t i = a->n; i < slots; i++)
        a->t[i] = now;
    a->n = slots;
}

/* Returns true when both hold the same times, and the runs are ascending and not empty. */
static bool same(const struct slot_profile *p, struct naive *a)
{
    int64_t i = 0;

    naive_sort(a);
    for (size_t r = p->head; r < p->tail; r++) {
        if (p->v[r].n <= 0 || (r > p->head && p->v[r - 1].at_us >= p->v[r].at_us))
            return false;
        for (int64_t k = 0; k < p->v[r].n; k++, i++)
            if (i >= a->n || a->t[i] != p->v[r].at_us)
                return false;
    }
    return i == a->n && p->slots == a->n;
}

static size_t runs_of(const int64_t *t, int64_t n, struct slot_run *out)
{
    size_t runs = 0;

    for (int64_t i = 0; i < n; i++) {
        if (runs && out[runs - 1].at_us == t[i])
            out[runs - 1].n++;
        else
            out[runs++] = (struct slot_run){t[i], 1};
    }
    return runs;
}

/* Does one random operation on both. Returns false when they differ. */
static bool operate(struct slot_profile *p, struct naive *a, int64_t *now, int64_t grain)
{
    int64_t t[SLOTS_MAX * 2], n = rnd(rnd(4) ? 12 : 3 * SLOTS_MAX), eps = 1 + rnd(grain),
                              at = *now + rnd(grain);
    struct slot_run runs[SLOTS_MAX * 2];
    int64_t few = rnd(a->n + 4);

    for (int i = 0; i < SLOTS_MAX * 2; i++)
        t[i] = *now - grain / 2 + rnd(grain * 2);
    qsort(t, (size_t)few, sizeof *t, cmp);
    switch (rnd(9)) {
    case 0:
        slot_profile_replace_smallest(p, t, (size_t)few);
        naive_replace(a, t, (size_t)few);
        break;
    case 1:
        slot_profile_delay_until(p, runs, runs_of(t, few, runs));
        naive_hold(a, t, few);
        break;
    case 2:
        *now += rnd(grain);
        slot_profile_raise_to(p, *now);
        for (int64_t i = 0; i < a->n; i++)
            a->t[i] = a->t[i] > *now ? a->t[i] : *now;
        break;
    case 3:
        if (rnd(3))
            break;
        n = rnd(2) ? rnd(a->n + 2) : 0;
        slot_profile_set_unavailable(p, n, *now);
        naive_never(a, n, *now);
        break;
    case 4:
        if (rnd(3))
            break;
        n = rnd(SLOTS_MAX);
        slot_profile_resize(p, n, *now);
        naive_resize(a, n, *now);
        break;
    default:
        if (slot_profile_place_tasks(p, n, eps, at) != naive_place(a, n, eps, at))
            return false;
    }
    return same(p, a);
}

static void test_like_task_by_task(void)
{
    struct slot_profile p = {0}, copy = {0};
    int bad = 0;

    for (int i = 0; i < CASES; i++) {
        static const int64_t grains[] = {2, 5, 20, 1000, 1000000};
        int64_t now = 0, grain = grains[rnd(5)];
        struct naive a = {.n = rnd(SLOTS_MAX)};

        slot_profile_reset(&p, a.n, 0);
        for (int64_t ops = 1 + rnd(12); ops > 0 && !bad; ops--) {
            if (!operate(&p, &a, &now, grain))
                bad = i + 1;
            slot_profile_copy(&copy, &p);
            if (!same(&copy, &a))
                bad = i + 1;
        }
    }
    CU_ASSERT_EQUAL(bad, 0);
    slot_profile_free(&p);
    slot_profile_free(&copy);
}

/* Many jobs one after the other, so that the runs wander through their array. */
static void test_long_row(void)
{
    struct slot_profile p = {0};
    struct naive a = {.n = SLOTS_MAX};
    int64_t now = 0;
    bool ok = true;

    slot_profile_reset(&p, a.n, 0);
    for (int i = 0; i < 3000 && ok; i++) {
        int64_t n = rnd(60), eps = 1 + rnd(10 * S);

        now += rnd(3 * S);
        ok = slot_profile_place_tasks(&p, n, eps, now) == naive_place(&a, n, eps, now) &&
             same(&p, &a);
    }
    CU_ASSERT(ok);
    slot_profile_free(&p);
}

static void test_by_hand(void)
{
    static const int64_t actual[] = {14, 18};
    static const struct slot_run busy[] = {{7, 1}, {30, 1}};
    struct slot_profile p = {0};

    slot_profile_reset(&p, 2, 0);
    CU_ASSERT_EQUAL(slot_profile_place_tasks(&p, 3, 10, 0), 20);
    CU_ASSERT_EQUAL(p.v[p.head].at_us, 10);
    CU_ASSERT_EQUAL(p.v[p.head + 1].at_us, 20);
    slot_profile_replace_smallest(&p, actual, 2); /* [14, 20], then [18, 20] */
    CU_ASSERT_EQUAL(p.v[p.head].at_us, 18);
    CU_ASSERT_EQUAL(p.v[p.head + 1].at_us, 20);
    slot_profile_delay_until(&p, busy, 2); /* (18, 7) and (20, 30) */
    CU_ASSERT_EQUAL(p.v[p.head].at_us, 18);
    CU_ASSERT_EQUAL(p.v[p.head + 1].at_us, 30);
    CU_ASSERT_EQUAL(slot_profile_place_tasks(&p, 0, 10, 5), 5);
    /* a million waves are as cheap as one */
    slot_profile_reset(&p, 3, 0);
    CU_ASSERT_EQUAL(slot_profile_place_tasks(&p, 3000000, 10, 1), 10000001);
    slot_profile_reset(&p, 0, 0);
    CU_ASSERT_EQUAL(slot_profile_place_tasks(&p, 1, 10, 0), SLOT_NEVER);
    CU_ASSERT_EQUAL(slot_profile_place_tasks(&p, 0, 10, 3), 3);
    slot_profile_free(&p);
}

/* A placement splits at most one run. */
static void test_runs_stay_few(void)
{
    struct slot_profile p = {0};
    bool ok = true;

    slot_profile_reset(&p, 10000, 0);
    for (size_t i = 1; i <= 1000; i++) {
        slot_profile_place_tasks(&p, 1 + rnd(20000), 1 + rnd(100 * S), rnd(100 * S));
        ok = ok && p.tail - p.head <= i + 1;
    }
    CU_ASSERT(ok);
    slot_profile_free(&p);
}

static const struct cunit_case cases[] = {
    {"by hand", test_by_hand},
    {"like task by task", test_like_task_by_task},
    {"a long row of jobs", test_long_row},
    {"runs stay few", test_runs_stay_few},
};

CUNIT_MAIN("slot_profile", cases)
