/* nodemanager/task/fetch.h - fetches this reduce's partition from every map's node.
 *
 *   main thread: polls the RM for outputs, reports failures     4 fetchers: take due outputs, fetch, add to the runs
 *
 * An output:  UNKNOWN --RM names it--> DUE --fetcher--> FETCHING --all bytes--> DONE
 *                                       ^                  |
 *                                       +--- later, or at once when the RM names another one (a re-run map)
 * What was fetched stays fetched: a re-run map gives the same lines. Failures are reported at the third try on end
 * (at once when the node says 404) and again at every third; the RM decides whether the map runs again. */
#ifndef CREEL_NODEMANAGER_TASK_FETCH_H
#define CREEL_NODEMANAGER_TASK_FETCH_H

#include "nodemanager/task/sorted_runs.h"

/* Returns when all spec.maps outputs are in @runs. -BASE_ETIMEOUT when nothing has moved for too long. */
int task_shuffle(struct task *t, struct task_runs *runs, struct base_error *err);

#endif
