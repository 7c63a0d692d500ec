#include "ha/log/log_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ha_log *ha_log_new(const char *root, int64_t epoch, int32_t epoch_version,
                          const struct ha_log_calls *calls)
{
    struct ha_log *l = base_alloc(sizeof *l);

    base_assert(epoch >= 0);
    l->calls = *calls;
    l->limits = HA_LOG_LIMITS;
    l->root = base_strdup(root);
    l->epoch_path = base_printf("%s/epoch", root);
    l->log_path = base_printf("%s/log", root);
    l->epoch = epoch;
    l->epoch_version = epoch_version;
    l->connected = true;
    l->next_id = l->live_id = 1;
    return l;
}

static void free_outgoing_segments(struct ha_log_out *o)
{
    while (o) {
        struct ha_log_out *next = o->next;
        base_buf_free(&o->buf);
        free(o);
        o = next;
    }
}

void ha_log_free(struct ha_log *l)
{
    if (!l)
        return;
    ha_log_free_load_state(l);
    ha_log_stop_cleaning(l);
    ha_log_index_free(&l->index);
    free_outgoing_segments(l->front);
    free_outgoing_segments(l->spare);
    base_buf_free(&l->path);
    free(l->ops);
    free(l->paths);
    free(l->root);
    free(l->epoch_path);
    free(l->log_path);
    free(l);
}

void ha_log_set_limits(struct ha_log *l, const struct ha_log_limits *limits)
{
    base_assert(l->state == HA_LOG_NEW && limits->segment_bytes <= HA_LOG_SEGMENT_MAX &&
                limits->segment_bytes >= 2 * HA_LOG_HEAD_MAX);
    l->limits = *limits;
}

void ha_log_get_stats(const struct ha_log *l, struct ha_log_stats *out)
{
    *out = l->stats;
    out->segments = (int64_t)l->index.places_n;
    out->live_records = l->index.live_records;
    out->live_bytes = l->index.live_bytes;
}

const char *ha_log_segment_path(struct ha_log *l, uint64_t number)
{
    base_buf_clear(&l->path);
    base_buf_addf(&l->path, "%s/%010" PRIu64, l->log_path, number);
    return l->path.data;
}

uint64_t ha_log_send_request(struct ha_log *l, enum ha_zk_request_kind kind, const char *path)
{
    const struct ha_zk_request rq = {
        .owner = HA_ZK_FOR_LOG, .id = l->next_id++, .kind = kind, .path = path};

    l->calls.send(l->calls.user, &rq);
    return rq.id;
}

uint64_t ha_log_send_multi(struct ha_log *l, const struct ha_zk_op *ops, size_t n)
{
    const struct ha_zk_request rq = {
        .owner = HA_ZK_FOR_LOG, .id = l->next_id++, .kind = HA_ZK_MULTI, .ops = ops, .ops_n = n};

    l->calls.send(l->calls.user, &rq);
    return rq.id;
}

struct ha_zk_op ha_log_epoch_check_op(const struct ha_log *l)
{
    return (struct ha_zk_op){
        .kind = HA_ZK_CHECK, .path = l->epoch_path, .version = l->epoch_version};
}

bool ha_log_is_epoch_mismatch(const struct ha_zk_event *ev)
{
    return ev->code == HA_ZK_BADVERSION && ev->failed_op == 0;
}

/* How the log ends. */

static void end_log_and_fail_load(struct ha_log *l, const struct base_error *err)
{
    bool loading = l->loading;

    l->state = HA_LOG_OVER;
    l->loading = false;
    ha_log_stop_cleaning(l);
    if (loading)
        l->calls.loaded(l->calls.user, err->code, err);
}

void ha_log_end_fenced(struct ha_log *l)
{
    struct base_error err;

    l->state = HA_LOG_OVER;
    base_error_set(&err, -BASE_EVERSION,
                   "%s has another version than %" PRId32 ": epoch %" PRId64 " is over",
                   l->epoch_path, l->epoch_version, l->epoch);
    l->calls.fenced(l->calls.user, err.text);
    end_log_and_fail_load(l, &err);
}

