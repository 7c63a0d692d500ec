/* rm/core/record/damage.h - handles damaged records: those that cannot be read, or that contradict
 * themselves.
 *
 * The state of a job is spread over several records. Each record is read completely before anything
 * in it takes effect. As little as possible is lost with a damaged record:
 *
 *   app/<id>: the application fails, with the reason in its diagnostics. Its other records are
 *     removed like those of any ended job, and its containers are killed as their nodes register.
 *     Its output is not touched.
 *
 *   meta/splits_<id> (damaged or missing): a job that goes on fails in the same way, since without
 *     the list it is unknown which task reads what. A job that has ended is shown without its
 *     tasks.
 *
 *   task/<id>: the task runs again. Its attempt numbers continue above all those that earlier
 *     epochs can have used, so that the two runs are never confused. If the job has ended, the
 *     task is shown as if it had no record.
 *
 *   commit/<id>: a task that has not ended runs again, but only when no node can still have the
 *     attempt that may be committing: the same rule as for an attempt on a silent node.
 *
 *   node/<id>: nothing is lost: the node is awaited by name, and reports the rest as it registers.
 *
 *   meta/reservation_<id>: the reservation is lost; its jobs go on without it.
 *
 *   meta/labels, meta/scheduler-conf: the labels of nodes, or the changes to the queues, are lost.
 *
 *   meta/token_<id>: the token is lost, and no longer accepted.
 *
 *   meta/master-key_<kind>: the key is lost, and the tokens made with it are no longer accepted; a
 *     new key takes its place.
 *
 *   meta/format: the ResourceManager does not start without --format-confirmed, since only an
 *     operator knows whether this is the right store.
 *
 * The final state of an application is in its app record alone, which is written after the records
 * of its tasks. If the job was done but its end was not recorded yet, damaged tasks run again, and
 * the job ends after them; committing its output a second time is harmless.
 *
 * A damaged record is kept unchanged as damaged/<table>/<key> until an operator removes it; a note
 * informs the operator. This copy, and the new record that replaces the damaged one where the next
 * start needs it, are written before anything else, so that a second start finds a clean store. */
#ifndef CREEL_RM_CORE_RECORD_DAMAGE_H
#define CREEL_RM_CORE_RECORD_DAMAGE_H

#include "rm/core/state.h"

/* Keeps a copy of the damaged record @rec for rm_damage_write_copies(). @why: what is wrong with
 * it. */
void rm_damage_keep_copy(struct rm_core *c, const struct rm_record *rec, const char *why);
/* Makes @a a failed application, since its record, or one that it needs, is damaged. Call before
 * rm_tasks_create(). */
void rm_damage_fail_app(struct rm_core *c, struct rm_app *a, const char *why);
/* Writes the copies, the replacements of damaged records, and the records of failed applications.
 * Call when all records are read and effects can be emitted. */
void rm_damage_write_copies(struct rm_core *c);
void rm_damage_free_copies(struct rm_core *c);
/* Returns what is contradictory in the states in @a's record; NULL when they fit together, so that
 * no illegal transition (rm/core/states.h) can follow from them. */
const char *rm_damage_find_contradiction(const struct rm_app *a);

#endif
