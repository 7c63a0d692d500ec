/* rm/term/lease.h - decides whether this ResourceManager may still answer requests and give orders
 * to nodes. Pure: callers pass the time.
 *
 *    HELD --deposed, or asked after the end of the lease--> LOST
 *      ^                                                      |
 *      +-------- begin: the next leadership is entered -------+
 *
 * The election extends the lease with every answer of ZooKeeper (ha/election/election.h). The lease
 * of an RM that is not one of several never ends.
 *
 * LOST is latched per epoch. An RM that was refused once has left something undone (an order not
 * sent, a reply not given), and the election may extend the lease after that with an answer that it
 * had received in time. If the RM went on then, part of what its core believes to be done would be
 * missing.
 *
 * Any thread may ask: all fields are atomic, and no lock is needed. Only one thread
 * may call rm_lease_check_overdue(). */
#ifndef CREEL_RM_TERM_LEASE_H
#define CREEL_RM_TERM_LEASE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define RM_LEASE_ENDLESS INT64_MAX
/* Interval of rm_lease_check_overdue() at an active RM that has no news to handle. */
#define RM_LEASE_CHECK_US INT64_C(100000)

struct rm_lease {
    _Atomic int64_t lost_epoch; /* last one that rm_lease_holds() refused; -1: none */
    atomic_bool deposed;
    atomic_bool overdue; /* rm_lease_check_overdue() has found the lease over once */
};
void rm_lease_init(struct rm_lease *l);
/* Call when a leadership is about to be entered. Clears the loss of an earlier one, even under the
 * same epoch: in a new root of ZooKeeper epochs begin at 0 again. */
void rm_lease_begin(struct rm_lease *l);
/* The leadership that is held, or being entered, is lost from now on. */
void rm_lease_depose(struct rm_lease *l);
bool rm_lease_is_deposed(const struct rm_lease *l);
/* Returns true when the leadership under @epoch may speak at @now_us. Once false has been
 * returned for an epoch, later calls for it return false until rm_lease_begin(). @until_us: end of
 * the lease according to the election, read before this call; 0 when the election does not lead
 * under @epoch; or RM_LEASE_ENDLESS. Both times are on the monotonic clock. */
bool rm_lease_holds(struct rm_lease *l, int64_t epoch, int64_t until_us, int64_t now_us);
/* Returns the same as rm_lease_holds() but latches nothing: for callers that only report. */
bool rm_lease_would_hold(const struct rm_lease *l, int64_t epoch, int64_t until_us, int64_t now_us);
/* Call every RM_LEASE_CHECK_US while active, with the result of rm_lease_holds(). Returns true when
 * the lease was over at two calls in a row, although nobody has announced its end: the leadership
 * must then be given up. */
bool rm_lease_check_overdue(struct rm_lease *l, bool holds);

#endif
