/* tests/e2e/mr_text.h - deterministic words for MapReduce tests. */
#ifndef CREEL_TESTS_MR_TEXT_H
#define CREEL_TESTS_MR_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/base_mem.h"

static inline uint64_t mr_next(uint64_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 7;
    *s ^= *s << 17;
    return *s;
}

/* Appends @n lines of 0 to 8 words, few of them often; the last line has no newline when @cut. */
static inline void mr_text(struct base_buf *b, int n, uint64_t seed, bool cut)
{
    for (int i = 0; i < n; i++) {
        for (unsigned w = (unsigned)(mr_next(&seed) % 9); w > 0; w--) {
            unsigned range = 1u + (unsigned)(mr_next(&seed) % 3000);
            base_buf_addf(b, "w%u%s", (unsigned)(mr_next(&seed) % range), w > 1 ? " " : "");
        }
        if (i < n - 1 || !cut)
            base_buf_adds(b, "\n");
    }
}

#endif
