/* tests/unit/cunit_main.h - the main() of a CUnit program: one suite from a table, nonzero when
 * anything failed. */
#ifndef CREEL_TESTS_CUNIT_MAIN_H
#define CREEL_TESTS_CUNIT_MAIN_H

#include <CUnit/Basic.h>
#include <stddef.h>

struct cunit_case {
    const char *name;
    void (*run)(void);
};

static inline int cunit_main(const char *suite_name, const struct cunit_case *cases, size_t n)
{
    CU_pSuite suite;
    unsigned failed;

    if (CU_initialize_registry() != CUE_SUCCESS)
        return 2;
    suite = CU_add_suite(suite_name, NULL, NULL);
    for (size_t i = 0; suite && i < n; i++)
        if (!CU_add_test(suite, cases[i].name, cases[i].run))
            suite = NULL;
    if (!suite)
        return 2;
    CU_basic_set_mode(CU_BRM_VERBOSE);
    if (CU_basic_run_tests() != CUE_SUCCESS)
        return 2;
    failed = CU_get_number_of_failures();
    CU_cleanup_registry();
    return failed ? 1 : 0;
}

#define CUNIT_MAIN(suite_name, cases)                                                              \
    int main(void)                                                                                 \
    {                                                                                              \
        return cunit_main(suite_name, cases, sizeof(cases) / sizeof *(cases));                     \
    }

#endif
