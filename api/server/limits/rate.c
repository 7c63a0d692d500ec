#include "api/server/limits/rate.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/crypto/random.h"
#include "base/data/map.h"
#include "base/error.h"
#include "base/mem.h"

#define SECOND_US INT64_C(1000000)

struct entry {
    uint64_t key;
    int64_t paid_us; /* when the key's requests will be paid for; 0: the entry is free */
};
struct api_rate {
    pthread_mutex_t lock;
    uint64_t seed;
    int64_t interval_us;
    struct entry sets[API_RATE_SETS][API_RATE_WAYS];
};

struct api_rate *api_rate_new(unsigned per_second)
{
    struct api_rate *r = base_alloc(sizeof *r);

    base_assert(per_second >= 1 && per_second <= API_RATE_MAX);
    base_random_bytes(&r->seed, sizeof r->seed);
    r->interval_us = SECOND_US / per_second;
    pthread_mutex_init(&r->lock, NULL);
    return r;
}

void api_rate_free(struct api_rate *r)
{
    if (!r)
        return;
    pthread_mutex_destroy(&r->lock);
    free(r);
}

/* Mixes every word of the key with what came before, so that the seed decides which keys share a
 * set. */
static uint64_t hash_key(const struct api_rate *r, const void *key, size_t len)
{
    uint64_t h = base_hash_mix(r->seed ^ len);

    for (size_t at = 0; at < len; at += sizeof h) {
        uint64_t word = 0;

        memcpy(&word, (const char *)key + at, len - at < sizeof word ? len - at : sizeof word);
        h = base_hash_mix(h ^ word) + r->seed;
    }
    return h;
}

/* Returns the entry of the key, or the one that the key is to take over. */
static struct entry *find_or_replace_entry(struct entry set[static API_RATE_WAYS], uint64_t key)
{
    struct entry *first = &set[0];

    for (size_t i = 0; i < API_RATE_WAYS; i++) {
        if (set[i].paid_us && set[i].key == key)
            return &set[i];
        if (set[i].paid_us < first->paid_us)
            first = &set[i];
    }
    *first = (struct entry){.key = key};
    return first;
}

bool api_rate_take(struct api_rate *r, const void *key, size_t len, int64_t now_us)
{
    struct entry *e;
    int64_t paid_us;
    bool allowed;
    uint64_t h;

    if (!r)
        return true;
    h = hash_key(r, key, len);
    pthread_mutex_lock(&r->lock);
    e = find_or_replace_entry(r->sets[h % API_RATE_SETS], h);
    paid_us = (e->paid_us > now_us ? e->paid_us : now_us) + r->interval_us;
    allowed = paid_us <= now_us + SECOND_US;
    if (allowed)
        e->paid_us = paid_us;
    pthread_mutex_unlock(&r->lock);
    return allowed;
}
