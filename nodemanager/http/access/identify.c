#include "nodemanager/http/access/identify.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "api/audit/audit.h"
#include "api/server/session.h"
#include "api/wire/identify.h"
#include "base/crypto/digest.h"
#include "base/crypto/keyring.h"
#include "base/crypto/log_token.h"
#include "base/io/http_client.h"
#include "base/mailbox.h"
#include "nodemanager/daemon/daemon.h"
#include "nodemanager/http/access/log_token.h"
#include "nodemanager/http/site.h"

#define PATH         "/ws/v1/nodetracker/identify"
#define CONNECT_MS   1000
#define ANSWER_MS    3000
#define ANSWER_MAX   65536
#define DIGEST_BYTES BASE_SHA256_BYTES
#define NOT_VALID    "the token is not valid; the ResourceManager's audit log says why"

/* Only the digest of a token is kept, so that neither a copy of the memory nor the duration of a
 * comparison reveals the token. */
struct identity {
    unsigned char digest[DIGEST_BYTES];
    char *user;       /* NULL: the token is not valid */
    int64_t until_us; /* 0: the place is empty */
};
struct question {
    struct base_mail mail;
    struct api_request *rq;
    unsigned char digest[DIGEST_BYTES];
    char token[WIRE_TOKEN_MAX + 1];
    bool begins_session;    /* with the token; otherwise the request waits for its user */
    struct api_login login; /* what the answer is about then */
};
struct nm_identifier {
    struct base_keyring *keys; /* NULL: requests are not signed */
    struct base_rm_list rms;
    struct base_rm_cursor turn;
    struct base_http *http;
    struct base_mailbox box;
    pthread_t thread;
    bool running;

    pthread_mutex_t lock;
    bool stopping;
    unsigned waiting;
    struct identity kept[NM_IDENTITIES_MAX];
};

/* ---------------------------------------------------------------- what is known */
static struct identity *get_cache_slot(struct nm_identifier *i,
                                       const unsigned char digest[static DIGEST_BYTES])
{
    return &i->kept[(digest[0] | digest[1] << 8) % NM_IDENTITIES_MAX];
}

static enum api_token look_up_kept_identity(struct nm_identifier *i,
                                            const unsigned char digest[static DIGEST_BYTES],
                                            char **name)
{
    struct identity *place = get_cache_slot(i, digest);
    enum api_token answer = API_TOKEN_UNKNOWN;

    pthread_mutex_lock(&i->lock);
    if (place->until_us > nm_now_us() && memcmp(place->digest, digest, DIGEST_BYTES) == 0) {
        answer = place->user ? API_TOKEN_VALID : API_TOKEN_REFUSED;
        *name = base_strdup(place->user);
    }
    pthread_mutex_unlock(&i->lock);
    return answer;
}

int64_t nm_identity_choose_kept_ms(const char *token, int64_t valid_ms)
{
    if (valid_ms <= 0)
        return api_is_session_text(token) ? NM_REFUSED_SESSION_KEPT_MS : NM_IDENTITY_KEPT_MS;
    return valid_ms < NM_IDENTITY_KEPT_MS ? valid_ms : NM_IDENTITY_KEPT_MS;
}

/* Keeps the answer about a token. @user NULL: the token is not valid. */
static void keep_identity(struct nm_identifier *i, const unsigned char digest[static DIGEST_BYTES],
                          const char *user, int64_t kept_ms)
{
    struct identity *place = get_cache_slot(i, digest);

    pthread_mutex_lock(&i->lock);
    free(place->user);
    memcpy(place->digest, digest, DIGEST_BYTES);
    place->user = base_strdup(user);
    place->until_us = nm_now_us() + kept_ms * 1000;
    pthread_mutex_unlock(&i->lock);
}

/* ---------------------------------------------------------------- asking */
/* Asks one RM. Returns 0 when it has answered as the leader; otherwise -BASE_EAGAIN, with the
 * target of a redirect in @out->location. */
static int ask_current_rm(struct nm_identifier *i, const struct base_buf *body,
                          struct base_http_answer *out)
{
    char *url = base_printf("%s" PATH, base_rm_cursor_url(&i->turn));
    struct base_http_request rq = {.method = "POST",
                                   .url = url,
                                   .body = body->data,
                                   .body_len = body->len,
                                   .keys = i->keys,
                                   .connect_timeout_ms = CONNECT_MS,
                                   .timeout_ms = ANSWER_MS,
                                   .body_max = ANSWER_MAX};
    int rc = base_http_perform(i->http, &rq, out, NULL);

