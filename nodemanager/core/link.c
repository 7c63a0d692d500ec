/* The link to the ResourceManager: decides when the next request is sent and which containers it
 * reports. */
#include "base/error.h"
#include "nodemanager/core/core_internal.h"

void nm_link_init(struct nm_link *l)
{
    l->next_us = INT64_MAX;
    l->interval_us = INT64_C(1000000);
    l->wake_us = l->noted = -1;
}

void nm_link_mark_urgent(struct nm_core *core)
{
    core->link.urgent = true;
}

void nm_link_schedule_registration(struct nm_core *core, int64_t at_us)
{
    core->link.registered = false;
    core->link.repeat = false;
    core->link.next_us = at_us;
}

static void mark_all_acknowledged(struct nm_core *core)
{
    struct nm_container *c;
    TAILQ_FOREACH(c, &core->all, all)
    c->acked = c->sent;
}

/* Returns true when the answer is of a lower epoch. Such answers are counted, and logged at most
 * once per epoch. */
static bool refuse_if_stale_answer(struct nm_core *core, const struct nm_event *ev,
                                   struct nm_effects *out)
{
    base_assert(ev->u.answer.epoch <= core->epoch);
    if (ev->u.answer.epoch == core->epoch)
        return false;
    core->stats.stale_answers++;
    core->stats.refused_orders += ev->u.answer.n_orders;
    if (ev->u.answer.epoch > core->link.noted) {
        core->link.noted = ev->u.answer.epoch;
        nm_log_note_add(out, "orders of epoch %lld are refused: %lld was seen",
                        (long long)ev->u.answer.epoch, (long long)core->epoch);
    }
    return true;
}

static void double_retry_pause(struct nm_link *l, int64_t max_us)
{
    l->pause_us = l->pause_us ? l->pause_us * 2 : NM_BACKOFF_MIN_US;
    if (l->pause_us > max_us)
        l->pause_us = max_us;
}

/* splitmix64. Source: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA
 * 2014. */
static uint64_t draw_random(struct nm_link *l)
{
    uint64_t z = l->random += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static void schedule_retry(struct nm_link *l, int64_t now_us, bool no_pause)
{
    l->next_us = now_us;
    if (no_pause)
        return;
    double_retry_pause(l, NM_BACKOFF_MAX_US);
    l->next_us += l->pause_us - (int64_t)(draw_random(l) % (uint64_t)(l->pause_us / 2 + 1));
}

/* The next heartbeat is sent at once after a registration or orders, and also if the RM parked the
 * answer for at least half the interval or was woken, because the RM then sets the pace. Otherwise
 * pauses grow up to the interval, so that an RM that does not park is not flooded. */
static void schedule_next_heartbeat(struct nm_core *core, const struct nm_event *ev,
                                    bool was_registering)
{
    struct nm_link *l = &core->link;
    bool parked = ev->at_us - l->sent_us >= l->interval_us / 2;
    /* An RM repeats an order to shut down in every answer, so this order does not hasten
     * heartbeats. */
    if (was_registering || parked || l->wake_us >= 0 ||
        (ev->u.answer.n_orders && !core->stopping)) {
        l->pause_us = 0;
    } else {
        double_retry_pause(l, l->interval_us);
    }
    l->next_us = ev->at_us + l->pause_us;
}

void nm_link_handle_answer(struct nm_core *core, const struct nm_event *ev, struct nm_effects *out)
{
    struct nm_link *l = &core->link;
    bool was_registering = l->registering;
    if (!l->in_flight)
        return;
    l->in_flight = false;
    if (refuse_if_stale_answer(core, ev, out)) {
        schedule_retry(l, ev->at_us, ev->u.answer.no_pause);
        l->registered = false; /* register with the present leader first */
        l->repeat = false;
        return;
    }
    l->elsewhere = false;
    if (!l->repeat)
        mark_all_acknowledged(core);
    l->repeat = false;
    l->registered = true;
    l->response_id = ev->u.answer.response_id;
    if (ev->u.answer.heartbeat_ms > 0)
        l->interval_us = ev->u.answer.heartbeat_ms * 1000;
    schedule_next_heartbeat(core, ev, was_registering);
    for (size_t i = 0; i < ev->u.answer.n_orders; i++)
        nm_order_apply(core, &ev->u.answer.orders[i], ev->at_us, out);
}

void nm_link_handle_failure(struct nm_core *core, const struct nm_event *ev)
{
    struct nm_link *l = &core->link;
    if (!l->in_flight)
        return;
    l->in_flight = false;
    l->elsewhere = ev->u.failed.elsewhere;
    /* the RM may have processed the request; it then answers a repetition with the stored answer */
    l->repeat = !l->registering;
    if (ev->u.failed.register_again) {
        l->registered = false;
        l->repeat = false;
    }
    schedule_retry(l, ev->at_us, ev->u.failed.no_pause);
}

static void send_request(struct nm_core *core, int64_t now_us, struct nm_effects *out)
{
    struct nm_link *l = &core->link;
    struct nm_effect *fx = nm_effect_add(out, NM_FX_BEAT);
    fx->registering = l->registering = !l->registered;
    fx->hold_ms = l->registered ? l->interval_us / 1000 : 0;
    l->holding = fx->hold_ms > 0;
    l->in_flight = true;
    /* the answer to a repetition may be a stored one: report the news again afterwards */
    l->urgent = l->repeat && l->urgent;
    l->sent_us = now_us;
    l->wake_us = -1;
    l->next_us = INT64_MAX;
}

void nm_link_send_or_wake_rm(struct nm_core *core, int64_t now_us, struct nm_effects *out)
{
    struct nm_link *l = &core->link;
    if (core->stop_said)
        return;
    if (!l->in_flight) {
        /* Urgent news does not wait for the end of the interval, but it does wait for the end of
         * the pause after a failure. */
        bool at_once = l->urgent && l->registered && !l->repeat && l->next_us != INT64_MAX;
        if (at_once || l->next_us <= now_us)
            send_request(core, now_us, out);
        return;
    }
    if (l->urgent && l->holding && !l->elsewhere &&
        (l->wake_us < 0 || now_us - l->wake_us >= NM_WAKE_AGAIN_US)) {
        nm_effect_add(out, NM_FX_WAKE);
        l->wake_us = now_us;
    }
}

int64_t nm_link_next_timer_us(const struct nm_core *core)
{
    const struct nm_link *l = &core->link;
    if (core->stop_said)
        return INT64_MAX;
    if (!l->in_flight)
        return l->next_us;
    return l->urgent && l->holding && l->wake_us >= 0 ? l->wake_us + NM_WAKE_AGAIN_US : INT64_MAX;
}

void nm_core_mark_sent_each_to_report(struct nm_core *core,
                                      void (*fn)(struct nm_container *c, void *u), void *u)
{
    struct nm_container *c;
    bool all = core->link.registering;
    TAILQ_FOREACH(c, &core->all, all)
    {
        if (all || c->v.state == NM_COMPLETE || c->version != c->acked) {
            c->sent = c->version;
            fn(c, u);
        } else {
            c->sent = c->acked;
        }
    }
}

int64_t nm_core_request_sent_us(const struct nm_core *core)
{
    return core->link.sent_us;
}

int64_t nm_core_response_id(const struct nm_core *core)
{
    return core->link.response_id;
}

bool nm_core_is_registered(const struct nm_core *core)
{
    return core->link.registered;
}
