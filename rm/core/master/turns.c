/* The turns of masters: which of those that wait may have a slot, and the placing of a master. */
#include "rm/core/master/turns.h"

#include "rm/core/emit.h"
#include "rm/core/state.h"

/* The masters for one partition of the nodes. */
struct partition_masters {
    struct rm_waiting *waiting;
    int64_t *active;
};

/* Returns the masters for nodes with label @label; 0: without a label. */
static struct partition_masters masters_of_label(struct rm_core *c, uint32_t label)
{
    struct rm_label *l = label && label <= c->labels.n ? &c->labels.v[label - 1] : NULL;

    if (!l)
        return (struct partition_masters){&c->masters_waiting, &c->masters_active};
    return (struct partition_masters){&l->masters_waiting, &l->masters_active};
}

void rm_master_wait_for_turn(struct rm_core *c, struct rm_app *a)
{
    struct partition_masters m = masters_of_label(c, a->am_label);

    rm_waiting_masters_put(m.waiting, a);
    c->labels.masters_waiting += m.waiting != &c->masters_waiting;
}

static void dequeue_waiting_master(struct rm_core *c, struct rm_app *a)
{
    struct partition_masters m = masters_of_label(c, a->am_label);

    if (!a->waits)
        return;
    rm_waiting_masters_remove(m.waiting, a);
    c->labels.masters_waiting -= m.waiting != &c->masters_waiting;
}

void rm_master_reorder_waiting(struct rm_core *c, struct rm_app *a)
{
    if (!a->waits)
        return;
    dequeue_waiting_master(c, a);
    rm_master_wait_for_turn(c, a);
}

/* Masters take at most half of the map slots, so that the containers that they ask for find
 * room. */
int64_t rm_masters_max(const struct rm_core *c)
{
    int64_t half = c->capacity.slots[BASE_TASK_MAP] / 2;

    return half > 0 ? half : 1;
}

void rm_master_count_as_active(struct rm_core *c, struct rm_app *a)
{
    a->activated = true;
    *masters_of_label(c, a->am_label).active += a->master_slots;
}

/* Activates masters for nodes with @label as long as the active ones hold at most @max slots. One
 * that holds more is activated alone. */
static void activate_masters_up_to(struct rm_core *c, uint32_t label, int64_t max)
{
    struct partition_masters m = masters_of_label(c, label);

    while (m.waiting->n && *m.active < max) {
        struct rm_app *a = rm_waiting_masters_first(m.waiting);

        if (*m.active > 0 && *m.active + a->master_slots > max)
            return;
        dequeue_waiting_master(c, a);
        rm_master_count_as_active(c, a);
        rm_asks_update_widths(a);
        rm_app_update_demand(c, a, BASE_TASK_MAP);
    }
}

/* The masters for nodes of one label take at most half of its map slots, too. */
void rm_masters_activate_waiting(struct rm_core *c)
{
    int64_t max = rm_masters_max(c);

    activate_masters_up_to(c, 0, max);
    for (uint32_t i = 1; c->labels.masters_waiting && i <= c->labels.n; i++) {
        max = c->labels.v[i - 1].slots[BASE_TASK_MAP];
        activate_masters_up_to(c, i, max > 1 ? max / 2 : max);
    }
}

void rm_master_deactivate(struct rm_core *c, struct rm_app *a)
{
    dequeue_waiting_master(c, a);
    *masters_of_label(c, a->am_label).active -= a->activated ? a->master_slots : 0;
    a->activated = false;
}

void rm_master_place_on_node(struct rm_core *c, struct rm_app *a, struct rm_node *n)
{
    struct rm_attempt *at = rm_app_newest_attempt(a);
    struct base_container_id id = {at->id, c->conf.epoch << 40 | 1};
    struct rm_container *ct =
        rm_container_new(c, a, n, &id, BASE_TASK_MAP, &a->app->resource, true);

    rm_health_note_operation(c, RM_OPERATION_ALLOCATION, ct);
    rm_totals_count_placed(c, a, DELAY_ANY);
    ct->pulled = true;
    at->master = ct;
    at->has_master = true;
    at->master_id = id;
    at->next_num = 2;
    at->node_id = base_strdup(n->id);
    at->node_http = base_strdup(n->http);
    rm_attempt_set_state(at, RM_ATTEMPT_ALLOCATED_SAVING);
    rm_app_store_record(c, a);
    rm_defer_until_stored(c, a->saved_seq, RM_ACK_MASTER, a, at->id.attempt);
    rm_asks_update_widths(a);
    rm_app_update_demand(c, a, BASE_TASK_MAP);
}
