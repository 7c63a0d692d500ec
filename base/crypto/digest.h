/* base/crypto/digest.h - digests and message authentication codes, computed by GnuTLS.
 * SOURCE: FIPS 180-4 (SHA-1, SHA-256), RFC 2104 and RFC 4231 (HMAC-SHA256), RFC 1321 (MD5). */
#ifndef CREEL_BASE_CRYPTO_DIGEST_H
#define CREEL_BASE_CRYPTO_DIGEST_H

#include <stdbool.h>
#include <stddef.h>

#define BASE_MD5_BYTES    16 /* only for protocols of others that are built on it */
#define BASE_MD5_HEX      33 /* hex digits and the NUL */
#define BASE_SHA1_BYTES   20 /* only for protocols of others that are built on it */
#define BASE_SHA256_BYTES 32
#define BASE_SHA256_HEX   65 /* hex digits and the NUL */

/* Returns false where the system's rules forbid MD5 (FIPS mode). */
bool base_md5(const void *data, size_t len, unsigned char out[static BASE_MD5_BYTES]);
void base_sha1(const void *data, size_t len, unsigned char out[static BASE_SHA1_BYTES]);
void base_sha256(const void *data, size_t len, unsigned char out[static BASE_SHA256_BYTES]);
/* Writes the digest of @data as lower-case hex digits. Returns @out. */
char *base_sha256_hex(const void *data, size_t len, char out[static BASE_SHA256_HEX]);
/* @key may have any length. */
void base_hmac_sha1(const void *key, size_t key_len, const void *data, size_t len,
                    unsigned char out[static BASE_SHA1_BYTES]);
void base_hmac_sha256(const void *key, size_t key_len, const void *data, size_t len,
                      unsigned char out[static BASE_SHA256_BYTES]);

#endif
