/* nodemanager/task/scan.h - counts lines and looks for bytes below TAB, in one pass over the data.
 */
#ifndef CREEL_NODEMANAGER_TASK_SCAN_H
#define CREEL_NODEMANAGER_TASK_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Counts the newlines in @p. Sets *byte_below_tab to true if there is a byte below TAB, and
 * otherwise leaves it unchanged. Such a byte in a key makes the order of whole lines differ from
 * the order of keys ("a\x01" TAB sorts before "a" TAB); ordinary text has none. */
size_t task_count_lines(const char *p, size_t n, bool *byte_below_tab);

#endif
