/* api/cli/cli_rm.c - see the header. */
#include "api/cli/cli_rm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/cli_interrupt.h"
#include "api/cli/cli_text.h"
#include "base/base_clock.h"
#include "base/base_http.h"
#include "base/base_id.h"

enum { PATIENCE_MS = 60000, CONNECT_MS = 3000, SOON_MS = 5000 };

struct cli_rm {
    struct base_http *http;
    char **urls;
    size_t n, at; /* urls[at] answered last */
    char *user;
    bool told;   /* that it waits */
    bool not_rm; /* what answered last is something else */
};

int cli_rm_open(struct cli *c)
{
    char **urls = cli_rm_urls(c);
    if (!urls)
        return CLI_USAGE;
    struct cli_rm *rm = base_alloc(sizeof *rm);
    rm->urls = urls;
    while (rm->urls[rm->n])
        rm->n++;
    rm->http = base_http_new();
    rm->user = cli_user();
    c->rm = rm;
    return CLI_OK;
}

void cli_rm_close(struct cli_rm *rm)
{
    if (!rm)
        return;
    base_http_free(rm->http);
    cli_urls_free(rm->urls);
    free(rm->user);
    free(rm);
}

const char *cli_rm_url(const struct cli_rm *rm)
{
    return rm->urls[rm->at];
}

void cli_answer_free(struct cli_answer *a)
{
    base_buf_free(&a->text);
    json_decref(a->json);
    free(a->error);
    *a = (struct cli_answer){0};
}

/* YARN puts the inner exception's class before the text: people do not need it. */
static const char *strip_class(const char *text)
{
    for (;;) {
        const char *end = strstr(text, ": ");
        bool class = end && (strncmp(text, "java.", 5) == 0 || strncmp(text, "org.apache.", 11) == 0 ||
                             strncmp(text, "javax.", 6) == 0 || strncmp(text, "com.sun.", 8) == 0);
        if (!class || memchr(text, ' ', (size_t)(end - text)))
            return text;
        text = end + 2;
    }
}

/* These a ResourceManager gives with a reason in JSON, or not at all; others a proxy may give on its way. */
static bool is_foreign(long status, const json_t *body)
{
    bool plain = status / 100 == 3 || status == 404 || status == 405 || status == 501;
    return plain && !json_object_get(body, "RemoteException");
}

/* What an error answer says, in one line; NULL when it is none of a ResourceManager or NodeManager. */
static char *error_text(long status, const struct base_buf *body)
{
    json_t *j = body->len ? json_loadb(body->data, body->len, 0, NULL) : NULL;
    const char *message = cli_str(j, "RemoteException.message");
    const char *exception = cli_str(j, "RemoteException.exception");
    struct base_buf line = {0};
    if (is_foreign(status, j)) {
        json_decref(j);
        return NULL;
    }
    if (*message)
        cli_text_clean(strip_class(message), &line);
    else if (*exception)
        cli_text_clean(exception, &line);
    else if (!j && body->len && body->data[0] != '<')
        cli_text_clean(body->data, &line);
    if (line.len == 0)
        base_buf_addf(&line, "the ResourceManager answers with status %ld", status);
    json_decref(j);
    return base_buf_take(&line);
}

static int exit_code_of(long status)
{
    if (status >= 200 && status < 300)
        return CLI_OK;
    if (status == 404)
        return CLI_NOTFOUND;
    return status >= 400 && status < 500 ? CLI_USAGE : CLI_UNREACHABLE;
}

static char *not_rm_text(const char *url, long status)
{
    return base_printf("%.*s answers with status %ld and not as a ResourceManager does: is it a ResourceManager?",
                       (int)strcspn(url, "?"), url, status);
}

/* The client's text begins with the request: people know what they asked. */
static char *reason_of(const char *text, const char *method, const char *url)
{
    size_t method_len = strlen(method), url_len = strlen(url);
    bool named = strncmp(text, method, method_len) == 0 && text[method_len] == ' ' &&
                 strncmp(text + method_len + 1, url, url_len) == 0 &&
                 strncmp(text + method_len + 1 + url_len, ": ", 2) == 0;
    return base_strdup(named ? text + method_len + url_len + 3 : text);
}

