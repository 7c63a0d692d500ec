/* rm/core/node/node.h - a node: its place, slots, containers and orders. */
#ifndef CREEL_RM_CORE_NODE_NODE_H
#define CREEL_RM_CORE_NODE_NODE_H

#include "rm/core/core.h"
#include "rm/core/node/orders.h"
#include "rm/core/step_memory.h"

struct rm_container;
struct rm_core;

#define RM_FREE_BUCKETS 64 /* nodes by free slots; the last bucket holds all that have more */

struct rm_node {
    uint32_t index, host, rack;
    char *id, *host_name, *http, *rack_name, *version, *boot_id, *instance, *health_report;
    int64_t sent_us; /* of the request taken last, as the node says; 0: not known */
    enum rm_node_state state;
    bool registered; /* with this instance of the RM */
    bool awaited;    /* recovered: work may run there, nobody knows yet */
    bool spared;     /* silent, and given one more period since most nodes were */
    bool refused;    /* its last registration: it works for a store other than ours */
    bool healthy;
    int32_t slots[BASE_TASK_KINDS], used[BASE_TASK_KINDS], containers_n;
    int32_t suspended[BASE_TASK_KINDS]; /* attempts: no slot */
    int32_t freeing[BASE_TASK_KINDS];   /* of the used slots: being killed */
    bool counted;                       /* its slots are part of the cluster's capacity */
    int32_t counted_slots[BASE_TASK_KINDS];
    struct rm_res counted_res;
    struct rm_res total, used_res;
    struct rm_container *containers;
    struct rm_orders queue, sent;
    int64_t response_id; /* of the last answer */
    uint64_t parked;     /* token of the held heartbeat, 0: none */
    bool offering;       /* in the middle of its heartbeat: not in the index of free nodes */
    bool dirty, urgent;  /* urgent: something queued is worth answering a held heartbeat for */
    int64_t last_us;
    struct rm_timer hold, expiry;
    /* among nodes that could take a launch at once, by free slots */
    struct rm_node *free_prev[BASE_TASK_KINDS], *free_next[BASE_TASK_KINDS];
    int16_t free_bucket[BASE_TASK_KINDS]; /* -1: in none */
    uint64_t free_round[BASE_TASK_KINDS]; /* round of offers in which nobody wanted it */
    int32_t round_assigned[BASE_TASK_KINDS];
    bool round_off_rack;
    /* rm/core/record/forget.c */
    bool gone;     /* in the list of gone nodes, since gone_us */
    int64_t refs;  /* applications that have not ended and containers that refer to it */
    uint64_t born; /* in the order in which nodes were made, from 1 */
    int64_t gone_us;
    struct rm_node *gone_prev, *gone_next;
};

struct rm_node *rm_node_find(const struct rm_core *c, const char *id);
struct rm_node *rm_node_new(struct rm_core *c, const char *id);
void rm_node_set_text(char **at, const char *text);
void rm_node_free(struct rm_node *n);
/* Out of the tables: its index is free. */
void rm_node_delete(struct rm_core *c, struct rm_node *n);
void rm_node_set_place(struct rm_core *c, struct rm_node *n, const char *host, const char *rack);
void rm_node_set_slots(struct rm_core *c, struct rm_node *n, int32_t maps, int32_t reduces);

#endif
