#include "base/io/http_client.h"

#include <curl/curl.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/io/curl.h"
#include "base/io/io.h"

#define CONNECT_TIMEOUT_MS 5000
#define TIMEOUT_MS         60000
#define BODY_MAX           ((size_t)64 << 20)
#define POLL_MS            1000
#define CONNECTIONS_MAX    16

struct base_http {
    CURL *easy;
    CURLM *multi;
    /* set by base_http_cancel(), reset by the request that ends because of it */
    atomic_bool cancelled;
};

struct transfer {
    const struct base_http_request *rq;
    struct base_http_answer *out;
    CURL *easy;
    size_t body_max, got;
    int64_t timeout_ms;                      /* 0: none */
    struct base_request_signature signature; /* with rq->keys */
    char start[BASE_START_SIGNATURE_MAX];    /* value of X-Creel-Start; "": none */
    int failed;     /* BASE_E* (positive) of an error in a callback, or 0 */
    int failed_sys; /* errno of a failed write */
};

static void init_curl(void)
{
    base_assert(curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK);
}

struct base_http *base_http_new(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct base_http *h = base_alloc(sizeof *h);

    pthread_once(&once, init_curl);
    h->easy = curl_easy_init();
    h->multi = curl_multi_init();
    base_assert(h->easy && h->multi);
    curl_multi_setopt(h->multi, CURLMOPT_MAXCONNECTS, (long)CONNECTIONS_MAX);
    return h;
}

void base_http_free(struct base_http *h)
{
    if (!h)
        return;
    curl_easy_cleanup(h->easy);
    curl_multi_cleanup(h->multi);
    free(h);
}

void base_http_cancel(struct base_http *h)
{
    atomic_store(&h->cancelled, true);
    /* the only function of a multi handle that other threads may call */
    curl_multi_wakeup(h->multi);
}

static bool body_goes_to_fd(const struct transfer *t)
{
    long status = 0;

    if (t->rq->out_fd <= 0)
        return false;
    curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &status);
    return status == 200;
}

static size_t store_body_part(char *data, size_t size, size_t n, void *arg)
{
    struct transfer *t = arg;
    size_t len = size * n;
    bool to_fd = body_goes_to_fd(t);

    if ((!to_fd || t->rq->body_max) && len > t->body_max - t->got) {
        t->failed = BASE_ELIMIT;
        return CURL_WRITEFUNC_ERROR;
    }
    t->got += len;
    if (to_fd) {
        int rc = base_write_all(t->rq->out_fd, data, len);
        if (rc < 0) {
            t->failed = BASE_EIO;
            t->failed_sys = -rc;
            return CURL_WRITEFUNC_ERROR;
        }
    } else {
        base_buf_add(&t->out->body, data, len);
    }
    return len;
}

/* Copies the value of header @name to @out if the line of @len bytes is that header. A value that
 * does not fit is truncated, or with @whole not copied at all. */
static void copy_header_value(const char *data, size_t len, const char *name, bool whole, char *out,
                              size_t size)
{
    const char *value;
    size_t n;

    if (!base_curl_match_header(data, len, name, &value, &n) || (n >= size && whole))
        return;
    n = n < size ? n : size - 1;
    memcpy(out, value, n);
    out[n] = '\0';
}

static size_t copy_wanted_headers(char *data, size_t size, size_t n, void *arg)
{
    struct transfer *t = arg;
    size_t len = size * n;

    /* a status line, perhaps after that of 100 Continue: forget earlier headers */
    if (len >= 5 && strncasecmp(data, "HTTP/", 5) == 0)
        t->out->location[0] = t->out->reason[0] = t->out->node[0] = t->out->signature[0] =
            t->out->challenge[0] = t->start[0] = '\0';
    copy_header_value(data, len, "WWW-Authenticate:", false, t->out->challenge,
                      sizeof t->out->challenge);
    copy_header_value(data, len, "location:", true, t->out->location, sizeof t->out->location);
    copy_header_value(data, len, BASE_HTTP_NODE_HEADER ":", true, t->out->node,
                      sizeof t->out->node);
    copy_header_value(data, len, BASE_ANSWER_SIGNATURE ":", true, t->out->signature,
                      sizeof t->out->signature);
    copy_header_value(data, len, BASE_START_HEADER ":", true, t->start, sizeof t->start);
    copy_header_value(data, len, "x-creel-reason:", false, t->out->reason, sizeof t->out->reason);
    return len;
}

