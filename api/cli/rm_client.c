/* api/cli/rm_client.c - sends requests to RMs. One request passes through four layers:
 * call_patiently() repeats rounds, call_each_rm_once() runs one round, call_url() sends one
 * request, classify_answer() classifies the answer. */
#include "api/cli/rm_client.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <unistd.h>

#include "api/cli/interrupt.h"
#include "api/cli/text/text.h"
#include "api/cli/token/token_file.h"
#include "base/clock.h"
#include "base/io/http_client.h"

enum {
    PATIENCE_MS = 60000,
    ANNOUNCE_WAIT_MS = 1000, /* time without an answer before the user learns that the call waits */
    PAUSE_FIRST_MS = 50,
    PAUSE_MAX_MS = 1000,
    CONNECT_MS = 3000,
    SOON_MS = 5000,
    RELAYED_MS = 12000, /* an RM allows a node 10 s (RM_RELAY_ANSWER_MS), then reports it silent */
    READ_MS = 2000,     /* with several RMs: time for one to answer a GET */
    CHANGE_MS = 5000,   /* with several RMs: time for one to carry out a change */
    ANSWER_MAX_MS = 60000,
    SILENCE_MS = 5000, /* after this time without an acknowledgement the peer is considered gone */
};

struct cli_rm {
    struct base_http *http;
    struct base_rm_list list;
    struct base_rm_cursor turn;
    char *user;
    struct cli_token token;
    bool negotiates;     /* without a token: creel.auth is spnego */
    bool wait_announced; /* the user has been informed that the call waits */
    bool not_rm; /* the last server asked is not an RM; after a round: none of those asked is one */
    bool standby; /* the last answer came from a standby */
    bool refused; /* the last answer is an error that repeating would not change */
    bool several; /* more than one RM is listed, or an RM has answered as a standby */
    int64_t failed_requests;
    void (*on_wait)(void *user);
    void *on_wait_user;
};

/* Returns the user for ?user.name=: $HADOOP_USER_NAME, else the login name, else the uid. Caller
 * frees. */
static char *get_user_name(void)
{
    const char *name = getenv("HADOOP_USER_NAME");
    if (name && *name)
        return base_strdup(name);
    const struct passwd *pw = getpwuid(geteuid());
    return pw ? base_strdup(pw->pw_name) : base_printf("%u", (unsigned)geteuid());
}

int cli_rm_open(struct cli *c)
{
    struct base_rm_list list;
    struct cli_token token;
    struct base_error err = {0};
    if (cli_rm_list_read(c, &list) != CLI_OK)
        return CLI_USAGE;
    if (cli_token_find(&list, &token, &err) < 0) {
        cli_token_clear(&token);
        base_rm_list_free(&list);
        return cli_error(CLI_USAGE, "%s", err.text);
    }
    cli_trust_authority(c, &list);
    struct cli_rm *rm = base_alloc(sizeof *rm);
    rm->list = list;
    rm->token = token;
    rm->negotiates = strcmp(base_conf_get(c->conf, "creel.auth"), "spnego") == 0;
    base_rm_cursor_init(&rm->turn, &rm->list);
    rm->several = list.n > 1;
    rm->http = base_http_new();
    rm->user = get_user_name();
    c->rm = rm;
    return CLI_OK;
}

void cli_rm_close(struct cli_rm *rm)
{
    if (!rm)
        return;
    base_http_free(rm->http);
    base_rm_cursor_free(&rm->turn);
    base_rm_list_free(&rm->list);
    cli_token_clear(&rm->token);
    free(rm->user);
    free(rm);
}

const char *cli_rm_token(const struct cli_rm *rm)
{
    return rm->token.text;
}

bool cli_rm_negotiates(const struct cli_rm *rm)
{
    return rm->negotiates && !rm->token.text;
}

bool cli_rm_reload_token(struct cli_rm *rm)
{
    return cli_token_reload(&rm->token);
}

const char *cli_rm_user(const struct cli_rm *rm)
{
    return rm->user;
}

const char *cli_rm_url(const struct cli_rm *rm)
{
    return base_rm_cursor_url(&rm->turn);
}

int64_t cli_rm_count_failed_requests(const struct cli_rm *rm)
{
    return rm->failed_requests;
}

void cli_rm_set_wait_notice(struct cli_rm *rm, void (*on_wait)(void *user), void *user)
{
    rm->on_wait = on_wait;
    rm->on_wait_user = user;
}

const struct base_rm_list *cli_rm_addresses(const struct cli_rm *rm)
{
    return &rm->list;
}