    free(url);
    return rc == 0 && (out->status == 200 || out->status == 404) ? 0 : -BASE_EAGAIN;
}

/* Returns 0 with the leader's answer in @out, or -BASE_EAGAIN when no RM answers as the
 * leader. */
static int ask_rms_until_leader(struct nm_identifier *i, const struct base_buf *body,
                                struct base_http_answer *out)
{
    bool more = true;

    while (more && ask_current_rm(i, body, out) < 0) {
        more = out->status == 307 && out->location[0]
                   ? base_rm_cursor_follow_redirect(&i->turn, out->location)
                   : base_rm_cursor_fail_and_advance(&i->turn);
        base_http_answer_free(out);
        *out = (struct base_http_answer){0};
    }
    if (more)
        base_rm_cursor_note_success(&i->turn);
    return more ? 0 : -BASE_EAGAIN;
}

/* Asks about the token. Returns false when no RM could tell. @out: without a user, the token is
 * not valid; free it with wire_identity_free() in any case. */
static bool ask(struct nm_identifier *i, const struct question *q, struct wire_identity *out)
{
    struct base_http_answer answer = {0};
    struct base_buf body = {0};
    bool told = false;

    *out = (struct wire_identity){0};
    wire_identify_put(
        &(struct wire_identify){.token = q->token, .begins_session = q->begins_session}, &body);
    if (ask_rms_until_leader(i, &body, &answer) == 0)
        told = answer.status == 404 || wire_identity_get(answer.body.data ? answer.body.data : "",
                                                         answer.body.len, out, NULL) == 0;
    base_http_answer_free(&answer);
    base_buf_free(&body);
    return told;
}

/* Asks whose the token is, and keeps the answer. Returns false when no RM could tell. */
static bool ask_and_keep(struct nm_identifier *i, const struct question *q)
{
    struct wire_identity m;
    bool told = ask(i, q, &m);

    if (told)
        keep_identity(i, q->digest, m.user,
                      nm_identity_choose_kept_ms(q->token, m.user ? m.valid_ms : 0));
    wire_identity_free(&m);
    return told;
}

/* ---------------------------------------------------------------- requests */
static void answer_unavailable(struct api_request *rq)
{
    api_add_header(rq, "Retry-After", "1");
    api_answer_error(rq, 503, "ServiceUnavailableException",
                     "No ResourceManager says whose the token is; try again");
}

static void settle_user_and_continue(struct nm_identifier *i, struct question *q, bool stopping)
{
    char *name = NULL;
    enum api_token answer = look_up_kept_identity(i, q->digest, &name);

    if (answer == API_TOKEN_UNKNOWN && !stopping && ask_and_keep(i, q))
        answer = look_up_kept_identity(i, q->digest, &name);
    if (answer == API_TOKEN_UNKNOWN) { /* also if the answer that was kept has expired just now */
        answer_unavailable(q->rq);
    } else {
        if (answer == API_TOKEN_REFUSED)
            api_audit_note_bad_proof(q->rq, NOT_VALID);
        api_settle_user(q->rq, name);
        api_continue_handling(q->rq);
    }
    free(name);
}

static void answer_login(struct nm_identifier *i, struct question *q, bool stopping)
{
    struct wire_identity m = {0};

    if (stopping || !ask(i, q, &m)) {
        answer_unavailable(q->rq);
    } else if (m.user && m.session) {
        api_audit_add_member(q->rq, "of", m.user);
        api_login_begin_session_and_lead_on(q->rq, &nm_site, m.session, m.valid_ms / 1000,
                                            &q->login);
    } else {
        api_audit_mark_forbidden(q->rq, NOT_VALID);
        api_login_answer_token_refused(q->rq, &nm_site, &q->login);
    }
    wire_identity_free(&m);
}

static void free_question(struct question *q)
{
    api_login_free(&q->login);
    explicit_bzero(q->token, sizeof q->token);
    free(q);
}

static void handle(struct nm_identifier *i, struct question *q)
{
    bool stopping;

    pthread_mutex_lock(&i->lock);
    stopping = i->stopping;
    i->waiting--;
    pthread_mutex_unlock(&i->lock);
    if (q->begins_session)
        answer_login(i, q, stopping);
    else
        settle_user_and_continue(i, q, stopping);
    free_question(q);
}

static void *run_thread(void *u)
{
    struct nm_identifier *i = u;
    struct base_mail *mail;

    while ((mail = base_mailbox_take(&i->box, INT64_MAX)))
        handle(i, (struct question *)mail);
    return NULL;
}

