#include "rm/core/job/step/places.h"

#include <stdlib.h>
#include <string.h>

#include "base/data/heap.h"
#include "rm/core/state.h"

/* ---- users ---- */

static bool user_has_name(const void *user, const void *name)
{
    return strcmp(((const struct rm_step_user *)user)->name, name) == 0;
}

static struct rm_step_user *find_step_user(const struct rm_core *c, const struct rm_app *a)
{
    return base_map_find(&c->places.users, base_hash_text(a->user), user_has_name, a->user);
}

static struct rm_step_user *find_or_add_step_user(struct rm_core *c, const struct rm_app *a)
{
    struct rm_step_user *u = find_step_user(c, a);
    size_t size = strlen(a->user) + 1;

    if (u)
        return u;
    u = base_alloc(sizeof *u + size);
    memcpy(u->name, a->user, size);
    base_map_add(&c->places.users, base_hash_text(u->name), u);
    return u;
}

/* The record of a user who only blocks a node may be old; that makes no turn older. */
static void renew_turn_if_inactive(const struct rm_places *p, struct rm_step_user *u)
{
    if (!u->held && !u->place)
        u->turn = p->launches;
}

static void unlist_late_user(struct rm_places *p, struct rm_step_user *u)
{
    struct rm_step_user **at = &p->late;

    if (!u->late)
        return;
    while (*at != u)
        at = &(*at)->late_next;
    *at = u->late_next;
    u->late = false;
}

static void free_user_if_idle(struct rm_places *p, struct rm_step_user *u)
{
    if (u->held || u->blocking || u->place)
        return;
    unlist_late_user(p, u);
    base_map_remove(&p->users, base_hash_text(u->name), u);
    free(u);
}

void rm_step_places_free(struct rm_places *p)
{
    for (size_t i = 0; i < p->users.cap; i++)
        free(p->users.slot[i].object);
    base_map_free(&p->users);
    free(p->v);
    *p = (struct rm_places){0};
}

/* ---- the order ---- */

static bool has_urgent_step(const struct rm_step_user *u)
{
    return u->first[RM_STEP_URGENT] != NULL;
}

static const struct rm_app *first_waiting_step_of_user(const struct rm_step_user *u)
{
    return has_urgent_step(u) ? u->first[RM_STEP_URGENT] : u->first[RM_STEP_PATIENT];
}

static bool user_comes_before(const struct rm_step_user *a, const struct rm_step_user *b)
{
    if (a->late != b->late)
        return b->late;
    if (a->held != b->held)
        return a->held < b->held;
    if (has_urgent_step(a) != has_urgent_step(b))
        return has_urgent_step(a);
    if (a->turn != b->turn)
        return a->turn < b->turn;
    return first_waiting_step_of_user(a)->step.since < first_waiting_step_of_user(b)->step.since;
}

#define SET_PLACE(user, index) ((user)->place = (index) + 1)
BASE_HEAP_SIFT(restore_heap_order, struct rm_step_user *, user_comes_before, SET_PLACE)

static void put_user_into_heap(struct rm_places *p, struct rm_step_user *u)
{
    base_array_grow(&p->v, p->n, &p->cap);
    p->v[p->n++] = u;
    restore_heap_order(p->v, p->n, p->n - 1);
}

static void remove_user_from_heap(struct rm_places *p, struct rm_step_user *u)
{
    size_t i = u->place - 1;

    u->place = 0;
    if (i != --p->n) {
        p->v[i] = p->v[p->n];
        restore_heap_order(p->v, p->n, i);
    }
}

/* Moves @u to its place in the order, after a change of @u or of its lists. */
static void update_user_in_order(struct rm_places *p, struct rm_step_user *u)
{
    bool waits = first_waiting_step_of_user(u) != NULL;

    if (waits && u->place)
        restore_heap_order(p->v, p->n, u->place - 1);
    else if (waits)
        put_user_into_heap(p, u);
    else if (u->place)
        remove_user_from_heap(p, u);
}

struct rm_step_user *rm_step_places_take_first_user(struct rm_places *p)
{
    struct rm_step_user *u = p->n ? p->v[0] : NULL;

    if (u)
        remove_user_from_heap(p, u);
    return u;
}

void rm_step_places_put_user_back(struct rm_places *p, struct rm_step_user *u)
{
    put_user_into_heap(p, u);
}

/* From so many nodes on, a user who blocks one leaves the last free one to others. */
#define NODES_TO_SPARE_ONE_MIN 3

static bool user_must_leave_last_place(const struct rm_places *p, const struct rm_step_user *u)
{
    return u->blocking > 0 && p->nodes >= NODES_TO_SPARE_ONE_MIN;
}

