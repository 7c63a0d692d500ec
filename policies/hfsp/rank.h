/* policies/hfsp/rank.h - jobs by rank, with a bit per job and want, so that the next job with a
 * want is found without visiting the jobs in between. Setting all ranks after a change of the order
 * costs O(jobs); changing the wants of a job O(1); finding the next job with a want tests 64 jobs
 * at a time. Each job also has two counts, the attempts that could be preempted and the waiting
 * tasks, which are summed over ranges of ranks in O(log jobs) (Fenwick trees). */
#ifndef CREEL_POLICIES_HFSP_RANK_H
#define CREEL_POLICIES_HFSP_RANK_H

#include <stddef.h>
#include <stdint.h>

enum hfsp_want {                  /* bits */
                 HFSP_START = 1,  /* may be offered a slot for a new task */
                 HFSP_RESUME = 2, /* has suspended attempts */
                 HFSP_CLAIM = 4   /* has tasks to launch, sample tasks included */
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
/* Reserves memory for handles below @handles; new handles have no wants and no rank. */
void hfsp_rank_reserve_handles(struct hfsp_rank *r, size_t handles);
/* Sets the ranks: order[0] gets rank 0, and so on; other jobs have no rank. */
void hfsp_rank_set_order(struct hfsp_rank *r, const int32_t *order, size_t n);
/* Sets the wants of a job: bits of enum hfsp_want. */
void hfsp_rank_set_wants(struct hfsp_rank *r, int32_t job, unsigned want);
/* Sets a count of a job to @n. */
void hfsp_rank_set_count(struct hfsp_rank *r, enum hfsp_count which, int32_t job, int32_t n);
/* Return the sum of a count over the jobs with higher ranks than @rank, and over the jobs with
 * ranks up to and including @rank. */
int64_t hfsp_rank_sum_after(const struct hfsp_rank *r, enum hfsp_count which, int32_t rank);
int64_t hfsp_rank_sum_up_to(const struct hfsp_rank *r, enum hfsp_count which, int32_t rank);
/* Returns the first rank from @from on whose job has one of the wants @want; -1: none. */
int32_t hfsp_rank_next_wanting(const struct hfsp_rank *r, int32_t from, unsigned want);

#endif
