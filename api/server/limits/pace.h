/* api/server/limits/pace.h - decides whether a request body comes, or an answer is taken, fast
 * enough. Pure; times in milliseconds.
 *
 * The rate counts per window, not on average: otherwise a client that sends nearly everything at
 * once and then stalls could keep its memory for as long as a slow one. A window is judged at the
 * first call after its end, so a transfer that stalls is late after one to two windows. */
#ifndef CREEL_API_SERVER_LIMITS_PACE_H
#define CREEL_API_SERVER_LIMITS_PACE_H

#include <stdbool.h>
#include <stdint.h>

struct api_pace {                /* all zeros at first, and again to begin anew */
    int64_t since_ms, window_ms; /* when the measured transfer and the current window began */
    uint64_t bytes;              /* bytes transferred when the window began */
};
/* Returns true when a window has ended in which the transfer was slower than @rate. Call
 * repeatedly. @since_ms: when the transfer began, which identifies it; @bytes: transferred so far,
 * never less than before; @rate: least bytes per second. */
bool api_pace_is_late(struct api_pace *p, int64_t since_ms, uint64_t bytes, int64_t now_ms,
                      int64_t window_ms, int64_t rate);

#endif
