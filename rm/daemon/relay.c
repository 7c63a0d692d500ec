/* A stream has two owners: the relay's thread and, once the answer has begun, the HTTP server,
 * which reads from the buffer. Either may be done first; the last one frees the stream. Lock order:
 * the lock of the relay, then that of the stream. Both are held for copying only, never across a
 * call of libcurl or of the HTTP server. */
#include "rm/daemon/relay.h"

#include <ctype.h>
#include <curl/curl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/conf/http_address.h"
#include "base/io/curl.h"
#include "base/io/http_client.h"
#include "base/io/io.h"

enum { POLL_MS = 1000, NAME_MAX_LEN = 512, PASSED_MAX = 10 };
enum flow { WAITING, FLOWING, ENDED, BROKEN };

struct stream {
    struct stream *next;
    struct rm_relay *relay;
    struct api_request *rq;  /* NULL once answered, or being answered; relay's thread only */
    char name[NAME_MAX_LEN]; /* id of the node, or of the master's application */
    char peer[64];
    bool to_master;
    char *type; /* content type of the answer; a master's own one once that has arrived */
    char *url;
    CURL *easy;
    struct curl_slist *headers, *connect_to; /* of a request to a master */
    struct base_buf body;                    /* likewise */
    struct {
        const char *name;
        char *value;
    } passed[PASSED_MAX]; /* headers of a master's answer that are passed on */
    int passed_n;
    char why[CURL_ERROR_SIZE];
    long status;
    bool identified; /* the answer is one of the node; always true for a master */
    struct base_request_signature sent;        /* its nonce "": the request is not signed */
    char signature[BASE_ANSWER_SIGNATURE_MAX]; /* of the answer */
    struct base_error refusal;                 /* why its signature does not count */
    char start[BASE_START_SIGNATURE_MAX];      /* of the node, in a refusal; "": none */
    /* the answer refuses the start id that was signed; the request has been sent once more */
    bool start_learned, repeated;
    int64_t begun_ms; /* 0: not yet */
    /* under lock */
    pthread_mutex_t lock;
    enum flow flow;
    bool has_reader, has_relay, paused, resume;
    size_t at, len; /* position and length of the bytes in the ring */
    char ring[RM_RELAY_BUFFER];
};

struct rm_relay {
    CURLM *multi;
    struct base_keyring *keys; /* NULL: requests are not signed */
    pthread_t thread;
    pthread_mutex_t lock;
    bool started;            /* under lock */
    struct stream *incoming; /* under lock */
    size_t n;                /* under lock: length of both lists */
    bool stop;               /* under lock */
    /* for the relay's thread, which changes the list under the lock: other threads count it */
    struct stream *streams;
};

bool rm_relay_is_host_and_port(const char *address)
{
    const char *p = address;
    int64_t port;

    if (*p == '[') {
        p += 1 + strspn(p + 1, "0123456789abcdefABCDEF:.");
        if (p == address + 1 || *p++ != ']')
            return false;
    } else {
        while (isalnum((unsigned char)*p) || *p == '.' || *p == '-' || *p == '_')
            p++;
        if (p == address)
            return false;
    }
    return *p == ':' && isdigit((unsigned char)p[1]) &&
           base_int_parse(p + 1, 1, UINT16_MAX, &port) == 0;
}

static void answer_refusal(struct api_request *rq, unsigned status, const char *exception,
                           const char *what, const char *name, const char *why)
{
    if (status == 503)
        api_add_header(rq, "Retry-After", "1");
    api_answer_error(rq, status, exception, "%s %s: %s", what, name, why);
}

static const char *name_node_or_master(const struct stream *s)
{
    return s->to_master ? "master of" : "node";
}

static void clear_passed_headers(struct stream *s)
{
    while (s->passed_n > 0)
        free(s->passed[--s->passed_n].value);
}

static void stream_free(struct stream *s)
{
    curl_easy_cleanup(s->easy);
    pthread_mutex_destroy(&s->lock);
    curl_slist_free_all(s->headers);
    curl_slist_free_all(s->connect_to);
    base_buf_free(&s->body);
    clear_passed_headers(s);
    free(s->type);
    free(s->url);
    free(s);
}

