/* Moves an accepted or running application to another queue. Its containers go on, and its promised
 * finish and its submit time do not change. Source: Hadoop's
 * ClientRMService.moveApplicationAcrossQueues and FairScheduler.moveApplication. */
#include "rm/core/app/move.h"

#include <stdlib.h>

#include "rm/core/emit.h"
#include "rm/core/state.h"

static void move_to_queue(struct rm_core *c, struct rm_app *a, uint32_t index)
{
    char id[BASE_ID_TEXT_MAX];
    const char *from = c->tree.v[a->queue_index].name;

    free(a->placed);
    a->placed = NULL;
    a->queue = a->queue_asked;
    rm_app_enter_queue(c, a, index);
    if (a->in_policy && c->ops->on_job_moved)
        c->ops->on_job_moved(c->policy, &a->pj, c->now_us);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) /* shares and limits have changed */
        c->offer_all[k] = true;
    c->preempt_all = c->preempt_all || c->ops->victims;
    c->master_slots.ask_policy = true;
    rm_app_store_record(c, a);
    rm_emit_note(c, 6, "%s was moved from queue %s to %s", base_app_id_text(&a->id, id), from,
                 c->tree.v[index].name);
}

/* Sets *@index to the target queue; without one in the request, to the present queue. Returns false
 * when the move is refused; the request has then been answered with the error. */
static bool find_move_target(struct rm_core *c, const struct rm_event *ev, const struct rm_app *a,
                             int32_t *index)
{
    struct base_error err;
    char id[BASE_ID_TEXT_MAX];

    *index = (int32_t)a->queue_index;
    if (!ev->u.move.queue)
        return true;
    if (a->state != RM_APP_ACCEPTED && a->state != RM_APP_RUNNING) {
        rm_reply_error(c, ev->token, -BASE_ESTATE, "App in %s state cannot be moved.",
                       rm_app_state_name(a->state));
        return false;
    }
    if (c->conf.any_queue) {
        rm_reply_error(c, ev->token, -BASE_EINVAL,
                       "shown as fifo there is one queue, and applications cannot be moved");
        return false;
    }
    if (policy_queues_find_leaf(&c->tree, ev->u.move.queue, index, &err) < 0) {
        rm_reply_error(c, ev->token, -BASE_EINVAL, "%s", err.text);
        return false;
    }
    if (c->tree.v[*index].stopped && *index != (int32_t)a->queue_index) {
        rm_reply_error(c, ev->token, -BASE_EINVAL, RM_QUEUE_STOPPED_TEXT ": %s",
                       c->tree.v[*index].name, base_app_id_text(&a->id, id));
        return false;
    }
    return true;
}

void rm_app_on_move(struct rm_core *c, const struct rm_event *ev)
{
    struct rm_app *a = rm_app_find(c, ev->u.move.id);
    char id[BASE_ID_TEXT_MAX];
    int32_t index;

    if (!a) {
        rm_reply_error(c, ev->token, -BASE_ENOTFOUND, "app with id: %s not found",
                       base_app_id_text(&ev->u.move.id, id));
        return;
    }
    if (!find_move_target(c, ev, a, &index))
        return;
    if ((uint32_t)index != a->queue_index)
        move_to_queue(c, a, (uint32_t)index);
    /* An earlier move to this queue may not be durable yet. */
    rm_reply(c, ev->token, RM_REPLY_OK, a->saved_seq);
}
