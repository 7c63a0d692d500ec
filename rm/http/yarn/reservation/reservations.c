/* rm/http/yarn/reservation/reservations.c - makes, changes, deletes and lists reservations.
 * SOURCE: Hadoop's ResourceManager REST APIs; the recordings special/reserve, reservation-* and
 * err-reservation-*. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/audit/audit.h"
#include "api/yarn/reservation.h"
#include "rm/config/reservable.h"
#include "rm/core/reserve/reservation.h"
#include "rm/http/yarn/reservation/definition.h"

#define BODY_MAX (1024 * 1024)

/* ---------------------------------------------------------------- ids */
static void answer_new_reservation_id(void *user, const struct rm_effect *fx)
{
    struct yarn_write *w = user;
    char id[BASE_ID_TEXT_MAX];
    struct yarn_new_reservation shown;

    if (!yarn_is_error_reply(fx)) {
        shown.id = base_reservation_id_text(&fx->u.reply.app_id, id);
        yarn_answer(w->rq, 200, &yarn_shape_new_reservation, API_M_BARE, &shown);
    } else if (fx->u.reply.code == -BASE_EINVAL) {
        api_answer_error(w->rq, 503, "YarnRuntimeException",
                         "Unable to create new reservation from RM web service");
    } else {
        yarn_answer_refusal(w->rq, fx);
    }
    yarn_write_unref(w);
}

static void post_new_reservation(struct api_request *rq, void *user)
{
    if (rm_reservable_is_enabled(rm_backend_conf(user)))
        yarn_write_post(yarn_write_new(rq, RM_EV_NEW_RESERVATION_ID), user,
                        answer_new_reservation_id);
    else
        api_answer_error(rq, 503, "YarnRuntimeException",
                         "Unable to create new reservation from RM web service");
}

/* Parses the id @text. Returns false when it is not valid; @rq has then been answered. NULL or ""
 * sets *@id to zero. */
static bool parse_reservation_id(struct api_request *rq, const char *text, struct base_app_id *id)
{
    *id = (struct base_app_id){0};
    if (!text || !*text || base_reservation_id_parse(text, id, NULL) == 0)
        return true;
    api_answer_error(rq, 404, "IOException", "The specified reservation id is invalid: %s", text);
    return false;
}

/* ---------------------------------------------------------------- changes */
static void free_reservation_call_parts(struct rm_call *c)
{
    struct yarn_reservation_call *r = (struct yarn_reservation_call *)c;

    json_decref(r->body);
    free(r->caller);
    free(r->requests);
}

static void free_unposted_call(struct yarn_reservation_call *r)
{
    free_reservation_call_parts(&r->call);
    free(r);
}

static void answer_reservation_change(void *user, const struct rm_effect *fx)
{
    struct yarn_reservation_call *r = user;
    struct base_buf none = {0};

    if (yarn_is_error_reply(fx) && fx->u.reply.code == -BASE_ENOTFOUND)
        api_answer_error(r->call.rq, 400, "IllegalArgumentException", "%s", fx->u.reply.text);
    else if (yarn_is_error_reply(fx))
        yarn_answer_refusal(r->call.rq, fx);
    else if (r->answer)
        yarn_answer(r->call.rq, 200, r->answer, API_M_BARE, &none);
    else
        api_answer(r->call.rq, 202, api_wanted_type(r->call.rq), &none);
    rm_call_unref(&r->call);
}

/* Starts a call for the request, whose body has the root @root. Returns NULL when the body is not
 * valid; @rq has then been answered. */
static struct yarn_reservation_call *
begin_reservation_call(struct api_request *rq, enum rm_event_kind kind, const char *root)
{
    struct yarn_reservation_call *r;
    json_t *body = yarn_read_body(rq, root, NULL);

    if (!body)
        return NULL;
    r = base_alloc(sizeof *r);
    r->body = body;
    r->caller = base_strdup(api_caller(rq));
    r->call.drop = free_reservation_call_parts;
    r->call.ev.kind = kind;
    r->call.ev.caller = r->caller;
    return r;
}

