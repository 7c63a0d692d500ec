#include "nodemanager/rpc/tokens.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/crypto/base64.h"
#include "base/crypto/equal.h"
#include "base/hadoop/master_key.h"
#include "base/io/log.h"

/* A key as the ResourceManager names it. @bytes: the key; .data NULL: not derived yet. Once
 * derived, the key stays, also when its secret leaves the file. */
struct key {
    int32_t id;
    char secret[BASE_KEY_ID_MAX];
    struct base_buf salt, bytes;
};
struct keys { /* of one kind of token */
    const char *kind;
    struct key v[WIRE_HADOOP_KEYS_MAX];
    size_t n;
};
struct nm_rpc_tokens {
    char *host, *address; /* address: "host:port" */
    int port;
    struct base_keyring *secret;
    pthread_mutex_t lock; /* protects what follows */
    struct keys nm, container;
    int64_t rm_identifier;
};

struct nm_rpc_tokens *nm_rpc_tokens_new(const char *host, int port, struct base_keyring *secret)
{
    struct nm_rpc_tokens *t = base_alloc(sizeof *t);

    t->host = base_strdup(host);
    t->address = base_printf("%s:%d", host, port);
    t->port = port;
    t->secret = base_keyring_ref(secret);
    t->nm.kind = BASE_HADOOP_KEY_OF_NM;
    t->container.kind = BASE_HADOOP_KEY_OF_CONTAINER;
    pthread_mutex_init(&t->lock, NULL);
    return t;
}

static void free_secret_bytes(struct base_buf *bytes)
{
    if (bytes->data)
        explicit_bzero(bytes->data, bytes->len);
    base_buf_free(bytes);
}

static void free_keys(struct keys *keys)
{
    for (size_t i = 0; i < keys->n; i++) {
        free_secret_bytes(&keys->v[i].salt);
        free_secret_bytes(&keys->v[i].bytes);
    }
    keys->n = 0;
}

void nm_rpc_tokens_free(struct nm_rpc_tokens *t)
{
    if (!t)
        return;
    free_keys(&t->nm);
    free_keys(&t->container);
    base_keyring_unref(t->secret);
    pthread_mutex_destroy(&t->lock);
    free(t->host);
    free(t->address);
    free(t);
}

/* Computes the key unless that was done before. Fails while the file of the secret, which may reach
 * this node later than the ResourceManager, does not have the key's secret. */
static bool derive_key(struct nm_rpc_tokens *t, const char *kind, struct key *key)
{
    unsigned char bytes[BASE_HADOOP_MASTER_KEY_BYTES];
    struct base_key of_cluster;

    if (key->bytes.data)
        return true;
    if (!key->secret[0]) {
        base_buf_add(&key->bytes, key->salt.data, key->salt.len);
        return key->bytes.len > 0;
    }
    if (!t->secret || key->salt.len != sizeof bytes ||
        !base_keyring_find_fresh(t->secret, key->secret, &of_cluster))
        return false;
    base_hadoop_derive_master_key(&of_cluster, kind, key->id, (const unsigned char *)key->salt.data,
                                  bytes);
    base_buf_add(&key->bytes, bytes, sizeof bytes);
    explicit_bzero(&of_cluster, sizeof of_cluster);
    explicit_bzero(bytes, sizeof bytes);
    return true;
}

static struct key read_key(const struct wire_hadoop_key *given)
{
    struct key key = {.id = given->id};

    snprintf(key.secret, sizeof key.secret, "%s", given->secret ? given->secret : "");
    base_base64_decode(given->salt, &key.salt);
    return key;
}

static bool is_same_key(const struct key *a, const struct key *b)
{
    return a->id == b->id && strcmp(a->secret, b->secret) == 0 && a->salt.len == b->salt.len &&
           base_secret_bytes_equal(a->salt.data ? a->salt.data : "",
                                   b->salt.data ? b->salt.data : "", a->salt.len);
}

/* Keys that are named again keep what was derived. */
static void set_keys(struct nm_rpc_tokens *t, struct keys *keys,
                     const struct wire_hadoop_key_list *given)
{
    struct keys old = *keys;

    keys->n = given->n;
    for (size_t i = 0; i < given->n; i++) {
        struct key *key = &keys->v[i];

        *key = read_key(&given->v[i]);
        for (size_t k = 0; k < old.n; k++)
            if (!key->bytes.data && is_same_key(key, &old.v[k])) {
                key->bytes = old.v[k].bytes;
                old.v[k].bytes = (struct base_buf){0};
            }
        if (!derive_key(t, keys->kind, key))
            base_log_warn("rpc",
                          "the cluster's secret has no key \"%s\": tokens of masters that were "
                          "made with it are refused",
                          key->secret);
    }
    free_keys(&old);
}

void nm_rpc_tokens_set_keys(struct nm_rpc_tokens *t, const struct wire_hadoop_keys *keys)
{
    pthread_mutex_lock(&t->lock);
    set_keys(t, &t->nm, &keys->nm_token);
    set_keys(t, &t->container, &keys->container_token);
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
static bool compute_password(struct nm_rpc_tokens *t, struct keys *keys, int32_t id,
                             const void *identifier, size_t len,
                             unsigned char out[static BASE_SHA1_BYTES])
{
    bool found = false;

    pthread_mutex_lock(&t->lock);
    for (size_t i = 0; !found && i < keys->n; i++) {
        struct key *key = &keys->v[i];

        found = key->id == id && derive_key(t, keys->kind, key);
        if (found)
            base_hadoop_compute_password(key->bytes.data, key->bytes.len, identifier, len, out);
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
