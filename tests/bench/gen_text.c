/* tests/bench/gen_text.c - deterministic English-like text, fast: `gen-text MEGABYTES [SEED] >
 * file`.
 *
 * Words come from a vocabulary of 60,000 made-up words whose frequencies follow Zipf's law
 * (exponent 1) and whose lengths grow with the rank, as English's do: about 4.9 letters a word in
 * running text, so that 1 GiB holds some 183 million words. Lines hold 4 to 19 words. Sampling is
 * one table look-up per word: a table of 2^20 slots holds each word as often as its share asks.
 * Equal arguments give equal bytes on every machine. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/xorshift.h"

#define WORDS    60000u
#define SLOTS    (1u << 20)
#define WORD_MAX 15
#define CHUNK    (1u << 20)

struct word {
    char text[WORD_MAX + 1]; /* followed by no NUL: len says */
    uint8_t len;
};
static struct word words[WORDS];
static uint32_t slots[SLOTS];

/* Syllables make the words pronounceable and give them common prefixes, which is what sorting
 * suffers from. The rank written in base 70 (14 consonants x 5 vowels) makes them distinct; a coda
 * from the seed lengthens rare ones. */
static void make_word(struct word *w, uint32_t rank)
{
    static const char consonants[] = "tnshrdlcmwfgpb", vowels[] = "eaoiu";
    uint64_t s = rank * 0x9e3779b97f4a7c15u + 1;
    uint32_t v = rank + 1;
    size_t n = 0;

    while (v != 0 && n + 2 < WORD_MAX) {
        w->text[n++] = consonants[v % 70 / 5];
        w->text[n++] = vowels[v % 5];
        v /= 70;
    }
    if (rank >= 12)
        w->text[n++] = "stndry"[xorshift_next(&s) % 6];
    if (rank > 1000)
        for (uint32_t more = (uint32_t)(xorshift_next(&s) % 4); more > 0 && n < WORD_MAX; more--)
            w->text[n++] = consonants[xorshift_next(&s) % 14];
    w->len = (uint8_t)n;
}

static void prepare(void)
{
    double total = 0, sum = 0;
    uint32_t at = 0;

    for (uint32_t i = 0; i < WORDS; i++) {
        make_word(&words[i], i);
        total += 1.0 / (i + 1);
    }
    for (uint32_t i = 0; i < WORDS; i++) {
        sum += 1.0 / (i + 1);
        uint32_t to = (uint32_t)floor(sum / total * SLOTS);
        while (at < to && at < SLOTS)
            slots[at++] = i;
    }
    while (at < SLOTS)
        slots[at++] = WORDS - 1;
}

static int put(const char *p, size_t n)
{
    while (n > 0) {
        ssize_t done = write(STDOUT_FILENO, p, n);
        if (done < 0) {
            perror("gen-text");
            return -1;
        }
        p += done;
        n -= (size_t)done;
    }
    return 0;
}

int main(int argc, char **argv)
{
    static char buf[CHUNK + 64];
    uint64_t left, seed = 0x2545f4914f6cdd1du;
    size_t len = 0, line = 10;

    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: gen-text MEGABYTES [SEED]\n");
        return 2;
    }
    left = strtoull(argv[1], NULL, 10) << 20;
    if (argc == 3)
        seed ^= strtoull(argv[2], NULL, 10) * 0x9e3779b97f4a7c15u;
    for (int i = 0; i < 8; i++)
        xorshift_next(&seed);
    prepare();
    while (left > 0) {
        uint64_t r = xorshift_next(&seed);
        const struct word *w = &words[slots[r >> 44]];

        memcpy(buf + len, w->text, sizeof w->text);
        len += w->len;
        if (--line == 0) {
            buf[len++] = '\n';
            line = 4 + (r & 15);
        } else {
            buf[len++] = ' ';
        }
        if (len >= CHUNK || len >= left) {
            size_t n = len < left ? len : (size_t)left;

            if (n == left)
                buf[n - 1] = '\n';
            if (put(buf, n) < 0)
                return 1;
            left -= n;
            len -= n;
            memmove(buf, buf + n, len);
        }
    }
    return 0;
}
