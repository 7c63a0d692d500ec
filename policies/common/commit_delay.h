/* policies/common/commit_delay.h - tasks that have ended and are still counted as running by their
 * job.
 * Models an accounting fault of Hadoop that hides sticky slots. SOURCE: Zaharia et al., EuroSys
 * 2010, on Fig. 11. */
#ifndef CREEL_POLICIES_COMMON_COMMIT_DELAY_H
#define CREEL_POLICIES_COMMON_COMMIT_DELAY_H

#include <stddef.h>
#include <stdint.h>

#include "policies/types.h"

struct commit_delay { /* zero, but for the delay */
    int64_t delay_us; /* 0: off */
    struct commit_delay_entry {
        int64_t until_us;
        struct policy_job *job; /* NULL: gone */
        enum base_task_kind kind;
    } * v; /* ring, oldest first */
    size_t head, n, cap;
};

/* A task of @job ended; nothing when it is off. True: it counts on. */
bool commit_delay_add(struct commit_delay *c, struct policy_job *job, enum base_task_kind kind,
                      int64_t now_us);
/* The job and kind of a task that counts no longer; false: no more of them at @now_us. */
bool commit_delay_pop(struct commit_delay *c, int64_t now_us, struct policy_job **job,
                      enum base_task_kind *kind);
/* When commit_delay_pop() may give something: nothing that ends after @now_us is due before.
 * INT64_MAX: never. */
int64_t commit_delay_next_us(const struct commit_delay *c, int64_t now_us);
void commit_delay_forget(struct commit_delay *c, const struct policy_job *job);
void commit_delay_free(struct commit_delay *c);

#endif
