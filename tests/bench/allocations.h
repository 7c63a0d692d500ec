/* tests/bench/allocations.h - counts allocations of a bench that is linked with
 * -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc.
 * For one file of a program: it defines the wrappers. */
#ifndef CREEL_BENCH_ALLOCATIONS_H
#define CREEL_BENCH_ALLOCATIONS_H

#include <stddef.h>
#include <stdint.h>

static int64_t allocations;

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t el);
void *__real_realloc(void *p, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t el);
void *__wrap_realloc(void *p, size_t n);

void *__wrap_malloc(size_t n)
{
    allocations++;
    return __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t el)
{
    allocations++;
    return __real_calloc(n, el);
}

void *__wrap_realloc(void *p, size_t n)
{
    allocations++;
    return __real_realloc(p, n);
}

#endif
