/* rm/daemon/backend.h - the daemon's interface for HTTP handlers: they post events to the core's
 * thread, read views, and wait for map outputs or changes of roles. Handlers never touch the core
 * in any other way. */
#ifndef CREEL_RM_DAEMON_BACKEND_H
#define CREEL_RM_DAEMON_BACKEND_H

#include "rm/core/core.h"
#include "rm/core/view/view.h"
#include "rm/daemon/worker.h"
#include "rm/term/term.h"

struct rm_backend;
struct api_auth; /* api/server/access/auth.h */
struct base_conf;

/* Receives the reply to a posted event: called once, on any thread, also within rm_backend_post(),
 * and must return soon. @fx is RM_FX_REPLY or RM_FX_HEARTBEAT, borrowed for the call. */
typedef void rm_reply_fn(void *user, const struct rm_effect *fx);

/* Queues an event for the core; the daemon sets its at_us and token. @ev is not copied: the event
 * and everything that it points to must stay valid until @release(user) is called, after
 * the core's step, before or after the reply; or, when the event is refused, after @fn got the
 * error, possibly before this function returns. @fn(user, ...) gets the reply, or an error if the
 * event is refused; @fn NULL: no reply is wanted. */
void rm_backend_post(struct rm_backend *b, struct rm_event *ev, rm_reply_fn *fn,
                     void (*release)(void *user), void *user);
/* Locks the core for reading and returns it; unlock it with rm_backend_unlock_core() well within a
 * millisecond. Never post an event in between. */
const struct rm_core *rm_backend_lock_core(struct rm_backend *b);
void rm_backend_unlock_core(struct rm_backend *b);
int64_t rm_backend_now_us(const struct rm_backend *b); /* the core's time (rm/term/core_clock.h) */
const struct base_conf *rm_backend_conf(const struct rm_backend *b);
/* Replaces *@out with the names of @user's groups (base/acl/groups.h), from the cache while that is
 * fresh. May wait for the name service. */
void rm_backend_look_up_groups(struct rm_backend *b, const char *user, struct rm_str_list *out);
/* Returns "http://host:port" of this RM; "" before the port is known. */
const char *rm_backend_url(const struct rm_backend *b);
/* Calls fn(user) once, from another thread, when job @id has map outputs newer than @known_version
 * or is not known, at @deadline_us of the core's time, or when the leadership ends or the daemon
 * stops (after the stop: at once, from the caller's thread). */
void rm_backend_await_map_outputs(struct rm_backend *b, struct base_app_id id,
                                  int64_t known_version, int64_t deadline_us,
                                  void (*fn)(void *user), void *user);
/* Returns true when the cache knows the groups of @user, so that a look-up soon will not wait. */
bool rm_backend_knows_groups(struct rm_backend *b, const char *user);
/* Queues a task, usually for a parked request, on one of four threads: one of low priority that
 * encodes long lists and frees cores, one that may wait for the RM's own files and the name
 * service, one that asks the name service for groups of callers, and one that decodes large
 * submissions. After the stop of the daemon @task is called at once, with @stopping true. */
enum rm_slow { RM_SLOW_LISTS, RM_SLOW_FILES, RM_SLOW_GROUPS, RM_SLOW_SUBMISSIONS, RM_SLOW_KINDS };
void rm_backend_queue_slow_task(struct rm_backend *b, enum rm_slow kind, rm_worker_step *task,
                                void *user);
struct rm_relay *rm_backend_relay(struct rm_backend *b);    /* rm/daemon/relay.h */
struct base_keyring *rm_backend_keys(struct rm_backend *b); /* the cluster's secret, or NULL */
/* Returns the token of the daemon's own user (rm/daemon/own_token.h); NULL: there is none. */
struct rm_own_token *rm_backend_own_token(struct rm_backend *b);
/* Returns what signs the cookies of this RM; NULL only before its server starts. */
const struct api_auth *rm_backend_auth(const struct rm_backend *b);
/* ---- high availability: the role of this RM, and the active RM. Any thread; cheap ---- */
enum rm_role {
    RM_ROLE_STANDBY,    /* the core is empty, or soon will be; posts are refused */
    RM_ROLE_ACTIVATING, /* elected, reading the state; otherwise like a standby */
    RM_ROLE_ACTIVE,
};
/* Returns the role. An RM that is not one of several is ACTIVE, except while it takes a higher
 * epoch. */
enum rm_role rm_backend_role(const struct rm_backend *b);
bool rm_backend_is_one_of_several(const struct rm_backend *b);
/* Writes "http://host:port" of the active RM, from the configuration; "" when none is known, or
 * when this RM is active. */
void rm_backend_active_url(const struct rm_backend *b, char out[512]);
/* Returns this RM's id in yarn.resourcemanager.ha.rm-ids; "" when it is not one of several. */
const char *rm_backend_rm_id(const struct rm_backend *b);
/* Returns "http://host:port" of every RM, separated by commas, this one first: the list that nodes,
 * masters and tasks get. */
const char *rm_backend_all_urls(const struct rm_backend *b);
/* Writes the state of the connection to ZooKeeper, for people to read; "" when this RM has none. */
void rm_backend_zk_text(const struct rm_backend *b, char out[256]);
/* Returns how often the role or the active RM has changed. */
int64_t rm_backend_get_role_changes(const struct rm_backend *b);
/* Calls fn(user) once, from another thread: when the role or the active RM has changed more often
 * than @seen (from rm_backend_get_role_changes(), called before the role was read, so that no
 * change is missed in between), at @deadline_mono_us (rm_parking_mono_us()), or when the daemon
 * stops (after the stop: at once, from the caller's thread). For requests parked on a standby. */
void rm_backend_await_role_change(struct rm_backend *b, int64_t seen, int64_t deadline_mono_us,
                                  void (*fn)(void *user), void *user);
/* Asks this RM to give the leadership up, and to claim none until another RM has led or @hold_us
 * have passed. Returns 0 at once, and the role changes later; -BASE_ESTATE when this RM is not
 * active or not one of several. */
int rm_backend_resign(struct rm_backend *b, int64_t hold_us, struct base_error *err);
/* Returns true when this RM is active and its lease holds at this moment. Latches a refusal
 * (rm/term/lease.h). */
bool rm_backend_leads(const struct rm_backend *b);

/* Figures for /metrics. */
struct rm_backend_stats {
    int64_t store_commits, store_records, queue_length;
    /* takeovers: how often this process became active; 0 when not one of several */
    int64_t epoch, takeovers;
    int64_t late_answers;   /* answers and orders refused because the lease was over */
    int64_t refused_writes; /* writes that the store refused because another RM leads */
    int64_t store_multis;   /* ZooKeeper transactions in this leadership */
};
void rm_backend_get_stats(struct rm_backend *b, struct rm_backend_stats *out);

#endif
