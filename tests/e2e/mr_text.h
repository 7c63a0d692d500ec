/* tests/e2e/mr_text.h - deterministic words for MapReduce tests, and the check of a part that
 * counts them. */
#ifndef CREEL_TESTS_MR_TEXT_H
#define CREEL_TESTS_MR_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "base/mem.h"
#include "tests/xorshift.h"

/* Appends @n lines of 0 to 8 words, some words far more often than others; the last line has no
 * newline when @cut. */
static inline void mr_text(struct base_buf *b, int n, uint64_t seed, bool cut)
{
    for (int i = 0; i < n; i++) {
        for (unsigned w = (unsigned)(xorshift_next(&seed) % 9); w > 0; w--) {
            unsigned range = 1u + (unsigned)(xorshift_next(&seed) % 3000);
            base_buf_addf(b, "w%u%s", (unsigned)(xorshift_next(&seed) % range), w > 1 ? " " : "");
        }
        if (i < n - 1 || !cut)
            base_buf_adds(b, "\n");
    }
}

/* FNV-1a 64 hash of the bytes before the first TAB of @line, or of the whole line. @end points to
 * its newline. */
static inline uint64_t hash_key(const char *line, const char *end)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);

    for (; line < end && *line != '\t'; line++)
        h = (h ^ (uint8_t)*line) * UINT64_C(0x100000001b3);
    return h;
}

/* Returns true when the part exists, its keys are grouped and ascending, and all of them belong to
 * it. */
static inline bool mr_part_is_right(const char *path, int part, int reduces)
{
    FILE *f = fopen(path, "r");
    char *line = NULL, *before = NULL;
    size_t cap = 0, before_len = 0;
    ssize_t n;
    bool wrong = false;

    if (f == NULL)
        return false;
    while ((n = getline(&line, &cap, f)) > 0) {
        size_t len = (size_t)n - (line[n - 1] == '\n');
        const char *tab = memchr(line, '\t', len);
        size_t key = tab != NULL ? (size_t)(tab - line) : len;
        int cmp = before == NULL ? -1 : memcmp(before, line, key < before_len ? key : before_len);

        wrong |= hash_key(line, line + len) % (unsigned)reduces != (unsigned)part;
        wrong |= cmp > 0 || (cmp == 0 && before_len > key);
        free(before);
        before = malloc(key + 1);
        memcpy(before, line, key);
        before_len = key;
    }
    free(before);
    free(line);
    fclose(f);
    return !wrong;
}

#endif
