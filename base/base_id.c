#include "base/base_id.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define COUNTER_MAX ((INT64_C(1) << 40) - 1)

/* A cursor over the text; after the first mismatch @p is NULL and stays so. */
struct scan {
    const char *p;
};

static void scan_word(struct scan *s, const char *word)
{
    size_t n = strlen(word);

    if (s->p)
        s->p = strncmp(s->p, word, n) == 0 ? s->p + n : NULL;
}

static int64_t scan_num(struct scan *s, int64_t max)
{
    int64_t v = 0;
    const char *p = s->p;

    if (!p || *p < '0' || *p > '9') {
        s->p = NULL;
        return 0;
    }
    for (; *p >= '0' && *p <= '9'; p++) {
        int digit = *p - '0';
        if (v > (max - digit) / 10) {
            s->p = NULL;
            return 0;
        }
        v = v * 10 + digit;
    }
    s->p = p;
    return v;
}

static bool scan_done(const struct scan *s)
{
    return s->p && *s->p == '\0';
}

static void scan_app(struct scan *s, struct base_app_id *app)
{
    app->cluster_ts = scan_num(s, INT64_MAX);
    scan_word(s, "_");
    app->seq = (int32_t)scan_num(s, INT32_MAX);
}

static int refuse(struct base_error *err, const char *text, const char *what, const char *form)
{
    return base_error_set(err, -BASE_EINVAL, "\"%.200s\" is not %s (%s)", text ? text : "", what, form);
}

int base_app_id_parse(const char *text, struct base_app_id *out, struct base_error *err)
{
    struct scan s = {text};
    struct base_app_id id = {0};

    scan_word(&s, "application_");
    scan_app(&s, &id);
    if (!scan_done(&s))
        return refuse(err, text, "an application id", "application_<cluster time>_<number>");
    *out = id;
    return 0;
}

int base_attempt_id_parse(const char *text, struct base_attempt_id *out, struct base_error *err)
{
    struct scan s = {text};
    struct base_attempt_id id = {0};

    scan_word(&s, "appattempt_");
    scan_app(&s, &id.app);
    scan_word(&s, "_");
    id.attempt = (int32_t)scan_num(&s, INT32_MAX);
    if (!scan_done(&s))
        return refuse(err, text, "an application attempt id", "appattempt_<cluster time>_<number>_<attempt>");
    *out = id;
    return 0;
}

int base_container_id_parse(const char *text, struct base_container_id *out, struct base_error *err)
{
    struct scan s = {text};
    struct base_container_id id = {0};
    int64_t epoch = 0, counter;

    scan_word(&s, "container_");
    if (s.p && *s.p == 'e') {
        s.p++;
        epoch = scan_num(&s, BASE_EPOCH_MAX);
        scan_word(&s, "_");
    }
    scan_app(&s, &id.attempt.app);
    scan_word(&s, "_");
    id.attempt.attempt = (int32_t)scan_num(&s, INT32_MAX);
    scan_word(&s, "_");
    counter = scan_num(&s, COUNTER_MAX);
    if (!scan_done(&s))
        return refuse(err, text, "a container id", "container_[e<epoch>_]<cluster time>_<number>_<attempt>_<number>");
    id.num = (epoch << 40) | counter;
    *out = id;
    return 0;
}

int base_task_id_parse(const char *text, struct base_task_id *out, struct base_error *err)
{
    struct scan s = {text};
    struct base_task_id id = {0};

    scan_word(&s, "task_");
    scan_app(&s, &id.app);
    scan_word(&s, "_");
    if (s.p && *s.p == 'r')
        id.kind = BASE_TASK_REDUCE;
    scan_word(&s, id.kind == BASE_TASK_REDUCE ? "r_" : "m_");
    id.index = (int32_t)scan_num(&s, INT32_MAX);
    if (!scan_done(&s))
        return refuse(err, text, "a task id", "task_<cluster time>_<number>_<m or r>_<index>");
    *out = id;
    return 0;
}

char *base_app_id_text(const struct base_app_id *id, char buf[static BASE_ID_TEXT_MAX])
{
    snprintf(buf, BASE_ID_TEXT_MAX, "application_%" PRId64 "_%04" PRId32, id->cluster_ts, id->seq);
    return buf;
}

char *base_attempt_id_text(const struct base_attempt_id *id, char buf[static BASE_ID_TEXT_MAX])
{
    snprintf(buf, BASE_ID_TEXT_MAX, "appattempt_%" PRId64 "_%04" PRId32 "_%06" PRId32, id->app.cluster_ts,
             id->app.seq, id->attempt);
    return buf;
}

/* SOURCE: Hadoop ContainerId.toString: the epoch part is absent for epoch 0. */
char *base_container_id_text(const struct base_container_id *id, char buf[static BASE_ID_TEXT_MAX])
{
    char epoch[32] = "";
    int64_t e = BASE_CONTAINER_EPOCH(id->num);

    if (e > 0)
        snprintf(epoch, sizeof epoch, "e%02" PRId64 "_", e);
    snprintf(buf, BASE_ID_TEXT_MAX, "container_%s%" PRId64 "_%04" PRId32 "_%02" PRId32 "_%06" PRId64, epoch,
             id->attempt.app.cluster_ts, id->attempt.app.seq, id->attempt.attempt, BASE_CONTAINER_COUNTER(id->num));
    return buf;
}

char *base_task_id_text(const struct base_task_id *id, char buf[static BASE_ID_TEXT_MAX])
{
    snprintf(buf, BASE_ID_TEXT_MAX, "task_%" PRId64 "_%04" PRId32 "_%c_%06" PRId32, id->app.cluster_ts, id->app.seq,
             id->kind == BASE_TASK_REDUCE ? 'r' : 'm', id->index);
    return buf;
}

static int cmp(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

int base_app_id_cmp(const struct base_app_id *a, const struct base_app_id *b)
{
    int c = cmp(a->cluster_ts, b->cluster_ts);

    return c ? c : cmp(a->seq, b->seq);
}

int base_container_id_cmp(const struct base_container_id *a, const struct base_container_id *b)
{
    int c = base_app_id_cmp(&a->attempt.app, &b->attempt.app);

    if (!c)
        c = cmp(a->attempt.attempt, b->attempt.attempt);
    return c ? c : cmp(a->num, b->num);
}
