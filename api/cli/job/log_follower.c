/* api/cli/job/log_follower.c - follows logs. A stream is one libcurl transfer at a time:
 * start_transfer() begins a try, end_or_retry_stream() ends the stream or schedules another try. */
#include "api/cli/job/log_follower.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/cli/text/text.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/io/curl.h"
#include "base/io/http_client.h"
#include "base/mem.h"

enum {
    RETRY_FIRST_MS = 4,
    RETRY_MAX_MS = 250,       /* longest pause between tries */
    RETRY_LOST_MAX_MS = 1000, /* likewise, while the node is unreachable */
    CONNECT_MS = 3000,
    ANSWER_MS = 15000, /* time until the status line, which comes at once even when following */
    SILENCE_S = 20,    /* time without a byte, unless following: a log may be silent for hours */
    PEER_SILENCE_MS = 5000, /* time without an acknowledgement: the host is gone */
    ERROR_TEXT_MAX = 4096,
};

struct stream {
    struct cli_follow *owner;
    struct cli_node *node;
    char *path; /* without query */
    bool follow, running, direct, tried_other;
    enum cli_follow_result result;
    cli_follow_sink *sink;
    void *user;
    CURL *easy;
    long status;
    /* which node has answered, according to the answer's header */
    enum { UNNAMED, SAME, OTHER } named;
    struct base_buf error; /* body of an answer that is not the log */
    char curl_error[CURL_ERROR_SIZE];
    char *why;
    uint64_t offset, got; /* bytes delivered: in total, and in this try */
    int64_t retry_at_us, retry_ms, started_us;
};

struct cli_follow {
    CURLM *multi;
    struct stream **v;
    size_t n, cap;
    bool last_chance;
};

struct cli_follow *cli_follow_new(void)
{
    struct cli_follow *f = base_alloc(sizeof *f);
    f->multi = curl_multi_init();
    base_assert(f->multi);
    return f;
}

static void stop_transfer(struct stream *s)
{
    if (s->running)
        curl_multi_remove_handle(s->owner->multi, s->easy);
    s->running = false;
}

void cli_follow_free(struct cli_follow *f)
{
    for (size_t i = 0; f && i < f->n; i++) {
        stop_transfer(f->v[i]);
        curl_easy_cleanup(f->v[i]->easy);
        base_buf_free(&f->v[i]->error);
        free(f->v[i]->path);
        free(f->v[i]->why);
        free(f->v[i]);
    }
    if (f) {
        curl_multi_cleanup(f->multi);
        free(f->v);
    }
    free(f);
}

/* Returns true when the body is the log. A node of an old version does not name itself; asked
 * directly, it does not answer 200 for the log of another node. */
static bool is_log_answer(struct stream *s)
{
    curl_easy_getinfo(s->easy, CURLINFO_RESPONSE_CODE, &s->status);
    return s->status == 200 && (s->named == SAME || (s->direct && s->named == UNNAMED));
}

static size_t read_header_line(char *data, size_t size, size_t n, void *arg)
{
    struct stream *s = arg;
    size_t len = size * n, id_len;
    const char *id, *want = cli_node_id(s->node);
    /* the status line of an answer, or of the next one after a redirect */
    if (len >= 5 && strncasecmp(data, "HTTP/", 5) == 0) {
        s->named = UNNAMED;
        curl_easy_getinfo(s->easy, CURLINFO_RESPONSE_CODE, &s->status);
    }
    if (len <= 2 && is_log_answer(s)) { /* the empty line ends the headers */
        free(s->why);
        s->why = NULL;
    }
    if (base_curl_match_header(data, len, BASE_HTTP_NODE_HEADER ":", &id, &id_len))
        s->named = id_len == strlen(want) && memcmp(id, want, id_len) == 0 ? SAME : OTHER;
    return len;
}

static size_t deliver_or_keep_body(char *data, size_t size, size_t n, void *arg)
{
    struct stream *s = arg;
    size_t len = size * n;
    if (!is_log_answer(s)) {
        if (s->error.len < ERROR_TEXT_MAX)
            base_buf_add(&s->error, data, len);
        return len;
    }
    s->retry_ms = RETRY_FIRST_MS;
    if (s->sink(s->user, data, len) != 0) {
        s->result = CLI_FOLLOW_CLOSED;
        return CURL_WRITEFUNC_ERROR;
    }
    s->offset += len;
    s->got += len;
    return len;
}