/* Clears one owner's mark, s->has_reader or s->has_relay; the last owner frees the stream. */
static void release_stream(struct stream *s, bool *owner)
{
    bool last;

    pthread_mutex_lock(&s->lock);
    *owner = false;
    last = !s->has_reader && !s->has_relay;
    pthread_mutex_unlock(&s->lock);
    if (last)
        stream_free(s);
}

/* ---------------------------------------------------------------- HTTP threads */
static int64_t read_ring(void *user, char *buf, size_t max)
{
    struct stream *s = user;
    size_t n, first;
    enum flow flow;
    bool wake;

    pthread_mutex_lock(&s->lock);
    n = s->len < max ? s->len : max;
    first = n < sizeof s->ring - s->at ? n : sizeof s->ring - s->at;
    memcpy(buf, s->ring + s->at, first);
    memcpy(buf + first, s->ring, n - first);
    s->at = (s->at + n) % sizeof s->ring;
    s->len -= n;
    flow = s->flow;
    wake = s->paused && !s->resume && s->len <= sizeof s->ring / 2;
    s->resume = s->resume || wake;
    pthread_mutex_unlock(&s->lock);
    if (wake)
        curl_multi_wakeup(s->relay->multi);
    if (n > 0)
        return (int64_t)n;
    return flow == ENDED ? -1 : flow == BROKEN ? API_STREAM_BROKEN : 0;
}

static void release_reader(void *user)
{
    struct stream *s = user;
    struct rm_relay *r = s->relay;

    release_stream(s, &s->has_reader);
    curl_multi_wakeup(r->multi);
}

/* ---------------------------------------------------------------- the relay's thread */
static void set_flow(struct stream *s, enum flow flow)
{
    pthread_mutex_lock(&s->lock);
    s->flow = flow;
    pthread_mutex_unlock(&s->lock);
}

static void begin_answer(struct stream *s)
{
    struct api_request *rq = s->rq;

    s->rq = NULL;
    if (s->to_master) {
        for (int i = 0; i < s->passed_n; i++)
            api_add_header(rq, s->passed[i].name, s->passed[i].value);
    } else {
        api_add_header(rq, BASE_HTTP_NODE_HEADER, s->name);
    }
    pthread_mutex_lock(&s->lock);
    s->flow = FLOWING;
    s->has_reader = true;
    pthread_mutex_unlock(&s->lock);
    api_answer_stream(rq, (unsigned)s->status, s->type, read_ring, s, release_reader);
}

/* Keeps a header line that describes a master's answer. Cookies are not passed on: a master could
 * set cookies that browsers would send to the ResourceManager. SOURCE: RFC 9110, section 8, and
 * what browsers need of a page. */
static void keep_header_to_pass_on(struct stream *s, const char *line, size_t len)
{
    static const char *const names[] = {"Content-Encoding",    "Content-Language",
                                        "Content-Disposition", "Location",
                                        "Cache-Control",       "ETag",
                                        "Last-Modified"};
    const char *value;
    size_t n;

    if (base_curl_match_header(line, len, "Content-Type:", &value, &n)) {
        free(s->type);
        s->type = base_strndup(value, n);
        return;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names && s->passed_n < PASSED_MAX; i++) {
        size_t name_len = strlen(names[i]);

        if (len <= name_len || line[name_len] != ':' || strncasecmp(line, names[i], name_len) != 0)
            continue;
        value = line + name_len + 1;
        n = len - name_len - 1;
        while (n > 0 && (*value == ' ' || *value == '\t')) {
            value++;
            n--;
        }
        while (n > 0 && (unsigned char)value[n - 1] <= ' ')
            n--;
        s->passed[s->passed_n].name = names[i];
        s->passed[s->passed_n++].value = base_strndup(value, n);
        return;
    }
}

/* A node signs the answer to a request for a stream before its body is known. */
static bool check_answer_signature(struct stream *s)
{
    return base_check_answer_signature(s->relay->keys, s->signature, s->sent.nonce,
                                       (unsigned)s->status, NULL, 0, true, &s->refusal) == 0;
}

/* Returns true when the answer refuses the request for its start id alone, and the request may be
 * sent once more. Remembers the node's start id. */
