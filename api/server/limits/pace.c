#include "api/server/limits/pace.h"

bool api_pace_is_late(struct api_pace *p, int64_t since_ms, uint64_t bytes, int64_t now_ms,
                      int64_t window_ms, int64_t rate)
{
    bool late;

    if (p->since_ms != since_ms) { /* another transfer */
        *p = (struct api_pace){.since_ms = since_ms, .window_ms = now_ms, .bytes = bytes};
        return false;
    }
    if (now_ms - p->window_ms < window_ms)
        return false;
    late = (int64_t)(bytes - p->bytes) * 1000 < rate * (now_ms - p->window_ms);
    p->window_ms = now_ms;
    p->bytes = bytes;
    return late;
}
