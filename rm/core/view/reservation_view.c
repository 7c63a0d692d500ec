/* Plain copies for readers: reservations. */
#include "rm/core/view/view_internal.h"

static void add_reservation(const struct rm_reservation *r, struct rm_views *out)
{
    struct rm_reservation_request *requests = rm_view_alloc(out, r->pr.stages_n * sizeof *requests);
    struct rm_booking_view *bookings = rm_view_alloc(out, r->pr.bookings_n * sizeof *bookings);

    for (size_t i = 0; i < r->pr.stages_n; i++)
        requests[i] = (struct rm_reservation_request){.capability = r->capability[i],
                                                      .containers = r->pr.stages[i].containers,
                                                      .width = r->pr.stages[i].width,
                                                      .duration_us = r->pr.stages[i].duration_us};
    for (size_t i = 0; i < r->pr.bookings_n; i++)
        bookings[i] = (struct rm_booking_view){.start_us = r->pr.bookings[i].start_us,
                                               .end_us = r->pr.bookings[i].end_us,
                                               .n = r->pr.bookings[i].n,
                                               .request = r->pr.bookings[i].stage};
    out->reservations = rm_view_array_reserve_one(out->reservations, out->reservations_n,
                                                  sizeof *out->reservations);
    out->reservations[out->reservations_n++] =
        (struct rm_reservation_view){.id = r->id,
                                     .queue = rm_view_copy_text(out, r->queue),
                                     .user = rm_view_copy_text(out, r->user),
                                     .name = rm_view_copy_text(out, r->name),
                                     .recurrence = rm_view_copy_text(out, r->recurrence),
                                     .priority = r->priority,
                                     .accepted_us = r->pr.submit_us,
                                     .arrival_us = r->pr.arrival_us,
                                     .deadline_us = r->pr.deadline_us,
                                     .interpreter = r->pr.interpreter,
                                     .requests = requests,
                                     .requests_n = r->pr.stages_n,
                                     .bookings = bookings,
                                     .bookings_n = r->pr.bookings_n};
}

bool rm_view_can_reserve(const struct rm_core *c)
{
    return c->ops->reserve != NULL;
}

bool rm_view_queue_is_reservable(const struct rm_core *c, const char *queue)
{
    int32_t at = policy_queues_find(&c->tree, queue);

    return at >= 0 && c->tree.v[at].reservable;
}

void rm_view_reservations(const struct rm_core *c, const char *queue, struct base_app_id id,
                          int64_t from_us, int64_t until_us, struct rm_views *out)
{
    int32_t asked = policy_queues_find(&c->tree, queue);

    for (size_t i = 0; i < c->reservations.n; i++) {
        const struct rm_reservation *r = c->reservations.v[i];
        bool wanted = id.seq ? base_app_id_cmp(&r->id, &id) == 0
                             : policy_reservation_start_us(&r->pr) <= until_us &&
                                   policy_reservation_end_us(&r->pr) > from_us;

        if (wanted && asked >= 0 && policy_queues_find(&c->tree, r->queue) == asked)
            add_reservation(r, out);
    }
}
