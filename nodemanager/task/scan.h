/* nodemanager/task/scan.h - counting lines: the loop that reads every byte. */
#ifndef CREEL_NODEMANAGER_TASK_SCAN_H
#define CREEL_NODEMANAGER_TASK_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Counts the newlines in @p. Sets *low if there is a byte below TAB. Such a byte in a key makes the
 * order of whole lines differ from the order of keys ("a\x01" TAB sorts before "a" TAB); ordinary
 * text has none. */
size_t task_count_lines(const char *p, size_t n, bool *low);

#endif
