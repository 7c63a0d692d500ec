#include "rm/core/states.h"

#define A(state) (UINT32_C(1) << RM_APP_##state)
const uint32_t rm_app_edges[RM_APP_STATES] = {
    [RM_APP_NEW] = A(NEW_SAVING) | A(KILLED),
    [RM_APP_NEW_SAVING] = A(SUBMITTED) | A(FINAL_SAVING),
    [RM_APP_SUBMITTED] = A(ACCEPTED) | A(FINAL_SAVING),
    [RM_APP_ACCEPTED] = A(RUNNING) | A(KILLING) | A(FINAL_SAVING),
    [RM_APP_RUNNING] = A(ACCEPTED) | A(KILLING) | A(FINAL_SAVING),
    [RM_APP_KILLING] = A(FINAL_SAVING),
    [RM_APP_FINAL_SAVING] = A(FINISHING) | A(FINISHED) | A(FAILED) | A(KILLED),
    [RM_APP_FINISHING] = A(FINISHED),
};

#define T(state) (UINT32_C(1) << RM_ATTEMPT_##state)
const uint32_t rm_attempt_edges[RM_ATTEMPT_STATES] = {
    [RM_ATTEMPT_NEW] = T(SUBMITTED) | T(FINAL_SAVING),
    [RM_ATTEMPT_SUBMITTED] = T(SCHEDULED) | T(LAUNCHED_UNMANAGED_SAVING) | T(FINAL_SAVING),
    [RM_ATTEMPT_SCHEDULED] = T(ALLOCATED_SAVING) | T(FINAL_SAVING),
    [RM_ATTEMPT_ALLOCATED_SAVING] = T(ALLOCATED) | T(FINAL_SAVING),
    [RM_ATTEMPT_ALLOCATED] = T(LAUNCHED) | T(FINAL_SAVING),
    [RM_ATTEMPT_LAUNCHED_UNMANAGED_SAVING] = T(LAUNCHED) | T(FINAL_SAVING),
    [RM_ATTEMPT_LAUNCHED] = T(RUNNING) | T(FINAL_SAVING),
    [RM_ATTEMPT_RUNNING] = T(FINAL_SAVING),
    [RM_ATTEMPT_FINAL_SAVING] = T(FINISHING) | T(FINISHED) | T(FAILED) | T(KILLED),
    [RM_ATTEMPT_FINISHING] = T(FINISHED),
};

#define C(state) (UINT32_C(1) << RM_CONTAINER_##state)
const uint32_t rm_container_edges[RM_CONTAINER_STATES] = {
    [RM_CONTAINER_ALLOCATED] = C(ACQUIRED) | C(RUNNING) | C(COMPLETED),
    [RM_CONTAINER_ACQUIRED] = C(RUNNING) | C(SUSPENDED) | C(COMPLETED),
    [RM_CONTAINER_RUNNING] = C(SUSPENDED) | C(COMPLETED),
    [RM_CONTAINER_SUSPENDED] = C(RUNNING) | C(COMPLETED),
};

#define K(state) (UINT32_C(1) << RM_TASK_##state)
const uint32_t rm_task_edges[RM_TASK_STATES] = {
    [RM_TASK_PENDING] = K(RUNNING) | K(KILLED) | K(SUCCEEDED),
    [RM_TASK_RUNNING] = K(SUSPENDED) | K(PENDING) | K(SUCCEEDED) | K(FAILED) | K(KILLED),
    [RM_TASK_SUSPENDED] = K(RUNNING) | K(PENDING) | K(SUCCEEDED) | K(FAILED) | K(KILLED),
    [RM_TASK_SUCCEEDED] = K(PENDING) | K(FAILED),
};

#define N(state) (UINT32_C(1) << RM_NODE_##state)
const uint32_t rm_node_edges[RM_NODE_STATES] = {
    [RM_NODE_NEW] =
        N(RUNNING) | N(UNHEALTHY) | N(LOST) | N(REBOOTED) | N(SHUTDOWN) | N(DECOMMISSIONED),
    [RM_NODE_RUNNING] =
        N(UNHEALTHY) | N(LOST) | N(REBOOTED) | N(SHUTDOWN) | N(DECOMMISSIONING) | N(DECOMMISSIONED),
    [RM_NODE_UNHEALTHY] =
        N(RUNNING) | N(LOST) | N(REBOOTED) | N(SHUTDOWN) | N(DECOMMISSIONING) | N(DECOMMISSIONED),
    [RM_NODE_DECOMMISSIONING] =
        N(RUNNING) | N(DECOMMISSIONED) | N(LOST) | N(REBOOTED) | N(SHUTDOWN),
    [RM_NODE_DECOMMISSIONED] = N(RUNNING),
    [RM_NODE_LOST] = N(RUNNING),
    [RM_NODE_REBOOTED] = N(RUNNING),
    [RM_NODE_SHUTDOWN] = N(RUNNING),
};

