/* tests/fuzz/fuzz_node.h - for the targets that feed a NodeManager's core: whatever its inputs
 * were, what the node says next must be understood by the ResourceManager, or one container would
 * silence its whole node. */
#ifndef CREEL_TESTS_FUZZ_NODE_H
#define CREEL_TESTS_FUZZ_NODE_H

#include "base/mem.h"
#include "nodemanager/daemon/wire.h"
#include "rm/http/node_json.h"

/* One step at time 1 s; the effects of the last step are in @fx. */
static inline void node_step(struct nm_core *core, struct nm_event ev, struct nm_effects *fx)
{
    ev.at_us = 1000000;
    fx->len = 0;
    nm_core_step(core, &ev, fx);
}

/* The request that an NM_FX_BEAT among @fx asks for, if any, read as the ResourceManager reads
 * it. */
static inline void node_check_beat(struct nm_core *core, const struct nm_effects *fx)
{
    static const struct nm_ident who = {"n1:4242", "n1:4242", "/r", "01", "b", 2, 1, 0, 0};
    struct base_buf b = {0};
    struct rm_node_message m;
    struct base_error err = {0};

    for (size_t i = 0; i < fx->len; i++) {
        if (fx->v[i].kind != NM_FX_BEAT)
            continue;
        if (fx->v[i].registering) {
            nm_wire_put_registration(core, &who, &(struct nm_wire_logs){0}, &b);
            base_assert(rm_node_decode_register(b.data, b.len, &m, &err) == 0);
        } else {
            nm_wire_put_heartbeat(core, &who, 1000, &(struct nm_wire_logs){0}, NULL, &b);
            base_assert(rm_node_decode_heartbeat(b.data, b.len, &m, &err) == 0);
        }
        rm_node_message_free(&m);
        break;
    }
    base_buf_free(&b);
}

#endif
