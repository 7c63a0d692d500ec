#include "ha/log/follow.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ha/log/log_internal.h"

enum state { OFF, PAUSE, LISTING, READING };
struct ha_log_follow {
    ha_zk_send_fn *send;
    void *user;
    char *log_path;
    struct base_buf path;
    enum state state;
    bool connected, all;
    struct ha_log_kept kept;
    size_t cap;
    uint64_t end;                /* number after the last listed segment; 0: not listed yet */
    int64_t due_us, list_due_us; /* due_us: end of a PAUSE; list_due_us: time of the next listing */
    uint64_t next_id, live_id;   /* results of requests with ids below live_id are ignored */
    /* READING: requests under way, the first for the segment after the last kept one */
    size_t asked;
};

struct ha_log_follow *ha_log_follow_new(const char *root, ha_zk_send_fn *send, void *user)
{
    struct ha_log_follow *f = base_alloc(sizeof *f);

    f->send = send;
    f->user = user;
    f->log_path = base_printf("%s/log", root);
    f->next_id = f->live_id = 1;
    return f;
}

void ha_log_follow_free(struct ha_log_follow *f)
{
    if (!f)
        return;
    ha_log_kept_free(&f->kept);
    base_buf_free(&f->path);
    free(f->log_path);
    free(f);
}

static void forget_kept_segments(struct ha_log_follow *f)
{
    ha_log_kept_free(&f->kept);
    f->cap = 0;
    f->end = 0;
    f->all = false;
}

static void stop_requests_until(struct ha_log_follow *f, int64_t at_us)
{
    f->state = PAUSE;
    f->due_us = at_us;
    f->live_id = f->next_id;
    f->asked = 0;
}

/* Called when there is nothing to follow yet, or when the log is bad: following stays silent, since
 * loading the log will report the error. */
static void retry_list_later(struct ha_log_follow *f, int64_t now_us)
{
    stop_requests_until(f, now_us + HA_LOG_FOLLOW_AGAIN_US);
    f->list_due_us = 0;
}

void ha_log_follow_start(struct ha_log_follow *f, int64_t now_us)
{
    if (f->state != OFF)
        return;
    f->list_due_us = 0;
    stop_requests_until(f, now_us + HA_LOG_FOLLOW_FIRST_US);
}

void ha_log_follow_stop_and_take(struct ha_log_follow *f, struct ha_log_kept *out)
{
    *out = f->kept;
    f->kept = (struct ha_log_kept){0};
    forget_kept_segments(f);
    stop_requests_until(f, INT64_MAX);
    f->state = OFF;
}

size_t ha_log_follow_segment_count(const struct ha_log_follow *f)
{
    return f->kept.n;
}

bool ha_log_follow_reached_end(const struct ha_log_follow *f)
{
    return f->all;
}

static void send_request(struct ha_log_follow *f, enum ha_zk_request_kind kind, const char *path)
{
    const struct ha_zk_request rq = {
        .owner = HA_ZK_FOR_FOLLOW, .id = f->next_id++, .kind = kind, .path = path};

    f->send(f->user, &rq);
}

static void request_segment_list(struct ha_log_follow *f, int64_t now_us)
{
    f->state = LISTING;
    f->live_id = f->next_id;
    f->asked = 0;
    f->list_due_us = now_us + HA_LOG_FOLLOW_LIST_US;
    send_request(f, HA_ZK_CHILDREN, f->log_path);
}

/* Requests segments in parallel up to the end of the list. Beyond the list it requests one at a
 * time, because the next segment may not exist yet. */
static void request_next_segments(struct ha_log_follow *f)
{
    uint64_t next = f->kept.first + f->kept.n;

    f->state = READING;
    while (f->asked < HA_LOG_FOLLOW_READS && (f->asked == 0 || next + f->asked < f->end)) {
        base_buf_clear(&f->path);
        base_buf_addf(&f->path, "%s/%010" PRIu64, f->log_path, next + f->asked);
        f->asked++;
        send_request(f, HA_ZK_GET, f->path.data);
    }
}

/* Drops the kept segments before @first; the leader has cleaned them. */
static void drop_cleaned_segments(struct ha_log_follow *f, uint64_t first)
{
    struct ha_log_kept *k = &f->kept;
    size_t gone = first <= k->first         ? 0
                  : first - k->first < k->n ? (size_t)(first - k->first)
                                            : k->n;

    for (size_t i = 0; i < gone; i++)
        free(k->text[i]);
    k->n -= gone;
    if (k->n > 0) {
        memmove(k->text, k->text + gone, k->n * sizeof *k->text);
        memmove(k->len, k->len + gone, k->n * sizeof *k->len);
    }
    k->first = k->n > 0 ? k->first + gone : first;
}

