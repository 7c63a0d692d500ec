#include "nodemanager/task/scan.h"

#include <string.h>

typedef uint8_t bytes16 __attribute__((vector_size(16)));

static unsigned sum_of_16_bytes(bytes16 v)
{
    unsigned sum = 0;

    for (int i = 0; i < 16; i++)
        sum += v[i];
    return sum;
}

size_t task_count_lines(const char *p, size_t n, bool *byte_below_tab)
{
    const bytes16 zero = {0};
    bytes16 seen = zero;
    size_t lines = 0;
    uint8_t any = 0;

    while (n >= 16) {
        size_t blocks = n / 16 < 255 ? n / 16 : 255; /* a lane counts to 255 only */
        bytes16 hits = zero;

        for (size_t i = 0; i < blocks; i++) {
            bytes16 v;

            memcpy(&v, p + i * 16, 16);
            hits -= (bytes16)(v == (uint8_t)'\n');
            seen |= (bytes16)(v < (uint8_t)'\t');
        }
        lines += sum_of_16_bytes(hits);
        p += blocks * 16;
        n -= blocks * 16;
    }
    for (; n > 0; p++, n--) {
        lines += *p == '\n';
        any |= (uint8_t)*p < (uint8_t)'\t';
    }
    if (any || sum_of_16_bytes(seen) != 0)
        *byte_below_tab = true;
    return lines;
}
