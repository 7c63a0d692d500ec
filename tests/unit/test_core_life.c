/* Goal: the tables of legal edges are the life cycles of rm/core/states.h. Method: reachability,
 * ends, samples. */
#include "rm/core/states.h"
#include "tests/unit/cunit_main.h"

/* Checks the edges of a life cycle that begins in state 0: bits of @ends are the states that an
 * object does not leave. Returns the states that can be reached, as bits. */
static unsigned check_edges(const uint32_t *edges, unsigned states, unsigned ends)
{
    unsigned seen = 1;

    for (unsigned round = 0; round < states; round++)
        for (unsigned from = 0; from < states; from++)
            if (seen >> from & 1)
                seen |= edges[from];
    for (unsigned from = 0; from < states; from++) {
        CU_ASSERT_EQUAL(edges[from] >> states, 0);
        CU_ASSERT_FALSE(edges[from] >> from & 1);
        CU_ASSERT_EQUAL(!edges[from], ends >> from & 1);
    }
    return seen;
}

#define REACH(edges, states, ends)                                                                 \
    CU_ASSERT_EQUAL(check_edges(edges, states, ends), (1u << (states)) - 1)

static void test_reachable(void)
{
    REACH(rm_app_edges, RM_APP_STATES,
          1u << RM_APP_FINISHED | 1u << RM_APP_FAILED | 1u << RM_APP_KILLED);
    REACH(rm_attempt_edges, RM_ATTEMPT_STATES,
          1u << RM_ATTEMPT_FINISHED | 1u << RM_ATTEMPT_FAILED | 1u << RM_ATTEMPT_KILLED);
    REACH(rm_container_edges, RM_CONTAINER_STATES, 1u << RM_CONTAINER_COMPLETED);
    REACH(rm_task_edges, RM_TASK_STATES, 1u << RM_TASK_FAILED | 1u << RM_TASK_KILLED);
    REACH(rm_node_edges, RM_NODE_STATES, 0);
}

static void test_samples(void)
{
    CU_ASSERT(rm_app_transition_is_legal(RM_APP_RUNNING, RM_APP_ACCEPTED));
    /* nothing ends without being stored */
    CU_ASSERT_FALSE(rm_app_transition_is_legal(RM_APP_RUNNING, RM_APP_FINISHED));
    CU_ASSERT_FALSE(rm_app_transition_is_legal(RM_APP_ACCEPTED, RM_APP_KILLED));
    CU_ASSERT_FALSE(rm_task_transition_is_legal(RM_TASK_SUCCEEDED, RM_TASK_RUNNING));
    CU_ASSERT_FALSE(rm_container_transition_is_legal(RM_CONTAINER_COMPLETED, RM_CONTAINER_RUNNING));
    CU_ASSERT_FALSE(rm_attempt_transition_is_legal(RM_ATTEMPT_SCHEDULED, RM_ATTEMPT_LAUNCHED));
}

static void test_names(void)
{
    CU_ASSERT_STRING_EQUAL(rm_app_state_name(RM_APP_FINAL_SAVING), "FINAL_SAVING");
    CU_ASSERT_STRING_EQUAL(rm_app_state_name(RM_APP_KILLED), "KILLED");
    CU_ASSERT_STRING_EQUAL(rm_attempt_state_name(RM_ATTEMPT_KILLED), "KILLED");
    CU_ASSERT_STRING_EQUAL(rm_task_state_name(RM_TASK_KILLED), "KILLED");
    CU_ASSERT_STRING_EQUAL(rm_node_state_name(RM_NODE_SHUTDOWN), "SHUTDOWN");
    CU_ASSERT_STRING_EQUAL(rm_final_status_name(RM_FINAL_ENDED), "ENDED");
    CU_ASSERT_STRING_EQUAL(rm_counter_name(RM_C_OTHER_LOCAL_MAPS), "OTHER_LOCAL_MAPS");
    CU_ASSERT_STRING_EQUAL(rm_counter_name(BASE_COUNT_CPU_MILLIS), "CPU_MILLIS");
    CU_ASSERT_STRING_EQUAL(rm_app_state_name((enum rm_app_state)99), "UNKNOWN");
}

static void test_public(void)
{
    CU_ASSERT_EQUAL(rm_app_public_state(RM_APP_FINISHING, RM_APP_RUNNING), RM_APP_FINISHED);
    CU_ASSERT_EQUAL(rm_app_public_state(RM_APP_FINAL_SAVING, RM_APP_RUNNING), RM_APP_RUNNING);
    CU_ASSERT_EQUAL(rm_app_public_state(RM_APP_KILLING, RM_APP_ACCEPTED), RM_APP_ACCEPTED);
    CU_ASSERT_EQUAL(rm_app_public_state(RM_APP_KILLED, RM_APP_RUNNING), RM_APP_KILLED);
}

static const struct cunit_case cases[] = {
    {"every state can be reached, ends are ends", test_reachable},
    {"samples", test_samples},
    {"names", test_names},
    {"public states", test_public}};

CUNIT_MAIN("life cycles", cases)