void cli_answer_free(struct cli_answer *a)
{
    base_buf_free(&a->text);
    json_decref(a->json);
    free(a->error);
    *a = (struct cli_answer){0};
}

/* Returns the part of @text after the names of Java classes ("java.lang.…: ") with which a message
 * of YARN may begin. */
static const char *skip_java_class(const char *text)
{
    for (;;) {
        const char *end = strstr(text, ": ");
        bool class =
            end && (strncmp(text, "java.", 5) == 0 || strncmp(text, "org.apache.", 11) == 0 ||
                    strncmp(text, "javax.", 6) == 0 || strncmp(text, "com.sun.", 8) == 0);
        if (!class || memchr(text, ' ', (size_t)(end - text)))
            return text;
        text = end + 2;
    }
}

/* Returns true when some other server has answered: with these statuses an RM sends a
 * RemoteException. (Other statuses may come from a proxy in front of the RM.) */
static bool is_error_of_other_server(long status, const json_t *body)
{
    bool plain = status / 100 == 3 || status == 404 || status == 405 || status == 501;
    return plain && !json_object_get(body, "RemoteException");
}

/* Returns the message of an error answer in one line, which the caller frees; NULL when neither an
 * RM nor an NM sent the answer. */
static char *copy_error_text(long status, const struct base_buf *body)
{
    json_t *j = body->len ? json_loadb(body->data, body->len, 0, NULL) : NULL;
    const char *message = cli_str(j, "RemoteException.message");
    const char *exception = cli_str(j, "RemoteException.exception");
    struct base_buf line = {0};
    if (is_error_of_other_server(status, j)) {
        json_decref(j);
        return NULL;
    }
    if (*message)
        cli_text_add_clean(skip_java_class(message), &line);
    else if (*exception)
        cli_text_add_clean(exception, &line);
    else if (!j && body->len && body->data[0] != '<')
        cli_text_add_clean(body->data, &line);
    if (line.len == 0)
        base_buf_addf(&line, "the ResourceManager answered with status %ld", status);
    json_decref(j);
    return base_buf_take(&line);
}

static int exit_code_of_status(long status)
{
    if (status >= 200 && status < 300)
        return CLI_OK;
    if (status == 404)
        return CLI_NOTFOUND;
    return status >= 400 && status < 500 ? CLI_USAGE : CLI_UNREACHABLE;
}

static char *make_not_rm_text(const char *url, long status)
{
    return base_printf(
        "%.*s answered with status %ld, unlike a ResourceManager: is it a ResourceManager?",
        (int)strcspn(url, "?"), url, status);
}

/* Returns a copy of an error of base_http_perform() without the "METHOD URL: " that it begins with.
 */
static char *copy_error_without_request(const char *text, const char *method, const char *url)
{
    size_t method_len = strlen(method), url_len = strlen(url);
    bool named = strncmp(text, method, method_len) == 0 && text[method_len] == ' ' &&
                 strncmp(text + method_len + 1, url, url_len) == 0 &&
                 strncmp(text + method_len + 1 + url_len, ": ", 2) == 0;
    return base_strdup(named ? text + method_len + url_len + 3 : text);
}

/* Sends the request. Returns true when an answer came; otherwise sets *reason to the cause (the
 * caller frees it), or to NULL when a signal ended the request. */
static bool send_request(struct cli_rm *rm, const struct base_http_request *rq,
                         struct base_http_answer *answer, char **reason)
{
    struct base_error err = {0};
    cli_interrupt_cancel_on_signal(rm->http);
    bool ok = base_http_perform(rm->http, rq, answer, &err) >= 0;
    bool signalled = cli_interrupt_stop_cancelling();
    if (signalled) { /* the cancellation may have come too late, and would end the next request */
        base_http_free(rm->http);
        rm->http = base_http_new();
    }
    *reason = ok || signalled ? NULL : copy_error_without_request(err.text, rq->method, rq->url);
    return ok;
}

/* Returns true when a standby sent the answer; YARN's clients recognise one by the same texts. */
static bool is_standby_answer(const struct base_buf *text)
{
    static const char *const words[] = {"This is standby RM", "Can not find any active RM",
                                        "There is no active RM right now"};
    for (size_t i = 0; text->len && i < sizeof words / sizeof *words; i++)
        if (strncmp(text->data, words[i], strlen(words[i])) == 0)
            return true;
    return false;
}

/* Returns true for a 5xx that any other RM would answer too: YARN's answer to a request that it
 * cannot parse, and the report that a node cannot be reached. */
