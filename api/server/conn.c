#include "api/server/conn.h"

#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>

#include "base/cond.h"

int64_t api_mono_ms(void)
{
    return base_cond_now_us() / 1000;
}

void api_conn_set_phase(struct api_conn *conn, enum api_phase phase)
{
    atomic_store(&conn->since_ms, api_mono_ms());
    atomic_store(&conn->phase, phase);
}

int api_get_port(const struct sockaddr *a)
{
    int family = a ? a->sa_family : AF_UNSPEC;

    if (family == AF_INET)
        return ntohs(((const struct sockaddr_in *)(const void *)a)->sin_port);
    return family == AF_INET6 ? ntohs(((const struct sockaddr_in6 *)(const void *)a)->sin6_port)
                              : -1;
}

static bool is_closed_or_has_event(int fd, short asked, short wanted)
{
    struct pollfd p = {.fd = fd, .events = asked};

    return fd < 0 || (poll(&p, 1, 0) > 0 && (p.revents & wanted));
}

bool api_fd_is_closed_by_peer(int fd)
{
    return is_closed_or_has_event(fd, POLLRDHUP, POLLRDHUP | POLLHUP | POLLERR | POLLNVAL);
}

bool api_fd_is_reset(int fd)
{
    return is_closed_or_has_event(fd, 0, POLLHUP | POLLERR | POLLNVAL);
}
