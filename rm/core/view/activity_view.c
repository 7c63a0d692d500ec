/* Plain copies for readers: recorded rounds of offers (rm/core/schedule/activity.h). */
#include <string.h>

#include "rm/core/schedule/activity.h"
#include "rm/core/state.h"
#include "rm/core/view/view_internal.h"

uint64_t rm_view_last_round_number(const struct rm_core *c)
{
    return c->activities ? c->activities->last : 0;
}

static bool round_has_app(const struct rm_round *r, const struct base_app_id *app)
{
    for (size_t i = 0; i < r->offers_n; i++)
        if (base_app_id_cmp(&r->offers[i].app, app) == 0)
            return true;
    return false;
}

static bool round_matches(const struct rm_round *r, const struct rm_round_filter *f)
{
    return r->number && r->number > f->after && r->at_us >= f->since_us &&
           (!f->node_id || strcmp(f->node_id, r->node_id) == 0) &&
           (!f->app || round_has_app(r, f->app));
}

static const char *copy_queue_path(const struct rm_core *c, uint32_t queue, struct rm_views *out)
{
    return queue < c->tree.n ? rm_view_copy_text(out, c->tree.v[queue].name) : NULL;
}

static void copy_round(const struct rm_core *c, const struct rm_round *r, struct rm_views *out)
{
    struct rm_offer_view *offers = rm_view_alloc(out, (r->offers_n + 1) * sizeof *offers);
    const char **wanting = rm_view_alloc(out, (r->wanting_n + 1) * sizeof *wanting);

    for (size_t i = 0; i < r->offers_n; i++) {
        const struct rm_round_offer *o = &r->offers[i];

        offers[i] = (struct rm_offer_view){.app = o->app,
                                           .queue = copy_queue_path(c, o->queue, out),
                                           .app_priority = o->app_priority,
                                           .request_priority = o->request_priority,
                                           .allocation_request_id = o->allocation_request_id,
                                           .container = o->container,
                                           .taken = o->taken,
                                           .has_container = o->has_container,
                                           .waits_for_locality = o->waits_for_locality,
                                           .wants_nothing = o->wants_nothing};
    }
    for (size_t i = 0; i < r->wanting_n; i++)
        wanting[i] = copy_queue_path(c, r->wanting[i], out);
    out->rounds = rm_view_array_reserve_one(out->rounds, out->rounds_n, sizeof *out->rounds);
    out->rounds[out->rounds_n++] =
        (struct rm_round_view){.number = r->number,
                               .at_us = r->at_us,
                               .node_id = rm_view_copy_text(out, r->node_id),
                               .full = r->full,
                               .offers = offers,
                               .offers_n = r->offers_n,
                               .wanting = wanting,
                               .wanting_n = r->wanting_n};
}

void rm_view_rounds(const struct rm_core *c, const struct rm_round_filter *f, struct rm_views *out)
{
    const struct rm_activities *v = c->activities;
    uint64_t first, number;
    size_t found = 0;

    if (!v)
        return;
    first = v->last > RM_ROUNDS_KEPT ? v->last - RM_ROUNDS_KEPT + 1 : 1;
    for (number = v->last; number >= first && (!f->max || found < f->max); number--)
        found += round_matches(&v->rounds[(number - 1) % RM_ROUNDS_KEPT], f);
    for (number++; number <= v->last; number++) {
        const struct rm_round *r = &v->rounds[(number - 1) % RM_ROUNDS_KEPT];

        if (round_matches(r, f))
            copy_round(c, r, out);
    }
}