static bool learn_start_id_from_refusal(struct stream *s)
{
    char start_id[BASE_START_ID_MAX];

    if (s->repeated || s->status != 401 ||
        !base_read_signed_start_id(s->relay->keys, s->start, &s->sent, start_id))
        return false;
    base_server_starts_learn(base_keyring_server_starts(s->relay->keys), s->url, start_id);
    return true;
}

static void keep_signature_header(const char *line, size_t len, const char *name, char *out,
                                  size_t size)
{
    const char *value;
    size_t n;

    if (base_curl_match_header(line, len, name, &value, &n) && n < size)
        snprintf(out, size, "%.*s", (int)n, value);
}

static size_t receive_answer_header(char *data, size_t size, size_t n, void *user)
{
    struct stream *s = user;
    size_t len = size * n, id_len;
    const char *id;

    if (len >= 5 && strncasecmp(data, "HTTP/", 5) == 0) { /* also after a "100 Continue" */
        s->identified = s->to_master;
        s->signature[0] = s->start[0] = '\0';
        clear_passed_headers(s);
    }
    if (s->to_master)
        keep_header_to_pass_on(s, data, len);
    else if (base_curl_match_header(data, len, BASE_HTTP_NODE_HEADER ":", &id, &id_len))
        s->identified = id_len == strlen(s->name) && memcmp(id, s->name, id_len) == 0;
    keep_signature_header(data, len, BASE_ANSWER_SIGNATURE ":", s->signature, sizeof s->signature);
    keep_signature_header(data, len, BASE_START_HEADER ":", s->start, sizeof s->start);
    if (len > 2 || data[0] == ' ')
        return len;
    /* the empty line: all headers have arrived */
    curl_easy_getinfo(s->easy, CURLINFO_RESPONSE_CODE, &s->status);
    s->start_learned = s->sent.nonce[0] && learn_start_id_from_refusal(s);
    if (s->sent.nonce[0] && !s->start_learned && !check_answer_signature(s))
        s->identified = false;
    if (s->rq && s->identified && (s->to_master ? s->status >= 200 : s->status == 200))
        begin_answer(s);
    return len;
}

static size_t receive_body_into_ring(char *data, size_t size, size_t n, void *user)
{
    struct stream *s = user;
    size_t len = size * n, to, first;

    if (s->start_learned) /* dropped, which leaves the connection for the next request */
        return len;
    if (s->rq) /* the body of an error is not passed on */
        return CURL_WRITEFUNC_ERROR;
    pthread_mutex_lock(&s->lock);
    if (sizeof s->ring - s->len < len) {
        s->paused = true;
        pthread_mutex_unlock(&s->lock);
        return CURL_WRITEFUNC_PAUSE;
    }
    to = (s->at + s->len) % sizeof s->ring;
    first = len < sizeof s->ring - to ? len : sizeof s->ring - to;
    memcpy(s->ring + to, data, first);
    memcpy(s->ring, data + first, len - first);
    s->len += len;
    pthread_mutex_unlock(&s->lock);
    return len;
}

static void start_transfer(struct stream *s)
{
    CURL *e = s->easy;

    /* nodes speak HTTP or HTTPS; masters, for whose certificates nobody vouches, only plain HTTP */
    base_curl_set_url_and_defaults(e, s->url, s->to_master ? "http" : "http,https");
    base_curl_limit_silence(e, RM_RELAY_SILENCE_MS);
    curl_easy_setopt(e, CURLOPT_CONNECTTIMEOUT_MS, (long)RM_RELAY_CONNECT_MS);
    curl_easy_setopt(e, CURLOPT_ERRORBUFFER, s->why);
    curl_easy_setopt(e, CURLOPT_HEADERFUNCTION, receive_answer_header);
    curl_easy_setopt(e, CURLOPT_HEADERDATA, s);
    curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, receive_body_into_ring);
    curl_easy_setopt(e, CURLOPT_WRITEDATA, s);
    curl_easy_setopt(e, CURLOPT_PRIVATE, s);
    curl_easy_setopt(e, CURLOPT_HTTPHEADER, s->headers);
    curl_easy_setopt(e, CURLOPT_CONNECT_TO, s->connect_to);
    if (!s->begun_ms)
        s->begun_ms = base_mono_us(&base_clock_real) / 1000;
    base_assert(curl_multi_add_handle(s->relay->multi, e) == CURLM_OK);
}

