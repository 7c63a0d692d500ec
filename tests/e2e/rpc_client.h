/* tests/e2e/rpc_client.h - a client of Hadoop RPC that shows a token, for tests with real sockets.
 */
#ifndef CREEL_TESTS_RPC_CLIENT_H
#define CREEL_TESTS_RPC_CLIENT_H

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include "api/rpc/digest_md5.h"
#include "base/crypto/base64.h"
#include "tests/unit/rpc_frames.h"

struct rpc_client {
    int fd;
    struct base_buf in;
    int32_t next; /* call id */
};

static inline void rpc_client_send(struct rpc_client *c, struct base_buf *b)
{
    for (size_t at = 0; at < b->len;) {
        ssize_t n = send(c->fd, b->data + at, b->len - at, MSG_NOSIGNAL);

        if (n <= 0)
            break; /* the server has closed the connection */
        at += (size_t)n;
    }
    base_buf_free(b);
}

/* Reads the next answer; without a header when the connection has ended. */
static inline struct rpc_answer rpc_client_read(struct rpc_client *c)
{
    for (;;) {
        struct rpc_answer a = rpc_answer_take(&c->in);
        char bytes[65536];
        ssize_t n;

        if (a.header)
            return a;
        n = recv(c->fd, bytes, sizeof bytes, 0);
        if (n <= 0)
            return (struct rpc_answer){0};
        base_buf_add(&c->in, bytes, (size_t)n);
    }
}

static inline void rpc_client_connect(struct rpc_client *c, int port)
{
    struct sockaddr_in a = {.sin_family = AF_INET,
                            .sin_port = htons((uint16_t)port),
                            .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

    *c = (struct rpc_client){.fd = socket(AF_INET, SOCK_STREAM, 0)};
    base_assert(connect(c->fd, (struct sockaddr *)&a, sizeof a) == 0);
}

static inline void rpc_client_close(struct rpc_client *c)
{
    close(c->fd);
    base_buf_free(&c->in);
}

/* Returns the nonce of the challenge in the answer to NEGOTIATE; the caller frees it. */
static inline char *rpc_client_take_nonce(const struct rpc_answer *a)
{
    Rpc__Sasl *m = rpc__sasl__unpack(NULL, a->body.len, (const uint8_t *)a->body.data);
    char *challenge, *nonce;

    base_assert(m && m->n_methods == 1 && strcmp(m->methods[0]->method, "TOKEN") == 0);
    challenge = base_strndup((char *)m->methods[0]->challenge.data, m->methods[0]->challenge.len);
    nonce = strstr(challenge, "nonce=\"");
    base_assert(nonce != NULL);
    nonce = base_strndup(nonce + 7, strcspn(nonce + 7, "\""));
    free(challenge);
    rpc__sasl__free_unpacked(m, NULL);
    return nonce;
}

/* Connects, shows the token and names no user. Returns NULL, or the Java class of the refusal,
 * which the caller frees; then there is no connection. */
static inline char *rpc_client_open(struct rpc_client *c, int port, const void *identifier,
                                    size_t len, const unsigned char *password, size_t password_len)
{
    struct base_buf b = {0}, name = {0}, secret = {0}, token = {0};
    struct api_rpc_digest d = {.realm = API_RPC_REALM, .cnonce = "ab", .uri = "/default"};
    char response[BASE_MD5_HEX];
    struct rpc_answer a;
    char *refusal = NULL;

    rpc_client_connect(c, port);
    base_buf_add(&b, RPC_PREAMBLE_SASL, RPC_PREAMBLE_BYTES);
    rpc_sasl_add(&b, 1, NULL, NULL);
    rpc_client_send(c, &b);
    a = rpc_client_read(c);
    base_assert(a.header && a.header->status == API_RPC_SUCCESS);
    d.nonce = rpc_client_take_nonce(&a);
    rpc_answer_free(&a);
    base_base64_encode(identifier, len, &name);
    base_base64_encode(password, password_len, &secret);
    d.username = name.data;
    base_assert(api_rpc_digest_compute(&d, secret.data, "AUTHENTICATE", response));
    base_buf_addf(&token,
                  "charset=utf-8,username=\"%s\",realm=\"default\",nonce=\"%s\",nc=00000001,"
                  "cnonce=\"ab\",digest-uri=\"/default\",maxbuf=65536,response=%s,qop=auth",
                  name.data, d.nonce, response);
    rpc_sasl_add(&b, 2, "TOKEN", &token);
    rpc_client_send(c, &b);
    a = rpc_client_read(c);
    base_assert(a.header != NULL);
    if (a.header->status != API_RPC_SUCCESS)
        refusal = base_strdup(a.header->exception);
    rpc_answer_free(&a);
    if (refusal) {
        rpc_client_close(c);
    } else {
        rpc_context_add(&b, "", NULL);
        rpc_client_send(c, &b);
    }
    free(d.nonce);
    base_buf_free(&name);
    base_buf_free(&secret);
    base_buf_free(&token);
    return refusal;
}

/* Calls a method and waits for the answer; free it with rpc_answer_free(). */
static inline struct rpc_answer rpc_client_call(struct rpc_client *c, const char *protocol,
                                                const char *method, const ProtobufCMessage *request)
{
    struct base_buf b = {0};

    rpc_call_add(&b, c->next++, protocol, method, request);
    rpc_client_send(c, &b);
    return rpc_client_read(c);
}

#endif
