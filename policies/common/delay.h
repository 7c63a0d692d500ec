/* policies/common/delay.h - delay scheduling: a filter over any ordering of jobs.
 * SOURCE: Zaharia et al., "Delay Scheduling", EuroSys 2010, Algorithms 2 and 3 and section 4.
 *
 * For a while a job declines slots where it has no local task. Each job has a level (the locality
 * that it accepts now), a wait (for how long it has been declining) and a flag "skipped". Every
 * heartbeat of the cluster adds the time since the previous one to the wait of jobs that were
 * skipped in between. Heartbeats visit only these jobs, each of which was offered a slot before, so
 * the cost is O(1) per offer.
 *
 * In the simpler Algorithm 2 a job counts the offers that it declines, and takes any slot once it
 * has declined enough of them. A local launch resets the count, other launches do not. */
#ifndef CREEL_POLICIES_COMMON_DELAY_H
#define CREEL_POLICIES_COMMON_DELAY_H

#include <stdbool.h>
#include <stdint.h>

enum delay_level { DELAY_NODE, DELAY_RACK, DELAY_ANY };

struct delay_job { /* all zero at first */
    int64_t wait_us;
    int64_t skips;                 /* Algorithm 2: offers declined since the last local launch */
    uint64_t launched_beat;        /* heartbeat of the job's last launch */
    struct delay_job *prev, *next; /* jobs skipped since the last heartbeat */
    uint8_t level;
    bool skipped;
};
struct delay {
    int64_t w1_us, w2_us;     /* waits for a node-local, a rack-local slot */
    int64_t skips;            /* > 0: Algorithm 2, offers to decline */
    int64_t last_us;          /* time of the last heartbeat */
    uint64_t beat;            /* number of heartbeats + 1 */
    struct delay_job *marked; /* list of skipped jobs */
};

/* Sets up @d for Algorithm 3. */
void delay_init(struct delay *d, int64_t w1_us, int64_t w2_us);
/* Sets up @d for Algorithm 2: a job declines @skips > 0 offers. */
void delay_init_skips(struct delay *d, int64_t skips);
/* Returns false when delay scheduling is off: no offer is ever declined. */
static inline bool delay_is_on(const struct delay *d)
{
    return (d->w1_us | d->w2_us | d->skips) != 0;
}
/* Adds the time since the previous heartbeat to the waits of skipped jobs. Call it before slots are
 * offered, in a heartbeat of any node or at any other time. */
void delay_on_heartbeat(struct delay *d, int64_t now_us);
/* Offers @job a slot on which its best pending task has locality @best. Returns true when the job
 * takes the slot: the launch is noted already. Returns false when the job declines; that is noted
 * as by delay_record_declined(). Do not call this for jobs without location data. */
bool delay_offer_slot(struct delay *d, struct delay_job *job, enum delay_level best);
/* Notes that @job declined a slot because none of its pending tasks may run there (they have failed
 * on that node). Both algorithms count every offer that a job with work does not take. */
void delay_record_declined(struct delay *d, struct delay_job *job);
/* Returns true when @job would take a slot with locality @best, without noting a launch. Otherwise
 * returns false, and notes that the job has declined, as delay_offer_slot() does. */
bool delay_would_take_or_decline(struct delay *d, struct delay_job *job, enum delay_level best);
/* Notes that @job launched a task in this heartbeat without delay_offer_slot(). */
void delay_record_launched(struct delay *d, struct delay_job *job);
/* Drops @job from the list of skipped jobs; call it before the job is freed. */
void delay_remove_job(struct delay *d, struct delay_job *job);

#endif
