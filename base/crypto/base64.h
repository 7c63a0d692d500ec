/* base/crypto/base64.h - base64, as Java programs write and read it. */
#ifndef CREEL_BASE_CRYPTO_BASE64_H
#define CREEL_BASE_CRYPTO_BASE64_H

#include "base/mem.h"

/* Appends @len bytes as text, in the classic alphabet and padded. */
void base_base64_encode(const void *bytes, size_t len, struct base_buf *out);
/* Appends the bytes encoded in @text, which is read as leniently as by Apache Commons Codec: both
 * alphabets, other characters skipped, nothing after the first "=", and a rest of less than a byte
 * dropped. */
void base_base64_decode(const char *text, struct base_buf *out);

#endif
