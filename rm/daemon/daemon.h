/* rm/daemon/daemon.h - the shell around the core: what handlers know as struct rm_backend.
 *
 *   HTTP threads --rm_backend_post--> queue --> core thread: rm_core_step --> effects
 *        ^                                                       | records      | other replies
 *        |                                                       v              v
 *        +------------- replies, once durable --------- store thread      HTTP threads
 *
 * Life of one of several RMs (rm/leader/leader.h): new_standby -> start -> [activate ->
 * deactivate]* -> stop -> free. Alone (rm/leader/alone.h): new, which activates -> start -> stop ->
 * free. A stop loses nothing acknowledged, and everybody who waits is answered.
 *
 * What a leadership needs (core, store, queue, tickets, thread for output folders) is made by
 * activate and torn down by deactivate; between them rm_backend_hold() gives a core without
 * anything in it. After deactivate the last core stays readable for requests that were on their
 * way, until the next activate or some seconds later. */
#ifndef CREEL_RM_DAEMON_DAEMON_H
#define CREEL_RM_DAEMON_DAEMON_H

#include "ha/store/store.h"
#include "rm/daemon/backend.h"

/* One-time repairs of a store that cannot be used as it is, requested by the operator. */
struct rm_repair {
    bool format_confirmed; /* --format-confirmed (rm_core_conf) */
    bool new_key;          /* --new-key (rm/daemon/master_token.h) */
};
void rm_daemon_repair(struct rm_backend *b,
                      const struct rm_repair *repair); /* before its first leadership */
/* One of several: a standby that knows nothing; reads and checks @conf as new does. */
int rm_daemon_new_standby(const struct base_conf *conf, struct rm_backend **out,
                          struct base_error *err);
/* Reads @store (taken in any case) and goes on with what it holds under @epoch: afterwards the role
 * is ACTIVE. Blocks for the reading; rm_daemon_deactivate or the store's abort from another thread
 * ends it early (-BASE_EVERSION). -BASE_ECORRUPT, ... : nothing of it is there. */
int rm_daemon_activate(struct rm_backend *b, struct ha_store *store, int64_t epoch,
                       struct base_error *err);
/* The leadership is over: from the first line on nothing is granted or acknowledged, and waiting
 * requests are answered as by a standby. Returns when the threads of the leadership have ended,
 * within a second. No effect on a standby. */
void rm_daemon_deactivate(struct rm_backend *b, const char *why);
/* Ends the leadership in good order: queued events are carried out, written and answered while the
 * lease lasts; then as deactivate. Returns 0, or the error of the last write. */
int rm_daemon_retire(struct rm_backend *b, const char *why, struct base_error *err);
/* Alone before the start, one of several before its first leadership: --format-confirmed
 * (rm_core_conf). When nodes have obeyed a higher epoch than the store's, one above it is taken;
 * alone the core is made anew from the store for that, while posts are refused for a moment
 * (-BASE_EVERSION). */
void rm_daemon_confirm_format(struct rm_backend *b);
void rm_daemon_start(struct rm_backend *b);
void rm_daemon_set_url(struct rm_backend *b, const char *url); /* once it is known; once */
/* Returns 0, or the error of the last write to the store (then what was not stored was not
 * acknowledged either). */
int rm_daemon_stop(struct rm_backend *b, struct base_error *err);
void rm_daemon_free(struct rm_backend *b);
/* For a watchdog: does the core's thread have work? *turns grows while it makes progress. */
bool rm_daemon_is_busy(const struct rm_backend *b, uint64_t *turns);
int64_t rm_daemon_epoch(const struct rm_backend *b);

#endif
