#include "rm/core/reserve/reservation.h"

#include <stdlib.h>
#include <string.h>

#include "base/sat.h"
#include "rm/core/emit.h"
#include "rm/core/schedule/preempt.h"
#include "rm/core/state.h"

void rm_reservations_free(struct rm_core *c)
{
    rm_reservations_leave_policy(c);
    for (size_t i = 0; i < c->reservations.n; i++)
        rm_reservation_free(c->reservations.v[i]);
    free(c->reservations.v);
    free(c->reservations.ended);
}

static void remember_ended_id(struct rm_reservations *all, struct base_app_id id)
{
    if (!all->ended)
        all->ended = base_alloc(RM_RESERVATIONS_ENDED_KEPT * sizeof *all->ended);
    all->ended[all->ended_n++ % RM_RESERVATIONS_ENDED_KEPT] = id;
}

static bool has_ended(const struct rm_reservations *all, struct base_app_id id)
{
    size_t n =
        all->ended_n < RM_RESERVATIONS_ENDED_KEPT ? all->ended_n : RM_RESERVATIONS_ENDED_KEPT;

    for (size_t i = 0; i < n; i++)
        if (base_app_id_cmp(&all->ended[i], &id) == 0)
            return true;
    return false;
}

/* ---------------------------------------------------------------- time */
/* Returns the next time at which a booking of @r begins or ends; INT64_MAX: never. */
static int64_t next_booking_change_us(const struct rm_reservation *r, int64_t now_us)
{
    int64_t next = INT64_MAX;

    for (size_t i = 0; i < r->pr.bookings_n; i++) {
        const struct policy_booking *b = &r->pr.bookings[i];
        int64_t at = b->start_us > now_us ? b->start_us : b->end_us;

        next = at > now_us && at < next ? at : next;
    }
    return next;
}

static void set_booking_timer(struct rm_core *c)
{
    int64_t next = INT64_MAX;

    for (size_t i = 0; i < c->reservations.n; i++) {
        int64_t at = next_booking_change_us(c->reservations.v[i], c->now_us);

        next = at < next ? at : next;
    }
    rm_timer_cancel(&c->timers, &c->reservations.timer);
    if (next < INT64_MAX)
        rm_timer_set(&c->timers, &c->reservations.timer, next);
}

static void request_offer_of_all_slots(struct rm_core *c)
{
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        c->offer_all[k] = true;
}

/* Takes @r from the policy and forgets it, with its record. Its jobs go on without it. */
static void forget_reservation(struct rm_core *c, struct rm_reservation *r)
{
    if (c->ops->on_unreserved)
        c->ops->on_unreserved(c->policy, &r->pr, c->now_us);
    for (struct rm_app *a = c->live; a; a = a->live_next)
        if (a->pj.reservation == &r->pr)
            a->pj.reservation = NULL;
    rm_reservation_remove_record(c, r);
    remember_ended_id(&c->reservations, r->id);
    rm_reservation_remove(c, r);
    rm_reservation_free(r);
    request_offer_of_all_slots(c);
}

static void forget_ended_reservations(struct rm_core *c)
{
    for (size_t i = c->reservations.n; i-- > 0;)
        if (policy_reservation_end_us(&c->reservations.v[i]->pr) <= c->now_us)
            forget_reservation(c, c->reservations.v[i]);
}

void rm_reservations_apply_booking_changes(struct rm_core *c)
{
    rm_preempt_at_booking_change(c);
    forget_ended_reservations(c);
    request_offer_of_all_slots(c);
    set_booking_timer(c);
}

/* ---------------------------------------------------------------- policy, restart */
void rm_reservations_enter_policy(struct rm_core *c)
{
    size_t n = c->reservations.n;

    for (size_t i = 0; i < n && c->ops->on_reserved; i++)
        c->ops->on_reserved(c->policy, &c->reservations.v[i]->pr, c->now_us);
    if (n && !c->ops->on_reserved)
        rm_emit_note(c, 4,
                     "%zu reservation%s cannot be kept by the policy %s: nothing is kept free for "
                     "%s until another policy does",
                     n, n == 1 ? "" : "s", c->ops->name, n == 1 ? "it" : "them");
}

