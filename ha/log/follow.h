/* ha/log/follow.h - a standby reads the log of the leader along, so that little is left to read when it is elected;
 * a pure machine, one per process.
 *
 *   OFF --begin--> PAUSE --due--> LISTING --> READING --up to the end--> PAUSE (FOLLOW_POLL) --due--> READING ...
 *    ^  take          ^              |           | a segment is gone       |
 *    +----------------+--- lost -----+-----------+---------> LISTING <-----+ every FOLLOW_LIST: what was cleaned goes
 *
 * Segments never change and are numbered once as long as <root>/log is the same node (its czxid tells), so what was
 * read once is read for ever; a session that has ended may be followed by another ensemble: then all is forgotten.
 * Only reads, a few at a time, which any server of the ensemble answers. It keeps the segments as they are, as many
 * bytes as the log has. Nothing is believed of them: the log checks them when it loads (ha_log_keep). */
#ifndef CREEL_HA_LOG_FOLLOW_H
#define CREEL_HA_LOG_FOLLOW_H

#include "ha/log/log.h"
#include "ha/zk/zk.h"

#define HA_LOG_FOLLOW_FIRST_US 1000000  /* after begin: whoever leads now has the ensemble for himself so long */
#define HA_LOG_FOLLOW_POLL_US  200000
#define HA_LOG_FOLLOW_AGAIN_US 1000000 /* there is no log yet, or it cannot be read */
#define HA_LOG_FOLLOW_LIST_US  10000000
#define HA_LOG_FOLLOW_READS    8        /* segments asked for at once */

struct ha_log_follow;
/* Off. @root is copied. */
struct ha_log_follow *ha_log_follow_new(const char *root, ha_zk_send_fn *send, void *user);
void ha_log_follow_free(struct ha_log_follow *f); /* NULL is fine */

/* A standby from now on; no effect when it is one already. */
void ha_log_follow_begin(struct ha_log_follow *f, int64_t now_us);
/* No standby any more: *@out gets what was read, which is the caller's (ha_log_keep), and the machine is off. */
void ha_log_follow_take(struct ha_log_follow *f, struct ha_log_kept *out);
/* Changes of the session, and results of HA_ZK_FOR_FOLLOW. */
void ha_log_follow_on(struct ha_log_follow *f, const struct ha_zk_event *ev, int64_t now_us);
void ha_log_follow_tick(struct ha_log_follow *f, int64_t now_us);
int64_t ha_log_follow_next_us(const struct ha_log_follow *f); /* INT64_MAX: nothing to do by time */
size_t ha_log_follow_segments(const struct ha_log_follow *f); /* that it has */
bool ha_log_follow_has_all(const struct ha_log_follow *f);    /* it has come to the end of the log since it began */

#endif
