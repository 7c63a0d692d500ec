/* rm/term/node_wait.h - a node's registration or heartbeat at a ResourceManager that does not lead:
 * where it waits, for how long, and how it is answered. Pure; rm/http/tracker.c and the fault
 * simulation (tests/sim/sim_rm_serve.c) carry the answers out.
 *
 * A failover must not make nodes poll: their requests wait at a standby, without a thread, until
 * the next leader is known. The caller asks rm_node_wait_begin() when the request arrives at a
 * standby, rm_node_wait_after_refusal() when this RM stopped leading while it held the request, and
 * rm_node_wait_resume() each time the roles have changed or the wait is over.
 *
 *                another RM is active, and the node has not just failed to reach it
 *   begin ------------------------------------------------------------------------> REDIRECT
 *     |
 *     v          this RM leads
 *    WAIT -------------------------> HAND_TO_CORE -- this RM stops leading --> refused
 *    ^  |        as at begin                                                     |
 *    |  +--------------------------> REDIRECT                                    |
 *    |  |        the wait is over, and the roles have not changed                |
 *    |  +--------------------------> REFUSE <-- another RM is active, or no -----+
 *    |                                          connection to ZooKeeper          |
 *    +---------------------------------------------------------------------------+
 *
 * An active RM that the node has failed to reach may be dead, or the link between them was cut for
 * a moment: the node waits for a short time only (doubt_us). The node's list of failed RMs counts
 * until the roles change: whichever RM leads then was elected after the node had tried. */
#ifndef CREEL_RM_TERM_NODE_WAIT_H
#define CREEL_RM_TERM_NODE_WAIT_H

#include <stdbool.h>
#include <stdint.h>

#define RM_NODE_WAIT_US  (INT64_C(10) * 1000000)
#define RM_NODE_DOUBT_US INT64_C(1500000)

struct rm_node_wait_conf {
    int64_t wait_us; /* longest wait while no other RM is known to be active: RM_NODE_WAIT_US */
    /* longest wait while the active RM may be dead, or after this RM has stopped leading:
     * RM_NODE_DOUBT_US */
    int64_t doubt_us;
};

/* The roles as this RM knows them. @changes must be read first: a later change then wakes the
 * request again. */
struct rm_roles_known {
    int64_t changes;    /* how often roles have changed */
    bool leads;         /* this RM is active and its lease holds */
    const char *active; /* address of another RM that is active; "": none is known */
    int64_t now_us;     /* on the clock of the deadlines */
};
enum rm_node_wait_action {
    RM_NODE_HAND_TO_CORE, /* this RM leads */
    RM_NODE_REDIRECT,     /* to the active RM */
    RM_NODE_REFUSE,       /* the node tries again by itself */
    RM_NODE_WAIT,         /* until changes exceed @seen, at the latest until @until_us */
};

struct rm_node_wait { /* zero-initialised: has not waited */
    int64_t seen;     /* rm_roles_known.changes when the wait began */
    int64_t until_us;
    char *failed; /* owned: addresses that the node could not reach; NULL: none */
};
/* Call when a request arrives at an RM that did not lead when @r was read; @r->leads is ignored.
 * @failed: addresses separated by commas that the node could not reach, copied; NULL: none. Returns
 * REDIRECT or WAIT. */
enum rm_node_wait_action rm_node_wait_begin(struct rm_node_wait *w,
                                            const struct rm_node_wait_conf *conf,
                                            const struct rm_roles_known *r, const char *failed);
/* Call after a WAIT, when the roles have changed, the wait is over, or the daemon stops. */
enum rm_node_wait_action rm_node_wait_resume(struct rm_node_wait *w,
                                             const struct rm_node_wait_conf *conf,
                                             const struct rm_roles_known *r);
/* Call when the core, or the rules of its leadership, refused the request because this RM no longer
 * leads. @connected: to ZooKeeper, so that this RM will learn who leads next. Returns WAIT or
 * REFUSE. */
enum rm_node_wait_action rm_node_wait_after_refusal(struct rm_node_wait *w,
                                                    const struct rm_node_wait_conf *conf,
                                                    const struct rm_roles_known *r, bool connected);
void rm_node_wait_free(struct rm_node_wait *w);

#endif
