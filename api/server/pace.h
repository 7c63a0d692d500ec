/* api/server/pace.h - does a body come fast enough? Pure; times in milliseconds.
 *
 * Counted by windows, not on the average: who sends nearly all at once and then stalls would keep
 * its memory as long as who never sends much. A window is judged when it is looked at after its
 * end; so a body is cut between one and two windows after it has stalled. */
#ifndef CREEL_API_SERVER_PACE_H
#define CREEL_API_SERVER_PACE_H

#include <stdbool.h>
#include <stdint.h>

struct api_pace { /* all zero at first */
    int64_t of_ms, window_ms; /* start of the body that is measured, and of the present window */
    uint64_t received;        /* what had come when the window began */
};
/* @since_ms: when the body began, which tells bodies apart; @received: bytes so far, never less
 * than before; @rate: bytes a second. */
bool api_pace_is_late(struct api_pace *p, int64_t since_ms, uint64_t received, int64_t now_ms,
                      int64_t window_ms, int64_t rate);

#endif
