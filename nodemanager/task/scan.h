/* nodemanager/task/scan.h - the loop that reads every byte, and the hash of keys. */
#ifndef CREEL_NODEMANAGER_TASK_SCAN_H
#define CREEL_NODEMANAGER_TASK_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Counts the newlines in @p. Sets *low if there is a byte below TAB. Such a byte in a key makes the
 * order of whole lines differ from the order of keys ("a\x01" TAB sorts before "a" TAB); ordinary
 * text has none. */
size_t task_count_lines(const char *p, size_t n, bool *low);

/* FNV-1a 64 hash of the bytes before the first TAB of @line, or of the whole line. @end points to
 * its newline. */
static inline uint64_t task_hash_key(const char *line, const char *end)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);

    for (; line < end && *line != '\t'; line++)
        h = (h ^ (uint8_t)*line) * UINT64_C(0x100000001b3);
    return h;
}

#endif
