/* base/order_kind.h - what a ResourceManager can order a NodeManager to do.
 *
 *   LAUNCH       start a container
 *   KILL         end it: SIGTERM, and SIGKILL after a grace
 *   SUSPEND      stop its processes; RESUME lets them go on
 *   FORGET       its end is durable with the RM: report it no longer
 *   CLEANUP_APP  the application is over: remove its folders
 *   RESYNC       the RM does not know the node: register again, with all containers
 *   SHUTDOWN     end once nothing runs any more
 *
 * Their names on the wire are in api/wire/order.h. */
#ifndef CREEL_BASE_ORDER_KIND_H
#define CREEL_BASE_ORDER_KIND_H

enum base_order_kind {
    BASE_ORDER_LAUNCH,
    BASE_ORDER_KILL,
    BASE_ORDER_SUSPEND,
    BASE_ORDER_RESUME,
    BASE_ORDER_FORGET,
    BASE_ORDER_CLEANUP_APP,
    BASE_ORDER_RESYNC,
    BASE_ORDER_SHUTDOWN,
    BASE_ORDER_KINDS
};

#endif
