/* The table of reservations, and who may use which. */
#include <stdlib.h>
#include <string.h>

#include "rm/core/emit.h"
#include "rm/core/state.h"

static size_t sorted_reservation_index(const struct rm_core *c, struct base_app_id id)
{
    size_t low = 0, high = c->reservations.n;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (base_app_id_cmp(&c->reservations.v[mid]->id, &id) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

struct rm_reservation *rm_reservation_find(const struct rm_core *c, struct base_app_id id)
{
    size_t at = sorted_reservation_index(c, id);

    return at < c->reservations.n && base_app_id_cmp(&c->reservations.v[at]->id, &id) == 0
               ? c->reservations.v[at]
               : NULL;
}

void rm_reservation_add(struct rm_core *c, struct rm_reservation *r)
{
    struct rm_reservations *all = &c->reservations;
    size_t at = sorted_reservation_index(c, r->id);

    base_array_grow(&all->v, all->n, &all->cap);
    memmove(all->v + at + 1, all->v + at, (all->n++ - at) * sizeof *all->v);
    all->v[at] = r;
    /* Clients may choose ids of their own; one far ahead must not use up all numbers before it. */
    if (r->id.cluster_ts == c->conf.cluster_ts_ms && r->id.seq > all->next &&
        r->id.seq - all->next <= RM_RESERVATIONS_MAX)
        all->next = r->id.seq;
}

void rm_reservation_remove(struct rm_core *c, const struct rm_reservation *r)
{
    struct rm_reservations *all = &c->reservations;
    size_t at = sorted_reservation_index(c, r->id);

    memmove(all->v + at, all->v + at + 1, (--all->n - at) * sizeof *all->v);
}

void rm_reservation_free(struct rm_reservation *r)
{
    free(r->pr.stages);
    free(r->pr.bookings);
    free(r->capability);
    free(r->queue);
    free(r->user);
    free(r->name);
    free(r->recurrence);
    free(r);
}

/* ---------------------------------------------------------------- jobs and applications */
static bool is_queue_of_reservation(const struct rm_core *c, const struct rm_reservation *r,
                                    uint32_t queue)
{
    int32_t at = policy_queues_find(&c->tree, r->queue);

    return at >= 0 && (uint32_t)at == queue;
}

static bool reservation_has_begun(const struct rm_core *c, const struct rm_reservation *r)
{
    return policy_reservation_start_us(&r->pr) <= c->now_us;
}

static struct base_app_id reservation_id_named_by_app(const struct rm_app *a)
{
    return a->job ? a->job->reservation : a->app->reservation;
}

struct policy_reservation *rm_reservation_usable_by_app(const struct rm_core *c,
                                                        const struct rm_app *a)
{
    struct base_app_id id = reservation_id_named_by_app(a);
    struct rm_reservation *r = id.seq ? rm_reservation_find(c, id) : NULL;

    return r && reservation_has_begun(c, r) && is_queue_of_reservation(c, r, a->queue_index)
               ? &r->pr
               : NULL;
}

const char *rm_reservation_explain_refusal(struct rm_core *c, struct base_app_id reservation,
                                           const char *submission, uint32_t queue)
{
    const struct rm_reservation *r;
    char id[BASE_ID_TEXT_MAX];

    if (!reservation.seq || !c->ops->reserve)
        return NULL;
    r = rm_reservation_find(c, reservation);
    base_reservation_id_text(&reservation, id);
    if (!r || !reservation_has_begun(c, r))
        return rm_scratch_printf(
            c, "Application %s submitted to a reservation which is not yet currently active: %s",
            submission, id);
    if (is_queue_of_reservation(c, r, queue))
        return NULL;
    return rm_scratch_printf(c,
                             "Application: %s submitted to a reservation %s which does not belong "
                             "to the specified queue: %s",
                             submission, id, queue == RM_NONE ? "" : c->tree.v[queue].name);
}

const char *rm_reservation_explain_refused_app(struct rm_core *c, const struct rm_app *a)
{
    char id[BASE_ID_TEXT_MAX];

    return rm_reservation_explain_refusal(c, reservation_id_named_by_app(a),
                                          base_app_id_text(&a->id, id), a->queue_index);
}
