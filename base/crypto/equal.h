/* base/crypto/equal.h - comparisons whose time tells nothing about a secret. */
#ifndef CREEL_BASE_CRYPTO_EQUAL_H
#define CREEL_BASE_CRYPTO_EQUAL_H

#include <stdbool.h>
#include <stddef.h>

/* Returns true when the two texts are equal, in a time that does not depend on where they differ.
 * @a is the text received from outside. */
bool base_secret_equal(const char *a, const char *b);
/* The same for @len bytes. */
bool base_secret_bytes_equal(const void *a, const void *b, size_t len);

#endif
