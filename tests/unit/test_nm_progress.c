/* Goal: what a user's program writes about its progress is understood as deploy/doc/jobs.md says,
 * and nothing else. Method: a table. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nodemanager/container/folders.h"
#include "tests/unit/cunit_main.h"

static void test_numbers(void)
{
    static const struct {
        const char *text;
        double progress;
    } good[] = {
        {"0.25", 0.25},  {"0.25\n", 0.25},      {"1", 1},        {"0", 0},
        {" 0.5", 0.5},   {"50%", 0.5},          {"50 %\n", 0.5}, {"50\t%", 0.5},
        {"0.5%", 0.005}, {"50", 0.5},           {"1.5", 0.015},  {"100", 1},
        {"250", 1},      {"250%", 1},           {"-3", 0},       {"-3%", 0},
        {"inf", 1},      {"0.75 \t\r\n", 0.75}, {"1%", 0.01},
    };
    static const char *const bad[] = {"",       "x",    "%",   "0.5x",     "0.5 x",
                                      "50 % x", "50%%", "nan", "0.5\n0.6", "[0.5]"};
    struct nm_progress_file p;

    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        CU_ASSERT_TRUE(nm_progress_parse(good[i].text, strlen(good[i].text), &p));
        if (fabs(p.progress - good[i].progress) > 1e-9)
            printf("\n    \"%s\" is %g\n", good[i].text, p.progress);
        CU_ASSERT(fabs(p.progress - good[i].progress) < 1e-9);
        CU_ASSERT_STRING_EQUAL(p.phase, "");
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (nm_progress_parse(bad[i], strlen(bad[i]), &p))
            printf("\n    \"%s\" is taken\n", bad[i]);
        CU_ASSERT_FALSE(nm_progress_parse(bad[i], strlen(bad[i]), &p));
        CU_ASSERT_EQUAL(p.progress, 0);
    }
}

static void test_objects(void)
{
    static const struct {
        const char *text;
        double progress;
        const char *phase;
    } good[] = {
        {"{}", 0, ""},
        {"{\"progress\":0.5}", 0.5, ""},
        {"{\"progress\":1}", 1, ""},
        {"{\"progress\":7}", 1, ""},
        {"{\"progress\":-1}", 0, ""},
        {"{\"progress\":\"0.5\"}", 0, ""},
        {"{\"progress\":0.25,\"phase\":\"sort\"}\n", 0.25, "sort"},
    };
    static const char counters[] =
        "{\"counters\":{\"A\":3,\"NEGATIVE\":-1,\"TEXT\":\"x\",\"\":5,\"HALF\":0.5,\"ZERO\":0}}";
    static const char *const bad[] = {"{", "{\"progress\":0.5", "{\"progress\":0.5} x"};
    struct nm_progress_file p;

    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        CU_ASSERT_TRUE(nm_progress_parse(good[i].text, strlen(good[i].text), &p));
        CU_ASSERT(fabs(p.progress - good[i].progress) < 1e-9);
        CU_ASSERT_STRING_EQUAL(p.phase, good[i].phase);
        free(p.counters);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CU_ASSERT_FALSE(nm_progress_parse(bad[i], strlen(bad[i]), &p));
    CU_ASSERT_TRUE(nm_progress_parse(counters, strlen(counters), &p));
    /* only counters with a name and a whole number from 0 on */
    CU_ASSERT_STRING_EQUAL(p.counters, "{\"A\":3,\"ZERO\":0}");
    free(p.counters);
}

static const struct cunit_case cases[] = {{"numbers", test_numbers}, {"objects", test_objects}};

CUNIT_MAIN("progress files", cases)
