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
    uint64_t end;                /* behind the last segment that was listed; 0: none was */
    int64_t due_us, list_due_us; /* PAUSE ends; the next list */
    uint64_t next_id, live_id;   /* answers to requests with ids below live_id are ignored */
    size_t asked;                /* READING: segments under way, the first of them is the one behind the last kept */
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

static void forget(struct ha_log_follow *f)
{
    ha_log_kept_free(&f->kept);
    f->cap = 0;
    f->end = 0;
    f->all = false;
}

static void pause_until(struct ha_log_follow *f, int64_t at_us)
{
    f->state = PAUSE;
    f->due_us = at_us;
    f->live_id = f->next_id;
    f->asked = 0;
}

/* There is nothing to follow; what is wrong with it is said when the log is loaded. */
static void list_again(struct ha_log_follow *f, int64_t now_us)
{
    pause_until(f, now_us + HA_LOG_FOLLOW_AGAIN_US);
    f->list_due_us = 0;
}

void ha_log_follow_begin(struct ha_log_follow *f, int64_t now_us)
{
    if (f->state != OFF)
        return;
    f->list_due_us = 0;
    pause_until(f, now_us + HA_LOG_FOLLOW_FIRST_US);
}

void ha_log_follow_take(struct ha_log_follow *f, struct ha_log_kept *out)
{
    *out = f->kept;
    f->kept = (struct ha_log_kept){0};
    forget(f);
    pause_until(f, INT64_MAX);
    f->state = OFF;
}

size_t ha_log_follow_segments(const struct ha_log_follow *f)
{
    return f->kept.n;
}

bool ha_log_follow_has_all(const struct ha_log_follow *f)
{
    return f->all;
}

static void ask(struct ha_log_follow *f, enum ha_zk_request_kind kind, const char *path)
{
    const struct ha_zk_request rq = {.owner = HA_ZK_FOR_FOLLOW, .id = f->next_id++, .kind = kind, .path = path};

    f->send(f->user, &rq);
}

static void list(struct ha_log_follow *f, int64_t now_us)
{
    f->state = LISTING;
    f->live_id = f->next_id;
    f->asked = 0;
    f->list_due_us = now_us + HA_LOG_FOLLOW_LIST_US;
    ask(f, HA_ZK_CHILDREN, f->log_path);
}

/* Behind the end of the list one at a time: it may not be there yet. */
static void read_on(struct ha_log_follow *f)
{
    uint64_t next = f->kept.first + f->kept.n;

    f->state = READING;
    while (f->asked < HA_LOG_FOLLOW_READS && (f->asked == 0 || next + f->asked < f->end)) {
        base_buf_clear(&f->path);
        base_buf_addf(&f->path, "%s/%010" PRIu64, f->log_path, next + f->asked);
        f->asked++;
        ask(f, HA_ZK_GET, f->path.data);
    }
}

/* Segments before @first were cleaned. */
static void trim(struct ha_log_follow *f, uint64_t first)
{
    struct ha_log_kept *k = &f->kept;
    size_t gone = first <= k->first ? 0 : first - k->first < k->n ? (size_t)(first - k->first) : k->n;

    for (size_t i = 0; i < gone; i++)
        free(k->text[i]);
    k->n -= gone;
    if (k->n > 0) {
        memmove(k->text, k->text + gone, k->n * sizeof *k->text);
        memmove(k->len, k->len + gone, k->n * sizeof *k->len);
    }
    k->first = k->n > 0 ? k->first + gone : first;
}

static void listed(struct ha_log_follow *f, const struct ha_zk_event *ev, int64_t now_us)
{
    uint64_t first = UINT64_MAX, last = 0;

    for (size_t i = 0; i < ev->children_n; i++) {
        uint64_t v = ha_log_number_of(ev->children[i]);

        first = v < first ? v : first; /* a name that is none gives 0: the log will say so when it is loaded */
        last = v > last ? v : last;
    }
    if (ev->created_zxid != f->kept.log_zxid || first < f->kept.first || last + 1 < f->kept.first + f->kept.n)
        forget(f);
    f->kept.log_zxid = ev->created_zxid;
    if (ev->children_n == 0 || first == 0) {
        list_again(f, now_us);
        return;
    }
    trim(f, first);
    f->end = last + 1;
    read_on(f);
}

static void keep(struct ha_log_follow *f, const struct ha_zk_event *ev)
{
    struct ha_log_kept *k = &f->kept;

    if (k->n == f->cap) {
        f->cap = f->cap ? f->cap * 2 : 64;
        k->text = base_realloc_array(k->text, f->cap, sizeof *k->text);
        k->len = base_realloc_array(k->len, f->cap, sizeof *k->len);
    }
    k->text[k->n] = ha_log_text_copy(ev);
    k->len[k->n++] = ev->len;
    f->asked--;
}

static void result(struct ha_log_follow *f, const struct ha_zk_event *ev, int64_t now_us)
{
    if (ev->code == HA_ZK_LOSS || ev->code == HA_ZK_EXPIRED) {
        f->connected = false;
        pause_until(f, INT64_MAX);
    } else if (f->state == LISTING && ev->code == HA_ZK_OK) {
        listed(f, ev, now_us);
    } else if (f->state == READING && ev->code == HA_ZK_OK) {
        keep(f, ev);
        if (now_us < f->list_due_us)
            read_on(f);
        else if (f->asked == 0) /* a leader that writes as fast as we read: what was cleaned goes nevertheless */
            list(f, now_us);
    } else if (f->state == READING && ev->code == HA_ZK_NONODE && f->kept.first + f->kept.n < f->end) {
        list(f, now_us); /* it was cleaned */
    } else if (f->state == READING && ev->code == HA_ZK_NONODE) {
        f->all = true;
        pause_until(f, now_us + HA_LOG_FOLLOW_POLL_US);
    } else {
        list_again(f, now_us);
    }
}

void ha_log_follow_on(struct ha_log_follow *f, const struct ha_zk_event *ev, int64_t now_us)
{
    switch (ev->kind) {
    case HA_ZK_CONNECTED:
        f->connected = true;
        if (f->state != OFF)
            pause_until(f, now_us + HA_LOG_FOLLOW_POLL_US);
        break;
    case HA_ZK_SESSION_OVER:
        forget(f);
        f->list_due_us = 0;
        /* fall through */
    case HA_ZK_DISCONNECTED:
        f->connected = false;
        if (f->state != OFF)
            pause_until(f, INT64_MAX);
        break;
    case HA_ZK_RESULT:
        if (f->state != OFF && ev->owner == HA_ZK_FOR_FOLLOW && ev->id >= f->live_id)
            result(f, ev, now_us);
        break;
    case HA_ZK_WATCH:
        break;
    }
}

void ha_log_follow_tick(struct ha_log_follow *f, int64_t now_us)
{
    if (f->state != PAUSE || !f->connected || now_us < f->due_us)
        return;
    if (now_us >= f->list_due_us || f->end == 0)
        list(f, now_us);
    else
        read_on(f);
}

int64_t ha_log_follow_next_us(const struct ha_log_follow *f)
{
    return f->state == PAUSE && f->connected ? f->due_us : INT64_MAX;
}
