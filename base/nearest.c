#include "base/nearest.h"

#include <stdint.h>
#include <string.h>

#define WORD_MAX 255

static size_t min_of_3(size_t a, size_t b, size_t c)
{
    size_t m = a < b ? a : b;

    return m < c ? m : c;
}

/* Optimal string alignment distance, by dynamic programming over three rolling rows: a swap of
 * neighbours looks two rows back. */
size_t base_edit_distance(const char *a, const char *b)
{
    uint16_t rows[3][WORD_MAX + 1];
    uint16_t *before = rows[0], *prev = rows[1], *cur = rows[2];
    size_t la = strlen(a), lb = strlen(b);

    if (la > WORD_MAX || lb > WORD_MAX)
        return SIZE_MAX;
    for (size_t j = 0; j <= lb; j++)
        prev[j] = (uint16_t)j;
    for (size_t i = 1; i <= la; i++) {
        uint16_t *spare = before;
        cur[0] = (uint16_t)i;
        for (size_t j = 1; j <= lb; j++) {
            size_t d =
                min_of_3(prev[j] + 1u, cur[j - 1] + 1u, prev[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                before[j - 2] + 1u < d)
                d = before[j - 2] + 1u;
            cur[j] = (uint16_t)d;
        }
        before = prev;
        prev = cur;
        cur = spare;
    }
    return prev[lb];
}

void base_nearest_take_if_closer(const char *typed, const char *word, const char **best,
                                 size_t *best_distance)
{
    size_t limit = strlen(typed) / 3;
    size_t d = base_edit_distance(typed, word);

    if (limit < 2)
        limit = 2;
    if (d <= limit && (!*best || d < *best_distance)) {
        *best = word;
        *best_distance = d;
    }
}
