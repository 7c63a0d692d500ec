/* policies/common/delay.h - delay scheduling: a filter over any ordering of jobs, and the formulas around it.
 * Source: Zaharia et al., "Delay Scheduling", EuroSys 2010, Algorithms 2 and 3 and section 4.
 *
 * A job offered a slot where it has no local task declines for a while. Per job: level (how far it may go now), wait
 * (how long it has been declining) and skipped. On every heartbeat of the cluster the time since the previous one is
 * added to the wait of jobs skipped in between. Only jobs skipped since the last heartbeat are looked at: each of
 * them was offered a slot before, so the cost is O(1) per offer.
 *
 * In the simpler form, Algorithm 2, a job counts the offers it declines and takes any slot when they are enough; a
 * local launch sets the count back, another does not. */
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
/* A heartbeat of any node (or another moment at which slots are offered) at @now_us, before its offers. */
void delay_beat(struct delay *d, int64_t now_us);
/* @job is offered a slot on which its best pending task has locality @best. True: launch that task (told at once to
 * delay_launched); false: declined and marked. A job without location data is not asked (any level is fine). */
bool delay_offer(struct delay *d, struct delay_job *job, enum delay_level best);
/* @job is offered a slot where none of its pending tasks may run (they have failed there): it lets it pass. That counts
 * as declined, as in both algorithms every offer does that a job with work does not take. */
void delay_pass(struct delay *d, struct delay_job *job);
/* Would it take that slot if it were offered? If not, it has declined: marked as by delay_offer. */
bool delay_ask(struct delay *d, struct delay_job *job, enum delay_level best);
/* @job launched a task without having been asked: it counts as launched in this heartbeat. */
void delay_launched(struct delay *d, struct delay_job *job);
/* @job goes away. */
void delay_leave(struct delay *d, struct delay_job *job);

/* ---- formulas (section 4) ---- */
/* Formula 2: skips D for target locality @l (0..1), @tasks per job, @replicas, @nodes. */
double delay_d_for_locality(double l, double tasks, double replicas, double nodes);
/* Expected locality of a job of @tasks when it skips @d offers: 1 - (1/N) sum_{K=1..N} exp(-R D K / M). */
double delay_locality_of_d(double d, double tasks, double replicas, double nodes);
/* Longest wait: D * T / S, for @slots in all and mean task time @task_s. */
double delay_wait_bound_s(double d, double task_s, double slots);
/* Formula 1: expected time to collect @need slots by waiting: F * T / S. */
double delay_ramp_s(double need, double task_s, double slots);
/* Skips within @w1_s when @freed_per_s slots become free. */
double delay_d_of_wait(double w1_s, double freed_per_s);
/* Chance of a local task at one offer with @pending tasks left: 1 - exp(-R D K / M). */
double delay_local_chance(double d, double pending, double replicas, double nodes);
/* Sticky slots: locality is at most 1 - (1 - 1/n)^(R L) with n jobs, R replicas, L slots per node. */
double delay_sticky_bound(double jobs, double replicas, double slots_per_node);
/* A job with @share of its data's nodes: 1 - (1 - p)^d. */
double delay_chance_within(double p, double offers);

#endif
