/* nodemanager/container/logs/ended_logs.h - a list of the applications that have ended and left
 * logs on this node, in order of their end. The list is built from the folders at the start and
 * maintained from then on, so that finding expired logs needs no further walk through the folders.
 * An application that ended several times may be listed several times; the caller that removes an
 * entry checks the application's mark. Not thread-safe. */
#ifndef CREEL_NODEMANAGER_CONTAINER_LOGS_ENDED_LOGS_H
#define CREEL_NODEMANAGER_CONTAINER_LOGS_ENDED_LOGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id.h"

struct nm_ended_app {
    struct base_app_id app;
    int64_t ended_s; /* in seconds since 1970 */
};
struct nm_ended_logs { /* a ring buffer; empty when zeroed */
    struct nm_ended_app *v;
    size_t head, len, cap;
};
void nm_ended_logs_free(struct nm_ended_logs *r);
/* Adds an application that ended at @ended_s. The entry usually comes last; if the clock was set
 * back, inserting it costs a walk over the later entries. */
void nm_ended_logs_add(struct nm_ended_logs *r, const struct base_app_id *app, int64_t ended_s);
/* Adds @n applications found in the folders, in any order; sorts @v. Entries that already exist are
 * kept, and with equal times come after the new ones. */
void nm_ended_logs_add_scanned(struct nm_ended_logs *r, struct nm_ended_app *v, size_t n);
/* Returns the application that ended first, or NULL if there is none. Borrowed until the list
 * changes. */
const struct nm_ended_app *nm_ended_logs_oldest(const struct nm_ended_logs *r);
void nm_ended_logs_drop_oldest_entry(struct nm_ended_logs *r); /* the list must not be empty */

#endif
