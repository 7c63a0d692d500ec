/* rm/core/states.h - life cycles: diagrams, and the tables of legal edges that the core asserts at
 * every change.
 *
 * Application (YARN's RMAppImpl)
 *   NEW -> NEW_SAVING -> SUBMITTED -> ACCEPTED -> RUNNING -> FINAL_SAVING -> FINISHING -> FINISHED
 *              |             |          |  ^         | |       |`-> FINISHED (jobs, unmanaged
 *              |             |          |  `-retry---' |       |              masters)
 *              |             |          |              |       |`-> FAILED
 *              |             |          `-> KILLING <--'       `--> KILLED
 *              `-------------`-> FINAL_SAVING <--'
 *   NEW_SAVING:   the record of the submission is being stored; no client has been answered.
 *   ACCEPTED:     durable and admitted: a job whose tasks may be scheduled, or an application that
 *                 waits for its master.
 *   RUNNING:      the first task was launched, or the master registered.
 *   KILLING:      its containers are being killed; FINAL_SAVING follows when they are gone.
 *   FINAL_SAVING: a job holds no container any more; its end is being stored, then shown.
 *
 * Attempt (YARN's RMAppAttemptImpl)
 *   NEW -> SUBMITTED -> SCHEDULED -> ALLOCATED_SAVING -> ALLOCATED -> LAUNCHED -> RUNNING
 *            `-> LAUNCHED_UNMANAGED_SAVING -------------------------------^  (jobs; unmanaged)
 *   Every one of these states can fall into FINAL_SAVING, and from there into one of the ends:
 *   FINISHING -> FINISHED, FAILED, KILLED.
 *
 * Container            ALLOCATED -> ACQUIRED -> RUNNING <-> SUSPENDED; each -> COMPLETED
 *   COMPLETED: holds no slot; remembered until its end is stored (task) or its master has
 *   acknowledged it, then forgotten.
 *
 * Task                 PENDING -> RUNNING <-> SUSPENDED -> SUCCEEDED | FAILED | KILLED
 *   RUNNING, SUSPENDED -> PENDING: the attempt ended badly, and another one will be started.
 *   SUCCEEDED -> PENDING: a map whose output is lost and still needed; -> FAILED: once too often.
 *
 * Node   NEW -> RUNNING <-> UNHEALTHY; -> LOST | REBOOTED | SHUTDOWN | DECOMMISSIONED -> RUNNING
 *   NEW: read from the store; has not registered with this instance. */
#ifndef CREEL_RM_CORE_STATES_H
#define CREEL_RM_CORE_STATES_H

#include "rm/core/types.h"

struct rm_edge {
    uint8_t from, to;
};
extern const struct rm_edge rm_app_edges[], rm_attempt_edges[], rm_container_edges[];
extern const struct rm_edge rm_task_edges[], rm_node_edges[];
extern const size_t rm_app_edges_n, rm_attempt_edges_n, rm_container_edges_n;
extern const size_t rm_task_edges_n, rm_node_edges_n;

bool rm_app_transition_is_legal(enum rm_app_state from, enum rm_app_state to);
bool rm_attempt_transition_is_legal(enum rm_attempt_state from, enum rm_attempt_state to);
bool rm_container_transition_is_legal(enum rm_container_state from, enum rm_container_state to);
bool rm_task_transition_is_legal(enum rm_task_state from, enum rm_task_state to);
bool rm_node_transition_is_legal(enum rm_node_state from, enum rm_node_state to);

static inline bool rm_app_state_is_final(enum rm_app_state s)
{
    return s == RM_APP_FINISHED || s == RM_APP_FAILED || s == RM_APP_KILLED;
}

#endif
