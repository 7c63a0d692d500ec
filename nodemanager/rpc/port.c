#include "nodemanager/rpc/port.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "api/audit/audit.h"
#include "api/server/hosts.h"
#include "api/server/listen.h"
#include "base/conf/conf.h"
#include "base/io/log.h"
#include "nodemanager/rpc/protocol.h"

#define ADDRESS_KEY "yarn.nodemanager.address"

struct nm_rpc {
    struct api_rpc_server_conf conf; /* owns the listener until the start */
    struct api_rpc_server *server;   /* NULL: no keys have come yet */
    struct nm_rpc_tokens *tokens;
    int port, wake;
    pthread_mutex_t lock; /* protects what follows */
    struct nm_rpc_ask *asks, **asks_end;
    bool closing;
};

static int note_port(struct nm *nm, int fd, int *port, struct base_error *err)
{
    uint16_t number;
    bool loopback;
    int rc = api_listen_get_address(fd, &number, &loopback, err);

    if (rc < 0)
        return rc;
    *port = number;
    if (nm->disk.hadoop_port == number)
        return 0;
    nm->disk.hadoop_port = number;
    return nm_files_save_state(&nm->files, &nm->disk, err);
}

static struct nm_rpc *rpc_new(struct nm *nm, int fd, int port)
{
    struct nm_rpc *r = base_alloc(sizeof *r);

    r->port = port;
    r->tokens = nm_rpc_tokens_new(nm->host, port, nm->keys);
    r->asks_end = &r->asks;
    r->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    pthread_mutex_init(&r->lock, NULL);
    r->conf.user = nm;
    r->conf.note_refusal = api_audit_log_refused_connection;
    r->conf.connections_max = base_conf_int(nm->conf, "creel.rpc.connections");
    r->conf.memory_max = base_conf_int(nm->conf, "creel.rpc.memory-mb") << 20;
    r->conf.seats = (struct api_rpc_seats){.user = nm->server,
                                           .take = api_server_take_seat,
                                           .mark_spoken = api_server_mark_seat_spoken,
                                           .give_back = api_server_give_back_seat,
                                           .count_call = api_server_count_call};
    r->conf.ports_n = 1;
    r->conf.ports[0] = (struct api_rpc_port){
        .listener = fd,
        .protocols = &nm_rpc_container_protocol,
        .protocols_n = 1,
        .session = {.find_password = nm_rpc_tokens_find_password,
                    .find_user = r->tokens,
                    .frame_max = (size_t)base_conf_int(nm->conf, "ipc.maximum.data.length")}};
    return r;
}

int nm_rpc_open(struct nm *nm, const struct api_server_conf *server, struct nm_rpc **out,
                struct base_error *err)
{
    const char *text = base_conf_get(nm->conf, ADDRESS_KEY);
    struct api_authority address;
    int fd, port = 0, rc;

    *out = NULL;
    if (!text || !*text)
        return 0;
    if (!api_authority_parse(text, &address) || !address.host[0] || address.port < 0)
        return base_error_set(err, -BASE_EINVAL, ADDRESS_KEY ": \"%.200s\": expected HOST:PORT",
                              text);
    fd = api_open_listener_at_last_port(server, address.host, address.port, nm->disk.hadoop_port,
                                        ADDRESS_KEY, err);
    if (fd < 0)
        return base_error_wrap(err, fd, ADDRESS_KEY);
    rc = note_port(nm, fd, &port, err);
    if (rc < 0) {
        close(fd);
        return rc;
    }
    *out = rpc_new(nm, fd, port);
    if ((*out)->wake >= 0)
        return 0;
    rc = base_error_sys(err, -BASE_EIO, errno, "eventfd");
    nm_rpc_close(*out);
    *out = NULL;
    return rc;
}

int nm_rpc_port(const struct nm_rpc *r)
{
    return r ? r->port : 0;
}

struct nm_rpc_tokens *nm_rpc_get_tokens(struct nm_rpc *r)
{
    return r->tokens;
}

static void begin_to_serve(struct nm_rpc *r)
{
    struct api_rpc_server_conf given = r->conf;
    struct base_error err = {0};

    r->conf.ports_n = 0; /* the server takes it, also when it cannot start */
    if (api_rpc_server_start(&given, &r->server, &err) < 0)
        base_log_error("nm", ADDRESS_KEY ": %s", err.text);
    else
        base_log_info("rpc", "%s at port %d, callers show tokens", nm_rpc_container_protocol.name,
                      r->port);
}

void nm_rpc_take_keys(struct nm_rpc *r, const struct wire_hadoop_keys *keys)
{
    if (!r || !keys->given)
        return;
    nm_rpc_tokens_set_keys(r->tokens, keys);
    if (r->conf.ports_n)
        begin_to_serve(r);
}

/* ---- calls for the loop ---- */

void nm_rpc_queue_ask(struct nm_rpc *r, struct nm_rpc_ask *ask)
{
    bool closing;

    pthread_mutex_lock(&r->lock);
    closing = r->closing;
    if (!closing) {
        *r->asks_end = ask;
        r->asks_end = &ask->next;
    }
    pthread_mutex_unlock(&r->lock);
    if (closing) {
        api_rpc_answer_error(ask->call, NM_RPC_RETRIABLE, "the NodeManager stops");
        nm_rpc_ask_free(ask);
        return;
    }
    base_assert(write(r->wake, &(uint64_t){1}, sizeof(uint64_t)) == sizeof(uint64_t));
}

static struct nm_rpc_ask *take_all_asks(struct nm_rpc *r, bool closing)
{
    struct nm_rpc_ask *list;

    pthread_mutex_lock(&r->lock);
    list = r->asks;
    r->asks = NULL;
    r->asks_end = &r->asks;
    r->closing = closing;
    pthread_mutex_unlock(&r->lock);
    return list;
}

int nm_rpc_fd(const struct nm_rpc *r)
{
    return r->wake;
}

struct nm_rpc_ask *nm_rpc_take_asks(struct nm_rpc *r)
{
    uint64_t count;

    if (read(r->wake, &count, sizeof count) < 0 && errno != EAGAIN)
        base_log_warn("rpc", "eventfd: %s", strerror(errno));
    return take_all_asks(r, false);
}

void nm_rpc_close(struct nm_rpc *r)
{
    struct nm_rpc_ask *ask, *next;

    if (!r)
        return;
    for (ask = take_all_asks(r, true); ask; ask = next) {
        next = ask->next;
        api_rpc_answer_error(ask->call, NM_RPC_RETRIABLE, "the NodeManager stops");
        nm_rpc_ask_free(ask);
    }
    api_rpc_server_stop(r->server);
    for (size_t i = 0; i < r->conf.ports_n; i++)
        close(r->conf.ports[i].listener);
    nm_rpc_tokens_free(r->tokens);
    if (r->wake >= 0)
        close(r->wake);
    pthread_mutex_destroy(&r->lock);
    free(r);
}
