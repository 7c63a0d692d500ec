#include "base/crypto/keyring.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/crypto/container_token.h"
#include "base/io/io.h"
#include "base/io/log.h"
#include "base/io/private_file.h"
#include "base/mem.h"

#define REFRESH_US 1000000

struct base_keyring {
    atomic_int refs;
    char *path;           /* NULL: a fixed key */
    bool is_token;        /* the file holds a container's token */
    pthread_mutex_t lock; /* protects the members below; held while the file is read */
    struct base_key keys[BASE_SECRET_KEYS_MAX];
    size_t n, signer;                         /* number of keys; index of the one that signs */
    int64_t read_us;                          /* when the file was read last */
    struct base_server_starts *server_starts; /* has a lock of its own */
};

static struct base_keyring *keyring_new(const char *path)
{
    struct base_keyring *k = base_alloc(sizeof *k);

    atomic_init(&k->refs, 1);
    pthread_mutex_init(&k->lock, NULL);
    k->path = base_strdup(path);
    k->server_starts = base_server_starts_new();
    return k;
}

static int read_token_as_key(const char *path, struct base_key keys[static BASE_SECRET_KEYS_MAX],
                             size_t *n, struct base_error *err)
{
    struct base_buf text = {0};
    int rc = base_file_read_plain(path, BASE_CONTAINER_TOKEN_MAX, &text, err);

    *n = 1;
    if (rc == 0 && !base_container_token_parse_key(text.data ? text.data : "", &keys[0]))
        rc = base_error_set(err, -BASE_EINVAL, "%s: this is no container's token", path);
    if (text.data)
        explicit_bzero(text.data, text.len);
    base_buf_free(&text);
    return rc;
}

static int read_keys(const struct base_keyring *k,
                     struct base_key keys[static BASE_SECRET_KEYS_MAX], size_t *n,
                     struct base_error *err)
{
    return k->is_token ? read_token_as_key(k->path, keys, n, err)
                       : base_secret_file_read(k->path, keys, n, err);
}

static int open_keyring(const char *path, bool is_token, struct base_keyring **out,
                        struct base_error *err)
{
    struct base_keyring *k = keyring_new(path);
    int rc;

    k->is_token = is_token;
    rc = read_keys(k, k->keys, &k->n, err);
    if (rc < 0) {
        base_keyring_unref(k);
        return rc;
    }
    k->read_us = base_mono_us(&base_clock_real);
    *out = k;
    return 0;
}

int base_keyring_open_token(const char *path, struct base_keyring **out, struct base_error *err)
{
    return open_keyring(path, true, out, err);
}

int base_keyring_open(const char *path, struct base_keyring **out, struct base_error *err)
{
    return open_keyring(path, false, out, err);
}

struct base_keyring *base_keyring_new_of_key(const struct base_key *key)
{
    struct base_keyring *k = keyring_new(NULL);

    k->keys[0] = *key;
    k->n = 1;
    return k;
}

struct base_keyring *base_keyring_ref(struct base_keyring *k)
{
    if (k)
        atomic_fetch_add(&k->refs, 1);
    return k;
}

void base_keyring_unref(struct base_keyring *k)
{
    if (!k || atomic_fetch_sub(&k->refs, 1) != 1)
        return;
    pthread_mutex_destroy(&k->lock);
    explicit_bzero(k->keys, sizeof k->keys);
    base_server_starts_free(k->server_starts);
    free(k->path);
    free(k);
}

void base_keyring_get_signing_key(struct base_keyring *k, struct base_key *out)
{
    pthread_mutex_lock(&k->lock);
    *out = k->keys[k->signer];
    pthread_mutex_unlock(&k->lock);
}

struct base_server_starts *base_keyring_server_starts(struct base_keyring *k)
{
    return k->server_starts;
}

