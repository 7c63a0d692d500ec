#include "rm/core/app/health.h"

#include "rm/core/state.h"

#define SECOND_US INT64_C(1000000)

/* Within a second, an allocation costs one comparison; only the first of a second costs a
 * division. */
static void count_assigned_this_second(struct rm_assigned *a, int64_t now_us)
{
    if (now_us >= a->begin_us + SECOND_US) {
        int64_t begin_us = now_us - now_us % SECOND_US;

        a->count_before = begin_us == a->begin_us + SECOND_US ? a->count : 0;
        a->begin_us = begin_us;
        a->count = 0;
    }
    a->count++;
}

int64_t rm_health_assigned_last_second(const struct rm_core *c)
{
    const struct rm_assigned *a = &c->assigned;
    int64_t passed = (c->now_us - a->begin_us) / SECOND_US;

    return passed == 0 ? a->count_before : passed == 1 ? a->count : 0;
}

void rm_health_note_operation(struct rm_core *c, enum rm_operation_kind kind,
                              const struct rm_container *ct)
{
    struct rm_operation *o = &c->operations[kind];

    if (o->at_us != c->now_us) {
        o->at_us = c->now_us;
        o->count = 0;
        o->resource = (struct rm_res){{0}};
    }
    if (kind == RM_OPERATION_ALLOCATION)
        count_assigned_this_second(&c->assigned, c->now_us);
    o->known = true;
    o->container = ct->id;
    o->node = ct->node->index;
    o->node_born = ct->node->born;
    o->queue = ct->app->queue_index;
    o->count++;
    for (int i = 0; i < RM_RES_NAMES; i++)
        o->resource.v[i] += ct->resource.v[i];
}
