#include "base/crypto/log_token.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/crypto/digest.h"
#include "base/crypto/equal.h"
#include "base/crypto/hex.h"
#include "base/io/io.h"

#define PREFIX     "log."
#define DOMAIN     "creel-log-1\n"
#define PART_BYTES (2 * BASE_NAME_MAX + 1)

bool base_has_log_token_form(const char *text)
{
    return strncmp(text, PREFIX, sizeof PREFIX - 1) == 0;
}

static void compute_mac(const struct base_key *key, const char *open, size_t len,
                        unsigned char out[static BASE_SHA256_BYTES])
{
    struct base_buf text = {0};

    base_buf_adds(&text, DOMAIN);
    base_buf_add(&text, open, len);
    base_hmac_sha256(key->bytes, sizeof key->bytes, text.data, text.len, out);
    base_buf_free(&text);
}

void base_log_token_make(const struct base_key *key, const char *scope, const char *user,
                         int64_t expiry_ms, struct base_buf *out)
{
    size_t start = out->len;
    unsigned char mac[BASE_SHA256_BYTES];
    char name[PART_BYTES], hex[BASE_SHA256_HEX];

    base_assert(strlen(user) <= BASE_NAME_MAX);
    base_buf_addf(out, PREFIX "%s.%s.%" PRId64 ".%s", key->id, scope, expiry_ms,
                  base_hex_encode(user, strlen(user), name));
    compute_mac(key, out->data + start, out->len - start, mac);
    base_buf_addf(out, ".%s", base_hex_encode(mac, sizeof mac, hex));
}

/* Copies the part that ends at the next dot, and moves *at past it. Returns false when there is
 * no dot, or the part does not fit. */
static bool take_part_up_to_dot(const char **at, char *out, size_t size)
{
    size_t len = strcspn(*at, ".");

    if ((*at)[len] != '.' || len == 0 || len >= size)
        return false;
    memcpy(out, *at, len);
    out[len] = '\0';
    *at += len + 1;
    return true;
}

static bool read_user(const char *hex, char out[static BASE_NAME_MAX + 1])
{
    size_t len = strlen(hex) / 2;

    out[len] = '\0';
    return strlen(hex) % 2 == 0 && base_hex_decode(hex, out, len) && strlen(out) == len;
}

int base_log_token_read(struct base_keyring *keys, const char *text, int64_t now_ms,
                        struct base_log_token *out, struct base_error *err)
{
    char key_id[BASE_KEY_ID_MAX], expiry[24], user[PART_BYTES];
    const char *at = text + sizeof PREFIX - 1;
    unsigned char given[BASE_SHA256_BYTES], mac[BASE_SHA256_BYTES];
    struct base_key key;
    int64_t expiry_ms;

    if (!base_has_log_token_form(text) || !take_part_up_to_dot(&at, key_id, sizeof key_id) ||
        !take_part_up_to_dot(&at, out->scope, sizeof out->scope) ||
        !take_part_up_to_dot(&at, expiry, sizeof expiry) ||
        base_int_parse(expiry, 0, INT64_MAX, &expiry_ms) < 0 ||
        !take_part_up_to_dot(&at, user, sizeof user) || !read_user(user, out->user) ||
        strlen(at) != 2 * sizeof given || !base_hex_decode(at, given, sizeof given))
        return base_error_set(err, -BASE_EPERM, "the log token is malformed");
    if (!base_keyring_find_fresh(keys, key_id, &key))
        return base_error_set(err, -BASE_EPERM, "the log token is made with another key");
    compute_mac(&key, text, (size_t)(at - 1 - text), mac);
    explicit_bzero(&key, sizeof key);
    if (!base_secret_bytes_equal(given, mac, sizeof mac))
        return base_error_set(err, -BASE_EPERM, "the log token was changed");
    if (expiry_ms <= now_ms || expiry_ms - now_ms > BASE_LOG_TOKEN_LIFE_MAX_MS)
        return base_error_set(err, -BASE_EPERM,
                              "the log token of %s for %s has expired, or lives too long",
                              out->user, out->scope);
    return 0;
}

bool base_log_token_opens(const struct base_log_token *t, const char *id)
{
    struct base_container_id of, wanted;
    struct base_app_id of_app, app;
    bool whole = base_app_id_parse(t->scope, &of_app, NULL) == 0;

    if (!whole && base_container_id_parse(t->scope, &of, NULL) < 0)
        return false;
    if (base_container_id_parse(id, &wanted, NULL) == 0)
        return whole ? base_app_id_cmp(&of_app, &wanted.attempt.app) == 0
                     : base_container_id_cmp(&of, &wanted) == 0;
    return whole && base_app_id_parse(id, &app, NULL) == 0 && base_app_id_cmp(&of_app, &app) == 0;
}
