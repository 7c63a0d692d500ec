/* rm/leader/parked.h - a list of parked requests, each woken once: when there is a newer version
 * than the one that the request knows, or at its deadline. Reduces wait in one list for map outputs
 * of their job; nodes on a standby wait in another for the next leader (id 0; the version counts
 * changes of roles). */
#ifndef CREEL_RM_LEADER_PARKED_H
#define CREEL_RM_LEADER_PARKED_H

#include <stdint.h>

#include "base/id.h"

struct rm_parking;
struct rm_parking *rm_parking_start(void);
/* Calls @fn(@user) once, on the list's own thread: when rm_parking_wake_older() is called for @id
 * with a version above @known_version, at @deadline_mono_us (CLOCK_MONOTONIC), or when all waiters
 * are woken, whichever is first. After rm_parking_stop() @fn is called at once, on the caller's
 * thread. */
void rm_parking_add(struct rm_parking *w, struct base_app_id id, int64_t known_version,
                    int64_t deadline_mono_us, void (*fn)(void *user), void *user);
/* Wakes the waiters of @id that know a version below @version. Cheap; any thread. */
void rm_parking_wake_older(struct rm_parking *w, struct base_app_id id, int64_t version);
void rm_parking_wake_all(struct rm_parking *w);
void rm_parking_stop(struct rm_parking *w); /* wakes all waiters, then ends the thread */
void rm_parking_free(struct rm_parking *w); /* call after rm_parking_stop() */
/* Returns CLOCK_MONOTONIC in microseconds: the clock of the deadlines. */
int64_t rm_parking_mono_us(void);

#endif
