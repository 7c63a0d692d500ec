/* rm/http/node_json.h - converts between the messages of api/wire and the core's events and
 * effects: requests of NodeManagers become events, heartbeat effects become answers. */
#ifndef CREEL_RM_HTTP_NODE_JSON_H
#define CREEL_RM_HTTP_NODE_JSON_H

#include "api/wire/node.h"
#include "rm/core/core.h"

/* A decoded request. Its event points to memory that the request owns, not into this structure,
 * which may be copied. To be freed once with rm_node_message_free(), unless it is all zeros. */
struct rm_node_message {
    struct rm_event ev;
    union {
        struct wire_registration registration;
        struct wire_heartbeat heartbeat;
        struct wire_node_name name;
    } wire; /* the member that belongs to ev.kind */
    struct rm_container_report *reports;
    struct rm_log_report *logs;
    char *host;
};
/* These decode a request of @len bytes. Each returns 0, or -BASE_EINVAL, -BASE_ELIMIT or, for a
 * registration of another major version, -BASE_EVERSION; after an error @out is all zeros. */
int rm_node_decode_register(const char *text, size_t len, struct rm_node_message *out,
                            struct base_error *err);
int rm_node_decode_heartbeat(const char *text, size_t len, struct rm_node_message *out,
                             struct base_error *err);
/* @kind: RM_EV_NODE_WAKE or RM_EV_NODE_GONE, whose bodies contain only the node's name and
 * instance. */
int rm_node_decode_wake_or_unregister(const char *text, size_t len, enum rm_event_kind kind,
                                      struct rm_node_message *out, struct base_error *err);
void rm_node_message_free(struct rm_node_message *m);

struct rm_order_context {
    const char *rm_urls; /* URLs of all RMs, separated by commas; tasks connect to them */
    int64_t sort_buffer_mb;
    int64_t input_limit_ms; /* how long a setup may search for files */
};
/* Appends order @o. */
void rm_order_encode(const struct rm_order *o, const struct rm_order_context *cx,
                     struct base_buf *out);
/* Appends the answer to a registration or a heartbeat, with its orders. */
void rm_heartbeat_answer_encode(const struct rm_effect *fx, const char *cluster_name,
                                const struct rm_order_context *cx, struct base_buf *out);

#endif
