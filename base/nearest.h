/* base/nearest.h - "did you mean ...?": the known word closest to what was typed. */
#ifndef CREEL_BASE_NEAREST_H
#define CREEL_BASE_NEAREST_H

#include <stddef.h>

/* Edits (insert, delete, replace, swap of neighbours) from @a to @b; both at most 255 bytes, else
 * SIZE_MAX. */
size_t base_edit_distance(const char *a, const char *b);
/* Offers @word as a candidate for @typed; keeps the closest in *@best (start with NULL) at
 * *@best_distance.
 * Candidates farther than a third of the typed word (at least 2 edits) are never kept. */
void base_nearest_offer(const char *typed, const char *word, const char **best,
                        size_t *best_distance);

#endif
