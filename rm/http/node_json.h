/* rm/http/node_json.h - what NodeManagers and ResourceManager say to each other, as JSON: registrations and heartbeats
 * in, orders out. Times on the wire are milliseconds, sizes bytes. Unknown members are ignored here, so that a newer
 * NodeManager can talk to an older ResourceManager; wrong types and bounds are refused. */
#ifndef CREEL_RM_HTTP_NODE_JSON_H
#define CREEL_RM_HTTP_NODE_JSON_H

#include <jansson.h>

#include "rm/core/core.h"

#define RM_NODE_REPORTS_MAX 100000 /* containers in one message */
#define RM_NODE_APPS_MAX 100000    /* applications with folders on a node */
#define RM_NODE_HOLD_MAX_MS 60000

/* A decoded message: the event points into it. */
struct rm_node_message {
    struct rm_event ev;
    json_t *body;
    struct rm_container_report *reports;
    struct base_app_id *apps;
    int64_t (*counters)[RM_C_TASK_COUNTERS];
    size_t counters_n;
    char *host;
};
int rm_node_decode_register(const char *text, size_t len, struct rm_node_message *out, struct base_error *err);
int rm_node_decode_heartbeat(const char *text, size_t len, struct rm_node_message *out, struct base_error *err);
/* {"node-id","instance"}: RM_EV_NODE_WAKE and RM_EV_NODE_GONE. */
int rm_node_decode_name(const char *text, size_t len, enum rm_event_kind kind, struct rm_node_message *out,
                        struct base_error *err);
void rm_node_message_free(struct rm_node_message *m);

struct rm_order_context {
    const char *rm_urls; /* of every RM, separated by commas: whom tasks ask */
    const char *master_key; /* of rm_master_token() */
    int64_t sort_buffer_mb;
};
void rm_order_encode(const struct rm_order *o, const struct rm_order_context *cx, struct base_buf *out);
/* The answer of a registration or a heartbeat. */
void rm_heartbeat_encode(const struct rm_effect *fx, const char *cluster_name, const struct rm_order_context *cx,
                         struct base_buf *out);

#endif
