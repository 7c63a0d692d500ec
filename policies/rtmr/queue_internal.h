/* policies/rtmr/queue_internal.h - links of the queue's chain of profiles, shared by queue.c and
 * offer.c. */
#ifndef CREEL_POLICIES_RTMR_QUEUE_INTERNAL_H
#define CREEL_POLICIES_RTMR_QUEUE_INTERNAL_H

#include "policies/rtmr/queue.h"

/* Returns the place that @e would have with the deadline @due_us. */
size_t rtmr_queue_place_for_deadline(const struct rtmr_queue *q, const struct rtmr_entry *e,
                                     int64_t due_us);
/* Sets q->work to the profiles before place @at. */
void rtmr_queue_compute_profiles_before(struct rtmr_queue *q, size_t at);
/* Algorithm I at place @at: returns true when @e may enter there with the deadline @due_us. */
bool rtmr_queue_test_admission_at(struct rtmr_queue *q, struct rtmr_entry *e, size_t at,
                                  int64_t due_us, int64_t now_us, const struct rtmr_busy *busy,
                                  struct rtmr_verdict *out);
/* Applies the link of @e to the profiles @p: Algorithms II and III from @ref_us, or VI for a job
 * with actual finish times. @held: first apply the held slots noted with @e. Returns the finish of
 * @e. */
int64_t rtmr_link_apply(struct rtmr_queue *q, const struct rtmr_entry *e, int64_t ref_us, bool held,
                        struct slot_profile p[BASE_TASK_KINDS]);
/* Stores in @e the part of @busy that is not part of the base or of a link before place @at. */
void rtmr_link_set_held_slots(const struct rtmr_queue *q, struct rtmr_entry *e, size_t at,
                              int64_t now_us, const struct rtmr_busy *busy);
void rtmr_link_clear_held_slots(struct rtmr_entry *e);

#endif
