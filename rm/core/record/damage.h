/* rm/core/record/damage.h - what a record costs that does not read back, or says what cannot be. Only files of rm/core
 * include this.
 *
 * A job's state is spread over several records. Each is read whole before anything of it counts; a damaged one costs
 * the smallest thing that can be made good without it:
 *
 *      app/<id>  ----- damaged ---------------------> the application: FAILED, with the reason in its diagnostics. Its
 *        |                                            other records go as those of any ended job, its containers are
 *        |                                            killed as their nodes register. Its output stays as it is.
 *        +-- meta/splits_<id> - damaged or missing -> the same, if the job goes on: without the list nobody knows which
 *        |                                            task reads what. A job that has ended is shown without its tasks.
 *        +-- task/<id> ------ damaged --------------> the task again. Numbers of attempts go on above all that earlier
 *        |                                            epochs may have given, so nothing of the first run is mixed up.
 *        |                                            If the job has ended: shown as if there was no record.
 *        `-- commit/<id> ---- damaged --------------> the task again, once no node can have the attempt any more that may
 *                                                     be committing: the same as for an attempt of a silent node.
 *      node/<id> ------ damaged --------------------> nothing: it is awaited by its name, and says the rest as it registers.
 *      meta/format ---- damaged --------------------> the start: only an operator knows whether the store is the right one.
 *
 * The final state of an application lies in its app record alone, and that is written after the records of its tasks. So
 * damaged tasks of a job that is done, but whose end was not recorded, run again, and the job ends after them; the commit
 * of its output is repeated, which changes nothing.
 *
 * The damaged record is kept as damaged/<table>/<key>, the same to the byte, until somebody removes it; a note for the
 * operator says so. Keeping it, and what takes its place, is written before anything else: a second start is clean. */
#ifndef CREEL_RM_CORE_RECORD_DAMAGE_H
#define CREEL_RM_CORE_RECORD_DAMAGE_H

#include "rm/core/state.h"

/* Damage in @rec: kept for rm_damage_write. */
void rm_damage_keep(struct rm_core *c, const struct rm_record *rec, const char *why);
/* @a was being made from a damaged record, or with one: it has failed. Before rm_tasks_init. */
void rm_damage_fail_app(struct rm_core *c, struct rm_app *a, const char *why);
/* All records are read, and there is a place for effects. */
void rm_damage_write(struct rm_core *c);
void rm_damage_free(struct rm_core *c);
/* NULL: what @a's record says of states fits together: no edge that rm/core/states.h has not is taken later because of it. Else
 * what does not fit. */
const char *rm_damage_of_states(const struct rm_app *a);

#endif
