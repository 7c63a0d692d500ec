/* base/crypto/keyring.h - the keys with which a process signs requests and checks signatures: those
 * of a secret file, which is read again when it changes, or a single key. Threads may share a
 * keyring, which counts its references.
 *
 *   secret file --open--> keys --refresh: file is good--> new keys
 *                          ^         \--file is bad--> the old keys stay, and the caller is told */
#ifndef CREEL_BASE_CRYPTO_KEYRING_H
#define CREEL_BASE_CRYPTO_KEYRING_H

#include "base/conf/conf.h"
#include "base/crypto/secret_file.h"
#include "base/crypto/server_starts.h"

struct base_keyring;

/* Opens the keyring of the secret file @path. Returns 0, or an error of base_secret_file_read(). */
int base_keyring_open(const char *path, struct base_keyring **out, struct base_error *err);
/* Opens a keyring on the file @path, which holds the token of a container
 * (base/crypto/container_token.h). The container's node writes a new token into the file before the
 * old one expires, so call base_keyring_refresh() before each use of the key; if that fails, the
 * keyring keeps the old token. Returns 0, -BASE_EINVAL when the file holds no token, or an error of
 * reading. */
int base_keyring_open_token(const char *path, struct base_keyring **out, struct base_error *err);
/* Returns a keyring of @key alone, which never changes. */
struct base_keyring *base_keyring_new_of_key(const struct base_key *key);
struct base_keyring *base_keyring_ref(struct base_keyring *k); /* NULL-safe; returns @k */
void base_keyring_unref(struct base_keyring *k); /* NULL-safe; the last reference frees it */

/* Copies the key that signs: the first of the file, unless base_keyring_refresh_or_switch_signer()
 * has changed that. Callers clear their copies with explicit_bzero(). */
void base_keyring_get_signing_key(struct base_keyring *k, struct base_key *out);
/* Returns the start ids of the servers to which requests were sent that the keyring has signed.
 * Borrowed from @k. */
struct base_server_starts *base_keyring_server_starts(struct base_keyring *k);
/* Copies the key called @id. Returns false when there is none. */
bool base_keyring_find(struct base_keyring *k, const char *id, struct base_key *out);
/* Reads the file again. Returns 1 when the keys have changed, 0 when not, or an error as when the
 * keyring was opened; after an error the keys are as they were. */
int base_keyring_refresh(struct base_keyring *k, struct base_error *err);
/* Call this before refusing a signature: the file may have been replaced. Does the same as
 * base_keyring_refresh(), but reads the file at most once a second. Returns true when this has
 * changed the keys; an error is logged. */
bool base_keyring_refresh_if_due(struct base_keyring *k);
/* Copies the key called @id, for which it reads the file again, likewise, when the key is not
 * known. Returns false when there is none. */
bool base_keyring_find_fresh(struct base_keyring *k, const char *id, struct base_key *out);

/* Notes that another daemon has refused a signature made with the key @id. Its file may be older
 * than ours. Reads our file again, at most once a second; if that brings no new keys, the other key
 * of the file, if there is one, signs from now on until the file changes. So a new file with two
 * keys can be put on one host after the other. */
void base_keyring_refresh_or_switch_signer(struct base_keyring *k, const char *id);

/* Opens the keyring of the file that the configuration key @key names; when the key is not set, of
 * the file base_user_state_path(@name), which is made if there is none. @loopback false: the daemon
 * can be reached from other hosts, where its user's state folder is not; an unset key is then an
 * error, as is a file that was named and does not exist (-BASE_EINVAL). Returns 0 or a negative
 * BASE_E*, whose message names the key. */
int base_keyring_open_or_make_by_conf(const struct base_conf *conf, const char *key,
                                      const char *name, bool loopback, struct base_keyring **out,
                                      struct base_error *err);
/* Returns the path that base_keyring_open_or_make_by_conf() opens. The caller frees it. */
char *base_keyring_path_by_conf(const struct base_conf *conf, const char *key, const char *name);

#define BASE_CLUSTER_SECRET_KEY  "creel.cluster.secret-file"
#define BASE_CLUSTER_SECRET_NAME "cluster.secret"

#endif
