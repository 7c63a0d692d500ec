/* base/crypto/random.h - random bytes for keys, tokens and nonces, from the kernel. */
#ifndef CREEL_BASE_CRYPTO_RANDOM_H
#define CREEL_BASE_CRYPTO_RANDOM_H

#include <stddef.h>

/* Fills @len bytes; waits while the kernel has not gathered enough entropy since it was booted. */
void base_random_bytes(void *bytes, size_t len);
/* Writes 16 random bytes as 32 hex digits. */
void base_random_hex(char out[static 33]);

#endif
