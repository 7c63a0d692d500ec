/* rm/core/node/orders.h - orders to a node, queued for the next answer. */
#ifndef CREEL_RM_CORE_NODE_ORDERS_H
#define CREEL_RM_CORE_NODE_ORDERS_H

#include "base/data/map.h"
#include "rm/core/core.h"

struct rm_app;
struct rm_core;
struct rm_node;

/* An order in compact form, since every node has two lists of them; rm_orders_expand() makes a
 * struct rm_order of it. */
struct rm_queued {
    struct base_container_id container; /* CLEANUP_APP: only its application is set */
    struct rm_app *app;                 /* LAUNCH: referenced */
    struct rm_launch *launch;           /* LAUNCH: referenced, or NULL */
    const char *reason;                 /* KILL: static text */
    union {
        struct {
            int32_t task, task_attempt;
        };                     /* of a task or a step */
        int64_t allocation_id; /* otherwise */
    };
    int32_t priority, grace_ms, memory_mb, vcores;
    /* enum base_order_kind, base_task_kind, base_signal_command, base_job_step */
    uint8_t kind, slot, signal, step;
    bool master, has_task;
    bool
        answers_report; /* KILL, CLEANUP_APP: the node is told again if it reports the same again */
};

struct rm_orders {
    struct rm_queued *v;
    size_t len, cap;
    /* The FORGET orders among the first @indexed ones, each as its place in @v, counted from 1; see
     * rm_node_enqueue_forget(). */
    struct base_map forgets;
    size_t indexed;
};

/* Removes all orders, and drops their references. */
void rm_orders_clear(struct rm_orders *q);
void rm_orders_free(struct rm_orders *q);
/* Removes the launches. */
void rm_orders_remove_launches(struct rm_orders *q);
/* Removes the queued orders to @n that its registration causes again: those that answer its
 * reports, and all FORGET orders, since it reports what it has not forgotten. */
void rm_node_drop_restated_orders(struct rm_node *n);
/* Lists @n for rm_nodes_answer_due_heartbeats() at the end of this step. */
void rm_node_add_to_answer_list(struct rm_core *c, struct rm_node *n);
/* Returns true when such an order for @id is queued and not sent yet. */
bool rm_node_has_queued_order(const struct rm_node *n, enum base_order_kind kind,
                              const struct base_container_id *id);
/* Queues an order, zero except for its kind, to be filled in. Borrowed until the next order to
 * @n. */
struct rm_queued *rm_node_enqueue_order(struct rm_core *c, struct rm_node *n,
                                        enum base_order_kind kind);
/* Returns the q->len orders as effects carry them, in memory that is valid until the next step. */
struct rm_order *rm_orders_expand(struct rm_core *c, const struct rm_orders *q);
/* Orders @n to kill the container @id. @reason: static text. Borrowed until the next order to @n.
 */
struct rm_queued *rm_node_enqueue_kill(struct rm_core *c, struct rm_node *n,
                                       const struct base_container_id *id, const char *reason);
/* Orders @n to forget an ended container, unless that is queued already. */
void rm_node_enqueue_forget(struct rm_core *c, struct rm_node *n,
                            const struct base_container_id *id);

#endif
