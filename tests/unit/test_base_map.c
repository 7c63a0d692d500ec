/* Goal: a map holds what was put in and not removed. Method: random use with many collisions
 * against a plain array; texts by hand. */
#include <string.h>

#include "base/data/map.h"
#include "tests/unit/cunit_main.h"

#define KEYS 1000

static uint32_t rnd(uint32_t below)
{
    static uint64_t state = 7;

    state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(state >> 33) % below;
}

static bool eq(const void *object, const void *key)
{
    return *(const int *)object == *(const int *)key;
}

static void test_random_use(void)
{
    static int keys[KEYS];
    static bool in[KEYS];
    struct base_map m = {0};
    size_t n = 0;

    for (int i = 0; i < KEYS; i++)
        keys[i] = i;
    CU_ASSERT_PTR_NULL(base_map_find(&m, 0, eq, &keys[0]));
    for (int i = 0; i < 50000; i++) {
        int k = (int)rnd(KEYS);
        uint64_t hash = (uint64_t)k % 37; /* many collisions */

        if (in[k])
            base_map_remove(&m, hash, &keys[k]);
        else
            base_map_add(&m, hash, &keys[k]);
        in[k] = !in[k];
        n += in[k] ? 1 : -1;
        CU_ASSERT_EQUAL(m.n, n);
        CU_ASSERT(m.n * 2 <= m.cap);
        k = (int)rnd(KEYS);
        CU_ASSERT_PTR_EQUAL(base_map_find(&m, (uint64_t)k % 37, eq, &k), in[k] ? &keys[k] : NULL);
    }
    base_map_free(&m);
    CU_ASSERT(!m.slot && !m.cap && !m.n);
}

/* Texts that differ in one place differ in the low bits, which choose the slot. */
static void test_hash_text(void)
{
    uint64_t low = 0;
    char text[] = "host0";

    CU_ASSERT_EQUAL(base_hash_text("abc"), base_hash_text("abc"));
    CU_ASSERT_NOT_EQUAL(base_hash_text("abc"), base_hash_text("acb"));
    for (int i = 0; i < 64; i++) {
        text[4] = (char)('0' + i);
        low |= UINT64_C(1) << (base_hash_text(text) & 63);
    }
    CU_ASSERT(__builtin_popcountll(low) > 32);
}

static const struct cunit_case cases[] = {{"random use", test_random_use},
                                          {"hash of a text", test_hash_text}};

CUNIT_MAIN("map", cases)
