/* rm/jobs/ended_jobs.h - stores and reads the history of ended jobs. The state that several RMs
 * share keeps ended jobs without their tasks, so the RM that saw a job end stores the job with its
 * tasks (rm/jobs/ended_job.h) in a file of its own, <creel.rm.state-dir>/history.db. The file has a
 * bounded size and keeps at most the newest RM_HISTORY_KEPT jobs. The history is a convenience:
 * when a job cannot be written, this is logged and the job left out, and nothing waits for the
 * write. */
#ifndef CREEL_RM_JOBS_ENDED_JOBS_H
#define CREEL_RM_JOBS_ENDED_JOBS_H

#include "base/mem.h"
#include "rm/daemon/backend.h"

#define RM_HISTORY_KEPT 100000

struct rm_history_file; /* may be used from any thread */
/* Neither opens nor creates the file, history.db in @folder: the first write does, or the first
 * read of an existing file opens it. @bytes_max bounds the data in the file; beyond it the oldest
 * jobs are deleted, but never the newest one. */
struct rm_history_file *rm_history_file_new(const char *folder, int64_t bytes_max);
void rm_history_file_free(struct rm_history_file *f); /* NULL is fine */
/* Stores @line, made by rm_history_encode_job() with @zero_us 0, as job @id. Returns 0 or a
 * negative BASE_E*. */
int rm_history_file_store_job(struct rm_history_file *f, struct base_app_id id, int64_t submit_us,
                              const char *line, struct base_error *err);
/* Finds the job with the highest id that is lower than @before (NULL: no bound), higher than @after
 * (NULL: no bound), and was submitted between the two times (inclusive). Returns false when there
 * is none, or when the file cannot be read. @f may be NULL: no job. */
bool rm_history_file_find_next_older(struct rm_history_file *f, const struct base_app_id *before,
                                     const struct base_app_id *after, int64_t submitted_from_us,
                                     int64_t submitted_to_us, struct base_app_id *out);
/* Appends the line of job @id to @out with times that count from @zero_us. Returns false when the
 * file does not have the job, or when its line is corrupt (which is logged). */
bool rm_history_file_read_job(struct rm_history_file *f, struct base_app_id id, int64_t zero_us,
                              struct base_buf *out);

/* Appends @line, whose times count from @old_zero_us, to @out with times that count from
 * @new_zero_us. Returns 0, or -BASE_ECORRUPT when the line cannot be parsed. */
int rm_history_shift_times(const char *line, size_t len, int64_t old_zero_us, int64_t new_zero_us,
                           struct base_buf *out, struct base_error *err);
/* Returns the backend's history file, or NULL when this RM is not one of several. */
struct rm_history_file *rm_history_get_file(const struct rm_backend *backend);

/* Handles RM_FX_HISTORY: stores ended job @id in the background while the core still has its tasks.
 * Returns at once. */
void rm_history_archive_job(struct rm_backend *backend, struct base_app_id id);
/* Appends the line of ended job @app to @out with times that count from @zero_us. Takes it from the
 * core or, when the core no longer has the tasks, from the file. Returns false when neither has
 * them, or the duration of the tasks is unknown. */
bool rm_history_read_job(struct rm_backend *backend, const struct rm_app_view *app, int64_t zero_us,
                         struct base_buf *out);

#endif
