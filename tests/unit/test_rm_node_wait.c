/* Goal: rm/term/node_wait.h lets a node's request wait only as long as this RM may become the
 * leader or learn of the next one, and sends it to another RM only when the node has not just
 * failed to reach that one.
 * Method: each call with the roles of the test; no clock runs. */
#include "tests/unit/cunit_main.h"

#include "rm/term/node_wait.h"

#define OTHER "http://rm2:8088"

static const struct rm_node_wait_conf conf = {.wait_us = 1000, .doubt_us = 100};

static struct rm_roles_known roles(int64_t changes, const char *active, int64_t now_us)
{
    return (struct rm_roles_known){.changes = changes, .active = active, .now_us = now_us};
}

static struct rm_roles_known leading(int64_t changes, int64_t now_us)
{
    return (struct rm_roles_known){
        .changes = changes, .leads = true, .active = "", .now_us = now_us};
}

#define BEGIN(w, failed, ...)                                                                      \
    rm_node_wait_begin(w, &conf, &(struct rm_roles_known[]){__VA_ARGS__}[0], failed)
#define AGAIN(w, ...) rm_node_wait_resume(w, &conf, &(struct rm_roles_known[]){__VA_ARGS__}[0])
#define REFUSED(w, connected, ...)                                                                 \
    rm_node_wait_after_refusal(w, &conf, &(struct rm_roles_known[]){__VA_ARGS__}[0], connected)

static void test_begin(void)
{
    struct rm_node_wait w = {0};

    CU_ASSERT_EQUAL(BEGIN(&w, NULL, roles(3, OTHER, 50)), RM_NODE_REDIRECT);
    rm_node_wait_free(&w);
    CU_ASSERT_EQUAL(BEGIN(&w, "http://rm3:8088", roles(3, OTHER, 50)), RM_NODE_REDIRECT);
    rm_node_wait_free(&w);
    CU_ASSERT_EQUAL(BEGIN(&w, NULL, roles(3, "", 50)), RM_NODE_WAIT);
    CU_ASSERT_EQUAL(w.seen, 3);
    CU_ASSERT_EQUAL(w.until_us, 1050);
    rm_node_wait_free(&w);
    /* the active RM may be dead */
    CU_ASSERT_EQUAL(BEGIN(&w, "http://rm3:8088," OTHER "/", roles(4, OTHER, 50)), RM_NODE_WAIT);
    CU_ASSERT_EQUAL(w.seen, 4);
    CU_ASSERT_EQUAL(w.until_us, 150);
    rm_node_wait_free(&w);
    CU_ASSERT_PTR_NULL(w.failed);
}

static void test_deadline(void)
{
    struct rm_node_wait w = {0};

    BEGIN(&w, OTHER, roles(3, OTHER, 0));
    /* not sent to the RM that it could not reach */
    CU_ASSERT_EQUAL(AGAIN(&w, roles(3, OTHER, 100)), RM_NODE_REFUSE);
    rm_node_wait_free(&w);
    BEGIN(&w, NULL, roles(3, "", 0));
    CU_ASSERT_EQUAL(AGAIN(&w, roles(3, "", 5)), RM_NODE_REFUSE); /* the daemon stops */
    CU_ASSERT_EQUAL(AGAIN(&w, leading(3, 1000)), RM_NODE_HAND_TO_CORE);
    rm_node_wait_free(&w);
}

static void test_changes(void)
{
    struct rm_node_wait w = {0};

    BEGIN(&w, OTHER, roles(3, OTHER, 0));
    CU_ASSERT_EQUAL(AGAIN(&w, roles(4, "", 60)), RM_NODE_WAIT);
    CU_ASSERT_EQUAL(w.seen, 4);
    CU_ASSERT_EQUAL(w.until_us, 1060); /* a whole wait: an election is under way */
    /* that RM was elected since */
    CU_ASSERT_EQUAL(AGAIN(&w, roles(5, OTHER, 70)), RM_NODE_REDIRECT);
    rm_node_wait_free(&w);
    BEGIN(&w, OTHER, roles(3, OTHER, 0));
    CU_ASSERT_EQUAL(AGAIN(&w, roles(5, OTHER, 70)), RM_NODE_REDIRECT);
    rm_node_wait_free(&w);
    BEGIN(&w, OTHER, roles(3, OTHER, 0));
    CU_ASSERT_EQUAL(AGAIN(&w, leading(4, 60)), RM_NODE_HAND_TO_CORE);
    rm_node_wait_free(&w);
}

static void test_refused(void)
{
    struct rm_node_wait w = {0};

    CU_ASSERT_EQUAL(REFUSED(&w, true, roles(7, OTHER, 10)), RM_NODE_REFUSE);
    CU_ASSERT_EQUAL(REFUSED(&w, false, roles(7, "", 10)), RM_NODE_REFUSE);
    CU_ASSERT_EQUAL(REFUSED(&w, true, roles(7, "", 10)), RM_NODE_WAIT);
    CU_ASSERT_EQUAL(w.seen, 7);
    CU_ASSERT_EQUAL(w.until_us, 110);
    CU_ASSERT_EQUAL(AGAIN(&w, roles(8, "", 20)), RM_NODE_WAIT);
    CU_ASSERT_EQUAL(w.until_us, 1020);
    rm_node_wait_free(&w);
}

static const struct cunit_case cases[] = {
    {"arrival", test_begin},
    {"deadline", test_deadline},
    {"changes of roles", test_changes},
    {"refused by the core", test_refused},
};
CUNIT_MAIN("nodes that wait on a standby", cases)