static void add_header(struct stream *s, const char *name, const char *value)
{
    char *line = base_printf("%s: %s", name, value);

    s->headers = curl_slist_append(s->headers, line);
    free(line);
}

static void sign_stream_request(struct stream *s)
{
    char start_id[BASE_START_ID_MAX];
    struct base_buf value = {0};
    struct base_key key;

    base_keyring_get_signing_key(s->relay->keys, &key);
    base_server_starts_find(base_keyring_server_starts(s->relay->keys), s->url, start_id);
    base_sign_request(&key, "GET", s->url, start_id, "", 0, base_wall_us(&base_clock_real) / 1000,
                      true, &s->sent);
    explicit_bzero(&key, sizeof key);
    base_request_signature_format(&s->sent, &value);
    add_header(s, "Authorization", value.data);
    curl_easy_setopt(s->easy, CURLOPT_PATH_AS_IS, 1L);
    base_buf_free(&value);
}

/* Sends a request once more whose start id the node has refused, signed for the node's own. */
static void send_once_more(struct stream *s)
{
    curl_multi_remove_handle(s->relay->multi, s->easy);
    curl_slist_free_all(s->headers);
    s->headers = NULL;
    s->start_learned = false;
    s->repeated = true;
    s->status = 0;
    sign_stream_request(s);
    start_transfer(s);
}

/* Handles the end of a transfer from the node, successful or not: answers the request if it still
 * waits. */
static void handle_transfer_end(struct stream *s, CURLcode code)
{
    struct api_request *rq = s->rq;
    char room[512];

    s->rq = NULL;
    if (s->sent.nonce[0] && s->status == 0) /* the node may be starting anew */
        base_server_starts_forget(base_keyring_server_starts(s->relay->keys), s->url);
    if (!rq)
        set_flow(s, code == CURLE_OK ? ENDED : BROKEN);
    else if (s->identified && (s->status == 404 || s->status == 503)) {
        api_add_header(rq, BASE_HTTP_NODE_HEADER, s->name);
        answer_refusal(rq, 404, "NotFoundException", name_node_or_master(s), s->name,
                       "it has no such log or application");
    } else if (s->status == 0)
        answer_refusal(rq, 502, "BadGatewayException", name_node_or_master(s), s->name,
                       base_curl_explain_error(s->easy, code, s->why, room));
    else
        answer_refusal(rq, 502, "BadGatewayException", name_node_or_master(s), s->name,
                       s->refusal.code ? s->refusal.text
                       : s->identified ? "it answers with an error"
                                       : "another server answers at its address");
}

static void abort_stream(struct stream *s, unsigned status, const char *exception, const char *why)
{
    if (s->rq)
        answer_refusal(s->rq, status, exception, name_node_or_master(s), s->name, why);
    else
        set_flow(s, BROKEN);
    s->rq = NULL;
}

/* Handles deadlines, pauses and a reader that has gone. Returns true when the stream is done. */
static bool resume_or_abort_stream(struct stream *s, int64_t now)
{
    enum flow flow;
    bool has_reader, resume;

    pthread_mutex_lock(&s->lock);
    flow = s->flow;
    has_reader = s->has_reader;
    resume = s->resume;
    if (resume)
        s->paused = s->resume = false;
    pthread_mutex_unlock(&s->lock);
    if (flow == ENDED || flow == BROKEN || (!s->rq && !has_reader))
        return true;
    if (s->rq && (now - s->begun_ms > RM_RELAY_ANSWER_MS || api_client_is_gone(s->rq))) {
        abort_stream(s, 504, "GatewayTimeoutException", "it does not answer in time");
        return true;
    }
    if (now - s->begun_ms > RM_RELAY_LIFE_MS) {
        set_flow(s, BROKEN);
        return true;
    }
    if (resume)
        curl_easy_pause(s->easy, CURLPAUSE_CONT); /* may hand over bytes at once */
    return false;
}

static void detach_stream(struct stream *s)
{
    curl_multi_remove_handle(s->relay->multi, s->easy);
    release_stream(s, &s->has_relay);
}

static void start_incoming_streams(struct rm_relay *r)
{
    struct stream **end = &r->incoming, *old = r->streams;

    pthread_mutex_lock(&r->lock);
    while (*end)
        end = &(*end)->next;
    *end = old;
    r->streams = r->incoming;
    r->incoming = NULL;
    pthread_mutex_unlock(&r->lock);
    for (struct stream *s = r->streams; s != old; s = s->next)
        start_transfer(s);
}

