/* policies/common/delay.h - delay scheduling: a filter over any ordering of jobs.
 * Source: Zaharia et al., "Delay Scheduling", EuroSys 2010, Algorithms 2 and 3 and section 4.
 *
 * A job offered a slot where it has no local task declines for a while. Per job: level (how far it
 * may go now), wait (how long it has been declining) and skipped. On every heartbeat of the cluster
 * the time since the previous one is added to the wait of jobs skipped in between. Only jobs
 * skipped since the last heartbeat are looked at: each of them was offered a slot before, so the
 * cost is O(1) per offer.
 *
 * In the simpler form, Algorithm 2, a job counts the offers it declines and takes any slot when
 * they are enough; a local launch sets the count back, another does not. */
#ifndef CREEL_POLICIES_COMMON_DELAY_H
#define CREEL_POLICIES_COMMON_DELAY_H

#include <stdbool.h>
#include <stdint.h>

enum delay_level { DELAY_NODE, DELAY_RACK, DELAY_ANY };

struct delay_job { /* zero to begin with */
    int64_t wait_us;
    int64_t skips;                 /* Algorithm 2: offers declined since the last local launch */
    uint64_t launched_beat;        /* heartbeat in which it last launched */
    struct delay_job *prev, *next; /* among those skipped since the last heartbeat */
    uint8_t level;
    bool skipped;
};
struct delay {
    int64_t w1_us, w2_us; /* both 0: every offer is taken */
    int64_t skips;        /* > 0: Algorithm 2 with this many */
    int64_t last_us;      /* time of the last heartbeat */
    uint64_t beat;        /* heartbeats so far */
    struct delay_job *marked;
};

void delay_init(struct delay *d, int64_t w1_us, int64_t w2_us);
/* Algorithm 2: @skips > 0 offers are declined. */
void delay_init_skips(struct delay *d, int64_t skips);
/* Could an offer be declined? */
static inline bool delay_is_on(const struct delay *d)
{
    return (d->w1_us | d->w2_us | d->skips) != 0;
}
/* A heartbeat of any node (or another moment at which slots are offered) at @now_us, before its
 * offers. */
void delay_beat(struct delay *d, int64_t now_us);
/* @job is offered a slot on which its best pending task has locality @best. True: launch that task
 * (told at once to delay_launched); false: declined and marked. A job without location data is not
 * asked (any level is fine). */
bool delay_offer(struct delay *d, struct delay_job *job, enum delay_level best);
/* @job is offered a slot where none of its pending tasks may run (they have failed there): it lets
 * it pass. That counts as declined, as in both algorithms every offer does that a job with work
 * does not take. */
void delay_pass(struct delay *d, struct delay_job *job);
/* Would it take that slot if it were offered? If not, it has declined: marked as by delay_offer. */
bool delay_ask(struct delay *d, struct delay_job *job, enum delay_level best);
/* @job launched a task without having been asked: it counts as launched in this heartbeat. */
void delay_launched(struct delay *d, struct delay_job *job);
/* @job goes away. */
void delay_leave(struct delay *d, struct delay_job *job);

#endif