/* The kept segments stay valid only if they still belong to the same log: <root>/log is the same
 * node, and the list neither begins nor ends before them. */
static void on_segment_list(struct ha_log_follow *f, const struct ha_zk_event *ev, int64_t now_us)
{
    uint64_t first = UINT64_MAX, last = 0;

    for (size_t i = 0; i < ev->children_n; i++) {
        uint64_t v = ha_log_parse_segment_name(ev->children[i]);

        /* an invalid name gives 0; loading the log will report the error */
        first = v < first ? v : first;
        last = v > last ? v : last;
    }
    if (ev->created_zxid != f->kept.log_zxid || first < f->kept.first ||
        last + 1 < f->kept.first + f->kept.n)
        forget_kept_segments(f);
    f->kept.log_zxid = ev->created_zxid;
    if (ev->children_n == 0 || first == 0) {
        retry_list_later(f, now_us);
        return;
    }
    drop_cleaned_segments(f, first);
    f->end = last + 1;
    request_next_segments(f);
}

static void keep_segment(struct ha_log_follow *f, const struct ha_zk_event *ev)
{
    struct ha_log_kept *k = &f->kept;

    if (k->n == f->cap) {
        f->cap = f->cap ? f->cap * 2 : 64;
        k->text = base_realloc_array(k->text, f->cap, sizeof *k->text);
        k->len = base_realloc_array(k->len, f->cap, sizeof *k->len);
    }
    k->text[k->n] = ha_log_copy_event_data(ev);
    k->len[k->n++] = ev->len;
    f->asked--;
}

static void on_result(struct ha_log_follow *f, const struct ha_zk_event *ev, int64_t now_us)
{
    if (ev->code == HA_ZK_LOSS || ev->code == HA_ZK_EXPIRED) {
        f->connected = false;
        stop_requests_until(f, INT64_MAX);
    } else if (f->state == LISTING && ev->code == HA_ZK_OK) {
        on_segment_list(f, ev, now_us);
    } else if (f->state == READING && ev->code == HA_ZK_OK) {
        keep_segment(f, ev);
        if (now_us < f->list_due_us)
            request_next_segments(f);
        /* List again although there is more to read: otherwise, if the leader writes as fast as we
         * read, cleaned segments would be kept here for ever. */
        else if (f->asked == 0)
            request_segment_list(f, now_us);
    } else if (f->state == READING && ev->code == HA_ZK_NONODE &&
               f->kept.first + f->kept.n < f->end) {
        request_segment_list(f, now_us); /* the segment was cleaned after the listing */
    } else if (f->state == READING && ev->code == HA_ZK_NONODE) {
        f->all = true;
        stop_requests_until(f, now_us + HA_LOG_FOLLOW_POLL_US);
    } else {
        retry_list_later(f, now_us);
    }
}

void ha_log_follow_on_event(struct ha_log_follow *f, const struct ha_zk_event *ev, int64_t now_us)
{
    switch (ev->kind) {
    case HA_ZK_CONNECTED:
        f->connected = true;
        if (f->state != OFF)
            stop_requests_until(f, now_us + HA_LOG_FOLLOW_POLL_US);
        break;
    case HA_ZK_SESSION_OVER:
        forget_kept_segments(f);
        f->list_due_us = 0;
        /* fall through */
    case HA_ZK_DISCONNECTED:
        f->connected = false;
        if (f->state != OFF)
            stop_requests_until(f, INT64_MAX);
        break;
    case HA_ZK_RESULT:
        if (f->state != OFF && ev->owner == HA_ZK_FOR_FOLLOW && ev->id >= f->live_id)
            on_result(f, ev, now_us);
        break;
    case HA_ZK_WATCH:
        break;
    }
}

void ha_log_follow_run_timers(struct ha_log_follow *f, int64_t now_us)
{
    if (f->state != PAUSE || !f->connected || now_us < f->due_us)
        return;
    if (now_us >= f->list_due_us || f->end == 0)
        request_segment_list(f, now_us);
    else
        request_next_segments(f);
}

int64_t ha_log_follow_next_timer_us(const struct ha_log_follow *f)
{
    return f->state == PAUSE && f->connected ? f->due_us : INT64_MAX;
}
