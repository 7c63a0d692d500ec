/* Goal: a heap keeps its elements in order and tells each its index. Method: random use, with every
 * element and index checked after each step; random values, which come out sorted. */
#include <stdbool.h>
#include <stdint.h>

#include "base/data/heap.h"
#include "tests/unit/cunit_main.h"

#define ITEMS 200

struct item {
    int key;
    size_t index;
};

static uint32_t rnd(uint32_t below)
{
    static uint64_t state = 11;

    state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(state >> 33) % below;
}

static bool is_before(const struct item *a, const struct item *b)
{
    return a->key < b->key;
}

#define SET_INDEX(item, i) ((item)->index = (i))
BASE_HEAP_SIFT(sift_items, struct item *, is_before, SET_INDEX)

static bool is_less(int a, int b)
{
    return a < b;
}

BASE_HEAP_SIFT(sift_ints, int, is_less, BASE_HEAP_NO_INDEX)

static void check(struct item **v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        CU_ASSERT_EQUAL_FATAL(v[i]->index, i);
        CU_ASSERT_FATAL(!i || !is_before(v[i], v[(i - 1) / 2]));
    }
}

static void test_random_use(void)
{
    static struct item items[ITEMS];
    static struct item *v[ITEMS], *out[ITEMS];
    size_t n = 0, out_n = ITEMS;

    for (size_t i = 0; i < ITEMS; i++)
        out[i] = &items[i];
    for (int round = 0; round < 20000; round++) {
        uint32_t what = rnd(5);

        if (what < 2 && out_n) { /* put */
            v[n] = out[--out_n];
            v[n]->key = (int)rnd(50);
            n++;
            sift_items(v, n, n - 1);
        } else if (what == 2 && n) { /* change one */
            size_t i = rnd((uint32_t)n);

            v[i]->key = (int)rnd(50);
            sift_items(v, n, i);
        } else if (n) { /* take the first, or remove one */
            size_t i = what == 3 ? 0 : rnd((uint32_t)n);

            out[out_n++] = v[i];
            if (i < --n) {
                v[i] = v[n];
                sift_items(v, n, i);
            }
        }
        check(v, n);
    }
}

static void test_values_come_out_sorted(void)
{
    int v[ITEMS], last = -1;
    size_t n = 0;

    while (n < ITEMS) {
        v[n++] = (int)rnd(1000);
        sift_ints(v, n, n - 1);
    }
    while (n) {
        CU_ASSERT(v[0] >= last);
        last = v[0];
        v[0] = v[--n];
        sift_ints(v, n, 0);
    }
}

static const struct cunit_case cases[] = {{"random use", test_random_use},
                                          {"values come out sorted", test_values_come_out_sorted}};

CUNIT_MAIN("heap", cases)
