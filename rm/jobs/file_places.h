/* rm/jobs/file_places.h - where a path lies, as far as its text tells, so that what hangs at one place does not take all threads.
 * A file system that does not answer cannot be asked what it is (stat(2) hangs too), so the first two names of the folder
 * that holds the path stand for it: /mnt/nfs, /home/ann. Either of them has its limit: a place as a whole, and all that is
 * below its first name. Pure. */
#ifndef CREEL_RM_JOBS_FILE_PLACES_H
#define CREEL_RM_JOBS_FILE_PLACES_H

#include <stdbool.h>
#include <stdint.h>

enum { RM_PLACE_MAX = 8, RM_PLACE_TOP_MAX = 16 }; /* threads: at one place; below one first name */

struct rm_place {
    uint64_t top, whole; /* hashes: two places that fall together share a limit; 0: nowhere */
};
struct rm_place rm_place_of(const char *path); /* absolute; NULL: nowhere */
bool rm_place_eq(const struct rm_place *a, const struct rm_place *b);

struct rm_place_count { /* of others; zeros to begin with */
    int at_top, at_whole;
};
void rm_place_add(struct rm_place_count *n, const struct rm_place *here, const struct rm_place *other);
bool rm_place_is_full(const struct rm_place_count *n);

#endif
