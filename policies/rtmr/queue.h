/* policies/rtmr/queue.h - RTMR's queue of jobs with deadlines: decides which jobs may enter, and
 * estimates when each job will have finished.
 *
 * Order: the started jobs come first and are never overtaken; the waiting jobs follow by deadline
 * (or by submission). Jobs start in the order of the queue. When a job starts before one that
 * precedes it in the queue (its reduces may, on slots that the preceding jobs do not need), neither
 * is overtaken any more. A job stays in the queue until it and all jobs before it have finished.
 * For maps and for reduces, each job has a slot profile "after the job", computed from that of its
 * predecessor, so the profiles form a chain
 *
 *     base --job 1--> profiles --job 2--> profiles --> ...
 *     base: after the last job removed from the queue
 *
 * A link of the chain is a function of a few numbers (tasks, their length, the reference time of
 * the last calculation, or the actual finish times). Profiles are therefore not stored but computed
 * again from the base when needed, which costs less than keeping a thousand vectors of ten thousand
 * slots.
 *
 * A link may begin with the attempts of jobs without deadline that were running when it was
 * calculated. They hold slots that no earlier job needs, since they start only when no job with a
 * deadline waits, so they delay the smallest times (slot_profile_delay_until). Attempts that
 * started before an earlier link was calculated in this way are part of the chain already.
 *
 * SOURCE: He, Lu, Swanson, "Real-Time Scheduling in MapReduce Clusters", HPCC 2013: Algorithms
 * I-III, V and VI.
 * Units: microseconds. The queue knows no individual slots, no nodes and no clock. */
#ifndef CREEL_POLICIES_RTMR_QUEUE_H
#define CREEL_POLICIES_RTMR_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policies/common/slot_profile.h"
#include "policies/types.h"

/* Maximum number of links that the search for an offer may calculate; afterwards a place at the end
 * of the queue is offered. */
#define RTMR_OFFER_STEPS 10000

#define RTMR_UNKNOWN (SLOT_NEVER - 1) /* an unknown end: later than every deadline */

/* Slots that a reservation needs from start_us on until end_us. */
struct rtmr_window {
    int64_t start_us, end_us, n;
};
/* A job with a deadline, or a reservation, which has windows in place of tasks and is due when the
 * last window ends. To the queue, a reservation is a job whose tasks can start when the window
 * begins, as reduces can when the maps are done (Algorithm III): the reservation takes the smallest
 * times. */
struct rtmr_entry {
    /* set by the caller. Once the entry is in the queue, the caller changes only begun_us and, when
     * the job leaves or for a new plan (rtmr_queue_forget_history()), job, n and after_us */
    struct policy_job *job; /* NULL: the job has left, or a reservation */
    int64_t submit_us, cluster_ts;
    int32_t seq;
    int64_t due_us; /* absolute deadline, < RTMR_UNKNOWN */
    /* tasks to place of each kind, and the longest duration of a task; attempts that were running
     * when the job was adopted, or planned anew, are part of the base and end by after_us */
    int64_t n[BASE_TASK_KINDS], eps_us[BASE_TASK_KINDS], after_us[BASE_TASK_KINDS];
    /* of a reservation, allocated with base_alloc() and owned by the entry; start_us ascending */
    struct rtmr_window *windows[BASE_TASK_KINDS];
    size_t windows_n[BASE_TASK_KINDS];
    /* windows with a begin up to this time have begun, and hold their slots until their end, even
     * if the profile no longer shows that the slots were free in time; the caller may raise this
     * time */
    int64_t begun_us;
    int64_t gap_us;     /* from the end of its maps to the earliest reduce */
    int64_t started_us; /* start of the first task, 0: waiting; set on entry or by
                           rtmr_queue_mark_started() */

