#include "policies/common/delay.h"

#include <stddef.h>

#include "base/error.h"

void delay_init(struct delay *d, int64_t w1_us, int64_t w2_us)
{
    *d = (struct delay){.w1_us = w1_us, .w2_us = w2_us, .beat = 1};
}

void delay_init_skips(struct delay *d, int64_t skips)
{
    base_assert(skips > 0);
    *d = (struct delay){.skips = skips, .beat = 1};
}

static void unmark_skipped(struct delay *d, struct delay_job *job)
{
    if (!job->skipped)
        return;
    if (job->prev)
        job->prev->next = job->next;
    else
        d->marked = job->next;
    if (job->next)
        job->next->prev = job->prev;
    job->prev = job->next = NULL;
    job->skipped = false;
}

static void mark_skipped(struct delay *d, struct delay_job *job)
{
    if (job->skipped)
        return;
    job->prev = NULL;
    job->next = d->marked;
    if (d->marked)
        d->marked->prev = job;
    d->marked = job;
    job->skipped = true;
}

void delay_on_heartbeat(struct delay *d, int64_t now_us)
{
    int64_t passed = d->beat > 1 ? now_us - d->last_us : 0;
    struct delay_job *next;

    base_assert(passed >= 0);
    for (struct delay_job *job = d->marked; job; job = next) {
        next = job->next;
        job->wait_us += passed;
        job->prev = job->next = NULL;
        job->skipped = false;
    }
    d->marked = NULL;
    d->last_us = now_us;
    d->beat++;
}

/* Returns the level at which @job launches, or -1 when it declines. SOURCE: Zaharia et al., EuroSys
 * 2010, Algorithm 3. */
static int launch_level(const struct delay *d, const struct delay_job *job, enum delay_level best)
{
    int64_t w1 = d->w1_us, w2 = d->w2_us;

    if (best == DELAY_NODE)
        return DELAY_NODE;
    if (best == DELAY_RACK && (job->level >= DELAY_RACK || job->wait_us >= w1))
        return DELAY_RACK;
    if (job->level == DELAY_ANY || (job->level == DELAY_RACK && job->wait_us >= w2) ||
        (job->level == DELAY_NODE && job->wait_us >= w1 + w2))
        return DELAY_ANY;
    return -1;
}

static bool take_by_wait(struct delay *d, struct delay_job *job, enum delay_level best)
{
    int level = launch_level(d, job, best);

    if (level < 0)
        return false;
    job->wait_us = 0;
    job->level = (uint8_t)level;
    delay_record_launched(d, job);
    return true;
}

/* SOURCE: Zaharia et al., EuroSys 2010, Algorithm 2. */
static bool may_launch_by_skips(const struct delay *d, const struct delay_job *job,
                                enum delay_level best)
{
    return best == DELAY_NODE || job->skips >= d->skips;
}

static bool take_by_skips(const struct delay *d, struct delay_job *job, enum delay_level best)
{
    if (best == DELAY_NODE)
        job->skips = 0;
    return may_launch_by_skips(d, job, best);
}

void delay_record_declined(struct delay *d, struct delay_job *job)
{
    if (d->skips > 0)
        job->skips++;
    else if (job->launched_beat != d->beat)
        mark_skipped(d, job);
}

bool delay_offer_slot(struct delay *d, struct delay_job *job, enum delay_level best)
{
    bool takes = d->skips > 0 ? take_by_skips(d, job, best) : take_by_wait(d, job, best);

    if (!takes)
        delay_record_declined(d, job);
    return takes;
}

bool delay_would_take_or_decline(struct delay *d, struct delay_job *job, enum delay_level best)
{
    bool takes = d->skips > 0 ? may_launch_by_skips(d, job, best) : launch_level(d, job, best) >= 0;

    return takes || delay_offer_slot(d, job, best);
}

void delay_record_launched(struct delay *d, struct delay_job *job)
{
    job->launched_beat = d->beat;
    unmark_skipped(d, job);
}

void delay_remove_job(struct delay *d, struct delay_job *job)
{
    unmark_skipped(d, job);
}
