/* base/data/heap.h - binary heaps in plain arrays: one function, generated for a type and an order.
 *
 * BASE_HEAP_SIFT(sift, struct item, item_is_before, BASE_HEAP_NO_INDEX) defines
 *
 *     static void sift(struct item *v, size_t n, size_t i);
 *
 * which restores the heap v[0..n-1] after only v[i] has changed: v[i] moves up or down to its
 * place. All operations are built from it:
 *
 *     put @x       v[n] = x;         sift(v, n + 1, n);
 *     take v[0]    v[0] = v[n - 1];  sift(v, n - 1, 0);
 *     remove v[i]  v[i] = v[n - 1];  sift(v, n - 1, i);    only if i < n - 1
 *
 * item_is_before(a, b) takes two elements by value and returns true when @a must come out before
 * @b. note_index(element, index) is called for v[i] and for each element that it displaces, so that
 * an element can store its own index; BASE_HEAP_NO_INDEX stores nothing. Cost: O(log n) calls of
 * item_is_before, which the compiler inlines. */
#ifndef CREEL_BASE_DATA_HEAP_H
#define CREEL_BASE_DATA_HEAP_H

#include <stddef.h>

#define BASE_HEAP_NO_INDEX(element, index) ((void)0)

#define BASE_HEAP_SIFT(name, type, is_before, note_index)                                          \
    static void name(type *v, size_t n, size_t i)                                                  \
    {                                                                                              \
        type x = v[i];                                                                             \
                                                                                                   \
        for (; i > 0 && is_before(x, v[(i - 1) / 2]); i = (i - 1) / 2) {                           \
            v[i] = v[(i - 1) / 2];                                                                 \
            note_index(v[i], i);                                                                   \
        }                                                                                          \
        for (size_t child; (child = 2 * i + 1) < n; i = child) {                                   \
            if (child + 1 < n && is_before(v[child + 1], v[child]))                                \
                child++;                                                                           \
            if (!is_before(v[child], x))                                                           \
                break;                                                                             \
            v[i] = v[child];                                                                       \
            note_index(v[i], i);                                                                   \
        }                                                                                          \
        v[i] = x;                                                                                  \
        note_index(x, i);                                                                          \
    }

#endif