void rm_reservations_leave_policy(struct rm_core *c)
{
    for (size_t i = 0; i < c->reservations.n && c->ops->on_unreserved; i++)
        c->ops->on_unreserved(c->policy, &c->reservations.v[i]->pr, c->now_us);
}

void rm_reservations_continue_recovered(struct rm_core *c)
{
    rm_reservations_enter_policy(c);
    forget_ended_reservations(c);
    set_booking_timer(c);
}

/* ---------------------------------------------------------------- requests */
/* Returns the next number that no client has chosen for itself; at least one must be left. */
static int32_t take_next_reservation_number(struct rm_core *c)
{
    struct rm_reservations *all = &c->reservations;

    do
        all->next++;
    while (all->next < INT32_MAX &&
           rm_reservation_find(c, (struct base_app_id){c->conf.cluster_ts_ms, all->next}));
    return all->next;
}

void rm_reservation_on_new_id(struct rm_core *c, const struct rm_event *ev)
{
    struct rm_reservations *all = &c->reservations;

    if (!c->ops->reserve)
        rm_reply_error(c, ev->token, -BASE_EINVAL, RM_RESERVATIONS_OFF);
    else if (all->next == INT32_MAX)
        rm_reply_error(c, ev->token, -BASE_ELIMIT,
                       "no reservation ids are left until the ResourceManager is restarted");
    else
        rm_reply(c, ev->token, RM_REPLY_APP_ID, 0)->u.reply.app_id =
            (struct base_app_id){c->conf.cluster_ts_ms, take_next_reservation_number(c)};
}

/* The check_* functions return false when the request is refused, after answering it. */
static bool check_reservation_requests(struct rm_core *c, const struct rm_event *ev)
{
    for (size_t i = 0; i < ev->u.reservation.n; i++) {
        const struct rm_reservation_request *q = &ev->u.reservation.requests[i];
        const char *name = NULL;
        int64_t value = 0, max = INT32_MAX;

        if (q->containers < 1 || q->containers > max)
            name = "num-containers", value = q->containers;
        else if (q->width < 1 || q->width > q->containers)
            name = "min-concurrency", value = q->width, max = q->containers;
        else if (q->duration_us < 1 || q->duration_us > RM_TIME_MAX)
            name = "duration", value = q->duration_us / 1000, max = RM_TIME_MAX / 1000;
        else if (q->containers / q->width > POLICY_GANGS_MAX) {
            rm_reply_error(c, ev->token, -BASE_EINVAL,
                           "reservation-request %zu: num-containers is more than %d times "
                           "min-concurrency",
                           i + 1, POLICY_GANGS_MAX);
            return false;
        }
        if (name) {
            rm_reply_error(c, ev->token, -BASE_EINVAL,
                           "reservation-request %zu: %s is %lld, a number from 1 to %lld is "
                           "expected",
                           i + 1, name, (long long)value, (long long)max);
            return false;
        }
    }
    return true;
}

static bool check_reservation_times(struct rm_core *c, const struct rm_event *ev)
{
    int64_t arrival = ev->u.reservation.arrival_us, deadline = ev->u.reservation.deadline_us,
            least = 0;

    if (deadline <= c->now_us) {
        rm_reply_error(c, ev->token, -BASE_EINVAL,
                       "The specified deadline: %lld is the past. Please try again with deadline "
                       "in the future.",
                       (long long)(deadline / 1000));
        return false;
    }
    for (size_t i = 0; i < ev->u.reservation.n; i++) {
        int64_t duration = ev->u.reservation.requests[i].duration_us;

        if (ev->u.reservation.interpreter >= POLICY_STAGES_ORDER)
            least = base_sat_add(least, duration);
        else
            least = duration > least ? duration : least;
    }
    if (deadline - arrival >= least || ev->u.reservation.interpreter == POLICY_STAGES_ANY)
        return true;
    rm_reply_error(c, ev->token, -BASE_EINVAL,
                   "The time difference (%lld) between arrival (%lld) and deadline (%lld) must  be "
                   "greater or equal to the minimum resource duration (%lld)",
                   (long long)((deadline - arrival) / 1000), (long long)(arrival / 1000),
                   (long long)(deadline / 1000), (long long)(least / 1000));
    return false;
}

