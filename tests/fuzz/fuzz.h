/* tests/fuzz/fuzz.h - what a fuzz target defines. */
#ifndef CREEL_TESTS_FUZZ_H
#define CREEL_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/crypto/hex.h"
#include "base/mem.h"

/* One input; not NUL-terminated. Returns 0; a finding is a crash. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* Texts to start from, NULL-ended, at least one. */
extern const char *const creel_fuzz_samples[];

/* Returns an input for a parser of bytes: what its hex digits stand for if it has nothing else, but
 * for one byte at most, and itself otherwise. Sets *@size to its length; the caller frees it. */
static inline uint8_t *creel_fuzz_read_hex(const uint8_t *data, size_t *size)
{
    uint8_t *bytes = base_alloc(*size + 1);
    char *text = base_strndup((const char *)data, *size);
    size_t n = strspn(text, "0123456789abcdef") / 2;

    if (n * 2 + 2 > *size && base_hex_decode(text, bytes, n))
        *size = n;
    else
        memcpy(bytes, data, *size);
    free(text);
    return bytes;
}

#endif
