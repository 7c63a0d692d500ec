#include "base/io/curl.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

static int limit_silence_of_peer(void *arg, curl_socket_t fd, curlsocktype purpose)
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

void base_curl_limit_silence(CURL *easy, unsigned silence_ms)
{
    curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, limit_silence_of_peer);
    curl_easy_setopt(easy, CURLOPT_SOCKOPTDATA, (void *)(uintptr_t)silence_ms);
}

void base_curl_set_target(CURL *easy, const char *url, const char *protocols)
{
    curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, protocols);
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

bool base_curl_match_header(const char *line, size_t len, const char *name, const char **value,
                            size_t *value_len)
{
    size_t at = strlen(name);

    if (len < at || strncasecmp(line, name, at) != 0)
        return false;
    while (at < len && is_space(line[at]))
        at++;
    while (len > at && is_space(line[len - 1]))
        len--;
    *value = line + at;
    *value_len = len - at;
    return true;
}
