/* rm/rpc/token.c - finds the password that belongs to a token. */
#include <stdlib.h>
#include <string.h>

#include "base/crypto/base64.h"
#include "base/hadoop/token.h"
#include "rm/http/access/identify.h"
#include "rm/leader/standby.h"
#include "rm/rpc/ports.h"
#include "rm/rpc/yarn.pb-c.h"

#define IDENTIFIER_MAX 4096 /* bytes: the owner's name, and some numbers */

static bool read_token_id(const void *identifier, size_t len, uint64_t *id)
{
    struct api_rpc_arena arena;
    const Yarn__TokenId *t = NULL;

    api_rpc_arena_init(&arena, 4 * IDENTIFIER_MAX);
    if (len <= IDENTIFIER_MAX)
        t = (const Yarn__TokenId *)api_rpc_decode(&yarn__token_id__descriptor, identifier, len,
                                                  &arena);
    if (t)
        *id = (uint64_t)(uint32_t)t->high << 32 | (uint32_t)t->low;
    api_rpc_arena_free(&arena);
    return t != NULL;
}

enum api_rpc_token rm_rpc_find_password(void *backend, const void *identifier, size_t len,
                                        char **password, char **user)
{
    struct rm_backend *b = backend;
    unsigned char bytes[BASE_SHA256_BYTES];
    char digest[RM_TOKEN_HEX + 1], *found = NULL;
    struct base_buf text = {0};
    uint64_t id;

    if (read_token_id(identifier, len, &id))
        found = rm_find_token_user(b, id, digest);
    /* after the look at the core: a leader that steps down meanwhile loses the core's tokens */
    if (!rm_standby_is_active(b)) {
        free(found);
        return API_RPC_TOKEN_STANDBY;
    }
    if (!found)
        return API_RPC_TOKEN_INVALID;
    base_hadoop_token_compute_password(digest, identifier, len, bytes);
    base_base64_encode(bytes, sizeof bytes, &text);
    explicit_bzero(bytes, sizeof bytes);
    explicit_bzero(digest, sizeof digest);
    *password = base_buf_take(&text);
    *user = found;
    return API_RPC_TOKEN_VALID;
}
