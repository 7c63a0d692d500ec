#include "rm/term/lease.h"

void rm_lease_init(struct rm_lease *l)
{
    atomic_init(&l->lost_epoch, -1);
    atomic_init(&l->deposed, false);
    atomic_init(&l->overdue, false);
}

void rm_lease_begin(struct rm_lease *l)
{
    atomic_store(&l->lost_epoch, -1);
    atomic_store(&l->deposed, false);
    atomic_store(&l->overdue, false);
}

void rm_lease_depose(struct rm_lease *l)
{
    atomic_store(&l->deposed, true);
}

bool rm_lease_is_deposed(const struct rm_lease *l)
{
    return atomic_load(&l->deposed);
}

/* The order matters: the caller reads @until_us first, and the latch is read here afterwards. A
 * thread that was refused before the election extended the lease has set the latch by now. */
bool rm_lease_would_hold(const struct rm_lease *l, int64_t epoch, int64_t until_us, int64_t now_us)
{
    return now_us < until_us && atomic_load(&l->lost_epoch) != epoch && !atomic_load(&l->deposed);
}

bool rm_lease_holds(struct rm_lease *l, int64_t epoch, int64_t until_us, int64_t now_us)
{
    if (rm_lease_would_hold(l, epoch, until_us, now_us))
        return true;
    atomic_store(&l->lost_epoch, epoch);
    return false;
}

/* The election announces the end of a lease at once, with its reason, unless its thread waits for
 * the names of ZooKeeper's servers to be resolved. The first check may fall between the end and the
 * announcement; at the second check the announcement is overdue. */
bool rm_lease_check_overdue(struct rm_lease *l, bool holds)
{
    bool overdue = !holds && atomic_load(&l->overdue);

    atomic_store(&l->overdue, !holds && !overdue);
    return overdue;
}
