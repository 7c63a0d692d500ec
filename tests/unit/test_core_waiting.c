/* Goal: masters get their turns by priority and then by arrival, and what one submission costs does
 * not grow with the number of those that wait. Method: by seed, compared with a list that is
 * searched from its beginning; work is counted in places of the heap that change. */
#include <stdlib.h>
#include <string.h>

#include "rm/core/state.h"
#include "tests/unit/cunit_main.h"

#define APPS 10000

static uint64_t seed;
static struct rm_app *apps;
static struct rm_app *list[APPS]; /* those that wait, in the order of their turns */
static size_t list_n;
static uint64_t arrivals;

/* Returns a random number from 0 to @n - 1. */
static uint64_t below(uint64_t n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (seed >> 33) % n;
}

static void list_put(struct rm_app *a)
{
    size_t at = 0;

    while (at < list_n && list[at]->pj.priority >= a->pj.priority)
        at++;
    memmove(list + at + 1, list + at, (list_n++ - at) * sizeof *list);
    list[at] = a;
}

static void list_remove(const struct rm_app *a)
{
    size_t at = 0;

    while (list[at] != a)
        at++;
    memmove(list + at, list + at + 1, (--list_n - at) * sizeof *list);
}

static void begin(void)
{
    apps = base_alloc(APPS * sizeof *apps);
    list_n = 0;
}

static void end(struct rm_waiting *w)
{
    rm_waiting_masters_free(w);
    free(apps);
}

/* Submissions, kills, turns, and changes of priority, all at random. */
static void test_order(void)
{
    for (uint64_t run = 1; run <= 20; run++) {
        struct rm_waiting w = {0};

        seed = run;
        begin();
        for (int step = 0; step < 3000; step++) {
            struct rm_app *a = &apps[below(400)];

            if (!a->waits) {
                a->pj.priority = (int32_t)below(1 + run % 5);
                rm_waiting_masters_put(&w, a, arrivals++);
                list_put(a);
            } else if (below(3) == 0) { /* its priority changes while it is still in the heap */
                a->pj.priority = (int32_t)below(1 + run % 5);
                rm_waiting_masters_remove(&w, a);
                rm_waiting_masters_put(&w, a, arrivals++);
                list_remove(a);
                list_put(a);
            } else {
                rm_waiting_masters_remove(&w, a);
                list_remove(a);
            }
            CU_ASSERT_PTR_EQUAL(rm_waiting_masters_first(&w), list_n ? list[0] : NULL);
            CU_ASSERT_EQUAL(w.n, list_n);
        }
        for (size_t i = 0; i < list_n; i++) {
            struct rm_app *first = rm_waiting_masters_first(&w);

            CU_ASSERT_PTR_EQUAL(first, list[i]);
            rm_waiting_masters_remove(&w, first);
        }
        CU_ASSERT_PTR_NULL(rm_waiting_masters_first(&w));
        end(&w);
    }
}

/* Returns how many of the @n places of @w differ from @before, and copies them there. */
static size_t count_changed(const struct rm_waiting *w, struct rm_app **before, size_t n)
{
    size_t changed = 0;

    for (size_t i = 0; i < n; i++)
        changed += w->v[i] != before[i];
    memcpy(before, w->v, n * sizeof *before);
    return changed;
}

#define PLACES_MAX 15 /* one more than the depth of a heap of APPS */

static void test_work_is_bounded(void)
{
    struct rm_waiting w = {0};
    struct rm_app **before;
    int32_t last = INT32_MAX;

    seed = 7;
    begin();
    before = base_alloc(APPS * sizeof(struct rm_app *));
    for (size_t i = 0; i < APPS; i++) {
        apps[i].pj.priority = (int32_t)below(1000);
        rm_waiting_masters_put(&w, &apps[i], arrivals++);
        CU_ASSERT(count_changed(&w, before, w.n) <= PLACES_MAX);
    }
    for (size_t i = 0; i < APPS; i += 2) {
        rm_waiting_masters_remove(&w, &apps[i]);
        CU_ASSERT(count_changed(&w, before, w.n) <= PLACES_MAX);
    }
    while (w.n) {
        struct rm_app *a = rm_waiting_masters_first(&w);

        CU_ASSERT(a->pj.priority <= last);
        last = a->pj.priority;
        rm_waiting_masters_remove(&w, a);
    }
    free(before);
    end(&w);
}

static const struct cunit_case cases[] = {{"order of turns", test_order},
                                          {"work is bounded", test_work_is_bounded}};

CUNIT_MAIN("masters that wait", cases)
