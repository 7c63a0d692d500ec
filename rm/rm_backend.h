/* rm/rm_backend.h - what the HTTP handlers of the RM use of the daemon: hand an event to the core thread, read views,
 * wait for map outputs. Handlers never touch the core otherwise. */
#ifndef CREEL_RM_BACKEND_H
#define CREEL_RM_BACKEND_H

#include "rm/core/rm_core.h"
#include "rm/core/rm_view.h"
#include "rm/rm_worker.h"

struct rm_backend;
struct base_conf;

/* The reply of a posted event, called once on the core's or the store's thread: copy what is needed, answer, return
 * soon. @fx is RM_FX_REPLY or RM_FX_HEARTBEAT; borrowed for the call. */
typedef void rm_reply_fn(void *user, const struct rm_effect *fx);

/* Deep-copies nothing: @ev and what it points to must stay valid until @release(user) is called (after the core has
 * stepped over it; before or after the reply). at_us and token are set by the daemon. fn may be NULL. */
void rm_backend_post(struct rm_backend *b, struct rm_event *ev, rm_reply_fn *fn, void (*release)(void *user),
                     void *user);
/* Holds the core for reading: keep it well under a millisecond; never post while holding. */
const struct rm_core *rm_backend_hold(struct rm_backend *b);
void rm_backend_release(struct rm_backend *b);
int64_t rm_backend_now_us(const struct rm_backend *b); /* wall clock, as the core's time line */
const struct base_conf *rm_backend_conf(const struct rm_backend *b);
const char *rm_backend_master_key(const struct rm_backend *b); /* of rm_master_token() */
const char *rm_backend_url(const struct rm_backend *b); /* "http://host:port" of this RM */
/* Calls fn(user) once, from another thread, when job @id has map outputs newer than @version, or at @deadline_us, or
 * when the daemon stops. */
void rm_backend_watch_outputs(struct rm_backend *b, struct base_app_id id, int64_t version, int64_t deadline_us,
                              void (*fn)(void *user), void *user);
/* Runs a task for a parked request on one of two threads: a background one that encodes long lists, and one that waits
 * for the file system. Also after the stop: then @task is called at once, to give up. */
enum rm_slow { RM_SLOW_LISTS, RM_SLOW_FILES, RM_SLOW_KINDS };
void rm_backend_slow(struct rm_backend *b, enum rm_slow kind, rm_worker_step *task, void *user);
/* Store figures for /metrics. */
struct rm_backend_stats {
    int64_t store_commits, store_records, events, queue_length;
};
void rm_backend_stats(struct rm_backend *b, struct rm_backend_stats *out);

#endif
