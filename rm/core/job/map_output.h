/* rm/core/job/map_output.h - map outputs that are lost or cannot be fetched. */
#ifndef CREEL_RM_CORE_JOB_MAP_OUTPUT_H
#define CREEL_RM_CORE_JOB_MAP_OUTPUT_H

#include "rm/core/state.h"

/* Failure reports (of different reduces, if several run) before a map runs again. */
#define RM_FETCH_FAILURES_MAX 2

void rm_task_rerun_maps_of_node(struct rm_core *c, struct rm_node *n, const char *why);
void rm_task_on_fetch_failure(struct rm_core *c, const struct rm_event *ev);

#endif