static void add_header(struct curl_slist **list, const char *name, const char *value)
{
    char *line = base_printf("%s: %s", name, value);
    struct curl_slist *grown = curl_slist_append(*list, line);

    base_assert(grown);
    *list = grown;
    free(line);
}

static void sign_request(struct transfer *t)
{
    const struct base_http_request *rq = t->rq;
    char start_id[BASE_START_ID_MAX];
    struct base_key key;

    base_keyring_get_signing_key(rq->keys, &key);
    base_server_starts_find(base_keyring_server_starts(rq->keys), rq->url, start_id);
    base_sign_request(&key, rq->method, rq->url, start_id, rq->body ? rq->body : "",
                      rq->body ? rq->body_len : 0, base_wall_us(&base_clock_real) / 1000,
                      rq->stream, &t->signature);
    explicit_bzero(&key, sizeof key);
}

static void add_signature_header(struct curl_slist **list, const struct transfer *t)
{
    struct base_buf value = {0};

    base_request_signature_format(&t->signature, &value);
    add_header(list, "Authorization", value.data);
    base_buf_free(&value);
}

static struct curl_slist *build_headers(const struct transfer *t)
{
    const struct base_http_request *rq = t->rq;
    struct curl_slist *list = curl_slist_append(NULL, "Expect:"); /* no wait for 100 Continue */

    base_assert(list);
    add_header(&list, "Accept", rq->accept ? rq->accept : "application/json");
    if (rq->body)
        add_header(&list, "Content-Type", rq->content_type ? rq->content_type : "application/json");
    if (rq->keys) {
        add_signature_header(&list, t);
    } else if (rq->bearer) {
        char *value = base_printf("Bearer %s", rq->bearer);
        add_header(&list, "Authorization", value);
        free(value);
    }
    if (rq->header) {
        list = curl_slist_append(list, rq->header);
        base_assert(list);
    }
    return list;
}

static bool header_value_is_safe(const char *value)
{
    return !value || !strpbrk(value, "\r\n");
}

static void set_method(CURL *e, const struct base_http_request *rq)
{
    bool sends = strcmp(rq->method, "POST") == 0 || strcmp(rq->method, "PUT") == 0 || rq->body;

    if (strcmp(rq->method, "HEAD") == 0) {
        curl_easy_setopt(e, CURLOPT_NOBODY, 1L);
        return;
    }
    if (sends) { /* also without a body: sends Content-Length: 0 */
        curl_easy_setopt(e, CURLOPT_POSTFIELDS, rq->body ? rq->body : "");
        curl_easy_setopt(e, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)(rq->body ? rq->body_len : 0));
    }
    if (strcmp(rq->method, sends ? "POST" : "GET") != 0)
        curl_easy_setopt(e, CURLOPT_CUSTOMREQUEST, rq->method);
}

