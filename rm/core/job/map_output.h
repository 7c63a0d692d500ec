/* rm/core/job/map_output.h - map outputs that are lost or cannot be fetched. */
#ifndef CREEL_RM_CORE_JOB_MAP_OUTPUT_H
#define CREEL_RM_CORE_JOB_MAP_OUTPUT_H

#include "rm/core/state.h"

/* Number of fetch failures, from different reduces if several run, after which a map runs again. A
 * single one suffices when the node answered that it no longer has the output. */
#define RM_FETCH_FAILURES_MAX 2

/* Runs again all succeeded maps whose outputs were on @n and are still needed. @why: the reason,
 * which becomes their diagnostics. */
void rm_task_rerun_maps_of_node(struct rm_core *c, struct rm_node *n, const char *why);
/* Handles RM_EV_FETCH_FAILURE. */
void rm_task_on_fetch_failure(struct rm_core *c, const struct rm_event *ev);

#endif
