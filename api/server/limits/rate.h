/* api/server/limits/rate.h - limits the requests that one key (an address, a user) may make in a
 * second.
 *
 * Each key has a time at which it will have paid for its requests: every request adds the interval
 * 1/rate to that time, and a request is refused while the time lies more than a second ahead. So a
 * key that was silent may make a second's worth of requests at once. SOURCE: the generic cell rate
 * algorithm (virtual scheduling), ITU-T I.371, Annex A.
 *
 * The table has a fixed size: API_RATE_SETS sets of API_RATE_WAYS keys. A key that finds its set
 * full takes the place of the key that will have paid first. Somebody with very many addresses can
 * therefore make the table forget other keys, whose next requests are then allowed early; none is
 * refused early. Keys are told apart by 64 bits of a hash whose seed is drawn at random.
 *
 * Thread-safe; the lock is held for a few instructions. */
#ifndef CREEL_API_SERVER_LIMITS_RATE_H
#define CREEL_API_SERVER_LIMITS_RATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { API_RATE_SETS = 4096, API_RATE_WAYS = 4, API_RATE_MAX = 1000000 };

struct api_rate;
/* @per_second: 1 to API_RATE_MAX. */
struct api_rate *api_rate_new(unsigned per_second);
void api_rate_free(struct api_rate *r); /* NULL-safe */
/* Counts a request of the key, @len bytes at @key. Returns false, and counts nothing, when the key
 * has used up its rate. @r NULL: always true. @now_us: a monotonic clock. */
bool api_rate_take(struct api_rate *r, const void *key, size_t len, int64_t now_us);

#endif
