/* nodemanager/shuffle/jobs.h - the jobs whose map outputs the node serves: their secrets.
 *
 *    a container is started with service data for mapreduce_shuffle --> stored in
 *    records/<app>/shuffle (0600, fsync), then known --> the application is cleaned up: forgotten,
 *    its record is gone
 *
 * Whoever starts containers of an application may replace the secret; a second attempt of a master
 * brings the same one. A job has the numbers of its application. All functions are thread-safe. */
#ifndef CREEL_NODEMANAGER_SHUFFLE_JOBS_H
#define CREEL_NODEMANAGER_SHUFFLE_JOBS_H

#include "nodemanager/container/folders.h"

#define NM_SHUFFLE_SECRET_MAX 256 /* bytes; MapReduce's have 8 */

struct nm_shuffle_secret {
    unsigned char bytes[NM_SHUFFLE_SECRET_MAX];
    size_t len;
};
/* Reads the service data: a token, whose password is the secret. Returns 0 or -BASE_EINVAL. */
int nm_shuffle_secret_read(const void *data, size_t len, struct nm_shuffle_secret *out,
                           struct base_error *err);

struct nm_shuffle_jobs;
/* @files is borrowed. */
struct nm_shuffle_jobs *nm_shuffle_jobs_new(const struct nm_files *files);
void nm_shuffle_jobs_free(struct nm_shuffle_jobs *jobs); /* NULL-safe */
/* Stores the secret of the application's job, whose record must exist. Returns 0, -BASE_EIO or
 * -BASE_ENOSPC. */
int nm_shuffle_jobs_register(struct nm_shuffle_jobs *jobs, const struct base_app_id *app,
                             const struct nm_shuffle_secret *secret, struct base_error *err);
/* Reads what an earlier start has stored; does nothing if that is nothing. */
void nm_shuffle_jobs_recover(struct nm_shuffle_jobs *jobs, const struct base_app_id *app);
void nm_shuffle_jobs_forget(struct nm_shuffle_jobs *jobs, const struct base_app_id *app);
/* Returns false when the job is not known. */
bool nm_shuffle_jobs_find(struct nm_shuffle_jobs *jobs, const struct base_app_id *app,
                          struct nm_shuffle_secret *out);

#endif