/* Each container must fit into a slot, whatever the interpreter: the policy books slots and sees no
 * sizes. The largest gang must fit into the cluster; among alternatives (ANY), the policy leaves
 * out gangs that do not. */
static bool check_gangs_fit_cluster(struct rm_core *c, const struct rm_event *ev)
{
    const struct rm_res *slot = c->conf.slot_res;

    for (size_t i = 0; i < ev->u.reservation.n; i++) {
        const struct rm_reservation_request *q = &ev->u.reservation.requests[i];
        enum base_task_kind k = rm_slot_kind_for_resource(&q->capability);
        int64_t slots = c->capacity.slots[k];
        bool fits = true;

        for (int r = RM_RES_MEMORY_MB; r <= RM_RES_VCORES; r++)
            fits = fits && q->capability.v[r] <= slot[k].v[r];
        if (fits && (q->width <= slots || ev->u.reservation.interpreter == POLICY_STAGES_ANY))
            continue;
        rm_reply_error(c, ev->token, -BASE_EINVAL,
                       "The size of the largest gang in the reservation refinition (<memory:%lld, "
                       "vCores:%lld>) exceed the capacity available (<memory:%lld, vCores:%lld> )",
                       (long long)base_sat_mul(q->width, q->capability.v[RM_RES_MEMORY_MB]),
                       (long long)base_sat_mul(q->width, q->capability.v[RM_RES_VCORES]),
                       (long long)(slots * slot[k].v[RM_RES_MEMORY_MB]),
                       (long long)(slots * slot[k].v[RM_RES_VCORES]));
        return false;
    }
    return true;
}

static bool check_reservation_definition(struct rm_core *c, const struct rm_event *ev)
{
    const char *recurrence = ev->u.reservation.recurrence;

    if (ev->u.reservation.interpreter < POLICY_STAGES_ANY ||
        ev->u.reservation.interpreter > POLICY_STAGES_ORDER_NO_GAP) {
        rm_reply_error(c, ev->token, -BASE_EINVAL,
                       "reservation-request-interpreter is %lld, 0 to 3 are known: any, all, in "
                       "order, in order without gaps",
                       (long long)ev->u.reservation.interpreter);
        return false;
    }
    if (ev->u.reservation.n > POLICY_STAGES_MAX) {
        rm_reply_error(c, ev->token, -BASE_EINVAL, "%zu reservation-requests, at most %d are taken",
                       ev->u.reservation.n, POLICY_STAGES_MAX);
        return false;
    }
    if (recurrence[strspn(recurrence, "0")]) {
        rm_reply_error(c, ev->token, -BASE_EINVAL,
                       "recurrence-expression is \"%.100s\": only reservations that do not recur "
                       "can be made, \"0\" is expected",
                       recurrence);
        return false;
    }
    return check_reservation_requests(c, ev) && check_reservation_times(c, ev) &&
           check_gangs_fit_cluster(c, ev);
}

