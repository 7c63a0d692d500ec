/* Goal: memory that was freed between pieces in use goes back to the kernel, once, and not before
 * there is much of it.
 * Method: 200,000 pieces of 1 KB, of which each sixteenth is kept, so that malloc alone gives
 * nothing back. Skipped where a sanitizer has replaced malloc. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/server/limits/spare_memory.h"
#include "tests/unit/cunit_main.h"

enum { PIECES = 200000, KEPT = 16 };

static void *pieces[PIECES];

static long read_resident_mb(void)
{
    FILE *f = fopen("/proc/self/statm", "re");
    long pages = 0;

    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    CU_ASSERT_EQUAL(fscanf(f, "%*d %ld", &pages), 1);
    fclose(f);
    return pages * sysconf(_SC_PAGESIZE) >> 20;
}

static void allocate(void)
{
    for (int i = 0; i < PIECES; i++) {
        if (!pieces[i])
            pieces[i] = malloc(1000);
        CU_ASSERT_PTR_NOT_NULL_FATAL(pieces[i]);
        memset(pieces[i], 1, 1000);
    }
}

static void release(void)
{
    for (int i = 0; i < PIECES; i++)
        if (i % KEPT != 0) {
            free(pieces[i]);
            pieces[i] = NULL;
        }
}

static void test_flood(void)
{
    struct api_spare_memory m = {0};
    long before = read_resident_mb();

    CU_ASSERT_FALSE(api_spare_memory_give_back(&m, 1000)); /* nothing to give */
    allocate();
    CU_ASSERT_FALSE(api_spare_memory_give_back(&m, 31000)); /* all of it is in use */
    release();
    CU_ASSERT_FALSE(api_spare_memory_give_back(&m, 60999)); /* not yet */
    CU_ASSERT(read_resident_mb() > before + 150);
    CU_ASSERT_TRUE(api_spare_memory_give_back(&m, 61000));
    CU_ASSERT(read_resident_mb() < before + 100); /* a page with a piece in use stays */
    CU_ASSERT_FALSE(api_spare_memory_give_back(&m, 91000));
    allocate();
    release();
    CU_ASSERT_TRUE(api_spare_memory_give_back(&m, 121000));
    CU_ASSERT(read_resident_mb() < before + 100);
    for (int i = 0; i < PIECES; i += KEPT)
        free(pieces[i]);
}

static const struct cunit_case cases[] = {{"flood", test_flood}};

int main(void)
{
    void *p = malloc(100000);
    bool counts = mallinfo2().uordblks > 0;

    free(p);
    if (!counts) {
        printf("skipped: malloc does not say what it has\n");
        return 77;
    }
    return cunit_main("api_spare_memory", cases, sizeof cases / sizeof cases[0]);
}
