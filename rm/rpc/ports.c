#include "rm/rpc/ports.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/audit/audit.h"
#include "api/server/hosts.h"
#include "api/server/listen.h"
#include "base/conf/conf.h"
#include "base/io/log.h"
#include "rm/config/rpc_address.h"
#include "rm/rpc/hosts.h"
#include "rm/rpc/tracker/reports.h"
#include "rm/rpc/tracker/tracker.h"

#define BIND_KEY "yarn.resourcemanager.bind-host"

struct rm_rpc_ports {
    struct api_rpc_server_conf conf; /* owns the listeners until the start */
    bool simple;
    struct rm_tracker tracker; /* for its port, if there is one */
    struct api_rpc_server *server;
};

/* Opens a listening socket. Returns 0 with -1 in *@fd when the port is not configured. */
static int open_port(const struct base_conf *conf, const char *name, const char *rm_id,
                     const struct api_server_conf *server, int *fd, struct base_error *err)
{
    const char *bind = base_conf_get(conf, BIND_KEY);
    struct api_authority address;
    struct api_server_conf own = *server;
    char *key;
    const char *text = rm_rpc_address_get(conf, name, rm_id, &key);
    int rc = 0;

    *fd = -1;
    if (*text && (!api_authority_parse(text, &address) || !address.host[0] || address.port < 0)) {
        rc = base_error_set(err, -BASE_EINVAL, "%s: \"%.200s\": expected HOST:PORT", key, text);
    } else if (*text) {
        own.bind = bind && *bind ? bind : address.host;
        own.port = (uint16_t)address.port;
        *fd = api_open_listener(&own, err);
        rc = *fd < 0 ? base_error_wrap(err, *fd, "%s", key) : 0;
    }
    free(key);
    return rc;
}

/* Masters show tokens everywhere, as in YARN: which attempt calls must not be a matter of words. */
static void add_master_port(struct rm_rpc_ports *p, int fd, size_t frame_max)
{
    p->conf.ports[p->conf.ports_n++] = (struct api_rpc_port){
        .listener = fd,
        .protocols = &rm_rpc_master_protocol,
        .protocols_n = 1,
        .session = {.find_password = rm_rpc_find_master_password, .frame_max = frame_max}};
}

static void add_port(struct rm_rpc_ports *p, int fd, const struct api_rpc_protocol *protocol,
                     size_t frame_max)
{
    p->conf.ports[p->conf.ports_n++] =
        (struct api_rpc_port){.listener = fd,
                              .protocols = protocol,
                              .protocols_n = 1,
                              .session = {.simple = p->simple,
                                          .find_password = p->simple ? NULL : rm_rpc_find_password,
                                          .frame_max = frame_max}};
}

/* A port whose protocols have no place for a proof (hosts.h). */
struct port_by_address {
    const char *name;      /* see open_port() */
    const char *hosts_key; /* of the list of addresses that may call */
    const char *risk;      /* what anybody could do who reaches the port */
    const struct api_rpc_protocol *protocols;
    size_t protocols_n;
};
static const struct port_by_address tracker_port = {
    RM_RPC_TRACKER_KEY, RM_RPC_TRACKER_HOSTS_KEY, "NodeManagers receive keys there without a proof",
    &rm_rpc_tracker_protocol, 1};
static const struct port_by_address admin_port = {RM_RPC_ADMIN_KEY, RM_RPC_ADMIN_HOSTS_KEY,
                                                  "callers name themselves there",
                                                  rm_rpc_admin_protocols, RM_RPC_ADMIN_PROTOCOLS};

/* Opens the port, unless anybody could call there. */
static int open_port_by_address(struct rm_rpc_ports *p, const struct base_conf *conf,
                                const char *rm_id, const struct api_server_conf *server,
                                const struct port_by_address *by, struct base_error *err)
{
    uint16_t number;
    bool loopback = false;
    int fd, rc = open_port(conf, by->name, rm_id, server, &fd, err);
    struct api_rpc_port *port;

    if (rc < 0 || fd < 0)
        return rc;
    add_port(p, fd, by->protocols, (size_t)base_conf_int(conf, "ipc.maximum.data.length"));
    port = &p->conf.ports[p->conf.ports_n - 1];
    port->protocols_n = by->protocols_n;
    port->session.simple = true;
    port->session.find_password = NULL;
    port->limits_no_user = true; /* all NodeManagers name the same user */
    if (by == &tracker_port)
        port->user = &p->tracker;
    port->list = base_conf_get(conf, by->hosts_key);
    if (*port->list) {
        port->lists_peer = rm_rpc_lists_host;
        return 0;
    }
    rc = api_listen_get_address(fd, &number, &loopback, err);
    if (rc == 0 && (!loopback || !p->simple))
        rc = base_error_set(err, -BASE_EPERM,
                            "%s: %s: expected the addresses of callers in %s, or creel.auth = "
                            "simple and a loopback address",
                            by->name, by->risk, by->hosts_key);
    return rc;
}

