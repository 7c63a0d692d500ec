/* nodemanager/container/ended_logs.h - which applications have ended and left logs here, the longest ended
 * first. Built once from the folders at the start, then kept: nobody looks through the folders
 * again to find what is due. One that has ended several times may be in it several times: who takes
 * an entry looks at the application's mark. Not thread-safe. */
#ifndef CREEL_NODEMANAGER_CONTAINER_ENDED_LOGS_H
#define CREEL_NODEMANAGER_CONTAINER_ENDED_LOGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id.h"

struct nm_retained {
    struct base_app_id app;
    int64_t ended_s; /* since 1970 */
};
struct nm_retain { /* a ring; all zero: empty */
    struct nm_retained *v;
    size_t head, len, cap;
};
void nm_retain_free(struct nm_retain *r);
/* Ended at @ended_s: in general the last one. A clock that was set back costs a walk over those with a later time. */
void nm_retain_add(struct nm_retain *r, const struct base_app_id *app, int64_t ended_s);
/* Adds @n that were found in the folders, in any order; sorts @v. What is there already stays behind earlier ones. */
void nm_retain_seed(struct nm_retain *r, struct nm_retained *v, size_t n);
/* The longest ended one; NULL: none. Borrowed until the next call. */
const struct nm_retained *nm_retain_first(const struct nm_retain *r);
void nm_retain_pop(struct nm_retain *r); /* the first, which is there */

#endif
