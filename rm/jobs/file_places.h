/* rm/jobs/file_places.h - groups paths by place, so that one hanging file system does not block all
 * threads. A file system that does not answer cannot be asked for its identity (stat(2) hangs too),
 * so the place is taken from the text of the path: the first two names of its folder, such as
 * /mnt/nfs or /home/ann. The number of threads is limited both at a place and below its first name,
 * such as /mnt. Does no I/O. */
#ifndef CREEL_RM_JOBS_FILE_PLACES_H
#define CREEL_RM_JOBS_FILE_PLACES_H

#include <stdbool.h>
#include <stdint.h>

/* most threads at one place, and below one first name */
enum { RM_PLACE_MAX = 8, RM_PLACE_TOP_MAX = 16 };

struct rm_file_place {
    /* hash of the first name, and hash of both names; places whose hashes collide share a limit; 0:
     * no place */
    uint64_t top, whole;
};
/* @path: absolute; NULL: no place */
struct rm_file_place rm_file_place_from_path(const char *path);
bool rm_file_place_equal(const struct rm_file_place *a, const struct rm_file_place *b);

/* threads below the first name of a place, and at the place; 0 at first */
struct rm_file_place_count {
    int at_top, at_whole;
};
/* Counts @other when it is at the same place as @here, or below the same first name. */
void rm_file_place_count_if_shared(struct rm_file_place_count *count,
                                   const struct rm_file_place *here,
                                   const struct rm_file_place *other);
/* Returns true when no further thread may access the place. */
bool rm_file_place_count_is_full(const struct rm_file_place_count *count);

#endif
