/* rm/core/reserve/reservation.h - reservations: slots that the policy has promised for a later time
 * to the jobs and applications submitted with the reservation's id.
 *
 *   submitted --> stored --> (its first booking begins) in use --> (the last one ends) forgotten
 *                                                             deleted: forgotten at once
 *
 * The policy knows a reservation (policy_ops.reserve) as soon as it is accepted. A job joins one
 * when the job is accepted, after the first booking has begun, as in YARN; when the reservation
 * ends, the job goes on without it. A timer runs at each change of the number of booked slots.
 * SOURCE: Hadoop's ReservationSystem documentation; ReservationInputValidator for refusals and
 * their messages; the recordings special/reserve. */
#ifndef CREEL_RM_CORE_RESERVE_RESERVATION_H
#define CREEL_RM_CORE_RESERVE_RESERVATION_H

#include "policies/reservation.h"
#include "rm/core/core.h"
#include "rm/core/step_memory.h"

struct rm_app;

#define RM_RESERVATIONS_MAX 1000
/* Ids of forgotten reservations that are remembered, to tell them from ids that never existed. */
#define RM_RESERVATIONS_ENDED_KEPT 1000

/* Message about a request when the policy promises nothing to reservations. */
#define RM_RESERVATIONS_OFF "Reservation is not enabled. Please enable & try again"
/* Message about a queue that may not have reservations; its argument is the queue. */
#define RM_NOT_RESERVABLE                                                                          \
    "The specified queue: %s is not managed by reservation system. Please try again with a valid " \
    "reservable queue."

struct rm_reservation {
    struct policy_reservation pr; /* first; submit_us is the time of acceptance */
    struct base_app_id id;
    char *queue, *user, *name, *recurrence; /* @name may be NULL */
    int32_t priority;
    struct rm_res *capability; /* of each stage */
};
struct rm_reservations {
    struct rm_reservation **v; /* sorted by id */
    size_t n, cap;
    struct rm_timer timer;
    int32_t next;              /* number of the newest id of this instance */
    struct base_app_id *ended; /* ring of the ids that ended last */
    size_t ended_n;            /* ids ever put into the ring */
};

/* Returns the reservation; NULL: there is none. */
struct rm_reservation *rm_reservation_find(const struct rm_core *c, struct base_app_id id);
/* Returns what @a joins as it enters the policy: the reservation it was submitted with, if the
 * reservation has begun and belongs to the application's queue; NULL: none. */
struct policy_reservation *rm_reservation_usable_by_app(const struct rm_core *c,
                                                        const struct rm_app *a);
/* Returns YARN's words for why an application cannot be accepted with the reservation that it
 * names, in memory that is valid until the next step; NULL: it can be accepted, or names no
 * reservation, or the id is ignored because the policy promises nothing to reservations. */
const char *rm_reservation_explain_refused_app(struct rm_core *c, const struct rm_app *a);
/* The same for a submission that has no application yet. @queue: the queue where it is placed. */
const char *rm_reservation_explain_refusal(struct rm_core *c, struct base_app_id reservation,
                                           const char *submission, uint32_t queue);
/* Call when a booking begins or ends: tells the policy, forgets reservations that have ended, and
 * sets the timer again. */
void rm_reservations_apply_booking_changes(struct rm_core *c);
/* Tell the active policy of all reservations, or take them from it. */
void rm_reservations_enter_policy(struct rm_core *c);
void rm_reservations_leave_policy(struct rm_core *c);
/* After the records have been read: forgets reservations that have ended, and continues the
 * others. */
void rm_reservations_continue_recovered(struct rm_core *c);
void rm_reservations_free(struct rm_core *c);
void rm_reservation_free(struct rm_reservation *r);

/* rm/core/reserve/reservation_record.c: the record of @r, as rm/core/record/record.h describes it.
 * Writing returns its number; reading adds the reservation, and returns 0 or -BASE_ECORRUPT. */
uint64_t rm_reservation_store(struct rm_core *c, const struct rm_reservation *r);
void rm_reservation_remove_record(struct rm_core *c, const struct rm_reservation *r);
int rm_reservation_read(struct rm_core *c, const struct rm_record *rec, struct base_error *err);
/* Adds @r to the table; its number is not given to another reservation. */
void rm_reservation_add(struct rm_core *c, struct rm_reservation *r);
/* Takes @r out of the table; the caller owns it. */
void rm_reservation_remove(struct rm_core *c, const struct rm_reservation *r);

#endif
