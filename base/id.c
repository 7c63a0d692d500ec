#include "base/id.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define COUNTER_MAX ((INT64_C(1) << 40) - 1)

/* A cursor over the text; the first mismatch sets @p to NULL for good. */
struct scan {
    const char *p;
};

static void scan_literal(struct scan *s, const char *word)
{
    size_t n = strlen(word);

    if (s->p)
        s->p = strncmp(s->p, word, n) == 0 ? s->p + n : NULL;
}

static int64_t scan_number(struct scan *s, int64_t max)
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

static bool scan_is_complete(const struct scan *s)
{
    return s->p && *s->p == '\0';
}

static void scan_app_id(struct scan *s, struct base_app_id *app)
{
    app->cluster_ts = scan_number(s, INT64_MAX);
    scan_literal(s, "_");
    app->seq = (int32_t)scan_number(s, INT32_MAX);
}

static int refuse_id(struct base_error *err, const char *text, const char *what, const char *form)
{
    return base_error_set(err, -BASE_EINVAL, "\"%.200s\" is not %s (%s)", text ? text : "", what,
                          form);
}

int base_app_id_parse(const char *text, struct base_app_id *out, struct base_error *err)
{
    struct scan s = {text};
    struct base_app_id id = {0};

    scan_literal(&s, "application_");
    scan_app_id(&s, &id);
    if (!scan_is_complete(&s))
        return refuse_id(err, text, "an application id", "application_<cluster time>_<number>");
    *out = id;
    return 0;
}

int base_reservation_id_parse(const char *text, struct base_app_id *out, struct base_error *err)
{
    struct scan s = {text};
    struct base_app_id id = {0};

    scan_literal(&s, "reservation_");
    scan_app_id(&s, &id);
    if (!scan_is_complete(&s))
        return refuse_id(err, text, "a reservation id", "reservation_<cluster time>_<number>");
    *out = id;
    return 0;
}

int base_attempt_id_parse(const char *text, struct base_attempt_id *out, struct base_error *err)
{
    struct scan s = {text};
    struct base_attempt_id id = {0};

    scan_literal(&s, "appattempt_");
    scan_app_id(&s, &id.app);
    scan_literal(&s, "_");
    id.attempt = (int32_t)scan_number(&s, INT32_MAX);
    if (!scan_is_complete(&s))
        return refuse_id(err, text, "an application attempt id",
                         "appattempt_<cluster time>_<number>_<attempt>");
    *out = id;
    return 0;
}

int base_container_id_parse(const char *text, struct base_container_id *out, struct base_error *err)
{
    struct scan s = {text};
    struct base_container_id id = {0};
    int64_t epoch = 0, counter;

    scan_literal(&s, "container_");
    if (s.p && *s.p == 'e') {
        s.p++;
        epoch = scan_number(&s, BASE_EPOCH_MAX);
        scan_literal(&s, "_");
    }
    scan_app_id(&s, &id.attempt.app);
    scan_literal(&s, "_");
    id.attempt.attempt = (int32_t)scan_number(&s, INT32_MAX);
    scan_literal(&s, "_");
    counter = scan_number(&s, COUNTER_MAX);
    if (!scan_is_complete(&s))
        return refuse_id(err, text, "a container id",
                         "container_[e<epoch>_]<cluster time>_<number>_<attempt>_<number>");
    id.num = (epoch << 40) | counter;
    *out = id;
    return 0;
}

int base_task_id_parse(const char *text, struct base_task_id *out, struct base_error *err)
{
    struct scan s = {text};
    struct base_task_id id = {0};

    scan_literal(&s, "task_");
    scan_app_id(&s, &id.app);
    scan_literal(&s, "_");
    if (s.p && *s.p == 'r')
        id.kind = BASE_TASK_REDUCE;
    scan_literal(&s, id.kind == BASE_TASK_REDUCE ? "r_" : "m_");
    id.index = (int32_t)scan_number(&s, INT32_MAX);
    if (!scan_is_complete(&s))
        return refuse_id(err, text, "a task id", "task_<cluster time>_<number>_<m or r>_<index>");
    *out = id;
    return 0;
}

