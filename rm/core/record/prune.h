/* rm/core/record/prune.h - removes obsolete records. */
#ifndef CREEL_RM_CORE_RECORD_PRUNE_H
#define CREEL_RM_CORE_RECORD_PRUNE_H

#include "rm/core/state.h"

/* The job has ended, and its record is durable: its tasks' records may go. */
void rm_prune_ended_job(struct rm_core *c, struct rm_app *a);
/* Removes its tasks from the store, and then from memory. */
void rm_prune_tasks_from_memory(struct rm_core *c, struct rm_app *a);
void rm_prune_free(struct rm_core *c);
void rm_prune_queue_orphan(struct rm_core *c, struct rm_stash *s); /* taken */
void rm_prune_some_records(struct rm_core *c);
/* @table: static text. @data false: keeps the key alone. */
struct rm_stash *rm_stash_new(const struct rm_record *rec, const char *table, bool data);
void rm_stash_free(struct rm_stash *s);

#endif
