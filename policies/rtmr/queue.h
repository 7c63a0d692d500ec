/* policies/rtmr/queue.h - RTMR's queue of jobs with deadlines: who may enter, and by when everybody
 * has finished.
 *
 * Order: first the started jobs, never overtaken, then the waiting ones by deadline (or by
 * submission). Jobs start in the order of the queue; where one starts earlier than one before it
 * (reduces may, on slots that nobody before needs), neither is overtaken any more. A job stays
 * until it and all before it have finished. Each job has a slot-availability profile "after it" for
 * maps and for reduces, made from its predecessor's: so the profiles are a chain
 *
 *     base --job 1--> profiles --job 2--> profiles --> ...
 *     base: after the last job removed from the queue
 *
 * A link is a function of few numbers (tasks, their length, the reference time of the last
 * calculation, or the actual finish times), so the profiles themselves are not stored: what is
 * needed is folded anew from the base, which costs less than keeping a thousand vectors of ten
 * thousand slots.
 *
 * A link may begin with what ran of jobs without deadline when it was calculated: such tasks hold
 * slots that no job before needs (they start only where none waits), so they are laid over the
 * smallest times (slot_profile_hold). Those that started before an earlier link was calculated in
 * the same way are in the chain already.
 *
 * SOURCE: He, Lu, Swanson, "Real-Time Scheduling in MapReduce Clusters", HPCC 2013: Algorithms
 * I-III, V and VI.
 * Units: microseconds. Nothing here knows slots by name, nodes or clocks. */
#ifndef CREEL_POLICIES_RTMR_QUEUE_H
#define CREEL_POLICIES_RTMR_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policies/common/slot_profile.h"
#include "policies/types.h"

/* Work over all positions that the search for an offer may spend; beyond, the end of the queue is
 * offered. Queues of up to about 60 waiting jobs are always searched to the end. */
#define RTMR_OFFER_STEPS 10000

#define RTMR_UNKNOWN (SLOT_NEVER - 1) /* an end that nobody knows: later than every deadline */

struct rtmr_entry {
    /* the caller's; fixed once the entry is in the queue */
    struct policy_job *job; /* NULL: it has left */
    int64_t submit_us, cluster_ts;
    int32_t seq;
    int64_t due_us; /* absolute deadline, < RTMR_UNKNOWN */
    /* what is to be placed of each kind, how long a task takes at most; what ran already when the
     * job was taken over lies in the base and ends by after_us */
    int64_t n[BASE_TASK_KINDS], eps_us[BASE_TASK_KINDS], after_us[BASE_TASK_KINDS];
    int64_t gap_us;     /* from the end of its maps to the earliest reduce */
    int64_t started_us; /* reference of a started job, 0: waiting; set on entry or by
                           rtmr_queue_start() */

    /* the queue's */
    size_t at;   /* place in the queue */
    int64_t key; /* orders the queue: smallest first, then submission and id */
    int64_t
        ref_us; /* nothing of it was placed before: time of the last calculation, or its start */
    int64_t finish_us;              /* the recorded estimate e */
    int64_t next_us;                /* of a test */
    bool finished, actual;          /* actual: the link is made of what happened */
    int64_t *ends[BASE_TASK_KINDS]; /* actual finish times, ascending */
    size_t ends_n[BASE_TASK_KINDS], ends_cap[BASE_TASK_KINDS];
    int64_t reserve; /* slots for reduces kept for it */
    /* what ran of jobs without deadline when its link was calculated */
    int64_t held_us; /* when that was, 0: no such thing */
    struct slot_run *held[BASE_TASK_KINDS];
    size_t held_n[BASE_TASK_KINDS], held_cap[BASE_TASK_KINDS];
    int64_t never[BASE_TASK_KINDS];
};
/* What of jobs without deadline runs, for one kind. */
struct rtmr_busy {
    struct rtmr_until {
        int64_t until_us, started_us;
        int64_t n;
    } * v; /* until_us ascending */
    size_t n, cap;
    int64_t never; /* slots whose end nobody knows */
};
struct rtmr_verdict {
    bool accepted;
    int64_t finish_us; /* of the job itself; SLOT_NEVER: never */
    const struct rtmr_entry
        *hurt;       /* another job that would miss its deadline, NULL: the job itself would */
    int64_t hurt_us; /* its finish then */
};
struct rtmr_queue { /* zero, then rtmr_queue_init() */
    struct rtmr_entry **v;
    size_t n, cap, fixed; /* the first @fixed ones are not overtaken any more */
    bool by_submission;   /* waiting jobs: not by deadline */
    int64_t last_key;     /* of those not overtaken any more, the largest so far */
    struct slot_profile base[BASE_TASK_KINDS], work[BASE_TASK_KINDS];
    int64_t base_held_us,
        base_never[BASE_TASK_KINDS]; /* as held_us and never, of what is in the base */
    /* profiles before the job at ahead_at, of the queue as it was at ahead_version */
    struct slot_profile ahead[BASE_TASK_KINDS];
    size_t ahead_at;
    uint64_t version, ahead_version;
    const struct rtmr_entry *tested; /* accepted by the last test, at tested_version */
    size_t tested_at;
    int64_t tested_us;
    uint64_t tested_version;
    int64_t *reserved; /* sums over the queue: a Fenwick tree */
    uint64_t steps;    /* links calculated so far */
};

