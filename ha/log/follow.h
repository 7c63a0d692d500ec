/* ha/log/follow.h - a standby reads the leader's log continuously, so that little is left to read
 * when the standby is elected. A pure machine, one per process.
 *
 *   OFF --start--> PAUSE --due--> LISTING --> READING --end reached--> PAUSE (FOLLOW_POLL)
 *    ^   take        ^              |           |  segment missing       |  --due--> READING ...
 *    +---------------+-- lost ------+-----------+---------> LISTING <----+
 *                                                   every FOLLOW_LIST, to drop cleaned segments
 *
 * Segments never change, and a number is used only once while <root>/log is the same node (has the
 * same czxid), so a segment needs to be read only once. A new session may belong to another
 * ensemble; then everything is forgotten. Following only reads, a few segments at a time, and any
 * server of the ensemble can answer. The segments are kept as they were read and take as much
 * memory as the log has bytes. Nothing in them is trusted: ha_log_start_loading() checks them
 * (ha_log_adopt_kept_segments()). */
#ifndef CREEL_HA_LOG_FOLLOW_H
#define CREEL_HA_LOG_FOLLOW_H

#include "ha/log/log.h"
#include "ha/zk/zk.h"

/* delay after the start: recovery of the new leader comes first */
#define HA_LOG_FOLLOW_FIRST_US 1000000
#define HA_LOG_FOLLOW_POLL_US  200000
/* retry delay when the log does not exist yet or cannot be read */
#define HA_LOG_FOLLOW_AGAIN_US 1000000
#define HA_LOG_FOLLOW_LIST_US  10000000
#define HA_LOG_FOLLOW_READS    8 /* parallel requests */

struct ha_log_follow;
/* Creates a follower that is off. @root is copied. */
struct ha_log_follow *ha_log_follow_new(const char *root, ha_zk_send_fn *send, void *user);
void ha_log_follow_free(struct ha_log_follow *f); /* NULL is allowed */

/* Starts following. No effect if already following. */
void ha_log_follow_start(struct ha_log_follow *f, int64_t now_us);
/* Stops following and moves the segments read so far to *@out, for ha_log_adopt_kept_segments().
 * The caller owns them. */
void ha_log_follow_stop_and_take(struct ha_log_follow *f, struct ha_log_kept *out);
/* Handles session events and results with owner HA_ZK_FOR_FOLLOW. */
void ha_log_follow_on_event(struct ha_log_follow *f, const struct ha_zk_event *ev, int64_t now_us);
void ha_log_follow_run_timers(struct ha_log_follow *f, int64_t now_us);
int64_t ha_log_follow_next_timer_us(const struct ha_log_follow *f); /* INT64_MAX: no timer */
size_t ha_log_follow_segment_count(const struct ha_log_follow *f);  /* number of segments kept */
/* Returns true once the end of the log has been reached, until the kept segments are taken or
 * forgotten. */
bool ha_log_follow_reached_end(const struct ha_log_follow *f);

#endif