static int open_ports(struct rm_rpc_ports *p, const struct base_conf *conf, const char *rm_id,
                      const struct api_server_conf *server, struct base_error *err)
{
    size_t frame_max = (size_t)base_conf_int(conf, "ipc.maximum.data.length");
    int fd, rc = open_port(conf, RM_RPC_CLIENT_KEY, rm_id, server, &fd, err);

    if (rc < 0)
        return rc;
    if (fd >= 0)
        add_port(p, fd, &rm_rpc_client_protocol, frame_max);
    rc = open_port(conf, RM_RPC_MASTER_KEY, rm_id, server, &fd, err);
    if (rc < 0)
        return rc;
    if (fd >= 0)
        add_master_port(p, fd, frame_max);
    rc = rm_tracker_check_share(conf, err);
    if (rc == 0)
        rc = open_port_by_address(p, conf, rm_id, server, &tracker_port, err);
    if (rc == 0)
        rc = open_port_by_address(p, conf, rm_id, server, &admin_port, err);
    return rc;
}

int rm_rpc_ports_open(const struct base_conf *conf, const char *rm_id,
                      const struct api_server_conf *server, struct rm_rpc_ports **out,
                      struct base_error *err)
{
    struct rm_rpc_ports *p = base_alloc(sizeof *p);
    int rc;

    *out = NULL;
    p->simple = server->method == API_AUTH_SIMPLE;
    p->conf.connections_max = base_conf_int(conf, "creel.rpc.connections");
    p->conf.memory_max = base_conf_int(conf, "creel.rpc.memory-mb") << 20;
    rc = open_ports(p, conf, rm_id, server, err);
    if (rc < 0 || p->conf.ports_n == 0)
        rm_rpc_ports_close(p);
    else
        *out = p;
    return rc;
}

static void log_port(const struct api_rpc_port *port, bool simple)
{
    struct base_error err = {0};
    uint16_t number;
    bool loopback;

    if (api_listen_get_address(port->listener, &number, &loopback, &err) < 0)
        base_log_warn("rpc", "%s", err.text);
    else
        base_log_info("rpc", "%s at port %u, %s", port->protocols->name, number,
                      simple ? "callers name themselves" : "callers show tokens");
}

int rm_rpc_ports_start(struct rm_rpc_ports *p, struct rm_backend *b, struct api_server *server,
                       struct base_error *err)
{
    struct api_rpc_server_conf given;
    int rc = 0;

    if (!p)
        return 0;
    p->tracker.b = b;
    for (size_t i = 0; i < p->conf.ports_n; i++)
        if (p->conf.ports[i].user == &p->tracker)
            rc = rm_starter_new(b, &p->tracker.starter, err);
    if (rc < 0)
        return rc;
    p->conf.user = b;
    p->conf.note_refusal = api_audit_log_refused_connection;
    p->conf.seats = (struct api_rpc_seats){.user = server,
                                           .take = api_server_take_seat,
                                           .mark_spoken = api_server_mark_seat_spoken,
                                           .give_back = api_server_give_back_seat,
                                           .count_call = api_server_count_call};
    for (size_t i = 0; i < p->conf.ports_n; i++) {
        p->conf.ports[i].session.find_user = b;
        log_port(&p->conf.ports[i], p->conf.ports[i].session.simple);
    }
    given = p->conf;
    p->conf.ports_n = 0; /* the server takes them, also when it cannot start */
    return api_rpc_server_start(&given, &p->server, err);
}

void rm_rpc_ports_close(struct rm_rpc_ports *p)
{
    if (!p)
        return;
    api_rpc_server_stop(p->server);
    rm_starter_free(p->tracker.starter); /* no call is left that could use it */
    for (size_t i = 0; i < p->conf.ports_n; i++)
        close(p->conf.ports[i].listener);
    free(p);
}
