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
#include "rm/leader/standby.h"

#define HEX "0123456789abcdef"

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

static char *find_stored_user(struct rm_backend *b, const char *token, int64_t *expires_us,
                              struct base_buf *why)
{
    struct rm_token_view v = {0};
    char digest[RM_TOKEN_HEX + 1];
    const char *secret;
    uint64_t id;
    int rc;

    if (!parse_token(token, &id, &secret)) {
        base_buf_adds(why, "the token has not the form of one");
        return NULL;
    }
    rc = rm_view_user_token(rm_backend_lock_core(b), id, &v);
    rm_backend_unlock_core(b);
    digest_secret(secret, digest);
    if (rc < 0)
        base_buf_addf(why, "there is no token %016" PRIx64 "; it may have been revoked", id);
    else if (!base_secret_equal(digest, v.digest))
        base_buf_addf(why, "the secret of token %016" PRIx64 " of %s is wrong", id, v.user);
    else if (v.expires_us <= rm_backend_now_us(b))
        base_buf_addf(why, "token %016" PRIx64 " of %s has expired", id, v.user);
    else {
        *expires_us = v.expires_us;
        return v.user;
    }
    free(v.user);
    return NULL;
}

char *rm_identify_user(struct rm_backend *b, const char *token, int64_t *expires_us,
                       struct base_buf *why)
{
    char *user = find_stored_user(b, token, expires_us, why);

    /* last, since this check of a token that no user has may read the token file */
    if (user || !rm_own_token_accepts(rm_backend_own_token(b), token))
        return user;
    base_buf_clear(why);
    *expires_us = INT64_MAX;
    return base_strdup(base_process_user());
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
        api_audit_mark_forbidden(rq, why.data);
    base_buf_free(&why);
    return *name ? API_TOKEN_VALID : API_TOKEN_REFUSED;
}
