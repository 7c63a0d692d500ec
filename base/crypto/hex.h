/* base/crypto/hex.h - bytes as hex digits. */
#ifndef CREEL_BASE_CRYPTO_HEX_H
#define CREEL_BASE_CRYPTO_HEX_H

#include <stdbool.h>
#include <stddef.h>

/* Writes @len bytes as 2 * @len lower-case digits and a NUL. Returns @out. */
char *base_hex_encode(const void *bytes, size_t len, char *out);
/* Reads exactly 2 * @len digits of either case from the start of @text into @len bytes. Returns
 * false when @text has fewer digits; text after them is not looked at. */
bool base_hex_decode(const char *text, void *bytes, size_t len);

#endif
