/* Opens the socket that the server listens on. */
#include "api/server/listen.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/io/log.h"

static bool is_loopback(const struct sockaddr *a)
{
    if (a->sa_family == AF_INET)
        return ntohl(((const struct sockaddr_in *)(const void *)a)->sin_addr.s_addr) >> 24 == 127;
    if (a->sa_family == AF_INET6)
        return IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)(const void *)a)->sin6_addr);
    return false;
}

#define BIND_TRIES   100
#define BIND_WAIT_MS 20
#define UNSENT_BYTES (256 * 1024) /* most of a connection's answer that waits to be sent */

/* Retries a busy address for two seconds: a killed daemon keeps its address until its last thread
 * is gone, and its successor may be started at once. */
static int bind_patiently(int fd, const struct addrinfo *ai)
{
    for (int i = 0; i < BIND_TRIES; i++) {
        if (bind(fd, ai->ai_addr, ai->ai_addrlen) == 0)
            return 0;
        if (errno != EADDRINUSE)
            return -1;
        nanosleep(&(struct timespec){.tv_nsec = BIND_WAIT_MS * 1000000}, NULL);
    }
    errno = EADDRINUSE;
    return -1;
}

static int open_listening_socket(const struct addrinfo *ai, const char *host, unsigned port,
                                 struct base_error *err)
{
    int fd = socket(ai->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), on = 1;

    if (fd < 0)
        return base_error_sys(err, -BASE_EIO, errno, "socket for %s", host);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    /* Inherited by the connections: an answer is sent as soon as it is written. */
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    /* So is this: a client that does not read would otherwise have megabytes of an answer made for
     * it, and kept by the kernel. */
    setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &(int){UNSENT_BYTES}, sizeof(int));
    if (bind_patiently(fd, ai) < 0 || listen(fd, 1024) < 0) {
        int saved = errno;

        close(fd);
        return base_error_sys(err, -BASE_EIO, saved, "cannot listen on %s port %u", host, port);
    }
    return fd;
}

bool api_bind_is_loopback(const char *bind)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE}, *ai = NULL;
    bool loopback = true;

    if (getaddrinfo(bind ? bind : "127.0.0.1", NULL, &hints, &ai) == 0) {
        loopback = is_loopback(ai->ai_addr);
        freeaddrinfo(ai);
    }
    return loopback;
}

/* Away from loopback addresses both users and nodes have to prove who they are. */
static bool may_leave_loopback(const struct api_server_conf *conf)
{
    return conf->insecure || (conf->method != API_AUTH_SIMPLE && conf->keys);
}

static int refuse_to_leave_loopback(const struct api_server_conf *conf, const char *host,
                                    struct base_error *err)
{
    return base_error_set(
        err, -BASE_EPERM,
        "refusing to listen on %s: only loopback addresses are allowed while %s are not "
        "authenticated (%s; --insecure lifts this)",
        host, conf->method == API_AUTH_SIMPLE ? "users" : "nodes",
        conf->method == API_AUTH_SIMPLE ? "creel.auth is simple: they name themselves"
                                        : "there is no secret of the cluster");
}

int api_open_listener(const struct api_server_conf *conf, struct base_error *err)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV},
                    *ai = NULL;
    const char *host = conf->bind ? conf->bind : "127.0.0.1";
    char text[8];
    int rc, fd;

    snprintf(text, sizeof text, "%u", conf->port);
    rc = getaddrinfo(host, text, &hints, &ai);
    if (rc != 0) /* EAI_AGAIN: the name server may answer later */
        return base_error_set(err, rc == EAI_AGAIN ? -BASE_EAGAIN : -BASE_EINVAL, "address %s: %s",
                              host, gai_strerror(rc));
    if (!is_loopback(ai->ai_addr) && !may_leave_loopback(conf)) {
        freeaddrinfo(ai);
        return refuse_to_leave_loopback(conf, host, err);
    }
    fd = open_listening_socket(ai, host, conf->port, err);
    freeaddrinfo(ai);
    return fd;
}

int api_listen_get_address(int fd, uint16_t *port, bool *loopback, struct base_error *err)
{
    struct sockaddr_storage bound;
    socklen_t len = sizeof bound;

    if (getsockname(fd, (struct sockaddr *)&bound, &len) < 0)
        return base_error_sys(err, -BASE_EIO, errno, "getsockname");
    *loopback = is_loopback((struct sockaddr *)&bound);
    *port = ntohs(bound.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)(void *)&bound)->sin6_port
                                              : ((struct sockaddr_in *)(void *)&bound)->sin_port);
    return 0;
}

static int open_listener_at(const struct api_server_conf *conf, const char *host, int64_t port,
                            struct base_error *err)
{
    struct api_server_conf own = *conf;

    own.bind = host;
    own.port = (uint16_t)port;
    return api_open_listener(&own, err);
}

int api_open_listener_at_last_port(const struct api_server_conf *conf, const char *host,
                                   int64_t port, int64_t last, const char *key,
                                   struct base_error *err)
{
    int fd = -1;

    if (port == 0 && last) {
        fd = open_listener_at(conf, host, last, err);
        if (fd < 0)
            base_log_warn("http", "%s: the port of the last start is not available: %s", key,
                          err->text);
    }
    return fd >= 0 ? fd : open_listener_at(conf, host, port, err);
}
