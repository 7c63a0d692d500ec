#include "api/server/limits/spare_memory.h"

#include <malloc.h>
#include <stdio.h>
#include <unistd.h>

#define LOOK_MS    (30 * 1000)
#define MUCH_BYTES ((int64_t)64 << 20)

static int64_t read_resident_bytes(void)
{
    FILE *f = fopen("/proc/self/statm", "re");
    long long pages = 0;

    if (f) {
        if (fscanf(f, "%*d %lld", &pages) != 1)
            pages = 0;
        fclose(f);
    }
    return pages * sysconf(_SC_PAGESIZE);
}

/* Returns how much memory of the process malloc does not need, or 0 where it does not say. */
static int64_t count_spare_bytes(void)
{
    struct mallinfo2 heap = mallinfo2();
    int64_t spare = read_resident_bytes() - (int64_t)(heap.uordblks + heap.hblkhd);

    return heap.arena > 0 && spare > 0 ? spare : 0;
}

bool api_spare_memory_give_back(struct api_spare_memory *m, int64_t now_ms)
{
    int64_t spare;

    if (now_ms < m->next_ms)
        return false;
    m->next_ms = now_ms + LOOK_MS;
    spare = count_spare_bytes();
    if (spare < m->kept_bytes)
        m->kept_bytes = spare;
    if (spare < m->kept_bytes + MUCH_BYTES)
        return false;
    malloc_trim(0);
    m->kept_bytes = count_spare_bytes();
    return true;
}