enum api_token nm_check_token(struct api_request *rq, const char *token, void *user, char **name)
{
    struct nm *nm = user;
    unsigned char digest[DIGEST_BYTES];
    enum api_token answer = API_TOKEN_REFUSED;

    if (base_has_log_token_form(token))
        return nm_log_token_check(rq, nm, token, name);
    if (strlen(token) <= WIRE_TOKEN_MAX) {
        base_sha256(token, strlen(token), digest);
        answer = look_up_kept_identity(nm->identifier, digest, name);
    }
    if (answer == API_TOKEN_REFUSED)
        api_audit_note_bad_proof(rq, NOT_VALID);
    return answer;
}

/* Returns false when too many requests wait already. */
static bool count_waiting_unless_too_many(struct nm_identifier *i)
{
    bool ok;

    pthread_mutex_lock(&i->lock);
    ok = i->waiting < NM_IDENTIFY_WAITING_MAX;
    i->waiting += ok;
    pthread_mutex_unlock(&i->lock);
    return ok;
}

/* Parks the request until the thread has asked about its @token, which is not longer than
 * WIRE_TOKEN_MAX. @login: taken; NULL: the request waits for its user. */
static void park_until_asked(struct nm_identifier *i, struct api_request *rq, const char *token,
                             struct api_login *login)
{
    struct question *q = base_alloc(sizeof *q);

    q->rq = rq;
    memcpy(q->token, token, strlen(token));
    base_sha256(token, strlen(token), q->digest);
    if (login) {
        q->begins_session = true;
        q->login = *login;
        *login = (struct api_login){0};
    }
    api_park(rq);
    if (!count_waiting_unless_too_many(i) || !base_mailbox_post(&i->box, &q->mail)) {
        answer_unavailable(rq);
        free_question(q);
    }
}

bool nm_identify_park_if_unsettled(struct api_request *rq, void *user)
{
    struct nm *nm = user;

    if (!api_user_is_unsettled(rq))
        return false;
    park_until_asked(nm->identifier, rq, api_bearer_token(rq), NULL);
    return true;
}

void nm_identify_begin_session(struct nm *nm, struct api_request *rq, struct api_login *login)
{
    static_assert(API_LOGIN_TOKEN_MAX <= WIRE_TOKEN_MAX, "the form's tokens can be asked about");
    park_until_asked(nm->identifier, rq, login->token, login);
}

/* ---------------------------------------------------------------- start and stop */
static int copy_list(const struct base_rm_list *from, struct base_rm_list *to,
                     struct base_error *err)
{
    char *text = base_rm_list_to_text(from);
    int rc = base_rm_list_add_text("the ResourceManagers", text, to, err);

    free(text);
    return rc;
}

int nm_identifier_start(const struct base_rm_list *rms, struct base_keyring *keys,
                        struct nm_identifier **out, struct base_error *err)
{
    struct nm_identifier *i = base_alloc(sizeof *i);
    int rc = copy_list(rms, &i->rms, err);

    i->keys = base_keyring_ref(keys);
    i->http = base_http_new();
    base_rm_cursor_init(&i->turn, &i->rms);
    i->turn.listed_only = true; /* the question carries secrets */
    base_mailbox_init(&i->box);
    pthread_mutex_init(&i->lock, NULL);
    if (rc == 0) {
        int failed = pthread_create(&i->thread, NULL, run_thread, i);

        i->running = failed == 0;
        rc = failed ? base_error_sys(err, -BASE_EIO, failed, "thread") : 0;
    }
    if (rc < 0) {
        nm_identifier_free(i);
        return rc;
    }
    pthread_setname_np(i->thread, "identify");
    *out = i;
    return 0;
}

void nm_identifier_stop(struct nm_identifier *i)
{
    if (!i || !i->running)
        return;
    pthread_mutex_lock(&i->lock);
    i->stopping = true;
    pthread_mutex_unlock(&i->lock);
    base_mailbox_close(&i->box);
    base_http_cancel(i->http);
    pthread_join(i->thread, NULL);
    i->running = false;
}

void nm_identifier_free(struct nm_identifier *i)
{
    if (!i)
        return;
    nm_identifier_stop(i);
    for (size_t k = 0; k < NM_IDENTITIES_MAX; k++)
        free(i->kept[k].user);
    base_mailbox_destroy(&i->box);
    pthread_mutex_destroy(&i->lock);
    base_http_free(i->http);
    base_rm_cursor_free(&i->turn);
    base_rm_list_free(&i->rms);
    base_keyring_unref(i->keys);
    free(i);
}
