#include "api/admin/call_beans.h"

#include <math.h>
#include <stdio.h>

#define US_PER_MS 1000.0
#define WINDOW_S  10

static double get_average_ms(int64_t sum_us, int64_t calls)
{
    return calls ? (double)sum_us / US_PER_MS / (double)calls : 0;
}

struct api_rate api_rate_of_handling(const struct api_call_figures *f)
{
    return (struct api_rate){f->all.calls, get_average_ms(f->window.handling_us, f->window.calls)};
}

struct api_rate api_rate_of_holding(const struct api_call_figures *f)
{
    return (struct api_rate){f->all.held_calls,
                             get_average_ms(f->window.held_us, f->window.held_calls)};
}

struct api_rate api_rate_of_whole_requests(const struct api_call_figures *f)
{
    return (struct api_rate){f->all.calls, get_average_ms(f->window.whole_us, f->window.calls)};
}

#define NO_GAUGE(name)                                                                             \
    {                                                                                              \
        name, API_ATTR_NO_GAUGE, 0, 0                                                              \
    }
#define NO_COUNT(name)                                                                             \
    {                                                                                              \
        name, API_ATTR_NO_COUNT, 0, 0                                                              \
    }
#define NO_RATE(name)                                                                              \
    {                                                                                              \
        name, API_ATTR_NO_RATE, 0, 0                                                               \
    }

/* ---- HttpServer2. SOURCE: Hadoop's HttpServer2Metrics, over Jetty's StatisticsHandler. A dispatch
 * is the time in a handler; an asynchronous request is one that is held. ---- */
struct http_server {
    const char *context, *host;
    int64_t requests, active, active_max, dispatched_active, held_calls, held, held_max;
    struct http_times {
        int64_t longest, total;
        double mean, deviation;
    } request, dispatch; /* milliseconds */
    int64_t up_ms, bytes, by_class[6];
};
#define HTTP(name, type, member) API_ATTRIBUTE(http_server, name, type, member)
static const struct api_attribute http_attributes[] = {
    HTTP("Context", API_ATTR_TAG, context),
    HTTP("Hostname", API_ATTR_TAG, host),
    HTTP("Dispatched", API_ATTR_GAUGE, requests),
    HTTP("AsyncDispatches", API_ATTR_GAUGE, held_calls),
    HTTP("AsyncRequests", API_ATTR_GAUGE, held_calls),
    HTTP("AsyncRequestsWaiting", API_ATTR_GAUGE, held),
    HTTP("AsyncRequestsWaitingMax", API_ATTR_GAUGE, held_max),
    HTTP("DispatchedActive", API_ATTR_GAUGE, dispatched_active),
    HTTP("DispatchedActiveMax", API_ATTR_GAUGE, active_max),
    HTTP("DispatchedTimeMax", API_ATTR_GAUGE, dispatch.longest),
    HTTP("DispatchedTimeMean", API_ATTR_DOUBLE, dispatch.mean),
    HTTP("DispatchedTimeStdDev", API_ATTR_DOUBLE, dispatch.deviation),
    HTTP("DispatchedTimeTotal", API_ATTR_GAUGE, dispatch.total),
    HTTP("RequestsActive", API_ATTR_GAUGE, active),
    HTTP("RequestsActiveMax", API_ATTR_GAUGE, active_max),
    HTTP("RequestTimeMax", API_ATTR_GAUGE, request.longest),
    HTTP("RequestTimeMean", API_ATTR_DOUBLE, request.mean),
    HTTP("RequestTimeStdDev", API_ATTR_DOUBLE, request.deviation),
    HTTP("RequestTimeTotal", API_ATTR_GAUGE, request.total),
    HTTP("Responses1xx", API_ATTR_GAUGE, by_class[1]),
    HTTP("Responses2xx", API_ATTR_GAUGE, by_class[2]),
    HTTP("Responses3xx", API_ATTR_GAUGE, by_class[3]),
    HTTP("Responses4xx", API_ATTR_GAUGE, by_class[4]),
    HTTP("Responses5xx", API_ATTR_GAUGE, by_class[5]),
    HTTP("ResponsesBytesTotal", API_ATTR_GAUGE, bytes),
    HTTP("StatsOnMs", API_ATTR_GAUGE, up_ms),
    NO_GAUGE("Expires"),
    HTTP("Requests", API_ATTR_GAUGE, requests),
};

static void add_figures_to_sum(const struct api_route *route, const struct api_call_figures *f,
                               void *u)
{
    (void)route;
    api_call_figures_add(u, f);
}

static struct http_times compute_http_times(int64_t n, int64_t sum_us, int64_t longest_us,
                                            double squares)
{
    struct http_times t = {
        .longest = longest_us / 1000, .total = sum_us / 1000, .mean = get_average_ms(sum_us, n)};
    double variance;

    if (n > 1) {
        variance = (squares - (double)sum_us * (double)sum_us / (double)n) / (double)(n - 1);
        t.deviation = variance > 0 ? sqrt(variance) / US_PER_MS : 0;
    }
    return t;
}