    /* set by the queue */
    size_t at;         /* place in the queue */
    int64_t key;       /* orders the queue: smallest first, then submission and id */
    int64_t ref_us;    /* earliest time of placed tasks: the last calculation, or the job's start */
    int64_t finish_us; /* the recorded estimate of the finish */
    int64_t next_us;   /* the estimate of the last test */
    bool finished, actual;          /* actual: the link consists of the actual finish times */
    int64_t *ends[BASE_TASK_KINDS]; /* actual finish times, ascending */
    size_t ends_n[BASE_TASK_KINDS], ends_cap[BASE_TASK_KINDS];
    int64_t reserve; /* slots kept for the job's reduces */
    /* slots held, when the link was calculated, by attempts of jobs without a deadline, except
     * those that an earlier link or the base already has; held_us: the time of this calculation, 0:
     * the link adds none */
    int64_t held_us;
    struct slot_run *held[BASE_TASK_KINDS];
    size_t held_n[BASE_TASK_KINDS], held_cap[BASE_TASK_KINDS];
    int64_t never[BASE_TASK_KINDS]; /* slots held then until an unknown time */
};
/* Slots of one kind held by anything but jobs with deadlines. */
struct rtmr_busy {
    struct rtmr_until {
        int64_t until_us, started_us;
        int64_t n;
    } * v; /* until_us ascending */
    size_t n, cap;
    int64_t never; /* slots held until an unknown time */
};
struct rtmr_verdict {
    bool accepted;
    int64_t finish_us; /* finish of the job itself; SLOT_NEVER: never */
    /* refused: another job that would miss its deadline; NULL: the job itself would */
    const struct rtmr_entry *hurt;
    int64_t hurt_us; /* finish of @hurt */
};
struct rtmr_queue { /* set up by rtmr_queue_init() */
    struct rtmr_entry **v;
    size_t n, cap, fixed; /* the first @fixed entries are not overtaken any more */
    bool by_submission;   /* waiting jobs are ordered by submission, not by deadline */
    int64_t last_key;     /* the largest key of entries that are not overtaken any more */
    struct slot_profile base[BASE_TASK_KINDS], work[BASE_TASK_KINDS];
    /* held_us and never of the entries that are part of the base */
    int64_t base_held_us, base_never[BASE_TASK_KINDS];
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
void rtmr_queue_free(struct rtmr_queue *q); /* frees all entries as well */
void rtmr_entry_free(struct rtmr_entry *e);

/* Algorithm I: tests whether the waiting @e may enter at @now_us. @busy: an element per kind, or
 * NULL. Of the entries, this changes only next_us, and the held members of @e. */
void rtmr_queue_test_admission(struct rtmr_queue *q, struct rtmr_entry *e, int64_t now_us,
                               const struct rtmr_busy *busy, struct rtmr_verdict *out);
/* A moment at which a job is tested, and the slots held then by anything but jobs with deadlines:
 * an element per kind, or NULL. */
struct rtmr_moment {
    int64_t at_us;
    const struct rtmr_busy *busy;
};
/* Returns the earliest deadline, not before that of @e, with which the job would be accepted @now,
 * and @again, a margin later, even if some of the first waiting jobs have started by then. The
 * deadline given @again is later than the returned one by the margin and up to a second more.
 * @again must hold at least the slots that @now holds, and none of them for a shorter time; if both
 * times are equal, only @now is tested. After RTMR_OFFER_STEPS links, the deadline returned may be
 * later than the earliest. Returns 0 if there is no such deadline. Does not change e->due_us. */
int64_t rtmr_queue_find_offer(struct rtmr_queue *q, struct rtmr_entry *e, struct rtmr_moment now,
                              struct rtmr_moment again);
/* Inserts the waiting @e, which the queue then owns, and updates the estimates of later jobs. Right
 * after rtmr_queue_test_admission() has accepted the same @e, the tested values are used. */
void rtmr_queue_insert_owned(struct rtmr_queue *q, struct rtmr_entry *e, int64_t now_us,
                             const struct rtmr_busy *busy);
/* Inserts @e, a job that was not admitted here, as waiting or among the started jobs by started_us;
 * the queue then owns @e. Its estimate is its deadline until rtmr_queue_replan_with_held_slots(),
 * which must be called before the next test. */
void rtmr_queue_adopt_owned(struct rtmr_queue *q, struct rtmr_entry *e, int64_t now_us);
/* Notes that the first task of @e starts. Returns the first place whose key changed; the keys of
 * all places up to that of @e changed, but not their order. Returns a place after @e if no key
 * changed. Does not change estimates. */
size_t rtmr_queue_mark_started(struct rtmr_queue *q, struct rtmr_entry *e, int64_t now_us);
/* Adds the end of an attempt of @e at @at_us. */
void rtmr_entry_add_task_end(struct rtmr_entry *e, enum base_task_kind kind, int64_t at_us);
/* Sets the number of slots kept for the reduces of @e. O(log n). */
void rtmr_queue_set_reserve(struct rtmr_queue *q, struct rtmr_entry *e, int64_t slots);
/* Returns the number of slots kept for the first @n jobs of the queue. O(log n). */
int64_t rtmr_queue_sum_reserved_of_first(const struct rtmr_queue *q, size_t n);
/* Marks @e as finished. Its link stays as planned or, with @use_actual_ends (only for a job that
 * did all of its work), becomes the actual finish times, and later estimates are updated: Algorithm
 * V. Finished jobs at the front become part of the base and are freed, perhaps @e, too. */
void rtmr_queue_finish_job(struct rtmr_queue *q, struct rtmr_entry *e, int64_t now_us,
                           bool use_actual_ends);
/* Takes @e out of the queue, as if it had never been there; the caller owns it again. Later
 * estimates are not updated: they can only be too late. */
void rtmr_queue_take_out(struct rtmr_queue *q, struct rtmr_entry *e);
/* Occupies slots in the base until the given times (ascending), for running attempts that are not
 * among any entry's tasks to place. */
void rtmr_queue_occupy_base(struct rtmr_queue *q, enum base_task_kind kind,
                            const struct slot_run *until, size_t n);
/* Puts the slots held in @busy before the first link, drops those noted with all links, and
 * estimates all jobs again. Used after the adoption of jobs that did not start by the rules of this
 * queue. */
void rtmr_queue_replan_with_held_slots(struct rtmr_queue *q, int64_t now_us,
                                       const struct rtmr_busy *busy);
/* Drops the history of the profiles: every slot is free at @now_us, until rtmr_queue_occupy_base()
 * is called. The caller then sets n and after_us of every unfinished job to the work left, and
 * calls rtmr_queue_replan_with_held_slots(). */
void rtmr_queue_forget_history(struct rtmr_queue *q, const int64_t slots[BASE_TASK_KINDS],
                               int64_t now_us);
/* Changes the number of slots in the base. Does not update estimates. */
void rtmr_queue_resize(struct rtmr_queue *q, const int64_t slots[BASE_TASK_KINDS], int64_t now_us);
/* Estimates the jobs from place @from on again: started jobs from their start, waiting jobs from
 * @now_us. */
void rtmr_queue_update_estimates(struct rtmr_queue *q, size_t from, int64_t now_us);

#endif