/* Reads the definition (only when @defined is true) and the id. Returns false when the request is
 * refused; @rq has then been answered. @no_id: why a request without an id is refused. */
static bool read_id_and_definition(struct api_request *rq, struct yarn_reservation_call *r,
                                   bool defined, const char *no_id)
{
    struct rm_event *ev = &r->call.ev;
    const char *id = json_string_value(json_object_get(r->body, "reservation-id"));
    struct base_error err;

    if (defined && yarn_reservation_decode(r, r->body, &err) < 0) {
        yarn_bad_request(rq, "%s", err.text);
        return false;
    }
    if (ev->kind == RM_EV_UPDATE_RESERVATION && !id) {
        yarn_bad_request(rq, "%s", no_id);
        return false;
    }
    if (!parse_reservation_id(rq, id, &ev->u.reservation.id))
        return false;
    api_audit_add_member(rq, "reservation", id ? id : "");
    if (!rm_reservable_is_enabled(rm_backend_conf(api_server_user_data(rq)))) {
        yarn_bad_request(rq, RM_RESERVATIONS_OFF);
        return false;
    }
    if (!id || !*id) {
        yarn_bad_request(rq, "%s", no_id);
        return false;
    }
    return true;
}

static void submit_reservation(struct api_request *rq, void *user)
{
    struct yarn_reservation_call *r =
        begin_reservation_call(rq, RM_EV_SUBMIT_RESERVATION, "reservation-submission-context");
    const char *queue;

    if (!r)
        return;
    if (!read_id_and_definition(
            rq, r, true,
            "Reservation id cannot be null. Please try again specifying a valid reservation "
            "id by creating a new reservation id.")) {
        free_unposted_call(r);
        return;
    }
    queue = json_string_value(json_object_get(r->body, "queue"));
    r->call.ev.u.reservation.queue = queue;
    r->call.ev.u.reservation.reservable =
        queue && rm_reservable_queue_is_configured(rm_backend_conf(user), queue);
    api_audit_add_member(rq, "queue", queue ? queue : "");
    rm_call_post(&r->call, user, rq, answer_reservation_change);
}

static void update_reservation(struct api_request *rq, void *user)
{
    struct yarn_reservation_call *r =
        begin_reservation_call(rq, RM_EV_UPDATE_RESERVATION, "reservation-update-context");

    if (!r)
        return;
    r->answer = &yarn_shape_reservation_updated;
    if (read_id_and_definition(rq, r, true,
                               "Update operations must specify an existing ReservationId"))
        rm_call_post(&r->call, user, rq, answer_reservation_change);
    else
        free_unposted_call(r);
}

static void delete_reservation(struct api_request *rq, void *user)
{
    struct yarn_reservation_call *r =
        begin_reservation_call(rq, RM_EV_DELETE_RESERVATION, "reservation-delete-context");

    if (!r)
        return;
    r->answer = &yarn_shape_reservation_deleted;
    if (read_id_and_definition(
            rq, r, false,
            "Missing reservation id. Please try again by specifying a reservation id."))
        rm_call_post(&r->call, user, rq, answer_reservation_change);
    else
        free_unposted_call(r);
}

/* ---------------------------------------------------------------- the list */
struct shown_reservation {
    char id[BASE_ID_TEXT_MAX];
    struct yarn_reservation_request *requests;
    struct yarn_resource_allocation *allocations;
};
struct change { /* of the reserved resources, at a time */
    int64_t at_us;
    struct rm_res by;
};

static int compare_changes(const void *a, const void *b)
{
    const struct change *x = a, *y = b;

    return (x->at_us > y->at_us) - (x->at_us < y->at_us);
}

