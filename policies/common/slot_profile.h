/* policies/common/slot_profile.h - when the slots of a cluster become available: a sorted multiset
 * of times, kept as runs.
 *
 * A job of n identical tasks of length eps is placed by list scheduling: n times the smallest time
 * t is taken and put back as max(t, floor) + eps. That is done here run by run, and whole waves at
 * once: what lies within eps of the smallest time is taken in full before any of it is taken again,
 * so a wave raises a block by eps without changing its order. A placement splits at most one run;
 * its cost is the number of runs it touches, whatever the tasks and slots.
 * SOURCE: He, Lu, Swanson, "Real-Time Scheduling in MapReduce Clusters", HPCC 2013, Algorithms II
 *         (CalTm), III (CalTr) and VI (SATU); the bulk form is ours.
 * Units: microseconds. Every function is exact: equal to the same steps task by task. */
#ifndef CREEL_POLICIES_COMMON_SLOT_PROFILE_H
#define CREEL_POLICIES_COMMON_SLOT_PROFILE_H

#include <stddef.h>
#include <stdint.h>

#define SLOT_NEVER                                                                                 \
    (INT64_MAX / 4) /* a slot that nobody can promise; also: no placement is possible */

struct slot_run {
    int64_t at_us, n; /* n > 0 slots are available from at_us on */
};
struct slot_profile { /* zero: no slots; runs v[head..tail), times strictly ascending */
    struct slot_run *v;
    size_t cap, head, tail;
    int64_t slots;
    struct slot_run *block, *window; /* room for the work: kept between calls */
    size_t block_cap, window_cap;
};

/* All @slots available from @at_us on. */
void slot_profile_reset(struct slot_profile *p, int64_t slots, int64_t at_us);
/* @to keeps its memory. */
void slot_profile_copy(struct slot_profile *to, const struct slot_profile *from);
void slot_profile_free(struct slot_profile *p);

/* Places @n >= 0 tasks of @eps_us > 0, none before @floor_us. Returns when the last one ends:
 * @floor_us for n = 0, SLOT_NEVER when there are slots for none (what fits before is placed). */
int64_t slot_profile_place(struct slot_profile *p, int64_t n, int64_t eps_us, int64_t floor_us);
/* SATU: for each of @ends_us[0..n), ascending, the smallest time is replaced by it. */
void slot_profile_replace(struct slot_profile *p, const int64_t *ends_us, size_t n);
/* The slots of @until (times ascending), as many as it counts, are the smallest ones and are taken
 * until then: pairs in sorted order, the larger of each pair stays. More than there are slots: the
 * latest ones count. */
void slot_profile_hold(struct slot_profile *p, const struct slot_run *until, size_t n);
/* No time before @now_us. */
void slot_profile_clamp(struct slot_profile *p, int64_t now_us);
/* Exactly @n slots (at most all) are at SLOT_NEVER: smallest ones go there, or some come back at
 * @now_us. */
void slot_profile_never(struct slot_profile *p, int64_t n, int64_t now_us);
/* The cluster has @slots now: new ones are available from @now_us on, and it is the smallest that
 * are lost. */
void slot_profile_resize(struct slot_profile *p, int64_t slots, int64_t now_us);

#endif