static void remove_finished_streams(struct rm_relay *r, bool abort_all)
{
    struct stream *gone = NULL, **link = &r->streams;
    int64_t now = base_mono_us(&base_clock_real) / 1000;

    while (*link) {
        struct stream *s = *link;

        if (abort_all)
            abort_stream(s, 503, "ServiceUnavailableException",
                         "the ResourceManager is shutting down");
        if (!resume_or_abort_stream(s, now) && !abort_all) {
            link = &s->next;
            continue;
        }
        pthread_mutex_lock(&r->lock);
        *link = s->next;
        r->n--;
        pthread_mutex_unlock(&r->lock);
        s->next = gone;
        gone = s;
    }
    while (gone) {
        struct stream *s = gone;

        gone = s->next;
        detach_stream(s);
    }
}

static void handle_finished_transfers(struct rm_relay *r)
{
    CURLMsg *msg;
    int left;

    while ((msg = curl_multi_info_read(r->multi, &left))) {
        struct stream *s = NULL;
        bool answered;

        if (msg->msg != CURLMSG_DONE)
            continue;
        curl_easy_getinfo(msg->easy_handle, CURLINFO_PRIVATE, (char **)&s);
        if (s->start_learned && s->rq) {
            send_once_more(s);
            continue;
        }
        answered = s->rq == NULL;
        handle_transfer_end(s, msg->data.result);
        if (!answered)
            set_flow(s, BROKEN); /* remove_finished_streams() then removes it */
    }
}

static void *relay_main(void *user)
{
    struct rm_relay *r = user;
    bool stop = false;

    pthread_setname_np(pthread_self(), "rm-relay");
    while (!stop) {
        int running;

        start_incoming_streams(r);
        curl_multi_perform(r->multi, &running);
        handle_finished_transfers(r);
        remove_finished_streams(r, false);
        pthread_mutex_lock(&r->lock);
        stop = r->stop;
        pthread_mutex_unlock(&r->lock);
        if (!stop)
            curl_multi_poll(r->multi, NULL, 0, POLL_MS, NULL);
    }
    start_incoming_streams(r);
    remove_finished_streams(r, true);
    return NULL;
}

/* ---------------------------------------------------------------- functions for other threads */
struct rm_relay *rm_relay_new(void)
{
    struct rm_relay *r = base_alloc(sizeof *r);

    r->multi = curl_multi_init();
    base_assert(r->multi);
    curl_multi_setopt(r->multi, CURLMOPT_MAXCONNECTS, 32L);
    pthread_mutex_init(&r->lock, NULL);
    return r;
}

void rm_relay_sign_with(struct rm_relay *r, struct base_keyring *keys)
{
    r->keys = base_keyring_ref(keys);
}

void rm_relay_start(struct rm_relay *r)
{
    pthread_mutex_lock(&r->lock);
    r->started = true;
    pthread_mutex_unlock(&r->lock);
    base_assert(pthread_create(&r->thread, NULL, relay_main, r) == 0);
}

/* @name: the node or application, for messages and, of a node, to check its answer. Takes @url,
 * allocated. */
static struct stream *stream_new(struct rm_relay *r, struct api_request *rq, const char *name,
                                 char *url, const char *type)
{
    struct stream *s = base_alloc(sizeof *s);

    s->relay = r;
    s->rq = rq;
    snprintf(s->name, sizeof s->name, "%s", name);
    snprintf(s->peer, sizeof s->peer, "%s", api_peer(rq));
    s->type = base_strdup(type);
    s->url = url;
    s->easy = curl_easy_init();
    base_assert(s->easy);
    pthread_mutex_init(&s->lock, NULL);
    s->has_relay = true;
    return s;
}

static size_t count_streams_of(const struct stream *s, const char *peer)
{
    size_t n = 0;

    for (; s; s = s->next)
        n += strcmp(s->peer, peer) == 0;
    return n;
}

/* Returns why a request of @peer must be refused; NULL: it may be relayed. The caller holds the
 * lock. */
