/* ha/log/clean.c - reclaims the oldest segments. Their live entries are written again into the
 * segment under construction, and the multi that creates this segment also deletes the old ones.
 *
 * Liveness is decided when an entry is rewritten, not when its segment is read: a key written or
 * removed in between has its last place elsewhere. Removals in the oldest segments can be dropped,
 * because no older record remains and one multi deletes all of these segments. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ha/log/log_internal.h"

static bool needs_cleaning(const struct ha_log *l)
{
    const struct ha_log_index *x = &l->index;
    size_t needed = (size_t)x->live_bytes / (l->limits.segment_bytes - HA_LOG_HEAD_MAX) + 1;

    return x->bytes > 2 * x->live_bytes + l->limits.bytes_spare ||
           x->places_n > l->limits.segments_spare + 2 * needed;
}

/* Returns the number of oldest segments to reclaim now, all of them durable; 0: none can be
 * reclaimed. A large record is reclaimed as a whole, since without its first part the others are
 * unreadable. */
static size_t count_segments_to_clean(struct ha_log *l)
{
    struct ha_log_index *x = &l->index;
    size_t most = (size_t)(l->durable + 1 - x->first), n = 0, bytes = 0;

    for (; n < most && n < HA_LOG_CLEAN_MAX; n++) {
        const struct ha_log_place *p = ha_log_index_segment_place(x, x->first + n);
        if (p->items > 0)
            bytes += p->bytes;
        if (n > 0 && p->items > 0 && bytes > HA_LOG_CLEAN_BYTES)
            break;
    }
    if (n == 0 || !ha_log_index_segment_place(x, x->first + n - 1)->continues)
        return n;
    for (size_t k = n; k < most; k++)
        if (!ha_log_index_segment_place(x, x->first + k)->continues)
            return k + 1;
    while (n > 0 && ha_log_index_segment_place(x, x->first + n - 1)->continues)
        n--;
    return n;
}

void ha_log_stop_cleaning(struct ha_log *l)
{
    struct ha_log_job *j = &l->job;

    for (size_t i = 0; i < j->n; i++)
        base_buf_free(&j->read[i].text);
    free(j->read);
    *j = (struct ha_log_job){0};
}

/* Called for each record or removal in the segments to be reclaimed. If this is the last place of
 * its key, rewrites the record or drops the removal. */
static int rewrite_record_if_live(void *user, struct ha_log_found *f, struct base_error *err)
{
    struct ha_log *l = user;
    struct ha_log_item *it =
        ha_log_index_find_item(&l->index, f->table, f->table_len, f->key, f->key_len);
    const char *data;

    (void)err;
    if (!it || it->segment != f->segment || it->off != f->off)
        return 0;
    if (it->removed) {
        ha_log_index_remove(&l->index, it);
        return 0;
    }
    data = it->data;
    ha_log_append_record(l, f->table, f->table_len, f->key, f->key_len, f->data, f->len)->data =
        data;
    return 0;
}

/* After all records have been rewritten, the index must hold no entry of the old segments. If it
 * does, a segment lacked records that we wrote there. */
static int rewrite_live_records(struct ha_log *l, struct base_error *err)
{
    struct ha_log_job *j = &l->job;
    struct ha_log_reader r = {.found = rewrite_record_if_live, .user = l, .gaps = true};
    int rc = 0;

    for (size_t i = 0; i < j->n && rc >= 0; i++) {
        uint64_t number = j->from + i;
        const char *path = ha_log_segment_path(l, number);
        struct ha_log_segment s;
        bool continues;

        if (j->read[i].id == 0)
            continue;
        rc = ha_log_segment_parse(path, number, j->read[i].text.data, j->read[i].text.len, &s, err);
        if (rc >= 0)
            rc = ha_log_reader_read_segment(&r, path, &s, &continues, err);
    }
    ha_log_reader_free(&r);
    for (size_t i = 0; i < j->n && rc >= 0; i++)
        if (ha_log_index_segment_place(&l->index, j->from + i)->items > 0)
            rc = base_error_set(err, -BASE_ECORRUPT, "%s lacks records that were written there",
                                ha_log_segment_path(l, j->from + i));
    return rc;
}

static void finish_cleaning(struct ha_log *l)
{
    struct base_error err;
    int rc = rewrite_live_records(l, &err);

    if (rc >= 0) {
        struct ha_log_out *o = ha_log_get_or_open_segment(l);
        o->delete_from = l->job.from;
        o->delete_n = l->job.n;
        l->deleting = true;
    }
    ha_log_stop_cleaning(l);
    if (rc < 0)
        ha_log_enter_doubt(l, &err);
}

void ha_log_start_cleaning(struct ha_log *l)
{
    struct ha_log_job *j = &l->job;
    size_t n;

    if (j->n > 0 || l->deleting || l->batches == 0 || !needs_cleaning(l) ||
        (n = count_segments_to_clean(l)) == 0)
        return;
    j->from = l->index.first;
    j->n = n;
    j->read = base_alloc(n * sizeof *j->read);
    for (size_t i = 0; i < n; i++) {
        if (ha_log_index_segment_place(&l->index, j->from + i)->items == 0)
            continue;
        j->missing++;
        j->read[i].id = l->next_id;
        ha_log_send_request(l, HA_ZK_GET, ha_log_segment_path(l, j->from + i));
    }
    if (j->missing == 0)
        finish_cleaning(l);
}

bool ha_log_on_clean_result(struct ha_log *l, const struct ha_zk_event *ev)
{
    struct ha_log_job *j = &l->job;
    const char *path;
    struct base_error err;
    size_t i = 0;

    while (i < j->n && j->read[i].id != ev->id)
        i++;
    if (i == j->n)
        return false;
    path = ha_log_segment_path(l, j->from + i);
    if (ev->code == HA_ZK_NONODE) {
        base_error_set(&err, -BASE_ECORRUPT, "%s is gone, although only we may delete it", path);
        ha_log_enter_doubt(l, &err);
    } else if (ev->code != HA_ZK_OK) {
        ha_log_end_refused(l, "read", path, ev);
    } else {
        base_buf_add(&j->read[i].text, ev->data, ev->len);
        if (--j->missing == 0)
            finish_cleaning(l);
    }
    return true;
}
