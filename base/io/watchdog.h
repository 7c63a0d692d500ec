/* base/io/watchdog.h - a thread that ends the process when the thread that does the daemon's work
 * can no longer keep the daemon's word: when it stands still for longer than a limit, or when an
 * end that was begun takes longer than BASE_WATCHDOG_END_US (a ResourceManager's end of a
 * leadership: what the process still says may not be true any more).
 *
 * Only time in which the watchdog itself ran counts. A process that was stopped and continued, a
 * machine that was suspended, and one so busy that it starves the process stall every thread alike;
 * that is no fault of one thread. */
#ifndef CREEL_BASE_IO_WATCHDOG_H
#define CREEL_BASE_IO_WATCHDOG_H

#include <stdbool.h>
#include <stdint.h>

#define BASE_WATCHDOG_END_US 1000000 /* an end that was begun */
#define BASE_WATCHDOG_LEAST_US                                                                     \
    2000000                  /* a thread that is busy for less is not yet standing still */
#define BASE_WATCHDOG_EXIT 3 /* exit status for expired() to use */

struct base_watchdog_conf {
    void *user;
    /* has the thread work? *turns grows while it does it */
    bool (*busy)(void *user, uint64_t *turns);
    /* how long one turn may take; at least BASE_WATCHDOG_LEAST_US */
    int64_t (*limit_us)(void *user);
    /* ends the process; called once, @why is one of the two below */
    void (*expired)(void *user, const char *why);
    const char *still;  /* "... stands still ..." */
    const char *ending; /* an end takes too long; NULL where base_watchdog_ending() is not used */
};
struct base_watchdog;
struct base_watchdog *base_watchdog_start(const struct base_watchdog_conf *conf);
void base_watchdog_stop(struct base_watchdog *w); /* NULL is fine */
/* Any thread: an end has begun; it is over. */
void base_watchdog_ending(struct base_watchdog *w);
void base_watchdog_ended(struct base_watchdog *w);

/* ---- pure: what it has seen so far ---- */
struct base_watchdog_view {
    int64_t looked_us; /* last look; 0: none yet */
    uint64_t turns;    /* at the last look */
    int64_t still_us;  /* the thread has been at one turn for so long while we ran */
    int64_t ending_us; /* the end has taken so long while we ran */
};
enum base_watchdog_verdict { BASE_WATCHDOG_WELL, BASE_WATCHDOG_STILL, BASE_WATCHDOG_ENDING };
#define BASE_WATCHDOG_LOOK_US 50000
/* A look at @now_us. */
enum base_watchdog_verdict base_watchdog_look(struct base_watchdog_view *v, int64_t now_us,
                                              bool busy, uint64_t turns, bool ending,
                                              int64_t limit_us);

#endif
