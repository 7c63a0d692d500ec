/* base/base_curl.c - see the header. */
#include "base/base_curl.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <sys/socket.h>

static int on_socket(void *arg, curl_socket_t fd, curlsocktype purpose)
{
    unsigned limit = (unsigned)(uintptr_t)arg;
    int one = 1;

    if (purpose != CURLSOCKTYPE_IPCXN)
        return CURL_SOCKOPT_OK;
    (void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof one);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &one, sizeof one);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &one, sizeof one);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &limit, sizeof limit);
    return CURL_SOCKOPT_OK;
}

void base_curl_watch_peer(CURL *easy, unsigned silence_ms)
{
    curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, on_socket);
    curl_easy_setopt(easy, CURLOPT_SOCKOPTDATA, (void *)(uintptr_t)silence_ms);
}
