/* base/io/http_client.h - HTTP client over libcurl. Each thread that sends requests has a client of
 * its own, which keeps connections open between requests. */
#ifndef CREEL_BASE_IO_HTTP_CLIENT_H
#define CREEL_BASE_IO_HTTP_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/crypto/signature.h"
#include "base/error.h"
#include "base/mem.h"

/* A NodeManager's answers about containers carry its node id in this header, because another node
 * may have taken over its address. */
#define BASE_HTTP_NODE_HEADER "X-Creel-Node"

struct base_http; /* not shared between threads */

struct base_http_request {
    const char *method; /* "GET", "POST", ... */
    const char *url;    /* absolute */
    const char *body;   /* may be NULL */
    size_t body_len;
    const char *content_type; /* NULL: application/json if there is a body */
    const char *bearer;       /* token for "Authorization: Bearer <token>", or NULL */
    /* without @bearer and @keys: proves by a Kerberos ticket who asks (RFC 4559) */
    bool negotiate;
    /* The keyring that signs the request, which then carries no @bearer, and with which the answer
     * must be signed, too (base/crypto/signature.h); NULL: neither is signed. A server that is
     * asked for the first time since its start refuses the request, which is then sent once more.
     */
    struct base_keyring *keys;
    bool stream;                            /* with keys: accept an answer with an unsigned body */
    const char *accept;                     /* NULL: application/json */
    const char *header;                     /* a further header, "Name: value", or NULL */
    int64_t connect_timeout_ms, timeout_ms; /* 0: 5 s and 60 s; timeout_ms < 0: no limit */
    /* > 0: gives up when the other host has acknowledged nothing for about this long, but not
     * before one second; an answer may take longer (TCP_USER_TIMEOUT, keepalive) */
    int64_t silence_ms;
    /* most bytes of the answer's body; more is -BASE_ELIMIT; 0: 64 MiB, or no limit for out_fd */
    size_t body_max;
    int out_fd; /* descriptor for the body of a 200 answer; 0: bodies go into the buffer */
};
struct base_http_answer {
    long status;          /* HTTP status */
    struct base_buf body; /* freed by base_http_answer_free */
    char location[1024];
    char node[512]; /* value of BASE_HTTP_NODE_HEADER; "": the answer has no such header */
    /* value of X-Creel-Reason, truncated: the reason for a refusal whose body, in YARN's form,
     * cannot contain it */
    char reason[512];
    char signature[BASE_ANSWER_SIGNATURE_MAX]; /* "": none */
    char challenge[128]; /* value of WWW-Authenticate, truncated; "": the answer has none */
};
struct base_http *base_http_new(void);
void base_http_free(struct base_http *h);
/* Sends @rq and waits for the answer. Returns 0 when an HTTP answer came, whatever its status, and,
 * with keys, its signature is right; else -BASE_EPERM (the signature is missing or wrong),
 * -BASE_EIO (also when cancelled), -BASE_ENOSPC, -BASE_ETIMEOUT, -BASE_ELIMIT (body too large) or
 * -BASE_EINVAL (a header value has a line break), with @out empty. */
int base_http_perform(struct base_http *h, const struct base_http_request *rq,
                      struct base_http_answer *out, struct base_error *err);
void base_http_answer_free(struct base_http_answer *a);
/* Makes a base_http_perform() in another thread return soon with -BASE_EIO. When none is running,
 * the next call does, so that a cancel that comes a moment early is not lost. Cancels at most one
 * request. The only function that threads other than the owner may call. */
void base_http_cancel(struct base_http *h);

#endif