static struct rm_reservation *new_reservation(struct rm_core *c, const struct rm_event *ev,
                                              const char *queue, const char *user)
{
    struct rm_reservation *r = base_alloc(sizeof *r);
    size_t n = ev->u.reservation.n;

    r->id = ev->u.reservation.id;
    r->queue = base_strdup(queue);
    r->user = base_strdup(user ? user : "");
    r->name = base_strdup(ev->u.reservation.name);
    r->recurrence = base_strdup(ev->u.reservation.recurrence);
    r->priority = ev->u.reservation.priority;
    r->capability = base_alloc(n * sizeof *r->capability);
    r->pr = (struct policy_reservation){.cluster_ts = r->id.cluster_ts,
                                        .seq = r->id.seq,
                                        .submit_us = c->now_us,
                                        .arrival_us = ev->u.reservation.arrival_us,
                                        .deadline_us = ev->u.reservation.deadline_us,
                                        .interpreter =
                                            (enum policy_interpreter)ev->u.reservation.interpreter,
                                        .stages = base_alloc(n * sizeof *r->pr.stages),
                                        .stages_n = n};
    for (size_t i = 0; i < n; i++) {
        const struct rm_reservation_request *q = &ev->u.reservation.requests[i];

        r->capability[i] = q->capability;
        r->pr.stages[i] =
            (struct policy_stage){rm_slot_kind_for_resource(&q->capability), (int32_t)q->containers,
                                  (int32_t)q->width, q->duration_us};
    }
    return r;
}

