/* nodemanager/aggregate/remote.h - the folder that the nodes share for aggregated logs, where the
 * command `yarn logs` looks for them. Each node has one file for each application:
 *
 *    ROOT                           1777   made if its parent is there
 *    ROOT/USER                      0770
 *    ROOT/USER/bucket-SUFFIX-tfile  0770
 *    .../0042                       0770   the last four digits of the application's number
 *    .../application_1_100042       0770
 *    .../HOST_PORT                  0640   HOST:PORT is the node's id
 *    .../HOST_PORT.tmp                     while it is written; readers leave it out
 *
 * All of it belongs to the NodeManagers' user, and the user whose logs they are may read
 * (reader.h): a folder where his entry is missing gets it with the next file. ROOT may be open to
 * other users, so no link is followed below it, and a folder that belongs to anybody else but root
 * is refused: otherwise a user could have logs of others written where he reads them.
 *
 * SOURCE: Hadoop 3.4.2's LogAggregationUtils and LogAggregationFileController. */
#ifndef CREEL_NODEMANAGER_AGGREGATE_REMOTE_H
#define CREEL_NODEMANAGER_AGGREGATE_REMOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/id.h"

struct nm_remote {
    char root[2048];
    char folder[256]; /* "bucket-SUFFIX-tfile" */
    char file[320];   /* "HOST_PORT" */
};
/* Fills @out. @root: an absolute path or a URL of the scheme "file"; @suffix: a name; @node_id:
 * "HOST:PORT". Fails with -BASE_EINVAL, naming the key of the wrong value. Touches no file. */
int nm_remote_init(struct nm_remote *out, const char *root, const char *suffix, const char *node_id,
                   struct base_error *err);

/* A file that is being written. */
struct nm_remote_file {
    int folder, fd;
    char name[320], temporary[330];
};
/* Makes the folders of the application and opens the temporary file, replacing one that was left.
 * Returns 0, or -BASE_EINVAL, -BASE_EPERM, -BASE_EIO or -BASE_ENOSPC. */
int nm_remote_create(const struct nm_remote *r, const char *user, const struct base_app_id *app,
                     struct nm_remote_file *out, struct base_error *err);
/* Gives the file its name once its content is on the disk, and closes it. Removes it after an
 * error. */
int nm_remote_commit(struct nm_remote_file *f, struct base_error *err);
/* Closes and removes the temporary file. */
void nm_remote_discard(struct nm_remote_file *f);

/* Removes the files of this node that were last written before @before_s (seconds since 1970), and
 * folders of applications that become empty. Returns how many files were removed. @is_stopping: may
 * return true to end the walk early. */
size_t nm_remote_remove_old(const struct nm_remote *r, int64_t before_s,
                            bool (*is_stopping)(void *user_data), void *user_data);

#endif
