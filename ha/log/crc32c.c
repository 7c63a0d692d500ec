/* SOURCE: Kounavis and Berry, "A Systematic Approach to Building High Performance Software-based
 * CRC Generators", ISCC 2005 (slicing-by-8): eight tables, eight bytes per step. */
#include "ha/log/crc32c.h"

#include <pthread.h>
#include <string.h>

#define POLYNOMIAL 0x82F63B78u

static uint32_t table[8][256];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void fill_tables(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int k = 0; k < 8; k++)
            c = c & 1 ? c >> 1 ^ POLYNOMIAL : c >> 1;
        table[0][i] = c;
    }
    for (uint32_t i = 0; i < 256; i++)
        for (int t = 1; t < 8; t++)
            table[t][i] = table[t - 1][i] >> 8 ^ table[0][table[t - 1][i] & 0xFF];
}

static uint32_t read_le32(const unsigned char *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

uint32_t ha_crc32c_update(uint32_t crc, const void *p, size_t n)
{
    const unsigned char *at = p;

    pthread_once(&once, fill_tables);
    crc = ~crc;
    for (; n >= 8; at += 8, n -= 8) {
        uint32_t lo = read_le32(at) ^ crc, hi = read_le32(at + 4);
        crc = table[7][lo & 0xFF] ^ table[6][lo >> 8 & 0xFF] ^ table[5][lo >> 16 & 0xFF] ^
              table[4][lo >> 24] ^ table[3][hi & 0xFF] ^ table[2][hi >> 8 & 0xFF] ^
              table[1][hi >> 16 & 0xFF] ^ table[0][hi >> 24];
    }
    for (; n > 0; at++, n--)
        crc = crc >> 8 ^ table[0][(crc ^ *at) & 0xFF];
    return ~crc;
}
