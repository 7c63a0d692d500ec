#include "nodemanager/task/task_rm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define RM_MAX 16

struct task_rm {
    const struct task *t;
    struct base_http *http;
    char *urls[RM_MAX];
    size_t n, good;
};

struct task_rm *task_rm_new(const struct task *t)
{
    struct task_rm *rm = base_alloc(sizeof *rm);
    const char *p = t->spec.rm != NULL ? t->spec.rm : "";

    rm->t = t;
    rm->http = base_http_new();
    while (*p != '\0' && rm->n < RM_MAX) {
        size_t len = strcspn(p, ", ");

        if (len > 0) {
            bool named = strncmp(p, "http://", 7) == 0 || strncmp(p, "https://", 8) == 0;
            const char *scheme = named ? "" : "http://";
            size_t keep = len;

            while (keep > 0 && p[keep - 1] == '/')
                keep--;
            rm->urls[rm->n++] = base_printf("%s%.*s", scheme, (int)keep, p);
        }
        p += len;
        p += *p != '\0';
    }
    return rm;
}

void task_rm_free(struct task_rm *rm)
{
    if (rm == NULL)
        return;
    for (size_t i = 0; i < rm->n; i++)
        free(rm->urls[i]);
    base_http_free(rm->http);
    free(rm);
}

static int call_one(struct task_rm *rm, size_t i, const char *path, const char *body, int64_t timeout_ms,
                    struct base_http_answer *out, struct base_error *err)
{
    char *url = base_printf("%s%s", rm->urls[i], path);
    struct base_http_request rq = {
        .method = body != NULL ? "POST" : "GET",
        .url = url,
        .body = body,
        .body_len = body != NULL ? strlen(body) : 0,
        .bearer = rm->t->spec.token,
        .timeout_ms = timeout_ms,
    };
    struct base_http_answer answer;
    int rc = base_http_do(rm->http, &rq, &answer, err);

    if (rc == 0 && (answer.status < 200 || answer.status > 299)) {
        rc = base_error_set(err, answer.status == 404 ? -BASE_ENOTFOUND : -BASE_EIO, "%s %s: HTTP %ld: %.*s", rq.method,
                            url, answer.status, answer.body.len > 300 ? 300 : (int)answer.body.len,
                            answer.body.len > 0 ? answer.body.data : "");
        base_http_answer_free(&answer);
    }
    if (rc == 0 && out != NULL)
        *out = answer;
    else if (rc == 0)
        base_http_answer_free(&answer);
    free(url);
    return rc;
}

int task_rm_call(struct task_rm *rm, const char *path, const char *body, int64_t timeout_ms,
                 struct base_http_answer *out, struct base_error *err)
{
    int rc = base_error_set(err, -BASE_EINVAL, "no ResourceManager is named");

    for (size_t k = 0; k < rm->n; k++) {
        size_t i = (rm->good + k) % rm->n;

        rc = call_one(rm, i, path, body, timeout_ms, out, err);
        if (rc == 0) {
            rm->good = i;
            return 0;
        }
    }
    return rc;
}

void task_wait_ms(int64_t ms)
{
    struct timespec left = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

    while (nanosleep(&left, &left) < 0 && errno == EINTR)
        continue;
}

int task_rm_call_patiently(struct task_rm *rm, const char *path, const char *body, int64_t timeout_ms,
                           struct base_http_answer *out, struct base_error *err)
{
    int64_t until_us = task_lived_us(rm->t) + TASK_RM_PATIENCE_US, wait_ms = TASK_RM_RETRY_FIRST_MS;
    int rc;

    for (;;) {
        rc = task_rm_call(rm, path, body, timeout_ms, out, err);
        if (rc == 0 || task_lived_us(rm->t) >= until_us)
            return rc;
        task_wait_ms(wait_ms);
        wait_ms = wait_ms * 2 < TASK_RM_RETRY_MAX_MS ? wait_ms * 2 : TASK_RM_RETRY_MAX_MS;
    }
}
