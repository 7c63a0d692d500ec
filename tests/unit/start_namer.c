#include "tests/unit/start_namer.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/crypto/signature.h"
#include "tests/unit/api_client.h"

static int listener;
static pthread_t thread;
static _Atomic enum start_namer_way way;
static atomic_uint n_requests;
static unsigned n_named; /* ids, so that each is new */

/* Writes X-Creel-Start for the request that was signed as @s. */
static void name_start_id(const struct base_request_signature *s,
                          char out[static BASE_START_SIGNATURE_MAX])
{
    enum start_namer_way how = atomic_load(&way);
    char id[BASE_START_ID_MAX], nonce[BASE_NONCE_MAX], *at;
    struct base_key key;

    base_keyring_get_signing_key(client_keys(), &key);
    if (how == NAMER_OTHER_KEY)
        key.bytes[0] ^= 1;
    snprintf(nonce, sizeof nonce, "%s", s->nonce);
    if (how == NAMER_OTHER_NONCE)
        nonce[0] = nonce[0] == '0' ? '1' : '0';
    snprintf(id, sizeof id, "%032x", ++n_named);
    if (how == NAMER_SAME_ID)
        snprintf(id, sizeof id, "%s", s->start_id);
    base_sign_start_id(&key, nonce, id, out);
    if (how == NAMER_NO_MAC)
        *strstr(out, ", mac=") = '\0';
    at = strstr(out, "start=") + strlen("start=");
    if (how == NAMER_CHANGED_ID)
        *at = *at == '0' ? '1' : '0';
}

static void answer(int fd, const char *request)
{
    static const char mark[] = "Authorization: ";
    enum start_namer_way how = atomic_load(&way);
    unsigned status = how == NAMER_STATUS_200 ? 200 : how == NAMER_STATUS_403 ? 403 : 401;
    char start[BASE_START_SIGNATURE_MAX], line[1024], head[1024];
    const char *at = strstr(request, mark);
    struct base_request_signature s;
    struct base_error err;
    int n;

    base_assert(at);
    at += strlen(mark);
    snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\r"), at);
    base_assert(base_request_signature_parse(line, &s, &err) == 0);
    name_start_id(&s, start);
    n = snprintf(head, sizeof head,
                 "HTTP/1.1 %u Any\r\n" BASE_START_HEADER
                 ": %s\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}",
                 status, start);
    client_send(fd, head, (size_t)n);
}

/* Requests have no body, so they end with an empty line. */
static void *answer_requests(void *unused)
{
    int fd;

    while ((fd = accept(listener, NULL, NULL)) >= 0) {
        char request[4096] = "";
        size_t got = 0;
        ssize_t n = 1;

        while (n > 0 && !strstr(request, "\r\n\r\n") && got < sizeof request - 1) {
            n = read(fd, request + got, sizeof request - 1 - got);
            got += n > 0 ? (size_t)n : 0;
            request[got] = '\0';
        }
        if (strstr(request, "\r\n\r\n")) {
            atomic_fetch_add(&n_requests, 1);
            answer(fd, request);
        }
        close(fd);
    }
    return unused;
}

uint16_t start_namer_start(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof a;

    listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    base_assert(bind(listener, (struct sockaddr *)&a, len) == 0 && listen(listener, 16) == 0);
    base_assert(getsockname(listener, (struct sockaddr *)&a, &len) == 0);
    base_assert(pthread_create(&thread, NULL, answer_requests, NULL) == 0);
    return ntohs(a.sin_port);
}

void start_namer_set_way(enum start_namer_way new_way)
{
    atomic_store(&way, new_way);
    atomic_store(&n_requests, 0);
}

unsigned start_namer_count_requests(void)
{
    return atomic_load(&n_requests);
}

void start_namer_stop(void)
{
    shutdown(listener, SHUT_RDWR);
    pthread_join(thread, NULL);
    close(listener);
}
