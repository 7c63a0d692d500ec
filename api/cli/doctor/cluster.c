/* api/cli/doctor/cluster.c - what a running daemon answers to somebody who proves nothing. No
 * request changes anything: new-application only draws a number, and what is sent to register a
 * node is no registration. */
#include <string.h>

#include "api/cli/doctor/doctor.h"
#include "base/mem.h"

enum { STRANGER_TIMEOUT_MS = 10000 };

/* Sends a request without credentials. Returns the status of the answer, 0 when there is none; the
 * caller frees @out. */
static long ask_as_stranger(struct doctor *d, const char *method, const char *path,
                            const char *body, struct base_http_answer *out)
{
    char *url = base_printf("%s%s", d->url, path);
    struct base_http_request rq = {.method = method,
                                   .url = url,
                                   .body = body,
                                   .body_len = body ? strlen(body) : 0,
                                   .connect_timeout_ms = STRANGER_TIMEOUT_MS,
                                   .timeout_ms = STRANGER_TIMEOUT_MS,
                                   .body_max = 16 << 20};
    struct base_error err = {0};
    int rc = base_http_perform(d->http, &rq, out, &err);

    free(url);
    return rc < 0 ? 0 : out->status;
}

static void report_served_stranger(struct doctor *d, const struct doctor_check *check,
                                   const char *method, const char *path, long status)
{
    char *key = base_printf("%s %s%s", method, d->url, path);
    char *value = base_printf("answered %ld to a stranger", status);
    doctor_report_if_severe(d, check, key, value);
    free(key);
    free(value);
}

/* Reports the request if the daemon serves it, or refuses it only for its content (400). */
static void check_stranger_is_refused(struct doctor *d, const struct doctor_check *check,
                                      const char *method, const char *path, const char *body)
{
    struct base_http_answer a = {0};
    long status = ask_as_stranger(d, method, path, body, &a);
    bool served = status == 200 || status == 202 || status == 400;

    if (served)
        report_served_stranger(d, check, method, path, status);
    base_http_answer_free(&a);
}

void doctor_check_claimed_user_name(struct doctor *d, const struct doctor_check *check)
{
    const char *path = "/ws/v1/cluster/userinfo?user.name=creel-doctor";
    struct base_http_answer a = {0};
    long status = ask_as_stranger(d, "GET", path, NULL, &a);

    if (status == 200 && a.body.len && strstr(a.body.data, "\"creel-doctor\""))
        report_served_stranger(d, check, "GET", path, status);
    base_http_answer_free(&a);
}

void doctor_check_stranger_can_submit(struct doctor *d, const struct doctor_check *check)
{
    check_stranger_is_refused(d, check, "POST", "/ws/v1/cluster/apps/new-application", "");
}

void doctor_check_stranger_can_join(struct doctor *d, const struct doctor_check *check)
{
    check_stranger_is_refused(d, check, "POST", "/ws/v1/nodetracker/register", "{}");
}

void doctor_check_private_pages(struct doctor *d, const struct doctor_check *check)
{
    static const char *const pages[] = {"/conf", "/stacks", "/logs/"};
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        struct base_http_answer a = {0};
        long status = ask_as_stranger(d, "GET", pages[i], NULL, &a);
        if (status == 200)
            report_served_stranger(d, check, "GET", pages[i], status);
        base_http_answer_free(&a);
    }
}

void doctor_check_live_plain_http(struct doctor *d, const struct doctor_check *check)
{
    if (strncmp(d->url, "http://", 7) != 0)
        return;
    const char *at = d->url + 7;
    bool literal = *at == '[';
    char *host = base_strndup(at + literal, strcspn(at + literal, literal ? "]" : ":/"));
    if (doctor_is_off_loopback(host))
        doctor_report_if_severe(d, check, d->url, "plain HTTP");
    free(host);
}
