#include "nodemanager/rpc/tokens.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/crypto/base64.h"
#include "base/crypto/equal.h"

struct key {
    int32_t id;
    struct base_buf bytes; /* .data NULL: there is none */
};
struct key_pair {
    struct key current, previous;
};
struct nm_rpc_tokens {
    char *host, *address; /* address: "host:port" */
    int port;
    pthread_mutex_t lock; /* protects what follows */
    struct key_pair nm, container;
    int64_t rm_identifier;
};

struct nm_rpc_tokens *nm_rpc_tokens_new(const char *host, int port)
{
    struct nm_rpc_tokens *t = base_alloc(sizeof *t);

    t->host = base_strdup(host);
    t->address = base_printf("%s:%d", host, port);
    t->port = port;
    pthread_mutex_init(&t->lock, NULL);
    return t;
}

static void free_key(struct key *k)
{
    if (k->bytes.data)
        explicit_bzero(k->bytes.data, k->bytes.len);
    base_buf_free(&k->bytes);
}

void nm_rpc_tokens_free(struct nm_rpc_tokens *t)
{
    if (!t)
        return;
    free_key(&t->nm.current);
    free_key(&t->nm.previous);
    free_key(&t->container.current);
    free_key(&t->container.previous);
    pthread_mutex_destroy(&t->lock);
    free(t->host);
    free(t->address);
    free(t);
}

static void set_key(struct key_pair *pair, const struct wire_hadoop_key *given)
{
    struct key key = {.id = given->id};

    base_base64_decode(given->key, &key.bytes);
    if (pair->current.bytes.data && pair->current.id == key.id &&
        pair->current.bytes.len == key.bytes.len &&
        base_secret_bytes_equal(pair->current.bytes.data, key.bytes.data, key.bytes.len)) {
        free_key(&key);
        return;
    }
    free_key(&pair->previous);
    pair->previous = pair->current;
    pair->current = key;
}

void nm_rpc_tokens_set_keys(struct nm_rpc_tokens *t, const struct wire_hadoop_keys *keys)
{
    pthread_mutex_lock(&t->lock);
    set_key(&t->nm, &keys->nm_token);
    set_key(&t->container, &keys->container_token);
    t->rm_identifier = keys->rm_identifier;
    pthread_mutex_unlock(&t->lock);
}

int64_t nm_rpc_tokens_rm_identifier(struct nm_rpc_tokens *t)
{
    int64_t id;

    pthread_mutex_lock(&t->lock);
    id = t->rm_identifier;
    pthread_mutex_unlock(&t->lock);
    return id;
}

/* Calls base_hadoop_compute_password() with the key @id. Returns false when there is no such key.
 */
static bool compute_password(struct nm_rpc_tokens *t, const struct key_pair *pair, int32_t id,
                             const void *identifier, size_t len,
                             unsigned char out[static BASE_SHA1_BYTES])
{
    const struct key *keys[] = {&pair->current, &pair->previous};
    bool found = false;

    pthread_mutex_lock(&t->lock);
    for (size_t i = 0; !found && i < 2; i++) {
        found = keys[i]->bytes.len > 0 && keys[i]->id == id;
        if (found)
            base_hadoop_compute_password(keys[i]->bytes.data, keys[i]->bytes.len, identifier, len,
                                         out);
    }
    pthread_mutex_unlock(&t->lock);
    return found;
}

enum api_rpc_token nm_rpc_tokens_find_password(void *u, const void *identifier, size_t len,
                                               char **password, char **user)
{
    struct nm_rpc_tokens *t = u;
    struct base_hadoop_nm_id token;
    unsigned char bytes[BASE_SHA1_BYTES];
    char attempt[BASE_ID_TEXT_MAX];
    struct base_buf text = {0};

    if (!base_hadoop_nm_id_read(identifier, len, &token) || strcmp(token.host, t->host) != 0 ||
        token.port != t->port || !compute_password(t, &t->nm, token.key_id, identifier, len, bytes))
        return API_RPC_TOKEN_INVALID;
    base_base64_encode(bytes, sizeof bytes, &text);
    explicit_bzero(bytes, sizeof bytes);
    *password = base_buf_take(&text);
    *user = base_strdup(base_attempt_id_text(&token.attempt, attempt));
    return API_RPC_TOKEN_VALID;
}

int nm_rpc_tokens_check_container(struct nm_rpc_tokens *t, const void *identifier, size_t len,
                                  const void *password, size_t password_len,
                                  struct base_hadoop_container_id *out, struct base_error *err)
{
    unsigned char right[BASE_SHA1_BYTES];
    char id[BASE_ID_TEXT_MAX];
    bool valid;

    if (!base_hadoop_container_id_read(identifier, len, out))
        return base_error_set(err, -BASE_EINVAL, "Invalid ContainerToken");
    base_container_id_text(&out->container, id);
    if (strcmp(out->node, t->address) != 0)
        return base_error_set(err, -BASE_EPERM,
                              "Given Container %s identifier is not valid for current Node "
                              "manager. Expected : %s Found : %s",
                              id, t->address, out->node);
    if (!compute_password(t, &t->container, out->key_id, identifier, len, right))
        return base_error_set(err, -BASE_EPERM,
                              "Given Container %s seems to have an illegally generated token.", id);
    valid = password_len == sizeof right && base_secret_bytes_equal(password, right, sizeof right);
    explicit_bzero(right, sizeof right);
    if (!valid)
        return base_error_set(err, -BASE_EPERM,
                              "Invalid container token used for starting container on : %s",
                              t->address);
    return 0;
}
