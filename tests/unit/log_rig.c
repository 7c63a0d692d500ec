#include "tests/unit/log_rig.h"

#include <CUnit/Basic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static void on_loaded(void *user, int rc, const struct base_error *err)
{
    struct rig *g = user;

    g->loads++;
    g->rc = rc;
    if (rc < 0)
        snprintf(g->text, sizeof g->text, "%s", err->text);
}

static void on_written(void *user, uint64_t batch)
{
    ((struct rig *)user)->written = batch;
}

static void on_fenced(void *user, const char *text)
{
    struct rig *g = user;

    g->fences++;
    snprintf(g->text, sizeof g->text, "%s", text);
}

static void on_broken(void *user, const struct base_error *err)
{
    struct rig *g = user;

    g->breaks++;
    g->rc = err->code;
    snprintf(g->text, sizeof g->text, "%s", err->text);
}

static void send_to_link(void *user, const struct ha_zk_request *rq)
{
    log_zk_send(&((struct rig *)user)->link, rq);
}

void rig_start(struct rig *g, int64_t epoch, const struct ha_log_limits *limits)
{
    const struct ha_log_calls calls = {g,          send_to_link, on_loaded,
                                       on_written, on_fenced,    on_broken};

    log_zk_link_init(&g->link, &g->zk);
    g->log = g->link.log = ha_log_new(LOG_ZK_ROOT, epoch, g->zk.epoch_version, &calls);
    if (limits)
        ha_log_set_limits(g->log, limits);
    g->loads = g->fences = g->breaks = g->rc = 0;
    g->written = 0;
    g->text[0] = '\0';
    if (g->kept)
        ha_log_adopt_kept_segments(g->log, g->kept);
    ha_log_start_loading(g->log);
}

void rig_stop(struct rig *g)
{
    ha_log_free(g->log);
    log_zk_link_free(&g->link);
    g->log = NULL;
}

void rig_open(struct rig *g, const struct ha_log_limits *limits)
{
    *g = (struct rig){.zk = {.has_log = true, .epoch_version = 3}};
    rig_start(g, EPOCH, limits);
    log_zk_run(&g->link);
    CU_ASSERT(g->loads == 1 && g->rc == 0);
    ha_log_free_loaded_data(g->log);
}

void rig_close(struct rig *g)
{
    rig_stop(g);
    log_zk_free(&g->zk);
}

uint64_t rig_put(struct rig *g, const char *key, const char *data)
{
    return ha_log_write_batch(g->log, &(struct ha_record){"t", key, data, data ? strlen(data) : 0},
                              1);
}

uint64_t rig_put_long(struct rig *g, const char *key, size_t len, char fill)
{
    char *data = base_realloc_array(NULL, len + 1, 1);
    uint64_t batch;

    memset(data, fill, len);
    data[len] = '\0';
    batch = rig_put(g, key, data);
    free(data);
    return batch;
}

int rig_append(void *user, const struct ha_record *rec, struct base_error *err)
{
    (void)err;
    base_buf_addf(user, "%s=%s ", rec->key, rec->data);
    return rec->len == strlen(rec->data) ? 0 : -1;
}

/* Returns table t as a new leader reads it, "key=data key=data ", or the text of the error. The
 * caller frees it. */
static char *read_all(struct rig *g)
{
    struct rig r = {.zk = g->zk};
    struct base_buf out = {0};

    rig_start(&r, EPOCH + 1, NULL);
    log_zk_run(&r.link);
    if (r.rc < 0)
        base_buf_adds(&out, r.text);
    else
        CU_ASSERT_EQUAL(ha_log_for_each_record(r.log, "t", rig_append, &out, NULL), 0);
    rig_stop(&r);
    g->zk = r.zk;
    return base_buf_take(&out);
}

void rig_expect(struct rig *g, const char *expected)
{
    char *all = read_all(g);

    CU_ASSERT_STRING_EQUAL(all, expected);
    free(all);
}

struct ha_log_stats rig_stats(const struct rig *g)
{
    struct ha_log_stats s;

    ha_log_get_stats(g->log, &s);
    return s;
}

void rig_run_to_gets(struct rig *g, int64_t gets)
{
    while (g->zk.gets < gets && log_zk_execute(&g->link))
        log_zk_answer(&g->link);
    CU_ASSERT_EQUAL(g->zk.gets, gets);
}

void rig_fail_next(struct rig *g, enum ha_zk_request_kind kind, uint64_t number,
                   enum ha_zk_code code, int op)
{
    g->link.fail = true;
    g->link.fail_kind = kind;
    g->link.fail_number = number;
    g->link.fail_code = code;
    g->link.fail_op = op;
}

void rig_put_segment(struct rig *g, int64_t epoch, uint64_t number, const char *entries, size_t len)
{
    char *buf = base_alloc(HA_LOG_HEAD_MAX + len + 1);
    const struct ha_log_segment s = {epoch, number, buf + HA_LOG_HEAD_MAX, len};
    char *at;

    memcpy(buf + HA_LOG_HEAD_MAX, entries, len);
    at = ha_log_segment_write_header(&s);
    log_zk_put(&g->zk, number, at, (size_t)(buf + HA_LOG_HEAD_MAX + len - at));
    free(buf);
}