bool rm_step_places_user_may_take(const struct rm_places *p, const struct rm_step_user *u,
                                  enum rm_step_rank rank)
{
    if (p->taken + 1 < p->nodes)
        return true;
    return (rank == RM_STEP_URGENT || !u->held) && !user_must_leave_last_place(p, u);
}

bool rm_step_places_must_leave_last_place(const struct rm_core *c, const struct rm_app *a)
{
    const struct rm_step_user *u = find_step_user(c, a);

    return u && user_must_leave_last_place(&c->places, u);
}

/* ---- waiting ---- */

void rm_step_places_add_waiting(struct rm_core *c, struct rm_app *a, enum rm_step_rank rank)
{
    struct rm_step_user *u = find_or_add_step_user(c, a);
    struct rm_step *s = &a->step;

    base_assert(!s->waits);
    renew_turn_if_inactive(&c->places, u);
    s->waits = true;
    s->rank = rank;
    s->since = ++c->places.waits;
    s->prev = u->last[rank];
    s->next = NULL;
    if (u->last[rank])
        u->last[rank]->step.next = a;
    else
        u->first[rank] = a;
    u->last[rank] = a;
    update_user_in_order(&c->places, u);
    c->places.due = true;
}

void rm_step_places_remove_waiting(struct rm_core *c, struct rm_app *a)
{
    struct rm_step *s = &a->step;
    struct rm_step_user *u;

    if (!s->waits)
        return;
    u = find_step_user(c, a);
    if (s->prev)
        s->prev->step.next = s->next;
    else
        u->first[s->rank] = s->next;
    if (s->next)
        s->next->step.prev = s->prev;
    else
        u->last[s->rank] = s->prev;
    s->waits = false;
    s->prev = s->next = NULL;
    update_user_in_order(&c->places, u);
    free_user_if_idle(&c->places, u);
}

/* ---- holding ---- */

void rm_step_places_count_node(struct rm_core *c, struct rm_node *n, int32_t sign)
{
    n->counted_for_steps = sign > 0;
    c->places.nodes += sign;
    c->places.taken += sign * ((n->step != NULL) + n->steps_blocking);
}

static struct rm_step_user *hold_step_place(struct rm_core *c, struct rm_container *ct)
{
    struct rm_step_user *u = find_or_add_step_user(c, ct->app);
    struct rm_node *n = ct->node;

    base_assert(!n->step && ct->step && ct->tally == RM_TALLY_HELD);
    renew_turn_if_inactive(&c->places, u);
    n->step = ct;
    if (c->conf.step_timeout_us > 0)
        rm_timer_set(&c->timers, &n->step_limit, c->now_us + c->conf.step_timeout_us);
    c->places.held++;
    c->places.taken += n->counted_for_steps;
    u->held++;
    return u;
}

void rm_step_places_hold(struct rm_core *c, struct rm_container *ct)
{
    update_user_in_order(&c->places, hold_step_place(c, ct));
}

/* Nobody is late any more. */
static void forgive_late_users(struct rm_places *p)
{
    while (p->late) {
        struct rm_step_user *u = p->late;

        p->late = u->late_next;
        u->late = false;
        update_user_in_order(p, u);
    }
}

void rm_step_places_hold_for_launch(struct rm_core *c, struct rm_container *ct)
{
    struct rm_step_user *u = hold_step_place(c, ct);

    u->turn = ++c->places.launches;
    update_user_in_order(&c->places, u);
    forgive_late_users(&c->places);
}

void rm_step_places_release(struct rm_core *c, struct rm_container *ct)
{
    struct rm_step_user *u;

    if (ct->node->step != ct)
        return;
    ct->node->step = NULL;
    rm_timer_cancel(&c->timers, &ct->node->step_limit);
    c->places.held--;
    c->places.taken -= ct->node->counted_for_steps;
    u = find_step_user(c, ct->app);
    u->held--;
    update_user_in_order(&c->places, u);
    free_user_if_idle(&c->places, u);
    c->places.due = c->places.due || c->places.n > 0;
}

void rm_step_places_change_blocking(struct rm_core *c, const struct rm_container *ct, int32_t by)
{
    struct rm_step_user *u = find_or_add_step_user(c, ct->app);

    u->blocking += by;
    ct->node->steps_blocking += by;
    c->places.blocking += by;
    c->places.taken += ct->node->counted_for_steps ? by : 0;
    c->places.due = c->places.due || (by < 0 && c->places.n > 0);
    free_user_if_idle(&c->places, u);
}

void rm_step_places_mark_user_late(struct rm_core *c, const struct rm_app *a)
{
    struct rm_step_user *u = find_step_user(c, a);

    if (!u || u->late)
        return;
    u->late = true;
    u->late_next = c->places.late;
    c->places.late = u;
    update_user_in_order(&c->places, u);
}
