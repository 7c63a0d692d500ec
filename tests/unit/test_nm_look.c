/* Goal: whose word makes a node leave the ResourceManager it waits for, and how often it asks. */
#include <string.h>

#include "nodemanager/daemon/leader_search.h"
#include "tests/unit/cunit_main.h"

static bool leads(const char *text, int64_t least)
{
    return nm_look_leads(text, strlen(text), least);
}

static void test_leads(void)
{
    CU_ASSERT_TRUE(leads("{\"state\":\"active\",\"epoch\":7,\"rmId\":\"rm-2\"}", 7));
    CU_ASSERT_FALSE(leads("{\"state\":\"active\",\"epoch\":6}", 7));
    CU_ASSERT_TRUE(leads("{\"state\":\"initializing\",\"epoch\":0}", 7)); /* its epoch is not served yet */
    CU_ASSERT_FALSE(leads("{\"state\":\"standby\",\"epoch\":9}", 7));
    CU_ASSERT_TRUE(leads("{\"state\":\"active\",\"epoch\":8388607}", 7)); /* BASE_EPOCH_MAX */
    CU_ASSERT_FALSE(leads("{\"state\":\"active\",\"epoch\":8388608}", 7));
    CU_ASSERT_FALSE(leads("{\"state\":\"active\"}", 0));
    CU_ASSERT_FALSE(leads("{\"state\":\"active\",\"epoch\":\"7\"}", 0));
    CU_ASSERT_FALSE(leads("[]", 0));
    CU_ASSERT_FALSE(leads("I am Active!", 0));
    CU_ASSERT_FALSE(leads("", 0));
}

/* Goal: looks in vain become rare, over requests too; one answer in time ends that. Nodes do not come together. */
static void test_waits(void)
{
    struct nm_look k;
    int64_t before = 0;

    nm_look_init(&k);
    CU_ASSERT_EQUAL(nm_look_wait_ms(&k, 0), NM_LOOK_GRACE_MS);
    CU_ASSERT_NOT_EQUAL(nm_look_wait_ms(&k, 1), nm_look_wait_ms(&k, 2));
    for (int i = 0; i < 10; i++) {
        CU_ASSERT(nm_look_wait_ms(&k, UINT32_MAX) <= k.grace_ms * 3 / 2);
        CU_ASSERT(k.grace_ms > before || k.grace_ms == NM_LOOK_GRACE_MAX_MS);
        before = k.grace_ms;
        nm_look_vain(&k);
    }
    CU_ASSERT_EQUAL(k.grace_ms, NM_LOOK_GRACE_MAX_MS);
    nm_look_ended(&k, true); /* a late answer: the leader is slow */
    CU_ASSERT_EQUAL(k.grace_ms, NM_LOOK_GRACE_MAX_MS);
    nm_look_ended(&k, false);
    CU_ASSERT_EQUAL(k.grace_ms, NM_LOOK_GRACE_MAX_MS);
    nm_look_ended(&k, true);
    CU_ASSERT_EQUAL(k.grace_ms, NM_LOOK_GRACE_MS);
}

static const struct cunit_case cases[] = {{"leads", test_leads}, {"waits", test_waits}};
CUNIT_MAIN("looking around", cases)
