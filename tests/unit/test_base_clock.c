#include "base/clock.h"
#include "tests/unit/clock_virtual.h"
#include "tests/unit/cunit_main.h"

static void test_virtual(void)
{
    struct base_clock c;

    clock_virtual_init(&c, 1000);
    CU_ASSERT_EQUAL(base_mono_us(&c), 0);
    CU_ASSERT_EQUAL(base_wall_us(&c), 1000);
    clock_virtual_advance(&c, 500);
    clock_virtual_advance(&c, 500);
    CU_ASSERT_EQUAL(base_mono_us(&c), 500);
    CU_ASSERT_EQUAL(base_wall_us(&c), 1500);
}

static void test_real(void)
{
    int64_t last = base_mono_us(&base_clock_real);

    for (int i = 0; i < 1000; i++) {
        int64_t now = base_mono_us(&base_clock_real);
        CU_ASSERT(now >= last);
        last = now;
    }
    CU_ASSERT(base_wall_us(&base_clock_real) > INT64_C(1500000000) * 1000000);
}

static const struct cunit_case cases[] = {{"virtual", test_virtual}, {"real", test_real}};
CUNIT_MAIN("base_clock", cases)
