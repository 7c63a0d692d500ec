/* The turns of masters: which of those that wait may have a slot, and the placing of a master. */
#include "rm/core/master/turns.h"

#include "rm/core/emit.h"
#include "rm/core/state.h"

/* Returns the label with number @label; NULL: nodes without a label. */
static struct rm_label *find_label(struct rm_core *c, uint32_t label)
{
    return label && label <= c->labels.n ? &c->labels.v[label - 1] : NULL;
}

static struct rm_waiting *waiting_for_map_slots(struct rm_core *c, uint32_t label)
{
    struct rm_label *l = find_label(c, label);

    return l ? &l->masters_waiting : &c->masters_waiting;
}

static struct rm_waiting *waiting_for_master_slots(struct rm_core *c, uint32_t label)
{
    struct rm_label *l = find_label(c, label);

    return l ? &l->waiting_for_master_slots : &c->master_slots.waiting;
}

/* Returns the number of map slots that active masters hold on nodes with label @label. */
static int64_t *active_slots(struct rm_core *c, uint32_t label)
{
    struct rm_label *l = find_label(c, label);

    return l ? &l->masters_active : &c->masters_active;
}

/* ---- those that wait ---- */
static void hold_back(struct rm_core *c, struct rm_app *a)
{
    struct rm_master_slots *m = &c->master_slots;

    base_assert(!a->waits);
    a->waits = true;
    a->wait_at = m->held_back_n;
    base_array_grow(&m->held_back, m->held_back_n, &m->held_back_cap);
    m->held_back[m->held_back_n++] = a;
}

static void remove_from_held_back(struct rm_core *c, struct rm_app *a)
{
    struct rm_master_slots *m = &c->master_slots;

    base_assert(a->waits && a->wait_at < m->held_back_n && m->held_back[a->wait_at] == a);
    a->waits = false;
    m->held_back[a->wait_at] = m->held_back[--m->held_back_n];
    m->held_back[a->wait_at]->wait_at = a->wait_at;
}

/* Lets the master of @a, which has been given a.wait_number, wait for @what. */
static void begin_to_wait_for(struct rm_core *c, struct rm_app *a, enum rm_waits_for what)
{
    a->waits_for = what;
    switch (what) {
    case RM_WAITS_FOR_MAP_SLOTS:
        rm_waiting_masters_put(waiting_for_map_slots(c, a->am_label), a, a->wait_number);
        c->labels.masters_waiting += find_label(c, a->am_label) != NULL;
        break;
    case RM_WAITS_FOR_MASTER_SLOTS:
        rm_waiting_masters_put(waiting_for_master_slots(c, a->am_label), a, a->wait_number);
        c->master_slots.waiting_n++;
        break;
    case RM_WAITS_FOR_POLICY:
        hold_back(c, a);
        break;
    }
}

static void stop_waiting(struct rm_core *c, struct rm_app *a)
{
    if (!a->waits)
        return;
    switch (a->waits_for) {
    case RM_WAITS_FOR_MAP_SLOTS:
        rm_waiting_masters_remove(waiting_for_map_slots(c, a->am_label), a);
        c->labels.masters_waiting -= find_label(c, a->am_label) != NULL;
        break;
    case RM_WAITS_FOR_MASTER_SLOTS:
        rm_waiting_masters_remove(waiting_for_master_slots(c, a->am_label), a);
        c->master_slots.waiting_n--;
        break;
    case RM_WAITS_FOR_POLICY:
        remove_from_held_back(c, a);
        break;
    }
}

void rm_master_wait_for_turn(struct rm_core *c, struct rm_app *a)
{
    a->wait_number = c->masters_arrived++;
    begin_to_wait_for(c, a,
                      rm_master_slots_are_for_app(c, a) ? RM_WAITS_FOR_MASTER_SLOTS
                                                        : RM_WAITS_FOR_MAP_SLOTS);
    c->master_slots.due = true;
}

void rm_master_reorder_waiting(struct rm_core *c, struct rm_app *a)
{
    if (!a->waits)
        return;
    stop_waiting(c, a);
    rm_master_wait_for_turn(c, a);
}

/* ---- map slots ---- */
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
    *active_slots(c, a->am_label) += a->master_slots;
}

/* Activates masters for nodes with @label as long as the active ones hold at most @max slots. One
 * that holds more is activated alone. */
static void activate_masters_up_to(struct rm_core *c, uint32_t label, int64_t max)
{
    const struct rm_waiting *waiting = waiting_for_map_slots(c, label);
    const int64_t *active = active_slots(c, label);

    while (waiting->n && *active < max) {
        struct rm_app *a = rm_waiting_masters_first(waiting);

        if (*active > 0 && *active + a->master_slots > max)
            return;
        stop_waiting(c, a);
        rm_master_count_as_active(c, a);
        rm_asks_update_widths(a);
        rm_app_update_demand(c, a, BASE_TASK_MAP);
    }
}