static bool texts_are_equal(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

static bool has_same_definition(const struct rm_reservation *r, const struct rm_event *ev)
{
    if (r->pr.arrival_us != ev->u.reservation.arrival_us ||
        r->pr.deadline_us != ev->u.reservation.deadline_us ||
        r->priority != ev->u.reservation.priority ||
        (int64_t)r->pr.interpreter != ev->u.reservation.interpreter ||
        r->pr.stages_n != ev->u.reservation.n ||
        !texts_are_equal(r->name, ev->u.reservation.name) ||
        !texts_are_equal(r->recurrence, ev->u.reservation.recurrence))
        return false;
    for (size_t i = 0; i < r->pr.stages_n; i++) {
        const struct rm_reservation_request *q = &ev->u.reservation.requests[i];
        const struct policy_stage *st = &r->pr.stages[i];

        if (st->containers != q->containers || st->width != q->width ||
            st->duration_us != q->duration_us ||
            memcmp(&r->capability[i], &q->capability, sizeof q->capability) != 0)
            return false;
    }
    return true;
}

/* Asks the policy to keep @r, in place of @old (NULL: none). If it refuses, frees @r, answers the
 * request, and returns false. */
static bool reserve_or_refuse(struct rm_core *c, const struct rm_event *ev,
                              struct rm_reservation *r, struct rm_reservation *old)
{
    if (c->ops->reserve(c->policy, &r->pr, old ? &old->pr : NULL, c->now_us))
        return true;
    rm_reservation_free(r);
    rm_reply_error(c, ev->token, -BASE_EINVAL,
                   "org.apache.hadoop.yarn.server.resourcemanager.reservation.exceptions."
                   "PlanningException: The planning algorithm could not find a valid allocation "
                   "for your request");
    return false;
}

/* Adds the accepted @r to the table, stores it, and answers. */
static void keep_reservation_and_answer(struct rm_core *c, const struct rm_event *ev,
                                        struct rm_reservation *r)
{
    char id[BASE_ID_TEXT_MAX];

    rm_reservation_add(c, r);
    rm_reservation_store(c, r);
    rm_emit_note(c, 6, "%s of %s: slots are kept from %lld to %lld ms",
                 base_reservation_id_text(&r->id, id), r->user,
                 (long long)(policy_reservation_start_us(&r->pr) / 1000),
                 (long long)(policy_reservation_end_us(&r->pr) / 1000));
    rm_reply(c, ev->token, RM_REPLY_OK, c->seq);
    request_offer_of_all_slots(c);
    set_booking_timer(c);
    if (policy_reservation_start_us(&r->pr) <= c->now_us)
        rm_reservations_apply_booking_changes(c);
}

/* @listed: the configuration names the queue as reservable. */
static bool queue_is_reservable(const struct rm_core *c, const char *queue, bool listed)
{
    int32_t at = policy_queues_find(&c->tree, queue);

    return at >= 0 && (listed || c->tree.v[at].reservable);
}

void rm_reservation_on_submit(struct rm_core *c, const struct rm_event *ev)
{
    const char *queue = ev->u.reservation.queue;
    struct rm_reservation *r = rm_reservation_find(c, ev->u.reservation.id);
    char id[BASE_ID_TEXT_MAX];

    if (!c->ops->reserve) {
        rm_reply_error(c, ev->token, -BASE_EINVAL, RM_RESERVATIONS_OFF);
    } else if (!queue || !*queue) {
        rm_reply_error(c, ev->token, -BASE_EINVAL,
                       "The queue is not specified. Please try again with a valid reservable "
                       "queue.");
    } else if (!queue_is_reservable(c, queue, ev->u.reservation.reservable)) {
        rm_reply_error(c, ev->token, -BASE_EINVAL, RM_NOT_RESERVABLE, queue);
    } else if (!check_reservation_definition(c, ev)) {
        return;
    } else if (r && has_same_definition(r, ev)) {
        rm_reply(c, ev->token, RM_REPLY_OK, c->seq);
    } else if (r) {
        rm_reply_error(c, ev->token, -BASE_EINVAL,
                       "Reservation allocation already exists with the reservation id %s, but a "
                       "different reservation definition was provided. Please try again with a "
                       "new reservation id, or consider updating the reservation instead.",
                       base_reservation_id_text(&r->id, id));
    } else if (c->reservations.n >= RM_RESERVATIONS_MAX) {
        rm_reply_error(c, ev->token, -BASE_ELIMIT, "there are %d reservations, no more are taken",
                       RM_RESERVATIONS_MAX);
    } else {
        r = new_reservation(c, ev, queue, ev->caller);
        if (reserve_or_refuse(c, ev, r, NULL))
            keep_reservation_and_answer(c, ev, r);
    }
}

/* Returns the reservation that the request names; NULL: there is none, and the request has been
 * answered. */
static struct rm_reservation *find_reservation_or_refuse(struct rm_core *c,
                                                         const struct rm_event *ev)
{
    struct rm_reservation *r = rm_reservation_find(c, ev->u.reservation.id);
    char id[BASE_ID_TEXT_MAX];

    base_reservation_id_text(&ev->u.reservation.id, id);
    if (!c->ops->reserve)
        rm_reply_error(c, ev->token, -BASE_EINVAL, RM_RESERVATIONS_OFF);
    else if (r)
        return r;
    else if (has_ended(&c->reservations, ev->u.reservation.id))
        rm_reply_error(c, ev->token, -BASE_ENOTFOUND,
                       "The specified Reservation with ID %s does not exist in the plan", id);
    else
        rm_reply_error(c, ev->token, -BASE_EINVAL,
                       "The specified reservation with ID: %s is unknown. Please try again with a "
                       "valid reservation.",
                       id);
    return NULL;
}

void rm_reservation_on_update(struct rm_core *c, const struct rm_event *ev)
{
    struct rm_reservation *old = find_reservation_or_refuse(c, ev), *r;

    if (!old || !check_reservation_definition(c, ev))
        return;
    r = new_reservation(c, ev, old->queue, old->user);
    if (!reserve_or_refuse(c, ev, r, old))
        return;
    rm_reservation_remove(c, old);
    rm_reservation_free(old);
    keep_reservation_and_answer(c, ev, r);
}

void rm_reservation_on_delete(struct rm_core *c, const struct rm_event *ev)
{
    struct rm_reservation *r = find_reservation_or_refuse(c, ev);

    if (!r)
        return;
    forget_reservation(c, r);
    set_booking_timer(c);
    rm_reply(c, ev->token, RM_REPLY_OK, c->seq);
}
