/* base/crypto/secret_file.h - the file of a shared secret: one or two lines of 64 hex digits, each
 * a key of 32 bytes. The first key signs; both are accepted, so that a secret can be replaced on
 * one host after the other.
 *
 * Whoever reads the file can pose as any daemon of the cluster, so it is a private one
 * (base/io/private_file.h). */
#ifndef CREEL_BASE_CRYPTO_SECRET_FILE_H
#define CREEL_BASE_CRYPTO_SECRET_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

#define BASE_KEY_BYTES       32
#define BASE_KEY_ID_MAX      160 /* with the NUL */
#define BASE_SECRET_KEYS_MAX 2

struct base_key {
    char id[BASE_KEY_ID_MAX]; /* names the key openly; printable, without comma, blank or quote */
    unsigned char bytes[BASE_KEY_BYTES];
};

/* Reads the keys of @path; the id of a key is the first 8 hex digits of its SHA-256. Returns 0 with
 * 1 to BASE_SECRET_KEYS_MAX keys; an error of base_private_file_open(); -BASE_EINVAL when the
 * content has another form. */
int base_secret_file_read(const char *path, struct base_key keys[static BASE_SECRET_KEYS_MAX],
                          size_t *n, struct base_error *err);
/* Makes @path, mode 0600, and missing folders above it, mode 0700, with a random key. When
 * processes do so at the same time, one of them succeeds, and no reader finds a part of the file.
 * Returns 0, -BASE_EEXIST when the file exists, -BASE_EPERM, -BASE_EIO or -BASE_ENOSPC. */
int base_secret_file_make(const char *path, struct base_error *err);
/* Replaces the content of @path, which need not exist, by a new key; with @keep_old followed by the
 * key that signed until now. */
int base_secret_file_rotate(const char *path, bool keep_old, struct base_error *err);

#endif
