/* rm/core/states.h - life cycles: diagrams, and the tables of legal transitions, which
 * rm_app_set_state() and its counterparts for the other objects assert. The diagrams omit some
 * transitions that the tables allow.
 *
 * Application (YARN's RMAppImpl)
 *   NEW -> NEW_SAVING -> SUBMITTED -> ACCEPTED -> RUNNING -> FINAL_SAVING -> FINISHING -> FINISHED
 *              |             |          |  ^         | |       |`-> FINISHED (jobs, unmanaged
 *              |             |          |  `-retry---' |       |              masters)
 *              |             |          |              |       |`-> FAILED
 *              |             |          `-> KILLING <--'       `--> KILLED
 *              `-------------`-> FINAL_SAVING <--'
 *   NEW_SAVING:   the record of the submission is being stored, and the reply is held until then.
 *   ACCEPTED:     durable and admitted: a job whose tasks may be scheduled, or an application that
 *                 waits for its master.
 *   RUNNING:      the first task was launched, or the master registered.
 *   KILLING:      its containers are being killed; FINAL_SAVING follows when they are gone.
 *   FINAL_SAVING: the end is being stored, and shown after that.
 *
 * Attempt (YARN's RMAppAttemptImpl)
 *   NEW -> SUBMITTED -> SCHEDULED -> ALLOCATED_SAVING -> ALLOCATED -> LAUNCHED -> RUNNING
 *            `-> LAUNCHED_UNMANAGED_SAVING -------------------------------^  (unmanaged)
 *   Each of these states can change to FINAL_SAVING, and from there to FINISHING (then FINISHED),
 *   FINISHED, FAILED or KILLED.
 *
 * Container            ALLOCATED -> ACQUIRED -> RUNNING <-> SUSPENDED; each -> COMPLETED
 *   COMPLETED: holds no slot; kept until the record of its task is durable or its master has
 *   acknowledged the end, then forgotten.
 *
 * Task                 PENDING -> RUNNING <-> SUSPENDED -> SUCCEEDED | FAILED | KILLED
 *   RUNNING, SUSPENDED -> PENDING: the attempt failed or was killed, and another one will run.
 *   SUCCEEDED -> PENDING: the output of a map was lost and is still needed.
 *   SUCCEEDED -> FAILED: the output could not be fetched, and the task has failed too often.
 *
 * Node   NEW -> RUNNING <-> UNHEALTHY; RUNNING <-> DECOMMISSIONING; UNHEALTHY -> DECOMMISSIONING
 *        each of these -> LOST | REBOOTED | SHUTDOWN | DECOMMISSIONED -> RUNNING
 *   NEW: not registered with this instance yet: read from the store, or refused.
 *   DECOMMISSIONING: gets no new containers; the present ones go on. */
#ifndef CREEL_RM_CORE_STATES_H
#define CREEL_RM_CORE_STATES_H

#include "rm/core/types.h"

/* The edges: bit @to of element @from is set when an object may change from state @from to @to. */
extern const uint32_t rm_app_edges[RM_APP_STATES], rm_attempt_edges[RM_ATTEMPT_STATES];
extern const uint32_t rm_container_edges[RM_CONTAINER_STATES], rm_task_edges[RM_TASK_STATES];
extern const uint32_t rm_node_edges[RM_NODE_STATES];

/* Return true when the life cycle allows the change from @from to @to. */
bool rm_app_transition_is_legal(enum rm_app_state from, enum rm_app_state to);
bool rm_attempt_transition_is_legal(enum rm_attempt_state from, enum rm_attempt_state to);
bool rm_container_transition_is_legal(enum rm_container_state from, enum rm_container_state to);
bool rm_task_transition_is_legal(enum rm_task_state from, enum rm_task_state to);
bool rm_node_transition_is_legal(enum rm_node_state from, enum rm_node_state to);

/* Whether an application counts as pending or as active in its queue. As in YARN, an accepted one
 * is active from its first container on, which is its master's, and not only once the master has
 * registered. @runs: it has containers. SOURCE: YARN's AppSchedulingInfo. */
static inline bool rm_app_state_counts_as_pending(enum rm_app_state s, bool runs)
{
    return s == RM_APP_SUBMITTED || (s == RM_APP_ACCEPTED && !runs);
}
static inline bool rm_app_state_counts_as_active(enum rm_app_state s, bool runs)
{
    return s == RM_APP_RUNNING || s == RM_APP_KILLING || s == RM_APP_FINISHING ||
           (s == RM_APP_ACCEPTED && runs);
}
/* Returns true for FINISHED, FAILED and KILLED. */
static inline bool rm_app_state_is_final(enum rm_app_state s)
{
    return s == RM_APP_FINISHED || s == RM_APP_FAILED || s == RM_APP_KILLED;
}

#endif
