/* Kill requests, and killing all containers of an application. */
#include "rm/core/app/kill.h"

#include "rm/core/app/kind.h"
#include "rm/core/emit.h"
#include "rm/core/state.h"

void rm_app_kill_containers(struct rm_core *c, struct rm_app *a, int32_t status, const char *reason,
                            bool (*spares)(const struct rm_container *ct))
{
    struct rm_container *next;

    for (struct rm_container *ct = a->containers; ct; ct = next) {
        next = ct->app_next;
        if (!spares || !spares(ct))
            rm_container_kill_or_end(c, ct, status, reason);
    }
}

static void reply_to_kill(struct rm_core *c, const struct rm_event *ev, const struct rm_app *a,
                          bool ended)
{
    struct rm_effect *fx = rm_reply(c, ev->token, RM_REPLY_KILL, a->saved_seq);

    fx->u.reply.app_id = a->id;
    fx->u.reply.flag = ended;
    fx->u.reply.app_state = a->state;
}

void rm_app_on_kill(struct rm_core *c, const struct rm_event *ev)
{
    struct rm_app *a = rm_app_find(c, ev->u.kill.id);
    char id[BASE_ID_TEXT_MAX];
    const char *why = ev->u.kill.diagnostics;

    if (!a) {
        rm_reply_error(c, ev->token, -BASE_ENOTFOUND, "app with id: %s not found",
                       base_app_id_text(&ev->u.kill.id, id));
        return;
    }
    if (rm_app_state_is_final(a->state)) {
        reply_to_kill(c, ev, a, true);
        return;
    }
    if (a->state == RM_APP_FINAL_SAVING || a->state == RM_APP_FINISHING ||
        a->state == RM_APP_KILLING) {
        reply_to_kill(c, ev, a, false);
        return;
    }
    if (!why || !*why)
        why = rm_scratch_printf(c, "Application %s was killed by user %s%s%s",
                                base_app_id_text(&a->id, id), ev->caller ? ev->caller : "unknown",
                                ev->u.kill.peer ? " at " : "",
                                ev->u.kill.peer ? ev->u.kill.peer : "");
    a->kind->end(c, a, RM_END_KILL, why);
    reply_to_kill(c, ev, a, false);
}
