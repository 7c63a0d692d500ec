/* ha/log/load.c - reads the log at the start of a leadership: lists the segments, requests many of
 * them at once, and builds the index. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ha/log/log_internal.h"

static void request_segment_list(struct ha_log *l)
{
    l->load.list_id = l->next_id;
    ha_log_send_request(l, HA_ZK_CHILDREN, l->log_path);
}

static void finish_loading(struct ha_log *l)
{
    ha_log_reader_free(&l->load.reader);
    l->durable = l->next_number = l->index.places_n ? l->index.first + l->index.places_n : 1;
    l->durable--;
    l->loaded = true;
    l->loading = false;
    l->state = HA_LOG_READY;
    l->calls.loaded(l->calls.user, 0, NULL);
}

static void request_more_segments(struct ha_log *l)
{
    struct ha_log_load *d = &l->load;

    for (; d->asked < d->n && d->asked - d->done < HA_LOG_READS_MAX; d->asked++)
        ha_log_send_request(l, HA_ZK_GET, ha_log_segment_path(l, l->index.first + d->asked));
}

static void request_remaining_segments(struct ha_log *l)
{
    struct ha_log_load *d = &l->load;

    d->asked = d->asked_from = d->done;
    d->first_id = l->next_id;
    request_more_segments(l);
}

/* Enters one record or removal into the index. */
static int index_record(void *user, struct ha_log_found *f, struct base_error *err)
{
    struct ha_log *l = user;
    struct ha_log_item *it;

    if (f->table_len > HA_LOG_NAME_MAX || f->key_len > HA_LOG_NAME_MAX ||
        f->len > HA_LOG_RECORD_MAX)
        return base_error_set(err, -BASE_ECORRUPT, "a record of %zu bytes, its key has %zu", f->len,
                              f->key_len);
    if (l->index.tables_n == HA_LOG_TABLES_MAX &&
        ha_log_index_find_table(&l->index, f->table, f->table_len) < 0)
        return base_error_set(err, -BASE_ECORRUPT,
                              "%s: table %.40s is one more than the %d that there can be",
                              ha_log_segment_path(l, f->segment), f->table, HA_LOG_TABLES_MAX);
    it = ha_log_index_set_place(&l->index, f->table, f->table_len, f->key, f->key_len, f->segment,
                                f->off, f->parts, !f->data, (uint32_t)f->len);
    it->data = f->data;
    if (f->whole) {
        base_array_grow(&l->copies, l->copies_n, &l->copies_cap);
        l->copies[l->copies_n++] = f->whole;
        f->whole = NULL;
    }
    return 0;
}

/* Epochs never decrease along the log, and no epoch may exceed ours: otherwise another leader has
 * been elected, or the log was tampered with. */
static int index_segment(struct ha_log *l, size_t i, struct base_error *err)
{
    uint64_t number = l->index.first + i;
    const char *path = ha_log_segment_path(l, number);
    struct ha_log_segment s;
    bool continues;
    int rc = ha_log_segment_parse(path, number, l->load.text[i], l->load.len[i], &s, err);

    if (rc < 0)
        return rc;
    if (s.epoch < l->load.epoch || s.epoch > l->epoch)
        return base_error_set(err, -BASE_ECORRUPT,
                              "%s: of epoch %" PRId64 ", expected %" PRId64
                              " (the segment before) to %" PRId64 " (ours)",
                              path, s.epoch, l->load.epoch, l->epoch);
    l->load.epoch = s.epoch;
    ha_log_index_set_segment_size(&l->index, number, (uint32_t)l->load.len[i]);
    rc = ha_log_reader_read_segment(&l->load.reader, path, &s, &continues, err);
    if (rc >= 0)
        ha_log_index_segment_place(&l->index, number)->continues = continues;
    return rc;
}

char *ha_log_copy_event_data(const struct ha_zk_event *ev)
{
    char *copy = base_realloc_array(NULL, ev->len + 1, 1);

    memcpy(copy, ev->data, ev->len);
    copy[ev->len] = '\0';
    return copy;
}

