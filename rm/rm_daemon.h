/* rm/rm_daemon.h - the shell around the core: what handlers know as struct rm_backend.
 *
 *   HTTP threads --rm_backend_post--> queue --> core thread: rm_core_step --> effects
 *        ^                                                       | records      | replies without a wait
 *        |                                                       v              v
 *        +------------- replies, once durable --------- store thread      HTTP threads
 *
 * Life: new (store opened, epoch raised, records read) -> start (threads) -> stop (nothing acknowledged is lost; all
 * who wait are answered) -> free. */
#ifndef CREEL_RM_DAEMON_H
#define CREEL_RM_DAEMON_H

#include "ha/ha_store.h"
#include "rm/rm_backend.h"

/* Opens the store of @conf (creel.rm.state-dir) or, in tests, @ops at @where. -BASE_ECORRUPT, -BASE_ESTATE, ... with a
 * message that says what to do. @conf must outlive the daemon. */
int rm_daemon_new(const struct base_conf *conf, const struct ha_store_ops *ops, const char *where,
                  struct rm_backend **out, struct base_error *err);
void rm_daemon_start(struct rm_backend *b);
void rm_daemon_set_url(struct rm_backend *b, const char *url); /* once it is known; once */
/* Returns 0, or the error of the last write to the store (then what was not stored was not acknowledged either). */
int rm_daemon_stop(struct rm_backend *b, struct base_error *err);
void rm_daemon_free(struct rm_backend *b);
int64_t rm_daemon_epoch(const struct rm_backend *b);

#endif
