/* base/io/http_client.h - HTTP client over libcurl: one handle per thread of use, kept
 * connections. */
#ifndef CREEL_BASE_IO_HTTP_CLIENT_H
#define CREEL_BASE_IO_HTTP_CLIENT_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/mem.h"

/* A NodeManager's answers about containers name the node: whoever asked by an address knows that it
 * reached this node. */
#define BASE_HTTP_NODE_HEADER "X-Creel-Node"

struct base_http; /* not shared between threads */

struct base_http_request {
    const char *method; /* "GET", "POST", ... */
    const char *url;    /* absolute */
    const char *body;   /* may be NULL */
    size_t body_len;
    const char *content_type;               /* NULL with a body: application/json */
    const char *bearer;                     /* "Authorization: Bearer ..." or NULL */
    const char *accept;                     /* NULL: application/json */
    const char *header;                     /* one more, "Name: value", or NULL */
    int64_t connect_timeout_ms, timeout_ms; /* 0: 5 s, 60 s; timeout_ms < 0: none */
    int64_t silence_ms; /* > 0: a connection whose other host acknowledges nothing for about so long
                         * is given up, at the earliest after a second; however long the answer may
                         * take (TCP_USER_TIMEOUT, keepalive) */
    size_t body_max;    /* answer bytes, 0: 64 MiB (no bound into out_fd); over it -BASE_ELIMIT */
    int out_fd;         /* > 0 and status 200: body goes there, not into the buffer; 0: buffer */
};
struct base_http_answer {
    long status;          /* HTTP status */
    struct base_buf body; /* freed by base_http_answer_free */
    char location[1024];
    char node[512];   /* BASE_HTTP_NODE_HEADER; "": the answer names none */
    char reason[512]; /* X-Creel-Reason: why it was refused, where YARN's answer has no words for
                         it; cut off */
};
struct base_http *base_http_new(void);
void base_http_free(struct base_http *h);
/* 0 when an HTTP answer came, whatever its status; -BASE_EIO / -BASE_ETIMEOUT otherwise. */
int base_http_do(struct base_http *h, const struct base_http_request *rq,
                 struct base_http_answer *out, struct base_error *err);
void base_http_answer_free(struct base_http_answer *a);
/* Makes a base_http_do running in another thread return soon with -BASE_EIO. With none running, the
 * next one ends so: a cancel that comes a moment early is not lost. Each cancel ends at most
 * one. */
void base_http_cancel(struct base_http *h);

#endif