static void set_options(struct base_http *h, struct transfer *t, struct curl_slist *headers,
                        char *why)
{
    const struct base_http_request *rq = t->rq;
    CURL *e = h->easy;

    curl_easy_reset(e); /* open connections belong to the multi handle */
    base_curl_set_url_and_defaults(e, rq->url, "http,https");
    curl_easy_setopt(e, CURLOPT_TCP_NODELAY, 1L);
    if (rq->silence_ms > 0) {
        base_curl_limit_silence(e, (unsigned)rq->silence_ms);
    } else {
        curl_easy_setopt(e, CURLOPT_TCP_KEEPALIVE, 1L);
    }
    curl_easy_setopt(e, CURLOPT_ERRORBUFFER, why);
    curl_easy_setopt(e, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, store_body_part);
    curl_easy_setopt(e, CURLOPT_WRITEDATA, t);
    curl_easy_setopt(e, CURLOPT_HEADERFUNCTION, copy_wanted_headers);
    curl_easy_setopt(e, CURLOPT_HEADERDATA, t);
    curl_easy_setopt(
        e, CURLOPT_CONNECTTIMEOUT_MS,
        (long)(rq->connect_timeout_ms > 0 ? rq->connect_timeout_ms : CONNECT_TIMEOUT_MS));
    curl_easy_setopt(e, CURLOPT_TIMEOUT_MS, (long)t->timeout_ms);
    if (rq->negotiate && !rq->keys && !rq->bearer)
        base_curl_negotiate(e);
    if (rq->keys) /* what is signed is what is sent */
        curl_easy_setopt(e, CURLOPT_PATH_AS_IS, 1L);
    set_method(e, rq);
}

/* Runs the transfer that was added to the multi handle. Returns its result;
 * CURLE_ABORTED_BY_CALLBACK when it was cancelled. */
static CURLcode run_transfer(struct base_http *h)
{
    for (;;) {
        int running, left;
        CURLMcode mc = curl_multi_perform(h->multi, &running);
        CURLMsg *msg;

        if (mc != CURLM_OK)
            return mc == CURLM_OUT_OF_MEMORY ? CURLE_OUT_OF_MEMORY : CURLE_FAILED_INIT;
        while ((msg = curl_multi_info_read(h->multi, &left)))
            if (msg->msg == CURLMSG_DONE)
                return msg->data.result;
        if (atomic_exchange(&h->cancelled, false))
            return CURLE_ABORTED_BY_CALLBACK;
        if (running && curl_multi_poll(h->multi, NULL, 0, POLL_MS, NULL) != CURLM_OK)
            return CURLE_FAILED_INIT;
    }
}

static int set_transfer_error(const struct transfer *t, CURLcode cc, const char *why,
                              struct base_error *err)
{
    const struct base_http_request *rq = t->rq;
    char room[512];

    if (cc == CURLE_OK)
        return 0;
    if (cc == CURLE_ABORTED_BY_CALLBACK)
        return base_error_set(err, -BASE_EIO, "%s %s: cancelled", rq->method, rq->url);
    if (t->failed == BASE_ELIMIT)
        return base_error_set(err, -BASE_ELIMIT, "%s %s: the answer is larger than %zu bytes",
                              rq->method, rq->url, t->body_max);
    if (t->failed)
        return base_error_sys(err, -BASE_EIO, t->failed_sys, "%s %s: cannot store the answer",
                              rq->method, rq->url);
    return base_error_set(err, cc == CURLE_OPERATION_TIMEDOUT ? -BASE_ETIMEOUT : -BASE_EIO,
                          "%s %s: %s", rq->method, rq->url,
                          base_curl_explain_error(t->easy, cc, why, room));
}

/* Returns true when the answer refuses the request for its start id alone, and names the server's.
 * Remembers that id. */
static bool learn_start_id_from_refusal(const struct transfer *t)
{
    char start_id[BASE_START_ID_MAX];

    if (t->out->status != 401 ||
        !base_read_signed_start_id(t->rq->keys, t->start, &t->signature, start_id))
        return false;
    base_server_starts_learn(base_keyring_server_starts(t->rq->keys), t->rq->url, start_id);
    return true;
}

/* A daemon that refuses our signature does not sign its answer, since it shares no key with us. */
static int check_answer_signature(const struct transfer *t, struct base_error *err)
{
    const struct base_http_request *rq = t->rq;
    const struct base_http_answer *out = t->out;
    bool known = !(rq->out_fd > 0 && out->status == 200);
    int rc = base_check_answer_signature(rq->keys, out->signature, t->signature.nonce,
                                         (unsigned)out->status,
                                         !known           ? NULL
                                         : out->body.data ? out->body.data
                                                          : "",
                                         out->body.len, rq->stream, err);

    if (rc == 0)
        return 0;
    if (out->status == 401 && !out->signature[0])
        base_keyring_refresh_or_switch_signer(rq->keys, t->signature.key);
    return base_error_wrap(err, rc, "%s %s: HTTP %ld", rq->method, rq->url, out->status);
}

