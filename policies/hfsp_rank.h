/* policies/hfsp_rank.h - jobs by rank, and which of them want something: a bit each, so that the next one is found
 * without looking at the others. Ranks are set anew when the order changes, O(jobs); a change of what a job wants is
 * O(1); the next job of a kind of want after a rank looks at 64 jobs at a time. */
#ifndef CREEL_HFSP_RANK_H
#define CREEL_HFSP_RANK_H

#include <stddef.h>
#include <stdint.h>

enum hfsp_want { /* bits */
    HFSP_START = 1,  /* may be offered a slot for a new task */
    HFSP_RESUME = 2, /* has suspended attempts */
    HFSP_CLAIM = 4   /* waits for slots, its own or those of its training */
};
#define HFSP_WANTS 3

struct hfsp_rank {
    int32_t *job;  /* handle by rank */
    int32_t *rank; /* by handle, -1: none */
    uint8_t *want; /* by handle */
    uint64_t *bits[HFSP_WANTS]; /* by rank */
    size_t n, jobs_cap, handles, handles_cap, words_cap;
};

void hfsp_rank_free(struct hfsp_rank *r);
/* @handles: one more than the largest handle there may be. */
void hfsp_rank_set(struct hfsp_rank *r, const int32_t *order, size_t n, size_t handles);
void hfsp_rank_want(struct hfsp_rank *r, int32_t job, unsigned want);
/* The first rank from @from on whose job has one of @want, -1: none. */
int32_t hfsp_rank_next(const struct hfsp_rank *r, int32_t from, unsigned want);

#endif
