#include "api/server/access/replay.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/crypto/hex.h"
#include "base/error.h"
#include "base/mem.h"

/* Slices on each side of the present. With more slices, nonces are kept for less time beyond what
 * is needed; with fewer, there are fewer tables to empty as time goes on. */
#define SIDE      8
#define SLICES    (2 * SIDE + 2)
#define FIRST_CAP 64

/* An open hash table of the first half of each nonce, which is random, so that it is its own hash.
 * 0 stands for a free place. */
struct slice {
    int64_t number; /* of the slice of time that the table holds; -1: none */
    uint64_t *v;
    size_t n, cap;
};
struct api_replay {
    pthread_mutex_t lock;
    int64_t skew_ms, slice_ms;
    int64_t forgotten_ms; /* requests before it are refused, since their nonces are forgotten */
    size_t n, max;
    struct slice slices[SLICES];
};

struct api_replay *api_replay_new(int64_t max_skew_ms, size_t nonces_max)
{
    struct api_replay *r = base_alloc(sizeof *r);

    pthread_mutex_init(&r->lock, NULL);
    r->skew_ms = max_skew_ms;
    r->slice_ms = max_skew_ms / SIDE + 1;
    r->max = nonces_max ? nonces_max : API_REPLAY_MAX;
    for (size_t i = 0; i < SLICES; i++)
        r->slices[i].number = -1;
    return r;
}

void api_replay_free(struct api_replay *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < SLICES; i++)
        free(r->slices[i].v);
    pthread_mutex_destroy(&r->lock);
    free(r);
}

static void empty_slice(struct api_replay *r, struct slice *s)
{
    r->n -= s->n;
    free(s->v);
    *s = (struct slice){.number = -1};
}

static void empty_oldest_slice(struct api_replay *r)
{
    struct slice *oldest = NULL;
    int64_t end;

    for (size_t i = 0; i < SLICES; i++)
        if (r->slices[i].number >= 0 && (!oldest || r->slices[i].number < oldest->number))
            oldest = &r->slices[i];
    end = (oldest->number + 1) * r->slice_ms;
    if (end > r->forgotten_ms)
        r->forgotten_ms = end;
    empty_slice(r, oldest);
}

/* Returns the place of @nonce, or the free place where it belongs. At most half of the places are
 * taken, so there is one. */
static size_t find_place(const uint64_t *v, size_t cap, uint64_t nonce)
{
    size_t i = nonce & (cap - 1);

    while (v[i] && v[i] != nonce)
        i = (i + 1) & (cap - 1);
    return i;
}

static void grow_slice(struct slice *s)
{
    size_t cap = s->cap ? 2 * s->cap : FIRST_CAP;
    uint64_t *v = base_alloc(cap * sizeof *v);

    for (size_t i = 0; i < s->cap; i++)
        if (s->v[i])
            v[find_place(v, cap, s->v[i])] = s->v[i];
    free(s->v);
    s->v = v;
    s->cap = cap;
}

static uint64_t nonce_number(const char *nonce)
{
    uint64_t number;

    base_assert(base_hex_decode(nonce, &number, sizeof number));
    return number ? number : 1;
}

/* Returns the slice of @time_ms. Its place is free or taken by a slice that is a whole round older,
 * which no request can belong to any more. Returns NULL when the place is taken by a newer slice:
 * the clock has been set back, and the nonces of @time_ms are forgotten. */
static struct slice *get_slice_of_time(struct api_replay *r, int64_t time_ms)
{
    int64_t number = time_ms / r->slice_ms;
    struct slice *s = &r->slices[number % SLICES];

    if (s->number > number)
        return NULL;
    if (s->number != number) {
        empty_slice(r, s);
        s->number = number;
    }
    return s;
}

static enum api_replay_verdict check_and_note_nonce(struct api_replay *r, uint64_t nonce,
                                                    int64_t time_ms)
{
    struct slice *s;
    size_t place;

    if (time_ms < r->forgotten_ms)
        return API_REPLAY_LATE;
    s = get_slice_of_time(r, time_ms);
    if (!s)
        return API_REPLAY_LATE;
    if (2 * s->n >= s->cap)
        grow_slice(s);
    place = find_place(s->v, s->cap, nonce);
    if (s->v[place])
        return API_REPLAY_REPEATED;
    s->v[place] = nonce;
    s->n++;
    if (++r->n > r->max)
        empty_oldest_slice(r);
    return API_REPLAY_NEW;
}

enum api_replay_verdict api_replay_check_and_note(struct api_replay *r, const char *nonce,
                                                  int64_t time_ms, int64_t now_ms)
{
    enum api_replay_verdict verdict = API_REPLAY_LATE;

    pthread_mutex_lock(&r->lock);
    if (time_ms >= 0 && time_ms >= now_ms - r->skew_ms && time_ms <= now_ms + r->skew_ms)
        verdict = check_and_note_nonce(r, nonce_number(nonce), time_ms);
    pthread_mutex_unlock(&r->lock);
    return verdict;
}

size_t api_replay_count_nonces(struct api_replay *r)
{
    size_t n;

    pthread_mutex_lock(&r->lock);
    n = r->n;
    pthread_mutex_unlock(&r->lock);
    return n;
}
