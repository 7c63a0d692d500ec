/* api/wire/node.h - what a NodeManager says to the ResourceManager: registration, heartbeat, and
 * the short requests that only name the node. The answers are in api/wire/order.h.
 *
 * POST /ws/v1/nodetracker/register | heartbeat | wake | unregister, body a JSON object. A
 * registration carries all containers of the node, a heartbeat those that changed or ended; the RM
 * needs to be told of an end until it says forget.
 *
 * Units: _ms are milliseconds on the node's wall clock, sent_us microseconds on its clock since
 * boot, memory MiB, max_rss_kb KiB, sizes bytes. The rules of reading are in api/wire/member.h.
 *
 * Ownership: texts are borrowed. A struct that was read owns its tree and its arrays: free it with
 * its _free function, which leaves it all zero. One that is written owns nothing. After an error
 * nothing is left to be freed. */
#ifndef CREEL_API_WIRE_NODE_H
#define CREEL_API_WIRE_NODE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/wire/counters.h"
#include "base/error.h"
#include "base/id.h"
#include "base/mem.h"

#define WIRE_CONTAINERS_MAX 100000 /* in one message */
#define WIRE_NODE_APPS_MAX  100000 /* applications with folders on a node */
#define WIRE_HOLD_MAX_MS    60000
#define WIRE_EXIT_NONE      (-1000) /* of a container that has not exited */

enum wire_container_state { WIRE_RUNNING, WIRE_SUSPENDED, WIRE_COMPLETE };

/* One container as its node sees it. The second half is sent with a registration alone: all that a
 * new ResourceManager needs to know the container again. */
struct wire_container {
    struct base_container_id id;
    enum wire_container_state state;
    enum base_task_kind slot;
    double progress;   /* 0 to 1 */
    const char *phase; /* NULL: none */
    int32_t exit_code, signal;
    int64_t started_ms, ended_ms, cpu_ms, max_rss_kb;
    const char *diagnostics; /* NULL: none */
    struct wire_counters counters;
    int64_t output_bytes;

    const char *app, *user, *task; /* application and task as text; task NULL: none */
    int32_t task_attempt, priority;
    bool master;
    int64_t memory_mb, vcores, allocation_request_id;
};

struct wire_registration {
    const char *node_id; /* host:port */
    const char *http_address, *rack, *instance, *boot_id, *version;
    int32_t map_slots, reduce_slots;
    int64_t epoch_seen, sent_us;
    struct base_app_id *apps; /* that have folders on the node */
    size_t apps_n;
    struct wire_container *containers;
    size_t containers_n;
    json_t *root; /* of one that was read */
};

struct wire_heartbeat {
    const char *node_id, *instance;
    int64_t response_id; /* of the last answer */
    int64_t epoch_seen, sent_us, disk_free_mb;
    int64_t hold_ms; /* how long the answer may be held */
    bool healthy;
    const char *health_report; /* NULL: nothing to report */
    struct wire_container *containers;
    size_t containers_n;
    json_t *root;
};

struct wire_node_name { /* wake: answer the held heartbeat; unregister: the node goes */
    const char *node_id, *instance;
    json_t *root;
};

void wire_registration_put(const struct wire_registration *r, struct base_buf *out);
int wire_registration_get(const char *text, size_t len, struct wire_registration *r,
                          struct base_error *err);
void wire_registration_free(struct wire_registration *r);

void wire_heartbeat_put(const struct wire_heartbeat *h, struct base_buf *out);
int wire_heartbeat_get(const char *text, size_t len, struct wire_heartbeat *h,
                       struct base_error *err);
void wire_heartbeat_free(struct wire_heartbeat *h);

void wire_node_name_put(const struct wire_node_name *n, struct base_buf *out);
int wire_node_name_get(const char *text, size_t len, struct wire_node_name *n,
                       struct base_error *err);
void wire_node_name_free(struct wire_node_name *n);

/* May two daemons of these versions ("1.4.0") work together? They must have the same major version.
 * Returns 0, or -BASE_EVERSION with both versions in @err. @peer may come from anywhere; @peer_name
 * says whose it is. */
int wire_version_check(const char *peer_name, const char *peer, const char *own_name,
                       const char *own, struct base_error *err);

#endif
