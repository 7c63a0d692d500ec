/* rm/daemon/backend.h - the daemon as HTTP handlers see it: post events to the core's thread, read
 * views, wait for map outputs. Handlers never touch the core in any other way. */
#ifndef CREEL_RM_DAEMON_BACKEND_H
#define CREEL_RM_DAEMON_BACKEND_H

#include "rm/core/core.h"
#include "rm/core/view/view.h"
#include "rm/daemon/worker.h"
#include "rm/jobs/file_pool.h"
#include "rm/term/term.h"

struct rm_backend;
struct base_conf;

/* The reply to a posted event, called once, on the core's or the store's thread: copy what is
 * needed, answer, and return soon. @fx is RM_FX_REPLY or RM_FX_HEARTBEAT; borrowed for the call. */
typedef void rm_reply_fn(void *user, const struct rm_effect *fx);

/* @ev is not copied: it and everything it points to must stay valid until @release(user) is called,
 * after the core has stepped over it and before or after the reply. The daemon sets at_us and
 * token. fn may be NULL. */
void rm_backend_post(struct rm_backend *b, struct rm_event *ev, rm_reply_fn *fn,
                     void (*release)(void *user), void *user);
/* Holds the core for reading, for well under a millisecond. Never post while holding it. */
const struct rm_core *rm_backend_hold(struct rm_backend *b);
void rm_backend_release(struct rm_backend *b);
int64_t rm_backend_now_us(const struct rm_backend *b); /* wall clock, as the core's time line */
const struct base_conf *rm_backend_conf(const struct rm_backend *b);
const char *rm_backend_master_key(const struct rm_backend *b); /* of rm_master_token() */
const char *rm_backend_url(const struct rm_backend *b);        /* "http://host:port" of this RM */
/* Calls fn(user) once, from another thread, when job @id has map outputs newer than @version, or at
 * @deadline_us, or when the daemon stops. */
void rm_backend_await_outputs(struct rm_backend *b, struct base_app_id id, int64_t version,
                              int64_t deadline_us, void (*fn)(void *user), void *user);
/* For a parked request: work on files that a request names (rm/jobs/file_pool.h). */
void rm_backend_files(struct rm_backend *b, struct rm_file_work *w);
/* Runs a task for a parked request on one of two threads: one in the background that encodes long
 * lists, and one that may wait for the RM's own files and the name service. After the stop @task is
 * called at once, to give up. */
enum rm_slow { RM_SLOW_LISTS, RM_SLOW_FILES, RM_SLOW_KINDS };
void rm_backend_slow(struct rm_backend *b, enum rm_slow kind, rm_worker_step *task, void *user);
struct rm_relay *rm_backend_relay(struct rm_backend *b); /* rm/daemon/relay.h */
/* ---- high availability: which RM this is, and which one is active. Any thread; cheap ---- */
enum rm_role {
    RM_ROLE_STANDBY, /* no core of its own: rm_backend_hold() gives an empty one, posts are refused
                      */
    RM_ROLE_ACTIVATING, /* elected, reading the state: as standby, but no other RM is active */
    RM_ROLE_ACTIVE,
};
enum rm_role rm_backend_role(const struct rm_backend *b); /* alone: always ACTIVE */
bool rm_backend_ha(const struct rm_backend *b);           /* is this RM one of several? */
/* "http://host:port" of the active RM if it is another one and known, from the configuration; else
 * "". */
void rm_backend_active_url(const struct rm_backend *b, char out[512]);
const char *rm_backend_rm_id(const struct rm_backend *b); /* yarn.resourcemanager.ha.id; "" alone */
/* "http://host:port" of every RM, separated by commas, this one first: as nodes, masters and tasks
 * are told. */
const char *rm_backend_all_urls(const struct rm_backend *b);
/* State of the connection to ZooKeeper, for people; "" alone. */
void rm_backend_zk_text(const struct rm_backend *b, char out[256]);
/* How often the role or the active RM has changed. */
int64_t rm_backend_role_changes(const struct rm_backend *b);
/* Calls fn(user) once, from another thread: when the role or the active RM has changed more often
 * than @seen (taken from rm_backend_role_changes() before the role was looked at, so that no change
 * is missed in between), at @deadline_mono_us (rm_watch_mono_us()), or when the daemon stops (after
 * it: at once, from this one). For requests parked on a standby. */
void rm_backend_await_role_change(struct rm_backend *b, int64_t seen, int64_t deadline_mono_us,
                                  void (*fn)(void *user), void *user);
/* Gives the leadership up, and claims it again after @hold_us if no other RM takes it.
 * -BASE_ESTATE: alone, or not active.
 * Returns at once: the role changes later. */
int rm_backend_resign(struct rm_backend *b, int64_t hold_us, struct base_error *err);
/* Is this RM active, and does its lease hold at this moment? Latches a refusal
 * (rm/term/lease.h). */
bool rm_backend_leads(const struct rm_backend *b);

/* Store figures for /metrics. */
struct rm_backend_stats {
    int64_t store_commits, store_records, queue_length;
    int64_t epoch, takeovers; /* of this process: how often it became active */
    int64_t late_answers;     /* answers and orders held back because the lease was over */
    int64_t refused_writes;   /* by the store: another RM has authority */
    int64_t store_multis; /* of the store in ZooKeeper, written in this leadership; 0 elsewhere */
};
void rm_backend_stats(struct rm_backend *b, struct rm_backend_stats *out);

#endif