bool rm_app_transition_is_legal(enum rm_app_state from, enum rm_app_state to)
{
    return rm_app_edges[from] >> to & 1;
}

bool rm_attempt_transition_is_legal(enum rm_attempt_state from, enum rm_attempt_state to)
{
    return rm_attempt_edges[from] >> to & 1;
}

bool rm_container_transition_is_legal(enum rm_container_state from, enum rm_container_state to)
{
    return rm_container_edges[from] >> to & 1;
}

bool rm_task_transition_is_legal(enum rm_task_state from, enum rm_task_state to)
{
    return rm_task_edges[from] >> to & 1;
}

bool rm_node_transition_is_legal(enum rm_node_state from, enum rm_node_state to)
{
    return rm_node_edges[from] >> to & 1;
}

/* ---------------------------------------------------------------- names */
const char *const rm_res_names[RM_RES_NAMES] = {"memory-mb", "vcores", "map-slots", "reduce-slots"};

#define NAME(table, i)                                                                             \
    ((size_t)(i) < sizeof table / sizeof *table && table[i] ? table[i] : "UNKNOWN")

const char *rm_app_state_name(enum rm_app_state s)
{
    static const char *const names[] = {"NEW",     "NEW_SAVING",   "SUBMITTED", "ACCEPTED",
                                        "RUNNING", "FINAL_SAVING", "FINISHING", "FINISHED",
                                        "FAILED",  "KILLING",      "KILLED"};

    return NAME(names, s);
}

enum rm_app_state rm_app_public_state(enum rm_app_state s, enum rm_app_state before)
{
    switch (s) {
    case RM_APP_FINISHING:
        return RM_APP_FINISHED;
    case RM_APP_FINAL_SAVING:
    case RM_APP_KILLING:
        return before == s ? RM_APP_RUNNING : before;
    default:
        return s;
    }
}

const char *rm_attempt_state_name(enum rm_attempt_state s)
{
    static const char *const names[] = {"NEW",          "SUBMITTED",
                                        "SCHEDULED",    "ALLOCATED_SAVING",
                                        "ALLOCATED",    "LAUNCHED_UNMANAGED_SAVING",
                                        "LAUNCHED",     "RUNNING",
                                        "FINAL_SAVING", "FINISHING",
                                        "FINISHED",     "FAILED",
                                        "KILLED"};

    return NAME(names, s);
}

const char *rm_task_state_name(enum rm_task_state s)
{
    static const char *const names[] = {"PENDING",   "RUNNING", "SUSPENDED",
                                        "SUCCEEDED", "FAILED",  "KILLED"};

    return NAME(names, s);
}

const char *rm_node_state_name(enum rm_node_state s)
{
    static const char *const names[] = {
        "NEW",  "RUNNING",  "UNHEALTHY", "DECOMMISSIONING", "DECOMMISSIONED",
        "LOST", "REBOOTED", "SHUTDOWN"};

    return NAME(names, s);
}

const char *rm_final_status_name(enum rm_final_status s)
{
    static const char *const names[] = {"UNDEFINED", "SUCCEEDED", "FAILED", "KILLED", "ENDED"};

    return NAME(names, s);
}

const char *rm_result_name(enum rm_result r)
{
    static const char *const names[] = {"UNDEFINED", "SUCCEEDED", "FAILED",
                                        "KILLED",    "REFUSED",   "ENDED"};

    return NAME(names, r);
}

const char *rm_counter_name(int c)
{
    static const char *const own[] = {
        "TOTAL_LAUNCHED_MAPS", "TOTAL_LAUNCHED_REDUCES", "FAILED_MAPS",     "FAILED_REDUCES",
        "KILLED_MAPS",         "KILLED_REDUCES",         "DATA_LOCAL_MAPS", "RACK_LOCAL_MAPS",
        "OTHER_LOCAL_MAPS"};

    if (c < BASE_TASK_COUNTERS)
        return base_task_counter_name((enum base_task_counter)c);
    return NAME(own, c - BASE_TASK_COUNTERS);
}
