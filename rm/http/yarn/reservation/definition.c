#include "rm/http/yarn/reservation/definition.h"

#include <string.h>

#include "policies/reservation.h"
#include "rm/http/app_json.h"

#define MS_MAX      (INT64_MAX / 8000) /* the core's times are smaller than INT64_MAX / 8 us */
#define REDUCE_SLOT "reduce-slots"

/* Returns the number of items of a member that may be a list or a single item. */
static size_t count_list_or_single(const json_t *member)
{
    return json_is_array(member) ? json_array_size(member) : member && !json_is_null(member);
}

static const json_t *get_item_or_single(const json_t *member, size_t i)
{
    return json_is_array(member) ? json_array_get(member, i) : member;
}

/* Returns true when the capability asks for a reduce slot, a resource of Creel's; otherwise it asks
 * for a map slot. */
static bool wants_reduce_slot(const json_t *capability)
{
    const json_t *list =
        json_object_get(json_object_get(capability, "resourceInformations"), "resourceInformation");

    for (size_t i = 0; i < count_list_or_single(list); i++) {
        const json_t *item = get_item_or_single(list, i);
        const char *name = json_string_value(json_object_get(item, "name"));

        if (name && strcmp(name, REDUCE_SLOT) == 0 &&
            rm_yarn_json_int_or_default(item, "value", 0, INT64_MAX, 0) > 0)
            return true;
    }
    return false;
}

static int64_t read_ms_as_us(const json_t *obj, const char *name)
{
    return rm_yarn_json_int_or_default(obj, name, -MS_MAX, MS_MAX, 0) * 1000;
}

static int decode_request(const json_t *j, size_t i, struct rm_reservation_request *out,
                          struct base_error *err)
{
    const json_t *capability = json_object_get(j, "capability");
    struct rm_res *res = &out->capability;

    *out = (struct rm_reservation_request){
        .containers = rm_yarn_json_int_or_default(j, "num-containers", INT32_MIN, INT32_MAX, 0),
        .width = rm_yarn_json_int_or_default(j, "min-concurrency", INT32_MIN, INT32_MAX, 0),
        .duration_us = read_ms_as_us(j, "duration")};
    if (!json_is_object(capability))
        return base_error_set(err, -BASE_EINVAL,
                              "reservation-request %zu: capability is missing, memory and vCores "
                              "are expected in it",
                              i + 1);
    res->v[RM_RES_MEMORY_MB] =
        rm_yarn_json_int_or_default(capability, "memory", INT64_MIN, INT64_MAX, 0);
    res->v[RM_RES_VCORES] =
        rm_yarn_json_int_or_default(capability, "vCores", INT32_MIN, INT32_MAX, 0);
    if (res->v[RM_RES_MEMORY_MB] < 0 || res->v[RM_RES_MEMORY_MB] > INT32_MAX ||
        res->v[RM_RES_VCORES] < 0)
        return base_error_set(err, -BASE_EINVAL,
                              "reservation-request %zu: memory and vCores of the capability must "
                              "be from 0 to %d",
                              i + 1, INT32_MAX);
    res->v[wants_reduce_slot(capability) ? RM_RES_REDUCE_SLOTS : RM_RES_MAP_SLOTS] = 1;
    return 0;
}

int yarn_reservation_decode(struct yarn_reservation_call *r, const json_t *body,
                            struct base_error *err)
{
    struct rm_event *ev = &r->call.ev;
    const json_t *definition = json_object_get(body, "reservation-definition"),
                 *requests = json_object_get(definition, "reservation-requests"),
                 *list = json_object_get(requests, "reservation-request");
    const char *recurrence;
    int rc = 0;

    if (!json_is_object(definition))
        return base_error_set(err, -BASE_EINVAL, "Input ReservationDefinition should not be null");
    ev->u.reservation.n = count_list_or_single(list);
    if (!ev->u.reservation.n)
        return base_error_set(
            err, -BASE_EINVAL,
            "The ReservationDefinition should contain at least one ReservationRequest");
    if (ev->u.reservation.n > POLICY_STAGES_MAX)
        return base_error_set(err, -BASE_EINVAL, "%zu reservation-requests, at most %d are taken",
                              ev->u.reservation.n, POLICY_STAGES_MAX);
    ev->u.reservation.arrival_us = read_ms_as_us(definition, "arrival");
    if (ev->u.reservation.arrival_us < 0) /* long past: now; no record has such a time */
        ev->u.reservation.arrival_us = 0;
    ev->u.reservation.deadline_us = read_ms_as_us(definition, "deadline");
    ev->u.reservation.name = json_string_value(json_object_get(definition, "reservation-name"));
    ev->u.reservation.priority =
        (int32_t)rm_yarn_json_int_or_default(definition, "priority", INT32_MIN, INT32_MAX, 0);
    recurrence = json_string_value(json_object_get(definition, "recurrence-expression"));
    ev->u.reservation.recurrence = recurrence && *recurrence ? recurrence : "0";
    ev->u.reservation.interpreter = rm_yarn_json_int_or_default(
        requests, "reservation-request-interpreter", INT32_MIN, INT32_MAX, POLICY_STAGES_ANY);
    r->requests = base_alloc(ev->u.reservation.n * sizeof *r->requests);
    ev->u.reservation.requests = r->requests;
    for (size_t i = 0; i < ev->u.reservation.n && rc == 0; i++)
        rc = decode_request(get_item_or_single(list, i), i, &r->requests[i], err);
    return rc;
}
