/* Goal: a NodeManager asks the ResourceManager about a token again after a while, since it may have
 * been revoked, but hardly ever about a session that is over. */
#include "nodemanager/http/access/identify.h"
#include "tests/unit/cunit_main.h"

static void test_kept_time(void)
{
    CU_ASSERT_EQUAL(nm_identity_choose_kept_ms("0123.45", 1000), 1000);
    CU_ASSERT_EQUAL(nm_identity_choose_kept_ms("0123.45", 86400000), NM_IDENTITY_KEPT_MS);
    CU_ASSERT_EQUAL(nm_identity_choose_kept_ms("0123.45", 0), NM_IDENTITY_KEPT_MS);
    CU_ASSERT_EQUAL(nm_identity_choose_kept_ms("session-01.2.3", 1000), 1000);
    CU_ASSERT_EQUAL(nm_identity_choose_kept_ms("session-01.2.3", 86400000), NM_IDENTITY_KEPT_MS);
    CU_ASSERT_EQUAL(nm_identity_choose_kept_ms("session-01.2.3", 0), NM_REFUSED_SESSION_KEPT_MS);
}

static const struct cunit_case cases[] = {{"how long an answer is kept", test_kept_time}};
CUNIT_MAIN("nm_identify", cases)