static bool is_final_refusal(long status, const struct base_buf *body)
{
    static const char *const classes[] = {"java.lang.", "javax.", "com.sun.",
                                          "creel.BadGatewayException",
                                          "creel.GatewayTimeoutException"};
    json_t *j = status >= 500 && body->len ? json_loadb(body->data, body->len, 0, NULL) : NULL;
    const char *class = cli_str(j, "RemoteException.javaClassName");
    bool found = false;
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        found = found || strncmp(class, classes[i], strlen(classes[i])) == 0;
    json_decref(j);
    return found;
}

/* Classifies the answer in @out, fills its error or JSON, and sets @rm's flags about the last
 * answer. YARN may answer a change with nothing but the status. @reason: X-Creel-Reason, or "".
 * Returns what cli_rm_call() does. */
static int classify_answer(struct cli_rm *rm, const char *method, const char *url,
                           const char *reason, struct cli_answer *out)
{
    int rc = exit_code_of_status(out->status);
    rm->standby = (out->status == 307 || out->status == 200) && is_standby_answer(&out->text);
    rm->refused = is_final_refusal(out->status, &out->text);
    rm->not_rm = false;
    if (rm->standby) {
        rm->several = true;
        out->error = base_printf("%.*s is a standby", (int)base_rm_url_base_len(url), url);
        return CLI_UNREACHABLE;
    }
    if (rm->refused && *reason) {
        struct base_buf line = {0};
        cli_text_add_clean(reason, &line);
        out->error = base_buf_take(&line);
        return CLI_USAGE;
    }
    if (rc != CLI_OK)
        out->error = copy_error_text(out->status, &out->text);
    else if (out->text.len)
        out->json = json_loadb(out->text.data, out->text.len, 0, NULL);
    bool done = rc == CLI_OK && out->text.len == 0 && strcmp(method, "GET") != 0;
    rm->not_rm = rc == CLI_OK ? !done && !json_is_object(out->json) : !out->error;
    if (!out->error)
        out->error = rm->not_rm ? make_not_rm_text(url, out->status) : base_strdup("");
    return rm->not_rm ? CLI_UNREACHABLE : rc;
}

/* Returns true when @url is that of an RM as given: a redirect may lead elsewhere. */
static bool is_listed_rm(const struct cli_rm *rm, const char *url)
{
    size_t n = base_rm_url_base_len(url);
    for (size_t i = 0; i < rm->list.n; i++)
        if (base_rm_url_base_len(rm->list.url[i]) == n && strncasecmp(rm->list.url[i], url, n) == 0)
            return true;
    return false;
}

/* Returns the explanation of a 401 that asks for a token, to replace the server's text. @sent: the
 * request had a token. Caller frees. */
static char *explain_token_refusal(const struct cli_rm *rm, const char *url, bool sent)
{
    int n = (int)base_rm_url_base_len(url);
    char *places, *text;
    if (sent)
        return base_printf("%.*s refuses the token in %s: it is wrong, has expired or was revoked",
                           n, url, rm->token.path);
    if (rm->negotiates && !rm->token.text)
        return base_printf("%.*s wants a Kerberos ticket, which kinit gets, or a token: there is "
                           "none that it accepts",
                           n, url);
    if (rm->token.text)
        return base_printf("%.*s wants a token, but is not among the addresses given, to which "
                           "alone it is sent",
                           n, url);
    places = cli_token_describe_places();
    text = base_printf("%.*s wants a token, and there is none in %s; its administrator makes one "
                       "with creel token --new --user %s",
                       n, url, places, rm->user);
    free(places);
    return text;
}

/* Sends one request to one URL, with the token @bearer (NULL: none). @location (1024 bytes, or
 * NULL) becomes the target of a redirect, or "". Returns what cli_rm_call() does. */
static int call_url(struct cli_rm *rm, const char *method, const char *url, const char *bearer,
                    const struct base_buf *body, int64_t timeout_ms, char *location,
                    struct cli_answer *out)
{
    struct base_http_request rq = {
        .bearer = bearer,
        .negotiate = !bearer && cli_rm_negotiates(rm) && is_listed_rm(rm, url),
        .method = method,
        .url = url,
        .body = body->data,
        .body_len = body->len,
        .connect_timeout_ms = CONNECT_MS,
        .timeout_ms = timeout_ms,
        .silence_ms = SILENCE_MS,
    };
    struct base_http_answer answer = {0};
    bool for_node = bearer && bearer != rm->token.text; /* a log token */
    int rc;
    cli_answer_free(out);
    rm->standby = rm->refused = rm->not_rm = false;
    if (location)
        *location = '\0';
    if (!send_request(rm, &rq, &answer, &out->error))
        return out->error ? CLI_UNREACHABLE : CLI_INTERRUPTED;
    if (answer.status == 401 && bearer && !for_node && cli_rm_reload_token(rm)) {
        base_http_answer_free(&answer);
        rq.bearer = rm->token.text;
        if (!send_request(rm, &rq, &answer, &out->error))
            return out->error ? CLI_UNREACHABLE : CLI_INTERRUPTED;
    }
    out->status = answer.status;
    snprintf(out->node, sizeof out->node, "%s", answer.node);
    out->text = answer.body;
    answer.body = (struct base_buf){0};
    if (location)
        snprintf(location, sizeof answer.location, "%s", answer.location);
    rc = classify_answer(rm, method, url, answer.reason, out);
    if (answer.status == 401 && !for_node &&
        (strncasecmp(answer.challenge, "Bearer", 6) == 0 ||
         strncasecmp(answer.challenge, "Negotiate", 9) == 0)) {
        free(out->error);
        out->error = explain_token_refusal(rm, url, rq.bearer);
    }
    base_http_answer_free(&answer);
    return rc;
}

