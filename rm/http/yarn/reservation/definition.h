/* rm/http/yarn/reservation/definition.h - decodes what clients send about reservations. */
#ifndef CREEL_RM_HTTP_YARN_RESERVATION_DEFINITION_H
#define CREEL_RM_HTTP_YARN_RESERVATION_DEFINITION_H

#include "rm/http/core_call.h"
#include "rm/http/yarn/write.h"

/* A request that changes a reservation: the event, and the data that the event points to. */
struct yarn_reservation_call {
    struct rm_call call; /* first */
    json_t *body;        /* owns most texts */
    char *caller;
    struct rm_reservation_request *requests;
    const struct api_shape *answer; /* document for a success; NULL: 202 without one */
};

/* Fills the event's definition from the member reservation-definition of @body. Numbers may be
 * quoted; as in YARN, text that is not a number counts as 0. Returns 0, or -BASE_EINVAL with the
 * message. */
int yarn_reservation_decode(struct yarn_reservation_call *r, const json_t *body,
                            struct base_error *err);

#endif