void ha_log_end_broken(struct ha_log *l, const struct base_error *err)
{
    l->state = HA_LOG_OVER;
    if (!l->loading)
        l->calls.broken(l->calls.user, err);
    end_log_and_fail_load(l, err);
}

/* Sends a multi that only checks the epoch, and sets *id to the id of the request. */
static void request_epoch_check(struct ha_log *l, uint64_t *id)
{
    const struct ha_zk_op check = ha_log_epoch_check_op(l);

    *id = l->next_id;
    ha_log_send_multi(l, &check, 1);
}

void ha_log_enter_doubt(struct ha_log *l, const struct base_error *err)
{
    l->doubt = *err;
    l->state = HA_LOG_DOUBT;
    if (l->connected)
        request_epoch_check(l, &l->doubt_id);
}

static void on_epoch_check(struct ha_log *l, const struct ha_zk_event *ev)
{
    if (ev->id != l->doubt_id)
        return;
    if (ha_log_is_epoch_mismatch(ev))
        ha_log_end_fenced(l);
    else
        ha_log_end_broken(l, &l->doubt);
}

static const char *error_text_of(const struct ha_zk_event *ev)
{
    return ev->text ? ev->text : "no reason given";
}

void ha_log_end_refused(struct ha_log *l, const char *what, const char *path,
                        const struct ha_zk_event *ev)
{
    struct base_error err;
    int code = ev->code == HA_ZK_NOAUTH   ? -BASE_EPERM
               : ev->code == HA_ZK_FAILED ? -BASE_EIO
                                          : -BASE_ECORRUPT;

    base_error_set(&err, code, "%s: cannot be %s: %s", path, what, error_text_of(ev));
    ha_log_end_broken(l, &err);
}

/* Building segments. */

struct ha_log_out *ha_log_get_or_open_segment(struct ha_log *l)
{
    static const char none[HA_LOG_HEAD_MAX];
    struct ha_log_out *o = l->back;

    if (o && o->state == HA_LOG_BUILDING)
        return o;
    if (l->spare) {
        o = l->spare;
        l->spare = NULL;
    } else {
        o = base_alloc(sizeof *o);
    }
    *o = (struct ha_log_out){.number = l->next_number++, .buf = o->buf};
    base_buf_clear(&o->buf);
    base_buf_add(&o->buf, none, sizeof none);
    ha_log_index_add_segment(&l->index, o->number);
    if (l->back)
        l->back->next = o;
    else
        l->front = o;
    l->back = o;
    if (!l->unsent)
        l->unsent = o;
    return o;
}

static void seal_segment(struct ha_log *l, struct ha_log_out *o)
{
    const struct ha_log_segment s = {l->epoch, o->number, o->buf.data + HA_LOG_HEAD_MAX,
                                     o->buf.len - HA_LOG_HEAD_MAX};

    o->start = (size_t)(ha_log_segment_write_header(&s) - o->buf.data);
    o->state = HA_LOG_SEALED;
    ha_log_index_set_segment_size(&l->index, o->number, (uint32_t)(o->buf.len - o->start));
}

/* Appends one entry; starts a new segment if the entry does not fit. Returns the entry's segment. A
 * part always starts a new segment, because parts must be the first entries of consecutive
 * segments. */
static struct ha_log_out *append_entry(struct ha_log *l, const struct ha_log_entry *e,
                                       uint32_t *off)
{
    size_t need = ha_log_entry_encoded_size(e);
    struct ha_log_out *o = ha_log_get_or_open_segment(l);

    if (o->buf.len > HA_LOG_HEAD_MAX &&
        (e->kind == HA_LOG_PART || need > l->limits.segment_bytes - o->buf.len)) {
        seal_segment(l, o);
        o = ha_log_get_or_open_segment(l);
    }
    *off = (uint32_t)(o->buf.len - HA_LOG_HEAD_MAX);
    base_buf_reserve(&o->buf, need);
    o->buf.len = (size_t)(ha_log_entry_encode(o->buf.data + o->buf.len, e) - o->buf.data);
    return o;
}

/* Appends a large record. Its parts fill segments except for the last one. Sets *@parts to the
 * number of parts, and returns the number of the first segment. */
