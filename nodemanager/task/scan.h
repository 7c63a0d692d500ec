/* nodemanager/task/scan.h - counts lines, in the loop that reads every byte of the data. */
#ifndef CREEL_NODEMANAGER_TASK_SCAN_H
#define CREEL_NODEMANAGER_TASK_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Counts the newlines in @p. Sets *low to true if there is a byte below TAB, and otherwise leaves
 * *low unchanged. Such a byte in a key makes the order of whole lines differ from the order of keys
 * ("a\x01" TAB sorts before "a" TAB); ordinary text has none. */
size_t task_count_lines(const char *p, size_t n, bool *low);

#endif