/* Checks the answer to a signed request. When none came, forgets the server's start id: the server
 * may be starting anew, and it refuses an old id with a line in its audit log, but an unknown one
 * without. Sets *start_learned when the same request, signed anew, may be carried out. */
static int check_signed_exchange(const struct transfer *t, CURLcode cc, int rc, bool *start_learned,
                                 struct base_error *err)
{
    const struct base_http_request *rq = t->rq;

    if (rc < 0) {
        if (cc != CURLE_ABORTED_BY_CALLBACK && !t->failed)
            base_server_starts_forget(base_keyring_server_starts(rq->keys), rq->url);
        return rc;
    }
    *start_learned = learn_start_id_from_refusal(t);
    if (*start_learned)
        return base_error_set(err, -BASE_EPERM, "%s %s: the server has another start id",
                              rq->method, rq->url);
    return check_answer_signature(t, err);
}

/* Sends @rq once. @timeout_ms: 0: none. Otherwise as base_http_perform(), and sets *start_learned
 * as check_signed_exchange(). */
static int send_once(struct base_http *h, const struct base_http_request *rq, int64_t timeout_ms,
                     struct base_http_answer *out, bool *start_learned, struct base_error *err)
{
    struct transfer t = {.rq = rq,
                         .out = out,
                         .easy = h->easy,
                         .body_max = rq->body_max ? rq->body_max : BODY_MAX,
                         .timeout_ms = timeout_ms};
    char why[CURL_ERROR_SIZE] = "";
    struct curl_slist *headers;
    CURLcode cc;
    int rc;

    *start_learned = false;
    if (rq->keys)
        sign_request(&t);
    headers = build_headers(&t);
    set_options(h, &t, headers, why);
    base_assert(curl_multi_add_handle(h->multi, h->easy) == CURLM_OK);
    cc = run_transfer(h);
    curl_easy_getinfo(h->easy, CURLINFO_RESPONSE_CODE, &out->status);
    rc = set_transfer_error(&t, cc, why, err);
    curl_multi_remove_handle(h->multi, h->easy);
    curl_easy_reset(h->easy); /* drops the pointers into this stack frame */
    curl_slist_free_all(headers);
    if (rq->keys)
        rc = check_signed_exchange(&t, cc, rc, start_learned, err);
    if (rc < 0)
        base_http_answer_free(out);
    return rc;
}

int base_http_perform(struct base_http *h, const struct base_http_request *rq,
                      struct base_http_answer *out, struct base_error *err)
{
    int64_t begun_us = base_mono_us(&base_clock_real);
    int64_t timeout_ms = rq->timeout_ms == 0 ? TIMEOUT_MS : rq->timeout_ms < 0 ? 0 : rq->timeout_ms;
    bool start_learned;
    int rc;

    *out = (struct base_http_answer){0};
    if (!header_value_is_safe(rq->bearer) || !header_value_is_safe(rq->accept) ||
        !header_value_is_safe(rq->content_type) || !header_value_is_safe(rq->header))
        return base_error_set(err, -BASE_EINVAL, "%s %s: a header value has a line break",
                              rq->method, rq->url);
    rc = send_once(h, rq, timeout_ms, out, &start_learned, err);
    if (!start_learned)
        return rc;
    /* once more, and no more than that, within the same time limit */
    if (timeout_ms) {
        timeout_ms -= (base_mono_us(&base_clock_real) - begun_us) / 1000;
        timeout_ms = timeout_ms > 0 ? timeout_ms : 1;
    }
    return send_once(h, rq, timeout_ms, out, &start_learned, err);
}

void base_http_answer_free(struct base_http_answer *a)
{
    base_buf_free(&a->body);
    *a = (struct base_http_answer){0};
}
