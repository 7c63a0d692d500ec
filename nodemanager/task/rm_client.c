#include "nodemanager/task/rm_client.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "base/conf/rm_list.h"

struct task_rm {
    const struct task *t;
    struct base_http *http;
    struct base_rm_list list;
    struct base_rm_cursor turn;
    struct base_error unreadable; /* why the list is empty */
};

struct base_keyring *task_reread_keys(const struct task *t)
{
    if (t->spec.keys)
        (void)base_keyring_refresh(t->spec.keys, NULL); /* on failure the old token may do */
    return t->spec.keys;
}

struct task_rm *task_rm_new(const struct task *t)
{
    struct task_rm *rm = base_alloc(sizeof *rm);
    const char *text = t->spec.rm != NULL ? t->spec.rm : "";

    rm->t = t;
    rm->http = base_http_new();
    if (base_rm_list_add_text("the ResourceManagers", text, &rm->list, &rm->unreadable) < 0)
        base_rm_list_free(&rm->list);
    else
        base_rm_cursor_init(&rm->turn, &rm->list);
    rm->turn.listed_only = true; /* each request is signed with the container's token */
    return rm;
}

void task_rm_free(struct task_rm *rm)
{
    if (rm == NULL)
        return;
    base_rm_cursor_free(&rm->turn);
    base_rm_list_free(&rm->list);
    base_http_free(rm->http);
    free(rm);
}

static int describe_http_failure(const char *method, const char *url,
                                 const struct base_http_answer *a, struct base_error *err)
{
    int shown = a->body.len > 300 ? 300 : (int)a->body.len;

    return base_error_set(err, a->status == 404 ? -BASE_ENOTFOUND : -BASE_EIO,
                          "%s %s: HTTP %ld: %.*s", method, url, a->status, shown,
                          shown > 0 ? a->body.data : "");
}

/* Calls the RM whose turn it is. Sets *again if another RM should be asked at once. */
static int call_current_rm_once(struct task_rm *rm, const char *path, const char *body,
                                int64_t timeout_ms, struct base_http_answer *out, bool *again,
                                struct base_error *err)
{
    bool several = rm->list.n > 1;
    char *url = base_printf("%s%s", base_rm_cursor_url(&rm->turn), path);
    struct base_http_request rq = {
        .method = body != NULL ? "POST" : "GET",
        .url = url,
        .body = body,
        .body_len = body != NULL ? strlen(body) : 0,
        .keys = task_reread_keys(rm->t),
        .connect_timeout_ms = several ? 1000 : 0,
        .timeout_ms = several && timeout_ms > TASK_RM_SILENT_MS ? TASK_RM_SILENT_MS : timeout_ms,
        .silence_ms = several ? 3000 : 0,
    };
    int rc = base_http_perform(rm->http, &rq, out, err);

    *again = false;
    if (rc == 0 && out->status >= 200 && out->status <= 299) {
        base_rm_cursor_note_success(&rm->turn);
    } else if (rc == 0) {
        rc = describe_http_failure(rq.method, url, out, err);
        *again = out->status == 307 ? base_rm_cursor_follow_redirect(&rm->turn, out->location)
                                    : base_rm_cursor_fail_and_advance(&rm->turn);
        base_http_answer_free(out);
    } else {
        *again = base_rm_cursor_fail_and_advance(&rm->turn);
    }
    free(url);
    return rc;
}

int task_rm_call_until_active(struct task_rm *rm, const char *path, const char *body,
                              int64_t timeout_ms, struct base_http_answer *out,
                              struct base_error *err)
{
    struct base_http_answer answer = {0};
    bool again = true;
    int rc = base_error_set(err, -BASE_EINVAL, "%s", rm->unreadable.text);

    while (rm->list.n > 0 && again)
        rc = call_current_rm_once(rm, path, body, timeout_ms, &answer, &again, err);
    if (rc == 0 && out != NULL)
        *out = answer;
    else
        base_http_answer_free(&answer);
    return rc;
}

void task_sleep_ms(int64_t ms)
{
    struct timespec left = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

    while (nanosleep(&left, &left) < 0 && errno == EINTR)
        continue;
}

int64_t task_rm_next_pause_ms(int64_t *wait_ms)
{
    int64_t now = *wait_ms;
    uint32_t random = 0;

    /* random stays 0 if no random number is available, which is good enough */
    (void)!getrandom(&random, sizeof random, GRND_NONBLOCK);
    *wait_ms = now * 2 < TASK_RM_RETRY_MAX_MS ? now * 2 : TASK_RM_RETRY_MAX_MS;
    return now - (int64_t)random % (now / 2 + 1);
}

int task_rm_call_patiently(struct task_rm *rm, const char *path, const char *body,
                           int64_t timeout_ms, struct base_http_answer *out, struct base_error *err)
{
    int64_t until_us = task_active_time_us(rm->t) + TASK_RM_PATIENCE_US,
            wait_ms = TASK_RM_RETRY_FIRST_MS;
    int rc;

    for (;;) {
        rc = task_rm_call_until_active(rm, path, body, timeout_ms, out, err);
        if (rc == 0 || task_active_time_us(rm->t) >= until_us)
            return rc;
        task_sleep_ms(task_rm_next_pause_ms(&wait_ms));
    }
}
