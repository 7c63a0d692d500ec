/* policies/hfsp/rank.h - jobs by rank, and which of them want something: a bit each, so that the
 * next one is found without looking at the others. Ranks are set anew when the order changes,
 * O(jobs); a change of what a job wants is O(1); the next job of a kind of want after a rank looks
 * at 64 jobs at a time. Beside them two counts of each job, the attempts that could be preempted
 * and the tasks that wait, with sums over the jobs behind a rank in O(log jobs) (Fenwick trees). */
#ifndef CREEL_POLICIES_HFSP_RANK_H
#define CREEL_POLICIES_HFSP_RANK_H

#include <stddef.h>
#include <stdint.h>

enum hfsp_want {                  /* bits */
                 HFSP_START = 1,  /* may be offered a slot for a new task */
                 HFSP_RESUME = 2, /* has suspended attempts */
                 HFSP_CLAIM = 4   /* waits for slots, its own or those of its training */
};
#define HFSP_WANTS 3
enum hfsp_count { HFSP_PREY, HFSP_WAITING, HFSP_COUNTS };

struct hfsp_rank {
    int32_t *job;               /* handle by rank */
    int32_t *rank;              /* by handle, -1: none */
    uint8_t *want;              /* by handle */
    uint64_t *bits[HFSP_WANTS]; /* by rank */
    struct hfsp_counts {
        int32_t *of;   /* by handle */
        int64_t *sums; /* Fenwick tree by rank, [1..n] */
        int64_t all;   /* of jobs with a rank */
    } count[HFSP_COUNTS];
    size_t n, jobs_cap, handles, handles_cap, words_cap;
};

void hfsp_rank_free(struct hfsp_rank *r);
/* Handles are below @handles from now on; new ones want nothing and have no rank. */
void hfsp_rank_handles(struct hfsp_rank *r, size_t handles);
void hfsp_rank_set(struct hfsp_rank *r, const int32_t *order, size_t n);
void hfsp_rank_want(struct hfsp_rank *r, int32_t job, unsigned want);
void hfsp_rank_count(struct hfsp_rank *r, enum hfsp_count which, int32_t job, int32_t n);
/* Sum over the jobs behind @rank; over those up to it, itself included. */
int64_t hfsp_rank_behind(const struct hfsp_rank *r, enum hfsp_count which, int32_t rank);
int64_t hfsp_rank_upto(const struct hfsp_rank *r, enum hfsp_count which, int32_t rank);
/* The first rank from @from on whose job has one of @want, -1: none. */
int32_t hfsp_rank_next(const struct hfsp_rank *r, int32_t from, unsigned want);

#endif
