/* nodemanager/exec/orders.h - what the NodeManager, the shim and creel-exec agree on. */
#ifndef CREEL_NODEMANAGER_EXEC_ORDERS_H
#define CREEL_NODEMANAGER_EXEC_ORDERS_H

#include <signal.h>

/* Exit statuses of creel-exec. */
#define EXEC_REFUSED 126
#define EXEC_NONE    3

/* The descriptor to which creel-exec writes why it refuses. */
#define EXEC_REASON_FD 3

/* The NodeManager's orders to the shim of a container that runs as its user: the value of a queued
 * signal EXEC_ORDER_SIGNAL. */
#define EXEC_ORDER_SIGNAL (SIGRTMIN + 3)
enum exec_order {
    EXEC_ORDER_TERM = 1,
    EXEC_ORDER_KILL,
    EXEC_ORDER_STOP,
    EXEC_ORDER_CONT,
    EXEC_ORDER_DUMP
};

#endif
