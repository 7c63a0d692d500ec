#include "policies/hfsp/rank.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void hfsp_rank_free(struct hfsp_rank *r)
{
    free(r->job);
    free(r->rank);
    free(r->want);
    for (int c = 0; c < HFSP_COUNTS; c++) {
        free(r->count[c].of);
        free(r->count[c].sums);
    }
    for (int w = 0; w < HFSP_WANTS; w++)
        free(r->bits[w]);
    *r = (struct hfsp_rank){0};
}

void hfsp_rank_reserve_handles(struct hfsp_rank *r, size_t handles)
{
    if (handles > r->handles_cap) {
        r->handles_cap = handles * 2;
        r->rank = base_realloc_array(r->rank, r->handles_cap, sizeof *r->rank);
        r->want = base_realloc_array(r->want, r->handles_cap, sizeof *r->want);
        for (int c = 0; c < HFSP_COUNTS; c++)
            r->count[c].of =
                base_realloc_array(r->count[c].of, r->handles_cap, sizeof *r->count[c].of);
    }
    for (; r->handles < handles; r->handles++) {
        r->want[r->handles] = 0;
        for (int c = 0; c < HFSP_COUNTS; c++)
            r->count[c].of[r->handles] = 0;
        r->rank[r->handles] = -1;
    }
}

static void reserve_ranks(struct hfsp_rank *r, size_t n)
{
    size_t words = n / 64 + 1;

    if (n > r->jobs_cap) {
        r->jobs_cap = n * 2;
        r->job = base_realloc_array(r->job, r->jobs_cap, sizeof *r->job);
        for (int c = 0; c < HFSP_COUNTS; c++)
            r->count[c].sums =
                base_realloc_array(r->count[c].sums, r->jobs_cap + 1, sizeof *r->count[c].sums);
    }
    if (words > r->words_cap) {
        r->words_cap = words * 2;
        for (int w = 0; w < HFSP_WANTS; w++)
            r->bits[w] = base_realloc_array(r->bits[w], r->words_cap, sizeof *r->bits[w]);
    }
}

static void rebuild_rank_sums(const struct hfsp_rank *r, struct hfsp_counts *c)
{
    c->all = 0;
    for (size_t i = 1; i <= r->n; i++)
        c->sums[i] = c->of[r->job[i - 1]];
    for (size_t i = 1; i <= r->n; i++) {
        size_t up = i + (i & -i);

        c->all += c->of[r->job[i - 1]];
        if (up <= r->n)
            c->sums[up] += c->sums[i];
    }
}

void hfsp_rank_set_order(struct hfsp_rank *r, const int32_t *order, size_t n)
{
    for (size_t i = 0; i < r->n; i++)
        r->rank[r->job[i]] = -1;
    reserve_ranks(r, n);
    r->n = n;
    for (int w = 0; w < HFSP_WANTS; w++)
        memset(r->bits[w], 0, (n / 64 + 1) * sizeof *r->bits[w]);
    for (size_t i = 0; i < n; i++) {
        r->job[i] = order[i];
        r->rank[order[i]] = (int32_t)i;
        for (int w = 0; w < HFSP_WANTS; w++)
            r->bits[w][i / 64] |= (uint64_t)(r->want[order[i]] >> w & 1) << i % 64;
    }
    for (int c = 0; c < HFSP_COUNTS; c++)
        rebuild_rank_sums(r, &r->count[c]);
}

void hfsp_rank_set_count(struct hfsp_rank *r, enum hfsp_count which, int32_t job, int32_t n)
{
    struct hfsp_counts *c = &r->count[which];
    int32_t at = r->rank[job], by = n - c->of[job];

    c->of[job] = n;
    if (at < 0 || !by)
        return;
    c->all += by;
    for (size_t i = (size_t)at + 1; i <= r->n; i += i & -i)
        c->sums[i] += by;
}

int64_t hfsp_rank_sum_up_to(const struct hfsp_rank *r, enum hfsp_count which, int32_t rank)
{
    int64_t sum = 0;

    for (size_t i = (size_t)rank + 1; i > 0; i -= i & -i)
        sum += r->count[which].sums[i];
    return sum;
}

int64_t hfsp_rank_sum_after(const struct hfsp_rank *r, enum hfsp_count which, int32_t rank)
{
    return r->count[which].all - hfsp_rank_sum_up_to(r, which, rank);
}

void hfsp_rank_set_wants(struct hfsp_rank *r, int32_t job, unsigned want)
{
    int32_t at = r->rank[job];
    unsigned changed = r->want[job] ^ want;

    r->want[job] = (uint8_t)want;
    if (at < 0 || !changed)
        return;
    for (int w = 0; w < HFSP_WANTS; w++)
        r->bits[w][at / 64] ^= (uint64_t)(changed >> w & 1) << at % 64;
}

static uint64_t word_of_jobs_wanting(const struct hfsp_rank *r, size_t at, unsigned want)
{
    uint64_t bits = 0;

    for (int w = 0; w < HFSP_WANTS; w++)
        bits |= want >> w & 1 ? r->bits[w][at] : 0;
    return bits;
}

int32_t hfsp_rank_next_wanting(const struct hfsp_rank *r, int32_t from, unsigned want)
{
    size_t at = (size_t)from / 64, words = r->n / 64 + 1;
    uint64_t bits;

    if ((size_t)from >= r->n)
        return -1;
    bits = word_of_jobs_wanting(r, at, want) & ~UINT64_C(0) << from % 64;
    while (!bits && ++at < words)
        bits = word_of_jobs_wanting(r, at, want);
    return bits ? (int32_t)(at * 64) + __builtin_ctzll(bits) : -1;
}