static char *make_no_answer_text(const struct cli_rm *rm, const struct cli_answer *a)
{
    struct base_buf b = {0};
    bool standby = rm->standby;
    base_buf_adds(&b,
                  standby ? "no ResourceManager is active at " : "no ResourceManager answers at ");
    for (size_t i = 0; i < rm->list.n; i++)
        base_buf_addf(&b, "%s%s", i ? ", " : "", rm->list.url[i]);
    if (a->error && *a->error)
        base_buf_addf(&b, " (%s)", a->error);
    base_buf_adds(
        &b,
        standby
            ? "; is ZooKeeper running? (creel rmadmin status shows all ResourceManagers)"
            : "; is it running? (creel dev starts one; --rm or CREEL_RM names another address)");
    return base_buf_take(&b);
}

static char *build_url(const struct cli_rm *rm, const char *base, const char *path)
{
    struct base_buf url = {0};
    base_buf_addf(&url, "%s%s%cuser.name=", base, path, strchr(path, '?') ? '&' : '?');
    cli_uri_add_encoded(rm->user, &url);
    return base_buf_take(&url);
}

/* Returns how long one RM may take to answer; 0: the default of base/io/http_client.h. With several
 * RMs a stopped one must not delay the call for long. The time doubles with each round, since the
 * RM may be the active one and just slow. */
static int64_t get_answer_timeout_ms(const struct cli_rm *rm, const char *method, unsigned flags,
                                     int round)
{
    int64_t ms = strcmp(method, "GET") == 0 ? READ_MS : CHANGE_MS;
    if (flags & CLI_RM_RELAYED)
        return RELAYED_MS;
    if (!rm->several)
        return flags & CLI_RM_ONCE ? SOON_MS : 0;
    for (; round > 0 && ms < ANSWER_MAX_MS; round--)
        ms *= 2;
    return ms < ANSWER_MAX_MS ? ms : ANSWER_MAX_MS;
}

/* One round: asks each RM in turn until the active one answers. */
static int call_each_rm_once(struct cli_rm *rm, const char *method, const char *path,
                             const struct base_buf *body, unsigned flags, int round,
                             struct cli_answer *out)
{
    size_t asked = 0, not_rms = 0;
    bool more;
    do {
        char location[sizeof((struct base_http_answer *)0)->location];
        char *url = build_url(rm, base_rm_cursor_url(&rm->turn), path);
        const char *token = is_listed_rm(rm, url) ? rm->token.text : NULL;
        int rc = call_url(rm, method, url, token, body,
                          get_answer_timeout_ms(rm, method, flags, round), location, out);
        free(url);
        if (rc == CLI_INTERRUPTED)
            return rc;
        if (rc != CLI_UNREACHABLE || rm->refused) {
            base_rm_cursor_note_success(&rm->turn);
            return rc;
        }
        asked++;
        not_rms += rm->not_rm;
        rm->failed_requests++;
        more = rm->standby && *location ? base_rm_cursor_follow_redirect(&rm->turn, location)
                                        : base_rm_cursor_fail_and_advance(&rm->turn);
    } while (more);
    rm->not_rm = not_rms == asked;
    return CLI_UNREACHABLE;
}

/* Returns a random time from @ms/2 to @ms, so that waiting clients do not all ask again at once. */
static int64_t pick_jittered_ms(int64_t ms)
{
    uint32_t random = 0;
    (void)!getrandom(&random, sizeof random, GRND_NONBLOCK);
    return ms / 2 + (int64_t)(random % (uint32_t)(ms / 2 + 1));
}

static void print_or_notify_wait(struct cli_rm *rm)
{
    rm->wait_announced = true;
    if (rm->on_wait)
        rm->on_wait(rm->on_wait_user);
    else
        cli_rm_print_waiting(rm);
}

