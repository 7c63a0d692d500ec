/* base/nearest.h - finds the known word closest to what was typed, for "did you mean ...?". */
#ifndef CREEL_BASE_NEAREST_H
#define CREEL_BASE_NEAREST_H

#include <stddef.h>

/* Returns the least number of edits (insertion, deletion, replacement, swap of neighbours; no byte
 * is edited twice) that turn @a into @b; SIZE_MAX when one of them is longer than 255 bytes. */
size_t base_edit_distance(const char *a, const char *b);
/* Sets *@best and *@best_distance to @word and its distance from @typed, if @word is closer than
 * *@best (NULL at first) and not too far: at most a third of the length of @typed, or 2 edits if
 * that is more. */
void base_nearest_take_if_closer(const char *typed, const char *word, const char **best,
                                 size_t *best_distance);

#endif
