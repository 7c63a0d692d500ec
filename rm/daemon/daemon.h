/* rm/daemon/daemon.h - the daemon around the core; handlers know it as struct rm_backend.
 *
 *   HTTP threads --rm_backend_post--> queue --> core thread: rm_core_step --> effects
 *        ^                                                       | records      | other replies
 *        |                                                       v              v
 *        +------------- replies, once durable --------- store thread      HTTP threads
 * Life of an RM that is one of several (rm/leader/leader.h):
 *   new_standby -> start -> [activate -> deactivate or retire]* -> stop -> free
 * Life of an RM that is not (rm/leader/sole_rm.h):
 *   new_sole, which enters its leadership -> start -> stop -> free
 * A stop loses no acknowledged change, and all waiting requests are answered.
 *
 * The core, store, tickets and threads of a leadership are made by activate and torn down by
 * deactivate or retire. The core stays readable for some seconds, for requests that were on their
 * way, unless the next activate replaces it; then rm_backend_lock_core() returns an empty core. */
#ifndef CREEL_RM_DAEMON_DAEMON_H
#define CREEL_RM_DAEMON_DAEMON_H

#include "ha/store/store.h"
#include "rm/daemon/backend.h"

/* One-time repairs of a store that cannot be used as it is, requested by the operator. */
struct rm_repair {
    bool format_confirmed; /* --format-confirmed (rm_core_conf) */
};
/* Copies @repair. Call before the daemon starts and before its first leadership. */
void rm_daemon_set_repair(struct rm_backend *b, const struct rm_repair *repair);
/* Makes the daemon of one of several RMs, a standby with an empty core. Reads @conf, which must
 * outlive the daemon. Returns 0, or the error with the key in its text. */
int rm_daemon_new_standby(const struct base_conf *conf, struct rm_backend **out,
                          struct base_error *err);
/* Enters a leadership under @epoch with the state in @store, which is taken in any case. Returns 0
 * when the role is ACTIVE. Blocks while the store is read; rm_role_depose() from another thread
 * ends that early with -BASE_EVERSION. After this or any other error the role is STANDBY, except
 * after -BASE_ESTATE: the daemon is active already or is stopping, and its role is unchanged. */
int rm_daemon_activate(struct rm_backend *b, struct ha_store *store, int64_t epoch,
                       struct base_error *err);
/* Ends the leadership at once: from the beginning of the call nothing is granted or acknowledged,
 * and waiting requests are answered as by a standby. Returns when the core's and the store's thread
 * have ended, for which a caller's watchdog may allow a second. Without a leadership only
 * rm_role_depose() has an effect. @why: logged. */
void rm_daemon_abort_leadership(struct rm_backend *b, const char *why);
/* Ends the leadership in good order: queued events are carried out, written and answered while the
 * lease lasts. Returns 0, also on a standby, or the error of the last write. @why: logged. */
int rm_daemon_finish_leadership(struct rm_backend *b, const char *why, struct base_error *err);
/* Accepts an empty store on purpose, although nodes have work (--format-confirmed, rm_core_conf).
 * Call before the start, or, for one of several RMs, before its first leadership. If nodes have
 * obeyed a higher epoch than the store's, the RM takes an epoch above it; an RM that is not one of
 * several reads its state again for that, and refuses posts with -BASE_EVERSION for a moment. */
void rm_daemon_accept_formatted_store(struct rm_backend *b);
void rm_daemon_start(struct rm_backend *b);
/* Sets the cluster's secret, with which requests to nodes are signed, and from which the keys of
 * masters' tokens are derived; takes a reference. Call before rm_daemon_start(), and before the
 * first leadership. NULL, or not called: requests are not signed, and the store has the keys. */
void rm_daemon_set_keys(struct rm_backend *b, struct base_keyring *keys);
/* Lets the core replace the keys of masters' tokens that are due. Call at least once a minute. */
void rm_daemon_offer_fresh_keys(struct rm_backend *b);
/* Copies @url. Call once, when the port is known. */
void rm_daemon_set_url(struct rm_backend *b, const char *url);
/* Sets the token of the daemon's own user; @t, borrowed, must outlive the daemon. Call before
 * rm_daemon_start(). NULL, or not called: callers need not prove who they are. */
void rm_daemon_set_own_token(struct rm_backend *b, struct rm_own_token *t);
/* Sets what signs cookies; @a, borrowed, must outlive the daemon. Call before rm_daemon_start(). */
void rm_daemon_set_auth(struct rm_backend *b, const struct api_auth *a);
/* Ends a leadership in good order, then all threads. Returns 0, or the error of the last write to
 * the store (changes that were not written were not acknowledged either), or the error that kept an
 * RM that is not one of several from entering its leadership under a higher epoch. */
int rm_daemon_stop(struct rm_backend *b, struct base_error *err);
void rm_daemon_free(struct rm_backend *b);
/* For a watchdog. Returns true when the core's thread has work; *@turns grows while the thread
 * makes progress. */
bool rm_daemon_is_busy(const struct rm_backend *b, uint64_t *turns);
int64_t rm_daemon_epoch(const struct rm_backend *b); /* of the last leadership */

#endif
