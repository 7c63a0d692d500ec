/* api/cli/cli_follow.c - see the header. */
#include "api/cli/cli_follow.h"

#include <curl/curl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/cli_text.h"
#include "base/base_clock.h"
#include "base/base_error.h"
#include "base/base_mem.h"

enum { RETRY_FIRST_MS = 4, RETRY_MAX_MS = 250, CONNECT_MS = 3000 };

struct stream {
    struct cli_follow *owner;
    char *url; /* without query */
    bool follow, ended, running, closed;
    cli_follow_sink *sink;
    void *user;
    CURL *easy;
    long status;
    uint64_t offset; /* bytes handed to the sink */
    int64_t retry_at_us, retry_ms;
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

static void stop(struct stream *s)
{
    if (s->running)
        curl_multi_remove_handle(s->owner->multi, s->easy);
    s->running = false;
}

void cli_follow_free(struct cli_follow *f)
{
    for (size_t i = 0; f && i < f->n; i++) {
        stop(f->v[i]);
        curl_easy_cleanup(f->v[i]->easy);
        free(f->v[i]->url);
        free(f->v[i]);
    }
    if (f) {
        curl_multi_cleanup(f->multi);
        free(f->v);
    }
    free(f);
}

static size_t on_body(char *data, size_t size, size_t n, void *arg)
{
    struct stream *s = arg;
    size_t len = size * n;
    curl_easy_getinfo(s->easy, CURLINFO_RESPONSE_CODE, &s->status);
    if (s->status != 200)
        return len; /* an error's text: not the log */
    s->retry_ms = RETRY_FIRST_MS;
    if (s->sink(s->user, data, len) != 0) {
        s->closed = true;
        return CURL_WRITEFUNC_ERROR;
    }
    s->offset += len;
    return len;
}

static void start(struct stream *s)
{
    char *url = base_printf("%s?offset=%llu%s", s->url, (unsigned long long)s->offset, s->follow ? "&follow=1" : "");
    curl_easy_reset(s->easy);
    curl_easy_setopt(s->easy, CURLOPT_URL, url);
    curl_easy_setopt(s->easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(s->easy, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(s->easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(s->easy, CURLOPT_TCP_KEEPALIVE, 1L);
    curl_easy_setopt(s->easy, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
    curl_easy_setopt(s->easy, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(s->easy, CURLOPT_WRITEDATA, s);
    curl_easy_setopt(s->easy, CURLOPT_PRIVATE, s);
    free(url);
    base_assert(curl_multi_add_handle(s->owner->multi, s->easy) == CURLM_OK);
    s->running = true;
}

size_t cli_follow_add(struct cli_follow *f, const char *node_http, const char *container, const char *file, bool follow,
                      cli_follow_sink *sink, void *user)
{
    struct stream *s = base_alloc(sizeof *s);
    struct base_buf url = {0};
    base_buf_addf(&url, "%s%s/ws/v1/node/raw-logs/", strstr(node_http, "://") ? "" : "http://", node_http);
    cli_uri_component(container, &url);
    base_buf_adds(&url, "/");
    cli_uri_component(file, &url);
    s->owner = f;
    s->url = base_buf_take(&url);
    s->follow = follow;
    s->sink = sink;
    s->user = user;
    s->retry_ms = RETRY_FIRST_MS;
    s->easy = curl_easy_init();
    base_assert(s->easy);
    base_array_grow(&f->v, f->n, &f->cap);
    f->v[f->n] = s;
    start(s);
    return f->n++;
}

/* A transfer is over: the stream's end, or one more try later. */
static void finish(struct stream *s, CURLcode code)
{
    bool whole;
    curl_easy_getinfo(s->easy, CURLINFO_RESPONSE_CODE, &s->status);
    whole = code == CURLE_OK && s->status == 200;
    stop(s);
    if (whole || s->closed || !s->follow || s->owner->last_chance) {
        s->ended = true;
        return;
    }
    s->retry_at_us = base_mono_us(&base_clock_real) + s->retry_ms * 1000;
    s->retry_ms = s->retry_ms * 2 > RETRY_MAX_MS ? RETRY_MAX_MS : s->retry_ms * 2;
}

/* Starts what waits for its time; returns ms until the next one, at most @timeout_ms. */
static int start_due(struct cli_follow *f, int timeout_ms)
{
    int64_t now = base_mono_us(&base_clock_real), wait_us = timeout_ms * INT64_C(1000);
    for (size_t i = 0; i < f->n; i++) {
        struct stream *s = f->v[i];
        if (s->ended || s->running)
            continue;
        if (s->retry_at_us <= now)
            start(s);
        else if (s->retry_at_us - now < wait_us)
            wait_us = s->retry_at_us - now;
    }
    return (int)((wait_us + 999) / 1000);
}

size_t cli_follow_turn(struct cli_follow *f, int timeout_ms, int wake_fd)
{
    struct curl_waitfd extra = {.fd = wake_fd, .events = CURL_WAIT_POLLIN};
    int running = 0, left = 0;
    size_t open = 0;
    CURLMsg *msg;
    int wait_ms = start_due(f, timeout_ms);
    curl_multi_perform(f->multi, &running);
    curl_multi_poll(f->multi, &extra, wake_fd >= 0 ? 1 : 0, wait_ms, NULL);
    curl_multi_perform(f->multi, &running);
    while ((msg = curl_multi_info_read(f->multi, &left))) {
        struct stream *s = NULL;
        CURLcode code = msg->data.result; /* @msg dies with the handle's removal */
        if (msg->msg != CURLMSG_DONE)
            continue;
        curl_easy_getinfo(msg->easy_handle, CURLINFO_PRIVATE, (char **)&s);
        finish(s, code);
    }
    for (size_t i = 0; i < f->n; i++)
        open += !f->v[i]->ended;
    return open;
}

bool cli_follow_ended(const struct cli_follow *f, size_t i)
{
    return f->v[i]->ended;
}

long cli_follow_status(const struct cli_follow *f, size_t i)
{
    return f->v[i]->status;
}

bool cli_follow_sink_closed(const struct cli_follow *f, size_t i)
{
    return f->v[i]->closed;
}

void cli_follow_again(struct cli_follow *f, size_t i)
{
    struct stream *s = f->v[i];
    if (!s->ended || s->closed)
        return;
    s->ended = false;
    s->retry_at_us = 0;
}

void cli_follow_last_chance(struct cli_follow *f)
{
    f->last_chance = true;
    for (size_t i = 0; i < f->n; i++)
        if (!f->v[i]->running)
            f->v[i]->retry_at_us = 0; /* once more, now */
}