static uint64_t append_record_parts(struct ha_log *l, const struct ha_log_entry *whole,
                                    uint32_t *parts)
{
    struct ha_log_entry e = *whole;
    size_t most, left = whole->len;
    uint64_t first = 0;
    uint32_t off;

    e.kind = HA_LOG_PART;
    e.total = whole->len;
    e.part = e.parts = UINT16_MAX;
    e.len = 0;
    /* 4 bytes more, since the varint of the real len can be longer than that of 0 */
    most = l->limits.segment_bytes - HA_LOG_HEAD_MAX - ha_log_entry_encoded_size(&e) - 4;
    base_assert(most <= l->limits.segment_bytes && left / most < UINT16_MAX);
    e.parts = (uint32_t)((left + most - 1) / most);
    for (e.part = 0; e.part < e.parts; e.part++, e.data += e.len, left -= e.len) {
        struct ha_log_out *o;
        e.len = left < most ? left : most;
        o = append_entry(l, &e, &off);
        if (e.part == 0)
            first = o->number;
        if (e.part + 1 < e.parts) {
            ha_log_index_segment_place(&l->index, o->number)->continues = true;
            seal_segment(l, o);
        }
    }
    *parts = e.parts;
    return first;
}

struct ha_log_item *ha_log_append_record(struct ha_log *l, const char *table, size_t table_len,
                                         const char *key, size_t key_len, const char *data,
                                         size_t len)
{
    const struct ha_log_entry e = {.kind = data ? HA_LOG_UPSERT : HA_LOG_REMOVAL,
                                   .table = table,
                                   .key = key,
                                   .data = data,
                                   .table_len = table_len,
                                   .key_len = key_len,
                                   .len = len};
    uint32_t parts = 1, off = 0;
    uint64_t number;

    base_assert(table_len <= HA_LOG_NAME_MAX && key_len <= HA_LOG_NAME_MAX &&
                len <= HA_LOG_RECORD_MAX);
    if (ha_log_entry_encoded_size(&e) > l->limits.segment_bytes - HA_LOG_HEAD_MAX)
        number = append_record_parts(l, &e, &parts);
    else
        number = append_entry(l, &e, &off)->number;
    l->back->records++;
    return ha_log_index_set_place(&l->index, table, table_len, key, key_len, number, off, parts,
                                  !data, (uint32_t)len);
}

/* Copies the data of @r for ha_log_for_each_record(). The log owns the copy and frees it with the
 * loaded data. */
static const char *copy_data_into_log(struct ha_log *l, const struct ha_record *r)
{
    char *copy = base_realloc_array(NULL, r->len + 1, 1);

    memcpy(copy, r->data, r->len);
    copy[r->len] = '\0';
    base_array_grow(&l->copies, l->copies_n, &l->copies_cap);
    l->copies[l->copies_n++] = copy;
    return copy;
}

uint64_t ha_log_write_batch(struct ha_log *l, const struct ha_record *v, size_t n)
{
    uint64_t batch = ++l->batches;

    if (l->state == HA_LOG_OVER)
        return batch;
    base_assert(l->state != HA_LOG_NEW && !l->loading);
    for (size_t i = 0; i < n; i++) {
        size_t table_len = strlen(v[i].table), key_len = strlen(v[i].key);
        struct ha_log_item *it;

        if (!v[i].data) {
            it = ha_log_index_find_item(&l->index, v[i].table, table_len, v[i].key, key_len);
            if (!it || it->removed)
                continue; /* the log has no record of this key */
        }
        it = ha_log_append_record(l, v[i].table, table_len, v[i].key, key_len, v[i].data,
                                  v[i].data ? v[i].len : 0);
        if (l->loaded && v[i].data)
            it->data = copy_data_into_log(l, &v[i]);
    }
    /* Even an empty batch needs a segment: writing it proves that we are still the leader. */
    ha_log_get_or_open_segment(l)->batch = batch;
    ha_log_send_ready_segments(l);
    return batch;
}

/* Sending segments. */

static char *write_segment_path(struct ha_log *l, size_t at, uint64_t number)
{
    size_t cap = strlen(l->log_path) + 22; /* '/', at most 20 digits, NUL */

    snprintf(l->paths + at * cap, cap, "%s/%010" PRIu64, l->log_path, number);
    return l->paths + at * cap;
}

