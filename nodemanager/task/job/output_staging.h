/* nodemanager/task/job/output_staging.h - the folder beside the output folder of a job, named
 * .creel_<job's id>, in which the output folder is made, and to which its _temporary is moved to be
 * removed:
 *
 *   setup          make .creel_<id>/_temporary/<id> --> rename .creel_<id> to <out>
 *   commit, abort  rename <out>/_temporary to .creel_<id> --> remove .creel_<id>, the mark <id>
 * last
 *
 * Whom it guards against. The parent folder may be writable for others, who can guess the name and
 * put something there in advance, or exchange it at any moment: a folder or link of their own, or,
 * where the parent has no sticky bit, another folder of the job's user. So nothing is done by name
 * that could hurt: a folder is opened without following links; it must belong to the user of the
 * process, and hold what a setup makes, and nothing else, or carry the job's mark, which nobody
 * else can put into a folder of the user. What is removed is removed through that descriptor. What
 * is in the way otherwise stays there, and a name that cannot be guessed is used instead; a folder
 * of such a name that is left by a crash is not found again. Others can still keep the job from
 * having its output, where they may write to the parent folder and it has no sticky bit.
 *
 * Does I/O, as the user of the process. */
#ifndef CREEL_NODEMANAGER_TASK_JOB_OUTPUT_STAGING_H
#define CREEL_NODEMANAGER_TASK_JOB_OUTPUT_STAGING_H

#include <stdbool.h>

#include "base/error.h"
#include "base/id.h"

#define TASK_OUTPUT_TEMPORARY "_temporary"

struct task_staging {
    char *path;
    int fd; /* the open folder; -1: none */
};

/* Makes the folder for the output folder @path, or opens what an earlier attempt of the setup has
 * left. Returns 0 or -BASE_EIO; call task_staging_free() in any case. */
int task_staging_make(const char *path, struct base_app_id id, struct task_staging *out,
                      struct base_error *err);
/* Gives the folder the name @path, which must not exist. Returns 0, -EEXIST when it does, another
 * -errno, or -ESTALE when somebody has exchanged the folder. */
int task_staging_rename(const struct task_staging *s, const char *path);
/* Removes the folder, unless somebody has put something else into it. */
void task_staging_remove(const struct task_staging *s, struct base_app_id id);
void task_staging_free(struct task_staging *s);

/* Removes what an earlier attempt of any step has left beside the output folder @path. @abort: if
 * that was a _temporary, removes the output folder first, if it is empty; and what was removed is
 * so on disk when the call returns. Returns 0 or -BASE_EIO. */
int task_staging_remove_left(const char *path, struct base_app_id id, bool abort,
                             struct base_error *err);
/* Moves _temporary out of the open output folder @folder, with the path @path, and removes it, in a
 * way that can be repeated after a crash: until the end one of the two folders carries the mark.
 * @abort as above. Returns 0, also when there is none, or -BASE_EIO. */
int task_staging_remove_temporary(int folder, const char *path, struct base_app_id id, bool abort,
                                  struct base_error *err);

/* Opens folder @path, of which the last component must be no link, for reading. Returns the
 * descriptor, or -errno; -EPERM when it belongs to another user than that of the process. */
int task_output_open_own(const char *path);
/* Returns the path of the parent of the absolute path @path, which does not end with a slash; the
 * caller frees it. */
char *task_output_name_parent(const char *path);
/* Writes the entries of that parent to disk. Returns 0 or -BASE_EIO. */
int task_output_fsync_parent(const char *path, struct base_error *err);

#endif
