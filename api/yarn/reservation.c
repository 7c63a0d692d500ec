#include "api/yarn/reservation.h"

#include "api/yarn/members.h"

#define T struct yarn_new_reservation
static const struct api_member new_reservation_members[] = {S(id, "reservation-id"), END};
#undef T
const struct api_shape yarn_shape_new_reservation = {.root = "new-reservation",
                                                     .members = new_reservation_members};

static const struct api_member no_members[] = {END};
const struct api_shape yarn_shape_reservation_updated = {.root = "reservation-update-response",
                                                         .members = no_members};
const struct api_shape yarn_shape_reservation_deleted = {.root = "reservation-delete-response",
                                                         .members = no_members};

#define T struct yarn_reservation_request
static const struct api_member request_members[] = {
    O(capability, "capability", &yarn_shape_resource),
    I(min_concurrency, "min-concurrency"),
    I(containers, "num-containers"),
    I(duration_ms, "duration"),
    END,
};
#undef T
static const struct api_shape shape_request = {.members = request_members};

#define T struct yarn_reservation_requests
static const struct api_member requests_members[] = {
    I(interpreter, "reservation-request-interpreter"),
    L(list, "reservation-request", &shape_request),
    END,
};
#undef T
static const struct api_shape shape_requests = {.members = requests_members};

#define T struct yarn_reservation_definition
static const struct api_member definition_members[] = {
    I(arrival_ms, "arrival"),
    I(deadline_ms, "deadline"),
    O(requests, "reservation-requests", &shape_requests),
    S(name, "reservation-name"),
    I(priority, "priority"),
    S(recurrence, "recurrence-expression"),
    END,
};
#undef T
static const struct api_shape shape_definition = {.members = definition_members};

#define T struct yarn_resource_allocation
static const struct api_member allocation_members[] = {
    O(resource, "resource", &yarn_shape_resource),
    I(start_ms, "startTime"),
    I(end_ms, "endTime"),
    END,
};
#undef T
static const struct api_shape shape_allocation = {.members = allocation_members};

#define T struct yarn_reservation
static const struct api_member reservation_members[] = {
    I(accepted_ms, "acceptance-time"),
    S(user, "user"),
    L(allocations, "resource-allocations", &shape_allocation),
    S(id, "reservation-id"),
    O(definition, "reservation-definition", &shape_definition),
    END,
};
#undef T
static const struct api_shape shape_reservation = {.members = reservation_members};

#define T struct yarn_reservations
static const struct api_member reservations_members[] = {
    L(list, "reservations", &shape_reservation),
    END,
};
#undef T
const struct api_shape yarn_shape_reservations = {.root = "reservationListInfo",
                                                  .members = reservations_members};