enum { OP_EPOCH, OP_BEFORE, OP_CREATE, OP_DELETE }; /* positions in a segment's multi */

/* The operation that makes sure a segment follows its predecessor: the previous segment must exist
 * with version 0, since segments are never modified. The first segment sets <root>/log instead,
 * which raises its version, so a delayed copy of the request fails even if the first segment has
 * been cleaned meanwhile. */
static struct ha_zk_op predecessor_check_op(struct ha_log *l, const struct ha_log_out *o)
{
    if (o->number > 1)
        return (struct ha_zk_op){.kind = HA_ZK_CHECK,
                                 .path = write_segment_path(l, OP_BEFORE, o->number - 1)};
    return (struct ha_zk_op){.kind = HA_ZK_SET, .path = l->log_path, .data = ""};
}

static void send_segment(struct ha_log *l, struct ha_log_out *o)
{
    size_t n = OP_DELETE, most = OP_DELETE + o->delete_n;

    if (most > l->ops_cap) {
        l->ops_cap = most;
        l->ops = base_realloc_array(l->ops, most, sizeof *l->ops);
        l->paths = base_realloc_array(l->paths, most, strlen(l->log_path) + 22);
    }
    l->ops[OP_EPOCH] = ha_log_epoch_check_op(l);
    l->ops[OP_BEFORE] = predecessor_check_op(l, o);
    l->ops[OP_CREATE] = (struct ha_zk_op){.kind = HA_ZK_CREATE,
                                          .path = write_segment_path(l, OP_CREATE, o->number),
                                          .data = o->buf.data + o->start,
                                          .len = o->buf.len - o->start,
                                          .version = -1};
    for (size_t i = 0; i < o->delete_n; i++, n++)
        l->ops[n] = (struct ha_zk_op){.kind = HA_ZK_DELETE,
                                      .path = write_segment_path(l, n, o->delete_from + i),
                                      .version = -1};
    o->state = HA_LOG_SENT;
    o->id = l->next_id;
    l->under_way++;
    l->unsent = o->next;
    l->stats.multis++;
    ha_log_send_multi(l, l->ops, n);
}

/* A segment under construction is sent only when nothing is under way. Until then it collects
 * further batches (group commit), so busy times need fewer multis. */
void ha_log_send_ready_segments(struct ha_log *l)
{
    if (l->state != HA_LOG_READY || !l->connected || l->recovery != HA_LOG_NOT_LOST)
        return;
    ha_log_start_cleaning(l);
    while (l->state == HA_LOG_READY && l->unsent && l->under_way < HA_LOG_WINDOW) {
        struct ha_log_out *o = l->unsent;
        if (o->state == HA_LOG_BUILDING) {
            if (l->under_way > 0)
                break; /* collect more records until the segments under way are answered */
            seal_segment(l, o);
        }
        send_segment(l, o);
    }
}

static void acknowledge_segment(struct ha_log *l, struct ha_log_out *o)
{
    l->durable = o->number;
    l->stats.records += o->records;
    l->stats.bytes += (int64_t)(o->buf.len - o->start);
    for (size_t i = 0; i < o->delete_n; i++)
        ha_log_index_drop_first_segment(&l->index);
    l->stats.cleaned += (int64_t)o->delete_n;
    if (o->delete_n > 0)
        l->deleting = false;
    if (o->batch > 0) {
        l->stats.batches += (int64_t)(o->batch - l->acked);
        l->acked = o->batch;
    }
}

/* Acknowledges finished segments at the front, in order. */
static void acknowledge_done_segments(struct ha_log *l)
{
    while (l->front && l->front->state == HA_LOG_DONE) {
        struct ha_log_out *o = l->front;

        acknowledge_segment(l, o);
        l->under_way--;
        l->front = o->next;
        if (l->back == o)
            l->back = NULL;
        o->next = NULL;
        free_outgoing_segments(l->spare);
        l->spare = o;
    }
}

