/* api/wire/node.h - messages of a NodeManager to the ResourceManager: registration, heartbeat, and
 * the short requests that only name the node. The answers are in api/wire/order.h.
 *
 * POST /ws/v1/nodetracker/register | heartbeat | wake | unregister, body a JSON object. A
 * registration carries all containers of the node, a heartbeat those that changed or ended. The end
 * of a container is repeated until the ResourceManager orders the node to forget it.
 *
 * Units: _ms are milliseconds (started_ms and ended_ms since 1970 by the node's clock), sent_us
 * microseconds on its clock since boot, memory MiB, max_rss_kb KiB, sizes bytes. How members are
 * read is in api/wire/member.h.
 *
 * A heartbeat has a node's utilization only when it was measured since the heartbeat before.
 *
 * Ownership: texts are borrowed. A struct filled by a _get function owns its tree and its arrays
 * until its _free function, which zeroes the struct; after an error of _get it owns nothing. A
 * struct made for a _put function owns nothing. A _get function returns 0 or a negative BASE_E*. */
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
#include "base/utilization.h"

#define WIRE_CONTAINERS_MAX 100000 /* most containers in one message */
#define WIRE_NODE_APPS_MAX  100000 /* most applications with folders on a node */
#define WIRE_LOGS_MAX       1000   /* most applications whose logs a heartbeat reports */
#define WIRE_HOLD_MAX_MS    60000
#define WIRE_EXIT_NONE      (-1000) /* exit_code of a container that has not exited */

enum wire_container_state { WIRE_RUNNING, WIRE_SUSPENDED, WIRE_COMPLETE };

/* One container as its node sees it. The members from @app on are sent in registrations only: a new
 * ResourceManager needs them to recognise the container. */
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

/* The logs of an application that are to be aggregated. An application whose logs have been copied,
 * or that had none, is not reported. A registration reports up to WIRE_NODE_APPS_MAX, a heartbeat
 * up to WIRE_LOGS_MAX; logs_more says that there are others, about which nothing is said. */
enum wire_log_state {
    WIRE_LOGS_COPYING, /* being copied, or waiting for that */
    WIRE_LOGS_FAILING, /* copying has failed, and will be tried again */
    WIRE_LOGS_FAILED   /* they are gone, and were not copied */
};
struct wire_log_report {
    struct base_app_id app;
    enum wire_log_state state;
};

struct wire_registration {
    const char *node_id; /* host:port */
    const char *http_address, *rack, *instance, *boot_id, *version;
    int32_t map_slots, reduce_slots, master_slots; /* the last for masters alone */
    int32_t hadoop_port; /* at which Hadoop's masters start containers; 0: none */
    int64_t epoch_seen, sent_us;
    struct base_app_id *apps; /* applications that have folders on the node */
    size_t apps_n;
    struct wire_container *containers;
    size_t containers_n;
    struct wire_log_report *logs;
    size_t logs_n;
    bool logs_more;
    json_t *root; /* of a registration that was read: owns the texts */
};

struct wire_heartbeat {
    const char *node_id, *instance;
    int64_t response_id; /* number of the last answer that the node has received */
    int64_t epoch_seen, sent_us, disk_free_mb;
    int64_t hold_ms; /* how long the answer may be held */
    bool healthy;
    const char *health_report; /* NULL: nothing to report */
    bool has_utilization;
    struct base_utilization utilization;
    struct wire_container *containers;
    size_t containers_n;
    struct wire_log_report *logs;
    size_t logs_n;
    bool logs_more;
    json_t *root;
};

struct wire_node_name { /* wake: answer the held heartbeat; unregister: the node shuts down */
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

/* Checks that daemons of versions @peer and @own ("1.4.0") may work together: they must have the
 * same major version. Returns 0, or -BASE_EVERSION with both versions in @err. @peer may be any
 * text. @peer_name and @own_name name the daemons in the message. */
int wire_check_same_major_version(const char *peer_name, const char *peer, const char *own_name,
                                  const char *own, struct base_error *err);

#endif