static void index_received_segment(struct ha_log *l, const struct ha_zk_event *ev)
{
    struct ha_log_load *d = &l->load;
    size_t i = d->asked_from + (size_t)(ev->id - d->first_id);
    struct base_error err;

    if (ev->id < d->first_id || i >= d->asked)
        return;
    if (ev->code == HA_ZK_NONODE) {
        base_error_set(&err, -BASE_ECORRUPT, "%s was listed but is gone",
                       ha_log_segment_path(l, l->index.first + i));
        ha_log_enter_doubt(l, &err);
        return;
    }
    if (ev->code != HA_ZK_OK) {
        ha_log_end_refused(l, "read", ha_log_segment_path(l, l->index.first + i), ev);
        return;
    }
    if (i != d->done)
        /* a request before this one had no answer; both are sent again after reconnecting */
        return;
    d->text[i] = ha_log_copy_event_data(ev);
    d->len[i] = ev->len;
    d->done++;
    request_more_segments(l);
    if (index_segment(l, i, &err) < 0)
        ha_log_enter_doubt(l, &err);
    else if (d->done == d->n)
        finish_loading(l);
}

static int compare_numbers(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

uint64_t ha_log_parse_segment_name(const char *name)
{
    char again[24];
    size_t n = strlen(name);
    uint64_t v;

    if (n < 10 || n > 20 || strspn(name, "0123456789") != n)
        return 0;
    v = strtoull(name, NULL, 10);
    snprintf(again, sizeof again, "%010" PRIu64, v);
    return strcmp(again, name) == 0 ? v : 0;
}

/* Sets @v to the numbers of the listed segments, sorted. The numbers must be consecutive: a gap
 * means that records are missing. */
static int parse_segment_list(struct ha_log *l, const struct ha_zk_event *ev, uint64_t *v,
                              struct base_error *err)
{
    for (size_t i = 0; i < ev->children_n; i++) {
        v[i] = ha_log_parse_segment_name(ev->children[i]);
        if (v[i] == 0)
            return base_error_set(err, -BASE_ECORRUPT, "%s/%s: not a segment's name (10 digits)",
                                  l->log_path, ev->children[i]);
    }
    qsort(v, ev->children_n, sizeof *v, compare_numbers);
    for (size_t i = 1; i < ev->children_n; i++)
        if (v[i] != v[i - 1] + 1)
            return base_error_set(err, -BASE_ECORRUPT,
                                  "%s: %010" PRIu64 " is missing, %010" PRIu64 " is there",
                                  l->log_path, v[i - 1] + 1, v[i]);
    return 0;
}

void ha_log_kept_free(struct ha_log_kept *k)
{
    for (size_t i = 0; i < k->n; i++)
        free(k->text[i]);
    free(k->text);
    free(k->len);
    *k = (struct ha_log_kept){0};
}

void ha_log_adopt_kept_segments(struct ha_log *l, struct ha_log_kept *k)
{
    base_assert(l->state == HA_LOG_NEW);
    l->load.kept = *k;
    *k = (struct ha_log_kept){0};
}

/* Indexes the next portion of the kept segments, about HA_LOG_KEPT_BYTES. */
static int index_kept_segments(struct ha_log *l, struct base_error *err)
{
    struct ha_log_load *d = &l->load;
    struct ha_log_kept *k = &d->kept;
    size_t bytes = 0;
    int rc = 0;

    while (rc >= 0 && d->done < d->n && d->kept_at < k->n && bytes < HA_LOG_KEPT_BYTES) {
        size_t i = d->kept_at++;

        bytes += k->len[i];
        d->text[d->done] = k->text[i];
        d->len[d->done] = k->len[i];
        k->text[i] = NULL;
        rc = index_segment(l, d->done++, err);
        l->stats.kept++;
    }
    return rc < 0 ? rc : 0;
}

/* Called after the log has been listed and after each portion. Kept segments are indexed in
 * portions, with a request to ZooKeeper between two portions. Its answer is ignored; the detour
 * lets our caller renew its lease. Then the remaining segments are requested. */
static void continue_loading(struct ha_log *l)
{
    struct ha_log_load *d = &l->load;
    struct base_error err;

    if (index_kept_segments(l, &err) < 0) {
        ha_log_enter_doubt(l, &err);
    } else if (d->done == d->n) {
        finish_loading(l);
    } else if (d->kept_at < d->kept.n) {
        d->pause_id = l->next_id;
        ha_log_send_request(l, HA_ZK_GET, l->epoch_path);
    } else {
        ha_log_kept_free(&d->kept);
        d->kept_at = 0;
        request_remaining_segments(l);
    }
}

static void on_segment_list(struct ha_log *l, const struct ha_zk_event *ev)
{
    struct ha_log_load *d = &l->load;
    struct base_error err;
    uint64_t *v;

    if (ev->code == HA_ZK_NONODE) {
        const struct ha_zk_op ops[] = {
            ha_log_epoch_check_op(l),
            {.kind = HA_ZK_CREATE, .path = l->log_path, .data = "", .version = -1}};
        d->make_id = l->next_id;
        ha_log_send_multi(l, ops, 2);
        return;
    }
    if (ev->code != HA_ZK_OK) {
        ha_log_end_refused(l, "listed", l->log_path, ev);
        return;
    }
    v = base_alloc(ev->children_n * sizeof *v);
    if (parse_segment_list(l, ev, v, &err) < 0) {
        ha_log_enter_doubt(l, &err);
    } else {
        d->n = ev->children_n;
        d->text = base_alloc(d->n * sizeof *d->text);
        d->len = base_alloc(d->n * sizeof *d->len);
        for (size_t i = 0; i < d->n; i++)
            ha_log_index_add_segment(&l->index, v[i]);
        if (d->n == 0 || d->kept.log_zxid != ev->created_zxid || l->index.first < d->kept.first)
            ha_log_kept_free(&d->kept);
        else
            d->kept_at = (size_t)(l->index.first - d->kept.first);
        continue_loading(l);
    }
    free(v);
}

void ha_log_resume_loading(struct ha_log *l)
{
    if (!l->load.text)
        request_segment_list(l);
    else
        continue_loading(l);
}

static void on_log_node_created(struct ha_log *l, const struct ha_zk_event *ev)
{
    if (ha_log_is_epoch_mismatch(ev))
        ha_log_end_fenced(l);
    else if (ev->code == HA_ZK_OK || ev->code == HA_ZK_NODEEXISTS)
        request_segment_list(l);
    else
        ha_log_end_refused(l, "made", l->log_path, ev);
}

void ha_log_start_loading(struct ha_log *l)
{
    base_assert(l->state == HA_LOG_NEW);
    l->state = HA_LOG_LOADING;
    l->loading = true;
    l->load.reader = (struct ha_log_reader){.found = index_record, .user = l};
    request_segment_list(l);
}

void ha_log_on_load_result(struct ha_log *l, const struct ha_zk_event *ev)
{
    if (ev->id == l->load.list_id)
        on_segment_list(l, ev);
    else if (ev->id == l->load.make_id)
        on_log_node_created(l, ev);
    else if (ev->id == l->load.pause_id)
        continue_loading(l);
    else if (l->load.text)
        index_received_segment(l, ev);
}

void ha_log_free_load_state(struct ha_log *l)
{
    for (size_t i = 0; i < l->load.n; i++)
        free(l->load.text[i]);
    free(l->load.text);
    free(l->load.len);
    ha_log_kept_free(&l->load.kept);
    ha_log_reader_free(&l->load.reader);
    for (size_t i = 0; i < l->copies_n; i++)
        free(l->copies[i]);
    free(l->copies);
    l->load = (struct ha_log_load){0};
    l->copies = NULL;
    l->copies_n = l->copies_cap = 0;
}

void ha_log_free_loaded_data(struct ha_log *l)
{
    l->loaded = false;
    for (size_t i = 0; i < l->index.slots; i++)
        if (l->index.slot[i].item)
            l->index.slot[i].item->data = NULL;
    ha_log_free_load_state(l);
}

static int compare_item_keys(const void *a, const void *b)
{
    return strcmp((*(struct ha_log_item *const *)a)->key, (*(struct ha_log_item *const *)b)->key);
}

/* Records are sorted by key so that the core replays them in the same order on every leader. */
int ha_log_for_each_record(struct ha_log *l, const char *table, ha_record_fn *fn, void *user,
                           struct base_error *err)
{
    int t = ha_log_index_find_table(&l->index, table, strlen(table)), rc = 0;
    struct ha_log_item **v = NULL;
    size_t n = 0, cap = 0;

    base_assert(l->loaded);
    for (size_t i = 0; i < l->index.slots; i++) {
        struct ha_log_item *it = l->index.slot[i].item;
        if (it && it->table == t && !it->removed) {
            base_array_grow(&v, n, &cap);
            v[n++] = it;
        }
    }
    if (n > 0)
        qsort(v, n, sizeof(struct ha_log_item *), compare_item_keys);
    for (size_t i = 0; i < n && rc >= 0; i++)
        rc = fn(user, &(struct ha_record){table, v[i]->key, v[i]->data, v[i]->len}, err);
    free(v);
    return rc < 0 ? rc : 0;
}
