/* api/yarn/reservation.h - YARN's reservations as plain structs, and the tables that describe them.
 * As in api/yarn/resources.h, texts are borrowed. Source of members and their order: recordings of
 * YARN 3.4.2 (special/reserve). */
#ifndef CREEL_API_YARN_RESERVATION_H
#define CREEL_API_YARN_RESERVATION_H

#include "api/yarn/resources.h"

struct yarn_new_reservation {
    const char *id;
};
struct yarn_reservation_request {
    struct yarn_resource capability;
    int64_t min_concurrency, containers, duration_ms;
};
struct yarn_reservation_requests {
    int64_t interpreter;
    struct api_list list; /* of struct yarn_reservation_request */
};
struct yarn_reservation_definition {
    int64_t arrival_ms, deadline_ms;
    struct yarn_reservation_requests requests;
    const char *name; /* NULL: none */
    int64_t priority;
    const char *recurrence;
};
struct yarn_resource_allocation { /* the resources reserved from start_ms to end_ms */
    struct yarn_resource resource;
    int64_t start_ms, end_ms;
};
struct yarn_reservation {
    int64_t accepted_ms;
    const char *user;
    struct api_list allocations; /* of struct yarn_resource_allocation */
    const char *id;
    struct yarn_reservation_definition definition;
};
struct yarn_reservations {
    struct api_list list; /* of struct yarn_reservation */
};

/* Document shapes; the answers to an update and a deletion have no members. */
extern const struct api_shape yarn_shape_new_reservation, yarn_shape_reservations,
    yarn_shape_reservation_updated, yarn_shape_reservation_deleted;

#endif