static const char digit_pairs[] = "0001020304050607080910111213141516171819"
                                  "2021222324252627282930313233343536373839"
                                  "4041424344454647484950515253545556575859"
                                  "6061626364656667686970717273747576777879"
                                  "8081828384858687888990919293949596979899";

/* Writes two digits for each division, since records are full of times, which are long. With @width
 * 1 or more, 0 gets its digit from the padding. */
char *base_write_digits(char *to, uint64_t v, int width)
{
    char digits[20], *end = digits + sizeof digits, *at = end;

    memset(digits, '0', sizeof digits);
    for (; v >= 10; v /= 100)
        memcpy(at -= 2, digit_pairs + v % 100 * 2, 2);
    if (v > 0)
        *--at = (char)('0' + v);
    if (end - at < width)
        at = end - width;
    memcpy(to, at, (size_t)(end - at));
    return to + (end - at);
}

/* Ids are written without printf, which would be too slow for lists of a million tasks. */
static char *write_word(char *to, const char *word)
{
    size_t n = strlen(word);

    memcpy(to, word, n);
    return to + n;
}

/* Writes "<word><cluster time>_<number>". */
static char *write_app_id(char *to, const char *word, const struct base_app_id *id)
{
    to = base_write_digits(write_word(to, word), (uint64_t)id->cluster_ts, 1);
    *to++ = '_';
    return base_write_digits(to, (uint32_t)id->seq, 4);
}

char *base_app_id_text(const struct base_app_id *id, char buf[static BASE_ID_TEXT_MAX])
{
    *write_app_id(buf, "application_", id) = '\0';
    return buf;
}

char *base_reservation_id_text(const struct base_app_id *id, char buf[static BASE_ID_TEXT_MAX])
{
    *write_app_id(buf, "reservation_", id) = '\0';
    return buf;
}

char *base_attempt_id_text(const struct base_attempt_id *id, char buf[static BASE_ID_TEXT_MAX])
{
    char *at = write_word(write_app_id(buf, "appattempt_", &id->app), "_");

    *base_write_digits(at, (uint32_t)id->attempt, 6) = '\0';
    return buf;
}

/* SOURCE: Hadoop ContainerId.toString: the epoch part is absent for epoch 0. */
char *base_container_id_text(const struct base_container_id *id, char buf[static BASE_ID_TEXT_MAX])
{
    int64_t epoch = BASE_CONTAINER_EPOCH(id->num);
    char *at = write_word(buf, "container_");

    if (epoch > 0)
        at = write_word(base_write_digits(write_word(at, "e"), (uint64_t)epoch, 2), "_");
    at = write_word(write_app_id(at, "", &id->attempt.app), "_");
    at = write_word(base_write_digits(at, (uint32_t)id->attempt.attempt, 2), "_");
    *base_write_digits(at, (uint64_t)BASE_CONTAINER_COUNTER(id->num), 6) = '\0';
    return buf;
}

char *base_task_id_text(const struct base_task_id *id, char buf[static BASE_ID_TEXT_MAX])
{
    char *at = write_word(write_app_id(buf, "task_", &id->app),
                          id->kind == BASE_TASK_REDUCE ? "_r_" : "_m_");

    *base_write_digits(at, (uint32_t)id->index, 6) = '\0';
    return buf;
}

static int compare_int64(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

int base_app_id_cmp(const struct base_app_id *a, const struct base_app_id *b)
{
    int c = compare_int64(a->cluster_ts, b->cluster_ts);

    return c ? c : compare_int64(a->seq, b->seq);
}

int base_container_id_cmp(const struct base_container_id *a, const struct base_container_id *b)
{
    int c = base_app_id_cmp(&a->attempt.app, &b->attempt.app);

    if (!c)
        c = compare_int64(a->attempt.attempt, b->attempt.attempt);
    return c ? c : compare_int64(a->num, b->num);
}
