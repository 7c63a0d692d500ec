/* rm/http/node_json.h - between the core's events and effects and the messages of api/wire:
 * requests of NodeManagers made into events, heartbeat effects made into answers. */
#ifndef CREEL_RM_HTTP_NODE_JSON_H
#define CREEL_RM_HTTP_NODE_JSON_H

#include "api/wire/node.h"
#include "rm/core/core.h"

/* A request that was read: the event points into it. All zero, or freed with rm_node_message_free.
 */
struct rm_node_message {
    struct rm_event ev;
    union {
        struct wire_registration registration;
        struct wire_heartbeat heartbeat;
        struct wire_node_name name;
    } wire; /* as ev.kind says */
    struct rm_container_report *reports;
    char *host;
};
/* After an error nothing is left to be freed. A registration of another major version is
 * -BASE_EVERSION. */
int rm_node_decode_register(const char *text, size_t len, struct rm_node_message *out,
                            struct base_error *err);
int rm_node_decode_heartbeat(const char *text, size_t len, struct rm_node_message *out,
                             struct base_error *err);
/* RM_EV_NODE_WAKE and RM_EV_NODE_GONE. */
int rm_node_decode_name(const char *text, size_t len, enum rm_event_kind kind,
                        struct rm_node_message *out, struct base_error *err);
void rm_node_message_free(struct rm_node_message *m);

struct rm_order_context {
    const char *rm_urls;    /* of all RMs, separated by commas: whom tasks ask */
    const char *master_key; /* of rm_master_token() */
    int64_t sort_buffer_mb;
};
void rm_order_encode(const struct rm_order *o, const struct rm_order_context *cx,
                     struct base_buf *out);
/* The answer of a registration or a heartbeat. */
void rm_heartbeat_encode(const struct rm_effect *fx, const char *cluster_name,
                         const struct rm_order_context *cx, struct base_buf *out);

#endif
