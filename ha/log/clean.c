/* ha/log/clean.c - the oldest segments are read, what is live in them is written again, and the segment that holds
 * the last of it deletes them. What is live is decided when it is written again, not when it is read: a key that was
 * written or removed meanwhile has its last place elsewhere. Removals in them are forgotten: nothing older is left, and
 * all are deleted by one multi. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ha/log/log_internal.h"

static bool is_time(const struct ha_log *l)
{
    const struct ha_log_index *x = &l->index;
    size_t needed = (size_t)x->live_bytes / (l->limits.segment_bytes - HA_LOG_HEAD_MAX) + 1;

    return x->bytes > 2 * x->live_bytes + l->limits.bytes_spare || x->places_n > l->limits.segments_spare + 2 * needed;
}

/* How many of the oldest segments, all of them durable, go this time; 0: none can. A large record goes as a whole. */
static size_t range(struct ha_log *l)
{
    struct ha_log_index *x = &l->index;
    size_t most = (size_t)(l->durable + 1 - x->first), n = 0, bytes = 0;

    for (; n < most && n < HA_LOG_CLEAN_MAX; n++) {
        const struct ha_log_place *p = ha_log_index_segment(x, x->first + n);
        if (p->items > 0)
            bytes += p->bytes;
        if (n > 0 && p->items > 0 && bytes > HA_LOG_CLEAN_BYTES)
            break;
    }
    if (n == 0 || !ha_log_index_segment(x, x->first + n - 1)->continues)
        return n;
    for (size_t k = n; k < most; k++)
        if (!ha_log_index_segment(x, x->first + k)->continues)
            return k + 1;
    while (n > 0 && ha_log_index_segment(x, x->first + n - 1)->continues)
        n--;
    return n;
}

void ha_log_clean_stop(struct ha_log *l)
{
    struct ha_log_job *j = &l->job;

    for (size_t i = 0; i < j->n; i++)
        base_buf_free(&j->read[i].text);
    free(j->read);
    *j = (struct ha_log_job){0};
}

/* One record or removal of a segment that goes. */
static int found(void *user, struct ha_log_found *f, struct base_error *err)
{
    struct ha_log *l = user;
    struct ha_log_item *it = ha_log_index_find(&l->index, f->table, f->table_len, f->key, f->key_len);
    const char *data;

    (void)err;
    if (!it || it->segment != f->segment || it->off != f->off)
        return 0;
    if (it->removed) {
        ha_log_index_drop(&l->index, it);
        return 0;
    }
    data = it->data;
    ha_log_put(l, f->table, f->table_len, f->key, f->key_len, f->data, f->len)->data = data;
    return 0;
}

static int rewrite(struct ha_log *l, struct base_error *err)
{
    struct ha_log_job *j = &l->job;
    struct ha_log_reader r = {.found = found, .user = l, .gaps = true};
    int rc = 0;

    for (size_t i = 0; i < j->n && rc >= 0; i++) {
        uint64_t number = j->from + i;
        const char *path = ha_log_path(l, number);
        struct ha_log_segment s;
        bool continues;

        if (j->read[i].id == 0)
            continue;
        rc = ha_log_segment_parse(path, number, j->read[i].text.data, j->read[i].text.len, &s, err);
        if (rc >= 0)
            rc = ha_log_reader_feed(&r, path, &s, &continues, err);
    }
    ha_log_reader_end(&r);
    for (size_t i = 0; i < j->n && rc >= 0; i++)
        if (ha_log_index_segment(&l->index, j->from + i)->items > 0)
            rc = base_error_set(err, -BASE_ECORRUPT, "%s lacks records that were written there",
                                ha_log_path(l, j->from + i));
    return rc;
}

static void finish(struct ha_log *l)
{
    struct base_error err;
    int rc = rewrite(l, &err);

    if (rc >= 0) {
        struct ha_log_out *o = ha_log_building(l);
        o->delete_from = l->job.from;
        o->delete_n = l->job.n;
        l->deleting = true;
    }
    ha_log_clean_stop(l);
    if (rc < 0)
        ha_log_doubt(l, &err);
}

void ha_log_clean_start(struct ha_log *l)
{
    struct ha_log_job *j = &l->job;
    size_t n;

    if (j->n > 0 || l->deleting || l->batches == 0 || !is_time(l) || (n = range(l)) == 0)
        return;
    j->from = l->index.first;
    j->n = n;
    j->read = base_alloc(n * sizeof *j->read);
    for (size_t i = 0; i < n; i++) {
        if (ha_log_index_segment(&l->index, j->from + i)->items == 0)
            continue;
        j->missing++;
        j->read[i].id = l->next_id;
        ha_log_ask(l, HA_ZK_GET, ha_log_path(l, j->from + i));
    }
    if (j->missing == 0)
        finish(l);
}

bool ha_log_clean_on(struct ha_log *l, const struct ha_zk_event *ev)
{
    struct ha_log_job *j = &l->job;
    const char *path;
    struct base_error err;
    size_t i = 0;

    while (i < j->n && j->read[i].id != ev->id)
        i++;
    if (i == j->n)
        return false;
    path = ha_log_path(l, j->from + i);
    if (ev->code == HA_ZK_NONODE) {
        base_error_set(&err, -BASE_ECORRUPT, "%s is gone, nobody but us may delete it", path);
        ha_log_doubt(l, &err);
    } else if (ev->code != HA_ZK_OK) {
        ha_log_refused(l, "read", path, ev);
    } else {
        base_buf_add(&j->read[i].text, ev->data, ev->len);
        if (--j->missing == 0)
            finish(l);
    }
    return true;
}