/* The masters for nodes of one label take at most half of its map slots, too. */
static void activate_masters_of_all_labels(struct rm_core *c)
{
    activate_masters_up_to(c, 0, rm_masters_max(c));
    for (uint32_t i = 1; c->labels.masters_waiting && i <= c->labels.n; i++) {
        int64_t max = c->labels.v[i - 1].slots[BASE_TASK_MAP];

        activate_masters_up_to(c, i, max > 1 ? max / 2 : max);
    }
}

void rm_master_deactivate(struct rm_core *c, struct rm_app *a)
{
    /* those behind it may have been passed over for its sake */
    c->master_slots.due = c->master_slots.due || a->waits;
    stop_waiting(c, a);
    *active_slots(c, a->am_label) -= a->activated ? a->master_slots : 0;
    a->activated = false;
}

void rm_master_place_on_node(struct rm_core *c, struct rm_app *a, struct rm_node *n,
                             bool on_master_slots)
{
    struct rm_attempt *at = rm_app_newest_attempt(a);
    struct base_container_id id = {at->id, c->conf.epoch << 40 | 1};
    struct rm_container *ct;

    at->on_master_slots = on_master_slots;
    ct = rm_container_new(c, a, n, &id, BASE_TASK_MAP, &a->app->resource, true);
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

/* ---- master slots ---- */
static bool policy_holds_back(const struct rm_core *c, const struct rm_app *a)
{
    return c->ops->may_start && !c->ops->may_start(c->policy, &a->pj);
}

/* Lets masters wait for master slots again that the policy has held back and does not any more. */
static void ask_policy_for_held_back(struct rm_core *c)
{
    struct rm_master_slots *m = &c->master_slots;

    m->ask_policy = false;
    for (size_t i = m->held_back_n; i-- > 0;) { /* backwards: the last one takes a free place */
        struct rm_app *a = m->held_back[i];

        if (policy_holds_back(c, a))
            continue;
        stop_waiting(c, a);
        begin_to_wait_for(c, a, RM_WAITS_FOR_MASTER_SLOTS);
        m->due = true;
    }
}

/* Places masters that wait for master slots of nodes with @label, in their order. Those for which
 * no node has room are removed meanwhile, to reach those behind them. Without room for one, there
 * is none for a wider one either, since fewer nodes could serve that. */
static void place_in_master_slots(struct rm_core *c, uint32_t label)
{
    const struct rm_waiting *waiting = waiting_for_master_slots(c, label);
    struct rm_app *passed[RM_MASTERS_PASSED_MAX], *a;
    const struct rm_node *held = NULL; /* for the first that is passed over; NULL: none */
    int32_t no_room_for = INT32_MAX;
    size_t passed_n = 0;

    while (no_room_for > 1 && passed_n < RM_MASTERS_PASSED_MAX &&
           (a = rm_waiting_masters_first(waiting))) {
        struct rm_node *n;

        stop_waiting(c, a);
        if (policy_holds_back(c, a)) {
            begin_to_wait_for(c, a, RM_WAITS_FOR_POLICY);
            continue;
        }
        n = a->master_slots < no_room_for
                ? rm_master_slots_find_node(c, label, a->master_slots, held)
                : NULL;
        if (n && n->masters.slots - n->masters.used >= a->master_slots) {
            rm_master_place_on_node(c, a, n, true);
            c->stats.assignments++;
            continue;
        }
        passed[passed_n++] = a;
        held = held ? held : n;
        no_room_for = a->master_slots < no_room_for ? a->master_slots : no_room_for;
    }
    for (size_t i = 0; i < passed_n; i++)
        begin_to_wait_for(c, passed[i], RM_WAITS_FOR_MASTER_SLOTS);
}

static void wait_for_other_slots(struct rm_core *c, struct rm_app *a, enum rm_waits_for what)
{
    rm_master_deactivate(c, a);
    begin_to_wait_for(c, a, what);
    rm_app_update_demand(c, a, BASE_TASK_MAP);
}

/* Decides anew for all masters that have no slot yet, also active ones, whether they wait for
 * master slots. */
static void sort_out_waiting_masters(struct rm_core *c)
{
    for (struct rm_app *a = c->live; a; a = a->live_next) {
        const struct rm_attempt *at = a->activated || a->waits ? rm_app_newest_attempt(a) : NULL;
        bool for_map_slots = a->activated || a->waits_for == RM_WAITS_FOR_MAP_SLOTS;

        if (!at || at->state != RM_ATTEMPT_SCHEDULED ||
            for_map_slots != rm_master_slots_are_for_app(c, a))
            continue;
        wait_for_other_slots(c, a,
                             for_map_slots ? RM_WAITS_FOR_MASTER_SLOTS : RM_WAITS_FOR_MAP_SLOTS);
    }
}

void rm_masters_give_turns(struct rm_core *c)
{
    struct rm_master_slots *m = &c->master_slots;

    if (m->changed) {
        rm_master_slots_update_most(c);
        sort_out_waiting_masters(c);
    }
    if (m->ask_policy)
        ask_policy_for_held_back(c);
    activate_masters_of_all_labels(c);
    if (!m->due)
        return;
    m->due = false;
    for (uint32_t i = 0; m->waiting_n && i <= c->labels.n; i++)
        place_in_master_slots(c, i);
}
