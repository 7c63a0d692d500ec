#include "base/crypto/container_token.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/crypto/digest.h"
#include "base/crypto/hex.h"
#include "base/io/io.h"
#include "base/mem.h"

bool base_container_token_derive_key(const char *app_secret, const char *key_id,
                                     struct base_key *out)
{
    char text[sizeof "creel-container-1\n" + BASE_KEY_ID_MAX];
    int n = snprintf(text, sizeof text, "creel-container-1\n%s", key_id);

    if (!app_secret || !*app_secret || n >= (int)sizeof text || strlen(key_id) >= BASE_KEY_ID_MAX)
        return false;
    snprintf(out->id, sizeof out->id, "%s", key_id);
    base_hmac_sha256(app_secret, strlen(app_secret), text, (size_t)n, out->bytes);
    return true;
}

const char *base_container_token_make(const char *app_secret, const struct base_container_id *id,
                                      int64_t expiry_ms, char out[static BASE_CONTAINER_TOKEN_MAX])
{
    char container[BASE_ID_TEXT_MAX], name[BASE_KEY_ID_MAX], hex[2 * BASE_KEY_BYTES + 1];
    struct base_key key;

    out[0] = '\0';
    snprintf(name, sizeof name, "%s@%" PRId64, base_container_id_text(id, container), expiry_ms);
    if (!base_container_token_derive_key(app_secret, name, &key))
        return out;
    snprintf(out, BASE_CONTAINER_TOKEN_MAX, "%s.%s", name,
             base_hex_encode(key.bytes, sizeof key.bytes, hex));
    explicit_bzero(&key, sizeof key);
    return out;
}

/* The name must be the one that would be printed for the parsed parts: each key has one name. */
bool base_container_token_read_valid_id(const char *key_id, int64_t now_ms,
                                        struct base_container_id *out)
{
    char container[BASE_ID_TEXT_MAX], again[BASE_KEY_ID_MAX];
    const char *at = strchr(key_id, '@');
    int64_t expiry_ms;

    if (!at || (size_t)(at - key_id) >= sizeof container ||
        base_int_parse(at + 1, 0, INT64_MAX, &expiry_ms) < 0)
        return false;
    memcpy(container, key_id, (size_t)(at - key_id));
    container[at - key_id] = '\0';
    if (base_container_id_parse(container, out, NULL) < 0)
        return false;
    snprintf(again, sizeof again, "%s@%" PRId64, base_container_id_text(out, container), expiry_ms);
    return strcmp(again, key_id) == 0 && expiry_ms > now_ms &&
           expiry_ms - now_ms <= BASE_CONTAINER_TOKEN_LIFE_MAX_MS;
}

bool base_container_token_parse_key(const char *token, struct base_key *out)
{
    const char *dot = strrchr(token, '.');
    size_t len = dot ? (size_t)(dot - token) : 0;

    if (len == 0 || len >= sizeof out->id ||
        !base_hex_decode(dot + 1, out->bytes, BASE_KEY_BYTES) ||
        dot[1 + 2 * BASE_KEY_BYTES + strspn(dot + 1 + 2 * BASE_KEY_BYTES, " \r\n")] != '\0')
        return false;
    memcpy(out->id, token, len);
    out->id[len] = '\0';
    return !strpbrk(out->id, ", \"\r\n");
}
