/* Signals to a container on a user's behalf: an order to the container's node.
 * Source: Hadoop's ClientRMService.signalToContainer. */
#include "rm/core/emit.h"
#include "rm/core/state.h"

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
    o = rm_node_enqueue_order(c, ct->node, BASE_ORDER_SIGNAL);
    o->container = ct->id;
    o->signal = (uint8_t)ev->u.signal.command;
    rm_reply(c, ev->token, RM_REPLY_OK, 0);
}
