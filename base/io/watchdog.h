/* base/io/watchdog.h - a thread that ends the process when the daemon's main thread is stuck: when
 * one piece of its work takes longer than a limit, or when the end of something takes longer than
 * BASE_WATCHDOG_END_US (in a ResourceManager, the end of its leadership: answers given meanwhile
 * may be wrong).
 *
 * Only time during which the watchdog itself ran counts. A process that was stopped and continued,
 * a suspended machine and a starved process stall all threads alike. */
#ifndef CREEL_BASE_IO_WATCHDOG_H
#define CREEL_BASE_IO_WATCHDOG_H

#include <stdbool.h>
#include <stdint.h>

#define BASE_WATCHDOG_END_US   1000000 /* time limit of an end (base_watchdog_arm_end_limit()) */
#define BASE_WATCHDOG_LEAST_US 2000000 /* smallest limit for one turn of the main thread */
#define BASE_WATCHDOG_EXIT     3       /* exit status for expired() to use */

struct base_watchdog_conf {
    void *user;
    /* returns true while the thread has work; *@turns: pieces of work that it has finished */
    bool (*busy)(void *user, uint64_t *turns);
    /* returns how long one turn may take; BASE_WATCHDOG_LEAST_US applies if that is longer */
    int64_t (*limit_us)(void *user);
    /* must end the process; called once, with one of the two messages below */
    void (*expired)(void *user, const char *why);
    const char *still;  /* message when the thread is stuck */
    const char *ending; /* message when an end takes too long; NULL: no end is ever armed */
};
struct base_watchdog;
struct base_watchdog *base_watchdog_start(const struct base_watchdog_conf *conf);
void base_watchdog_stop(struct base_watchdog *w); /* NULL is fine */
/* An end has begun: the process is ended unless base_watchdog_disarm_end_limit() follows in time.
 * Several ends may overlap. May be called on any thread. */
void base_watchdog_arm_end_limit(struct base_watchdog *w);
void base_watchdog_disarm_end_limit(struct base_watchdog *w);

/* ---- the pure part ---- */
struct base_watchdog_view {
    int64_t checked_us; /* time of the last check; 0: none yet */
    uint64_t turns;     /* finished turns at the last check */
    int64_t still_us;   /* duration of the thread's current turn, as far as the watchdog ran */
    int64_t ending_us;  /* duration of the current end, likewise */
};
enum base_watchdog_verdict { BASE_WATCHDOG_OK, BASE_WATCHDOG_STUCK, BASE_WATCHDOG_END_LATE };
#define BASE_WATCHDOG_CHECK_US 50000
/* Updates @v with the state at @now_us and returns whether the process is fine, stuck, or late with
 * an end (@ending: an end is armed). To be called every BASE_WATCHDOG_CHECK_US. */
enum base_watchdog_verdict base_watchdog_check(struct base_watchdog_view *v, int64_t now_us,
                                               bool busy, uint64_t turns, bool ending,
                                               int64_t limit_us);

#endif
