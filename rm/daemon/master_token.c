#include "rm/daemon/master_token.h"

#include <string.h>

#include "base/crypto/digest.h"
#include "base/crypto/hex.h"
#include "base/crypto/random.h"
#include "base/io/io.h"

#define TABLE "secret"
#define KEY   "master"

static int read_key(void *user, const struct ha_record *rec, struct base_error *err)
{
    if (strcmp(rec->key, KEY) != 0)
        return 0;
    if (rec->len != RM_MASTER_KEY_MAX - 1 || strspn(rec->data, "0123456789abcdef") != rec->len)
        return base_error_set(err, -BASE_ECORRUPT,
                              "record " TABLE "/" KEY
                              " of the state store, the key of the masters' tokens, is damaged: "
                              "expected %d hex digits. Start once with --new-key, which makes "
                              "another one (masters that run "
                              "are given up and started again), or restore a copy of the store",
                              RM_MASTER_KEY_MAX - 1);
    memcpy(user, rec->data, rec->len + 1);
    return 0;
}

int rm_load_or_make_master_key(struct ha_store *store, bool anew,
                               char out[static RM_MASTER_KEY_MAX], struct base_error *err)
{
    const struct ha_record rec = {TABLE, KEY, out, RM_MASTER_KEY_MAX - 1};
    int rc = 0;

    out[0] = '\0';
    if (!anew)
        rc = ha_store_load(store, TABLE, read_key, out, err);
    if (rc < 0 || out[0])
        return rc;
    base_random_hex(out);
    return ha_store_write(store, &rec, 1, err);
}

const char *rm_master_token(const char *key, const struct base_attempt_id *attempt,
                            char out[static RM_MASTER_TOKEN_MAX])
{
    unsigned char digest[BASE_SHA256_BYTES];
    char text[BASE_ID_TEXT_MAX];

    base_attempt_id_text(attempt, text);
    base_hmac_sha256(key, strlen(key), text, strlen(text), digest);
    return base_hex_encode(digest, sizeof digest, out);
}