static void set_resource_change(struct change *out, int64_t at_us, const struct rm_res *each,
                                int64_t n)
{
    out->at_us = at_us;
    for (int r = 0; r < RM_RES_NAMES; r++)
        out->by.v[r] = each->v[r] * n;
}

/* Lists the intervals in which resources are reserved, each with the sum over all requests. Returns
 * the number of intervals. */
static size_t fill_reserved_intervals(const struct yarn_context *f,
                                      const struct rm_reservation_view *v,
                                      struct yarn_resource_allocation *out)
{
    struct change *changes = base_alloc(2 * v->bookings_n * sizeof *changes);
    struct rm_res kept = {{0}}, before = {{0}};
    size_t n = 0;

    for (size_t i = 0; i < v->bookings_n; i++) {
        const struct rm_booking_view *b = &v->bookings[i];
        const struct rm_res *each = &v->requests[b->request].capability;

        set_resource_change(&changes[2 * i], b->start_us, each, b->n);
        set_resource_change(&changes[2 * i + 1], b->end_us, each, -b->n);
    }
    qsort(changes, 2 * v->bookings_n, sizeof *changes, compare_changes);
    for (size_t i = 0; i < 2 * v->bookings_n; i++) {
        for (int r = 0; r < RM_RES_NAMES; r++)
            kept.v[r] += changes[i].by.v[r];
        if ((i + 1 < 2 * v->bookings_n && changes[i + 1].at_us == changes[i].at_us) ||
            memcmp(&kept, &before, sizeof kept) == 0)
            continue;
        if (n && !out[n - 1].end_ms)
            out[n - 1].end_ms = changes[i].at_us / 1000;
        before = kept;
        if (!kept.v[RM_RES_MAP_SLOTS] && !kept.v[RM_RES_REDUCE_SLOTS])
            continue;
        out[n].start_ms = changes[i].at_us / 1000;
        yarn_resource_fill(f, &out[n++].resource, &kept);
    }
    free(changes);
    return n;
}

static void fill_reservation(const struct yarn_context *f, const struct rm_reservation_view *v,
                             bool with_allocations, struct yarn_reservation *out,
                             struct shown_reservation *own)
{
    own->requests = base_alloc(v->requests_n * sizeof *own->requests);
    own->allocations = base_alloc(2 * v->bookings_n * sizeof *own->allocations);
    for (size_t i = 0; i < v->requests_n; i++) {
        const struct rm_reservation_request *q = &v->requests[i];

        yarn_resource_fill(f, &own->requests[i].capability, &q->capability);
        own->requests[i].min_concurrency = q->width;
        own->requests[i].containers = q->containers;
        own->requests[i].duration_ms = q->duration_us / 1000;
    }
    *out = (struct yarn_reservation){
        .accepted_ms = v->accepted_us / 1000,
        .user = v->user,
        .id = base_reservation_id_text(&v->id, own->id),
        .definition = {.arrival_ms = v->arrival_us / 1000,
                       .deadline_ms = v->deadline_us / 1000,
                       .requests = {.interpreter = v->interpreter,
                                    .list = {.items = own->requests,
                                             .n = v->requests_n,
                                             .stride = sizeof *own->requests}},
                       .name = v->name,
                       .priority = v->priority,
                       .recurrence = v->recurrence}};
    if (with_allocations)
        out->allocations = (struct api_list){.items = own->allocations,
                                             .n = fill_reserved_intervals(f, v, own->allocations),
                                             .stride = sizeof *own->allocations};
}

