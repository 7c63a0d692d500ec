/* rm/core/node/node.h - a node: its host and rack, slots, containers and orders.
 *
 * A node is a NodeManager of Creel, or one of Hadoop, which cannot do all that Creel's can: it runs
 * plain applications whose masters speak Hadoop RPC, no tasks and no steps of jobs, and it cannot
 * suspend. It gets keys of its own. It starts nothing because of an answer to its heartbeat: the
 * shell calls the node for the launches in the answer, once, and reports what became of each
 * (RM_EV_START_ENDED). */
#ifndef CREEL_RM_CORE_NODE_NODE_H
#define CREEL_RM_CORE_NODE_NODE_H

#include "rm/core/core.h"
#include "rm/core/master/master_slots.h"
#include "rm/core/node/orders.h"
#include "rm/core/step_memory.h"

struct rm_app;
struct rm_container;
struct rm_core;

#define RM_FREE_BUCKETS 64 /* lists of nodes by free slots; the last one is for 63 or more */

/* The lists of nodes with free slots: by kind of task, and those with free master slots. */
enum { RM_FREE_LIST_MASTERS = BASE_TASK_KINDS, RM_FREE_LISTS };

/* Logs of an application that the node has to copy (rm/core/logs/log_reports.h). */
struct rm_log_entry {
    struct base_app_id app;
    uint8_t state; /* enum rm_log_state */
    bool sent;     /* the order to clean up has been sent */
};
struct rm_node_logs {
    struct rm_log_entry *v;
    size_t len, cap;
};

struct rm_node {
    uint32_t index;      /* in rm_core.nodes */
    uint32_t host, rack; /* numbers in rm_core.hosts and racks, referenced */
    char *id, *host_name, *http, *rack_name, *version, *boot_id, *instance, *health_report;
    uint64_t changed;    /* rm_core.node_changes when it last became usable or unusable */
    int32_t hadoop_port; /* of Hadoop RPC, as registered; 0: none */
    int64_t sent_us; /* when the node sent the last accepted request, by its clock; 0: unknown */
    enum rm_node_state state;
    bool is_hadoop;  /* a NodeManager of Hadoop; changes only while the node is not registered */
    bool registered; /* with this instance of the RM */
    bool awaited;    /* read from the store; may run containers, and has not registered yet */
    bool spared;     /* silent, but did not expire for one period, since most nodes were silent */
    bool refused;    /* its registration was refused (rm/core/record/confirm.c) */
    bool healthy;    /* as in its last heartbeat */
    /* Why the node gets no containers (rm/core/admin/decommission.h). */
    bool draining;        /* drained by an operator */
    bool decommissioning; /* decommissioned gracefully, until decommission_at_us (0: no limit) */
    bool unseen;          /* not a node: stands for an excluded host that never had one */
    int64_t decommission_at_us, decommission_timeout_us;
    int32_t slots[BASE_TASK_KINDS], used[BASE_TASK_KINDS], containers_n;
    struct rm_node_masters masters; /* slots for masters alone */
    /* As registered; @slots differ when an operator has given the node other resources. */
    int32_t registered_slots[BASE_TASK_KINDS];
    bool resource_given; /* by an operator: rm/core/admin/resource.h */
    struct rm_res given;
    int64_t overcommit_at_us; /* when containers in excess of the slots are killed; 0: never */
    int32_t suspended[BASE_TASK_KINDS]; /* suspended attempts, which hold no slot */
    int32_t freeing[BASE_TASK_KINDS];   /* used slots whose process is being killed */
    /* The application for which the node is reserved (rm/core/node/reserved.h), NULL: none; its
     * slots as counted in capacity.held. */
    struct rm_app *reserved[BASE_TASK_KINDS];
    int32_t held[BASE_TASK_KINDS];
    /* Number of its label (rm/core/admin/labels.h), 0: none. exclusive: it serves only requests
     * with that label. */
    uint32_t label;
    bool exclusive;
    uint32_t counted_label; /* as counted_slots */
    bool counted;           /* part of the cluster's capacity, with the next two values */
    int32_t counted_slots[BASE_TASK_KINDS];
    struct rm_res counted_res;
    struct rm_res total, used_res;
    struct rm_container *containers; /* live containers */
    /* The container that holds the node's place for steps (rm/core/job/step/places.h), until
     * step_limit at the latest; NULL: the place is free. */
    struct rm_container *step;
    int32_t steps_blocking; /* containers of steps that are being killed */
    bool counted_for_steps; /* in rm_places.nodes */
    struct rm_timer step_limit;
    struct rm_orders queue, sent; /* orders for the next answer; orders of the last answer */
    int64_t response_id;          /* id of the last answer */
    struct rm_node_logs logs;     /* that it has to copy */
    /* rm_master_keys.changes up to which the last answer, and the last one that has arrived, have
     * told the node of keys */
    uint32_t keys_sent, keys_told;
    uint64_t parked; /* token of the held heartbeat; 0: none */
    bool offering;   /* its own heartbeat is being handled: not listed as free */
    bool dirty;      /* in rm_core.dirty, listed for an answer */
    bool urgent;     /* an order in the queue should not wait for the end of the hold time */
    int64_t last_us; /* time of the last heartbeat or registration */
    struct rm_timer hold, expiry, decommission, overcommit;
    /* In the lists of nodes that could take a launch at once, by number of free slots. */
    struct rm_node *free_prev[RM_FREE_LISTS], *free_next[RM_FREE_LISTS];
    int16_t free_bucket[RM_FREE_LISTS];      /* -1: in none */
    uint64_t free_round[BASE_TASK_KINDS];    /* round of offers in which no job wanted it */
    int32_t round_assigned[BASE_TASK_KINDS]; /* slots assigned since its last heartbeat arrived */
    bool round_off_rack; /* one of these slots went to a map whose data is in other racks */
    /* See rm/core/node/forget.c. */
    bool gone;     /* in the list of gone nodes, since gone_us */
    int64_t refs;  /* live applications and containers that refer to it */
    uint64_t born; /* order of creation, from 1 */
    int64_t gone_us;
    struct rm_node *gone_prev, *gone_next;
    struct base_utilization utilization; /* as last reported; zeros: not yet */
    /* What the log was last told of: a report of a container that is not the node's, and when. */
    struct base_container_id stranger;
    int64_t strange_us;
};

