/* base/crypto/container_token.h - the token of one container, with which its processes prove which
 * container they belong to.
 *
 *   <container id>@<expiry, ms since 1970>.<64 hex digits of a key>
 *   key = HMAC-SHA256(secret of the application, "creel-container-1\n" container "@" expiry)
 *
 * The secret of an application is stored with the application by the ResourceManager, and known to
 * the nodes that have run its containers, so both can compute the key from the open part (all
 * before the period), and no container can compute the key of another. The open part names the key
 * in signed requests (base/crypto/signature.h). The node renews the token while the container
 * lives. */
#ifndef CREEL_BASE_CRYPTO_CONTAINER_TOKEN_H
#define CREEL_BASE_CRYPTO_CONTAINER_TOKEN_H

#include <stdint.h>

#include "base/crypto/secret_file.h"
#include "base/id.h"

#define BASE_CONTAINER_TOKEN_MAX (BASE_KEY_ID_MAX + 2 * BASE_KEY_BYTES + 2)
/* No token is valid for longer than this, whoever made it. */
#define BASE_CONTAINER_TOKEN_LIFE_MAX_MS (INT64_C(24) * 3600 * 1000)

/* Writes the token of @id. Returns @out. */
const char *base_container_token_make(const char *app_secret, const struct base_container_id *id,
                                      int64_t expiry_ms, char out[static BASE_CONTAINER_TOKEN_MAX]);
/* Reads the open part of a token, which names its key. Returns false when @key_id is not such a
 * name, or the token is not valid at @now_ms: it has expired, or would live too long. */
bool base_container_token_read_valid_id(const char *key_id, int64_t now_ms,
                                        struct base_container_id *out);
/* Computes the key that @key_id names. An application without a secret ("") has none: false. */
bool base_container_token_derive_key(const char *app_secret, const char *key_id,
                                     struct base_key *out);
/* Splits a token, such as the content of a token file, into the key and its name. Blanks at the end
 * are ignored. Returns false when @token has another form. */
bool base_container_token_parse_key(const char *token, struct base_key *out);

#endif
