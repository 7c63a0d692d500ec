/* nodemanager/daemon/wire.h - between the core's views and the messages of api/wire: requests made
 * out of views, answers made into orders. No I/O. */
#ifndef CREEL_NODEMANAGER_DAEMON_WIRE_H
#define CREEL_NODEMANAGER_DAEMON_WIRE_H

#include "api/wire/order.h"
#include "base/error.h"
#include "base/mem.h"
#include "nodemanager/core/core.h"

struct nm_ident { /* who this node is; strings borrowed */
    const char *node_id, *http_address, *rack, *instance, *boot_id;
    int32_t map_slots, reduce_slots;
};

/* Both append the body to @out and call nm_core_each_in_beat(): once per NM_FX_BEAT. */
void nm_wire_register(struct nm_core *core, const struct nm_ident *who, struct base_buf *out);
void nm_wire_heartbeat(struct nm_core *core, const struct nm_ident *who, int64_t hold_ms,
                       struct base_buf *out);

struct nm_answer {
    struct wire_answer wire;
    struct nm_order
        *orders; /* wire.orders_n of them, for the core; everything borrowed from @wire */
};
/* Reads an answer. @grace_ms: for kill orders that name none. After an error nothing is left to be
 * freed. */
int nm_wire_answer(const char *text, size_t len, int64_t grace_ms, struct nm_answer *out,
                   struct base_error *err);
void nm_answer_free(struct nm_answer *a);
/* A launch for the core, which borrows all of @from. */
void nm_wire_launch(const struct wire_launch *from, struct nm_launch *out);

#endif
