/* Goal: which answers of another ResourceManager about its state make a node leave the one that it
 * waits for: those of a leader whose epoch is high enough. */
#include <string.h>

#include "nodemanager/daemon/leader_search.h"
#include "tests/unit/cunit_main.h"

static bool leads(const char *text, int64_t least)
{
    return nm_ha_answer_shows_leader(text, strlen(text), least);
}

static void test_leads(void)
{
    CU_ASSERT_TRUE(leads("{\"state\":\"active\",\"epoch\":7,\"rmId\":\"rm-2\"}", 7));
    CU_ASSERT_FALSE(leads("{\"state\":\"active\",\"epoch\":6}", 7));
    /* its epoch is not served yet */
    CU_ASSERT_TRUE(leads("{\"state\":\"initializing\",\"epoch\":0}", 7));
    CU_ASSERT_FALSE(leads("{\"state\":\"standby\",\"epoch\":9}", 7));
    CU_ASSERT_TRUE(leads("{\"state\":\"active\",\"epoch\":8388607}", 7)); /* BASE_EPOCH_MAX */
    CU_ASSERT_FALSE(leads("{\"state\":\"active\",\"epoch\":8388608}", 7));
    CU_ASSERT_FALSE(leads("{\"state\":\"active\"}", 0));
    CU_ASSERT_FALSE(leads("{\"state\":\"active\",\"epoch\":\"7\"}", 0));
    CU_ASSERT_FALSE(leads("[]", 0));
    CU_ASSERT_FALSE(leads("I am Active!", 0));
    CU_ASSERT_FALSE(leads("", 0));
}

static const struct cunit_case cases[] = {{"leads", test_leads}};
CUNIT_MAIN("looking around", cases)