/* Sends the request. True: an answer came. False: *reason tells why not, caller frees; NULL: a signal ended it. */
static bool send_request(struct cli_rm *rm, const struct base_http_request *rq, struct base_http_answer *answer,
                         char **reason)
{
    struct base_error err = {0};
    cli_interrupt_guard(rm->http);
    bool ok = base_http_do(rm->http, rq, answer, &err) >= 0;
    bool signalled = cli_interrupt_unguard();
    if (signalled) { /* the cancel may have come too late for this request: it is not to end the next one */
        base_http_free(rm->http);
        rm->http = base_http_new();
    }
    *reason = ok || signalled ? NULL : reason_of(err.text, rq->method, rq->url);
    return ok;
}

/* One request to one URL. */
static int call_url(struct cli_rm *rm, const char *method, const char *url, const struct base_buf *body, unsigned flags,
                    struct cli_answer *out)
{
    struct base_http_request rq = {
        .method = method,
        .url = url,
        .body = body->data,
        .body_len = body->len,
        .connect_timeout_ms = CONNECT_MS,
        .timeout_ms = flags & CLI_RM_SOON ? SOON_MS : 0,
    };
    struct base_http_answer answer = {0};
    cli_answer_free(out);
    if (!send_request(rm, &rq, &answer, &out->error))
        return out->error ? CLI_UNREACHABLE : CLI_INTERRUPTED;
    out->status = answer.status;
    out->text = answer.body;
    answer.body = (struct base_buf){0};
    base_http_answer_free(&answer);
    int rc = exit_code_of(out->status);
    if (rc != CLI_OK)
        out->error = error_text(out->status, &out->text);
    else if (out->text.len)
        out->json = json_loadb(out->text.data, out->text.len, 0, NULL);
    rm->not_rm = rc == CLI_OK ? !json_is_object(out->json) : !out->error;
    if (!out->error)
        out->error = rm->not_rm ? not_rm_text(url, out->status) : base_strdup("");
    return rm->not_rm ? CLI_UNREACHABLE : rc;
}

static char *no_answer_text(const struct cli_rm *rm, const struct cli_answer *a)
{
    struct base_buf b = {0};
    base_buf_adds(&b, "no ResourceManager answers at ");
    for (size_t i = 0; i < rm->n; i++)
        base_buf_addf(&b, "%s%s", i ? ", " : "", rm->urls[i]);
    if (a->error && *a->error)
        base_buf_addf(&b, " (%s)", a->error);
    base_buf_adds(&b, "; is it running? (creel dev starts one, --rm or CREEL_RM tells another address)");
    return base_buf_take(&b);
}

/* Tries every RM once. */
static int call_each(struct cli_rm *rm, const char *method, const char *path, const struct base_buf *body,
                     unsigned flags, struct cli_answer *out)
{
    int rc = CLI_UNREACHABLE;
    for (size_t i = 0; i < rm->n; i++) {
        size_t at = (rm->at + i) % rm->n;
        bool change = strcmp(method, "GET") != 0;
        struct base_buf url = {0};
        base_buf_addf(&url, "%s%s", rm->urls[at], path);
        if (change) {
            base_buf_addf(&url, "%cuser.name=", strchr(path, '?') ? '&' : '?');
            cli_uri_component(rm->user, &url);
        }
        rc = call_url(rm, method, url.data, body, flags, out);
        base_buf_free(&url);
        if (rc != CLI_UNREACHABLE) {
            rm->at = at;
            return rc;
        }
    }
    return rc;
}

int cli_rm_call(struct cli_rm *rm, const char *method, const char *path, const json_t *body, unsigned flags,
                struct cli_answer *out)
{
    struct base_buf text = {0};
    int64_t start = base_mono_us(&base_clock_real), wait_ms = 50;
    if (body) {
        char *dump = json_dumps(body, JSON_COMPACT);
        base_buf_adds(&text, dump);
        free(dump);
    }
    int rc;
    for (;;) {
        rc = call_each(rm, method, path, &text, flags, out);
        int64_t waited_ms = (base_mono_us(&base_clock_real) - start) / 1000;
        if (rc != CLI_UNREACHABLE || !(flags & CLI_RM_PATIENT) || rm->not_rm || waited_ms > PATIENCE_MS)
            break;
        if (!rm->told && waited_ms > 1000) {
            rm->told = true;
            cli_rm_tell_silence();
        }
        if (cli_interrupt_pause(wait_ms)) {
            rc = CLI_INTERRUPTED;
            break;
        }
        wait_ms = wait_ms * 2 > 1000 ? 1000 : wait_ms * 2;
    }
    base_buf_free(&text);
    if (rc == CLI_UNREACHABLE && !rm->not_rm) {
        char *why = no_answer_text(rm, out);
        free(out->error);
        out->error = why;
    } else if (rc != CLI_INTERRUPTED) {
        rm->told = false;
    }
    return rc;
}

