/* rm/rm_watchdog.h - a thread that ends the process when it can no longer keep its word: when the core's thread stands
 * still for longer than the lease (nobody would notice: the session lives on another thread), or when the end of a
 * leadership takes longer than its deadline (what this process still says may not be true any more).
 *
 * Only time in which the watchdog itself ran counts: of a process that was stopped and continued, or of a machine that
 * was suspended or is so busy that nobody gets on, all threads stand still, and the lease tells. */
#ifndef CREEL_RM_WATCHDOG_H
#define CREEL_RM_WATCHDOG_H

#include <stdbool.h>
#include <stdint.h>

#define RM_WATCHDOG_END_US 1000000 /* a leadership's end */
#define RM_WATCHDOG_LEAST_US 2000000 /* a core that is busy for less is not yet standing still */
#define RM_WATCHDOG_EXIT 3

struct rm_watchdog_conf {
    void *user;
    bool (*busy)(void *user, uint64_t *turns); /* has the core's thread work? *turns grows while it does it */
    int64_t (*lease_us)(void *user);           /* how long it may take over one turn; at least RM_WATCHDOG_LEAST_US */
    void (*expired)(void *user, const char *why); /* ends the process; called once */
};
struct rm_watchdog;
struct rm_watchdog *rm_watchdog_start(const struct rm_watchdog_conf *conf);
void rm_watchdog_stop(struct rm_watchdog *w); /* NULL is fine */
/* Any thread: a leadership is to end from now on; it has ended. */
void rm_watchdog_ending(struct rm_watchdog *w);
void rm_watchdog_ended(struct rm_watchdog *w);

/* ---- pure: what it has seen so far ---- */
struct rm_watchdog_view {
    int64_t looked_us;   /* last look; 0: none yet */
    uint64_t turns;      /* at the last look */
    int64_t still_us;    /* the core has been at one turn for so long while we ran */
    int64_t ending_us;   /* the end of the leadership has taken so long while we ran */
};
#define RM_WATCHDOG_LOOK_US 50000
/* A look at @now_us. NULL: all is well. */
const char *rm_watchdog_look(struct rm_watchdog_view *v, int64_t now_us, bool busy, uint64_t turns, bool ending,
                             int64_t lease_us);

#endif
