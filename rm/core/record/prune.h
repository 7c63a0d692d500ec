/* rm/core/record/prune.h - removes obsolete records. */
#ifndef CREEL_RM_CORE_RECORD_PRUNE_H
#define CREEL_RM_CORE_RECORD_PRUNE_H

#include "rm/core/state.h"

/* Call when @a has ended durably: with prune_ended, has the records of its tasks, if it is a job,
 * removed in this and later steps. */
void rm_prune_queue_ended_job(struct rm_core *c, struct rm_app *a);
/* Has the records of the ended job's tasks removed in this and later steps, and the tasks freed
 * after that. */
void rm_prune_tasks_from_memory(struct rm_core *c, struct rm_app *a);
void rm_prune_free(struct rm_core *c);
/* Removes the record named by @s some time later. Takes @s. */
void rm_prune_queue_orphan_record(struct rm_core *c, struct rm_stash *s);
/* Removes a bounded number of the records that wait to be removed. Called at the end of every
 * step. */
void rm_prune_some_records(struct rm_core *c);
/* Returns a copy of @rec; with @with_data false only of its key. @table: static text. */
struct rm_stash *rm_stash_new(const struct rm_record *rec, const char *table, bool with_data);
void rm_stash_free(struct rm_stash *s);

#endif