void rtmr_queue_init(struct rtmr_queue *q, bool by_submission);
void rtmr_queue_free(struct rtmr_queue *q); /* and every entry */
void rtmr_entry_free(struct rtmr_entry *e);

/* Algorithm I: may @e (waiting) enter at @now_us? @busy: per kind, may be NULL. Nothing changes but
 * @e's own notes and next_us of others. */
void rtmr_queue_test(struct rtmr_queue *q, struct rtmr_entry *e, int64_t now_us,
                     const struct rtmr_busy *busy, struct rtmr_verdict *out);
/* A moment at which a job is tested, and what of jobs without deadline runs then: per kind, may be
 * NULL. */
struct rtmr_moment {
    int64_t at_us;
    const struct rtmr_busy *busy;
};
/* The earliest deadline not before that of @e which would be accepted @now, and @again, later by a
 * margin, with any deadline from the margin to a second more after it, though some of the first
 * waiting jobs have started by then. @again has no slot less and none held shorter than @now; at
 * the same time: only @now counts. 0: none. e->due_us stays. */
int64_t rtmr_queue_offer(struct rtmr_queue *q, struct rtmr_entry *e, struct rtmr_moment now,
                         struct rtmr_moment again);
/* Takes @e, which waits, in at its place. Estimates of later jobs follow. After an accepting
 * rtmr_queue_test() of the same @e this is what was tested. */
void rtmr_queue_insert_take(struct rtmr_queue *q, struct rtmr_entry *e, int64_t now_us,
                            const struct rtmr_busy *busy);
/* Takes in @e, which comes from elsewhere: waiting, or among the started ones by started_us. Its
 * estimate is its deadline until rtmr_queue_lay_under(), which has to follow before anybody else is
 * tested. */
void rtmr_queue_adopt_take(struct rtmr_queue *q, struct rtmr_entry *e, int64_t now_us);
/* Its first task starts. Returns the first place from which on, up to @e, keys changed (not their
 * order); past @e: none did. Estimates stay. */
size_t rtmr_queue_start(struct rtmr_queue *q, struct rtmr_entry *e, int64_t now_us);
/* An attempt of it ended at @at_us. */
void rtmr_entry_note_task_end(struct rtmr_entry *e, enum base_task_kind kind, int64_t at_us);
/* Slots for reduces to keep for it. O(log n). */
void rtmr_queue_reserve(struct rtmr_queue *q, struct rtmr_entry *e, int64_t slots);
/* Sum over the first @n of the queue. O(log n). */
int64_t rtmr_queue_reserved(const struct rtmr_queue *q, size_t n);
/* @e is over. Its link stays as it was planned, or (@correct, of one that did all its work) becomes
 * what really happened, and later estimates follow: Algorithm V. Finished jobs at the front go into
 * the base and are freed: @e may be gone. */
void rtmr_queue_finish(struct rtmr_queue *q, struct rtmr_entry *e, int64_t now_us, bool correct);
/* Running attempts that no entry counts: their slots are taken until then. @until ascending. */
void rtmr_queue_occupy(struct rtmr_queue *q, enum base_task_kind kind, const struct slot_run *until,
                       size_t n);
/* What runs beside, laid under the whole queue instead of what was known before: jobs were taken
 * over that did not start by the rules here. Calculates all anew. */
void rtmr_queue_lay_under(struct rtmr_queue *q, int64_t now_us, const struct rtmr_busy *busy);
/* Forgets how things came about: every slot is free at @now_us but for what rtmr_queue_occupy()
 * then says. The caller sets n and after_us of every job that has not finished to what is left, and
 * rtmr_queue_lay_under() follows. */
void rtmr_queue_rebase(struct rtmr_queue *q, const int64_t slots[BASE_TASK_KINDS], int64_t now_us);
/* The cluster has these slots now. Does not calculate. */
void rtmr_queue_resize(struct rtmr_queue *q, const int64_t slots[BASE_TASK_KINDS], int64_t now_us);
/* All estimates from place @from on, anew: started jobs from their start, waiting ones from
 * @now_us. */
void rtmr_queue_estimate(struct rtmr_queue *q, size_t from, int64_t now_us);

#endif
