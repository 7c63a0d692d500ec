/* rm/core/states.h - life cycles: diagrams, and the tables of legal edges that the core asserts at every change.
 *
 * Application (YARN's RMAppImpl)
 *   NEW -> NEW_SAVING -> SUBMITTED -> ACCEPTED -> RUNNING -> FINAL_SAVING -> FINISHING -> FINISHED
 *              |             |          |  ^         | |          |`-> FINISHED (jobs, unmanaged masters)
 *              |             |          |  `-retry---' |          |`-> FAILED
 *              |             |          `-> KILLING <--'          `--> KILLED
 *              `-------------`-> FINAL_SAVING <--'   (KILLING goes on to FINAL_SAVING once its containers are gone)
 *   NEW_SAVING: the record of the submission is on its way; nobody has been answered.
 *   ACCEPTED:   durable and admitted; a job whose tasks may be scheduled, or an application waiting for its master.
 *   RUNNING:    first task launched, or master registered.
 *   FINAL_SAVING: holds no container of a job any more; the end is being stored, it is shown when stored.
 *
 * Attempt (YARN's RMAppAttemptImpl)
 *   NEW -> SUBMITTED -> SCHEDULED -> ALLOCATED_SAVING -> ALLOCATED -> LAUNCHED -> RUNNING -> FINAL_SAVING -> ends
 *            `-> LAUNCHED_UNMANAGED_SAVING ---------------------------^       (jobs and unmanaged masters)
 *   ends: FINISHING -> FINISHED, FAILED, KILLED. Every state before can fall into FINAL_SAVING.
 *
 * Container            ALLOCATED -> ACQUIRED -> RUNNING <-> SUSPENDED ; each -> COMPLETED
 *   COMPLETED: holds no slot; kept until its end is stored (task) or its master has heard of it, then forgotten.
 *
 * Task                 PENDING -> RUNNING <-> SUSPENDED -> SUCCEEDED | FAILED | KILLED
 *   RUNNING, SUSPENDED -> PENDING: the attempt ended badly and another one will be made.
 *   SUCCEEDED -> PENDING: a map whose output is gone and still needed; -> FAILED: once too often.
 *
 * Node                 NEW -> RUNNING <-> UNHEALTHY ; -> LOST | REBOOTED | SHUTDOWN | DECOMMISSIONED -> RUNNING
 *   NEW: read from the store; has not registered with this instance. */
#ifndef CREEL_RM_CORE_STATES_H
#define CREEL_RM_CORE_STATES_H

#include "rm/core/types.h"

struct rm_edge {
    uint8_t from, to;
};
extern const struct rm_edge rm_app_edges[], rm_attempt_edges[], rm_container_edges[], rm_task_edges[], rm_node_edges[];
extern const size_t rm_app_edges_n, rm_attempt_edges_n, rm_container_edges_n, rm_task_edges_n, rm_node_edges_n;

bool rm_app_edge(enum rm_app_state from, enum rm_app_state to);
bool rm_attempt_edge(enum rm_attempt_state from, enum rm_attempt_state to);
bool rm_container_edge(enum rm_container_state from, enum rm_container_state to);
bool rm_task_edge(enum rm_task_state from, enum rm_task_state to);
bool rm_node_edge(enum rm_node_state from, enum rm_node_state to);

static inline bool rm_app_ended(enum rm_app_state s)
{
    return s == RM_APP_FINISHED || s == RM_APP_FAILED || s == RM_APP_KILLED;
}

#endif