/* Returns whether a request with @label (0: none) may be served by @n. */
static inline bool rm_node_serves_label(const struct rm_node *n, uint32_t label)
{
    return n->label == label || (!label && !n->exclusive);
}

/* Returns whether tasks and steps of jobs may be started on @n: they need a NodeManager of Creel,
 * and jobs name no labels. */
static inline bool rm_node_serves_jobs(const struct rm_node *n)
{
    return !n->exclusive && !n->is_hadoop;
}

/* Returns NULL when the node is unknown, or @id is NULL. */
struct rm_node *rm_node_find(const struct rm_core *c, const char *id);
/* Creates a node in state NEW without host, rack and slots, and adds it to the tables. */
struct rm_node *rm_node_new(struct rm_core *c, const char *id);
/* Replaces *@at by a copy of @text (NULL: ""), unless they are equal. */
void rm_node_set_text(char **at, const char *text);
void rm_node_free(struct rm_node *n);
/* Removes @n from the tables and frees it; its index can be given to another node. */
void rm_node_delete(struct rm_core *c, struct rm_node *n);
/* Sets the host, and the rack of node and host. @rack NULL or empty: "/default-rack". */
void rm_node_set_host_and_rack(struct rm_core *c, struct rm_node *n, const char *host,
                               const char *rack);
/* Sets the slots, and the total resources that follow from them. Negative numbers count as 0. */
void rm_node_set_slots(struct rm_core *c, struct rm_node *n, int32_t maps, int32_t reduces,
                       int32_t masters);

#endif