static const char *find_reason_to_refuse(const struct rm_relay *r, const char *peer)
{
    if (!r->started || r->stop)
        return "the ResourceManager is not ready to ask it";
    if (r->n >= RM_RELAY_MAX)
        return "too many answers of nodes pass through this ResourceManager now";
    if (count_streams_of(r->streams, peer) + count_streams_of(r->incoming, peer) >=
        RM_RELAY_PEER_MAX)
        return "too many answers of nodes pass through this ResourceManager for one client";
    return NULL;
}

/* Parks the request of @s and hands @s to the relay's thread, or answers and frees @s when there
 * are too many already. */
static void hand_over_or_refuse_stream(struct rm_relay *r, struct stream *s)
{
    struct api_request *rq = s->rq;
    const char *no;

    api_park(rq);
    pthread_mutex_lock(&r->lock);
    no = find_reason_to_refuse(r, s->peer);
    if (!no) {
        s->next = r->incoming;
        r->incoming = s;
        r->n++;
    }
    pthread_mutex_unlock(&r->lock);
    if (!no) {
        curl_multi_wakeup(r->multi);
        return;
    }
    answer_refusal(rq, 503, "ServiceUnavailableException", name_node_or_master(s), s->name, no);
    stream_free(s);
}

void rm_relay_get_from_node(struct rm_relay *r, struct api_request *rq, const char *node_id,
                            const char *address, const char *path, const char *type)
{
    const char *host = base_http_address_host(address);
    struct stream *s;

    if (!rm_relay_is_host_and_port(host)) {
        answer_refusal(rq, 502, "BadGatewayException", "node", node_id,
                       "the address it has registered is not host:port");
        return;
    }
    s = stream_new(r, rq, node_id,
                   base_printf("%s%s/ws/v1/node/%s", base_http_address_scheme(address), host, path),
                   type);
    if (r->keys)
        sign_stream_request(s);
    hand_over_or_refuse_stream(r, s);
}

/* Adds the headers that a master gets. SOURCE: Hadoop's WebAppProxy passes the same ones. */
static void add_headers_for_master(struct stream *s, const struct rm_relay_to_master *to)
{
    static const char *const names[] = {"User-Agent",
                                        "Accept",
                                        "Accept-Encoding",
                                        "Accept-Language",
                                        "Accept-Charset",
                                        "Content-Type",
                                        "Origin",
                                        "Access-Control-Request-Method",
                                        "Access-Control-Request-Headers"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = api_header(s->rq, names[i]);

        if (value)
            add_header(s, names[i], value);
    }
    if (to->cookie)
        add_header(s, "Cookie", to->cookie);
    s->headers = curl_slist_append(s->headers, "Expect:"); /* no "100 Continue" round trip */
}

void rm_relay_to_master(struct rm_relay *r, struct api_request *rq,
                        const struct rm_relay_to_master *to)
{
    struct stream *s = stream_new(r, rq, to->app_id, base_strdup(to->url), "");
    const char *method = api_method(rq);
    char *connect_to = base_printf("::%s:", to->host);
    size_t len;
    const char *body = api_body(rq, &len);

    s->to_master = true;
    s->connect_to = curl_slist_append(NULL, connect_to);
    free(connect_to);
    add_headers_for_master(s, to);
    if (strcmp(method, "PUT") == 0) {
        base_buf_add(&s->body, body, len);
        curl_easy_setopt(s->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)len);
        curl_easy_setopt(s->easy, CURLOPT_POSTFIELDS, len ? s->body.data : "");
    } else if (strcmp(method, "HEAD") == 0) {
        curl_easy_setopt(s->easy, CURLOPT_NOBODY, 1L);
    }
    curl_easy_setopt(s->easy, CURLOPT_CUSTOMREQUEST, method);
    hand_over_or_refuse_stream(r, s);
}

void rm_relay_stop(struct rm_relay *r)
{
    if (!r->started)
        return;
    pthread_mutex_lock(&r->lock);
    r->stop = true;
    pthread_mutex_unlock(&r->lock);
    curl_multi_wakeup(r->multi);
    pthread_join(r->thread, NULL);
}

void rm_relay_free(struct rm_relay *r)
{
    if (!r)
        return;
    curl_multi_cleanup(r->multi);
    base_keyring_unref(r->keys);
    pthread_mutex_destroy(&r->lock);
    free(r);
}