bool base_keyring_find(struct base_keyring *k, const char *id, struct base_key *out)
{
    bool found = false;

    pthread_mutex_lock(&k->lock);
    for (size_t i = 0; i < k->n && !found; i++)
        if (strcmp(k->keys[i].id, id) == 0) {
            *out = k->keys[i];
            found = true;
        }
    pthread_mutex_unlock(&k->lock);
    return found;
}

/* Reads the file with the lock held. The ids tell whether the keys differ: an id is the digest of
 * its key or, for a token, contains the expiry, which every renewal changes. */
static int reread_keys(struct base_keyring *k, struct base_error *err)
{
    struct base_key keys[BASE_SECRET_KEYS_MAX];
    size_t n;
    int rc = read_keys(k, keys, &n, err);

    k->read_us = base_mono_us(&base_clock_real);
    if (rc == 0) {
        rc = n != k->n;
        for (size_t i = 0; i < n && !rc; i++)
            rc = strcmp(keys[i].id, k->keys[i].id) != 0;
        if (rc)
            k->signer = 0;
        memcpy(k->keys, keys, sizeof keys);
        k->n = n;
    }
    explicit_bzero(keys, sizeof keys);
    return rc;
}

int base_keyring_refresh(struct base_keyring *k, struct base_error *err)
{
    int rc = 0;

    pthread_mutex_lock(&k->lock);
    if (k->path)
        rc = reread_keys(k, err);
    pthread_mutex_unlock(&k->lock);
    return rc;
}

bool base_keyring_refresh_if_due(struct base_keyring *k)
{
    struct base_error err = {0};
    int rc = 0;

    pthread_mutex_lock(&k->lock);
    if (k->path && base_mono_us(&base_clock_real) - k->read_us >= REFRESH_US)
        rc = reread_keys(k, &err);
    pthread_mutex_unlock(&k->lock);
    if (rc < 0)
        base_log_warn("keyring", "the secret stays as it is: %s", err.text);
    else if (rc > 0)
        base_log_info("keyring", "%s: the secret has been replaced", k->path);
    return rc > 0;
}

bool base_keyring_find_fresh(struct base_keyring *k, const char *id, struct base_key *out)
{
    return base_keyring_find(k, id, out) ||
           (base_keyring_refresh_if_due(k) && base_keyring_find(k, id, out));
}

void base_keyring_refresh_or_switch_signer(struct base_keyring *k, const char *id)
{
    if (base_keyring_refresh_if_due(k))
        return;
    pthread_mutex_lock(&k->lock);
    if (strcmp(k->keys[k->signer].id, id) == 0)
        k->signer = (k->signer + 1) % k->n;
    pthread_mutex_unlock(&k->lock);
}

char *base_keyring_path_by_conf(const struct base_conf *conf, const char *key, const char *name)
{
    const char *set = base_conf_get(conf, key);

    return set && set[0] ? base_strdup(set) : base_user_state_path(name);
}

int base_keyring_open_or_make_by_conf(const struct base_conf *conf, const char *key,
                                      const char *name, bool loopback, struct base_keyring **out,
                                      struct base_error *err)
{
    const char *set = base_conf_get(conf, key);
    bool by_default = !set || !set[0];
    char *path;
    int rc;

    if (by_default && !loopback)
        return base_error_set(
            err, -BASE_EINVAL,
            "%s is not set: a daemon that other hosts can reach needs the file of "
            "a secret (creel secret --new --file FILE)",
            key);
    path = base_keyring_path_by_conf(conf, key, name);
    rc = base_keyring_open(path, out, err);
    if (rc == -BASE_ENOTFOUND && by_default) {
        rc = base_secret_file_make(path, err);
        if (rc == 0 || rc == -BASE_EEXIST)
            rc = base_keyring_open(path, out, err);
    }
    free(path);
    /* -BASE_EINVAL ends a daemon with the status after which systemd does not restart it: a restart
     * would not create the file that @key names */
    if (rc == -BASE_ENOTFOUND)
        rc = -BASE_EINVAL;
    return rc < 0 ? base_error_wrap(err, rc, "%s", key) : 0;
}
