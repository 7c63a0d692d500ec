/* policies/reservation.h - a promise of slots at a later time, as policies see it.
 *
 * A reservation asks for containers in stages: @containers of them, each for duration_us, at least
 * @width of them (a gang) at the same time, between the arrival and the deadline. A policy that can
 * promise (policy_ops.reserve) chooses the times: the bookings. From then on it keeps these slots
 * for the jobs of the reservation. SOURCE: Curino et al., "Reservation-based Scheduling: If You're
 * Late Don't Blame Us!", SoCC 2014, sections 3 and 4; Hadoop's ReservationSystem documentation. */
#ifndef CREEL_POLICIES_RESERVATION_H
#define CREEL_POLICIES_RESERVATION_H

#include <stddef.h>
#include <stdint.h>

#include "base/task_kind.h"

/* Bounds on one reservation, so that its times are found in a few milliseconds. */
#define POLICY_STAGES_MAX 100
#define POLICY_GANGS_MAX  10000 /* of one stage */

enum policy_interpreter {
    POLICY_STAGES_ANY,         /* one of the stages suffices */
    POLICY_STAGES_ALL,         /* all of them, at any time */
    POLICY_STAGES_ORDER,       /* each begins when the one before it has ended, or later */
    POLICY_STAGES_ORDER_NO_GAP /* each begins when the one before it ends */
};
struct policy_stage {
    enum base_task_kind kind;
    int32_t containers, width; /* 1 <= width <= containers */
    int64_t duration_us;       /* > 0 */
};
/* @n slots of the kind of stage @stage from start_us on until end_us. */
struct policy_booking {
    int64_t start_us, end_us, n;
    size_t stage;
};
struct policy_reservation {
    int64_t cluster_ts; /* with @seq: its id */
    int32_t seq;
    int64_t submit_us;
    int64_t arrival_us, deadline_us;
    enum policy_interpreter interpreter;
    struct policy_stage *stages; /* set by the caller */
    size_t stages_n;
    /* Chosen by the policy, allocated with base_alloc(), freed by the caller; by stage, then by
     * time, and never two of a stage at a time. */
    struct policy_booking *bookings;
    size_t bookings_n;
    void *own; /* of the active policy, while it keeps the reservation */
};

/* Return the time at which the first booking begins, and the time at which the last one ends. */
int64_t policy_reservation_start_us(const struct policy_reservation *r);
int64_t policy_reservation_end_us(const struct policy_reservation *r);

#endif
