/* rm/leader/parked.h - parked requests. Each is woken once, by news or at its deadline: reduces
 * that wait for map outputs, and nodes that wait on a standby for the next leader (a watch of their
 * own, with id 0 instead of a job's). */
#ifndef CREEL_RM_LEADER_PARKED_H
#define CREEL_RM_LEADER_PARKED_H

#include <stdint.h>

#include "base/id.h"

struct rm_watch;
struct rm_watch *rm_watch_start(void);
/* @deadline_mono_us: on CLOCK_MONOTONIC. @fn is called once, on the watch's own thread. */
void rm_watch_add(struct rm_watch *w, struct base_app_id id, int64_t version,
                  int64_t deadline_mono_us, void (*fn)(void *user), void *user);
/* Job @id has outputs up to @version now: wakes the waiters that know an older version. Cheap; any
 * thread. */
void rm_watch_wake_older(struct rm_watch *w, struct base_app_id id, int64_t version);
void rm_watch_wake_all(struct rm_watch *w); /* everybody who waits now */
void rm_watch_stop(
    struct rm_watch *w); /* wakes all; later additions are woken at once, on the caller's thread */
void rm_watch_free(struct rm_watch *w);
int64_t rm_watch_mono_us(void);

#endif