void cli_rm_tell_silence(void)
{
    cli_error(0, "the ResourceManager does not answer; trying again");
}

int cli_rm_get_url(struct cli_rm *rm, const char *url, struct cli_answer *out)
{
    struct base_buf none = {0};
    return call_url(rm, "GET", url, &none, CLI_RM_SOON, out);
}

int cli_rm_fail(struct cli_answer *a, int rc)
{
    cli_error(rc, "%s", a->error ? a->error : "no answer");
    cli_answer_free(a);
    return rc;
}

int cli_rm_get(struct cli *c, const char *path, json_t **out)
{
    struct cli_answer a = {0};
    *out = NULL;
    int rc = cli_rm_call(c->rm, "GET", path, NULL, 0, &a);
    if (rc != CLI_OK)
        return cli_rm_fail(&a, rc);
    *out = a.json;
    a.json = NULL;
    cli_answer_free(&a);
    return CLI_OK;
}

int cli_rm_get_object(struct cli *c, const char *path, const char *member, json_t **out)
{
    int rc = cli_rm_get(c, path, out);
    if (rc != CLI_OK || json_is_object(json_object_get(*out, member)))
        return rc;
    json_decref(*out);
    *out = NULL;
    return cli_error(CLI_UNREACHABLE, "%s%s answers without the object '%s': is it a ResourceManager?",
                     cli_rm_url(c->rm), path, member);
}

int cli_rm_kill(struct cli *c, const char *app_id, char **state, bool *late)
{
    char *path = base_printf("/ws/v1/cluster/apps/%s/state", app_id);
    json_t *body = json_pack("{s:s}", "state", "KILLED");
    struct cli_answer a = {0};
    int rc = cli_rm_call(c->rm, "PUT", path, body, 0, &a);
    json_decref(body);
    free(path);
    if (rc != CLI_OK)
        return cli_rm_fail(&a, rc);
    *late = a.status == 200 && cli_state_ended(cli_str(a.json, "state"));
    *state = base_strdup(cli_str(a.json, "state"));
    cli_answer_free(&a);
    return CLI_OK;
}

bool cli_state_ended(const char *state)
{
    return strcmp(state, "FINISHED") == 0 || strcmp(state, "FAILED") == 0 || strcmp(state, "KILLED") == 0;
}

char *cli_app_id_of(const char *id)
{
    struct base_app_id app;
    struct base_attempt_id attempt;
    struct base_container_id container;
    struct base_task_id task;
    char text[BASE_ID_TEXT_MAX];
    if (strncmp(id, "job_", 4) == 0) { /* Hadoop's name of the same thing */
        char *renamed = base_printf("application_%s", id + 4);
        char *result = cli_app_id_of(renamed);
        free(renamed);
        return result;
    }
    if (base_app_id_parse(id, &app, NULL) == 0)
        ;
    else if (base_attempt_id_parse(id, &attempt, NULL) == 0)
        app = attempt.app;
    else if (base_container_id_parse(id, &container, NULL) == 0)
        app = container.attempt.app;
    else if (base_task_id_parse(id, &task, NULL) == 0)
        app = task.app;
    else
        return NULL;
    return base_strdup(base_app_id_text(&app, text));
}

char *cli_app_id_check(const char *id, const char *what)
{
    if (!id) {
        cli_error(CLI_USAGE, "an id is missing; see %s --help", what);
        return NULL;
    }
    char *app = cli_app_id_of(id);
    if (!app)
        cli_error(CLI_USAGE, "'%s' is not an id such as application_1700000000000_0001", id);
    return app;
}

int cli_app_ids_check(char *const *ids, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char *app = cli_app_id_check(ids[i], "");
        if (!app)
            return CLI_USAGE;
        free(app);
    }
    return CLI_OK;
}