/* Recovery finds out what became of the segments that were under way when the connection was lost.
 * The epoch is checked first, by a multi: a multi goes through ZooKeeper's leader, so the server
 * that answers it has seen all of our writes. A segment that was written in time must not be
 * acknowledged once another leader has begun a new epoch: that leader has read the segment, and may
 * have given up the containers that the segment lets us start. Then one segment after the other is
 * read back until one is missing; the missing segment and all later ones are sent again. */

static void start_recovery_of_unanswered_writes(struct ha_log *l)
{
    l->recovery = HA_LOG_CHECKING_EPOCH;
    request_epoch_check(l, &l->recovery_id);
}

static void read_back_next_segment(struct ha_log *l)
{
    acknowledge_done_segments(l);
    if (l->under_way == 0) {
        l->recovery = HA_LOG_NOT_LOST;
        return;
    }
    l->recovery = HA_LOG_READING_BACK;
    l->recovery_id = l->next_id;
    l->stats.read_back++;
    ha_log_send_request(l, HA_ZK_GET, ha_log_segment_path(l, l->front->number));
}

/* Marks all unanswered segments to be sent again. */
static void resend_unanswered_segments(struct ha_log *l)
{
    for (struct ha_log_out *o = l->front; o != l->unsent; o = o->next)
        o->state = HA_LOG_SEALED;
    l->unsent = l->front;
    l->under_way = 0;
    l->recovery = HA_LOG_NOT_LOST;
}

/* Compares the node's data in @ev with what we wrote for segment @o. Returns true when they are
 * equal; otherwise the log enters doubt. */
static bool verify_segment_is_ours(struct ha_log *l, const struct ha_log_out *o,
                                   const struct ha_zk_event *ev)
{
    struct base_error err;

    if (ev->len == o->buf.len - o->start && memcmp(ev->data, o->buf.data + o->start, ev->len) == 0)
        return true;
    base_error_set(&err, -BASE_ECORRUPT, "%s holds other bytes than epoch %" PRId64 " wrote there",
                   ha_log_segment_path(l, o->number), l->epoch);
    ha_log_enter_doubt(l, &err);
    return false;
}

static void on_recovery_result(struct ha_log *l, const struct ha_zk_event *ev)
{
    if (l->recovery == HA_LOG_CHECKING_EPOCH) {
        if (ev->code == HA_ZK_OK)
            read_back_next_segment(l);
        else if (ha_log_is_epoch_mismatch(ev))
            ha_log_end_fenced(l);
        else
            ha_log_end_refused(l, "checked", l->epoch_path, ev);
        return;
    }
    if (ev->code == HA_ZK_NONODE) {
        resend_unanswered_segments(l);
    } else if (ev->code != HA_ZK_OK) {
        ha_log_end_refused(l, "read back", ha_log_segment_path(l, l->front->number), ev);
    } else if (verify_segment_is_ours(l, l->front, ev)) {
        l->front->state = HA_LOG_DONE;
        read_back_next_segment(l);
    }
}

/* Results of requests. */

/* Requests the node of segment @o, to see whether an earlier copy of our multi has created it. */
static void request_segment_comparison(struct ha_log *l, struct ha_log_out *o)
{
    o->state = HA_LOG_COMPARING;
    o->id = l->next_id;
    l->stats.read_back++;
    ha_log_send_request(l, HA_ZK_GET, ha_log_segment_path(l, o->number));
}

/* Acts on the answer to request_segment_comparison(): the segment exists, from our own delayed
 * write or from another writer, or is missing, so the log is not as we left it. */
static void on_segment_comparison(struct ha_log *l, struct ha_log_out *o,
                                  const struct ha_zk_event *ev)
{
    struct base_error err;

    if (ev->code == HA_ZK_OK) {
        if (verify_segment_is_ours(l, o, ev))
            o->state = HA_LOG_DONE;
    } else if (ev->code == HA_ZK_NONODE) {
        base_error_set(
            &err, -BASE_ECORRUPT, "%s is not as it was left: %010" PRIu64 " cannot follow it",
            o->number > 1 ? ha_log_segment_path(l, o->number - 1) : l->log_path, o->number);
        ha_log_enter_doubt(l, &err);
    } else {
        ha_log_end_refused(l, "read back", ha_log_segment_path(l, o->number), ev);
    }
}

