/* policies/common/commit_delay.h - ended tasks that still count as running for a while.
 * Models an accounting fault of Hadoop that hides sticky slots. SOURCE: Zaharia et al., EuroSys
 * 2010, on Fig. 11. */
#ifndef CREEL_POLICIES_COMMON_COMMIT_DELAY_H
#define CREEL_POLICIES_COMMON_COMMIT_DELAY_H

#include <stddef.h>
#include <stdint.h>

#include "policies/types.h"

struct commit_delay { /* all zero at first, except the delay */
    int64_t delay_us; /* 0: off */
    struct commit_delay_entry {
        int64_t until_us;
        struct policy_job *job; /* NULL: the job has left */
        enum base_task_kind kind;
    } * v; /* ring of @cap entries, @n used from @head on, oldest first */
    size_t head, n, cap;
};

/* Call it when a task of @job has ended. Returns true when the task still counts as running, until
 * commit_delay_pop_expired() returns it; false when the delay is off. */
bool commit_delay_add_ended(struct commit_delay *c, struct policy_job *job,
                            enum base_task_kind kind, int64_t now_us);
/* Removes a task whose delay is over at @now_us and sets its job and kind. Returns false when there
 * is none. */
bool commit_delay_pop_expired(struct commit_delay *c, int64_t now_us, struct policy_job **job,
                              enum base_task_kind *kind);
/* Returns the earliest time at which commit_delay_pop_expired() may return a task, including tasks
 * that end after @now_us; INT64_MAX: never. */
int64_t commit_delay_next_expiry_us(const struct commit_delay *c, int64_t now_us);
/* Drops the entries of @job, which is leaving. */
void commit_delay_remove_job(struct commit_delay *c, const struct policy_job *job);
void commit_delay_free(struct commit_delay *c);

#endif
