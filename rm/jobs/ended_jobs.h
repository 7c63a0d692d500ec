/* rm/jobs/ended_jobs.h - ended jobs that the shared state of several RMs keeps without their tasks: the RM that saw one end
 * keeps it whole (rm/jobs/ended_job.h), in a file of its own: <creel.rm.state-dir>/history.db, the newest RM_HISTORY_KEPT of them, in a
 * file of bounded size.
 * A convenience: what cannot be written there is noted and missing, nothing waits for it. */
#ifndef CREEL_RM_JOBS_ENDED_JOBS_H
#define CREEL_RM_JOBS_ENDED_JOBS_H

#include "base/mem.h"
#include "rm/daemon/backend.h"

#define RM_HISTORY_KEPT 100000

struct rm_history_file; /* any thread */
/* Nothing is opened or made yet. @bytes_max: of what the file holds; then the oldest jobs make room. */
struct rm_history_file *rm_history_file_new(const char *folder, int64_t bytes_max);
void rm_history_file_free(struct rm_history_file *f);            /* NULL is fine */
/* @line: of rm_history_put() with zero 0. */
int rm_history_file_put(struct rm_history_file *f, struct base_app_id id, int64_t submit_us, const char *line,
                        struct base_error *err);
/* The newest one, by its id, that is older than @before (NULL: of all), newer than @after (NULL: any), and was submitted
 * between the two times. False: there is none; @f may be NULL. */
bool rm_history_file_next(struct rm_history_file *f, const struct base_app_id *before, const struct base_app_id *after,
                          int64_t from_us, int64_t to_us, struct base_app_id *out);
/* Appends it with times that count from @zero_us. False: it is not there. */
bool rm_history_file_get(struct rm_history_file *f, struct base_app_id id, int64_t zero_us, struct base_buf *out);

/* A line whose times count from @from_us, with times that count from @to_us, appended. -BASE_ECORRUPT. */
int rm_history_shift(const char *line, size_t len, int64_t from_us, int64_t to_us, struct base_buf *out,
                     struct base_error *err);
struct rm_history_file *rm_history_file_of(const struct rm_backend *b); /* NULL: alone */

/* RM_FX_HISTORY: job @id has ended and its tasks can still be read. Returns at once. */
void rm_history_keep(struct rm_backend *b, struct base_app_id id);
/* Appends ended job @a, from the core or, where that has no tasks of it any more, from the file. False: it cannot. */
bool rm_history_of(struct rm_backend *b, const struct rm_app_view *a, int64_t zero_us, struct base_buf *out);

#endif
