#include "rm/http/access/identify.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/audit/audit.h"
#include "base/acl/groups.h"
#include "base/crypto/digest.h"
#include "base/crypto/equal.h"
#include "base/crypto/hex.h"
#include "base/crypto/random.h"
#include "rm/daemon/own_token.h"
#include "rm/http/access/session.h"
#include "rm/leader/standby.h"

#define HEX       "0123456789abcdef"
#define SECOND_US INT64_C(1000000)

static void digest_secret(const char *secret, char out[static RM_TOKEN_HEX + 1])
{
    static_assert(BASE_SHA256_HEX == RM_TOKEN_HEX + 1, "a digest as the core takes it");
    base_sha256_hex(secret, strlen(secret), out);
}

void rm_make_token(uint64_t *id, char text[static RM_TOKEN_TEXT_MAX],
                   char digest[static RM_TOKEN_HEX + 1])
{
    unsigned char secret[RM_TOKEN_HEX / 2];

    do
        base_random_bytes(id, sizeof *id);
    while (*id == 0);
    base_random_bytes(secret, sizeof secret);
    snprintf(text, RM_TOKEN_TEXT_MAX, "%016" PRIx64 ".", *id);
    base_hex_encode(secret, sizeof secret, text + RM_TOKEN_ID_HEX + 1);
    explicit_bzero(secret, sizeof secret);
    digest_secret(text + RM_TOKEN_ID_HEX + 1, digest);
}

static bool parse_token(const char *token, uint64_t *id, const char **secret)
{
    if (strlen(token) != RM_TOKEN_TEXT_MAX - 1 || token[RM_TOKEN_ID_HEX] != '.' ||
        strspn(token, HEX) != RM_TOKEN_ID_HEX ||
        strspn(token + RM_TOKEN_ID_HEX + 1, HEX) != RM_TOKEN_HEX)
        return false;
    *id = strtoull(token, NULL, 16);
    *secret = token + RM_TOKEN_ID_HEX + 1;
    return true;
}

/* A token as the core, or the daemon itself, knows it. */
struct holder {
    char *user; /* owned; NULL: there is no such token */
    char digest[RM_TOKEN_HEX + 1];
    int64_t expires_us;
};

static struct holder find_own_token_holder(struct rm_backend *b, uint64_t id)
{
    char id_text[RM_TOKEN_ID_HEX + 1], text[RM_OWN_TOKEN_MAX];
    struct holder h = {.expires_us = INT64_MAX};

    snprintf(id_text, sizeof id_text, "%016" PRIx64, id);
    if (rm_own_token_find(rm_backend_own_token(b), id_text, text)) {
        h.user = base_strdup(base_process_user());
        digest_secret(text + RM_TOKEN_ID_HEX + 1, h.digest);
        explicit_bzero(text, sizeof text);
    }
    return h;
}

static struct holder find_token_holder(struct rm_backend *b, uint64_t id)
{
    struct rm_token_view v = {0};
    struct holder h = {0};
    int rc = rm_view_user_token(rm_backend_lock_core(b), id, &v);

    rm_backend_unlock_core(b);
    /* last, since looking for a token that no user has may read the token file */
    if (rc < 0)
        return find_own_token_holder(b, id);
    h.user = v.user;
    h.expires_us = v.expires_us;
    memcpy(h.digest, v.digest, sizeof h.digest);
    return h;
}

char *rm_find_token_user(struct rm_backend *b, uint64_t id, char digest[static RM_TOKEN_HEX + 1])
{
    struct holder h = find_token_holder(b, id);

    if (!h.user)
        return NULL;
    if (h.expires_us <= rm_backend_now_us(b)) {
        free(h.user);
        return NULL;
    }
    memcpy(digest, h.digest, sizeof h.digest);
    return h.user;
}

/* What a caller shows: a token, or a session that was begun with one. */
struct proof {
    const char *text;
    uint64_t token_id;
    const char *secret; /* NULL: a session */
    struct rm_session session;
};

