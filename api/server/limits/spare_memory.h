/* api/server/limits/spare_memory.h - gives memory back to the kernel after a flood of connections
 * or long answers. The pieces of memory that these have freed lie between others that are still in
 * use, and malloc would keep all of them until the process ends. */
#ifndef CREEL_API_SERVER_LIMITS_SPARE_MEMORY_H
#define CREEL_API_SERVER_LIMITS_SPARE_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

struct api_spare_memory { /* all zeros at first; for one thread */
    int64_t next_ms;      /* when to look again */
    int64_t kept_bytes;   /* spare memory that could not be given back: parts of pages in use */
};
/* Looks at most every half minute. When the process has 64 MB more than what malloc's callers use
 * and what was left of that the last time, gives it back; that takes some ten milliseconds, for
 * which other threads may have to wait with their allocations. @now_ms: a monotonic clock. Returns
 * true when it gave memory back. */
bool api_spare_memory_give_back(struct api_spare_memory *m, int64_t now_ms);

#endif
