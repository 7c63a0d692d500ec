/* policies/common/slot_calendar.h - how many slots are booked at each time: a step function.
 * Units: microseconds. */
#ifndef CREEL_POLICIES_COMMON_SLOT_CALENDAR_H
#define CREEL_POLICIES_COMMON_SLOT_CALENDAR_H

#include <stddef.h>
#include <stdint.h>

struct slot_step {
    int64_t at_us, n; /* from at_us on until the next step @n slots are booked */
};
struct slot_calendar {   /* all zero: nothing is booked */
    struct slot_step *v; /* at_us ascending, neighbours differ in n; the last n is 0 */
    size_t n, cap;
};

/* Adds @slots (negative: removes as many) from @start_us on until @end_us. O(steps). */
void slot_calendar_add(struct slot_calendar *c, int64_t start_us, int64_t end_us, int64_t slots);
/* Returns the largest number of slots booked at a time in [@from_us, @until_us); 0 if the interval
 * is empty. */
int64_t slot_calendar_peak(const struct slot_calendar *c, int64_t from_us, int64_t until_us);
/* Returns the sum over [@from_us, @until_us) of booked slots times microseconds. */
double slot_calendar_area(const struct slot_calendar *c, int64_t from_us, int64_t until_us);
/* Returns the first time after @after_us at which the number changes; INT64_MAX: it does not. */
int64_t slot_calendar_next_step_us(const struct slot_calendar *c, int64_t after_us);
/* Replaces @to by a copy of @from. */
void slot_calendar_copy(struct slot_calendar *to, const struct slot_calendar *from);
void slot_calendar_free(struct slot_calendar *c); /* @c is empty then */

static inline int64_t slot_calendar_at(const struct slot_calendar *c, int64_t at_us)
{
    return c->n ? slot_calendar_peak(c, at_us, at_us + 1) : 0;
}

#endif