static void list_http_server(const struct api_bean_kind *kind, struct api_bean_sink *sink,
                             const struct api_bean_service *service)
{
    struct http_server h = {.context = "http", .host = api_bean_get_host_name()};
    struct api_call_figures f = {0};
    struct api_server_figures s;
    char tail[32];

    if (!service->server)
        return;
    snprintf(tail, sizeof tail, "HttpServer2-%u", api_server_port(service->server));
    if (!api_bean_is_wanted(kind, sink, tail))
        return;
    api_server_each_route_figures(service->server, add_figures_to_sum, &f);
    api_server_read_figures(service->server, &s);
    h.requests = f.all.calls;
    h.active = s.active;
    h.active_max = s.active_max;
    h.dispatched_active = s.active - s.held;
    h.held_calls = f.all.held_calls;
    h.held = s.held;
    h.held_max = s.held_max;
    h.request = compute_http_times(f.all.calls, f.all.whole_us, f.longest_us, f.squares_us2);
    h.dispatch = compute_http_times(f.all.calls, f.all.handling_us, f.longest_handling_us,
                                    f.handling_squares_us2);
    h.up_ms = s.up_ms;
    h.bytes = f.sent;
    for (int i = 0; i < 6; i++)
        h.by_class[i] = f.by_class[i];
    api_bean_add_if_wanted(kind, sink, tail, 0, &h);
}

const struct api_bean_kind api_bean_http_server = {
    .name = "HttpServer2", .list = list_http_server, API_ATTRIBUTES(http_attributes)};

/* ---- RpcActivityForPort. SOURCE: Hadoop's RpcMetrics ---- */
struct rpc_activity {
    const char *port, *service, *context, *host, *users;
    struct api_rate processing, deferred;
    int64_t received, sent, authorised, refused, successes, requests, per_second;
    int64_t connections, dropped, queue_length;
};
#define RPC(name, type, member) API_ATTRIBUTE(rpc_activity, name, type, member)
static const struct api_attribute rpc_attributes[] = {
    RPC("port", API_ATTR_TAG, port),
    RPC("serverName", API_ATTR_TAG, service),
    RPC("Context", API_ATTR_TAG, context),
    RPC("tag.NumOpenConnectionsPerUser", API_ATTR_TEXT, users), /* YARN does not show it to
                                                                 * Prometheus */
    RPC("Hostname", API_ATTR_TAG, host),
    RPC("DeferredRpcProcessingTime", API_ATTR_RATE, deferred),
    RPC("ReceivedBytes", API_ATTR_COUNT, received),
    NO_COUNT("RpcAuthenticationFailures"),
    NO_COUNT("RpcAuthenticationSuccesses"),
    RPC("RpcAuthorizationFailures", API_ATTR_COUNT, refused),
    RPC("RpcAuthorizationSuccesses", API_ATTR_COUNT, authorised),
    RPC("RpcCallSuccesses", API_ATTR_COUNT, successes),
    NO_COUNT("RpcClientBackoff"),
    NO_COUNT("RpcClientBackoffDisconnected"),
    NO_RATE("RpcEnQueueTime"),
    NO_RATE("RpcLockWaitTime"),
    RPC("RpcProcessingTime", API_ATTR_RATE, processing),
    NO_RATE("RpcQueueTime"),
    NO_COUNT("RpcRequeueCalls"),
    NO_RATE("RpcResponseTime"),
    NO_COUNT("RpcSlowCalls"),
    RPC("SentBytes", API_ATTR_COUNT, sent),
    NO_GAUGE("NumInProcessHandler"),
    RPC("TotalRequests", API_ATTR_COUNT, requests),
    RPC("TotalRequestsPerSecond", API_ATTR_COUNT, per_second),
    RPC("NumOpenConnections", API_ATTR_GAUGE, connections),
    RPC("CallQueueLength", API_ATTR_GAUGE, queue_length),
    RPC("NumDroppedConnections", API_ATTR_GAUGE, dropped),
};

struct adding {
    const struct api_bean_kind *kind;
    struct api_bean_sink *sink;
    struct api_server_figures server;
};

static void add_rpc(const struct api_rpc_figures *f, void *u)
{
    const struct adding *a = u;
    const struct api_call_figures *c = &f->calls;
    struct rpc_activity r = {
        .port = f->port,
        .service = f->service,
        .context = "rpc",
        .host = api_bean_get_host_name(),
        .users = "{}", /* connections have no user: each request names its own */
        .processing = api_rate_of_handling(c),
        .deferred = api_rate_of_holding(c),
        .received = c->received,
        .sent = c->sent,
        .authorised = c->all.calls - c->refused,
        .refused = c->refused,
        .successes = c->by_class[2] + c->by_class[3],
        .requests = c->all.calls,
        .per_second = c->window.calls / WINDOW_S,
        .connections = a->server.connections,
        .dropped = a->server.turned_away,
        .queue_length = f->queue_length,
    };
    char tail[48];

    snprintf(tail, sizeof tail, "RpcActivityForPort%.8s", f->port);
    api_bean_add_if_wanted(a->kind, a->sink, tail, 0, &r);
}

static void list_rpc(const struct api_bean_kind *kind, struct api_bean_sink *sink,
                     const struct api_bean_service *service)
{
    struct adding a = {.kind = kind, .sink = sink};

    if (!service->server || !service->each_rpc)
        return;
    api_server_read_figures(service->server, &a.server);
    service->each_rpc(service, add_rpc, &a);
}

const struct api_bean_kind api_bean_rpc_activity = {
    .name = "RpcActivity", .record = "rpc", .list = list_rpc, API_ATTRIBUTES(rpc_attributes)};
