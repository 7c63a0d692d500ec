/* tests/unit/count_jobs.h - counts the jobs that a daemon knows, read chunk by chunk as the
 * handlers of lists do. */
#ifndef CREEL_TESTS_COUNT_JOBS_H
#define CREEL_TESTS_COUNT_JOBS_H

#include "base/limits.h"
#include "rm/daemon/backend.h"

static inline size_t count_jobs(struct rm_backend *b)
{
    struct rm_app_filter f = {.jobs_only = true};
    struct base_app_id cursor = {0}, before;
    bool more = true, from = false;
    size_t n = 0;

    while (more) {
        struct rm_views v = {0};
        before = cursor;
        more = rm_view_apps(rm_backend_lock_core(b), &f, from ? &before : NULL, BASE_VIEW_CHUNK, &v,
                            &cursor);
        rm_backend_unlock_core(b);
        n += v.apps_n;
        from = true;
        rm_views_free(&v);
    }
    return n;
}

#endif
