/* rm/http/yarn/scheduler/activity_tree.h - turns recorded rounds of offers
 * (rm/core/schedule/activity.h) into YARN's activities.
 *
 * Each slot that was taken in a round is an allocation, shown with the offers that led to it. If a
 * later offer was declined, or nothing was offered, a last allocation is shown as skipped. Queues
 * without demand are skipped with YARN's words for that. */
#ifndef CREEL_RM_HTTP_YARN_SCHEDULER_ACTIVITY_TREE_H
#define CREEL_RM_HTTP_YARN_SCHEDULER_ACTIVITY_TREE_H

#include "api/yarn/activities.h"
#include "rm/http/yarn/yarn_internal.h"

struct yarn_memory { /* pieces that are freed together */
    void **v;
    size_t n, cap;
};
void yarn_memory_free(struct yarn_memory *m);

/* Formats a time as "Sat Nov 21 07:00:32 UTC 2026", in @m. */
const char *yarn_format_date_time(struct yarn_memory *m, int64_t ms);
/* Fills the activities of one round. @by_diagnostic: containers with the same state and diagnostic
 * are shown as one group. The views must outlive @out. */
void yarn_activities_fill(const struct yarn_context *f, const struct rm_round_view *round,
                          bool by_diagnostic, struct yarn_memory *m, struct yarn_activities *out);

struct yarn_app_activity_filter {
    const int64_t *priorities, *request_ids; /* of requests; none: any */
    size_t priorities_n, request_ids_n;
    bool by_diagnostic;
    bool summarize; /* only the newest round of each node */
    int64_t limit;  /* most allocations; the newest are kept */
};
/* Fills the allocations of application @app in the rounds of @v. */
void yarn_app_allocations_fill(const struct rm_views *v, const struct base_app_id *app,
                               const struct yarn_app_activity_filter *filter, struct yarn_memory *m,
                               struct yarn_app_activities *out);

#endif
