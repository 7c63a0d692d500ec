/* policies/common/slot_profile.h - when the slots of a cluster become available: a sorted multiset
 * of times, stored as runs of equal times.
 *
 * A job of n identical tasks of length eps is placed by list scheduling: n times, the smallest time
 * t is taken and put back as max(t, floor) + eps. Here this is done run by run and for whole waves
 * at once. All times within eps of the smallest one are taken before any of them is taken again, so
 * a wave raises a block of runs by eps and keeps their order. A placement splits at most one run;
 * its cost is the number of runs that it touches, whatever the number of tasks and slots.
 * SOURCE: He, Lu, Swanson, "Real-Time Scheduling in MapReduce Clusters", HPCC 2013, Algorithms II
 *         (CalTm), III (CalTr) and VI (SATU); the bulk form is ours.
 * Units: microseconds. Every function is exact: equal to the same steps task by task. */
#ifndef CREEL_POLICIES_COMMON_SLOT_PROFILE_H
#define CREEL_POLICIES_COMMON_SLOT_PROFILE_H

#include <stddef.h>
#include <stdint.h>

/* Time of a slot that cannot be promised; also the result when a task finds no slot. */
#define SLOT_NEVER (INT64_MAX / 4)

struct slot_run {
    int64_t at_us, n; /* n > 0 slots are available from at_us on */
};
struct slot_profile { /* all zero: no slots; runs v[head..tail), times strictly ascending */
    struct slot_run *v;
    size_t cap, head, tail;
    int64_t slots;
    struct slot_run *block, *window; /* scratch memory, kept between calls */
    size_t block_cap, window_cap;
};

/* Sets the profile to @slots slots, all available from @at_us on. */
void slot_profile_reset(struct slot_profile *p, int64_t slots, int64_t at_us);
/* Copies the runs of @from into the memory of @to, which grows as needed. */
void slot_profile_copy(struct slot_profile *to, const struct slot_profile *from);
void slot_profile_free(struct slot_profile *p);

/* Places @n >= 0 tasks of length @eps_us > 0, none starting before @floor_us. Returns when the last
 * task ends; @floor_us for n = 0; SLOT_NEVER when a task finds no slot (the tasks before it are
 * placed). */
int64_t slot_profile_place_tasks(struct slot_profile *p, int64_t n, int64_t eps_us,
                                 int64_t floor_us);
/* SATU: replaces the smallest time by ends_us[0], then again the smallest by ends_us[1], and so on.
 * @ends_us is ascending. */
void slot_profile_replace_smallest(struct slot_profile *p, const int64_t *ends_us, size_t n);
/* Delays the smallest times to the end of what occupies their slots: pairs the times of @until
 * (ascending runs) with as many smallest times of the profile, both in sorted order, and keeps the
 * larger of each pair. When @until has more slots than the profile, only the latest times of @until
 * are used. */
void slot_profile_delay_until(struct slot_profile *p, const struct slot_run *until, size_t n);
/* Raises all times before @now_us to @now_us. */
void slot_profile_raise_to(struct slot_profile *p, int64_t now_us);
/* Makes exactly @n slots (at most all) unavailable, at SLOT_NEVER: moves the smallest times there,
 * or brings slots back at @now_us. */
void slot_profile_set_unavailable(struct slot_profile *p, int64_t n, int64_t now_us);
/* Changes the number of slots to @slots: adds slots at @now_us, or removes the smallest times. */
void slot_profile_resize(struct slot_profile *p, int64_t slots, int64_t now_us);

#endif