static bool parse_proof(const char *text, struct proof *out)
{
    *out = (struct proof){.text = text};
    if (!api_is_session_text(text))
        return parse_token(text, &out->token_id, &out->secret);
    if (!rm_session_parse(text, &out->session))
        return false;
    out->token_id = out->session.token_id;
    return true;
}

static bool is_proof_genuine(const struct rm_backend *b, const struct proof *p,
                             const struct holder *h)
{
    char digest[RM_TOKEN_HEX + 1];

    if (!p->secret)
        return rm_session_is_genuine(rm_backend_auth(b), p->text, &p->session, h->digest);
    digest_secret(p->secret, digest);
    return base_secret_equal(digest, h->digest);
}

/* Returns the time when the proof expires. */
static int64_t find_expiry(const struct proof *p, const struct holder *h)
{
    int64_t session_us = p->secret ? INT64_MAX : p->session.expires_s * SECOND_US;

    return session_us < h->expires_us ? session_us : h->expires_us;
}

char *rm_identify_user(struct rm_backend *b, const char *text, int64_t *expires_us,
                       struct base_buf *why)
{
    const char *what = api_is_session_text(text) ? "session of token" : "token";
    struct proof p;
    struct holder h;

    if (!parse_proof(text, &p)) {
        base_buf_addf(why, "the %s is malformed", *what == 's' ? "session" : "token");
        return NULL;
    }
    h = find_token_holder(b, p.token_id);
    if (h.user)
        *expires_us = find_expiry(&p, &h);
    if (!h.user)
        base_buf_addf(why, "there is no token %016" PRIx64 "; it may have been revoked",
                      p.token_id);
    else if (!is_proof_genuine(b, &p, &h))
        base_buf_addf(why, "the secret of %s %016" PRIx64 " of %s is wrong", what, p.token_id,
                      h.user);
    else if (*expires_us <= rm_backend_now_us(b))
        base_buf_addf(why, "%s %016" PRIx64 " of %s has expired", what, p.token_id, h.user);
    else
        return h.user;
    free(h.user);
    return NULL;
}

char *rm_begin_session(struct rm_backend *b, const char *token, char text[API_SESSION_TEXT_MAX],
                       int64_t *seconds, struct base_buf *why)
{
    int64_t expires_us, now_us = rm_backend_now_us(b);
    int64_t longest_us = api_auth_get_validity_s(rm_backend_auth(b)) * SECOND_US;
    struct rm_session session;
    struct holder h;
    char *user;

    if (api_is_session_text(token)) {
        base_buf_adds(why, "a session was given in place of a token");
        return NULL;
    }
    user = rm_identify_user(b, token, &expires_us, why);
    if (!user)
        return NULL;
    if (expires_us - now_us > longest_us)
        expires_us = now_us + longest_us;
    session.token_id = strtoull(token, NULL, 16);
    session.expires_s = expires_us / SECOND_US;
    /* revoked meanwhile: nobody will accept the session */
    h = find_token_holder(b, session.token_id);
    free(h.user);
    rm_session_format_signed(rm_backend_auth(b), &session, h.digest, text);
    *seconds = session.expires_s - now_us / SECOND_US;
    return user;
}

enum api_token rm_identify_token(struct api_request *rq, const char *token, void *backend,
                                 char **name)
{
    struct rm_backend *b = backend;
    struct base_buf why = {0};
    int64_t expires_us;

    /* before the look at the core: a leader that steps down meanwhile loses the core's tokens */
    bool active = rm_standby_is_active(b);

    *name = rm_identify_user(b, token, &expires_us, &why);
    if (!*name && (!active || !rm_standby_is_active(b))) {
        base_buf_free(&why);
        return API_TOKEN_UNKNOWN;
    }
    if (!*name)
        api_audit_note_bad_proof(rq, why.data);
    base_buf_free(&why);
    return *name ? API_TOKEN_VALID : API_TOKEN_REFUSED;
}
