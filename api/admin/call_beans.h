/* api/admin/call_beans.h - beans of the calls that a daemon answers: HttpServer2, of its HTTP
 * server; and those of Hadoop's RPC servers, which monitors find by their ports.
 *
 * Creel's daemons have one server, which speaks HTTP. Some of its routes correspond to an RPC
 * service of YARN's; the bean of that service shows the calls to these routes. The time during
 * which a call is held until there is something to tell counts as Hadoop's deferred processing.
 * Figures that belong to the server as a whole are the same in all these beans. */
#ifndef CREEL_API_ADMIN_CALL_BEANS_H
#define CREEL_API_ADMIN_CALL_BEANS_H

#include "api/admin/bean.h"
#include "api/server/calls.h"

/* The calls of one RPC service. */
struct api_rpc_figures {
    const char *port, *service; /* "8032", "ApplicationClientProtocolService" */
    struct api_call_figures calls;
    int64_t queue_length; /* events that wait for the daemon's core */
};
/* Return the rates that a bean shows of @f: the number of calls, and the average time in which they
 * were handled, held, or answered as a whole. */
struct api_rate api_rate_of_handling(const struct api_call_figures *f);
struct api_rate api_rate_of_holding(const struct api_call_figures *f);
struct api_rate api_rate_of_whole_requests(const struct api_call_figures *f);

extern const struct api_bean_kind api_bean_http_server, api_bean_rpc_activity;
#define API_CALL_BEANS &api_bean_http_server, &api_bean_rpc_activity

#endif
