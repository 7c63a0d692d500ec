/* nodemanager/task/fetch.h - fetches this reduce's partition from every map's node.
 *
 *   main thread: polls the RM for output locations, reports failures
 *   4 fetchers:  take due outputs, fetch them, add them to the runs
 *
 * States of an output:
 *
 *   UNKNOWN --RM names it--> DUE --fetcher--> FETCHING --all bytes--> DONE
 *                             ^                  |
 *                             +------------------+ later, or at once when the RM names another
 *                                                  output (the map ran again)
 *
 * Fetched data stays valid: a map that runs again is assumed to produce the same lines. Failures
 * are reported after three failures in a row (after the first one if the node answers 404), and
 * again after every three; the RM decides whether the map runs again. */
#ifndef CREEL_NODEMANAGER_TASK_FETCH_H
#define CREEL_NODEMANAGER_TASK_FETCH_H

#include "nodemanager/task/sorted_runs.h"

/* Returns 0 when the outputs of all spec.maps maps are in @runs. Fails with -BASE_ETIMEOUT if
 * nothing has progressed, or no RM has answered, for too long, or with the error of the task's own
 * disk. */
int task_fetch_map_outputs(struct task *t, struct task_runs *runs, struct base_error *err);

#endif
