/* The lifetime of an application, YARN's only kind of timeout: a wall clock time at which the
 * application is killed, and which may be changed as long as it lives.
 * Source: Hadoop's ClientRMService.updateApplicationTimeouts and RMAppLifetimeMonitor. */
#include "rm/core/app/lifetime.h"

#include "rm/core/app/kind.h"
#include "rm/core/emit.h"
#include "rm/core/state.h"

static bool is_ending(const struct rm_app *a)
{
    return rm_app_end_is_decided(a) || a->state == RM_APP_FINISHING || a->state == RM_APP_KILLING ||
           a->ending != RM_END_NONE;
}

void rm_app_set_lifetime_timer(struct rm_core *c, struct rm_app *a)
{
    if (a->lifetime_end_us && !is_ending(a))
        rm_timer_set(&c->timers, &a->lifetime_timer, a->lifetime_end_us);
}

void rm_app_begin_lifetime(struct rm_core *c, struct rm_app *a, int64_t seconds)
{
    if (seconds <= 0)
        return;
    a->lifetime_end_us =
        seconds < (RM_TIME_MAX - c->now_us) / 1000000 ? c->now_us + seconds * 1000000 : RM_TIME_MAX;
    rm_app_set_lifetime_timer(c, a);
}

void rm_app_kill_after_lifetime(struct rm_core *c, struct rm_app *a)
{
    if (!is_ending(a))
        a->kind->end(
            c, a, RM_END_KILL,
            "Application is killed by ResourceManager as it has exceeded the lifetime period.");
}

void rm_app_on_set_lifetime(struct rm_core *c, const struct rm_event *ev)
{
    struct rm_app *a = rm_app_find(c, ev->u.lifetime.id);
    int64_t end_us = ev->u.lifetime.end_us < RM_TIME_MAX ? ev->u.lifetime.end_us : RM_TIME_MAX;
    char id[BASE_ID_TEXT_MAX];
    struct rm_effect *fx;

    if (!a) {
        rm_reply_error(c, ev->token, -BASE_ENOTFOUND, "app with id: %s not found",
                       base_app_id_text(&ev->u.lifetime.id, id));
        return;
    }
    if (a->state < RM_APP_SUBMITTED) {
        rm_reply_error(c, ev->token, -BASE_ESTATE, "Application is in %s state is not updatable.",
                       rm_app_state_name(a->state));
        return;
    }
    if (!is_ending(a) && end_us < c->now_us) {
        rm_reply_error(c, ev->token, -BASE_EINVAL, "Expire time is not valid for update.");
        return;
    }
    if (!is_ending(a) && end_us != a->lifetime_end_us) {
        a->lifetime_end_us = end_us;
        rm_app_set_lifetime_timer(c, a);
        rm_app_store_record(c, a);
    }
    /* An earlier change may not be durable yet. */
    fx = rm_reply(c, ev->token, RM_REPLY_OK, a->saved_seq);
    fx->u.reply.value = a->lifetime_end_us;
    fx->u.reply.flag = is_ending(a);
}
