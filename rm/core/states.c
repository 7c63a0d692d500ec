#include "rm/core/states.h"

#define EDGES(name, ...)                                                                           \
    const struct rm_edge name[] = {__VA_ARGS__};                                                   \
    const size_t name##_n = sizeof name / sizeof *name

#define A(from, to)                                                                                \
    {                                                                                              \
        RM_APP_##from, RM_APP_##to                                                                 \
    }
EDGES(rm_app_edges, A(NEW, NEW_SAVING), A(NEW, KILLED), A(NEW_SAVING, SUBMITTED),
      A(NEW_SAVING, FINAL_SAVING), A(SUBMITTED, ACCEPTED), A(SUBMITTED, FINAL_SAVING),
      A(ACCEPTED, RUNNING), A(ACCEPTED, KILLING), A(ACCEPTED, FINAL_SAVING), A(RUNNING, ACCEPTED),
      A(RUNNING, KILLING), A(RUNNING, FINAL_SAVING), A(KILLING, FINAL_SAVING),
      A(FINAL_SAVING, FINISHING), A(FINAL_SAVING, FINISHED), A(FINAL_SAVING, FAILED),
      A(FINAL_SAVING, KILLED), A(FINISHING, FINISHED));

#define T(from, to)                                                                                \
    {                                                                                              \
        RM_ATTEMPT_##from, RM_ATTEMPT_##to                                                         \
    }
EDGES(rm_attempt_edges, T(NEW, SUBMITTED), T(NEW, FINAL_SAVING), T(SUBMITTED, SCHEDULED),
      T(SUBMITTED, LAUNCHED_UNMANAGED_SAVING), T(SUBMITTED, FINAL_SAVING),
      T(SCHEDULED, ALLOCATED_SAVING), T(SCHEDULED, FINAL_SAVING), T(ALLOCATED_SAVING, ALLOCATED),
      T(ALLOCATED_SAVING, FINAL_SAVING), T(ALLOCATED, LAUNCHED), T(ALLOCATED, FINAL_SAVING),
      T(LAUNCHED_UNMANAGED_SAVING, LAUNCHED), T(LAUNCHED_UNMANAGED_SAVING, FINAL_SAVING),
      T(LAUNCHED, RUNNING), T(LAUNCHED, FINAL_SAVING), T(RUNNING, FINAL_SAVING),
      T(FINAL_SAVING, FINISHING), T(FINAL_SAVING, FINISHED), T(FINAL_SAVING, FAILED),
      T(FINAL_SAVING, KILLED), T(FINISHING, FINISHED));

#define C(from, to)                                                                                \
    {                                                                                              \
        RM_CONTAINER_##from, RM_CONTAINER_##to                                                     \
    }
EDGES(rm_container_edges, C(ALLOCATED, ACQUIRED), C(ALLOCATED, RUNNING), C(ALLOCATED, COMPLETED),
      C(ACQUIRED, RUNNING), C(ACQUIRED, SUSPENDED), C(ACQUIRED, COMPLETED), C(RUNNING, SUSPENDED),
      C(RUNNING, COMPLETED), C(SUSPENDED, RUNNING), C(SUSPENDED, COMPLETED));

#define K(from, to)                                                                                \
    {                                                                                              \
        RM_TASK_##from, RM_TASK_##to                                                               \
    }
EDGES(rm_task_edges, K(PENDING, RUNNING), K(PENDING, KILLED), K(PENDING, SUCCEEDED),
      K(RUNNING, SUSPENDED), K(RUNNING, PENDING), K(RUNNING, SUCCEEDED), K(RUNNING, FAILED),
      K(RUNNING, KILLED), K(SUSPENDED, RUNNING), K(SUSPENDED, PENDING), K(SUSPENDED, SUCCEEDED),
      K(SUSPENDED, FAILED), K(SUSPENDED, KILLED), K(SUCCEEDED, PENDING), K(SUCCEEDED, FAILED));

#define N(from, to)                                                                                \
    {                                                                                              \
        RM_NODE_##from, RM_NODE_##to                                                               \
    }
EDGES(rm_node_edges, N(NEW, RUNNING), N(NEW, UNHEALTHY), N(NEW, LOST), N(NEW, REBOOTED),
      N(NEW, SHUTDOWN), N(RUNNING, UNHEALTHY), N(RUNNING, LOST), N(RUNNING, REBOOTED),
      N(RUNNING, SHUTDOWN), N(RUNNING, DECOMMISSIONING), N(RUNNING, DECOMMISSIONED),
      N(UNHEALTHY, RUNNING), N(UNHEALTHY, LOST), N(UNHEALTHY, REBOOTED), N(UNHEALTHY, SHUTDOWN),
      N(UNHEALTHY, DECOMMISSIONING), N(UNHEALTHY, DECOMMISSIONED), N(DECOMMISSIONING, RUNNING),
      N(DECOMMISSIONING, DECOMMISSIONED), N(DECOMMISSIONING, LOST), N(DECOMMISSIONING, REBOOTED),
      N(DECOMMISSIONING, SHUTDOWN), N(NEW, DECOMMISSIONED), N(DECOMMISSIONED, RUNNING),
      N(LOST, RUNNING), N(REBOOTED, RUNNING), N(SHUTDOWN, RUNNING));

static bool has_edge(const struct rm_edge *edges, size_t n, unsigned from, unsigned to)
{
    for (size_t i = 0; i < n; i++)
        if (edges[i].from == from && edges[i].to == to)
            return true;
    return false;
}

bool rm_app_transition_is_legal(enum rm_app_state from, enum rm_app_state to)
{
    return has_edge(rm_app_edges, rm_app_edges_n, from, to);
}

bool rm_attempt_transition_is_legal(enum rm_attempt_state from, enum rm_attempt_state to)
{
    return has_edge(rm_attempt_edges, rm_attempt_edges_n, from, to);
}

bool rm_container_transition_is_legal(enum rm_container_state from, enum rm_container_state to)
{
    return has_edge(rm_container_edges, rm_container_edges_n, from, to);
}

bool rm_task_transition_is_legal(enum rm_task_state from, enum rm_task_state to)
{
    return has_edge(rm_task_edges, rm_task_edges_n, from, to);
}

bool rm_node_transition_is_legal(enum rm_node_state from, enum rm_node_state to)
{
    return has_edge(rm_node_edges, rm_node_edges_n, from, to);
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
