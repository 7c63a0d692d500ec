/* nodemanager/task/scan.h - the loops that see every byte, and the key's hash. */
#ifndef CREEL_NODEMANAGER_TASK_SCAN_H
#define CREEL_NODEMANAGER_TASK_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Counts newlines in @p, and sets *@low when a byte below TAB is there. Such a byte in a key makes the order of whole
 * lines differ from the order of keys ("a\x01" TAB sorts before "a" TAB); text has none. */
size_t task_scan_lines(const char *p, size_t n, bool *low);

/* FNV-1a 64 of the bytes before the first TAB of @line (which ends before @end, its newline). */
static inline uint64_t task_key_hash(const char *line, const char *end)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);

    for (; line < end && *line != '\t'; line++)
        h = (h ^ (uint8_t)*line) * UINT64_C(0x100000001b3);
    return h;
}

#endif
