/* policies/common/booking.h - chooses the times of a reservation, given the existing bookings.
 *
 *   any, all       each stage is spread over time: its gangs go, a few at a time, to the intervals
 *                  (of the stage's duration, one after the other from the earliest time on) with
 *                  the fewest booked slots, the earliest first. All stages are booked (all), or the
 *                  first that fits (any)
 *   in order       each stage as early as it fits after the one before it
 *   without gaps   each stage as one block, as early as all of them fit
 *
 * Durations are rounded up to whole seconds, YARN's step of a plan.
 * SOURCE: Curino et al., "Reservation-based Scheduling", SoCC 2014, section 4.2 (the agents); the
 * spreading is that of Hadoop's StageAllocatorLowCostAligned, its default. */
#ifndef CREEL_POLICIES_COMMON_BOOKING_H
#define CREEL_POLICIES_COMMON_BOOKING_H

#include <stdbool.h>

#include "policies/common/slot_calendar.h"
#include "policies/reservation.h"

#define BOOKING_STEP_US INT64_C(1000000)
/* Intervals among which a stage is spread; later ones are not looked at. */
#define BOOKING_INTERVALS_MAX 1000

/* Sets r->bookings, whose old value is not freed, to times between @earliest_us and the deadline
 * such that with @booked no more than @slots of a kind are booked at any time. Returns false when
 * there are no such times; r->bookings is then empty. */
bool policy_booking_find(const struct slot_calendar booked[BASE_TASK_KINDS],
                         const int64_t slots[BASE_TASK_KINDS], int64_t earliest_us,
                         struct policy_reservation *r);

#endif
