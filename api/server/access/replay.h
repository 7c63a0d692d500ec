/* api/server/access/replay.h - remembers the nonces of signed requests, so that none is accepted
 * twice. A nonce is kept for as long as its request's time would be accepted.
 *
 *        oldest accepted          now           newest accepted
 *   ...|----|----|----|----|----|----|----|----|----|...   slices of time, each with a hash table
 *       \____________________ kept ___________________/
 *
 * A request's nonce lies in the slice of the request's own signed time, so a request is looked up
 * in one table only, and to forget nonces, the oldest table is emptied. When all slices together
 * hold API_REPLAY_MAX nonces, the oldest slice is emptied before its time, and requests signed in
 * that slice's time or earlier are refused from then on. Only requests whose authentication code is
 * right get here, so nobody without a key can fill the tables. */
#ifndef CREEL_API_SERVER_ACCESS_REPLAY_H
#define CREEL_API_SERVER_ACCESS_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 2500 nodes with a heartbeat a second and half a million calls of tasks, within ten minutes; at
 * most 64 MiB of memory. */
#define API_REPLAY_MAX ((size_t)2 << 20)

struct api_replay;
/* @max_skew_ms: how far a request's time may be from now, in both directions. @nonces_max: 0:
 * API_REPLAY_MAX. What an earlier process has accepted is kept out by the start id
 * (base/crypto/signature.h). */
struct api_replay *api_replay_new(int64_t max_skew_ms, size_t nonces_max);
void api_replay_free(struct api_replay *r); /* NULL-safe */

enum api_replay_verdict {
    API_REPLAY_NEW,      /* never seen; remembered now */
    API_REPLAY_REPEATED, /* seen before */
    API_REPLAY_LATE      /* too old or too new to tell */
};
/* @nonce: 32 hex digits; @time_ms: when the request was signed, @now_ms: the present, both wall
 * time. Any thread. */
enum api_replay_verdict api_replay_check_and_note(struct api_replay *r, const char *nonce,
                                                  int64_t time_ms, int64_t now_ms);
size_t api_replay_count_nonces(struct api_replay *r); /* nonces remembered */

#endif