/* A failed multi names its first failed operation. The order of the checks makes this conclusive:
 * first our authority, then the predecessor, then the segment itself. */
static void on_multi_failure(struct ha_log *l, struct ha_log_out *o, const struct ha_zk_event *ev)
{
    int op = ev->failed_op;

    if (ha_log_is_epoch_mismatch(ev))
        ha_log_end_fenced(l);
    else if (op == OP_EPOCH)
        ha_log_end_refused(l, "checked", l->epoch_path, ev);
    else if (op == OP_BEFORE && o != l->front)
        /* the preceding segment was not created; the result of its own multi contains the reason */
        o->state = HA_LOG_UNKNOWN;
    else if (op == OP_BEFORE || (op == OP_CREATE && ev->code == HA_ZK_NODEEXISTS))
        /* an earlier copy of this multi may have succeeded and deleted the preceding segment */
        request_segment_comparison(l, o);
    else if (op >= OP_DELETE)
        ha_log_end_refused(l, "deleted",
                           ha_log_segment_path(l, o->delete_from + (uint64_t)(op - OP_DELETE)), ev);
    else
        ha_log_end_refused(l, "written", ha_log_segment_path(l, o->number), ev);
}

static void on_segment_result(struct ha_log *l, const struct ha_zk_event *ev)
{
    struct ha_log_out *o = l->front;

    for (; o != l->unsent && o->id != ev->id; o = o->next)
        ;
    if (o == l->unsent)
        return;
    if (o->state == HA_LOG_COMPARING)
        on_segment_comparison(l, o, ev);
    else if (ev->code == HA_ZK_OK)
        o->state = HA_LOG_DONE;
    else
        on_multi_failure(l, o, ev);
    if (l->state != HA_LOG_READY)
        return;
    acknowledge_done_segments(l);
    if (l->front && l->front->state == HA_LOG_UNKNOWN && l->recovery == HA_LOG_NOT_LOST)
        start_recovery_of_unanswered_writes(l);
}

static void on_result_when_ready(struct ha_log *l, const struct ha_zk_event *ev)
{
    uint64_t before = l->acked;

    if (l->recovery != HA_LOG_NOT_LOST && ev->id == l->recovery_id)
        on_recovery_result(l, ev);
    else if (!ha_log_on_clean_result(l, ev))
        on_segment_result(l, ev);
    ha_log_send_ready_segments(l);
    if (l->acked > before)
        l->calls.written(l->calls.user, l->acked); /* called last, since the callback may write */
}

static void mark_connected_and_resume(struct ha_log *l)
{
    l->connected = true;
    l->live_id = l->next_id;
    if (l->state == HA_LOG_DOUBT)
        request_epoch_check(l, &l->doubt_id);
    if (l->state == HA_LOG_LOADING)
        ha_log_resume_loading(l);
    if (l->state != HA_LOG_READY)
        return;
    ha_log_stop_cleaning(l);
    if (l->under_way > 0)
        start_recovery_of_unanswered_writes(l);
    ha_log_send_ready_segments(l);
}

static void dispatch_result(struct ha_log *l, const struct ha_zk_event *ev)
{
    if (ev->owner != HA_ZK_FOR_LOG || ev->id < l->live_id)
        return;
    if (ev->code == HA_ZK_LOSS || ev->code == HA_ZK_EXPIRED)
        l->connected = false; /* recovery finds out the outcome after reconnecting */
    else if (l->state == HA_LOG_LOADING)
        ha_log_on_load_result(l, ev);
    else if (l->state == HA_LOG_DOUBT)
        on_epoch_check(l, ev);
    else if (l->state == HA_LOG_READY)
        on_result_when_ready(l, ev);
}

void ha_log_on_event(struct ha_log *l, const struct ha_zk_event *ev)
{
    switch (ev->kind) {
    case HA_ZK_CONNECTED:
        mark_connected_and_resume(l);
        break;
    case HA_ZK_DISCONNECTED:
    case HA_ZK_SESSION_OVER:
        l->connected = false;
        break;
    case HA_ZK_RESULT:
        dispatch_result(l, ev);
        break;
    case HA_ZK_WATCH:
        break;
    }
}