/* Repeats rounds until one is answered, for as long as @flags and the number of RMs allow. */
static int call_patiently(struct cli_rm *rm, const char *method, const char *path,
                          const struct base_buf *body, unsigned flags, struct cli_answer *out)
{
    int64_t start = base_mono_us(&base_clock_real), wait_ms = PAUSE_FIRST_MS;
    for (int round = 0;; round++) {
        int rc = call_each_rm_once(rm, method, path, body, flags, round, out);
        int64_t waited_ms = (base_mono_us(&base_clock_real) - start) / 1000;
        bool patient =
            !(flags & (CLI_RM_ONCE | CLI_RM_RELAYED)) && ((flags & CLI_RM_PATIENT) || rm->several);
        if (rc != CLI_UNREACHABLE || !patient || rm->not_rm || rm->refused ||
            waited_ms > PATIENCE_MS)
            return rc;
        if (!rm->wait_announced && waited_ms > ANNOUNCE_WAIT_MS)
            print_or_notify_wait(rm);
        if (cli_interrupt_sleep(pick_jittered_ms(wait_ms)))
            return CLI_INTERRUPTED;
        wait_ms = wait_ms * 2 > PAUSE_MAX_MS ? PAUSE_MAX_MS : wait_ms * 2;
    }
}

static void dump_json(const json_t *body, struct base_buf *text)
{
    char *dump = body ? json_dumps(body, JSON_COMPACT) : NULL;
    if (dump)
        base_buf_adds(text, dump);
    free(dump);
}

int cli_rm_call(struct cli_rm *rm, const char *method, const char *path, const json_t *body,
                unsigned flags, struct cli_answer *out)
{
    struct base_buf text = {0};
    dump_json(body, &text);
    int rc = call_patiently(rm, method, path, &text, flags, out);
    base_buf_free(&text);
    if (rc == CLI_UNREACHABLE && !rm->not_rm && !rm->refused) {
        char *why = make_no_answer_text(rm, out);
        free(out->error);
        out->error = why;
    } else if (rc != CLI_INTERRUPTED) {
        rm->wait_announced = false;
    }
    return rc;
}

int cli_rm_call_at(struct cli_rm *rm, const char *base, const char *method, const char *path,
                   const json_t *body, struct cli_answer *out)
{
    struct base_buf text = {0};
    char *url = build_url(rm, base, path);
    dump_json(body, &text);
    int rc = call_url(rm, method, url, rm->token.text, &text, SOON_MS, NULL, out);
    base_buf_free(&text);
    free(url);
    return rc;
}

void cli_rm_print_waiting(const struct cli_rm *rm)
{
    cli_error(0, rm->standby ? "no ResourceManager is active; retrying"
                             : "the ResourceManager does not answer; retrying");
}

int cli_rm_get_from_url(struct cli_rm *rm, const char *url, const char *bearer,
                        struct cli_answer *out)
{
    struct base_buf none = {0};
    return call_url(rm, "GET", url, bearer, &none, SOON_MS, NULL, out);
}

int cli_answer_print_error_and_free(struct cli_answer *a, int rc)
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
        return cli_answer_print_error_and_free(&a, rc);
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
    return cli_error(CLI_UNREACHABLE,
                     "%s%s answered without the object '%s': is it a ResourceManager?",
                     cli_rm_url(c->rm), path, member);
}

int cli_rm_kill_app(struct cli *c, const char *app_id, char **state, bool *late)
{
    char *path = base_printf("/ws/v1/cluster/apps/%s/state", app_id);
    json_t *body = json_pack("{s:s}", "state", "KILLED");
    struct cli_answer a = {0};
    int64_t before = c->rm->failed_requests;
    int rc = cli_rm_call(c->rm, "PUT", path, body, 0, &a);
    json_decref(body);
    free(path);
    if (rc != CLI_OK)
        return cli_answer_print_error_and_free(&a, rc);
    *late = a.status == 200 && cli_state_is_final(cli_str(a.json, "state"));
    if (*late && c->rm->failed_requests != before &&
        strcmp(cli_str(a.json, "state"), "KILLED") == 0)
        *late = false; /* most likely an earlier try of this request killed the application, and
                          the answer to that try was lost */
    *state = base_strdup(cli_str(a.json, "state"));
    cli_answer_free(&a);
    return CLI_OK;
}

bool cli_state_is_final(const char *state)
{
    return strcmp(state, "FINISHED") == 0 || strcmp(state, "FAILED") == 0 ||
           strcmp(state, "KILLED") == 0;
}
