/* nodemanager/daemon/wire.h - converts between the core's views and the messages of api/wire: views
 * become requests, answers become orders. No I/O. */
#ifndef CREEL_NODEMANAGER_DAEMON_WIRE_H
#define CREEL_NODEMANAGER_DAEMON_WIRE_H

#include "api/wire/node.h"
#include "api/wire/order.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/utilization.h"
#include "nodemanager/core/core.h"

struct nm_ident { /* identity of this node; strings borrowed */
    const char *node_id, *http_address, *rack, *instance, *boot_id;
    int32_t map_slots, reduce_slots, master_slots, hadoop_port;
};

/* Append the body of a registration or of a heartbeat to @out. Both call
 * nm_core_mark_sent_each_to_report(), so call one of them once per NM_FX_BEAT. @logs: those that
 * are to be aggregated. @measured: the node's load; NULL unless it was measured since the previous
 * heartbeat. */
struct nm_wire_logs {
    struct wire_log_report *v;
    size_t n;
    bool more; /* there are others */
};
void nm_wire_put_registration(struct nm_core *core, const struct nm_ident *who,
                              const struct nm_wire_logs *logs, struct base_buf *out);
void nm_wire_put_heartbeat(struct nm_core *core, const struct nm_ident *who, int64_t hold_ms,
                           const struct nm_wire_logs *logs, const struct base_utilization *measured,
                           struct base_buf *out);

struct nm_answer {
    struct wire_answer wire;
    struct nm_order
        *orders; /* for the core: wire.orders_n orders, whose members borrow from @wire */
};
/* Decodes an answer. @grace_ms: the grace period of shutdown orders, and of kill orders that name
 * none. Returns 0, or an error of wire_answer_get(), or -BASE_EVERSION if the RM's version is
 * unreadable or has another major number; after an error there is nothing to free. */
int nm_wire_get_answer(const char *text, size_t len, int64_t grace_ms, struct nm_answer *out,
                       struct base_error *err);
void nm_answer_free(struct nm_answer *a);
/* Converts a launch order for the core; @out borrows from @from. */
void nm_wire_convert_launch(const struct wire_launch *from, struct nm_launch *out);

#endif
