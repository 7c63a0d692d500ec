/* policies/hfsp_rank.h - jobs by rank, and which of them want something: a bit each, so that the next one is found
 * without looking at the others. Ranks are set anew when the order changes, O(jobs); a change of what a job wants is
 * O(1); the next job of a kind of want after a rank looks at 64 jobs at a time. Beside them, how many attempts of each
 * job could be preempted, with sums over the jobs behind a rank in O(log jobs) (a Fenwick tree). */
#ifndef CREEL_HFSP_RANK_H
#define CREEL_HFSP_RANK_H

#include <stddef.h>
#include <stdint.h>

enum hfsp_want {                  /* bits */
                 HFSP_START = 1,  /* may be offered a slot for a new task */
                 HFSP_RESUME = 2, /* has suspended attempts */
                 HFSP_CLAIM = 4   /* waits for slots, its own or those of its training */
};
#define HFSP_WANTS 3

struct hfsp_rank {
    int32_t *job;               /* handle by rank */
    int32_t *rank;              /* by handle, -1: none */
    uint8_t *want;              /* by handle */
    int32_t *prey;              /* by handle: attempts that could be preempted */
    uint64_t *bits[HFSP_WANTS]; /* by rank */
    int64_t *sums;              /* Fenwick tree of prey by rank, [1..n] */
    int64_t prey_all;
    size_t n, jobs_cap, handles, handles_cap, words_cap;
};

void hfsp_rank_free(struct hfsp_rank *r);
/* Handles are below @handles from now on; new ones want nothing and have no rank. */
void hfsp_rank_handles(struct hfsp_rank *r, size_t handles);
void hfsp_rank_set(struct hfsp_rank *r, const int32_t *order, size_t n);
void hfsp_rank_want(struct hfsp_rank *r, int32_t job, unsigned want);
void hfsp_rank_prey(struct hfsp_rank *r, int32_t job, int32_t attempts);
/* Attempts of jobs behind @rank. */
int64_t hfsp_rank_prey_behind(const struct hfsp_rank *r, int32_t rank);
/* The first rank from @from on whose job has one of @want, -1: none. */
int32_t hfsp_rank_next(const struct hfsp_rank *r, int32_t from, unsigned want);

#endif
