/* rm/term/lease.h - may this ResourceManager still speak for the cluster? Pure: it is told the
 * time.
 *
 *                 begin
 *    VACANT ----------------> HELD --deposed, or a look after the end of the lease--> LOST
 *      ^                                                                                |
 *      +--------------------------- the next leadership begins -------------------------+
 *
 * The election extends the lease with every answer of ZooKeeper (ha/election/election.h). An RM
 * that is alone holds an endless one.
 *
 * LOST is latched per epoch. An RM that was refused once has left something undone (an order not
 * sent, a reply not given), and the election may extend the lease after that with an answer that it
 * had received in time. If the RM went on then, part of what its core believes to be done would be
 * missing.
 *
 * Any thread may ask; the fields are atomic, and no lock is needed. rm_lease_check_overdue()
 * belongs to one thread. */
#ifndef CREEL_RM_TERM_LEASE_H
#define CREEL_RM_TERM_LEASE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define RM_LEASE_ENDLESS INT64_MAX
#define RM_LEASE_CHECK_US                                                                          \
    INT64_C(100000) /* the active RM looks at its lease at least this often                        \
                     */

struct rm_lease {
    _Atomic int64_t lost_epoch; /* refused at least once; -1: none yet */
    atomic_bool deposed;
    bool overdue; /* the last rm_lease_check_overdue() found the lease over */
};
void rm_lease_init(struct rm_lease *l);
/* A leadership is about to be taken over: the end of an earlier one counts no more, not even under
 * the same epoch (in a root of ZooKeeper that was made anew epochs begin at 0 again). */
void rm_lease_begin(struct rm_lease *l);
/* From now on the leadership that is held, or being taken over, speaks no more. */
void rm_lease_depose(struct rm_lease *l);
bool rm_lease_is_deposed(const struct rm_lease *l);
/* Does the leadership under @epoch hold at @now_us? @until_us: end of the lease as the election has
 * it now, 0 when it leads under another epoch or not at all, RM_LEASE_ENDLESS. Both on the
 * monotonic clock; @until_us must be read before this call. Latches a refusal. */
bool rm_lease_holds(struct rm_lease *l, int64_t epoch, int64_t until_us, int64_t now_us);
/* The same without a latch, for observers that leave nothing undone. */
bool rm_lease_would_hold(const struct rm_lease *l, int64_t epoch, int64_t until_us, int64_t now_us);
/* Every RM_LEASE_CHECK_US while active; @holds: what rm_lease_holds() said. True: the lease was
 * over at two looks in a row and nobody has announced its end: the leadership must be given up. */
bool rm_lease_check_overdue(struct rm_lease *l, bool holds);

#endif
