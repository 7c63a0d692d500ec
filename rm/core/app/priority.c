/* Changes the priority of an application. Its containers go on; the policy may reorder what
 * waits.
 * Source: Hadoop's ClientRMService.updateApplicationPriority. */
#include "rm/core/app/kind.h"
#include "rm/core/emit.h"
#include "rm/core/state.h"

static void change_priority(struct rm_core *c, struct rm_app *a, int32_t priority)
{
    a->priority = priority;
    a->priority_changed = true;
    a->pj.priority = a->is_job || priority > 0 ? priority : 0;
    if (a->in_policy && c->ops->on_job_priority)
        c->ops->on_job_priority(c->policy, &a->pj, c->now_us);
    if (a->kind->priority_changed)
        a->kind->priority_changed(c, a);
    rm_app_store_record(c, a);
}

void rm_app_on_set_priority(struct rm_core *c, const struct rm_event *ev)
{
    struct rm_app *a = rm_app_find(c, ev->u.priority.id);
    char id[BASE_ID_TEXT_MAX];
    int32_t priority = rm_app_cap_priority(c, ev->u.priority.priority);

    if (!a) {
        rm_reply_error(c, ev->token, -BASE_ENOTFOUND, "app with id: %s not found",
                       base_app_id_text(&ev->u.priority.id, id));
        return;
    }
    if (a->state < RM_APP_ACCEPTED) {
        rm_reply_error(c, ev->token, -BASE_ESTATE,
                       "Application in %s state cannot update priority.",
                       rm_app_state_name(a->state));
        return;
    }
    if (rm_app_is_live(a) && priority != a->priority)
        change_priority(c, a, priority);
    /* An earlier change may not be durable yet. */
    rm_reply(c, ev->token, RM_REPLY_OK, a->saved_seq)->u.reply.value = a->priority;
}
