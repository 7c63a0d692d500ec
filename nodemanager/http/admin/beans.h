/* nodemanager/http/admin/beans.h - the NodeManager's beans, for /jmx and /prom (api/admin/bean.h).
 * The service's user pointer is a struct nm *. */
#ifndef CREEL_NODEMANAGER_HTTP_ADMIN_BEANS_H
#define CREEL_NODEMANAGER_HTTP_ADMIN_BEANS_H

#include "api/admin/bean.h"

/* rpc_beans.c: figures of YARN's two RPC services of a node, and one bean for each of them. */
extern const struct api_bean_kind nm_bean_management_details, nm_bean_localizer_details;
void nm_beans_each_rpc(const struct api_bean_service *service, api_rpc_add *add, void *u);

#endif
