/* nodemanager/daemon/wire.h - what goes between the NodeManager and the ResourceManager: requests made out of the core's
 * views, answers made into orders. No I/O. */
#ifndef CREEL_NODEMANAGER_DAEMON_WIRE_H
#define CREEL_NODEMANAGER_DAEMON_WIRE_H

#include <jansson.h>

#include "base/error.h"
#include "base/mem.h"
#include "nodemanager/core/core.h"

struct nm_ident { /* who this node is; strings borrowed */
    const char *node_id, *http_address, *rack, *instance, *boot_id;
    int64_t map_slots, reduce_slots;
};

/* Both call nm_core_each_in_beat(): once per NM_FX_BEAT. */
void nm_wire_register(struct nm_core *core, const struct nm_ident *who, struct base_buf *out);
void nm_wire_heartbeat(struct nm_core *core, const struct nm_ident *who, int64_t hold_ms, struct base_buf *out);

struct nm_answer {
    int64_t epoch, response_id, heartbeat_ms;
    struct nm_order *orders; /* strings borrowed from root; launch.raw is the order's json_t */
    size_t n;
    size_t bad; /* orders that could not be read, skipped; the first one's story: */
    struct base_error bad_err;
    json_t *root;
};
/* Reads an answer. @grace_ms: for kill orders that name none. Free also after an error. */
int nm_wire_answer(const char *text, size_t len, int64_t grace_ms, struct nm_answer *out, struct base_error *err);
void nm_answer_free(struct nm_answer *a);
/* Reads a launch order (also launch.json). Strings borrowed from @order. */
int nm_wire_launch(const json_t *order, struct nm_launch *out, struct base_error *err);

#endif
