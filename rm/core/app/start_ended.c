/* What became of the launch of a container on a NodeManager of Hadoop, which the shell has carried
 * out (rm/core/node/node.h). */
#include "rm/core/emit.h"
#include "rm/core/state.h"

/* The node could not end a container that it did not have yet: the order to kill is repeated. A
 * failure counts only while the node has not reported the container. */
void rm_container_on_start_ended(struct rm_core *c, const struct rm_event *ev)
{
    struct rm_container *ct = rm_container_find(c, &ev->u.start_ended.container);

    if (!ct || ct->state == RM_CONTAINER_COMPLETED || !ct->node->is_hadoop)
        return;
    if (!ev->u.start_ended.started) {
        if (ct->state == RM_CONTAINER_ACQUIRED)
            rm_container_end(c, ct, RM_EXIT_INVALID, ev->u.start_ended.why, NULL);
    } else if (ct->killing) {
        rm_node_enqueue_kill(c, ct->node, &ct->id, "killed while it was started");
    }
}
