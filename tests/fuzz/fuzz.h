/* tests/fuzz/fuzz.h - what a fuzz target defines. */
#ifndef CREEL_TESTS_FUZZ_H
#define CREEL_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* One input; not NUL-terminated. Returns 0; a finding is a crash. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* Texts to start from, NULL-ended, at least one. */
extern const char *const creel_fuzz_samples[];

#endif
