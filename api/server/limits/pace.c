#include "api/server/limits/pace.h"

bool api_pace_is_late(struct api_pace *p, int64_t since_ms, uint64_t received, int64_t now_ms,
                      int64_t window_ms, int64_t rate)
{
    bool late;

    if (p->body_since_ms != since_ms) { /* another body */
        *p =
            (struct api_pace){.body_since_ms = since_ms, .window_ms = now_ms, .received = received};
        return false;
    }
    if (now_ms - p->window_ms < window_ms)
        return false;
    late = (int64_t)(received - p->received) * 1000 < rate * (now_ms - p->window_ms);
    p->window_ms = now_ms;
    p->received = received;
    return late;
}
