/* api/server/pace.h - decides whether a request body comes fast enough. Pure; times in
 * milliseconds.
 *
 * The rate counts per window, not on average: otherwise a client that sends nearly everything at
 * once and then stalls could keep its memory as long as one that never sends much. A window is
 * judged when it is looked at after its end, so a body is cut off between one and two windows after
 * it stalled. */
#ifndef CREEL_API_SERVER_PACE_H
#define CREEL_API_SERVER_PACE_H

#include <stdbool.h>
#include <stdint.h>

struct api_pace {             /* starts as zeros */
    int64_t of_ms, window_ms; /* when the measured body and the current window began */
    uint64_t received;        /* bytes received when the window began */
};
/* @since_ms: when the body began, which identifies it; @received: bytes so far, never less than
 * before; @rate: least bytes per second. */
bool api_pace_is_late(struct api_pace *p, int64_t since_ms, uint64_t received, int64_t now_ms,
                      int64_t window_ms, int64_t rate);

#endif
