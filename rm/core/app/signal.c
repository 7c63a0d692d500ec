/* Signals to a container on a user's behalf: an order to the container's node.
 * Source: Hadoop's ClientRMService.signalToContainer. */
#include "rm/core/emit.h"
#include "rm/core/state.h"

/* Returns true when an equal signal is still queued for the node. Repeated signals are then merged,
 * so that a silent node's queue does not grow with clients' requests. */
static bool signal_is_queued(const struct rm_container *ct, enum base_signal_command command)
{
    const struct rm_orders *q = &ct->node->queue;

    for (size_t i = 0; i < q->len; i++)
        if (q->v[i].kind == BASE_ORDER_SIGNAL && q->v[i].signal == command &&
            base_container_id_cmp(&q->v[i].container, &ct->id) == 0)
            return true;
    return false;
}

void rm_container_on_signal(struct rm_core *c, const struct rm_event *ev)
{
    struct rm_container *ct = rm_container_find(c, &ev->u.signal.id);
    char id[BASE_ID_TEXT_MAX];
    struct rm_queued *o;

    if (!ct || ct->state == RM_CONTAINER_COMPLETED) {
        rm_reply_error(c, ev->token, -BASE_ENOTFOUND, "Trying to signal an absent container %s",
                       base_container_id_text(&ev->u.signal.id, id));
        return;
    }
    rm_reply(c, ev->token, RM_REPLY_OK, 0);
    if (signal_is_queued(ct, ev->u.signal.command))
        return;
    o = rm_node_enqueue_order(c, ct->node, BASE_ORDER_SIGNAL);
    o->container = ct->id;
    o->signal = (uint8_t)ev->u.signal.command;
}
