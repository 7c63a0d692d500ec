/* rm/rpc/tracker/answer.h - the core's answers to NodeManagers of Hadoop, with its orders, as
 * messages; without launches, for which the node is called (rm/rpc/start/starter.h). The core does
 * not order such a node to suspend or resume. */
#ifndef CREEL_RM_RPC_TRACKER_ANSWER_H
#define CREEL_RM_RPC_TRACKER_ANSWER_H

#include "rm/core/core.h"
#include "rm/rpc/put.h"
#include "rm/rpc/tracker.pb-c.h"

/* What a node is told to do besides its orders. */
enum rm_tracker_action { RM_TRACKER_NORMAL, RM_TRACKER_RESYNC, RM_TRACKER_SHUTDOWN };
/* Returns the action that the reply or answer @fx, which is no error, stands for. */
enum rm_tracker_action rm_tracker_find_action(const struct rm_effect *fx);
/* Returns the text that the node shows as the reason; NULL: there is none. */
char *rm_tracker_explain_action(enum rm_tracker_action action);

/* The messages point into the struct and into @fx; the struct must not move. */
struct rm_tracker_registered {
    Tracker__Registered message;
    Tracker__Key container_key, nm_key;
    struct rm_rpc_resource resource;
};
/* Fills the answer to a registration. A node that is refused gets no keys. */
void rm_tracker_put_registered(const struct rm_effect *fx, struct rm_tracker_registered *out);

struct rm_tracker_order { /* what one order is about, by its kind */
    Yarn__AppId app;
    struct rm_rpc_container_id container;
    Tracker__Signal signal;
};
struct rm_tracker_beat_answer {
    Tracker__BeatAnswer message;
    Tracker__Key container_key, nm_key; /* which are going to replace the node's */
    struct rm_rpc_resource resource;
    struct rm_tracker_order *orders;
};
/* Fills the answer to a heartbeat; free with rm_tracker_beat_answer_free(). */
void rm_tracker_put_beat_answer(const struct rm_effect *fx, struct rm_tracker_beat_answer *out);
void rm_tracker_beat_answer_free(struct rm_tracker_beat_answer *a);

#endif
