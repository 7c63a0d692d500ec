/* Runs a fuzz target over seeded mutations of its samples, without a fuzzing engine.
 *   <target> [runs [seed [first]]]     run number n depends on the seed and n alone: "1 <seed> <n>"
 *                                      repeats it
 * Under libFuzzer this file only writes the samples into $CREEL_FUZZ_CORPUS, which libFuzzer then
 * starts from. */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io/io.h"
#include "base/mem.h"
#include "tests/fuzz/fuzz.h"

#ifdef CREEL_FUZZ_LIBFUZZER

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const char *dir = getenv("CREEL_FUZZ_CORPUS");

    (void)argc;
    (void)argv;
    for (size_t i = 0; dir && creel_fuzz_samples[i]; i++) {
        char *path = base_printf("%s/sample-%zu", dir, i);
        (void)base_file_write_atomic(path, creel_fuzz_samples[i], strlen(creel_fuzz_samples[i]),
                                     0644, false, NULL);
        free(path);
    }
    return 0;
}

#else

#define INPUT_MAX   65536
#define CHANGES_MAX 6

static volatile uint64_t run_seed, run_number;
static const uint8_t *run_input;
static size_t run_size;

void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

static void report(void)
{
    char line[128];
    int n =
        snprintf(line, sizeof line, "fuzz: seed %" PRIu64 " run %" PRIu64 ", input of %zu bytes:\n",
                 run_seed, run_number, run_size);

    (void)base_write_all(STDERR_FILENO, line, (size_t)n);
    (void)base_write_all(STDERR_FILENO, run_input, run_size);
    (void)base_write_all(STDERR_FILENO, "\n", 1);
}

static void on_signal(int sig)
{
    report();
    signal(sig, SIG_DFL);
    raise(sig);
}

/* SOURCE: splitmix64 (Steele, Lea, Flood, OOPSLA 2014). */
static uint64_t next(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));

    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static size_t below(uint64_t *state, size_t n)
{
    return n ? (size_t)(next(state) % n) : 0;
}

/* Replaces @cut bytes at @at by @n bytes at @p (which must not lie in @b). */
static void splice(struct base_buf *b, size_t at, size_t cut, const void *p, size_t n)
{
    if (b->len - cut + n > INPUT_MAX)
        return;
    base_buf_reserve(b, n);
    memmove(b->data + at + n, b->data + at + cut, b->len - at - cut);
    if (n)
        memcpy(b->data + at, p, n);
    b->len = b->len - cut + n;
    b->data[b->len] = '\0';
}

static void change(struct base_buf *b, uint64_t *rng, size_t samples)
{
    static const char *const tokens[] = {
        "0",
        "-1",
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808",
        "2147483648",
        "1e999",
        "1.5",
        "\"",
        "\\",
        "\\u0000",
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "<",
        ">",
        "</",
        "&",
        "&amp;",
        "${",
        "}",
        "_",
        "/",
        "..",
        "%00",
        "%",
        "\n",
        "\r\n",
        "\t",
        " ",
        "\xff",
        "\xc3\xa9",
        "null",
        "true",
        "=",
        "?",
        "#",
        "@",
        "*",
    };
    size_t at = below(rng, b->len + 1);
    size_t some = below(rng, b->len - at + 1);
    const char *other = creel_fuzz_samples[below(rng, samples)];
    const char *token = tokens[below(rng, sizeof tokens / sizeof *tokens)];
    uint8_t byte = (uint8_t)next(rng);
    char *copy;

    switch (below(rng, 8)) {
    case 0:
        if (at < b->len)
            b->data[at] = (char)(b->data[at] ^ (1 << below(rng, 8)));
        break;
    case 1:
        splice(b, at, at < b->len, &byte, 1);
        break;
    case 2:
        splice(b, at, 0, token, strlen(token));
        break;
    case 3:
        splice(b, at, some > 16 ? below(rng, 16) : some, token, strlen(token));
        break;
    case 4:
        splice(b, at, some, "", 0);
        break;
    case 5: /* a piece again, elsewhere */
        copy = base_strndup(b->data + at, some);
        splice(b, below(rng, b->len + 1), 0, copy, strlen(copy));
        free(copy);
        break;
    case 6: { /* a piece of a sample */
        size_t len = strlen(other), from = below(rng, len + 1);
        splice(b, at, some / 2, other + from, below(rng, len - from + 1));
        break;
    }
    default:
        splice(b, at, 0, &byte, 1);
        break;
    }
}

static void run_one(uint64_t seed, uint64_t number, size_t samples)
{
    uint64_t rng = seed * UINT64_C(0x2545F4914F6CDD1D) + number;
    struct base_buf b = {0};
    uint8_t *exact;

    if (number < samples) { /* the samples themselves come first */
        base_buf_adds(&b, creel_fuzz_samples[number]);
    } else {
        base_buf_adds(&b, creel_fuzz_samples[below(&rng, samples)]);
        for (size_t i = 1 + below(&rng, CHANGES_MAX); i > 0; i--)
            change(&b, &rng, samples);
    }
    exact = base_realloc_array(NULL, b.len, 1); /* no NUL after it: reading on is a finding */
    if (b.len)
        memcpy(exact, b.data, b.len);
    run_seed = seed;
    run_number = number;
    run_input = exact;
    run_size = b.len;
    LLVMFuzzerTestOneInput(exact, b.len);
    run_size = 0;
    free(exact);
    base_buf_free(&b);
}

static uint64_t argument(int argc, char **argv, int at, int64_t or_else)
{
    int64_t v = or_else;

    if (at < argc && base_int_parse(argv[at], 0, INT64_MAX, &v) < 0) {
        fprintf(stderr, "usage: %s [runs [seed [first]]]\n", argv[0]);
        exit(2);
    }
    return (uint64_t)v;
}

int main(int argc, char **argv)
{
    uint64_t runs = argument(argc, argv, 1, 20000);
    uint64_t seed = argument(argc, argv, 2, 1);
    uint64_t first = argument(argc, argv, 3, 0);
    size_t samples = 0;

    while (creel_fuzz_samples[samples])
        samples++;
    if (__sanitizer_set_death_callback) {
        __sanitizer_set_death_callback(report);
    } else {
        signal(SIGSEGV, on_signal);
        signal(SIGBUS, on_signal);
    }
    signal(SIGABRT, on_signal);
    printf("fuzz: seed %" PRIu64 ", %" PRIu64 " runs over %zu samples\n", seed, runs, samples);
    for (uint64_t i = 0; i < runs; i++)
        run_one(seed, first + i, samples);
    return 0;
}

#endif
