/* rm/core/node/orders.h - orders to a node. */
#ifndef CREEL_RM_CORE_NODE_ORDERS_H
#define CREEL_RM_CORE_NODE_ORDERS_H

#include "rm/core/core.h"

struct rm_app;
struct rm_core;
struct rm_node;

/* An order in short form, since every node has two lists of them; rm_orders_expand makes a
 * struct rm_order of it. */
struct rm_queued {
    struct base_container_id container; /* CLEANUP_APP: its application alone */
    struct rm_app *app;                 /* LAUNCH: a reference */
    struct rm_launch *launch;           /* LAUNCH: a reference, or NULL */
    const char *reason;
    union {
        struct {
            int32_t task, task_attempt;
        }; /* has_task */
        int64_t allocation_id;
    };
    int32_t priority, grace_ms, memory_mb, vcores;
    uint8_t kind, slot;
    bool master, has_task;
};

struct rm_orders {
    struct rm_queued *v;
    size_t len, cap;
};

void rm_orders_clear(struct rm_orders *q);
void rm_orders_free(struct rm_orders *q);
void rm_node_list_for_answer(struct rm_core *c, struct rm_node *n);
bool rm_node_has_queued_order(const struct rm_node *n, enum base_order_kind kind,
                              const struct base_container_id *id);
struct rm_queued *rm_node_queue_order(struct rm_core *c, struct rm_node *n,
                                      enum base_order_kind kind);
struct rm_order *rm_orders_expand(struct rm_core *c, const struct rm_orders *q);
void rm_node_queue_kill(struct rm_core *c, struct rm_node *n, const struct base_container_id *id,
                        const char *reason);
void rm_node_queue_forget(struct rm_core *c, struct rm_node *n, const struct base_container_id *id);

#endif