static void start_transfer(struct stream *s)
{
    s->direct = cli_node_is_direct(s->node);
    const char *token = cli_node_token(s->node, s->direct);
    char *base = cli_node_url(s->node, s->direct, s->path);
    char *url = base_printf("%s?offset=%llu%s", base, (unsigned long long)s->offset,
                            s->follow ? "&follow=1" : "");
    curl_easy_reset(s->easy);
    base_curl_set_url_and_defaults(s->easy, url, "http,https");
    if (!s->direct) { /* a standby redirects to the active RM */
        curl_easy_setopt(s->easy, CURLOPT_FOLLOWLOCATION, 1L);
        curl_easy_setopt(s->easy, CURLOPT_MAXREDIRS, 3L);
        curl_easy_setopt(s->easy, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
    }
    if (token) { /* libcurl does not send it to another host after a redirect */
        curl_easy_setopt(s->easy, CURLOPT_HTTPAUTH, (long)CURLAUTH_BEARER);
        curl_easy_setopt(s->easy, CURLOPT_XOAUTH2_BEARER, token);
    } else if (cli_node_negotiates(s->node, s->direct)) {
        base_curl_negotiate(s->easy);
    }
    base_curl_limit_silence(s->easy, PEER_SILENCE_MS);
    curl_easy_setopt(s->easy, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
    if (!s->follow) {
        curl_easy_setopt(s->easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
        curl_easy_setopt(s->easy, CURLOPT_LOW_SPEED_TIME, (long)SILENCE_S);
    }
    curl_easy_setopt(s->easy, CURLOPT_ERRORBUFFER, s->curl_error);
    curl_easy_setopt(s->easy, CURLOPT_HEADERFUNCTION, read_header_line);
    curl_easy_setopt(s->easy, CURLOPT_HEADERDATA, s);
    curl_easy_setopt(s->easy, CURLOPT_WRITEFUNCTION, deliver_or_keep_body);
    curl_easy_setopt(s->easy, CURLOPT_WRITEDATA, s);
    curl_easy_setopt(s->easy, CURLOPT_PRIVATE, s);
    free(url);
    free(base);
    base_buf_clear(&s->error);
    s->curl_error[0] = '\0';
    s->status = 0;
    s->named = UNNAMED;
    s->got = 0;
    s->started_us = base_mono_us(&base_clock_real);
    base_assert(curl_multi_add_handle(s->owner->multi, s->easy) == CURLM_OK);
    s->running = true;
}

size_t cli_follow_add(struct cli_follow *f, struct cli_node *node, const char *container,
                      const char *file, uint64_t offset, bool follow, cli_follow_sink *sink,
                      void *user)
{
    struct stream *s = base_alloc(sizeof *s);
    struct base_buf path = {0};
    base_buf_adds(&path, "raw-logs/");
    cli_uri_add_encoded(container, &path);
    base_buf_adds(&path, "/");
    cli_uri_add_encoded(file, &path);
    s->owner = f;
    s->node = node;
    s->path = base_buf_take(&path);
    s->offset = offset;
    s->follow = follow;
    s->sink = sink;
    s->user = user;
    s->retry_ms = RETRY_FIRST_MS;
    s->easy = curl_easy_init();
    base_assert(s->easy);
    base_array_grow(&f->v, f->n, &f->cap);
    f->v[f->n] = s;
    start_transfer(s);
    return f->n++;
}

/* Returns why the try that has just ended failed, as a text for the user; caller frees. */
static char *make_failure_text(const struct stream *s, CURLcode code)
{
    json_t *j = s->error.len ? json_loadb(s->error.data, s->error.len, 0, NULL) : NULL;
    const char *message = cli_str(j, "RemoteException.message");
    struct base_buf line = {0};
    if (s->named == OTHER)
        base_buf_adds(&line, "another server answers at its address");
    else if (*message)
        cli_text_add_clean(message, &line);
    else if (s->status && s->status != 200)
        base_buf_addf(&line, "%s answered with status %ld",
                      s->direct ? "the node" : "the ResourceManager", s->status);
    else
        base_buf_addf(&line, "%s%s", *s->curl_error ? s->curl_error : curl_easy_strerror(code),
                      s->direct ? "" : " (the ResourceManager)");
    json_decref(j);
    return base_buf_take(&line);
}

static void end_stream(struct stream *s, enum cli_follow_result result)
{
    s->result = result;
    s->tried_other = false;
}

static void retry_later(struct stream *s, int64_t max_ms)
{
    s->tried_other = false;
    s->retry_at_us = base_mono_us(&base_clock_real) + s->retry_ms * 1000;
    s->retry_ms = s->retry_ms * 2 > max_ms ? max_ms : s->retry_ms * 2;
}

/* Called when a transfer has ended: ends the stream, or schedules another try.
 *   complete log                      -> WHOLE
 *   404 from the node itself  -> later, as the log may not exist yet; ABSENT on the last try
 *   broken after some bytes   -> later, from the offset reached
 *   failed on one route       -> at once on the other route
 *   failed on both routes     -> later; LOST on the last try
 *
 * Without s->follow, a 404 or a failure on both routes counts as the last try. */
static void end_or_retry_stream(struct stream *s, CURLcode code)
{
    bool log = is_log_answer(s), absent = s->status == 404 && s->named == SAME;
    stop_transfer(s);
    if (s->status == 401)
        cli_node_renew_refused_token(s->node, s->direct);
    free(s->why);
    s->why = (log && code == CURLE_OK) || absent || s->result == CLI_FOLLOW_CLOSED
                 ? NULL
                 : make_failure_text(s, code);
    if (s->result == CLI_FOLLOW_CLOSED)
        return;
    if (log && code == CURLE_OK) {
        end_stream(s, CLI_FOLLOW_WHOLE);
    } else if (absent && (!s->follow || s->owner->last_chance)) {
        end_stream(s, CLI_FOLLOW_ABSENT);
    } else if (absent || s->got > 0) { /* the log does not exist yet, or the connection broke */
        retry_later(s, RETRY_MAX_MS);
    } else if (!s->tried_other) {
        cli_node_note_failed_route(s->node, s->direct);
        s->tried_other = true;
        s->retry_at_us = 0;
    } else if (!s->follow || s->owner->last_chance) {
        end_stream(s, CLI_FOLLOW_LOST);
    } else {
        cli_node_note_failed_route(s->node, s->direct);
        retry_later(s, RETRY_LOST_MAX_MS);
    }
}

/* Starts the tries that are due. Returns the ms until the next try is due, at most @timeout_ms. */
static int start_due_tries(struct cli_follow *f, int timeout_ms)
{
    int64_t now = base_mono_us(&base_clock_real), wait_us = timeout_ms * INT64_C(1000);
    for (size_t i = 0; i < f->n; i++) {
        struct stream *s = f->v[i];
        if (s->result != CLI_FOLLOW_GOING || s->running)
            continue;
        if (s->retry_at_us <= now)
            start_transfer(s);
        else if (s->retry_at_us - now < wait_us)
            wait_us = s->retry_at_us - now;
    }
    return (int)((wait_us + 999) / 1000);
}

size_t cli_follow_poll(struct cli_follow *f, int timeout_ms, int wake_fd)
{
    struct curl_waitfd extra = {.fd = wake_fd, .events = CURL_WAIT_POLLIN};
    int running = 0, left = 0;
    size_t open = 0;
    CURLMsg *msg;
    int wait_ms = start_due_tries(f, timeout_ms);
    curl_multi_perform(f->multi, &running);
    curl_multi_poll(f->multi, &extra, wake_fd >= 0 ? 1 : 0, wait_ms, NULL);
    curl_multi_perform(f->multi, &running);
    while ((msg = curl_multi_info_read(f->multi, &left))) {
        struct stream *s = NULL;
        CURLcode code = msg->data.result; /* @msg is invalid once the handle is removed */
        if (msg->msg != CURLMSG_DONE)
            continue;
        curl_easy_getinfo(msg->easy_handle, CURLINFO_PRIVATE, (char **)&s);
        end_or_retry_stream(s, code);
    }
    for (size_t i = 0; i < f->n;
         i++) /* end tries whose server has accepted the connection and never answers */
        if (f->v[i]->running && f->v[i]->status == 0 &&
            base_mono_us(&base_clock_real) - f->v[i]->started_us > ANSWER_MS * INT64_C(1000))
            end_or_retry_stream(f->v[i], CURLE_OPERATION_TIMEDOUT);
    for (size_t i = 0; i < f->n; i++)
        open += f->v[i]->result == CLI_FOLLOW_GOING;
    return open;
}

bool cli_follow_has_ended(const struct cli_follow *f, size_t i)
{
    return f->v[i]->result != CLI_FOLLOW_GOING;
}

enum cli_follow_result cli_follow_result(const struct cli_follow *f, size_t i)
{
    return f->v[i]->result;
}

const char *cli_follow_error(const struct cli_follow *f, size_t i)
{
    return f->v[i]->why;
}

uint64_t cli_follow_bytes(const struct cli_follow *f)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < f->n; i++)
        sum += f->v[i]->offset;
    return sum;
}

void cli_follow_resume(struct cli_follow *f, size_t i)
{
    struct stream *s = f->v[i];
    if (s->result == CLI_FOLLOW_GOING || s->result == CLI_FOLLOW_CLOSED)
        return;
    s->result = CLI_FOLLOW_GOING;
    s->retry_at_us = 0;
}

void cli_follow_stop_retrying(struct cli_follow *f)
{
    f->last_chance = true;
    for (size_t i = 0; i < f->n; i++)
        if (!f->v[i]->running)
            f->v[i]->retry_at_us = 0; /* the last try, now */
}
