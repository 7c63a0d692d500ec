/* base/crypto/log_token.h - a token that opens reading of the logs of one container, or of all
 * containers of one application, for minutes: the ResourceManager gives it to a user who may see
 * the application, and NodeManagers check it by themselves. So no user's own token has to be sent
 * to a node.
 *
 *   log.<key>.<application or container>.<expiry, ms since 1970>.<user, in hex>.<64 hex digits>
 *   the last part = HMAC-SHA256(K, "creel-log-1\n" and the text before the last dot)
 *
 * K is a key of the cluster's secret, named by <key>, which both kinds of daemons have. Replacing
 * the secret therefore ends the tokens that were made with it. */
#ifndef CREEL_BASE_CRYPTO_LOG_TOKEN_H
#define CREEL_BASE_CRYPTO_LOG_TOKEN_H

#include <stdint.h>

#include "base/crypto/keyring.h"
#include "base/id.h"
#include "base/limits.h"
#include "base/mem.h"

#define BASE_LOG_TOKEN_QUERY "log-token" /* parameter of a query that takes the token */
/* No token is valid for longer than this, whoever made it. */
#define BASE_LOG_TOKEN_LIFE_MAX_MS (INT64_C(2) * 3600 * 1000)

struct base_log_token {
    char scope[BASE_ID_TEXT_MAX]; /* id of the application or container whose logs it opens */
    char user[BASE_NAME_MAX + 1]; /* to whom it was given */
};

/* Returns true when @text is meant to be a log token, valid or not: tokens of users and containers
 * have other forms. */
bool base_has_log_token_form(const char *text);
/* Appends a token. @scope: an id of an application or container; @user: up to BASE_NAME_MAX bytes.
 */
void base_log_token_make(const struct base_key *key, const char *scope, const char *user,
                         int64_t expiry_ms, struct base_buf *out);
/* Reads a token and checks it with the keys. Returns 0, or -BASE_EPERM with the reason, which is
 * for logs alone: it has another form, is made with another key, has expired at @now_ms, or was
 * changed. */
int base_log_token_read(struct base_keyring *keys, const char *text, int64_t now_ms,
                        struct base_log_token *out, struct base_error *err);
/* Returns true when the token opens the logs of @id, an application or a container. */
bool base_log_token_opens(const struct base_log_token *t, const char *id);

#endif
