/* rm/http/admin/beans.h - the ResourceManager's beans, for /jmx and /prom (api/admin/bean.h). The
 * service's user pointer is a struct rm_backend *.
 *
 * To add a bean: its table and function in a file of this folder, a line here, and one in the list
 * in beans.c. */
#ifndef CREEL_RM_HTTP_ADMIN_BEANS_H
#define CREEL_RM_HTTP_ADMIN_BEANS_H

#include "api/admin/bean.h"
#include "rm/daemon/backend.h"

/* cluster_beans.c */
extern const struct api_bean_kind rm_bean_cluster_metrics, rm_bean_rm_nm_info, rm_bean_fair_timing,
    rm_bean_capacity_timing;

/* queue_beans.c */
extern const struct api_bean_kind rm_bean_queue_metrics, rm_bean_partition_metrics;

/* rpc_beans.c: figures of the calls to YARN's four RPC services, and one bean for each service.
 * rm_beans_each_rpc() needs the member server of @service. */
extern const struct api_bean_kind rm_bean_rpc_details[4];
void rm_beans_each_rpc(const struct api_bean_service *service, api_rpc_add *add, void *u);

#endif
