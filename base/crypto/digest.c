#include "base/crypto/digest.h"

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>

#include "base/crypto/hex.h"
#include "base/error.h"

bool base_md5(const void *data, size_t len, unsigned char out[static BASE_MD5_BYTES])
{
    return gnutls_hash_fast(GNUTLS_DIG_MD5, data, len, out) == 0;
}

/* GnuTLS refuses these calls only when the algorithm is switched off or memory is short. Nothing
 * that depends on a digest may go on without it. */
void base_sha1(const void *data, size_t len, unsigned char out[static BASE_SHA1_BYTES])
{
    base_assert(gnutls_hash_fast(GNUTLS_DIG_SHA1, data, len, out) == 0);
}

void base_sha256(const void *data, size_t len, unsigned char out[static BASE_SHA256_BYTES])
{
    base_assert(gnutls_hash_fast(GNUTLS_DIG_SHA256, data, len, out) == 0);
}

char *base_sha256_hex(const void *data, size_t len, char out[static BASE_SHA256_HEX])
{
    unsigned char digest[BASE_SHA256_BYTES];

    base_sha256(data, len, digest);
    return base_hex_encode(digest, sizeof digest, out);
}

void base_hmac_sha1(const void *key, size_t key_len, const void *data, size_t len,
                    unsigned char out[static BASE_SHA1_BYTES])
{
    base_assert(gnutls_hmac_fast(GNUTLS_MAC_SHA1, key, key_len, data, len, out) == 0);
}

void base_hmac_sha256(const void *key, size_t key_len, const void *data, size_t len,
                      unsigned char out[static BASE_SHA256_BYTES])
{
    base_assert(gnutls_hmac_fast(GNUTLS_MAC_SHA256, key, key_len, data, len, out) == 0);
}