static void answer_reservation_list(struct api_request *rq, struct rm_backend *b,
                                    const struct rm_views *v)
{
    const char *all = api_query(rq, "include-resource-allocations");
    struct shown_reservation *own = base_alloc(v->reservations_n * sizeof *own);
    struct yarn_reservation *items = base_alloc(v->reservations_n * sizeof *items);
    struct yarn_reservations shown = {
        .list = {.items = items, .n = v->reservations_n, .stride = sizeof *items}};
    struct yarn_context f;

    yarn_context_read(b, &f);
    for (size_t i = 0; i < v->reservations_n; i++)
        fill_reservation(&f, &v->reservations[i], all && strcasecmp(all, "true") == 0, &items[i],
                         &own[i]);
    yarn_answer(rq, 200, &yarn_shape_reservations, API_M_BARE, &shown);
    for (size_t i = 0; i < v->reservations_n; i++) {
        free(own[i].requests);
        free(own[i].allocations);
    }
    free(items);
    free(own);
    yarn_context_free(&f);
}

/* Reads a time in ms; *@out keeps its value when the parameter is absent. Returns false when it is
 * not a number; @rq has then been answered. */
static bool read_time(struct api_request *rq, const char *name, int64_t *out)
{
    const char *text = api_query(rq, name);

    if (!text || yarn_parse_long(text, out))
        return true;
    api_answer_error(rq, 503, "QueryParamException",
                     "java.lang.NumberFormatException: For input string: \"%s\"", text);
    return false;
}

static int64_t ms_to_us_saturating(int64_t ms)
{
    return ms > INT64_MAX / 1000 ? INT64_MAX : ms * 1000;
}

static void list_reservations(struct api_request *rq, void *user)
{
    const struct base_conf *conf = rm_backend_conf(user);
    const char *queue = api_query(rq, "queue");
    int64_t from_ms = 0, until_ms = -1;
    const struct rm_core *core;
    struct rm_views v = {0};
    struct base_app_id id;
    bool can_reserve, reservable;

    if (!read_time(rq, "start-time", &from_ms) || !read_time(rq, "end-time", &until_ms))
        return;
    from_ms = from_ms > 0 ? from_ms : 0;
    until_ms = until_ms >= 0 ? until_ms : INT64_MAX;
    queue = queue ? queue : "default";
    core = rm_backend_lock_core(user);
    can_reserve = rm_view_can_reserve(core);
    reservable = rm_view_queue_is_reservable(core, queue);
    rm_backend_unlock_core(user);
    if (!can_reserve || !rm_reservable_is_enabled(conf)) {
        yarn_bad_request(rq, RM_RESERVATIONS_OFF);
    } else if (until_ms < from_ms) {
        yarn_bad_request(rq,
                         "The specified end time must be greater than the specified start time.");
    } else if (!*queue) {
        yarn_bad_request(
            rq, "The queue is not specified. Please try again with a valid reservable queue.");
    } else if (!reservable && !rm_reservable_queue_is_configured(conf, queue)) {
        yarn_bad_request(rq, RM_NOT_RESERVABLE, queue);
    } else if (parse_reservation_id(rq, api_query(rq, "reservation-id"), &id)) {
        rm_view_reservations(rm_backend_lock_core(user), queue, id, ms_to_us_saturating(from_ms),
                             ms_to_us_saturating(until_ms), &v);
        rm_backend_unlock_core(user);
        answer_reservation_list(rq, user, &v);
        rm_views_free(&v);
    }
}

#define RESERVATION YARN_CLUSTER "/reservation"
/* clang-format off */
const struct api_route rm_yarn_reservations_routes[] = {
    {"POST", RESERVATION "/new-reservation", API_ROLE_WRITE, 0, post_new_reservation, 0},
    {"POST", RESERVATION "/submit",          API_ROLE_WRITE, BODY_MAX, submit_reservation, 0},
    {"POST", RESERVATION "/update",          API_ROLE_WRITE, BODY_MAX, update_reservation, 0},
    {"POST", RESERVATION "/delete",          API_ROLE_WRITE, BODY_MAX, delete_reservation, 0},
    {"GET",  RESERVATION "/list",            API_ROLE_READ,  0, list_reservations, 0},
};
/* clang-format on */
const size_t rm_yarn_reservations_routes_n =
    sizeof rm_yarn_reservations_routes / sizeof rm_yarn_reservations_routes[0];
