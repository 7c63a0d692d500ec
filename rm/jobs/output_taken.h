/* rm/jobs/output_taken.h - which files of an output folder are parts that a job's commit has taken
 * there.
 *
 * A commit that fails, or ends with its RM, half way has moved some parts already; an abort after
 * it has to remove these, and nothing that anybody else has put into the folder. So the commit
 * writes down, before the first move, which files it is going to move: <out>/_temporary/<job's
 * id>.taken, lines of "<index> <inode>". A rename keeps the inode, so <out>/part-<index> is a taken
 * part if and only if it is that inode. The list lasts until the commit is complete.
 *
 * It lies in a folder of the user, who may write anything into it: at worst, parts of this folder
 * are removed or left. */
#ifndef CREEL_RM_JOBS_OUTPUT_TAKEN_H
#define CREEL_RM_JOBS_OUTPUT_TAKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/id.h"

struct rm_output_taken {
    uint64_t *inodes; /* of part i; 0: not of this commit */
    size_t n;
    bool is_there; /* a list was found */
};

/* The list in @temporary, an open _temporary; indexes from @max on and lines that are none are left
 * out. No list, or what cannot be one: empty. rm_output_taken_free() also after an error. */
int rm_output_taken_load(int temporary, struct base_app_id id, size_t max,
                         struct rm_output_taken *out, struct base_error *err);
/* Replaces it, on disk when it returns. */
int rm_output_taken_save(int temporary, struct base_app_id id, const struct rm_output_taken *taken,
                         struct base_error *err);
/* Removes the taken parts from @folder, the output folder, on disk when it returns. */
int rm_output_taken_remove(int folder, const struct rm_output_taken *taken, struct base_error *err);
void rm_output_taken_free(struct rm_output_taken *taken);

/* "part-00000" for 0. */
#define RM_OUTPUT_PART_MAX 32
const char *rm_output_part(size_t index, char out[static RM_OUTPUT_PART_MAX]);
/* The list's name. */
#define RM_OUTPUT_TAKEN_MAX (BASE_ID_TEXT_MAX + 16)
const char *rm_output_taken_name(struct base_app_id id, char out[static RM_OUTPUT_TAKEN_MAX]);

#endif
