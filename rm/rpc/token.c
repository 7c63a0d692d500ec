/* rm/rpc/token.c - finds the password that belongs to a token of a user, or of a master. */
#include <stdlib.h>
#include <string.h>

#include "base/crypto/base64.h"
#include "base/crypto/keyring.h"
#include "base/hadoop/identifiers.h"
#include "base/hadoop/token.h"
#include "rm/http/access/identify.h"
#include "rm/leader/standby.h"
#include "rm/rpc/ports.h"
#include "rm/rpc/yarn.pb-c.h"

#define IDENTIFIER_MAX 4096 /* bytes: the owner's name, and some numbers */

struct token_name { /* what an identifier says */
    uint64_t id;
    char key_id[BASE_KEY_ID_MAX];
};

static bool read_identifier(const void *identifier, size_t len, struct token_name *out)
{
    struct api_rpc_arena arena;
    const Yarn__TokenId *t = NULL;
    bool good;

    api_rpc_arena_init(&arena, 4 * IDENTIFIER_MAX);
    if (len <= IDENTIFIER_MAX)
        t = (const Yarn__TokenId *)api_rpc_decode(&yarn__token_id__descriptor, identifier, len,
                                                  &arena);
    good = t && t->key_id && strlen(t->key_id) < sizeof out->key_id;
    if (good) {
        out->id = (uint64_t)(uint32_t)t->high << 32 | (uint32_t)t->low;
        strcpy(out->key_id, t->key_id);
    }
    api_rpc_arena_free(&arena);
    return good;
}

/* Returns the password of the token with this @digest, in base64, which the caller frees; NULL when
 * the cluster's secret has no such key. */
static char *make_password(struct rm_backend *b, const char *key_id, const char *digest,
                           const void *identifier, size_t len)
{
    unsigned char bytes[BASE_SHA256_BYTES];
    struct base_keyring *keys = rm_backend_keys(b);
    char key[BASE_SHA256_HEX];
    struct base_buf text = {0};
    struct base_key of_cluster;

    if (!keys || !base_keyring_find_fresh(keys, key_id, &of_cluster))
        return NULL;
    base_hadoop_token_compute_key(&of_cluster, digest, key);
    base_hadoop_token_compute_password(key, identifier, len, bytes);
    base_base64_encode(bytes, sizeof bytes, &text);
    explicit_bzero(&of_cluster, sizeof of_cluster);
    explicit_bzero(key, sizeof key);
    explicit_bzero(bytes, sizeof bytes);
    return base_buf_take(&text);
}

enum api_rpc_token rm_rpc_find_password(void *backend, const void *identifier, size_t len,
                                        char **password, char **user)
{
    struct rm_backend *b = backend;
    char digest[RM_TOKEN_HEX + 1], *found = NULL;
    struct token_name name;

    if (read_identifier(identifier, len, &name))
        found = rm_find_token_user(b, name.id, digest);
    /* after the look at the core: a leader that steps down meanwhile loses the core's tokens */
    if (!rm_standby_is_active(b)) {
        free(found);
        return API_RPC_TOKEN_STANDBY;
    }
    if (!found)
        return API_RPC_TOKEN_INVALID;
    *password = make_password(b, name.key_id, digest, identifier, len);
    explicit_bzero(digest, sizeof digest);
    if (!*password) {
        free(found);
        return API_RPC_TOKEN_INVALID;
    }
    *user = found;
    return API_RPC_TOKEN_VALID;
}

enum api_rpc_token rm_rpc_find_master_password(void *backend, const void *identifier, size_t len,
                                               char **password, char **user)
{
    struct rm_backend *b = backend;
    unsigned char bytes[BASE_SHA1_BYTES];
    char attempt[BASE_ID_TEXT_MAX];
    struct base_hadoop_amrm_id id;
    struct rm_master_key key;
    struct base_buf text = {0};
    bool found = false;

    if (base_hadoop_amrm_id_read(identifier, len, &id)) {
        found = rm_view_amrm_key(rm_backend_lock_core(b), &id.attempt, id.key_id, &key) == 0;
        rm_backend_unlock_core(b);
    }
    if (!rm_standby_is_active(b)) /* after the look at the core, as above */
        return API_RPC_TOKEN_STANDBY;
    if (!found)
        return API_RPC_TOKEN_INVALID;
    base_hadoop_compute_password(key.bytes, sizeof key.bytes, identifier, len, bytes);
    base_base64_encode(bytes, sizeof bytes, &text);
    explicit_bzero(bytes, sizeof bytes);
    explicit_bzero(&key, sizeof key);
    *password = base_buf_take(&text);
    *user = base_strdup(base_attempt_id_text(&id.attempt, attempt));
    return API_RPC_TOKEN_VALID;
}
